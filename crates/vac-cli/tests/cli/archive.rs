//! `vac archive`

use std::fs;
#[cfg(target_os = "linux")]
use std::path::Path;

use crate::home;
use crate::run::Folder;

const KEY: &str = "sessions-key/signing-key.pem";
const PUBLIC: &str = "sessions-key/signing-key.pub.pem";
const ID: &str = "5f0c1c1e-0b1a-4c5e-9a52-3f1f0a6f2b11";

/// Returns a folder with a home, which has a session of Claude Code, and an archive.
fn prepared() -> Folder {
    let folder = Folder::new();
    home::copy("claude/jsonl/basic/session.jsonl", &folder, &log());
    let made = folder.vac(&["archive", "init", "sessions", "--keygen", "--label", "user=ada"]);
    assert_eq!(made.code, 0, "{made:?}");
    folder
}

fn log() -> String {
    format!("home/.claude/projects/-home-ada-orrery/{ID}.jsonl")
}

/// Adds the sessions of the home.
fn add(folder: &Folder) -> crate::run::Ran {
    folder.vac(&["archive", "add", "sessions", "--discover", "--root", "home", "--json"])
}

fn valid(folder: &Folder) {
    let ran = folder.vac(&["archive", "verify", "sessions", "--key", PUBLIC]);
    assert!(ran.code == 0 && ran.stdout.contains("valid ("), "{ran:?}");
}

#[test]
fn archive_is_made_with_a_key_and_labels() {
    let folder = Folder::new();
    let made = folder.vac(&[
        "archive",
        "init",
        "sessions",
        "--keygen",
        "--label",
        "user=ada",
        "--label",
        "host=loom",
        "--format",
        "cbor",
        "--no-time",
        "--json",
    ]);
    let json = made.json();
    assert_eq!((made.code, &json["private-key"]), (0, &KEY.into()), "{made:?}");
    let description = fs::read_to_string(folder.path().join("sessions/archive.json")).unwrap();
    let description: serde_json::Value = serde_json::from_str(&description).unwrap();
    assert_eq!(description["labels"], serde_json::json!({"user": "ada", "host": "loom"}));
    assert_eq!(description["key"], json["key"]);
    assert_eq!((&description["format"], description.get("created")), (&"cbor".into(), None));
    assert!(!folder.path().join("sessions/signing-key.pem").exists());
    // A folder with something in it stays as it is.
    let again = folder.vac(&["archive", "init", "sessions", "--key", KEY]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.stderr.contains("is not empty"), "{again:?}");
    let none = folder.vac(&["archive", "init", "other"]);
    assert!(none.code == 2 && none.stderr.contains("VAC_KEY"), "{none:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let key = folder.path().join(KEY);
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        let open = ["archive", "init", "other", "--key", KEY];
        assert_eq!(folder.vac(&open).code, 2);
        let open = ["archive", "init", "other", "--key", KEY, "--insecure-key-permissions"];
        assert_eq!(folder.vac(&open).code, 0);
        let open = ["archive", "add", "other", &log(), "--key", KEY];
        assert_eq!(folder.vac(&open).code, 2);
        home::copy("claude/jsonl/basic/session.jsonl", &folder, &log());
        let open = ["archive", "add", "other", &log(), "--key", KEY, "--insecure-key-permissions"];
        assert_eq!(folder.vac(&open).code, 0);
    }
}

