//! The input of an adapter: one file, or several that together contain one session.

use std::convert::Infallible;
use std::fmt;
use std::io::{self, Read};

use vac_value::Scanner;

use crate::adapter::Error;
use crate::container::{Container, Trouble, troubles_at};
use crate::frame::{self, Frame, Frames, StoredFrames};

/// A file, or data like that of a file, that can be read more than once.
pub trait Input {
    /// Returns its name without the folder; empty if it has none.
    fn name(&self) -> &str;

    /// Returns its folder, with `/` between the names; empty if it has none. Adapters use only the
    /// last names of it, because logs may be moved.
    #[allow(clippy::unnecessary_literal_bound)] // implementations borrow the folder
    fn folder(&self) -> &str {
        ""
    }

    /// Opens the input at its beginning.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;

    /// Returns the files of a session that consists of several, in order. Reading the input reads
    /// their concatenation.
    fn parts(&self) -> Vec<&dyn Input> {
        Vec::new()
    }

    /// Returns the companion files: stored tool output, metadata of a subagent. Their names are
    /// relative to its folder.
    fn attachments(&self) -> Vec<&dyn Input> {
        Vec::new()
    }

    /// Returns its bytes, if they are in memory. Bytes in memory are scanned once, without copying;
    /// otherwise the input is read for each pass.
    fn bytes(&self) -> Option<&[u8]> {
        None
    }

    /// Returns the SHA-256 of the bytes that [`open`](Self::open) reads, if it is known or will be
    /// computed in any case.
    fn sha_256(&self) -> Option<[u8; 32]> {
        None
    }

    /// Returns the kind of container that it was read from.
    fn container(&self) -> Container {
        Container::File
    }

    /// Returns its troubles, in the order of its documents: facts that the documents do not state,
    /// and errors in reading it from its container. An input of several files has those of its
    /// [parts](Self::parts) there.
    fn troubles(&self) -> &[Trouble] {
        &[]
    }

    /// Returns the maximum number of bytes of an event (a line; in formats without lines a message)
    /// that is parsed. A longer one is kept unparsed, in pieces.
    fn max_event(&self) -> usize {
        frame::MAX_EVENT
    }
}

/// An input in memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory<'a> {
    /// The name of the input without the folder.
    pub name: &'a str,
    /// The bytes of the input.
    pub bytes: &'a [u8],
}

impl Input for Memory<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.bytes))
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(self.bytes)
    }
}

/// Several inputs as one session, with companion files.
#[derive(Default)]
pub struct Bundle<'a> {
    /// The folder that the names of attachments are relative to.
    pub folder: &'a str,
    /// The files of the session, in order. There is at least one.
    pub parts: Vec<&'a dyn Input>,
    /// The companion files.
    pub attachments: Vec<&'a dyn Input>,
}

impl Input for Bundle<'_> {
    fn name(&self) -> &str {
        self.parts.first().map_or("", |part| part.name())
    }

    fn folder(&self) -> &str {
        self.folder
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match self.parts.as_slice() {
            [only] => only.open(),
            parts => concatenate(parts.to_vec()),
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [only] => only.bytes(),
            _ => None,
        }
    }

    fn sha_256(&self) -> Option<[u8; 32]> {
        match self.parts.as_slice() {
            [only] => only.sha_256(),
            _ => None,
        }
    }

    fn container(&self) -> Container {
        self.parts.first().map_or(Container::File, |part| part.container())
    }

    fn troubles(&self) -> &[Trouble] {
        match self.parts.as_slice() {
            [only] => only.troubles(),
            _ => &[],
        }
    }

    fn parts(&self) -> Vec<&dyn Input> {
        self.parts.clone()
    }

    fn attachments(&self) -> Vec<&dyn Input> {
        self.attachments.clone()
    }
}

