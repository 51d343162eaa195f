//! Writes records while they are created, each once, to their final place.
//!
//! | output | where a record is written |
//! |---|---|
//! | a folder | into a file without a name in that folder |
//! | a file for all records | into that file, if all records before it are complete; otherwise aside |
//! | standard output | aside: a record that fails must not appear in part |
//!
//! *Aside* is in memory, and in a temporary file if the record is large.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use crate::files::{NamelessFile, Readers, cut_back};

/// Records of this size are written by a thread, in blocks of this size. Smaller ones are in
/// memory until they are complete.
const BLOCK: usize = 1 << 18;
/// The maximum number of blocks that wait for the thread that writes them.
const WAITING: usize = 4;

/// The place to which records are written.
pub enum Target {
    /// Records are not written.
    Discard,
    /// A temporary file, for an output that cannot be truncated.
    Aside,
    /// One file for all records.
    File(SharedFile),
    /// A file each in a folder.
    Folder(FolderTarget),
}

/// A folder that workers write records to.
pub struct FolderTarget {
    path: PathBuf,
    /// The error that will prevent all further records, too.
    failure: Mutex<Option<io::Error>>,
}

impl FolderTarget {
    /// Creates the target of a folder.
    pub fn new(path: PathBuf) -> Self {
        Self { path, failure: Mutex::default() }
    }

    /// Returns the error of a record. One for which the disk is the reason ends the run: every further
    /// record would fail, after its log has been read.
    fn fail(&self, error: &io::Error) -> io::Error {
        use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        if matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem) {
            let copy = io::Error::new(error.kind(), error.to_string());
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(copy);
        }
        in_folder(&self.path, error)
    }
}

/// A file that workers write records to, one at a time.
pub struct SharedFile {
    file: File,
    path: PathBuf,
    /// The number of the log whose records are written next.
    due: AtomicUsize,
    /// The error of an earlier write.
    failure: Mutex<Option<io::Error>>,
}

impl SharedFile {
    /// Shares a file that gets a name later.
    pub fn new(file: File, path: PathBuf) -> Self {
        Self { file, path, due: AtomicUsize::new(0), failure: Mutex::default() }
    }

    fn is_due(&self, log: usize) -> bool {
        self.due.load(Ordering::Acquire) == log
    }
}

impl Target {
    /// Records that the output contains all records of the logs before this one.
    pub fn set_due(&self, log: usize) {
        if let Self::File(shared) = self {
            shared.due.store(log, Ordering::Release);
        }
    }

    /// Returns the reason why a worker could not write to the file for all records, or why no further
    /// record can be written to the folder.
    pub fn take_failure(&self) -> Option<io::Error> {
        let failure = match self {
            Self::File(shared) => &shared.failure,
            Self::Folder(folder) => &folder.failure,
            Self::Discard | Self::Aside => return None,
        };
        failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A complete record.
pub enum WrittenRecord {
    /// In memory.
    Memory(Vec<u8>),
    /// In a temporary file.
    Aside(File),
    /// In the file for all records, which ends here.
    Output(u64),
    /// In the output folder.
    Folder(NamelessFile),
}

impl WrittenRecord {
    /// Returns a reader of the record from its beginning. A record in the file for all records is
    /// not read again.
    pub fn open(&mut self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::Memory(bytes) => Box::new(bytes.as_slice()),
            Self::Aside(file) => {
                file.seek(SeekFrom::Start(0))?;
                Box::new(file)
            }
            Self::Output(_) => Box::new(io::empty()),
            Self::Folder(file) => Box::new(file.open()?),
        })
    }

    /// Copies the record to a writer.
    pub fn copy_to(mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Self::Memory(bytes) = &self {
            return out.write_all(bytes);
        }
        let mut reader = self.open()?;
        let mut buffer = vec![0; 1 << 18];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => out.write_all(&buffer[..count])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A writer of one record. The written bytes are removed if the record is not completed.
pub struct RecordWriter<'t> {
    target: &'t Target,
    /// The number of its log.
    log: usize,
    readers: Readers,
    buffer: Vec<u8>,
    /// The file of the record, if it is large.
    large: Option<Large<'t>>,
}

struct Large<'t> {
    place: Place<'t>,
    blocks: BlockWriter,
}

enum Place<'t> {
    Aside(File),
    Output(&'t SharedFile, u64),
    Folder(NamelessFile),
}

impl<'t> RecordWriter<'t> {
    /// Begins a record of a log, which is the `log`th, with these readers.
    pub fn new(target: &'t Target, log: usize, readers: Readers) -> Self {
        Self { target, log, readers, buffer: Vec::new(), large: None }
    }

