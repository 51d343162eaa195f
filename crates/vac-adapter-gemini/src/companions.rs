//! Lists the companion files that Gemini CLI keeps next to a log.
//!
//! Sessions are in `<project>/chats`, those of subagents in `<project>/chats/<parent>`; the path of
//! the project is in `<project>/.project_root`, and tool output in
//! `<project>/tool-outputs/session-<id>`. `logs.json` contains the prompts of all sessions.

use vac_adapter::Preview;
use vac_adapter::companions::{Base, Companion, CompanionKind, Companions, PromptList};

const PROJECT: Base = Base { folder: "chats", within: 2, above: 1, or_own_folder: true };

/// The rules.
pub(crate) const COMPANIONS: Companions = Companions {
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
    ..Companions::NONE
};

/// Adds the path of the project, the only line of the file.
fn project_root(bytes: &[u8], preview: &mut Preview) -> Result<(), &'static str> {
    let line = std::str::from_utf8(bytes)
        .map_err(|_| "not UTF-8, so the folder of the session's project is not read from it")?;
    let line = line.trim();
    if preview.project.is_none() && !line.is_empty() && !line.contains('\n') {
        preview.project = Some(line.to_owned());
    }
    Ok(())
}
