//! Scans JSON text in one pass, which checks every byte and fills the index.

use std::ops::Range;

use smallvec::SmallVec;

use super::block::Block;
use crate::document::{ESCAPED, Kind, LONE_SURROGATE, LOOSE};
use crate::scan::Index;
use crate::{Problem, SyntaxError};

/// Scans the document at the beginning of the text and returns the offset of its end.
pub(crate) fn scan(text: &str, index: &mut Index<'_>) -> Result<usize, SyntaxError> {
    let source = text.as_bytes();
    let mut scan = Scan { source, at: 0, index, open: SmallVec::new(), spaced: false };
    scan.space();
    match scan.peek() {
        None => return Err(scan.error(Problem::Empty)),
        Some(0xef) if source[scan.at..].starts_with(b"\xef\xbb\xbf") => {
            return Err(scan.error(Problem::ByteOrderMark));
        }
        Some(_) => {}
    }
    scan.spaced = false;
    scan.document()?;
    Ok(scan.at)
}

/// Returns whether a byte is one of the four that JSON calls insignificant whitespace.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The maximum depth of documents that need no allocation for their open containers.
const SHALLOW: usize = 12;

struct Scan<'s, 'i, 'a> {
    source: &'s [u8],
    at: usize,
    index: &'i mut Index<'a>,
    open: SmallVec<[Open; SHALLOW]>,
    /// Whether there was white space between tokens since this was last set to false.
    spaced: bool,
}

struct Open {
    node: u32,
    is_map: bool,
    loose: bool,
}

