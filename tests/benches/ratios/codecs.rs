//! Measures records: scanning, validating, decoding into types, writing.

use std::hint::black_box;

use vac_record::{Decode, VerifiableAgentRecord};
use vac_tests::synthetic;
use vac_value::{Document, Encode, Encoding};

use crate::inputs::Inputs;
use crate::measure::Effort;
use crate::table::{PROCESSOR_TIME, Row, Table};

const COLUMNS: [&str; 7] = [
    "scan JSON",
    "validate JSON",
    "decode JSON",
    "encode JSON",
    "validate CBOR",
    "decode CBOR",
    "encode CBOR",
];

/// Measures scanning, validating, decoding and writing for every record.
pub fn table(inputs: &Inputs, effort: Effort) -> Table {
    let rows = inputs.records.iter().map(|(name, json)| row(name, json.as_bytes(), effort));
    Table {
        title: "Validating, decoding, encoding",
        measure: PROCESSOR_TIME,
        baseline: "`serde_json::from_slice::<Value>` of the record in JSON",
        of: "record",
        columns: COLUMNS.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn row(name: &str, json: &[u8], effort: Effort) -> Row {
    let record = VerifiableAgentRecord::from_json(json).expect("a record");
    let baseline = || {
        black_box(serde_json::from_slice::<serde_json::Value>(json).expect("JSON"));
    };
    let ratio = |work: &mut dyn FnMut()| Some(effort.ratio(&baseline, work));
    let validate = |bytes: &[u8], encoding| {
        assert_eq!(vac_validate::validate(bytes, encoding), Ok(()));
    };
    let mut cells = vec![
        ratio(&mut || drop(black_box(Document::json(json).expect("JSON")))),
        ratio(&mut || validate(json, Encoding::Json)),
        ratio(&mut || drop(black_box(VerifiableAgentRecord::from_json(json).expect("a record")))),
        ratio(&mut || drop(black_box(record.to_json().expect("JSON")))),
    ];
    // Some records have no CBOR form.
    if let Ok(cbor) = &record.to_cbor() {
        cells.push(ratio(&mut || validate(cbor, Encoding::Cbor)));
        cells.push(ratio(&mut || {
            drop(black_box(VerifiableAgentRecord::from_cbor(cbor).expect("a record")));
        }));
        let from_cbor = VerifiableAgentRecord::from_cbor(cbor).expect("a record");
        cells.push(ratio(&mut || drop(black_box(from_cbor.to_cbor().expect("CBOR")))));
    }
    cells.resize(COLUMNS.len(), None);
    Row { name: name.to_owned(), bytes: Some(json.len()), cells }
}

/// Measures how the time for a byte changes with the size of a record.
pub fn growth(effort: Effort) -> Table {
    let row = |name: &str, sizes: [usize; 4], make: fn(usize) -> String| {
        let mut first = None;
        let cells = sizes.map(|size| {
            let json = make(size);
            let least = effort.least(&mut || {
                drop(black_box(vac_validate::validate(json.as_bytes(), Encoding::Json)));
            });
            #[allow(clippy::cast_precision_loss)] // a ratio of two digits
            let for_a_byte = least.as_secs_f64() / json.len() as f64;
            Some(for_a_byte / *first.get_or_insert(for_a_byte))
        });
        Row { name: format!("{name}: {sizes:?}"), bytes: None, cells: cells.to_vec() }
    };
    let entries = effort.pick([1_000, 4_000, 16_000, 64_000], [100, 200, 400, 800]);
    Table {
        title: "Validating more: time for a byte",
        measure: PROCESSOR_TIME,
        baseline: "the first of the row: 1 is linear",
        of: "what grows",
        columns: ["first", "second", "third", "fourth"].map(str::to_owned).to_vec(),
        rows: vec![
            row("entries", entries, synthetic::record),
            row("depth", [15, 30, 60, 120], synthetic::nested),
        ],
    }
}
