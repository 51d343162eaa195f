//! `vac verify`

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use vac_sign::{Trust, Verdicts, Verification, verify};
use vac_value::printable;

use crate::exit::Exit;
use crate::keys;
use crate::product;
use crate::terminal::{Output, Talk};

/// Verify a signed record
///
/// One line for each question: whether the envelope is one to rely on, whether
/// the signature holds, whether the payload has the hash stated for it, whether the
/// record is valid, whether the trace metadata says what the record says, who
/// signed, and whether the receipts hold.
#[derive(Args)]
#[command(after_help = "\
Examples:
  vac verify record.cose --key keys/signing-key.pub.pem
  vac verify record.sig.cbor --key keys/signing-key.pub.pem --record record.json
  vac verify record.cose --trust-root ca.pem
  vac verify transparent.cbor --key signer.pub.pem --receipt-key log.pub.pem

Exit codes: 0 verified, 1 not verified, 2 usage or input/output error.")]
pub struct Verify {
    /// A signed record, or - for stdin
    #[arg(value_name = "SIG")]
    signed: PathBuf,
    /// The signer's public key in PEM
    #[arg(long, value_name = "PUB", required_unless_present = "trust_root")]
    key: Option<PathBuf>,
    /// The record, if it is kept apart
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// The public key of a log whose receipts to check; may be given again
    #[arg(long, value_name = "LOGPUB")]
    receipt_key: Vec<PathBuf>,
    /// Certificates to trust, in PEM: the signer's has to lead to one of them
    #[arg(long, value_name = "FILE")]
    trust_root: Option<PathBuf>,
    /// Who has to be the issuer
    #[arg(long, value_name = "URI")]
    issuer: Option<String>,
    /// What has to be the subject
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// The time at which certificates and claims have to be valid, in seconds since 1970
    /// [default: now]
    #[arg(long, value_name = "SECONDS")]
    at: Option<u64>,
    /// Give the verdicts as one JSON document
    #[arg(long)]
    json: bool,
}

impl Verify {
    /// Does it.
    pub fn run(self, talk: Talk) -> Result<Exit> {
        let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
        if is_stdin(&self.signed) && self.record.as_ref().is_some_and(is_stdin) {
            bail!("standard input can be read only once");
        }
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|now| now.as_secs());
        let time = self.at.or_else(now);
        let key = self.key.as_deref().map(keys::read_public).transpose()?;
        let receipt_keys = self
            .receipt_key
            .iter()
            .map(|path| keys::read_public(path))
            .collect::<Result<Vec<_>>>()?;
        let roots = self.trust_root.as_deref().map(keys::read_chain).transpose()?;
        let trust = roots.map(|roots| Trust { roots, time: time.unwrap_or_default() });
        let signed = product::read(&self.signed)?;
        let record = self.record.as_deref().map(product::read).transpose()?;
        let verdicts = verify(
            &signed,
            &Verification {
                key: key.as_ref(),
                trust: trust.as_ref(),
                receipt_keys: &receipt_keys,
                record: record.as_deref(),
                issuer: self.issuer.as_deref(),
                subject: self.subject.as_deref(),
                time,
            },
        );
        let mut out = Output::new();
        out.write(&if self.json { self.json(&verdicts)? } else { lines(&verdicts) })?;
        out.flush()?;
        let name = printable(&self.name(), usize::MAX);
        Ok(match (verdicts.is_verified(), verdicts.is_signed) {
            (true, _) => {
                talk.say(&format!("{name}: verified"));
                Exit::Yes
            }
            (false, true) => {
                talk.say(&format!("{name}: NOT verified"));
                Exit::No
            }
            (false, false) => {
                talk.say(&format!("{name}: not signed"));
                Exit::No
            }
        })
    }

    fn name(&self) -> String {
        self.signed.to_string_lossy().into_owned()
    }

    fn json(&self, verdicts: &Verdicts) -> Result<String> {
        let line = |at: usize| {
            let (_, verdict) = verdicts.lines()[at];
            Line { verdict: verdict.word(), detail: verdict.detail().to_owned() }
        };
        let facts = verdicts.facts.as_ref();
        let document = Document {
            file: self.name(),
            signed: verdicts.is_signed,
            verified: verdicts.is_verified(),
            envelope: line(0),
            signature: line(1),
            payload_hash: line(2),
            record: line(3),
            trace_metadata: line(4),
            signer: line(5),
            receipts: line(6),
            claims: facts.map(|facts| Claims {
                algorithm: facts.algorithm,
                key: facts.key.clone(),
                issuer: facts.issuer.clone(),
                subject: facts.subject.clone(),
                content_type: facts.content_type.clone(),
                signed: facts.signed,
            }),
            violations: verdicts
                .examined
                .iter()
                .flat_map(|one| &one.report.violations)
                .map(ToString::to_string)
                .collect(),
        };
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }
}

/// The verdicts, one on each line.
fn lines(verdicts: &Verdicts) -> String {
    let lines = verdicts.lines().map(|(question, verdict)| {
        let question = format!("{question}:");
        format!("{question:<16}{} ({})\n", verdict.word(), verdict.detail())
    });
    lines.concat()
}

/// The JSON document.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    file: String,
    signed: bool,
    verified: bool,
    envelope: Line,
    signature: Line,
    payload_hash: Line,
    record: Line,
    trace_metadata: Line,
    signer: Line,
    receipts: Line,
    /// What the signature covers, once it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<Claims>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<String>,
}

#[derive(Serialize)]
struct Line {
    verdict: &'static str,
    detail: String,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Claims {
    algorithm: i64,
    key: String,
    issuer: Option<String>,
    subject: Option<String>,
    content_type: Option<String>,
    signed: &'static str,
}
