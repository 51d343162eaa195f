//! Finds scalars in text that is not a document.

use super::leaf::Leaf;
use super::read::{skip_space, text, word};

/// Calls `show` with the scalars of malformed text, and with any other words in it, in order. A key
/// is not passed as a scalar: if it can be recognised, it is passed with the value that follows it.
pub fn fragments<'a>(bytes: &'a [u8], show: &mut dyn FnMut(Option<&[u8]>, Leaf<'a>)) {
    let mut at = 0;
    let mut key = None;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let run = |is: fn(&u8) -> bool| rest.iter().take_while(|byte| is(byte)).count();
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'}' | b'[' | b']' | b',' | b':' => at += 1,
            0 => {
                let length = run(|byte| *byte == 0);
                show(None, Leaf::count(length));
                at += length;
            }
            b'"' => {
                let length = text_length(rest);
                let token = &rest[..length];
                at += length;
                let leaf = match text(token, 0) {
                    Some((text, _)) => Leaf::Text(text),
                    None => Leaf::Garbage(token.trim_ascii_end()),
                };
                match (leaf, bytes.get(skip_space(bytes, at))) {
                    (Leaf::Text(text), Some(b':')) => key = Some(text),
                    (leaf, _) => show(key.take().as_deref(), leaf),
                }
            }
            _ => {
                let length = run(|byte| !b" \t\r\n{}[],:\"\0".contains(byte));
                let leaf = word(&rest[..length]).unwrap_or(Leaf::Garbage(&rest[..length]));
                show(key.take().as_deref(), leaf);
                at += length;
            }
        }
    }
}

/// Returns the length of a text up to its closing quote, or to the end of its line.
fn text_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' | 0 => return at,
            b'\\' if !matches!(rest.get(at + 1), Some(b'\n' | 0)) => at += 2,
            _ => at += 1,
        }
    }
    rest.len()
}
