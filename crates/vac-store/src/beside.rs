//! What an agent keeps beside a session, which is found once it is known whose it is.
//!
//! * Gemini CLI keeps sessions in `<project>/chats`, the project's path in
//!   `<project>/.project_root` and tool output in `<project>/tool-outputs/session-<id>`.
//! * Cursor keeps transcripts in `projects/<project>/agent-transcripts`, and says where and
//!   when the session began in `chats/<folder>/<id>/meta.json`, with or without a database
//!   beside it. One with a database belongs to that.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use vac_adapter::Glimpse;
use vac_record::AbstractTimestamp;
use vac_value::{Decode, Document, IntoOwned, Kind, Node};

use crate::find::entries;
use crate::layout::{Files, attachment};
use crate::log::{Log, Part, Place};

/// Says where Gemini's project is.
const PROJECT_ROOT: &str = ".project_root";
/// Says what is known of a chat of Cursor's.
const META: &str = "meta.json";
/// Neither is longer.
const MOST: u64 = 1 << 16;

/// Adds it to the session. Gives what could not be looked into.
pub fn add(log: &mut Log, agent: &str, glimpse: &mut Glimpse) -> Vec<(PathBuf, io::Error)> {
    let path = log.first_path().map(Path::to_owned);
    match (agent, path) {
        ("gemini", Some(path)) => gemini(log, &path, glimpse),
        ("cursor", Some(path)) if glimpse.variant == "transcript" => {
            cursor(log, &path, glimpse);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn gemini(log: &mut Log, path: &Path, glimpse: &mut Glimpse) -> Vec<(PathBuf, io::Error)> {
    // `chats/<file>`, or `chats/<parent>/<file>` for a subagent.
    let chats = path.ancestors().skip(1).take(2).find(|folder| folder.ends_with("chats"));
    let Some(project) = chats.and_then(Path::parent).or(path.parent()) else { return Vec::new() };
    let mut files = Files::default();
    let says = project.join(PROJECT_ROOT);
    if says.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        if glimpse.project.is_none() {
            glimpse.project = read(&says).and_then(|bytes| line(&bytes));
        }
        files.file(says);
    }
    if let Some(id) = glimpse.session_id.as_ref().filter(|id| is_name(id)) {
        let outputs = project.join("tool-outputs").join(format!("session-{id}"));
        if outputs.is_dir() {
            files.folder(&outputs);
        }
    }
    for path in files.found {
        log.attachments.push(attachment(Part::file(&path), &path, project));
    }
    files.troubles
}

fn cursor(log: &mut Log, path: &Path, glimpse: &mut Glimpse) {
    let transcripts = path.ancestors().find(|folder| folder.ends_with("agent-transcripts"));
    // `<root>/projects/<project>/agent-transcripts`
    let root = transcripts.and_then(|folder| folder.ancestors().nth(3));
    let id = glimpse.session_id.clone().filter(|id| is_name(id));
    let (Some(root), Some(id)) = (root, id) else { return };
    for folder in entries(&root.join("chats")).unwrap_or_default() {
        let chat = folder.join(&id);
        let meta = chat.join(META);
        let is_alone = meta.is_file() && !chat.join("store.db").exists();
        let Some(bytes) = is_alone.then(|| read(&meta)).flatten() else { continue };
        let Ok(document) = Document::json(&bytes) else { continue };
        if document.root().kind() != Kind::Map || document.duplicate_keys().next().is_some() {
            continue;
        }
        let text = |key: &str| document.root().member(key).and_then(Node::text);
        glimpse.project = text("cwd").map(Into::into).or(glimpse.project.take());
        if glimpse.start.is_none() {
            let start = document.root().member("createdAtMs").map(AbstractTimestamp::decode);
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

/// A small file; nothing if it is not small.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST).then_some(bytes)
}

/// The only line of a text.
fn line(bytes: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(bytes).ok()?.trim();
    (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
}