/// Concatenates several inputs.
pub fn concatenate(parts: Vec<&dyn Input>) -> io::Result<Box<dyn Read + '_>> {
    let mut all: Box<dyn Read> = Box::new(io::empty());
    for part in parts {
        // Add a line end, so that a part without a final line end does not continue in the next
        // one.
        all = Box::new(all.chain(part.open()?).chain(&b"\n"[..]));
    }
    Ok(all)
}

/// Receives frames. The passes over a log are compiled once, not for each receiver.
type Show<'s> = dyn FnMut(&Frame<'_>) -> Result<(), Error> + 's;

/// The frames of an input, for any number of passes.
#[derive(Debug)]
pub struct Log<'i> {
    files: Vec<File<'i>>,
    /// The troubles of the documents of each file.
    troubles: Vec<&'i [Trouble]>,
}

enum File<'i> {
    InMemory(StoredFrames<'i>),
    Streamed(&'i dyn Input),
}

impl fmt::Debug for File<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InMemory(frames) => write!(f, "{} frames", frames.len()),
            Self::Streamed(input) => write!(f, "{}", input.name()),
        }
    }
}

impl<'i> Log<'i> {
    /// Creates the log of an input.
    pub fn new(input: &'i dyn Input) -> Self {
        let mut parts = input.parts();
        if parts.is_empty() {
            parts.push(input);
        }
        let troubles = parts.iter().map(|part| part.troubles()).collect();
        let files = parts.into_iter().map(|part| {
            let within = |bytes| frame::frames_in_memory_within(bytes, part.max_event());
            part.bytes().and_then(within).map_or(File::Streamed(part), File::InMemory)
        });
        let mut files: Vec<_> = files.collect();
        for (number, file) in files.iter_mut().enumerate() {
            if let File::InMemory(frames) = file
                && number > 0
            {
                frames.set_file(number);
            }
        }
        Self { files, troubles }
    }

