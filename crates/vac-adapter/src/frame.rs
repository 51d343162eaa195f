//! Framing: where one native document ends and the next begins.
//!
//! Every log is read as the most general of its forms: JSON documents one
//! behind the other, with or without space or line ends between them. One
//! document a line (JSONL), several on a line, one document in all and
//! pretty-printed documents back to back are special cases of that. What is no
//! document becomes a frame too, with its bytes and the reason, and reading goes
//! on behind it; together the frames hold every byte but space and byte-order
//! marks.
//!
//! # Where a bad document ends
//!
//! At the end of its first line: in a log of lines the next one is good again,
//! whatever the parser believed. A document that opens with a bracket alone on
//! its line is pretty-printed: that one ends with the first line that is not
//! indented. A run of NUL bytes (what a crash leaves) always ends it.

mod held;
mod step;
mod window;

use std::fmt;
use std::io::{self, Read};

use vac_value::{Document, Scanner, SyntaxError};

pub use held::held;
pub use step::scanner;
use step::{Count, Step, good, step, utf8_at};
use window::Window;

/// How much is read at once.
const CHUNK: usize = 1 << 20;

/// One document of a log, or bytes that are none.
#[derive(Debug)]
pub struct Frame<'a> {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub content: Content<'a>,
}

/// Where a frame begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Which of the input's files it is in, from 0.
    pub file: usize,
    /// Its number in the file, from 0.
    pub index: u64,
    /// Its line, from 1.
    pub line: u64,
    /// Which frame of those that begin on this line it is, from 1.
    pub part: u64,
    /// Its first byte.
    pub offset: u64,
}

impl Place {
    /// An id for what the source gives none: `L12`, or `L12.2` for the second
    /// frame of the line, or `F2.L12` for a line of the second file.
    pub fn id(self) -> String {
        let mut id = String::with_capacity(16);
        if self.file > 0 {
            id.push('F');
            id.push_str(&(self.file + 1).to_string());
            id.push('.');
        }
        id.push('L');
        id.push_str(&self.line.to_string());
        if self.part > 1 {
            id.push('.');
            id.push_str(&self.part.to_string());
        }
        id
    }
}

/// What a frame holds.
#[derive(Debug)]
pub enum Content<'a> {
    /// A document, no object of which has a key twice.
    Document(Document<'a>),
    /// Something else.
    Raw(Raw<'a>),
}

/// Bytes that cannot be carried as a value.
#[derive(Debug)]
pub struct Raw<'a> {
    /// The bytes, without the line end.
    pub bytes: &'a [u8],
    /// Why not.
    pub reason: Reason,
    /// The document, if it is one and only ambiguous: to look for an id in it.
    pub document: Option<Document<'a>>,
}

/// Why bytes cannot be carried as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// They are not JSON; the offset is that of the frame's first byte.
    Syntax(SyntaxError),
    /// An object has a key twice: readers would disagree about its value.
    DuplicateKey,
    /// Only NUL bytes.
    Nul,
    /// A number or a text stands alone, but not on a line of its own.
    Stray,
    /// The encoding of the record has nothing for a part of it.
    Encoding(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::DuplicateKey => f.write_str("an object has a key twice"),
            Self::Nul => f.write_str("NUL bytes"),
            Self::Stray => f.write_str("not a document on a line of its own"),
            Self::Encoding(what) => f.write_str(what),
        }
    }
}

/// Reads frames, in the memory of the largest of them.
///
/// ```
/// use vac_adapter::frame::{Content, Frames};
///
/// let log = b"{\"a\": 1}{\"a\": 2}\n{\"a\": \n{\"a\": 3}";
/// let mut frames = Frames::new(&log[..]);
/// let mut found = Vec::new();
/// while let Some(frame) = frames.next(|frame| {
///     (frame.place.id(), matches!(frame.content, Content::Document(_)))
/// })? {
///     found.push(frame);
/// }
/// let found: Vec<_> = found.iter().map(|(id, good)| (id.as_str(), *good)).collect();
/// assert_eq!(found, [("L1", true), ("L1.2", true), ("L2", false), ("L3", true)]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Frames<R> {
    window: Window<R>,
    scanner: Scanner,
    count: Count,
}

impl<R: Read> Frames<R> {
    /// Frames of an input.
    pub fn new(input: R) -> Self {
        Self::with_chunk(input, CHUNK)
    }

    /// Frames of one of several files of an input.
    pub fn of_file(input: R, number: usize) -> Self {
        let mut frames = Self::new(input);
        frames.count.file = number;
        frames
    }

    /// The same, reading so many bytes at once, or as many as a frame needs.
    pub fn with_chunk(input: R, chunk: usize) -> Self {
        let window = Window::new(input, chunk.max(1));
        Self { window, scanner: scanner(), count: Count::default() }
    }

    /// Shows the next frame; `None` behind the last.
    ///
    /// A frame borrows from memory that the next one is read into, which is why
    /// it is shown rather than given.
    pub fn next<T>(&mut self, show: impl FnOnce(&Frame<'_>) -> T) -> io::Result<Option<T>> {
        loop {
            self.window.skip_space();
            if self.window.text().is_empty() {
                if self.window.fill()? {
                    continue;
                }
                if self.window.is_at_end() {
                    return Ok(None);
                }
                return self.bad(utf8_at(0), show).map(Some);
            }
            match step(self.window.text(), self.window.end(), &mut self.scanner) {
                Step::Document(document, end) => {
                    let place = self.count.next(self.window.line(), self.window.offset());
                    let frame = good(place, document);
                    let shown = show(&frame);
                    if let Content::Document(document)
                    | Content::Raw(Raw { document: Some(document), .. }) = frame.content
                    {
                        self.scanner.recycle(document);
                    }
                    self.window.skip(end);
                    return Ok(Some(shown));
                }
                Step::Nul => return self.nul(show).map(Some),
                Step::Bad(reason) => return self.bad(reason, show).map(Some),
                Step::More => {
                    self.window.fill()?;
                }
            }
        }
    }

    /// Shows each frame that is left, until one of them is an error.
    pub fn each<E: From<io::Error>>(
        &mut self,
        mut show: impl FnMut(&Frame<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(result) = self.next(&mut show)? {
            result?;
        }
        Ok(())
    }

    fn bad<T>(&mut self, reason: Reason, show: impl FnOnce(&Frame<'_>) -> T) -> io::Result<T> {
        let place = self.count.next(self.window.line(), self.window.offset());
        let bytes = self.window.cut_bad()?;
        let raw = Raw { bytes: &bytes, reason, document: None };
        Ok(show(&Frame { place, content: Content::Raw(raw) }))
    }

    fn nul<T>(&mut self, show: impl FnOnce(&Frame<'_>) -> T) -> io::Result<T> {
        let place = self.count.next(self.window.line(), self.window.offset());
        let bytes = vec![0; self.window.cut_nul()?];
        let raw = Raw { bytes: &bytes, reason: Reason::Nul, document: None };
        Ok(show(&Frame { place, content: Content::Raw(raw) }))
    }
}
