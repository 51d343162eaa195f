//! Tests that every command and option in the help texts has a test.

use std::path::Path;

use crate::run::Folder;

/// A command: its words after `vac`, its help text, and its long options.
pub struct Command {
    pub words: Vec<String>,
    pub help: String,
    pub options: Vec<String>,
}

/// Returns every command, in the order of the help; `vac` itself is the first.
pub fn commands() -> Vec<Command> {
    let mut found = Vec::new();
    let mut waiting = vec![Vec::new()];
    while let Some(words) = waiting.pop() {
        let command = command(words);
        let below: Vec<_> = section(&command.help, "Commands:")
            .map(|line| [command.words.clone(), vec![first_word(line)]].concat())
            .filter(|words| words.last().is_some_and(|word| word != "help"))
            .collect();
        waiting.extend(below.into_iter().rev());
        found.push(command);
    }
    found
}

fn command(words: Vec<String>) -> Command {
    let arguments: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
    let ran = Folder::new().vac(&arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    let sections = section(&ran.stdout, "Options:").chain(section(&ran.stdout, "Global options:"));
    let options = sections.filter_map(|line| {
        let (short, long) = line.split_once("--")?;
        let is_option = short.is_empty() || short.starts_with('-') && short.ends_with(", ");
        let end = long.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        is_option.then(|| format!("--{}", &long[..end.unwrap_or(long.len())]))
    });
    Command { options: options.collect(), words, help: ran.stdout }
}

/// Returns the lines below a heading, without the blanks before them.
fn section<'h>(help: &'h str, heading: &str) -> impl Iterator<Item = &'h str> {
    let lines = help.lines().skip_while(move |line| *line != heading).skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    lines.map(str::trim_start).filter(|line| !line.is_empty())
}

fn first_word(line: &str) -> String {
    line.split(' ').next().unwrap_or_default().to_owned()
}

/// Returns the functions of all test modules but this one.
fn functions() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut functions = Vec::new();
    let mut waiting = vec![folder];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = path.read_dir().expect("a folder");
            waiting.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if !path.ends_with("tree.rs") {
            let source = std::fs::read_to_string(path).expect("a source");
            functions.extend(source.split("\n}\n").map(str::to_owned));
        }
    }
    functions
}

/// Returns whether a function runs a command: it contains the words of the command, or calls a
/// function of that name.
fn runs(function: &str, command: &[String]) -> bool {
    let is_said = |word: &String| function.contains(&format!("\"{word}\""));
    command.iter().all(is_said)
        || command.last().is_some_and(|word| function.contains(&format!(" {word}(&")))
}

fn uses(function: &str, option: &str) -> bool {
    function.contains(&format!("\"{option}\"")) || function.contains(&format!("\"{option}="))
}

#[test]
fn every_command_and_option_is_tested() {
    let functions = functions();
    let commands = commands();
    let global = &commands[0].options;
    assert!(commands.len() > 12 && global.len() == 4, "{global:?}");
    let mut missing = Vec::new();
    for Command { words, options, .. } in &commands {
        let name = words.join(" ");
        if !functions.iter().any(|function| runs(function, words)) {
            missing.push(name.clone());
        }
        for option in options {
            // The options of `vac` itself are tested once.
            let is_inherited = !words.is_empty() && global.contains(option);
            let is_tested = |function: &String| runs(function, words) && uses(function, option);
            let is_own_version = option == "--version" && words == &["schema"];
            if (!is_inherited || is_own_version) && !functions.iter().any(is_tested) {
                missing.push(format!("{name} {option}"));
            }
        }
    }
    assert!(missing.is_empty(), "not tested: {missing:#?}");
}

#[test]
fn each_command_has_one_line_in_the_help_of_vac() {
    let commands = commands();
    let lines: Vec<_> = section(&commands[0].help, "Commands:").collect();
    for Command { words, .. } in commands.iter().filter(|command| command.words.len() == 1) {
        let about = lines.iter().filter(|line| first_word(line) == words[0]);
        let about: Vec<_> = about.collect();
        let [line] = about[..] else { panic!("{words:?}: {about:?}") };
        assert!(line.len() > words[0].len() + 10, "{line}");
    }
}
