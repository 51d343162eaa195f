//! The adapter over its fixtures, over hostile input and over real sessions.

mod corpus;
mod fixtures;
mod hostile;
mod mapping;
mod no_drop;

use vac_adapter::{Adapter, Error, Memory, Report, session};
use vac_adapter_cursor::Cursor;
use vac_value::{Encoding, Layout};

/// The records of an input as compact JSON, and their reports; every one is valid in
/// both encodings, and a second conversion gives the same bytes.
fn convert(name: &str, bytes: &[u8]) -> Result<Vec<(String, Report)>, Error> {
    let once = written(name, bytes, Encoding::Json, Layout::Compact)?;
    let again = written(name, bytes, Encoding::Json, Layout::Compact)?;
    for ((one, _), (other, _)) in once.iter().zip(&again) {
        assert!(one == other, "{name}: another record the second time");
    }
    for (cbor, _) in written(name, bytes, Encoding::Cbor, Layout::Compact)? {
        assert_valid(name, &cbor, Encoding::Cbor);
    }
    let records = once.into_iter().map(|(json, report)| {
        assert_valid(name, &json, Encoding::Json);
        (String::from_utf8(json).expect("JSON is text"), report)
    });
    Ok(records.collect())
}

fn written(
    name: &str,
    bytes: &[u8],
    encoding: Encoding,
    layout: Layout,
) -> Result<Vec<(Vec<u8>, Report)>, Error> {
    let input = Memory { name, bytes };
    let sessions = Cursor.survey(&input)?;
    let options = session::Options { encoding, layout, ..session::Options::default() };
    let records = sessions.iter().map(|session| {
        let mut record = Vec::new();
        let report = session::write(&**session, &options, &mut record)?;
        Ok((record, report))
    });
    records.collect()
}

fn assert_valid(name: &str, record: &[u8], encoding: Encoding) {
    let violations = vac_validate::validate(record, encoding).expect("a document").violations;
    assert!(violations.is_empty(), "{name}: {violations:?}");
}

/// The only record of an input, to look into.
fn one(bytes: &[u8]) -> (serde_json::Value, Report) {
    let mut records = convert("s.jsonl", bytes).expect("a record");
    assert_eq!(records.len(), 1, "one session");
    let (record, report) = records.remove(0);
    (serde_json::from_str(&record).expect("JSON"), report)
}
