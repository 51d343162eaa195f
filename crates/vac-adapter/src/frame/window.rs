//! Keeps the part of the input that is in memory: bytes that are known to be UTF-8, and the bytes
//! after them that have not been checked yet.

use std::io::{self, Read};

use super::pieces::FrameEnd;
use super::step::{End, invalid_end, line_ends, without_return};

/// The part of an input in memory; see the module.
#[derive(Debug)]
pub(super) struct Window<R> {
    input: R,
    /// The minimum number of bytes to read at once.
    chunk: usize,
    /// Checked text, used up to `at`.
    text: String,
    at: usize,
    /// Unchecked bytes after it, used up to `from`.
    bytes: Vec<u8>,
    from: usize,
    /// Whether the unchecked bytes begin with one that is not UTF-8.
    is_invalid: bool,
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
            is_invalid: false,
            ended: false,
            offset: 0,
            line: 1,
        }
    }

    /// Extends the text, up to about `most` bytes. Returns false if it cannot be extended.
    pub fn fill(&mut self, most: usize) -> io::Result<bool> {
        if self.is_invalid || (self.ended && self.from == self.bytes.len()) {
            return Ok(false);
        }
        self.text.drain(..self.at);
        self.at = 0;
        // A document that is longer than the window is scanned again. Doubling the window keeps
        // that linear.
        let length = self.text.len();
        let target = (length + self.chunk.max(length)).min(most);
        if target > FEW {
            require(target.saturating_mul(4))?;
        }
        reserve(self.text.try_reserve_exact(target.saturating_sub(length) + self.chunk))?;
        loop {
            let before = self.text.len();
            self.check()?;
            if self.is_invalid || self.text.len() >= target {
                return Ok(true);
            }
            if self.text.len() == before {
                if self.ended {
                    return Ok(true);
                }
                self.read()?;
            }
        }
    }

    /// Reads more bytes, and drops those that are used.
    fn read(&mut self) -> io::Result<()> {
        self.bytes.drain(..self.from);
        self.from = 0;
        let before = self.bytes.len();
        // A frame that was split into pieces leaves more capacity than others need.
        if self.bytes.capacity() / 4 > self.chunk.max(before) {
            self.bytes.shrink_to(before + self.chunk);
        }
        reserve(self.bytes.try_reserve_exact(self.chunk))?;
        let limit = u64::try_from(self.chunk).unwrap_or(u64::MAX);
        self.input.by_ref().take(limit).read_to_end(&mut self.bytes)?;
        self.ended = self.bytes.len() - before < self.chunk;
        Ok(())
    }

    /// Appends valid UTF-8 to the text, at most a chunk.
    fn check(&mut self) -> io::Result<()> {
        let unchecked = &self.bytes[self.from..];
        // Reserve memory for a whole character, even if chunks are smaller.
        let most = self.chunk.max(AHEAD);
        let is_all = unchecked.len() <= most;
        let unchecked = &unchecked[..unchecked.len().min(most)];
        let (text, rest) = match vac_value::known_text(unchecked) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = &unchecked[..error.valid_up_to()];
                (std::str::from_utf8(valid).expect("valid up to here"), Some(error.error_len()))
            }
        };
        reserve(self.text.try_reserve_exact(text.len()))?;
        self.text.push_str(text);
        self.from += text.len();
        self.is_invalid = match rest {
            None => false,
            Some(Some(_)) => true,
            Some(None) => is_all && self.ended,
        };
        Ok(())
    }
}

/// Turns a failed allocation into an error of the log.
fn reserve(reserved: Result<(), std::collections::TryReserveError>) -> io::Result<()> {
    reserved.map_err(|_| super::out_of_memory())
}

/// The size in bytes from which an allocation is tried first.
const FEW: usize = 4 << 20;

/// Fails if `size` bytes of memory cannot be allocated. The index of a long frame, its entry and
/// the encoded bytes of the entry are allocated elsewhere, where a failure would end the whole
/// program and not only the conversion of this log.
fn require(size: usize) -> io::Result<()> {
    let mut probe = Vec::<u8>::new();
    let reserved = probe.try_reserve_exact(size);
    // Without this, the compiler could remove an allocation that is freed immediately.
    std::hint::black_box(&probe);
    reserve(reserved)
}

/// The number of bytes after a frame that are needed to know that it ends there.
pub(super) const AHEAD: usize = 8;

impl<R: Read> Window<R> {
    /// Returns the length of the invalid document that comes next, if it is not longer than `most`.
    /// The parent module describes where it ends.
    pub fn invalid_length(&mut self, most: usize) -> io::Result<Option<usize>> {
        loop {
            if let Some(end) = invalid_end(self.text(), self.end()) {
                return Ok((end <= most).then_some(end));
            }
            if self.is_invalid {
                return self.invalid_line_length(most);
            }
            if self.text().len() > most + AHEAD {
                return Ok(None);
            }
            self.fill(most + 2 * AHEAD)?;
        }
    }

