//! Tests logs that contain several sessions: each session is listed, selected and converted by the
//! facts that it states.

use std::fs;

use serde_json::Value;

use crate::home::{claude, copy, state};
use crate::run::{Folder, Ran};

const LOOM: &str = "0a0a0a0a-0000-4000-8000-00000000aaaa";
const WHEEL: &str = "0b0b0b0b-0000-4000-8000-00000000bbbb";
const LATE: &str = "2026-04-01T08:30:00Z";

/// Returns a log with a session of 08:00 in `loom` and one of 09:00 in `wheel`.
fn both() -> String {
    let loom = claude(LOOM, "2026-04-01T08:00:00.000Z");
    let wheel = claude(WHEEL, "2026-04-01T09:00:00.000Z");
    loom + &wheel.replace("/home/ada/loom", "/home/ada/wheel").replace("2.1.0", "2.1.1")
}

/// Returns a session with more than 256 kB.
fn large(id: &str) -> String {
    let session = claude(id, "2026-04-01T08:00:00.000Z");
    let longer = session.replace("Woven", &"Woven ".repeat(1000));
    (0..60).map(|number| longer.replace("\"u", &format!("\"u{number}-"))).collect()
}

fn at_home() -> Folder {
    let folder = Folder::new();
    folder.write("home/.claude/projects/a/collected.jsonl", both());
    folder
}

fn rows(ran: &Ran) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let json = ran.json();
    let rows = json["sessions"].as_array().expect("a list");
    let row =
        |it: &Value| (text(&it["session-id"]), text(&it["project"]), text(&it["cli-version"]));
    rows.iter().map(row).collect()
}

fn names(folder: &Folder, name: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder.path().join(name)) else { return Vec::new() };
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

fn record(id: &str) -> String {
    format!("claude-{id}.json")
}

#[track_caller]
fn says(ran: &Ran, code: i32, words: &str) {
    assert!(ran.code == code && ran.stderr.contains(words), "{} {}", ran.code, ran.stderr);
}

#[test]
fn each_row_states_the_facts_of_its_session() {
    let folder = at_home();
    let row = |id: &str, project: &str, version: &str| {
        (id.to_owned(), project.to_owned(), version.to_owned())
    };
    let (loom, wheel) =
        (row(LOOM, "/home/ada/loom", "2.1.0"), row(WHEEL, "/home/ada/wheel", "2.1.1"));
    let list = |arguments: &[&str]| {
        rows(&folder.vac_at_home(&[], &[&["list", "--json"], arguments].concat()))
    };
    assert_eq!(list(&[]), [wheel.clone(), loom.clone()]);
    assert_eq!(list(&["--project", "wheel"]), std::slice::from_ref(&wheel));
    assert_eq!(list(&["--project", "loom"]), std::slice::from_ref(&loom));
    assert_eq!(list(&["--since", LATE]), [wheel]);
    assert_eq!(list(&["--until", LATE]), [loom]);
    assert_eq!(list(&["--until", LATE, "--project", "wheel"]), []);
}

#[test]
fn rows_of_every_agent_are_those_of_their_records() {
    for agent in [
        "claude/jsonl",
        "codex/envelopes",
        "qwen/jsonl",
        "copilot/events",
        "droid/jsonl",
        "pi/jsonl",
    ] {
        let folder = Folder::new();
        copy(&format!("{agent}/two-sessions"), &folder, "logs");
        for name in ["logs/expected-1.json", "logs/expected-2.json"] {
            fs::remove_file(folder.path().join(name)).expect("a record");
        }
        folder.vac(&["convert", "logs/", "-o", "all/"]);
        for name in names(&folder, "all") {
            let path = folder.path().join("all").join(&name);
            let json: Value =
                serde_json::from_slice(&fs::read(path).expect("a record")).expect("JSON");
            let project = json["session"]["environment"]["working-dir"].as_str().expect("a folder");
            let one = folder.vac(&["convert", "logs/", "--project", project, "-o", "one/"]);
            assert_eq!(
                (one.code, names(&folder, "one")),
                (0, vec![name]),
                "{agent} {}",
                one.stderr
            );
            fs::remove_dir_all(folder.path().join("one")).expect("a folder");
        }
    }
}