#[test]
fn only_what_is_new_or_has_grown_is_added() {
    let folder = prepared();
    let first = add(&folder);
    assert_eq!((first.code, &first.json()["sessions"][0]["session-id"]), (0, &ID.into()));
    assert_eq!(first.json()["sessions"][0]["labels"]["user"], "ada");
    assert_eq!(add(&folder).json()["unchanged"], 1);
    let path = folder.path().join(log());
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().last().unwrap();
    fs::write(&path, format!("{text}{last}\n")).unwrap();
    let grown = folder.vac(&[
        "archive",
        "add",
        "sessions",
        "--discover",
        "--root",
        "home",
        "--label",
        "host=loom",
        "--json",
        "--no-time",
        "--jobs",
        "1",
        "--agent",
        "claude",
        "--rehash",
        "--no-wait",
        "--max-event",
        "1MiB",
    ]);
    let added = &grown.json()["sessions"][0];
    assert_eq!((&added["version"], &added["continues"]), (&2.into(), &true.into()), "{grown:?}");
    assert_eq!((&added["labels"]["host"], added.get("time")), (&"loom".into(), None));
    valid(&folder);
}

#[test]
fn log_that_lost_something_is_reported_until_it_is_acknowledged() {
    let folder = prepared();
    add(&folder);
    let path = folder.path().join(log());
    let text = fs::read_to_string(&path).unwrap();
    let half: Vec<_> = text.lines().take(4).collect();
    fs::write(&path, half.join("\n") + "\n").unwrap();
    for _ in 0..2 {
        let cut = add(&folder);
        assert_eq!(cut.code, 1, "{cut:?}");
        let words = format!("version 2 of session {ID} does not contain version 1 any more");
        assert!(cut.stderr.contains(&words), "{cut:?}");
    }
    valid(&folder);
    let status = folder.vac_at_home(&[], &["archive", "status", "sessions"]);
    assert!(status.code == 1 && status.stderr.contains("no longer contains"), "{status:?}");
    let known = folder.vac(&["archive", "add", "sessions", "--acknowledge"]);
    let words = format!("acknowledged: version 2 of session {ID} does not contain version 1");
    assert!(known.code == 0 && known.stderr.contains(&words), "{known:?}");
    assert_eq!(add(&folder).code, 0);
    let notes = folder.vac(&["archive", "verify", "sessions"]);
    assert!(notes.code == 0 && notes.stdout.contains("(acknowledged)"), "{notes:?}");
}

#[test]
fn proof_is_verified_without_the_archive() {
    let folder = prepared();
    add(&folder);
    let proved = folder.vac(&[
        "archive",
        "prove",
        "sessions",
        "5f0c",
        "--output",
        "proof.cbor",
        "--record-output",
        "r.json",
        "--json",
    ]);
    assert_eq!((proved.code, &proved.json()["version"]), (0, &1.into()), "{proved:?}");
    let again = ["archive", "prove", "sessions", "5f0c", "--output", "proof.cbor"];
    assert_eq!(folder.vac(&again).code, 2);
    let again = [&again[..], &["--force", "--version-number", "1"]].concat();
    assert_eq!(folder.vac(&again).code, 0);
    let none = folder.vac(&["archive", "prove", "sessions", "5f0c", "--version-number", "7"]);
    assert!(none.code == 2 && none.stderr.contains("has no version 7"), "{none:?}");
    fs::remove_dir_all(folder.path().join("sessions")).unwrap();
    let verified = folder.vac(&[
        "verify",
        "proof.cbor",
        "--key",
        PUBLIC,
        "--receipt-key",
        PUBLIC,
        "--record",
        "r.json",
    ]);
    assert!(verified.code == 0 && verified.stdout.contains("receipts:       ok"), "{verified:?}");
}

