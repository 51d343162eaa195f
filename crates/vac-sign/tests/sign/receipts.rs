//! Receipts of a sample log, with either kind of key.

use sha2::{Digest as _, Sha256};
use vac_sign::receipt::{AttachError, ParsedReceipt, ReceiptError, attach};
use vac_sign::sign::Carriage;
use vac_sign::{Answers, Envelope, Message, SecretKey, Signer as _, Verification, verify};

use super::{assert_refused, bytes, head, key, p256_key, signed, text};

fn log_keys() -> [SecretKey; 2] {
    [SecretKey::ed25519(&[0x10; 32]), p256_key()]
}

fn leaf(entry: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update([0]).chain_update(entry).finalize().into()
}

fn node(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// A receipt that is being built.
struct Log<'k> {
    key: &'k SecretKey,
    alg: Vec<u8>,
    structure: Vec<u8>,
    /// The encoded claims after the two usual ones.
    claims: Vec<u8>,
    payload: Vec<u8>,
    size: u8,
    index: u8,
    /// The function that wraps the proofs.
    proofs: fn(Vec<u8>) -> Vec<u8>,
}

impl<'k> Log<'k> {
    fn new(key: &'k SecretKey) -> Self {
        let id = key.public_key().algorithm().id();
        let alg = vec![1, u8::try_from(0x1f - id).expect("a small one")];
        let structure = vec![0x19, 1, 0x8b, 1];
        let proofs = |proof: Vec<u8>| [vec![0xa1, 0x20, 0x81], bytes(&proof)].concat();
        let (claims, payload) = (Vec::new(), vec![0xf6]);
        Self { key, alg, structure, claims, payload, size: 3, index: 2, proofs }
    }

    /// Builds a receipt for an entry that is the last of three.
    fn receipt(&self, entry: &[u8; 32]) -> Vec<u8> {
        let before = node(&leaf(b"one"), &leaf(b"two"));
        let root = node(&before, &leaf(entry));
        let count = u8::try_from(0xa2 + self.claims.len() / 2).expect("few");
        let names = [vec![1], text("https://log.example"), vec![2], text("s")].concat();
        let claims = [&[15, count][..], &names, &self.claims].concat();
        // In the order of another implementation, not the deterministic one.
        let protected = [&[0xa3][..], &self.structure, &claims, &self.alg].concat();
        let proof = [&[0x83, self.size, self.index, 0x81][..], &bytes(&before)].concat();
        let unprotected = [vec![0xa1, 0x19, 1, 0x8c], (self.proofs)(proof)].concat();
        let signature = self.key.sign(&Message::new(&protected, &root)).expect("a signature");
        [&[0xd2, 0x84][..], &bytes(&protected), &unprotected, &self.payload, &bytes(&signature)]
            .concat()
    }
}

fn entry(statement: &[u8]) -> [u8; 32] {
    Envelope::read(statement).expect("an envelope").log_entry()
}

fn with_receipts(statement: &[u8], receipts: &[&[u8]]) -> Vec<u8> {
    attach(&Envelope::read(statement).expect("an envelope"), receipts).expect("attached")
}

fn checked<'e>(statement: &'e [u8], logs: &[&SecretKey]) -> Answers<'e> {
    let keys: Vec<_> = logs.iter().map(|key| key.public_key().clone()).collect();
    let signer = key();
    let record = Some(super::RECORD.as_bytes());
    let with = Verification {
        key: Some(signer.public_key()),
        record,
        receipt_keys: &keys,
        ..Verification::default()
    };
    verify(statement, &with)
}

#[test]
fn receipts_of_logs_with_either_key_verify() {
    for carriage in [Carriage::Attached, Carriage::Detached, Carriage::Digest] {
        let statement = signed(carriage);
        for log in log_keys() {
            let receipt = Log::new(&log).receipt(&entry(&statement));
            let transparent = with_receipts(&statement, &[&receipt]);
            let answers = checked(&transparent, &[&log]);
            assert!(answers.is_verified() && answers.receipts.is_ok(), "{answers:#?}");
            let detail = answers.receipts.detail();
            let key = log.public_key().thumbprint_uri();
            let expected =
                format!("included in the log with the key {key}, issuer \"https://log.example\"");
            assert_eq!(detail, expected, "nothing signs the index and the tree size");
            // Attaching changes nothing that the log has on record.
            assert_eq!(entry(&transparent), entry(&statement));
        }
    }
}

