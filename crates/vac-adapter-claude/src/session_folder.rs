//! Converts files in the session's folder that are not logs: tool output, notes about subagents,
//! the journals of workflows. Their entries come after those of the log.

use std::collections::HashMap;
use std::io::Read;

use vac_adapter::adapter::Counter;
use vac_adapter::attachment::{Attachment, base};
use vac_adapter::frame::{Content, Frame, Frames};
use vac_adapter::{Error, Input, Origin, Report, Sink, ids, members, raw};
use vac_record::{Entry, EventEntry};
use vac_value::{Document, Kind, Map, Node, Text};

use crate::subagent::{Calls, run};
use crate::{event, known};

/// Maximum length of a note about a subagent, in bytes.
const MAX_NOTE: u64 = 1 << 20;

/// The files of a session that are not logs.
pub(crate) struct SessionFolder<'i> {
    files: Vec<&'i dyn Input>,
    /// The number of the first of them among all files.
    first: usize,
    spilled: Spilled,
}

/// The kind of a file, by its path.
enum FileKind<'n> {
    /// Output of a tool that was too long for the log.
    ToolResult,
    /// A note about the subagent with this id.
    Note(&'n str),
    /// The journal of a workflow.
    Journal,
    Other,
}

impl<'i> SessionFolder<'i> {
    /// Collects the companion files of an input with `parts` log files.
    pub fn new(input: &'i dyn Input, parts: usize) -> Self {
        let files = input.attachments();
        let spilled =
            files.iter().filter(|file| matches!(file_kind(file.name()), FileKind::ToolResult));
        let spilled = spilled.map(|file| (base(file.name()).to_owned(), None)).collect();
        Self { files, first: parts, spilled: Spilled(spilled) }
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the files of tool output, so that the survey can find the calls that wrote them.
    pub fn spilled(&mut self) -> &mut Spilled {
        &mut self.spilled
    }

    /// Adds the calls that the notes about subagents name.
    pub fn add_noted_calls(&self, calls: &mut Calls) {
        for file in &self.files {
            let FileKind::Note(agent) = file_kind(file.name()) else { continue };
            let mut note = Vec::new();
            let read = file.open().and_then(|file| file.take(MAX_NOTE).read_to_end(&mut note));
            let call = read.ok().and_then(|_| call_of(&note));
            if let Some(call) = call {
                calls.add(agent, &call);
            }
        }
    }

    /// Passes their entries to a sink.
    pub fn entries(&self, calls: &Calls, sink: &mut dyn Sink) -> Result<(), Error> {
        for (number, file) in (self.first..).zip(&self.files) {
            let name = file.name();
            let file = Attachment { file: *file, number };
            match file_kind(name) {
                FileKind::Journal => journal(file, sink)?,
                FileKind::ToolResult => {
                    file.entries("tool-result-file", self.spilled.call(name), sink)?;
                }
                FileKind::Note(agent) => {
                    let run = name.strip_suffix(file.base()).and_then(run);
                    let call = calls.get(agent).or_else(|| calls.get(run?));
                    file.entries("subagent-note", call, sink)?;
                }
                FileKind::Other => {
                    // A workflow's file is named after its run.
                    let call = ids::stem(file.base()).and_then(|run| calls.get(run));
                    file.entries("file", call, sink)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the number of their entries.
    pub fn count(&self, calls: &Calls) -> Result<u64, Error> {
        let mut counter = Counter::default();
        self.entries(calls, &mut counter)?;
        Ok(counter.count)
    }
}

/// Returns the kind of a file.
fn file_kind(name: &str) -> FileKind<'_> {
    let base = base(name);
    let is_spilled = name.rsplit(['/', '\\']).nth(1) == Some("tool-results");
    match base.strip_suffix(".meta.json") {
        _ if is_spilled => FileKind::ToolResult,
        _ if base == "journal.jsonl" => FileKind::Journal,
        Some(stem) => FileKind::Note(stem.strip_prefix("agent-").unwrap_or(stem)),
        None => FileKind::Other,
    }
}

/// Returns the call that a note about a subagent names.
fn call_of(note: &[u8]) -> Option<String> {
    let document = Document::json(note).ok()?;
    document.root().member("toolUseId").and_then(Node::text).map(Text::into_owned)
}

/// Passes the journal of a workflow to a sink: an event for each line.
fn journal(journal: Attachment<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let folder = journal.file.name().trim_end_matches("journal.jsonl");
    let run = run(folder).map(str::to_owned);
    let Some(reader) = journal.open(sink)? else { return Ok(()) };
    let mut frames = Frames::for_file(reader, journal.number).within(journal.file.max_event());
    frames.each(|frame| {
        let report = sink.report();
        report.frames += 1;
        let (entry, bytes) = journal_line(frame, run.as_deref(), report);
        sink.entry(entry, Origin { place: frame.place, bytes })
    })
}

fn journal_line<'a>(
    frame: &'a Frame<'a>,
    run: Option<&str>,
    report: &mut Report,
) -> (Entry<'a>, &'a [u8]) {
    let document = match &frame.content {
        Content::Raw(raw) => return (event::raw(raw, frame.place, report), raw.bytes),
        Content::Document(document) => document,
    };
    let line = document.root();
    let mut data = members::all(line, &[]);
    if line.kind() != Kind::Map {
        data.push(("value".into(), line.carry()));
    }
    let kind = line.member("type").and_then(Node::text).unwrap_or("unknown".into());
    let event_type = format!("journal/{kind}");
    if !known::journal(&kind) {
        report.unknown(&event_type);
    }
    let mut extensions = Map::default();
    if let Some(run) = run {
        raw::push(&mut extensions, "runId", run);
    }
    let entry = Entry::Event(EventEntry {
        event_type: event_type.into(),
        data: Some(data),
        timestamp: None,
        id: Some(frame.place.id().into()),
        children: None,
        extensions,
    });
    (entry, line.raw())
}

/// Files of tool output, and the calls that made them.
#[derive(Default)]
pub(crate) struct Spilled(HashMap<String, Option<String>>);

impl Spilled {
    /// Adds the result of a call, if it names one of the files or one is named after it.
    pub fn result(&mut self, block: Node<'_, '_>, result: Option<Node<'_, '_>>, call: &str) {
        if self.0.is_empty() {
            return;
        }
        let path = result.and_then(|result| result.member("persistedOutputPath"));
        if let Some(path) = path.and_then(Node::text) {
            self.made(base(&path), call);
        }
        for text in texts(block) {
            if let Some((_, path)) = text.split_once("saved to: ").filter(|_| text.starts_with(TAG))
            {
                self.made(base(path.lines().next().unwrap_or_default().trim_end()), call);
            }
        }
        for name in [format!("{call}.txt"), format!("{call}.json")] {
            self.made(&name, call);
        }
    }

    fn made(&mut self, name: &str, call: &str) {
        if let Some(known @ None) = self.0.get_mut(name) {
            *known = Some(call.to_owned());
        }
    }

    fn call(&self, name: &str) -> Option<&str> {
        self.0.get(base(name))?.as_deref()
    }
}

/// The first characters of a result whose output is in a file.
const TAG: &str = "<persisted-output>";

/// Returns the texts of a block of tool output.
fn texts<'a>(block: Node<'a, '_>) -> impl Iterator<Item = Text<'a>> {
    let content = block.member("content");
    let blocks = content.into_iter().flat_map(Node::elements);
    blocks.filter_map(|block| block.member("text")).chain(content).filter_map(Node::text)
}
