//! Items of sessions: calls with their results, what is left out, and where entries are.

use vac_adapter::Error;
use vac_value::Document;
use vac_view::record;
use vac_view::transcript::{Call, Item, ItemKind, Summary, TranscriptOptions, transcript};

use crate::{AGENTS, annotated};

#[track_caller]
fn read(entries: &str, options: TranscriptOptions) -> (Vec<Item>, Summary) {
    let json = crate::record(entries);
    let document = Document::json(json.as_bytes()).expect("JSON");
    let mut items = Vec::new();
    let summary = record::read(&document, AGENTS, &mut |session| {
        transcript(session, &[], options, &mut |item| {
            items.push(item.clone());
            Ok(())
        })
    });
    (items, summary.expect("a record"))
}

fn items(entries: &str) -> Vec<Item> {
    read(entries, TranscriptOptions::default()).0
}

/// Returns the names of items, with the output of calls.
fn names(items: &[Item]) -> Vec<String> {
    let name = |item: &Item| match &item.kind {
        ItemKind::Prompt { text, .. } => format!("prompt {}", text.text),
        ItemKind::Answer { text, .. } => format!("answer {}", text.text),
        ItemKind::Reasoning { .. } => "reasoning".to_owned(),
        ItemKind::Call(call) => match &call.result {
            Some(result) => format!("call {} -> {}", call.tool, result.output),
            None => format!("call {}", call.tool),
        },
        ItemKind::Result { result, .. } => format!("result {}", result.output),
        ItemKind::Permission { .. } => "permission".to_owned(),
        ItemKind::Compaction => "compaction".to_owned(),
        ItemKind::Unparsed { .. } => "unparsed".to_owned(),
    };
    items.iter().map(name).collect()
}

fn call(item: &Item) -> &Call {
    match &item.kind {
        ItemKind::Call(call) => call,
        other => panic!("not a call: {other:?}"),
    }
}

