//! Tests that every command in a document is run, or is on a list and checked in another way, and
//! that the output in a document is the actual output.
//!
//! The blocks of a document run one after the other in one folder, as a user who has
//! sessions of every agent. In a block `sh` every line is a command. In a block `console`
//! the commands follow `$`, with their output below, where `[..]` matches anything and a line
//! `...` any lines. A comment `# exit code 1` states an exit code other than 0.
//!
//! `VAC_BLESS=1` writes what came out into the documents; read the difference.

mod listed;
mod shown;

use std::fs;

use vac_tests::markdown::{Block, Document};

use crate::home;
use crate::run::Folder;
use listed::Listed;
use shown::Step;

/// Blocks that hold no commands. Those in Python are run by tests of crate vac-python.
const OTHER: [&str; 6] = ["rust", "json", "cddl", "toml", "text", "python"];

/// Files and folders that the documents name, with the fixtures of which they are copies.
const COPIES: [(&str, &str); 8] = [
    ("", "fixtures"),
    ("claude/jsonl/basic/session.jsonl", "session.jsonl"),
    ("codex/envelopes/compressed", "logs"),
    (
        "claude/jsonl/basic/session.jsonl",
        "home/.claude/projects/-home-ada-orrery/5f0c1c1e-0b1a-4c5e-9a52-3f1f0a6f2b11.jsonl",
    ),
    ("codex/envelopes/basic", "home/.codex/sessions/2026/03/02"),
    ("cursor/transcript/basic", "home/.cursor/projects/kettle/agent-transcripts"),
    ("gemini/jsonl/project-folder", "home/.gemini/tmp/lighthouse"),
    ("opencode/database/basic/opencode.db", "home/.local/share/opencode/opencode.db"),
];

/// Returns a place to run the commands of a document in.
fn prepared() -> Folder {
    let folder = Folder::new();
    for (fixture, name) in COPIES {
        home::copy(fixture, &folder, name);
    }
    for name in ["spec", "crates"] {
        let there = vac_tests::root().join(name);
        std::os::unix::fs::symlink(there, folder.path().join(name)).expect("a link");
    }
    folder
}

#[test]
fn every_command_of_the_documents_does_what_they_show() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for document in Document::all() {
        let mut folder = None;
        let mut lines: Vec<_> = document.text.lines().map(str::to_owned).collect();
        let mut changed = Vec::new();
        for block in document.blocks() {
            let steps = match block.language.as_str() {
                "sh" => shown::commands(&block),
                "console" => shown::console(&block),
                other if OTHER.contains(&other) => continue,
                other => panic!("{}:{}: a block of {other:?}", document.name, block.line),
            };
            ran += steps.len();
            let folder = folder.get_or_insert_with(prepared);
            let (found, problems) = play(folder, &block, steps);
            wrong.extend(problems.iter().map(|problem| format!("{}:{problem}", document.name)));
            if found != block.lines {
                let indented = |line: String| format!("{:1$}{line}", "", block.indent);
                let found: Vec<_> = found.into_iter().map(indented).collect();
                changed.push((block.line - 1..block.line - 1 + block.lines.len(), found));
            }
        }
        if std::env::var_os("VAC_BLESS").is_some() && !changed.is_empty() {
            // Replacing from the end keeps earlier positions valid.
            for (place, found) in changed.into_iter().rev() {
                lines.splice(place, found);
            }
            let text = lines.join("\n") + "\n";
            fs::write(vac_tests::root().join(&document.name), text).expect("a document");
        }
    }
    assert!(wrong.is_empty(), "\n{}\n(VAC_BLESS=1 writes it)", wrong.join("\n"));
    assert!(ran > 25, "only {ran} commands");
}

