//! Validates JSON records while they are read, for records that do not fit into memory.
//!
//! Nearly all of a record is its entries. Each entry is split off the input, validated by the
//! rule `entry` and dropped. The record without its entries is small, and is validated as a
//! whole at the end. The memory needed is that of the largest entry.
//!
//! ```
//! use vac_validate::stream;
//!
//! let record = br#"{"version": "3.0.0-draft", "id": "r", "session": {
//!     "session-id": "s", "agent-meta": {"model-id": "m", "model-provider": "p"},
//!     "entries": [{"type": "user"}, {"type": "robot"}]}}"#;
//! let error = stream::validate(&record[..], 20).unwrap_err();
//! let stream::Error::Invalid(violations) = error else { panic!("it is JSON") };
//! assert_eq!(violations.as_slice()[0].path, "/session/entries/1/type");
//! ```
//!
//! # Decisions
//!
//! * The result is the one that [`validate`](crate::validate) returns for the same bytes: the
//!   same violations in the same order, or the same syntax error at the same offset. Tests
//!   compare the two.
//! * The splitter follows strings and brackets only. [`vac_value::Scanner`] scans everything
//!   that it splits off, and it starts only after everything before the entries was scanned:
//!   each part that it splits off is an entry or an error.
//! * The entries are those of the first `session` and its first `entries`. A duplicate
//!   key is a violation, and stays in the part that is kept.
//! * A placeholder that cannot be valid replaces the entries in the kept part. Its violation
//!   is replaced by those of the entries.

mod entries;
mod entry_splitter;
#[cfg(test)]
mod tests;
mod utf8;

use std::fmt;
use std::io::{self, Read};

use vac_record::keys::{session_trace, verifiable_agent_record};
use vac_schema::{Violations, validate_keys};
use vac_value::{Document, Limits, Problem, Scanner, SyntaxError, Violation};

use crate::{SCHEMA, rules};
use entry_splitter::{EntrySplitter, Event};

pub use entries::entries;

/// The number of bytes that are read from the input at a time.
const CHUNK: usize = 64 * 1024;

/// Levels around an entry: the record, the session, the entries.
const LEVELS_AROUND: usize = 3;

/// Replaces the entries in the kept part.
const PLACEHOLDER: &[u8] = b"null";

/// Returns the path of an entry.
fn entry_path(index: usize) -> String {
    format!("/{}/{}/{index}", verifiable_agent_record::SESSION, session_trace::ENTRIES)
}

