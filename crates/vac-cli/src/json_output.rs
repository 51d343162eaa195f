//! The JSON documents that commands print with `--json`, and that `vac convert --report` writes.
//!
//! Keys are in kebab-case, and the same thing has the same key in every document. Enumerations are
//! codes, and what is unknown is absent. `JSON.md` of this crate lists all keys.

use std::collections::BTreeMap;

use serde::Serialize;
use vac::sign::StatedDigest;
use vac::{LogVerification, Verified};
use vac_adapter::report::Report;
use vac_archive::{AddSummary, ArchiveHead, ArchivedVersion};
use vac_validate::lint::Finding;
use vac_validate::{Violation, ViolationKind};
use vac_view::SkipReason;
use vac_view::facts::Facts;
use vac_view::text_search::TextField;
use vac_view::usage_totals::UsageTotals;

use crate::sessions::Signature;
use crate::validate::run::{Outcome, Place, Problem, Signed};

/// A document of a command. It begins with the version of `vac` and the name of the command.
#[derive(Serialize)]
pub struct Document<T> {
    vac: &'static str,
    command: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T: Serialize> Document<T> {
    /// Creates the document of a command.
    pub fn new(command: &'static str, body: T) -> Self {
        Self { vac: env!("CARGO_PKG_VERSION"), command, body }
    }
}

/// A file that could not be read or converted.
#[derive(Clone, Serialize)]
pub struct FailedFile {
    /// The name of the file.
    pub file: String,
    /// The error message.
    pub error: String,
}

/// The result of `vac convert`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ConvertOutput<'s> {
    /// Sessions that were converted.
    pub sessions: &'s [Report],
    /// Logs and sessions that could not be converted.
    pub failed: &'s [FailedFile],
    /// Number of files in directories that are not logs.
    pub skipped: u64,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: &'s [String],
    /// Number of symbolic links that were not followed.
    pub links_skipped: usize,
    /// Number of pipes, sockets and devices that were not opened.
    pub special_files_skipped: usize,
    /// Changes of the output folder.
    #[serde(flatten)]
    pub changes: Option<Changes>,
}

/// The number of records of an output folder, by what happened to them.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Changes {
    /// Records of sessions that had none.
    pub new: u64,
    /// Records that replaced earlier ones.
    pub changed: u64,
    /// Records that are up to date.
    pub unchanged: u64,
    /// Earlier files that were not replaced, so that the new record got another name.
    pub kept: u64,
}

/// The result of `vac export`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExportOutput {
    /// Number of sessions that were not in the folder.
    pub new: u64,
    /// Number of sessions whose logs were changed.
    pub changed: u64,
    /// Number of sessions that are in the folder already.
    pub unchanged: u64,
    /// The tables that were written.
    pub tables: Vec<ExportedTable>,
    /// Logs and sessions that could not be exported.
    pub failed: Vec<FailedFile>,
}

/// A table that was written.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExportedTable {
    /// The name of the table.
    pub table: &'static str,
    /// Number of rows that were written.
    pub rows: u64,
}

/// The result of `vac list`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListOutput {
    /// The sessions, the latest first.
    pub sessions: Vec<ListedSession>,
    /// Number of files that have the name of a session and are not one.
    pub skipped: usize,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: Vec<String>,
    /// Logs that could not be read.
    pub failed: Vec<FailedFile>,
}

/// A session that was found.
#[derive(Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListedSession {
    /// The agent.
    pub agent: String,
    /// The id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// When it began, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The size of its files in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The format of the log.
    pub variant: &'static str,
    /// The working directory or the name of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The version of the agent's program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_version: Option<String>,
    /// The id of the session that this one came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// How it came from that session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<&'static str>,
    /// The beginning of the first prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// The files of the log.
    pub files: Vec<String>,
}

/// The result of `vac archive init`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveInitOutput {
    /// The folder of the archive.
    pub archive: String,
    /// The id of the archive.
    pub id: String,
    /// The thumbprint of the key, as a URI.
    pub key: String,
    /// The file of the private key, if it was generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_key: Option<String>,
}

