//! Whether a tool failed, where its output says so in a form of the CLI's own.

use vac_value::{Document, Kind, Node};

/// How much of an output may stand before its exit code.
const HEAD: usize = 4096;

/// Whether the output is that of a failure: by `success` or `metadata.exit_code`,
/// or by the exit code in the lines that the CLI puts before the output.
pub(crate) fn is_error(output: Node<'_, '_>) -> Option<bool> {
    match output.kind() {
        Kind::Map => by_members(output),
        Kind::Text => {
            let text = output.text()?;
            if text.starts_with('{') {
                by_members(Document::json(text.as_bytes()).ok()?.root())
            } else {
                by_head(&text)
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

fn by_head(text: &str) -> Option<bool> {
    let mut read = 0;
    for line in text.lines() {
        read += line.len();
        if read > HEAD || line == "Output:" {
            return None;
        }
        let code = line
            .strip_prefix("Exit code: ")
            .or_else(|| line.strip_prefix("Process exited with code "));
        if let Some(code) = code {
            return code.parse::<i64>().ok().map(|code| code != 0);
        }
    }
    None
}
