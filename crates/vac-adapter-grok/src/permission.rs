//! Reads decisions about what the agent may do.
//!
//! | line | decision |
//! |---|---|
//! | `session/request_permission` | asked |
//! | its response, by the kind of the selected option: `allow_...` | allowed |
//! | its response, by the kind of the selected option: `reject_...` | denied |
//! | its response, `cancelled` | unknown: the turn was stopped |
//! | `pending_interaction` of kind `permission` | asked |
//!
//! The protocol does not state whether the user or the settings of the client decide.

use std::collections::HashMap;

use vac_adapter::line_log::text;
use vac_record::annotations::{Decision, Permission};
use vac_value::Node;

/// The method of a request.
pub(crate) const REQUEST: &str = "session/request_permission";

/// The requests of a log, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Requests(HashMap<String, Request>);

#[derive(Debug)]
struct Request {
    what: Option<String>,
    call_id: Option<String>,
    /// The ids of the options that allow it, and of those that reject it.
    allowing: Vec<String>,
    rejecting: Vec<String>,
}

impl Requests {
    /// Adds a request.
    pub fn add(&mut self, line: Node<'_, '_>) {
        let Some((id, params)) = line.member("id").zip(line.member("params")) else { return };
        let of_call = |key: &str| text(params.member("toolCall").and_then(|it| it.member(key)));
        let options = |beginning: &str| {
            let options = params.member("options").into_iter().flat_map(Node::elements);
            let is_it = |option: &Node<'_, '_>| {
                text(option.member("kind")).is_some_and(|kind| kind.starts_with(beginning))
            };
            options.filter(is_it).filter_map(|option| text(option.member("optionId"))).collect()
        };
        let request = Request {
            what: of_call("title").or_else(|| of_call("kind")),
            call_id: of_call("toolCallId"),
            allowing: options("allow"),
            rejecting: options("reject"),
        };
        self.0.insert(key(id), request);
    }

    /// Returns the question that a request asks.
    pub fn asked(&self, line: Node<'_, '_>) -> Option<Permission<'_>> {
        let request = self.0.get(&key(line.member("id")?))?;
        Some(request.permission(Decision::Asked))
    }

    /// Returns the decision that a response states.
    pub fn decided(&self, line: Node<'_, '_>) -> Option<Permission<'_>> {
        let outcome = line.member("result")?.member("outcome")?;
        let request = self.0.get(&key(line.member("id")?))?;
        let option = text(outcome.member("optionId")).unwrap_or_default();
        Some(request.permission(if request.allowing.contains(&option) {
            Decision::Allowed
        } else if request.rejecting.contains(&option) {
            Decision::Denied
        } else {
            Decision::Unknown
        }))
    }
}

impl Request {
    fn permission(&self, decision: Decision) -> Permission<'_> {
        Permission {
            decision,
            by: None,
            what: self.what.as_deref().map(Into::into),
            call_id: self.call_id.as_deref().map(Into::into),
        }
    }
}

/// Returns the id of a message as JSON: a number and a text are different ids.
fn key(id: Node<'_, '_>) -> String {
    String::from_utf8_lossy(id.raw()).into_owned()
}
