//! `vac sign`

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use vac::files::{InputGuard, refuse_agent_folder};
use vac::parallel::ordered_parallel_map;
use vac::sign::StatedDigest;
use vac::signature::canonical::{Form, canonical};
use vac::signature::sign::{Carriage, Checked, SignOptions, Signed, sign};
use vac::signature::{Chain, HashAlgorithm, SecretKey, Signer as _};
use vac::validation::detect_encoding;
use vac::validation::lint::Secret;
use vac::value::{Encoding, printable};

use crate::batch::{self, Batch, BatchFile, Destination, FileMessage, Wanted, create_parents};
use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::json_output::{
    Document, LikelySecret, SignBatchFile, SignBatchOutput, SignOutput, SignSummary, SignedHash,
};
use crate::key_files::{self, PrivateKeyOptions};
use crate::mode_option::ModeOption;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::{Printer, Progress};
use crate::session_names;

/// Sign records
///
/// Signs the exact bytes of each file. The result is a COSE signature (RFC 9052) that contains the
/// record, unless --detached or --hash-envelope is given. The record is validated first, and searched
/// for likely secrets (tokens, private keys, passwords in URLs): a warning names their kinds and
/// places, never their values. The time is stated as a claim of the signer (`iat`).
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = help::ending(
    &[],
    "the record is invalid, or has likely secrets with --deny-secrets",
    &[
        (
            "vac sign record.json --key keys/signing-key.pem -o record.cose",
            "Signature that contains the record",
        ),
        (
            "vac sign record.json --key keys/signing-key.pem --detached -o record.sig.cbor",
            "Signature in a file of its own",
        ),
        (
            "vac sign record.json --key keys/signing-key.pem --hash-envelope -o statement.cbor",
            "Statement about the record, for a transparency service",
        ),
        (
            "vac sign records/ --key keys/signing-key.pem -o signatures/",
            "Signature of every record in a folder, a file each",
        ),
    ],
))]
pub struct SignArgs {
    /// Records in JSON or CBOR, folders of them, - for stdin, or ids of records in the folder
    /// `VAC_RECORDS`
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Private key, Ed25519 or P-256: PKCS #8 in PEM, or of OpenSSH [default: the file that the
    /// variable `VAC_KEY` names]
    #[arg(long, value_name = "KEY")]
    key: Option<PathBuf>,
    /// Write to this file instead of stdout; of several records, a file each to this folder
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Put the record into the envelope (the default)
    #[arg(long, group = "carriage")]
    attached: bool,
    /// Do not put the record into the envelope
    #[arg(long, group = "carriage")]
    detached: bool,
    /// Put the record's SHA-256 into the envelope (RFC 9995)
    #[arg(long, group = "carriage")]
    hash_envelope: bool,
    /// Bytes to sign
    #[arg(long, value_enum, default_value = "bytes")]
    payload: PayloadForm,
    /// Name of the signer [default: the key's thumbprint, RFC 9679]
    #[arg(long, value_name = "URI")]
    issuer: Option<String>,
    /// Name of the record [default: the session's id]
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// Key identifier in hex [default: its SHA-256 thumbprint]
    #[arg(long, value_name = "HEX", value_parser = hex)]
    kid: Option<Bytes>,
    /// Media type of the record [default: application/json or application/cbor]
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// Certificate of the key and its issuers, in PEM
    #[arg(long, value_name = "FILE")]
    cert: Option<PathBuf>,
    /// Time stamp of the payload, to be signed with it (RFC 3161, RFC 9921): a token, or the response
    /// of an authority; `vac timestamp digest` prints what has to be stamped
    #[arg(long, value_name = "TOKEN")]
    timestamp: Option<PathBuf>,
    /// Leave out the time of signing, so that the same record and key give the same bytes
    #[arg(long)]
    no_time: bool,
    /// Sign a record that is not valid
    #[arg(long)]
    allow_invalid: bool,
    /// Refuse to sign a record that contains likely secrets
    #[arg(long)]
    deny_secrets: bool,
    /// Overwrite a file that already exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    mode: ModeOption,
    #[command(flatten)]
    private_key: PrivateKeyOptions,
    /// Print the result as JSON on stdout; needs --output
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum PayloadForm {
    /// The bytes of the file
    Bytes,
    /// Sorted keys and no space, as the tool of the draft's authors signs
    CanonicalJson,
}

/// A byte string. `clap` would parse a `Vec` as several arguments.
#[derive(Clone)]
struct Bytes(Vec<u8>);

fn hex(text: &str) -> Result<Bytes, String> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map(Bytes).map_err(|error| error.to_string())
}

