//! `vac completions`

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use crate::Arguments;
use crate::exit::Exit;
use crate::help;
use crate::printer::Printer;

/// Print a completion script for a shell
///
/// The examples write it to the usual place of each shell.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac completions bash > ~/.local/share/bash-completion/completions/vac", "For bash"),
        ("vac completions zsh > ~/.zfunc/_vac", "For zsh, in a folder that is in its fpath"),
        ("vac completions fish > ~/.config/fish/completions/vac.fish", "For fish"),
        ("vac completions powershell > vac.ps1", "For PowerShell, to be run in its profile"),
    ],
))]
pub struct CompletionsArgs {
    /// Shell to complete in
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> anyhow::Result<Exit> {
        let mut script = Vec::new();
        generate(self.shell, &mut Arguments::command(), "vac", &mut script);
        printer.text(&String::from_utf8(script)?)?;
        Ok(Exit::Success)
    }
}
