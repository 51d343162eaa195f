//! The Gemini adapter: nothing lost, every record valid, always the same bytes.

mod corpus;
mod golden;
mod hostile;
mod leaves;
mod mapping;

use vac_adapter::session::{self, Options};
use vac_adapter::{Adapter, Error, Memory, Report};
use vac_adapter_gemini::Gemini;
use vac_value::{Encoding, Layout};

/// The records of an input and their reports.
fn convert(name: &str, bytes: &[u8], options: &Options) -> Result<Vec<(Vec<u8>, Report)>, Error> {
    let input = Memory { name, bytes };
    let mut records = Vec::new();
    for session in Gemini.survey(&input)? {
        let mut out = Vec::new();
        let report = session::write(&*session, options, &mut out)?;
        records.push((out, report));
    }
    Ok(records)
}

/// The same as pretty JSON text.
fn pretty(name: &str, bytes: &[u8]) -> Result<Vec<String>, Error> {
    let options = Options { layout: Layout::Pretty, ..Options::default() };
    let records = convert(name, bytes, &options)?;
    Ok(records.iter().map(|(record, _)| String::from_utf8_lossy(record).into_owned()).collect())
}

/// The only record, to look inside.
fn record(name: &str, text: &str) -> serde_json::Value {
    let records = pretty(name, text.as_bytes()).expect("a session");
    assert_eq!(records.len(), 1, "one session");
    serde_json::from_str(&records[0]).expect("JSON")
}

/// Converts in every way and checks what has to be true of every input: the
/// record is valid, the same each time, and CBOR says as many entries as JSON.
fn check(name: &str, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let json = convert(name, bytes, &Options::default())?;
    let again = convert(name, bytes, &Options::default())?;
    let cbor = Options { encoding: Encoding::Cbor, ..Options::default() };
    let cbor = convert(name, bytes, &cbor)?;
    assert_eq!(json.len(), cbor.len(), "{name}");
    for (((json, report), (again, _)), (cbor, cbor_report)) in json.iter().zip(&again).zip(&cbor) {
        assert!(json == again, "{name}: another record the second time");
        let sum = |report: &Report| report.entries.values().sum::<u64>();
        if report.unparsed == cbor_report.unparsed {
            assert_eq!(sum(report), sum(cbor_report), "{name}");
        }
        for (bytes, encoding) in [(json, Encoding::Json), (cbor, Encoding::Cbor)] {
            let document = vac_value::Document::scan(bytes, encoding).expect("well-formed");
            let verdict = vac_validate::check(&document, vac_validate::ROOT, 1);
            assert!(verdict.violations.is_empty(), "{name}: {:?}", verdict.violations);
        }
    }
    Ok(json.into_iter().map(|(record, _)| record).collect())
}