#[test]
fn kept_head_finds_what_was_taken_out() {
    let folder = prepared();
    add(&folder);
    let printed = folder.vac(&["archive", "head", "sessions"]);
    folder.write("head.txt", &printed.stdout);
    let written = folder.vac(&["archive", "head", "sessions", "--output", "head.cbor", "--json"]);
    assert_eq!((written.code, &written.json()["statements"]), (0, &1.into()), "{written:?}");
    assert_eq!(folder.vac(&["archive", "head", "sessions", "--output", "head.cbor"]).code, 2);
    let force = ["archive", "head", "sessions", "--output", "head.cbor", "--force"];
    assert_eq!(folder.vac(&force).code, 0);
    for head in ["head.txt", "head.cbor"] {
        let ran = folder.vac(&["archive", "verify", "sessions", "--head", head, "--key", PUBLIC]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    // The owner makes another archive, without the session.
    fs::remove_dir_all(folder.path().join("sessions")).unwrap();
    assert_eq!(folder.vac(&["archive", "init", "sessions", "--key", KEY]).code, 0);
    let ran = folder.vac(&["archive", "verify", "sessions", "--head", "head.txt", "--json"]);
    assert_eq!((ran.code, &ran.json()["valid"]), (1, &false.into()), "{ran:?}");
    assert_eq!(ran.json()["findings"][0]["kind"], "rewritten");
}

#[test]
fn deleted_log_is_exported_and_still_verifies() {
    let folder = prepared();
    add(&folder);
    fs::remove_file(folder.path().join(log())).unwrap();
    let exported = folder.vac(&[
        "archive", "export", "sessions", "5f0c", "--output", "out", "--logs", "--proofs", "--json",
    ]);
    assert_eq!(exported.json()["files"].as_array().unwrap().len(), 3, "{exported:?}");
    let (record, log) = (format!("out/{ID}.json"), format!("out/{ID}.log"));
    let verified = folder.vac(&["verify", "--log", &log, &record]);
    assert!(verified.code == 0 && verified.stdout.contains("the same bytes"), "{verified:?}");
    let again = folder.vac(&["archive", "export", "sessions", "--output", "out"]);
    assert_eq!(again.code, 2, "{again:?}");
    let force = ["archive", "export", "sessions", "--output", "out", "--force", "--all-versions"];
    assert_eq!(folder.vac(&force).code, 0);
    assert!(folder.path().join(format!("out/{ID}.0.json")).exists());
}

#[test]
fn exported_files_never_replace_each_other() {
    let folder = prepared();
    let results = log().replace(".jsonl", "/tool-results");
    let long = "x".repeat(130);
    for (name, text) in
        [("a+b", "1"), ("a_b", "2"), (&format!("{long}1"), "3"), (&format!("{long}2"), "4")]
    {
        folder.write(&format!("{results}/{name}.txt"), text);
    }
    assert_eq!(add(&folder).code, 0);
    let export = |more: &[&str]| {
        let arguments =
            ["archive", "export", "sessions", ID, ID, "--logs", "--output", "out", "--json"];
        folder.vac(&[&arguments[..], more].concat())
    };
    for more in [&[][..], &["--force"]] {
        let ran = export(more);
        assert_eq!(ran.code, 0, "{ran:?}");
        let mut texts = Vec::new();
        let mut names = Vec::new();
        for file in ran.json()["files"].as_array().unwrap() {
            let file = file.as_str().unwrap();
            if file.contains("tool-results") {
                texts.push(fs::read_to_string(folder.path().join(file)).unwrap());
                names.push(file.rsplit('/').next().unwrap().to_owned());
            }
        }
        texts.sort();
        assert_eq!(texts, ["1", "2", "3", "4"], "{ran:?}");
        assert!(names.contains(&"a_b.2.txt".to_owned()), "{names:?}");
    }
    let again = export(&[]);
    assert!(again.code == 2 && again.stderr.contains("use --force to overwrite"), "{again:?}");
}

#[test]
fn list_and_status_show_what_is_archived() {
    let folder = prepared();
    let before = folder.vac(&["archive", "status", "sessions", "--root", "home", "--json"]);
    let missing = before.json()["not-archived"].as_array().unwrap().len();
    assert_eq!((before.code, missing), (0, 1), "{before:?}");
    let since = ["archive", "status", "sessions", "--root", "home", "--since", "soon", "--json"];
    assert_eq!(folder.vac(&since).code, 2, "not a date");
    let since = [
        "archive", "status", "sessions", "--root", "home", "--since", "2027-01", "--until",
        "2028-01", "--json",
    ];
    assert_eq!(folder.vac(&since).json()["not-archived"].as_array().unwrap().len(), 0);
    add(&folder);
    let barn = ["archive", "status", "sessions", "--root", "home", "--project", "barn", "--json"];
    assert_eq!(folder.vac(&barn).json()["not-archived"], serde_json::json!([]));
    let after = folder.vac(&["archive", "status", "sessions", "--root", "home", "--json"]).json();
    assert_eq!((&after["sessions"], &after["agents"]["claude"]), (&1.into(), &1.into()));
    assert_eq!(after["not-archived"].as_array().unwrap().len(), 0);
    let first = &before.json()["not-archived"][0];
    assert_eq!((&first["state"], &first["session-id"]), (&"new".into(), &ID.into()), "{first}");
    let all = folder.vac(&["archive", "list", "sessions", "--all-versions", "--json"]);
    assert_eq!(all.json()["sessions"][0]["session-id"], ID);
    for width in ["40", "60", "80", "120", "200"] {
        let ran = folder.vac_at_home(&[("COLUMNS", width)], &["archive", "list", "sessions"]);
        let width: usize = width.parse().unwrap();
        assert!(ran.lines().iter().all(|line| line.chars().count() <= width), "{ran:?}");
        assert!(ran.stdout.contains("5f0c1c1e"), "{ran:?}");
    }
}

#[test]
fn status_shows_what_has_grown_and_when_it_is_deleted() {
    let folder = prepared();
    add(&folder);
    let path = folder.path().join(log());
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{}\n", text.lines().last().unwrap())).unwrap();
    folder.write(home::CODEX_FILE, home::codex(home::CODEX_ID, "2026-03-02T09:00:00.000Z"));
    let status =
        || folder.vac(&["archive", "status", "sessions", "--root", "home", "--json"]).json();
    let logs = status()["not-archived"].as_array().unwrap().clone();
    assert_eq!(logs.len(), 2, "{logs:?}");
    // The agent that deletes is the first.
    assert_eq!((&logs[0]["agent"], &logs[0]["state"]), (&"claude".into(), &"changed".into()));
    let days = logs[0]["days-left"].as_f64().unwrap();
    assert!((29.0..=30.0).contains(&days), "{days}");
    assert!(logs[0]["deleted-from"].as_str().unwrap().ends_with('Z'), "{logs:?}");
    assert_eq!((&logs[1]["agent"], logs[1].get("days-left")), (&"codex".into(), None));
    folder.write("home/.claude/settings.json", "{\"cleanupPeriodDays\": 0 /* at once */}");
    assert!(status()["not-archived"][0]["days-left"].as_f64().unwrap() <= 0.0);
    for width in ["20", "40", "60", "80", "120", "200"] {
        let variables = [("COLUMNS", width)];
        let ran = folder.vac_at_home(&variables, &["archive", "status", "sessions"]);
        let width: usize = width.parse().unwrap();
        assert!(ran.lines().iter().all(|line| line.chars().count() <= width), "{ran:?}");
        assert!(ran.stdout.contains("overdue") || width < 40, "{ran:?}");
    }
}

#[test]
fn archive_without_logs_has_only_records() {
    let folder = prepared();
    let log = log();
    let ran = folder.vac(&["archive", "add", "sessions", &log, "--no-logs", "--json"]);
    assert_eq!((ran.code, &ran.json()["sessions"][0]["logs"]), (0, &false.into()), "{ran:?}");
    let objects = folder.path().join("sessions/objects");
    assert_eq!(objects.read_dir().unwrap().count(), 1);
    valid(&folder);
}

#[test]
fn folder_that_is_not_an_archive_is_refused() {
    let folder = prepared();
    for arguments in [
        &["archive", "add", "home", "session.jsonl"][..],
        &["archive", "list", "home"],
        &["archive", "head", "nowhere"],
    ] {
        let ran = folder.vac(arguments);
        assert!(ran.code == 2 && ran.stderr.contains("not an archive"), "{ran:?}");
    }
    let ran = folder.vac(&["archive", "add", "sessions"]);
    assert!(ran.code == 2 && ran.stderr.contains("--discover"), "{ran:?}");
}

/// Kills a run after increasing times; the archive is valid each time, and complete in the end.
#[cfg(unix)]
#[test]
fn killed_run_leaves_a_valid_archive() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let folder = prepared();
    let line = |name: usize, text: usize| {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"s{name}\",\"uuid\":\"u{text}\",\"parentUuid\":null,\
             \"isSidechain\":false,\"cwd\":\"/x\",\"version\":\"2.1.40\",\
             \"timestamp\":\"2026-03-04T09:00:00.000Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"prompt {text}\"}}}}\n"
        )
    };
    let count = 150;
    for name in 0..count {
        let text: String = (0..5).map(|text| line(name, text)).collect();
        folder.write(&format!("home/.claude/projects/x/s{name}.jsonl"), text);
    }
    let mut covered = 0;
    for milliseconds in (0..25).map(|step| 5 + step * 12) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_vac"))
            .args(["archive", "add", "sessions", "--discover", "--root", "home"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap_or_default();
        child.wait().unwrap();
        let ran = folder.vac(&["archive", "verify", "sessions", "--key", PUBLIC, "--json"]);
        assert_eq!(ran.code, 0, "after {milliseconds} ms: {ran:?}");
        let statements = ran.json()["statements"].as_u64().unwrap();
        assert!(statements >= covered, "after {milliseconds} ms");
        covered = statements;
    }
    assert_eq!(add(&folder).code, 0);
    let list = folder.vac(&["archive", "list", "sessions", "--json"]);
    assert_eq!(list.json()["sessions"].as_array().unwrap().len(), count + 1);
    valid(&folder);
    assert_eq!(add(&folder).json()["sessions"].as_array().unwrap().len(), 0);
}

/// A disk that is removed when it is dropped.
#[cfg(target_os = "linux")]
struct Mounted<'p>(&'p Path);

