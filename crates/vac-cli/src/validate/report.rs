//! What the outcomes of `vac validate` look like: lines, or JSON.

use std::fmt::Write;
use std::io;

use anstyle::Style;
use serde::Serialize;
use vac_validate::Violation;
use vac_validate::lint::Finding;
use vac_value::harmless;

use crate::exit::Exit;
use crate::format::{group_digits, pluralize};
use crate::printer::Printer;
use crate::printer::line::{ERROR, Line, SUCCESS, WARNING};
use crate::validate::run::{Outcome, Place, Problem, Reported, Signed};

/// Reports outcomes, one after the other.
pub struct Reporter<'p> {
    printer: &'p Printer,
    /// Whether findings count as problems.
    deny: bool,
    /// The JSON document, if that is what is wanted.
    json: Option<Vec<File>>,
    summary: Summary,
    exit: Exit,
}

/// How many inputs came out how.
#[derive(Clone, Copy, Default, Serialize)]
struct Summary {
    files: usize,
    documents: usize,
    valid: usize,
    invalid: usize,
    unreadable: usize,
    violations: usize,
    lint: usize,
}

impl<'p> Reporter<'p> {
    /// In JSON or in lines; `deny` makes a finding as bad as a violation.
    pub fn new(json: bool, deny: bool, printer: &'p Printer) -> Self {
        Self {
            printer,
            deny,
            json: json.then(Vec::new),
            summary: Summary::default(),
            exit: Exit::Success,
        }
    }

    /// Reports one outcome.
    pub fn add(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.count(outcome);
        if let Some(files) = &mut self.json {
            files.push(File::of(outcome));
        } else {
            for line in self.lines(outcome).lines() {
                self.printer.line(line)?;
            }
        }
        self.print_messages(outcome);
        Ok(())
    }

    /// Prints the summary and returns the exit code.
    pub fn finish(mut self) -> io::Result<Exit> {
        if let Some(files) = self.json.take() {
            self.printer.json(&Document { files, summary: self.summary })?;
        }
        self.printer.flush()?;
        self.printer.info(self.summary.line());
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

    fn lines(&self, outcome: &Outcome) -> String {
        let mut lines = String::new();
        let name = harmless(&outcome.name);
        for (place, problem) in &outcome.problems.first {
            let problem = match problem {
                Problem::Violation(violation) if self.printer.is_verbose() => {
                    format!("{violation:#}")
                }
                Problem::Violation(violation) => violation.to_string(),
                Problem::Syntax { message, offset, position } => match (position, place) {
                    (Some(at), Place::Line(line)) if at.line == *line => {
                        format!("column {}: {message}", at.column)
                    }
                    (Some(at), _) => format!("line {}, column {}: {message}", at.line, at.column),
                    (None, _) if *offset == 0 => message.clone(),
                    (None, _) => format!("byte {offset}: {message}"),
                },
            };
            writeln!(lines, "{name}{place}: {problem}").unwrap_or_default();
        }
        for (place, finding) in &outcome.findings.first {
            writeln!(lines, "{name}{place}: {finding}").unwrap_or_default();
        }
        lines
    }

    /// Prints the messages about an outcome.
    fn print_messages(&self, outcome: &Outcome) {
        let name = harmless(&outcome.name);
        let mut words = Vec::new();
        words
            .extend(outcome.problems.unreported("violation").map(|rest| format!("{name}: {rest}")));
        words.extend(
            outcome.findings.unreported("lint finding").map(|rest| format!("{name}: {rest}")),
        );
        words.extend(outcome.signed.note().map(|note| format!("{name}: {note}")));
        if outcome.signed.word().is_some() {
            words.push(format!("{name}: signature: not checked; run vac verify"));
        }
        for line in words {
            self.printer.info(&line);
        }
        if let Some(why) = &outcome.unreadable {
            self.printer.error(&format!("{name}: {why}"));
        } else if outcome.is_valid() {
            let documents = pluralize(outcome.documents, "document");
            let line = Line::from(&name).text(": ").styled(SUCCESS, "valid");
            self.printer.detail(line.text(&format!(" ({documents})")));
        }
    }
}

impl<T> Reported<T> {
    fn unreported(&self, what: &str) -> Option<String> {
        match self.total - self.first.len().min(self.total) {
            0 => None,
            1 => Some(format!("1 more {what} (see --max-errors)")),
            more => Some(format!("{more} more {what}s (see --max-errors)")),
        }
    }
}

impl Signed {
    fn note(self) -> Option<String> {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let mut notes = Vec::new();
        if self.detached > 0 {
            let count = self.detached;
            notes.push(format!("{count} signed record{} with a detached payload", s(count)));
        }
        if self.digest > 0 {
            let count = self.digest;
            notes.push(format!("{count} signed record{} with a digest for its payload", s(count)));
        }
        (!notes.is_empty()).then(|| notes.join(", ") + ": only the envelope was checked")
    }

