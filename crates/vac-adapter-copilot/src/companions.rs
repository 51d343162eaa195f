//! Lists the files that Copilot CLI keeps next to the events of a session: its name and repository
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
        in_session("{id}/plan.md", CompanionKind::Attachment(|_, _| Ok(()))),
        in_session("{id}/checkpoints", CompanionKind::Folder),
        // For a folder that was copied.
        Companion {
            base: Base { folder: "", within: 0, above: 0, or_own_folder: true },
            ..in_session("workspace.yaml", CompanionKind::Attachment(workspace))
        },
    ],
    with_files: &[("events", "events-folder")],
    ..Companions::NONE
};

/// Adds the working directory, where the log does not state it.
fn workspace(bytes: &[u8], preview: &mut Preview) -> Result<(), &'static str> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| "not UTF-8, so the working directory of the session is not read from it")?;
    let cwd = text.lines().find_map(|line| line.strip_prefix("cwd:"));
    let cwd = cwd.map(|cwd| cwd.trim().trim_matches(['"', '\''])).filter(|cwd| !cwd.is_empty());
    if preview.project.is_none() {
        preview.project = cwd.map(str::to_owned);
    }
    Ok(())
}
