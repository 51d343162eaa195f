//! The companion files that Gemini CLI keeps next to a log.
//!
//! Sessions are in `<project>/chats`, those of subagents in `<project>/chats/<parent>`; the path of
//! the project is in `<project>/.project_root`, and tool output in
//! `<project>/tool-outputs/session-<id>`. `logs.json` has the prompts of all sessions.

use vac_adapter::Preview;
use vac_adapter::companions::{Base, Companion, CompanionKind, Companions, PromptList};

const PROJECT: Base = Base { folder: "chats", within: 2, above: 1, or_own_folder: true };

/// The rules.
pub(crate) const COMPANIONS: Companions = Companions {
    session_folder: None,
    files: &[
        Companion {
            variants: &[],
            base: PROJECT,
            path: ".project_root",
            unless: None,
            kind: CompanionKind::Attachment(project_root),
        },
        Companion {
            variants: &[],
            base: PROJECT,
            path: "tool-outputs/session-{id}",
            unless: None,
            kind: CompanionKind::Folder,
        },
    ],
    prompts: Some(PromptList {
        variant: "logs",
        session_id: "sessionId",
        prompt: "message",
        timestamp: "timestamp",
    }),
};

/// Adds the path of the project, the only line of the file.
fn project_root(bytes: &[u8], preview: &mut Preview) {
    let line = std::str::from_utf8(bytes).unwrap_or_default().trim();
    if preview.project.is_none() && !line.is_empty() && !line.contains('\n') {
        preview.project = Some(line.to_owned());
    }
}
