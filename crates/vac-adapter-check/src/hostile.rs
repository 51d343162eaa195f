//! Malformed and misleading input.

use vac_adapter::Adapter;

use crate::agents::Agent;
use crate::check::{check, lossless};
use crate::logs::Log;

/// Values that a log may hold in any place, and what they are.
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
    ("half a pair", r#""\ud800 and \udc00""#),
    ("the other way round", r#"["\udc00\ud800"]"#),
    ("half a pair in a key", r#"{"\ud800": 1, "\ud801": 2}"#),
    ("a key twice", r#"{"a": 1, "a": 2}"#),
    ("a key twice, written otherwise", r#"{"a": 1, "\u0061": 2}"#),
    ("NUL in a text", r#""a\u0000b""#),
    ("names of ours", r#"{"type": "user", "id": 1, "timestamp": "x", "children": [{"type": 1}]}"#),
];

/// The agent's sample with a value in it.
pub fn with(agent: &Agent, value: &str) -> Log {
    Log::new("hostile.jsonl", agent.sample.replace("VALUE", value))
}

/// All hostile logs of an agent that are made of its sample, by what is wrong with them.
pub fn logs(agent: &Agent) -> Vec<(String, Log)> {
    let mut logs: Vec<_> =
        VALUES.iter().map(|(name, value)| ((*name).to_owned(), with(agent, value))).collect();
    for depth in [100, 300, 5_000] {
        let deep = "[".repeat(depth) + "1" + &"]".repeat(depth);
        logs.push((format!("lists {depth} deep"), with(agent, &deep)));
        let deep = "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
        logs.push((format!("objects {depth} deep"), with(agent, &deep)));
    }
    let good = with(agent, "\"good\"");
    for (name, bytes) in [
        ("invalid UTF-8 on a line", &b"{\"a\": \"\xff\xfe\", \"b\": 1}"[..]),
        ("half a character at the end", b"{\"a\": \"\xe2\x82"),
        ("a run of NUL", b"\0\0\0\0\0\0\0\0"),
        ("NUL between good lines", b"\0\0\0\n{\"a\": 1}\0\0"),
        ("garbage", b"what is this?"),
        ("closing brackets", b"}}]]"),
        ("a key twice on a line", b"{\"a\": [\"one\"], \"a\": [\"two\", null]}"),
        ("scalars", b"7\n\"alone\"\nnull\ntrue false"),
        ("lists", b"[1, [2]]\n[]\n[null]"),
        ("5,000 brackets", &[b'['; 5_000]),
        ("a byte-order mark inside", b"\xef\xbb\xbf{\"a\": 1}\xef\xbb\xbf"),
        ("objects of nobody", b"{\"type\": \"beacon\", \"n\": 1}\n{\"n\": 2}\n{}"),
    ] {
        let behind = [good.first(), bytes].concat();
        logs.push((format!("{name}, behind"), good.with(behind)));
        let before = [bytes, b"\n", good.first()].concat();
        logs.push((format!("{name}, before"), good.with(before)));
    }
    let crlf = good.first().split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
    logs.push(("CRLF".to_owned(), good.with(crlf)));
    logs.push(("nothing".to_owned(), good.with(Vec::new())));
    logs
}

/// Checks all hostile logs of an agent; gives how many of them convert.
pub fn hostile(agent: &Agent, adapter: &dyn Adapter) -> usize {
    let logs = logs(agent).into_iter();
    let logs = logs.map(|(name, log)| log.called(format!("{}, {name}", agent.name)));
    logs.filter(|log| !check(agent, adapter, log).is_refused()).count()
}

/// Cuts a log at so many places, evenly; nothing that is left is lost. Gives how many
/// pieces convert.
pub fn cut(agent: &Agent, adapter: &dyn Adapter, log: &Log, places: usize) -> usize {
    let cut = |length: usize| {
        let name = format!("{}, cut at {length}", log.shown);
        log.with(log.first()[..length].to_vec()).called(name)
    };
    let is_converted = |log: &Log| !lossless(agent, adapter, log).is_refused();
    evenly(log, places).map(cut).filter(is_converted).count()
}

/// Changes a byte at so many places, evenly; nothing of what that makes is lost. Gives
/// how many of the changed logs convert.
pub fn change(agent: &Agent, adapter: &dyn Adapter, log: &Log, places: usize) -> usize {
    let others = b"\"\\{}[],:\xff\0\nx9".iter().cycle();
    let changed = |(at, byte): (usize, &u8)| {
        let mut bytes = log.first().to_vec();
        bytes[at] = *byte;
        log.with(bytes).called(format!("{}, byte {at} is {byte}", log.shown))
    };
    let is_converted = |log: &Log| !lossless(agent, adapter, log).is_refused();
    evenly(log, places).zip(others).map(changed).filter(is_converted).count()
}

fn evenly(log: &Log, places: usize) -> impl Iterator<Item = usize> {
    let length = log.first().len();
    (0..length).step_by(length.div_ceil(places.max(1)).max(1))
}
