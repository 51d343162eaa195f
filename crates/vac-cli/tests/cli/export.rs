//! `vac export`

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::home::claude;
use crate::run::Folder;

pub const FIRST: &str = "0a0a0a0a-0000-4000-8000-0000000000a1";
pub const SECOND: &str = "0a0a0a0a-0000-4000-8000-0000000000a2";
const TABLES: [&str; 5] = ["entries", "files", "sessions", "tool_calls", "usage"];

pub fn two_sessions() -> Folder {
    let folder = Folder::new();
    for (id, day) in [(FIRST, "01"), (SECOND, "02")] {
        let log = claude(id, &format!("2026-03-{day}T09:00:00.000Z"));
        folder.write(&format!("home/.claude/projects/p/{id}.jsonl"), log);
    }
    folder
}

/// Returns the files of a folder, by their paths in it.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        for entry in path.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("a path below").to_owned();
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

fn batches(folder: &Path, table: &str) -> Vec<RecordBatch> {
    let mut found = Vec::new();
    for name in files(folder).keys().filter(|name| name.starts_with(table)) {
        let file = File::open(folder.join(name)).expect("a file");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
        found.extend(reader.build().expect("a reader").map(|batch| batch.expect("rows")));
    }
    found
}

/// Returns the values of a text column, in order.
pub fn texts(folder: &Path, table: &str, column: &str) -> Vec<String> {
    let mut found = Vec::new();
    for batch in batches(folder, table) {
        let column = batch.column_by_name(column).expect("a column").as_string::<i32>().clone();
        found.extend(column.iter().flatten().map(str::to_owned));
    }
    found.sort();
    found
}

