//! The commands, one file each.

mod schema;
mod validate;

use clap::Subcommand;

use crate::exit::Exit;
use crate::terminal::Talk;

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    Validate(validate::Validate),
    Schema(schema::Schema),
}

impl Command {
    /// Does it.
    pub fn run(self, talk: Talk) -> anyhow::Result<Exit> {
        match self {
            Self::Validate(command) => command.run(talk),
            Self::Schema(command) => command.run(),
        }
    }
}
