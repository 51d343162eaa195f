//! Signs a record, writes the envelope next to it, and verifies the envelope.
//!
//! `cargo run -p vac --example sign_and_verify -- RECORD KEY.pem`

use std::error::Error;
use std::fs;

use vac::{SecretKey, SignOptions, Signer, Verification};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(key)) = (arguments.next(), arguments.next()) else {
        return Err("usage: sign_and_verify RECORD KEY.pem".into());
    };
    let record = fs::read(&path)?;
    let key = SecretKey::from_pem(&fs::read_to_string(key)?)?;
    let signed = vac::sign(&record, &SignOptions::default(), &key)?;
    fs::write(format!("{path}.cose"), &signed.envelope)?;
    let with = Verification { key: Some(key.public_key()), ..Verification::default() };
    let verified = vac::verify(&signed.envelope, &with)?;
    println!("{}", serde_json::to_string_pretty(&verified)?);
    if verified.verified { Ok(()) } else { Err("not verified".into()) }
}
