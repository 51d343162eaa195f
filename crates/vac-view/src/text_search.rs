//! Searches the texts of a session: prompts, answers, commands, outputs, paths.
//!
//! ```
//! use vac_value::Document;
//! use vac_view::record;
//! use vac_view::text_search::{TextQuery, search_session};
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "kiln"},
//!     "entries": [
//!         {"type": "user", "content": "Fire it"},
//!         {"type": "assistant", "content": "It is warm.\nIt is on fire."}]
//! }}"#;
//! let document = Document::json(json)?;
//! let query = TextQuery::new("fire", false)?;
//! let found = record::read(&document, &[], &mut |session| search_session(session, &[], &query))?;
//! assert_eq!(found.count, 1);
//! let hit = &found.hits[0];
//! assert_eq!((hit.field.name(), hit.place.index(), hit.line), ("answer", 1, 2));
//! assert_eq!(&hit.text[hit.matched.clone()], "fire");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * A hit is one text of an entry that matches, however often it matches. Its context is the line
//!   in which the first match begins; the number of lines with matches is next to it.
//! * Nothing is reported twice: entries that repeat others (`duplicate-of`), are earlier versions of
//!   others (`superseded` by `updated`) or were `inherited` from another session are searched only
//!   with [`TextQuery::all`]. Entries that were superseded in another way did happen: they are
//!   searched, and their hits state it.
//! * Messages that the program or a hook wrote in the user's name are searched only with
//!   [`TextQuery::all`].
//! * `^` and `$` match at lines, and `.` does not match a line end.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use serde::{Serialize, Serializer};
use vac_adapter::report::SourceFile;
use vac_adapter::{Error, Origin, Report, Session, Sink};
use vac_record::annotations::{EntryAnnotations, SupersededHow};
use vac_record::{Any, Entry};
use vac_value::Kind;

use crate::author::MessageAuthor;
use crate::byte_filter::ByteFilter;
use crate::context::{Context, EntryPlace, SkipReason};
use crate::entry_reader::{EntryReader, EntryVisitor};
use crate::event::EventKind;
use crate::event_time::to_utc;
use crate::session_info::SessionInfo;
use crate::transcript::Head;

/// The maximum number of characters of the line of a hit.
const MAX_LINE: usize = 400;
/// The maximum number of these characters before the match.
const MAX_BEFORE: usize = 120;
/// The maximum number of lines with matches that are counted in one text.
const MAX_LINES: usize = 1000;
/// The maximum number of bytes that are read to count them. Finding each match can take as long as
/// reading the whole text.
const MAX_COUNTED: usize = 4_000_000_000;

/// A kind of text that can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextField {
    /// A message in the user's name.
    Prompt,
    /// A message in the model's name.
    Answer,
    /// Reasoning of the model.
    Reasoning,
    /// A command line.
    Command,
    /// Any text in the input of a tool call.
    Input,
    /// The text of a tool's output.
    Output,
    /// A path that a tool call names.
    Path,
}

impl TextField {
    /// Returns the field's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Answer => "answer",
            Self::Reasoning => "reasoning",
            Self::Command => "command",
            Self::Input => "input",
            Self::Output => "output",
            Self::Path => "path",
        }
    }
}

impl Serialize for TextField {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.name())
    }
}

/// A set of kinds of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextFields(u8);

impl TextFields {
    /// No text.
    pub const EMPTY: Self = Self(0);
    /// Prompts, answers, commands, outputs and paths.
    pub const USUAL: Self = Self::EMPTY
        .with(TextField::Prompt)
        .with(TextField::Answer)
        .with(TextField::Command)
        .with(TextField::Output)
        .with(TextField::Path);

    /// Adds a kind of text.
    #[must_use]
    pub const fn with(self, field: TextField) -> Self {
        Self(self.0 | 1 << field as u8)
    }

    /// Returns whether a kind of text is in the set.
    pub const fn contains(self, field: TextField) -> bool {
        self.0 & 1 << field as u8 != 0
    }
}

/// A query: a pattern, and the texts to search.
#[derive(Clone, Debug)]
pub struct TextQuery {
    pattern: Regex,
    /// Tests bytes of logs, if the pattern allows it.
    pub filter: Option<ByteFilter>,
    /// The texts to search.
    pub fields: TextFields,
    /// Whether to also search entries that repeat others, were inherited or updated, and messages
    /// that the program or a hook wrote.
    pub all: bool,
    /// Whether to stop reading a session at its first hit.
    pub first_only: bool,
    /// The maximum number of hits of a session that are returned. All are counted.
    pub max_hits: usize,
}

impl TextQuery {
    /// Creates the query of a regular expression over the [usual](TextFields::USUAL) texts.
    ///
    /// # Errors
    /// If the pattern is not a regular expression of crate `regex`, or is too large.
    pub fn new(pattern: &str, ignores_case: bool) -> Result<Self, regex::Error> {
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(ignores_case)
            .multi_line(true)
            .crlf(true)
            .build()?;
        Ok(Self {
            pattern: regex,
            filter: ByteFilter::new(pattern, ignores_case),
            fields: TextFields::USUAL,
            all: false,
            first_only: false,
            max_hits: usize::MAX,
        })
    }
}

