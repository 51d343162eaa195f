//! `vac man`

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Command, CommandFactory as _};
use clap_mangen::roff::{Roff, roman};
use vac::files::{Readers, make_folder, refuse_agent_folder};

use crate::Arguments;
use crate::exit::Exit;
use crate::help::{self, Ending};
use crate::output_file::{Existing, write_file};
use crate::printer::Printer;

/// Print the manual page of vac or of one command
///
/// The pages contain the help texts.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac man > vac.1", "Manual page of vac itself"),
        ("vac man receipts attach > vac-receipts-attach.1", "Manual page of one command"),
        ("vac man -o man1/", "All manual pages, a file each"),
    ],
))]
pub struct ManArgs {
    /// Command to describe [default: vac itself]
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Overwrite files that already exist
    #[arg(long, requires = "output")]
    force: bool,
}

impl ManArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let mut root = Arguments::command().disable_help_subcommand(true);
        root.build();
        let Some(folder) = &self.output else {
            printer.text(&page(self.named(&root)?)?)?;
            return Ok(Exit::Success);
        };
        refuse_agent_folder(folder)?;
        make_folder(folder, Readers::Everyone)?;
        let mut waiting = vec![&root];
        while let Some(command) = waiting.pop() {
            let path = folder.join(format!("{}.1", name(command)));
            let existing = Existing::by("--force", self.force);
            write_file(&path, &[page(command)?.as_bytes()], Readers::Everyone, existing)?;
            printer.detail(&path.display().to_string());
            waiting.extend(command.get_subcommands());
        }
        Ok(Exit::Success)
    }

    fn named<'c>(&self, root: &'c Command) -> Result<&'c Command> {
        let mut command = root;
        for word in &self.command {
            let Some(below) = command.find_subcommand(word) else {
                let known: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
                let above = command.get_bin_name().unwrap_or("vac");
                match known.as_slice() {
                    [] => bail!("{above} has no commands of its own"),
                    known => bail!("{above} has no command {word:?}; it has {}", known.join(", ")),
                }
            };
            command = below;
        }
        Ok(command)
    }
}

/// Returns the name of the page, such as `vac-receipts-attach`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// Returns the page of a command. Notes follow the description; exit codes and examples are sections
/// of their own.
fn page(command: &Command) -> Result<String> {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let ending = Ending::parse(&text).context("the help text has no examples")?;
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string);
    let described = format!("{}\n\n{}", about.unwrap_or_default(), ending.notes);
    let command =
        command.clone().long_about(described.trim_end().to_owned()).after_help(None::<&str>);
    let version = concat!("vac ", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    clap_mangen::Man::new(command).source(version).manual("vac").render(&mut page)?;
    Ok(String::from_utf8(page)? + &sections(&ending).to_roff())
}

fn sections(ending: &Ending<'_>) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]).text([roman(ending.exit_codes)]);
    roff.control("SH", ["EXAMPLES"]);
    for (description, command) in &ending.examples {
        // Command lines must not be wrapped.
        roff.control("PP", []).text([roman(*description)]);
        roff.control("RS", ["4"]).control("nf", []).text([roman(*command)]);
        roff.control("fi", []).control("RE", []);
    }
    roff
}
