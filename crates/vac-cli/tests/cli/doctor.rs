//! `vac doctor`

use std::fs;

use crate::home;
use crate::run::{Folder, Ran};

fn doctor(folder: &Folder, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    folder.vac_at_home(variables, &[&["doctor"], arguments].concat())
}

/// Returns the codes of the problems.
fn codes(ran: &Ran) -> Vec<String> {
    let problems = ran.json()["problems"].as_array().unwrap().clone();
    problems.iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn places_logs_versions_and_settings_are_shown() {
    let folder = home::home();
    folder.write("home/.claude/settings.json", "{\"cleanupPeriodDays\": 90}");
    let ran = doctor(&folder, &[], &["--json"]);
    let json = ran.json();
    assert_eq!((ran.code, codes(&ran).len()), (0, 0), "{ran:?}");
    let agents = json["agents"].as_array().unwrap();
    let agent = |name: &str| agents.iter().find(|it| it["agent"] == name).unwrap();
    let claude = agent("claude");
    assert_eq!((&claude["logs"], &claude["newest-version"]), (&1.into(), &"2.1.0".into()));
    assert!(claude["newest-tested"].is_string() && claude["is-newer"] == false, "{claude}");
    assert_eq!(
        (&claude["deletion"]["days"], &claude["deletion"]["is-stated"]),
        (&90.0.into(), &true.into())
    );
    assert_eq!((&claude["hook"], &claude["unexamined"]), (&"absent".into(), &0.into()));
    assert!(agent("codex").get("deletion").is_none());
    assert_eq!(agent("gemini")["deletion"]["days"], 30.0);
    for width in ["20", "40", "60", "80", "120", "200"] {
        let ran = doctor(&folder, &[("COLUMNS", width)], &[]);
        let width: usize = width.parse().unwrap();
        assert!(ran.lines().iter().all(|line| line.chars().count() <= width), "{ran:?}");
        assert!(ran.stdout.contains("claude"), "{ran:?}");
    }
}

#[test]
fn unknown_types_and_newer_versions_are_named() {
    let folder = Folder::new();
    let log = home::claude(home::CLAUDE_ID, "2026-03-01T09:00:00.000Z").replace("2.1.0", "999.0.1");
    let strange =
        log.lines().next().unwrap().replace("\"type\":\"user\"", "\"type\":\"telepathy\"");
    folder.write(home::CLAUDE_FILE, format!("{log}{strange}\n"));
    let ran = doctor(&folder, &[], &["--json"]);
    assert_eq!((ran.code, codes(&ran)), (0, vec!["newer-version".to_owned()]), "{ran:?}");
    let json = ran.json();
    let claude = json["agents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["agent"] == "claude")
        .unwrap()
        .clone();
    assert_eq!(claude["unknown-types"]["telepathy"], 1, "{claude}");
    let ran = doctor(&folder, &[], &["--root", "home"]);
    assert!(ran.stdout.contains("claude: unknown types: telepathy"), "{ran:?}");
}

#[test]
fn reason_for_finding_nothing_is_named() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("home")).unwrap();
    let nothing = doctor(&folder, &[], &["--json"]);
    assert_eq!((nothing.code, codes(&nothing)), (1, vec!["no-session".to_owned()]), "{nothing:?}");
    assert!(nothing.stdout.contains("no folder of a supported agent exists here"));
    folder.write("home/.claude/projects/x/notes.jsonl", "not a log\n");
    let nothing = doctor(&folder, &[], &["--json"]);
    assert!(nothing.stdout.contains("1 file where agents keep sessions"), "{nothing:?}");
    let variables = [("CLAUDE_CONFIG_DIR", "/nonexistent/claude"), ("VAC_RECORDS", "/nonexistent")];
    let nothing = doctor(&folder, &variables, &["--json"]);
    let found = codes(&nothing);
    for code in ["missing-folder", "records", "no-session"] {
        assert!(found.iter().any(|it| it == code), "{code}: {nothing:?}");
    }
    for file in ["home/.claude/settings.json", "home/.cursor/hooks.json"] {
        let path = folder.write(file, "{");
        let ran = doctor(&folder, &[], &["--json"]);
        assert!(codes(&ran).contains(&"settings".to_owned()), "{ran:?}");
        assert!(ran.stdout.contains("\"hook\": \"unknown\""), "{ran:?}");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn state_of_an_archive_is_shown() {
    let folder = home::home();
    assert_eq!(folder.vac(&["archive", "init", "kept", "--keygen"]).code, 0);
    let before = doctor(&folder, &[], &["kept", "--json"]).json();
    let missing = before["archive"]["not-archived"].as_u64().unwrap();
    assert!(missing >= 8 && before["archive"]["has-key"] == true, "{before}");
    let added = folder.vac_at_home(&[], &["archive", "add", "kept", "--discover"]);
    assert_eq!(added.code, 0, "{added:?}");
    let after = doctor(&folder, &[], &["kept", "--json"]).json();
    assert!(after["archive"]["sessions"].as_u64().unwrap() >= 8, "{after}");
    let shown = doctor(&folder, &[], &["kept"]);
    assert!(shown.code == 0 && shown.stdout.contains("kept: "), "{shown:?}");
    fs::remove_dir_all(folder.path().join("kept-key")).unwrap();
    assert!(codes(&doctor(&folder, &[], &["kept", "--json"])).contains(&"key".to_owned()));
    let ran = doctor(&folder, &[], &["home", "--json"]);
    assert_eq!((ran.code, codes(&ran)), (1, vec!["archive".to_owned()]), "{ran:?}");
}

/// Settings are often links to another folder.
#[cfg(unix)]
#[test]
fn linked_settings_are_read() {
    let folder = home::home();
    assert_eq!(folder.vac(&["archive", "init", "kept", "--keygen"]).code, 0);
    let settings = folder.write("home/.claude/settings.json", "{\"cleanupPeriodDays\": 90}");
    let write = ["hook", "kept", "--agent", "claude", "--write"];
    assert_eq!(folder.vac_at_home(&[], &write).code, 0);
    fs::rename(&settings, folder.path().join("dotfile")).unwrap();
    std::os::unix::fs::symlink("../../dotfile", &settings).unwrap();
    let ran = doctor(&folder, &[], &["--json"]);
    assert_eq!((ran.code, codes(&ran).len()), (0, 0), "{ran:?}");
    let json = ran.json();
    let claude = json["agents"].as_array().unwrap().iter().find(|it| it["agent"] == "claude");
    let claude = claude.unwrap();
    assert_eq!((&claude["deletion"]["days"], &claude["hook"]), (&90.0.into(), &"installed".into()));
}

/// Only the beginning of the log fits the agent.
#[test]
fn log_that_cannot_be_examined_is_counted() {
    let folder = home::home();
    let beginning = home::claude(home::CLAUDE_ID, "2026-03-01T09:00:00.000Z").repeat(1000);
    folder.write(home::CLAUDE_FILE, beginning + &"{\"strange\": 1}\n".repeat(60_000));
    let json = doctor(&folder, &[], &["--json"]).json();
    let claude = json["agents"].as_array().unwrap().iter().find(|it| it["agent"] == "claude");
    assert_eq!(claude.unwrap()["unexamined"], 1, "{json}");
}
