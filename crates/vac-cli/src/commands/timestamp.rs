//! `vac timestamp`

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::builder::StyledStr;
use clap::{Args, Subcommand};
use data_encoding::HEXLOWER;
use vac::signature::timestamp::{StampedPart, attach, check, signature_digest, token_of};
use vac::signature::{Envelope, EnvelopeError, HashAlgorithm, Trust};

use crate::exit::Exit;
use crate::help;
use crate::json_output::{AttachTokenOutput, Document};
use crate::key_files;
use crate::mode_option::ModeOption;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::Printer;
use crate::sessions;

/// Returns the end of all help texts of this command.
fn ending() -> StyledStr {
    help::ending(
        &["Time-stamping authorities are asked with other tools; vac does not use the network. With
OpenSSL and curl:

  openssl ts -query -digest $(vac timestamp digest record.cose) -sha256 -cert -out request.tsq
  curl -H 'Content-Type: application/timestamp-query' --data-binary @request.tsq URL > reply.tsr"],
        "a file is not a signed record, or not a time stamp of it",
        &[
            ("vac timestamp digest signed.cose", "Print the hash of the signature, to be stamped"),
            ("vac timestamp digest record.json", "Print that of a record that is not signed yet"),
            ("vac timestamp attach signed.cose reply.tsr -o new.cose", "Attach a reply as it is"),
            (
                "vac timestamp attach signed.cose reply.tsr --tsa-root tsa-root.pem -o stamped.cose",
                "Attach the reply of an authority, if it is trusted",
            ),
        ],
    )
}

/// Add time stamps of authorities (RFC 3161)
#[derive(Args)]
#[command(after_help = ending())]
pub struct TimestampArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Digest(Digest),
    Attach(Attach),
}

/// Print the SHA-256 that a time stamp is for
///
/// Of a signed record it is that of the signature, for `vac timestamp attach`; of a record it is that
/// of the payload, for `vac sign --timestamp` (RFC 9921). Of any other file it is that of its bytes, with a
/// warning if the file is a session log.
#[derive(Args)]
#[command(after_help = ending())]
struct Digest {
    /// Signed record or record, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The record will be signed with --hash-envelope
    #[arg(long)]
    hash_envelope: bool,
}

/// Add a time stamp to a signed record
///
/// The token is added to the unprotected header (label 270), in place of one that it may have. It has
/// to be for this signature. The signature does not change.
#[derive(Args)]
#[command(after_help = ending())]
struct Attach {
    /// Signed record, or - for stdin
    #[arg(value_name = "SIG")]
    signed: PathBuf,
    /// Token, or response of an authority, in DER
    #[arg(value_name = "TOKEN")]
    token: PathBuf,
    /// Certificates of time-stamping authorities, in PEM: attach only a token whose certificate chain
    /// ends at one
    #[arg(long, value_name = "FILE")]
    tsa_root: Option<PathBuf>,
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

impl TimestampArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.command {
            Command::Digest(command) => command.run(printer),
            Command::Attach(command) => command.run(printer),
        }
    }
}

impl Digest {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let bytes = output_file::read(&self.file)?;
        let digest = match Envelope::read(&bytes) {
            Ok(envelope) => signature_digest(&envelope),
            Err(EnvelopeError::NotSigned(_)) => {
                if let Some(agent) = sessions::agent_of_bytes(&bytes) {
                    let log = sessions::is_log(agent);
                    printer.warn(&format!(
                        "{}: {log}, not a record: `vac sign --timestamp` takes the time stamp of a \
                         record only",
                        self.file.display()
                    ));
                }
                let digest = HashAlgorithm::Sha256.digest(&bytes);
                if self.hash_envelope { HashAlgorithm::Sha256.digest(&digest) } else { digest }
            }
            Err(error) => return Ok(refuse(printer, &self.file, &error.to_string())),
        };
        printer.line(&HEXLOWER.encode(&digest))?;
        Ok(Exit::Success)
    }
}

impl Attach {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let sources = [self.signed.as_path(), &self.token];
        let readers = self.mode.readers_of_files(sources);
        let output = OutputFile::of(self.output.as_deref()).readable_by(readers);
        let existing = Existing::by("--force", self.force);
        output.check(existing, [&self.signed, &self.token].into_iter().chain(&self.tsa_root))?;
        let roots = self.tsa_root.as_deref().map(key_files::read_chain).transpose()?;
        let time = key_files::now()?;
        let trust = roots.map(|roots| Trust { roots, time });
        let signed = output_file::read(&self.signed)?;
        let response = output_file::read(&self.token)?;
        let envelope = match Envelope::read(&signed) {
            Ok(envelope) => envelope,
            Err(error) => return Ok(refuse(printer, &self.signed, &error.to_string())),
        };
        let checked = token_of(&response).and_then(|token| {
            let bytes = envelope.encoded_signature();
            Ok((token, check(token, StampedPart::Signature, bytes, trust.as_ref())?))
        });
        let (token, stamp) = match checked {
            Ok(checked) => checked,
            Err(error) => return Ok(refuse(printer, &self.token, &error.to_string())),
        };
        let stamped = attach(&envelope, token).context("cannot attach the token")?;
        output.write(&[&stamped], false, existing, printer)?;
        let summary = AttachTokenOutput {
            output: output.name(),
            stamped_at: stamp.seconds,
            checked: stamp.is_trusted,
        };
        let checked = if summary.checked { "checked" } else { "not checked" };
        printer.info(&format!("{}: stamped at {stamp}; authority {checked}", summary.output));
        if self.json {
            printer.json(&Document::new("timestamp attach", summary))?;
        }
        Ok(Exit::Success)
    }
}

fn refuse(printer: &Printer, path: &Path, why: &str) -> Exit {
    printer.error(&format!("{}: {why}", path.display()));
    Exit::Failure
}
