//! Finds where texts and values of damaged JSON end, by brackets and quotes.

/// Finds the end of values, and reuses its memory.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    /// The brackets that are open, the innermost last.
    open: Vec<u8>,
}

impl Brackets {
    /// Returns the end of the value that begins at `start`; `None` if it is missing.
    pub fn value_end(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        self.open.clear();
        let mut at = start;
        // The end of the last byte that is neither space nor a comma.
        let mut end = start;
        let mut is_key_next = false;
        loop {
            let byte = *bytes.get(at)?;
            match byte {
                b'"' => at = text_end(bytes, at)? - 1,
                b'{' | b'[' => {
                    // An object cannot begin in the place of a key.
                    while byte == b'{' && is_key_next && self.open.last() == Some(&b'{') {
                        self.open.pop();
                        if self.open.is_empty() {
                            return Some(end);
                        }
                    }
                    self.open.push(byte);
                }
                b'}' | b']' => {
                    let opening = if byte == b'}' { b'{' } else { b'[' };
                    match self.open.iter().rposition(|open| *open == opening) {
                        Some(position) => self.open.truncate(position),
                        // The bracket closes a container of the value.
                        None => return Some(end),
                    }
                }
                b',' if self.open.is_empty() => return Some(end),
                _ => {}
            }
            at += 1;
            if !is_space(byte) {
                end = at;
                // A text that ended with its line may have contained the comma.
                is_key_next = byte == b'"' && bytes[at - 1] != b'"';
            } else if byte == b',' {
                is_key_next = true;
            }
            if self.open.is_empty() && matches!(byte, b'"' | b'}' | b']') {
                return Some(end);
            }
        }
    }
}

/// Returns whether a byte separates members and elements.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',')
}

/// Returns the end of the text that begins at `start`: after its quote, or at the end of its
/// line.
pub(super) fn text_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\n' => return Some(at),
            b'\\' if bytes.get(at + 1) != Some(&b'\n') => at += 2,
            _ => at += 1,
        }
    }
}
