//! A log to convert: the files, or the rows of a database, of one session.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use data_encoding::HEXLOWER;
use vac_adapter::container::{Container, SessionStore, StoredSession, Trouble};
use vac_adapter::{Error, SourceFile};
use vac_value::Encoding;

use crate::buffer::Buffer;
use crate::find::Origin;
use crate::in_memory::InMemory;
use crate::passes::{Fingerprint, digest};
use crate::safe_path::{FileReader, SafePath};
use crate::zstandard;

/// A log to convert: a file, several files of one session, or a session of a store.
#[derive(Debug)]
pub struct StoredLog {
    /// The name of the log in messages: the path as it was given or found.
    pub shown: String,
    /// Whether the user named the log itself, not a folder that contains it.
    pub named: bool,
    /// The files of the log; there is at least one.
    pub(crate) parts: Vec<Part>,
    /// The companion files.
    pub(crate) attachments: Vec<Part>,
    /// The session in a store, and the name of the adapter that reads it.
    pub(crate) stored: Option<(&'static str, StoredSession)>,
    /// The agent in whose place it was found.
    pub(crate) origin: Option<Origin>,
    /// The rank of the log among the logs of the same session.
    pub(crate) rank: Rank,
    /// The encoding, if it is known to be a record and not a log.
    pub(crate) record_encoding: Option<Encoding>,
    /// The ids of the records of the wanted sessions, if the log also contains others. `None` if
    /// all of its sessions are wanted.
    pub wanted: Option<BTreeSet<String>>,
    /// The name of the home folder in which the log was found; `None` if it was found elsewhere.
    pub home: Option<String>,
    /// The number of its sessions when it was last read; 0 if the number is unknown.
    pub(crate) session_count: AtomicUsize,
}

/// The rank of a log among the logs of the same session. The first variant is the best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// The log of the session.
    #[default]
    Own,
    /// An older or shortened form of the log.
    Older,
    /// A log that any other log of the session, even a shortened one, replaces.
    Replaced,
    /// A log that contains only the prompts.
    Prompts,
}

/// One file of a log.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its name without the folder; for an attachment, its path relative to the log's folder.
    pub name: String,
    /// Its folder, with `/` between the names.
    pub folder: String,
    pub place: Place,
    /// The bytes, if detection has read all of them. Loading the log takes them.
    in_memory: Mutex<Option<InMemory>>,
}

#[derive(Debug)]
pub(crate) enum Place {
    File(SafePath),
    /// A compressed file.
    Compressed(SafePath),
    /// A companion file that reads as a document that names it: `{"file": its name,
    /// "value": its content}`.
    Note(SafePath),
    /// Standard input, kept in a file without a name.
    Kept(File),
    /// Standard input that is compressed, kept in the same way.
    KeptCompressed(File),
    /// A session of a store.
    Stored(Stored),
}

/// A session of a store.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub store: Arc<dyn SessionStore>,
    /// The name of the adapter that opened the store.
    pub adapter: &'static str,
    pub container: Container,
    /// The database or folder.
    pub path: SafePath,
    /// The name of the session in it.
    pub key: String,
}

impl Stored {
    /// Reads its documents and their troubles.
    pub fn read(&self) -> io::Result<(Vec<u8>, Vec<Trouble>)> {
        Ok(self.store.read(&self.key)?.finish())
    }
}

impl Part {
    pub fn new(name: String, folder: String, place: Place) -> Self {
        Self { name, folder, place, in_memory: Mutex::default() }
    }

    /// Creates a file on disk.
    pub fn file(path: &SafePath) -> Self {
        let place = Place::File(path.clone());
        Self::new(name(path.as_path()), folder(path.as_path()), place)
    }

    /// Keeps the stored bytes until the log is loaded.
    pub fn keep_in_memory(&mut self, bytes: InMemory) {
        self.in_memory = Mutex::new(Some(bytes));
    }