/// The parameters that all records of a run are signed with.
struct Signing<'s> {
    key: &'s SecretKey,
    chain: Option<&'s Chain>,
    time: Option<u64>,
    time_stamp: Option<&'s [u8]>,
    existing: Existing,
    /// Whether folders are created for the output.
    creates_folders: bool,
    /// The files that are never overwritten.
    inputs: &'s InputGuard,
    printer: &'s Printer,
}

/// The result of signing one record.
struct SignedFile {
    file: String,
    /// The JSON document, or the reason why it was not signed.
    result: Result<SignOutput, Refusal>,
    messages: Vec<FileMessage>,
}

/// The reason why a record was not signed.
enum Refusal {
    /// It is not valid, or has likely secrets.
    Record(String),
    /// It could not be read, or the signature could not be written.
    Error(anyhow::Error),
}

impl SignArgs {
    /// Runs the command.
    pub fn run(mut self, printer: &Printer) -> Result<Exit> {
        self.records = session_names::resolve_records(&self.records)?;
        let batch = Batch::find(&self.records, Wanted::Records);
        if self.timestamp.is_some() && !batch.is_one {
            bail!("--timestamp is for one record; pass one file");
        }
        let destination = Destination::new(self.output.as_deref(), batch.is_one)?;
        let existing = Existing::by("--force", self.force);
        let key_file = key_files::named(self.key.as_ref())?;
        let files = destination.assign(batch.files, "cose");
        let others = [&key_file].into_iter().chain(&self.cert).chain(&self.timestamp);
        let others = others.map(PathBuf::as_path);
        let inputs = InputGuard::new(files.iter().map(|(file, _)| &*file.path).chain(others));
        if let Some(output) = &self.output {
            refuse_agent_folder(output)?;
        }
        if let (true, Some((_, output))) = (batch.is_one, files.first()) {
            // Before a password is asked for.
            OutputFile::of(output.as_deref()).check_inputs(existing, &inputs)?;
        }
        let key = self.private_key.read(&key_file)?;
        let chain = self.cert.as_deref().map(key_files::read_chain).transpose()?;
        let time_stamp = self.timestamp.as_deref().map(output_file::read).transpose()?;
        let signing = Signing {
            key: &key,
            chain: chain.as_ref(),
            time: if self.no_time { None } else { Some(key_files::now()?) },
            time_stamp: time_stamp.as_deref(),
            existing,
            creates_folders: matches!(destination, Destination::Folder(_)),
            inputs: &inputs,
            printer,
        };
        let progress = (!batch.is_one).then(|| printer.progress("signing", files.len()));
        let jobs = thread::available_parallelism().map_or(1, NonZero::get);
        let mut done = Vec::new();
        let work = |(file, output): (BatchFile, Option<PathBuf>)| {
            self.sign_file(&file, output.as_deref(), &signing)
        };
        ordered_parallel_map(files, jobs, work, |signed| {
            progress.iter().for_each(Progress::step);
            for message in &signed.messages {
                message.print(printer);
            }
            done.push((signed.file, signed.result));
            ControlFlow::Continue(())
        })?;
        drop(progress);
        match (batch.is_one, done.pop()) {
            (true, Some((file, result))) => self.report_one(file, result, printer),
            (_, last) => self.report_all(done.into_iter().chain(last), batch.skipped, printer),
        }
    }

    /// Reports the result of the only record: a document with the members of one of several files.
    fn report_one(
        &self,
        file: String,
        result: Result<SignOutput, Refusal>,
        printer: &Printer,
    ) -> Result<Exit> {
        let (signed, error, exit) = match result {
            Ok(signed) => (Some(signed), None, Ok(Exit::Success)),
            Err(Refusal::Record(why)) => (None, Some(why), Ok(Exit::Failure)),
            Err(Refusal::Error(error)) => (None, Some(format!("{error:#}")), Err(error)),
        };
        if self.json {
            printer.json(&Document::new("sign", SignBatchFile { file, signed, error }))?;
        }
        exit
    }

