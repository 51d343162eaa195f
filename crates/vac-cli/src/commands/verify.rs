//! `vac verify`

mod batch;
mod log_lines;

use std::path::{Path, PathBuf};

use anstyle::Style;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use vac::record_documents::encoding_of_record;
use vac::signature::{Answer, Answers, PublicKey, SignatureVerdict, Trust, Verification, verify};
use vac::validation::detect_encoding;
use vac::value::Encoding;
use vac::{AGENTS, ConvertOptions, LogVerdict, LogVerification, RecordOptions, Search, when};

use crate::archived;
use crate::batch::{Batch, Wanted};
use crate::exit::Exit;
use crate::help;
use crate::json_output::{Document, VerifyOutput};
use crate::key_files;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::Printer;
use crate::printer::line::{ERROR, HEADING, Line, SUCCESS, WARNING};
use crate::session_names;
use crate::sessions;
use crate::version::COMMIT;
use log_lines::log_lines;

/// Verify signed records, or that a record was made from a log
///
/// One line for each question: whether the envelope is well-formed, whether the signature
/// is valid, whether the payload has the hash stated for it, whether the record is valid,
/// whether the trace metadata agrees with the record, who signed, whether the receipts are
/// valid, and the verdict. Time stamps (RFC 3161) are a further line: with --tsa-root, their imprint,
/// their signature and the authority's certificate are checked, and the time is what the authority
/// states. A signature that existed then is verified with the certificates that were valid then.
///
/// With --log, the log is converted again with the options that the record shows, and
/// compared with the record, which need not be signed. Labels are not in a log, so they
/// are not verified.
///
/// Of a page of `vac view`, the signed bytes in it are verified, and nothing else that it shows.
///
/// With --output, the exact bytes of the attached record are written once everything is
/// verified.
///
/// Several files, or folders of them, are verified in one run: one line for each, with the reasons
/// if it is not verified. In folders, files that are not envelopes are skipped and counted.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = help::ending(
    &[
        "Certificates in --trust-root with CA:TRUE and the key usage keyCertSign may issue others,
within their validity, path length and name constraints. Any other is trusted only as the
signer's own. Revocation is not checked: a revoked certificate is trusted until it expires.",
        "If an authority in --tsa-root states when the signature existed, certificates have to be valid
at that time instead of --at: the signer's, the authority's, and their roots. They may have expired
since. Remove an authority whose key has leaked from --tsa-root, because it can state any time. A
time stamp of the payload does not count: the signature can be younger.",
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
            "vac verify --log session.jsonl record.json",
            "Was this record made from this log?",
        ),
        (
            "vac verify signed/ --key keys/signing-key.pub.pem --record records/",
            "Every signed record in a folder, with records that are kept apart",
        ),
    ],
))]
pub struct VerifyArgs {
    /// Signed records, folders of them, pages of `vac view`, - for stdin, ARCHIVE/SESSION, or names of
    /// records in the folder `VAC_RECORDS`; with --log, any record
    #[arg(value_name = "SIG", required = true)]
    files: Vec<PathBuf>,
    /// Public key of the signer, in PEM or as a line of OpenSSH
    #[arg(long, value_name = "PUB")]
    key: Option<PathBuf>,
    /// Log that the record has to be made from, or a folder, database or archive with it
    /// (repeatable)
    #[arg(long, value_name = "LOG")]
    log: Vec<PathBuf>,
    /// Record, if the envelope does not contain it; of several files, the folder with their records
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the attached record to a file (- for stdout) if it is verified; of several files, a
    /// file each to this folder
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
    /// Public key of a log whose receipts to check (repeatable)
    #[arg(long, value_name = "LOGPUB")]
    receipt_key: Vec<PathBuf>,
    /// Certificates to trust, in PEM: authorities, or the signer's own
    #[arg(long, value_name = "FILE")]
    trust_root: Option<PathBuf>,
    /// Time stamp of the signature that is not in the envelope (RFC 3161): a token, or the response
    /// of an authority
    #[arg(long, value_name = "TOKEN")]
    timestamp: Option<PathBuf>,
    /// Certificates of time-stamping authorities to trust, in PEM; without them, time stamps are
    /// not checked
    #[arg(long, value_name = "FILE")]
    tsa_root: Option<PathBuf>,
    /// Required issuer
    #[arg(long, value_name = "URI")]
    issuer: Option<String>,
    /// Required subject
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// Time at which certificates and claims have to be valid, such as 2026,
    /// 2026-03-01, 2026-03-01T09:30:00Z, 7d (ago), or seconds since 1970 [default: now]
    #[arg(long, value_name = "WHEN", value_parser = when::at)]
    at: Option<u64>,
    /// Print the answers as JSON
    #[arg(long)]
    json: bool,
}

