//! Tests that memory is limited for any log.

use std::io::{Read as _, repeat};

use serde_json::Value;

use super::super::{log, run};
use crate::home;
use crate::run::Folder;

/// Returns a session whose second line has a text of about this many bytes, which are not ASCII.
fn long_line(bytes: usize) -> (String, String) {
    let log = log("long");
    let (first, second) = log.split_once('\n').expect("two lines");
    let line = first.replace("Weave it", &"wéft ".repeat(bytes / 6));
    (format!("{first}\n{line}\n{second}"), line)
}

/// Returns the pieces that a record has of a long event.
fn pieces(record: &Value) -> Vec<&Value> {
    let entries = record["session"]["entries"].as_array().expect("entries");
    let unparsed = entries.iter().filter(|it| it["event-type"] == "unparsed");
    let is_too_long = |it: &&Value| assert_eq!(it["vac"]["reason"], "too-long");
    unparsed.inspect(is_too_long).map(|it| &it["data"]).collect()
}

#[track_caller]
fn assert_whole(record: &Value, expected: &str, most: usize) {
    let pieces = pieces(record);
    let text = |piece: &&Value| piece["raw"].as_str().expect("text").to_owned();
    let whole: Vec<String> = pieces.iter().map(text).collect();
    assert!(whole.concat() == expected, "{} pieces are not the line", pieces.len());
    assert!(whole.iter().all(|piece| piece.len() <= most), "a piece is too long");
    let mut offset = pieces[0]["offset"].as_u64().expect("an offset");
    for (number, piece) in (1..).zip(&pieces) {
        assert_eq!(piece["piece"], number);
        assert_eq!(piece["offset"], offset);
        assert_eq!(piece["last"], number == pieces.len());
        offset += piece["raw"].as_str().expect("text").len() as u64;
    }
}

