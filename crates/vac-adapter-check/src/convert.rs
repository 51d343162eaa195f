//! Converts logs in every way: from memory and streamed, written and collected, to JSON and CBOR.

use std::io::{self, Read};

use serde_json::Value;
use vac_adapter::container::{Container, Trouble};
use vac_adapter::session::{self, RecordOptions};
use vac_adapter::{Adapter, Error, Input, Profile, Report};
use vac_value::{Any, Document, Encode, Encoding, Layout};

use crate::native;

/// A record, with its report and variant.
#[derive(Clone, Debug)]
pub struct ConvertedRecord {
    /// The record as it was written.
    pub record: Vec<u8>,
    /// The report on the conversion.
    pub report: Report,
    /// The variant of the log.
    pub variant: &'static str,
}

impl ConvertedRecord {
    /// Parses a record in JSON.
    pub fn value(&self) -> Value {
        native::value(&self.record).expect("a record in JSON")
    }

    /// Returns the entries of a record in JSON.
    pub fn entries(&self) -> Vec<Value> {
        match self.value()["session"]["entries"].take() {
            Value::Array(entries) => entries,
            other => panic!("entries are {other}"),
        }
    }

    /// Returns a record in JSON as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.record).expect("a record in JSON")
    }
}

/// Converts an input. Panics unless all records are valid.
pub fn convert(
    adapter: &dyn Adapter,
    input: &dyn Input,
    options: &RecordOptions,
) -> Result<Vec<ConvertedRecord>, Error> {
    let mut records = Vec::new();
    for session in adapter.survey(input)? {
        let mut record = Vec::new();
        let report = session::write(&*session, options, &session::no_sources, &mut record)?;
        assert_eq!(session.agent(), adapter.name());
        assert_valid(&record, options.encoding, input.name());
        records.push(ConvertedRecord { record, report, variant: session.variant() });
    }
    assert!(!records.is_empty(), "{}: neither a session nor a refusal", input.name());
    Ok(records)
}

/// Converts an input to compact JSON in the full profile.
pub fn convert_full(
    adapter: &dyn Adapter,
    input: &dyn Input,
) -> Result<Vec<ConvertedRecord>, Error> {
    convert(adapter, input, &RecordOptions::default())
}

/// Panics unless a record is valid and has no duplicate keys.
pub fn assert_valid(record: &[u8], encoding: Encoding, name: &str) {
    let document = Document::scan(record, encoding)
        .unwrap_or_else(|error| panic!("{name}: the record cannot be read: {error}"));
    let verdict = vac_validate::validate_document(&document, vac_validate::rules::ROOT, 5);
    assert_eq!(verdict, Ok(()), "{name}");
    assert_eq!(document.duplicate_keys().len(), 0, "{name}: duplicate keys");
}

/// Converts an input from memory and streamed. Panics unless both give the same records.
pub fn convert_twice(
    adapter: &dyn Adapter,
    input: &dyn Input,
) -> Result<Vec<ConvertedRecord>, Error> {
    let records = convert_full(adapter, input)?;
    let streamed = convert_full(adapter, &Streamed::new(input))?;
    assert_same(&records, &streamed, &format!("{}, streamed", input.name()));
    Ok(records)
}

/// Converts an input in every way. Panics unless the records are the same from memory and streamed,
/// written and collected, in JSON and CBOR, and valid in both profiles and encodings.
pub fn convert_in_every_way(
    adapter: &dyn Adapter,
    input: &dyn Input,
) -> Result<Vec<ConvertedRecord>, Error> {
    let name = input.name();
    let records = convert_twice(adapter, input)?;
    assert_same(&records, &convert_collected(adapter, input)?, &format!("{name}, collected"));
    let cbor = RecordOptions { encoding: Encoding::Cbor, ..RecordOptions::default() };
    let in_cbor = convert(adapter, input, &cbor)?;
    let streamed = convert(adapter, &Streamed::new(input), &cbor)?;
    assert_same(&in_cbor, &streamed, &format!("{name}, CBOR, streamed"));
    assert_eq!(records.len(), in_cbor.len(), "{name}: another number of records in CBOR");
    for (json, cbor) in records.iter().zip(&in_cbor) {
        assert_equal(json, cbor, name);
    }
    for encoding in [Encoding::Json, Encoding::Cbor] {
        let canonical =
            RecordOptions { profile: Profile::Canonical, encoding, ..RecordOptions::default() };
        assert_eq!(records.len(), convert(adapter, input, &canonical)?.len(), "{name}");
    }
    Ok(records)
}

