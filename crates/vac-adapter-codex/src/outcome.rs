//! Whether a tool failed, where its output says so in a form of the CLI's own.
//!
//! Outputs are most of a log: only their beginning or end is looked at, as the
//! JSON text it is.

use vac_value::{Kind, Node};

/// How much of an output may stand before its exit code, or behind it.
const MOST: usize = 4096;
/// What stands before the exit code in an output that is an object as text.
const METADATA: &str = r#"\"metadata\":{\"exit_code\":"#;

/// Whether the output is that of a failure: by `success`, by
/// `metadata.exit_code`, or by the exit code in the lines that the CLI puts
/// before the output.
pub(crate) fn is_error(output: Node<'_, '_>) -> Option<bool> {
    match output.kind() {
        Kind::Map => by_members(output),
        Kind::Text => {
            let token = std::str::from_utf8(output.raw()).ok()?;
            if token.starts_with(r#""{\""#) { by_metadata(token) } else { by_head(token) }
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
fn by_metadata(token: &str) -> Option<bool> {
    let from = token.len().saturating_sub(MOST);
    let tail = (from..token.len()).find_map(|at| token.get(at..))?;
    let (_, code) = tail.rsplit_once(METADATA)?;
    let end = code.find([',', '}'])?;
    is_failure(&code[..end])
}

fn by_head(token: &str) -> Option<bool> {
    let bytes = token.as_bytes().get(1..)?;
    let (mut begin, mut at) = (0, 0);
    while at < bytes.len().min(MOST) {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        if bytes.get(at + 1) == Some(&b'n') {
            let line = std::str::from_utf8(&bytes[begin..at]).ok()?;
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