/// Runs the commands of a block: its lines with what came out, and what is wrong.
fn play(folder: &Folder, block: &Block, steps: Vec<Step>) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    for step in steps {
        let place = format!("{}: `{}`", step.line, step.command);
        let command = match listed::find(&step.command) {
            None => step.command.clone(),
            Some(Listed::Instead(command)) => command,
            Some(Listed::Checked) => {
                assert!(step.output.is_none_or(|lines| lines.is_empty()), "{place} is not run");
                lines.push(block.lines[step.line - block.line].clone());
                continue;
            }
            Some(Listed::Wrong(problem)) => {
                wrong.push(format!("{place}: {problem}"));
                lines.push(block.lines[step.line - block.line].clone());
                continue;
            }
        };
        // An editor that fails if the file does not exist. Its messages on stderr are shown with
        // the rest.
        let line = format!("{{ {command}\n}} 2>&1");
        let ran = folder.shell(&[("EDITOR", "ls")], &line);
        if ran.code != step.code {
            wrong.push(format!("{place} ended with {}:\n{}", ran.code, ran.stdout));
        }
        lines.push(block.lines[step.line - block.line].clone());
        let Some(output) = step.output else { continue };
        let printed: Vec<_> = ran.stdout.lines().map(str::trim_end).collect();
        if shown::is_shown(&output, &printed) {
            lines.extend(output);
        } else {
            wrong.push(format!("{place} does not print what is shown, but:\n{}", ran.stdout));
            lines.extend(shown::renewed(&output, &printed));
        }
    }
    (lines, wrong)
}

/// Inline code is not run, but the commands and options that it names exist.
#[test]
fn commands_inside_a_line_are_found() {
    let folder = Folder::new();
    let mut count = 0;
    for document in Document::all() {
        for (line, code) in document.inline() {
            let place = format!("{}:{line}: `{code}`", document.name);
            match listed::find(code) {
                Some(Listed::Wrong(problem)) => panic!("{place}: {problem}"),
                Some(_) => count += 1,
                None => {
                    let mut words = code.split_whitespace();
                    let (Some("vac"), Some(command)) = (words.next(), words.next()) else {
                        continue;
                    };
                    let help = folder.vac(&[command, "--help"]);
                    assert_eq!(help.code, 0, "{place}: {}", help.stderr);
                    for option in words.filter(|word| word.starts_with('-') && *word != "-") {
                        let is_there =
                            help.stdout.split([' ', ',', '[', '\n']).any(|w| w == option);
                        assert!(is_there, "{place}: no option {option}");
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(count > 20, "only {count} commands");
}

/// The table that ends a conversion of the fixtures has a row for every variant in the manual.
#[test]
fn converting_the_fixtures_covers_every_variant() {
    let folder = prepared();
    let ran = folder.vac(&["convert", "fixtures/", "-o", "records/"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let rows: Vec<Vec<_>> =
        ran.stderr.lines().map(|line| line.split_whitespace().collect()).collect();
    let variants = Document::read("crates/vac-cli/README.md").variants();
    for (agent, variant) in &variants {
        // A row names the agent, which can be another one than that of the adapter.
        let is_it = |row: &Vec<&str>| match &row[..] {
            [name, of, ..] => {
                let adapter = vac::agent(name).map(|agent| agent.adapter.name());
                adapter == Some(agent.as_str()) && of == variant
            }
            _ => false,
        };
        assert!(rows.iter().any(is_it), "{agent} {variant} is not in\n{}", ran.stderr);
    }
    assert!(variants.len() > 20, "{variants:?}");
}

/// The command that the README gives for the tests is one that CI runs.
#[test]
fn ci_runs_what_the_readme_calls_the_tests() {
    let readme = Document::read("README.md");
    let shown = readme.commands(&[]);
    let test = shown.iter().find(|(_, command)| command.starts_with("cargo test"));
    let (_, command) = test.expect("a command that tests");
    let command = command.split('#').next().unwrap_or_default().trim();
    let ci = fs::read_to_string(vac_tests::root().join(".ci/run")).expect(".ci/run");
    assert!(ci.lines().any(|line| line == command), "`{command}`");
}
