//! Splits an input in memory into frames, in one pass and without copying. Two threads scan a large
//! input.

use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::thread;

use vac_value::{PackedDocuments, Problem, Scanner, SyntaxError};

use super::step::{
    End, PlaceCounter, Step, document_frame, invalid_end, line_ends, scanner, scanner_within, step,
    utf8_at, without_return,
};
use super::{Content, Frame, Limit, Place, Raw, Reason};

/// The maximum number of nodes of all frames that are in memory. Each takes 16 bytes.
const MAX_NODES: usize = 1 << 22;

/// The maximum number of frames that are in memory. A frame takes about 100 bytes, however short it
/// is in the input, or 256 if it is not a small document.
const MAX_FRAMES: usize = 1 << 19;

const _: () = assert!(size_of::<StoredFrame<'_>>() <= 56, "the memory of all frames is bounded");
const _: () = assert!(size_of::<Frame<'_>>() < 256, "the memory of all frames is bounded");

/// The maximum number of nodes of a document whose index is stored with those of others. A larger
/// document has its own index, which is not copied when the document is read.
const MAX_PACKED: usize = 1 << 10;

/// The minimum number of bytes of an input that two threads scan.
const MIN_HALVED: usize = 2 << 20;

/// A function that receives frames, and the scanner that created them.
type Show<'a, 's> = dyn FnMut(Frame<'a>, &mut Scanner) -> ControlFlow<()> + 's;

/// The frames of an input in memory.
#[derive(Debug)]
pub struct StoredFrames<'a> {
    /// The frames of the whole input, or of each of its halves.
    parts: Vec<Scanned<'a>>,
}

#[derive(Debug)]
enum StoredFrame<'a> {
    /// A small document: the place, and its number among the small documents of its part.
    Packed(Place, usize),
    Whole(Box<Frame<'a>>),
}

impl StoredFrame<'_> {
    fn place_mut(&mut self) -> &mut Place {
        match self {
            Self::Packed(place, _) => place,
            Self::Whole(frame) => &mut frame.place,
        }
    }
}

impl<'a> StoredFrames<'a> {
    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.frames.len()).sum()
    }

    /// Returns whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the number of the file in the places of all frames.
    pub(crate) fn set_file(&mut self, file: usize) {
        let frames = self.parts.iter_mut().flat_map(|part| &mut part.frames);
        frames.for_each(|frame| frame.place_mut().file = file);
    }

    /// Passes each frame to `show`, up to the first error.
    pub fn each<E>(&self, show: impl FnMut(&Frame<'a>) -> Result<(), E>) -> Result<(), E> {
        self.range(0..self.len(), show)
    }

    /// Passes each frame in a range of numbers to `show`, up to the first error.
    pub fn range<E>(
        &self,
        range: Range<usize>,
        mut show: impl FnMut(&Frame<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scanner = Scanner::default();
        let mut before = 0;
        for part in &self.parts {
            let within = |number: usize| number.saturating_sub(before).min(part.frames.len());
            for number in within(range.start)..within(range.end) {
                part.show(number, &mut scanner, &mut show)?;
            }
            before += part.frames.len();
        }
        Ok(())
    }

    /// Passes the frame with this number to `show`, and returns its result; `None` if there are not
    /// as many frames. The frame uses the memory of a [recycled](Scanner::recycle) document.
    pub fn get<T>(
        &self,
        mut number: usize,
        scanner: &mut Scanner,
        show: impl FnOnce(&Frame<'a>) -> T,
    ) -> Option<T> {
        for part in &self.parts {
            match number.checked_sub(part.frames.len()) {
                Some(rest) => number = rest,
                None => return Some(part.show(number, scanner, show)),
            }
        }
        None
    }
}

/// Returns all frames of an input in memory, the same as [`super::Frames`] without a limit.
pub fn frames_in_memory(bytes: &[u8]) -> Vec<Frame<'_>> {
    first_frames_in_memory(bytes, usize::MAX)
}

/// Returns all frames of an input in memory, the same as [`super::Frames`] within the limit on one
/// frame. `None` if a frame is too long, or the frames or their index would need too much memory.
/// The input then has to be read frame by frame.
pub fn frames_in_memory_within(bytes: &[u8], max_event: usize) -> Option<StoredFrames<'_>> {
    let limit = Limit::new(max_event);
    if bytes.len() > limit.in_memory() {
        return None;
    }
    let halves = (bytes.len() >= MIN_HALVED).then(|| frames_of_halves(bytes, limit));
    halves.flatten().or_else(|| {
        let scanned = Scanned::new(bytes, limit);
        (!scanned.is_over_limit).then(|| StoredFrames { parts: vec![scanned] })
    })
}

