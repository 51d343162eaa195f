//! Defines the option for the permissions of new files.

use std::path::Path;

use clap::Args;
use vac::files::Readers;
use vac::store::StoredLog;

/// The option that overrides the readers of the output.
#[derive(Args, Clone, Copy)]
pub struct ModeOption {
    /// Permissions of new files in octal, such as 640 [default: no wider than the sources']
    #[arg(long, value_name = "OCTAL", value_parser = parse_mode)]
    mode: Option<Readers>,
}

impl ModeOption {
    /// Returns the readers that the user named.
    pub fn readers(self) -> Option<Readers> {
        self.mode
    }

    /// Returns the readers of a file that is made from these files.
    pub fn readers_of_files<'p>(self, files: impl IntoIterator<Item = &'p Path>) -> Readers {
        self.mode.unwrap_or_else(|| Readers::of_files(files))
    }

    /// Returns the readers of a file that is made from these logs.
    pub fn readers_of_logs<'l>(self, logs: impl IntoIterator<Item = &'l StoredLog>) -> Readers {
        self.mode.unwrap_or_else(|| Readers::of_logs(logs))
    }
}

/// Parses the value of `--mode`.
fn parse_mode(text: &str) -> Result<Readers, String> {
    if !cfg!(unix) {
        return Err("this system has no permission bits".to_owned());
    }
    let is_octal = text.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| mode & !0o666 == 0);
    match mode {
        Some(mode) if is_octal && matches!(text.len(), 3 | 4) => Ok(Readers::Mode(mode)),
        _ => Err("expected three or four octal digits that let files be read or written, such \
                  as 600 or 0644"
            .to_owned()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_and_write_bits_in_octal() {
        assert_eq!(parse_mode("640"), Ok(Readers::Mode(0o640)));
        assert_eq!(parse_mode("0440"), Ok(Readers::Mode(0o440)));
        for wrong in
            ["", "0", "64", "00640", "8", "689", "4644", "755", "1000", "+64", "-64", "u=r"]
        {
            assert!(parse_mode(wrong).is_err(), "{wrong}");
        }
    }
}
