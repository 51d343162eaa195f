//! Tests that the deterministic encoding of every record of the corpus does not change when it is
//! encoded again.

use std::path::Path;

use vac_adapter::session::{self, RecordOptions};
use vac_adapter::{Adapter, Memory};
use vac_sign::canonical::{CanonicalError, Form, canonical};
use vac_tests::{root, shared};
use vac_value::{Document, Encoder, Encoding, Layout, transcode};

use super::{answers, signed};

fn encode_as(bytes: &[u8], from: Encoding, mut to: Encoder) -> Vec<u8> {
    let document = Document::scan(bytes, from).expect("a document");
    transcode(&document, &mut to).expect("a counterpart");
    to.finish()
}

fn check(record: &[u8]) {
    // Text without a CBOR form is kept in JSON and cannot be compared.
    let document = Document::json(record).expect("JSON");
    let mut cbor = Encoder::cbor();
    if transcode(&document, &mut cbor).is_ok() {
        let cbor = cbor.finish();
        assert!(Document::cbor(&cbor).expect("CBOR").is_tidy());
        assert_eq!(encode_as(&cbor, Encoding::Cbor, Encoder::cbor()), cbor);
        let json = encode_as(&cbor, Encoding::Cbor, Encoder::json(Layout::Compact));
        assert_eq!(encode_as(&json, Encoding::Json, Encoder::cbor()), cbor);
    }
    for form in [Form::Rfc8785, Form::Sorted] {
        match canonical(&document, form) {
            Ok(text) => {
                let again = Document::json(&text).expect("JSON");
                assert_eq!(canonical(&again, form).as_ref(), Ok(&text));
            }
            Err(CanonicalError::Number { .. } | CanonicalError::LoneSurrogate { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let envelope = signed(record);
    let answers = answers(&envelope);
    assert!(answers.is_verified(), "{answers:#?}");
}

#[test]
fn records_of_the_corpus_are_encoded_in_one_way_only() {
    let corpus = shared("corpus", "VAC_CORPUS");
    let folders: Vec<_> = corpus.into_iter().chain([root().join("fixtures")]).collect();
    let mut count = 0;
    for adapter in vac::AGENTS.iter().copied() {
        let mut files = Vec::new();
        for folder in &folders {
            find(&folder.join(adapter.name()), &mut files);
        }
        for path in files {
            for record in records(adapter, &path) {
                check(&record);
                count += 1;
            }
        }
    }
    println!("{count} records");
    assert!(count > 10, "{count} records");
}

fn find(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { find(&path, files) } else { files.push(path) }
    }
}

/// Returns the records of a log; none if it is not a log of this agent.
fn records(adapter: &dyn Adapter, path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).expect("a log");
    let input = Memory { name: &path.to_string_lossy(), bytes: &bytes };
    let mut records = Vec::new();
    for session in adapter.survey(&input).unwrap_or_default() {
        let mut record = Vec::new();
        if session::write(&*session, &RecordOptions::default(), &session::no_sources, &mut record)
            .is_ok()
        {
            records.push(record);
        }
    }
    records
}
