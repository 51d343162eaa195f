//! The commands, one file each.

mod completions;
mod convert;
mod events;
mod inspect;
mod keygen;
mod list;
mod man;
mod receipts;
mod schema;
mod sign;
mod transcode;
mod validate;
mod verify;

use clap::Subcommand;

use crate::exit::Exit;
use crate::terminal::Talk;

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    Convert(convert::Convert),
    List(list::List),
    Inspect(inspect::Inspect),
    Events(events::Events),
    Validate(validate::Validate),
    Transcode(transcode::Transcode),
    Keygen(keygen::Keygen),
    Sign(sign::Sign),
    Verify(verify::Verify),
    Receipts(receipts::Receipts),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Whether it reads logs, and so may have to copy some of them.
    pub fn reads_logs(&self) -> bool {
        matches!(self, Self::Convert(_) | Self::List(_) | Self::Inspect(_) | Self::Events(_))
    }

    /// Does it.
    pub fn run(self, talk: Talk) -> anyhow::Result<Exit> {
        match self {
            Self::Convert(command) => command.run(talk),
            Self::List(command) => command.run(talk),
            Self::Inspect(command) => command.run(talk),
            Self::Events(command) => command.run(talk),
            Self::Validate(command) => command.run(talk),
            Self::Transcode(command) => command.run(talk),
            Self::Keygen(command) => command.run(talk),
            Self::Sign(command) => command.run(talk),
            Self::Verify(command) => command.run(talk),
            Self::Receipts(command) => command.run(talk),
            Self::Schema(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(talk),
        }
    }
}
