//! The printer: the only code that writes to standard output and standard error.
//!
//! Data goes to standard output: lines and JSON documents through [`Printer::line`] and
//! [`Printer::json`], records through [`Printer::records`]. Everything else is a message and goes
//! to standard error. Both are printed without colours and without a progress bar unless the
//! stream is a terminal. Text from outside cannot control the terminal: see [`line`].
//!
//! A reader that closes its end of a pipe is not an error: later data is dropped.

pub mod columns;
pub mod line;
mod pager;
mod progress;
mod records;
pub mod table;

use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, LineWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anstream::{AutoStream, ColorChoice};
use indicatif::ProgressBar;
use serde::Serialize;
use vac::value::harmless_json;

use crate::json_output::Document;
use line::{ERROR, Line, WARNING};
use pager::Pager;
pub use pager::is_running as is_pager_running;
pub use progress::Progress;
pub use records::Records;

/// The messages that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only (`-q`).
    Quiet,
    /// Warnings and results.
    Normal,
    /// Details too (`-v`).
    Verbose,
}

/// Prints data and messages. It can be shared between threads.
pub struct Printer {
    verbosity: Verbosity,
    out: Stream,
    err: Stream,
    /// Standard output for text; `None` once its reader has gone.
    text: Mutex<Option<Text>>,
    /// The progress bar that is on the terminal.
    bar: Mutex<Option<ProgressBar>>,
    /// The pager that receives the data.
    pager: Mutex<Option<Pager>>,
}

type Text = BufWriter<AutoStream<Box<dyn Write + Send>>>;

impl Printer {
    /// Creates a printer for the standard streams.
    pub fn new(verbosity: Verbosity) -> Self {
        Self::with_streams(verbosity, Stream::Stdout, Stream::Stderr)
    }

    /// Creates a printer that keeps what it prints in memory.
    #[cfg(test)]
    pub fn in_memory(verbosity: Verbosity) -> Self {
        Self::with_streams(
            verbosity,
            Stream::Memory(Arc::default()),
            Stream::Memory(Arc::default()),
        )
    }

    fn with_streams(verbosity: Verbosity, out: Stream, err: Stream) -> Self {
        let text = BufWriter::new(out.in_colours());
        Self {
            verbosity,
            out,
            err,
            text: Mutex::new(Some(text)),
            bar: Mutex::new(None),
            pager: Mutex::new(None),
        }
    }

    /// Returns whether details are printed.
    pub fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Prints a result or a notice on standard error, unless quiet.
    pub fn info(&self, message: impl Into<Line>) {
        self.message(Verbosity::Normal, message);
    }

    /// Prints a detail on standard error, if verbose.
    pub fn detail(&self, message: impl Into<Line>) {
        self.message(Verbosity::Verbose, message);
    }

    /// Prints that this process waits for another one that writes to a folder.
    pub fn waiting_for(&self, folder: &Path) {
        self.info(&format!("waiting for another vac that writes to {}", folder.display()));
    }

    /// Prints a warning on standard error, unless quiet.
    pub fn warn(&self, message: &str) {
        self.message(Verbosity::Normal, warning(message));
    }

    /// Prints a warning that only matters to users who ask for details.
    pub fn warn_detail(&self, message: &str) {
        self.message(Verbosity::Verbose, warning(message));
    }

    /// Prints a warning that decides the exit code, even if quiet.
    pub fn warn_always(&self, message: &str) {
        self.message(Verbosity::Quiet, warning(message));
    }

    /// Prints an error on standard error.
    pub fn error(&self, message: &str) {
        let label = Line::new().styled(ERROR, "error:").text(" ");
        self.message(Verbosity::Quiet, label.text(message));
    }

    /// Prints a line that belongs to the error before it, without a label.
    pub fn excerpt(&self, line: &str) {
        self.message(Verbosity::Quiet, line);
    }

