//! Rules on small records, fixtures against the events expected of them, and real
//! sessions.

mod asides;
mod boundaries;
mod corpus;
mod entries;
mod facts;
mod golden;
mod hostile;
mod status;

use serde_json::Value;
use vac_adapter::{Error, Session, Source};
use vac_value::Document;
use vac_view::{Facts, Options, events, inspect, record};

/// A record of an agent with these entries and nothing more than it needs.
fn record(cli_name: &str, entries: &str) -> String {
    record_with(cli_name, "", entries)
}

/// The same with more members of the session, each with a comma behind it.
fn record_with(cli_name: &str, members: &str, entries: &str) -> String {
    format!(
        r#"{{"version": "3.0.0-draft", "id": "r", "session": {{"session-id": "s", {members}
            "agent-meta": {{"model-id": "m", "model-provider": "p", "cli-name": "{cli_name}"}},
            "entries": [{entries}]}}}}"#
    )
}

/// Everything that a record says in the way of events.
#[track_caller]
fn told(record: &str) -> Vec<Value> {
    told_with(record, Options::default())
}

#[track_caller]
fn told_with(json: &str, options: Options) -> Vec<Value> {
    let document = Document::json(json.as_bytes()).expect("JSON");
    let lines = record::read(&document, &mut |session| lines(session, &[], options));
    parsed(&lines.expect("a record"))
}

/// The events of a session, each as it is written.
fn lines(
    session: &dyn Session,
    sources: &[Source],
    options: Options,
) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    events(session, sources, options, &mut |event| {
        lines.push(String::from_utf8(event.line()).expect("text"));
        Ok(())
    })?;
    Ok(lines)
}

fn parsed(lines: &[String]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What happened in a record, without its boundaries: the names of the events.
#[track_caller]
fn names(record: &str) -> Vec<String> {
    let inside = |name: &str| !name.starts_with("session_");
    let name = |event: Value| event["event"].as_str().expect("a name").to_owned();
    told(record).into_iter().map(name).filter(|name| inside(name)).collect()
}

#[track_caller]
fn facts(json: &str) -> Facts {
    let document = Document::json(json.as_bytes()).expect("JSON");
    record::read(&document, &mut |session| inspect(session, &[])).expect("a record")
}