#[test]
fn receipts_may_be_outside_of_byte_strings() {
    let statement = signed(Carriage::Attached);
    let log = &log_keys()[0];
    let receipt = Log::new(log).receipt(&entry(&statement));
    let envelope = Envelope::read(&statement).expect("an envelope");
    let direct = [vec![0xa1, 0x19, 1, 0x8a, 0x81], receipt.clone()].concat();
    let transparent = envelope.with_unprotected(&direct);
    let answers = checked(&transparent, &[log]);
    assert!(answers.is_verified() && answers.receipts.is_ok(), "{answers:#?}");
    // Another one after it, in a byte string.
    let two = with_receipts(&transparent, &[&receipt]);
    let answers = checked(&two, &[log]);
    assert!(answers.is_verified() && answers.receipts.detail().contains("; included in the log"));
}

#[test]
fn every_receipt_needs_one_of_the_keys() {
    let statement = signed(Carriage::Attached);
    let [one, other] = &log_keys();
    let receipts = [one, other].map(|log| Log::new(log).receipt(&entry(&statement)));
    let transparent = with_receipts(&statement, &[&receipts[0], &receipts[1]]);
    assert!(checked(&transparent, &[one, other]).receipts.is_ok());
    assert!(checked(&transparent, &[other, one]).receipts.is_ok());
    assert_refused(
        &checked(&transparent, &[one]),
        "receipts",
        "receipt 2 of 2: the log's signature",
    );
    let unchecked = checked(&transparent, &[]);
    assert!(unchecked.is_verified());
    assert_eq!(unchecked.receipts.word(), "not checked");
}

#[test]
fn a_receipt_is_for_one_statement_only() {
    let statement = signed(Carriage::Attached);
    let log = &log_keys()[0];
    let receipt = Log::new(log).receipt(&entry(&signed(Carriage::Detached)));
    let transparent = with_receipts(&statement, &[&receipt]);
    assert_refused(&checked(&transparent, &[log]), "receipts", "the log's signature");
}

#[test]
fn errors_in_receipts_are_reported() {
    let statement = signed(Carriage::Attached);
    let entry = entry(&statement);
    let log = &log_keys()[0];
    let fails = |log_entry: Log<'_>, words: &str| {
        let receipt = log_entry.receipt(&entry);
        let transparent = with_receipts(&statement, &[&receipt]);
        assert_refused(&checked(&transparent, &[log]), "receipts", words);
    };
    let new = || Log::new(log);
    fails(Log { size: 2, ..new() }, "does not fit the index 2 and tree size 2 it states");
    fails(Log { index: 1, ..new() }, "does not fit the index 1 and tree size 3 it states");
    fails(Log { size: 0, index: 0, ..new() }, "does not fit the index 0 and tree size 0 it states");
    fails(Log { payload: bytes(b"root"), ..new() }, "it has a payload of its own");
    fails(Log { alg: vec![1, 0x26], ..new() }, "the header names ES256, but the key is for EdDSA");
    fails(Log { structure: vec![0x19, 1, 0x8b, 2], ..new() }, "structure 2 is not supported");
    fails(Log { structure: vec![0x18, 99, 0], ..new() }, "names no verifiable data structure");
    fails(
        Log { proofs: |_| vec![0xa1, 0x20, 0x80], ..new() },
        "expected bytes that contain a size",
    );
    fails(
        Log { proofs: |_| vec![0xa0], ..new() },
        "the proofs do not include inclusion proofs (-1)",
    );
    fails(Log { proofs: |_| vec![0xa1, 0x20, 0xf6], ..new() }, "an array of at most 16 proofs");
    fails(
        Log { proofs: |proof| [vec![0xa1, 0x20, 0x81], proof].concat(), ..new() },
        "expected bytes that contain a size",
    );
}