/// The frames of an input or of a half of it.
#[derive(Debug, Default)]
struct Scanned<'a> {
    frames: Vec<StoredFrame<'a>>,
    documents: PackedDocuments<'a>,
    /// The number of line ends in it.
    line_ends: u64,
    /// Whether bytes were found that are not a document.
    has_invalid: bool,
    is_over_limit: bool,
    /// The number of nodes that further documents may have.
    max_nodes: usize,
}

impl<'a> Scanned<'a> {
    fn new(bytes: &'a [u8], limit: Limit) -> Self {
        let scanner = scanner_within(limit.nodes().min(MAX_NODES));
        let mut found = Self::default();
        let mut push = |frame: Frame<'a>, scanner: &mut Scanner| {
            found.push(frame, scanner);
            ControlFlow::Continue(())
        };
        let mut splitter = Splitter::new(bytes, usize::MAX, scanner, &mut push);
        splitter.max_invalid = limit.max_invalid();
        splitter.max_nodes = MAX_NODES;
        splitter.max_frames = MAX_FRAMES;
        splitter.split();
        let Splitter { line, has_invalid, is_over_limit, max_nodes, .. } = splitter;
        Self { line_ends: line - 1, has_invalid, is_over_limit, max_nodes, ..found }
    }

    fn push(&mut self, Frame { place, content }: Frame<'a>, scanner: &mut Scanner) {
        let content = match content {
            Content::Document(document) if document.len() <= MAX_PACKED => {
                let number = self.documents.len();
                match self.documents.push(document, scanner) {
                    Ok(()) => return self.frames.push(StoredFrame::Packed(place, number)),
                    Err(document) => Content::Document(document),
                }
            }
            other => other,
        };
        let frame = settle(Frame { place, content }, scanner);
        self.frames.push(StoredFrame::Whole(Box::new(frame)));
    }

    /// Passes the frame with this number to `show`.
    fn show<T>(
        &self,
        number: usize,
        scanner: &mut Scanner,
        show: impl FnOnce(&Frame<'a>) -> T,
    ) -> T {
        match &self.frames[number] {
            StoredFrame::Packed(place, number) => {
                let document = self.documents.get(*number, scanner);
                let document = document.expect("every packed frame has a document");
                let frame = Frame { place: *place, content: Content::Document(document) };
                let shown = show(&frame);
                recycle(frame, scanner);
                shown
            }
            StoredFrame::Whole(frame) => show(frame),
        }
    }
}

/// Reduces the memory of the document of a frame to what the document needs, because the frame is
/// kept.
fn settle<'a>(Frame { place, content }: Frame<'a>, scanner: &mut Scanner) -> Frame<'a> {
    let content = match content {
        Content::Document(document) => Content::Document(scanner.settle(document)),
        Content::Raw(Raw { bytes, reason, document }) => {
            let document = document.map(|document| scanner.settle(document));
            Content::Raw(Raw { bytes, reason, document })
        }
    };
    Frame { place, content }
}

/// Keeps the memory of a frame's document for the next one.
pub(super) fn recycle(frame: Frame<'_>, scanner: &mut Scanner) {
    if let Content::Document(document) | Content::Raw(Raw { document: Some(document), .. }) =
        frame.content
    {
        scanner.recycle(document);
    }
}

/// Scans the two halves of a log of lines at the same time. `None` if that may give other
/// frames than scanning it from the beginning.
fn frames_of_halves(bytes: &[u8], limit: Limit) -> Option<StoredFrames<'_>> {
    let middle = second_half(bytes)?;
    let (first, second) = bytes.split_at(middle);
    let (first, mut second) = thread::scope(|scope| {
        let run = || Scanned::new(second, limit);
        let second = thread::Builder::new().name("frames".to_owned()).spawn_scoped(scope, run);
        let second = second.ok()?;
        let first = Scanned::new(first, limit);
        Some((first, second.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })?;
    // The end of a document does not depend on what follows. Bytes that are not a document may
    // continue in the second half.
    let nodes = 2 * MAX_NODES - first.max_nodes - second.max_nodes;
    let is_too_much = nodes > MAX_NODES || first.frames.len() + second.frames.len() > MAX_FRAMES;
    if first.has_invalid || first.is_over_limit || second.is_over_limit || is_too_much {
        return None;
    }
    let count = first.frames.len() as u64;
    for frame in &mut second.frames {
        let place = frame.place_mut();
        place.index += count;
        place.line += first.line_ends;
        place.offset += middle as u64;
    }
    Some(StoredFrames { parts: vec![first, second] })
}

/// Returns where the second half of a log of lines begins: at an object on a line of its own, after
/// a line that ends with one. `None` if it is not such a log.
fn second_half(bytes: &[u8]) -> Option<usize> {
    let middle = bytes.len() / 2;
    let end = middle + memchr::memchr(b'\n', &bytes[middle..])?;
    let is_between_objects =
        without_return(&bytes[..end]).ends_with(b"}") && bytes[end + 1..].starts_with(b"{");
    is_between_objects.then_some(end + 1)
}

/// Passes the frames of an input in memory to `show` until that returns `Break`. They are the same
/// as those of [`super::Frames`] without a limit.
pub fn each_frame_in_memory<'a>(
    bytes: &'a [u8],
    show: &mut dyn FnMut(&Frame<'a>) -> ControlFlow<()>,
) {
    let mut show = |frame: Frame<'a>, scanner: &mut Scanner| {
        let shown = show(&frame);
        recycle(frame, scanner);
        shown
    };
    Splitter::new(bytes, usize::MAX, scanner(), &mut show).split();
}