    /// Returns the bytes, if they are in memory.
    fn in_memory(&self) -> Option<InMemory> {
        self.in_memory.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Removes the bytes from memory and returns them, if they are in memory.
    pub fn take_from_memory(&self) -> Option<InMemory> {
        self.in_memory.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the path of its file, unless it came through standard input.
    pub fn path(&self) -> Option<&Path> {
        self.safe_path().map(SafePath::as_path)
    }

    /// Returns the file that it is in, unless it came through standard input.
    pub fn safe_path(&self) -> Option<&SafePath> {
        match &self.place {
            Place::File(path)
            | Place::Compressed(path)
            | Place::Note(path)
            | Place::Stored(Stored { path, .. }) => Some(path),
            Place::Kept(_) | Place::KeptCompressed(_) => None,
        }
    }

    /// Decodes the stored bytes into those that the adapter reads.
    pub(crate) fn decode<'r>(&self, stored: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
        Ok(match &self.place {
            Place::File(_) | Place::Kept(_) | Place::Stored(..) => Box::new(stored),
            Place::Compressed(_) | Place::KeptCompressed(_) => {
                Box::new(zstandard::decompress(stored)?)
            }
            Place::Note(_) => {
                let before = format!("{{\"file\":\"{}\",\"value\":", self.name);
                Box::new(io::Cursor::new(before).chain(stored).chain(&b"}\n"[..]))
            }
        })
    }

    /// Returns the container that it is read from.
    pub(crate) fn container(&self) -> Container {
        match &self.place {
            Place::File(_) | Place::Note(_) | Place::Kept(_) => Container::File,
            Place::Compressed(_) | Place::KeptCompressed(_) => Container::CompressedFile,
            Place::Stored(stored) => stored.container,
        }
    }

    /// Returns its name as the source of a record.
    pub(crate) fn source_name(&self) -> String {
        match &self.place {
            Place::Stored(Stored { path, key, .. }) => {
                format!("{}#{key}", name(path.as_path()))
            }
            _ => self.name.clone(),
        }
    }

    /// Returns its number of bytes on disk, if it is a file.
    pub(crate) fn size(&self) -> io::Result<Option<u64>> {
        if let Some(bytes) = self.in_memory() {
            return Ok(Some(bytes.as_ref().len() as u64));
        }
        Ok(match &self.place {
            Place::File(path) | Place::Compressed(path) | Place::Note(path) => Some(path.size()?),
            Place::Kept(file) | Place::KeptCompressed(file) => Some(file.metadata()?.len()),
            Place::Stored(..) => None,
        })
    }

    /// Adds the name of the file to an error, unless it is the first file, which the log is named
    /// after.
    pub(crate) fn add_file_name(&self, number: usize, error: io::Error) -> io::Error {
        match number {
            0 => error,
            _ => io::Error::new(error.kind(), format!("{}: {error}", self.name)),
        }
    }

    /// Opens the stored bytes: those of the file, or the documents of the store.
    pub(crate) fn stored_bytes(&self) -> io::Result<Box<dyn Read + '_>> {
        if let Some(bytes) = self.in_memory() {
            return Ok(Box::new(io::Cursor::new(bytes)));
        }
        Ok(match &self.place {
            Place::File(path) | Place::Compressed(path) | Place::Note(path) => {
                Box::new(path.reader()?)
            }
            Place::Kept(file) | Place::KeptCompressed(file) => {
                Box::new(KeptReader { file, offset: 0 })
            }
            Place::Stored(stored) => Box::new(io::Cursor::new(stored.read()?.0)),
        })
    }
}

impl Part {
    /// Reads at most the first `size` stored bytes. The memory for them is allocated at once.
    pub(crate) fn read_at_most(&self, size: usize) -> io::Result<Buffer> {
        match &self.place {
            Place::File(path) => match path.reader()? {
                FileReader::Disk(file) => Buffer::read_file(&file, size),
                mut other @ FileReader::Source(..) => Buffer::read(&mut other, size),
            },
            _ => Buffer::read(&mut self.stored_bytes()?, size),
        }
    }
}

