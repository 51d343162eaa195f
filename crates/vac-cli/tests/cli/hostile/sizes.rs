//! Tests inputs that are too long, too deep or too large, and that are generated while they are
//! read.

use super::{folder_with_log, log, run};
use crate::run::Folder;

#[test]
fn two_hundred_thousand_levels_are_refused() {
    let folder = folder_with_log();
    let deep = 200_000;
    folder.write("lists.json", "[".repeat(deep) + &"]".repeat(deep));
    folder.write("objects.json", "{\"a\":".repeat(deep));
    folder.write("arrays.cbor", [vec![0x81; deep], vec![0xf6]].concat());
    folder.write("endless.cbor", vec![0x9f; deep]);
    folder.write("tags.cbor", [vec![0xd2; deep], vec![0xf6]].concat());
    folder.write("bytes.cbor", nested_bytes(2000));
    for name in ["lists.json", "objects.json", "arrays.cbor", "endless.cbor", "tags.cbor"] {
        for command in
            [&["validate"][..], &["transcode", "--to=json"], &["transcode", "--canonical"]]
        {
            let ended = run(folder.path(), &[command, &[name]].concat());
            let printed = String::from_utf8_lossy(&ended.stdout).into_owned() + &ended.stderr;
            assert!(
                ended.code == 1 && printed.contains("nested deeper than 256"),
                "{name}: {printed}"
            );
        }
        for command in ["convert", "inspect", "events", "verify"] {
            let key = if command == "verify" { &["--key", name][..] } else { &[] };
            assert_ne!(run(folder.path(), &[&[command, name], key].concat()).code, 0, "{name}");
        }
    }
    assert_eq!(run(folder.path(), &["validate", "bytes.cbor"]).code, 1);
    // In a log, a document that is too deep is a line that is kept unparsed.
    let deep = log("deep").replace("\"Weave it\"", &("[".repeat(deep) + &"]".repeat(deep)));
    folder.write("deep.jsonl", deep);
    let ended = run(folder.path(), &["convert", "deep.jsonl", "-o", "deep.json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(run(folder.path(), &["validate", "deep.json"]).code, 0);
}

/// Returns byte strings in byte strings, each of them signed.
fn nested_bytes(levels: usize) -> Vec<u8> {
    let mut inner = vec![0xf6];
    for _ in 0..levels {
        let length = u32::try_from(inner.len()).expect("it is short");
        let head = [&[0xd2, 0x84, 0x40, 0xa0, 0x5a][..], &length.to_be_bytes()].concat();
        inner = [head, inner, vec![0x40]].concat();
    }
    inner
}

#[test]
fn many_small_values_take_linear_time() {
    let folder = Folder::new();
    let many = 10_000;
    for (name, more) in [
        ("open", "{\"a\":\"\n".repeat(many)),
        ("empty", "{}".repeat(many)),
        ("garbage", "x\n".repeat(many)),
        ("quotes", "\"\n".repeat(many)),
        ("lines", "\n".repeat(many * 10)),
        ("returns", "\r".repeat(many * 10)),
        ("the same", log("same").lines().next().unwrap().to_owned().repeat(many / 30)),
    ] {
        folder.write("log.jsonl", log("many") + &more);
        let ended =
            run(folder.path(), &["convert", "-q", "log.jsonl", "-o", "record.json", "--force"]);
        assert_eq!(ended.code, 0, "{name}: {}", ended.stderr);
        assert_eq!(run(folder.path(), &["validate", "record.json"]).code, 0, "{name}");
    }
    let keys: Vec<_> = (0..many).map(|key| format!("\"k{key}\":{key}")).collect();
    let line = log("keys").replacen("\"type\"", &format!("{},\"type\"", keys.join(",")), 1);
    folder.write("log.jsonl", line);
    assert_eq!(run(folder.path(), &["convert", "log.jsonl", "-o", "keys.json"]).code, 0);
    assert_eq!(run(folder.path(), &["validate", "keys.json"]).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn huge_lines_take_the_memory_of_one_of_them() {
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};

    /// The size of a line in bytes.
    const LINE: usize = 7 << 20;
    /// The number of lines: together they exceed the part of a log that is held in memory.
    const LINES: usize = 10;
    /// The limit on memory in kilobytes: small logs that are loaded, and a line a few times.
    const MAX_PEAK: usize = (32 << 10) + ((3 * LINE) >> 10) + (8 << 10);

    let folder = Folder::new();
    let mut file = std::fs::File::create(folder.path().join("log.jsonl")).unwrap();
    let line = log("huge").lines().next().unwrap().replace("Weave it", &"w".repeat(LINE));
    for _ in 0..LINES {
        writeln!(file, "{line}").unwrap();
    }
    drop((file, line));
    let mut child = Command::new(env!("CARGO_BIN_EXE_vac"))
        .args(["convert", "-q", "log.jsonl"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    // The record is made, and more of it than fits into the pipe: the peak is over.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    let rest = std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert!(child.wait().unwrap().success() && rest > (LINE * LINES) as u64);
    assert!(peak < MAX_PEAK, "{peak} kB of {MAX_PEAK}");
}
