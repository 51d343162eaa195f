//! Computes the SHA-256 of a log while it is converted, on a thread of its own if the log is large.
//!
//! Hashing takes an eighth of the time of a conversion, which needs the result only at its end.

use std::mem;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use crate::in_memory::InMemory;
use crate::sha256::Sha256;

/// The minimum number of bytes that are hashed by a thread. Fewer bytes are hashed where they are
/// read, because starting a thread and copying them takes longer.
const MIN_BYTES: u64 = 4 << 20;

/// The number of bytes of a block that is passed to the thread.
const BLOCK: usize = 256 << 10;

/// Maximum number of blocks that wait to be hashed.
const MAX_BLOCKS: usize = 4;

/// The minimum number of bytes in memory that are hashed by a thread.
const MIN_BYTES_IN_MEMORY: usize = 1 << 20;

/// The SHA-256 of bytes in memory, which is computed when it is needed, or by a thread that was
/// started before.
#[derive(Debug)]
pub(crate) enum HashInMemory {
    NotStarted(InMemory),
    Running(JoinHandle<[u8; 32]>),
    Computed([u8; 32]),
    /// The thread panicked.
    Failed,
}

impl HashInMemory {
    /// Starts a thread that hashes the bytes, if there are many of them.
    pub fn start(&mut self) {
        let Self::NotStarted(bytes) = self else { return };
        if bytes.as_ref().len() < MIN_BYTES_IN_MEMORY {
            return;
        }
        let shared = bytes.clone();
        let run = move || Sha256::digest(shared.as_ref());
        // Without a thread, the bytes are hashed when the hash is needed.
        if let Ok(thread) = thread::Builder::new().name("sha-256".to_owned()).spawn(run) {
            *self = Self::Running(thread);
        }
    }

    /// Computes the SHA-256, or waits for it.
    pub fn get(&mut self) -> [u8; 32] {
        let hash = match mem::replace(self, Self::Failed) {
            Self::NotStarted(bytes) => Sha256::digest(bytes.as_ref()),
            Self::Running(thread) => thread.join().expect("hashing does not panic"),
            Self::Computed(hash) => hash,
            Self::Failed => unreachable!("hashing does not panic"),
        };
        *self = Self::Computed(hash);
        hash
    }
}

/// A SHA-256 of bytes that arrive piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Hashing {
    /// The state without the bytes that were passed to the thread, if there is one.
    state: Sha256,
    /// The number of bytes that have been hashed without a thread.
    size: u64,
    thread: Option<HashThread>,
}

impl Hashing {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        if self.thread.is_none() && self.size >= MIN_BYTES {
            self.size = 0;
            self.thread = HashThread::start(self.state.clone());
        }
        if let Some(thread) = &mut self.thread {
            thread.update(bytes);
        } else {
            self.state.update(bytes);
            self.size += bytes.len() as u64;
        }
    }

    /// Returns the SHA-256 of all bytes so far.
    pub fn digest(&mut self) -> [u8; 32] {
        if let Some(thread) = self.thread.take() {
            self.state = thread.finish();
        }
        self.state.clone().finish()
    }
}

/// A thread that hashes blocks.
#[derive(Debug)]
struct HashThread {
    full: SyncSender<Vec<u8>>,
    /// The blocks that have been hashed and can be filled again.
    empty: Receiver<Vec<u8>>,
    block: Vec<u8>,
    thread: JoinHandle<Sha256>,
}

impl HashThread {
    /// Starts a thread; `None` if the system does not allow another one.
    fn start(mut state: Sha256) -> Option<Self> {
        let (full, to_hash) = sync_channel::<Vec<u8>>(MAX_BLOCKS);
        let (hashed, empty) = channel();
        let run = move || {
            for block in to_hash {
                state.update(&block);
                // If no more bytes arrive, the block is not needed any more.
                let _ = hashed.send(block);
            }
            state
        };
        let thread = thread::Builder::new().name("sha-256".to_owned()).spawn(run).ok()?;
        Some(Self { full, empty, block: Vec::with_capacity(BLOCK), thread })
    }

    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (first, rest) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(first);
            bytes = rest;
            if self.block.len() == BLOCK {
                self.pass_on();
            }
        }
    }

    /// Passes the block to the thread, and takes an empty one.
    fn pass_on(&mut self) {
        let mut next = self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK));
        next.clear();
        let block = mem::replace(&mut self.block, next);
        self.full.send(block).expect("the thread hashes until this sender is dropped");
    }

    fn finish(mut self) -> Sha256 {
        self.pass_on();
        drop(self.full);
        self.thread.join().expect("hashing does not panic")
    }
}

#[cfg(test)]
mod tests {
    use sha2::Digest as _;

    use super::*;

    /// Returns the SHA-256 that another crate computes.
    fn expected(bytes: &[u8]) -> [u8; 32] {
        sha2::Sha256::digest(bytes).into()
    }

    /// Bytes of which no two blocks are equal.
    fn bytes(size: usize) -> Vec<u8> {
        (0..=size / 8).flat_map(usize::to_le_bytes).take(size).collect()
    }

    #[test]
    fn digest_is_that_of_all_bytes_with_and_without_a_thread() {
        let min = usize::try_from(MIN_BYTES).expect("a size in memory");
        for size in [0, 1, min - 1, min, min + 1, min + BLOCK, 3 * min + 12_345] {
            let bytes = bytes(size);
            for piece in [7_777, BLOCK, 3 * BLOCK + 1] {
                let mut hashing = Hashing::default();
                bytes.chunks(piece).for_each(|piece| hashing.update(piece));
                let expected = expected(&bytes);
                assert_eq!(hashing.digest(), expected, "{size} bytes in pieces of {piece}");
            }
        }
    }

    #[test]
    fn digest_of_bytes_in_memory_is_that_of_all_bytes() {
        for size in [0, 1, MIN_BYTES_IN_MEMORY - 1, MIN_BYTES_IN_MEMORY, 3 << 20] {
            let bytes = bytes(size);
            let expected = expected(&bytes);
            let hash = || HashInMemory::NotStarted(bytes.clone().into());
            assert_eq!(hash().get(), expected, "{size} bytes");
            let mut started = hash();
            started.start();
            assert_eq!(started.get(), expected, "{size} bytes");
        }
    }

    #[test]
    fn hashing_continues_after_a_digest() {
        let bytes = bytes(40 << 20);
        let mut hashing = Hashing::default();
        let mut end = 0;
        for size in [100, 6 << 20, 10, 11 << 20] {
            hashing.update(&bytes[end..end + size]);
            end += size;
            let expected = expected(&bytes[..end]);
            assert_eq!(hashing.digest(), expected, "{end} bytes");
        }
    }

    #[test]
    fn unfinished_thread_ends_when_dropped() {
        let mut hashing = Hashing::default();
        let bytes = bytes(1 << 20);
        (0..8).for_each(|_| hashing.update(&bytes));
        let HashThread { full, empty, thread, .. } = hashing.thread.take().expect("a thread");
        drop((full, empty));
        thread.join().expect("the thread ends");
    }
}
