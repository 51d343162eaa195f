//! `vac receipts`

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use vac_sign::receipt::{Receipt, ReceiptError, attach};
use vac_sign::{Envelope, PublicKey};
use vac_value::printable;

use crate::exit::Exit;
use crate::keys;
use crate::product::{self, Existing, Product};
use crate::terminal::{self, Talk};

/// Deal with the receipts of transparency services
#[derive(Args)]
pub struct Receipts {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Attach(Attach),
}

/// Add receipts to a signed record
///
/// They are put into the unprotected header (label 394) behind those that are
/// there. The signature is not touched.
#[derive(Args)]
#[command(after_help = "\
Examples:
  vac receipts attach statement.cbor receipt.cbor -o transparent.cbor
  vac receipts attach statement.cbor receipt.cbor --receipt-key log.pub.pem -o transparent.cbor

Exit codes: 0 done, 1 one of them is no statement or no receipt, 2 usage or input/output error.")]
struct Attach {
    /// A signed record, or - for stdin
    #[arg(value_name = "STATEMENT")]
    statement: PathBuf,
    /// Receipts for it
    #[arg(value_name = "RECEIPT", required = true)]
    receipts: Vec<PathBuf>,
    /// The public key of a log: attach only what it signed for this statement; may be
    /// given again
    #[arg(long, value_name = "LOGPUB")]
    receipt_key: Vec<PathBuf>,
    /// A file to write instead of stdout
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
}

impl Receipts {
    /// Does it.
    pub fn run(self, talk: Talk) -> Result<Exit> {
        match self.command {
            Command::Attach(command) => command.run(talk),
        }
    }
}

impl Attach {
    fn run(self, talk: Talk) -> Result<Exit> {
        let product = Product::of(self.output.as_deref());
        let existing = Existing::by("--force", self.force);
        product.check(existing)?;
        let keys = self
            .receipt_key
            .iter()
            .map(|path| keys::read_public(path))
            .collect::<Result<Vec<_>>>()?;
        let statement = product::read(&self.statement)?;
        let receipts =
            self.receipts.iter().map(|path| product::read(path)).collect::<Result<Vec<_>>>()?;
        let envelope = match Envelope::read(&statement) {
            Ok(envelope) => envelope,
            Err(error) => return Ok(refuse(&self.statement, &error.to_string())),
        };
        for (path, receipt) in self.receipts.iter().zip(&receipts) {
            if let Err(error) = check(receipt, &envelope, &keys) {
                return Ok(refuse(path, &error.to_string()));
            }
        }
        let receipts: Vec<_> = receipts.iter().map(Vec::as_slice).collect();
        let transparent = attach(&envelope, &receipts).context("cannot attach receipts")?;
        product.write(&[&transparent], false, existing)?;
        let count = receipts.len();
        let s = if count == 1 { "" } else { "s" };
        let checked = if keys.is_empty() { "not checked" } else { "checked" };
        let name = printable(&product.name(), usize::MAX);
        talk.say(&format!("{name}: {count} receipt{s} attached, {checked}"));
        Ok(Exit::Yes)
    }
}

/// Whether it is a receipt at all and, if there are keys, one for this statement.
fn check(receipt: &[u8], statement: &Envelope<'_>, keys: &[PublicKey]) -> Result<(), ReceiptError> {
    let receipt = Receipt::read(receipt)?;
    if !keys.is_empty() {
        receipt.verify(&statement.log_entry(), keys)?;
    }
    Ok(())
}

fn refuse(path: &std::path::Path, why: &str) -> Exit {
    terminal::error(&format!("{}: {why}", printable(&path.to_string_lossy(), usize::MAX)));
    Exit::No
}
