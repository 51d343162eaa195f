//! `vac archive verify`, `prove` and `head`

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use data_encoding::BASE64;
use vac_archive::{ArchiveReport, VerifyOptions, verify_archive};

use super::{format_time, open};
use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::json_output::{ArchiveHeadOutput, ArchiveProofOutput, Document};
use crate::key_files;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::Printer;
use crate::printer::line::{ERROR, Line, SUCCESS, WARNING};

/// Check everything in an archive
///
/// Checks every record, log, signature and statement, the tree under every head, and that there is
/// nothing else in the folder. Names each file that is missing, added, changed, reordered or rolled
/// back. What an interrupted run has left is a note, and the archive is valid.
///
/// Without --key, the key in the archive is used: that shows that the archive is consistent, not
/// whose it is. Without --head, an archive that was rolled back to an earlier state, or that the owner
/// of the key wrote again, is valid.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "the archive is not valid",
    &[
        ("vac archive verify sessions", "Is it consistent?"),
        (
            "vac archive verify sessions --key sessions-key/signing-key.pub.pem --head head.cbor",
            "Is it the one whose head was kept, with nothing taken out since?",
        ),
    ],
))]
pub struct Verify {
    /// Folder of the archive
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    /// The signer's public key in PEM
    #[arg(long, value_name = "PUB")]
    key: Option<PathBuf>,
    /// A head that was kept elsewhere, as `vac archive head` wrote or printed it
    #[arg(long, value_name = "FILE")]
    head: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let key = self.key.as_deref().map(key_files::read_public).transpose()?;
        let head = self.head.as_deref().map(output_file::read).transpose()?.map(decode_head);
        let jobs = std::thread::available_parallelism().map_or(1, Into::into);
        let options = VerifyOptions { key: key.as_ref(), head: head.as_deref(), jobs };
        let mut progress = None;
        let report = verify_archive(&self.archive, &options, &mut |total| {
            progress.get_or_insert_with(|| printer.progress("verifying", total)).step();
        });
        drop(progress);
        let report = report?;
        let exit = if report.valid { Exit::Success } else { Exit::Failure };
        if self.json {
            printer.json(&Document::new("archive verify", &report))?;
            return Ok(exit);
        }
        for finding in &report.findings {
            let style = if finding.kind.is_note() { WARNING } else { ERROR };
            let rest = match finding.detail.as_str() {
                "" => finding.file.clone(),
                detail => format!("{}: {detail}", finding.file),
            };
            printer.line(
                Line::new().styled(style, finding.kind.as_str()).text(&format!(": {rest}")),
            )?;
        }
        printer.line(verdict(&report))?;
        // A damaged archive may have no key that can be read.
        if let (false, Some(key)) = (report.key_given, &report.key) {
            printer
                .info(&format!("the key is the archive's own: {key} (--key checks whose it is)"));
        }
        Ok(exit)
    }
}

fn verdict(report: &ArchiveReport) -> Line {
    let count =
        |count: u64, one: &str| pluralize(usize::try_from(count).unwrap_or(usize::MAX), one);
    let mut parts = vec![
        pluralize(report.sessions, "session"),
        count(report.statements, "statement"),
        pluralize(report.objects, "object"),
        pluralize(report.heads, "head"),
    ];
    parts.extend(report.time.map(|time| format!("newest head of {}", format_time(time))));
    let (style, word) = if report.valid { (SUCCESS, "valid") } else { (ERROR, "NOT valid") };
    Line::new().styled(style, word).text(&format!(" ({})", parts.join(", ")))
}

/// A head in base64, with white space in any place, or as it is.
fn decode_head(bytes: Vec<u8>) -> Vec<u8> {
    let text: Vec<u8> = bytes.iter().copied().filter(|it| !it.is_ascii_whitespace()).collect();
    BASE64.decode(&text).unwrap_or(bytes)
}

