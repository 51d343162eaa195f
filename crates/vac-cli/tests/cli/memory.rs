//! Records bigger than the memory that they may take.

#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

/// Megabytes.
#[cfg(target_os = "linux")]
const RECORD: usize = 100;
#[cfg(target_os = "linux")]
const MOST: usize = 64;

#[cfg(target_os = "linux")]
#[test]
fn a_record_that_is_streamed_takes_the_memory_of_its_largest_entry() {
    use std::io::Write;

    let mut child = Command::new(env!("CARGO_BIN_EXE_vac"))
        .args(["validate", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let record = crate::records::record("@");
    let (before, behind) = record.split_once('@').unwrap();
    let entry = format!(
        r#"{{"type": "assistant", "content": "{}"}}"#,
        "a line of output\\n".repeat(14_000)
    );
    stdin.write_all(before.as_bytes()).unwrap();
    for number in 0..(RECORD << 20) / entry.len() {
        let comma = if number == 0 { "" } else { "," };
        stdin.write_all(comma.as_bytes()).unwrap();
        stdin.write_all(entry.as_bytes()).unwrap();
    }
    stdin.write_all(b", {\"type\": \"robot\"}").unwrap();
    // All but what is in the pipe has been read: the peak is behind it.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    stdin.write_all(behind.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.starts_with("-:1: /session/entries/"), "{stdout}");
    assert!(stdout.contains("/type: expected \"user\", "), "{stdout}");
    assert!(peak < MOST << 10, "{peak} kB");
}
