//! Lists the files that Grok Build keeps next to a log: `summary.json` with the working directory,
//! the repository and the parent of the session, its plan, counters and compactions.

use vac_adapter::companions::{Base, Companion, CompanionKind, Companions};
use vac_adapter::line_log::{git, text};
use vac_adapter::{Parent, Preview};
use vac_record::VcsContext;
use vac_record::annotations::Relation;
use vac_value::{Document, Kind, Node};

const fn next_to_log(path: &'static str, kind: CompanionKind) -> Companion {
    Companion {
        variants: &["updates"],
        base: Base { folder: "", within: 0, above: 0, or_own_folder: true },
        path,
        unless: None,
        kind,
    }
}

/// The rules.
pub(crate) const COMPANIONS: Companions = Companions {
    files: &[
        next_to_log("summary.json", CompanionKind::Note(note)),
        next_to_log("plan.json", CompanionKind::Attachment(|_, _| Ok(()))),
        next_to_log("signals.json", CompanionKind::Attachment(|_, _| Ok(()))),
        next_to_log("prompt_context.json", CompanionKind::Attachment(|_, _| Ok(()))),
        next_to_log("feedback.jsonl", CompanionKind::Attachment(|_, _| Ok(()))),
        next_to_log("compaction_checkpoints", CompanionKind::Folder),
    ],
    with_files: &[("updates", "updates-folder")],
    ..Companions::NONE
};

/// Returns the value of a summary, if a document contains it as `vac-store` provides it.
pub(crate) fn summary<'d, 'a>(document: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    document.member("file")?.text()?;
    document.member("value").filter(|value| value.kind() == Kind::Map)
}

fn note(bytes: &[u8], preview: &mut Preview) -> bool {
    let Ok(document) = Document::json(bytes) else { return false };
    let root = document.root();
    if root.member("info").is_none() || document.duplicate_keys().next().is_some() {
        return false;
    }
    preview.project = preview.project.take().or_else(|| working_dir(root));
    preview.parent = preview.parent.take().or_else(|| parent(root));
    true
}

/// Returns the working directory.
pub(crate) fn working_dir(summary: Node<'_, '_>) -> Option<String> {
    text(summary.member("info")?.member("cwd")).filter(|cwd| !cwd.is_empty())
}

/// Returns the session that this one came from.
pub(crate) fn parent(summary: Node<'_, '_>) -> Option<Parent> {
    let session_id = text(summary.member("parent_session_id"))?;
    let is_fork = summary.member("forked_at").is_some_and(|it| it.kind() != Kind::Null);
    let relation = if is_fork { Relation::Fork } else { Relation::Subagent };
    Some(Parent { session_id, relation })
}

/// Returns the state of the repository.
pub(crate) fn vcs(summary: Node<'_, '_>) -> Option<VcsContext<'static>> {
    let remotes = summary.member("git_remotes");
    let remote = remotes.and_then(|remotes| remotes.elements().next());
    git(text(summary.member("head_commit")), text(summary.member("head_branch")), text(remote))
}
