//! Updates a folder of records with the sessions that agents keep, or with those in named folders,
//! and prints the new ones.
//!
//! `cargo run -p vac --example update_folder -- RECORDS [LOGS...]`

use std::time::SystemTime;

use vac::{OutputOptions, Search, update_folder};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let records = arguments.next().ok_or("usage: update_folder RECORDS [LOGS...]")?;
    let options = OutputOptions { searched: Some(SystemTime::now()), ..OutputOptions::default() };
    let paths: Vec<_> = arguments.map(Into::into).collect();
    let plan = Search { discover: paths.is_empty(), paths, ..Search::default() }.plan()?;
    let report = update_folder(&plan.tasks, records, &options, &mut |_| {})?;
    for session in report.sessions.iter().filter(|session| session.report.is_some()) {
        println!("{}", serde_json::to_string(&(&session.log, &session.change))?);
    }
    for error in plan.troubles.iter().chain(&report.failed) {
        eprintln!("{error}");
    }
    println!("{}", serde_json::to_string(&report.changes())?);
    Ok(())
}
