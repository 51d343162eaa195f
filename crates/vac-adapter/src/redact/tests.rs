use super::*;
use crate::frame::frames_in_memory;

const SECRETS: Secrets = Secrets::new(&["secret", "blobEncryptionKey"]);

/// Returns a text as the inside of a JSON string.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Returns a text with every character as an escape.
fn spelled(text: &str) -> String {
    use std::fmt::Write as _;
    text.encode_utf16().fold(String::new(), |mut all, unit| {
        write!(all, "\\u{unit:04x}").expect("a string takes text");
        all
    })
}

#[test]
fn names_are_read_in_every_spelling() {
    let plain = r#"{"id": "x", "secret": "hush"#;
    let once = escaped(plain);
    let mut all = vec![
        plain.to_owned(),
        r#"{"s\u0065cret":"hush"#.to_owned(),
        r#"{"\u0073\u0065\u0063\u0072\u0065\u0074":"hush"#.to_owned(),
        r#"{"\u0053\u0073ecret":"hush"#.to_owned(),
        "{\"secret\"\n:\n\"hush".to_owned(),
        "{\"secret\" \t\r\n  \"hush".to_owned(),
        r#"{"url":1,"url":2,"secret":"hush"}"#.to_owned(),
        r#"{"blobEncryption\u004bey":"hush"#.to_owned(),
        r#"{\blobEncryptionKey\":\"hush"#.to_owned(),
        // Damage in the key, next to it and before it.
        r#"{secret":"hush"#.to_owned(),
        r#"{"secret:"hush"#.to_owned(),
        r#"{"secretb:"hush"#.to_owned(),
        r#"{"secret"hush"#.to_owned(),
        r#"{"sec ret":"hush"#.to_owned(),
        r#"{"sec\nret":"hush"#.to_owned(),
        "{\"sec\0\0ret\":\"hush".to_owned(),
        r#"{"secret"#.to_owned(),
        r#"{"sh\u00zzared":1,"secret":"hush"#.to_owned(),
        r#"{"\u00secret":"hush"#.to_owned(),
        format!("{{\"{}\":\"hush", spelled("secret")),
        format!("{{\"{}\":\"hush", spelled(r"s\u0065cret")),
        spelled(&spelled(plain)),
        spelled(&once),
    ];
    let mut deeper = once.clone();
    for _ in 0..6 {
        all.push(deeper.clone());
        deeper = escaped(&deeper);
    }
    for text in all {
        assert!(SECRETS.are_readable_in(text.as_bytes()), "{text}");
        let wide = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect();
        let (little, big): (Vec<u8>, Vec<u8>) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
        assert!(SECRETS.are_readable_in(&little) && SECRETS.are_readable_in(&big), "{text}");
        let mut damaged = text.into_bytes();
        damaged.insert(4, 0xff);
        assert!(SECRETS.are_readable_in(&damaged));
        assert!(SECRETS.are_readable_in_base64(BASE64.encode(&damaged).as_bytes()));
    }
}

#[test]
fn other_text_is_not_taken_for_a_name() {
    for text in [
        "",
        "what is this?",
        r#"{"text": "no secret was ever so well kept", "a"#,
        r#"{"SECRET": "other", "Secret": "other"#,
        r#"{"secre": "other", "ecret": "other"#,
        r#"{"s\u0064cret": "other", "\u2028": "\\u0"#,
        r#"{"blobencryptionkey": "other"#,
        r#"{"\secre\\u0075": "C:\\Users\\new"#,
    ] {
        assert!(!SECRETS.are_readable_in(text.as_bytes()), "{text}");
        assert!(!SECRETS.are_readable_in_base64(BASE64.encode(text.as_bytes()).as_bytes()));
    }
    assert!(SECRETS.are_readable_in_base64(b"what is this?"), "it might be anything");
}

