//! `vac archive init`

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use vac::files::refuse_agent_folder;
use vac::value::Encoding;
use vac::{SecretKey, Signer as _};
use vac_archive::{Archive, Disk, InitOptions};

use super::KeyOption;
use crate::commands::convert::{labels_by_key, parse_label};
use crate::exit::Exit;
use crate::help;
use crate::json_output::{ArchiveInitOutput, Document};
use crate::key_files::{self, KeyAlgorithm, VAC_KEY};
use crate::printer::Printer;

/// Make an empty archive
///
/// The private key signs every session that is added. It is never written to the archive: with
/// --keygen it is in a folder next to it, whose name ends in `-key`.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        (
            "vac archive init diary --keygen --label user=ada --label host=loom",
            "A new archive and a new key, with labels for every record",
        ),
        (
            "vac archive init evidence --key keys/signing-key.pem --format cbor",
            "An archive of records in CBOR, signed with an existing key",
        ),
    ],
))]
pub struct Init {
    /// Folder of the archive, which does not exist or is empty
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    #[command(flatten)]
    key: KeyOption,
    /// Generate an Ed25519 key, in a folder next to the archive; one that is there already is used
    #[arg(long, conflicts_with = "key")]
    keygen: bool,
    /// Keep this label in every record and every signed statement (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_label)]
    label: Vec<(String, String)>,
    /// Encoding of records
    #[arg(short, long, value_enum, default_value = "json")]
    format: ArchiveFormat,
    /// Do not state the time
    #[arg(long)]
    no_time: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ArchiveFormat {
    /// JSON
    Json,
    /// Deterministic CBOR
    Cbor,
}

impl Init {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        refuse_agent_folder(&self.archive)?;
        let mut id = [0; 16];
        getrandom::fill(&mut id)
            .map_err(|error| anyhow::anyhow!("the system has no random numbers: {error}"))?;
        let options = InitOptions {
            id,
            labels: labels_by_key(&self.label)?,
            encoding: match self.format {
                ArchiveFormat::Json => Encoding::Json,
                ArchiveFormat::Cbor => Encoding::Cbor,
            },
            time: if self.no_time { None } else { Some(key_files::now()?) },
        };
        // A key is written before the archive, so that no archive is without one.
        Archive::check_init(&self.archive, &options)?;
        let mut key_file = None;
        let key = if self.keygen {
            let (key, file) = self.generate(printer)?;
            key_file = Some(file.display().to_string());
            key
        } else {
            if self.key.file(&self.archive).is_none() {
                bail!(
                    "no key to sign with (use --keygen to generate one, or --key, or the variable {VAC_KEY})"
                );
            }
            self.key.read(&self.archive)?
        };
        let archive = Archive::init(&self.archive, &options, &key, &Disk::default())?;
        let output = ArchiveInitOutput {
            archive: self.archive.display().to_string(),
            id: archive.description().id.clone(),
            key: archive.description().key.clone(),
            private_key: key_file,
        };
        if self.json {
            printer.json(&Document::new("archive init", &output))?;
        } else {
            printer.line(&output.key)?;
        }
        if let Some(file) = &output.private_key {
            printer.info(&format!("private key: {file}"));
        }
        printer.info(&format!("archive:     {}", output.archive));
        Ok(Exit::Success)
    }

    /// Generates a key, or reads the one that an interrupted run has generated. Returns it with the file of
    /// the private key.
    fn generate(&self, printer: &Printer) -> Result<(SecretKey, PathBuf)> {
        let private = key_files::archive_key(&self.archive);
        if private.symlink_metadata().is_err() {
            let folder = key_files::archive_key_folder(&self.archive);
            key_files::generate(&folder, KeyAlgorithm::Ed25519, None)?;
        } else {
            printer.info(&format!("{} already exists: it is used", private.display()));
        }
        let key = self.key.private_key.read(&private)?;
        key_files::write_missing_public(&private, key.public_key())?;
        Ok((key, private))
    }
}
