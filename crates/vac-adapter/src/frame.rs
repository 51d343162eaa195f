//! Framing: splits a log into native documents.
//!
//! Every log is read as JSON documents one after the other, with or without space or
//! line ends between them. One document per line (JSONL), several on a line, a single document and
//! consecutive pretty-printed documents are special cases of this. Bytes that are not a document
//! become a frame, too, with the reason, and reading continues after them; together the frames
//! contain every byte except space and byte-order marks.
//!
//! # Where an invalid document ends
//!
//! An invalid document ends with its first line, because in a log of lines the next line is usually
//! valid again. A document whose first line is only a bracket is pretty-printed, and ends with the
//! first line that is not indented. A run of NUL bytes (as a crash leaves them) always ends a
//! document.
//!
//! # Frames that are too long
//!
//! Memory is bounded by a limit on one frame ([`MAX_EVENT`]). A document that is longer,
//! or has more than one value per 16 bytes of the limit (each takes 16 bytes of memory), is not
//! parsed. It ends where an invalid document would end, and is split into pieces of a few
//! megabytes, each a frame ([`Reason::TooLong`]). The bytes of the pieces, one after the other, are
//! those of the document. An invalid document is split if it is longer than an eighth of the limit,
//! because a record may need six bytes for each of its bytes.

pub(crate) mod in_memory;
mod pieces;
mod step;
mod window;

use std::fmt;
use std::io::{self, Read};

use vac_record::annotations;
use vac_value::{Document, Problem, Scanner, SyntaxError};

pub use in_memory::{
    StoredFrames, each_frame_in_memory, frames_in_memory, frames_in_memory_within,
};
use pieces::FrameEnd;
pub use pieces::piece_length;
pub use step::scanner;
use step::{End, PlaceCounter, Step, document_frame, scanner_within, step, utf8_at};
use window::{AHEAD, Window};

/// Number of bytes that are read at once.
const CHUNK: usize = 1 << 20;

/// The maximum number of bytes of a frame, unless an [input](crate::Input::max_event) states
/// another limit: 256 MiB.
pub const MAX_EVENT: usize = 256 << 20;
/// The minimum limit. A smaller one would not be useful.
const MIN_LIMIT: usize = 64;
/// The maximum limit, because offsets in documents have 32 bits.
const MAX_LIMIT: usize = u32::MAX as usize - 1024;
/// The maximum number of bytes of a piece of a frame that is too long.
const PIECE: usize = 4 << 20;

/// The limit on the bytes of a frame, and the limits that follow from it.
#[derive(Clone, Copy, Debug)]
struct Limit(usize);

impl Limit {
    fn new(limit: usize) -> Self {
        Self(limit.clamp(MIN_LIMIT, MAX_LIMIT))
    }

    /// Returns the limit for bytes that are not a document.
    fn max_invalid(self) -> usize {
        (self.0 / 8).max(self.piece())
    }

    /// Returns the limit for a piece.
    fn piece(self) -> usize {
        self.0.min(PIECE)
    }

    /// Returns the limit for an input whose frames are all in memory.
    fn in_memory(self) -> usize {
        self.0 / 4
    }

    /// Returns the limit for the index of a document, in nodes.
    fn nodes(self) -> usize {
        (self.0 / 16).max(64)
    }
}

/// Returns the maximum number of bytes of an input that [`frames_in_memory_within`] splits into
/// frames.
pub fn max_in_memory(max_event: usize) -> usize {
    Limit::new(max_event).in_memory()
}

/// Returns the maximum number of bytes of an entry of plain text, and the size of the pieces of a
/// longer one.
pub fn max_text(max_event: usize) -> (usize, usize) {
    let limit = Limit::new(max_event);
    (limit.max_invalid(), limit.piece())
}

/// Returns the error for a log that needs more memory than is available.
pub(crate) fn out_of_memory() -> io::Error {
    let words = "not enough memory for one of its lines or messages; use a smaller --max-event";
    io::Error::new(io::ErrorKind::OutOfMemory, words)
}

/// One document of a log, or bytes that are not a document.
#[derive(Debug)]
pub struct Frame<'a> {
    /// The place of the frame in the log.
    pub place: Place,
    /// The document, or the bytes that are not one.
    pub content: Content<'a>,
}

