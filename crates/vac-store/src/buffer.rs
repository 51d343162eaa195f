//! Allocates the memory that files are read into.
//!
//! The first use of a page of memory interrupts the program, and for a large log these
//! interruptions take longer than reading it. A large buffer is therefore mapped with large pages,
//! if the system supports them.

use std::fs::File;
use std::io::{self, Read};
#[cfg(unix)]
use std::{panic::resume_unwind, thread};

use memmap2::MmapMut;

/// The minimum number of bytes of a buffer that is mapped.
const MIN_MAPPED: usize = 4 << 20;

/// The minimum number of bytes of a file whose halves are read at the same time.
#[cfg(unix)]
const MIN_HALVED: usize = 2 * MIN_MAPPED;

/// Bytes that were read from a file.
pub(crate) enum Buffer {
    Allocated(Vec<u8>),
    /// A mapping, and how many bytes at its beginning have been read.
    Mapped(MmapMut, usize),
}

impl Buffer {
    /// Reads at most `size` bytes. Allocates the memory for all of them at the beginning.
    pub fn read(reader: &mut dyn Read, size: usize) -> io::Result<Self> {
        if size >= MIN_MAPPED
            && let Ok(mut map) = map(size)
        {
            let length = fill(reader, &mut map)?;
            return Ok(Self::Mapped(map, length));
        }
        let mut bytes = vec![0; size];
        let length = fill(reader, &mut bytes)?;
        bytes.truncate(length);
        Ok(Self::Allocated(bytes))
    }

    /// Reads at most the first `size` bytes of a file. The position of the file has to be its
    /// beginning.
    pub fn read_file(mut file: &File, size: usize) -> io::Result<Self> {
        #[cfg(unix)]
        if size >= MIN_HALVED
            && let Ok(mut map) = map(size)
            && let Some(length) = fill_halves(file, &mut map)
        {
            return Ok(Self::Mapped(map, length?));
        }
        Self::read(&mut file, size)
    }
}

/// Maps anonymous memory.
fn map(size: usize) -> io::Result<MmapMut> {
    let map = MmapMut::map_anon(size)?;
    // Without large pages, reading is only slower.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
}

/// Reads both halves of a buffer from a file at the same time, and returns how many bytes were read.
/// `None` if no thread can be started.
#[cfg(unix)]
fn fill_halves(file: &File, buffer: &mut [u8]) -> Option<io::Result<usize>> {
    let middle = buffer.len() / 2;
    let (first, second) = buffer.split_at_mut(middle);
    let (first, second) = thread::scope(|scope| {
        let run = || fill(&mut FileRange { file, offset: middle as u64 }, second);
        let second = thread::Builder::new().name("read".to_owned()).spawn_scoped(scope, run);
        let second = second.ok()?;
        let first = fill(&mut FileRange { file, offset: 0 }, first);
        Some((first, second.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })?;
    let whole = first.and_then(|first| {
        let second = second?;
        // A file that was truncated meanwhile ends at the end of its first half.
        Ok(if first < middle { first } else { first + second })
    });
    Some(whole)
}

/// A reader of a file from an offset on that does not change the position of the file.
#[cfg(unix)]
struct FileRange<'f> {
    file: &'f File,
    offset: u64,
}

#[cfg(unix)]
impl Read for FileRange<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Allocated(bytes) => bytes,
            Self::Mapped(map, length) => &map[..*length],
        }
    }
}

/// Reads until the end or until the buffer is full, and returns how many bytes were read.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match reader.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns few bytes at a time, and is interrupted in between.
    struct Slow<'a>(&'a [u8], bool);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let few = buffer.len().min(1 << 20);
            self.0.read(&mut buffer[..few])
        }
    }

    #[test]
    fn buffers_of_all_sizes_contain_what_was_read() {
        let bytes: Vec<u8> = (0..=250).cycle().take(MIN_MAPPED + 9).collect();
        for length in [0, 1, MIN_MAPPED - 1, MIN_MAPPED, MIN_MAPPED + 9] {
            for size in [0, 1, length.saturating_sub(1), length, length + 1, MIN_MAPPED + 1] {
                let buffer = Buffer::read(&mut Slow(&bytes[..length], false), size).unwrap();
                assert!(buffer.as_ref() == &bytes[..length.min(size)], "{length} {size}");
            }
        }
    }

    #[test]
    fn halves_of_a_file_are_read_at_the_same_time() {
        let file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..=250).cycle().take(MIN_HALVED + 9).collect();
        io::Write::write_all(&mut &file, &bytes).unwrap();
        for size in [MIN_HALVED - 1, MIN_HALVED, MIN_HALVED + 8, MIN_HALVED + 9, 3 * MIN_HALVED] {
            io::Seek::rewind(&mut &file).unwrap();
            let buffer = Buffer::read_file(&file, size).unwrap();
            assert!(buffer.as_ref() == &bytes[..bytes.len().min(size)], "{size}");
        }
    }

    #[test]
    fn errors_are_returned() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::PermissionDenied.into())
            }
        }
        for size in [1, MIN_MAPPED] {
            assert!(Buffer::read(&mut Broken, size).is_err());
        }
    }
}
