//! Writers that the content of an object is written to.

use std::io::{self, Write};

use vac_store::Sha256;

/// A writer that hashes and counts bytes, and passes them on.
pub(super) struct Hashing<'o> {
    pub out: &'o mut dyn Write,
    pub hash: Sha256,
    pub size: u64,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hash.update(&bytes[..count]);
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A writer that hashes the first bytes, and ignores all others.
pub(super) struct Beginning {
    pub hash: Sha256,
    pub room: u64,
}

impl Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = usize::try_from(self.room).unwrap_or(usize::MAX);
        let own = &bytes[..bytes.len().min(room)];
        self.hash.update(own);
        self.room -= own.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that passes on a limited number of bytes.
pub(crate) struct Bounded<W> {
    pub out: W,
    max: u64,
    room: u64,
}

impl<W> Bounded<W> {
    pub fn new(out: W, max: u64) -> Self {
        Self { out, max, room: max }
    }
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.room.checked_sub(bytes.len() as u64);
        self.room = left.ok_or_else(|| {
            let reason = format!("its content has more than {} bytes", self.max);
            io::Error::new(io::ErrorKind::FileTooLarge, reason)
        })?;
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A writer that keeps a limited number of bytes in memory.
pub(super) struct Limited {
    pub bytes: Vec<u8>,
    pub max: usize,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
