//! Creates malformed and misleading logs, and checks them.

use vac_adapter::Adapter;

use crate::agents::AgentRules;
use crate::check::{check, check_damaged};
use crate::logs::TestLog;

/// Values that a log may contain in any place, each with a name.
pub const VALUES: &[(&str, &str)] = &[
    ("null", "null"),
    ("a number where none is expected", "7"),
    ("a text where none is expected", "\"x\""),
    ("an empty list", "[]"),
    ("an empty object", "{}"),
    ("nulls in a list", "[null, [null], {\"a\": null}]"),
    ("2^64 + 1", "18446744073709551617"),
    ("a number beyond doubles", "1e400"),
    ("a number below doubles", "-1e-400"),
    ("28 digits", "0.1234567890123456789012345678"),
    ("minus zero", "-0"),
    ("an integer as a float", "1.0"),
    ("a lone surrogate", r#""\ud800 and \udc00""#),
    ("surrogates in the wrong order", r#"["\udc00\ud800"]"#),
    ("lone surrogates in keys", r#"{"\ud800": 1, "\ud801": 2}"#),
    ("a duplicate key", r#"{"a": 1, "a": 2}"#),
    ("a duplicate key with an escape", r#"{"a": 1, "\u0061": 2}"#),
    ("NUL in a text", r#""a\u0000b""#),
    (
        "names of the schema",
        r#"{"type": "user", "id": 1, "timestamp": "x", "children": [{"type": 1}]}"#,
    ),
];

/// Returns the sample log of an agent with this value in it.
pub fn with_value(agent: &AgentRules, value: &str) -> TestLog {
    TestLog::new("hostile.jsonl", agent.sample.replace("VALUE", value))
}

/// Creates all hostile logs of an agent from its sample, each with a name.
pub fn logs(agent: &AgentRules) -> Vec<(String, TestLog)> {
    let mut logs: Vec<_> =
        VALUES.iter().map(|(name, value)| ((*name).to_owned(), with_value(agent, value))).collect();
    for depth in [100, 300, 5_000] {
        let deep = "[".repeat(depth) + "1" + &"]".repeat(depth);
        logs.push((format!("lists {depth} deep"), with_value(agent, &deep)));
        let deep = "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
        logs.push((format!("objects {depth} deep"), with_value(agent, &deep)));
    }
    let good = with_value(agent, "\"good\"");
    for (name, bytes) in [
        ("invalid UTF-8 on a line", &b"{\"a\": \"\xff\xfe\", \"b\": 1}"[..]),
        ("a truncated character at the end", b"{\"a\": \"\xe2\x82"),
        ("a run of NUL", b"\0\0\0\0\0\0\0\0"),
        ("NUL between good lines", b"\0\0\0\n{\"a\": 1}\0\0"),
        ("garbage", b"what is this?"),
        ("closing brackets", b"}}]]"),
        ("a line with a duplicate key", b"{\"a\": [\"one\"], \"a\": [\"two\", null]}"),
        ("scalars", b"7\n\"alone\"\nnull\ntrue false"),
        ("lists", b"[1, [2]]\n[]\n[null]"),
        ("5,000 brackets", &[b'['; 5_000]),
        ("a byte-order mark inside", b"\xef\xbb\xbf{\"a\": 1}\xef\xbb\xbf"),
        ("objects of unknown types", b"{\"type\": \"beacon\", \"n\": 1}\n{\"n\": 2}\n{}"),
    ] {
        let after = [good.first(), bytes].concat();
        logs.push((format!("{name}, after"), good.with_bytes(after)));
        let before = [bytes, b"\n", good.first()].concat();
        logs.push((format!("{name}, before"), good.with_bytes(before)));
    }
    let crlf = good.first().split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
    logs.push(("CRLF".to_owned(), good.with_bytes(crlf)));
    logs.push(("nothing".to_owned(), good.with_bytes(Vec::new())));
    logs
}

/// Checks all hostile logs of an agent, and returns the number of those that are converted.
pub fn check_hostile(agent: &AgentRules, adapter: &dyn Adapter) -> usize {
    let logs = logs(agent).into_iter();
    let logs = logs.map(|(name, log)| log.named(format!("{}, {name}", agent.name)));
    logs.filter(|log| !check(agent, adapter, log).is_refused()).count()
}

/// Truncates a log at each of `places` evenly spaced places, and checks that no value of the
/// beginnings is lost. Returns the number of beginnings that are converted.
pub fn check_truncated(
    agent: &AgentRules,
    adapter: &dyn Adapter,
    log: &TestLog,
    places: usize,
) -> usize {
    let cut = |length: usize| {
        let name = format!("{}, cut at {length}", log.shown);
        log.with_bytes(log.first()[..length].to_vec()).named(name)
    };
    let is_converted = |log: &TestLog| !check_damaged(agent, adapter, log).is_refused();
    evenly(log, places).map(cut).filter(is_converted).count()
}

/// Changes a byte of a log at each of `places` evenly spaced places, and checks that no value of
/// the changed logs is lost. Returns the number of changed logs that are converted.
pub fn check_changed_bytes(
    agent: &AgentRules,
    adapter: &dyn Adapter,
    log: &TestLog,
    places: usize,
) -> usize {
    let others = b"\"\\{}[],:\xff\0\nx9".iter().cycle();
    let changed = |(at, byte): (usize, &u8)| {
        let mut bytes = log.first().to_vec();
        bytes[at] = *byte;
        log.with_bytes(bytes).named(format!("{}, byte {at} is {byte}", log.shown))
    };
    let is_converted = |log: &TestLog| !check_damaged(agent, adapter, log).is_refused();
    evenly(log, places).zip(others).map(changed).filter(is_converted).count()
}

fn evenly(log: &TestLog, places: usize) -> impl Iterator<Item = usize> {
    let length = log.first().len();
    (0..length).step_by(length.div_ceil(places.max(1)).max(1))
}
