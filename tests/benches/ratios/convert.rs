//! Measures the conversion of native bytes to the bytes of a valid record, on one thread.

use std::cell::RefCell;
use std::hint::black_box;

use vac_adapter::Memory;
use vac_adapter::frame::{self, Content};
use vac_adapter::session::{self, RecordOptions};
use vac_value::Encoding;

use crate::inputs::{Inputs, Log};
use crate::measure::Effort;
use crate::table::{PROCESSOR_TIME, Row, Table};

/// Measures the conversion of every log.
pub fn table(inputs: &Inputs, effort: Effort) -> Table {
    Table {
        title: "Converting",
        measure: PROCESSOR_TIME,
        baseline: "`serde_json::from_slice::<Value>` of the log's documents",
        of: "log",
        columns: ["to JSON", "to CBOR", "unchecked"].map(str::to_owned).to_vec(),
        rows: inputs.logs.iter().map(|log| row(log, effort)).collect(),
    }
}

fn row(log: &Log, effort: Effort) -> Row {
    let input = Memory { name: &log.name, bytes: &log.bytes };
    let frames = frame::frames_in_memory(&log.bytes);
    let frames: Vec<&[u8]> = frames
        .iter()
        .map(|frame| match &frame.content {
            Content::Document(document) => document.root().raw(),
            Content::Raw(raw) => raw.bytes,
        })
        .collect();
    let baseline = || {
        for frame in &frames {
            drop(black_box(serde_json::from_slice::<serde_json::Value>(frame)));
        }
    };
    // Records are written into allocated memory, because writing them into a file would not
    // allocate either.
    let record = RefCell::new(Vec::new());
    let convert = |options: &RecordOptions| {
        for session in log.adapter.survey(&input).expect("a log") {
            let mut record = record.borrow_mut();
            record.clear();
            session::write(&*session, options, &session::no_sources, &mut *record)
                .expect("a record");
            black_box(&record);
        }
    };
    let json = RecordOptions::default();
    let cbor = RecordOptions { encoding: Encoding::Cbor, ..RecordOptions::default() };
    let unchecked = RecordOptions { validate: false, ..RecordOptions::default() };
    let ratio = |options: &RecordOptions| Some(effort.ratio(&baseline, &mut || convert(options)));
    Row {
        name: log.shown.clone(),
        bytes: Some(log.bytes.len()),
        cells: [&json, &cbor, &unchecked].map(ratio).to_vec(),
    }
}