    /// Prints the help text, version or usage error that `clap` has made of the arguments.
    pub fn usage(&self, error: &clap::Error) -> io::Result<()> {
        let text = error.render().ansi().to_string();
        if error.use_stderr() {
            self.err.in_colours().write_all(text.as_bytes())
        } else {
            self.text(&text)
        }
    }

    /// Prints a line of data.
    pub fn line(&self, line: impl Into<Line>) -> io::Result<()> {
        self.text(&(line.into().as_str().to_owned() + "\n"))
    }

    /// Prints a JSON document.
    pub fn json(&self, document: &Document<impl Serialize>) -> io::Result<()> {
        self.text(&json(document)?)
    }

    /// Prints text of our own, which is known to be harmless.
    pub fn text(&self, text: &str) -> io::Result<()> {
        self.with_text(|out| out.write_all(text.as_bytes()))
    }

    /// Writes buffered data to standard output.
    pub fn flush(&self) -> io::Result<()> {
        self.with_text(Write::flush)
    }

    /// Returns a writer of records to standard output. A closed pipe is an error of it.
    pub fn records(&self) -> Records {
        Records::new(self.out.clone(), self.out.is_terminal())
    }

    /// Prints further data through a pager if standard output is a terminal, until
    /// [`end_pager`](Self::end_pager).
    #[expect(clippy::disallowed_methods, reason = "colours are those of standard output")]
    pub fn start_pager(&self) {
        if !self.is_terminal() {
            return;
        }
        let Some((pager, input)) = Pager::start() else { return };
        let choice = AutoStream::choice(&io::stdout());
        let input: Box<dyn Write + Send> = Box::new(input);
        *lock(&self.text) = Some(BufWriter::new(AutoStream::new(input, choice)));
        *lock(&self.pager) = Some(pager);
    }

    /// Waits until the user has left the pager.
    pub fn end_pager(&self) -> io::Result<()> {
        let Some(pager) = lock(&self.pager).take() else { return Ok(()) };
        let flushed = self.flush();
        // Dropping the old writer closes the pager's input.
        *lock(&self.text) = Some(BufWriter::new(self.out.in_colours()));
        flushed.and(pager.wait())
    }

    /// Returns whether the reader of standard output has gone.
    pub fn is_closed(&self) -> bool {
        lock(&self.text).is_none()
    }

    /// Returns whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.out.is_terminal()
    }

    /// Starts to show progress on the terminal, unless quiet.
    pub fn progress(&self, action: &'static str, total: usize) -> Progress<'_> {
        let is_shown = self.verbosity >= Verbosity::Normal && self.err.is_terminal();
        Progress::new(self, is_shown.then_some((action, total)))
    }

    /// Prints a message for users of at least this verbosity.
    fn message(&self, verbosity: Verbosity, message: impl Into<Line>) {
        if self.verbosity < verbosity {
            return;
        }
        // Data that was printed before the message appears before it. If this fails, the data
        // stays in the buffer, and the flush at the end of the command fails too.
        drop(self.flush());
        let line = message.into().as_str().to_owned() + "\n";
        // An error of stderr cannot be reported anywhere.
        self.without_bar(|| drop(self.err.in_colours().write_all(line.as_bytes())));
    }

    fn with_text(&self, write: impl FnOnce(&mut Text) -> io::Result<()>) -> io::Result<()> {
        let mut text = lock(&self.text);
        let Some(out) = text.as_mut() else { return Ok(()) };
        match self.without_bar(|| write(out)) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                // Dropping the writer would try to write its buffer.
                text.take().map(BufWriter::into_parts);
                Ok(())
            }
            written => written,
        }
    }

    /// Writes while the progress bar is not on the terminal.
    fn without_bar<T>(&self, write: impl FnOnce() -> T) -> T {
        let bar = lock(&self.bar).clone();
        match bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

#[cfg(test)]
impl Printer {
    /// Returns the data that was printed in memory.
    pub fn printed(&self) -> String {
        self.flush().expect("memory can be written to");
        self.out.content()
    }

    /// Returns the messages that were printed in memory.
    pub fn messages(&self) -> String {
        self.err.content()
    }
}

fn warning(message: &str) -> Line {
    Line::new().styled(WARNING, "warning:").text(" ").text(message)
}

/// Returns a document as pretty-printed JSON that is harmless on a terminal.
pub fn json(document: &Document<impl Serialize>) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(document)?;
    Ok(harmless_json(&text).into_owned() + "\n")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the standard streams, or a buffer in its place.
#[derive(Clone)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// A buffer that tests read.
    Memory(Arc<Mutex<Vec<u8>>>),
}

