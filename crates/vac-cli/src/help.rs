//! The end of every help text: notes, exit codes, examples.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::builder::styling::Styles;

const EXIT_CODES: &str = "Exit codes:";
const EXAMPLES: &str = "Examples:";

/// A command line that does something useful, and what it does.
type Example = (&'static str, &'static str);

/// What stands at the end of a help text. Notes are paragraphs of their own.
pub fn ending(notes: &[&str], exit_codes: &str, examples: &[Example]) -> StyledStr {
    let styles = Styles::styled();
    let heading = styles.get_header();
    let mut text = String::new();
    for note in notes {
        write!(text, "{note}\n\n").unwrap_or_default();
    }
    write!(text, "{heading}{EXIT_CODES}{heading:#} {exit_codes}\n\n").unwrap_or_default();
    write!(text, "{heading}{EXAMPLES}{heading:#}").unwrap_or_default();
    for (command, words) in examples {
        write!(text, "\n  # {words}\n  {command}").unwrap_or_default();
    }
    text.into()
}

/// The parts of such an end.
pub struct Ending<'t> {
    /// Paragraphs.
    pub notes: &'t str,
    /// What the exit codes mean.
    pub exit_codes: &'t str,
    /// A line of words and a command line, again and again.
    pub examples: Vec<(&'t str, &'t str)>,
}

impl<'t> Ending<'t> {
    /// Takes it apart again.
    pub fn of(text: &'t str) -> Option<Self> {
        let (before, examples) = text.split_once(EXAMPLES)?;
        let (notes, exit_codes) = before.split_once(EXIT_CODES)?;
        let lines: Vec<_> = examples.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        let example = |pair: &[&'t str]| match pair {
            [words, command] => Some((words.strip_prefix("# ")?, *command)),
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

    /// Does something with every command there is.
    fn each(command: &Command, look: &mut impl FnMut(&Command)) {
        look(command);
        for below in command.get_subcommands().filter(|it| it.get_name() != "help") {
            each(below, look);
        }
    }

    fn name(command: &Command) -> String {
        command.get_bin_name().unwrap_or("vac").to_owned()
    }

    fn all(mut look: impl FnMut(&Command)) {
        let mut root = Arguments::command();
        root.build();
        each(&root, &mut look);
    }

    #[test]
    fn the_arguments_are_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_help_text_ends_with_two_to_four_examples_that_parse() {
        all(|command| {
            let name = name(command);
            let text = command.get_after_help().expect(&name).to_string();
            let Ending { exit_codes, examples, .. } = Ending::of(&text).expect(&name);
            assert!(exit_codes.starts_with("0 "), "{name}: {exit_codes}");
            assert!((2..=4).contains(&examples.len()), "{name}: {}", examples.len());
            let mut uses = 0;
            for (_, line) in &examples {
                for run in line.split(['|', '&']).filter(|run| !run.is_empty()) {
                    let words = run.split_whitespace().take_while(|word| *word != ">");
                    let words: Vec<_> = words.collect();
                    assert_eq!(words.first(), Some(&"vac"), "{line}");
                    uses += usize::from(words.join(" ").starts_with(&name));
                    // Help that was asked for is an error that goes to stdout.
                    let error = Arguments::try_parse_from(words).err();
                    let error = error.filter(clap::Error::use_stderr);
                    assert!(error.is_none(), "{line}: {error:?}");
                }
            }
            assert!(uses > 1, "{name}: its examples are about something else");
        });
    }

    #[test]
    fn every_command_and_argument_says_what_it_is() {
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
}
