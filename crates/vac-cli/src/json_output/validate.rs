//! The document of `vac validate`.

use serde::Serialize;
use vac::validation::lint::Finding;
use vac::validation::{Violation, ViolationKind};

use crate::sessions::Signature;
use crate::validate::run::{Outcome, Place, Problem, Signed};

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
    /// The state of the signature, which `validate` does not check.
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
            signature: signed.map(|_| Signature::NotChecked { signer: None }),
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