/// A text that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The kind of text.
    pub field: TextField,
    /// The place of its entry in the session.
    pub place: EntryPlace,
    /// The id of its entry.
    pub entry_id: Option<String>,
    /// The time at which it was written, in UTC, if the log states it.
    pub time: Option<String>,
    /// The subagent that wrote the text.
    pub subagent: Option<String>,
    /// The way in which it stopped being part of the conversation.
    pub superseded: Option<SupersededHow>,
    /// The reason why the text is searched only with [`TextQuery::all`].
    pub skip_reason: Option<SkipReason>,
    /// Whether `vac show` shows the entry only with `--all`.
    pub is_hidden: bool,
    /// The number of the line in the text in which the first match begins, from 1.
    pub line: u64,
    /// The text of that line, or the part of it around the match.
    pub text: String,
    /// The range of the match in `text`.
    pub matched: Range<usize>,
    /// The number of lines in which matches begin. At most 1,000 are counted, and fewer in a text
    /// of more than 4 MB. Matches do not overlap.
    pub lines: u64,
}

/// The hits in a session.
#[derive(Clone, Debug)]
pub struct SessionHits {
    /// The head of the session.
    pub head: Head,
    /// The first hits, in order.
    pub hits: Vec<Hit>,
    /// The number of all hits.
    pub count: u64,
}

/// Searches a session. `sources` are the files of a log; a record states them itself.
///
/// # Errors
/// If the session cannot be read.
pub fn search_session(
    session: &dyn Session,
    sources: &[SourceFile],
    query: &TextQuery,
) -> Result<SessionHits, Error> {
    let info = SessionInfo::new(session, sources);
    let mut sink = SearchSink {
        reader: EntryReader::new(info.adapter),
        matches: Matches { query, hits: Vec::new(), count: 0 },
        report: Report::default(),
    };
    let read = session.entries(&mut sink);
    let Matches { hits, count, .. } = sink.matches;
    // With `first_only`, the sink stops the reading with an error after the first hit.
    if !(query.first_only && count > 0) {
        read?;
    }
    Ok(SessionHits { head: Head::from_info(&info), hits, count })
}

struct SearchSink<'q> {
    reader: EntryReader,
    matches: Matches<'q>,
    report: Report,
}

impl Sink for SearchSink<'_> {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.reader.read(&entry, &mut self.matches)?;
        if self.matches.query.first_only && self.matches.count > 0 {
            return Err(Error::Refused("found".to_owned()));
        }
        Ok(())
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

struct Matches<'q> {
    query: &'q TextQuery,
    hits: Vec<Hit>,
    count: u64,
}

impl EntryVisitor for Matches<'_> {
    fn entry(&mut self, _: &Entry<'_>, _: &EntryAnnotations<'_>, _: &Context) {}

    fn needs_result_texts(&self) -> bool {
        self.query.fields.contains(TextField::Output)
    }

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        if context.skip_reason().is_some() && !self.query.all {
            return Ok(());
        }
        match &kind {
            EventKind::UserPrompt { text, author, command, .. } => {
                let is_hidden = matches!(author, MessageAuthor::Program | MessageAuthor::Hook);
                if is_hidden && !self.query.all {
                    return Ok(());
                }
                // A command that the user ran is also a prompt, but is reported as one hit.
                if self.query.fields.contains(TextField::Prompt) {
                    self.search(TextField::Prompt, &text.text, context, is_hidden);
                } else if let Some(command) = command {
                    self.search(TextField::Command, command, context, is_hidden);
                }
            }
            EventKind::AssistantText { text, .. } => {
                self.search(TextField::Answer, &text.text, context, false);
            }
            EventKind::Reasoning { text, .. } => {
                self.search(TextField::Reasoning, &text.text, context, false);
            }
            EventKind::ToolUse { target, input, .. } => {
                if let Some(command) = &target.command {
                    self.search(TextField::Command, command, context, false);
                }
                if self.query.fields.contains(TextField::Path)
                    && let Some(path) =
                        target.paths.iter().find(|path| self.query.pattern.is_match(path))
                {
                    self.search(TextField::Path, path, context, false);
                }
                if self.query.fields.contains(TextField::Input) {
                    self.search_input(input, context);
                }
            }
            EventKind::ToolResult { text: Some(text), .. } => {
                self.search(TextField::Output, text, context, false);
            }
            EventKind::ToolResult { text: None, .. }
            | EventKind::Permission { .. }
            | EventKind::Usage { .. }
            | EventKind::SessionStart { .. }
            | EventKind::SessionEnd { .. } => {}
        }
        Ok(())
    }
}