#[cfg(target_os = "linux")]
impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0).output();
    }
}

/// Adds to an archive on a disk of its own that becomes full, where such a disk can be made.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_leaves_a_valid_archive() {
    use std::process::Command;
    let folder = prepared();
    let place = folder.path().join("disk");
    fs::create_dir(&place).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=400k", "tmpfs"]).arg(&place);
    if !mount.output().is_ok_and(|ran| ran.status.success()) {
        println!("skipped: no disk can be mounted");
        return;
    }
    let mounted = Mounted(&place);
    let made = folder.vac(&["archive", "init", "disk/a", "--key", KEY]);
    assert_eq!(made.code, 0, "{made:?}");
    let text = |seed: usize| -> String {
        // Text that does not compress well.
        let mut state = seed as u64 + 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
        };
        (0..30_000).map(|_| next()).collect()
    };
    for name in 0..20 {
        let line = format!(
            "{{\"role\":\"user\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}}}\n",
            text(name)
        );
        folder.write(&format!("logs/{name}.jsonl"), line);
    }
    let verify = || folder.vac(&["archive", "verify", "disk/a", "--key", PUBLIC, "--json"]);
    let full = folder.vac(&["archive", "add", "disk/a", "logs", "--key", KEY]);
    assert_eq!(full.code, 2, "{full:?}");
    assert_eq!(verify().code, 0, "{:?}", verify());
    let more = Command::new("mount").args(["-o", "remount,size=8m"]).arg(&place).output().unwrap();
    assert!(more.status.success(), "{more:?}");
    let added = folder.vac(&["archive", "add", "disk/a", "logs", "--key", KEY]);
    assert_eq!(added.code, 0, "{added:?}");
    let done = verify();
    assert_eq!((done.code, &done.json()["statements"]), (0, &20.into()), "{done:?}");
    drop(mounted);
}

