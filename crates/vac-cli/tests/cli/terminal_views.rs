//! Compares the output of `vac list`, `vac search` and `vac usage` at several widths, with and
//! without colours, with golden files, and tests it in a terminal. `show.rs` does the same for `vac
//! show`.

use crate::home::{self, CLAUDE_FILE, CODEX_FILE};
use crate::run::{Folder, Ran};

/// Returns a folder with a home that has the sample sessions of two agents and one whose texts are
/// hostile.
fn samples() -> Folder {
    let folder = Folder::new();
    home::copy("samples/claude.jsonl", &folder, CLAUDE_FILE);
    home::copy("samples/codex.jsonl", &folder, CODEX_FILE);
    home::copy("prices/sample.json", &folder, "prices.json");
    let log = home::claude("0e0e0e0e-0000-4000-8000-000000000005", "2026-03-01T09:00:00.000Z");
    let text = r"\u001b[2Jspring \u202e\u5c42\u5c42 \ud83c\udf0a\ttab \u0007";
    let log = log.replace("Weave it", &text.repeat(4));
    folder.write("home/.claude/projects/p/0e0e0e0e-0000-4000-8000-000000000005.jsonl", log);
    folder
}

const VIEWS: [(&str, &[&[&str]]); 3] = [
    ("list", &[&["list"], &["list", "--limit", "1", "--agent", "codex"]]),
    (
        "search",
        &[
            &["search", "spring"],
            &["search", "-i", "METRIC|TIDE", "--in", "prompts,paths", "--max-count", "2"],
            &["search", "-c", "spring"],
        ],
    ),
    (
        "usage",
        &[
            &["usage"],
            &["usage", "--by", "session"],
            &["usage", "--by", "model", "--prices", "prices.json"],
        ],
    ),
];

fn run(folder: &Folder, columns: &str, has_colours: bool, arguments: &[&str]) -> Ran {
    let variables = [("COLUMNS", columns), ("CLICOLOR_FORCE", "1")];
    folder.vac_at_home(&variables[..=usize::from(has_colours)], arguments)
}

#[test]
fn views_are_as_expected_at_every_width() {
    let folder = samples();
    for (name, runs) in VIEWS {
        let mut found = String::new();
        for arguments in runs {
            for columns in ["60", "100", "160"] {
                for has_colours in [false, true] {
                    let ran = run(&folder, columns, has_colours, arguments);
                    assert_eq!(ran.code, 0, "{}", ran.stderr);
                    let title = format!("vac {}, {columns} columns", arguments.join(" "));
                    let colours = if has_colours { ", with colours" } else { "" };
                    let output = ran.stdout.replace('\u{1b}', "␛");
                    found.extend(["===== ", &title, colours, "\n", &output]);
                }
            }
        }
        let path = vac_tests::root().join(format!("fixtures/terminal/{name}.txt"));
        if std::env::var_os("VAC_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, &found).expect("a file");
        }
        let expected = std::fs::read_to_string(&path).expect("a golden file");
        for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "line {} of {}", number + 1, path.display());
        }
        assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
    }
}

/// Lines that can be shortened are, and colours change nothing else.
#[test]
fn views_fit_their_width() {
    let folder = samples();
    for (arguments, columns) in
        VIEWS.iter().flat_map(|(_, runs)| *runs).flat_map(|it| [60, 100, 160].map(|at| (it, at)))
    {
        let stated = columns.to_string();
        let [plain, coloured] =
            [false, true].map(|colours| run(&folder, &stated, colours, arguments).stdout);
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
        for line in plain.lines().filter(|line| !line.contains("vac show")) {
            let width = unicode_width::UnicodeWidthStr::width(line);
            assert!(width <= columns, "{arguments:?}: {line}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn views_have_the_width_and_colours_of_a_terminal() {
    let folder = samples();
    for (columns, stated) in [(60, "60"), (100, "100")] {
        for line in ["vac list", "vac search spring", "vac usage --by session"] {
            let Some(shown) = folder.in_terminal(columns, line) else { return };
            let arguments: Vec<_> = line.split(' ').skip(1).collect();
            let expected = run(&folder, stated, true, &arguments);
            let shown = shown.replace("\u{1b}[K", "");
            assert!(shown.contains(expected.stdout.trim_end()), "{line}:\n{shown:?}");
            assert!(shown.contains("\u{1b}["), "{line} has no colours: {shown:?}");
        }
    }
    // Only long texts go through a pager.
    let shown = folder.in_terminal(80, "PAGER=\"sed s/^/P:/\" vac list").expect("a terminal");
    assert!(!shown.contains("P:"), "{shown}");
}