    /// Writes the rest of the record.
    pub fn complete(mut self) -> io::Result<WrittenRecord> {
        let buffer = std::mem::take(&mut self.buffer);
        let Some(mut large) = self.large.take() else {
            let Target::Folder(folder) = self.target else {
                return Ok(WrittenRecord::Memory(buffer));
            };
            let (nameless, mut file) = NamelessFile::create(&folder.path, self.readers)
                .map_err(|error| folder.fail(&error))?;
            file.write_all(&buffer).map_err(|error| folder.fail(&error))?;
            return Ok(WrittenRecord::Folder(nameless));
        };
        let written = large.blocks.write(buffer).and_then(|_| large.blocks.finish());
        if let Err(error) = written {
            return Err(self.fail(large, &error));
        }
        match large.place {
            Place::Aside(file) => Ok(WrittenRecord::Aside(file)),
            Place::Output(shared, _) => {
                Ok(WrittenRecord::Output((&shared.file).stream_position()?))
            }
            Place::Folder(file) => Ok(WrittenRecord::Folder(file)),
        }
    }

    /// Begins to write a large record. The worker that creates the next record of the file for all
    /// records writes to that file; the others wait for it, or write aside.
    fn begin_large(&self) -> io::Result<Large<'t>> {
        let (place, file) = match self.target {
            Target::File(shared) if shared.is_due(self.log) => {
                let start = (&shared.file).stream_position()?;
                (Place::Output(shared, start), shared.file.try_clone()?)
            }
            Target::Folder(folder) => {
                let (nameless, file) = NamelessFile::create(&folder.path, self.readers)
                    .map_err(|error| folder.fail(&error))?;
                (Place::Folder(nameless), file)
            }
            Target::Discard | Target::Aside | Target::File(_) => {
                let file = tempfile::tempfile().map_err(|error| aside(&error))?;
                let copy = file.try_clone()?;
                (Place::Aside(file), copy)
            }
        };
        Ok(Large { place, blocks: BlockWriter::new(file)? })
    }

    /// Returns the error of a record that could not be written, and removes the written bytes.
    fn fail(&self, large: Large<'_>, error: &io::Error) -> io::Error {
        match (self.target, large.place) {
            (Target::Folder(folder), Place::Folder(_)) => folder.fail(error),
            (_, Place::Output(shared, start)) => {
                drop(cut_back(&shared.file, start));
                let words = format!("cannot write {}: {error}", shared.path.display());
                let copy = io::Error::new(error.kind(), error.to_string());
                *shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(copy);
                io::Error::new(error.kind(), words)
            }
            _ => aside(error),
        }
    }

    fn write_block(&mut self) -> io::Result<()> {
        let block = std::mem::take(&mut self.buffer);
        let mut large = match self.large.take() {
            Some(large) => large,
            None => self.begin_large()?,
        };
        match large.blocks.write(block) {
            Ok(empty) => {
                self.buffer = empty;
                self.large = Some(large);
                Ok(())
            }
            Err(error) => Err(self.fail(large, &error)),
        }
    }
}

impl Write for RecordWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.target, Target::Discard) {
            return Ok(bytes.len());
        }
        if self.buffer.len() >= BLOCK {
            self.write_block()?;
        }
        // A long entry is passed on in blocks: a copy of it would take as much memory again.
        let room = BLOCK.saturating_sub(self.buffer.len());
        let (part, _) = bytes.split_at(bytes.len().min(room));
        self.buffer.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for RecordWriter<'_> {
    fn drop(&mut self) {
        let Some(Large { place: Place::Output(shared, start), mut blocks }) = self.large.take()
        else {
            return;
        };
        // Nothing is written after the thread has ended.
        drop(blocks.finish());
        if let Err(error) = cut_back(&shared.file, start) {
            *shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }
}

fn in_folder(folder: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write in {}: {error}", folder.display()))
}

fn aside(error: &io::Error) -> io::Error {
    let folder = tempfile::env::temp_dir();
    let what = "cannot write its record to the temporary folder";
    io::Error::new(error.kind(), format!("{what} {}: {error}", folder.display()))
}

