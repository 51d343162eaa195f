//! Validates records.

use serde::Serialize;
use vac_validate::signed;
use vac_validate::{Document, MAX_VIOLATIONS, Violation, Violations, rules, validate_document};

use crate::error::Result;
use crate::parallel::with_stack;
use crate::record_documents::each_valid_document;

/// The result of validating records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Validation {
    /// The number of records.
    pub records: usize,
    /// The syntax error of the bytes, or of those after the last record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syntax_error: Option<String>,
    /// The first violations of the schema.
    pub violations: Vec<RecordViolation>,
    /// The number of all violations.
    pub total_violations: usize,
}

/// A violation, and the record that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecordViolation {
    /// The number of the record, from 1.
    pub record: usize,
    /// The violation.
    #[serde(flatten)]
    pub violation: Violation,
}

impl Validation {
    /// Returns whether there are records, and all of them are valid.
    pub fn is_valid(&self) -> bool {
        self.syntax_error.is_none() && self.total_violations == 0
    }

    fn add(&mut self, found: Result<(), Violations>) {
        let Err(violations) = found else { return };
        self.total_violations += violations.total();
        let record = self.records;
        let found = violations.into_iter().map(|violation| RecordViolation { record, violation });
        self.violations.extend(found);
    }
}

/// Validates records in JSON or CBOR, one after the other. The record in a signed one is
/// validated, too; its signature is not checked.
///
/// ```
/// let found = vac::validate(br#"{"version": "3.0.0-draft", "id": 7}"#)?;
/// assert!(!found.is_valid());
/// assert_eq!(found.violations[0].violation.path, "/id");
/// # Ok::<(), vac::Error>(())
/// ```
///
/// # Errors
/// If no thread can be started.
pub fn validate(bytes: &[u8]) -> Result<Validation> {
    with_stack(|| {
        let mut found = Validation::default();
        found.syntax_error = each_valid_document(bytes, &mut |document| {
            validate_record(document, &mut found);
            Ok(())
        })?;
        Ok(found)
    })?
}

fn validate_record(document: &Document<'_>, found: &mut Validation) {
    found.records += 1;
    let room = |found: &Validation| MAX_VIOLATIONS.saturating_sub(found.violations.len());
    found.add(validate_document(document, rules::ROOT, room(found)));
    if let Some(payload) = signed::payload(document) {
        found.add(payload.validate(room(found)));
    }
}
