//! The sections at the end of every help text: notes, exit codes, examples.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::builder::styling::Styles;

/// The exit codes of all commands. The README and the manual pages have the same table.
pub const EXIT_CODES: &str = "0 done or yes, 1 no, 2 usage or input/output error";

const EXIT_CODES_HEADING: &str = "Exit codes:";
const EXAMPLES_HEADING: &str = "Examples:";

/// The heading of options that every command has.
pub const GLOBAL_OPTIONS: &str = "Global options";

/// A command line and its description.
type Example = (&'static str, &'static str);

/// Returns the end of a help text. Each note is a paragraph; `failure` is the meaning of exit code
/// 1, and is empty for commands that never end with it.
pub fn ending(notes: &[&str], failure: &str, examples: &[Example]) -> StyledStr {
    let styles = Styles::styled();
    let heading = styles.get_header();
    let mut text = String::new();
    let mut write = |part: std::fmt::Arguments<'_>| {
        text.write_fmt(part).expect("writing to a string cannot fail");
    };
    for note in notes {
        write(format_args!("{note}\n\n"));
    }
    write(format_args!("{heading}{EXIT_CODES_HEADING}{heading:#} {EXIT_CODES}.\n"));
    if !failure.is_empty() {
        write(format_args!("1 means that {failure}.\n"));
    }
    write(format_args!("\n{heading}{EXAMPLES_HEADING}{heading:#}"));
    for (command, description) in examples {
        write(format_args!("\n  # {description}\n  {command}"));
    }
    text.into()
}

/// The sections at the end of a help text.
pub struct Ending<'t> {
    /// The notes.
    pub notes: &'t str,
    /// The exit codes.
    pub exit_codes: &'t str,
    /// Descriptions and command lines.
    pub examples: Vec<(&'t str, &'t str)>,
}

impl<'t> Ending<'t> {
    /// Splits the text of [`ending`] into its sections.
    pub fn parse(text: &'t str) -> Option<Self> {
        let (before, examples) = text.split_once(EXAMPLES_HEADING)?;
        let (notes, exit_codes) = before.split_once(EXIT_CODES_HEADING)?;
        let lines: Vec<_> = examples.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        let example = |pair: &[&'t str]| match pair {
            [description, command] => Some((description.strip_prefix("# ")?, *command)),
            _ => None,
        };
        let examples = lines.chunks(2).map(example).collect::<Option<_>>()?;
        Some(Self { notes: notes.trim(), exit_codes: exit_codes.trim(), examples })
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _, Parser as _};

    use super::*;
    use crate::Arguments;

    /// Calls a function with a command and its subcommands.
    fn each(command: &Command, visit: &mut impl FnMut(&Command)) {
        visit(command);
        for below in command.get_subcommands().filter(|it| it.get_name() != "help") {
            each(below, visit);
        }
    }

    fn name(command: &Command) -> String {
        command.get_bin_name().unwrap_or("vac").to_owned()
    }

    fn all(mut visit: impl FnMut(&Command)) {
        let mut root = Arguments::command();
        root.build();
        each(&root, &mut visit);
    }

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_texts_end_with_two_to_four_examples_that_parse() {
        all(|command| {
            let name = name(command);
            let text = command.get_after_help().expect(&name).to_string();
            let Ending { exit_codes, examples, .. } = Ending::parse(&text).expect(&name);
            assert!(exit_codes.starts_with(EXIT_CODES), "{name}: {exit_codes}");
            assert!((2..=4).contains(&examples.len()), "{name}: {}", examples.len());
            let mut uses = 0;
            for (_, line) in &examples {
                for run in line.split(['|', '&']).filter(|run| !run.is_empty()) {
                    let words = run.split_whitespace().take_while(|word| *word != ">");
                    let words: Vec<_> = words.collect();
                    assert_eq!(words.first(), Some(&"vac"), "{line}");
                    uses += usize::from(words.join(" ").starts_with(&name));
                    // A request for help is an error of clap that is printed on stdout.
                    let error = Arguments::try_parse_from(words).err();
                    let error = error.filter(clap::Error::use_stderr);
                    assert!(error.is_none(), "{line}: {error:?}");
                }
            }
            assert!(uses > 1, "{name}: too few examples of this command");
        });
    }

    #[test]
    fn commands_and_arguments_have_descriptions() {
        all(|command| {
            let name = name(command);
            let about = command.get_about().expect(&name).to_string();
            assert!(about.lines().count() == 1 && about.len() < 80, "{name}: {about}");
            for argument in command.get_arguments() {
                let id = argument.get_id();
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(help.len() > 5, "{name}: {id}: {help}");
            }
        });
    }

    #[test]
    fn readme_has_the_exit_codes_of_the_help_texts() {
        let readme = include_str!("../../../README.md");
        for code in EXIT_CODES.split(", ") {
            let (number, meaning) = code.split_once(' ').expect("a number and its meaning");
            let row = format!("| {number} | {meaning}");
            assert!(readme.contains(&row), "{row}");
        }
    }

    #[test]
    fn global_options_have_a_heading_of_their_own() {
        all(|command| {
            for option in ["quiet", "verbose"] {
                let option = command.get_arguments().find(|it| it.get_id() == option);
                let heading = option.and_then(clap::Arg::get_help_heading);
                assert_eq!(heading, Some(GLOBAL_OPTIONS), "{}", name(command));
            }
        });
    }
}