/// A thread that writes blocks to a file while the next blocks are created.
struct BlockWriter {
    full: Option<mpsc::SyncSender<Vec<u8>>>,
    /// The blocks that can be filled again.
    empty: mpsc::Receiver<Vec<u8>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl BlockWriter {
    fn new(mut file: File) -> io::Result<Self> {
        let (full, blocks) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let (written, empty) = mpsc::channel();
        let thread = thread::Builder::new().name("writer".to_owned()).spawn(move || {
            for mut block in blocks {
                file.write_all(&block)?;
                block.clear();
                // The receiver was dropped if no further block is needed.
                drop(written.send(block));
            }
            Ok(())
        })?;
        Ok(Self { full: Some(full), empty, thread: Some(thread) })
    }

    /// Passes a block to the thread, and returns an empty one.
    fn write(&mut self, block: Vec<u8>) -> io::Result<Vec<u8>> {
        let is_sent = self.full.as_ref().is_some_and(|full| full.send(block).is_ok());
        if !is_sent {
            // The thread has ended early, so there is an error.
            self.finish()?;
            return Err(io::Error::other("the thread that writes has ended"));
        }
        Ok(self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK)))
    }

    /// Waits until all blocks are written.
    fn finish(&mut self) -> io::Result<()> {
        self.full = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(written)) => written,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(()),
        }
    }
}

impl Drop for BlockWriter {
    /// Waits for the thread, which must not write to a file that is removed or truncated.
    fn drop(&mut self) {
        drop(self.finish());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(folder: &Path) -> (Target, File) {
        let path = folder.join("all.jsonl");
        let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        let copy = file.try_clone().unwrap();
        (Target::File(SharedFile::new(file, path)), copy)
    }

    fn record(target: &Target, log: usize, byte: u8, size: usize) -> RecordWriter<'_> {
        let mut writer = RecordWriter::new(target, log, Readers::Owner);
        for _ in 0..size / 1000 {
            writer.write_all(&[byte; 1000]).unwrap();
        }
        writer
    }

    #[test]
    fn large_record_is_written_to_the_output_if_it_is_due() {
        let folder = tempfile::tempdir().unwrap();
        let (target, file) = output(folder.path());
        let first = record(&target, 0, b'a', 3_000_000).complete().unwrap();
        assert!(matches!(first, WrittenRecord::Output(3_000_000)));
        // Another log's record is not due.
        let second = record(&target, 1, b'b', 3_000_000).complete().unwrap();
        assert!(matches!(second, WrittenRecord::Aside(_)));
        assert_eq!(file.metadata().unwrap().len(), 3_000_000);
        let small = record(&target, 0, b'c', 3_000).complete().unwrap();
        assert!(matches!(small, WrittenRecord::Memory(bytes) if bytes == [b'c'; 3_000]));
    }

    #[test]
    fn incomplete_record_is_cut_from_the_output() {
        let folder = tempfile::tempdir().unwrap();
        let (target, file) = output(folder.path());
        record(&target, 0, b'a', 1_000_000).complete().unwrap();
        drop(record(&target, 0, b'b', 2_000_000));
        assert_eq!(file.metadata().unwrap().len(), 1_000_000);
        let third = record(&target, 0, b'c', 1_000_000).complete().unwrap();
        assert!(matches!(third, WrittenRecord::Output(2_000_000)));
        let bytes = std::fs::read(folder.path().join("all.jsonl")).unwrap();
        assert!(bytes[..1_000_000].iter().all(|byte| *byte == b'a'));
        assert!(bytes[1_000_000..].iter().all(|byte| *byte == b'c'));
    }

    #[test]
    fn records_in_a_folder_are_removed_unless_they_get_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::Folder(FolderTarget::new(folder.path().to_owned()));
        for size in [3_000, 3_000_000] {
            drop(record(&target, 0, b'a', size));
            let WrittenRecord::Folder(file) = record(&target, 0, b'b', size).complete().unwrap()
            else {
                panic!("a record in the folder");
            };
            drop(record(&target, 0, b'c', size).complete().unwrap());
            let path = folder.path().join(size.to_string());
            file.persist(&path, false).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), vec![b'b'; size]);
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 2);
    }

    #[test]
    fn full_disk_is_the_failure_of_the_whole_folder() {
        let folder = FolderTarget::new("records".into());
        let denied = folder.fail(&io::ErrorKind::PermissionDenied.into());
        assert!(denied.to_string().starts_with("cannot write in records: "), "{denied}");
        let target = Target::Folder(folder);
        assert!(target.take_failure().is_none(), "other records may be written");
        if let Target::Folder(folder) = &target {
            folder.fail(&io::ErrorKind::StorageFull.into());
        }
        let failure = target.take_failure().unwrap();
        assert_eq!(failure.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn failed_write_is_reported_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("read-only");
        std::fs::write(&path, "").unwrap();
        let target = Target::File(SharedFile::new(File::open(&path).unwrap(), path));
        let mut writer = RecordWriter::new(&target, 0, Readers::Owner);
        let block = vec![b'a'; BLOCK];
        let written = (0..100).try_for_each(|_| writer.write_all(&block));
        let error = written.and_then(|()| writer.complete().map(drop)).unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains("read-only"), "{error}");
        assert!(target.take_failure().is_some());
    }
}