    /// Reports the results of all records.
    fn report_all(
        &self,
        results: impl Iterator<Item = (String, Result<SignOutput, Refusal>)>,
        skipped: usize,
        printer: &Printer,
    ) -> Result<Exit> {
        let mut exit = Exit::Success;
        let mut summary = SignSummary { skipped, ..SignSummary::default() };
        let mut files = Vec::new();
        for (file, result) in results {
            summary.files += 1;
            let (signed, error) = match result {
                Ok(signed) => {
                    summary.signed += 1;
                    (Some(signed), None)
                }
                Err(Refusal::Record(why)) => {
                    summary.refused += 1;
                    exit = exit.max(Exit::Failure);
                    (None, Some(why))
                }
                Err(Refusal::Error(error)) => {
                    let error = format!("{error:#}");
                    printer.error(&error);
                    summary.failed += 1;
                    exit = Exit::Error;
                    (None, Some(error))
                }
            };
            files.push(SignBatchFile { file, signed, error });
        }
        if self.json {
            printer.json(&Document::new("sign", SignBatchOutput { files, summary }))?;
        }
        printer.info(&format!(
            "{}: {} signed, {} refused, {} failed{}",
            pluralize(summary.files, "file"),
            summary.signed,
            summary.refused,
            summary.failed,
            batch::format_skipped(skipped, "already signed"),
        ));
        Ok(exit)
    }

    /// Signs a record and writes the envelope.
    fn sign_file(
        &self,
        file: &BatchFile,
        output: Option<&Path>,
        signing: &Signing<'_>,
    ) -> SignedFile {
        let mut messages = Vec::new();
        let result = self
            .try_sign(file, output, signing, &mut messages)
            .unwrap_or_else(|error| Err(Refusal::Error(error)));
        if let Err(Refusal::Record(why)) = &result {
            messages.insert(0, FileMessage::Error(format!("{}: {why}", file.name())));
        }
        SignedFile { file: file.name(), result, messages }
    }

    fn try_sign(
        &self,
        file: &BatchFile,
        output: Option<&Path>,
        signing: &Signing<'_>,
        messages: &mut Vec<FileMessage>,
    ) -> Result<Result<SignOutput, Refusal>> {
        let name = file.name();
        if let Some(why) = &file.unreadable {
            bail!("{name}: {why}");
        }
        let refuse = |why: String| Ok(Err(Refusal::Record(why)));
        let readers = self.mode.readers_of_files([file.path.as_path()]);
        let output = OutputFile::of(output).readable_by(readers);
        output.check_inputs(signing.existing, signing.inputs)?;
        let bytes = output_file::read(&file.path)?;
        let encoding = detect_encoding(&bytes);
        let bytes = match self.payload {
            PayloadForm::Bytes => bytes,
            PayloadForm::CanonicalJson => match canonical_json(&bytes, encoding) {
                Ok(canonical) => canonical,
                Err(why) => return refuse(why),
            },
        };
        let (record, violations) = match Checked::new(&bytes, encoding) {
            Ok(record) => (record, None),
            Err(invalid) if self.allow_invalid => {
                let violations = invalid.violations().summary();
                (invalid.accept(), Some(violations))
            }
            Err(invalid) => {
                return refuse(output_file::why_not_a_record(&bytes, encoding).unwrap_or_else(
                    || {
                        let why = invalid.violations().summary();
                        format!("not a valid record (--allow-invalid signs it anyway): {why}")
                    },
                ));
            }
        };
        let (secrets, places) = describe(record.secrets());
        if self.deny_secrets && !places.is_empty() {
            messages.extend(places.into_iter().map(FileMessage::Excerpt));
            return refuse(format!("not signed (--deny-secrets): {secrets}"));
        }
        let signed = sign(&record, &self.options(signing), signing.key)
            .with_context(|| format!("cannot sign {name}"))?;
        if let (OutputFile::File(path, _), true) = (&output, signing.creates_folders) {
            create_parents(path)?;
        }
        output.write(&signed.parts(), false, signing.existing, signing.printer)?;
        if let Some(violations) = &violations {
            let why = format!("{name}: signed although it is not valid: {violations}");
            messages.push(FileMessage::Warning(why));
        }
        if !places.is_empty() {
            messages.push(FileMessage::Warning(format!("{name}: signed with {secrets}")));
            messages.extend(places.into_iter().map(FileMessage::Info));
        }
        describe_signed(&name, &signed, &record, &output, messages);
        Ok(Ok(self.summary(&signed, &record, violations.is_none(), signing.key, &output)))
    }

