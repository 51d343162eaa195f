//! Loads a log for its conversion.

use std::io::{self, Read};

use data_encoding::HEXLOWER;
use vac_adapter::container::{Container, Trouble};
use vac_adapter::{Bundle, Error, Input, SourceFile, frame};

use crate::in_memory::{InMemory, max_in_memory};
use crate::log::{Part, Place, StoredLog};
use crate::passes::Passes;

impl StoredLog {
    /// Returns the log as an input that is read from disk each time, unless it is in memory. Its
    /// bytes are not tied to a SHA-256. They are for detection; records are made from the result of
    /// [`StoredLog::load`].
    pub fn unread(&self) -> Bundle<'_> {
        let folder = self.parts.first().map_or("", |part| &part.folder);
        Bundle { folder, parts: inputs(&self.parts), attachments: inputs(&self.attachments) }
    }

    /// Loads the log. Small logs are read into memory; larger ones are read from disk in every
    /// pass, so that memory does not grow with them. [`Loaded::sources`] returns the files that
    /// were read.
    pub fn load(&self) -> io::Result<Loaded<'_>> {
        self.load_within(frame::MAX_EVENT)
    }

    /// Loads the log with a [limit](Input::max_event) on the bytes of one event.
    pub fn load_within(&self, max_event: usize) -> io::Result<Loaded<'_>> {
        let parts = self.parts.iter().chain(&self.attachments).enumerate();
        let loaded = parts.map(|(number, part)| {
            LoadedPart::new(part, max_event).map_err(|error| part.add_file_name(number, error))
        });
        let mut parts: Vec<_> = loaded.collect::<io::Result<_>>()?;
        let attachments = parts.split_off(self.parts.len());
        Loaded::new(parts, attachments, max_event)
    }

    /// Loads some of the log's files, each with the name and up to the size that a record states.
    pub(crate) fn load_recorded(
        &self,
        files: &[(usize, &SourceFile)],
        max_event: usize,
    ) -> io::Result<Loaded<'_>> {
        let all: Vec<_> = self.parts.iter().chain(&self.attachments).collect();
        let (mut parts, mut attachments) = (Vec::new(), Vec::new());
        for &(number, source) in files {
            let Some(part) = all.get(number) else { continue };
            let loaded = LoadedPart::recorded(part, source, max_event);
            if number < self.parts.len() { parts.push(loaded) } else { attachments.push(loaded) }
        }
        Loaded::new(parts, attachments, max_event)
    }
}

fn inputs(parts: &[impl Input]) -> Vec<&dyn Input> {
    parts.iter().map(|part| part as &dyn Input).collect()
}

/// A log while it is converted: in memory, or read again for each pass.
#[derive(Debug)]
pub struct Loaded<'l> {
    parts: Vec<LoadedPart<'l>>,
    attachments: Vec<LoadedPart<'l>>,
    max_event: usize,
}

#[derive(Debug)]
struct LoadedPart<'l> {
    part: &'l Part,
    /// The name of the file and of the source, if a record states another one.
    names: Option<(String, String)>,
    /// The length of the file when it was first read. Bytes appended since are not read.
    size: Option<u64>,
    /// The bytes that the adapter reads, if they are in memory.
    bytes: Option<InMemory>,
    /// The troubles of the documents of a store.
    troubles: Vec<Trouble>,
    /// The passes over the stored bytes.
    passes: Passes,
    max_event: usize,
}

impl<'l> Loaded<'l> {
    /// Loads files. Those that fit are read into memory.
    fn new(
        mut parts: Vec<LoadedPart<'l>>,
        attachments: Vec<LoadedPart<'l>>,
        max_event: usize,
    ) -> io::Result<Self> {
        let mut room = max_in_memory(max_event);
        for (number, part) in parts.iter_mut().enumerate() {
            part.load_into_memory(&mut room)
                .map_err(|error| part.part.add_file_name(number, error))?;
        }
        Ok(Self { parts, attachments, max_event })
    }
}

