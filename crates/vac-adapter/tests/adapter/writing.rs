//! The session writer, with a sample session.

use vac_adapter::frame::Place;
use vac_adapter::session::{self, RecordOptions};
use vac_adapter::{Adapter, Error, Origin, Session, Sink, SourceFile, ids, raw};
use vac_record::{
    AbstractTimestamp, AgentMeta, Entry, MessageEntry, MessageEntryType, SessionId, SessionTrace,
    VerifiableAgentRecord,
};
use vac_value::{Any, Document, Encoding, Layout, Map};

/// A session of entries with these contents.
struct SampleSession {
    contents: &'static [&'static str],
    counted: u64,
}

const TIME: &str = "2026-01-01T00:00:00Z";

impl Session for SampleSession {
    fn adapter(&self) -> Option<&'static dyn Adapter> {
        None
    }

    fn agent(&self) -> std::borrow::Cow<'_, str> {
        "sample".into()
    }

    fn variant(&self) -> &'static str {
        "test"
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        VerifiableAgentRecord {
            version: vac_record::SCHEMA_VERSION.into(),
            id: "s".into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text("s".into()),
                session_start: None,
                session_end: None,
                agent_meta: AgentMeta {
                    model_id: "m".into(),
                    model_provider: "p".into(),
                    models: None,
                    cli_name: None,
                    cli_version: Some("1".into()),
                    extensions: Map::default(),
                },
                environment: None,
                entries: Vec::new(),
                extensions: Map::default(),
            },
            created: None,
            file_attribution: None,
            vcs: None,
            recording_agent: None,
            extensions: Map::default(),
        }
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        for (line, content) in (1..).zip(self.contents) {
            let place = Place { index: line - 1, line, part: 1, ..Place::default() };
            let entry = Entry::Message(MessageEntry {
                kind: MessageEntryType::User,
                content: Any::from_json(content.as_bytes()).ok(),
                timestamp: AbstractTimestamp::try_from(TIME).ok(),
                id: Some(place.id().into()),
                model_id: None,
                parent_id: None,
                token_usage: None,
                children: None,
                extensions: Map::default(),
            });
            sink.entry(entry, Origin { place, bytes: content.as_bytes() })?;
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.counted)
    }
}

fn write(session: &SampleSession, options: &RecordOptions) -> Result<Vec<u8>, Error> {
    let mut record = Vec::new();
    session::write(session, options, &session::no_sources, &mut record)?;
    Ok(record)
}

const TWO: SampleSession = SampleSession { contents: &["1.0", "{\"a\": [true]}"], counted: 2 };

#[test]
fn json_is_in_the_order_of_the_schema() {
    let source = SourceFile { name: "s.jsonl".into(), size: 7, sha_256: "00ff".into() };
    let sources = || Ok(vec![source.clone()]);
    let mut record = Vec::new();
    session::write(&TWO, &RecordOptions::default(), &sources, &mut record).expect("a record");
    let expected = concat!(
        r#"{"version":"3.0.0-draft","id":"s","session":{"session-id":"s","#,
        r#""agent-meta":{"model-id":"m","model-provider":"p","cli-version":"1"},"entries":["#,
        r#"{"type":"user","content":1.0,"timestamp":"2026-01-01T00:00:00Z","id":"L1"},"#,
        r#"{"type":"user","content":{"a":[true]},"timestamp":"2026-01-01T00:00:00Z","id":"L2"}"#,
        r#"]},"recording-agent":{"name":"vac","version":"VERSION","#,
        r#""sources":[{"name":"s.jsonl","size":7,"sha-256":"00ff"}]}}"#,
    );
    let expected = expected.replace("VERSION", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8_lossy(&record), expected);
}

#[test]
fn written_record_equals_the_collected_record() {
    use vac_value::{Encode, Encoder};
    for contents in [&[][..], &["1"], &["1", "[2, 3]", "\"x\""]] {
        let session = SampleSession { contents, counted: contents.len() as u64 };
        let (record, _) = session::collect(&session, &RecordOptions::default()).expect("a record");
        for (encoding, layout) in [
            (Encoding::Json, Layout::Compact),
            (Encoding::Json, Layout::Pretty),
            (Encoding::Cbor, Layout::Compact),
        ] {
            let options = RecordOptions { encoding, layout, ..RecordOptions::default() };
            let mut encoder = match encoding {
                Encoding::Json => Encoder::json(layout),
                Encoding::Cbor => Encoder::cbor(),
            };
            record.encode(&mut encoder).expect("encoded");
            let bytes = write(&session, &options).expect("a record");
            assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(encoder.written()));
        }
    }
}

#[test]
fn value_without_a_cbor_form_is_kept_as_text() {
    let session = SampleSession { contents: &["1", r#""\ud800""#, "3"], counted: 3 };
    let options = RecordOptions { encoding: Encoding::Cbor, ..RecordOptions::default() };
    let mut record = Vec::new();
    let report =
        session::write(&session, &options, &session::no_sources, &mut record).expect("a record");
    assert_eq!(report.unparsed.lines, [2]);
    assert_eq!(report.entries["system-event"], 1);
    let document = Document::cbor(&record).expect("CBOR");
    let session = document.root().member("session").expect("a session");
    let entry = session.member("entries").and_then(|entries| entries.elements().nth(1));
    let entry = entry.expect("an entry");
    assert!(entry.member("event-type").is_some_and(|kind| kind.is_text(raw::EVENT_TYPE)));
    assert!(entry.member("id").is_some_and(|id| id.is_text("L2")));
    let text = entry.member("data").and_then(|data| data.member("raw"));
    assert!(text.is_some_and(|text| text.is_text(r#""\ud800""#)));
}

#[test]
fn wrong_count_is_an_error() {
    let session = SampleSession { contents: &["1", "2"], counted: 3 };
    let options = RecordOptions { encoding: Encoding::Cbor, ..RecordOptions::default() };
    let error = write(&session, &options).expect_err("refused");
    assert!(matches!(error, Error::Miscounted { expected: 3, found: 2 }));
}

#[test]
fn report_can_be_written_as_json() {
    let report =
        session::write(&TWO, &RecordOptions::default(), &session::no_sources, &mut Vec::new())
            .expect("a record");
    let json = serde_json::to_string(&report).expect("JSON");
    assert_eq!(
        json,
        concat!(
            r#"{"agent":"sample","variant":"test","cli-version":"1","session-id":"s","#,
            r#""sources":[],"frames":0,"unparsed":{"count":0,"lines":[],"reasons":{}},"#,
            r#""entries":{"user":2},"unknown-types":{},"unknown-keys":{},"redacted":{},"duplicates-linked":0,"#,
            r#""warnings":[]}"#,
        )
    );
}

#[test]
fn id_made_from_bytes_depends_only_on_them() {
    let id = ids::from_bytes(&b"some bytes"[..]).expect("readable");
    assert_eq!(id, ids::from_bytes(&b"some bytes"[..]).expect("readable"));
    assert_ne!(id, ids::from_bytes(&b"some bytez"[..]).expect("readable"));
    assert_eq!((id.len(), &id[14..15]), (36, "8"));
}
