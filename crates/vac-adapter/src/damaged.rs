//! Reads documents that are truncated, damaged or nested too deep.
//!
//! An adapter states which arrays of its documents contain elements ([`List`]). [`Pieces`] returns
//! the elements that are valid by themselves, the members around them, and the bytes in between
//! that could not be parsed, in the order of the document. Brackets and quotes show where a member
//! or an element ends. After damage, reading continues with the next one.
//!
//! ```
//! use vac_adapter::damaged::{List, Piece, Pieces, wrapper};
//!
//! const LISTS: &[List] = &[List::new("lines")];
//! let bytes = br#"{"id": 7, "lines": [{"a": 1}, {"a": x}, {"a": 3}, {"a"#;
//! let pieces = Pieces::new(bytes, LISTS).filter_map(|piece| match piece {
//!     Piece::Element { value, .. } => Some(value.root().raw()),
//!     Piece::Raw { raw, .. } => Some(raw.bytes),
//!     _ => None,
//! });
//! let expected = [&br#"{"a": 1}"#[..], br#"{"a": x}"#, br#"{"a": 3}"#, br#"{"a"#];
//! assert_eq!(pieces.collect::<Vec<_>>(), expected);
//! assert_eq!(wrapper(bytes, LISTS).as_deref(), Some(&br#"{"id":7,"lines":[]}"#[..]));
//! ```
//!
//! # Decisions
//!
//! * Every byte except white space, commas and the brackets of lists and of objects that are
//!   split is in exactly one piece.
//! * An object or array without its closing bracket ends with its container; an object ends also
//!   where another one begins in the place of a key. An extra bracket before an object is skipped.
//!   A missing or extra bracket therefore usually damages only one element.
//! * A text ends at the latest at the end of its line, because JSON has no line ends in texts.
//! * Consecutive unparsed bytes are one piece if brackets in them do not match.
//! * Time is linear in the size of the document, and memory is that of one element.

mod beginning;
mod brackets;

use std::ops::Range;

use vac_value::{Document, Scanner};

use crate::frame::{Content, Raw, Reason, scanner};
pub(crate) use beginning::MAX_BEGINNING;
pub use beginning::beginning;
use brackets::{Brackets, is_space, text_end};

/// An array whose elements are read one by one.
#[derive(Debug)]
pub struct List {
    /// The key of the member that contains it.
    pub key: &'static str,
    /// The arrays in its elements. If there are any, a damaged element is split.
    pub inside: &'static [List],
}

impl List {
    /// Returns an array whose elements are kept unparsed if they are damaged.
    pub const fn new(key: &'static str) -> Self {
        Self { key, inside: &[] }
    }
}

/// A piece of a damaged document.
#[derive(Debug)]
pub enum Piece<'a> {
    /// A member that is not a list, of the document or of a damaged element.
    Member {
        /// The key of the list that the element is in; empty for the document.
        of: &'static str,
        /// The key of the member.
        key: Document<'a>,
        /// The value of the member.
        value: Document<'a>,
    },
    /// A list begins, which is a member of the document or of a damaged element.
    List {
        /// The key of the list that the element is in; empty for the document.
        of: &'static str,
        /// The key of the member.
        key: Document<'a>,
    },
    /// A damaged element begins; its members and the elements of its lists follow.
    Object {
        /// The key of its list.
        of: &'static str,
    },
    /// An element of a list.
    Element {
        /// The key of its list; empty for a document that is an array.
        of: &'static str,
        /// The offset of its first byte.
        at: usize,
        /// The element.
        value: Document<'a>,
    },
    /// Bytes that could not be parsed. They are empty where a bracket is missing.
    Raw {
        /// The key of the list that they are an element of; otherwise empty.
        of: &'static str,
        /// The offset of the first of them.
        at: usize,
        /// The bytes.
        raw: Raw<'a>,
    },
}

/// The pieces of a damaged document, in its order.
#[derive(Debug)]
pub struct Pieces<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The lists and objects that are being read, the innermost last.
    open: Vec<Open>,
    /// The current unparsed bytes, which may continue.
    run: Option<Run<'a>>,
    /// The piece after the unparsed bytes.
    after_run: Option<Piece<'a>>,
    scanner: Scanner,
    brackets: Brackets,
    /// The reason for unparsed bytes at the end, if they continue in the next frame.
    cut: Option<Reason>,
}

/// A list or an object that is being read.
#[derive(Clone, Copy, Debug)]
struct Open {
    is_list: bool,
    /// The key of the list, or of the list that the object is an element of.
    key: &'static str,
    /// The lists in the object, or in the elements of the list.
    lists: &'static [List],
    /// The offset at which it ends at the latest.
    end: usize,
}

/// Unparsed bytes.
#[derive(Debug)]
struct Run<'a> {
    of: &'static str,
    start: usize,
    raw: Raw<'a>,
    /// Whether brackets do not match, so that unparsed bytes before and after belong to it.
    is_open: bool,
}