/// The keys and times that all files of a run are verified with.
struct Verifier {
    key: Option<PublicKey>,
    receipt_keys: Vec<PublicKey>,
    trust: Option<Trust>,
    time_stamp: Option<Vec<u8>>,
    authorities: Option<Trust>,
    time: u64,
}

impl Verifier {
    fn read(arguments: &VerifyArgs) -> Result<Self> {
        let time = arguments.at.map_or_else(key_files::now, Ok)?;
        let trust = |file: &Option<PathBuf>| {
            let roots = file.as_deref().map(key_files::read_chain).transpose()?;
            Ok::<_, anyhow::Error>(roots.map(|roots| Trust { roots, time }))
        };
        Ok(Self {
            key: arguments.key.as_deref().map(key_files::read_public).transpose()?,
            receipt_keys: arguments
                .receipt_key
                .iter()
                .map(|path| key_files::read_public(path))
                .collect::<Result<_>>()?,
            trust: trust(&arguments.trust_root)?,
            time_stamp: arguments.timestamp.as_deref().map(output_file::read).transpose()?,
            authorities: trust(&arguments.tsa_root)?,
            time,
        })
    }

    fn verify<'e>(
        &self,
        signed: &'e [u8],
        record: Option<&[u8]>,
        arguments: &VerifyArgs,
    ) -> Answers<'e> {
        let with = Verification {
            key: self.key.as_ref(),
            trust: self.trust.as_ref(),
            receipt_keys: &self.receipt_keys,
            record,
            issuer: arguments.issuer.as_deref(),
            subject: arguments.subject.as_deref(),
            time: Some(self.time),
            time_stamp: self.time_stamp.as_deref(),
            authorities: self.authorities.as_ref(),
            strict: arguments.strict,
        };
        verify(signed, &with)
    }
}

/// The bytes of an envelope, and of the record if it is kept apart.
struct Opened {
    signed: Vec<u8>,
    record: Option<Vec<u8>>,
    /// A note about a page.
    note: Option<String>,
}

impl Opened {
    /// Reads an envelope, which may be in a page or an archive, and its record.
    fn read(path: &Path, record: Option<&Path>) -> Result<Self> {
        let mut signed = output_file::read(path)?;
        let mut record = record.map(output_file::read).transpose()?;
        if let Some(statement) = archived::statement(path)? {
            let archived = std::mem::replace(&mut signed, statement);
            record.get_or_insert(archived);
        }
        if !vac::page::is_page(&signed) {
            return Ok(Self { signed, record, note: None });
        }
        let name = path.display().to_string();
        let contents = vac::page::read_page(&signed).with_context(|| name.clone())?;
        let note = format!(
            "{name}: verifying the signed bytes in this page; what else it shows is not checked \
             (`vac view --check {name}` compares it)"
        );
        let record = record.or(contents.record);
        Ok(Self { signed: contents.document, record, note: Some(note) })
    }
}

impl VerifyArgs {
    /// Runs the command.
    pub fn run(mut self, printer: &Printer) -> Result<Exit> {
        if self.key.is_none() && self.trust_root.is_none() && self.log.is_empty() {
            bail!(
                "nothing to verify with (pass the signer's key with --key PUB, certificates with \
                 --trust-root FILE, or --log LOG to compare a record with its log)"
            );
        }
        self.files = session_names::resolve_records(&self.files)?;
        let batch = Batch::find(&self.files, Wanted::Envelopes);
        let inputs = self.files.iter().chain(&self.record).chain(&self.log);
        if inputs.filter(|path| path.as_os_str() == "-").count() > 1 {
            bail!("standard input can be read only once");
        }
        match &self.files[..] {
            [signed] if batch.is_one => self.run_one(&signed.clone(), printer),
            _ => self.run_batch(batch, printer),
        }
    }

