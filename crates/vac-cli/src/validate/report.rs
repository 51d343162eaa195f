//! The report of `vac validate`: lines, or JSON.

use std::io;

use anstyle::Style;
use vac::value::harmless;

use crate::exit::Exit;
use crate::format::{group_digits, pluralize};
use crate::json_output::{Document, ValidateOutput, ValidateSummary, ValidatedFile};
use crate::printer::Printer;
use crate::printer::line::{ERROR, Line, SUCCESS, WARNING};
use crate::validate::run::{Outcome, Place, Problem, Reported, Signed};

/// Reports the outcomes of inputs, one after the other.
pub struct Reporter<'p> {
    printer: &'p Printer,
    /// Whether lint findings decide the exit code.
    deny: bool,
    /// The files of the JSON document, if it is to be printed.
    json: Option<Vec<ValidatedFile>>,
    summary: ValidateSummary,
    exit: Exit,
}

impl<'p> Reporter<'p> {
    /// Creates a reporter; `deny` lets lint findings decide the exit code.
    pub fn new(json: bool, deny: bool, printer: &'p Printer) -> Self {
        Self {
            printer,
            deny,
            json: json.then(Vec::new),
            summary: ValidateSummary::default(),
            exit: Exit::Success,
        }
    }

    /// Reports one outcome.
    pub fn add(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.count(outcome);
        if let Some(files) = &mut self.json {
            files.push(outcome.into());
        } else {
            for problem in self.problems(outcome) {
                // With -v, a violation has several lines.
                for line in problem.lines() {
                    self.printer.line(line)?;
                }
            }
        }
        self.print_messages(outcome);
        Ok(())
    }

    /// Prints the summary and returns the exit code.
    pub fn finish(mut self) -> io::Result<Exit> {
        if let Some(files) = self.json.take() {
            let output = ValidateOutput { files, summary: self.summary };
            self.printer.json(&Document::new("validate", output))?;
        }
        self.printer.info(summary_line(self.summary));
        Ok(self.exit)
    }

    fn count(&mut self, outcome: &Outcome) {
        let summary = &mut self.summary;
        summary.files += 1;
        summary.documents += outcome.documents;
        summary.violations += outcome.problems.total;
        summary.lint += outcome.findings.total;
        let exit = if outcome.unreadable.is_some() {
            summary.unreadable += 1;
            Exit::Error
        } else if outcome.is_valid() {
            summary.valid += 1;
            if self.deny && outcome.findings.total > 0 { Exit::Failure } else { Exit::Success }
        } else {
            summary.invalid += 1;
            Exit::Failure
        };
        self.exit = self.exit.max(exit);
    }

    /// Returns the problems and findings that are printed, each with its place.
    fn problems(&self, outcome: &Outcome) -> Vec<String> {
        let mut lines = Vec::new();
        let name = harmless(&outcome.name);
        for (place, problem) in &outcome.problems.first {
            let problem = match problem {
                Problem::Violation(violation) if self.printer.is_verbose() => {
                    format!("{violation:#}")
                }
                Problem::Violation(_) | Problem::Log(_) => problem.to_string(),
                Problem::Syntax { message, offset, position } => match (position, place) {
                    (Some(at), Place::Line(line)) if at.line == *line => {
                        format!("column {}: {message}", at.column)
                    }
                    (Some(at), _) => format!("line {}, column {}: {message}", at.line, at.column),
                    (None, _) if *offset == 0 => message.clone(),
                    (None, _) => format!("byte {offset}: {message}"),
                },
            };
            lines.push(format!("{name}{place}: {problem}"));
        }
        for (place, finding) in &outcome.findings.first {
            lines.push(format!("{name}{place}: {finding}"));
        }
        lines
    }

    /// Prints the messages about an outcome.
    fn print_messages(&self, outcome: &Outcome) {
        let name = &outcome.name;
        let signature = outcome.signed.payload_kind();
        let notes = [
            outcome.problems.unreported("violation"),
            outcome.findings.unreported("lint finding"),
            outcome.signed.note(),
            signature.map(|_| "signature: not checked; run vac verify".to_owned()),
        ];
        for note in notes.into_iter().flatten() {
            self.printer.info(&format!("{name}: {note}"));
        }
        if let Some(error) = &outcome.unreadable {
            self.printer.error(&format!("{name}: {error}"));
        } else if outcome.is_valid() {
            let documents = pluralize(outcome.documents, "document");
            let line = Line::from(name).text(": ").styled(SUCCESS, "valid");
            self.printer.detail(line.text(&format!(" ({documents})")));
        }
    }
}

impl<T> Reported<T> {
    /// Returns a note about those that are counted but not printed.
    fn unreported(&self, what: &str) -> Option<String> {
        match self.total - self.first.len().min(self.total) {
            0 => None,
            more => {
                Some(format!("{} (see --max-errors)", pluralize(more, &format!("more {what}"))))
            }
        }
    }
}

impl Signed {
    /// Returns a note about signed records that do not contain the record.
    fn note(self) -> Option<String> {
        let mut notes = Vec::new();
        for (count, payload) in
            [(self.detached, "detached payload"), (self.digest, "digest as payload")]
        {
            if count > 0 {
                notes.push(format!("{} with a {payload}", pluralize(count, "signed record")));
            }
        }
        (!notes.is_empty()).then(|| notes.join(", ") + ": only the envelope was checked")
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Only => Ok(()),
            Self::Line(number) | Self::Item(number) => write!(f, ":{number}"),
        }
    }
}

/// Returns the totals as a line. Counts of 0 have no colour.
fn summary_line(summary: ValidateSummary) -> Line {
    let ValidateSummary { files, documents, valid, invalid, unreadable, lint, .. } = summary;
    let style = |count: usize, style: Style| if count == 0 { Style::new() } else { style };
    let mut line = Line::from(&pluralize(files, "file"))
        .text(": ")
        .styled(style(valid, SUCCESS), &format!("{} valid", group_digits(valid as u64)))
        .text(", ")
        .styled(style(invalid, ERROR), &format!("{} invalid", group_digits(invalid as u64)))
        .text(", ")
        .styled(
            style(unreadable, ERROR),
            &format!("{} unreadable", group_digits(unreadable as u64)),
        );
    if documents > files {
        line = line.text(&format!(" ({})", pluralize(documents, "document")));
    }
    if lint > 0 {
        line = line.text("; ").styled(WARNING, &pluralize(lint, "lint finding"));
    }
    line
}
