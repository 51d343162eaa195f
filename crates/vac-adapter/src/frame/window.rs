//! The part of the input that is held: text that is known to be text, and the
//! bytes behind it that are not known yet.

use std::io::{self, Read};

use super::step::{End, end_of_bad, line_ends, without_return};

/// See the module.
#[derive(Debug)]
pub(super) struct Window<R> {
    input: R,
    /// How much is read at once, at least.
    chunk: usize,
    /// Checked text, used up to `at`.
    text: String,
    at: usize,
    /// Unchecked bytes behind it, used up to `from`.
    bytes: Vec<u8>,
    from: usize,
    /// Whether the unchecked bytes begin with one that is no UTF-8.
    bad_byte: bool,
    /// Whether the input is at its end.
    ended: bool,
    offset: u64,
    line: u64,
}

impl<R: Read> Window<R> {
    pub fn new(input: R, chunk: usize) -> Self {
        Self {
            input,
            chunk,
            text: String::new(),
            at: 0,
            bytes: Vec::new(),
            from: 0,
            bad_byte: false,
            ended: false,
            offset: 0,
            line: 1,
        }
    }

    /// Makes the text longer by as much as there is of it; false if it cannot
    /// be made longer.
    pub fn fill(&mut self) -> io::Result<bool> {
        if self.bad_byte || self.ended {
            return Ok(false);
        }
        self.text.drain(..self.at);
        self.at = 0;
        self.bytes.drain(..self.from);
        self.from = 0;
        // A document that is longer than the window is looked at again: to double
        // it keeps that linear.
        let room = self.chunk.max(self.text.len());
        self.read(room)?;
        self.check();
        Ok(true)
    }

    fn read(&mut self, room: usize) -> io::Result<()> {
        let before = self.bytes.len();
        let limit = u64::try_from(room).unwrap_or(u64::MAX);
        self.input.by_ref().take(limit).read_to_end(&mut self.bytes)?;
        self.ended = self.bytes.len() - before < room;
        Ok(())
    }

    /// Moves what is text behind the text.
    fn check(&mut self) {
        let unchecked = &self.bytes[self.from..];
        let (text, rest) = match vac_value::known_text(unchecked) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = &unchecked[..error.valid_up_to()];
                (std::str::from_utf8(valid).unwrap_or_default(), Some(error.error_len()))
            }
        };
        self.text.push_str(text);
        self.from += text.len();
        self.bad_byte = match rest {
            None => false,
            Some(Some(_)) => true,
            Some(None) => self.ended,
        };
    }
}

impl<R: Read> Window<R> {
    /// Cuts a bad document off; see the module above for where it ends.
    pub fn cut_bad(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(end) = end_of_bad(self.text(), self.end()) {
                let bytes = without_return(&self.text().as_bytes()[..end]).to_vec();
                self.skip(end);
                return Ok(bytes);
            }
            if self.bad_byte {
                return self.cut_bytes();
            }
            self.fill()?;
        }
    }

    /// The text that is left, and the line that the bytes behind it are on.
    fn cut_bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut line = self.text().as_bytes().to_vec();
        self.skip(line.len());
        let mut searched = self.from;
        loop {
            let stop = self.bytes[searched..].iter().position(|byte| matches!(byte, b'\n' | 0));
            if let Some(stop) = stop {
                searched += stop;
                break;
            }
            searched = self.bytes.len();
            if self.ended {
                break;
            }
            self.bytes.drain(..self.from);
            searched -= self.from;
            self.from = 0;
            self.read(self.chunk)?;
        }
        line.extend_from_slice(&self.bytes[self.from..searched]);
        self.offset += (searched - self.from) as u64;
        self.from = searched;
        // What was checked is used up: make room before more is.
        self.text.clear();
        self.at = 0;
        self.check();
        line.truncate(without_return(&line).len());
        Ok(line)
    }

    /// Cuts a run of NUL bytes off; gives its length.
    pub fn cut_nul(&mut self) -> io::Result<usize> {
        let mut count = 0;
        loop {
            let text = self.text();
            let run = text.bytes().position(|byte| byte != 0);
            let length = run.unwrap_or(text.len());
            self.skip(length);
            count += length;
            if run.is_some() || !self.fill()? {
                return Ok(count);
            }
        }
    }
}

impl<R> Window<R> {
    /// The text that is held and not used yet.
    pub fn text(&self) -> &str {
        &self.text[self.at..]
    }

    /// The offset of the text's beginning in the input.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Its line, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// What comes behind the text.
    pub fn end(&self) -> End {
        match (self.bad_byte, self.ended && self.from == self.bytes.len()) {
            (true, _) => End::BadByte,
            (false, true) => End::Input,
            (false, false) => End::Open,
        }
    }

    /// Whether everything is used.
    pub fn is_at_end(&self) -> bool {
        self.ended && self.at == self.text.len() && self.from == self.bytes.len()
    }

    /// Goes on behind so many bytes of the text.
    pub fn skip(&mut self, length: usize) {
        self.line += line_ends(&self.text.as_bytes()[self.at..self.at + length]);
        self.offset += length as u64;
        self.at += length;
    }

    /// Goes on behind space and byte-order marks.
    pub fn skip_space(&mut self) {
        let text = self.text();
        let rest = text.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
        self.skip(text.len() - rest.len());
    }
}