    /// Verifies one envelope.
    fn run_one(&self, signed: &Path, printer: &Printer) -> Result<Exit> {
        if self.key.is_none() && self.trust_root.is_none() {
            return self.run_log_only(signed, printer);
        }
        let output = self.output.as_deref().map(|output| OutputFile::of(Some(output)));
        let existing = Existing::by("--force", self.force);
        if let Some(output) = &output {
            if self.json && matches!(output, OutputFile::Stdout) {
                bail!("--json and the record cannot both be written to standard output");
            }
            output.check(existing, self.inputs())?;
        }
        let verifier = Verifier::read(self)?;
        let opened = Opened::read(signed, self.record.as_deref())?;
        opened.note.iter().for_each(|note| printer.info(note));
        let answers = verifier.verify(&opened.signed, opened.record.as_deref(), self);
        let name = signed.display().to_string();
        let (verdict, mut exit) = self.verdict(&answers, &name);
        let record = self.record.as_deref().unwrap_or(signed);
        let log = match (&self.log[..], opened.record.as_deref()) {
            ([], _) => None,
            (_, Some(bytes)) => Some(self.verify_log(record, bytes, printer)?),
            (_, None) => Some(self.verify_log(signed, &opened.signed, printer)?),
        };
        if log.as_ref().is_some_and(|log| !log.made_from_log) {
            exit = Exit::Failure;
        }
        self.print(&answers, &verdict, &name, log, output.as_ref(), printer)?;
        if !answers.is_signed
            && let Some(agent) = sessions::agent_of_bytes(&opened.signed)
        {
            let log = sessions::is_log(agent);
            printer.error(&format!("{name}: {log}, not a signed record ({NOT_SIGNED})"));
        }
        match output {
            Some(output) if exit == Exit::Success => {
                let Some(payload) = answers.verified_payload() else {
                    printer.error(&format!("{name}: {NOT_ATTACHED}"));
                    return Ok(Exit::Failure);
                };
                let is_json = detect_encoding(payload) == Encoding::Json;
                output.write(&[payload], is_json, existing, printer)?;
                printer.info(&format!("{name} -> {}", output.name()));
                Ok(Exit::Success)
            }
            Some(_) => {
                printer.error(&format!("{name}: not verified, nothing was written"));
                Ok(exit)
            }
            None => Ok(exit),
        }
    }