/// The result of `vac archive add`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveAddOutput<'s> {
    /// The versions that were added.
    pub sessions: &'s [ArchivedVersion],
    /// Number of logs that are unchanged.
    pub unchanged: usize,
    /// Number of files in directories that are not logs.
    pub skipped: usize,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: &'s [String],
    /// Logs that could not be added.
    pub failed: Vec<FailedFile>,
    /// What an interrupted run had left, and was repaired.
    pub repaired: &'s [String],
    /// Versions that do not contain the previous ones.
    pub discontinued: Vec<&'s ArchivedVersion>,
    /// Statements about such versions that were acknowledged.
    pub acknowledged: &'s [u64],
    /// Number of statements in the archive.
    pub statements: u64,
}

impl<'s> From<&'s AddSummary> for ArchiveAddOutput<'s> {
    fn from(summary: &'s AddSummary) -> Self {
        let failed = summary.failed.iter();
        let failed =
            failed.map(|(file, error)| FailedFile { file: file.clone(), error: error.clone() });
        Self {
            sessions: &summary.added,
            unchanged: summary.unchanged,
            skipped: summary.skipped,
            duplicates: &summary.duplicates,
            failed: failed.collect(),
            repaired: &summary.repaired,
            discontinued: summary.discontinued.iter().map(|(version, _)| version).collect(),
            acknowledged: &summary.acknowledged,
            statements: summary.size,
        }
    }
}

/// The result of `vac archive head`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveHeadOutput {
    /// The id of the archive.
    pub id: String,
    /// The number of the head.
    pub number: u64,
    /// Number of statements that it covers.
    pub statements: u64,
    /// The root of the tree, in hexadecimal.
    pub root: String,
    /// When the signer says that it was signed, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Its bytes, in base64.
    pub head: String,
}

impl ArchiveHeadOutput {
    /// Describes a head.
    pub fn new(head: &ArchiveHead, text: String) -> Self {
        Self {
            id: head.archive_id.clone(),
            number: head.claim.number,
            statements: head.claim.size,
            root: data_encoding::HEXLOWER.encode(&head.root),
            time: head.time,
            head: text,
        }
    }
}

/// The result of `vac archive prove`.
#[derive(Serialize)]
pub struct ArchiveProofOutput {
    /// The name of the file.
    pub output: String,
    /// The version.
    #[serde(flatten)]
    pub session: ArchivedVersion,
}

/// The result of `vac archive list`.
#[derive(Serialize)]
pub struct ArchiveListOutput {
    /// The versions, the last added first.
    pub sessions: Vec<ArchivedVersion>,
}

/// The result of `vac archive export`.
#[derive(Serialize)]
pub struct ArchiveExportOutput {
    /// The files that were written.
    pub files: Vec<String>,
}

/// The result of `vac archive status`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveStatusOutput {
    /// Number of sessions.
    pub sessions: usize,
    /// Number of versions.
    pub versions: usize,
    /// Number of sessions by agent.
    pub agents: BTreeMap<String, usize>,
    /// Number of sessions by label.
    pub labels: BTreeMap<String, usize>,
    /// When the signer says that the newest head was signed, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Logs that agents keep, of sessions that are not in the archive.
    pub not_archived: Vec<String>,
    /// Sessions whose log no longer contains what was archived.
    pub discontinued: Vec<String>,
}

/// The result of `vac inspect`.
#[derive(Serialize)]
pub struct InspectOutput {
    /// The sessions, in the order of the arguments.
    pub sessions: Vec<InspectedSession>,
}

/// The facts about a session.
#[derive(Serialize)]
pub struct InspectedSession {
    /// The facts.
    #[serde(flatten)]
    pub facts: Facts,
    /// Absent for logs and for records that are not signed.
    #[serde(flatten)]
    pub signature: Option<Signature>,
}

/// The result of `vac search`.
#[derive(Serialize)]
pub struct SearchOutput {
    /// The sessions with hits, in the order in which they were found.
    pub sessions: Vec<SearchedSession>,
}

/// A session with hits.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchedSession {
    /// The id of the session.
    pub session_id: String,
    /// The agent.
    pub agent: String,
    /// When it began, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// Its name for other commands: an id or a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The number of all hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The first hits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<HitOutput>,
}

/// A text that matches.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HitOutput {
    /// What the text is.
    pub field: TextField,
    /// The index of the entry in the session.
    pub entry: usize,
    /// JSON pointer to the entry in the record.
    pub path: String,
    /// The id of the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_id: Option<String>,
    /// When it was written, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The id of the subagent that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// How it stopped being part of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<&'static str>,
    /// Why it is usually not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<SkipReason>,
    /// The number of the line in which the first match begins.
    pub line: u64,
    /// The line, or the part of it around the match.
    pub text: String,
    /// The part of it that matches.
    #[serde(rename = "match")]
    pub matched: String,
    /// The number of lines with matches.
    pub lines: u64,
    /// The command that shows the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<String>,
}

