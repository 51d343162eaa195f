//! What decoding, validating and writing records costs, as a ratio to what
//! `serde_json::from_slice::<serde_json::Value>` takes for the same record in
//! JSON, measured alternately in the same run: the least of many rounds each.

use std::hint::black_box;
use std::time::{Duration, Instant};

use vac_record::VerifiableAgentRecord;
use vac_tests::{shared, synthetic};
use vac_value::{Decode, Document, Encode, Encoding};

const ROUNDS: usize = 15;

fn main() {
    println!("ratios to serde_json::from_slice::<Value> of the JSON form; below 1 is faster\n");
    println!(
        "{:<44} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "record", "KB", "scan", "validate", "decode", "encode", "validate", "decode", "encode"
    );
    println!("{:<53} {:>39} {:>29}", "", "JSON", "CBOR");
    for entries in [100, 1_000, 10_000, 40_000] {
        row(&format!("synthetic, {entries} entries"), &synthetic::record(entries));
    }
    for (name, record) in corpus() {
        row(&name, &record);
    }
    println!("\ntime to validate a byte, as a ratio to the first of the line; 1 is linear");
    growth("entries", [1_000, 4_000, 16_000, 64_000], synthetic::record);
    growth("depth", [15, 30, 60, 120], synthetic::nested);
}

/// How the time for a byte changes with the size.
fn growth(name: &str, sizes: [usize; 4], make: impl Fn(usize) -> String) {
    let mut first = None;
    print!("{name:<10}");
    for size in sizes {
        let json = make(size);
        let least = (0..4 * ROUNDS)
            .map(|_| {
                time(&mut || {
                    drop(black_box(vac_validate::validate(json.as_bytes(), Encoding::Json)));
                })
            })
            .min()
            .unwrap_or_default();
        #[allow(clippy::cast_precision_loss)] // a ratio of two digits
        let for_a_byte = least.as_secs_f64() / json.len() as f64;
        print!("   {size}: {:.2}", for_a_byte / *first.get_or_insert(for_a_byte));
    }
    println!();
}

fn row(name: &str, json: &str) {
    let json = json.as_bytes();
    let record = VerifiableAgentRecord::from_json(json).expect("a record");
    let cbor = record.to_cbor();
    let baseline = || {
        black_box(serde_json::from_slice::<serde_json::Value>(json).expect("JSON"));
    };
    let ratio = |work: &mut dyn FnMut()| ratio(&baseline, work);
    let validate = |bytes: &[u8], encoding| {
        assert!(vac_validate::validate(bytes, encoding).expect("a document").is_valid());
    };
    let mut cells = vec![
        ratio(&mut || drop(black_box(Document::json(json).expect("JSON")))),
        ratio(&mut || validate(json, Encoding::Json)),
        ratio(&mut || drop(black_box(VerifiableAgentRecord::from_json(json).expect("a record")))),
        ratio(&mut || drop(black_box(record.to_json().expect("JSON")))),
    ];
    if let Ok(cbor) = &cbor {
        cells.push(ratio(&mut || validate(cbor, Encoding::Cbor)));
        cells.push(ratio(&mut || {
            drop(black_box(VerifiableAgentRecord::from_cbor(cbor).expect("a record")));
        }));
        let from_cbor = VerifiableAgentRecord::from_cbor(cbor).expect("a record");
        cells.push(ratio(&mut || drop(black_box(from_cbor.to_cbor().expect("CBOR")))));
    }
    print!("{name:<44} {:>8}", json.len() / 1024);
    for cell in cells {
        print!(" {cell:>9.2}");
    }
    println!();
}

/// The least time of the work over the least time of the baseline, taken in
/// turns so that both see the same machine.
fn ratio(baseline: &dyn Fn(), work: &mut dyn FnMut()) -> f64 {
    let (mut least_baseline, mut least_work) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        least_baseline = least_baseline.min(time(&mut || baseline()));
        least_work = least_work.min(time(work));
    }
    least_work.as_secs_f64() / least_baseline.as_secs_f64()
}

fn time(work: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The largest JSONL files of the corpus, each line the content of an entry.
fn corpus() -> Vec<(String, String)> {
    let Some(folder) = shared("corpus", "VAC_CORPUS") else { return Vec::new() };
    let mut files = Vec::new();
    for agent in ["claude", "codex"] {
        let Ok(entries) = std::fs::read_dir(folder.join(agent)) else { continue };
        for entry in entries.flatten() {
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            files.push((size, entry.path()));
        }
    }
    files.sort();
    files.iter().rev().take(4).filter_map(|(_, path)| {
        let text = std::fs::read_to_string(path).ok()?;
        let lines: Vec<_> = text
            .lines()
            .filter(|line| Document::json(line.as_bytes()).is_ok_and(|line| line.duplicate_keys().len() == 0))
            .map(|line| format!(r#"{{"type":"assistant","timestamp":"2026-02-10T17:27:58Z","content":{line}}}"#))
            .collect();
        let record = synthetic::record(0).replace("\"entries\":[]", &format!("\"entries\":[{}]", lines.join(",")));
        Some((path.file_name()?.to_string_lossy().into_owned(), record))
    }).collect()
}
