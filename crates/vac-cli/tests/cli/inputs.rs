//! Tests files, directories, standard input, sequences.

use crate::records::{record, small, small_cbor};
use crate::run::Folder;

const BAD: &str = "missing key \"id\" (rule verifiable-agent-record)";

/// Returns a record without an id.
fn bad() -> String {
    small().replace(r#""id": "r1", "#, "")
}

#[test]
fn many_files_come_out_in_the_order_of_the_arguments() {
    let folder = Folder::new();
    let mut names = Vec::new();
    for number in 0..60 {
        let name = format!("{:02}.json", (number * 37) % 60);
        // The earlier ones take longer.
        folder.write(&name, bad() + &" ".repeat((60 - number) * 2000));
        names.push(name);
    }
    let arguments: Vec<_> =
        std::iter::once("validate").chain(names.iter().map(String::as_str)).collect();
    let expected: Vec<_> = names.iter().map(|name| format!("{name}: /: {BAD}")).collect();
    let ran = folder.vac(&arguments);
    assert_eq!((ran.code, ran.lines()), (1, expected.iter().map(String::as_str).collect()));
    assert_eq!(ran.stderr, "60 files: 0 valid, 60 invalid, 0 unreadable\n");
}

#[test]
fn directories_are_searched_for_records() {
    let folder = Folder::new();
    for name in ["d/b.json", "d/a/z.cbor", "d/a/y.COSE", "d/c.jsonl", "d/note.txt", "d/e/f/g.acr"] {
        folder.write(name, bad());
    }
    let ran = folder.vac(&["validate", "d"]);
    let names: Vec<_> = ran.lines().iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(names, ["d/a/y.COSE", "d/a/z.cbor", "d/b.json", "d/c.jsonl:1", "d/e/f/g.acr"]);
}

#[test]
fn a_directory_without_records_is_an_error() {
    let folder = Folder::new();
    folder.write("d/e/note.txt", "hello");
    let ran = folder.vac(&["validate", "d"]);
    ran.gives(2, "");
    assert!(
        ran.stderr.starts_with("error: d: no records in this directory (files that end in .json")
    );
}

#[test]
fn a_missing_file_is_an_error_and_stops_nothing() {
    let folder = Folder::new();
    folder.write("b.json", bad());
    folder.write("c.json", small());
    let ran = folder.vac(&["validate", "a.json", "b.json", "c.json"]);
    ran.gives(2, &format!("b.json: /: {BAD}\n"));
    assert!(ran.stderr.starts_with("error: a.json: "), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("3 files: 1 valid, 1 invalid, 1 unreadable\n"));
}

#[test]
fn quiet_leaves_data_and_errors() {
    let folder = Folder::new();
    folder.write("b.json", bad());
    let ran = folder.vac(&["validate", "-q", "b.json"]);
    ran.gives(1, &format!("b.json: /: {BAD}\n"));
    assert_eq!(ran.stderr, "");
    let ran = folder.vac(&["validate", "-q", "a.json"]);
    assert!(ran.stderr.starts_with("error: a.json: "), "{}", ran.stderr);
}

#[test]
fn usage_errors_and_invalid_records_differ() {
    let folder = Folder::new();
    for arguments in [&["validate"][..], &["validate", "--format", "xml", "a"], &["nonsense"], &[]]
    {
        let ran = folder.vac(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains("--help"), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn lines_are_documents_in_a_sequence() {
    let folder = Folder::new();
    let lines = format!("{}\r\n\n{}\n{{\"x\" 1}}\n{}", small(), bad(), small());
    let expected = |name: &str| format!("{name}:3: /: {BAD}\n{name}:4: column 6: expected ':'\n");
    for name in ["a.jsonl", "a.ndjson"] {
        folder.write(name, &lines);
        let ran = folder.vac(&["validate", name]);
        ran.gives(1, &expected(name));
        assert_eq!(ran.stderr, "1 file: 0 valid, 1 invalid, 0 unreadable (4 documents)\n");
    }
    folder.vac_with(&["validate", "-"], lines.as_bytes()).gives(1, &expected("-"));
}

#[test]
fn items_are_documents_in_a_sequence() {
    let folder = Folder::new();
    let mut items = [small_cbor(), vec![0x01], small_cbor()].concat();
    let expected =
        "expected verifiable-agent-record or signed-agent-record, found integer 1 (rule start)";
    folder.write("a.cborseq", &items);
    folder.vac(&["validate", "a.cborseq"]).gives(1, &format!("a.cborseq:2: /: {expected}\n"));
    folder.vac_with(&["validate", "-"], &items).gives(1, &format!("-:2: /: {expected}\n"));
    folder.write("a.cbor", &items);
    folder.vac(&["validate", "a.cbor"]).gives(1, &format!("a.cbor:2: /: {expected}\n"));
    let end = small_cbor().len();
    items.truncate(end + 3);
    let ran = folder.vac_with(&["validate", "-"], &items);
    assert!(ran.lines()[1].starts_with(&format!("-:3: byte {}: ", end + 1)), "{ran:?}");
}

#[test]
fn standard_input_has_one_document_or_several() {
    let folder = Folder::new();
    folder.vac_with(&["validate", "-"], small().as_bytes()).gives(0, "");
    folder.vac_with(&["validate", "-"], &small_cbor()).gives(0, "");
    let pretty = bad().replace(", ", ",\n");
    folder.vac_with(&["validate", "-"], pretty.as_bytes()).gives(1, &format!("-: /: {BAD}\n"));
    let two = format!("\n{}{pretty}", small());
    folder.vac_with(&["validate", "-"], two.as_bytes()).gives(1, &format!("-:2: /: {BAD}\n"));
    let ran = folder.vac_with(&["validate", "-", "-"], small().as_bytes());
    ran.gives(2, "");
    assert!(ran.stderr.contains("standard input can be read only once"), "{}", ran.stderr);
}

#[test]
fn the_content_decides_and_not_the_name() {
    let folder = Folder::new();
    folder.write("a.json", small_cbor());
    folder.write("a.cbor", small());
    folder.write("a.cborseq", format!("{}\n{}\n", small(), small()));
    folder.vac(&["validate", "a.json", "a.cbor", "a.cborseq"]).gives(0, "");
    let ran = folder.vac(&["validate", "--format=json", "a.json"]);
    ran.gives(1, "a.json: line 1, column 1: the text is not valid UTF-8\n");
    let ran = folder.vac(&["validate", "--format=cbor", "a.cbor"]);
    ran.gives(
        1,
        &format!(
            "a.cbor: a length of {} is more than the input holds\n",
            0x2276_6572_7369_6f6e_u64
        ),
    );
}

#[test]
fn json_has_the_same_facts_as_text() {
    let folder = Folder::new();
    folder.write("a.json", bad());
    folder.write("b.json", "{\n1}");
    folder.write("c.jsonl", format!("{}\n{}", small(), bad()));
    let ran = folder.vac(&["validate", "--json", "a.json", "b.json", "c.jsonl", "d.json"]);
    assert_eq!(ran.code, 2);
    let json = ran.json();
    let violation = serde_json::json!({
        "kind": "missing-key", "path": "", "expected": "key \"id\"", "found": "no such key", "rule": "verifiable-agent-record"
    });
    assert_eq!(json["files"][0]["file"], "a.json");
    assert_eq!(json["files"][0]["violations"], serde_json::json!([violation]));
    assert_eq!(
        json["files"][1]["syntax"],
        serde_json::json!([{"message": "expected a key in quotes", "offset": 2, "line": 2, "column": 1}])
    );
    assert_eq!(json["files"][2]["violations"][0]["line"], 2);
    assert_eq!(json["files"][2]["documents"], 2);
    assert!(json["files"][3]["error"].is_string());
    let summary = &json["summary"];
    assert_eq!(
        (&summary["valid"], &summary["invalid"], &summary["unreadable"]),
        (&0.into(), &3.into(), &1.into())
    );
}

#[cfg(unix)]
#[test]
fn names_are_harmless_to_a_terminal() {
    let folder = Folder::new();
    folder.write("a\u{1b}[2J\n.json", bad());
    folder.vac(&["validate", "."]).gives(1, &format!("./a\\u{{1b}}[2J\\n.json: /: {BAD}\n"));
}

#[cfg(unix)]
#[test]
fn closed_pipe_is_not_an_error() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let entries = vec!["1"; 3000].join(",");
    folder.write("a.json", record(&entries));
    let mut child = Command::new(env!("CARGO_BIN_EXE_vac"))
        .args(["validate", "--max-errors=0", "a.json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "1 file: 0 valid, 1 invalid, 0 unreadable\n"
    );
}