/// The result of reading at one position.
enum Step<'a> {
    Piece(Piece<'a>),
    Unparsed(Run<'a>),
}

/// Parses a piece of a document.
pub fn parse(bytes: &[u8]) -> Content<'_> {
    parse_with(&mut scanner(), bytes)
}

/// Parses the bytes of a damaged frame in this range; `None` if the frame does not have them.
pub fn parse_in<'a>(frame: &Raw<'a>, range: Range<usize>) -> Option<Content<'a>> {
    let is_at_end = range.end == frame.bytes.len();
    let mut content = parse(frame.bytes.get(range)?);
    if let (Content::Raw(raw), Some(cut), true) = (&mut content, cut(frame), is_at_end) {
        raw.reason = cut.clone();
    }
    Some(content)
}

/// Returns the reason of a frame that continues in the next one.
fn cut<'r>(raw: &'r Raw<'_>) -> Option<&'r Reason> {
    Some(&raw.reason).filter(|reason| matches!(reason, Reason::TooLong { .. }))
}

fn parse_with<'a>(scanner: &mut Scanner, bytes: &'a [u8]) -> Content<'a> {
    let (reason, document) = match scanner.json(bytes) {
        Ok(document) if document.duplicate_keys().len() == 0 => return Content::Document(document),
        Ok(document) => (Reason::DuplicateKey, Some(document)),
        Err(error) => (Reason::Syntax(error), None),
    };
    Content::Raw(Raw { bytes, reason, document })
}

/// Returns the members around the lists of a document as an object in which the lists are
/// empty; `None` if the document is not an object.
pub fn wrapper(bytes: &[u8], lists: &'static [List]) -> Option<Vec<u8>> {
    if !bytes.starts_with(b"{") {
        return None;
    }
    let mut text = Vec::from(b"{");
    for piece in Pieces::new(bytes, lists) {
        let (key, value) = match &piece {
            Piece::Member { of: "", key, value } => (key, value.root().raw()),
            Piece::List { of: "", key } => (key, &b"[]"[..]),
            _ => continue,
        };
        if text.len() > 1 {
            text.push(b',');
        }
        for part in [key.root().raw(), b":", value] {
            text.extend_from_slice(part);
        }
    }
    text.push(b'}');
    Some(text)
}

impl<'a> Pieces<'a> {
    /// Reads an object that has these lists, or an array. Anything else is one unparsed piece.
    pub fn new(bytes: &'a [u8], lists: &'static [List]) -> Self {
        let root = |is_list, lists| Open { is_list, key: "", lists, end: bytes.len() };
        let open = match bytes.first() {
            Some(b'{') => vec![root(false, lists)],
            Some(b'[') => vec![root(true, &[])],
            _ => Vec::new(),
        };
        Self {
            bytes,
            at: open.len(),
            open,
            run: None,
            after_run: None,
            scanner: scanner(),
            brackets: Brackets::default(),
            cut: None,
        }
    }

    /// Reads a frame. If it is a piece of a longer frame, unparsed bytes at its end get the same
    /// reason.
    pub fn from_frame(raw: &Raw<'a>, lists: &'static [List]) -> Self {
        Self { cut: cut(raw).cloned(), ..Self::new(raw.bytes, lists) }
    }