impl Scan<'_, '_, '_> {
    fn document(&mut self) -> Result<(), SyntaxError> {
        loop {
            // A value begins at self.at.
            let start = self.at;
            if self.index.is_full() {
                return Err(self.error(Problem::Nodes(self.index.nodes)));
            }
            match self.peek() {
                Some(b'"') => {
                    self.text()?;
                }
                Some(b'{') => {
                    self.open(Kind::Map)?;
                    if self.peek() != Some(b'}') {
                        self.key()?;
                        continue;
                    }
                    self.close();
                }
                Some(b'[') => {
                    self.open(Kind::Array)?;
                    if self.peek() != Some(b']') {
                        continue;
                    }
                    self.close();
                }
                Some(b't') => self.word(b"true", Kind::Bool)?,
                Some(b'f') => self.word(b"false", Kind::Bool)?,
                Some(b'n') => self.word(b"null", Kind::Null)?,
                Some(b'-' | b'0'..=b'9') => {
                    let kind = self.number()?;
                    self.index.leaf(kind, start, self.at, 0);
                }
                Some(_) => return Err(self.error(Problem::Expected("a JSON value"))),
                None => return Err(self.error(Problem::Truncated)),
            }
            if self.after_value()? {
                return Ok(());
            }
        }
    }

    /// Continues after a value: to the next one, or (true) to the end of the document.
    #[inline]
    fn after_value(&mut self) -> Result<bool, SyntaxError> {
        loop {
            let Some(open) = self.open.last() else { return Ok(true) };
            let is_map = open.is_map;
            self.space();
            match (self.peek(), is_map) {
                (Some(b','), true) => {
                    self.at += 1;
                    self.space();
                    self.key()?;
                    return Ok(false);
                }
                (Some(b','), false) => {
                    self.at += 1;
                    self.space();
                    return Ok(false);
                }
                (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                (None, _) => return Err(self.error(Problem::Truncated)),
                (_, true) => return Err(self.error(Problem::Expected("',' or '}'"))),
                (_, false) => return Err(self.error(Problem::Expected("',' or ']'"))),
            }
        }
    }

    fn open(&mut self, kind: Kind) -> Result<(), SyntaxError> {
        if self.open.len() == self.index.depth {
            return Err(self.error(Problem::Depth(self.index.depth)));
        }
        // White space up to here is part of the outer container.
        if let Some(around) = self.open.last_mut() {
            around.loose |= self.spaced;
        }
        self.spaced = false;
        let node = self.index.open(kind, self.at);
        self.open.push(Open { node, is_map: kind == Kind::Map, loose: false });
        self.at += 1;
        self.space();
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        let open = self.open.pop().expect("a bracket is only closed if it is open");
        let loose = open.loose | self.spaced;
        let flags = if loose { LOOSE } else { 0 };
        self.index.close(open.node, self.at, flags);
        self.spaced = self.index.is_loose(open.node);
    }

    fn key(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(b'"') => self.text()?,
            None => return Err(self.error(Problem::Truncated)),
            Some(_) => return Err(self.error(Problem::Expected("a key in quotes"))),
        }
        self.space();
        match self.peek() {
            Some(b':') => self.at += 1,
            None => return Err(self.error(Problem::Truncated)),
            Some(_) => return Err(self.error(Problem::Expected("':'"))),
        }
        self.space();
        Ok(())
    }

    /// Scans a text. Most are short and have no escapes.
    #[inline]
    fn text(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let block = Block::at(self.source, start + 1);
        let end = block.start + block.special.trailing_zeros() as usize;
        if block.special != 0 && self.source.get(end) == Some(&b'"') {
            self.at = end + 1;
            self.index.leaf(Kind::Text, start, self.at, 0);
            return Ok(());
        }
        self.long_text(block)
    }

    /// Scans a text that continues after its first block or has escapes.
    fn long_text(&mut self, mut block: Block) -> Result<(), SyntaxError> {
        let start = self.at;
        let mut flags = 0;
        loop {
            let at = block.next(self.source);
            match self.source.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    self.index.leaf(Kind::Text, start, self.at, flags);
                    return Ok(());
                }
                Some(b'\\') => {
                    flags |= ESCAPED;
                    if is_short_escape(self.source.get(at + 1)) {
                        block.skip(self.source, at + 2);
                    } else {
                        self.at = at;
                        flags |= self.unicode_escape()?;
                        block.skip(self.source, self.at);
                    }
                }
                Some(_) => {
                    self.at = at;
                    return Err(self.error(Problem::ControlCharacter));
                }
                None => {
                    self.at = at;
                    return Err(self.error(Problem::Truncated));
                }
            }
        }
    }

    /// Scans an escape of four digits and returns the flag of a lone surrogate if it is one.
    fn unicode_escape(&mut self) -> Result<u8, SyntaxError> {
        match self.source.get(self.at + 1) {
            Some(b'u') => match self.unit()? {
                0xd800..=0xdbff if self.source[self.at..].starts_with(b"\\u") => {
                    let second = self.at;
                    if matches!(self.unit()?, 0xdc00..=0xdfff) {
                        return Ok(0);
                    }
                    // The units are not a pair: the second one is scanned again.
                    self.at = second;
                    Ok(LONE_SURROGATE)
                }
                0xd800..=0xdfff => Ok(LONE_SURROGATE),
                _ => Ok(0),
            },
            None => Err(self.error(Problem::Truncated)),
            Some(_) => Err(self.error(Problem::Escape)),
        }
    }

    /// Scans `\u` and four digits.
    fn unit(&mut self) -> Result<u16, SyntaxError> {
        let mut unit = 0;
        for place in 2..6 {
            let Some(&byte) = self.source.get(self.at + place) else {
                return Err(self.error(Problem::Truncated));
            };
            let Some(digit) = (byte as char).to_digit(16) else {
                return Err(self.error(Problem::Escape));
            };
            unit = unit << 4 | digit;
        }
        self.at += 6;
        Ok(u16::try_from(unit).expect("four hexadecimal digits have 16 bits"))
    }

    fn number(&mut self) -> Result<Kind, SyntaxError> {
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let first = self.at;
        let zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        if zero && digits > 1 {
            self.at = first + 1;
            return Err(self.error(Problem::Number));
        }
        let mut kind = match digits {
            _ if negative && zero => Kind::Float,
            0..=19 => Kind::Integer,
            20 => integer_kind(&self.source[first..self.at], negative),
            _ => Kind::BigInteger,
        };
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
            kind = Kind::Float;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
            kind = Kind::Float;
        }
        Ok(kind)
    }

    fn digits(&mut self) -> Result<usize, SyntaxError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        match (self.at - start, self.peek()) {
            (0, None) => Err(self.error(Problem::Truncated)),
            (0, Some(_)) => Err(self.error(Problem::Number)),
            (count, _) => Ok(count),
        }
    }

    fn word(&mut self, word: &'static [u8], kind: Kind) -> Result<(), SyntaxError> {
        let rest = &self.source[self.at..];
        if rest.starts_with(word) {
            self.index.leaf(kind, self.at, self.at + word.len(), 0);
            self.at += word.len();
            Ok(())
        } else if word.starts_with(rest) {
            self.at = self.source.len();
            Err(self.error(Problem::Truncated))
        } else {
            Err(self.error(Problem::Expected("a JSON value")))
        }
    }

    #[inline]
    fn space(&mut self) {
        if self.peek().is_some_and(is_space) {
            self.spaces();
        }
    }

    fn spaces(&mut self) {
        self.spaced = true;
        loop {
            match self.peek() {
                Some(b'\n') => {
                    self.index.line_end();
                    self.at += 1 + indentation(self.source, self.at + 1);
                }
                Some(b' ' | b'\r' | b'\t') => self.at += 1,
                _ => return,
            }
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    fn error(&self, problem: Problem) -> SyntaxError {
        SyntaxError { offset: self.at, problem }
    }
}

/// Returns how many of the next eight bytes are spaces, up to the first other byte.
#[inline]
fn indentation(source: &[u8], at: usize) -> usize {
    const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
    let bytes = source.get(at..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |bytes| (u64::from_le_bytes(*bytes) ^ BLANKS).trailing_zeros() as usize / 8)
}

/// Copies the bytes between two tokens, without white space.
#[inline]
pub(crate) fn copy_between(source: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
    let mut at = range.start;
    while at < range.end {
        match source[at] {
            b'\n' => at += indentation(source, at + 1),
            b' ' | b'\r' | b'\t' => {}
            byte => out.push(byte),
        }
        at += 1;
    }
}

#[inline]
fn is_short_escape(letter: Option<&u8>) -> bool {
    const LETTERS: [bool; 256] = {
        let mut letters = [false; 256];
        let mut at = 0;
        while at < SHORT_ESCAPES.len() {
            letters[SHORT_ESCAPES[at] as usize] = true;
            at += 1;
        }
        letters
    };
    letter.is_some_and(|letter| LETTERS[usize::from(*letter)])
}

/// The characters that can follow a backslash in an escape of two characters.
const SHORT_ESCAPES: &[u8] = b"\"\\/bfnrt";

/// Returns the kind of an integer of 20 digits.
fn integer_kind(digits: &[u8], negative: bool) -> Kind {
    let magnitude = digits.iter().fold(0u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    if magnitude <= u128::from(u64::MAX) + u128::from(negative) {
        Kind::Integer
    } else {
        Kind::BigInteger
    }
}
