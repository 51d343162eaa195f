//! `vac verify`

use std::path::PathBuf;

use anstyle::Style;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use vac::{ConvertOptions, LogVerdict, LogVerification, RecordOptions, Search, SourceState};
use vac_sign::{Answer, Answers, SignatureVerdict, Trust, Verification, verify};
use vac_validate::detect_encoding;
use vac_value::Encoding;

use crate::convert::when;
use crate::exit::Exit;
use crate::format::{group_digits, pluralize};
use crate::help;
use crate::json_output::{Document, VerifyOutput};
use crate::key_files;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::Printer;
use crate::printer::line::{ERROR, HEADING, Line, SUCCESS, WARNING};
use crate::session_names;
use crate::version::COMMIT;

/// Verify a signed record, or that a record was made from a log
///
/// One line for each question: whether the envelope is well-formed, whether the signature
/// is valid, whether the payload has the hash stated for it, whether the record is valid,
/// whether the trace metadata agrees with the record, who signed, whether the receipts are
/// valid, and the verdict.
///
/// With --log, the log is converted again with the options that the record shows, and
/// compared with the record, which need not be signed. Labels are not in a log, so they
/// are not verified.
///
/// Of a page of `vac view`, the signed bytes in it are verified, and nothing else that it shows.
///
/// With --output, the exact bytes of the attached record are written once everything is
/// verified.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = help::ending(
    &[
        "Certificates in --trust-root with CA:TRUE and the key usage keyCertSign may issue others,
within their validity, path length and name constraints. Any other is trusted only as the
signer's own. Revocation is not checked: a revoked certificate is trusted until it expires.",
        "An envelope has at most 64 receipts with 1 MiB together and 16 proofs each, and at most 8
certificates.",
    ],
    "the signature or the record is not verified, the record was not made from the log, or the record \
was not examined",
    &[
        (
            "vac verify record.cose --key keys/signing-key.pub.pem -o verified.json",
            "A record in its signature; write it to a file",
        ),
        (
            "vac verify certified.cose --trust-root ca.pem --at 2026-11-24T08:00:00Z",
            "Signed with a certificate that was valid then",
        ),
        (
            "vac verify transparent.cbor --key ed.pub.pem --receipt-key log.pub.pem --record record.json",
            "With the receipts of a transparency service",
        ),
        (
            "vac verify --log session.jsonl record.json",
            "Was this record made from this log?",
        ),
    ],
))]
pub struct VerifyArgs {
    /// A signed record, a page of `vac view` with one, - for stdin, or the name of a record in the
    /// folder `VAC_RECORDS`; with --log, any record
    #[arg(value_name = "SIG")]
    signed: PathBuf,
    /// The signer's public key in PEM
    #[arg(long, value_name = "PUB", required_unless_present_any = ["trust_root", "log"])]
    key: Option<PathBuf>,
    /// A log, or a folder or database with the log, that the record has to be made from; may be
    /// given again
    #[arg(long, value_name = "LOG")]
    log: Vec<PathBuf>,
    /// The record, if it is kept apart
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the attached record to a file (- for stdout) if it is verified
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite a file that already exists
    #[arg(long, requires = "output")]
    force: bool,
    /// Accept the statement of a hash envelope without its record
    #[arg(long, conflicts_with_all = ["record", "output"])]
    statement_only: bool,
    /// Refuse a protected header that is not encoded deterministically
    #[arg(long)]
    strict: bool,
    /// The public key of a log whose receipts to check; may be given again
    #[arg(long, value_name = "LOGPUB")]
    receipt_key: Vec<PathBuf>,
    /// Certificates to trust, in PEM: authorities, or the signer's own
    #[arg(long, value_name = "FILE")]
    trust_root: Option<PathBuf>,
    /// Who has to be the issuer
    #[arg(long, value_name = "URI")]
    issuer: Option<String>,
    /// What has to be the subject
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// The time at which certificates and claims have to be valid, such as 2026-03-01,
    /// 2026-03-01T09:30:00Z, 7d (ago), or seconds since 1970 [default: now]
    #[arg(long, value_name = "WHEN", value_parser = when::at)]
    at: Option<u64>,
    /// Print the answers as one JSON document
    #[arg(long)]
    json: bool,
}

