//! Completes the beginning of a document to a document.

use super::brackets::text_end;
use crate::frame::scanner;

/// Maximum number of bytes that are read of a beginning.
pub(crate) const MAX_BEGINNING: usize = 64 * 1024;

/// Returns the beginning of a document, up to its end, damage or 64 KiB, as a complete document:
/// open containers are closed, and an incomplete last member or element is left out. `None` if it
/// does not begin as an object or an array.
pub fn beginning(bytes: &[u8]) -> Option<Vec<u8>> {
    let bytes = &bytes[..bytes.len().min(MAX_BEGINNING)];
    match scanner().json(bytes) {
        Ok(_) => closed(bytes),
        Err(error) => closed(bytes.get(..error.offset)?),
    }
}

/// Closes the containers that are open at the end of bytes that are JSON up to there.
fn closed(text: &[u8]) -> Option<Vec<u8>> {
    let mut brackets: Vec<Open> = Vec::new();
    // The end of the complete part, and the number of open brackets there.
    let (mut whole, mut depth) = (0, 0);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let mut is_whole = true;
        match byte {
            b'{' | b'[' => brackets.push(Open { is_object: *byte == b'{', is_key: true }),
            b'}' | b']' => is_whole = brackets.pop().is_some(),
            b'"' => {
                let Some(end) = text_end(text, at) else { break };
                at = end - 1;
                is_whole = brackets.last().is_some_and(|last| !last.is_object || !last.is_key);
            }
            b',' => {
                // The value before it is complete, even a number.
                (whole, depth) = (at, brackets.len());
                set_key(&mut brackets, true);
                is_whole = false;
            }
            b':' => {
                set_key(&mut brackets, false);
                is_whole = false;
            }
            _ => is_whole = false,
        }
        at += 1;
        if is_whole {
            (whole, depth) = (at, brackets.len());
        }
        if brackets.is_empty() {
            break;
        }
    }
    let mut closed = text.get(..whole).filter(|text| !text.is_empty())?.to_vec();
    let open = brackets.get(..depth)?.iter().rev();
    closed.extend(open.map(|open| if open.is_object { b'}' } else { b']' }));
    Some(closed)
}

/// An open bracket.
struct Open {
    is_object: bool,
    /// Whether a key comes next, or (in an object) is being read.
    is_key: bool,
}

fn set_key(brackets: &mut [Open], is_key: bool) {
    if let Some(last) = brackets.last_mut() {
        last.is_key = is_key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_is_closed_after_the_complete_part() {
        for (text, expected) in [
            (r#"{"a": [1, {"b": "c", "d": "unfin"#, r#"{"a": [1, {"b": "c"}]}"#),
            (r#"{"a": {"b": []}, "c""#, r#"{"a": {"b": []}}"#),
            (r#"{"a": "\"}", "b": tr"#, r#"{"a": "\"}"}"#),
            // The number may continue as 20.
            ("[1, 2", "[1]"),
            ("[", "[]"),
            (r#"{"a": 1} and more"#, r#"{"a": 1}"#),
            (r#"{"a": 1, "b": x, "c": 2}"#, r#"{"a": 1}"#),
            ("{\"a\": [true, \"two\nlines\"]}", r#"{"a": [true]}"#),
        ] {
            let closed = beginning(text.as_bytes()).map(String::from_utf8);
            assert_eq!(closed, Some(Ok(expected.to_owned())), "{text}");
        }
    }

    #[test]
    fn other_values_have_no_beginning() {
        for text in ["", "Dear Ada", "\"{", "}{", " {"] {
            assert_eq!(beginning(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn beginning_is_a_document_wherever_it_is_cut() {
        let whole = r#"{"a": [1, -2.5e3, {"b\\\"": null, "é": [[], {}]}], "c": "\u00e9"}"#;
        for length in 1..=whole.len() {
            let closed = beginning(&whole.as_bytes()[..length]).expect("an object");
            assert!(vac_value::Document::json(&closed).is_ok(), "cut at {length}");
        }
    }
}
