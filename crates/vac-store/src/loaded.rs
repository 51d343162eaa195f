//! A log while it is converted.

use std::io::{self, Read};

use vac_adapter::{Input, Source};

use crate::log::{Log, Part, Place, State, digest};

/// Larger logs are read in pieces, once for each pass, so that memory does not
/// grow with them.
const MOST_LOADED: u64 = 32 << 20;

impl Log {
    /// The log as an input that is read from disk each time.
    pub fn unread(&self) -> Loaded<'_> {
        let unread = |part| LoadedPart { part, bytes: None, seen: None };
        Loaded {
            parts: self.parts.iter().map(unread).collect(),
            attachments: self.attachments.iter().map(unread).collect(),
        }
    }

    /// Reads it into memory as far as it is not large.
    pub fn load(&self) -> io::Result<Loaded<'_>> {
        let mut loaded = self.unread();
        for (number, part) in loaded.parts.iter_mut().chain(&mut loaded.attachments).enumerate() {
            part.seen = part.part.state().map_err(|error| part.part.blame(number, error))?;
        }
        let mut room = MOST_LOADED;
        for (number, part) in loaded.parts.iter_mut().enumerate() {
            // A store gives its sessions as a whole anyway.
            let is_stored = matches!(part.part.place, Place::Stored(..));
            let most = if is_stored { u64::MAX - 1 } else { room };
            let mut bytes = Vec::new();
            let read =
                part.part.open().and_then(|part| part.take(most + 1).read_to_end(&mut bytes));
            read.map_err(|error| part.part.blame(number, error))?;
            let size = bytes.len() as u64;
            part.bytes = (size <= most).then_some(bytes);
            if part.is_held() {
                part.seen = None;
            }
            room = room.saturating_sub(size);
        }
        Ok(loaded)
    }
}

/// A log while it is converted: in memory, or read again for each pass.
#[derive(Debug)]
pub struct Loaded<'l> {
    parts: Vec<LoadedPart<'l>>,
    attachments: Vec<LoadedPart<'l>>,
}

#[derive(Debug)]
struct LoadedPart<'l> {
    part: &'l Part,
    bytes: Option<Vec<u8>>,
    /// What its file was when it was first looked at, if that is read again later. What
    /// somebody has added to it by then is not read.
    seen: Option<State>,
}

impl Loaded<'_> {
    /// What it is made of, each with size and hash, read from beginning to end.
    pub fn sources(&self) -> io::Result<Vec<Source>> {
        let parts = self.parts.iter().chain(&self.attachments).enumerate();
        let source = |(number, part): (usize, &LoadedPart<'_>)| {
            part.source().map_err(|error| part.part.blame(number, error))
        };
        parts.map(source).collect()
    }

    /// Whether everything that was read in several passes is still what these sources say.
    pub fn is_unchanged(&self, sources: &[Source]) -> io::Result<bool> {
        for (part, source) in self.parts.iter().chain(&self.attachments).zip(sources) {
            if part.seen.is_some() && part.part.state()? != part.seen && part.source()? != *source {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl LoadedPart<'_> {
    /// What is on disk, without what came later.
    fn stored_bytes(&self) -> io::Result<Box<dyn Read + '_>> {
        let bytes = self.part.stored_bytes()?;
        Ok(match self.seen {
            Some((size, _)) => Box::new(bytes.take(size)),
            None => bytes,
        })
    }

    /// Whether the bytes in memory are those on disk, and not what those stand for.
    fn is_held(&self) -> bool {
        let is_plain =
            matches!(self.part.place, Place::File(_) | Place::Kept(_) | Place::Stored(..));
        self.bytes.is_some() && is_plain
    }

    fn source(&self) -> io::Result<Source> {
        let (size, sha_256) = match &self.bytes {
            Some(bytes) if self.is_held() => digest(bytes.as_slice())?,
            _ => digest(self.stored_bytes()?)?,
        };
        Ok(Source { name: self.part.source_name(), size, sha_256 })
    }
}

impl Input for LoadedPart<'_> {
    fn name(&self) -> &str {
        &self.part.name
    }

    fn folder(&self) -> &str {
        &self.part.folder
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match (&self.bytes, &self.part.place) {
            (Some(bytes), _) => Ok(Box::new(bytes.as_slice())),
            (None, Place::File(_)) => self.stored_bytes(),
            (None, _) => self.part.open(),
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
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
            parts => {
                let parts = parts.iter().map(|part| part as &dyn Input).collect();
                vac_adapter::input::chained(parts)
            }
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [only] => only.bytes(),
            _ => None,
        }
    }

    fn parts(&self) -> Vec<&dyn Input> {
        self.parts.iter().map(|part| part as &dyn Input).collect()
    }

    fn attachments(&self) -> Vec<&dyn Input> {
        self.attachments.iter().map(|part| part as &dyn Input).collect()
    }
}