    /// Compares a record with the logs, without checking a signature.
    fn run_log_only(&self, signed: &Path, printer: &Printer) -> Result<Exit> {
        let asks_for_signature = self.output.is_some()
            || self.statement_only
            || !self.receipt_key.is_empty()
            || self.timestamp.is_some()
            || self.tsa_root.is_some();
        if asks_for_signature {
            bail!("a signature is verified only with --key or --trust-root");
        }
        let record = self.record.as_deref().unwrap_or(signed);
        let log = self.verify_log(record, &output_file::read(record)?, printer)?;
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

    /// Finds the logs, and compares the record in a file with them.
    fn verify_log(&self, file: &Path, record: &[u8], printer: &Printer) -> Result<LogVerification> {
        let name = file.display();
        if let Err(error) = vac::record_id(record) {
            let agent = sessions::agent_of_bytes(record);
            if let (Some(agent), [other]) = (agent, &self.log[..])
                && is_record(other)
            {
                let (log, other) = (sessions::is_log(agent), other.display());
                bail!(
                    "{name}: {log}, and {other} is a record: they are swapped (run `vac verify --log \
                     {name} {other}`)"
                );
            }
            let why = output_file::why_not_a_record(record, detect_encoding(record));
            bail!("{name}: {}", why.unwrap_or_else(|| error.to_string()));
        }
        let (archived, paths) = archived::split_logs(&self.log, record)?;
        let plan = Search { paths, ..Search::default() }.plan()?;
        for trouble in &plan.troubles {
            printer.warn(&trouble.to_string());
        }
        let names: Vec<_> = archived.iter().map(|task| task.name.clone()).collect();
        let tasks: Vec<_> = plan.tasks.into_iter().chain(archived).collect();
        let unread = plan.troubles.iter().any(|trouble| trouble.kind == vac::ErrorKind::Io);
        if tasks.is_empty() && unread {
            bail!("no log to compare the record with");
        }
        let record_options =
            RecordOptions { build: COMMIT.map(str::to_owned), ..RecordOptions::default() };
        let options = ConvertOptions { record: record_options, ..ConvertOptions::default() };
        let log = vac::verify_log(record, &tasks, &options).map_err(|error| match error.place {
            // The log is named.
            Some(_) => error.into(),
            None => anyhow::anyhow!("{name}: {error}"),
        })?;
        if log.verdict == LogVerdict::ValuesDiffer
            && log.log.as_ref().is_some_and(|log| names.contains(log))
        {
            printer.warn_always(archived::NOT_AS_IN_PLACE);
        }
        Ok(log)
    }

    /// Returns all files that are read.
    fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.files
            .iter()
            .chain(&self.key)
            .chain(&self.record)
            .chain(&self.receipt_key)
            .chain(&self.trust_root)
            .chain(&self.timestamp)
            .chain(&self.tsa_root)
            .chain(&self.log)
    }

    /// Prints the answers and the verdict: on stdout, or on stderr if the record goes to stdout.
    fn print(
        &self,
        answers: &Answers<'_>,
        verdict: &Line,
        name: &str,
        log: Option<LogVerification>,
        output: Option<&OutputFile>,
        printer: &Printer,
    ) -> Result<()> {
        let log_lines = log.as_ref().map(log_lines).unwrap_or_default();
        if self.json {
            let verified = Some(answers.into());
            let output = VerifyOutput { file: name.to_owned(), verified, log };
            return Ok(printer.json(&Document::new("verify", output))?);
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
    fn verdict(&self, answers: &Answers<'_>, name: &str) -> (Line, Exit) {
        let (style, words, hint, exit) = self.verdict_words(answers);
        let detail = hint.map_or_else(|| name.to_owned(), |hint| format!("{name}: {hint}"));
        (named("verdict").styled(style, words).text(&format!(" ({detail})")), exit)
    }

    /// Returns the verdict in words, a hint if there is one, and the exit code.
    fn verdict_words(
        &self,
        answers: &Answers<'_>,
    ) -> (Style, &'static str, Option<&'static str>, Exit) {
        match answers.verdict() {
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
        }
    }
}

/// What to do with a log that is to be verified.
const NOT_SIGNED: &str = "convert it with `vac convert` and sign it with `vac sign` first, or compare a \
                          record with it: `vac verify --log LOG RECORD`";

/// Returns whether a file begins as a record, in either encoding.
fn is_record(path: &Path) -> bool {
    let found = vac::store::find(&[path.to_owned()], AGENTS);
    found.logs.iter().any(|log| matches!(encoding_of_record(log, false), Ok(Some(_))))
}

/// The reason why nothing is written although everything is verified.
const NOT_ATTACHED: &str = "the record is not in the envelope, so there is nothing to write";

/// Returns the answers, one on each line.
fn lines(answers: &Answers<'_>) -> Vec<Line> {
    let line = |(question, answer): (&str, &Answer)| {
        let style = match answer {
            Answer::Ok(_) => SUCCESS,
            Answer::Failed(_) => ERROR,
            Answer::NotChecked(_) => WARNING,
            Answer::Absent(_) => Style::new(),
        };
        named(question).styled(style, answer.word()).text(&format!(" ({})", answer.detail()))
    };
    answers.lines().into_iter().map(line).collect()
}

/// Returns the beginning of a line: a name in a column.
fn named(name: &str) -> Line {
    let name = if name.is_empty() { String::new() } else { format!("{name}:") };
    Line::new().styled(HEADING, &name).spaces(16_usize.saturating_sub(name.len()))
}