/// The place at which a frame begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The number of the input's file that it is in, from 0.
    pub file: usize,
    /// The number of the frame in the file, from 0.
    pub index: u64,
    /// The line on which the frame begins, from 1.
    pub line: u64,
    /// The number of the frame among the frames that begin on this line, from 1.
    pub part: u64,
    /// The offset of its first byte.
    pub offset: u64,
}

impl Place {
    /// Returns an id for an entry without one: `L12`, or `L12.2` for the second
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

/// The content of a frame.
#[derive(Debug)]
pub enum Content<'a> {
    /// A document without duplicate keys.
    Document(Document<'a>),
    /// Bytes that could not be parsed.
    Raw(Raw<'a>),
}

/// Bytes that cannot be kept as a value.
#[derive(Debug)]
pub struct Raw<'a> {
    /// The bytes, without the line end.
    pub bytes: &'a [u8],
    /// The reason.
    pub reason: Reason,
    /// The document, if it could be parsed but has duplicate keys, so that its id can be read.
    pub document: Option<Document<'a>>,
}

/// The reason why bytes cannot be kept as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The bytes are not JSON. The offset is relative to the first byte of the frame.
    Syntax(SyntaxError),
    /// An object has duplicate keys: readers would disagree about its value.
    DuplicateKey,
    /// The bytes are all NUL.
    Nul,
    /// A number or a text that is not alone on its line.
    Stray,
    /// The encoding of the record cannot express a part of it.
    Encoding(String),
    /// The bytes are a piece of a frame that exceeds the limit.
    TooLong {
        /// The number of the piece, from 1.
        piece: u64,
        /// Whether it is the last piece.
        is_last: bool,
    },
}