    /// In a word; `None` if nothing is signed.
    fn word(self) -> Option<&'static str> {
        match (self.attached > 0, self.detached > 0, self.digest > 0) {
            (false, false, false) => None,
            (true, false, false) => Some("attached"),
            (false, true, false) => Some("detached"),
            (false, false, true) => Some("digest"),
            _ => Some("mixed"),
        }
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

impl Summary {
    /// In words. What there is none of has no colour.
    fn line(self) -> Line {
        let Self { files, valid, invalid, unreadable, .. } = self;
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
        if self.documents > self.files {
            line = line.text(&format!(" ({})", pluralize(self.documents, "document")));
        }
        if self.lint > 0 {
            line = line.text("; ").styled(WARNING, &pluralize(self.lint, "lint finding"));
        }
        line
    }
}

/// The JSON document.
#[derive(Serialize)]
struct Document {
    files: Vec<File>,
    summary: Summary,
}

#[derive(Serialize)]
struct File {
    name: String,
    valid: bool,
    documents: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    syntax: Vec<SyntaxLine>,
    violations: Vec<ViolationLine>,
    /// Also those that are not listed.
    violation_count: usize,
    lint: Vec<LintLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<&'static str>,
    /// Of signed records: this command does not check it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'static str>,
}

#[derive(Serialize)]
struct SyntaxLine {
    #[serde(flatten)]
    place: Numbers,
    message: String,
    offset: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

#[derive(Serialize)]
struct ViolationLine {
    path: String,
    expected: String,
    found: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    rule: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    #[serde(flatten)]
    place: Numbers,
}

#[derive(Serialize)]
struct LintLine {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    path: String,
    message: String,
    #[serde(flatten)]
    place: Numbers,
}

/// Where in a sequence, or in a text.
#[derive(Default, Serialize)]
struct Numbers {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
}

impl From<Place> for Numbers {
    fn from(place: Place) -> Self {
        match place {
            Place::Only => Self::default(),
            Place::Line(line) => Self { line: Some(line), item: None },
            Place::Item(item) => Self { line: None, item: Some(item) },
        }
    }
}

impl File {
    fn of(outcome: &Outcome) -> Self {
        let mut syntax = Vec::new();
        let mut violations = Vec::new();
        for (place, problem) in &outcome.problems.first {
            match problem {
                Problem::Syntax { message, offset, position } => {
                    let mut place = Numbers::from(*place);
                    place.line = position.map(|position| position.line).or(place.line);
                    let column = position.map(|position| position.column);
                    let message = message.clone();
                    syntax.push(SyntaxLine { place, message, offset: *offset, column });
                }
                Problem::Violation(violation) => {
                    violations.push(ViolationLine::of(violation, *place));
                }
            }
        }
        let lint = outcome.findings.first.iter();
        Self {
            name: outcome.name.clone(),
            valid: outcome.is_valid(),
            documents: outcome.documents,
            error: outcome.unreadable.clone(),
            syntax,
            violations,
            violation_count: outcome.problems.total,
            lint: lint.map(|(place, finding)| LintLine::of(finding, *place)).collect(),
            signed: outcome.signed.word(),
            signature: outcome.signed.word().map(|_| "not-checked"),
        }
    }
}

impl ViolationLine {
    fn of(violation: &Violation, place: Place) -> Self {
        let Violation { path, kind: _, expected, found, rule, others } = violation.clone();
        Self { path, expected, found, rule, others, place: place.into() }
    }
}

impl LintLine {
    fn of(finding: &Finding, place: Place) -> Self {
        let Finding { code, path, message, kind } = finding.clone();
        Self { code, kind, path, message, place: place.into() }
    }
}
