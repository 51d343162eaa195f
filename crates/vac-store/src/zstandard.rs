//! Compressed logs, with a limit on what they may become.

use std::io::{self, Read};

use crate::store::bad_data;

/// What compressed files begin with.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// So much may come out of anything.
const ALWAYS: u64 = 64 << 20;
/// More only if it is not more than so many times what went in: logs shrink to a tenth
/// or a fiftieth, never to this.
const RATIO: u64 = 1000;

/// Reads what a compressed file of this size holds. More than any log can be is an
/// error.
pub fn decompress<'r>(compressed: impl Read + 'r, size: u64) -> io::Result<Box<dyn Read + 'r>> {
    let decoder = zstd::Decoder::new(compressed)?;
    Ok(Box::new(Limited { decoder, left: ALWAYS.max(size.saturating_mul(RATIO)) }))
}

struct Limited<R> {
    decoder: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self
            .decoder
            .read(buffer)
            .map_err(|error| bad_data(format!("cannot be decompressed: {error}")))?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => {
                return Err(bad_data(format!(
                    "it grows to more than {RATIO} times its size when it is decompressed"
                )));
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_comes_out_as_it_went_in() {
        let log = b"{\"type\": \"session_meta\"}\n".repeat(1000);
        let small = zstd::encode_all(&log[..], 3).unwrap();
        assert!(small.starts_with(&MAGIC));
        let mut out = Vec::new();
        decompress(&small[..], small.len() as u64).unwrap().read_to_end(&mut out).unwrap();
        assert_eq!(out, log);
    }

    #[test]
    fn a_bomb_is_an_error_before_it_is_large() {
        let bomb = zstd::encode_all(io::repeat(b' ').take(ALWAYS + 1), 3).unwrap();
        assert!((bomb.len() as u64) < ALWAYS / RATIO);
        let mut out = decompress(&bomb[..], bomb.len() as u64).unwrap();
        let error = io::copy(&mut out, &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("1000 times"), "{error}");
    }

    #[test]
    fn a_cut_file_is_an_error() {
        let small = zstd::encode_all(&b"text ".repeat(1000)[..], 3).unwrap();
        let mut out = decompress(&small[..small.len() - 3], 1).unwrap();
        assert!(io::copy(&mut out, &mut io::sink()).is_err());
    }
}
