//! `vac search`

use crate::home::{CLAUDE_FILE, CLAUDE_ID, CODEX_ID, claude, codex, home};
use crate::run::Folder;

fn sample(name: &str) -> String {
    vac_tests::root().join("fixtures/samples").join(name).to_string_lossy().into_owned()
}

fn fixture(name: &str) -> String {
    vac_tests::root().join("fixtures").join(name).to_string_lossy().into_owned()
}

/// Returns the commands that show entries, as the output has them.
fn show_commands(output: &str) -> Vec<&str> {
    output.lines().map(str::trim).filter(|line| line.starts_with("vac show ")).collect()
}

#[test]
fn hits_have_a_session_a_time_an_entry_and_a_command() {
    let folder = home();
    let ran = folder.vac_at_home(&[], &["search", "We?ave it|Grind"]);
    let expected = format!(
        "{CLAUDE_ID}  claude  2026-03-01T09:00:00.000Z  /home/ada/loom\n     \
         0  2026-03-01 09:00:00  prompt     Weave it\n        \
         vac show {CLAUDE_ID} --at 0\n\n\
         {CODEX_ID}  codex  2026-03-02T09:00:00.000Z  /home/ada/mill\n     \
         1  2026-03-02 09:00:00  prompt     Grind it\n        \
         vac show {CODEX_ID} --at 1\n"
    );
    ran.gives(0, &expected);
    assert_eq!(ran.stderr, "");
    for command in show_commands(&ran.stdout) {
        let words: Vec<_> = command.split(' ').skip(1).collect();
        let shown = folder.vac_at_home(&[], &words);
        assert_eq!(shown.code, 0, "{command}: {}", shown.stderr);
        assert!(shown.stdout.contains(" it"), "{}", shown.stdout);
    }
}

#[test]
fn exit_codes_are_those_of_grep() {
    let folder = home();
    let search = |arguments: &[&str]| {
        let ran = folder.vac_at_home(&[], &[&["search"], arguments].concat());
        (ran.code, ran.stdout.lines().count(), ran.stderr)
    };
    assert_eq!(search(&["Woven", "--discover"]), (0, 3, String::new()));
    assert_eq!(search(&["velvet"]), (1, 0, String::new()));
    assert_eq!(search(&["woven"]), (1, 0, String::new()));
    assert_eq!(search(&["-i", "woven"]), (0, 3, String::new()));
    assert_eq!(search(&["--ignore-case", "WOVEN"]), (0, 3, String::new()));
    let (code, lines, stderr) = search(&["(", "--discover"]);
    assert_eq!((code, lines), (2, 0));
    assert!(stderr.starts_with("error: the pattern is not a regular expression: "), "{stderr}");
    let (code, _, stderr) = search(&["x", "missing.jsonl"]);
    assert!(code == 2 && stderr.contains("missing.jsonl"), "{stderr}");
    // An unreadable file is an error, although another file matches.
    folder.write("notes.txt", "Woven");
    let (code, lines, stderr) = search(&["Woven", CLAUDE_FILE, "notes.txt"]);
    assert_eq!((code, lines), (2, 3), "{stderr}");
    assert!(stderr.contains("notes.txt: "), "{stderr}");
}

#[test]
fn texts_to_search_are_selected() {
    let folder = Folder::new();
    let log = sample("claude.jsonl");
    let fields = |fields: &str| {
        let ran = folder.vac(&["search", "--json", "--all", "--in", fields, "e", &log]);
        assert_eq!(ran.code, 0, "{fields}: {}", ran.stderr);
        let mut found: Vec<_> = ran.json()["sessions"][0]["hits"]
            .as_array()
            .expect("hits")
            .iter()
            .map(|hit| hit["field"].as_str().expect("a field").to_owned())
            .collect();
        found.dedup();
        found.sort();
        found.dedup();
        found
    };
    for field in ["prompt", "answer", "reasoning", "command", "input", "output", "path"] {
        assert_eq!(fields(&format!("{field}s").replace("reasonings", "reasoning")), [field]);
    }
    assert_eq!(fields("commands,outputs"), ["command", "output"]);
}

