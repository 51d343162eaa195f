//! Finds where members and elements of damaged JSON end, by brackets and quotes.

use std::ops::Range;

use vac_value::Document;

use super::Element;

/// What stands between elements and members.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',')
}

/// Walks over brackets and quotes.
pub(super) struct Walker<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The elements of lists.
    pub elements: Vec<Element>,
    /// What belongs to nothing.
    pub lost: Vec<Range<usize>>,
}

impl<'b> Walker<'b> {
    /// At the beginning of an object or an array.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0, elements: Vec::new(), lost: Vec::new() }
    }

    /// Walks over an object; gives its good members, and those of these names that are
    /// lists as empty ones, as one.
    pub fn object(&mut self, lists: &[&'static str]) -> Vec<u8> {
        let mut wrapper = Vec::from(b"{");
        let mut lists = lists.to_vec();
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
            let name = key.trim_ascii_end();
            // A key may be written with escapes.
            let list = Document::json(name)
                .ok()
                .and_then(|name| lists.iter().position(|list| name.root().is_text(list)));
            let mut member = [key, b":"].concat();
            self.at = value;
            if let Some(list) = list.filter(|_| self.bytes.get(value) == Some(&b'[')) {
                member.extend(b"[]");
                self.list(lists.swap_remove(list));
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
    pub fn end(&mut self) {
        self.skip_space();
        if self.at < self.bytes.len() {
            self.lose(self.at);
        }
    }

    /// Walks over an array and notes its elements.
    pub fn list(&mut self, list: &'static str) {
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
            self.elements.push(Element { list, range: self.at..end });
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
        let space = self.bytes[self.at..].iter().take_while(|byte| is_space(**byte)).count();
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