/// The result of `vac usage`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UsageOutput {
    /// What the rows are.
    pub by: &'static str,
    /// The currency of the prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The rows, in the order of the table.
    pub rows: Vec<UsageRowOutput>,
    /// The sum of all rows.
    pub total: UsageRowOutput,
    /// Models with tokens that have no price.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<UnpricedModel>,
    /// Counts of statements that do not count again, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The number of statements whose time is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_time: Option<u64>,
}

/// A row of `vac usage`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UsageRowOutput {
    /// The day, project, model, agent or session, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The agent of a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of statements of tokens.
    pub requests: u64,
    /// The tokens.
    pub tokens: UsageTotals,
    /// The cost that logs state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The cost by the prices, as an exact decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed_cost: Option<String>,
    /// The number of tokens that have no price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpriced_tokens: Option<u64>,
}

/// A model with tokens that have no price.
#[derive(Serialize)]
pub struct UnpricedModel {
    /// The model, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The number of tokens.
    pub tokens: u64,
}

/// The result of `vac keygen`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct KeygenOutput {
    /// The file of the private key.
    pub private_key: String,
    /// The file of the public key.
    pub public_key: String,
    /// The COSE identifier of the algorithm.
    pub algorithm: i64,
    /// The thumbprint of the key, as a URI.
    pub key: String,
}

/// The result of `vac sign`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SignOutput {
    /// The file that was written.
    pub output: String,
    /// The COSE identifier of the algorithm.
    pub algorithm: i64,
    /// The thumbprint of the key, as a URI.
    pub key: String,
    /// The issuer.
    pub issuer: String,
    /// The subject.
    pub subject: String,
    /// The hash that was signed.
    #[serde(flatten)]
    pub hash: SignedHash,
    /// Whether the envelope has trace metadata.
    pub trace_metadata: bool,
    /// Whether the record is valid.
    pub valid: bool,
    /// Likely secrets in the record.
    pub secrets: Vec<LikelySecret>,
}

/// A string of a record with likely secrets of one kind.
#[derive(Serialize)]
pub struct LikelySecret {
    /// The kind of secret.
    pub kind: &'static str,
    /// JSON pointer to the string.
    pub path: String,
}

/// The hash that a signature covers.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignedHash {
    /// The hash of the attached or detached payload.
    #[serde(rename = "payload-sha-256")]
    Payload(String),
    /// The digest that a hash envelope states.
    StatedDigest(StatedDigest),
}

/// The result of `vac receipts attach`.
#[derive(Serialize)]
pub struct AttachOutput {
    /// The file that was written.
    pub output: String,
    /// Number of receipts that were attached.
    pub receipts: usize,
    /// Whether the receipts were verified with the keys of their logs.
    pub checked: bool,
}

/// The result of `vac verify`.
#[derive(Serialize)]
pub struct VerifyOutput {
    /// The file that was verified.
    pub file: String,
    /// The verdict and the answers about the signature, unless only the log was compared.
    #[serde(flatten)]
    pub verified: Option<Verified>,
    /// Whether the record was made from the log (`--log`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<LogVerification>,
}

/// The result of `vac validate`.
#[derive(Serialize)]
pub struct ValidateOutput {
    /// The files, in the order of the arguments.
    pub files: Vec<ValidatedFile>,
    /// Totals of all files.
    pub summary: ValidateSummary,
}

/// Totals of `vac validate`.
#[derive(Clone, Copy, Default, Serialize)]
pub struct ValidateSummary {
    /// Number of files.
    pub files: usize,
    /// Number of documents.
    pub documents: usize,
    /// Number of valid files.
    pub valid: usize,
    /// Number of invalid files.
    pub invalid: usize,
    /// Number of files that could not be read.
    pub unreadable: usize,
    /// Number of violations and syntax errors.
    pub violations: usize,
    /// Number of lint findings.
    pub lint: usize,
}