fn prompt(text: &str) -> String {
    annotated(&format!(r#"{{"type": "user", "content": "{text}"}}"#), r#""author": "user""#)
}

fn run(id: &str) -> String {
    format!(r#"{{"type": "tool-call", "name": "run", "call-id": "{id}", "input": {{"cmd": "x"}}}}"#)
}

fn result(id: &str, output: &str) -> String {
    format!(r#"{{"type": "tool-result", "call-id": "{id}", "output": "{output}"}}"#)
}

#[test]
fn results_are_joined_to_their_calls_in_order() {
    let entries = [run("a"), run("b"), result("b", "2"), result("a", "1")].join(",");
    assert_eq!(names(&items(&entries)), ["call run -> 1", "call run -> 2"]);
    let entries = [run("a"), prompt("Stop"), result("a", "1")].join(",");
    assert_eq!(names(&items(&entries)), ["call run", "prompt Stop", "result 1"]);
    let alone = items(&result("a", "1"));
    assert_eq!(names(&alone), ["result 1"]);
}

#[test]
fn commands_that_the_user_ran_are_of_the_user() {
    let action = r#""action": {"tool": "user_command", "category": "Execute"}"#;
    let entries = [annotated(&run("a"), action), run("b")].join(",");
    let are_of_user = items(&entries).iter().map(|item| call(item).is_of_user).collect::<Vec<_>>();
    assert_eq!(are_of_user, [true, false]);
}

#[test]
fn calls_without_ids_have_the_next_result() {
    let entries = r#"{"type": "tool-call", "name": "run", "input": {}},
        {"type": "tool-result", "output": {"stdout": "1"}}"#;
    assert_eq!(names(&items(entries)), ["call run -> 1"]);
}

#[test]
fn a_bounded_number_of_items_waits_for_a_result() {
    let answer = r#"{"type": "assistant", "content": "x"}"#;
    let mut entries = vec![run("a")];
    entries.extend(std::iter::repeat_n(answer.to_owned(), 1000));
    entries.push(result("a", "1"));
    let names = names(&items(&entries.join(",")));
    assert_eq!(
        (names[0].as_str(), names.last().map(String::as_str)),
        ("call run", Some("result 1"))
    );
}

#[test]
fn children_have_json_pointers() {
    let entries = format!(
        r#"{}, {{"type": "assistant", "content": "Yes", "children": [
            {}, {{"type": "reasoning", "content": "Hm"}}]}}"#,
        prompt("Fire it"),
        run("a"),
    );
    let items = items(&entries);
    assert_eq!(names(&items), ["prompt Fire it", "reasoning", "answer Yes", "call run"]);
    let places: Vec<_> = items.iter().map(|item| item.place.pointer()).collect();
    assert_eq!(
        places,
        [
            "/session/entries/0",
            "/session/entries/1/children/1",
            "/session/entries/1",
            "/session/entries/1/children/0"
        ]
    );
}

#[test]
fn edits_are_counted_by_file_unless_they_failed() {
    let edit = |id: &str, outcome: &str| {
        let call = format!(
            r#"{{"type": "tool-call", "name": "glaze", "call-id": "{id}",
                "input": {{"path": "a", "old": "x\ny", "new": "x\nz\n!"}}}}"#
        );
        let result = annotated(&result(id, ""), &format!(r#""outcome": "{outcome}""#));
        format!("{call}, {result}")
    };
    let entries = [edit("1", "success"), edit("2", "error")].join(",");
    let (items, summary) = read(&entries, TranscriptOptions::default());
    let diff = &call(&items[0]).edits[0];
    let lines: Vec<_> =
        diff.lines.iter().map(|it| format!("{}{}", it.kind.sign(), it.text)).collect();
    assert_eq!(lines, [" x", "-y", "+z", "+!"]);
    let file = summary.totals.files["a"];
    assert_eq!((file.added, file.removed, summary.totals.failed_calls), (2, 1, 1));
}

#[test]
fn commands_hosts_and_tokens_are_summed_up() {
    let failed = annotated(&result("a", "no"), r#""outcome": "error", "exit-code": 2"#);
    let fetch =
        r#"{"type": "tool-call", "name": "fetch", "input": {"url": "https://a.example/x"}}"#;
    let usage = annotated(
        r#"{"type": "assistant", "content": "Done"}"#,
        r#""usage": {"input": 3, "output": 4}"#,
    );
    let entries = [prompt("Go"), run("a"), failed, fetch.to_owned(), usage].join(",");
    let (items, summary) = read(&entries, TranscriptOptions::default());
    assert_eq!(call(&items[1]).code(), Some(2));
    let totals = summary.totals;
    assert_eq!((totals.prompts, totals.calls, totals.commands), (1, 2, 1));
    assert_eq!((totals.failed_commands, totals.tokens.total), (1, Some(7)));
    assert_eq!(totals.hosts["a.example"], 1);
}

#[test]
fn superseded_and_repeated_items_are_left_out() {
    let message = r#"{"type": "assistant", "content": "x"}"#;
    let entries = [
        annotated(message, r#""superseded": {"how": "rewound"}"#),
        annotated(message, r#""superseded": {"how": "updated"}"#),
        annotated(message, r#""duplicate-of": "e"}"#.trim_end_matches('}')),
        annotated(message, r#""superseded": {"how": "compacted"}"#),
        annotated(r#"{"type": "user", "content": "y"}"#, r#""author": "program""#),
    ];
    let entries = entries.join(",");
    let (items, summary) = read(&entries, TranscriptOptions::default());
    assert_eq!(names(&items), ["answer x"]);
    let totals = summary.totals;
    assert_eq!((totals.superseded, totals.repeated, totals.by_program), (1, 2, 1));
    let (items, _) = read(&entries, TranscriptOptions { all: true });
    assert_eq!(items.len(), 5);
    assert!(items[0].superseded.is_some() && items[1].skip_reason.is_some());
}

#[test]
fn subagents_are_indented_below_the_call_that_started_them() {
    let task = annotated(
        r#"{"type": "tool-call", "name": "delegate", "call-id": "t", "input": {}}"#,
        r#""action": {"tool": "delegation", "category": "Delegate"}"#,
    );
    let inner = annotated(
        r#"{"type": "tool-call", "name": "delegate", "call-id": "u", "input": {}}"#,
        r#""action": {"tool": "delegation", "category": "Delegate"},
            "subagent": {"id": "1", "call-id": "t"}"#,
    );
    let innermost = annotated(
        r#"{"type": "assistant", "content": "x"}"#,
        r#""subagent": {"id": "2", "call-id": "u"}"#,
    );
    let entries = [task, inner, innermost, result("u", "b"), result("t", "a")].join(",");
    let items = items(&entries);
    let depths: Vec<_> = items.iter().map(|item| item.depth).collect();
    assert_eq!(
        names(&items),
        ["call delegate", "call delegate", "answer x", "result b", "result a"]
    );
    assert_eq!(depths, [0, 1, 2, 0, 0]);
}

#[test]
fn compactions_are_one_divider() {
    let event = |kind: &str, id: &str| {
        format!(r#"{{"type": "system-event", "event-type": "{kind}", "id": "{id}"}}"#)
    };
    let compacted = annotated(
        r#"{"type": "assistant", "content": "x"}"#,
        r#""superseded": {"how": "compacted", "by": "e9"}"#,
    );
    let entries = [
        event("kiln-compaction", "e1"),
        event("kiln-compaction", "e2"),
        event("other", "e3"),
        compacted,
        event("other", "e9"),
    ];
    assert_eq!(names(&items(&entries.join(","))), ["compaction", "answer x", "compaction"]);
}

#[test]
fn receivers_can_fail() {
    let json = crate::record(&prompt("x"));
    let document = Document::json(json.as_bytes()).expect("JSON");
    let read = record::read(&document, AGENTS, &mut |session| {
        transcript(session, &[], TranscriptOptions::default(), &mut |_| {
            Err(Error::Refused("full".to_owned()))
        })
    });
    assert!(read.is_err());
}