impl Loaded<'_> {
    /// Starts to hash bytes in memory, on threads, so that a later call of [`Loaded::sources`]
    /// takes less time.
    pub fn start_hashing(&self) {
        self.parts.iter().chain(&self.attachments).for_each(|part| part.passes.start_hashing());
    }

    /// Fails if passes over a file have read different bytes, as [`Loaded::sources`] does. Does not
    /// hash bytes in memory.
    pub fn check_unchanged(&self) -> Result<(), Error> {
        let parts = self.parts.iter().chain(&self.attachments);
        if parts.clone().all(|part| part.passes.is_in_memory()) {
            return Ok(());
        }
        self.sources().map(drop)
    }

    /// Returns every file that was read, with its size and SHA-256. Fails if passes over a file
    /// have read different bytes. A file that nothing has read to its end is read.
    pub fn sources(&self) -> Result<Vec<SourceFile>, Error> {
        let parts = self.parts.iter().chain(&self.attachments).enumerate();
        let source = |(number, part): (usize, &LoadedPart<'_>)| {
            part.source().map_err(|error| match error {
                Error::Io(error) => Error::Io(part.part.add_file_name(number, error)),
                Error::Changed { .. } if number > 0 => {
                    Error::Changed { file: Some(part.part.name.clone()) }
                }
                other => other,
            })
        };
        parts.map(source).collect()
    }
}

impl<'l> LoadedPart<'l> {
    fn new(part: &'l Part, max_event: usize) -> io::Result<Self> {
        let (size, passes) = (part.size()?, Passes::default());
        let (names, bytes, troubles) = (None, None, Vec::new());
        Ok(Self { part, names, size, bytes, troubles, passes, max_event })
    }

    /// Creates a part with the name and the size that a record states.
    fn recorded(part: &'l Part, source: &SourceFile, max_event: usize) -> Self {
        // The name of a session in a store is its key; the name of the store does not matter.
        let name = match &part.place {
            Place::Stored(_) => part.name.clone(),
            _ => source.name.clone(),
        };
        Self {
            part,
            names: Some((name, source.name.clone())),
            size: Some(source.size),
            bytes: None,
            troubles: Vec::new(),
            passes: Passes::default(),
            max_event,
        }
    }

    /// Reads the part into memory if `room` is large enough.
    fn load_into_memory(&mut self, room: &mut u64) -> io::Result<()> {
        if let Place::Stored(stored) = &self.part.place {
            // A store can only return whole sessions.
            let (mut bytes, troubles) = stored.read()?;
            if let Some(size) = self.size {
                bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
            }
            self.troubles = troubles;
            self.keep(bytes.into(), room);
            return Ok(());
        }
        let is_compressed = matches!(self.part.container(), Container::CompressedFile);
        if !is_compressed && self.size.is_some_and(|size| size > *room) {
            self.part.take_from_memory();
            *room = 0;
            return Ok(());
        }
        let is_whole =
            |held: &InMemory| self.size.is_none_or(|size| held.as_ref().len() as u64 == size);
        let held = self.part.take_from_memory().filter(is_whole);
        if !is_compressed && let Some(held) = held {
            self.keep(held, room);
            return Ok(());
        }
        // The adapter reads the stored bytes unchanged, so both can be hashed at once.
        if matches!(self.part.place, Place::File(_) | Place::Kept(_)) {
            // Read one byte more than fits, to recognise a file that is too large.
            let size = self.size.map_or(*room + 1, |size| size.min(*room + 1));
            let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
            let bytes = self.part.read_at_most(size)?;
            if bytes.as_ref().len() as u64 <= *room {
                self.keep(bytes.into(), room);
            } else {
                *room = 0;
            }
            return Ok(());
        }
        let stored: Box<dyn Read> = match held {
            Some(held) => Box::new(io::Cursor::new(held)),
            None => self.stored_bytes()?,
        };
        let passes = Passes::default();
        let mut reader = self.part.decode(passes.pass(stored))?;
        let mut bytes = Vec::new();
        reader.by_ref().take(*room + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= *room {
            drop(reader);
            *room -= bytes.len() as u64;
            self.bytes = Some(bytes.into());
            self.passes = passes;
        } else {
            passes.abandon();
            *room = 0;
        }
        Ok(())
    }

    /// Keeps the stored bytes in memory.
    fn keep(&mut self, bytes: InMemory, room: &mut u64) {
        *room = room.saturating_sub(bytes.as_ref().len() as u64);
        self.passes = Passes::from_memory(&bytes);
        self.bytes = Some(bytes);
    }

    /// Opens the stored bytes, without those that were appended later.
    fn stored_bytes(&self) -> io::Result<Box<dyn Read + 'l>> {
        let bytes = self.part.stored_bytes()?;
        Ok(match self.size {
            Some(size) => Box::new(bytes.take(size)),
            None => bytes,
        })
    }

