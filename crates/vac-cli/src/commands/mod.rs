//! The commands, one file each.

mod archive;
mod completions;
mod convert;
mod doctor;
mod events;
mod export;
mod hook;
mod inspect;
mod keygen;
mod list;
mod man;
mod receipts;
mod schema;
mod search;
mod show;
mod sign;
mod timestamp;
mod transcode;
mod usage;
mod validate;
mod verify;
mod view;

use clap::Subcommand;

use crate::exit::Exit;
use crate::printer::Printer;

/// A command with its arguments.
#[derive(Subcommand)]
pub enum Command {
    Convert(convert::ConvertArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Search(search::SearchArgs),
    Usage(usage::UsageArgs),
    Inspect(inspect::InspectArgs),
    Events(events::EventsArgs),
    View(view::ViewArgs),
    Export(export::ExportArgs),
    Validate(validate::ValidateArgs),
    Transcode(transcode::TranscodeArgs),
    Keygen(keygen::KeygenArgs),
    Sign(sign::SignArgs),
    Verify(verify::VerifyArgs),
    Receipts(receipts::ReceiptsArgs),
    Timestamp(timestamp::TimestampArgs),
    Archive(archive::ArchiveArgs),
    Hook(hook::HookArgs),
    Doctor(doctor::DoctorArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    /// Returns whether the command reads logs, some of which are copied before they are read.
    pub fn reads_logs(&self) -> bool {
        matches!(
            self,
            Self::Convert(_)
                | Self::List(_)
                | Self::Show(_)
                | Self::Search(_)
                | Self::Usage(_)
                | Self::Inspect(_)
                | Self::Events(_)
                | Self::View(_)
                | Self::Archive(_)
                | Self::Doctor(_)
                | Self::Export(_)
        )
    }

    /// Runs the command.
    pub fn run(self, printer: &Printer) -> anyhow::Result<Exit> {
        let result = match self {
            Self::Convert(args) => args.run(printer),
            Self::List(args) => args.run(printer),
            Self::Show(args) => args.run(printer),
            Self::Search(args) => args.run(printer),
            Self::Usage(args) => args.run(printer),
            Self::Inspect(args) => args.run(printer),
            Self::Events(args) => args.run(printer),
            Self::View(args) => args.run(printer),
            Self::Export(args) => args.run(printer),
            Self::Validate(args) => args.run(printer),
            Self::Transcode(args) => args.run(printer),
            Self::Keygen(args) => args.run(printer),
            Self::Sign(args) => args.run(printer),
            Self::Verify(args) => args.run(printer),
            Self::Receipts(args) => args.run(printer),
            Self::Timestamp(args) => args.run(printer),
            Self::Archive(args) => args.run(printer),
            Self::Hook(args) => args.run(printer),
            Self::Doctor(args) => args.run(printer),
            Self::Schema(args) => args.run(printer),
            Self::Completions(args) => args.run(printer),
            Self::Man(args) => args.run(printer),
        };
        // Data that was printed before an error is complete.
        printer.flush()?;
        result
    }
}