#[test]
fn conversion_writes_only_the_wanted_sessions() {
    let folder = at_home();
    let convert = |arguments: &[&str], output: &str| {
        let ran = folder.vac_at_home(&[], &[&["convert", "-o", output], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        names(&folder, output.trim_end_matches('/'))
    };
    assert_eq!(convert(&["--discover", "--since", LATE], "late/"), [record(WHEEL)]);
    assert_eq!(convert(&["--discover", "--project", "loom"], "loom/"), [record(LOOM)]);
    assert_eq!(convert(&["home/.claude", "--until", LATE], "early/"), [record(LOOM)]);
    assert_eq!(convert(&[&WHEEL[..8]], "one.json"), Vec::<String>::new());
    let one = fs::read_to_string(folder.path().join("one.json")).expect("a record");
    assert!(one.contains(WHEEL) && !one.contains(LOOM) && one.lines().count() == 1);
    assert_eq!(convert(&["--discover"], "all/"), [record(LOOM), record(WHEEL)]);
}

#[test]
fn all_commands_select_the_same_sessions() {
    let folder = at_home();
    let vac = |arguments: &[&str]| folder.vac_at_home(&[], arguments);
    vac(&["search", "-c", "Weave", "--project", "wheel"]).gives(0, &format!("{WHEEL}:1\n"));
    vac(&["search", "-c", "Weave", "--since", LATE]).gives(0, &format!("{WHEEL}:1\n"));
    vac(&["search", "-c", "Weave", "--until", LATE]).gives(0, &format!("{LOOM}:1\n"));
    copy("claude/jsonl/two-sessions/collected.jsonl", &folder, "spinner.jsonl");
    let usage = vac(&["usage", "--by", "project", "--project", "wheel", "spinner.jsonl"]);
    assert!(usage.stdout.contains("/wheel"), "{} {}", usage.stdout, usage.stderr);
    assert!(!usage.stdout.contains("/loom"), "{}", usage.stdout);
    let export = ["export", "-f", "csv", "--tables", "sessions", "--project", "wheel", "-o", "-"];
    let rows = vac(&export).stdout;
    assert!(rows.contains(WHEEL) && !rows.contains(LOOM), "{rows}");
    vac(&["search", "-c", "Weave", "--project", "barn"]).gives(1, "");
}

#[test]
fn run_for_some_sessions_leaves_the_others_to_the_next() {
    // A folder with many records has an index, and a small one has none.
    for others in [0, 40] {
        let folder = at_home();
        for number in 0..others {
            let log = claude(&format!("other-{number}"), "2026-04-01T10:00:00.000Z");
            folder.write(&format!("home/.claude/projects/b/other-{number}.jsonl"), log);
        }
        // Files that were just written are not trusted to be unchanged.
        std::thread::sleep(std::time::Duration::from_millis(60));
        let convert = |arguments: &[&str]| {
            let run = ["convert", "--discover", "-o", "records/"];
            folder.vac_at_home(&[], &[&run, arguments].concat())
        };
        let summary =
            |new: u64, unchanged: u64| format!("{new} new, 0 changed, {unchanged} unchanged\n");
        says(&convert(&["--since", LATE]), 0, &summary(others + 1, 0));
        assert!(names(&folder, "records").contains(&record(WHEEL)));
        says(&convert(&["--since", LATE]), 0, &summary(0, others + 1));
        says(&convert(&[]), 0, &summary(1, others + 1));
        assert!(names(&folder, "records").contains(&record(LOOM)));
        let records = || {
            let mut state = state(&folder.path().join("records"));
            state.retain(|path, _| path.ends_with(".json"));
            state
        };
        let before = records();
        says(&convert(&[]), 0, &summary(0, others + 2));
        says(&convert(&["--since", LATE]), 0, &summary(0, others + 1));
        says(&convert(&["--until", LATE]), 0, &summary(0, 1));
        says(&convert(&["--rehash"]), 0, &summary(0, others + 2));
        assert!(records() == before, "no record was written");
        // A record that was removed is made again, also if the log has another.
        fs::remove_file(folder.path().join("records").join(record(WHEEL))).expect("a record");
        says(&convert(&["--until", LATE]), 0, &summary(0, 1));
        says(&convert(&[]), 0, &summary(1, others + 1));
    }
}

#[test]
fn export_of_some_sessions_leaves_the_others_to_the_next() {
    let folder = at_home();
    std::thread::sleep(std::time::Duration::from_millis(60));
    let export = |arguments: &[&str]| {
        folder.vac_at_home(&[], &[&["export", "-o", "tables/"], arguments].concat())
    };
    says(&export(&["--project", "wheel"]), 0, "(1 new, 0 changed, 0 unchanged)");
    says(&export(&[]), 0, "(1 new, 0 changed, 1 unchanged)");
    says(&export(&[]), 0, "(0 new, 0 changed, 2 unchanged)");
    // The log grows, and only one of its sessions is wanted: the rows of the other stay.
    let longer = both() + &claude(WHEEL, "2026-04-01T09:01:00.000Z").replace("\"u", "\"v");
    folder.write("home/.claude/projects/a/collected.jsonl", longer);
    let ran = export(&["--project", "wheel"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let manifest = fs::read_to_string(folder.path().join("tables/.vac-export.json")).expect("one");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let sessions = manifest["sessions"].as_object().expect("sessions").values();
    let mut ids: Vec<_> = sessions.map(|it| it["id"].as_str().expect("an id")).collect();
    ids.sort_unstable();
    assert_eq!(ids, [LOOM, WHEEL]);
}

#[test]
fn second_session_of_a_large_log_is_listed_and_found() {
    let folder = Folder::new();
    let wheel = claude(WHEEL, "2026-04-01T09:00:00.000Z");
    folder.write("home/.claude/projects/a/collected.jsonl", large(LOOM) + &wheel);
    let vac = |arguments: &[&str]| folder.vac_at_home(&[], arguments);
    let ids: Vec<_> = rows(&vac(&["list", "--json"])).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, [WHEEL, LOOM]);
    let shown = vac(&["show", &WHEEL[..8]]);
    assert!(shown.code == 0 && shown.stdout.contains("Woven"), "{}", shown.stderr);
    says(&vac(&["convert", "--discover", "-o", "all/"]), 0, "2 sessions converted");
    // Another file with the id of one of them in it is one session.
    folder.write("home/.claude/projects/a/one.jsonl", large("one"));
    assert_eq!(rows(&vac(&["list", "--json"])).len(), 3);
}

#[test]
fn selection_of_no_session_is_not_an_error() {
    let folder = at_home();
    let vac = |arguments: &[&str]| folder.vac_at_home(&[], arguments);
    for (arguments, message) in [
        (
            &["--since", "2026-05-01"][..],
            "no session in that time in home/.claude (2 of other times)\n",
        ),
        (
            &["--project", "barn"],
            "no session of that project in home/.claude (2 of other projects)\n",
        ),
        (
            &["--since", LATE, "--project", "loom"],
            "no session in that time and project in home/.claude (2 others)\n",
        ),
    ] {
        let named = vac(&[&["convert", "home/.claude", "-o", "r/"], arguments].concat());
        assert!(named.code == 0 && named.stderr.starts_with(message), "{}", named.stderr);
        let found = vac(&[&["convert", "--discover", "-o", "r/"], arguments].concat());
        let message = message.replace(" in home/.claude", "");
        assert!(found.code == 0 && found.stderr.starts_with(&message), "{}", found.stderr);
        let listed = vac(&[&["list"], arguments].concat());
        assert!(listed.code == 0 && listed.stderr.starts_with(&message), "{}", listed.stderr);
    }
    assert!(!folder.path().join("r").exists(), "nothing was written");
    folder.write("notes/a.txt", "text");
    let none = vac(&["convert", "notes", "--since", "24h", "-o", "r/"]);
    says(&none, 1, "error: no session found in notes (supported: ");
}

#[test]
fn places_in_many_homes_are_listed_once() {
    let folder = Folder::new();
    for number in 0..200 {
        folder.write(&format!("many/home-{number}/notes.txt"), "text");
    }
    let ran = folder.vac(&["list", "--root", "many"]);
    let heading = "no session found in 200 folders of many; searched the places of these agents there:\n  claude: .claude, .config/claude\n";
    assert!(ran.stderr.starts_with(heading) && ran.stderr.len() < 3000, "{}", ran.stderr);
    let doctor = folder.vac(&["doctor", "--root", "many"]);
    assert!(doctor.stdout.lines().count() < 10, "{}", doctor.stdout);
    for number in 0..3 {
        let log = claude(LOOM, "2026-04-01T08:00:00.000Z");
        folder.write(&format!("many/home-{number}/.claude/projects/a/{LOOM}.jsonl"), log);
    }
    let doctor = folder.vac(&["doctor", "--root", "many"]);
    assert!(doctor.stdout.contains(".claude in 3 folders\n"), "{}", doctor.stdout);
}

#[test]
fn root_that_contains_logs_itself_is_named() {
    let folder = at_home();
    let advice =
        "home/.claude/projects is a folder of logs: run `vac convert home/.claude/projects`\n";
    let root = ["--root", "home/.claude/projects"];
    says(&folder.vac(&[&["list"], &root[..]].concat()), 0, advice);
    says(&folder.vac(&[&["convert", "--discover", "-o", "r/"], &root[..]].concat()), 0, advice);
    says(&folder.vac(&[&["doctor"], &root[..]].concat()), 1, advice);
}

#[test]
fn row_of_a_session_in_a_database_states_its_parent() {
    let folder = Folder::new();
    copy("hermes/database/delegated/state.db", &folder, "home/.hermes/state.db");
    folder.vac_at_home(&[], &["convert", "--discover", "-o", "all/"]);
    let listed = folder.vac_at_home(&[], &["list", "--json"]).json();
    let mut parents = 0;
    for row in listed["sessions"].as_array().expect("a list") {
        let id = row["session-id"].as_str().expect("an id");
        let record = folder.path().join(format!("all/hermes-{id}.json"));
        let record: Value =
            serde_json::from_slice(&fs::read(record).expect("a record")).expect("JSON");
        let annotations = &record["session"]["vac"];
        assert_eq!(
            (&row["parent"], &row["relation"]),
            (&annotations["parent"], &annotations["relation"])
        );
        parents += usize::from(row["parent"].is_string());
    }
    assert!(parents > 0, "{listed}");
}

#[test]
fn row_of_a_session_in_a_database_states_its_start() {
    let folder = Folder::new();
    copy("cursor/chat/basic/store.db", &folder, "home/.cursor/chats/0123abcd/a/store.db");
    let listed = folder.vac_at_home(&[], &["list", "--json"]).json();
    let inspected = folder.vac(&["inspect", "home/.cursor/chats/0123abcd/a/store.db", "--json"]);
    let start = &inspected.json()["sessions"][0]["start"];
    assert!(start.is_string() && listed["sessions"][0]["start"].is_string(), "{listed} {start}");
}

#[test]
fn latest_session_is_the_first_whatever_its_log_begins_with() {
    let folder = at_home();
    let between = claude("between", "2026-04-01T08:30:00.000Z");
    folder.write("home/.claude/projects/b/between.jsonl", between);
    let list = |limit: &str| {
        let ran = folder.vac_at_home(&[], &["list", "--json", "--limit", limit]);
        rows(&ran).into_iter().map(|(id, ..)| id).collect::<Vec<_>>()
    };
    assert_eq!(list("1"), [WHEEL]);
    assert_eq!(list("2"), [WHEEL, "between"]);
    let latest = folder.vac_at_home(&[], &["inspect", "--last", "--json"]).json();
    assert_eq!(latest["sessions"][0]["session-id"], WHEEL);
}
