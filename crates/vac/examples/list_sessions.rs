//! Lists the sessions that agents keep on this machine, or below a folder, as JSON. Each session is
//! a task that another process can convert.
//!
//! `cargo run -p vac --example list_sessions -- [HOME]`

use vac::Search;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let search = match std::env::args().nth(1) {
        Some(home) => Search { roots: vec![home.into()], ..Search::default() },
        None => Search { discover: true, ..Search::default() },
    };
    let plan = search.plan()?;
    println!("{}", serde_json::to_string_pretty(&plan.tasks)?);
    for trouble in &plan.troubles {
        eprintln!("{trouble}");
    }
    Ok(())
}
