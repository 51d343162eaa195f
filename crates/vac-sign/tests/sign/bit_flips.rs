//! Flips every bit of an envelope and of a record.

use vac_sign::Envelope;
use vac_sign::canonical::{Form, canonical};
use vac_sign::sign::Carriage;
use vac_value::Document;

use super::{RECORD, answers, key, options, signed, signed_by};

fn flips(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    (0..bytes.len() * 8).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        (bit / 8, flipped)
    })
}

/// Returns the range of the unprotected header.
fn unprotected(envelope: &[u8]) -> std::ops::Range<usize> {
    let header = Envelope::read(envelope).expect("an envelope").unprotected;
    let start = header.as_ptr().addr() - envelope.as_ptr().addr();
    start..start + header.len()
}

#[test]
fn envelope_bit_flips_are_refused_or_reported() {
    for carriage in [Carriage::Attached, Carriage::Detached, Carriage::Digest] {
        let envelope = signed(carriage);
        let record = (carriage != Carriage::Attached).then_some(RECORD.as_bytes());
        let sound = answers(&envelope, record);
        assert!(sound.is_verified(), "{sound:#?}");
        let unprotected = unprotected(&envelope);
        let mut reported = 0;
        for (at, flipped) in flips(&envelope) {
            let now = answers(&flipped, record);
            if now.is_verified() {
                assert!(unprotected.contains(&at), "byte {at} of {carriage:?}");
                assert_ne!(now.lines(), sound.lines(), "byte {at} of {carriage:?}");
                reported += 1;
            }
        }
        println!("{carriage:?}: {} bits, {reported} reported", envelope.len() * 8);
        // A flip in a label makes it an unknown one; no other flip is accepted.
        assert!(reported < 24, "{reported} bits did not matter");
    }
}

#[test]
fn record_bit_flips_are_refused() {
    for carriage in [Carriage::Detached, Carriage::Digest] {
        let envelope = signed(carriage);
        for (at, flipped) in flips(RECORD.as_bytes()) {
            let now = answers(&envelope, Some(&flipped));
            assert!(!now.is_verified(), "byte {at} of {carriage:?}: {now:#?}");
        }
    }
}

#[test]
fn canonical_record_bit_flips_are_refused() {
    let form = |record: &[u8]| {
        let document = Document::json(record).ok()?;
        canonical(&document, Form::Sorted).ok()
    };
    let signed_form = form(RECORD.as_bytes()).expect("canonical");
    let envelope = signed_by(&key(), &signed_form, &options(Carriage::Detached));
    assert!(answers(&envelope, Some(RECORD.as_bytes())).is_verified());
    for (at, flipped) in flips(RECORD.as_bytes()) {
        let now = answers(&envelope, Some(&flipped));
        let same = form(&flipped).as_ref() == Some(&signed_form);
        assert_eq!(now.is_verified(), same, "byte {at}: {now:#?}");
    }
}
