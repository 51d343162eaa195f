//! The standard streams: data on stdout, talk on stderr.

use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use crate::progress::aside;

/// How much to say on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Talk {
    /// Errors only.
    Quiet,
    /// What one wants to know.
    Normal,
    /// What one may want to know.
    Verbose,
}

impl Talk {
    /// Says something, unless told to be quiet.
    pub fn say(self, words: &str) {
        if self >= Self::Normal {
            line(words);
        }
    }

    /// Says something if told to say more.
    pub fn say_more(self, words: &str) {
        if self >= Self::Verbose {
            line(words);
        }
    }
}

/// Says what went wrong.
pub fn error(words: &str) {
    line(&format!("error: {words}"));
}

/// There is nobody left to tell if stderr is closed.
fn line(words: &str) {
    aside(|| drop(writeln!(io::stderr().lock(), "{words}")));
}

/// Standard output, until its reader has gone; from then on, nowhere.
pub struct Output(Option<BufWriter<StdoutLock<'static>>>);

impl Output {
    /// Takes hold of standard output.
    pub fn new() -> Self {
        Self(Some(BufWriter::new(io::stdout().lock())))
    }

    /// Writes a text.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        let written = self.0.as_mut().map(|out| aside(|| out.write_all(text.as_bytes())));
        self.checked(written)
    }

    /// Writes what is still to be written.
    pub fn flush(&mut self) -> io::Result<()> {
        let written = self.0.as_mut().map(|out| aside(|| out.flush()));
        self.checked(written)
    }

    fn checked(&mut self, written: Option<io::Result<()>>) -> io::Result<()> {
        match written {
            Some(Err(error)) if error.kind() == ErrorKind::BrokenPipe => {
                // What is left in the buffer has no reader either.
                if let Some(out) = self.0.take() {
                    drop(out.into_parts());
                }
                Ok(())
            }
            Some(result) => result,
            None => Ok(()),
        }
    }
}
