//! Session logs of AI agents as verifiable agent records.
//!
//! [`AGENTS`] is the one list of supported agents. The command line, the tests and the benchmarks
//! read it, so a new agent is its own crate and one line there.
//!
//! ```
//! use vac_adapter::{Memory, session};
//!
//! let log = Memory {
//!     name: "session.jsonl",
//!     bytes: br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#,
//! };
//! let (adapter, _) = vac_adapter::detect(&log, vac::AGENTS)?.ok_or("unknown agent")?;
//! assert_eq!(adapter.name(), "cursor");
//! let sessions = adapter.survey(&log)?;
//! let (record, _) = session::collect(&*sessions[0], &session::Options::default())?;
//! assert_eq!(record.session.entries.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agents;
pub mod convert;
mod error;
pub mod parallel;
pub mod search;
mod task;
mod version;

pub use agents::{AGENTS, Agent, agent, agents, place_variables};
pub use convert::{Converted, Options, convert};
pub use error::{Error, ErrorKind, Result};
pub use search::{Plan, Search};
pub use task::Task;