#[test]
fn sessions_of_this_machine_are_exported() {
    let folder = two_sessions();
    let ran = folder.vac_at_home(&[], &["export", "--discover", "--output", "tables"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let message = "2 sessions exported to tables: 6 rows (2 new, 0 changed, 0 unchanged)\n";
    assert_eq!(ran.stderr, message);
    let tables = folder.path().join("tables");
    let names: BTreeSet<_> = files(&tables)
        .into_keys()
        .filter_map(|name| Some(name.parent()?.to_string_lossy().into_owned()))
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.iter().map(String::as_str).eq(TABLES), "{names:?}");
    assert_eq!(texts(&tables, "sessions", "session_id"), [FIRST, SECOND]);
    assert_eq!(texts(&tables, "entries", "type"), ["assistant", "assistant", "user", "user"]);
}

#[test]
fn number_of_jobs_does_not_change_bytes() {
    let folder = Folder::new();
    let fixtures = vac_tests::root().join("fixtures").to_string_lossy().into_owned();
    for jobs in ["1", "4"] {
        let ran = folder.vac(&["export", &fixtures, "-o", jobs, "--jobs", jobs, "--quiet"]);
        assert_eq!(ran.code, 1, "some fixtures are invalid records");
    }
    let (one, four) = (files(&folder.path().join("1")), files(&folder.path().join("4")));
    assert!(one.len() > 10);
    let tables = |(name, _): &(&PathBuf, &Vec<u8>)| name.parent() != Some(Path::new(""));
    assert!(one.iter().filter(tables).eq(four.iter().filter(tables)));
}

#[test]
fn session_that_grew_replaces_its_rows() {
    let folder = two_sessions();
    let export = |expected: &str| {
        let ran = folder.vac_at_home(&[], &["export", "-o", "tables"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    };
    let tables = folder.path().join("tables");
    export("(2 new, 0 changed, 0 unchanged)");
    let keys = texts(&tables, "sessions", "record_key");
    export("(0 new, 0 changed, 2 unchanged)");
    let log = format!("home/.claude/projects/p/{FIRST}.jsonl");
    let grown = std::fs::read_to_string(folder.path().join(&log)).expect("a log");
    let next = claude(FIRST, "2026-03-01T10:00:00.000Z").replace("-0000-", "-0001-");
    let next = next.replace(&FIRST.replace("-0000-", "-0001-"), FIRST);
    folder.write(&log, format!("{grown}{next}"));
    export("(0 new, 1 changed, 1 unchanged)");
    assert_eq!(texts(&tables, "sessions", "session_id"), [FIRST, SECOND]);
    assert_eq!(texts(&tables, "entries", "type").len(), 6);
    let now = texts(&tables, "sessions", "record_key");
    assert_eq!(now.iter().filter(|key| keys.contains(key)).count(), 1, "{keys:?} {now:?}");
    // What was exported stays if its log is removed.
    std::fs::remove_file(folder.path().join(&log)).expect("the log is removed");
    export("(0 new, 0 changed, 1 unchanged)");
    assert_eq!(texts(&tables, "sessions", "session_id"), [FIRST, SECOND]);
    let ran = folder.vac_at_home(&[], &["export", "-o", "tables", "--force"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(texts(&tables, "sessions", "session_id"), [SECOND]);
    assert_eq!(files(&tables).len(), 6, "a file for each table, and the manifest");
}

#[test]
fn log_and_its_record_count_once() {
    let folder = Folder::new();
    folder.write("log.jsonl", claude(FIRST, "2026-03-01T09:00:00.000Z"));
    assert_eq!(folder.vac(&["convert", "log.jsonl", "-o", "record.json"]).code, 0);
    let ran = folder.vac(&["export", "log.jsonl", "record.json", "-o", "tables"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let tables = folder.path().join("tables");
    assert_eq!(texts(&tables, "sessions", "session_id"), [FIRST]);
}

#[test]
fn record_that_is_kept_does_not_repeat_its_log() {
    let folder = two_sessions();
    let records = folder.path().join("records").to_string_lossy().into_owned();
    let kept = [("VAC_RECORDS", records.as_str())];
    assert_eq!(folder.vac_at_home(&kept, &["convert", "--discover", "-o", "records"]).code, 0);
    let export = || {
        let ran = folder.vac_at_home(&kept, &["export", "-o", "tables"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        texts(&folder.path().join("tables"), "sessions", "session_id")
    };
    assert_eq!(export(), [FIRST, SECOND]);
    // This is also so if the log has grown since.
    let log = claude(FIRST, "2026-03-01T09:00:00.000Z");
    let grown = format!("{log}{}", log.replace("T09:", "T10:"));
    folder.write(&format!("home/.claude/projects/p/{FIRST}.jsonl"), grown);
    assert_eq!(export(), [FIRST, SECOND]);
    assert_eq!(export(), [FIRST, SECOND]);
}

#[test]
fn log_that_was_moved_counts_once() {
    let folder = Folder::new();
    let log = claude(FIRST, "2026-03-01T09:00:00.000Z");
    folder.write("a/log.jsonl", &log);
    let export = || {
        let ran = folder.vac(&["export", "a", "b", "-o", "tables"]);
        (ran.code, texts(&folder.path().join("tables"), "sessions", "session_id").len())
    };
    std::fs::create_dir(folder.path().join("b")).expect("a folder");
    assert_eq!(export(), (0, 1));
    std::fs::remove_file(folder.path().join("a/log.jsonl")).expect("the log is moved");
    folder.write("b/log.jsonl", &log);
    assert_eq!(export(), (0, 1));
    folder.write("b/log.jsonl", format!("{log}{}", log.replace("T09:", "T10:")));
    assert_eq!(export(), (0, 1), "the log grew where it is now");
}

#[test]
fn logs_from_standard_input_do_not_replace_each_other() {
    let folder = Folder::new();
    for (id, count) in [(FIRST, 1), (SECOND, 2), (FIRST, 2)] {
        let log = claude(id, "2026-03-01T09:00:00.000Z");
        let ran = folder.vac_with(&["export", "-", "-o", "tables"], log.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let found = texts(&folder.path().join("tables"), "sessions", "session_id");
        assert_eq!(found.len(), count);
    }
}

#[test]
fn tables_are_selected_and_divided() {
    let folder = two_sessions();
    let arguments =
        ["export", "-o", "t", "--tables", "sessions,usage", "--partition-by", "agent,day"];
    assert_eq!(folder.vac_at_home(&[], &arguments).code, 0);
    let tables = folder.path().join("t");
    let names: BTreeSet<_> = files(&tables)
        .into_keys()
        .filter_map(|name| Some(name.parent()?.to_string_lossy().into_owned()))
        .filter(|name| !name.is_empty())
        .collect();
    let expected = [
        "sessions/agent=claude/day=2026-03-01",
        "sessions/agent=claude/day=2026-03-02",
        "usage/agent=claude/day=2026-03-01",
        "usage/agent=claude/day=2026-03-02",
    ];
    assert!(names.iter().map(String::as_str).eq(expected), "{names:?}");
    // Engines read the agent from the names of folders, and refuse two columns of one name.
    let columns = |table| batches(&tables, table)[0].schema();
    assert!(columns("sessions").index_of("agent").is_err());
    assert_eq!(texts(&tables, "sessions", "session_id"), [FIRST, SECOND]);
    // Another selection of tables does not fit the folder.
    let ran = folder.vac_at_home(&[], &["export", "-o", "t"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("other options (use --force to replace it"), "{}", ran.stderr);
    let ran = folder.vac_at_home(&[], &["export", "-o", "t", "--force", "--since", "2026-03-02"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(texts(&tables, "sessions", "session_id"), [SECOND]);
    let ran = folder.vac_at_home(
        &[],
        &[
            "export",
            "-o",
            "until",
            "--until",
            "2026-03-01",
            "--project",
            "loom",
            "--agent",
            "claude",
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(texts(&folder.path().join("until"), "sessions", "session_id"), [FIRST]);
}

#[test]
fn one_table_is_written_to_stdout() {
    let folder = two_sessions();
    let export = |format: &str, tables: &str| {
        let arguments =
            ["export", "--root", "home", "-o", "-", "--format", format, "--tables", tables];
        folder.vac(&arguments)
    };
    let csv = export("csv", "sessions");
    assert_eq!(csv.code, 0, "{}", csv.stderr);
    assert!(csv.lines()[0].starts_with("record_key,session_id,agent,variant,"), "{}", csv.stdout);
    assert!(csv.lines()[1].contains("2026-03-01T09:00:00.000000Z"), "{}", csv.stdout);
    assert_eq!(csv.lines().len(), 3);
    let json = export("ndjson", "entries");
    for line in json.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(row["ordinal"].is_number() && row["record_key"].is_string(), "{line}");
    }
    assert_eq!(json.lines().len(), 4);
    let shell = "vac export --root home -f arrow --tables usage -o - | head -c 4 | od -An -tx1";
    let arrow = folder.shell(&[], shell);
    assert_eq!(arrow.stdout.trim(), "ff ff ff ff", "an Arrow stream");
    for (format, tables, reason) in [
        ("parquet", "usage", "Parquet cannot be written to stdout"),
        ("csv", "usage,files", "only one table can be written to stdout"),
    ] {
        let ran = export(format, tables);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    }
}

#[test]
fn session_that_fails_leaves_no_rows() {
    let folder = Folder::new();
    folder.write("a.jsonl", claude(FIRST, "2026-03-01T09:00:00.000Z"));
    assert_eq!(folder.vac(&["convert", "a.jsonl", "-o", "b.json"]).code, 0);
    let record = std::fs::read_to_string(folder.path().join("b.json")).expect("a record");
    // The last entry is not valid.
    let at = record.rfind(r#""type":"assistant""#).expect("an entry");
    let record = format!("{}{}", &record[..at], record[at..].replacen("assistant", "other", 1));
    folder.write("b.json", record.replace(FIRST, SECOND));
    let ran =
        folder.vac(&["export", "a.jsonl", "b.json", "-o", "tables", "--json", "--mode", "600"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let json = ran.json();
    assert_eq!((&json["new"], &json["failed"][0]["file"]), (&1.into(), &"b.json".into()));
    let rows = |name: &str| {
        let tables = json["tables"].as_array().expect("tables");
        tables.iter().find(|table| table["table"] == name).map(|table| table["rows"].clone())
    };
    assert_eq!((rows("sessions"), rows("entries")), (Some(1.into()), Some(2.into())));
    let tables = folder.path().join("tables");
    assert_eq!(texts(&tables, "entries", "record_key").len(), 2);
}

#[test]
fn folders_of_agents_and_damaged_manifests_are_refused() {
    let folder = two_sessions();
    let ran = folder.vac_at_home(&[], &["export", "-o", "home/.claude/projects/t"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("keeps its sessions"), "{}", ran.stderr);
    folder.write("t/.vac-export.json", "{}");
    let ran = folder.vac_at_home(&[], &["export", "-o", "t"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is damaged (use --force to replace the export"), "{}", ran.stderr);
    let manifest = r#"{"vac-export": 1, "build": "", "format": "parquet", "tables": ["sessions"],
        "partition-by": [], "parts": [{"partition": "../../", "keys": ["x"]}], "logs": []}"#;
    folder.write("t/.vac-export.json", manifest);
    assert_eq!(folder.vac_at_home(&[], &["export", "-o", "t"]).code, 2);
}

#[test]
fn manifest_names_no_file_outside_of_its_folder() {
    let folder = two_sessions();
    for (number, parts, superfluous) in [
        (0, r#"[{"partition": "", "keys": ["../../victim"]}]"#, "[]"),
        (1, r#"[{"partition": "", "keys": ["0/../../../victim"]}]"#, "[]"),
        (2, "[]", r#"["../../victim.atif.json"]"#),
        (3, "[]", r#"["sessions/../../../victim.atif.json"]"#),
    ] {
        let victim = folder.write("victim.atif.json", "{}");
        let manifest = format!(
            r#"{{"vac-export": 1, "build": "", "format": "atif", "tables": [], "partition-by": [],
                "parts": {parts}, "logs": [], "superfluous": {superfluous}}}"#
        );
        let out = format!("t/{number}");
        folder.write(&format!("{out}/.vac-export.json"), manifest);
        let export = ["export", "-f", "atif", "-o", &out];
        let ran = folder.vac_at_home(&[], &export);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("is damaged"), "{}", ran.stderr);
        assert!(victim.exists(), "{number}");
        let ran = folder.vac_at_home(&[], &[&export[..], &["--force"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(victim.exists(), "{number}");
    }
}

#[test]
fn files_that_a_killed_export_left_are_removed() {
    let folder = two_sessions();
    let export = || {
        let ran = folder.vac_at_home(&[], &["export", "-o", "t"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        texts(&folder.path().join("t"), "sessions", "session_id")
    };
    assert_eq!(export(), [FIRST, SECOND]);
    let tables = folder.path().join("t");
    let (name, part) = files(&tables)
        .into_iter()
        .find(|(name, _)| name.starts_with("sessions"))
        .expect("a file of sessions");
    // Named before it was written, and not in the manifest that was to replace this one.
    let left = "sessions/part-0123456789abcdef.parquet";
    folder.write(&format!("t/{left}"), &part);
    let note = folder.write("t/notes.txt", "Not ours");
    folder.write("t/usage/.vac-notes", "Not ours");
    let unfinished = folder.write("t/usage/.vac-a1B2c3", &part);
    let manifest = folder.path().join("t/.vac-export.json");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json.get("superfluous"), None);
    json["superfluous"] = serde_json::json!([left, name.to_string_lossy()]);
    std::fs::write(&manifest, json.to_string()).expect("a manifest");
    assert_eq!(export(), [FIRST, SECOND]);
    assert!(!tables.join(left).exists() && tables.join(&name).exists() && note.exists());
    assert!(!unfinished.exists() && tables.join("usage/.vac-notes").exists());
}

#[test]
fn session_whose_file_is_missing_is_exported_again() {
    let folder = two_sessions();
    let export = |options: &[&str]| {
        let ran = folder.vac_at_home(&[], &[&["export", "-o", "t"], options].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stderr
    };
    export(&[]);
    let tables = folder.path().join("t");
    let before = files(&tables);
    let name = before.keys().find(|name| name.starts_with("entries")).expect("a file of entries");
    std::fs::remove_file(tables.join(name)).expect("the file is removed");
    let message = export(&[]);
    assert!(message.contains("parquet is missing (2 sessions"), "{message}");
    assert_eq!(texts(&tables, "sessions", "session_id"), [FIRST, SECOND]);
    assert_eq!(texts(&tables, "entries", "type").len(), 4);
    assert_eq!(files(&tables).len(), before.len());
    assert!(export(&[]).contains("(0 new, 0 changed, 2 unchanged)"));
    // A log that no longer exists has nothing to export.
    std::fs::remove_file(tables.join(name)).expect("the file is removed");
    let log = format!("home/.claude/projects/p/{FIRST}.jsonl");
    std::fs::remove_file(folder.path().join(log)).expect("the log is removed");
    let ran = folder.vac_at_home(&[], &["export", "-o", "t"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let lost = "the file is missing, and no log of 1 session in it was read";
    assert!(ran.stderr.contains(lost), "{}", ran.stderr);
    assert!(export(&[]).contains("(0 new, 0 changed, 1 unchanged)"));
    assert_eq!(texts(&tables, "sessions", "session_id"), [SECOND]);
    assert_eq!(texts(&tables, "entries", "type").len(), 2);
}

#[test]
fn exports_at_once_take_turns() {
    let folder = Folder::new();
    let ids: Vec<_> =
        (0..6).map(|number| format!("0a0a0a0a-0000-4000-8000-00000000000{number}")).collect();
    for id in &ids {
        folder.write(&format!("logs/{id}.jsonl"), claude(id, "2026-03-01T09:00:00.000Z"));
    }
    std::thread::scope(|scope| {
        for id in &ids {
            let folder = &folder;
            scope.spawn(move || {
                let ran = folder.vac(&["export", &format!("logs/{id}.jsonl"), "-o", "t"]);
                assert_eq!(ran.code, 0, "{}", ran.stderr);
            });
        }
    });
    let ran = folder.vac(&["export", "logs", "-o", "t"]);
    assert!(ran.stderr.contains("(0 new, 0 changed, 6 unchanged)"), "{}", ran.stderr);
    assert_eq!(texts(&folder.path().join("t"), "sessions", "session_id"), ids);
}

#[test]
fn last_session_is_exported() {
    let folder = two_sessions();
    let ran = folder.vac_at_home(
        &[],
        &["export", "--last", "1", "-o", "t", "--max-event", "1MiB", "--verbose"],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("1 session exported"), "{}", ran.stderr);
}

#[test]
#[cfg(unix)]
fn linked_folders_of_tables_are_refused() {
    let folder = two_sessions();
    let export = ["export", "--discover", "--partition-by", "agent", "--output", "tables"];
    assert_eq!(folder.vac_at_home(&[], &export).code, 0);
    let elsewhere = folder.path().join("elsewhere");
    for linked in ["tables/sessions", "tables/entries/agent=claude"] {
        let linked = folder.path().join(linked);
        std::fs::rename(&linked, &elsewhere).expect("a folder");
        std::os::unix::fs::symlink(&elsewhere, &linked).expect("a link");
        let before = files(&elsewhere);
        let ran = folder.vac_at_home(&[], &[&export[..], &["--force"]].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("is a link to a folder (remove it"), "{}", ran.stderr);
        assert_eq!(files(&elsewhere), before);
        std::fs::remove_file(&linked).expect("a link");
        std::fs::rename(&elsewhere, &linked).expect("a folder");
    }
    assert_eq!(folder.vac_at_home(&[], &export).code, 0);
}
