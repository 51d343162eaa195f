//! Real sessions, if they exist; they are not part of the project.

use std::path::{Path, PathBuf};

use serde_json::Value;
use vac_adapter::{Adapter, Input, Session, SourceFile, session};
use vac_record::time::instant;
use vac_record::{AbstractTimestamp, Entry};
use vac_store::find;
use vac_store::join::{detect, join};
use vac_value::{Any, Document, Encoding};
use vac_view::{EventOptions, inspect, record};

use crate::{lines, parse};

const ADAPTERS: &[&dyn Adapter] = &[
    &vac_adapter_claude::Claude,
    &vac_adapter_codex::Codex,
    &vac_adapter_gemini::Gemini,
    &vac_adapter_opencode::OpenCode,
    &vac_adapter_cursor::Cursor,
];

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("VAC_CORPUS").map_or(default, PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no corpus (set VAC_CORPUS to name one)");
        return None;
    }
    Some(folder)
}

#[test]
fn events_and_facts_of_the_corpus_agree() {
    let Some(folder) = corpus() else { return };
    let logs =
        find(&[folder], ADAPTERS).logs.into_iter().map(|log| detect(log, ADAPTERS)).collect();
    let (mut sessions, mut events, mut refused) = (0, 0, 0);
    for known in join(logs) {
        let Some(adapter) = ADAPTERS.iter().find(|it| Some(it.name()) == known.agent) else {
            continue;
        };
        let loaded = known.log.load().expect("a log");
        let name = |part: &&dyn Input| SourceFile {
            name: part.name().to_owned(),
            size: 0,
            sha_256: String::new(),
        };
        let sources: Vec<_> = loaded.parts().iter().map(name).collect();
        let Ok(found) = adapter.survey(&loaded) else {
            refused += 1;
            continue;
        };
        for session in found {
            events += check(&known.log.shown, &*session, &sources);
            sessions += 1;
        }
    }
    println!("{sessions} sessions, {events} events, {refused} logs refused");
    assert!(sessions > 50, "only {sessions} sessions");
}

/// Checks a session. Returns the number of its events.
fn check(shown: &str, session: &dyn Session, sources: &[SourceFile]) -> usize {
    let own = lines(session, sources, EventOptions::default()).expect("events");
    let all = lines(session, sources, EventOptions::everything()).expect("events");
    let parsed = parse(&all);
    let count = |lines: &[Value], name: &str| lines.iter().filter(|it| it["event"] == name).count();

    let (whole, _) =
        session::collect(session, &session::RecordOptions::default()).expect("a record");
    let calls = entries(&whole.session.entries, |entry| matches!(entry, Entry::ToolCall(_)));
    let results = entries(&whole.session.entries, |entry| matches!(entry, Entry::ToolResult(_)));
    assert_eq!(count(&parsed, "tool_use"), calls, "{shown}: a call is one event");
    assert_eq!(count(&parsed, "tool_result"), results, "{shown}: a result is one event");
    assert_eq!(count(&parsed, "session_start"), 1, "{shown}");
    assert_eq!(count(&parsed, "session_end"), 1, "{shown}");
    assert_eq!(parsed[0]["event"], "session_start", "{shown}");
    assert_eq!(parsed[parsed.len() - 1]["event"], "session_end", "{shown}");
    derived_times_keep_the_order(shown, &parsed);

    let facts = inspect(session, sources).expect("facts");
    let own_events = parse(&own);
    let called: u64 = facts.tools.iter().map(|used| used.calls).sum();
    assert_eq!(called, count(&own_events, "tool_use") as u64, "{shown}");
    let by_user = |author: &str| facts.prompts.get(author).copied().unwrap_or_default();
    let prompts = by_user("user") + by_user("unstated");
    assert_eq!(prompts, count(&own_events, "user_prompt") as u64, "{shown}");
    let input = |it: &Value| it["usage"]["input"].as_u64().unwrap_or_default();
    let used: u64 = own_events.iter().map(input).sum();
    let stated = facts.tokens.as_ref().and_then(|tokens| tokens.input).unwrap_or_default();
    assert_eq!(used, stated, "{shown}: usage events add up to the facts");
    assert_eq!(own_events[own_events.len() - 1]["status"], facts.status.name(), "{shown}");

    record_has_the_events_of_its_log(shown, session, sources, &all);
    all.len()
}

fn entries(list: &[Entry<'_>], is_one: fn(&Entry<'_>) -> bool) -> usize {
    let children = |entry: &Entry<'_>| {
        let children = match entry {
            Entry::Message(of) => &of.children,
            Entry::ToolCall(of) => &of.children,
            Entry::ToolResult(of) => &of.children,
            Entry::Reasoning(of) => &of.children,
            Entry::Event(of) => &of.children,
        };
        children.as_ref().map_or(0, |children| entries(children, is_one))
    };
    list.iter().map(|entry| usize::from(is_one(entry)) + children(entry)).sum()
}

fn derived_times_keep_the_order(shown: &str, events: &[Value]) {
    let at = |event: &Value| {
        let text = event["timestamp"].as_str()?;
        instant(&AbstractTimestamp::try_from(text).ok()?)
    };
    for pair in events.windows(2) {
        if pair[1]["timestamp-derived"] == "order" {
            assert!(at(&pair[0]) < at(&pair[1]), "{shown}: {} {}", pair[0], pair[1]);
        }
    }
}

/// Checks that the record of a session has the events of its log, in both encodings.
fn record_has_the_events_of_its_log(
    shown: &str,
    session: &dyn Session,
    sources: &[SourceFile],
    expected: &[String],
) {
    for encoding in [Encoding::Json, Encoding::Cbor] {
        let mut bytes = Vec::new();
        let options = session::RecordOptions { encoding, ..session::RecordOptions::default() };
        let sources = || Ok(sources.to_vec());
        let report = session::write(session, &options, &sources, &mut bytes).expect("a record");
        let document = Document::scan(&bytes, encoding).expect("a document");
        assert!(record::is_record(&document), "{shown}");
        let mut found = Vec::new();
        record::read(&document, ADAPTERS, &mut |session| {
            vac_view::events(session, &[], EventOptions::everything(), &mut |event| {
                found.push(event.line());
                Ok(())
            })
        })
        .expect("events");
        if encoding == Encoding::Cbor && found.len() != expected.len() {
            // Text with a lone surrogate is kept unparsed in CBOR.
            assert!(report.unparsed.reasons.contains_key("not-encodable"), "{shown}");
            continue;
        }
        assert_eq!(found.len(), expected.len(), "{shown}");
        for (found, expected) in found.iter().zip(expected) {
            let is_same = match encoding {
                Encoding::Json => found == expected.as_bytes(),
                // Keys are in another order.
                Encoding::Cbor => Any::from_json(found) == Any::from_json(expected.as_bytes()),
            };
            let found = String::from_utf8_lossy(found);
            assert!(is_same, "{shown}, {encoding}:\n{found:.500}\n{expected:.500}");
        }
    }
}