/// Print the newest head of an archive
///
/// Keep it where the archive's owner cannot change it: in a mail, a commit, or with a transparency
/// service. `vac archive verify --head` compares it later. On stdout it is text (base64).
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac archive head sessions", "As text, for a mail or a commit"),
        ("vac archive head sessions -o head.cbor", "As a file, for a transparency service"),
    ],
))]
pub struct PrintHead {
    /// Folder of the archive
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    /// Write the bytes (COSE) to this file
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite a file that already exists
    #[arg(long, requires = "output")]
    force: bool,
    /// Print what it states as JSON
    #[arg(long)]
    json: bool,
}

impl PrintHead {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let (head, bytes) = open(&self.archive)?.newest_head()?;
        if let Some(path) = &self.output {
            let output = OutputFile::of(Some(path));
            let existing = Existing::by("--force", self.force);
            output.check(existing, [])?;
            output.write(&[&bytes], false, existing, printer)?;
        }
        let text = BASE64.encode(&bytes);
        let output = ArchiveHeadOutput::new(&head, text.clone());
        if self.json {
            printer.json(&Document::new("archive head", output))?;
        } else if self.output.is_none() {
            printer.line(&text)?;
        }
        let time = head.time.map_or("unknown time".to_owned(), format_time);
        let (number, size) = (head.claim.number, head.claim.size);
        printer.info(&format!("head {number}: {}, {time}", pluralize(size, "statement")));
        Ok(Exit::Success)
    }
}

/// Write the proof that a session is in an archive
///
/// The proof is the signed statement about the record, with a receipt (RFC 9942) that it is in the tree
/// of the newest head. `vac verify --receipt-key` checks it without the archive.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        (
            "vac archive prove sessions 5f0c1c1e -o proof.cbor --record-output proven.json",
            "The proof of the latest version, and its record",
        ),
        (
            "vac archive prove sessions 5f0c1c1e --version-number 1 -o first.cbor",
            "The proof of the first version",
        ),
    ],
))]
pub struct Prove {
    /// Folder of the archive
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    /// Id of a session, or its beginning; with `@N` its version N, with `@statement-N` that of a statement
    #[arg(value_name = "SESSION")]
    session: String,
    /// Prove this version instead of the latest
    #[arg(long = "version-number", value_name = "N")]
    version: Option<u64>,
    /// Write the proof to this file instead of stdout
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write the record to this file
    #[arg(long, value_name = "FILE")]
    record_output: Option<PathBuf>,
    /// Overwrite files that already exist
    #[arg(long)]
    force: bool,
    /// Print the result as JSON on stdout; needs --output
    #[arg(long, requires = "output")]
    json: bool,
}

impl Prove {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let archive = open(&self.archive)?;
        let catalog = archive.catalog()?;
        let version = match self.version {
            // An id can contain `@`, too.
            None => catalog.find(&self.session).or_else(|_| catalog.find_named(&self.session))?,
            Some(_) => catalog.find_version(&self.session, self.version)?,
        };
        let proof = archive.prove(version)?;
        let existing = Existing::by("--force", self.force);
        let output = OutputFile::of(self.output.as_deref());
        output.check(existing, [])?;
        if let Some(path) = &self.record_output {
            let record = OutputFile::of(Some(path));
            record.check(existing, [])?;
            record.write(&[&archive.record(version)?], true, existing, printer)?;
        }
        output.write(&[&proof], false, existing, printer).context("cannot write the proof")?;
        printer.info(&format!(
            "{} -> {}: version {}, statement {}",
            version.session_id,
            output.name(),
            version.version,
            version.number
        ));
        let latest = catalog.latest_of_session(&version.session_id);
        for other in latest.filter(|other| other.origin != version.origin) {
            printer.warn_always(&format!(
                "the log is {}; the session was also read from {} (`{}@statement-{}`)",
                version.origin, other.origin, other.session_id, other.number
            ));
        }
        if self.json {
            let result = ArchiveProofOutput { output: output.name(), session: version.clone() };
            printer.json(&Document::new("archive prove", result))?;
        }
        Ok(Exit::Success)
    }
}
