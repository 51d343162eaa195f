//! Prints the messages of `vac convert` while logs are converted.

use std::borrow::Cow;
use std::path::Path;

use vac::adapter::report::NO_CONVERSATION;
use vac::output::{KeptBecause, OutputEvent, OutputSession, OutputStage, RecordChange};
use vac::{Error, ErrorKind};

use crate::exit::Exit;
use crate::format::{pluralize, truncate};
use crate::printer::{Printer, Progress};

/// A printer of the events of a conversion.
pub struct Messages<'p> {
    printer: &'p Printer,
    /// The file or folder that is written to.
    output: &'p Path,
    /// Whether progress is shown.
    shows_progress: bool,
    /// The progress of the current stage.
    progress: Option<Progress<'p>>,
    /// The number of new records of sessions that another log has, too.
    same_session: usize,
    /// The most severe result so far.
    exit: Exit,
}

impl<'p> Messages<'p> {
    /// Creates the messages about an output.
    pub fn new(printer: &'p Printer, output: &'p Path, shows_progress: bool) -> Self {
        Self {
            printer,
            output,
            shows_progress,
            progress: None,
            same_session: 0,
            exit: Exit::Success,
        }
    }

    /// Prints an event.
    pub fn take(&mut self, event: OutputEvent<'_>) {
        match event {
            OutputEvent::Waiting => self.printer.waiting_for(self.output),
            OutputEvent::Begins(stage, total) => self.begin(stage, total),
            OutputEvent::Step => {
                if let Some(progress) = &self.progress {
                    progress.step();
                }
            }
            OutputEvent::Converted(session) => self.converted(session),
            OutputEvent::Failed(error) => {
                let place = error.place.as_deref().unwrap_or_default();
                self.printer.error(&format!("{place}: {}", truncate(&advise(error), 400)));
                self.exit = self.exit.max(match error.kind {
                    ErrorKind::Io | ErrorKind::Exists => Exit::Error,
                    _ => Exit::Failure,
                });
            }
            OutputEvent::Skipped { log, looks_like } => {
                let why = looks_like.map_or_else(String::new, |why| format!(" ({why})"));
                self.printer.detail(&format!("{log}: skipped{why}"));
            }
            _ => {}
        }
    }

    /// Ends the progress, and returns the most severe result.
    pub fn finish(self) -> Exit {
        if self.same_session > 0 {
            let records = pluralize(self.same_session, "new record");
            self.printer.warn(&format!(
                "{records} of a session that another log has, too: the session was copied or \
                 continued elsewhere, or one of the logs is not what it claims (-v lists them)"
            ));
        }
        self.exit
    }

    fn begin(&mut self, stage: OutputStage, total: usize) {
        // There is one progress at a time.
        self.progress = None;
        self.progress = self.shows_progress.then(|| {
            let action = match stage {
                OutputStage::ReadingRecords => "looking at records",
                OutputStage::Comparing => "comparing",
                OutputStage::Converting => "converting",
            };
            self.printer.progress(action, total)
        });
    }

    fn converted(&mut self, session: &OutputSession) {
        if let RecordChange::KeptEarlier { record, earlier, because } = &session.change {
            self.warn_kept(&session.log, record, earlier, *because);
        }
        if let RecordChange::New { record, same_session: Some(other) } = &session.change {
            self.same_session += 1;
            self.printer.detail(&format!(
                "{}: {} is another record of this session; the new record is {}",
                session.log,
                other.display(),
                record.display()
            ));
        }
        if let Some(record) = session.change.record() {
            self.printer.detail(&format!("{} -> {}", session.log, record.display()));
        }
        for warning in session.report.iter().flat_map(|report| &report.warnings) {
            let words = format!("{}: {}", session.log, truncate(warning, 400));
            match warning.as_str() {
                NO_CONVERSATION => self.printer.warn(&words),
                _ => self.printer.warn_detail(&words),
            }
        }
    }

    /// Warns that an earlier file is kept, because it may contain evidence that the new record does
    /// not have.
    fn warn_kept(&mut self, log: &str, record: &Path, earlier: &Path, because: KeptBecause) {
        self.exit = self.exit.max(Exit::Failure);
        let why = match because {
            KeptBecause::OtherFile => "it is not a record of this session",
            KeptBecause::NotContained => "it has something that the new record does not have",
            KeptBecause::OtherLabels => "it has other labels",
        };
        self.printer.warn_always(&format!(
            "{log}: {} is kept, because {why}; the new record is {}",
            earlier.display(),
            record.display()
        ));
    }
}

/// Returns the reason of an error, with the option that would have prevented it.
pub fn advise(error: &Error) -> Cow<'_, str> {
    let advice = match error.kind {
        ErrorKind::Exists => "use --force to overwrite",
        ErrorKind::Locked => "without --no-wait, this one would wait",
        _ => return Cow::Borrowed(&error.reason),
    };
    Cow::Owned(format!("{} ({advice})", error.reason))
}
