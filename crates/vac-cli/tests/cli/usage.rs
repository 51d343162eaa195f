//! `vac usage`

use crate::home::{CLAUDE_FILE, CLAUDE_ID, claude, home};
use crate::run::Folder;

fn fixture(name: &str) -> String {
    vac_tests::root().join("fixtures").join(name).to_string_lossy().into_owned()
}

/// Returns a session of Claude Code with one request.
fn session(id: &str, message: &str, time: &str, tokens: (u64, u64)) -> String {
    let usage = format!(
        r#""usage":{{"input_tokens":{},"output_tokens":{},"cache_read_input_tokens":100}},"content""#,
        tokens.0, tokens.1
    );
    let log = claude(id, time);
    let (prompt, answer) = log.split_once('\n').expect("two lines");
    let answer =
        answer.replace(r#""content""#, &usage).replace("\"m1\"", &format!("\"{message}\""));
    format!("{prompt}\n{answer}")
}

const FIRST: &str = "0a0a0a0a-0000-4000-8000-0000000000a1";
const SECOND: &str = "0a0a0a0a-0000-4000-8000-0000000000a2";

fn two_sessions() -> Folder {
    let folder = Folder::new();
    let place = "home/.claude/projects/p";
    let first = session(FIRST, "m1", "2026-03-01T09:00:00.000Z", (1_000, 200));
    folder.write(&format!("{place}/{FIRST}.jsonl"), &first);
    let second = session(SECOND, "m2", "2026-03-02T09:00:00.000Z", (3_000, 400));
    folder.write(&format!("{place}/{SECOND}.jsonl"), second);
    folder
}

#[test]
fn tokens_are_added_up_with_bars() {
    let folder = two_sessions();
    let ran = folder.vac_at_home(&[("COLUMNS", "80")], &["usage"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(
        ran.stdout,
        "day         input  cache-read  cache-write  output  (reasoning)  total\n\
         2026-03-01  1,000         100            -     200            -  1,300  ██▉\n\
         2026-03-02  3,000         100            -     400            -  3,500  ████████\n\
         total       4,000         200            -     600            -  4,800\n"
    );
    let narrow = folder.vac_at_home(&[("COLUMNS", "60")], &["usage", "--discover"]);
    assert!(!narrow.stdout.contains('█') && narrow.lines().len() == 4, "{}", narrow.stdout);
}

#[test]
fn rows_are_days_projects_models_agents_or_sessions() {
    let folder = two_sessions();
    for (by, names) in [
        ("day", &["2026-03-01", "2026-03-02"][..]),
        ("project", &["/home/ada/loom"]),
        ("model", &["claude-example"]),
        ("agent", &["claude"]),
        ("session", &[SECOND, FIRST]),
    ] {
        let json = folder.vac_at_home(&[], &["usage", "--json", "--by", by]).json();
        let rows = json["rows"].as_array().expect("rows");
        let found: Vec<_> = rows.iter().map(|row| row["name"].as_str().expect("a name")).collect();
        assert_eq!(found, names);
        assert_eq!(json["total"]["tokens"]["total"], 4_800, "{by}");
        assert_eq!(json["total"]["sessions"], 2);
    }
}

#[test]
fn only_tokens_of_the_wanted_time_and_sessions_count() {
    let folder = two_sessions();
    let total = |arguments: &[&str]| {
        let json = folder.vac_at_home(&[], &[&["usage", "--json"], arguments].concat()).json();
        json["total"]["tokens"]["total"].as_u64()
    };
    assert_eq!(total(&["--since", "2026-03-02"]), Some(3_500));
    assert_eq!(total(&["--until", "2026-03-01"]), Some(1_300));
    assert_eq!(total(&["--last"]), Some(3_500));
    assert_eq!(total(&[FIRST]), Some(1_300));
    assert_eq!(total(&["--project", "loom"]), Some(4_800));
    assert_eq!(total(&["--project", "mill"]), None);
    assert_eq!(total(&["--agent", "codex"]), None);
    assert_eq!(total(&["--root", "home", "--max-event", "1MiB"]), Some(4_800));
}

#[test]
fn same_statement_in_several_sessions_counts_once() {
    let folder = two_sessions();
    // A copy of the first session with another id, like a fork that does not name its parent.
    let first = session(FIRST, "m1", "2026-03-01T09:00:00.000Z", (1_000, 200));
    folder.write("home/.claude/projects/p/fork.jsonl", first.replace(FIRST, CLAUDE_ID));
    let json = folder.vac_at_home(&[], &["usage", "--json"]).json();
    assert_eq!(json["total"]["tokens"]["total"], 4_800);
    assert_eq!(json["skipped"]["in-other-session"], 1);
    // Logs and their records.
    let log = format!("home/.claude/projects/p/{FIRST}.jsonl");
    folder.vac(&["convert", &log, "-o", "record.json"]).gives(0, "");
    let json = folder.vac(&["usage", "--json", &log, "record.json"]).json();
    assert_eq!(json["total"]["tokens"]["total"], 1_300);
    let json = folder.vac_at_home(&[("VAC_RECORDS", ".")], &["usage", "--json"]).json();
    assert_eq!(json["total"]["tokens"]["total"], 4_800);
}

#[test]
fn different_sessions_of_one_id_count_each() {
    let folder = Folder::new();
    let tokens = |agent: &str, input: u64| {
        let head = r#"{"version": "3.0.0-draft", "id": "r1", "session": {"session-id": "s1", "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "AGENT"}, "entries": ["#;
        let entry = |input: u64| {
            format!(
                r#"{{"type": "assistant", "content": "x", "vac": {{"usage": {{"input": {input}}}}}}}"#
            )
        };
        format!("{}{}, {}]}}}}", head.replace("AGENT", agent), entry(input), entry(input))
    };
    // Neither states times nor ids of entries.
    folder.write("a.json", tokens("kiln", 5));
    folder.write("b.json", tokens("loom", 5));
    folder.write("copies/a.json", tokens("kiln", 5));
    folder.write("copies/larger.json", tokens("kiln", 7));
    let usage = |paths: &[&str]| {
        folder.vac(&[&["usage", "--json", "--by", "session"], paths].concat()).json()
    };
    let json = usage(&["a.json", "b.json"]);
    assert_eq!(json["total"]["tokens"]["total"], 20, "{json}");
    let rows: Vec<_> = json["rows"].as_array().expect("rows").iter().collect();
    assert_eq!(rows.len(), 2, "{json}");
    assert_eq!((&rows[0]["name"], &rows[1]["name"]), (&"s1".into(), &"s1".into()));
    assert_eq!((&rows[0]["agent"], &rows[1]["agent"]), (&"kiln".into(), &"loom".into()));
    let json = usage(&["a.json", "copies"]);
    assert_eq!(json["total"]["tokens"]["total"], 24, "a copy counts once: {json}");
    assert_eq!(json["skipped"]["in-other-session"], 2);
}

#[test]
fn tables_of_prices_are_bounded() {
    let folder = two_sessions();
    let log = format!("home/.claude/projects/p/{FIRST}.jsonl");
    let usage = |table: &str| folder.vac(&["usage", "--prices", table, &log]);
    let file = std::fs::File::create(folder.path().join("large.json")).expect("a file");
    file.set_len(1 << 40).expect("a hole");
    let ran = usage("large.json");
    assert!(ran.code == 2 && ran.stderr.contains("more than 16.7 MB"), "{ran:?}");
    let name = "m".repeat(1 << 20);
    folder.write("long.json", format!(r#"{{"currency": "EUR", "models": {{"{name}\u001b": 1}}}}"#));
    let ran = usage("long.json");
    assert!(ran.code == 2 && ran.stderr.len() < 1000, "{}", ran.stderr.len());
    folder.write("deep.json", "[".repeat(1 << 20));
    let ran = usage("deep.json");
    assert!(ran.code == 2 && ran.stderr.contains("not a table of prices"), "{ran:?}");
    // The names in a price table are printed harmlessly.
    let hostile = r#"{"currency": "\u001b[2J\u202e", "models": {"*": {"input": 1}}}"#;
    folder.write("hostile.json", hostile);
    let ran = usage("hostile.json");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{ran:?}");
}

/// The sums of `vac usage` are those of `vac inspect` for the fixtures of every agent.
#[test]
fn single_sessions_have_the_tokens_of_inspect() {
    let folder = Folder::new();
    let mut compared = 0;
    for name in ["claude/jsonl", "claude/jsonl-folder", "codex/envelopes", "gemini", "opencode"] {
        let path = fixture(name);
        let inspected = folder.vac(&["inspect", "--json", &path]).json();
        for session in inspected["sessions"].as_array().expect("sessions") {
            compared += usize::from(session.get("tokens").is_some());
        }
        let mut entries: Vec<_> = std::fs::read_dir(&path).expect("a folder").collect();
        entries.sort_by_key(|entry| entry.as_ref().expect("an entry").path());
        for entry in entries {
            let case = entry.expect("an entry").path().to_string_lossy().into_owned();
            let inspected = folder.vac(&["inspect", "--json", &case]);
            if !inspected.stdout.starts_with('{') {
                continue;
            }
            let inspected = inspected.json();
            let sessions = inspected["sessions"].as_array().expect("sessions");
            let total = |it: &serde_json::Value| it["tokens"]["total"].as_u64().unwrap_or(0);
            let expected: u64 = sessions.iter().map(total).sum();
            let used = folder.vac(&["usage", "--json", &case]).json();
            let skipped = used["skipped"]["in-other-session"].as_u64();
            let found = total(&used["total"]);
            assert!(found == expected || (skipped.is_some() && found < expected), "{case}");
        }
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn cost_is_exact_and_unknown_models_are_reported() {
    let folder = two_sessions();
    let prices = fixture("prices/sample.json");
    let json = folder.vac_at_home(&[], &["usage", "--json", "--prices", &prices]).json();
    // 4,000 * 3 + 200 * 0.3 + 600 * 15, for a million.
    assert_eq!(json["total"]["computed-cost"], "0.02106");
    assert_eq!((json["currency"].as_str(), json.get("unpriced")), (Some("USD"), None));
    folder
        .write("few.json", r#"{"currency": "EUR", "models": {"claude-example": {"input": 0.1}}}"#);
    let ran = folder.vac_at_home(&[], &["usage", "--by", "model", "--prices", "few.json"]);
    assert_eq!(ran.code, 0);
    let warning = "warning: no price for 800 tokens of model `claude-example` (not in the cost)\n";
    assert_eq!(ran.stderr, warning);
    assert!(ran.stdout.contains("  0.0004+"), "{}", ran.stdout);
    folder.write("other.json", r#"{"currency": "EUR", "models": {"loom": {"input": 1}}}"#);
    let ran = folder.vac_at_home(&[], &["usage", "--prices", "other.json"]);
    assert!(ran.lines()[1].contains("  unknown"), "{}", ran.stdout);
    folder.write("bad.json", r#"{"currency": "EUR", "models": {"loom": {"input": -1}}}"#);
    let ran = folder.vac_at_home(&[], &["usage", "--prices", "bad.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let message = "error: bad.json: not a table of prices: `loom`: the price of `input` is `-1`";
    assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
    let ran = folder.vac_at_home(&[], &["usage", "--prices", "missing.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("missing.json"), "{}", ran.stderr);
}

#[test]
fn sessions_without_tokens_have_no_rows() {
    let folder = home();
    let ran = folder.vac_at_home(&[], &["usage", CLAUDE_FILE]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", "no tokens found\n"));
    folder.write("notes.txt", "no session");
    let ran = folder.vac_at_home(&[], &["usage", "notes.txt"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
}
