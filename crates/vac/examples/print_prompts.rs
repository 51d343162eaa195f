//! Prints what the user asked in a session log.
//!
//! `cargo run -p vac --example print_prompts -- LOG`

use vac::{EventKind, EventOptions, Search};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let log = std::env::args().nth(1).ok_or("usage: print_prompts LOG")?;
    let plan = Search { paths: vec![log.into()], ..Search::default() }.plan()?;
    let only = EventOptions { prompts: true, ..EventOptions::NOTHING };
    for task in &plan.tasks {
        vac::events(task, only, |event| {
            if let EventKind::UserPrompt { text, .. } = &event.kind {
                let time = event.time.as_ref().map_or("-", |time| &time.text);
                println!("{time} {:?}", text.text);
            }
            Ok(())
        })?;
    }
    plan.troubles.into_iter().next().map_or(Ok(()), |trouble| Err(trouble.into()))
}