/// Converts an input with [`session::collect`], and writes the records.
fn convert_collected(
    adapter: &dyn Adapter,
    input: &dyn Input,
) -> Result<Vec<ConvertedRecord>, Error> {
    let mut records = Vec::new();
    for session in adapter.survey(input)? {
        let (record, report) = session::collect(&*session, &RecordOptions::default())?;
        let record = record.to_json()?.into_bytes();
        records.push(ConvertedRecord { record, report, variant: session.variant() });
    }
    Ok(records)
}

fn assert_same(ours: &[ConvertedRecord], others: &[ConvertedRecord], how: &str) {
    assert_eq!(ours.len(), others.len(), "{how}: another number of records");
    for (one, other) in ours.iter().zip(others) {
        assert!(one.record == other.record, "{how}: another record");
        assert_eq!(format!("{:?}", one.report), format!("{:?}", other.report), "{how}");
    }
}

/// Panics unless the records in CBOR and JSON have the same number of entries. They also have to be
/// equal, unless one of them keeps an entry unparsed that the other can express.
fn assert_equal(json: &ConvertedRecord, cbor: &ConvertedRecord, name: &str) {
    let [ours, other] = [(json, Encoding::Json), (cbor, Encoding::Cbor)]
        .map(|(converted, encoding)| count_entries(&converted.record, encoding));
    assert_eq!(ours, other, "{name}: another number of entries in CBOR");
    if json.report.unparsed != cbor.report.unparsed {
        assert!(
            json.report.unparsed.count < cbor.report.unparsed.count,
            "{name}: JSON keeps more unparsed"
        );
        return;
    }
    let ours = Any::from_json(&json.record).expect("JSON");
    let other = Any::from_cbor(&cbor.record).expect("CBOR");
    assert!(ours == other, "{name}: another record in CBOR");
}

fn count_entries(record: &[u8], encoding: Encoding) -> usize {
    let document = Document::scan(record, encoding).expect("a record");
    let session = document.root().member("session").expect("a record has a session");
    session.member("entries").expect("a session has entries").elements().count()
}

/// Converts an input to the content of golden files: pretty-printed JSON in the full profile, with
/// a line end.
pub fn convert_pretty(
    adapter: &dyn Adapter,
    input: &dyn Input,
) -> Result<Vec<ConvertedRecord>, Error> {
    let options = RecordOptions { layout: Layout::Pretty, ..RecordOptions::default() };
    let mut records = convert(adapter, input, &options)?;
    for converted in &mut records {
        converted.record.push(b'\n');
    }
    Ok(records)
}

/// An input that is read through a reader, a few thousand bytes at a time, instead of from memory.
pub struct Streamed<'i> {
    input: &'i dyn Input,
    parts: Vec<Streamed<'i>>,
    attachments: Vec<Streamed<'i>>,
}

impl<'i> Streamed<'i> {
    /// Wraps an input.
    pub fn new(input: &'i dyn Input) -> Self {
        let all = |inputs: Vec<&'i dyn Input>| inputs.into_iter().map(Self::new).collect();
        Self { input, parts: all(input.parts()), attachments: all(input.attachments()) }
    }
}

impl Input for Streamed<'_> {
    fn name(&self) -> &str {
        self.input.name()
    }

    fn folder(&self) -> &str {
        self.input.folder()
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(ShortReads(self.input.open()?)))
    }

    fn max_event(&self) -> usize {
        self.input.max_event()
    }

    fn container(&self) -> Container {
        self.input.container()
    }

    fn troubles(&self) -> &[Trouble] {
        self.input.troubles()
    }

    fn parts(&self) -> Vec<&dyn Input> {
        self.parts.iter().map(|part| part as &dyn Input).collect()
    }

    fn attachments(&self) -> Vec<&dyn Input> {
        self.attachments.iter().map(|part| part as &dyn Input).collect()
    }
}

struct ShortReads<R>(R);

impl<R: Read> Read for ShortReads<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(4093);
        self.0.read(&mut buffer[..length])
    }
}
