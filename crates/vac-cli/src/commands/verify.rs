//! `vac verify`

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anstyle::Style;
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use vac_sign::{Trust, Verdict, Verdicts, Verification, verify};

use crate::exit::Exit;
use crate::help;
use crate::keys;
use crate::line::{BAD, DOUBTFUL, GOOD, HEADING, Line};
use crate::product;
use crate::terminal::{Output, Talk};

/// Verify a signed record
///
/// One line for each question: whether the envelope is one to rely on, whether
/// the signature holds, whether the payload has the hash stated for it, whether the
/// record is valid, whether the trace metadata says what the record says, who
/// signed, and whether the receipts hold.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "0 verified, 1 not verified, 2 usage or input/output error.",
    &[
        ("vac verify record.cose --key keys/signing-key.pub.pem", "A record in its signature"),
        (
            "vac verify record.sig.cbor --key keys/signing-key.pub.pem --record record.json",
            "A signature beside its record",
        ),
        (
            "vac verify certified.cose --trust-root ca.pem --at 1795500000",
            "Signed with a certificate that was valid then",
        ),
        (
            "vac verify transparent.cbor --key ed.pub.pem --receipt-key log.pub.pem --record record.json",
            "With the receipts of a transparency service",
        ),
    ],
))]
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
        if self.json {
            out.json(&self.document(&verdicts))?;
        } else {
            for line in lines(&verdicts) {
                out.line(line)?;
            }
        }
        out.flush()?;
        let (style, words, exit) = match (verdicts.is_verified(), verdicts.is_signed) {
            (true, _) if verdicts.examined.is_none() => {
                (GOOD, "verified, but nobody has looked at the record", Exit::Yes)
            }
            (true, _) => (GOOD, "verified", Exit::Yes),
            (false, true) => (BAD, "NOT verified", Exit::No),
            (false, false) => (BAD, "not signed", Exit::No),
        };
        talk.say_line(&Line::from(&self.name()).text(": ").styled(style, words));
        Ok(exit)
    }

    fn name(&self) -> String {
        self.signed.display().to_string()
    }

    fn document(&self, verdicts: &Verdicts) -> Document {
        let answer = |at: usize| {
            let (_, verdict) = verdicts.lines()[at];
            Answer { verdict: verdict.word(), detail: verdict.detail().to_owned() }
        };
        let facts = verdicts.facts.as_ref();
        Document {
            file: self.name(),
            signed: verdicts.is_signed,
            verified: verdicts.is_verified(),
            envelope: answer(0),
            signature: answer(1),
            payload_hash: answer(2),
            record: answer(3),
            trace_metadata: answer(4),
            signer: answer(5),
            receipts: answer(6),
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
        }
    }
}

/// The verdicts, one on each line.
fn lines(verdicts: &Verdicts) -> [Line; 7] {
    verdicts.lines().map(|(question, verdict)| {
        let style = match verdict {
            Verdict::Ok(_) => GOOD,
            Verdict::Failed(_) => BAD,
            Verdict::NotChecked(_) => DOUBTFUL,
            Verdict::Absent(_) => Style::new(),
        };
        let question = format!("{question}:");
        Line::new()
            .styled(HEADING, &question)
            .blanks(16_usize.saturating_sub(question.len()))
            .styled(style, verdict.word())
            .text(&format!(" ({})", verdict.detail()))
    })
}

/// The JSON document.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    file: String,
    signed: bool,
    verified: bool,
    envelope: Answer,
    signature: Answer,
    payload_hash: Answer,
    record: Answer,
    trace_metadata: Answer,
    signer: Answer,
    receipts: Answer,
    /// What the signature covers, once it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<Claims>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<String>,
}

#[derive(Serialize)]
struct Answer {
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
