//! `vac sign`

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use vac::sign::StatedDigest;
use vac_sign::canonical::{Form, canonical};
use vac_sign::sign::{Carriage, Checked, SignOptions, Signed, sign};
use vac_sign::{Chain, HashAlgorithm, SecretKey, Signer as _};
use vac_validate::detect_encoding;
use vac_validate::lint::Secret;
use vac_value::{Encoding, printable};

use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::json_output::{Document, LikelySecret, SignOutput, SignedHash};
use crate::key_files;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::Printer;
use crate::readers::ModeOption;
use crate::session_names;

/// Sign a record
///
/// Signs the exact bytes of the file. The result is a COSE signature (RFC 9052) that contains the
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
            "vac sign record.json --key keys/signing-key.pem --issuer https://ci.example -o ci.cose",
            "Signature with the name of the signer",
        ),
    ],
))]
pub struct SignArgs {
    /// Record in JSON or CBOR, - for stdin, or the id of a record in the folder `VAC_RECORDS`
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// Private key: PKCS #8 in PEM, Ed25519 or P-256 [default: the file that the variable `VAC_KEY`
    /// names]
    #[arg(long, value_name = "KEY")]
    key: Option<PathBuf>,
    /// Write to this file instead of stdout
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
    /// Do not state the time of signing, so that the same record and key give the same bytes
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
    /// Use a key file that others can read
    #[arg(long)]
    insecure_key_permissions: bool,
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

impl SignArgs {
    /// Runs the command.
    pub fn run(mut self, printer: &Printer) -> Result<Exit> {
        self.record = session_names::resolve_record(&self.record)?;
        let readers = self.mode.readers_of_files([self.record.as_path()]);
        let output = OutputFile::of(self.output.as_deref()).readable_by(readers);
        let existing = Existing::by("--force", self.force);
        let key_file = key_files::named(self.key.as_ref())?;
        output.check(existing, [&self.record, &key_file].into_iter().chain(&self.cert))?;
        let key = key_files::read_secret(&key_file, self.insecure_key_permissions)?;
        let chain = self.cert.as_deref().map(key_files::read_chain).transpose()?;
        let bytes = output_file::read(&self.record)?;
        let encoding = detect_encoding(&bytes);
        let bytes = match self.payload {
            PayloadForm::Bytes => bytes,
            PayloadForm::CanonicalJson => match canonical_json(&bytes, encoding) {
                Ok(canonical) => canonical,
                Err(why) => return Ok(self.refuse(printer, &why)),
            },
        };
        let (record, violations) = match Checked::new(&bytes, encoding) {
            Ok(record) => (record, None),
            Err(invalid) if self.allow_invalid => {
                let violations = invalid.violations().summary();
                (invalid.accept(), Some(violations))
            }
            Err(_) if output_file::are_several(&bytes, encoding) => {
                return Ok(self.refuse(printer, output_file::SEVERAL));
            }
            Err(invalid) => {
                let why = invalid.violations().summary();
                return Ok(self.refuse(
                    printer,
                    &format!("not a valid record (--allow-invalid signs it anyway): {why}"),
                ));
            }
        };
        let (secrets, places) = describe(record.secrets());
        if self.deny_secrets && !places.is_empty() {
            let exit = self.refuse(printer, &format!("not signed (--deny-secrets): {secrets}"));
            for place in &places {
                printer.excerpt(place);
            }
            return Ok(exit);
        }
        let time = if self.no_time { None } else { Some(key_files::now()?) };
        let signed = sign(&record, &self.options(chain.as_ref(), time), &key)
            .with_context(|| format!("cannot sign {}", self.name()))?;
        output.write(&signed.parts(), false, existing, printer)?;
        if let Some(violations) = &violations {
            printer
                .warn(&format!("{}: signed although it is not valid: {violations}", self.name()));
        }
        if !places.is_empty() {
            printer.warn(&format!("{}: signed with {secrets}", self.name()));
            for place in &places {
                printer.info(place);
            }
        }
        self.report(&signed, &record, violations.is_none(), &key, &output, printer)?;
        Ok(Exit::Success)
    }

    fn options<'o>(
        &'o self,
        certificates: Option<&'o Chain>,
        time: Option<u64>,
    ) -> SignOptions<'o> {
        SignOptions {
            issuer: self.issuer.as_deref(),
            subject: self.subject.as_deref(),
            key_id: self.kid.as_ref().map(|kid| &kid.0[..]),
            content_type: self.content_type.as_deref(),
            certificates,
            carriage: match (self.detached, self.hash_envelope) {
                (true, _) => Carriage::Detached,
                (_, true) => Carriage::Digest,
                _ => Carriage::Attached,
            },
            time,
        }
    }

    fn report(
        &self,
        signed: &Signed<'_>,
        record: &Checked<'_>,
        is_valid: bool,
        key: &SecretKey,
        output: &OutputFile,
        printer: &Printer,
    ) -> Result<()> {
        if signed.metadata.is_none() {
            let why = "no trace metadata: the record states no session, provider or time";
            printer.warn(&format!("{}: {why}", self.name()));
        }
        if record.facts().model_provider.as_deref() == Some(&signed.issuer) {
            let why = "the issuer is the provider of the model; it should be the signer";
            printer.warn(&format!("{}: {why}", self.name()));
        }
        let (issuer, subject) = (printable(&signed.issuer, 200), printable(&signed.subject, 200));
        printer.info(&format!(
            "{} -> {}: issuer \"{issuer}\", subject \"{subject}\"",
            self.name(),
            output.name()
        ));
        if self.json {
            let secrets = record.secrets().iter();
            let summary = SignOutput {
                output: output.name(),
                algorithm: key.public_key().algorithm().id(),
                key: key.public_key().thumbprint_uri(),
                issuer: signed.issuer.clone(),
                subject: signed.subject.clone(),
                hash: if self.hash_envelope {
                    SignedHash::StatedDigest(StatedDigest::new(
                        HashAlgorithm::Sha256,
                        record.sha256(),
                    ))
                } else {
                    SignedHash::Payload(HEXLOWER.encode(record.sha256()))
                },
                trace_metadata: signed.metadata.is_some(),
                valid: is_valid,
                secrets: secrets
                    .map(|it| LikelySecret { kind: it.kind, path: it.path.clone() })
                    .collect(),
            };
            printer.json(&Document::new("sign", summary))?;
        }
        Ok(())
    }

    fn refuse(&self, printer: &Printer, why: &str) -> Exit {
        printer.error(&format!("{}: {why}", self.name()));
        Exit::Failure
    }

    fn name(&self) -> String {
        self.record.display().to_string()
    }
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
        vac_value::Document::json(bytes).map_err(|error| format!("not JSON: {error}"))?;
    canonical(&document, Form::Sorted).map_err(|error| error.to_string())
}
