//! `vac receipts`

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::builder::StyledStr;
use clap::{Args, Subcommand};
use vac::signature::receipt::{ParsedReceipt, ReceiptError, attach};
use vac::signature::{Envelope, PublicKey};

use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::json_output::{AttachOutput, Document};
use crate::key_files;
use crate::mode_option::ModeOption;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::Printer;

/// Returns the end of both help texts: there is only one subcommand.
fn ending() -> StyledStr {
    help::ending(
        &[],
        "a file is not a signed record or not a receipt for it",
        &[
            (
                "vac receipts attach statement.cbor receipt.cbor -o transparent.cbor",
                "Attach the receipt of a log",
            ),
            (
                "vac receipts attach statement.cbor receipt.cbor --receipt-key log.pub.pem -o new.cbor",
                "Attach it only if the log has signed it for this record",
            ),
        ],
    )
}

/// Manage transparency-service receipts
#[derive(Args)]
#[command(after_help = ending())]
pub struct ReceiptsArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Attach(Attach),
}

/// Add receipts to a signed record
///
/// Receipts are added to the unprotected header (label 394), after those that it already has. The
/// signature does not change.
#[derive(Args)]
#[command(after_help = ending())]
struct Attach {
    /// Signed record, or - for stdin
    #[arg(value_name = "STATEMENT")]
    statement: PathBuf,
    /// Receipts for the record
    #[arg(value_name = "RECEIPT", required = true)]
    receipts: Vec<PathBuf>,
    /// Public key of a log: attach only receipts that it signed for this record (repeatable)
    #[arg(long, value_name = "LOGPUB")]
    receipt_key: Vec<PathBuf>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite a file that already exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    mode: ModeOption,
    /// Print the result as JSON on stdout; needs --output
    #[arg(long, requires = "output")]
    json: bool,
}

impl ReceiptsArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.command {
            Command::Attach(command) => command.run(printer),
        }
    }
}

impl Attach {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let sources = self.receipts.iter().chain([&self.statement]).map(PathBuf::as_path);
        let readers = self.mode.readers_of_files(sources);
        let output = OutputFile::of(self.output.as_deref()).readable_by(readers);
        let existing = Existing::by("--force", self.force);
        output.check(
            existing,
            self.receipts.iter().chain([&self.statement]).chain(&self.receipt_key),
        )?;
        let keys = self
            .receipt_key
            .iter()
            .map(|path| key_files::read_public(path))
            .collect::<Result<Vec<_>>>()?;
        let statement = output_file::read(&self.statement)?;
        let receipts =
            self.receipts.iter().map(|path| output_file::read(path)).collect::<Result<Vec<_>>>()?;
        let envelope = match Envelope::read(&statement) {
            Ok(envelope) => envelope,
            Err(error) => return Ok(refuse(printer, &self.statement, &error.to_string())),
        };
        for (path, receipt) in self.receipts.iter().zip(&receipts) {
            if let Err(error) = check(receipt, &envelope, &keys) {
                return Ok(refuse(printer, path, &error.to_string()));
            }
        }
        let receipts: Vec<_> = receipts.iter().map(Vec::as_slice).collect();
        let transparent = attach(&envelope, &receipts).context("cannot attach receipts")?;
        output.write(&[&transparent], false, existing, printer)?;
        let summary = AttachOutput {
            output: output.name(),
            receipts: receipts.len(),
            checked: !keys.is_empty(),
        };
        let checked = if summary.checked { "checked" } else { "not checked" };
        let attached = pluralize(summary.receipts, "receipt");
        printer.info(&format!("{}: {attached} attached, {checked}", summary.output));
        if self.json {
            printer.json(&Document::new("receipts attach", summary))?;
        }
        Ok(Exit::Success)
    }
}

/// Checks that bytes are a receipt and, if there are keys, that it is for this statement.
fn check(receipt: &[u8], statement: &Envelope<'_>, keys: &[PublicKey]) -> Result<(), ReceiptError> {
    let receipt = ParsedReceipt::read(receipt)?;
    if !keys.is_empty() {
        receipt.verify(&statement.log_entry(), keys, None)?;
    }
    Ok(())
}

fn refuse(printer: &Printer, path: &std::path::Path, why: &str) -> Exit {
    printer.error(&format!("{}: {why}", path.display()));
    Exit::Failure
}