#[test]
fn names_and_counts_are_printed_alone() {
    let folder = home();
    let search = |arguments: &[&str]| {
        let ran = folder.vac_at_home(&[], &[&["search"], arguments].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        ran.stdout
    };
    let names = format!("{CLAUDE_ID}\n");
    assert_eq!(search(&["-l", "We?ave|Woven"]), names);
    assert_eq!(search(&["--sessions", "We?ave|Woven"]), names);
    assert_eq!(search(&["-c", "We?ave|Woven"]), format!("{CLAUDE_ID}:2\n"));
    assert_eq!(search(&["--count", "We?ave|Woven", CLAUDE_FILE]), format!("{CLAUDE_FILE}:2\n"));
    let json = folder.vac_at_home(&[], &["search", "-l", "--json", "Weave"]).json();
    assert_eq!(json["sessions"][0]["name"], CLAUDE_ID);
    assert!(
        json["sessions"][0].get("hits").is_none() && json["sessions"][0].get("count").is_none()
    );
}

#[test]
fn sessions_to_search_are_selected() {
    let folder = home();
    let names = |arguments: &[&str]| {
        let ran = folder.vac_at_home(&[], &[&["search", "-l", "it"], arguments].concat());
        assert_ne!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(names(&[]).len() > 3);
    assert_eq!(names(&["--agent", "claude"]), [CLAUDE_ID]);
    assert_eq!(names(&["--project", "ada/mill"]), [CODEX_ID]);
    assert_eq!(
        names(&["--since", "2026-03-02", "--until", "2026-03-02", "-a", "codex"]),
        [CODEX_ID]
    );
    assert!(
        names(&["--until", "2026-02"]).iter().all(|name| name != CLAUDE_ID && name != CODEX_ID)
    );
    assert_eq!(names(&["0a0a0a0a"]), [CLAUDE_ID]);
    assert_eq!(names(&["--max-event", "1KiB", CLAUDE_FILE]), [CLAUDE_FILE]);
    assert_eq!(names(&["--last", "--discover"]).len(), names(&[]).len());
    let root = names(&["--root", "home", "--agent", "claude"]);
    assert_eq!(root, [CLAUDE_FILE], "a session of another home has no id that commands find");
}

#[test]
fn records_give_the_hits_of_their_logs() {
    let folder = Folder::new();
    let log = sample("codex.jsonl");
    let hits = |path: &str| {
        let json = folder.vac(&["search", "--json", "e", path]).json();
        let mut hits = json["sessions"][0]["hits"].as_array().expect("hits").clone();
        for hit in &mut hits {
            hit.as_object_mut().expect("an object").remove("show");
        }
        hits
    };
    folder.vac(&["convert", &log, "-o", "record.json"]).gives(0, "");
    folder.vac(&["convert", &log, "-f", "cbor", "-o", "record.cbor"]).gives(0, "");
    folder.vac(&["keygen", "-o", "keys"]);
    folder.vac(&["sign", "record.json", "--key", "keys/signing-key.pem", "-o", "record.cose"]);
    let expected = hits(&log);
    assert!(expected.len() > 3);
    for record in ["record.json", "record.cbor", "record.cose"] {
        assert_eq!(hits(record), expected, "{record}");
    }
    // A folder of records is searched for sessions that agents no longer keep, and no session is
    // searched twice.
    std::fs::create_dir(folder.path().join("records")).unwrap();
    std::fs::rename(folder.path().join("record.json"), folder.path().join("records/a.json"))
        .unwrap();
    std::fs::rename(folder.path().join("record.cbor"), folder.path().join("records/b.cbor"))
        .unwrap();
    let ran = folder.vac_at_home(&[("VAC_RECORDS", "records")], &["search", "-l", "e"]);
    assert_eq!((ran.code, ran.lines().len()), (0, 1), "{}", ran.stderr);
    let id = ran.lines()[0].to_owned();
    let shown = folder.vac_at_home(&[("VAC_RECORDS", "records")], &["show", &id]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
}

/// Sessions of different agents or machines can have the same id.
#[test]
fn different_sessions_of_one_id_are_all_searched() {
    let folder = Folder::new();
    let id = CLAUDE_ID;
    folder.write(CLAUDE_FILE, claude(id, "2026-03-01T09:00:00.000Z"));
    let place = "home/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-x.jsonl";
    folder.write(place, codex(id, "2026-03-02T09:00:00.000Z"));
    // The same id on another machine.
    folder.write("elsewhere.jsonl", claude(id, "2026-04-01T09:00:00.000Z"));
    let agents = |variables: &[(&str, &str)], paths: &[&str]| {
        let arguments = [&["search", "--json", "it"], paths].concat();
        let json = folder.vac_at_home(variables, &arguments).json();
        let sessions = json["sessions"].as_array().expect("sessions").iter();
        let mut agents: Vec<_> =
            sessions.map(|it| it["agent"].as_str().expect("an agent").to_owned()).collect();
        agents.sort_unstable();
        agents
    };
    assert_eq!(agents(&[], &[]), ["claude", "codex"]);
    // Named and in its place.
    assert_eq!(agents(&[], &["--discover", CLAUDE_FILE]), ["claude", "codex"]);
    assert_eq!(agents(&[], &["--discover", &format!("./{CLAUDE_FILE}")]), ["claude", "codex"]);
    for log in [CLAUDE_FILE, place, "elsewhere.jsonl"] {
        let name = format!("records/{}.json", log.len());
        folder.vac(&["convert", log, "-o", &name]).gives(0, "");
    }
    let records = [("VAC_RECORDS", "records")];
    assert_eq!(agents(&records, &[]), ["claude", "claude", "codex"], "one is not a repetition");
    std::fs::remove_dir_all(folder.path().join("home")).expect("a folder");
    assert_eq!(agents(&records, &[]), ["claude", "claude", "codex"]);
}

#[test]
fn repeated_entries_are_hits_once() {
    let folder = Folder::new();
    for fork in ["claude/jsonl/forked", "claude/jsonl/resumed"] {
        let count = |arguments: &[&str]| {
            let path = fixture(fork);
            let arguments = [&["search", "--json", ".", &path], arguments].concat();
            let json = folder.vac(&arguments).json();
            let hits = json["sessions"].as_array().expect("sessions").iter();
            let hits = hits.flat_map(|it| it["hits"].as_array().expect("hits").clone());
            hits.partition::<Vec<_>, _>(|hit| hit.get("repeats").is_some())
        };
        let (repeated, others) = count(&[]);
        assert!(repeated.is_empty() && !others.is_empty(), "{fork}");
        let (repeated, _) = count(&["--all"]);
        assert!(!repeated.is_empty(), "{fork}");
        assert!(
            repeated
                .iter()
                .all(|hit| { hit["show"].as_str().is_some_and(|show| show.ends_with(" --all")) })
        );
    }
}

#[test]
fn every_hit_can_be_shown() {
    let folder = Folder::new();
    for name in ["claude.jsonl", "codex.jsonl", "cursor.jsonl", "gemini.json", "opencode.json"] {
        let ran = folder.vac(&["search", "--all", "", &sample(name)]);
        let commands = show_commands(&ran.stdout);
        assert!(commands.len() > 2, "{name}");
        for command in commands {
            let words: Vec<_> = command.split(' ').skip(1).collect();
            let shown = folder.vac(&words);
            assert_eq!(shown.code, 0, "{command}: {}", shown.stderr);
        }
    }
}

#[test]
fn hits_beyond_the_maximum_are_counted() {
    let folder = Folder::new();
    let path = sample("claude.jsonl");
    let all = folder.vac(&["search", "--max-count", "0", "", &path]);
    let total = show_commands(&all.stdout).len();
    let ran = folder.vac(&["search", "-m", "1", "", &path]);
    assert_eq!(show_commands(&ran.stdout).len(), 1);
    assert_eq!(ran.lines().last(), Some(&&*format!("        {} more", total - 1)));
    assert_eq!(ran.stderr, format!("{} more hits not printed (see --max-count)\n", total - 1));
}

#[test]
fn hits_fit_the_terminal_and_cannot_control_it() {
    let folder = Folder::new();
    let log = claude(CLAUDE_ID, "2026-03-01T09:00:00.000Z");
    let text = format!(r"{}needle \u001b[2J\u202e{}", "a ".repeat(80), "b".repeat(80));
    folder.write("it's.jsonl", log.replace("Weave it", &text));
    for columns in ["60", "100", "160"] {
        let variables = [("COLUMNS", columns)];
        let ran = folder.vac_at_home(&variables, &["search", "ne+dle", "it's.jsonl"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let line = ran.lines()[1];
        assert!(line.chars().count() <= columns.parse().expect("a number"), "{line}");
        assert!(line.contains("needle"), "{line}");
        assert_eq!(ran.lines()[2].trim(), r"vac show 'it'\''s.jsonl' --at 0");
    }
    let variables = [("CLICOLOR_FORCE", "1")];
    let ran = folder.vac_at_home(&variables, &["search", "needle.*b$", "it's.jsonl"]);
    assert!(
        ran.stdout.contains("\u{1b}[1m\u{1b}[31mneedle \\u{1b}[2J\\u{202e}bbb"),
        "{}",
        ran.stdout
    );
    let ran = folder.vac(&["search", "--json", "needle", "it's.jsonl"]);
    assert!(!ran.stdout.contains('\u{202e}') && ran.stdout.contains(r"\u202e"), "{}", ran.stdout);
}

#[test]
fn escaped_words_and_words_of_companion_files_are_found() {
    let folder = Folder::new();
    let log = claude(CLAUDE_ID, "2026-03-01T09:00:00.000Z");
    folder.write("a.jsonl", log.replace("Weave", r"W\u0065ave"));
    let ran = folder.vac(&["search", "-c", "Weave", "a.jsonl"]);
    ran.gives(0, "a.jsonl:1\n");
    let ran = folder.vac_with(&["search", "Woven", "-"], log.as_bytes());
    assert_eq!((ran.code, ran.lines().len()), (0, 2), "stdin has no name to show: {}", ran.stdout);
}

/// Every word of every text is found with the filter of bytes, as it is without.
#[test]
fn filter_of_bytes_misses_no_word_of_any_fixture() {
    use std::collections::BTreeSet;
    use vac::view::text_search::{TextField, TextFields, TextQuery};

    let search = vac::Search {
        paths: ["claude", "codex", "samples"]
            .map(|name| vac_tests::root().join("fixtures").join(name))
            .to_vec(),
        ..vac::Search::default()
    };
    let fields = [
        TextField::Prompt,
        TextField::Answer,
        TextField::Reasoning,
        TextField::Command,
        TextField::Input,
        TextField::Output,
        TextField::Path,
    ];
    let (mut logs, mut count) = (0, 0);
    for task in search.plan().expect("a plan").tasks {
        let mut words = BTreeSet::new();
        let options = vac::EventOptions::everything();
        let read = vac::events(&task, options, |event| {
            let line = String::from_utf8_lossy(&event.line()).into_owned();
            let split = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.extend(split.filter(|word| word.len() > 3).map(str::to_owned));
            Ok(())
        });
        if read.is_err() {
            continue;
        }
        logs += 1;
        for word in words {
            let mut query = TextQuery::new(&word, false).expect("a word is a pattern");
            query.fields = fields.into_iter().fold(TextFields::EMPTY, TextFields::with);
            query.all = true;
            assert!(query.filter.is_some(), "{word}");
            let found = |query: &TextQuery| {
                let found = vac::search_texts(&task, query).expect("a log that can be read");
                found.iter().map(|session| session.count).sum::<u64>()
            };
            let filtered = found(&query);
            query.filter = None;
            let expected = found(&query);
            // Items of a list that are joined without a space are not words of the log.
            let is_joined = word == "chartmark" && task.name.ends_with("reef.jsonl");
            assert!(filtered == expected || is_joined, "{word} in {}", task.name);
            count += expected;
        }
    }
    assert!(logs > 30 && count > 1000, "{logs} logs, {count} hits");
}
