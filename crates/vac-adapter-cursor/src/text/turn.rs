//! Parses one turn of the text variant.

use std::borrow::Cow;
use std::collections::HashSet;

use vac_adapter::annotation::attach;
use vac_adapter::frame::{self, Place, Reason};
use vac_adapter::members::{Rest, object};
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::{Error, Report};
use vac_record::annotations::{EntryAnnotations, Outcome};
use vac_record::{AbstractTimestamp, Entry, MessageEntry, MessageEntryType};
use vac_value::{Any, Map, Problem, SyntaxError};

use crate::message::author_annotations;
use crate::{entry, prompt_rules, written_time};

/// The markers, and the speakers that they announce.
const MARKERS: &[(&str, MessageEntryType)] = &[
    ("user:", MessageEntryType::User),
    ("assistant:", MessageEntryType::Assistant),
    ("A:", MessageEntryType::Assistant),
];

/// Returns the speaker that a line announces, if the line is a marker.
pub(super) fn marker(line: &[u8]) -> Option<MessageEntryType> {
    let line = line.trim_ascii_end();
    MARKERS.iter().find(|(marker, _)| marker.as_bytes() == line).map(|(_, kind)| *kind)
}

/// A marker and the text after it; the first turn may have no marker.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub marker: Option<MessageEntryType>,
    pub place: Place,
    /// The length of the marker's line in bytes.
    pub head: usize,
    pub bytes: Vec<u8>,
    /// The number of pieces that have been passed on, if it is too long for one.
    pub pieces: u64,
    /// Whether these bytes end the turn.
    pub is_last: bool,
}

impl Turn {
    /// Passes all complete pieces of `size` bytes to `show`, and keeps the rest.
    pub fn cut(
        &mut self,
        size: usize,
        show: &mut impl FnMut(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        while self.bytes.len() > size {
            let rest = self.bytes.split_off(frame::piece_length(&self.bytes, size));
            self.show_piece(show)?;
            self.bytes = rest;
        }
        Ok(())
    }

    /// Passes the turn, or the rest of it, to `show`.
    pub fn end(
        &mut self,
        size: usize,
        show: &mut impl FnMut(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.pieces == 0 {
            return show(self);
        }
        self.cut(size, show)?;
        self.is_last = true;
        self.show_piece(show)
    }

    fn show_piece(
        &mut self,
        show: &mut impl FnMut(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.pieces += 1;
        self.place.part = self.pieces;
        show(self)?;
        let line_ends = self.bytes.split(|byte| *byte == b'\n').count() - 1;
        self.place.line += line_ends as u64;
        self.place.offset += self.bytes.len() as u64;
        Ok(())
    }

    /// Returns whether the turn has no marker, no earlier piece and no text but whitespace.
    pub fn is_blank(&self) -> bool {
        self.pieces == 0 && self.marker.is_none() && self.bytes.trim_ascii().is_empty()
    }

    fn text(&self) -> Option<(&str, &str)> {
        std::str::from_utf8(&self.bytes).ok()?.split_at_checked(self.head)
    }

    /// Returns the time of the turn, if it states one.
    pub fn timestamp(&self) -> Option<AbstractTimestamp<'static>> {
        if self.pieces > 0 || self.marker != Some(MessageEntryType::User) {
            return None;
        }
        let (_, said) = self.text()?;
        written_time::date_time(said)?.parse().ok()
    }

    /// Returns the entry of the turn.
    pub fn entry(&self, is_subagent: bool, report: &mut Report) -> Entry<'_> {
        if self.pieces > 0 {
            let reason = Reason::TooLong { piece: self.pieces, is_last: self.is_last };
            report.unparsed(self.place.line, reason.code());
            return raw::entry(&self.bytes, &reason, self.place, KnownMembers::default());
        }
        let Some((head, said)) = self.text() else {
            let valid = std::str::from_utf8(&self.bytes).err().map(|error| error.valid_up_to());
            let error = SyntaxError { offset: valid.unwrap_or_default(), problem: Problem::Utf8 };
            let reason = Reason::Syntax(error);
            report.unparsed(self.place.line, reason.code());
            return raw::entry(&self.bytes, &reason, self.place, KnownMembers::default());
        };
        let Some(kind) = self.marker else {
            let mut data = Rest::default();
            raw::push(&mut data, "text", said);
            return Entry::Event(entry::event("preamble", self.place.id(), data));
        };
        let mut extensions = Map::default();
        let (usual, children) = match kind {
            MessageEntryType::User => ("user:\n", Vec::new()),
            MessageEntryType::Assistant => ("assistant:\n", children(said)),
        };
        if head != usual {
            raw::push(&mut extensions, "marker", head);
        }
        if kind == MessageEntryType::User {
            let author = prompt_rules::text_author(said);
            attach(&mut extensions, &author_annotations(author, is_subagent));
        }
        let (content, id) = (Some(Any::from(said)), self.place.id().into());
        Entry::Message(MessageEntry {
            children: (!children.is_empty()).then_some(children),
            ..entry::message(kind, content, self.timestamp(), id, extensions)
        })
    }
}

/// The name of the text before the first argument.
const TEXT: &str = "text";
const THINKING: &str = "[Thinking]";
const CALL: &str = "[Tool call]";
const RESULT: &str = "[Tool result]";

/// Returns the thoughts, calls and results of a turn.
fn children(said: &str) -> Vec<Entry<'_>> {
    let lines: Vec<&str> = said.split_inclusive('\n').collect();
    let mut children = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let rest = lines.get(at..).unwrap_or_default();
        if let Some(thought) = line.strip_prefix(THINKING) {
            let content = Some(Any::from(thought.trim()));
            children.push(entry::reasoning(content, None, None, None, Map::default()));
        } else if let Some(name) = line.strip_prefix(CALL) {
            let arguments = indented(rest);
            children.push(call(name.trim(), &rest[..arguments]));
            at += arguments;
        } else if let Some(name) = line.strip_prefix(RESULT) {
            let ends = |line: &&str| line.trim().is_empty() || is_marked(line);
            let length = rest.iter().position(ends).unwrap_or(rest.len());
            children.push(result(name.trim(), &rest[..length].concat()));
            at += length;
        }
    }
    children
}

