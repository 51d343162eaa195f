//! Tests that prompts, answers, calls and results stay when records are exported as trajectories
//! and read back.

use std::path::{Path, PathBuf};

use vac::AGENTS;
use vac_adapter::{Adapter as _, Error, Memory, Origin, Report, Session, Sink};
use vac_adapter_atif::Atif;
use vac_interchange::{InterchangeFormat, write_session};
use vac_record::Entry;
use vac_record::annotations::EntryAnnotations;
use vac_tests::root;
use vac_value::{Document, Encode as _};
use vac_view::entry_reader::{EntryReader, EntryVisitor};
use vac_view::{Context, EventKind, MessageAuthor, SkipReason, record};

/// The content of a session, as far as trajectories can express it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Content {
    prompts: Vec<String>,
    /// The text of all answers, without spaces. A step contains all texts of one answer.
    answers: String,
    reasoning: String,
    calls: Vec<String>,
    /// The results, sorted, because trajectories contain them next to their calls.
    results: Vec<String>,
}

impl EntryVisitor for Content {
    fn entry(&mut self, _: &Entry<'_>, _: &EntryAnnotations<'_>, _: &Context<'_>) {}

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        if !matches!(context.skip_reason(), None | Some(SkipReason::Inherited)) {
            return Ok(());
        }
        match kind {
            EventKind::UserPrompt { text, author, is_local_command, .. } => {
                let is_to_model = match author {
                    MessageAuthor::User | MessageAuthor::Unstated => !is_local_command,
                    author => author == MessageAuthor::OtherAgent,
                };
                let text = text.text.trim().to_owned();
                self.prompts.extend(Some(text).filter(|text| is_to_model && !text.is_empty()));
            }
            EventKind::AssistantText { text, .. } => {
                self.answers.extend(text.text.split_whitespace());
            }
            EventKind::Reasoning { text, .. } => {
                self.reasoning.extend(text.text.split_whitespace());
            }
            EventKind::ToolUse { tool, .. } => self.calls.push(tool.to_owned()),
            EventKind::ToolResult { text, output, .. } => {
                let json = || output.to_json().ok().filter(|json| json != "null");
                self.results.push(text.or_else(json).unwrap_or_default());
            }
            _ => {}
        }
        Ok(())
    }
}

struct ContentSink {
    reader: EntryReader,
    content: Content,
    report: Report,
}

impl Sink for ContentSink {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.reader.read(&entry, &mut self.content)
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

fn content(session: &dyn Session) -> Result<Content, Error> {
    let reader = EntryReader::new(session.adapter());
    let (content, report) = (Content::default(), Report::default());
    let mut sink = ContentSink { reader, content, report };
    session.entries(&mut sink)?;
    sink.content.results.sort();
    Ok(sink.content)
}

/// Returns the records that are expected of the logs of an agent.
fn expected_records(folder: &Path) -> Vec<PathBuf> {
    let inside = |folder: PathBuf| folder.read_dir().into_iter().flatten().flatten();
    let cases = inside(folder.to_owned()).flat_map(|variant| inside(variant.path()));
    let files = cases.flat_map(|case| inside(case.path())).map(|file| file.path());
    let is_record = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("expected") && name.ends_with(".json")
    };
    files.filter(is_record).collect()
}

#[test]
fn trajectories_of_records_keep_prompts_answers_calls_and_results() {
    let (mut prompts, mut calls, mut results) = (0, 0, 0);
    for agent in AGENTS.iter().map(|agent| agent.name()) {
        let folder = root().join("fixtures").join(agent);
        for path in expected_records(&folder) {
            let bytes = std::fs::read(&path).expect("a record");
            let document = Document::json(&bytes).expect("JSON");
            let mut trajectory = Vec::new();
            let before = record::read(&document, AGENTS, &mut |session| {
                let key = "00112233445566778899aabbccddeeff";
                write_session(session, &[], key, InterchangeFormat::Atif, &mut trajectory)?;
                content(session)
            })
            .expect("a record");
            let log = Memory { name: "trajectory.json", bytes: &trajectory };
            let sessions = Atif.survey(&log).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            let [session] = &sessions[..] else { panic!("{path:?}: one session") };
            let after = content(&**session).expect("a session");
            assert_eq!(after, before, "{}", path.display());
            prompts += after.prompts.len();
            calls += after.calls.len();
            results += after.results.len();
        }
    }
    println!("{prompts} prompts, {calls} calls and {results} results");
    assert!(prompts > 200 && calls > 200 && results > 150);
}
