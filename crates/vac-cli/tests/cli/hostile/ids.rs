//! Session ids that contain paths.

use std::fs;

use super::{assert_untouched, files, names, record_names, run};
use crate::home::{self, claude, codex, gemini};
use crate::run::Folder;

/// As JSON writes them. Those that differ are different sessions.
const IDS: [&str; 24] = [
    "../../climbed",
    "..\\\\..\\\\climbed",
    "/tmp/vac-placed",
    ".",
    "..",
    "",
    "CON",
    "aux.json",
    "a\\u0000b",
    "a\\nb",
    "a/b",
    "a:b",
    "a_b",
    "~",
    "-rf",
    "%2e%2e%2f",
    "\\u202etxt.exe",
    "\\ud800",
    "case",
    "CASE",
    "Case",
    "case-2",
    " ",
    "*",
];

/// Returns a folder whose `in` has sessions of those ids, and two with ids that are too long.
fn sessions() -> Folder {
    let folder = Folder::new();
    let long = "x".repeat(10_000);
    let ids = IDS.iter().copied().chain([long.as_str(), &long[1..]]);
    for (number, id) in ids.enumerate() {
        let time = format!("2026-03-01T09:00:{number:02}.000Z");
        folder.write(&format!("in/c{number}.jsonl"), claude(id, &time));
        folder.write(&format!("in/g/{number}/session.json"), gemini(id, &time));
        folder.write(&format!("in/x{number}.jsonl"), codex(id, &time));
    }
    folder
}

const SESSIONS: usize = 3 * (IDS.len() + 2);

#[test]
fn no_session_leaves_the_folder_or_takes_the_place_of_another() {
    let folder = sessions();
    let before = files(folder.path());
    let ended = run(folder.path(), &["convert", "-q", "in", "-o", "a/b/out/"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let out = folder.path().join("a/b/out");
    let made = record_names(&out);
    assert_eq!(made.len(), SESSIONS, "{made:?}");
    let all = names(&folder.path().join("a"));
    assert_eq!(all.len(), SESSIONS + 3, "and the two folders and the index: {all:?}");
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    for name in &made {
        assert!(name.chars().all(is_safe) && name.len() < 140, "{name}");
        assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
    }
    // Disks that ignore the case of names have room for all of them.
    let in_one_case: std::collections::HashSet<_> =
        made.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(in_one_case.len(), made.len());
    assert!(
        !fs::exists("/tmp/vac-placed").unwrap() && !fs::exists("/tmp/vac-placed.json").unwrap()
    );
    assert_untouched(&before);
}

#[test]
fn existing_records_are_kept_and_names_are_stable() {
    let folder = sessions();
    let convert = ["convert", "in", "-o", "out/"];
    assert_eq!(run(folder.path(), &convert).code, 0);
    let out = folder.path().join("out");
    let made = files(&out);
    let again = run(folder.path(), &convert);
    again.says(0, &format!("0 new, 0 changed, {SESSIONS} unchanged"));
    assert_untouched(&made);
    assert_eq!(files(&out).len(), made.len());
    let forced = run(folder.path(), &["convert", "in", "-o", "out/", "--force", "-j", "3"]);
    assert_eq!(forced.code, 0, "{}", forced.stderr);
    let bytes = |state: &std::collections::BTreeMap<_, (_, Vec<u8>)>| {
        state
            .iter()
            .map(|(path, (_, bytes))| (format!("{path:?}"), bytes.clone()))
            .collect::<Vec<_>>()
    };
    assert!(bytes(&files(&out)) == bytes(&made));
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_are_not_followed() {
    let folder = super::folder_with_log();
    let treasure = folder.write("treasure.txt", "gold");
    fs::create_dir(folder.path().join("out")).unwrap();
    let link = folder.path().join("out/claude-one.json");
    std::os::unix::fs::symlink(&treasure, &link).unwrap();
    let convert = ["convert", "log.jsonl", "-o", "out/"];
    let kept = "out/claude-one.json is kept, because it is not a record of this session";
    let forced = [&convert[..], &["--force"]].concat();
    for target in ["../treasure.txt", "../nowhere.txt"] {
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(target, &link).unwrap();
        run(folder.path(), &convert).says(1, kept);
        assert_eq!(names(&folder.path().join("out")), ["claude-one-2.json", "claude-one.json"]);
        run(folder.path(), &forced).says(0, "0 new, 1 changed");
        fs::remove_file(folder.path().join("out/claude-one-2.json")).unwrap();
        run(folder.path(), &forced).says(1, kept);
        fs::remove_file(folder.path().join("out/claude-one-2.json")).unwrap();
        assert!(link.is_symlink());
    }
    assert_eq!(fs::read_to_string(&treasure).unwrap(), "gold");
    assert!(!folder.path().join("nowhere.txt").exists());
}

#[test]
fn session_called_like_rows_without_session_is_another() {
    let folder = Folder::new();
    home::copy("goose/database/basic/sessions.db", &folder, "sessions.db");
    let database = rusqlite::Connection::open(folder.path().join("sessions.db")).unwrap();
    let sql = "UPDATE sessions SET id = 'without-session';
        UPDATE messages SET session_id = 'without-session';
        UPDATE usage_ledger SET session_id = 'without-session';
        INSERT INTO messages (role, content_json)
        VALUES ('user', '[{\"type\": \"text\", \"text\": \"Whose?\"}]');";
    database.execute_batch(sql).unwrap();
    drop(database);
    let ended = run(folder.path(), &["convert", "-q", "sessions.db", "-o", "out/"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let out = folder.path().join("out");
    let records = record_names(&out);
    assert_eq!(records.len(), 2, "{records:?}");
    let read = |name: &String| fs::read_to_string(out.join(name)).unwrap();
    let count = |words: &str| records.iter().filter(|name| read(name).contains(words)).count();
    assert_eq!((count("Whose?"), count("How many ducks")), (1, 1));
}