impl VerifyArgs {
    /// Runs the command.
    pub fn run(mut self, printer: &Printer) -> Result<Exit> {
        self.signed = session_names::resolve_record(&self.signed)?;
        let inputs = std::iter::once(&self.signed).chain(&self.record).chain(&self.log);
        if inputs.filter(|path| path.as_os_str() == "-").count() > 1 {
            bail!("standard input can be read only once");
        }
        if self.key.is_none() && self.trust_root.is_none() {
            return self.run_log_only(printer);
        }
        let output = self.output.as_deref().map(|output| OutputFile::of(Some(output)));
        let existing = Existing::by("--force", self.force);
        if let Some(output) = &output {
            if self.json && matches!(output, OutputFile::Stdout) {
                bail!("--json and the record cannot both be written to standard output");
            }
            output.check(existing, self.inputs())?;
        }
        let time = self.at.map_or_else(key_files::now, Ok)?;
        let key = self.key.as_deref().map(key_files::read_public).transpose()?;
        let receipt_keys = self
            .receipt_key
            .iter()
            .map(|path| key_files::read_public(path))
            .collect::<Result<Vec<_>>>()?;
        let roots = self.trust_root.as_deref().map(key_files::read_chain).transpose()?;
        let trust = roots.map(|roots| Trust { roots, time });
        let mut signed = output_file::read(&self.signed)?;
        let mut record = self.record.as_deref().map(output_file::read).transpose()?;
        if vac::page::is_page(&signed) {
            let name = self.name();
            let contents = vac::page::read_page(&signed).with_context(|| name.clone())?;
            printer.info(&format!(
                "{name}: verifying the signed bytes in this page; what else it shows is not \
                 checked (`vac view --check {name}` compares it)"
            ));
            signed = contents.document;
            record = record.or(contents.record);
        }
        let answers = verify(
            &signed,
            &Verification {
                key: key.as_ref(),
                trust: trust.as_ref(),
                receipt_keys: &receipt_keys,
                record: record.as_deref(),
                issuer: self.issuer.as_deref(),
                subject: self.subject.as_deref(),
                time: Some(time),
                strict: self.strict,
            },
        );
        let (verdict, mut exit) = self.verdict(&answers);
        let log = match (&self.log[..], record.as_deref()) {
            ([], _) => None,
            (_, Some(record)) => Some(self.verify_log(record, printer)?),
            (_, None) => Some(self.verify_log(&signed, printer)?),
        };
        if log.as_ref().is_some_and(|log| !log.made_from_log) {
            exit = Exit::Failure;
        }
        self.print(&answers, &verdict, log, output.as_ref(), printer)?;
        match output {
            Some(output) if exit == Exit::Success => {
                self.write(&answers, &output, existing, printer)
            }
            Some(_) => {
                printer.error(&format!("{}: not verified, nothing was written", self.name()));
                Ok(exit)
            }
            None => Ok(exit),
        }
    }

    /// Compares a record with the logs, without checking a signature.
    fn run_log_only(&self, printer: &Printer) -> Result<Exit> {
        if self.output.is_some() || self.statement_only || !self.receipt_key.is_empty() {
            bail!("a signature is verified only with --key or --trust-root");
        }
        let record = self.record.as_ref().unwrap_or(&self.signed);
        let log = self.verify_log(&output_file::read(record)?, printer)?;
        let exit = if log.made_from_log { Exit::Success } else { Exit::Failure };
        if self.json {
            let file = record.display().to_string();
            let output = VerifyOutput { file, verified: None, log: Some(log) };
            printer.json(&Document::new("verify", output))?;
        } else {
            for line in log_lines(&log) {
                printer.line(line)?;
            }
        }
        Ok(exit)
    }

    /// Finds the logs, and compares the record with them.
    fn verify_log(&self, record: &[u8], printer: &Printer) -> Result<LogVerification> {
        let plan = Search { paths: self.log.clone(), ..Search::default() }.plan()?;
        for trouble in &plan.troubles {
            printer.warn(&trouble.to_string());
        }
        let record_options =
            RecordOptions { build: COMMIT.map(str::to_owned), ..RecordOptions::default() };
        let options = ConvertOptions { record: record_options, ..ConvertOptions::default() };
        Ok(vac::verify_log(record, &plan.tasks, &options)?)
    }

