//! The commands, one file each.

mod convert;
mod schema;
mod validate;

use clap::Subcommand;

use crate::exit::Exit;
use crate::terminal::Talk;

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    Convert(convert::Convert),
    Validate(validate::Validate),
    Schema(schema::Schema),
}

impl Command {
    /// Does it.
    pub fn run(self, talk: Talk) -> anyhow::Result<Exit> {
        match self {
            Self::Convert(command) => command.run(talk),
            Self::Validate(command) => command.run(talk),
            Self::Schema(command) => command.run(),
        }
    }
}
