//! `vac archive`

mod add;
mod check;
mod export;
mod init;
mod list;
mod status;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::builder::StyledStr;
use clap::{Args, Subcommand};
use vac::SecretKey;
use vac_archive::Archive;

use crate::exit::Exit;
use crate::format::format_time;
use crate::help;
use crate::key_files::{self, PrivateKeyOptions};
use crate::printer::Printer;

fn ending() -> StyledStr {
    help::ending(
        &["\
An archive keeps every version of a session, with its log, and only grows. Each record has a
signed statement, the statements are leaves of a Merkle tree, and every run signs its head. Who
has kept a head can check later that nothing which it covers was changed or taken out."],
        "the archive is not valid, a session was not added, or a log no longer contains what was archived",
        &[
            ("vac archive init journal --keygen --label user=ada", "A new archive, with a new key"),
            ("vac archive add journal --discover", "Add what is new on this machine"),
            ("vac archive verify journal", "Check everything in it"),
            ("vac archive head journal", "The newest head, to keep elsewhere"),
        ],
    )
}

/// Keep sessions in an append-only archive, signed as it grows
#[derive(Args)]
#[command(after_help = ending())]
pub struct ArchiveArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Init),
    Add(add::Add),
    Verify(check::Verify),
    Prove(check::Prove),
    Head(check::PrintHead),
    Status(status::Status),
    List(list::List),
    Export(export::Export),
}

impl ArchiveArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.command {
            Command::Init(command) => command.run(printer),
            Command::Add(command) => command.run(printer),
            Command::Verify(command) => command.run(printer),
            Command::Prove(command) => command.run(printer),
            Command::Head(command) => command.run(printer),
            Command::Status(command) => command.run(printer),
            Command::List(command) => command.run(printer),
            Command::Export(command) => command.run(printer),
        }
    }
}

/// Which private key signs.
#[derive(Args)]
struct KeyOption {
    /// Private key, Ed25519 or P-256: PKCS #8 in PEM, or of OpenSSH [default: the file that the
    /// variable `VAC_KEY` names, else the one that `init --keygen` wrote]
    #[arg(long, value_name = "KEY")]
    key: Option<PathBuf>,
    #[command(flatten)]
    private_key: PrivateKeyOptions,
}

impl KeyOption {
    /// Returns the file of the key for an archive, if one is named or is next to it.
    fn file(&self, archive: &Path) -> Option<PathBuf> {
        let own = || Some(key_files::archive_key(archive)).filter(|own| own.exists());
        self.key.clone().or_else(key_files::from_variable).or_else(own)
    }

    /// Reads the key for an archive.
    fn read(&self, archive: &Path) -> Result<SecretKey> {
        let missing = || format!("{} does not exist", key_files::archive_key(archive).display());
        let file = self.file(archive);
        self.private_key.read(&key_files::named(file.as_ref()).with_context(missing)?)
    }
}

fn open(folder: &Path) -> Result<Archive> {
    Archive::open(folder).context("cannot open the archive")
}
