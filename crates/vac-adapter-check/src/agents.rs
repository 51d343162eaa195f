//! What tests have to know about the logs of an agent: what need not be found in a record, and
//! where native logs have their ids. The values are in the agents' crates, with their feature
//! `check`.

use std::any::Any;

use serde_json::Value;
use vac_adapter::Adapter;
use vac_adapter::redact::Secrets;

use crate::logs::Log;
use crate::references::References;

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
    /// Returns the agent of an adapter.
    pub fn of(adapter: &dyn Adapter) -> &'static Self {
        let rules = adapter.check_rules().and_then(|rules| (rules as &dyn Any).downcast_ref());
        rules.unwrap_or_else(|| panic!("{}: feature `check` is not enabled", adapter.name()))
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

/// Returns the bytes of the files of a log.
pub fn as_it_is(log: &Log) -> Vec<Vec<u8>> {
    log.parts.iter().map(|part| part.bytes.clone()).collect()
}

/// Returns the elements of an array; none of anything else.
pub fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// An agent whose logs are lines with a type, for tests of this crate.
#[cfg(test)]
pub(crate) const SAMPLE: Agent = Agent {
    name: "sample",
    exceptions: &[
        Exception {
            paths: &["type"],
            when: When::Is(&["user", "assistant"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["sessionId"],
            when: When::Says("session.session-id"),
            reason: "the session's id",
        },
    ],
    copies: &["session.entries[].children"],
    one_entry_a_document: |_| true,
    takes_apart: |_| false,
    documents: as_it_is,
    references: |line, found| {
        found.ids.extend(crate::references::text(&line["uuid"]));
        found.parents.extend(crate::references::text(&line["parentUuid"]));
        for block in elements(&line["message"]["content"]) {
            found.calls.extend(crate::references::text(&block["id"]));
            found.results.extend(crate::references::text(&block["tool_use_id"]));
        }
    },
    sample: "",
};
