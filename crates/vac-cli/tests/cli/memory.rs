//! Tests records that are larger than the memory limit.

use crate::records::record;
use crate::run::Folder;

#[test]
fn large_file_has_the_verdict_of_a_small_one() {
    let folder = Folder::new();
    let entry = format!(r#"{{"type": "user", "content": "{}"}}"#, "x".repeat(1 << 20));
    let entries = vec![entry; 17].join(",\n");
    let good = record(&entries);
    let bad = good.replace("\n{\"type\": \"user\"", "{\"type\": 1").replace("s1", "\u{1b}");
    for (document, code) in [(&good, 0), (&bad.replace('\u{1b}', ""), 1), (&bad, 1)] {
        folder.write("a.json", document);
        // Linting takes all of it into memory.
        let whole = folder.vac(&["validate", "--lint", "a.json"]);
        let streamed = folder.vac(&["validate", "a.json"]);
        whole.gives(code, &streamed.stdout);
        assert_eq!(streamed.stderr, whole.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_record_that_is_streamed_takes_the_memory_of_its_largest_entry() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    /// The size of the record in bytes.
    const RECORD: usize = 100 << 20;
    /// The limit on memory in kilobytes.
    const MAX_PEAK: usize = 64 << 10;

    let mut child = Command::new(env!("CARGO_BIN_EXE_vac"))
        .args(["validate", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let record = record("@");
    let (before, after) = record.split_once('@').unwrap();
    let entry = format!(
        r#"{{"type": "assistant", "content": "{}"}}"#,
        "a line of output\\n".repeat(14_000)
    );
    stdin.write_all(before.as_bytes()).unwrap();
    for number in 0..RECORD / entry.len() {
        let comma = if number == 0 { "" } else { "," };
        stdin.write_all(comma.as_bytes()).unwrap();
        stdin.write_all(entry.as_bytes()).unwrap();
    }
    stdin.write_all(b", {\"type\": \"robot\"}").unwrap();
    // All but what is in the pipe has been read: the peak is over.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    stdin.write_all(after.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.starts_with("-: /session/entries/"), "{stdout}");
    assert!(stdout.contains("/type: expected \"user\", "), "{stdout}");
    assert!(peak < MAX_PEAK, "{peak} kB");
}