/// A file that was validated.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ValidatedFile {
    file: String,
    valid: bool,
    documents: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    syntax: Vec<SyntaxOutput>,
    violations: Vec<ViolationOutput>,
    violation_count: usize,
    lint: Vec<LintOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<PayloadKind>,
    /// `validate` does not check signatures.
    #[serde(flatten)]
    signature: Option<Signature>,
}

/// The kind of payload of the signed records of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PayloadKind {
    /// The record itself.
    Attached,
    /// Nothing.
    Detached,
    /// A digest of the record.
    Digest,
    /// The records differ.
    Mixed,
}

#[derive(Serialize)]
struct SyntaxOutput {
    #[serde(flatten)]
    place: PlaceOutput,
    message: String,
    offset: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// The agent, if the file is a session log.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'static str>,
}

#[derive(Serialize)]
struct ViolationOutput {
    kind: ViolationKind,
    path: String,
    expected: String,
    found: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    rule: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    #[serde(flatten)]
    place: PlaceOutput,
}

#[derive(Serialize)]
struct LintOutput {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    path: String,
    message: String,
    #[serde(flatten)]
    place: PlaceOutput,
}

/// The place of a document in its file.
#[derive(Default, Serialize)]
struct PlaceOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
}

impl From<Place> for PlaceOutput {
    fn from(place: Place) -> Self {
        match place {
            Place::Only => Self::default(),
            Place::Line(line) => Self { line: Some(line), item: None },
            Place::Item(item) => Self { line: None, item: Some(item) },
        }
    }
}

impl From<&Outcome> for ValidatedFile {
    fn from(outcome: &Outcome) -> Self {
        let mut syntax = Vec::new();
        let mut violations = Vec::new();
        for (place, problem) in &outcome.problems.first {
            match problem {
                Problem::Syntax { message, offset, position } => {
                    let mut place = PlaceOutput::from(*place);
                    place.line = position.map(|position| position.line).or(place.line);
                    let column = position.map(|position| position.column);
                    let message = message.clone();
                    syntax.push(SyntaxOutput {
                        place,
                        message,
                        offset: *offset,
                        column,
                        agent: None,
                    });
                }
                Problem::Log(agent) => syntax.push(SyntaxOutput {
                    place: PlaceOutput::default(),
                    message: problem.to_string(),
                    offset: 0,
                    column: None,
                    agent: Some(agent.name),
                }),
                Problem::Violation(violation) => {
                    let Violation { path, kind, expected, found, rule, others } = violation.clone();
                    let place = (*place).into();
                    violations.push(ViolationOutput {
                        kind,
                        path,
                        expected,
                        found,
                        rule,
                        others,
                        place,
                    });
                }
            }
        }
        let lint = |(place, finding): &(Place, Finding)| {
            let Finding { code, path, message, kind } = finding.clone();
            LintOutput { code, kind, path, message, place: (*place).into() }
        };
        let signed = outcome.signed.payload_kind();
        Self {
            file: outcome.name.clone(),
            valid: outcome.is_valid(),
            documents: outcome.documents,
            error: outcome.unreadable.clone(),
            syntax,
            violations,
            violation_count: outcome.problems.total,
            lint: outcome.findings.first.iter().map(lint).collect(),
            signed,
            signature: signed.map(|_| Signature::NotChecked),
        }
    }
}

