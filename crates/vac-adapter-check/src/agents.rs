//! Rules of the checks for one agent: native values that a record need not contain, and where
//! native logs have their ids. The rules are in the agents' crates, under their feature `check`.

use std::any::Any;

use serde_json::Value;
use vac_adapter::Adapter;
use vac_adapter::redact::Secrets;

use crate::logs::TestLog;
use crate::references::References;

/// The rules for the logs of one agent.
#[derive(Clone, Copy, Debug)]
pub struct AgentRules {
    /// The name of the agent's adapter.
    pub name: &'static str,
    /// Native values that need not be in a record. The list should be short; tests print it.
    pub exceptions: &'static [Exception],
    /// Paths of a record whose values repeat others in the record. A value that is only at such a
    /// path counts as lost.
    pub copies: &'static [&'static str],
    /// Whether each document of a log of a variant becomes one entry, in order.
    pub one_entry_a_document: fn(variant: &str) -> bool,
    /// Returns whether the adapter reads the valid parts of a damaged document. Any other
    /// damaged document is kept unparsed in one piece.
    pub reads_damaged: fn(&[u8]) -> bool,
    /// Returns the native documents of a log. If [`TestLog::parts`] are not the bytes on disk (a
    /// compressed file, the rows of a database), the function reads the files itself.
    pub documents: fn(&TestLog) -> Vec<Vec<u8>>,
    /// Finds the ids of one native document, and the references to them.
    pub references: fn(&Value, &mut References),
    /// A log of one session, with `VALUE` in the place of any JSON value.
    pub sample: &'static str,
}

/// Native values that need not be in a record.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// Native paths, such as `message.role` and `messages[].type`.
    pub paths: &'static [&'static str],
    /// The condition on which the values need not be in a record.
    pub when: When,
    /// The reason, for tests to print.
    pub reason: &'static str,
}

/// The condition on which a native value need not be in a record.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// No condition.
    Always,
    /// The value is one of these texts: a discriminator that the converter translates.
    Is(&'static [&'static str]),
    /// The record contains the value at this path, for all entries.
    Equals(&'static str),
    /// The value is in bytes that could not be parsed and that contain the name of one of these
    /// secrets, or follow damaged bytes that do.
    Redacted(Secrets),
}

impl AgentRules {
    /// Returns the rules for the agent of an adapter.
    pub fn from_adapter(adapter: &dyn Adapter) -> &'static Self {
        let rules = adapter.check_rules().and_then(|rules| (rules as &dyn Any).downcast_ref());
        rules.unwrap_or_else(|| panic!("{}: feature `check` is not enabled", adapter.name()))
    }

    /// Prints the exceptions.
    pub fn print_exceptions(&self) {
        println!("{}: need not be in the record, besides null members:", self.name);
        for Exception { paths, when, reason } in self.exceptions {
            let condition = match when {
                When::Always => String::new(),
                When::Is(words) => format!(" if it is {}", words.join(", ")),
                When::Equals(place) => format!(" if it equals {place}"),
                When::Redacted(_) => "what could not be parsed".to_owned(),
            };
            println!("  {}{condition}: {reason}", paths.join(", "));
        }
    }
}

/// Returns the bytes of the files of a log.
pub fn file_bytes(log: &TestLog) -> Vec<Vec<u8>> {
    log.parts.iter().map(|part| part.bytes.clone()).collect()
}

/// Returns the elements of an array; an empty iterator for any other value.
pub fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The rules for an agent whose logs are lines with a type, for tests of this crate.
#[cfg(test)]
pub(crate) const SAMPLE: AgentRules = AgentRules {
    name: "sample",
    exceptions: &[
        Exception {
            paths: &["type"],
            when: When::Is(&["user", "assistant"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["sessionId"],
            when: When::Equals("session.session-id"),
            reason: "the session's id",
        },
    ],
    copies: &["session.entries[].children"],
    one_entry_a_document: |_| true,
    reads_damaged: |_| false,
    documents: file_bytes,
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