    /// Begins a pass over the part.
    fn pass(&self) -> io::Result<impl Read> {
        Ok(self.passes.pass(self.stored_bytes()?))
    }

    fn source(&self) -> Result<SourceFile, Error> {
        let (size, sha_256) = match self.passes.common_fingerprint()? {
            Some(whole) => whole,
            None => {
                self.passes.complete(self.stored_bytes()?)?;
                self.passes.common_fingerprint()?.expect("a pass has reached the end")
            }
        };
        let stated = self.names.as_ref().map(|(_, source)| source.clone());
        let name = stated.unwrap_or_else(|| self.part.source_name());
        Ok(SourceFile { name, size, sha_256: HEXLOWER.encode(&sha_256) })
    }
}

/// Reads the current content of the file, or the bytes that detection has read.
impl Input for Part {
    fn name(&self) -> &str {
        &self.name
    }

    fn folder(&self) -> &str {
        &self.folder
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        self.decode(self.stored_bytes()?)
    }

    fn container(&self) -> Container {
        Part::container(self)
    }
}

impl Input for LoadedPart<'_> {
    fn name(&self) -> &str {
        self.names.as_ref().map_or(&self.part.name, |(name, _)| name)
    }

    fn folder(&self) -> &str {
        &self.part.folder
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match &self.bytes {
            Some(bytes) => Ok(Box::new(bytes.as_ref())),
            None => self.part.decode(self.pass()?),
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_ref().map(AsRef::as_ref)
    }

    fn sha_256(&self) -> Option<[u8; 32]> {
        // Passes hash the stored bytes, which may differ from the decoded ones.
        let is_read = matches!(self.part.place, Place::File(_) | Place::Kept(_) | Place::Stored(_));
        is_read.then(|| self.passes.sha_256()).flatten()
    }

    fn container(&self) -> Container {
        self.part.container()
    }

    fn troubles(&self) -> &[Trouble] {
        &self.troubles
    }

    fn max_event(&self) -> usize {
        self.max_event
    }
}

impl Input for Loaded<'_> {
    fn name(&self) -> &str {
        self.parts.first().map_or("", Input::name)
    }

    fn folder(&self) -> &str {
        self.parts.first().map_or("", Input::folder)
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match self.parts.as_slice() {
            [only] => only.open(),
            parts => vac_adapter::input::concatenate(inputs(parts)),
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
        self.parts.first().map_or(Container::File, Input::container)
    }

    fn troubles(&self) -> &[Trouble] {
        match self.parts.as_slice() {
            [only] => only.troubles(),
            _ => &[],
        }
    }

    fn parts(&self) -> Vec<&dyn Input> {
        inputs(&self.parts)
    }

    fn max_event(&self) -> usize {
        self.max_event
    }

    fn attachments(&self) -> Vec<&dyn Input> {
        inputs(&self.attachments)
    }
}
