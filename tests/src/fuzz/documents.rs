//! Checks records and other documents, in JSON and in CBOR.

use vac_record::{Decode, Start};
use vac_schema::RuleId;
use vac_sign::canonical::{Form, canonical};
use vac_validate::{
    Document, Encoding, Error, MAX_VIOLATIONS, SCHEMA, detect_encoding, lint, rules, signed,
    stream, validate, validate_document,
};
use vac_value::{Any, Encode as _, Encoder, Layout};

use super::logs::view;

/// Checks JSON: the validators of whole documents and of streams agree, and so do the validator and
/// the generated types.
pub fn json(bytes: &[u8]) {
    let whole = validate(bytes, Encoding::Json);
    let streamed = stream::validate(bytes, MAX_VIOLATIONS);
    match (whole, streamed) {
        (Ok(()), Ok(())) => {}
        (Err(Error::Invalid(whole)), Err(stream::Error::Invalid(streamed))) => {
            assert_eq!(whole, streamed);
        }
        (Err(Error::Syntax(whole)), Err(stream::Error::Syntax(streamed))) => {
            assert_eq!(whole, streamed);
        }
        (whole, streamed) => panic!("{whole:?}, but in a stream {streamed:?}"),
    }
    read(bytes, Encoding::Json);
}

/// Checks CBOR: the validator and the generated types agree.
pub fn cbor(bytes: &[u8]) {
    read(bytes, Encoding::Cbor);
}

fn read(bytes: &[u8], encoding: Encoding) {
    let Ok(document) = Document::scan(bytes, encoding) else { return };
    for (rule, _) in (0..).zip(&*SCHEMA.rules) {
        let recorded = validate_document(&document, RuleId(rule), MAX_VIOLATIONS);
        let counted = validate_document(&document, RuleId(rule), 0);
        let total = |verdict: &Result<(), vac_schema::Violations>| {
            verdict.as_ref().map_or_else(vac_schema::Violations::total, |()| 0)
        };
        assert_eq!(total(&recorded), total(&counted));
    }
    for finding in lint::lint(&document) {
        assert!(lint::CODES.iter().any(|(code, _)| *code == finding.code), "{finding}");
    }
    if let Some(payload) = signed::payload(&document) {
        let _ = payload.validate(MAX_VIOLATIONS);
    }
    if vac_view::record::is_record(&document) {
        // Documents that only resemble a record are an error, which is allowed.
        let _ = vac_view::record::read(&document, vac::AGENTS, &mut view);
    }
    // The types accept no duplicate keys; whether the schema does depends on the place.
    if document.duplicate_keys().len() == 0 {
        let is_valid = validate_document(&document, rules::ROOT, 1).is_ok();
        let decoded = Start::from_bytes(bytes, encoding);
        assert_eq!(decoded.is_ok(), is_valid, "types: {decoded:?}");
        if let Ok(Ok(written)) = decoded.map(|value| value.to_cbor()) {
            assert_eq!(document.root().carry(), Any::from_cbor(&written).expect("CBOR"));
        }
    }
}

/// Checks that transcoding loses nothing: JSON to CBOR to JSON to CBOR gives the first CBOR again,
/// and writing a form that is unique for a value (CBOR, compact JSON, canonical JSON) again does
/// not change it.
pub fn transcode(bytes: &[u8]) {
    let encoding = detect_encoding(bytes);
    if let Some(cbor) = to_cbor(bytes, encoding) {
        assert_eq!(to_cbor(&cbor, Encoding::Cbor), Some(cbor));
    }
    if let Some(json) = to_json(bytes, encoding, Layout::Compact) {
        let pretty = to_json(&json, Encoding::Json, Layout::Pretty).expect("it is JSON");
        assert_eq!(to_json(&pretty, Encoding::Json, Layout::Compact), Some(json.clone()));
        if let Some(cbor) = to_cbor(&json, Encoding::Json) {
            let again = to_json(&cbor, Encoding::Cbor, Layout::Compact).expect("it was JSON");
            let shown = String::from_utf8_lossy(&again);
            assert_eq!(to_cbor(&again, Encoding::Json), Some(cbor), "{shown}");
        }
    }
    for form in [Form::Rfc8785, Form::Sorted] {
        let canonical =
            |bytes: &[u8], encoding| canonical(&Document::scan(bytes, encoding).ok()?, form).ok();
        if let Some(json) = canonical(bytes, encoding) {
            assert_eq!(canonical(&json, Encoding::Json), Some(json), "{form:?}");
        }
    }
}

fn to_cbor(bytes: &[u8], from: Encoding) -> Option<Vec<u8>> {
    write_as(bytes, from, Encoder::cbor())
}

fn to_json(bytes: &[u8], from: Encoding, layout: Layout) -> Option<Vec<u8>> {
    write_as(bytes, from, Encoder::json(layout))
}

/// Returns the document in the form of an encoder; `None` if it is not a document or if the
/// encoding cannot express a value in it.
fn write_as(bytes: &[u8], from: Encoding, mut to: Encoder) -> Option<Vec<u8>> {
    let document = Document::scan(bytes, from).ok()?;
    vac_value::transcode(&document, &mut to).ok()?;
    Some(to.finish())
}
