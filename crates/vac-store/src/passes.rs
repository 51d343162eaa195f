//! Ties every pass over a file to one SHA-256.
//!
//! A log that is not kept in memory is read once for the survey and once or more for the entries.
//! Its record states one SHA-256, so all passes have to read the same bytes. Size and modification
//! time cannot prove that, because everyone who can write the file can restore both. Each pass
//! therefore hashes the bytes that it returns, and the source of a record is stated only if all
//! digests agree.

use std::cell::RefCell;
use std::io::{self, Read};

use vac_adapter::Error;

use crate::hashing::{HashInMemory, Hashing};
use crate::in_memory::InMemory;

/// The number of bytes at the beginning of a file that are kept, so that a pass that ends within
/// them is compared immediately: adapters read the beginning of a log before they read all of it.
const HEAD: usize = 64 << 10;

/// The size and SHA-256 of a file.
pub(crate) type Fingerprint = (u64, [u8; 32]);

/// The passes over one file.
#[derive(Debug, Default)]
pub(crate) struct Passes(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    /// The first bytes of the file, as far as a pass has read them.
    head: Vec<u8>,
    /// The size of bytes in memory, and the hash that is computed of them.
    in_memory: Option<(u64, HashInMemory)>,
    /// The size and SHA-256 that the passes to the end have read.
    whole: Option<Fingerprint>,
    /// The sizes and SHA-256s of passes that ended early and have not been compared yet.
    prefixes: Vec<Fingerprint>,
    /// Whether two passes have read different bytes.
    has_changed: bool,
    /// The reason why a pass could not be completed.
    failure: Option<(io::ErrorKind, String)>,
    /// Whether the bytes of unfinished passes are not used.
    is_abandoned: bool,
}

impl Passes {
    /// Creates the passes over bytes that are in memory.
    pub fn from_memory(bytes: &InMemory) -> Self {
        let size = bytes.as_ref().len() as u64;
        let in_memory = Some((size, HashInMemory::NotStarted(bytes.clone())));
        Self(RefCell::new(State { in_memory, ..State::default() }))
    }

    /// Starts to hash bytes in memory on a thread, if there are many of them.
    pub fn start_hashing(&self) {
        if let Some((_, hash)) = &mut self.0.borrow_mut().in_memory {
            hash.start();
        }
    }

    /// Returns whether all passes read bytes in memory, which cannot change.
    pub fn is_in_memory(&self) -> bool {
        self.0.borrow().in_memory.is_some()
    }

    /// Returns the SHA-256 of bytes in memory, or of the bytes of a pass that has read them to the
    /// end. `None` if no pass has reached the end.
    pub fn sha_256(&self) -> Option<[u8; 32]> {
        let mut state = self.0.borrow_mut();
        if let Some((_, hash)) = &mut state.in_memory {
            return Some(hash.get());
        }
        state.whole.map(|(_, sha_256)| sha_256)
    }

    /// Begins a pass over a file, which `reader` reads from its first byte.
    pub fn pass<'p, R: Read + 'p>(&'p self, reader: R) -> impl Read + 'p {
        Pass { passes: self, reader, hash: Hashing::default(), size: 0, is_over: false }
    }

    /// States that the bytes which unfinished passes have read so far are not used, so that these
    /// passes need not be completed.
    pub fn abandon(&self) {
        self.0.borrow_mut().is_abandoned = true;
    }

    /// Returns the size and SHA-256 that all passes have read; `None` if a pass has to be
    /// [completed](Passes::complete).
    pub fn common_fingerprint(&self) -> Result<Option<Fingerprint>, Error> {
        let mut state = self.0.borrow_mut();
        if let Some((size, hash)) = &mut state.in_memory {
            return Ok(Some((*size, hash.get())));
        }
        if !state.prefixes.is_empty() {
            return Ok(None);
        }
        if state.has_changed {
            return Err(Error::Changed { file: None });
        }
        match &state.failure {
            Some((kind, words)) => Err(io::Error::new(*kind, words.clone()).into()),
            None => Ok(state.whole),
        }
    }
}

impl Passes {
    /// Makes one more pass, to its end, and compares it with those that did not reach it.
    pub fn complete(&self, reader: impl Read) -> io::Result<()> {
        let mut prefixes = std::mem::take(&mut self.0.borrow_mut().prefixes);
        prefixes.sort_unstable();
        prefixes.dedup();
        let mut pass =
            Pass { passes: self, reader, hash: Hashing::default(), size: 0, is_over: false };
        for (size, digest) in prefixes {
            let missing = size - pass.size;
            read_all(&mut pass.by_ref().take(missing))?;
            let found = (pass.size, pass.hash.digest());
            if found != (size, digest) {
                self.0.borrow_mut().has_changed = true;
                break;
            }
        }
        read_all(&mut pass)
    }
}

/// One pass over a file. If it is dropped early, the hash of the bytes that it has read is kept, to
/// be compared later.
struct Pass<'p, R: Read> {
    passes: &'p Passes,
    reader: R,
    hash: Hashing,
    size: u64,
    is_over: bool,
}

impl<R: Read> Pass<'_, R> {
    fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        let from = usize::try_from(self.size).unwrap_or(usize::MAX);
        self.size += bytes.len() as u64;
        if from >= HEAD {
            return;
        }
        let bytes = &bytes[..bytes.len().min(HEAD - from)];
        let mut state = self.passes.0.borrow_mut();
        // Passes read from the first byte on, so a pass is never ahead of the head.
        let known = state.head.len().saturating_sub(from).min(bytes.len());
        if state.head.get(from..from + known) == Some(&bytes[..known]) {
            state.head.extend_from_slice(&bytes[known..]);
        } else {
            state.has_changed = true;
        }
    }

    fn end(&mut self) {
        self.is_over = true;
        let found = (self.size, self.hash.digest());
        let mut state = self.passes.0.borrow_mut();
        if *state.whole.get_or_insert(found) != found {
            state.has_changed = true;
        }
    }

    fn fail(&mut self, error: &io::Error) {
        self.is_over = true;
        let mut state = self.passes.0.borrow_mut();
        state.failure.get_or_insert_with(|| (error.kind(), error.to_string()));
    }
}

impl<R: Read> Read for Pass<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Ok(0);
        }
        let read = self.reader.read(buffer);
        match &read {
            Ok(0) if buffer.is_empty() => {}
            Ok(0) => self.end(),
            Ok(count) => self.add(&buffer[..*count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.fail(error),
        }
        read
    }
}

impl<R: Read> Drop for Pass<'_, R> {
    fn drop(&mut self) {
        let is_in_head = self.size <= HEAD as u64;
        if self.is_over || is_in_head || self.passes.0.borrow().is_abandoned {
            return;
        }
        let read = (self.size, self.hash.digest());
        self.passes.0.borrow_mut().prefixes.push(read);
    }
}

/// Reads a reader to its end.
fn read_all(reader: &mut dyn Read) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the size and the SHA-256 of the bytes of a reader.
pub(crate) fn digest(reader: impl Read) -> Result<Fingerprint, Error> {
    let passes = Passes::default();
    passes.complete(reader)?;
    Ok(passes.common_fingerprint()?.expect("the pass has reached the end"))
}
