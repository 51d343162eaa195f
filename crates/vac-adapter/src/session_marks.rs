//! Determines from the bytes of a log whether it can contain several sessions, which is far faster
//! than parsing it.
//!
//! Texts of a log are JSON strings, in which quotes are escaped, so a quoted name is a member or a
//! value, never a part of a message. Its letters could be escaped, too (`\u0073essionId`), which no
//! agent does: a log with such an escape counts as one that can contain several sessions.

use std::io::{self, Read};

use memchr::memmem::{self, Finder};

use crate::input::Input;

/// The number of bytes that are searched at a time.
const PIECE: usize = 256 << 10;
/// The maximum length of an id in bytes. A longer id counts as another one.
const MAX_ID: usize = 1 << 10;
/// The beginning of the escape of an ASCII letter. The next digit is 4, 5, 6 or 7.
const ESCAPE: &[u8] = br"\u00";

/// A mark that distinguishes the sessions of a log. A log with at most one head, and with the same
/// value for all ids, contains one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionMark {
    /// A member that states the id of a session.
    Id(&'static str),
    /// A value that only the first line of a session contains.
    Head(&'static str),
}

impl SessionMark {
    fn name(self) -> &'static str {
        match self {
            Self::Id(name) | Self::Head(name) => name,
        }
    }
}