/// Returns the frames of an input in memory up to the last of its first `documents` documents.
pub(crate) fn first_frames_in_memory(bytes: &[u8], documents: usize) -> Vec<Frame<'_>> {
    let mut frames = Vec::new();
    let mut push = |frame, scanner: &mut Scanner| {
        frames.push(settle(frame, scanner));
        ControlFlow::Continue(())
    };
    Splitter::new(bytes, documents, scanner(), &mut push).split();
    frames
}

struct Splitter<'a, 's> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    count: PlaceCounter,
    scanner: Scanner,
    /// Receives the frames.
    show: &'s mut Show<'a, 's>,
    /// Number of documents to find before stopping.
    missing: usize,
    /// The maximum number of bytes of a frame that is not a document.
    max_invalid: usize,
    /// The number of nodes that further documents may have.
    max_nodes: usize,
    /// The number of further frames that there may be.
    max_frames: usize,
    /// Whether bytes were found that are not a document.
    has_invalid: bool,
    /// Whether a limit was exceeded. Splitting has ended there.
    is_over_limit: bool,
    /// Whether no further frame is wanted.
    is_stopped: bool,
}

impl<'a, 's> Splitter<'a, 's> {
    fn new(
        bytes: &'a [u8],
        documents: usize,
        scanner: Scanner,
        show: &'s mut Show<'a, 's>,
    ) -> Self {
        Self {
            bytes,
            at: 0,
            line: 1,
            count: PlaceCounter::default(),
            scanner,
            show,
            missing: documents,
            max_invalid: usize::MAX,
            max_nodes: usize::MAX,
            max_frames: usize::MAX,
            has_invalid: false,
            is_over_limit: false,
            is_stopped: false,
        }
    }

    fn split(&mut self) {
        let bytes = self.bytes;
        while self.at < bytes.len() && !self.is_done() {
            let rest = &bytes[self.at..];
            match vac_value::known_text(rest) {
                Ok(text) => self.text(text, End::Input),
                Err(error) => {
                    let valid = &rest[..error.valid_up_to()];
                    let text = std::str::from_utf8(valid).expect("it is valid up to here");
                    self.text(text, End::InvalidByte);
                }
            }
        }
    }

    fn is_done(&self) -> bool {
        self.missing == 0 || self.is_over_limit || self.is_stopped
    }