/// Returns the text of the model in a turn, without thoughts, calls and results.
pub(crate) fn spoken(turn: &str) -> String {
    #[derive(Clone, Copy)]
    enum Part {
        Said,
        /// Indented and blank lines.
        Arguments,
        /// The lines before a blank line.
        Output,
    }
    let mut spoken = String::new();
    let mut part = Part::Said;
    for line in turn.split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        part = match part {
            _ if line.starts_with(CALL) => Part::Arguments,
            _ if line.starts_with(RESULT) => Part::Output,
            _ if line.starts_with(THINKING) => Part::Said,
            Part::Arguments if is_blank || line.starts_with("  ") => Part::Arguments,
            Part::Output if !is_blank => Part::Output,
            Part::Said | Part::Arguments | Part::Output => {
                spoken.push_str(line);
                Part::Said
            }
        };
    }
    spoken.trim().to_owned()
}

fn is_marked(line: &str) -> bool {
    [THINKING, CALL, RESULT].iter().any(|marker| line.starts_with(marker))
}

fn is_indented(line: &str) -> bool {
    line.starts_with("  ") && !line.trim().is_empty()
}

/// Returns the number of indented lines at the beginning, including blank ones between them.
fn indented(lines: &[&str]) -> usize {
    let mut length = 0;
    for (at, line) in lines.iter().enumerate() {
        if is_indented(line) {
            length = at + 1;
        } else if !line.trim().is_empty() {
            break;
        }
    }
    length
}

fn call<'a>(name: &'a str, arguments: &[&str]) -> Entry<'a> {
    let mut input: Vec<(&str, String)> = Vec::new();
    let mut known = HashSet::new();
    for line in arguments {
        let line = line.trim_end_matches(['\n', '\r']);
        let line = line.strip_prefix("  ").unwrap_or(line);
        // A repeated name is part of a value.
        let argument = argument(line).filter(|(key, _)| known.insert(*key));
        match (argument, input.last_mut()) {
            (Some((key, value)), _) => input.push((key, value.to_owned())),
            (None, Some((_, value))) => {
                value.push('\n');
                value.push_str(line);
            }
            (None, None) => {
                known.insert(TEXT);
                input.push((TEXT, line.to_owned()));
            }
        }
    }
    let input: Rest<'a> = input
        .into_iter()
        .map(|(key, value)| (Cow::Owned(key.to_owned()), Any::from(value.as_str())))
        .collect();
    let name = (!name.is_empty()).then(|| name.into());
    entry::tool_call(name, object(input), None, None, None, Map::default())
}

/// Returns the name and the value of an argument, if a line begins one.
fn argument(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_key = !key.is_empty() && key.bytes().all(is_name);
    let is_value = value.is_empty() || value.starts_with(' ');
    (is_key && is_value).then(|| (key, value.strip_prefix(' ').unwrap_or(value)))
}

fn result<'a>(name: &str, output: &str) -> Entry<'a> {
    let mut extensions = Map::default();
    raw::push(&mut extensions, "name", name);
    let outcome = Some(Outcome::Unknown);
    attach(&mut extensions, &EntryAnnotations { outcome, ..EntryAnnotations::default() });
    entry::tool_result(Some(Any::from(output)), None, None, None, None, extensions).into()
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn thoughts_calls_and_results_are_not_said() {
        let turn = "[Thinking] Look first.\nI'll look.\n[Tool call] Read\n  path: a\n\n  limit: 8\n\
            [Tool result] Read\nline\n\nFound it.\n[Tool call] Shell\n  command: ls\n\nDone.\n";
        assert_eq!(spoken(turn), "I'll look.\n\nFound it.\nDone.");
        assert_eq!(spoken("Nothing but words.\n"), "Nothing but words.");
        assert_eq!(spoken("[Thinking] only\n"), "");
    }
}