impl Reason {
    /// Returns the code that a record states.
    pub fn code(&self) -> annotations::UnparsedReason {
        match self {
            Self::Syntax(error) => match error.problem {
                Problem::Utf8 => annotations::UnparsedReason::NotUtf8,
                Problem::Depth(_) => annotations::UnparsedReason::TooDeep,
                _ => annotations::UnparsedReason::Syntax,
            },
            Self::DuplicateKey => annotations::UnparsedReason::DuplicateKey,
            Self::Nul => annotations::UnparsedReason::NulBytes,
            Self::Stray => annotations::UnparsedReason::Syntax,
            Self::Encoding(_) => annotations::UnparsedReason::NotEncodable,
            Self::TooLong { .. } => annotations::UnparsedReason::TooLong,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::DuplicateKey => f.write_str("an object has a key twice"),
            Self::Nul => f.write_str("NUL bytes"),
            Self::Stray => f.write_str("not a document on a line of its own"),
            Self::Encoding(what) => f.write_str(what),
            Self::TooLong { .. } => f.write_str("a piece of something that is too long"),
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
    count: PlaceCounter,
    limit: Limit,
    /// The frame that is being split into pieces.
    long: Option<Long>,
}

/// A frame that is split into pieces.
#[derive(Debug, Default)]
struct Long {
    end: FrameEnd,
    /// The number of pieces so far.
    pieces: u64,
}

impl<R: Read> Frames<R> {
    /// Reads the frames of an input.
    pub fn new(input: R) -> Self {
        Self::with_chunk(input, CHUNK)
    }

    /// Reads the frames of one of several files of an input.
    pub fn for_file(input: R, number: usize) -> Self {
        let mut frames = Self::new(input);
        frames.count.file = number;
        frames
    }

    /// Reads the frames of an input in chunks of `chunk` bytes, or of as many as a frame needs.
    pub fn with_chunk(input: R, chunk: usize) -> Self {
        let window = Window::new(input, chunk.max(1));
        let limit = Limit::new(MAX_EVENT);
        let scanner = scanner_within(limit.nodes());
        Self { window, scanner, count: PlaceCounter::default(), limit, long: None }
    }

    /// Sets the limit on the bytes of one frame.
    #[must_use]
    pub fn within(mut self, max_event: usize) -> Self {
        self.limit = Limit::new(max_event);
        self.scanner = scanner_within(self.limit.nodes());
        self
    }

    /// Passes the next frame to `show`; `None` after the last.
    ///
    /// A frame borrows from memory that the next one is read into, so it cannot be returned.
    pub fn next<T>(&mut self, show: impl FnOnce(&Frame<'_>) -> T) -> io::Result<Option<T>> {
        if self.long.is_some() {
            return self.piece(show).map(Some);
        }
        loop {
            self.window.skip_space();
            if self.window.text().is_empty() {
                if self.window.fill(CHUNK)? {
                    continue;
                }
                if self.window.is_at_end() {
                    return Ok(None);
                }
                return self.pass_invalid(utf8_at(0), show).map(Some);
            }
            // A frame that does not end within the limit and a few more bytes is too long,
            // regardless of how much of it is in memory.
            let text = self.window.text();
            let view = beginning(text, self.limit.0 + AHEAD);
            let is_cut = view.len() < text.len();
            let end = if is_cut { End::Open } else { self.window.end() };
            match step(view, end, &mut self.scanner) {
                Step::Document(document, end) => {
                    let place = self.count.next(self.window.line(), self.window.offset());
                    let frame = document_frame(place, document);
                    let shown = show(&frame);
                    in_memory::recycle(frame, &mut self.scanner);
                    self.window.skip(end);
                    return Ok(Some(shown));
                }
                Step::Nul => return self.nul(show).map(Some),
                Step::Invalid(Reason::Syntax(SyntaxError {
                    problem: Problem::Nodes(_), ..
                })) => {
                    return self.long(show).map(Some);
                }
                Step::Invalid(reason) => return self.pass_invalid(reason, show).map(Some),
                Step::More if is_cut => return self.long(show).map(Some),
                Step::More => {
                    self.window.fill(self.limit.0 + 3 * AHEAD)?;
                }
            }
        }
    }

    /// Returns the index of the next frame in its file.
    pub fn index(&self) -> u64 {
        self.count.index()
    }

    /// Skips the frames before the document at this place, without parsing them. An earlier pass
    /// has found it, and it comes after the frames that were read so far.
    pub fn skip_to(&mut self, document: Place) -> io::Result<()> {
        self.long = None;
        self.count.skip_to(document);
        self.window.skip_to(document.offset, document.line)
    }

    /// Passes each remaining frame to `show`, up to the first error.
    pub fn each<E: From<io::Error>>(
        &mut self,
        mut show: impl FnMut(&Frame<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(result) = self.next(&mut show)? {
            result?;
        }
        Ok(())
    }

    fn pass_invalid<T>(
        &mut self,
        reason: Reason,
        show: impl FnOnce(&Frame<'_>) -> T,
    ) -> io::Result<T> {
        let Some(length) = self.window.invalid_length(self.limit.max_invalid())? else {
            return self.long(show);
        };
        let place = self.count.next(self.window.line(), self.window.offset());
        let bytes = self.window.cut(length)?;
        let raw = Raw { bytes: &bytes, reason, document: None };
        Ok(show(&Frame { place, content: Content::Raw(raw) }))
    }

    /// Begins a frame that is too long, with its first piece.
    fn long<T>(&mut self, show: impl FnOnce(&Frame<'_>) -> T) -> io::Result<T> {
        self.window.begin_pieces();
        self.long = Some(Long::default());
        self.piece(show)
    }

    /// Passes the next piece of the frame that is too long to `show`.
    fn piece<T>(&mut self, show: impl FnOnce(&Frame<'_>) -> T) -> io::Result<T> {
        let Long { mut end, pieces } = self.long.take().unwrap_or_default();
        let place = self.count.next(self.window.line(), self.window.offset());
        let (bytes, is_last) = self.window.cut_piece(&mut end, self.limit.piece())?;
        let piece = pieces + 1;
        if !is_last {
            self.long = Some(Long { end, pieces: piece });
        }
        let reason = Reason::TooLong { piece, is_last };
        let raw = Raw { bytes: &bytes, reason, document: None };
        Ok(show(&Frame { place, content: Content::Raw(raw) }))
    }

    fn nul<T>(&mut self, show: impl FnOnce(&Frame<'_>) -> T) -> io::Result<T> {
        let place = self.count.next(self.window.line(), self.window.offset());
        let bytes = vec![0; self.window.cut_nul(self.limit.max_invalid())?];
        let raw = Raw { bytes: &bytes, reason: Reason::Nul, document: None };
        Ok(show(&Frame { place, content: Content::Raw(raw) }))
    }
}

/// Returns at most `most` bytes of text from its beginning, without splitting a character.
fn beginning(text: &str, most: usize) -> &str {
    let mut most = most.min(text.len());
    while !text.is_char_boundary(most) {
        most -= 1;
    }
    &text[..most]
}