    /// Adds the frames of the text that comes next, and the malformed one at its end.
    fn text(&mut self, text: &'a str, end: End) {
        let mut rest = text;
        while !self.is_done() {
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
            self.skip(rest.len() - trimmed.len());
            rest = trimmed;
            if rest.is_empty() {
                if end == End::InvalidByte {
                    self.add_invalid_line(0, utf8_at(0));
                }
                return;
            }
            let length = match step(rest, end, &mut self.scanner) {
                Step::Document(document, length) => {
                    match self.max_nodes.checked_sub(document.len()) {
                        Some(nodes) => self.max_nodes = nodes,
                        None => return self.is_over_limit = true,
                    }
                    let line_ends = document.line_ends();
                    let place = self.count.next(self.line, self.at as u64);
                    self.show(document_frame(place, document));
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
                Step::Invalid(Reason::Syntax(SyntaxError {
                    problem: Problem::Nodes(_), ..
                })) => {
                    return self.is_over_limit = true;
                }
                Step::Invalid(reason) => match invalid_end(rest, end) {
                    Some(length) => {
                        self.raw(without_return(&rest.as_bytes()[..length]), reason);
                        length
                    }
                    None => return self.add_invalid_line(rest.len(), reason),
                },
                // A step is undecided only if the text continues.
                Step::More => return self.add_invalid_line(rest.len(), Reason::Stray),
            };
            self.skip(length);
            rest = &rest[length..];
        }
    }

    /// Adds a malformed line that continues after `known` bytes of text.
    fn add_invalid_line(&mut self, known: usize, reason: Reason) {
        let rest = &self.bytes[self.at..];
        let stop = rest[known..].iter().position(|byte| matches!(byte, b'\n' | 0));
        let length = stop.map_or(rest.len(), |stop| known + stop);
        self.raw(without_return(&rest[..length]), reason);
        self.skip(length);
    }

    fn raw(&mut self, bytes: &'a [u8], reason: Reason) {
        self.has_invalid = true;
        self.is_over_limit |= bytes.len() >= self.max_invalid;
        let place = self.count.next(self.line, self.at as u64);
        let content = Content::Raw(Raw { bytes, reason, document: None });
        self.show(Frame { place, content });
    }

    fn show(&mut self, frame: Frame<'a>) {
        match self.max_frames.checked_sub(1) {
            Some(frames) => self.max_frames = frames,
            None => return self.is_over_limit = true,
        }
        self.is_stopped |= (self.show)(frame, &mut self.scanner).is_break();
    }

    fn skip(&mut self, length: usize) {
        self.line += line_ends(&self.bytes[self.at..self.at + length]);
        self.at += length;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vac_value::Document;

    use super::*;

    fn piece() -> impl Strategy<Value = &'static [u8]> {
        prop::sample::select(vec![
            &b"{\"a\": 1}\n"[..],
            b"{\"a\": {\"b\": [1, 2]}}\r\n",
            b"{\"a\": 1, \"a\": 2}\n",
            b"{\"a\": 1}{\"b\": 2}\n",
            b"{\n  \"a\": 1\n}\n",
            b"{\"a\": \n",
            b"{\n",
            b"}\n",
            b"{\"a\": \"\xff\"}\n",
            b"\0\0\n",
            b"12\n",
            b"12 13\n",
            b"\xef\xbb\xbf",
            b"\n",
            b"x}\n",
        ])
    }

    /// The place of a frame, its bytes, its number of nodes, and the reason for which it is not a
    /// document.
    type Description = (Place, Vec<u8>, usize, Option<Reason>);

    fn describe(frame: &Frame<'_>) -> Description {
        match &frame.content {
            Content::Document(document) => {
                (frame.place, document.root().raw().to_vec(), document.len(), None)
            }
            Content::Raw(raw) => {
                let nodes = raw.document.as_ref().map_or(0, Document::len);
                (frame.place, raw.bytes.to_vec(), nodes, Some(raw.reason.clone()))
            }
        }
    }

    fn describe_all(frames: &StoredFrames<'_>) -> Vec<Description> {
        let mut all = Vec::new();
        let each: Result<(), ()> = frames.each(|frame| {
            all.push(describe(frame));
            Ok(())
        });
        each.unwrap();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn two_halves_have_the_frames_of_the_whole(pieces in prop::collection::vec(piece(), 0..20)) {
            let log = pieces.concat();
            let limit = Limit::new(super::super::MAX_EVENT);
            if let Some(frames) = frames_of_halves(&log, limit) {
                let whole = StoredFrames { parts: vec![Scanned::new(&log, limit)] };
                prop_assert_eq!(frames.len(), whole.len());
                prop_assert_eq!(describe_all(&frames), describe_all(&whole));
                let unpacked = frames_in_memory(&log);
                let unpacked: Vec<_> = unpacked.iter().map(describe).collect();
                prop_assert_eq!(unpacked, describe_all(&whole));
            }
        }
    }

    #[test]
    fn more_frames_than_the_limit_are_not_kept_in_memory() {
        for line in ["x\n", "1\n", "{}\n"] {
            let log = line.repeat(MAX_FRAMES + 1);
            let kept = frames_in_memory_within(&log.as_bytes()[line.len()..], usize::MAX);
            assert_eq!(kept.map(|frames| frames.len()), Some(MAX_FRAMES), "{line}");
            assert!(frames_in_memory_within(log.as_bytes(), usize::MAX).is_none(), "{line}");
        }
    }

    #[test]
    fn logs_of_lines_are_halved() {
        let halves = |log: &str| frames_of_halves(log.as_bytes(), Limit::new(usize::MAX)).is_some();
        assert!(halves("{}\n{}\n{}\n{}\n"));
        assert!(halves("{}\r\n{}\r\n{}\r\nx\n"));
        assert!(!halves("{}\nx}\n{}\n{}\n{}\n"), "the first half has a line that is not valid");
        assert!(!halves("{}\n{}\n"), "the second half begins after the last line");
        assert!(!halves("{\n  \"a\": {},\n  \"b\": {}\n}\n"));
        assert!(!halves(""));
    }
}
