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

/// A UUID (version 8) that is a function of the bytes: their 128-bit FNV-1a.
pub fn of_bytes(mut input: impl Read) -> Result<String, Error> {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash = BASIS;
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let length = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        for byte in &chunk[..length] {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }
    let version = hash & !(0xf << 76) | 8 << 76;
    let variant = version & !(0x3 << 62) | 2 << 62;
    let hex = format!("{variant:032x}");
    Ok(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}