/// The reason why a stream is not a valid record.
#[derive(Debug)]
pub enum Error {
    /// The input could not be read.
    Io(io::Error),
    /// The input is not JSON.
    Syntax(SyntaxError),
    /// The record violates the schema.
    Invalid(Violations),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Syntax(error) => error.fmt(f),
            Self::Invalid(violations) => violations.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Syntax(error) => Some(error),
            Self::Invalid(violations) => Some(violations),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<SyntaxError> for Error {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

/// Validates a JSON record to the end of the input against the schema's start rule. Returns at most
/// `max_violations` violations and the number of all.
pub fn validate(input: impl Read, max_violations: usize) -> Result<(), Error> {
    let mut validator = StreamValidator::new(max_violations);
    let splitter = split_entries(input, |splitter, event| validator.event(splitter, event))?;
    validator.end(splitter)
}

/// Reads a record to the end of the input and passes the events of the splitter to a function.
fn split_entries(
    mut input: impl Read,
    mut take: impl FnMut(&mut EntrySplitter, Event) -> Result<(), SyntaxError>,
) -> Result<EntrySplitter, Error> {
    let mut splitter = EntrySplitter::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match input.read(&mut chunk) {
            Ok(0) => return Ok(splitter),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let mut rest = &chunk[..length];
        while let Some(event) = splitter.next(&mut rest) {
            if let Err(error) = take(&mut splitter, event) {
                // Invalid UTF-8 takes precedence over any other error, to match `validate`.
                return Err(match utf8::first_error(rest, splitter.offset(), input)? {
                    Some(worse) if error.problem != Problem::Utf8 => Error::Syntax(worse),
                    _ => Error::Syntax(error),
                });
            }
        }
    }
}

/// Validates entries one by one, and at the end the record without them.
struct StreamValidator {
    max_violations: usize,
    scanner: Scanner,
    /// Entries so far.
    count: usize,
    /// The violations of the entries.
    found: Found,
    /// The duplicate keys of the entries.
    duplicates: Found,
}

/// The first violations of a part, and the number of all.
#[derive(Default)]
struct Found {
    recorded: Vec<Violation>,
    total: usize,
}

impl Found {
    fn new(verdict: Result<(), Violations>) -> Self {
        let mut found = Self::default();
        found.add(verdict, "");
        found
    }

    /// Adds violations of a part of the record.
    fn add(&mut self, verdict: Result<(), Violations>, prefix: &str) {
        if let Err(violations) = verdict {
            self.total += violations.total();
            self.recorded.extend(violations.inside(prefix));
        }
    }
}

impl StreamValidator {
    fn new(max_violations: usize) -> Self {
        let limits = Limits::default();
        let scanner = Scanner::new(Limits { depth: limits.depth - LEVELS_AROUND, ..limits });
        let (found, duplicates) = (Found::default(), Found::default());
        Self { max_violations, scanner, count: 0, found, duplicates }
    }

    fn event(&mut self, splitter: &mut EntrySplitter, event: Event) -> Result<(), SyntaxError> {
        match event {
            Event::Entries => check_before(&mut splitter.kept),
            Event::Element { offset, length } => self.element(&splitter.element, offset, length),
            Event::Unexpected { offset } => {
                Err(SyntaxError { offset, problem: Problem::Expected("',' or ']'") })
            }
        }
    }

    /// Validates an element of `length` bytes. `bytes` may also contain the byte after it.
    fn element(&mut self, bytes: &[u8], offset: usize, length: usize) -> Result<(), SyntaxError> {
        let (document, end) =
            self.scanner.json_prefix(bytes).map_err(|error| located(&error, offset))?;
        if end < length {
            let problem = Problem::Expected("',' or ']'");
            return Err(SyntaxError { offset: offset + end, problem });
        }
        let entry = document.root();
        let path = entry_path(self.count);
        let room = self.max_violations - self.duplicates.recorded.len();
        self.duplicates.add(validate_keys(entry, room), &path);
        let room = self.max_violations - self.found.recorded.len();
        self.found.add(SCHEMA.validate_rule(rules::ENTRY, entry, room), &path);
        self.count += 1;
        self.scanner.recycle(document);
        Ok(())
    }

    fn end(mut self, mut splitter: EntrySplitter) -> Result<(), Error> {
        if let Some(event) = splitter.end() {
            self.event(&mut splitter, event)?;
        }
        if splitter.is_cutting() {
            let offset = splitter.offset();
            return Err(Error::Syntax(SyntaxError { offset, problem: Problem::Truncated }));
        }
        let Some(cut) = splitter.cut else {
            let document = Document::json(&splitter.kept)?;
            let verdict = SCHEMA.validate(rules::ROOT, document.root(), self.max_violations);
            return verdict.map_err(Error::Invalid);
        };
        let inserted = if self.count > 0 { PLACEHOLDER } else { b"" };
        splitter.kept.splice(cut.at..cut.at, inserted.iter().copied());
        let document = Document::json(&splitter.kept).map_err(|error| SyntaxError {
            offset: match error.offset.checked_sub(cut.at + inserted.len()) {
                Some(after) => cut.at + cut.length + after,
                None => error.offset,
            },
            ..error
        })?;
        let root = document.root();
        let before = root.duplicate_keys().take_while(|key| key.offset() < cut.at).count();
        let duplicates = validate_keys(root, self.max_violations);
        let max_violations = self.max_violations.saturating_add(1);
        let rest = SCHEMA.validate_rule(rules::ROOT, root, max_violations);
        self.join(Found::new(duplicates), before, Found::new(rest)).map_err(Error::Invalid)
    }

    /// Merges the violations of the entries into those of the rest. The first `before` duplicate
    /// keys of the rest come before those of the entries; the violations of the entries replace
    /// that of the placeholder.
    fn join(self, mut all: Found, before: usize, mut rest: Found) -> Result<(), Violations> {
        let before = before.min(all.recorded.len());
        all.recorded.splice(before..before, self.duplicates.recorded);
        if self.count > 0 {
            let place = rest.recorded.iter().position(|found| found.path == entry_path(0));
            if let Some(place) = place {
                rest.recorded.splice(place..=place, self.found.recorded);
            }
            rest.total = rest.total.saturating_sub(1) + self.found.total;
        }
        all.recorded.append(&mut rest.recorded);
        all.recorded.truncate(self.max_violations);
        all.total += self.duplicates.total + rest.total;
        Violations::verdict(all.recorded, all.total)
    }
}

/// Checks the syntax up to the bracket that opens the entries, by closing the open containers
/// and scanning the result.
fn check_before(kept: &mut Vec<u8>) -> Result<(), SyntaxError> {
    let length = kept.len();
    kept.extend_from_slice(b"]}}");
    let verdict = Document::json(kept).map(drop);
    kept.truncate(length);
    verdict
}

/// Converts an error in an element into one in the whole document.
fn located(error: &SyntaxError, offset: usize) -> SyntaxError {
    let problem = match error.problem {
        Problem::Depth(limit) => Problem::Depth(limit + LEVELS_AROUND),
        // U+FEFF is a byte-order mark only at the beginning of a document.
        Problem::ByteOrderMark => Problem::Expected("a JSON value"),
        other => other,
    };
    SyntaxError { offset: offset + error.offset, problem }
}
