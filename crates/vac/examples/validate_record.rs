//! Validates a file of records, in JSON or CBOR.
//!
//! `cargo run -p vac --example validate_record -- RECORD`

use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: validate_record RECORD")?;
    let found = vac::validate(&std::fs::read(path)?)?;
    if let Some(error) = &found.syntax_error {
        println!("not a record: {error}");
    }
    for found in &found.violations {
        println!("record {}: {}", found.record, found.violation);
    }
    println!("records: {}, violations: {}", found.records, found.total_violations);
    Ok(if found.is_valid() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
