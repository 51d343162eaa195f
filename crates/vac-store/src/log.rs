//! One thing to convert.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use vac_adapter::{Input, Source};

use crate::store::{Held, Store};
use crate::zstandard;

/// Larger logs are read in pieces, once for each pass, so that memory does not
/// grow with them.
const MOST_LOADED: u64 = 32 << 20;

/// One thing to convert: a file, several that hold one session, or a session of a store.
#[derive(Debug)]
pub struct Log {
    /// What messages call it: the path as it was given or found.
    pub shown: String,
    /// Whether somebody named it, rather than the directory it is in.
    pub named: bool,
    /// Its files; there is at least one.
    pub(crate) parts: Vec<Part>,
    /// Files that belong to it and are no logs.
    pub(crate) attachments: Vec<Part>,
    /// What a store knows about it already.
    pub(crate) held: Option<Held>,
}

/// One file of a log.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its name without the folder; of an attachment, relative to the log's folder.
    pub name: String,
    /// Its folder, with `/` between the names.
    pub folder: String,
    pub place: Place,
}

#[derive(Debug)]
pub(crate) enum Place {
    File(PathBuf),
    /// A compressed file.
    Compressed(PathBuf),
    /// Standard input, kept in a file without a name.
    Kept(File),
    /// A session of a store.
    Stored(Arc<dyn Store>, PathBuf, String),
}

impl Part {
    /// A file on disk.
    pub fn file(path: &Path) -> Self {
        Self { name: name(path), folder: folder(path), place: Place::File(path.to_owned()) }
    }

    /// The file that it is in, unless it came through standard input.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::File(path) | Place::Compressed(path) | Place::Stored(_, path, _) => Some(path),
            Place::Kept(_) => None,
        }
    }

    /// Reads what the adapter sees.
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match &self.place {
            Place::Compressed(path) => {
                let file = File::open(path)?;
                let size = file.metadata()?.len();
                zstandard::decompress(file, size)
            }
            Place::Stored(store, _, key) => Ok(Box::new(io::Cursor::new(store.read(key)?))),
            Place::File(_) | Place::Kept(_) => self.stored_bytes(),
        }
    }

    /// Reads what is on disk.
    fn stored_bytes(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match &self.place {
            Place::File(path) | Place::Compressed(path) => Box::new(File::open(path)?),
            Place::Kept(file) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(0))?;
                Box::new(file)
            }
            Place::Stored(..) => self.open()?,
        })
    }
}

impl Log {
    pub(crate) fn of(part: Part, shown: String, named: bool) -> Self {
        Self { shown, named, parts: vec![part], attachments: Vec::new(), held: None }
    }

    /// The files it is in, unless it came through standard input.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().chain(&self.attachments).filter_map(Part::path)
    }

    /// How many bytes it has on disk, as far as that is easy to know.
    pub fn size(&self) -> Option<u64> {
        if let Some(held) = &self.held {
            return held.size;
        }
        self.paths().map(|path| path.metadata().map(|metadata| metadata.len()).ok()).sum()
    }

    /// The log as an input that is read from disk each time.
    pub fn unread(&self) -> Loaded<'_> {
        let unread = |part| LoadedPart { part, bytes: None };
        Loaded {
            parts: self.parts.iter().map(unread).collect(),
            attachments: self.attachments.iter().map(unread).collect(),
        }
    }

    /// Reads it into memory as far as it is not large.
    pub fn load(&self) -> io::Result<Loaded<'_>> {
        let mut loaded = self.unread();
        let mut room = MOST_LOADED;
        for part in &mut loaded.parts {
            // A store gives its sessions as a whole anyway.
            let is_stored = matches!(part.part.place, Place::Stored(..));
            let most = if is_stored { u64::MAX - 1 } else { room };
            let mut bytes = Vec::new();
            part.part.open()?.take(most + 1).read_to_end(&mut bytes)?;
            let size = bytes.len() as u64;
            part.bytes = (size <= most).then_some(bytes);
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
}

impl Loaded<'_> {
    /// What it is made of, each with size and hash, read from beginning to end.
    pub fn sources(&self) -> io::Result<Vec<Source>> {
        self.parts.iter().chain(&self.attachments).map(LoadedPart::source).collect()
    }
}

impl LoadedPart<'_> {
    fn source(&self) -> io::Result<Source> {
        let mut hash = Sha256::new();
        let mut size = 0;
        match (&self.bytes, &self.part.place) {
            (Some(bytes), Place::File(_) | Place::Kept(_) | Place::Stored(..)) => {
                hash.update(bytes);
                size = bytes.len() as u64;
            }
            _ => {
                let mut reader = self.part.stored_bytes()?;
                let mut buffer = vec![0; 1 << 16];
                loop {
                    let count = reader.read(&mut buffer)?;
                    if count == 0 {
                        break;
                    }
                    hash.update(&buffer[..count]);
                    size += count as u64;
                }
            }
        }
        let sha_256: Vec<_> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let name = match &self.part.place {
            Place::Stored(_, path, key) => format!("{}#{key}", name(path)),
            _ => self.part.name.clone(),
        };
        Ok(Source { name, size, sha_256: sha_256.concat() })
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
        match &self.bytes {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => self.part.open(),
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

pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub(crate) fn folder(path: &Path) -> String {
    let names = path.parent().into_iter().flat_map(Path::components);
    let names: Vec<_> = names.map(|name| name.as_os_str().to_string_lossy()).collect();
    names.join("/")
}
