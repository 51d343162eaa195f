//! Signing and verifying a record with tool output in the proportions of real sessions. Both read
//! the whole record: they validate it, and read the facts that it states.

use std::hint::black_box;

use sha2::{Digest as _, Sha256, Sha512};
use vac_sign::sign::{self, Carriage, Checked, sign};
use vac_sign::{Examined, SecretKey, Signer as _, Verification, verify};
use vac_tests::synthetic;
use vac_value::Encoding;

use crate::measure::Effort;
use crate::table::{Row, Table};

/// Measures both kinds of keys, over the record and over its digest.
pub fn table(effort: Effort) -> Table {
    let record = synthetic::with_output(effort.pick(100_000_000, 1_000_000));
    let record = record.as_bytes();
    let baseline = || {
        black_box(Sha256::digest(record));
    };
    let ratio = |work: &mut dyn FnMut()| Some(effort.elapsed_ratio(&baseline, work));
    let row = |name: String, cells: [Option<f64>; 2]| Row {
        name,
        bytes: Some(record.len()),
        cells: cells.to_vec(),
    };
    let sha512 = ratio(&mut || {
        black_box(Sha512::digest(record));
    });
    let examined = ratio(&mut || drop(black_box(Examined::new(record, Encoding::Json))));
    let mut rows = vec![
        row("SHA-512 alone".to_owned(), [sha512, sha512]),
        row("looking at the record alone".to_owned(), [examined, examined]),
    ];
    for (what, carriage) in [("record", Carriage::Detached), ("its digest", Carriage::Digest)] {
        for (algorithm, key) in [("EdDSA", SecretKey::ed25519(&[7; 32])), ("ES256", p256_key())] {
            let options = sign::SignOptions { carriage, ..sign::SignOptions::default() };
            let sign = || {
                let record = Checked::new(record, Encoding::Json).expect("a valid record");
                sign(&record, &options, &key).expect("a key that signs").to_vec()
            };
            let envelope = sign();
            let with = Verification {
                key: Some(key.public_key()),
                record: Some(record),
                ..Verification::default()
            };
            let signing = ratio(&mut || drop(black_box(sign())));
            let verifying = ratio(&mut || assert!(verify(&envelope, &with).is_verified()));
            rows.push(row(format!("{algorithm}, {what}"), [signing, verifying]));
        }
    }
    Table {
        title: "Signing",
        measure: "Time by the clock (two threads work)",
        baseline: "SHA-256 of the record",
        of: "what",
        columns: ["sign", "verify"].map(str::to_owned).to_vec(),
        rows,
    }
}

/// Returns a sample key.
fn p256_key() -> SecretKey {
    SecretKey::from_pem(
        "-----BEGIN PRIVATE KEY-----\n\
         MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCBSUlJSUlJSUlJSUlJS\n\
         UlJSUlJSUlJSUlJSUlJSUlJSUg==\n\
         -----END PRIVATE KEY-----\n",
    )
    .expect("a key")
}
