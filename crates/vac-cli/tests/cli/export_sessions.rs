//! Tests `vac export` of trajectories and spans.

use std::collections::BTreeMap;
use std::path::Path;

use crate::home::claude;
use crate::run::Folder;

const FIRST: &str = "0a0a0a0a-0000-4000-8000-0000000000b1";
const SECOND: &str = "0a0a0a0a-0000-4000-8000-0000000000b2";

fn log(folder: &Folder, id: &str, day: &str) {
    let log = claude(id, &format!("2026-03-{day}T09:00:00.000Z"));
    folder.write(&format!("logs/{id}.jsonl"), log);
}

/// Returns the documents of a folder, by the names of their files.
fn documents(folder: &Path) -> BTreeMap<String, serde_json::Value> {
    let files = folder.read_dir().expect("a folder").map(|file| file.expect("an entry").path());
    let files = files.filter(|path| !path.ends_with(".vac-export.json"));
    files
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a file");
            (name, serde_json::from_str(&text).expect("one document of JSON"))
        })
        .collect()
}

#[test]
fn trajectories_are_files_that_grow_with_their_sessions() {
    let folder = Folder::new();
    log(&folder, FIRST, "01");
    log(&folder, SECOND, "02");
    let export = ["export", "logs", "-f", "atif", "-o", "out"];
    let ran = folder.vac(&export);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr, "2 sessions exported to out: 4 steps (2 new, 0 changed, 0 unchanged)\n");
    let first = documents(&folder.path().join("out"));
    let sessions: Vec<_> = first.values().map(|it| it["session_id"].clone()).collect();
    assert!(sessions.contains(&FIRST.into()) && sessions.contains(&SECOND.into()));
    for (name, document) in &first {
        let key = document["trajectory_id"].as_str().expect("a key");
        assert_eq!(*name, format!("{key}.atif.json"));
        assert_eq!(document["steps"][0]["message"], "Weave it");
    }

    // A session that grew replaces its file.
    let path = folder.path().join(format!("logs/{FIRST}.jsonl"));
    let more = std::fs::read_to_string(&path).expect("a log").replace("Weave it", "Weave more");
    let grown = std::fs::read_to_string(&path).expect("a log")
        + &more.replace("\"u1\"", "\"v1\"").replace("\"u2\"", "\"v2\"");
    std::fs::write(&path, grown).expect("a log");
    let ran = folder.vac(&[&export[..], &["--json"]].concat());
    let output = ran.json();
    assert_eq!((&output["new"], &output["changed"]), (&0.into(), &1.into()));
    assert_eq!(output["steps"], 4);
    assert!(output.get("spans").is_none());
    let second = documents(&folder.path().join("out"));
    assert_eq!(second.len(), 2);
    assert_ne!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());

    // Other options need another folder.
    let ran = folder.vac(&["export", "logs", "-f", "otel", "-o", "out"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("contains an export with other options"), "{}", ran.stderr);
    let ran = folder.vac(&["export", "logs", "-f", "otel", "-o", "out", "--force"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let names: Vec<_> = documents(&folder.path().join("out")).into_keys().collect();
    assert!(names.iter().all(|name| name.ends_with(".otlp.json")), "{names:?}");
}

#[test]
fn sessions_are_lines_on_stdout_whatever_the_number_of_jobs() {
    let folder = Folder::new();
    log(&folder, FIRST, "01");
    log(&folder, SECOND, "02");
    for format in ["atif", "otel"] {
        let export = ["export", "logs", "-f", format, "-o", "-"];
        let one = folder.vac(&[&export[..], &["--jobs", "1"]].concat());
        let four = folder.vac(&[&export[..], &["--jobs", "4"]].concat());
        assert_eq!(one.code, 0, "{}", one.stderr);
        assert_eq!(one.stdout, four.stdout);
        assert_eq!(one.lines().len(), 2);
        for line in one.lines() {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        }
    }
}

#[test]
fn partitions_are_folders_and_tables_are_refused() {
    let folder = Folder::new();
    log(&folder, FIRST, "01");
    let ran =
        folder.vac(&["export", "logs", "-f", "otel", "-o", "out", "--partition-by", "agent,day"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = documents(&folder.path().join("out/agent=claude/day=2026-03-01"));
    assert_eq!(found.len(), 1);
    let ran = folder.vac(&["export", "logs", "-f", "atif", "-o", "x", "--tables", "usage"]);
    ran.gives(2, "");
    assert_eq!(ran.stderr, "error: --tables cannot be used with --format atif\n");
}
