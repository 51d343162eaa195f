//! What every adapter has to hold, as functions that tests call.
//!
//! Tests of an adapter name its agent's rules ([`agents`]) and call [`check`] for
//! everything that is true of every log: every record is [valid](mod@convert), the same
//! each time and in both encodings; [nothing is lost](no_drop);
//! [ids lead where they led](references). [`golden`](mod@golden) compares the fixtures with the
//! records beside them, [`logs`] finds the logs, [`tokens`](mod@tokens) adds up what a record counts,
//! [`hostile`] makes input that nobody wishes for.
//!
//! ```no_run
//! use vac_adapter_check::{agents, check, corpus};
//! # fn of(adapter: &dyn vac_adapter::Adapter) {
//! for log in corpus(adapter) {
//!     println!("{}: {}", log.shown, check(&agents::CLAUDE, adapter, &log));
//! }
//! # }
//! ```
//!
//! # Decisions
//!
//! * Native logs are read by [`native`], which shares no code with the adapters.
//! * What is particular to an agent is data and small functions in [`agents`], so that
//!   the tests of one adapter and those of the workspace ask the same.
//! * Functions fail as tests do, by panicking, and name the log and the place.

// Every function here panics where a test has to fail.
#![allow(clippy::missing_panics_doc)]

pub mod agents;
mod check;
pub mod convert;
pub mod golden;
pub mod hostile;
pub mod logs;
pub mod native;
pub mod no_drop;
pub mod references;
pub mod tokens;

pub use agents::Agent;
pub use check::{Outcome, check, check_briefly, check_pieces, lossless, walk};
pub use convert::{Converted, convert, every_way, full};
pub use golden::golden;
pub use logs::{Case, Log, corpus, fixture, fixture_logs, fixtures};
pub use references::References;
pub use tokens::{Tokens, tokens};
