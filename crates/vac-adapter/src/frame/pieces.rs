//! Splits frames that are too long for memory into pieces.

use super::step::without_return;

/// Finds the end of a frame that is not read as a document, in one pass over bytes that arrive in
/// chunks. It is the end that an invalid document would have (see the parent module).
#[derive(Debug, Default)]
pub(super) struct FrameEnd {
    state: State,
    /// The number of bytes that have been scanned, from the beginning of the next piece.
    seen: usize,
    /// The end, once it is known, from the beginning of the next piece.
    found: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Before the first byte.
    #[default]
    Begin,
    /// On the first line, which is only a bracket so far.
    Bracket,
    /// On a line after which the frame ends.
    LastLine,
    /// On an indented line.
    Indented,
    /// After the end of a line, at this offset.
    LineEnd(usize),
}

/// A piece of a frame.
pub(super) struct Piece {
    /// The length of its content in bytes.
    pub content: usize,
    /// The number of bytes that it takes up in the input, with a carriage return before a line end,
    /// which is not part of the content.
    pub used: usize,
    pub is_last: bool,
}

/// Returns the length of the first piece of bytes, which is at most `most`. A character of text is
/// not split.
pub fn piece_length(bytes: &[u8], most: usize) -> usize {
    let piece = &bytes[..most.min(bytes.len())];
    match std::str::from_utf8(piece) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        _ => piece.len(),
    }
}

impl FrameEnd {
    /// Returns the next piece. `held` are the bytes from its beginning: all that remain if `is_all`,
    /// else more than `most`.
    pub fn piece(&mut self, held: &[u8], is_all: bool, most: usize) -> Piece {
        let end = self.find(held, is_all);
        if let Some(end) = end {
            let content = without_return(&held[..end]).len();
            if content <= most {
                return Piece { content, used: end, is_last: true };
            }
        }
        let length = piece_length(held, most);
        // All bytes in memory have been scanned, so the scanned bytes after the piece remain.
        self.seen -= length;
        self.found = self.found.map(|end| end - length);
        if let State::LineEnd(at) = &mut self.state {
            *at -= length;
        }
        Piece { content: length, used: length, is_last: false }
    }

    fn find(&mut self, held: &[u8], is_all: bool) -> Option<usize> {
        while self.found.is_none() {
            let Some(byte) = held.get(self.seen) else {
                if is_all {
                    self.found = Some(match self.state {
                        State::LineEnd(at) => at,
                        _ => held.len(),
                    });
                }
                break;
            };
            match self.state {
                State::Begin => {
                    let is_bracket = matches!(byte, b'{' | b'[');
                    self.state = if is_bracket { State::Bracket } else { State::LastLine };
                    self.seen += 1;
                }
                State::Bracket => match byte {
                    b'\n' => self.end_line(),
                    byte if byte.is_ascii_whitespace() => self.seen += 1,
                    _ => self.state = State::LastLine,
                },
                State::LineEnd(at) => match byte {
                    b' ' | b'\t' => self.state = State::Indented,
                    b'}' | b']' => self.state = State::LastLine,
                    _ => self.found = Some(at),
                },
                State::LastLine | State::Indented => {
                    match memchr::memchr2(b'\n', 0, &held[self.seen..]) {
                        None => self.seen = held.len(),
                        Some(stop) => {
                            self.seen += stop;
                            if self.state == State::Indented && held[self.seen] == b'\n' {
                                self.end_line();
                            } else {
                                self.found = Some(self.seen);
                            }
                        }
                    }
                }
            }
        }
        self.found
    }

    fn end_line(&mut self) {
        self.state = State::LineEnd(self.seen);
        self.seen += 1;
    }
}