    /// Returns the troubles of the document at a place.
    pub fn troubles_at(&self, place: frame::Place) -> &'i [Trouble] {
        let troubles = self.troubles.get(place.file).copied().unwrap_or_default();
        troubles_at(troubles, place.offset)
    }

    /// Returns the troubles of all documents.
    pub fn troubles(&self) -> impl Iterator<Item = &'i Trouble> {
        self.troubles.iter().copied().flatten()
    }

    /// Passes each frame to `show`, up to the first error.
    pub fn each(&self, mut show: impl FnMut(&Frame<'_>) -> Result<(), Error>) -> Result<(), Error> {
        self.each_to(&mut show)
    }

    fn each_to(&self, show: &mut Show<'_>) -> Result<(), Error> {
        for (number, file) in self.files.iter().enumerate() {
            match file {
                File::InMemory(frames) => frames.each(&mut *show)?,
                File::Streamed(input) => frames(*input, number)?.each(&mut *show)?,
            }
        }
        Ok(())
    }

    /// Returns a pass over parts of the log, in their order.
    pub fn parts(&self) -> LogParts<'_, 'i> {
        LogParts { log: self, open: None }
    }

    /// Returns whether all files are in memory.
    pub fn is_in_memory(&self) -> bool {
        self.files.iter().all(|file| matches!(file, File::InMemory(_)))
    }

    /// Passes each frame of the files that are in memory to `show`. The texts of these frames
    /// borrow from the input.
    pub fn each_in_memory(&self, mut show: impl FnMut(&Frame<'i>)) {
        for file in &self.files {
            if let File::InMemory(frames) = file {
                let shown: Result<(), Infallible> = frames.each(|frame| {
                    show(frame);
                    Ok(())
                });
                let Ok(()) = shown;
            }
        }
    }

    /// Passes the frame at a place to `show`, if its file is in memory. The frame uses the memory
    /// of the scanner.
    pub fn frame<T>(
        &self,
        place: frame::Place,
        scanner: &mut Scanner,
        show: impl FnOnce(&Frame<'i>) -> T,
    ) -> Option<T> {
        match self.files.get(place.file)? {
            File::InMemory(frames) => frames.get(usize::try_from(place.index).ok()?, scanner, show),
            File::Streamed(_) => None,
        }
    }

    /// Passes each frame of a file whose [index](frame::Place::index) is in a range to `show`, up to
    /// the first error. Frames in memory are found by index.
    ///
    /// ```
    /// use vac_adapter::{Log, Memory};
    ///
    /// let input = Memory { name: "x.jsonl", bytes: b"1\n2\n3\n4" };
    /// let mut lines = Vec::new();
    /// Log::new(&input).range(0, 1..3, |frame| {
    ///     lines.push(frame.place.line);
    ///     Ok(())
    /// })?;
    /// assert_eq!(lines, [2, 3]);
    /// # Ok::<(), vac_adapter::Error>(())
    /// ```
    pub fn range(
        &self,
        file: usize,
        range: std::ops::Range<u64>,
        mut show: impl FnMut(&Frame<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.range_to(file, range, &mut show)
    }

    fn range_to(
        &self,
        file: usize,
        range: std::ops::Range<u64>,
        show: &mut Show<'_>,
    ) -> Result<(), Error> {
        match self.files.get(file) {
            None => Ok(()),
            Some(File::InMemory(frames)) => {
                let index = |index| usize::try_from(index).unwrap_or(usize::MAX);
                frames.range(index(range.start)..index(range.end), show)
            }
            Some(File::Streamed(input)) => {
                let mut frames = frames(*input, file)?;
                let mut next = 0;
                while next < range.end
                    && let Some(shown) = frames.next(|frame| match frame.place.index {
                        index if index < range.start => Ok(()),
                        _ => show(frame),
                    })?
                {
                    shown?;
                    next += 1;
                }
                Ok(())
            }
        }
    }
}

/// A pass over parts of a log. Frames between the parts are not parsed.
pub struct LogParts<'l, 'i> {
    log: &'l Log<'i>,
    /// The file that is being read, if it is not in memory, and its number.
    open: Option<(usize, FileFrames<'i>)>,
}

impl fmt::Debug for LogParts<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.log.fmt(f)
    }
}

impl LogParts<'_, '_> {
    /// Passes each frame from a document up to another one, or to the end of the log, to `show`, up
    /// to the first error. `from` and `to` are places that an earlier pass has found, or the
    /// beginning of the log. Parts do not overlap, and are read in the order of the log.
    pub fn each(
        &mut self,
        from: frame::Place,
        to: Option<frame::Place>,
        mut show: impl FnMut(&Frame<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.each_to(from, to, &mut show)
    }

    fn each_to(
        &mut self,
        from: frame::Place,
        to: Option<frame::Place>,
        show: &mut Show<'_>,
    ) -> Result<(), Error> {
        let last = to.map_or(self.log.files.len() - 1, |to| to.file);
        for (number, file) in self.log.files.iter().enumerate().take(last + 1).skip(from.file) {
            let first = Some(from).filter(|from| from.file == number);
            let end = to.filter(|to| to.file == number).map_or(u64::MAX, |to| to.index);
            match file {
                File::InMemory(frames) => {
                    let index = |index| usize::try_from(index).unwrap_or(usize::MAX);
                    let start = first.map_or(0, |first| index(first.index));
                    frames.range(start..index(end), &mut *show)?;
                }
                File::Streamed(input) => {
                    let open = match self.open.take() {
                        Some((open, frames)) if open == number => frames,
                        _ => frames(*input, number)?,
                    };
                    let (_, frames) = self.open.insert((number, open));
                    if let Some(first) = first.filter(|first| first.index > frames.index()) {
                        frames.skip_to(first)?;
                    }
                    while frames.index() < end
                        && let Some(shown) = frames.next(&mut *show)?
                    {
                        shown?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The frames of a file.
type FileFrames<'i> = Frames<Box<dyn Read + 'i>>;

/// Reads the frames of one of several files.
fn frames(input: &dyn Input, number: usize) -> io::Result<FileFrames<'_>> {
    Ok(Frames::for_file(input.open()?, number).within(input.max_event()))
}
