//! Ids for what the source names by its file, or not at all. A function of the
//! input: never random, never the clock.

use std::io::Read;

use crate::adapter::Error;
use crate::input::Input;

/// A file's name without its last extension; `None` if nothing is left.
///
/// ```
/// assert_eq!(vac_adapter::ids::stem("session-1.jsonl"), Some("session-1"));
/// assert_eq!(vac_adapter::ids::stem("-"), None, "that is standard input");
/// ```
pub fn stem(name: &str) -> Option<&str> {
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    (!stem.is_empty() && stem != "-").then_some(stem)
}

/// An id of an input that has none: by its name, else by its bytes.
pub fn of_input(input: &dyn Input) -> Result<String, Error> {
    match stem(input.name()) {
        Some(stem) => Ok(stem.to_owned()),
        None => of_bytes(input.open()?),
    }
}

/// An id of an input by its bytes alone.
pub fn of_content(input: &dyn Input) -> Result<String, Error> {
    match input.bytes() {
        Some(bytes) => of_bytes(bytes),
        None => of_bytes(input.open()?),
    }
}

/// A UUID (version 8) that is a function of the bytes: a hash in the manner of FNV-1a that
/// takes many bytes at once.
///
/// ```
/// use vac_adapter::ids::of_bytes;
///
/// let id = of_bytes(&b"a log"[..])?;
/// assert_eq!(id, of_bytes(&b"a log"[..])?);
/// assert_ne!(id, of_bytes(&b"a log\0"[..])?, "zeros at the end count");
/// # Ok::<(), vac_adapter::Error>(())
/// ```
pub fn of_bytes(mut input: impl Read) -> Result<String, Error> {
    let mut hash = Hash { lanes: [BASIS, !BASIS], length: 0 };
    let mut chunk = [0; CHUNK];
    loop {
        let filled = fill(&mut input, &mut chunk)?;
        hash.add(&chunk[..filled]);
        if filled < CHUNK {
            return Ok(uuid(hash.end()));
        }
    }
}

fn uuid(hash: u128) -> String {
    let version = hash & !(0xf << 76) | 8 << 76;
    let variant = version & !(0x3 << 62) | 2 << 62;
    let hex = format!("{variant:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// How much is read at once: many blocks.
const CHUNK: usize = 256 * BLOCK;
/// How many bytes are taken at once: sixteen for each lane.
const BLOCK: usize = 32;

/// Where a lane begins: the basis of FNV-1a.
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
/// An odd number that spreads bits upwards.
const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// Two lanes, so that neither waits for the other.
struct Hash {
    lanes: [u128; 2],
    length: u128,
}

impl Hash {
    /// Adds bytes; only the last may be no whole number of blocks.
    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u128;
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for block in blocks {
            self.block(block);
        }
        if !rest.is_empty() {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            self.block(&block);
        }
    }

    fn block(&mut self, block: &[u8; BLOCK]) {
        let (halves, _) = block.as_chunks::<16>();
        for (lane, half) in self.lanes.iter_mut().zip(halves) {
            *lane = mixed(*lane, u128::from_le_bytes(*half));
        }
    }

    fn end(self) -> u128 {
        let [one, other] = self.lanes;
        mixed(mixed(one, self.length), other)
    }
}

/// Every step can be undone, so that no block is forgotten.
fn mixed(hash: u128, block: u128) -> u128 {
    let spread = (hash ^ block).wrapping_mul(FACTOR);
    spread ^ spread >> 64
}

/// Fills a chunk, or as much of it as there is.
fn fill(input: &mut impl Read, chunk: &mut [u8]) -> Result<usize, Error> {
    let mut filled = 0;
    while filled < chunk.len() {
        match input.read(&mut chunk[filled..]) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(filled)
}
