//! `vac show`

use std::path::PathBuf;

use crate::home::{CURSOR_ID, claude, home};
use crate::run::Folder;

fn sample(name: &str) -> String {
    vac_tests::root().join("fixtures/samples").join(name).to_string_lossy().into_owned()
}

fn expected(name: &str) -> PathBuf {
    vac_tests::root().join("fixtures/show").join(name)
}

/// Returns what `vac show` prints of a sample in several ways, with visible escape sequences.
fn shown(sample: &str) -> String {
    let folder = Folder::new();
    let mut text = String::new();
    let mut add = |title: &str, variables: &[(&str, &str)], arguments: &[&str]| {
        let ran = folder.vac_at_home(variables, &[&["show", sample], arguments].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{title}");
        let output = ran.stdout.replace('\u{1b}', "␛");
        text.extend(["===== ", title, "\n", output.as_str()]);
    };
    for arguments in [&[][..], &["-v"], &["--full"]] {
        for columns in ["60", "100", "160"] {
            let title = format!("vac show {}, {columns} columns", arguments.concat());
            add(&title, &[("COLUMNS", columns)], arguments);
        }
        for columns in ["60", "100", "160"] {
            let title = format!("vac show {}, {columns} columns, with colours", arguments.concat());
            add(&title, &[("COLUMNS", columns), ("CLICOLOR_FORCE", "1")], arguments);
        }
    }
    add("vac show --md -v", &[], &["--md", "-v"]);
    text
}

#[test]
fn samples_are_shown_as_expected() {
    for name in ["claude.jsonl", "codex.jsonl", "cursor.jsonl", "gemini.json", "opencode.json"] {
        let found = shown(&sample(name));
        let expected = expected(&format!("{}.txt", name.split('.').next().expect("a name")));
        if std::env::var_os("VAC_BLESS").is_some() {
            std::fs::create_dir_all(expected.parent().expect("a folder")).expect("a folder");
            std::fs::write(&expected, &found).expect("a file");
        }
        let expected = std::fs::read_to_string(expected).expect("a file");
        for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "line {} of {name}", number + 1);
        }
        assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
    }
}

