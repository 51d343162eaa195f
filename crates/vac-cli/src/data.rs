//! Records on standard output: as they are or, where a person would see them, with what
//! would act on the terminal escaped. That does not change the value.

use std::io::{self, IsTerminal as _, StdoutLock, Write};
use std::str;

use vac_value::harmless_json;

/// JSON on its way to standard output.
pub struct Data<W = StdoutLock<'static>> {
    out: W,
    is_seen: bool,
    /// The beginning of a character whose end is still to come.
    begun: Vec<u8>,
}

impl Data {
    /// Takes hold of standard output.
    pub fn new() -> Self {
        let out = io::stdout().lock();
        let is_seen = out.is_terminal();
        Self { out, is_seen, begun: Vec::new() }
    }
}

impl<W: Write> Write for Data<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_seen {
            return self.out.write(bytes);
        }
        self.begun.extend_from_slice(bytes);
        let end = match str::from_utf8(&self.begun) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.begun.len(),
        };
        let begun = self.begun.split_off(end);
        let text = std::mem::replace(&mut self.begun, begun);
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
    fn what_is_seen_is_harmless_wherever_it_is_cut() {
        let json = "{\"a\":\"\u{202e}é\u{e0041}\u{9b}漢\"}\n";
        for cut in 0..json.len() {
            for is_seen in [true, false] {
                let mut data = Data { out: Vec::new(), is_seen, begun: Vec::new() };
                data.write_all(&json.as_bytes()[..cut]).unwrap();
                data.write_all(&json.as_bytes()[cut..]).unwrap();
                let expected = if is_seen { &harmless_json(json) } else { json };
                assert_eq!(String::from_utf8(data.out).unwrap(), expected);
            }
        }
    }
}