    fn options<'o>(&'o self, signing: &Signing<'o>) -> SignOptions<'o> {
        SignOptions {
            issuer: self.issuer.as_deref(),
            subject: self.subject.as_deref(),
            key_id: self.kid.as_ref().map(|kid| &kid.0[..]),
            content_type: self.content_type.as_deref(),
            certificates: signing.chain,
            carriage: match (self.detached, self.hash_envelope) {
                (true, _) => Carriage::Detached,
                (_, true) => Carriage::Digest,
                _ => Carriage::Attached,
            },
            time: signing.time,
            time_stamp: signing.time_stamp,
        }
    }

    fn summary(
        &self,
        signed: &Signed<'_>,
        record: &Checked<'_>,
        is_valid: bool,
        key: &SecretKey,
        output: &OutputFile,
    ) -> SignOutput {
        let secrets = record.secrets().iter();
        SignOutput {
            output: output.name(),
            algorithm: key.public_key().algorithm().id(),
            key: key.public_key().thumbprint_uri(),
            issuer: signed.issuer.clone(),
            subject: signed.subject.clone(),
            hash: if self.hash_envelope {
                SignedHash::StatedDigest(StatedDigest::new(HashAlgorithm::Sha256, record.sha256()))
            } else {
                SignedHash::Payload(HEXLOWER.encode(record.sha256()))
            },
            trace_metadata: signed.metadata.is_some(),
            valid: is_valid,
            secrets: secrets
                .map(|it| LikelySecret { kind: it.kind, path: it.path.clone() })
                .collect(),
        }
    }
}

/// Adds the messages about a signed record.
fn describe_signed(
    name: &str,
    signed: &Signed<'_>,
    record: &Checked<'_>,
    output: &OutputFile,
    messages: &mut Vec<FileMessage>,
) {
    if signed.metadata.is_none() {
        let why = "no trace metadata: the record states no session, provider or time";
        messages.push(FileMessage::Warning(format!("{name}: {why}")));
    }
    if record.facts().model_provider.as_deref() == Some(&signed.issuer) {
        let why = "the issuer is the provider of the model; it should be the signer";
        messages.push(FileMessage::Warning(format!("{name}: {why}")));
    }
    let (issuer, subject) = (printable(&signed.issuer, 200), printable(&signed.subject, 200));
    messages.push(FileMessage::Info(format!(
        "{name} -> {}: issuer \"{issuer}\", subject \"{subject}\"",
        output.name()
    )));
}

/// Returns the number of likely secrets in words, and lines with the kinds and paths of the first.
fn describe(secrets: &[Secret]) -> (String, Vec<String>) {
    const MAX_LISTED: usize = 10;
    let total: usize = secrets.iter().map(|secret| secret.count).sum();
    let line = |Secret { kind, path, .. }: &Secret| {
        format!("  {kind} at {}", if path.is_empty() { "/" } else { path })
    };
    let mut lines: Vec<_> = secrets.iter().take(MAX_LISTED).map(line).collect();
    if secrets.len() > MAX_LISTED {
        lines.push(format!("  and at {}", pluralize(secrets.len() - MAX_LISTED, "more place")));
    }
    (pluralize(total, "likely secret"), lines)
}

fn canonical_json(bytes: &[u8], encoding: Encoding) -> Result<Vec<u8>, String> {
    if encoding == Encoding::Cbor {
        return Err("--payload canonical-json requires a record in JSON".to_owned());
    }
    let document =
        vac::value::Document::json(bytes).map_err(|error| format!("not JSON: {error}"))?;
    canonical(&document, Form::Sorted).map_err(|error| error.to_string())
}
