//! Sessions that are no JSON as a whole: cut short, damaged or nested too deep.
//!
//! Brackets and quotes are enough to tell where a member or an element ends.
//! What is good by itself is read as if nothing had happened; the rest is carried
//! raw.

use std::ops::Range;

use vac_adapter::Error;
use vac_adapter::frame::{Raw, Reason};
use vac_value::{Document, Limits, Scanner};

use crate::detect::{Form, Native, native};
use crate::part::{self, Piece, Show};

/// Levels that a record has around an element, with room to spare.
const LEVELS_AROUND: usize = 16;

/// What is left of a session.
#[derive(Debug)]
pub(crate) struct Skeleton {
    /// The format.
    pub form: Form,
    /// The members around the list that are good, and an empty list.
    wrapper: Vec<u8>,
    /// The elements of the list, good or bad.
    elements: Vec<Range<usize>>,
    /// What belongs to nothing.
    lost: Vec<Range<usize>>,
    /// What is wrong with the whole.
    reason: Reason,
}

impl Skeleton {
    /// Looks for a session in what is no JSON.
    pub fn of(bytes: &[u8], reason: &Reason) -> Option<Self> {
        let mut walker = Walker { bytes, at: 0, elements: Vec::new(), lost: Vec::new() };
        let (form, wrapper) = match bytes.first()? {
            b'{' => {
                let wrapper = walker.object();
                let Native::Session(form) = native(Document::json(&wrapper).ok()?.root()) else {
                    return None;
                };
                (form, wrapper)
            }
            b'[' => {
                walker.list();
                walker.end();
                let first = bytes.get(walker.elements.first()?.clone())?;
                let first = [b"[", first, b"]"].concat();
                let Native::Session(form) = native(Document::json(&first).ok()?.root()) else {
                    return None;
                };
                (form, Vec::new())
            }
            _ => return None,
        };
        let Walker { elements, lost, .. } = walker;
        Some(Self { form, wrapper, elements, lost, reason: reason.clone() })
    }

    /// Shows each piece.
    pub fn each(&self, bytes: &[u8], show: &mut Show<'_>) -> Result<(), Error> {
        if let Ok(document) = Document::json(&self.wrapper) {
            part::wrapper(&document, self.form, show)?;
        }
        let limits = Limits::default();
        let limits = Limits { depth: limits.depth - LEVELS_AROUND, ..limits };
        let mut scanner = Scanner::new(limits);
        for range in &self.elements {
            let bytes = bytes.get(range.clone()).unwrap_or_default();
            let (reason, document) = match scanner.json(bytes) {
                Ok(document) if document.duplicate_keys().len() == 0 => {
                    show(range.start, Piece::Element(document.root()))?;
                    scanner.recycle(document);
                    continue;
                }
                Ok(document) => (Reason::DuplicateKey, Some(document)),
                Err(error) => (Reason::Syntax(error), None),
            };
            show(range.start, Piece::Raw(&Raw { bytes, reason, document }))?;
        }
        for range in &self.lost {
            let bytes = bytes.get(range.clone()).unwrap_or_default();
            let raw = Raw { bytes, reason: self.reason.clone(), document: None };
            show(range.start, Piece::Raw(&raw))?;
        }
        Ok(())
    }
}

struct Walker<'b> {
    bytes: &'b [u8],
    at: usize,
    elements: Vec<Range<usize>>,
    lost: Vec<Range<usize>>,
}

impl Walker<'_> {
    /// Walks over an object; gives its good members and an empty list as one.
    fn object(&mut self) -> Vec<u8> {
        let mut wrapper = Vec::from(b"{");
        let mut has_list = false;
        self.at = 1;
        loop {
            self.skip_space();
            match self.bytes.get(self.at) {
                Some(b'}') => {
                    self.at += 1;
                    self.end();
                    break;
                }
                Some(b'"') => {}
                _ => {
                    self.lose(self.at);
                    break;
                }
            }
            let start = self.at;
            let Some(value) = self.key() else {
                self.lose(start);
                break;
            };
            let key = &self.bytes[start..self.at];
            let is_list = [&b"\"messages\""[..], b"\"history\""].contains(&key);
            let mut member = [key, b":"].concat();
            self.at = value;
            if is_list && !has_list && self.bytes.get(value) == Some(&b'[') {
                has_list = true;
                member.extend(b"[]");
                self.list();
            } else {
                let Some(end) = self.value_end() else {
                    self.lose(start);
                    break;
                };
                member.extend(&self.bytes[value..end]);
                self.at = end;
            }
            if Document::json(&[b"{", &member[..], b"}"].concat()).is_err() {
                self.lost.push(start..self.at);
                continue;
            }
            if wrapper.len() > 1 {
                wrapper.push(b',');
            }
            wrapper.extend(member);
        }
        wrapper.push(b'}');
        wrapper
    }

    /// What is behind the end belongs to nothing.
    fn end(&mut self) {
        self.skip_space();
        if self.at < self.bytes.len() {
            self.lose(self.at);
        }
    }

    /// Walks over an array and notes its elements.
    fn list(&mut self) {
        self.at += 1;
        loop {
            self.skip_space();
            match self.bytes.get(self.at) {
                Some(b']') => {
                    self.at += 1;
                    return;
                }
                None => return self.lose(self.at),
                Some(_) => {}
            }
            let Some(end) = self.value_end().filter(|end| *end > self.at) else {
                return self.lose(self.at);
            };
            self.elements.push(self.at..end);
            self.at = end;
        }
    }

    /// Everything from here on belongs to nothing; told even if that is only that
    /// there is no end.
    fn lose(&mut self, from: usize) {
        if self.lost.last().is_none_or(|last| last.end < self.bytes.len()) {
            self.lost.push(from..self.bytes.len());
        }
        self.at = self.bytes.len();
    }

    fn skip_space(&mut self) {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',');
        let space = self.bytes[self.at..].iter().take_while(|byte| is_space(byte)).count();
        self.at += space;
    }

    /// Walks over a key; gives where its value begins.
    fn key(&mut self) -> Option<usize> {
        let end = self.text_end(self.at)?;
        self.at = end;
        let colon = end + self.bytes[end..].iter().position(|byte| !byte.is_ascii_whitespace())?;
        if self.bytes[colon] != b':' {
            return None;
        }
        let behind = &self.bytes[colon + 1..];
        Some(colon + 1 + behind.iter().position(|byte| !byte.is_ascii_whitespace())?)
    }

    /// Behind the text that begins here.
    fn text_end(&self, from: usize) -> Option<usize> {
        let mut at = from + 1;
        loop {
            match self.bytes.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// Behind the value that begins here; `None` if it does not end.
    fn value_end(&self) -> Option<usize> {
        let mut at = self.at;
        let mut depth = 0usize;
        loop {
            match self.bytes.get(at)? {
                b'"' => at = self.text_end(at)?,
                b'{' | b'[' => {
                    depth += 1;
                    at += 1;
                }
                b'}' | b']' | b',' if depth == 0 => return Some(at),
                b'}' | b']' => {
                    depth -= 1;
                    at += 1;
                }
                _ => at += 1,
            }
            if depth == 0 && matches!(self.bytes[at - 1], b'"' | b'}' | b']') {
                return Some(at);
            }
        }
    }
}