    /// Returns the length of the remaining text and of the rest of its line, which is not UTF-8.
    fn invalid_line_length(&mut self, most: usize) -> io::Result<Option<usize>> {
        let text = self.text().len();
        let mut searched = 0;
        loop {
            let bytes = &self.bytes[self.from..];
            let stop = memchr::memchr2(b'\n', 0, &bytes[searched..]);
            let length = text + stop.map_or(bytes.len(), |stop| searched + stop);
            if length > most {
                return Ok(None);
            }
            if stop.is_some() || self.ended {
                return Ok(Some(length));
            }
            searched = bytes.len();
            self.read()?;
        }
    }

    /// Removes `length` bytes, and returns them without a carriage return at their end.
    pub fn cut(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        reserve(bytes.try_reserve_exact(length))?;
        let text = self.text().len().min(length);
        bytes.extend_from_slice(&self.text().as_bytes()[..text]);
        self.skip(text);
        if text < length {
            // This part contains no line end: the first one ends it.
            let rest = &self.bytes[self.from..self.from + (length - text)];
            bytes.extend_from_slice(rest);
            self.offset += rest.len() as u64;
            self.from += rest.len();
            self.check()?;
        }
        bytes.truncate(without_return(&bytes).len());
        Ok(bytes)
    }

    /// Converts the text to bytes, to split them into pieces.
    pub fn begin_pieces(&mut self) {
        self.text.drain(..self.at);
        self.at = 0;
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.extend_from_slice(&self.bytes[self.from..]);
        (self.bytes, self.from) = (bytes, 0);
        self.is_invalid = false;
    }

    /// Removes the next piece of a frame, and returns it and whether it is the last.
    pub fn cut_piece(&mut self, end: &mut FrameEnd, most: usize) -> io::Result<(Vec<u8>, bool)> {
        while self.bytes.len() - self.from < most + AHEAD && !self.ended {
            self.read()?;
        }
        let held = &self.bytes[self.from..];
        let end = end.piece(held, self.ended, most);
        let piece = held[..end.content].to_vec();
        let used = &held[..end.used];
        self.line += line_ends(used);
        self.offset += used.len() as u64;
        self.from += used.len();
        if end.is_last {
            self.check()?;
        }
        Ok((piece, end.is_last))
    }

    /// Skips everything before the text that an earlier pass found at this offset and line.
    pub fn skip_to(&mut self, offset: u64, line: u64) -> io::Result<()> {
        let length = offset.saturating_sub(self.offset);
        (self.offset, self.line) = (offset, line);
        let in_memory = usize::try_from(length).unwrap_or(usize::MAX);
        let text = self.text().len().min(in_memory);
        if !self.text().is_char_boundary(text) {
            let message = "the log has changed while it was read";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        self.at += text;
        if text < in_memory {
            let unchecked = (in_memory - text).min(self.bytes.len() - self.from);
            self.from += unchecked;
            self.is_invalid = false;
            let unread = length - (text + unchecked) as u64;
            io::copy(&mut self.input.by_ref().take(unread), &mut io::sink())?;
        }
        Ok(())
    }

    /// Removes a run of NUL bytes, or `most` of them. Returns their number.
    pub fn cut_nul(&mut self, most: usize) -> io::Result<usize> {
        let mut count = 0;
        loop {
            let text = self.text();
            let text = &text.as_bytes()[..text.len().min(most - count)];
            let run = text.iter().position(|byte| *byte != 0);
            let length = run.unwrap_or(text.len());
            self.skip(length);
            count += length;
            if run.is_some() || count == most || !self.fill(self.chunk)? {
                return Ok(count);
            }
        }
    }
}

impl<R> Window<R> {
    /// Returns the text in memory that is not used yet.
    pub fn text(&self) -> &str {
        &self.text[self.at..]
    }

    /// Returns the offset of the text in the input.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the line of the text, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the kind of input that follows the text.
    pub fn end(&self) -> End {
        match (self.is_invalid, self.ended && self.from == self.bytes.len()) {
            (true, _) => End::InvalidByte,
            (false, true) => End::Input,
            (false, false) => End::Open,
        }
    }

    /// Returns whether everything is used.
    pub fn is_at_end(&self) -> bool {
        self.ended && self.at == self.text.len() && self.from == self.bytes.len()
    }

    /// Skips `length` bytes of the text.
    pub fn skip(&mut self, length: usize) {
        self.line += line_ends(&self.text.as_bytes()[self.at..self.at + length]);
        self.offset += length as u64;
        self.at += length;
    }

    /// Skips white space and byte-order marks.
    pub fn skip_space(&mut self) {
        let text = self.text();
        let space = text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        let mut rest = &text[space.count()..];
        if rest.starts_with('\u{feff}') {
            rest = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
        }
        self.skip(text.len() - rest.len());
    }
}
