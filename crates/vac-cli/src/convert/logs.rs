//! The logs to convert: files, what is in directories, and standard input.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use vac_adapter::Input;
use vac_adapter::report::Source;

/// Larger logs are read in pieces, once for each pass, so that memory does not
/// grow with them.
const MOST_LOADED: u64 = 32 << 20;

/// A log that can be read more than once.
#[derive(Debug)]
pub struct Log {
    /// What messages call it: the path as it was given or found.
    pub shown: String,
    /// Whether somebody named it, rather than the directory it is in.
    pub named: bool,
    name: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    /// Standard input, kept in a file without a name.
    Kept(File),
}

impl Log {
    /// The file it is, unless it came through standard input.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::File(path) => Some(path),
            Place::Kept(_) => None,
        }
    }

    /// Reads it into memory if it is not large.
    pub fn load(&self) -> io::Result<Loaded<'_>> {
        let mut reader = self.reader()?;
        let mut bytes = Vec::new();
        reader.by_ref().take(MOST_LOADED + 1).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() as u64 <= MOST_LOADED;
        Ok(Loaded { log: self, bytes: is_whole.then_some(bytes) })
    }

    fn reader(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match &self.place {
            Place::File(path) => Box::new(File::open(path)?),
            Place::Kept(file) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(0))?;
                Box::new(file)
            }
        })
    }
}

/// A log while it is converted: in memory, or read again for each pass.
pub struct Loaded<'l> {
    log: &'l Log,
    bytes: Option<Vec<u8>>,
}

impl Loaded<'_> {
    /// Its size and hash, read from beginning to end.
    pub fn source(&self) -> io::Result<Source> {
        let mut reader = self.open()?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        let mut size = 0;
        loop {
            let count = reader.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            hash.update(&buffer[..count]);
            size += count as u64;
        }
        let sha_256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>();
        Ok(Source { name: self.log.name.clone(), size, sha_256: sha_256.concat() })
    }
}

impl Input for Loaded<'_> {
    fn name(&self) -> &str {
        &self.log.name
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match &self.bytes {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => self.log.reader(),
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }
}

/// Finds the logs of the given paths, in the order given, directories in the
/// order of their names. Also gives what could not be looked into, and why.
pub fn find(paths: &[PathBuf]) -> (Vec<Log>, Vec<String>) {
    let mut logs = Vec::new();
    let mut troubles = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            match keep_stdin() {
                Ok(file) => logs.push(Log {
                    shown: "-".to_owned(),
                    named: true,
                    name: String::new(),
                    place: Place::Kept(file),
                }),
                Err(error) => troubles.push(format!("-: {error}")),
            }
        } else {
            search(path, true, &mut logs, &mut troubles);
        }
    }
    (logs, troubles)
}

fn keep_stdin() -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut io::stdin().lock(), &mut file)?;
    Ok(file)
}

/// Symbolic links inside directories are not followed: they can lead round in
/// circles, and what they lead to has a name of its own.
fn search(path: &Path, named: bool, logs: &mut Vec<Log>, troubles: &mut Vec<String>) {
    let metadata = if named { path.metadata() } else { path.symlink_metadata() };
    let shown = path.to_string_lossy().into_owned();
    match metadata {
        Err(error) => troubles.push(format!("{shown}: {error}")),
        Ok(metadata) if metadata.is_dir() => match entries(path) {
            Err(error) => troubles.push(format!("{shown}: {error}")),
            Ok(entries) => {
                for entry in entries {
                    search(&entry, false, logs, troubles);
                }
            }
        },
        Ok(metadata) if metadata.is_file() || named => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            logs.push(Log { shown, named, name, place: Place::File(path.to_owned()) });
        }
        Ok(_) => {}
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in folder.read_dir()? {
        entries.push(entry?.path());
    }
    entries.sort();
    Ok(entries)
}
