//! Reads logs of iFlow CLI, which have the lines of Claude Code with results of the Gemini API.
//!
//! ```json
//! {"type": "tool_result", "tool_use_id": "c1", "content": {"callId": "c1",
//!  "responseParts": {"functionResponse": {"response": {"output": "..."}}}, "resultDisplay": "..."}}
//! ```

use vac_adapter::Sample;
use vac_adapter::parts::failed;
use vac_adapter::parts::outcome::{self, StatedEnd};
use vac_record::annotations::EntryAnnotations;
use vac_value::{Any, Kind, Node};

use crate::lines::exported;

/// The name of the agent.
pub(crate) const NAME: &str = "iflow";

/// Maximum number of lines of an array that are compared.
const MAX_LINES: usize = 64;

/// Returns whether lines, or arrays of lines, are those of iFlow CLI.
pub(crate) fn is_iflow(sample: &Sample<'_>) -> bool {
    sample.documents.iter().any(|document| match exported(document.root()) {
        Some(lines) => lines.elements().take(MAX_LINES).any(is_iflow_line),
        None => is_iflow_line(document.root()),
    })
}

/// Returns whether a line is one of iFlow CLI: its session is `session-` and a UUID.
fn is_iflow_line(line: Node<'_, '_>) -> bool {
    let session = line.member("sessionId").and_then(Node::text).unwrap_or_default();
    let uuid = session.strip_prefix("session-").unwrap_or_default();
    uuid.len() == 36 && uuid.bytes().filter(|byte| *byte == b'-').count() == 4
}

/// Returns the annotations of a result of iFlow CLI, which states the end of a call like the Gemini
/// API and its tools.
pub(crate) fn end(
    block: Node<'_, '_>,
    result: Option<Node<'_, '_>>,
) -> Option<EntryAnnotations<'static>> {
    let parts = block.member("content")?.member("responseParts")?;
    let part = if parts.kind() == Kind::Array { parts.elements().next()? } else { parts };
    let function = part.member("functionResponse")?;
    let is_shell = function.member("name").is_some_and(|it| it.is_text("run_shell_command"));
    let status = result.and_then(|result| result.member("status")?.text());
    let has_failed = status.as_deref().filter(|status| *status == "error").map(|_| true);
    let is_error = has_failed.or_else(|| function.member("response").and_then(failed));
    let end = StatedEnd { is_shell, status: status.as_deref(), is_error };
    Some(outcome::annotations(Some(parts), end))
}

/// Returns the text of a result.
pub(crate) fn result_text(output: &Any<'_>) -> Option<String> {
    let response = output.get("responseParts")?.get("functionResponse")?.get("response")?;
    response.get("output").or_else(|| response.get("error"))?.text()
}
