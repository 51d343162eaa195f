//! Parses the content of a block: commands, and their output.

use vac_tests::markdown::Block;

/// A command and its shown output.
pub struct Step {
    /// The line number of the command in the document.
    pub line: usize,
    /// The command with its comment, as in the document.
    pub command: String,
    /// The output that is shown, if any.
    pub output: Option<Vec<String>>,
    /// The expected exit code.
    pub code: i32,
}

impl Step {
    fn new(line: usize, command: &str, output: Option<Vec<String>>) -> Self {
        let code = command.split_once("# exit code ").map_or(0, |(_, code)| {
            code.trim()
                .parse()
                .unwrap_or_else(|_| panic!("line {line}: {code:?} is not an exit code"))
        });
        Self { line, command: command.to_owned(), output, code }
    }
}

/// Returns the commands of a block in which every line is one.
pub fn commands(block: &Block) -> Vec<Step> {
    let lines = (block.line..).zip(&block.lines);
    lines.map(|(number, line)| Step::new(number, line, None)).collect()
}

/// Returns the commands of a block, which follow `$`, each with the lines below it.
pub fn console(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (number, line) in (block.line..).zip(&block.lines) {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step::new(number, command, Some(Vec::new())));
        } else {
            let last = steps.last_mut().and_then(|step| step.output.as_mut());
            last.expect("a block begins with a command").push(line.clone());
        }
    }
    steps
}

/// Returns whether these lines match the shown output. A single `...` matches any output.
pub fn is_shown(shown: &[String], printed: &[&str]) -> bool {
    let is_any = |line: &String| line == "...";
    (shown.is_empty() || !shown.iter().all(is_any)) && are_lines(shown, printed)
}

fn are_lines(shown: &[String], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], printed) => printed.is_empty(),
        ([any, rest @ ..], printed) if any == "..." => {
            (0..=printed.len()).any(|from| are_lines(rest, &printed[from..]))
        }
        ([line, rest @ ..], [found, others @ ..]) => {
            is_line(line.trim_end(), found) && are_lines(rest, others)
        }
        (_, []) => false,
    }
}

/// Returns the lines to show instead: the printed ones, with the wildcards that still match. As
/// many lines as before are shown around `...`.
pub fn renewed(shown: &[String], printed: &[&str]) -> Vec<String> {
    let mut lines: Vec<_> = printed.iter().map(|line| with_wildcards(shown, line)).collect();
    if let Some(before) = shown.iter().position(|line| line == "...") {
        let after = shown.len() - before - 1;
        if before + after > 0 && before + after < lines.len() {
            lines.splice(before..lines.len() - after, ["...".to_owned()]);
        }
    }
    lines
}

fn with_wildcards(shown: &[String], printed: &str) -> String {
    let is_it = |line: &&String| line.contains("[..]") && is_line(line.trim_end(), printed);
    shown.iter().find(is_it).map_or_else(|| printed.to_owned(), String::clone)
}

/// Returns whether a line matches a shown line.
fn is_line(shown: &str, found: &str) -> bool {
    let Some((before, after)) = shown.split_once("[..]") else { return shown == found };
    let Some(found) = found.strip_prefix(before) else { return false };
    let mut ends = found.char_indices().map(|(at, _)| at).chain([found.len()]);
    ends.any(|at| is_line(after, &found[at..]))
}

#[test]
fn wildcards_match_a_part_of_a_line_or_lines() {
    let is = |shown: &[&str], printed: &[&str]| {
        is_shown(&shown.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>(), printed)
    };
    assert!(is(&["a [..] c", "...", "z"], &["a b c", "d", "e", "z"]));
    assert!(is(&["a[..]"], &["a"]));
    assert!(is(&[], &[]));
    assert!(!is(&[], &["a"]), "what is printed and not shown");
    assert!(!is(&["a", "b"], &["a"]), "what is shown and not printed");
    assert!(!is(&["a [..] c"], &["a b d"]));
    assert!(!is(&["...", "z"], &["a"]));
    assert!(!is(&["..."], &["a"]), "that shows nothing");
}

#[test]
fn renewed_output_keeps_its_wildcards() {
    let shown = ["a [..]", "...", "z"].map(str::to_owned);
    assert_eq!(renewed(&shown, &["a 1", "b", "c", "y"]), ["a [..]", "...", "y"]);
    assert_eq!(renewed(&shown[1..2], &["a", "b"]), ["a", "b"]);
    assert_eq!(renewed(&[], &["a"]), ["a"]);
}
