//! Rules on small annotated records, fixtures with the events expected of them, and real
//! sessions.

mod authors;
mod boundaries;
mod corpus;
mod entries;
mod facts;
mod golden;
mod hostile;
mod kiln;
mod skipped;
mod status;
mod tools;
mod transcript;

use serde_json::Value;
use vac_adapter::{Adapter, Error, Session, SourceFile};
use vac_value::Document;
use vac_view::{EventOptions, Facts, events, inspect, record};

/// The only agent whose tables these tests know.
const AGENTS: &[&dyn Adapter] = &[&kiln::Kiln];

/// Returns a minimal record of the agent `kiln` with these entries.
fn record(entries: &str) -> String {
    record_of("kiln-cli", "", entries)
}

/// Returns a record of an agent without an adapter.
fn foreign_record(entries: &str) -> String {
    record_of("someone-else", "", entries)
}

/// Returns a record of an agent with more members of the session, each followed by a comma.
fn record_of(cli_name: &str, members: &str, entries: &str) -> String {
    format!(
        r#"{{"version": "3.0.0-draft", "id": "r", "session": {{"session-id": "s", {members}
            "agent-meta": {{"model-id": "m", "model-provider": "p", "cli-name": "{cli_name}"}},
            "entries": [{entries}]}}}}"#
    )
}

/// Adds annotations to an entry.
fn annotated(entry: &str, annotations: &str) -> String {
    entry.replacen('{', &format!(r#"{{"vac": {{{annotations}}}, "#), 1)
}

#[track_caller]
fn events_of(record: &str) -> Vec<Value> {
    events_with(record, EventOptions::default())
}

#[track_caller]
fn events_with(json: &str, options: EventOptions) -> Vec<Value> {
    let document = Document::json(json.as_bytes()).expect("JSON");
    let lines = record::read(&document, AGENTS, &mut |session| lines(session, &[], options));
    parse(&lines.expect("a record"))
}

/// Returns the events of a session as lines.
fn lines(
    session: &dyn Session,
    sources: &[SourceFile],
    options: EventOptions,
) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    events(session, sources, options, &mut |event| {
        lines.push(String::from_utf8(event.line()).expect("text"));
        Ok(())
    })?;
    Ok(lines)
}

fn parse(lines: &[String]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns the names of the events of a record, without its boundaries.
#[track_caller]
fn names(record: &str) -> Vec<String> {
    let name = |event: &Value| event["event"].as_str().expect("a name").to_owned();
    let names = events_of(record).iter().map(name).collect::<Vec<_>>();
    names.into_iter().filter(|name| !name.starts_with("session_")).collect()
}

/// Returns the event of a record of `kiln` with one entry.
#[track_caller]
fn only(entry: &str) -> Value {
    let mut events = events_of(&record(entry));
    assert_eq!(events.len(), 3, "{events:?}");
    events.remove(1)
}

#[track_caller]
fn facts(json: &str) -> Facts {
    let document = Document::json(json.as_bytes()).expect("JSON");
    record::read(&document, AGENTS, &mut |session| inspect(session, &[])).expect("a record")
}
