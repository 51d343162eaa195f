//! Lints header parameters of a signed record, and the record inside.

use std::borrow::Cow;

use vac_record::keys::{trace_metadata, unprotected_header};
use vac_schema::{LiteralMember, LiteralValue, TypeId};
use vac_value::{Document, Node, Violation};

use super::{Findings, record, times};
use crate::signed::{Envelope, PAYLOAD_PATH, Payload, labelled, payload};
use crate::{RuleId, SCHEMA, rules};

pub(super) fn lint(document: &Document<'_>, envelope: &Envelope<'_, '_>, findings: &mut Findings) {
    let header = envelope.protected.bytes().unwrap_or(Cow::Borrowed(b""));
    if let Ok(header) = Document::cbor(&header) {
        let mut inside = Findings::default();
        parameters(header.root(), rules::PROTECTED_HEADER, "", &mut inside);
        findings.add_inside(envelope.protected, "/0(protected)", inside.in_order());
    }
    let path = "/1(unprotected)";
    parameters(envelope.unprotected, rules::UNPROTECTED_HEADER, path, findings);
    let label = unprotected_header::TRACE_METADATA_KEY;
    if let Some(metadata) = labelled(envelope.unprotected, label) {
        let path = format!("{path}/{label}(trace-metadata-key)");
        let (start, end) = (trace_metadata::TIMESTAMP_START, trace_metadata::TIMESTAMP_END);
        times::span(metadata, start, end, &path, findings);
    }
    if let Some(Payload::Attached { bytes, encoding }) = payload(document)
        && let Ok(inside) = Document::scan(&bytes, encoding)
    {
        findings.add_inside(envelope.payload, PAYLOAD_PATH, record(&inside));
    }
}

/// Reports header parameters with a value of the wrong type. The schema accepts these as unknown
/// parameters, because it describes the parameters without a cut (`=>`).
fn parameters(header: Node<'_, '_>, rule: RuleId, path: &str, findings: &mut Findings) {
    let members = SCHEMA.literal_members(rule).expect("headers are maps");
    for LiteralMember { label, is_cut, value: id } in members {
        let LiteralValue::Integer(number) = label.value else { continue };
        let Some(value) = labelled(header, number).filter(|_| !is_cut) else { continue };
        if let Some(problem) = problem(rule, id, value) {
            let message = format!("{problem}: accepted only as an unknown parameter");
            let path = format!("{path}/{number}({})", label.name);
            findings.add(value, "label-not-cut", path, message);
        }
    }
}

/// Returns the reason why a value is not of a type.
fn problem(rule: RuleId, id: TypeId, value: Node<'_, '_>) -> Option<String> {
    let violations = SCHEMA.validate_type(rule, id, value, 1).err()?;
    Some(match violations.as_slice().first() {
        Some(Violation { expected, found, others, .. }) if others.is_empty() => {
            format!("expected {expected}, found {found}")
        }
        _ => format!("expected {}", SCHEMA.describe(id)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_record::{ProtectedHeader, UnprotectedHeader};

    #[test]
    fn all_parameters_of_the_schema_are_checked() {
        for (rule, keys) in [
            (rules::PROTECTED_HEADER, &ProtectedHeader::KEYS[..]),
            (rules::UNPROTECTED_HEADER, &UnprotectedHeader::KEYS),
        ] {
            let members = SCHEMA.literal_members(rule).expect("a map");
            let labels: Vec<_> = members.iter().map(|member| member.label.value.clone()).collect();
            let keys: Vec<_> = keys.iter().map(|key| LiteralValue::Integer(*key)).collect();
            assert_eq!(labels, keys);
        }
    }
}
