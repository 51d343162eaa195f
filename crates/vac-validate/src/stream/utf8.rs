//! Whether the rest of a stream is UTF-8.

use std::io::{self, Read};

use vac_value::{Problem, SyntaxError};

/// The first place at or behind `offset` where the input is no text; `rest` is
/// what has been read of it already.
pub(super) fn first_error(
    rest: &[u8],
    offset: usize,
    mut input: impl Read,
) -> io::Result<Option<SyntaxError>> {
    // What has been read and not been judged: at first the rest, later at most
    // the beginning of a character.
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
