//! What an agent keeps beside a session, which is found once it is known whose it is.
//!
//! * Gemini CLI keeps sessions in `<project>/chats`, the project's path in
//!   `<project>/.project_root` and tool output in `<project>/tool-outputs/session-<id>`.
//! * Cursor keeps transcripts in `projects/<project>/agent-transcripts`, and says where and
//!   when the session began in `chats/<folder>/<id>/meta.json`, with or without a database
//!   beside it. One with a database belongs to that.

use std::io;
use std::path::PathBuf;

use vac_adapter::Glimpse;
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Document, IntoOwned, Kind, Node};

use crate::layout::{Files, attachment};
use crate::log::{Log, Part, Place};
use crate::safe_path::SafePath;

/// Says where Gemini's project is.
const PROJECT_ROOT: &str = ".project_root";
/// Says what is known of a chat of Cursor's.
const META: &str = "meta.json";
/// Neither is longer.
const MOST: u64 = 1 << 16;

/// Adds it to the session. Gives what could not be looked into.
pub fn add(log: &mut Log, agent: &str, glimpse: &mut Glimpse) -> Vec<(PathBuf, io::Error)> {
    let path = log.parts.first().and_then(Part::safe_path).cloned();
    match (agent, path) {
        ("gemini", Some(path)) => gemini(log, &path, glimpse),
        ("cursor", Some(path)) if glimpse.variant == "transcript" => {
            cursor(log, &path, glimpse);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn gemini(log: &mut Log, path: &SafePath, glimpse: &mut Glimpse) -> Vec<(PathBuf, io::Error)> {
    // `chats/<file>`, or `chats/<parent>/<file>` for a subagent.
    let chats = ancestors(path).skip(1).take(2).find(|it| it.as_path().ends_with("chats"));
    let project = chats.and_then(|chats| chats.parent()).or_else(|| path.parent());
    let Some(project) = project else { return Vec::new() };
    let mut files = Files::default();
    let says = project.join(PROJECT_ROOT);
    if says.is_file() {
        if glimpse.project.is_none() {
            glimpse.project = says.read(MOST).ok().and_then(|bytes| line(&bytes));
        }
        files.file(says);
    }
    if let Some(id) = glimpse.session_id.as_ref().filter(|id| is_name(id)) {
        let outputs = project.join("tool-outputs").join(format!("session-{id}"));
        if outputs.is_folder() {
            files.folder(&outputs);
        }
    }
    for path in files.found {
        let part = Part::file(&path);
        log.attachments.push(attachment(part, path.as_path(), project.as_path()));
    }
    files.troubles
}

fn cursor(log: &mut Log, path: &SafePath, glimpse: &mut Glimpse) {
    let mut above = ancestors(path).skip_while(|it| !it.as_path().ends_with("agent-transcripts"));
    // `<root>/projects/<project>/agent-transcripts`
    let root = above.nth(3);
    let id = glimpse.session_id.clone().filter(|id| is_name(id));
    let (Some(root), Some(id)) = (root, id) else { return };
    // Without such a folder, nothing is known of the chat.
    let Ok(folders) = root.join("chats").entries() else { return };
    for folder in folders {
        let chat = folder.join(&id);
        if chat.join("store.db").exists() {
            continue;
        }
        let meta = chat.join(META);
        let Ok(bytes) = meta.read(MOST) else { continue };
        let Ok(document) = Document::json(&bytes) else { continue };
        if document.root().kind() != Kind::Map || document.duplicate_keys().next().is_some() {
            continue;
        }
        let text = |key: &str| document.root().member(key).and_then(Node::text);
        glimpse.project = text("cwd").map(Into::into).or(glimpse.project.take());
        if glimpse.start.is_none() {
            let start = document.root().member("createdAtMs").map(AbstractTimestamp::from_node);
            glimpse.start = start.and_then(Result::ok).map(IntoOwned::into_owned);
        }
        let part = Part::file(&meta);
        log.parts.push(Part { place: Place::Note(meta), ..part });
        return;
    }
}

/// Whether an id can be a file's name, and not the way to another folder.
fn is_name(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// The path itself and the folders that it is in, the nearest first.
fn ancestors(path: &SafePath) -> impl Iterator<Item = SafePath> {
    std::iter::successors(Some(path.clone()), SafePath::parent)
}

/// The only line of a text.
fn line(bytes: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(bytes).ok()?.trim();
    (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
}
