//! `vac list`

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::home::{
    self, CHAT_ID, CLAUDE_ID, CODEX_ID, CURSOR, CURSOR_ID, GEMINI_ID, OPENCODE_CHILD, OPENCODE_ID,
    claude, home,
};
use crate::run::{Folder, Ran};

/// Returns the sessions of a list: agent, id, variant.
fn sessions(ran: &Ran) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let json = ran.json();
    let sessions = json["sessions"].as_array().expect("a list");
    let of = |it: &Value| (text(&it["agent"]), text(&it["session-id"]), text(&it["variant"]));
    sessions.iter().map(of).collect()
}

fn ids(ran: &Ran) -> Vec<String> {
    sessions(ran).into_iter().map(|(_, id, _)| id).collect()
}

#[test]
fn every_agents_sessions_are_found_where_it_keeps_them() {
    let folder = home();
    let ran = folder.vac_at_home(&[], &["list", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected = [
        ("claude", CLAUDE_ID, "jsonl"),
        ("codex", CODEX_ID, "envelopes"),
        ("gemini", GEMINI_ID, "json"),
        ("opencode", OPENCODE_ID, "database"),
        ("opencode", OPENCODE_CHILD, "database"),
        ("cursor", CURSOR_ID, "transcript"),
        ("cursor", "33333333-cccc-4ccc-8ccc-000000000003", "composer"),
        ("cursor", "44444444-dddd-4ddd-8ddd-000000000004", "composer"),
        ("cursor", "11111111-aaaa-4aaa-8aaa-000000000001", "composer"),
        ("cursor", "22222222-bbbb-4bbb-8bbb-000000000002", "composer"),
        ("cursor", CHAT_ID, "chat"),
    ];
    let mut found = sessions(&ran);
    let mut expected =
        expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())).to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let json = ran.json();
    let gemini =
        json["sessions"].as_array().expect("a list").iter().find(|it| it["agent"] == "gemini");
    let gemini = gemini.expect("Gemini's");
    assert_eq!(gemini["project"], "/home/ada/twin");
    assert_eq!(gemini["start"], "2026-03-03T09:00:00.000Z");
    assert_eq!(gemini["files"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_table_is_aligned_and_begins_with_the_latest() {
    let folder = Folder::new();
    folder
        .write("home/.claude/projects/a/1.jsonl", home::claude("b-later", "2026-03-02T09:00:00Z"));
    folder.write(
        "home/.claude/projects/a/2.jsonl",
        home::claude("earlier", "2026-03-01T10:00:00+01:00"),
    );
    folder.write(
        "home/.codex/sessions/rollout-1.jsonl",
        home::codex("c", "2026-01-01T09:00:00.123Z"),
    );
    let ran = folder.vac_at_home(&[], &["list"]);
    let later = home::claude("b-later", "2026-03-02T09:00:00Z").len();
    let earlier = home::claude("earlier", "2026-03-01T10:00:00+01:00").len();
    let codex = home::codex("c", "2026-01-01T09:00:00.123Z").len();
    let expected = format!(
        "agent   session  start                  size  variant    project         prompt\n\
         claude  b-later  2026-03-02T09:00:00Z  {later} B  jsonl      /home/ada/loom  Weave it\n\
         claude  earlier  2026-03-01T09:00:00Z  {earlier} B  jsonl      /home/ada/loom  Weave it\n\
         codex   c        2026-01-01T09:00:00Z  {codex} B  envelopes  /home/ada/mill  Grind it\n"
    );
    ran.gives(0, &expected);
}

#[test]
fn files_that_are_not_sessions_are_never_listed() {
    let folder = Folder::new();
    let (claude, codex, gemini) = (
        home::claude("no", "2026-01-01T00:00:00Z"),
        home::codex("no", "2026-01-01T00:00:00Z"),
        home::gemini("no", "2026-01-01T00:00:00Z"),
    );
    for name in [
        "history.jsonl",
        "projects/a/sessions-index.json",
        "projects/a/memory/notes.jsonl",
        "projects/a/x.jsonl.tmp",
        "file-history/b/c.jsonl",
        "todos/d.jsonl",
    ] {
        folder.write(&format!("home/.claude/{name}"), &claude);
    }
    for name in [
        "history.jsonl",
        "session_index.jsonl",
        "log/session-1.jsonl",
        "sessions/2026/01/01/rollout-1.jsonl.tmp",
        "sessions/2026/01/01/rollout-compression.lock",
        "sessions/2026/01/01/other.jsonl",
        "rollout-2.jsonl",
    ] {
        folder.write(&format!("home/.codex/{name}"), &codex);
    }
    for name in [
        "projects.json",
        "tmp/p/logs/session-1.jsonl",
        "tmp/p/shell_history",
        "tmp/p/chats/s.jsonl.tmp-17",
        "tmp/p/checkpoints/c.json",
        "tmp/p/0c0c/plans/p.json",
        "tmp/chats/deep.json",
    ] {
        folder.write(&format!("home/.gemini/{name}"), &gemini);
    }
    folder.write("home/.local/share/opencode/auth.json", "{}");
    folder.write("home/.local/share/opencode/log/x.db", "no");
    folder.write("home/.cursor/projects/p/other/x.jsonl", CURSOR);
    folder.write("home/.cursor/chats/a/b/meta.json", "{}");
    folder.write("home/.config/Cursor/User/globalStorage/state.vscdb.backup", "no");
    let ran = folder.vac_at_home(&[], &["list", "-v"]);
    ran.gives(0, "");
    assert!(ran.stderr.starts_with("no session found; searched "), "{}", ran.stderr);
    assert!(!ran.stderr.contains("skipped"), "{}", ran.stderr);
}

#[test]
fn variables_name_the_places_to_search() {
    let folder = home();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::rename(folder.path().join("home"), folder.path().join("moved")).expect("another place");
    folder.write("home/nothing", "");
    assert_eq!(ids(&folder.vac_at_home(&[], &["list", "--json"])), [""; 0]);
    let list =
        |variables: &[(&str, &str)]| ids(&folder.vac_at_home(variables, &["list", "--json"]));
    assert_eq!(list(&[("CLAUDE_CONFIG_DIR", &at("moved/.claude"))]), [CLAUDE_ID]);
    let several = format!("{},{}", at("nowhere"), at("moved/.claude"));
    assert_eq!(list(&[("CLAUDE_CONFIG_DIR", &several)]), [CLAUDE_ID]);
    assert_eq!(list(&[("CODEX_HOME", &at("moved/.codex"))]), [CODEX_ID]);
    assert_eq!(list(&[("GEMINI_CLI_HOME", &at("moved"))]), [GEMINI_ID]);
    assert_eq!(list(&[("XDG_DATA_HOME", &at("moved/.local/share"))]).len(), 2);
    assert_eq!(list(&[("OPENCODE_DB", &at("moved/.local/share/opencode/opencode.db"))]).len(), 2);
    assert_eq!(list(&[("CURSOR_CONFIG_DIR", &at("moved/.cursor"))]), [CHAT_ID]);
    if cfg!(target_os = "linux") {
        assert_eq!(list(&[("XDG_CONFIG_HOME", &at("moved/.config"))]).len(), 4);
    }
    let gone = folder.vac_at_home(&[("CODEX_HOME", &at("nowhere"))], &["list"]);
    gone.gives(0, "");
    assert!(gone.stderr.contains("nowhere does not exist"), "{}", gone.stderr);
}

#[test]
fn a_root_is_a_home_or_a_copy_of_an_agents_folder() {
    let folder = home();
    let list = |root: &str| ids(&folder.vac(&["list", "--json", "--root", root]));
    assert_eq!(list("home").len(), 11);
    assert_eq!(list("home/.claude"), [CLAUDE_ID]);
    assert_eq!(list("home/.codex"), [CODEX_ID]);
    assert_eq!(list("home/.gemini"), [GEMINI_ID]);
    assert_eq!(list("home/.local/share/opencode").len(), 2);
    assert_eq!(list("home/.cursor"), [CHAT_ID, CURSOR_ID]);
    assert_eq!(list("home/.config/Cursor/User").len(), 4);
    let variables = [("CODEX_HOME", "home/.codex")];
    let ran = folder.vac_at_home(&variables, &["list", "--json", "--root", "home/.claude"]);
    assert_eq!(ids(&ran), [CLAUDE_ID], "variables do not count");
    let missing = folder.vac(&["list", "--root", "nowhere"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("nowhere: "), "{}", missing.stderr);
}

#[test]
fn list_and_convert_agree_on_ids_variants_and_number() {
    let folder = home();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut count = 0;
    for (agent, place) in [
        ("claude", "home/.claude/projects/PLACE/NAME"),
        ("codex", "home/.codex/sessions/2026/01/01/rollout-PLACE-NAME"),
        ("gemini", "home/.gemini/tmp/PLACE/chats/session-NAME"),
        ("cursor", "home/.cursor/projects/PLACE/agent-transcripts/STEM/NAME"),
        ("qwen", "home/.qwen/projects/PLACE/chats/NAME"),
        (
            "antigravity",
            "home/.gemini/antigravity-cli/brain/PLACE/.system_generated/logs/transcript_full.jsonl",
        ),
        ("droid", "home/.factory/sessions/PLACE/NAME"),
        ("grok", "home/.grok/sessions/PLACE/NAME/updates.jsonl"),
        ("pi", "home/.pi/agent/sessions/PLACE/NAME"),
        ("copilot", "home/.copilot/session-state/PLACE/events.jsonl"),
    ] {
        let entries = |folder: PathBuf| folder.read_dir().expect("a folder");
        let variants = entries(fixtures.join(agent)).map(|entry| entry.expect("an entry").path());
        for case in variants.flat_map(entries) {
            for file in entries(case.expect("an entry").path()) {
                let file = file.expect("an entry").path();
                let name = file.file_name().expect("a name").to_string_lossy().into_owned();
                let stem = file.file_stem().expect("a name").to_string_lossy();
                let ending = file.extension().unwrap_or_default();
                let is_log = ending == "jsonl" || ending == "json";
                if file.is_file() && is_log && !name.starts_with("expected") {
                    let place = place.replace("PLACE", &format!("p{count}"));
                    let place = place.replace("STEM", &stem).replace("NAME", &name);
                    fs::copy(&file, folder.write(&place, "")).expect("a copy");
                    count += 1;
                }
            }
        }
    }
    let listed = folder.vac(&["list", "--json", "--root", "home"]);
    let converted =
        folder.vac(&["convert", "--discover", "--root", "home", "-o", "records", "--json"]);
    assert_eq!((listed.code, converted.code), (0, 0), "{}", converted.stderr);
    let (mut listed, mut converted) = (sessions(&listed), sessions(&converted));
    listed.sort();
    converted.sort();
    assert!(listed.len() > 100, "{}", listed.len());
    assert_eq!(listed, converted);
}

#[test]
fn large_log_is_listed_with_the_variant_of_its_record() {
    let folder = Folder::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/copilot/events-folder/basic/session-state");
    let id = fixture.read_dir().expect("a folder").next().expect("a session").expect("an entry");
    let state = format!("home/.copilot/session-state/{}", id.file_name().to_string_lossy());
    let mut events = fs::read_to_string(id.path().join("events.jsonl")).expect("events");
    let last = events.lines().last().expect("an event").to_owned();
    while events.len() < 400 * 1024 {
        events.push_str(&last);
        events.push('\n');
    }
    folder.write(&format!("{state}/events.jsonl"), events);
    folder.write(&format!("{state}/plan.md"), "1. Look.\n");
    let listed = folder.vac(&["list", "--json", "--root", "home"]);
    let converted =
        folder.vac(&["convert", "--discover", "--root", "home", "-o", "records", "--json"]);
    assert_eq!(sessions(&listed), sessions(&converted));
    assert!(listed.stdout.contains("\"events-folder\""), "{}", listed.stdout);
}

#[test]
fn relative_times_count_from_now() {
    const HOUR: i128 = 3_600_000_000_000;
    let folder = Folder::new();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time");
    let now = i128::try_from(now.as_nanos()).expect("a time");
    for (id, hours) in [("new", 1), ("day", 49), ("old", 24 * 30)] {
        let time = vac::record::time::utc(now - hours * HOUR).expect("a time");
        folder.write(&format!("home/.claude/projects/p/{id}.jsonl"), claude(id, &time));
    }
    let list = |arguments: &[&str]| {
        let ran = folder.vac(&[&["list", "--json", "--root", "home"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ids(&ran)
    };
    assert_eq!(list(&["--since", "24h"]), ["new"]);
    assert_eq!(list(&["--since", "7d"]), ["new", "day"]);
    assert_eq!(list(&["--until", "2w"]), ["old"]);
    assert_eq!(list(&["--since", "2w", "--until", "2d"]), ["day"]);
    assert_eq!(list(&["--since", "yesterday"]), ["new"]);
    assert_eq!(list(&["--until", "today"]).len(), 3);
    let convert = ["convert", "--discover", "--root", "home", "--since", "7d"];
    assert_eq!(folder.vac(&convert).lines().len(), 2);
}

#[test]
fn several_roots_and_a_folder_of_homes_are_searched() {
    let folder = home();
    let list = |arguments: &[&str]| {
        let ran = folder.vac(&[&["list", "--json"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ids(&ran)
    };
    let both = ["--root", "home/.codex", "--root", "home/.claude", "--root", "home/.codex"];
    assert_eq!(list(&both), [CODEX_ID, CLAUDE_ID]);
    folder.write("homes/ada/.claude/projects/a/s1.jsonl", claude("s1", "2026-03-01T09:00:00Z"));
    folder.write("homes/bob/.claude/projects/b/s2.jsonl", claude("s2", "2026-03-02T09:00:00Z"));
    folder.write("homes/bob/.codex/sessions/x.txt", "not a session");
    folder.write("homes/notes.txt", "not a home");
    assert_eq!(list(&["--root", "homes"]), ["s2", "s1"]);
    assert_eq!(list(&["--root", "homes", "--root", "home/.codex"]), ["s2", CODEX_ID, "s1"]);
    // A home has places of its own, so the folders in it are not homes.
    folder.write("homes/.gemini/settings.json", "{}");
    assert_eq!(list(&["--root", "homes"]), [] as [&str; 0]);
}

#[cfg(unix)]
#[test]
fn an_unreadable_home_is_reported_once() {
    let folder = Folder::new();
    folder.write("homes/ada/.claude/projects/a/s1.jsonl", claude("s1", "2026-03-01T09:00:00Z"));
    let locked = folder.path().join("homes/bob");
    std::fs::create_dir(&locked).expect("a folder");
    if home::lock(&locked) {
        let ran = folder.vac(&["list", "--json", "--root", "homes"]);
        assert_eq!((ran.code, ids(&ran)), (2, vec!["s1".to_owned()]));
        assert_eq!(ran.stderr.matches("error: ").count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("homes/bob: "), "{}", ran.stderr);
    }
    home::unlock(&locked);
}

#[test]
fn an_agent_and_a_time_can_be_chosen() {
    let folder = home();
    let list = |arguments: &[&str]| {
        let arguments = [&["list", "--json", "--root", "home"], arguments].concat();
        let ran = folder.vac(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (ids(&ran), ran.stderr)
    };
    assert_eq!(list(&["--agent", "codex"]).0, [CODEX_ID]);
    assert_eq!(list(&["-a", "gemini"]).0, [GEMINI_ID]);
    assert_eq!(list(&["-a", "claude", "--since", "2026-03-01"]).0, [CLAUDE_ID]);
    assert_eq!(list(&["-a", "claude", "--since", "2026-03-02"]).0, [""; 0]);
    assert_eq!(list(&["-a", "claude", "--until", "2026-03-01"]).0, [CLAUDE_ID]);
    assert_eq!(list(&["-a", "claude", "--until", "2026-02-28"]).0, [""; 0]);
    assert_eq!(list(&["-a", "claude", "--until", "2026-03-01T08:59:59Z"]).0, [""; 0]);
    assert_eq!(list(&["-a", "claude", "--since", "2026-03-01T10:00:00+01:00"]).0, [CLAUDE_ID]);
    assert_eq!(list(&["-a", "claude", "--since", "2026-03", "--until", "2026-03"]).0, [CLAUDE_ID]);
    assert_eq!(list(&["-a", "claude", "--since", "2026-04"]).0, [""; 0]);
    assert_eq!(list(&["-a", "claude", "--until", "2026-02"]).0, [""; 0]);
    // The transcript does not state when it began.
    let (found, stderr) = list(&["-a", "cursor", "--since", "2099-01-01"]);
    assert!(found.contains(&CURSOR_ID.to_owned()), "{found:?}");
    assert!(stderr.contains("of unknown start included"), "{stderr}");
    for wrong in [
        &["--since", "tomorrow"][..],
        &["--since", "7x"],
        &["--until", "2026-13"],
        &["--until", "2026-02-30"],
        &["--agent", "unknown-agent"],
        &["PATH"],
    ] {
        let ran = folder.vac(&[&["list", "--root", "home"], wrong].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{wrong:?}");
        assert!(!ran.stderr.is_empty());
    }
}

#[test]
fn quiet_prints_nothing_and_json_the_same_facts() {
    let folder = home();
    let ran = folder.vac(&["list", "-q", "--root", "home"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.lines().len(), 12);
    let loud = folder.vac(&["list", "-v", "--root", "home"]);
    assert_eq!(loud.stdout, ran.stdout);
    assert!(
        loud.stderr.contains("storage#ses_0a1b2c3d4effeLanternHarbor01: skipped, "),
        "{}",
        loud.stderr
    );
    assert!(loud.stderr.contains("11 sessions"), "{}", loud.stderr);
    let json = folder.vac(&["list", "--json", "--root", "home"]).json();
    assert_eq!(json["duplicates"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["failed"].as_array().map(Vec::len), Some(0));
    assert_eq!(json["skipped"], 0);
}

#[test]
fn names_cannot_control_a_terminal() {
    let folder = Folder::new();
    let log = home::claude(r"\u001b[31mred\u0007\nclaude  fake", "2026-01-01T00:00:00Z");
    folder
        .write("home/.claude/projects/a/1.jsonl", log.replace("/home/ada/loom", r"/\u202egone\r"));
    let ran = folder.vac(&["list", "--root", "home"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.lines().len(), 2, "{}", ran.stdout);
    assert!(!ran.stdout.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']), "{:?}", ran.stdout);
    assert_eq!(
        ids(&folder.vac(&["list", "--json", "--root", "home"])),
        ["\u{1b}[31mred\u{7}\nclaude  fake"]
    );
}

#[test]
fn thousands_of_sessions_are_listed() {
    let folder = Folder::new();
    for number in 0..3000 {
        let (id, day) = (format!("s-{number:04}"), number % 28 + 1);
        let time = format!("2026-01-{day:02}T00:00:00Z");
        match number % 3 {
            0 => folder
                .write(&format!("home/.claude/projects/p/{id}.jsonl"), home::claude(&id, &time)),
            1 => folder.write(
                &format!("home/.codex/sessions/rollout-{id}.jsonl"),
                home::codex(&id, &time),
            ),
            _ => folder.write(
                &format!("home/.gemini/tmp/p/chats/session-{id}.json"),
                home::gemini(&id, &time),
            ),
        };
    }
    let ran = folder.vac(&["list", "--root", "home"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.lines().len(), 3001);
    assert_eq!(ran.stderr, "3,000 sessions\n");
}

#[test]
fn first_prompt_is_listed_if_it_fits() {
    let folder = Folder::new();
    let prompt = |id: &str| {
        format!(
            r#"{{"sessionId":"{id}","messageId":0,"type":"user","message":"Twin","timestamp":"2026-01-01T00:00:00Z"}}"#
        )
    };
    let logs = format!("[{},{},{}]", prompt("gone"), prompt(GEMINI_ID), prompt("gone"));
    folder.write("home/.gemini/tmp/p/logs.json", logs);
    let chat = home::gemini(GEMINI_ID, "2026-01-01T00:00:00Z");
    folder.write("home/.gemini/tmp/p/chats/session-2026-01-01T00-00-0c0c0c0c.json", chat);
    folder.write(
        "home/.gemini/tmp/p/checkpoint-tag.json",
        r#"[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"text":"y"}]}]"#,
    );
    let ran = folder.vac(&["list", "--json", "--root", "home"]);
    let expected = [(GEMINI_ID, "json"), ("gone", "logs"), ("checkpoint-tag", "contents")];
    let expected = expected.map(|(id, form)| ("gemini".to_owned(), id.to_owned(), form.to_owned()));
    assert_eq!(sessions(&ran), expected);
    assert!(ran.stderr.contains("1 duplicate skipped"), "{}", ran.stderr);
}

#[test]
fn a_chat_of_cursor_says_where_its_transcript_was_made() {
    let folder = Folder::new();
    let transcript = format!("home/.cursor/projects/compass/agent-transcripts/{CURSOR_ID}.jsonl");
    folder.write(&transcript, CURSOR);
    let meta = r#"{"schemaVersion":1,"createdAtMs":1772528400000,"cwd":"/home/ada/compass"}"#;
    folder.write(&format!("home/.cursor/chats/0123abcd/{CURSOR_ID}/meta.json"), meta);
    let json = folder.vac(&["list", "--json", "--root", "home"]).json();
    assert_eq!(json["sessions"][0]["project"], "/home/ada/compass");
    assert_eq!(json["sessions"][0]["start"], "2026-03-03T09:00:00.000Z");
    let record = folder.vac(&["convert", "--discover", "--root", "home"]).json();
    assert_eq!(record["session"]["session-start"], 1_772_528_400_000_u64);
    assert_eq!(record["session"]["environment"]["working-dir"], "/home/ada/compass");
    let entries = record["session"]["entries"].as_array().expect("entries");
    assert_eq!(entries.last().expect("one")["event-type"], "meta.json");
    let sources = record["recording-agent"]["sources"].as_array().expect("sources");
    assert_eq!(
        (sources[1]["name"].as_str(), sources[1]["size"].as_u64()),
        (Some("meta.json"), Some(meta.len() as u64))
    );
}

#[test]
fn sessions_that_came_from_another_one_name_it() {
    let folder = Folder::new();
    let fork = home::claude("fork", "2026-03-02T09:00:00Z").replace(
        r#""type":"user""#,
        r#""type":"user","forkedFrom":{"sessionId":"first","messageUuid":"m"}"#,
    );
    folder.write("home/.claude/projects/a/fork.jsonl", fork);
    let child = home::codex("child", "2026-01-01T09:00:00Z")
        .replace(r#""id":"child""#, r#""id":"child","forked_from_id":"mother""#);
    folder.write("home/.codex/sessions/rollout-1.jsonl", child);
    folder.write(
        "home/.local/share/opencode/storage/session/p/ses_child.json",
        r#"{"id":"ses_child","projectID":"p","parentID":"ses_parent","directory":"/d",
            "version":"1.0.0","title":"t","time":{"created":1,"updated":2}}"#,
    );
    folder.write(
        "home/.local/share/opencode/storage/message/ses_child/msg_1.json",
        r#"{"id":"msg_1","sessionID":"ses_child","role":"user","time":{"created":1}}"#,
    );
    let listed = folder.vac_at_home(&[], &["list", "--json"]).json();
    let mut parents: Vec<_> = listed["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| format!("{} {} {}", it["agent"], it["parent"], it["relation"]).replace('"', ""))
        .collect();
    parents.sort();
    assert_eq!(
        parents,
        ["claude first fork", "codex mother fork", "opencode ses_parent subagent"],
        "{listed}"
    );
}

#[test]
fn fork_is_named_by_its_place_or_by_the_user() {
    let folder = Folder::new();
    let log = home::codex("c", "2026-01-01T09:00:00Z");
    folder.write("home/.trae/cli/sessions/2026/rollout-1.jsonl", &log);
    folder.write("elsewhere/log.jsonl", &log);
    let listed = folder.vac_at_home(&[], &["list", "--json"]).json();
    assert_eq!(listed["sessions"][0]["agent"], "traex", "{listed}");
    let inside = "home/.trae/cli/sessions/2026/rollout-1.jsonl";
    for (arguments, agent) in [
        (&["convert", inside][..], "traex"),
        (&["convert", "--agent", "codex", inside], "codex"),
        (&["convert", "elsewhere/log.jsonl"], "codex"),
        (&["convert", "--agent", "traex", "elsewhere/log.jsonl"], "traex"),
    ] {
        let record = folder.vac(arguments).json();
        let annotations = &record["session"]["vac"];
        assert_eq!(annotations["agent"], agent, "{arguments:?}");
        assert_eq!(annotations["adapter"], "codex", "{arguments:?}");
    }
    let facts = folder.vac(&["inspect", "--json", inside]).json();
    assert_eq!(facts["sessions"][0]["agent"], "traex", "{facts}");
}

#[test]
fn the_table_fits_the_columns_that_there_are() {
    let folder = home();
    for columns in ["30", "60", "80", "100", "120", "160", "200"] {
        let ran = folder.vac_at_home(&[("COLUMNS", columns)], &["list"]);
        let width: usize = columns.parse().expect("a number");
        assert_eq!(ran.lines().len(), 12, "{}", ran.stdout);
        for line in ran.lines() {
            assert!(line.chars().count() <= width, "{columns}: {line}");
        }
        assert!(ran.lines()[0].contains("session"), "{columns}: {}", ran.stdout);
    }
    let ran = folder.vac_at_home(&[("COLUMNS", "100")], &["list"]);
    let gemini = ran.lines().into_iter().find(|line| line.starts_with("gemini")).expect("Gemini's");
    assert!(gemini.contains(" 0c0c0c0c  ") && gemini.contains(" 2026-03-03 09:00 "), "{gemini}");
    assert!(gemini.ends_with("Twin it"), "{gemini}");
}

#[test]
fn sessions_are_selected_by_project_and_number() {
    let folder = home();
    let list = |arguments: &[&str]| {
        ids(&folder.vac_at_home(&[], &[&["list", "--json"], arguments].concat()))
    };
    assert_eq!(list(&["--project", "/home/ada/tw"]), [GEMINI_ID]);
    assert_eq!(list(&["--project", "no such project"]), Vec::<String>::new());
    let all = list(&[]);
    assert_eq!(list(&["--limit", "3"]), all[..3]);
    assert_eq!(list(&["--limit", "0"]), Vec::<String>::new());
}

#[test]
fn first_prompts_of_large_logs_are_read_from_their_beginning() {
    let folder = Folder::new();
    let log = claude("large", "2026-03-01T09:00:00Z");
    let answer = log.lines().nth(1).expect("an answer");
    let answers = vec![answer; 4000].join("\n");
    folder.write("home/.claude/projects/a/1.jsonl", format!("{log}{answers}\n"));
    let json = folder.vac_at_home(&[], &["list", "--json"]).json();
    assert_eq!(json["sessions"][0]["first-prompt"], "Weave it");
    assert!(json["sessions"][0]["size"].as_u64() > Some(1_000_000), "{json}");
}
