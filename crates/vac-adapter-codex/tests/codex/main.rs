//! The adapter against files: ours, with the records they must become, and
//! those of a corpus, if there is one.

mod corpus;
mod golden;
mod hostile;
mod leaves;
mod mapping;

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use vac_adapter::session::{Options, write};
use vac_adapter::{Adapter, Error, Input, Memory, Report};
use vac_adapter_codex::Codex;
use vac_value::{Document, Encoding, Layout};

/// An input that is read again for every pass.
struct Streamed<'a>(Memory<'a>);

impl Input for Streamed<'_> {
    fn name(&self) -> &str {
        self.0.name
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.0.bytes))
    }
}

fn options(encoding: Encoding, layout: Layout) -> Options {
    Options { encoding, layout, ..Options::default() }
}

/// The record of the one session of an input.
fn convert_with(input: &dyn Input, options: &Options) -> Result<(Vec<u8>, Report), Error> {
    let sessions = Codex.survey(input)?;
    assert_eq!(sessions.len(), 1, "a log of Codex is one session");
    let mut record = Vec::new();
    let report = write(&*sessions[0], options, &mut record)?;
    Ok((record, report))
}

/// The record as compact JSON; held or streamed, once or twice, it is the same,
/// and it is valid in both encodings.
fn convert(name: &str, bytes: &[u8]) -> Result<(Vec<u8>, Report), Error> {
    let input = Memory { name, bytes };
    let json = options(Encoding::Json, Layout::Compact);
    let (record, report) = convert_with(&input, &json)?;
    let (again, _) = convert_with(&Streamed(input), &json)?;
    assert!(record == again, "{name}: streamed, it is another record");
    let (cbor, _) = convert_with(&input, &options(Encoding::Cbor, Layout::Compact))?;
    for (bytes, encoding) in [(&record, Encoding::Json), (&cbor, Encoding::Cbor)] {
        let verdict = vac_validate::validate(bytes, encoding).expect("the record can be read");
        assert!(verdict.is_valid(), "{name}: {:?}", verdict.violations);
    }
    let document = Document::json(&record).expect("the record can be read");
    assert_eq!(document.duplicate_keys().len(), 0, "{name}: a key stands twice");
    Ok((record, report))
}

/// The record of lines, to look into.
fn converted(lines: &[&str]) -> (serde_json::Value, Report) {
    let log = lines.join("\n");
    let (record, report) = convert("rollout.jsonl", log.as_bytes()).expect("converts");
    leaves::check("lines", log.as_bytes(), &record);
    (serde_json::from_slice(&record).expect("JSON"), report)
}

/// The workspace's folder.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
