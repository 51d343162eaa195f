//! What is particular to the logs of each agent, in the eyes of a test: what need not
//! be found in a record, and where native logs keep their ids.

mod claude;
mod codex;
mod cursor;
mod gemini;
mod opencode;

use serde_json::Value;
use vac_adapter::redact::Secrets;

use crate::logs::Log;
use crate::references::References;

pub use claude::CLAUDE;
pub use codex::CODEX;
pub use cursor::CURSOR;
pub use gemini::GEMINI;
pub use opencode::OPENCODE;

/// All of them.
pub const AGENTS: [&Agent; 5] = [&CLAUDE, &CODEX, &CURSOR, &GEMINI, &OPENCODE];

/// The logs of one agent.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// Its adapter's name.
    pub name: &'static str,
    /// What need not be in a record. Short, and printed by the tests.
    pub exceptions: &'static [Exception],
    /// Places of a record that repeat what is told elsewhere in it: what is only there
    /// has been lost where it belongs.
    pub copies: &'static [&'static str],
    /// Whether each document of a log of a variant becomes one entry, in order.
    pub one_entry_a_document: fn(variant: &str) -> bool,
    /// Whether a piece of a log that is no document is taken apart and what is good of it
    /// read; any other is carried in one piece.
    pub takes_apart: fn(&[u8]) -> bool,
    /// The native documents of a log, by the test's own means where [`Log::parts`] are not
    /// what is on disk: what is in a compressed file, the rows of a database.
    pub documents: fn(&Log) -> Vec<Vec<u8>>,
    /// Finds the ids of one native document, and what refers to them.
    pub references: fn(&Value, &mut References),
    /// A log of one session. `VALUE` stands where any JSON value may stand.
    pub sample: &'static str,
}

/// Something that need not be in a record.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// Native paths: `message.role`, `messages[].type`.
    pub paths: &'static [&'static str],
    /// On which condition.
    pub when: When,
    /// Why.
    pub reason: &'static str,
}

/// On which condition a native value need not be in a record.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// On none.
    Always,
    /// It is one of these texts: a discriminator that was translated.
    Is(&'static [&'static str]),
    /// The record says it at this place, for all entries.
    Says(&'static str),
    /// It could not be parsed, and the name of one of these can be read in it or in what is
    /// damaged before it.
    Redacted(Secrets),
}

impl Agent {
    /// The agent of that name.
    pub fn of(name: &str) -> &'static Self {
        let found = AGENTS.iter().find(|agent| agent.name == name);
        found.unwrap_or_else(|| panic!("no agent {name}"))
    }

    /// The exceptions, for people.
    pub fn print_exceptions(&self) {
        println!("{}: need not be in the record, besides null members:", self.name);
        for Exception { paths, when, reason } in self.exceptions {
            let condition = match when {
                When::Always => String::new(),
                When::Is(words) => format!(" if it is {}", words.join(", ")),
                When::Says(place) => format!(" if it equals {place}"),
                When::Redacted(_) => "what could not be parsed".to_owned(),
            };
            println!("  {}{condition}: {reason}", paths.join(", "));
        }
    }
}

/// Files as they are.
fn as_it_is(log: &Log) -> Vec<Vec<u8>> {
    log.parts.iter().map(|part| part.bytes.clone()).collect()
}

/// The elements of an array; none of anything else.
fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