/// A reader of a file from its beginning, independent of other readers of the same file.
struct KeptReader<'f> {
    file: &'f File,
    offset: u64,
}

impl Read for KeptReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(self.offset))?;
        let count = self.file.read(buffer)?;
        self.offset += count as u64;
        Ok(count)
    }
}

impl StoredLog {
    pub(crate) fn new(part: Part, shown: String, named: bool) -> Self {
        Self {
            shown,
            named,
            parts: vec![part],
            attachments: Vec::new(),
            stored: None,
            origin: None,
            rank: Rank::Own,
            record_encoding: None,
            wanted: None,
            home: None,
            session_count: AtomicUsize::new(0),
        }
    }

    /// Returns the encoding, if the file is known to be a record and not a log.
    pub fn record_encoding(&self) -> Option<Encoding> {
        self.record_encoding
    }

    /// Returns the paths of its files. Empty for standard input.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().chain(&self.attachments).filter_map(Part::path)
    }

    /// Returns the files after the first, and its companion files.
    pub(crate) fn further_paths(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().skip(1).chain(&self.attachments).filter_map(Part::path)
    }

    /// Returns the first of its files, which it is named after.
    pub(crate) fn first_path(&self) -> Option<&Path> {
        self.parts.first().and_then(Part::path)
    }

    /// Returns its size on disk in bytes, if it is known without reading the log.
    pub fn size(&self) -> Option<u64> {
        if let Some((_, stored)) = &self.stored {
            return stored.size;
        }
        let parts = self.parts.iter().chain(&self.attachments);
        let files = parts.filter_map(Part::safe_path);
        files.map(|path| path.size().ok()).sum()
    }

    /// Returns the name of its first source in a record.
    pub fn source_name(&self) -> String {
        self.parts.first().map(Part::source_name).unwrap_or_default()
    }

    /// Opens the stored bytes of a source, by its number in the record, at the first byte.
    ///
    /// # Errors
    /// If the log has no source of this number, or it cannot be read.
    pub fn read_source(&self, number: usize) -> io::Result<Box<dyn Read + '_>> {
        let part = self.parts.iter().chain(&self.attachments).nth(number);
        part.ok_or(io::ErrorKind::NotFound)?.stored_bytes()
    }

    /// Returns whether it consists of exactly these sources. Reads the log only if all sizes match.
    pub fn is_made_of(&self, sources: &[SourceFile]) -> Result<bool, Error> {
        let parts: Vec<_> = self.parts.iter().chain(&self.attachments).collect();
        if parts.len() != sources.len() {
            return Ok(false);
        }
        for (part, source) in parts.iter().zip(sources) {
            let is_size = part.size()?.is_none_or(|size| size == source.size);
            if !is_size || part.source_name() != source.name {
                return Ok(false);
            }
        }
        for (part, source) in parts.iter().zip(sources) {
            let (size, sha_256) = digest(part.stored_bytes()?)?;
            if size != source.size || HEXLOWER.encode(&sha_256) != source.sha_256 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the size of its files in bytes; `None` if one is compressed or in a store.
    pub(crate) fn plain_size(&self) -> Option<u64> {
        let size = |part: &Part| match part.container() {
            Container::CompressedFile => None,
            _ => part.size().ok().flatten(),
        };
        self.parts.iter().map(size).sum()
    }

    /// Returns the size and SHA-256 of the content of its files, decompressed.
    pub(crate) fn content(&self) -> Result<Vec<Fingerprint>, Error> {
        self.parts.iter().map(|part| digest(part.decode(part.stored_bytes()?)?)).collect()
    }
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub(crate) fn folder(path: &Path) -> String {
    let names = path.parent().into_iter().flat_map(Path::components);
    let names: Vec<_> = names.map(|name| name.as_os_str().to_string_lossy()).collect();
    names.join("/")
}
