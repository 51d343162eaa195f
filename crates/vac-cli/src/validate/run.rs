//! From an input to what is wrong with the documents in it.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use memchr::{memchr, memchr_iter};
use vac::{AGENTS, Agent};
use vac_adapter::Memory;
use vac_store::join::look;
use vac_validate::lint::{self, Finding};
use vac_validate::signed::{self, Payload};
use vac_validate::{
    Document, Encoding, SyntaxError, Violation, Violations, detect_encoding, stream,
};
use vac_value::{Problem as Syntax, Scanner};

use crate::input::{Documents, Input, Position, RestOfLine};
use crate::schema::Rule;
use crate::sessions;

/// Beyond this, JSON is validated while it is read.
const BIG: usize = 16 << 20;

/// Maximum number of bytes of standard input that are held to detect a log.
const MAX_STDIN: usize = 4 << 20;

/// How much is read at once.
const CHUNK: usize = 1 << 16;

/// How to run.
pub struct Settings<'s> {
    /// The rule that documents are validated against.
    pub rule: Rule<'s>,
    /// How they are written; `None` is by the look of them.
    pub encoding: Option<Encoding>,
    /// Whether to question what is valid.
    pub lint: bool,
    /// The maximum number of violations to report for an input, and of findings.
    pub most: usize,
}

/// What became of an input.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What it is called.
    pub name: String,
    /// How many documents it has; the one that could not be read counts.
    pub documents: usize,
    /// What is wrong with them.
    pub problems: Reported<Problem>,
    /// What is questionable about them.
    pub findings: Reported<Finding>,
    /// Signed records.
    pub signed: Signed,
    /// Why it could not be read.
    pub unreadable: Option<String>,
}

impl Outcome {
    /// Whether it could be read and everything in it is valid.
    pub fn is_valid(&self) -> bool {
        self.problems.total == 0 && self.unreadable.is_none()
    }
}

/// The first problems or findings, up to a maximum, and the number of all.
#[derive(Debug)]
pub struct Reported<T> {
    /// Those that are reported, each with its document's place in a sequence.
    pub first: Vec<(Place, T)>,
    /// How many there are.
    pub total: usize,
}

impl<T> Default for Reported<T> {
    fn default() -> Self {
        Self { first: Vec::new(), total: 0 }
    }
}

/// Which document of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The only one.
    Only,
    /// The one that begins on this line.
    Line(usize),
    /// The one with this number, from 1.
    Item(usize),
}

/// One thing that is wrong.
#[derive(Debug)]
pub enum Problem {
    /// The bytes are no document.
    Syntax {
        /// What is wrong with them.
        message: String,
        /// At which byte.
        offset: usize,
        /// The same in lines and columns, for text.
        position: Option<Position>,
    },
    /// The document does not fit its schema.
    Violation(Violation),
}

