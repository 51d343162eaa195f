//! Keeps the bytes of small logs in memory between detection and conversion, so that they are read
//! once.
//!
//! All logs are detected before the first is converted, because files of one session are joined in
//! between. The memory for this is bounded by a [`MemoryBudget`]; a log that does not fit is read
//! again when it is converted.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read, Take};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vac_adapter::Input;
use vac_adapter::container::Container;
use vac_adapter::frame;

use crate::buffer::Buffer;
use crate::log::{Part, Place};
use crate::safe_path::FileReader;

/// Maximum number of bytes of a log that is in memory while it is converted.
pub(crate) const MAX_IN_MEMORY: usize = 64 << 20;
/// Maximum number of bytes of all logs that wait in memory for their conversion.
const MAX_WAITING: u64 = 16 << 20;

/// The number of bytes of logs that may be in memory from detection to conversion. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryBudget(Arc<AtomicU64>);

impl MemoryBudget {
    /// Creates the budget for logs that are converted with a [limit](Input::max_event) on the bytes
    /// of one event.
    pub fn new(max_event: usize) -> Self {
        Self(Arc::new(AtomicU64::new(max_in_memory(max_event).min(MAX_WAITING))))
    }

    /// Creates an empty budget, for logs that are not converted.
    pub fn none() -> Self {
        Self::default()
    }

    fn reserve(&self, size: u64) -> Option<Reserved> {
        let free = |free: u64| free.checked_sub(size);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, free).ok()?;
        Some(Reserved { budget: self.clone(), size })
    }
}

/// Returns how many bytes of a log may be in memory.
pub(crate) fn max_in_memory(max_event: usize) -> u64 {
    frame::max_in_memory(max_event).min(MAX_IN_MEMORY) as u64
}

/// A share of a budget, given back when it is dropped.
struct Reserved {
    budget: MemoryBudget,
    size: u64,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.budget.0.fetch_add(self.size, Ordering::Relaxed);
    }
}

/// Bytes of a log in memory, with their share of a budget. Clones share them.
#[derive(Clone)]
pub(crate) struct InMemory(Arc<(Buffer, Option<Reserved>)>);

/// Bytes that were read when the log was loaded, and need no budget.
impl From<Buffer> for InMemory {
    fn from(bytes: Buffer) -> Self {
        Self(Arc::new((bytes, None)))
    }
}

impl From<Vec<u8>> for InMemory {
    fn from(bytes: Vec<u8>) -> Self {
        Buffer::Allocated(bytes).into()
    }
}

impl AsRef<[u8]> for InMemory {
    fn as_ref(&self) -> &[u8] {
        self.0.0.as_ref()
    }
}

impl fmt::Debug for InMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InMemory({} bytes)", self.as_ref().len())
    }
}

/// An open file, and the bytes that have been read from it. Each reader begins with the first byte,
/// and no byte is read from the file twice.
pub(crate) struct Recorder<'p> {
    part: &'p Part,
    state: RefCell<Recorded>,
    reserved: Reserved,
}

struct Recorded {
    bytes: Vec<u8>,
    rest: Take<FileReader>,
}

impl<'p> Recorder<'p> {
    /// Opens a file. `None` if the part is not a file, or the file does not fit into the budget.
    pub fn open(part: &'p Part, budget: &MemoryBudget) -> io::Result<Option<Self>> {
        let (Place::File(path) | Place::Compressed(path)) = &part.place else { return Ok(None) };
        let file = path.reader()?;
        let size = file.size()?;
        let Some(reserved) = budget.reserve(size) else { return Ok(None) };
        // Bytes that are appended from now on are not read.
        let state = RefCell::new(Recorded { bytes: Vec::new(), rest: file.take(size) });
        Ok(Some(Self { part, state, reserved }))
    }

    /// Reads the rest of the file.
    pub fn finish(self) -> io::Result<InMemory> {
        let Recorded { bytes, rest } = self.state.into_inner();
        let size = usize::try_from(self.reserved.size).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let buffer = Buffer::read(&mut bytes.as_slice().chain(rest), size)?;
        Ok(InMemory(Arc::new((buffer, Some(self.reserved)))))
    }
}

impl Input for Recorder<'_> {
    fn name(&self) -> &str {
        self.part.name()
    }

    fn folder(&self) -> &str {
        self.part.folder()
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        self.part.decode(RecordedReader { state: &self.state, offset: 0 })
    }

    fn container(&self) -> Container {
        self.part.container()
    }
}

struct RecordedReader<'r> {
    state: &'r RefCell<Recorded>,
    offset: usize,
}

impl Read for RecordedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Recorded { bytes, rest } = &mut *self.state.borrow_mut();
        let mut recorded = bytes.get(self.offset..).unwrap_or_default();
        let count = if recorded.is_empty() {
            let count = rest.read(buffer)?;
            bytes.extend_from_slice(&buffer[..count]);
            count
        } else {
            recorded.read(buffer)?
        };
        self.offset += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safe_path::SafePath;
    use crate::skipped::Skipped;

    fn read(input: &dyn Input, max: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        input.open().unwrap().take(max).read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn every_reader_of_a_recorder_reads_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "0123456789").unwrap();
        let part = Part::file(&SafePath::named(&path, &Skipped::default()));
        let recorder = Recorder::open(&part, &MemoryBudget::new(1 << 20)).unwrap().unwrap();
        assert_eq!(read(&recorder, 4), b"0123");
        std::fs::write(&path, "abcdefghijkl").unwrap();
        assert_eq!(read(&recorder, 6), b"0123ef");
        // The record is made from exactly the bytes that were detected, without those appended
        // later.
        assert_eq!(recorder.finish().unwrap().as_ref(), b"0123efghij");
    }

    #[test]
    fn budget_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "0123456789").unwrap();
        let part = Part::file(&SafePath::named(&path, &Skipped::default()));
        let budget = MemoryBudget(Arc::new(AtomicU64::new(15)));
        let held = Recorder::open(&part, &budget).unwrap().unwrap().finish().unwrap();
        let copy = held.clone();
        drop(held);
        assert!(Recorder::open(&part, &budget).unwrap().is_none(), "5 bytes are left");
        drop(copy);
        assert!(Recorder::open(&part, &budget).unwrap().is_some());
        assert!(Recorder::open(&part, &MemoryBudget::none()).unwrap().is_none());
    }
}