impl Signed {
    /// Returns the kind of payload, or `None` if nothing is signed.
    pub fn payload_kind(self) -> Option<PayloadKind> {
        match (self.attached > 0, self.detached > 0, self.digest > 0) {
            (false, false, false) => None,
            (true, false, false) => Some(PayloadKind::Attached),
            (false, true, false) => Some(PayloadKind::Detached),
            (false, false, true) => Some(PayloadKind::Digest),
            _ => Some(PayloadKind::Mixed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use crate::in_process::{fixture, run};

    const PAGE: &str = include_str!("../JSON.md");

    /// Objects whose keys are data.
    const MAPS: [&str; 9] = [
        "entries",
        "labels",
        "permissions",
        "prompts",
        "reasons",
        "redacted",
        "skipped",
        "unknown-keys",
        "unknown-types",
    ];

    /// The answers of `vac verify`, which have the same members.
    const ANSWERS: [&str; 7] =
        ["envelope", "payload-hash", "receipts", "record", "signature", "signer", "trace-metadata"];

    type Keys = BTreeMap<String, BTreeSet<String>>;

    /// Returns the keys that the page lists, by command.
    fn listed() -> Keys {
        let mut listed = Keys::new();
        for section in PAGE.split("\n## ").skip(1) {
            let (command, text) = section.split_once('\n').expect("a heading is a line");
            let keys = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
            listed.insert(command.to_owned(), keys.map(str::to_owned).collect());
        }
        listed
    }

    fn collect(value: &Value, path: &str, keys: &mut BTreeSet<String>) {
        match value {
            Value::Null => panic!("{path} is null"),
            Value::Array(items) => {
                for item in items {
                    collect(item, &format!("{path}[]"), keys);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    let dot = if path.is_empty() { "" } else { "." };
                    let path = if ANSWERS.contains(&path) {
                        format!("*.{key}")
                    } else {
                        format!("{path}{dot}{key}")
                    };
                    keys.insert(path.clone());
                    if !MAPS.contains(&key.as_str()) {
                        collect(member, &path, keys);
                    }
                }
            }
            _ => {}
        }
    }

    /// Runs a command and adds the keys of its document.
    fn print(folder: &Path, line: &str, keys: &mut Keys) {
        let words = line.split(' ').map(|word| match word.strip_prefix("@") {
            Some(name) => fixture(name).into_os_string(),
            None => match word.strip_prefix("./") {
                Some(name) => folder.join(name).into_os_string(),
                None => word.into(),
            },
        });
        let output = run(words);
        assert!(output.stdout.starts_with("{\n  \"vac\": \""), "{line}: {}", output.stderr);
        let document = output.json();
        let command = document["command"].as_str().expect("a name").to_owned();
        assert!(line.starts_with(&command), "{line}: {command}");
        collect(&document, "", keys.entry(command).or_default());
    }

    #[test]
    fn documents_have_the_keys_that_the_page_lists() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let home = folder.join("home/.claude/projects/p");
        fs::create_dir_all(&home).unwrap();
        fs::copy(fixture("claude/jsonl/basic/session.jsonl"), home.join("a.jsonl")).unwrap();
        fs::write(folder.join("notes.json"), "{}").unwrap();
        let mut keys = Keys::new();
        for line in [
            "convert --json --label a=b -o ./records/ @claude @codex @gemini @opencode ./notes.json",
            "list --json --root ./home",
            "search --json --in prompts,answers,reasoning,inputs,outputs --all e @claude @codex",
            "inspect --json @claude @codex @gemini @opencode @cursor ./records",
            "usage --json --by model --prices @prices/sample.json @claude @codex @opencode",
            "keygen --json -o ./keys",
            "validate --json --lint @schema @hostile @claude ./missing.json",
        ] {
            print(folder, line, &mut keys);
        }
        let record = fs::read_dir(folder.join("records")).unwrap();
        let record = record.map(|entry| entry.unwrap().path());
        let record = record.filter(|path| path.extension().is_some_and(|it| it == "json")).min();
        fs::copy(record.expect("a record"), folder.join("record.json")).unwrap();
        for line in [
            "sign --json ./record.json --key ./keys/signing-key.pem -o ./record.cose",
            "sign --json ./record.json --key ./keys/signing-key.pem --hash-envelope -o ./hash.cose",
            "verify --json ./record.cose --key ./keys/signing-key.pub.pem",
            "verify --json ./record.json --log @claude",
            "verify --json ./hash.cose --key ./keys/signing-key.pub.pem --record ./record.json",
            "inspect --json ./record.cose --key ./keys/signing-key.pub.pem",
            "validate --json ./record.cose",
        ] {
            print(folder, line, &mut keys);
        }
        let listed = listed();
        for (command, keys) in &keys {
            let known: BTreeSet<_> = listed["All documents"].union(&listed[command]).collect();
            let unlisted: Vec<_> = keys.iter().filter(|key| !known.contains(key)).collect();
            assert!(unlisted.is_empty(), "{command}: {unlisted:?}");
            // Members that few inputs have are listed, too; every other one has been printed.
            let unprinted = known.iter().filter(|key| !keys.contains(**key)).count();
            assert!(unprinted * 3 < known.len(), "{command}: {unprinted} of {}", known.len());
        }
    }

    #[test]
    fn keys_are_kebab_case() {
        for key in listed().values().flatten() {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            let is_allowed = |c: char| is_plain(c) || "-.[]*".contains(c);
            assert!(key.chars().all(is_allowed), "{key}");
        }
    }
}
