//! What Copilot CLI keeps next to the events of a session: its name and repository
//! (`workspace.yaml`), its plan (`plan.md`), and the summaries of compactions (`checkpoints/`).

use vac_adapter::Preview;
use vac_adapter::companions::{Base, Companion, CompanionKind, Companions};

/// A file or folder in the folder of a session.
const fn in_session(path: &'static str, kind: CompanionKind) -> Companion {
    Companion {
        variants: &["events"],
        base: Base { folder: "session-state", within: 2, above: 0, or_own_folder: false },
        path,
        unless: None,
        kind,
    }
}

/// The rules.
pub(crate) const COMPANIONS: Companions = Companions {
    files: &[
        in_session("{id}/workspace.yaml", CompanionKind::Attachment(workspace)),
        in_session("{id}/plan.md", CompanionKind::Attachment(|_, _| {})),
        in_session("{id}/checkpoints", CompanionKind::Folder),
    ],
    ..Companions::NONE
};

/// Adds the working directory, where the log does not state it.
fn workspace(bytes: &[u8], preview: &mut Preview) {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let cwd = text.lines().find_map(|line| line.strip_prefix("cwd:"));
    let cwd = cwd.map(|cwd| cwd.trim().trim_matches(['"', '\''])).filter(|cwd| !cwd.is_empty());
    if preview.project.is_none() {
        preview.project = cwd.map(str::to_owned);
    }
}
