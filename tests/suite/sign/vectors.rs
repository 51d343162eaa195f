//! Tests the envelopes next to the workspace: those of other tools, and attacks.

use std::path::{Path, PathBuf};

use vac_sign::{Answer, Answers, PublicKey, Verification, verify};
use vac_tests::shared;

use super::assert_refused;

fn folder() -> Option<PathBuf> {
    shared("vectors", "VAC_VECTORS").map(|folder| folder.join("cose"))
}

fn read(path: impl AsRef<Path>) -> Vec<u8> {
    let path = path.as_ref();
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn public_key(path: impl AsRef<Path>) -> PublicKey {
    PublicKey::from_pem(&String::from_utf8(read(path)).expect("text")).expect("a key")
}

struct Baseline {
    folder: PathBuf,
    key: PublicKey,
    record: Vec<u8>,
}

impl Baseline {
    fn new() -> Option<Self> {
        let folder = folder()?;
        let key = public_key(folder.join("upstream-baseline/keys/signing-key.pub.pem"));
        let record = read(folder.join("upstream-baseline/record.json"));
        Some(Self { folder, key, record })
    }

    fn answers<'e>(&self, envelope: &'e [u8], record: &[u8]) -> Answers<'e> {
        let key = Some(&self.key);
        verify(envelope, &Verification { key, record: Some(record), ..Verification::default() })
    }

    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let entries = self.folder.join(folder).read_dir().expect("a folder");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
        files.retain(|path| path.is_file());
        files.sort();
        files
    }
}

#[track_caller]
fn assert_all_ok(answers: &Answers<'_>) {
    assert!(answers.is_verified(), "{answers:#?}");
    for (question, answer) in answers.lines() {
        let is_fine = answer.is_ok() || matches!(answer, Answer::Absent(_));
        assert!(is_fine, "{question}: {answer:?}");
    }
}

#[test]
fn the_envelope_of_the_drafts_authors_verifies() {
    let Some(baseline) = Baseline::new() else { return };
    let envelope = read(baseline.folder.join("upstream-baseline/record.sig.cbor"));
    let canonical = read(baseline.folder.join("upstream-baseline/record.canonical.json"));
    for record in [&baseline.record, &canonical] {
        let answers = baseline.answers(&envelope, record);
        assert_all_ok(&answers);
        assert!(answers.trace_metadata.is_ok() && answers.payload_hash.is_ok());
    }
}

#[test]
fn canonical_form_is_the_one_that_the_authors_sign() {
    use vac_sign::canonical::{Form, canonical};
    let Some(baseline) = Baseline::new() else { return };
    let document = vac_value::Document::json(&baseline.record).expect("JSON");
    let expected = read(baseline.folder.join("upstream-baseline/record.canonical.json"));
    assert_eq!(canonical(&document, Form::Sorted).expect("canonical"), expected);
}

#[test]
fn envelopes_of_another_implementation_verify() {
    let Some(baseline) = Baseline::new() else { return };
    let mut count = 0;
    for path in baseline.files("rust-signed") {
        if path.extension().is_some_and(|ending| ending == "cbor") {
            println!("{}", path.display());
            assert_all_ok(&baseline.answers(&read(&path), &baseline.record));
            count += 1;
        }
    }
    assert!(count >= 5, "{count} envelopes");
}

/// The line of the answers that fails for each attack, and words of its detail.
const ATTACKS: &[(&str, &str, &str)] = &[
    ("alg-es256-ed25519key.cbor", "signature", "the header names ES256, but the key is for EdDSA"),
    ("attached-other-payload.cbor", "signature", "not made with this key over these bytes"),
    ("attached-other-payload.cbor", "payload hash", "the given record is not the payload"),
    ("crit-known-not-understood-258.cbor", "envelope", "crit lists 258 (payload-hash-alg)"),
    ("crit-x5t-34.cbor", "envelope", "crit lists 34 (x5t), which requires a certificate"),
    ("double-tag-55799.cbor", "envelope", "tag 55799 is around the tag"),
    ("no-alg.cbor", "envelope", "names no algorithm"),
    ("payload-undefined.cbor", "envelope", "the payload is undefined"),
    ("protected-dup-alg2.cbor", "envelope", "label 1 (alg) of the protected header occurs twice"),
    ("record-dup-entries.json", "record", "/session/entries: duplicate key"),
    ("record-num.json", "signature", "15e-1 has no canonical form"),
    ("sig-malleated-s-plus-L.cbor", "signature", "not made with this key over these bytes"),
    ("trace-meta-hashalg-wrong.cbor", "trace metadata", "content-hash-alg is \"md5\""),
    ("trace-meta-session-id-swapped.cbor", "trace metadata", "session-id is \"OTHER\""),
];

