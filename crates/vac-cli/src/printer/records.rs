//! Records on standard output.
//!
//! On a terminal, characters that would control it are escaped, which does not change the value of
//! a JSON document. Elsewhere the bytes are written as they are.

use std::io::{self, Write};
use std::str;

use vac::value::harmless_json;

use super::Stream;

/// A writer of JSON or CBOR.
pub struct Records<W = Stream> {
    out: W,
    is_terminal: bool,
    /// The first bytes of a character that is not complete yet.
    incomplete: Vec<u8>,
}

impl<W> Records<W> {
    /// Creates a writer that escapes JSON if `out` is a terminal.
    pub(super) fn new(out: W, is_terminal: bool) -> Self {
        Self { out, is_terminal, incomplete: Vec::new() }
    }
}

impl<W: Write> Write for Records<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        self.incomplete.extend_from_slice(bytes);
        let end = match str::from_utf8(&self.incomplete) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.incomplete.len(),
        };
        let incomplete = self.incomplete.split_off(end);
        let text = std::mem::replace(&mut self.incomplete, incomplete);
        self.out.write_all(harmless_json(&String::from_utf8_lossy(&text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_on_a_terminal_are_escaped_across_writes() {
        let json = "{\"a\":\"\u{202e}é\u{e0041}\u{9b}漢\"}\n";
        for cut in 0..json.len() {
            for is_terminal in [true, false] {
                let mut records = Records::new(Vec::new(), is_terminal);
                records.write_all(&json.as_bytes()[..cut]).unwrap();
                records.write_all(&json.as_bytes()[cut..]).unwrap();
                let expected = if is_terminal { &harmless_json(json) } else { json };
                assert_eq!(String::from_utf8(records.out).unwrap(), expected);
            }
        }
    }
}
