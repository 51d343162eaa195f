//! The same work as in `ratios`, with divan's statistics in absolute times.

use divan::Bencher;
use divan::counter::BytesCount;
use vac_record::VerifiableAgentRecord;
use vac_tests::synthetic;
use vac_value::{Decode, Encode, Encoding};

fn main() {
    divan::main();
}

const ENTRIES: [usize; 2] = [100, 10_000];

#[divan::bench(args = ENTRIES)]
fn serde_json_value(bencher: Bencher, entries: usize) {
    let json = synthetic::record(entries);
    bencher
        .counter(BytesCount::of_str(&json))
        .bench(|| serde_json::from_slice::<serde_json::Value>(json.as_bytes()));
}

#[divan::bench(args = ENTRIES)]
fn validate_json(bencher: Bencher, entries: usize) {
    let json = synthetic::record(entries);
    bencher
        .counter(BytesCount::of_str(&json))
        .bench(|| vac_validate::validate(json.as_bytes(), Encoding::Json));
}

#[divan::bench(args = ENTRIES)]
fn decode_json(bencher: Bencher, entries: usize) {
    let json = synthetic::record(entries);
    bencher
        .counter(BytesCount::of_str(&json))
        .bench(|| VerifiableAgentRecord::from_json(json.as_bytes()).is_ok());
}

#[divan::bench(args = ENTRIES)]
fn validate_cbor(bencher: Bencher, entries: usize) {
    let json = synthetic::record(entries);
    let record = VerifiableAgentRecord::from_json(json.as_bytes()).expect("a record");
    let cbor = record.to_cbor().expect("CBOR");
    bencher
        .counter(BytesCount::of_slice(&cbor))
        .bench(|| vac_validate::validate(&cbor, Encoding::Cbor));
}