    /// All files that are read.
    fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.signed)
            .chain(&self.key)
            .chain(&self.record)
            .chain(&self.receipt_key)
            .chain(&self.trust_root)
            .chain(&self.log)
    }

    /// Prints the answers and the verdict: on stdout, or on stderr if the record goes to stdout.
    fn print(
        &self,
        answers: &Answers<'_>,
        verdict: &Line,
        log: Option<LogVerification>,
        output: Option<&OutputFile>,
        printer: &Printer,
    ) -> Result<()> {
        let log_lines = log.as_ref().map(log_lines).unwrap_or_default();
        if self.json {
            return Ok(printer.json(&self.document(answers, log))?);
        }
        for line in lines(answers).iter().chain([verdict]).chain(&log_lines) {
            if matches!(output, Some(OutputFile::Stdout)) {
                printer.info(line);
            } else {
                printer.line(line)?;
            }
        }
        Ok(())
    }

    /// Returns the line with the verdict, and the exit code.
    fn verdict(&self, answers: &Answers<'_>) -> (Line, Exit) {
        let (style, words, hint, exit) = match answers.verdict() {
            SignatureVerdict::Verified => (SUCCESS, "verified", None, Exit::Success),
            SignatureVerdict::StatementOnly => {
                let words = "statement verified; record not examined";
                if self.statement_only {
                    (WARNING, words, None, Exit::Success)
                } else {
                    (WARNING, words, Some("pass --record FILE, or --statement-only"), Exit::Failure)
                }
            }
            SignatureVerdict::Failed if !answers.is_signed => {
                (ERROR, "not signed", None, Exit::Failure)
            }
            SignatureVerdict::Failed => {
                let hint = "detached record required: pass --record FILE";
                let hint = answers.is_missing_record().then_some(hint);
                (ERROR, "NOT verified", hint, Exit::Failure)
            }
        };
        let detail = [self.name()].into_iter().chain(hint.map(str::to_owned));
        let detail = detail.collect::<Vec<_>>().join(": ");
        (named("verdict").styled(style, words).text(&format!(" ({detail})")), exit)
    }

    /// Writes the attached record.
    fn write(
        &self,
        answers: &Answers<'_>,
        output: &OutputFile,
        existing: Existing,
        printer: &Printer,
    ) -> Result<Exit> {
        let Some(payload) = answers.verified_payload() else {
            printer.error(&format!(
                "{}: the record is not in the envelope, so there is nothing to write",
                self.name()
            ));
            return Ok(Exit::Failure);
        };
        output.write(&[payload], detect_encoding(payload) == Encoding::Json, existing, printer)?;
        printer.info(&format!("{} -> {}", self.name(), output.name()));
        Ok(Exit::Success)
    }

    fn name(&self) -> String {
        self.signed.display().to_string()
    }

    fn document(
        &self,
        answers: &Answers<'_>,
        log: Option<LogVerification>,
    ) -> Document<VerifyOutput> {
        let verified = Some(answers.into());
        Document::new("verify", VerifyOutput { file: self.name(), verified, log })
    }
}

/// The answers, one on each line.
fn lines(answers: &Answers<'_>) -> [Line; 7] {
    answers.lines().map(|(question, answer)| {
        let style = match answer {
            Answer::Ok(_) => SUCCESS,
            Answer::Failed(_) => ERROR,
            Answer::NotChecked(_) => WARNING,
            Answer::Absent(_) => Style::new(),
        };
        named(question).styled(style, answer.word()).text(&format!(" ({})", answer.detail()))
    })
}

/// The answer about the log, and each file of it that differs.
fn log_lines(log: &LogVerification) -> Vec<Line> {
    let from = match (&log.log, log.log_has_grown) {
        (Some(name), false) => name.clone(),
        (Some(name), true) => format!("what {name} was then"),
        (None, _) => "a log".to_owned(),
    };
    let (style, words, detail) = match log.verdict {
        LogVerdict::Identical => (SUCCESS, "made from it", format!("{from} gives the same bytes")),
        LogVerdict::Equal => {
            (SUCCESS, "made from it", format!("{from} gives the same values in other bytes"))
        }
        LogVerdict::OtherBuild => {
            let version = log.version.as_deref().unwrap_or("unknown");
            let build = log.build.as_deref().unwrap_or("not stated");
            let detail = format!(
                "{from} gives the same values; the record was made by version {version}, build {build}"
            );
            (SUCCESS, "made from it by another build", detail)
        }
        LogVerdict::ValuesDiffer => {
            let place = log.differs_at.as_deref().unwrap_or_default();
            (ERROR, "NOT made from it", format!("{from} gives another value at `{place}`"))
        }
        LogVerdict::SourcesDiffer => (
            ERROR,
            "NOT made from it",
            format!("{from} does not have the bytes that the record states"),
        ),
        LogVerdict::NoSources => {
            (ERROR, "unknown", "the record does not state what it was made from".to_owned())
        }
        _ => (ERROR, "NOT made from it", "no log of a session was found".to_owned()),
    };
    let mut lines = vec![named("log").styled(style, words).text(&format!(" ({detail})"))];
    for source in &log.sources {
        let recorded = group_digits(source.recorded.size);
        let size = group_digits(source.log_size.unwrap_or(source.recorded.size));
        let text = match source.state {
            SourceState::Same => continue,
            SourceState::Grown => {
                format!("has grown: the record covers the first {recorded} of {size} bytes")
            }
            SourceState::Different if source.log_size.is_some() => {
                format!("differs: {size} bytes, the record states {recorded}")
            }
            SourceState::Different => "differs: the SHA-256 is another one".to_owned(),
            SourceState::Missing => "is missing".to_owned(),
        };
        lines.push(named("").text(&format!("{}: {text}", source.recorded.name)));
    }
    if log.added_files > 0 {
        let files = pluralize(log.added_files, "file");
        lines.push(named("").text(&format!("{files} of the log, which the record does not state")));
    }
    lines
}

/// The beginning of a line: a name in a column.
fn named(name: &str) -> Line {
    let name = if name.is_empty() { String::new() } else { format!("{name}:") };
    Line::new().styled(HEADING, &name).spaces(16_usize.saturating_sub(name.len()))
}
