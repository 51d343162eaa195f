//! What decoding, validating and writing records costs, as a ratio to what
//! `serde_json::from_slice::<serde_json::Value>` takes for the same record in
//! JSON, measured alternately in the same run: the least of many rounds each.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256, Sha512};
use vac_adapter::frame::{self, Content};
use vac_adapter::session::{self, Options};
use vac_adapter::{Adapter, Memory};
use vac_record::VerifiableAgentRecord;
use vac_sign::sign::{self, Carriage, Payload, sign};
use vac_sign::{Examined, SecretKey, Signer as _, Verification, verify};
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
    conversions();
    println!("\ntime to validate a byte, as a ratio to the first of the line; 1 is linear");
    growth("entries", [1_000, 4_000, 16_000, 64_000], synthetic::record);
    growth("depth", [15, 30, 60, 120], synthetic::nested);
    println!(
        "\nspeed of signing and verifying, as a ratio to SHA-256 of the same bytes; 1 is equal"
    );
    signing();
}

/// A record of 100 MB with tool output in the proportions of real sessions: looked at,
/// signed, and verified.
fn signing() {
    let record = synthetic::with_output(100_000_000);
    let record = record.as_bytes();
    let baseline = || {
        black_box(Sha256::digest(record));
    };
    let speed = |work: &mut dyn FnMut()| 1.0 / ratio_of(5, &baseline, work);
    let sha512 = &mut || {
        black_box(Sha512::digest(record));
    };
    println!("{:<26} {:>6.2}", "SHA-512", speed(sha512));
    let validate = &mut || drop(black_box(Examined::of(record, Encoding::Json)));
    println!("{:<26} {:>6.2}", "validation", speed(validate));
    for (name, carriage) in [("record", Carriage::Detached), ("its digest", Carriage::Digest)] {
        for (algorithm, key) in [("EdDSA", SecretKey::ed25519(&[7; 32])), ("ES256", p256_key())] {
            let options = sign::Options { carriage, ..sign::Options::default() };
            let sign = || {
                let (payload, examined) = Payload::examine(record, Encoding::Json);
                sign(payload, &examined, &options, &key).expect("a valid record").to_vec()
            };
            let envelope = sign();
            let with = Verification {
                key: Some(key.public_key()),
                record: Some(record),
                ..Verification::default()
            };
            let signing = speed(&mut || drop(black_box(sign())));
            let verifying = speed(&mut || assert!(verify(&envelope, &with).is_verified()));
            let name = format!("{algorithm}, {name}");
            println!("{name:<26} {signing:>6.2} to sign {verifying:>6.2} to verify");
        }
    }
}

/// A key of no importance.
fn p256_key() -> SecretKey {
    SecretKey::from_pem(
        "-----BEGIN PRIVATE KEY-----\n\
         MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCBSUlJSUlJSUlJSUlJS\n\
         UlJSUlJSUlJSUlJSUlJSUlJSUg==\n\
         -----END PRIVATE KEY-----\n",
    )
    .expect("a key")
}

/// Native bytes to bytes of a valid record, on one thread. The baseline parses the same
/// frames.
fn conversions() {
    println!("\nconverting, as a ratio to serde_json::from_slice::<Value> of the same frames");
    println!("{:<44} {:>8} {:>9} {:>9} {:>9}", "log", "KB", "JSON", "CBOR", "unchecked");
    for (adapter, path) in logs() {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let input = Memory { name: &name, bytes: &bytes };
        let frames = frame::held(&bytes);
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
        let convert = |options: &Options| {
            for session in adapter.survey(&input).expect("a log") {
                let mut record = Vec::new();
                session::write(&*session, options, &mut record).expect("a record");
                black_box(record);
            }
        };
        let json = Options::default();
        let cbor = Options { encoding: Encoding::Cbor, ..Options::default() };
        let unchecked = Options { validate: false, ..Options::default() };
        print!("{name:<44} {:>8}", bytes.len() / 1024);
        for options in [&json, &cbor, &unchecked] {
            print!(" {:>9.2}", ratio(&baseline, &mut || convert(options)));
        }
        println!();
    }
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
    ratio_of(ROUNDS, baseline, work)
}

fn ratio_of(rounds: usize, baseline: &dyn Fn(), work: &mut dyn FnMut()) -> f64 {
    let (mut least_baseline, mut least_work) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
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

/// The largest log of each agent in the corpus, converted; of several sessions
/// in one log the largest.
fn corpus() -> Vec<(String, String)> {
    logs()
        .into_iter()
        .filter_map(|(adapter, path)| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).ok()?;
            let record = convert(adapter, &name, &bytes)?;
            Some((name, record))
        })
        .collect()
}

/// The largest log of each agent in the corpus.
fn logs() -> Vec<(&'static dyn Adapter, PathBuf)> {
    let Some(folder) = shared("corpus", "VAC_CORPUS") else { return Vec::new() };
    let adapters: [&'static dyn Adapter; 5] = [
        &vac_adapter_claude::Claude,
        &vac_adapter_codex::Codex,
        &vac_adapter_gemini::Gemini,
        &vac_adapter_opencode::OpenCode,
        &vac_adapter_cursor::Cursor,
    ];
    let logs = adapters.into_iter();
    logs.filter_map(|adapter| Some((adapter, largest(&folder.join(adapter.name()))?))).collect()
}

fn largest(folder: &Path) -> Option<PathBuf> {
    let entries = folder.read_dir().ok()?.flatten();
    let files = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.ends_with("json") || name.ends_with("jsonl")
    });
    files
        .max_by_key(|entry| entry.metadata().map_or(0, |file| file.len()))
        .map(|entry| entry.path())
}

fn convert(adapter: &dyn Adapter, name: &str, bytes: &[u8]) -> Option<String> {
    let input = Memory { name, bytes };
    let sessions = adapter.survey(&input).ok()?;
    let records = sessions.iter().filter_map(|session| {
        let mut record = Vec::new();
        session::write(&**session, &Options::default(), &mut record).ok()?;
        String::from_utf8(record).ok()
    });
    records.max_by_key(String::len)
}
