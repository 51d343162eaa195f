//! Creates a home folder with sessions of every agent, and with other files that agents keep there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::run::Folder;

/// Returns a session of Claude Code.
pub fn claude(id: &str, time: &str) -> String {
    let line = |uuid: &str, kind: &str, message: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":null,"sessionId":"{id}","timestamp":"{time}","cwd":"/home/ada/loom","version":"2.1.0","message":{message}}}"#
        )
    };
    let prompt = line("u1", "user", r#"{"role":"user","content":"Weave it"}"#);
    let answer = line(
        "u2",
        "assistant",
        r#"{"id":"m1","role":"assistant","model":"claude-example","content":[{"type":"text","text":"Woven"}]}"#,
    );
    format!("{prompt}\n{answer}\n")
}

/// Returns a session of Codex.
pub fn codex(id: &str, time: &str) -> String {
    format!(
        concat!(
            r#"{{"timestamp":"{time}","type":"session_meta","payload":{{"id":"{id}","timestamp":"{time}","cwd":"/home/ada/mill","originator":"codex_cli_rs","cli_version":"0.100.0"}}}}"#,
            "\n",
            r#"{{"timestamp":"{time}","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"Grind it"}}]}}}}"#,
            "\n",
        ),
        id = id,
        time = time,
    )
}

/// Returns a session of Gemini CLI.
pub fn gemini(id: &str, time: &str) -> String {
    format!(
        r#"{{"sessionId":"{id}","projectHash":"{hash}","startTime":"{time}","lastUpdated":"{time}","messages":[{{"id":"m1","timestamp":"{time}","type":"user","content":"Twin it"}}]}}"#,
        hash = "0".repeat(64),
    )
}

/// A session of Cursor, as a transcript.
pub const CURSOR: &str = concat!(
    r#"{"role":"user","message":{"content":[{"type":"text","text":"Point at it"}]}}"#,
    "\n",
    r#"{"role":"assistant","message":{"content":[{"type":"text","text":"There"}]}}"#,
    "\n",
);

pub const CLAUDE_ID: &str = "0a0a0a0a-0000-4000-8000-000000000001";
pub const CODEX_ID: &str = "0b0b0b0b-0000-7000-8000-000000000002";
pub const GEMINI_ID: &str = "0c0c0c0c-0000-4000-8000-000000000003";
pub const OPENCODE_ID: &str = "ses_0a1b2c3d4effeLanternHarbor01";
pub const OPENCODE_CHILD: &str = "ses_0a1b2c3d4effdChildSession002";
pub const CURSOR_ID: &str = "0d0d0d0d-0000-4000-8000-000000000004";
/// A session in the database of a chat.
pub const CHAT_ID: &str = "55555555-eeee-4eee-8eee-000000000005";

pub const CLAUDE_FILE: &str =
    "home/.claude/projects/-home-ada-loom/0a0a0a0a-0000-4000-8000-000000000001.jsonl";
pub const CODEX_FILE: &str = "home/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-0b0b0b0b-0000-7000-8000-000000000002.jsonl";

/// Returns a folder with a home in it, where each agent has a session or several.
pub fn home() -> Folder {
    let folder = Folder::new();
    folder.write(CLAUDE_FILE, claude(CLAUDE_ID, "2026-03-01T09:00:00.000Z"));
    folder.write(CODEX_FILE, codex(CODEX_ID, "2026-03-02T09:00:00.000Z"));
    let gemini = gemini(GEMINI_ID, "2026-03-03T09:00:00.000Z");
    folder.write("home/.gemini/tmp/twin/chats/session-2026-03-03T09-00-0c0c0c0c.json", gemini);
    folder.write("home/.gemini/tmp/twin/.project_root", "/home/ada/twin");
    copy("opencode/database/basic/opencode.db", &folder, "home/.local/share/opencode/opencode.db");
    copy("opencode/tree/basic/storage", &folder, "home/.local/share/opencode/storage");
    let transcript =
        format!("home/.cursor/projects/compass/agent-transcripts/{CURSOR_ID}/{CURSOR_ID}.jsonl");
    folder.write(&transcript, CURSOR);
    copy(
        "cursor/chat/basic/store.db",
        &folder,
        &format!("home/.cursor/chats/0123abcd/{CHAT_ID}/store.db"),
    );
    let editor = "home/.config/Cursor/User/globalStorage/state.vscdb";
    copy("cursor/composer/basic/state.vscdb", &folder, editor);
    folder
}

/// Copies a fixture, a file or a folder.
pub fn copy(fixture: &str, folder: &Folder, name: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(fixture);
    copy_path(&from, folder, name);
}

fn copy_path(from: &Path, folder: &Folder, name: &str) {
    if from.is_dir() {
        for entry in fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            let below = format!("{name}/{}", entry.file_name().to_string_lossy());
            copy_path(&entry.path(), folder, &below);
        }
    } else {
        fs::copy(from, folder.write(name, "")).expect("a copy");
    }
}

/// Returns the content of a folder: names, bytes, and times of the last change.
pub fn state(folder: &Path) -> BTreeMap<PathBuf, (Option<SystemTime>, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let metadata = path.symlink_metadata().expect("there");
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            waiting.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
        let bytes =
            if metadata.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        found.insert(path, (metadata.modified().ok(), bytes));
    }
    found
}

/// Removes all permissions of a file or folder. Prints a line and returns false where that has no
/// effect, because the user is root.
#[cfg(unix)]
pub fn lock(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("rights to take away");
    let is_locked = fs::File::open(path).is_err() || path.is_dir() && fs::read_dir(path).is_err();
    if !is_locked {
        println!("skipped: this user can read everything");
    }
    is_locked
}

/// Restores the permissions, so that the folder can be removed.
#[cfg(unix)]
pub fn unlock(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("rights to give back");
}