/// Logs and folders that cannot be written are read, and nothing about them changes.
#[cfg(unix)]
#[test]
fn read_only_logs_are_added_and_stay_as_they_are() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let folder = prepared();
    let path = folder.path().join(log());
    let around = path.parent().unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    fs::set_permissions(around, fs::Permissions::from_mode(0o500)).unwrap();
    let state = || {
        let metadata = path.metadata().unwrap();
        let names = around.read_dir().unwrap().count();
        (metadata.len(), metadata.mtime_nsec(), metadata.ctime_nsec(), metadata.mode(), names)
    };
    let before = state();
    assert_eq!(add(&folder).code, 0);
    valid(&folder);
    assert_eq!(state(), before);
    fs::set_permissions(around, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn key_is_named_by_a_variable() {
    let folder = prepared();
    fs::rename(folder.path().join("sessions-key"), folder.path().join("elsewhere")).unwrap();
    let arguments = ["archive", "add", "sessions", "--discover"];
    let none = folder.vac_at_home(&[], &arguments);
    assert!(none.code == 2 && none.stderr.contains("VAC_KEY"), "{none:?}");
    let ran = folder.vac_at_home(&[("VAC_KEY", "elsewhere/signing-key.pem")], &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// A database that is unchanged, with its journals, is known by the state of its files.
#[cfg(unix)]
#[test]
fn database_is_known_by_its_state_until_it_changes() {
    let folder = prepared();
    let database = "home/.local/share/opencode/opencode.db";
    home::copy("opencode/database/basic/opencode.db", &folder, database);
    // A file that was changed a moment ago is read again.
    std::thread::sleep(std::time::Duration::from_millis(3200));
    assert_eq!(add(&folder).code, 0);
    let index = fs::read_to_string(folder.path().join("sessions/index")).unwrap();
    let key = format!("{database}#{}", home::OPENCODE_ID);
    assert!(index.contains(&key), "{index}");
    let again = add(&folder).json();
    assert_eq!((&again["unchanged"], again["sessions"].as_array().unwrap().len()), (&3.into(), 0));
    let connection = rusqlite::Connection::open(folder.path().join(database)).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    let update = "UPDATE session SET title = 'Another harbour' WHERE id = ?1";
    connection.execute(update, [home::OPENCODE_ID]).unwrap();
    let changed = add(&folder).json();
    let ids: Vec<_> =
        changed["sessions"].as_array().unwrap().iter().map(|it| &it["session-id"]).collect();
    assert_eq!(ids, [home::OPENCODE_ID], "{changed}");
    drop(connection);
    valid(&folder);
}

#[test]
fn key_of_an_archive_is_never_in_it() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("here")).unwrap();
    home::copy("claude/jsonl/basic/session.jsonl", &folder, &log());
    let in_folder = |line: &str| {
        let program = env!("CARGO_BIN_EXE_vac");
        let mut words = line.split(' ');
        let place = folder.path().join(words.next().unwrap());
        let ran = std::process::Command::new(program)
            .args(words)
            .current_dir(place)
            .env_remove("VAC_KEY")
            .output()
            .unwrap();
        (ran.status.code(), String::from_utf8(ran.stderr).unwrap())
    };
    let made = in_folder("here archive init . --keygen");
    assert_eq!(made.0, Some(0), "{made:?}");
    assert!(folder.path().join("here-key/signing-key.pem").exists());
    let added = in_folder("here archive add . --discover --root ../home");
    assert_eq!(added.0, Some(0), "{added:?}");
    let added = in_folder("here/objects archive add .. --discover --root ../../home");
    assert_eq!(added.0, Some(0), "{added:?}");
    let verified =
        folder.vac(&["archive", "verify", "here", "--key", "here-key/signing-key.pub.pem"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    fs::rename(folder.path().join("here-key"), folder.path().join("other-key")).unwrap();
    let none = in_folder("here archive add . --discover --root ../home");
    assert!(
        none.0 == Some(2) && none.1.contains("here-key/signing-key.pem does not exist"),
        "{none:?}"
    );
}
