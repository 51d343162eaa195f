//! The standard streams: data on stdout, talk on stderr.

use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use anstream::AutoStream;
use serde::Serialize;
use vac_value::harmless_json;

use crate::line::{BAD, DOUBTFUL, Line};
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
        self.say_line(&words.into());
    }

    /// The same in colours.
    pub fn say_line(self, words: &Line) {
        if self >= Self::Normal {
            line(words);
        }
    }

    /// Says what one should look at, unless told to be quiet.
    pub fn warn(self, words: &str) {
        self.say_line(&warning(words));
    }

    /// Says something if told to say more.
    pub fn say_more(self, words: &str) {
        self.say_more_line(&words.into());
    }

    /// The same in colours.
    pub fn say_more_line(self, words: &Line) {
        if self >= Self::Verbose {
            line(words);
        }
    }

    /// Says what one should look at if told to say more.
    pub fn warn_more(self, words: &str) {
        self.say_more_line(&warning(words));
    }
}

/// Says what went wrong.
pub fn error(words: &str) {
    line(&Line::new().styled(BAD, "error:").text(" ").text(words));
}

/// Prints a warning that decides the exit code, also with `-q`.
pub fn warn(words: &str) {
    line(&warning(words));
}

/// Prints a line of the text that an error is about, without a label.
pub fn excerpt(words: &str) {
    line(&words.into());
}

fn warning(words: &str) -> Line {
    Line::new().styled(DOUBTFUL, "warning:").text(" ").text(words)
}

/// There is nobody left to tell if stderr is closed.
fn line(words: &Line) {
    aside(|| drop(writeln!(AutoStream::auto(io::stderr().lock()), "{}", words.as_str())));
}

/// A document for programs, which a person may see on a terminal.
pub fn json(document: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(document)?;
    Ok(harmless_json(&text).into_owned() + "\n")
}

/// Standard output, until its reader has gone; from then on, nowhere.
pub struct Output(Option<BufWriter<AutoStream<StdoutLock<'static>>>>);

impl Output {
    /// Takes hold of standard output.
    pub fn new() -> Self {
        Self(Some(BufWriter::new(AutoStream::auto(io::stdout().lock()))))
    }

    /// Writes a line for people.
    pub fn line<L: Into<Line>>(&mut self, line: L) -> io::Result<()> {
        self.text(line.into().as_str())?;
        self.text("\n")
    }

    /// Writes a document for programs.
    pub fn json(&mut self, document: &impl Serialize) -> io::Result<()> {
        self.text(&json(document)?)
    }

    /// Writes a text of our own as it is.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
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
