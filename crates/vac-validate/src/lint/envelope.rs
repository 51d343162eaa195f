//! Signed records: header parameters, and the record inside.

use std::borrow::Cow;

use vac_value::{Document, Kind, Node};

use super::{Findings, record, times};
use crate::signed::{Envelope, PAYLOAD_PATH, Payload, labelled, payload};
use crate::{RuleId, SCHEMA, rules, validate_node};

/// A parameter that the schema describes without a cut (`=>`): a value that
/// does not fit passes as that of some unknown parameter.
struct Parameter {
    label: i128,
    name: &'static str,
    wanted: Wanted,
}

enum Wanted {
    Kinds(&'static [Kind], &'static str),
    Rule(RuleId),
    /// An array of at least one.
    Some(RuleId),
}

const PROTECTED: &[Parameter] = &[
    Parameter { label: 1, name: "alg", wanted: Wanted::Kinds(&[Kind::Integer], "int") },
    Parameter {
        label: 3,
        name: "content_type",
        wanted: Wanted::Kinds(&[Kind::Text, Kind::Integer], "tstr or uint"),
    },
    Parameter { label: 4, name: "kid", wanted: Wanted::Kinds(&[Kind::Bytes], "bstr") },
    Parameter { label: 34, name: "x5t", wanted: Wanted::Rule(rules::COSE_CERT_HASH) },
    Parameter { label: 33, name: "x5chain", wanted: Wanted::Rule(rules::COSE_X509) },
];

const UNPROTECTED: &[Parameter] = &[
    Parameter {
        label: 100,
        name: "trace-metadata-key",
        wanted: Wanted::Rule(rules::TRACE_METADATA),
    },
    Parameter { label: 33, name: "x5chain", wanted: Wanted::Rule(rules::COSE_X509) },
    Parameter { label: 394, name: "receipts", wanted: Wanted::Some(rules::RECEIPT) },
];

pub(super) fn lint(document: &Document<'_>, envelope: &Envelope<'_, '_>, findings: &mut Findings) {
    let header = envelope.protected.bytes().unwrap_or(Cow::Borrowed(b""));
    if let Ok(header) = Document::cbor(&header) {
        let mut inside = Findings::default();
        parameters(header.root(), PROTECTED, "", &mut inside);
        findings.add_inside(envelope.protected, "/0(protected)", inside.in_order());
    }
    let path = "/1(unprotected)";
    parameters(envelope.unprotected, UNPROTECTED, path, findings);
    if let Some(metadata) = labelled(envelope.unprotected, 100) {
        let path = format!("{path}/100(trace-metadata-key)");
        times::span(metadata, "timestamp-start", "timestamp-end", &path, findings);
    }
    if let Some(Payload::Attached { bytes, encoding }) = payload(document)
        && let Ok(inside) = Document::scan(&bytes, encoding)
    {
        findings.add_inside(envelope.payload, PAYLOAD_PATH, record(&inside));
    }
}

fn parameters(header: Node<'_, '_>, known: &[Parameter], path: &str, findings: &mut Findings) {
    for Parameter { label, name, wanted } in known {
        let Some(value) = labelled(header, *label) else { continue };
        if let Some(problem) = wanted.problem(value) {
            let message = format!("{problem}: passes only as a parameter that nobody knows");
            findings.add(value, "label-not-cut", format!("{path}/{label}({name})"), message);
        }
    }
}

impl Wanted {
    /// Why a value does not fit.
    fn problem(&self, value: Node<'_, '_>) -> Option<String> {
        let wrong_kind =
            |wanted: &str| Some(format!("expected {wanted}, found {}", vac_value::found(value)));
        match self {
            Self::Kinds(kinds, wanted) => {
                let fits = kinds.contains(&value.kind())
                    && (*wanted == "int" || value.integer().is_none_or(|number| number >= 0));
                if fits { None } else { wrong_kind(wanted) }
            }
            Self::Rule(rule) => violation(value, *rule),
            Self::Some(rule) if value.elements().next().is_none() => {
                wrong_kind(&format!("an array of one or more {}", SCHEMA.name(*rule)))
            }
            Self::Some(rule) => value.elements().find_map(|element| violation(element, *rule)),
        }
    }
}

/// Describes the first violation of a rule.
fn violation(node: Node<'_, '_>, rule: RuleId) -> Option<String> {
    let violations = validate_node(node, rule, 1).err()?;
    let first = violations.as_slice().first()?;
    Some(format!("expected {}, but {first}", SCHEMA.name(rule)))
}