/// Envelopes without trace metadata: there is nothing to compare, so the answer is `Absent`.
const HARMLESS: &[&str] = &["uhdr-empty.cbor"];

/// Envelopes with a header that RFC 9052 allows and that is signed as it is. Only `strict` rejects
/// them.
const NOT_DETERMINISTIC: &[&str] = &["protected-unsorted.cbor"];

#[test]
fn every_attack_is_refused_for_the_right_reason() {
    let Some(baseline) = Baseline::new() else { return };
    let sound = read(baseline.folder.join("upstream-baseline/record.sig.cbor"));
    for path in baseline.files("attacks") {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let content = read(&path);
        let is_record = path.extension().is_some_and(|ending| ending == "json");
        let answers = if is_record {
            baseline.answers(&sound, &content)
        } else {
            baseline.answers(&content, &baseline.record)
        };
        println!("{name}");
        if HARMLESS.contains(&name.as_str()) {
            assert_all_ok(&answers);
            assert!(matches!(answers.trace_metadata, Answer::Absent(_)));
            continue;
        }
        if NOT_DETERMINISTIC.contains(&name.as_str()) {
            assert_all_ok(&answers);
            assert_eq!(answers.is_deterministic, Some(false));
            let (key, record) = (Some(&baseline.key), Some(&baseline.record[..]));
            let with = Verification { key, record, strict: true, ..Verification::default() };
            assert_refused(&verify(&content, &with), "envelope", "not encoded deterministically");
            continue;
        }
        assert!(!answers.is_verified(), "{answers:#?}");
        for (_, line, words) in ATTACKS.iter().filter(|(attack, ..)| *attack == name) {
            assert_refused(&answers, line, words);
        }
    }
}

#[test]
fn statements_of_scitt_verify_with_their_receipts() {
    let Some(baseline) = Baseline::new() else { return };
    let log = [public_key(baseline.folder.join("scitt/log-key.pub.pem"))];
    let with = Verification {
        key: Some(&baseline.key),
        record: Some(&baseline.record),
        receipt_keys: &log,
        ..Verification::default()
    };
    let mut transparent = 0;
    for path in baseline.files("scitt") {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".transparent.cbor") {
            println!("{name}");
            let statement = read(&path);
            let answers = verify(&statement, &with);
            assert_all_ok(&answers);
            assert!(answers.receipts.is_ok());
            // The key of the signer is not the key of the transparency log.
            let keys = [baseline.key.clone()];
            let wrong = Verification { receipt_keys: &keys, ..with };
            assert_refused(&verify(&statement, &wrong), "receipts", "the log's signature");
            transparent += 1;
        } else if name.ends_with(".statement.cbor") || name.ends_with(".registration-form.cbor") {
            println!("{name}");
            let without = Verification { receipt_keys: &[], ..with };
            assert_all_ok(&verify(&read(&path), &without));
            assert_refused(&verify(&read(&path), &with), "receipts", "no receipt");
        }
    }
    assert!(transparent >= 2, "{transparent} transparent statements");
}

#[test]
fn receipts_attached_by_us_are_those_attached_by_others() {
    use vac_sign::{Envelope, receipt::attach};
    let Some(baseline) = Baseline::new() else { return };
    let scitt = baseline.folder.join("scitt");
    let statement = read(scitt.join("hash-envelope.statement.cbor"));
    let receipt = read(scitt.join("hash-envelope.receipt.cbor"));
    let envelope = Envelope::read(&statement).expect("an envelope");
    let expected = read(scitt.join("hash-envelope.transparent.cbor"));
    assert_eq!(attach(&envelope, &[&receipt]), Ok(expected));
}

#[test]
fn bombs_are_refused() {
    let Some(folder) = shared("vectors", "VAC_VECTORS") else { return };
    for entry in folder.join("cbor/bombs").read_dir().expect("bombs") {
        let path = entry.expect("a file").path();
        let bomb = read(&path);
        let answers = super::answers(&bomb);
        assert!(answers.envelope.is_failed(), "{}: {answers:#?}", path.display());
    }
}
