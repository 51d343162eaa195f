//! Validation of one input: a file or standard input with any number of documents.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use memchr::{memchr, memchr_iter};
use vac::store::endless::{read_rest, too_large};
use vac::store::join::detect;
use vac::validation::lint::{self, Finding};
use vac::validation::signed::{self, Payload};
use vac::validation::{
    Document, Encoding, SyntaxError, Violation, Violations, detect_encoding, stream,
};
use vac::value::{Problem as Syntax, Scanner};
use vac::{AGENTS, Agent};

use crate::input::{Documents, Input, Position, RestOfLine};
use crate::schema::Rule;
use crate::sessions;

/// JSON records of at least this size are validated while they are read.
const STREAM_SIZE: usize = 16 << 20;

/// Maximum number of bytes of standard input that are held to detect a log.
const MAX_STDIN: usize = 4 << 20;

/// Size of a read buffer.
const CHUNK: usize = 1 << 16;

/// The settings of a validation.
pub struct Settings<'s> {
    /// The rule that documents are validated against.
    pub rule: Rule<'s>,
    /// The encoding; `None` detects it.
    pub encoding: Option<Encoding>,
    /// The lints that documents are checked with, too.
    pub lints: Lints,
    /// Maximum violations to report for an input, and maximum lint findings.
    pub max_reported: usize,
}

/// A choice of lints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lints {
    /// None.
    None,
    /// Likely secrets only.
    Secrets,
    /// All of them.
    All,
}

/// The result of validating an input.
#[derive(Default)]
pub struct Outcome {
    /// The name of the input.
    pub name: String,
    /// Number of documents, including one that could not be parsed.
    pub documents: usize,
    /// Violations and syntax errors.
    pub problems: Reported<Problem>,
    /// Lint findings.
    pub findings: Reported<Finding>,
    /// Number of signed records.
    pub signed: Signed,
    /// The error, if the input could not be read.
    pub unreadable: Option<String>,
}

impl Outcome {
    /// Returns whether the input could be read and all its documents are valid.
    pub fn is_valid(&self) -> bool {
        self.problems.total == 0 && self.unreadable.is_none()
    }
}

/// The first problems or findings, up to a maximum, and the number of all.
pub struct Reported<T> {
    /// Those to report, each with the place of its document in the input.
    pub first: Vec<(Place, T)>,
    /// Number of all, also of those that are not reported.
    pub total: usize,
}

impl<T> Default for Reported<T> {
    fn default() -> Self {
        Self { first: Vec::new(), total: 0 }
    }
}

/// The place of a document in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The input is one document.
    Only,
    /// The document begins on this line.
    Line(usize),
    /// The document has this number, from 1.
    Item(usize),
}

/// A reason why an input is invalid.
pub enum Problem {
    /// The bytes are not a document.
    Syntax {
        /// The message of the parser.
        message: String,
        /// The offset of the byte in the input.
        offset: usize,
        /// The same in lines and columns, for text.
        position: Option<Position>,
    },
    /// The document violates its schema.
    Violation(Violation),
    /// The input is a log of this agent, not a record.
    Log(Agent),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { message, .. } => f.write_str(message),
            Self::Violation(violation) => violation.fmt(f),
            Self::Log(agent) => f.write_str(&sessions::not_a_record(*agent)),
        }
    }
}

/// The number of signed records by kind of payload.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signed {
    /// The record itself.
    pub attached: usize,
    /// Nothing.
    pub detached: usize,
    /// A digest of the record.
    pub digest: usize,
}

/// Validates everything in an input.
pub fn validate(input: &Input, settings: &Settings<'_>) -> Outcome {
    let outcome = Outcome { name: input.name(), ..Outcome::default() };
    let mut run = Run { input, settings, scanner: Scanner::default(), outcome, stdin: Vec::new() };
    match run.read() {
        Ok(()) => run.explain_log(),
        Err(error) => run.outcome.unreadable = Some(error.to_string()),
    }
    run.outcome
}

struct Run<'r> {
    input: &'r Input,
    settings: &'r Settings<'r>,
    scanner: Scanner,
    outcome: Outcome,
    /// The beginning of standard input, which cannot be read again.
    stdin: Vec<u8>,
}

