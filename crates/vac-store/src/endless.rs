//! Refuses to read what does not end: devices such as `/dev/zero`, and more of a pipe than fits into
//! memory.

#![allow(clippy::disallowed_methods)] // only `/dev/null` is named

use std::fs::File;
use std::io::{self, Read};

use vac_adapter::container::bad_data;

/// The greatest number of bytes of a pipe that are read into memory.
pub const MAX_PIPED: u64 = 1 << 30;

/// The greatest number of bytes of a file that are read into memory, if all of it is needed there.
pub const MAX_WHOLE: u64 = u64::MAX;

/// Refuses a standard input that is a device, see [`refuse_device`]. Returns how much of it may be
/// read into memory: [`MAX_PIPED`], or [`MAX_WHOLE`] of a file.
///
/// # Errors
/// If it is a device other than a terminal and `/dev/null`.
pub fn check_stdin() -> io::Result<u64> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        // A closed standard input is an error of whatever reads it.
        if let Ok(copy) = io::stdin().as_fd().try_clone_to_owned() {
            return refuse_device(&File::from(copy));
        }
    }
    Ok(MAX_PIPED)
}

/// Reads the rest of an input into memory.
///
/// # Errors
/// If it is larger than `max` bytes, or cannot be read.
pub fn read_rest(input: impl Read, bytes: &mut Vec<u8>, max: u64) -> io::Result<()> {
    let before = bytes.len() as u64;
    let room = max.saturating_sub(before).saturating_add(1);
    let read = input.take(room).read_to_end(bytes)?;
    if before.saturating_add(read as u64) > max { Err(too_large(max)) } else { Ok(()) }
}

/// Returns the error for more bytes than are read of a pipe.
pub fn too_large(max: u64) -> io::Error {
    let words = format!(
        "larger than {} MiB, the most that is read from a pipe at once (pass the name of a file)",
        max >> 20
    );
    io::Error::new(io::ErrorKind::FileTooLarge, words)
}

/// Refuses an open file that is a device other than a terminal and `/dev/null`. Files, pipes and
/// sockets end when their writer does; a device need not. Returns how much of it may be read into
/// memory: [`MAX_PIPED`], or [`MAX_WHOLE`] of a file.
///
/// # Errors
/// If it is a device, or its kind cannot be read.
pub fn refuse_device(file: &File) -> io::Result<u64> {
    if is_device(file)? {
        let words = "a device, which may not end (only files, pipes and terminals are read)";
        return Err(bad_data(words));
    }
    Ok(if file.metadata()?.is_file() { MAX_WHOLE } else { MAX_PIPED })
}

#[cfg(unix)]
fn is_device(file: &File) -> io::Result<bool> {
    use std::io::IsTerminal as _;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

    let metadata = file.metadata()?;
    if metadata.file_type().is_block_device() {
        return Ok(true);
    }
    if !metadata.file_type().is_char_device() || file.is_terminal() {
        return Ok(false);
    }
    // It has the same number under every name.
    let null = std::fs::metadata("/dev/null");
    Ok(!null.is_ok_and(|null| null.rdev() == metadata.rdev()))
}

#[cfg(not(unix))]
fn is_device(_: &File) -> io::Result<bool> {
    Ok(false)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_devices_that_may_not_end_are_refused() {
        let is_refused = |path| refuse_device(&File::open(path).expect(path)).is_err();
        assert!(is_refused("/dev/zero") && is_refused("/dev/urandom"));
        assert!(!is_refused("/dev/null") && !is_refused("/proc/self/status"));
        let (reader, _writer) = std::io::pipe().expect("a pipe");
        let limit = refuse_device(&File::from(std::os::fd::OwnedFd::from(reader)));
        assert_eq!(limit.expect("a pipe"), MAX_PIPED);
    }

    #[test]
    fn more_than_the_limit_is_an_error() {
        let read = |max| {
            let mut bytes = b"ab".to_vec();
            read_rest(&b"cde"[..], &mut bytes, max).map(|()| bytes)
        };
        assert_eq!(read(5).expect("all of it"), b"abcde");
        assert_eq!(read(MAX_WHOLE).expect("all of it"), b"abcde");
        assert_eq!(read(4).expect_err("too large").kind(), io::ErrorKind::FileTooLarge);
        assert!(too_large(MAX_PIPED).to_string().starts_with("larger than 1024 MiB, "));
    }
}