#[test]
fn text_that_is_escaped_too_often_is_redacted() {
    let nested = |levels: usize| format!(r#"{{"\{}u0061":1"#, "u005c".repeat(levels));
    assert!(!SECRETS.are_readable_in(nested(2).as_bytes()));
    assert!(SECRETS.are_readable_in(nested(20).as_bytes()));
}

#[test]
fn values_are_blanked_at_every_depth_and_nothing_else() {
    let text = r#" {"a": 1, "secret": {"secret": 1}, "b": [{"s\u0065cret" : "x", "c": "secret"}],
        "secret": null, "d": 2} "#;
    let document = Document::json(text.as_bytes()).expect("JSON");
    let (kept, count) = SECRETS.without_secrets(document.root()).expect("secrets");
    let expected = r#"{"a": 1, "(redacted)":null, "b": [{"(redacted)":null, "c": "secret"}],
        "(redacted)":null, "d": 2}"#;
    assert_eq!((String::from_utf8_lossy(&kept).as_ref(), count), (expected, 3));
    let inside = document.root().member("b").expect("a list");
    let (kept, _) = SECRETS.without_secrets(inside).expect("a secret");
    assert_eq!(String::from_utf8_lossy(&kept), r#"[{"(redacted)":null, "c": "secret"}]"#);
    let none = Document::json(br#"{"a": "secret"}"#).expect("JSON");
    assert_eq!(SECRETS.without_secrets(none.root()), None);
}

/// Returns the frames of a log: `x` for each that is redacted, `-` for each that is kept.
fn redacted(log: &str) -> String {
    let mut redactor = Redactor::new(SECRETS);
    let frames = frames_in_memory(log.as_bytes());
    frames.iter().map(|frame| if redactor.is_redacted(frame) { 'x' } else { '-' }).collect()
}

#[test]
fn bytes_after_a_name_are_redacted_up_to_the_next_value() {
    for (log, expected) in [
        ("{\"id\":1,\"secret\":\n\"hush\",\n\"url\":\n{\"a\":1}\nbad", "xxx--"),
        ("{\"secret\"\n:\n\"hush\"\n7\n[]\n\"hush\"", "xxxx--"),
        ("{\"a\":\"secre\nt\":\"hush\"\n\"rest\"", "-xx"),
        ("{\"secret\":\"hu\0\0sh\"\n{}", "x-x-"),
        ("{\"secret\":\"hush\",\"a\":1,\"a\":2}\nbad\n\"text\"", "x--"),
        ("bad \"secret\" line\n{\"a\":1,\"a\":2}\nbad", "x--"),
        ("{\"secret\":\"hush\"}\n\"{\\\"secret\\\":\\\"hush\\\"}\"\n{}", "-x-"),
    ] {
        assert_eq!(redacted(log), expected, "{log:?}");
    }
}

#[test]
fn an_entry_has_the_digest_or_the_text_without_the_secret() {
    let place = Place { line: 3, part: 1, ..Place::default() };
    let made = |bytes: &[u8], reason: &Reason| {
        use vac_value::Encode as _;
        entry(SECRETS, bytes, reason, place, KnownMembers::default()).to_json().expect("JSON")
    };
    assert_eq!(
        made(b"{\"secret\":", &Reason::Stray),
        concat!(
            r#"{"type":"system-event","event-type":"unparsed","data":{"line":3,"length":10,"sha-256":"#,
            r#""5c2f36ed7c434080656831891a84b52bd4090ffc0ae9f1ad05bf7ce831230c51"},"id":"L3","#,
            r#""vac":{"reason":"redacted"}}"#,
        ),
    );
    let twice = made(br#"{"secret":"hush","a":1,"a":2}"#, &Reason::DuplicateKey);
    assert!(
        twice.contains(r#""raw":"{\"(redacted)\":null,\"a\":1,\"a\":2}","redacted":1"#),
        "{twice}"
    );
    let inside = br#"{"secret":"x","a":"{\"secret\":\"hush\"}","a":2}"#;
    assert!(made(inside, &Reason::DuplicateKey).contains(r#""vac":{"reason":"redacted"}"#));
}

#[test]
fn work_grows_with_the_length_alone() {
    // Every name is found at once, so a name that never is one has to be searched on for.
    let text = |times: usize| "blobEncryptionKe\\u0079?????".repeat(times);
    let steps = |text: &str| {
        let mut search = Search::new(SECRETS);
        search.add(text.as_bytes());
        assert!(!search.is_found());
        search.steps
    };
    let (one, four) = (steps(&text(4_000)), steps(&text(16_000)));
    assert!(four < 5 * one, "{one} steps, then {four}");
}
