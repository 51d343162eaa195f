//! The take-or-keep cursor.

use vac_adapter::cursor::{Cursor, keys};
use vac_record::{
    AgentMeta, Encode, Entry, Environment, EventEntry, MessageEntry, MessageEntryType,
    ReasoningEntry, SessionId, SessionTrace, TokenUsage, ToolCallEntry, ToolResultEntry,
    VcsContext,
};
use vac_value::{Any, Document, Extensions};

fn object(json: &[u8]) -> Document<'_> {
    Document::json(json).expect("JSON")
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "2 native members were neither taken nor kept")]
fn forgetting_the_rest_fails_a_test() {
    let document = object(br#"{"a":1,"b":2,"c":3}"#);
    let mut cursor = Cursor::of(document.root()).expect("an object");
    assert_eq!(cursor.uint("a"), Some(1));
}

#[test]
fn only_what_fits_is_taken() {
    let document = object(
        br#"{"text":1,"time":"2026-02-30","uint":-1,"bool":"true","number":1e400,"object":[],
        "array":{},"any":null,"half":"\ud800","word":"other"}"#,
    );
    let mut cursor = Cursor::of(document.root()).expect("an object");
    assert_eq!(cursor.text("text"), None);
    assert_eq!(cursor.timestamp("time"), None);
    assert_eq!(cursor.uint("uint"), None);
    assert_eq!(cursor.bool("bool"), None);
    assert_eq!(cursor.number("number"), None);
    assert!(cursor.object("object").is_none());
    assert!(cursor.array("array").is_none());
    assert_eq!(cursor.any("any"), None);
    assert_eq!(cursor.text("half"), None);
    assert!(!cursor.said("word", "this"));
    assert_eq!(cursor.rest(&[]).len(), 9, "all but the null");
}

#[test]
fn marked_names_cannot_meet() {
    let document = object(
        br#"{"id":1,"native:id":2,"native:native:id":3,"\ud800":4,"native-token:\\ud800":5}"#,
    );
    let rest = Cursor::of(document.root()).expect("an object").rest(keys::MESSAGE);
    let names: Vec<_> = rest.iter().map(|(name, _)| name.as_ref()).collect();
    assert_eq!(
        names,
        [
            "native:id",
            "native:native:id",
            "native:native:native:id",
            "native-token:\\ud800",
            "native:native-token:\\ud800",
        ]
    );
}

#[test]
fn what_is_left_of_a_nested_object_stays_together() {
    let document = object(br#"{"m":{"a":1,"b":{"c": [2]},"d":null}}"#);
    let mut cursor = Cursor::of(document.root()).expect("an object");
    let mut inner = cursor.object("m").expect("an object");
    assert_eq!(inner.uint("a"), Some(1));
    let left = inner.remainder().expect("something");
    assert_eq!(left.to_json().expect("JSON"), r#"{"b":{"c":[2]}}"#);
    assert!(cursor.remainder().is_none());
}

/// The keys that a value is written with.
fn written(value: &impl Encode) -> Vec<String> {
    let json = value.to_json().expect("JSON");
    let document = object(json.as_bytes());
    document.root().members().filter_map(|(key, _)| Some(key.text()?.into_owned())).collect()
}

fn any() -> Any<'static> {
    Any::from("x")
}

#[test]
#[allow(clippy::too_many_lines)] // one literal for each map of the schema
fn the_named_keys_are_those_of_the_schema() {
    let vcs = VcsContext {
        kind: "x".into(),
        revision: Some("x".into()),
        branch: Some("x".into()),
        repository: Some("x".into()),
        extensions: Extensions::default(),
    };
    let usage = TokenUsage {
        input: Some(1),
        output: Some(1),
        cached: Some(1),
        reasoning: Some(1),
        total: Some(1),
        cost: Some(1.into()),
        extensions: Extensions::default(),
    };
    let meta = AgentMeta {
        model_id: "x".into(),
        model_provider: "x".into(),
        models: Some(Vec::new()),
        cli_name: Some("x".into()),
        cli_version: Some("x".into()),
        extensions: Extensions::default(),
    };
    let environment = Environment {
        working_dir: "x".into(),
        vcs: Some(vcs.clone()),
        sandboxes: Some(Vec::new()),
        extensions: Extensions::default(),
    };
    let time = || Some(vac_record::AbstractTimestamp::Uint(1));
    let children = || Some(Vec::new());
    let id = || Some("x".into());
    assert_eq!(written(&vcs), keys::VCS);
    assert_eq!(written(&usage), keys::TOKEN_USAGE);
    assert_eq!(written(&meta), keys::AGENT_META);
    assert_eq!(written(&environment), keys::ENVIRONMENT);
    let session = SessionTrace {
        format: Some("x".into()),
        session_id: SessionId::Text("x".into()),
        session_start: time(),
        session_end: time(),
        agent_meta: meta,
        environment: Some(environment),
        entries: Vec::new(),
        extensions: Extensions::default(),
    };
    assert_eq!(written(&session), keys::SESSION);
    let message = Entry::Message(MessageEntry {
        kind: MessageEntryType::User,
        content: Some(any()),
        timestamp: time(),
        id: id(),
        model_id: id(),
        parent_id: id(),
        token_usage: Some(usage),
        children: children(),
        extensions: Extensions::default(),
    });
    assert_eq!(written(&message), keys::MESSAGE);
    let call = Entry::ToolCall(ToolCallEntry {
        name: "x".into(),
        input: any(),
        call_id: id(),
        timestamp: time(),
        id: id(),
        children: children(),
        extensions: Extensions::default(),
    });
    assert_eq!(written(&call), keys::TOOL_CALL);
    let result = Entry::ToolResult(ToolResultEntry {
        output: any(),
        call_id: id(),
        status: id(),
        is_error: Some(true),
        timestamp: time(),
        id: id(),
        children: children(),
        extensions: Extensions::default(),
    });
    assert_eq!(written(&result), keys::TOOL_RESULT);
    let reasoning = Entry::Reasoning(ReasoningEntry {
        content: any(),
        encrypted: id(),
        subject: id(),
        timestamp: time(),
        id: id(),
        children: children(),
        extensions: Extensions::default(),
    });
    assert_eq!(written(&reasoning), keys::REASONING);
    let event = Entry::Event(EventEntry {
        event_type: "x".into(),
        data: Some(Extensions::default()),
        timestamp: time(),
        id: id(),
        children: children(),
        extensions: Extensions::default(),
    });
    assert_eq!([&written(&event)[..], &["parent-id".to_owned()]].concat(), keys::EVENT);
}
