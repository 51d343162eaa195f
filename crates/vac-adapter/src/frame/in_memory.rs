//! Frames of an input in memory, scanned once and without copying.

use super::step::{
    Count, End, Step, end_of_bad, good, line_ends, scanner, step, utf8_at, without_return,
};
use super::{Content, Frame, Raw, Reason};

/// Returns all frames of an input in memory, the same as [`super::Frames`].
pub fn frames_in_memory(bytes: &[u8]) -> Vec<Frame<'_>> {
    first_frames_in_memory(bytes, usize::MAX)
}

/// Returns the frames of an input in memory up to the last of its first `documents` documents.
pub(crate) fn first_frames_in_memory(bytes: &[u8], documents: usize) -> Vec<Frame<'_>> {
    let (count, frames) = (Count::default(), Vec::new());
    let mut held = Splitter { bytes, at: 0, line: 1, count, frames, missing: documents };
    while held.at < bytes.len() && !held.is_full() {
        let rest = &bytes[held.at..];
        match vac_value::known_text(rest) {
            Ok(text) => held.text(text, End::Input),
            Err(error) => {
                let text = std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default();
                held.text(text, End::BadByte);
            }
        }
    }
    held.frames
}

struct Splitter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    count: Count,
    frames: Vec<Frame<'a>>,
    /// Number of documents to find before stopping.
    missing: usize,
}

impl<'a> Splitter<'a> {
    fn is_full(&self) -> bool {
        self.missing == 0
    }

    /// Adds the frames of the text that comes next, and the malformed one at its end.
    fn text(&mut self, text: &'a str, end: End) {
        let mut scanner = scanner();
        let mut rest = text;
        while !self.is_full() {
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
            self.skip(rest.len() - trimmed.len());
            rest = trimmed;
            if rest.is_empty() {
                if end == End::BadByte {
                    self.bad_bytes(0, utf8_at(0));
                }
                return;
            }
            let length = match step(rest, end, &mut scanner) {
                Step::Document(document, length) => {
                    let document = scanner.settle(document);
                    let line_ends = document.line_ends();
                    let frame = good(self.count.next(self.line, self.at as u64), document);
                    self.frames.push(frame);
                    self.missing -= 1;
                    self.line += line_ends;
                    self.at += length;
                    rest = &rest[length..];
                    continue;
                }
                Step::Nul => {
                    let length = rest.bytes().position(|byte| byte != 0).unwrap_or(rest.len());
                    self.raw(&rest.as_bytes()[..length], Reason::Nul);
                    length
                }
                Step::Bad(reason) => match end_of_bad(rest, end) {
                    Some(length) => {
                        self.raw(without_return(&rest.as_bytes()[..length]), reason);
                        length
                    }
                    None => return self.bad_bytes(rest.len(), reason),
                },
                // Only text that continues can be undecided.
                Step::More => return self.bad_bytes(rest.len(), Reason::Stray),
            };
            self.skip(length);
            rest = &rest[length..];
        }
    }

    /// Adds a malformed line that continues after `known` bytes of text.
    fn bad_bytes(&mut self, known: usize, reason: Reason) {
        let rest = &self.bytes[self.at..];
        let stop = rest[known..].iter().position(|byte| matches!(byte, b'\n' | 0));
        let length = stop.map_or(rest.len(), |stop| known + stop);
        self.raw(without_return(&rest[..length]), reason);
        self.skip(length);
    }

    fn raw(&mut self, bytes: &'a [u8], reason: Reason) {
        let place = self.count.next(self.line, self.at as u64);
        let content = Content::Raw(Raw { bytes, reason, document: None });
        self.frames.push(Frame { place, content });
    }

    fn skip(&mut self, length: usize) {
        self.line += line_ends(&self.bytes[self.at..self.at + length]);
        self.at += length;
    }
}