#[expect(clippy::disallowed_methods, reason = "this is the only user of the standard streams")]
impl Stream {
    fn is_terminal(&self) -> bool {
        match self {
            Self::Stdout => io::stdout().is_terminal(),
            Self::Stderr => io::stderr().is_terminal(),
            Self::Memory(_) => false,
        }
    }

    /// Returns a writer that keeps colours if the user wants them on this stream.
    fn in_colours(&self) -> AutoStream<Box<dyn Write + Send>> {
        let choice = match self {
            Self::Stdout => AutoStream::choice(&io::stdout()),
            Self::Stderr => AutoStream::choice(&io::stderr()),
            Self::Memory(_) => ColorChoice::Never,
        };
        let stream: Box<dyn Write + Send> = match self {
            // A message is one write, so that those of other processes are not mixed into it.
            Self::Stderr => Box::new(LineWriter::new(self.clone())),
            Self::Stdout | Self::Memory(_) => Box::new(self.clone()),
        };
        AutoStream::new(stream, choice)
    }

    #[cfg(test)]
    fn content(&self) -> String {
        match self {
            Self::Memory(bytes) => String::from_utf8_lossy(&lock(bytes)).into_owned(),
            Self::Stdout | Self::Stderr => String::new(),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the only user of the standard streams")]
impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout => io::stdout().write(bytes),
            Self::Stderr => io::stderr().write(bytes),
            Self::Memory(buffer) => lock(buffer).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout => io::stdout().flush(),
            Self::Stderr => io::stderr().flush(),
            Self::Memory(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn messages_of(verbosity: Verbosity) -> String {
        let printer = Printer::in_memory(verbosity);
        printer.info("info");
        printer.detail("detail");
        printer.warn("warn");
        printer.warn_detail("warn detail");
        printer.warn_always("warn always");
        printer.error("error");
        printer.excerpt("excerpt");
        assert_eq!(printer.printed(), "");
        printer.messages()
    }

    #[test]
    fn messages_depend_on_the_verbosity() {
        let quiet = "warning: warn always\nerror: error\nexcerpt\n";
        assert_eq!(messages_of(Verbosity::Quiet), quiet);
        assert_eq!(messages_of(Verbosity::Normal), format!("info\nwarning: warn\n{quiet}"));
        let verbose = format!("info\ndetail\nwarning: warn\nwarning: warn detail\n{quiet}");
        assert_eq!(messages_of(Verbosity::Verbose), verbose);
    }

    #[test]
    fn data_is_printed_without_colours_and_control_characters() {
        let printer = Printer::in_memory(Verbosity::Normal);
        printer.line(Line::new().styled(ERROR, "a\u{1b}[2J")).unwrap();
        printer.json(&Document::new("test", BTreeMap::from([("a", "\u{202e}")]))).unwrap();
        printer.records().write_all(b"\x1b[2J").unwrap();
        assert!(printer.printed().contains("\x1b[2J"), "records are written as they are");
        let data = printer.printed().replace("\x1b[2J", "");
        assert!(data.starts_with("a\\u{1b}[2J\n{\n  \"vac\": \""), "{data}");
        assert!(data.ends_with(",\n  \"command\": \"test\",\n  \"a\": \"\\u202e\"\n}\n"), "{data}");
        assert_eq!(printer.messages(), "");
    }
}
