//! Checks that the rest of a stream is UTF-8.

use std::io::{self, Read};

use vac_value::{Problem, SyntaxError};

/// Finds the first invalid UTF-8 at or after `offset`. `rest` is the part of the input that was
/// already read.
pub(super) fn first_error(
    rest: &[u8],
    offset: usize,
    mut input: impl Read,
) -> io::Result<Option<SyntaxError>> {
    // What was read and not checked: first the rest, later at most an incomplete character.
    let mut text = rest.to_vec();
    let mut offset = offset;
    let mut chunk = vec![0; super::CHUNK];
    loop {
        let valid = match std::str::from_utf8(&text) {
            Ok(_) => text.len(),
            Err(error) if error.error_len().is_some() => {
                let offset = offset + error.valid_up_to();
                return Ok(Some(SyntaxError { offset, problem: Problem::Utf8 }));
            }
            Err(error) => error.valid_up_to(),
        };
        text.drain(..valid);
        offset += valid;
        match input.read(&mut chunk) {
            Ok(0) if text.is_empty() => return Ok(None),
            Ok(0) => return Ok(Some(SyntaxError { offset, problem: Problem::Truncated })),
            Ok(length) => text.extend_from_slice(&chunk[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
