//! Whether a tool failed: as its output says in a form of the CLI's own, or as
//! an event about the call does.
//!
//! Outputs are most of a log: only their beginning or end is looked at, as the
//! JSON text it is.

use std::collections::HashMap;

use vac_value::{Kind, Node, Text};

use crate::{event, mark};

/// How much of an output may stand before its exit code, or behind it.
const MOST: usize = 4096;
/// What stands before the exit code in an output that is an object as text.
const METADATA: &str = r#"\"metadata\":{\"exit_code\":"#;
/// What an output begins with that has lines of the CLI's before it.
const HEADS: &[&str] =
    &["Exit code: ", "Chunk ID: ", "Wall time: ", "Process exited ", "Command: "];

/// What events say about calls; nothing about one of which they say both.
#[derive(Debug, Default)]
pub(crate) struct Outcomes(HashMap<u64, Option<bool>>);

impl Outcomes {
    /// Looks at an event.
    pub fn event(&mut self, event: Node<'_, '_>) {
        let Some(call) = event::call(event) else { return };
        let Some(is_error) = told(event.member("item").unwrap_or(event)) else { return };
        if let Some(call) = mark::of(call) {
            let known = self.0.entry(call).or_insert(Some(is_error));
            *known = known.filter(|known| *known == is_error);
        }
    }

    /// Whether the call failed.
    pub fn is_error(&self, call: Option<Node<'_, '_>>) -> Option<bool> {
        if self.0.is_empty() {
            return None;
        }
        *self.0.get(&mark::of(call?)?)?
    }
}

/// Whether the call that an event, or an item of one, is about failed.
pub(crate) fn told(event: Node<'_, '_>) -> Option<bool> {
    let member = |key: &str| event.member(key).filter(|value| value.kind() != Kind::Null);
    if let Some(code) = member("exit_code") {
        return code.integer().map(|code| code != 0);
    }
    if let Some(success) = member("success") {
        return success.bool().map(|success| !success);
    }
    if member("error").is_some() {
        return Some(true);
    }
    if let Some(result) = member("result").filter(|result| result.kind() == Kind::Map) {
        if result.member("Err").is_some() {
            return Some(true);
        }
        let content = result.member("Ok").unwrap_or(result);
        if let Some(is_error) = content.member("isError").and_then(Node::bool) {
            return Some(is_error);
        }
    }
    match &*member("status")?.text()? {
        "completed" => Some(false),
        "failed" | "declined" => Some(true),
        _ => None,
    }
}

/// What a status says, in a word of ours.
pub(crate) fn word<'a>(is_error: bool) -> Text<'a> {
    if is_error { "error" } else { "success" }.into()
}

/// Whether the output is that of a failure: by `success`, by
/// `metadata.exit_code`, or by the exit code in the lines that the CLI puts
/// before the output.
pub(crate) fn is_error(output: Node<'_, '_>) -> Option<bool> {
    match (output.kind(), output.raw()) {
        (Kind::Map, _) => by_members(output),
        (Kind::Text, [_, inside @ .., _]) => {
            if inside.starts_with(br#"{\""#) {
                by_metadata(inside)
            } else {
                by_head(inside)
            }
        }
        _ => None,
    }
}

fn by_members(output: Node<'_, '_>) -> Option<bool> {
    let success = output.member("success").and_then(Node::bool).map(|success| !success);
    success.or_else(|| {
        let code = output.member("metadata")?.member("exit_code")?.integer()?;
        Some(code != 0)
    })
}

/// Quotes inside the object's own texts are escaped once more: what is found is
/// a member.
fn by_metadata(inside: &[u8]) -> Option<bool> {
    let mut tail = &inside[inside.len().saturating_sub(MOST)..];
    // Not from the middle of a character.
    while let [0x80..=0xbf, behind @ ..] = tail {
        tail = behind;
    }
    let (_, code) = std::str::from_utf8(tail).ok()?.rsplit_once(METADATA)?;
    let end = code.find([',', '}'])?;
    is_failure(&code[..end])
}

/// Looks at lines up to the one that says that the output follows.
fn by_head(inside: &[u8]) -> Option<bool> {
    if !HEADS.iter().any(|head| inside.starts_with(head.as_bytes())) {
        return None;
    }
    let (mut begin, mut at) = (0, 0);
    while at < inside.len().min(MOST) {
        if inside[at] != b'\\' {
            at += 1;
            continue;
        }
        if inside.get(at + 1) == Some(&b'n') {
            let line = std::str::from_utf8(&inside[begin..at]).ok()?;
            if line == "Output:" {
                return None;
            }
            let code = line.strip_prefix("Exit code: ");
            if let Some(code) = code.or_else(|| line.strip_prefix("Process exited with code ")) {
                return is_failure(code);
            }
            begin = at + 2;
        }
        at += 2;
    }
    None
}

fn is_failure(code: &str) -> Option<bool> {
    code.trim().parse::<i64>().ok().map(|code| code != 0)
}
