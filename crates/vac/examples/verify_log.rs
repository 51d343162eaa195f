//! Answers whether a record was made from a log: converts the log again, and compares.
//!
//! `cargo run -p vac --example verify_log -- RECORD LOG...`

use std::process::ExitCode;

use vac::{ConvertOptions, Search};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let record = arguments.next().ok_or("usage: verify_log RECORD LOG...")?;
    let paths = arguments.map(Into::into).collect();
    let plan = Search { paths, ..Search::default() }.plan()?;
    let verified =
        vac::verify_log(&std::fs::read(record)?, &plan.tasks, &ConvertOptions::default())?;
    println!("{}", serde_json::to_string_pretty(&verified)?);
    Ok(if verified.made_from_log { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