impl Matches<'_> {
    /// Searches the texts in the input of a call. The first that matches is the hit.
    fn search_input(&mut self, input: &Any<'_>, context: &Context<'_>) {
        let Ok(document) = input.document() else { return };
        let mut waiting = vec![document.root()];
        while let Some(node) = waiting.pop() {
            match node.kind() {
                Kind::Text => {
                    if let Some(text) = node.text()
                        && self.query.pattern.is_match(&text)
                    {
                        self.search(TextField::Input, &text, context, false);
                        return;
                    }
                }
                Kind::Array => {
                    let from = waiting.len();
                    waiting.extend(node.elements());
                    waiting[from..].reverse();
                }
                Kind::Map => {
                    let from = waiting.len();
                    waiting.extend(node.members().map(|(_, value)| value));
                    waiting[from..].reverse();
                }
                _ => {}
            }
        }
    }

    fn search(&mut self, field: TextField, text: &str, context: &Context<'_>, is_hidden: bool) {
        if !self.query.fields.contains(field) {
            return;
        }
        let Some(first) = self.query.pattern.find(text) else { return };
        self.count += 1;
        if self.hits.len() >= self.query.max_hits {
            return;
        }
        let (line, text_of_line, matched) = line_around(text, first.range());
        let superseded = context.superseded.map(|superseded| superseded.how);
        self.hits.push(Hit {
            field,
            place: context.place(),
            entry_id: context.entry_id.map(str::to_owned),
            time: context.timestamp.and_then(to_utc),
            subagent: context.subagent.and_then(|it| it.id.as_deref()).map(str::to_owned),
            superseded,
            skip_reason: context.skip_reason(),
            is_hidden: is_hidden
                || context.skip_reason().is_some()
                || superseded.is_some_and(|how| how != SupersededHow::Compacted),
            line,
            text: text_of_line,
            matched,
            lines: count_lines(&self.query.pattern, text),
        });
    }
}

/// Returns the number and the text of the line in which a match begins, and the match in it.
fn line_around(text: &str, found: Range<usize>) -> (u64, String, Range<usize>) {
    let before = &text[..found.start];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = text[found.start..].find('\n').map_or(text.len(), |at| found.start + at);
    let number = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
    let line = text[start..end].trim_end_matches('\r');
    let matched = (found.start - start).min(line.len())..(found.end - start).min(line.len());
    let from =
        line[..matched.start].char_indices().rev().nth(MAX_BEFORE - 1).map_or(0, |(at, _)| at);
    let rest = &line[from..];
    let to = rest.char_indices().nth(MAX_LINE).map_or(rest.len(), |(at, _)| at);
    let matched = matched.start - from..(matched.end - from).min(to);
    (number, rest[..to].to_owned(), matched)
}

/// Counts the lines in which matches begin, as far as [`MAX_LINES`] and [`MAX_COUNTED`] allow.
fn count_lines(pattern: &Regex, text: &str) -> u64 {
    let max = (MAX_COUNTED / text.len().max(1)).clamp(1, MAX_LINES) as u64;
    let (mut count, mut at) = (0, 0);
    while count < max && at <= text.len() {
        let Some(found) = pattern.find_at(text, at) else { break };
        count += 1;
        match text[found.start()..].find('\n') {
            Some(end) => at = (found.start() + end + 1).max(found.end()),
            None => break,
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str, pattern: &str) -> (u64, String, String) {
        let found = Regex::new(pattern).unwrap().find(text).unwrap().range();
        let (number, line, matched) = line_around(text, found);
        let matched = line[matched].to_owned();
        (number, line, matched)
    }

    #[test]
    fn context_is_the_line_in_which_the_match_begins() {
        assert_eq!(around("one\ntwo\r\nthree", "w"), (2, "two".into(), "w".into()));
        assert_eq!(around("one\ntwo\r\nthree", r"o\s+th"), (2, "two".into(), "o".into()));
        assert_eq!(around("one", "$"), (1, "one".into(), String::new()));
        assert_eq!(around("one\n", r"\n"), (1, "one".into(), String::new()));
        assert_eq!(around("one\r\n", r"\r"), (1, "one".into(), String::new()));
    }

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let text = format!("{}needle{}", "é".repeat(100_000), "漢".repeat(100_000));
        let (_, line, matched) = around(&text, "needle");
        assert_eq!((line.chars().count(), matched.as_str()), (MAX_LINE, "needle"));
        assert!(line.starts_with("é") && line.ends_with("漢"));
        let (_, line, matched) = around(&text, "needle.*");
        assert!(line.ends_with(&matched) && matched.starts_with("needle漢"));
    }

    #[test]
    fn lines_with_matches_are_counted_once() {
        let count = |pattern: &str, text: &str| count_lines(&Regex::new(pattern).unwrap(), text);
        assert_eq!(count("a", "a a\nb\na"), 2);
        assert_eq!(count("", "a\nb\n"), 3);
        assert_eq!(count(r"a\nb", "a\nb\na\nb"), 2);
        assert_eq!(count("x", "a"), 0);
        assert_eq!(count("(?s)a.*", "a\na\na"), 1, "one match");
        assert_eq!(count("a", &"a\n".repeat(5000)), 1000);
        assert_eq!(count("a", &"a\n".repeat(2_500_000)), 800);
    }
}