/// How many signed records have which kind of payload.
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
        Ok(()) => run.explain(),
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
        let mut head = Vec::new();
        reader.by_ref().take(BIG as u64).read_to_end(&mut head)?;
        let is_big = head.len() == BIG;
        let encoding = self.settings.encoding.unwrap_or_else(|| self.detect_encoding(&head));
        if *self.input == Input::Stdin {
            self.stdin = head[..head.len().min(MAX_STDIN)].to_vec();
        }
        if encoding == Encoding::Json {
            if self.has_lines(&head, is_big) {
                let reader = Cursor::new(head).chain(reader);
                return self.lines(BufReader::with_capacity(CHUNK, reader));
            }
            if is_big && self.can_stream() {
                let reader = Cursor::new(head).chain(reader);
                return self.streams(BufReader::with_capacity(CHUNK, reader));
            }
        }
        let mut bytes = head;
        reader.read_to_end(&mut bytes)?;
        // Text of a few words is a sequence of CBOR strings, if one insists.
        if encoding == Encoding::Cbor && self.is_dubious(&bytes) {
            self.whole(&bytes, encoding);
        } else {
            self.several(&bytes, encoding);
        }
        Ok(())
    }

    /// How an input is written, by its beginning. Text in a file that is named like JSON is not
    /// CBOR.
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
            let found = vac_store::find(std::slice::from_ref(path), AGENTS);
            let known = found.logs.into_iter().map(|log| look(log, AGENTS));
            return known.into_iter().find_map(|known| sessions::named(&known));
        }
        let log = Memory { name: "-", bytes: &self.stdin };
        let (adapter, _) = vac_adapter::detect(&log, AGENTS).ok()??;
        vac::agent(adapter.name())
    }

    /// Replaces the problems of an input that is a log by one that says so.
    fn explain(&mut self) {
        if self.outcome.is_valid() || !self.settings.rule.is_for_records() {
            return;
        }
        if let Some(agent) = self.agent() {
            let message = format!(
                "this is a log of {}, not a record; convert it first with `vac convert`",
                agent.title()
            );
            self.outcome.problems = Reported::default();
            self.outcome.findings = Reported::default();
            self.syntax(message, 0, None, Place::Only);
            self.outcome.documents = 1;
        }
    }

    /// Whether JSON has one document on each line, so that the others can be validated if
    /// one is broken. The first lines decide: the first is a document, and another one
    /// follows that does not open a pretty-printed document. In a file that is named like
    /// JSON lines, the first may be broken or the only one.
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

    /// Whether bytes that are to be CBOR begin as text does and as records in
    /// CBOR do not.
    fn is_dubious(&self, bytes: &[u8]) -> bool {
        self.settings.encoding.is_none() && bytes.first().is_none_or(u8::is_ascii)
    }

    fn can_stream(&self) -> bool {
        self.settings.rule.is_for_records() && !self.settings.lint
    }

    /// One document and nothing else.
    fn whole(&mut self, bytes: &[u8], encoding: Encoding) {
        match self.scanner.scan(bytes, encoding) {
            Ok(document) => self.document(document, Place::Only),
            Err(error) => self.unscannable(&error, Place::Only, 0, bytes, encoding),
        }
    }

    /// A JSON document on each line; empty lines are passed by.
    fn lines(&mut self, mut reader: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        let mut start = 0;
        for number in 1.. {
            line.clear();
            let place = Place::Line(number);
            if reader.by_ref().take(BIG as u64).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.len() == BIG && !line.ends_with(b"\n") {
                if self.can_stream() {
                    let mut rest = RestOfLine::new(&mut reader);
                    let whole = Cursor::new(&line).chain(&mut rest);
                    let streamed = stream::validate(whole, self.room());
                    // What is not JSON is not read to its end.
                    io::copy(&mut rest, &mut io::sink())?;
                    let length = line.len() + rest.length();
                    self.streamed(streamed, place, start)?;
                    start += length;
                    continue;
                }
                reader.read_until(b'\n', &mut line)?;
            }
            start += line.len();
            let text = line.trim_ascii_end();
            if text.is_empty() {
                continue;
            }
            match self.scanner.json(text) {
                Ok(document) => self.document(document, place),
                Err(error) => self.unscannable(&error, place, 0, text, Encoding::Json),
            }
        }
        self.refuse_nothing();
        Ok(())
    }

    /// Documents one after the other: JSON with or without space between them,
    /// CBOR as RFC 8742 has it. Nothing is read after bytes that are not a document.
    fn several(&mut self, bytes: &[u8], encoding: Encoding) {
        let text = match (encoding, std::str::from_utf8(bytes)) {
            (Encoding::Cbor, _) => None,
            (Encoding::Json, Ok(text)) => Some(text),
            (Encoding::Json, Err(_)) => return self.whole(bytes, encoding),
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
                Ok((document, _)) => self.document(document, place),
                Err(error) => self.unscannable(&error, place, start, bytes, encoding),
            }
            if end == bytes.len() {
                break;
            }
            line += memchr_iter(b'\n', &bytes[start..end]).count();
            start = end;
        }
    }

    /// JSON records one after the other that are not held in memory. Nothing is found after
    /// one that is not JSON.
    fn streams(&mut self, reader: impl BufRead) -> io::Result<()> {
        let mut documents = Documents::new(reader);
        let mut is_first = true;
        while documents.skip_space()? {
            let (line, start) = (documents.line(), documents.offset());
            let streamed = stream::validate(documents.next_document(), self.room());
            let is_only = is_first && (streamed.is_err() || !documents.skip_space()?);
            let place = if is_only { Place::Only } else { Place::Line(line) };
            if !self.streamed(streamed, place, start)? {
                break;
            }
            is_first = false;
        }
        self.refuse_nothing();
        Ok(())
    }

    /// An input without documents is not valid.
    fn refuse_nothing(&mut self) {
        if self.outcome.documents == 0 {
            let error = SyntaxError { offset: 0, problem: Syntax::Empty };
            self.unscannable(&error, Place::Only, 0, b"", Encoding::Json);
        }
    }

    /// Takes the verdict on a record that began at an offset of the input. Returns whether it
    /// is JSON.
    fn streamed(
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
                self.violations(violations, place);
                Ok(true)
            }
            Err(stream::Error::Io(error)) => Err(error),
            Err(stream::Error::Syntax(error)) => {
                let offset = start + error.offset;
                // Only a file can be read again to count its lines.
                let position = match self.input {
                    Input::File(_) => Some(Position::of(offset, self.input.open()?)?),
                    _ => None,
                };
                self.syntax(error.problem.to_string(), offset, position, place);
                Ok(false)
            }
        }
    }

    fn document(&mut self, document: Document<'_>, place: Place) {
        self.outcome.documents += 1;
        let rule = &self.settings.rule;
        if let Err(violations) = rule.validate(&document, self.room()) {
            self.violations(violations, place);
        }
        if rule.is_for_records()
            && let Some(payload) = signed::payload(&document)
        {
            self.outcome.signed.count(&payload);
            if let Err(violations) = payload.validate(self.room()) {
                self.violations(violations, place);
            }
        }
        if self.settings.lint {
            let findings = lint::lint(&document);
            let reported = &mut self.outcome.findings;
            reported.total += findings.len();
            let room = self.settings.most - reported.first.len();
            reported.first.extend(findings.into_iter().take(room).map(|finding| (place, finding)));
        }
        self.scanner.recycle(document);
    }

    /// How many more problems are reported.
    fn room(&self) -> usize {
        self.settings.most - self.outcome.problems.first.len()
    }

    fn violations(&mut self, violations: Violations, place: Place) {
        self.outcome.problems.total += violations.total();
        let problems = violations.into_iter().map(Problem::Violation);
        self.outcome.problems.first.extend(problems.map(|problem| (place, problem)));
    }

    /// A document, from `start` on in the bytes, that is none.
    fn unscannable(
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
            // A line's bytes are all there is of the text.
            (Encoding::Json, Place::Line(line)) if start == 0 => {
                Position::of(offset, bytes).ok().map(|position| Position { line, ..position })
            }
            (Encoding::Json, _) => Position::of(offset, bytes).ok(),
        };
        self.syntax(message, offset, position, place);
    }

    fn syntax(&mut self, message: String, offset: usize, position: Option<Position>, place: Place) {
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

/// The first line that is not empty and what comes after it, if it ends.
fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    memchr(b'\n', text).map(|end| text.split_at(end))
}

/// Whether a line is the first of a pretty-printed document.
fn is_opening(line: &[u8]) -> bool {
    matches!(line.trim_ascii(), b"{" | b"[")
}