    /// Returns the next piece, without joining unparsed bytes.
    fn step(&mut self) -> Option<Step<'a>> {
        loop {
            let end = self.open.last().map_or(self.bytes.len(), |open| open.end);
            let space = self.bytes[self.at..end].iter().take_while(|byte| is_space(**byte)).count();
            self.at += space;
            let byte = self.bytes[self.at..end].first();
            let Some(open) = self.open.last().copied() else {
                // Bytes after the end.
                return byte.map(|_| self.rest());
            };
            match byte {
                None if end == self.bytes.len() => return Some(self.rest()),
                None => {
                    self.open.pop();
                    return Some(self.unparsed(self.at, self.at, false));
                }
                Some(bracket @ (b'}' | b']')) => {
                    if open.is_list == (*bracket == b']') {
                        self.at += 1;
                        self.open.pop();
                    } else if self.open.len() > 1 && !self.is_element_next() {
                        self.open.pop();
                        return Some(self.unparsed(self.at, self.at, false));
                    } else {
                        return Some(self.unparsed(self.at, self.at + 1, true));
                    }
                }
                Some(_) if open.is_list => return Some(self.element(open)),
                Some(_) => return Some(self.member(open)),
            }
        }
    }

    /// Returns whether an object follows the bracket at this position. The list around it then
    /// continues.
    fn is_element_next(&self) -> bool {
        let open = self.open.last();
        let within =
            open.filter(|open| open.is_list).map(|open| &self.bytes[self.at + 1..open.end]);
        within.and_then(|bytes| bytes.iter().find(|byte| !is_space(**byte))) == Some(&b'{')
    }

    /// Reads the element that begins here.
    fn element(&mut self, list: Open) -> Step<'a> {
        let start = self.at;
        let end = self.brackets.value_end(&self.bytes[..list.end], start);
        let raw = match end.map(|end| self.parse(start, end)) {
            Some(Content::Document(value)) => {
                self.at += value.root().raw().len();
                return Step::Piece(Piece::Element { of: list.key, at: start, value });
            }
            Some(Content::Raw(raw)) => Some(raw),
            None => None,
        };
        let is_object = self.bytes[start] == b'{';
        if is_object && !list.lists.is_empty() {
            self.at += 1;
            self.open.push(Open { is_list: false, end: end.unwrap_or(list.end), ..list });
            return Step::Piece(Piece::Object { of: list.key });
        }
        let Some(raw) = raw else { return self.rest() };
        self.at += raw.bytes.len();
        let is_open = !(is_object && raw.bytes.ends_with(b"}"));
        Step::Unparsed(Run { of: list.key, start, raw, is_open })
    }

    /// Reads the member that begins here.
    fn member(&mut self, object: Open) -> Step<'a> {
        let (start, of) = (self.at, object.key);
        let within = &self.bytes[..object.end];
        let Some((key_end, value)) = key_end(within, start) else {
            return match self.brackets.value_end(within, start) {
                Some(end) => self.unparsed(start, end, true),
                None => self.rest(),
            };
        };
        let key = self.parse(start, key_end);
        let list = match &key {
            Content::Document(key) if within[value] == b'[' => {
                object.lists.iter().find(|list| key.root().is_text(list.key))
            }
            _ => None,
        };
        let key = match (key, list) {
            (Content::Document(key), Some(list)) => {
                self.at = value + 1;
                self.open.push(Open { is_list: true, key: list.key, lists: list.inside, ..object });
                return Step::Piece(Piece::List { of, key });
            }
            (key, _) => key,
        };
        let Some(end) = self.brackets.value_end(within, value) else { return self.rest() };
        self.at = end;
        match (key, self.parse(value, end)) {
            (Content::Document(key), Content::Document(value)) => {
                Step::Piece(Piece::Member { of, key, value })
            }
            (Content::Raw(raw), _) | (_, Content::Raw(raw)) => {
                let raw = Raw { bytes: &self.bytes[start..end], document: None, ..raw };
                Step::Unparsed(Run { of: "", start, raw, is_open: false })
            }
        }
    }

    /// Returns everything up to the end of the object that is being split, or of the
    /// document.
    fn rest(&mut self) -> Step<'a> {
        let end = self.open.last().map_or(self.bytes.len(), |open| open.end);
        self.open.truncate(self.open.partition_point(|open| open.end > end));
        self.unparsed(self.at, end, false)
    }

    /// Returns bytes that belong to no list.
    fn unparsed(&mut self, start: usize, end: usize, is_open: bool) -> Step<'a> {
        self.at = end;
        let mut raw = match self.parse(start, end) {
            Content::Document(_) => {
                Raw { bytes: &self.bytes[start..end], reason: Reason::Stray, document: None }
            }
            Content::Raw(raw) => raw,
        };
        if let Some(cut) = self.cut.as_ref().filter(|_| end == self.bytes.len()) {
            raw.reason = cut.clone();
        }
        Step::Unparsed(Run { of: "", start, raw, is_open })
    }

    fn parse(&mut self, start: usize, end: usize) -> Content<'a> {
        parse_with(&mut self.scanner, &self.bytes[start..end])
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            if self.after_run.is_some() {
                return self.after_run.take();
            }
            let before = match self.step() {
                Some(Step::Unparsed(next)) => match &mut self.run {
                    Some(run) if run.is_open || next.is_open => {
                        run.join(next, self.bytes);
                        continue;
                    }
                    run => run.replace(next),
                },
                Some(Step::Piece(piece)) => {
                    self.after_run = Some(piece);
                    self.run.take()
                }
                None => return self.run.take().map(Run::piece),
            };
            if let Some(run) = before {
                return Some(run.piece());
            }
        }
    }
}

impl<'a> Run<'a> {
    /// Adds unparsed bytes that follow.
    fn join(&mut self, next: Self, bytes: &'a [u8]) {
        let end = next.start + next.raw.bytes.len();
        let is_cut = cut(&next.raw).is_some();
        if self.raw.document.take().is_some() || is_cut {
            self.raw.reason = next.raw.reason;
        }
        self.raw.bytes = &bytes[self.start..end];
        self.of = next.of;
        self.is_open |= next.is_open;
    }

    fn piece(self) -> Piece<'a> {
        Piece::Raw { of: self.of, at: self.start, raw: self.raw }
    }
}

/// Returns the end of the key that begins here and the beginning of its value.
fn key_end(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let after_space = |from: usize| {
        Some(from + bytes[from..].iter().position(|byte| !is_space(*byte) || *byte == b',')?)
    };
    let end = Some(start).filter(|_| bytes[start] == b'"').and_then(|_| text_end(bytes, start))?;
    let colon = after_space(end).filter(|colon| bytes[*colon] == b':')?;
    Some((end, after_space(colon + 1)?))
}

#[cfg(test)]
mod tests;