#[test]
fn receipt_claims_are_checked_at_the_time() {
    let statement = signed(Carriage::Attached);
    let log = &log_keys()[0];
    let receipt = Log { claims: vec![4, 20], ..Log::new(log) }.receipt(&entry(&statement));
    let transparent = with_receipts(&statement, &[&receipt]);
    let (signer, keys) = (key(), [log.public_key().clone()]);
    let at = |time| {
        let key = Some(signer.public_key());
        verify(&transparent, &Verification { key, receipt_keys: &keys, time, ..<_>::default() })
    };
    assert!(at(Some(19)).receipts.is_ok() && at(None).receipts.is_ok());
    assert_refused(&at(Some(20)), "receipts", "receipt 1 of 1: the claims have expired");
}

#[test]
fn the_error_is_that_of_a_key_with_the_algorithm() {
    let statement = signed(Carriage::Attached);
    let [ed25519, p256] = &log_keys();
    let receipt = Log::new(ed25519).receipt(&[7; 32]);
    let transparent = with_receipts(&statement, &[&receipt]);
    for keys in [[ed25519, p256], [p256, ed25519]] {
        assert_refused(&checked(&transparent, &keys), "receipts", "not made with this key");
    }
    assert_refused(&checked(&transparent, &[p256]), "receipts", "the key is for ES256");
}

#[test]
fn every_bit_flip_in_a_receipt_is_detected() {
    let statement = signed(Carriage::Detached);
    let log = &log_keys()[0];
    let keys = [log.public_key().clone()];
    let receipt = Log::new(log).receipt(&entry(&statement));
    let verify = |bytes: &[u8]| -> Result<_, ReceiptError> {
        ParsedReceipt::read(bytes)?.verify(&entry(&statement), &keys, None)
    };
    assert!(verify(&receipt).is_ok());
    for bit in 0..receipt.len() * 8 {
        let mut flipped = receipt.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(verify(&flipped).is_err(), "bit {bit}");
    }
}

#[test]
fn the_number_and_size_of_receipts_are_limited() {
    use vac_sign::receipt::{MAX_BYTES, MAX_RECEIPTS, ReceiptsError};
    let statement = signed(Carriage::Attached);
    let envelope = Envelope::read(&statement).expect("an envelope");
    let attach = |receipts: &[&[u8]]| vac_sign::receipt::attach(&envelope, receipts);
    let too_many = Err(AttachError::Receipts(ReceiptsError::TooMany));
    assert!(attach(&[&[0x80][..]; MAX_RECEIPTS]).is_ok());
    assert_eq!(attach(&[&[0x80][..]; MAX_RECEIPTS + 1]), too_many);
    let large = vec![0; MAX_BYTES];
    assert!(attach(&[&large]).is_ok());
    assert_eq!(attach(&[&large, &[0x80]]), too_many);
    // The limits are those of existing and new receipts together.
    let full = attach(&[&[0x80][..]; MAX_RECEIPTS]).expect("an envelope");
    let full = Envelope::read(&full).expect("an envelope");
    assert_eq!(vac_sign::receipt::attach(&full, &[&[0x80]]), too_many);
}

#[test]
fn receipts_are_only_added_to_a_list() {
    let statement = signed(Carriage::Attached);
    let envelope = Envelope::read(&statement).expect("an envelope");
    let odd = envelope.with_unprotected(&[0xa1, 0x19, 1, 0x8a, 0xf6]);
    let odd_envelope = Envelope::read(&odd).expect("an envelope");
    assert!(attach(&odd_envelope, &[b"receipt"]).is_err());
    assert_refused(&checked(&odd, &[]), "receipts", "is not a list of receipts");
    let numbers = envelope.with_unprotected(&[0xa1, 0x19, 1, 0x8a, 0x81, 1]);
    assert_refused(&checked(&numbers, &[]), "receipts", "is not a list of receipts");
    let empty = envelope.with_unprotected(&[head(5, 1), vec![0x19, 1, 0x8a, 0x80]].concat());
    assert_refused(&checked(&empty, &[]), "receipts", "is not a list of receipts");
}
