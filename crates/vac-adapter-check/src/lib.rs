//! Checks that every adapter has to pass, as functions that tests call.
//!
//! Tests of an adapter name the rules of its agent ([`agents`]) and call [`check`], which checks
//! what has to be true of every log: every record is [valid](mod@convert) and the same each time
//! and in both encodings, [nothing is lost](no_drop), and [ids refer to the same
//! entries](references). [`golden`](mod@golden) compares the fixtures with the records next to
//! them, [`logs`] finds the logs, [`tokens`](mod@tokens) adds up the tokens of a record, and
//! [`hostile`] creates malformed and misleading input.
//!
//! ```no_run
//! use vac_adapter_check::{AgentRules, check, corpus};
//! # fn run(adapter: &dyn vac_adapter::Adapter) {
//! for log in corpus(adapter) {
//!     println!("{}: {}", log.shown, check(AgentRules::from_adapter(adapter), adapter, &log));
//! }
//! # }
//! ```
//!
//! # Decisions
//!
//! * Native logs are read by [`native`], which shares no code with the adapters.
//! * The rules that are specific to an agent are data and small functions in the agent's crate,
//!   under its feature `check`, so that the tests of the adapter and those of the workspace check
//!   the same.
//! * Functions fail by panicking, as tests do, and name the log and the place.

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

pub use agents::AgentRules;
pub use check::{CheckOutcome, check, check_all, check_briefly, check_damaged, check_pieces};
pub use convert::{ConvertedRecord, convert, convert_full, convert_in_every_way};
pub use golden::golden;
pub use logs::{Fixture, TestLog, corpus, fixture, fixture_logs, fixtures};
pub use references::References;
#[doc(no_inline)]
pub use serde_json::Value;
pub use tokens::{Tokens, tokens};

/// Encodes bytes in base64.
pub fn base64(bytes: &[u8]) -> String {
    data_encoding::BASE64.encode(bytes)
}