impl Run<'_> {
    fn read(&mut self) -> io::Result<()> {
        let mut reader = self.input.open()?;
        let max = reader.max_in_memory;
        let mut head = Vec::new();
        reader.by_ref().take(STREAM_SIZE as u64).read_to_end(&mut head)?;
        let is_big = head.len() == STREAM_SIZE;
        let encoding = self.settings.encoding.unwrap_or_else(|| self.detect_encoding(&head));
        if *self.input == Input::Stdin {
            self.stdin = head[..head.len().min(MAX_STDIN)].to_vec();
        }
        if encoding == Encoding::Json {
            if self.has_lines(&head, is_big) {
                let reader = Cursor::new(head).chain(reader);
                return self.validate_lines(BufReader::with_capacity(CHUNK, reader), max);
            }
            if is_big && self.can_stream() {
                let reader = Cursor::new(head).chain(reader);
                return self.validate_streams(BufReader::with_capacity(CHUNK, reader));
            }
        }
        let mut bytes = head;
        read_rest(reader, &mut bytes, max)?;
        // Short text can be parsed as a sequence of CBOR items, which would hide the reason.
        if encoding == Encoding::Cbor && self.is_dubious(&bytes) {
            self.validate_one(&bytes, encoding);
        } else {
            self.validate_sequence(&bytes, encoding);
        }
        Ok(())
    }

    /// Detects the encoding by the first bytes. Text in a file that is named like JSON is not CBOR.
    fn detect_encoding(&self, head: &[u8]) -> Encoding {
        let is_text = head.first().is_some_and(u8::is_ascii);
        match detect_encoding(head) {
            Encoding::Cbor if is_text && self.input.is_named_like_json() => Encoding::Json,
            encoding => encoding,
        }
    }

    /// Returns the agent whose log the input is, if it is not a record.
    fn agent(&self) -> Option<Agent> {
        if let Input::File(path) = self.input {
            let found = vac::store::find(std::slice::from_ref(path), AGENTS);
            let known = found.logs.into_iter().map(|log| detect(log, AGENTS));
            return known.into_iter().find_map(|known| sessions::named(&known));
        }
        if let Input::Archived(_) = self.input {
            return None;
        }
        sessions::agent_of_bytes(&self.stdin)
    }

    /// Replaces the problems of an input that is a log with one that names the agent.
    fn explain_log(&mut self) {
        if self.outcome.is_valid() || !self.settings.rule.is_for_records() {
            return;
        }
        if let Some(agent) = self.agent() {
            let first = vec![(Place::Only, Problem::Log(agent))];
            self.outcome.problems = Reported { first, total: 1 };
            self.outcome.findings = Reported::default();
            self.outcome.documents = 1;
        }
    }

    /// Returns whether JSON has one document on each line, so that the others can be validated if
    /// one cannot be parsed. That is so if the first line is a document and another line follows
    /// that does not open a pretty-printed document. In a file that is named like JSON lines, the
    /// first line may be invalid, or the only one.
    fn has_lines(&self, head: &[u8], is_big: bool) -> bool {
        let is_named = self.input.is_named_like_lines();
        let Some((line, rest)) = split_line(head) else { return is_named };
        if is_named {
            return !is_opening(line);
        }
        let follows = split_line(rest).map_or(rest, |(line, _)| line).trim_ascii();
        let is_followed = is_big || !follows.is_empty();
        is_followed && !is_opening(follows) && Document::json(line).is_ok()
    }

    /// Returns whether bytes that were detected as CBOR begin with an ASCII byte, as text does and
    /// records in CBOR do not.
    fn is_dubious(&self, bytes: &[u8]) -> bool {
        self.settings.encoding.is_none() && bytes.first().is_none_or(u8::is_ascii)
    }

    fn can_stream(&self) -> bool {
        self.settings.rule.is_for_records() && self.settings.lints == Lints::None
    }

    /// Validates bytes as one document.
    fn validate_one(&mut self, bytes: &[u8], encoding: Encoding) {
        match self.scanner.scan(bytes, encoding) {
            Ok(document) => self.validate_document(document, Place::Only),
            Err(error) => self.add_syntax_error(&error, Place::Only, 0, bytes, encoding),
        }
    }

    /// Validates one JSON document on each line. Empty lines are skipped.
    fn validate_lines(&mut self, mut reader: impl BufRead, max: u64) -> io::Result<()> {
        let mut line = Vec::new();
        let mut start = 0;
        for number in 1.. {
            line.clear();
            let place = Place::Line(number);
            if reader.by_ref().take(STREAM_SIZE as u64).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.len() == STREAM_SIZE && !line.ends_with(b"\n") {
                if self.can_stream() {
                    let mut rest = RestOfLine::new(&mut reader);
                    let whole = Cursor::new(&line).chain(&mut rest);
                    let streamed = stream::validate(whole, self.room());
                    // The validator stops at a syntax error.
                    io::copy(&mut rest, &mut io::sink())?;
                    let length = line.len() + rest.length();
                    self.add_streamed(streamed, place, start)?;
                    start += length;
                    continue;
                }
                let room = max.saturating_sub(line.len() as u64);
                reader.by_ref().take(room).read_until(b'\n', &mut line)?;
                if line.len() as u64 == max {
                    return Err(too_large(max));
                }
            }
            start += line.len();
            let text = line.trim_ascii_end();
            if text.is_empty() {
                continue;
            }
            match self.scanner.json(text) {
                Ok(document) => self.validate_document(document, place),
                Err(error) => self.add_syntax_error(&error, place, 0, text, Encoding::Json),
            }
        }
        self.check_not_empty();
        Ok(())
    }

    /// Validates documents one after the other: JSON with or without space between them, or a CBOR
    /// sequence (RFC 8742). Stops at bytes that are not a document.
    fn validate_sequence(&mut self, bytes: &[u8], encoding: Encoding) {
        let text = match (encoding, std::str::from_utf8(bytes)) {
            (Encoding::Cbor, _) => None,
            (Encoding::Json, Ok(text)) => Some(text),
            (Encoding::Json, Err(_)) => return self.validate_one(bytes, encoding),
        };
        let is_space = |byte: &u8| text.is_some() && matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let skip = |at: usize| at + bytes[at..].iter().take_while(|byte| is_space(byte)).count();
        let (mut start, mut line) = (skip(0), 1);
        line += memchr_iter(b'\n', &bytes[..start]).count();
        for number in 1.. {
            let scanned = match text {
                Some(text) => self.scanner.json_text_prefix(&text[start..]),
                None => self.scanner.cbor_prefix(&bytes[start..]),
            };
            let end = scanned.as_ref().map_or(bytes.len(), |(_, end)| skip(start + end));
            let place = match encoding {
                _ if number == 1 && end == bytes.len() => Place::Only,
                Encoding::Json => Place::Line(line),
                Encoding::Cbor => Place::Item(number),
            };
            match scanned {
                Ok((document, _)) => self.validate_document(document, place),
                Err(error) => self.add_syntax_error(&error, place, start, bytes, encoding),
            }
            if end == bytes.len() {
                break;
            }
            line += memchr_iter(b'\n', &bytes[start..end]).count();
            start = end;
        }
    }

    /// Validates JSON records one after the other without holding them in memory. Stops at a syntax
    /// error.
    fn validate_streams(&mut self, reader: impl BufRead) -> io::Result<()> {
        let mut documents = Documents::new(reader);
        let mut is_first = true;
        while documents.skip_space()? {
            let (line, start) = (documents.line(), documents.offset());
            let streamed = stream::validate(documents.next_document(), self.room());
            let is_only = is_first && (streamed.is_err() || !documents.skip_space()?);
            let place = if is_only { Place::Only } else { Place::Line(line) };
            if !self.add_streamed(streamed, place, start)? {
                break;
            }
            is_first = false;
        }
        self.check_not_empty();
        Ok(())
    }

    /// Reports a problem if the input has no documents.
    fn check_not_empty(&mut self) {
        if self.outcome.documents == 0 {
            let error = SyntaxError { offset: 0, problem: Syntax::Empty };
            self.add_syntax_error(&error, Place::Only, 0, b"", Encoding::Json);
        }
    }

    /// Adds the result of a record that begins at an offset of the input. Returns whether the
    /// record is JSON.
    fn add_streamed(
        &mut self,
        streamed: Result<(), stream::Error>,
        place: Place,
        start: usize,
    ) -> io::Result<bool> {
        match streamed {
            Ok(()) => {
                self.outcome.documents += 1;
                Ok(true)
            }
            Err(stream::Error::Invalid(violations)) => {
                self.outcome.documents += 1;
                self.add_violations(violations, place);
                Ok(true)
            }
            Err(stream::Error::Io(error)) => Err(error),
            Err(stream::Error::Syntax(error)) => {
                let offset = start + error.offset;
                // Only a file can be read again to count its lines.
                let position = match self.input {
                    Input::File(_) | Input::Archived(_) => {
                        Some(Position::at(offset, self.input.open()?)?)
                    }
                    _ => None,
                };
                self.add_problem(error.problem.to_string(), offset, position, place);
                Ok(false)
            }
        }
    }

    fn validate_document(&mut self, document: Document<'_>, place: Place) {
        self.outcome.documents += 1;
        let rule = &self.settings.rule;
        if let Err(violations) = rule.validate(&document, self.room()) {
            self.add_violations(violations, place);
        }
        if rule.is_for_records()
            && let Some(payload) = signed::payload(&document)
        {
            self.outcome.signed.count(&payload);
            if let Err(violations) = payload.validate(self.room()) {
                self.add_violations(violations, place);
            }
        }
        if self.settings.lints != Lints::None {
            let mut findings = lint::lint(&document);
            if self.settings.lints == Lints::Secrets {
                findings.retain(|finding| finding.kind.is_some());
            }
            let reported = &mut self.outcome.findings;
            reported.total += findings.len();
            let room = self.settings.max_reported - reported.first.len();
            reported.first.extend(findings.into_iter().take(room).map(|finding| (place, finding)));
        }
        self.scanner.recycle(document);
    }

    /// Returns how many more problems can be reported.
    fn room(&self) -> usize {
        self.settings.max_reported - self.outcome.problems.first.len()
    }

    fn add_violations(&mut self, violations: Violations, place: Place) {
        self.outcome.problems.total += violations.total();
        let problems = violations.into_iter().map(Problem::Violation);
        self.outcome.problems.first.extend(problems.map(|problem| (place, problem)));
    }

    /// Adds a syntax error of the document that begins at `start`.
    fn add_syntax_error(
        &mut self,
        error: &SyntaxError,
        place: Place,
        start: usize,
        bytes: &[u8],
        encoding: Encoding,
    ) {
        let offset = if error.problem == Syntax::Empty { 0 } else { start + error.offset };
        let mut message = error.problem.to_string();
        if encoding == Encoding::Cbor && self.is_dubious(bytes) {
            message = format!("neither JSON nor CBOR (as CBOR, {message})");
        }
        let position = match (encoding, place) {
            _ if error.problem == Syntax::Empty => None,
            (Encoding::Cbor, _) => None,
            // The bytes are those of the line only.
            (Encoding::Json, Place::Line(line)) if start == 0 => {
                Position::at(offset, bytes).ok().map(|position| Position { line, ..position })
            }
            (Encoding::Json, _) => Position::at(offset, bytes).ok(),
        };
        self.add_problem(message, offset, position, place);
    }

    fn add_problem(
        &mut self,
        message: String,
        offset: usize,
        position: Option<Position>,
        place: Place,
    ) {
        self.outcome.documents += 1;
        self.outcome.problems.total += 1;
        if self.room() > 0 {
            let problem = Problem::Syntax { message, offset, position };
            self.outcome.problems.first.push((place, problem));
        }
    }
}

impl Signed {
    fn count(&mut self, payload: &Payload<'_>) {
        *match payload {
            Payload::Attached { .. } => &mut self.attached,
            Payload::Detached => &mut self.detached,
            Payload::Digest => &mut self.digest,
        } += 1;
    }
}

/// Returns the first line that is not empty and the text after it, if the line is complete.
fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    memchr(b'\n', text).map(|end| text.split_at(end))
}

/// Returns whether a line is the first one of a pretty-printed document.
fn is_opening(line: &[u8]) -> bool {
    matches!(line.trim_ascii(), b"{" | b"[")
}