#[test]
fn lines_fit_the_columns_that_there_are() {
    let folder = Folder::new();
    for columns in ["30", "60", "100"] {
        for name in ["claude.jsonl", "codex.jsonl", "gemini.json"] {
            let variables = [("COLUMNS", columns)];
            let ran = folder.vac_at_home(&variables, &["show", "--full", &sample(name)]);
            let width: usize = columns.parse().expect("a number");
            // The first line names the session, and is never shortened.
            for line in ran.lines().into_iter().skip(1) {
                assert!(line.chars().count() <= width, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn only_what_was_asked_for_is_shown() {
    let folder = Folder::new();
    let show = |arguments: &[&str]| {
        let ran = folder.vac(&[&["show", &sample("claude.jsonl")], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let lines: Vec<_> = ran.stdout.lines().skip(3).map(str::to_owned).collect();
        lines.into_iter().take_while(|line| !line.starts_with("──")).collect::<Vec<_>>()
    };
    let commands = show(&["--only", "commands"]);
    assert_eq!(commands.len(), 3, "{commands:#?}");
    assert!(commands.iter().all(|line| line.contains("tool    $ ")), "{commands:#?}");
    assert_eq!(show(&["--only", "failures"]), commands[..1]);
    let edits = show(&["--only", "edits,prompts"]);
    assert_eq!(edits.len(), 3, "{edits:#?}");
    assert!(edits[1].contains("edit +1 -1 src/calendar.rs"), "{edits:#?}");
    assert_eq!(show(&["--only", "tools", "--all"]).len(), 5);
}

#[test]
fn one_entry_is_shown_in_full_with_those_around_it() {
    let folder = Folder::new();
    let show = |at: &str| folder.vac(&["show", &sample("claude.jsonl"), "--at", at]);
    for at in ["5", "/session/entries/5"] {
        let ran = show(at);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("/session/entries/5/children/1\n"), "{}", ran.stdout);
        assert!(ran.stdout.contains("exit 101") && !ran.stdout.contains("summary"), "{at}");
    }
    let by_id = show("7d1f4c52-0000-4000-8000-000000000001");
    assert!(by_id.stdout.contains("/session/entries/0\n"), "{}", by_id.stdout);
    let ran = show("900");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stderr, "error: entry `900` does not exist or is hidden (see --all)\n");
}

#[test]
fn text_of_a_session_cannot_control_the_terminal() {
    let folder = Folder::new();
    let log = claude("s1", "2026-03-01T09:00:00Z");
    let hostile = r"\u001b[2J\u009b31m\u202e<script>\u0007";
    folder.write("a.jsonl", log.replace("Woven", hostile).replace("Weave it", hostile));
    for arguments in [&["show", "a.jsonl"][..], &["show", "--full", "a.jsonl"]] {
        let ran = folder.vac(arguments);
        assert!(ran.stdout.contains("\\u{1b}[2J\\u{9b}31m\\u{202e}"), "{}", ran.stdout);
        assert!(ran.stdout.chars().all(|it| it == '\n' || vac::value::is_harmless(it)));
    }
    let ran = folder.vac(&["show", "--md", "a.jsonl"]);
    assert!(!ran.stdout.contains("<script>"), "{}", ran.stdout);
    assert!(ran.stdout.chars().all(|it| it == '\n' || vac::value::is_harmless(it)));
}

#[test]
fn options_of_other_commands_have_the_same_meaning() {
    let folder = home();
    let latest = folder.vac_at_home(&[], &["show"]);
    assert_eq!(latest.code, 0, "{}", latest.stderr);
    let file =
        format!("home/.cursor/projects/compass/agent-transcripts/{CURSOR_ID}/{CURSOR_ID}.jsonl");
    let ran =
        folder.vac(&["show", "--agent", "cursor", "--max-event", "1MiB", &file, "--no-pager"]);
    assert!(ran.stdout.starts_with("cursor "), "{}", ran.stderr);
    let key = folder.vac(&["keygen", "-o", "keys/"]);
    assert_eq!(key.code, 0, "{}", key.stderr);
    let ran = folder.vac(&["show", "--key", "keys/signing-key.pub.pem", &file]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("not signed"), "{}", ran.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn terminals_have_a_pager_and_colours() {
    let folder = Folder::new();
    let sample = sample("claude.jsonl");
    let Some(paged) = folder.in_terminal(60, &format!("PAGER=\"sed s/^/P:/\" vac show {sample}"))
    else {
        return;
    };
    let lines: Vec<_> = paged.lines().collect();
    assert!(lines.len() > 15 && lines.iter().all(|line| line.starts_with("P:")), "{paged}");
    assert!(paged.contains("\u{1b}[1mclaude\u{1b}[0m"), "{paged}");
    let plain = anstream::adapter::strip_str(&paged).to_string();
    assert!(plain.lines().skip(1).all(|line| line.chars().count() <= 62), "{plain}");
    for direct in ["--no-pager", "--md"] {
        let line = format!("PAGER=\"sed s/^/P:/\" vac show {direct} {sample}");
        let shown = folder.in_terminal(60, &line).expect("a terminal");
        assert!(!shown.contains("P:"), "{shown}");
    }
    let empty = folder.in_terminal(60, &format!("PAGER= vac show {sample}")).expect("a terminal");
    assert!(empty.contains("summary"), "{empty}");
    let missing = format!("PAGER=no-such-program vac show {sample} || true");
    assert!(folder.in_terminal(60, &missing).is_some());
    // A pager that ends early is not an error.
    let early = format!("PAGER=\"head -2\" vac show --full {sample}");
    let shown = folder.in_terminal(60, &early).expect("a terminal");
    assert_eq!(shown.lines().count(), 2, "{shown}");
}
