//! Measures the cost of `vac` as ratios to well-known programs, in turns in the same run. Below 1
//! is faster than the baseline. Absolute times are not printed, because they depend on the machine.
//!
//!     cargo bench                  prints the tables
//!     cargo bench -- --quick       with small inputs and few rounds: a first look
//!     cargo bench -- --markdown    as Markdown (`cargo xtask bench-report -o FILE`)
//!
//! `VAC_BINARIES=before=PATH:after=PATH` compares builds of the command in one run.
//!
//! Inputs are generated and, if a corpus is next to the workspace (or in the folder that
//! `VAC_CORPUS` names), the largest log of each agent in it.

mod codecs;
mod command;
mod convert;
mod inputs;
mod measure;
mod sign;
mod table;

use std::process::ExitCode;

use inputs::Inputs;
use measure::Effort;
use table::Table;

fn main() -> ExitCode {
    let (mut effort, mut print): (_, fn(&Table) -> String) = (Effort::Full, Table::text);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => effort = Effort::Quick,
            "--markdown" => print = Table::markdown,
            // The argument that `cargo bench` passes to every benchmark.
            "--bench" => {}
            other => {
                eprintln!("error: {other:?} is neither --quick nor --markdown");
                return ExitCode::from(2);
            }
        }
    }
    let inputs = Inputs::new(effort);
    let jobs: [(&str, &dyn Fn() -> Table); 4] = [
        ("converting", &|| convert::table(&inputs, effort)),
        ("validating, decoding, encoding", &|| codecs::table(&inputs, effort)),
        ("growing", &|| codecs::growth(effort)),
        ("signing", &|| sign::table(effort)),
    ];
    for (job, measure) in jobs {
        eprintln!("{job} ...");
        println!("{}", print(&measure()));
    }
    eprintln!("running the whole command ...");
    match command::tables(effort) {
        Ok(tables) => tables.iter().for_each(|table| println!("{}", print(table))),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