#[test]
fn long_line_is_kept_whole_in_pieces_in_both_encodings() {
    let folder = Folder::new();
    let (log, line) = long_line(3 << 20);
    folder.write("log.jsonl", &log);
    let limit = ["--max-event", "256KiB"];
    let arguments = ["convert", "log.jsonl", "-o", "a.json", "--report", "report.json"];
    let ran = folder.vac(&[&arguments[..], &limit].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    let record: Value = serde_json::from_str(&read("a.json")).expect("a record");
    assert_eq!(record["session"]["entries"].as_array().map(Vec::len), Some(2 + 13));
    assert_whole(&record, &line, 256 << 10);
    let report: Value = serde_json::from_str(&read("report.json")).expect("a report");
    let unparsed = &report["sessions"][0]["unparsed"];
    assert_eq!(unparsed["lines"], serde_json::json!([2]));
    assert_eq!(unparsed["reasons"], serde_json::json!({"too-long": 13}));
    let warning = report["sessions"][0]["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("line 2 is too long"), "{warning}");

    let ran =
        folder.vac(&[&["convert", "log.jsonl", "-f", "cbor", "-o", "a.cbor"], &limit[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = folder.vac(&["transcode", "--to", "json", "a.cbor"]);
    assert_whole(&ran.json(), &line, 256 << 10);
    for name in ["a.json", "a.cbor"] {
        assert_eq!(folder.vac(&["validate", name]).code, 0);
    }

    // Without the option it is a message as any other.
    let ran = folder.vac(&["convert", "-q", "log.jsonl"]);
    assert!(pieces(&ran.json()).is_empty());
}

#[test]
fn long_line_is_not_parsed_to_be_shown() {
    let folder = Folder::new();
    folder.write("log.jsonl", long_line(100_000).0);
    let ran = folder.vac(&["inspect", "--json", "--max-event", "64K", "log.jsonl"]);
    let facts = &ran.json()["sessions"][0];
    assert_eq!((&facts["unparsed"], &facts["prompts"]["user"]), (&2.into(), &1.into()), "{facts}");
    let ran = folder.vac(&["events", "--max-event", "65536", "log.jsonl"]);
    assert!(ran.stderr.contains("skipped 2 entries that could not be parsed"), "{}", ran.stderr);
    let ran = folder.vac(&["inspect", "--json", "log.jsonl"]);
    assert_eq!(ran.json()["sessions"][0]["prompts"]["user"], 2);
    for size in ["0", "12", "1X", "9GiB"] {
        let ran = folder.vac(&["convert", "--max-event", size, "log.jsonl"]);
        assert!(ran.code == 2 && ran.stderr.contains("--max-event"), "{}", ran.stderr);
    }
}

#[test]
fn long_document_is_read_as_far_as_there_is_room() {
    let folder = Folder::new();
    let message = |number: usize| {
        let text = "twine ".repeat(1000);
        format!(
            r#"{{"id":"m{number}","timestamp":"2026-03-01T09:00:00.000Z","type":"user","content":"{number} {text}"}}"#
        )
    };
    let messages: Vec<_> = (0..100).map(message).collect();
    let session = home::gemini("g1", "2026-03-01T09:00:00.000Z");
    let (head, tail) = session.split_once("\"messages\":[").expect("messages");
    let (_, tail) = tail.split_once("}]").expect("a message");
    folder.write("g.json", format!("{head}\"messages\":[{}]{tail}", messages.join(",")));
    let ran = folder.vac(&["convert", "--max-event", "64KiB", "g.json", "-o", "a.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let record = std::fs::read_to_string(folder.path().join("a.json")).expect("a record");
    for number in 0..100 {
        assert!(record.contains(&format!("{number} twine")), "message {number} is lost");
    }
    let record: Value = serde_json::from_str(&record).expect("a record");
    assert!(!pieces(&record).is_empty());
    assert_eq!(record["session"]["entries"][0]["id"], "m0");
}

/// Returns a frame that `zstd` skips.
fn skippable(length: u32) -> Vec<u8> {
    let content = vec![b'x'; length as usize];
    [&0x184d_2a50_u32.to_le_bytes()[..], &length.to_le_bytes(), &content].concat()
}

#[test]
fn padding_does_not_raise_the_limit_of_a_file() {
    let folder = Folder::new();
    let id = home::CODEX_ID;
    let log = home::codex(id, "2026-03-01T09:00:00.000Z");
    let bomb = zstd::encode_all(log.as_bytes().chain(repeat(b'x').take(65 << 20)), 3).unwrap();
    folder.write("bomb.jsonl.zst", [bomb, skippable(410_000)].concat());
    let ended = run(folder.path(), &["convert", "bomb.jsonl.zst"]);
    ended.says(2, "it grows to more than 1000 times its size when it is decompressed");
    // A log that does not grow like that is converted, with as much padding.
    let small = zstd::encode_all(log.as_bytes(), 3).unwrap();
    folder.write("log.jsonl.zst", [small, skippable(410_000)].concat());
    let ended = run(folder.path(), &["convert", "-q", "log.jsonl.zst"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[cfg(target_os = "linux")]
mod limited {
    use super::super::super::{Ended, shell};
    use super::{log, long_line};
    use crate::run::Folder;
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};

    /// Runs `vac` with a limit on its address space.
    fn vac_within(folder: &Folder, megabytes: usize, arguments: &str) -> Ended {
        let line = format!("ulimit -v {}; \"$vac\" {arguments}", megabytes << 10);
        shell(folder.path(), &line)
    }

    #[test]
    fn lack_of_memory_fails_one_log_and_not_the_others() {
        let folder = Folder::new();
        folder.write("a/huge.jsonl", long_line(100 << 20).0);
        folder.write("a/good.jsonl", log("good"));
        let ended = vac_within(&folder, 400, "convert -j 1 a -o out/");
        ended.says(1, "huge.jsonl: not enough memory for one of its lines or messages");
        assert!(ended.stderr.contains("--max-event"), "{}", ended.stderr);
        assert_eq!(crate::hostile::names(&folder.path().join("out")), ["claude-good.json"]);
        // The memory is sufficient with a limit on events.
        let ended = vac_within(&folder, 400, "convert -j 1 --max-event 16M a -o all/");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert_eq!(crate::hostile::record_names(&folder.path().join("all")).len(), 2);
    }

    #[test]
    fn brackets_without_end_take_no_more_than_their_limit() {
        let folder = Folder::new();
        let line = log("endless").lines().next().expect("a line").to_owned();
        folder.write("log.jsonl", format!("{line}\n{}", "[".repeat(100 << 20)));
        let ended =
            vac_within(&folder, 300, "convert -q -j 1 --max-event 8MiB log.jsonl -o a.json");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert_eq!(vac_within(&folder, 300, "validate a.json").code, 0);
    }

    /// Returns the most memory that a conversion takes, in kilobytes: it is read while the record
    /// is being printed, which is after it was made.
    fn peak(folder: &Folder, arguments: &[&str]) -> usize {
        let mut child = Command::new(env!("CARGO_BIN_EXE_vac"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak = peak.trim().trim_end_matches(" kB").parse().unwrap();
        std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
        assert!(child.wait().unwrap().success());
        peak
    }

    #[test]
    fn memory_is_less_than_three_times_the_limit() {
        const LIMIT: usize = 64 << 20;
        let folder = Folder::new();
        for bytes in [LIMIT - (1 << 20), LIMIT + (1 << 20), 3 * LIMIT] {
            folder.write("log.jsonl", long_line(bytes).0);
            for format in ["json", "cbor"] {
                let arguments = ["convert", "-q", "-f", format, "--max-event", "64M", "log.jsonl"];
                let peak = peak(&folder, &arguments);
                assert!(peak < 3 * (LIMIT >> 10), "{bytes} bytes, {format}: {peak} kB");
            }
        }
        // A document of many small values takes more memory than its text.
        let line = log("many").lines().next().expect("a line").to_owned();
        let mut file = std::fs::File::create(folder.path().join("log.jsonl")).unwrap();
        writeln!(
            file,
            "{line}\n{}",
            line.replace("\"Weave it\"", &format!("[{}1]", "1,".repeat(LIMIT / 2 - 1000)))
        )
        .unwrap();
        let peak = peak(&folder, &["convert", "-q", "--max-event", "64M", "log.jsonl"]);
        assert!(peak < 3 * (LIMIT >> 10), "{peak} kB");
    }

    #[test]
    fn sessions_of_one_file_share_its_frames() {
        let droid = r#"{"type":"session_start","id":"ID","title":"Hens","version":2,"cwd":"/"}"#;
        let atif = r#"{"schema_version":"ATIF-v1.6","session_id":"ID","agent":{"name":"kiln"}}"#;
        for line in [droid, atif] {
            let folder = Folder::new();
            let sessions = (0..100).map(|id| line.replace("ID", &format!("s{id}")) + "\n");
            folder.write("all.jsonl", sessions.collect::<String>() + &"x\n".repeat(50_000));
            // The frames take less than 10 MB.
            let peak = peak(&folder, &["convert", "-q", "all.jsonl"]);
            assert!(peak < 100 << 10, "{line}: {peak} kB");
        }
    }

    #[test]
    fn indentation_takes_no_more_than_a_little() {
        let folder = Folder::new();
        let deep = format!("{}{}1{}", "[".repeat(200), "1,".repeat(2 << 20), "]".repeat(200));
        let line = log("deep").lines().next().expect("a line").to_owned();
        let deep = line.replace("\"Weave it\"", &deep);
        folder.write("log.jsonl", format!("{line}\n{deep}\n{line}"));
        let ended = vac_within(&folder, 600, "convert -q -j 1 --pretty log.jsonl -o a.json");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert_eq!(vac_within(&folder, 600, "validate a.json").code, 0);
        let record = std::fs::read_to_string(folder.path().join("a.json")).unwrap();
        assert!(record.contains("\n      {\n        \"type\": \"user\""), "others are laid out");
    }

    #[test]
    fn session_in_the_old_text_form_has_a_limit_too() {
        let folder = Folder::new();
        let turn = "brew ".repeat(4 << 20);
        folder.write("kettle.txt", format!("user:\n{turn}\nassistant:\nBoiled\n[Thinking] x\n"));
        let peak =
            peak(&folder, &["convert", "-q", "--max-event", "8M", "-a", "cursor", "kettle.txt"]);
        assert!(peak < 60 << 10, "{peak} kB");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn devices_that_do_not_end_are_refused() {
    let folder = Folder::new();
    folder.vac(&["keygen", "-o", "keys/"]);
    for command in [
        "convert -o out/",
        "inspect",
        "events",
        "show",
        "validate",
        "transcode --to cbor -o out.cbor",
        "verify --key keys/signing-key.pub.pem",
        "verify --trust-root",
        "sign --key keys/signing-key.pem -o out.cose",
        "view -o out.html",
        "timestamp digest",
    ] {
        let mut arguments: Vec<_> = command.split(' ').collect();
        arguments.push("/dev/zero");
        if command.ends_with("--trust-root") {
            arguments.push("keys/signing-key.pub.pem");
        }
        let ran = folder.vac(&arguments);
        assert_ne!(ran.code, 0, "{command}");
        let words =
            "/dev/zero: a device, which may not end (only files, pipes and terminals are read)";
        assert!(ran.stderr.contains(words), "{command}: {}", ran.stderr);
    }
    let ran = folder.vac(&["validate", "/dev/null"]);
    ran.gives(1, "/dev/null: the input is empty\n");
}