/// Returns whether an input can contain several sessions of an agent that uses these marks. If this
/// is false, the input contains at most one session.
///
/// ```
/// use vac_adapter::Memory;
/// use vac_adapter::session_marks::{SessionMark, may_have_several};
///
/// let marks = [SessionMark::Id("sessionId")];
/// let several = |bytes: &[u8]| may_have_several(&Memory { name: "x.jsonl", bytes }, &marks);
/// assert!(!several(br#"{"sessionId": "a"} {"sessionId":"a", "text": "\"sessionId\":\"b\""}"#)?);
/// assert!(several(br#"{"sessionId": "a"} {"sessionId" : "b"}"#)?);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If the input cannot be read.
pub fn may_have_several(input: &dyn Input, marks: &[SessionMark]) -> io::Result<bool> {
    if marks.is_empty() {
        return Ok(false);
    }
    let mut search = MarkSearch::new(marks);
    let parts = input.parts();
    if parts.is_empty() {
        return search.read(&mut *input.open()?);
    }
    for part in parts {
        if search.read(&mut *part.open()?)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The marks that were found so far.
struct MarkSearch<'m> {
    marks: Vec<(SessionMark, Finder<'m>)>,
    escape: Finder<'m>,
    /// The first id.
    id: Option<Vec<u8>>,
    has_head: bool,
}

/// The text after a name in quotes.
enum AfterName<'b> {
    /// A colon, and a text without escapes.
    Text(&'b [u8]),
    /// A colon, and another value.
    Other,
    /// Anything but a colon.
    Nothing,
    /// A text that is too long or has escapes.
    Unclear,
    /// More bytes are needed.
    Incomplete,
}

impl MarkSearch<'_> {
    fn new(marks: &[SessionMark]) -> Self {
        let finder = |mark: &SessionMark| {
            let quoted = format!("\"{}\"", mark.name());
            (*mark, memmem::Finder::new(quoted.as_bytes()).into_owned())
        };
        Self {
            marks: marks.iter().map(finder).collect(),
            escape: Finder::new(ESCAPE).into_owned(),
            id: None,
            has_head: false,
        }
    }

    /// Reads a file, and returns whether there can be several sessions.
    fn read(&mut self, input: &mut dyn Read) -> io::Result<bool> {
        let longest = self.marks.iter().map(|(mark, _)| mark.name().len() + 2).max().unwrap_or(0);
        // A mark and its value have at most this many bytes, unless there is much white space.
        let overlap = longest + MAX_ID + 64;
        let mut buffer = vec![0; PIECE + overlap];
        let (mut kept, mut searched) = (0, 0);
        loop {
            let count = match input.read(&mut buffer[kept..]) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = kept + count;
            let is_end = count == 0;
            if !is_end && end < buffer.len() {
                kept = end;
                continue;
            }
            // A mark that begins after this is searched with the next piece.
            let limit = if is_end { end } else { end - overlap };
            if self.search(&buffer[..end], searched, limit) {
                return Ok(true);
            }
            if is_end {
                return Ok(false);
            }
            buffer.copy_within(limit..end, 0);
            (kept, searched) = (end - limit, 0);
        }
    }

    /// Searches for the marks that begin in a part of the bytes.
    fn search(&mut self, bytes: &[u8], from: usize, limit: usize) -> bool {
        let is_letter = |at: usize| matches!(bytes.get(at + ESCAPE.len()), Some(b'4'..=b'7'));
        let until = |length: usize| &bytes[from..(limit + length - 1).min(bytes.len())];
        if self.escape.find_iter(until(ESCAPE.len())).any(|at| is_letter(from + at)) {
            return true;
        }
        for (mark, finder) in &self.marks {
            let length = finder.needle().len();
            for at in finder.find_iter(until(length)) {
                match (mark, after_name(&bytes[from + at + length..])) {
                    (_, AfterName::Unclear | AfterName::Incomplete) => return true,
                    (SessionMark::Id(_), AfterName::Text(id)) => match &self.id {
                        Some(first) if first != id => return true,
                        Some(_) => {}
                        None if self.has_head => return true,
                        None => self.id = Some(id.to_owned()),
                    },
                    (SessionMark::Head(_), AfterName::Nothing) => {
                        if self.has_head || self.id.is_some() {
                            return true;
                        }
                        self.has_head = true;
                    }
                    (SessionMark::Id(_), AfterName::Other | AfterName::Nothing)
                    | (SessionMark::Head(_), AfterName::Text(_) | AfterName::Other) => {}
                }
            }
        }
        false
    }
}

/// Returns the kind of the text after a name in quotes.
fn after_name(bytes: &[u8]) -> AfterName<'_> {
    let skip = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
    };
    let colon = skip(0);
    match bytes.get(colon) {
        Some(b':') => {}
        Some(_) => return AfterName::Nothing,
        // The last bytes of a log are not a member.
        None if colon == 0 => return AfterName::Nothing,
        None => return AfterName::Incomplete,
    }
    let quote = skip(colon + 1);
    match bytes.get(quote) {
        Some(b'"') => {}
        Some(_) => return AfterName::Other,
        None => return AfterName::Incomplete,
    }
    let text = &bytes[quote + 1..];
    let text = &text[..text.len().min(MAX_ID)];
    match memchr::memchr2(b'"', b'\\', text) {
        Some(end) if text[end] == b'"' => AfterName::Text(&text[..end]),
        _ => AfterName::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Bundle, Memory};

    fn several(bytes: &[u8], marks: &[SessionMark]) -> bool {
        may_have_several(&Memory { name: "x.jsonl", bytes }, marks).expect("bytes in memory")
    }

    #[test]
    fn second_id_is_found_anywhere() {
        let marks = [SessionMark::Id("sessionId")];
        for from in (PIECE - 60..PIECE + 60).chain(PIECE + 1000..PIECE + 1200) {
            let mut bytes = br#"{"sessionId":"a"}"#.to_vec();
            bytes.resize(from, b' ');
            assert!(!several(&bytes, &marks));
            bytes.extend(br#"{"sessionId": "a"}"#);
            assert!(!several(&bytes, &marks), "{from}");
            bytes.extend(br#"{"sessionId": "b"}"#);
            assert!(several(&bytes, &marks), "{from}");
        }
    }

    #[test]
    fn heads_are_values_and_not_members() {
        let marks = [SessionMark::Head("session"), SessionMark::Id("id")];
        assert!(!several(br#"{"type":"session"} {"session": {"type": "other"}}"#, &marks));
        assert!(several(br#"{"type":"session"} {"type": "session"}"#, &marks));
        assert!(several(br#"{"type":"session"} {"id": "b"}"#, &marks));
        assert!(!several(br#"{"type":"session"} {"text": "\"session\""}"#, &marks));
        assert!(!several(b"", &marks) && !several(b"\"session\"", &marks));
    }

    #[test]
    fn unclear_marks_can_be_of_several() {
        let marks = [SessionMark::Id("sessionId")];
        assert!(several(br#"{"\u0073essionId": "b"}"#, &marks), "an escaped letter");
        assert!(!several(br#"{"sessionId": "b", "text": "\u001b[1m"}"#, &marks));
        assert!(several(br#"{"sessionId": "\"b"}"#, &marks), "an id with an escape");
        let long = format!("{{\"sessionId\": \"{}\"}}", "x".repeat(MAX_ID));
        assert!(several(long.as_bytes(), &marks), "a long id");
        assert!(!several(br#"{"sessionId": 7} {"sessionId": null}"#, &marks));
    }

    #[test]
    fn files_of_a_log_are_searched_together() {
        let one = Memory { name: "x.jsonl", bytes: br#"{"sessionId": "a"}"# };
        let other = Memory { name: "y.jsonl", bytes: br#"{"sessionId": "b"}"# };
        let marks = [SessionMark::Id("sessionId")];
        let same = Bundle { parts: vec![&one, &one], ..Bundle::default() };
        assert!(!may_have_several(&same, &marks).expect("bytes in memory"));
        let both = Bundle { parts: vec![&one, &other], ..Bundle::default() };
        assert!(may_have_several(&both, &marks).expect("bytes in memory"));
        assert!(!may_have_several(&both, &[]).expect("bytes in memory"));
    }
}
