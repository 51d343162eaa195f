//! Determines how a session ended: success, failure or interrupted.
//!
//! The rules are the same for all agents:
//!
//! 1. If the log states how the session or its last turn ended (annotation `ends`), that is the
//!    status, unless the user or the model went on afterwards.
//! 2. If the last message is addressed to the model, or the session has neither a prompt nor
//!    anything of the model, it was interrupted.
//! 3. Otherwise the last *step* decides: it failed if a tool call in it did; it was interrupted
//!    if one of its tool calls has no result, in a log that contains results
//!    ([`Adapter::logs_results`](vac_adapter::Adapter::logs_results); without an adapter, if the
//!    session has a result); and it was a success in all other cases.
//!
//! A step consists of the messages and calls of the model before it receives results, and of these
//! results. It begins with the first item of the model after a result, an end or a prompt. Children
//! of a message belong to the step of the message.
//!
//! Some logs contain a message without content before the entries that are its parts. The end that
//! such a message states is that of its parts: it is the status until the next such message or
//! prompt.
//!
//! Prompts of the user and of other agents are addressed to the model; those of the program, of
//! hooks and of unknown authors, and commands for the program, decide nothing. Entries that are
//! superseded, duplicates or inherited decide nothing either, and neither do subagents, unless
//! the session consists of nothing else.

use serde::Serialize;
use vac_record::annotations::{Ending, Outcome};

/// The status of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The model finished, and the tools that it used last did not fail.
    Success,
    /// A tool failed in the last step, or the log states that the session failed.
    Failure,
    /// The model did not finish.
    Interrupted,
}

impl Status {
    /// Returns the status's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<Ending> for Status {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Success => Self::Success,
            Ending::Failure => Self::Failure,
            Ending::Interrupted => Self::Interrupted,
        }
    }
}

/// The way in which a session ended, apart from failures of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// The model finished, or the log states that the session succeeded.
    Normally,
    /// The model did not finish, or the log states that the session was interrupted.
    Interrupted,
    /// The log states that the session failed.
    Failed,
    /// The session has neither a prompt nor anything of the model.
    Unknown,
}

impl Ended {
    /// Returns the name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normally => "normally",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

impl From<Status> for Ended {
    fn from(status: Status) -> Self {
        match status {
            Status::Success => Self::Normally,
            Status::Failure => Self::Failed,
            Status::Interrupted => Self::Interrupted,
        }
    }
}

/// Determines how a session ended, entry by entry.
#[derive(Clone, Debug)]
pub(crate) struct StatusTracker {
    /// Whether the adapter's logs contain a result for every call. `None` without an adapter.
    logs_results: Option<bool>,
    main: Thread,
    subagents: Thread,
}

/// The main thread, or all subagents together.
#[derive(Clone, Debug, Default)]
struct Thread {
    last: Last,
    stated: Option<Stated>,
    has_failed: bool,
    has_result: bool,
    /// The number of calls in the step without a result.
    open_calls: u64,
    /// Whether there was a result in any step.
    has_any_result: bool,
}

/// The end that the log states.
#[derive(Clone, Copy, Debug)]
struct Stated {
    status: Status,
    /// Whether the following entries are parts of the session or turn that ended.
    includes_parts: bool,
}

/// The side that the last message or action came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Unknown,
    User,
    Model,
}

impl StatusTracker {
    pub fn new(logs_results: Option<bool>) -> Self {
        Self { logs_results, main: Thread::default(), subagents: Thread::default() }
    }

    fn thread(&mut self, is_subagent: bool) -> &mut Thread {
        if is_subagent { &mut self.subagents } else { &mut self.main }
    }

    /// Adds a message that is addressed to the model.
    pub fn prompt(&mut self, is_subagent: bool) {
        let thread = self.thread(is_subagent);
        thread.begin_step();
        thread.stated = None;
        thread.last = Last::User;
    }

    /// Adds an item of the model that is not a child of a message. `precedes_parts` is true for a
    /// message without content.
    pub fn model_item(&mut self, is_subagent: bool, precedes_parts: bool) {
        let thread = self.thread(is_subagent);
        let goes_on = thread.stated.is_some_and(|it| !it.includes_parts || precedes_parts);
        if goes_on {
            thread.stated = None;
        }
        if goes_on || thread.has_result {
            thread.begin_step();
        }
        thread.last = Last::Model;
    }

    /// Adds a tool call, with its outcome if the call itself states it.
    pub fn call(&mut self, is_subagent: bool, outcome: Option<Outcome>) {
        let thread = self.thread(is_subagent);
        match outcome {
            None => thread.open_calls += 1,
            Some(outcome) => thread.has_failed |= outcome == Outcome::Error,
        }
    }

    /// Adds a tool result.
    pub fn result(&mut self, is_subagent: bool, outcome: Outcome) {
        let thread = self.thread(is_subagent);
        thread.last = Last::Model;
        thread.has_result = true;
        thread.has_any_result = true;
        thread.has_failed |= outcome == Outcome::Error;
        thread.open_calls = thread.open_calls.saturating_sub(1);
    }

    /// Adds the end of a turn or of the session, as the log states it.
    pub fn end(&mut self, is_subagent: bool, ending: Ending, includes_parts: bool) {
        let stated = Stated { status: ending.into(), includes_parts };
        self.thread(is_subagent).stated = Some(stated);
    }

    /// Returns the status of the session, if there are no more entries.
    pub fn status(&self) -> Status {
        let thread = self.deciding_thread();
        match thread.stated {
            Some(stated) => stated.status,
            None if thread.last == Last::Model && thread.has_failed => Status::Failure,
            None => match self.ended() {
                Ended::Normally => Status::Success,
                _ => Status::Interrupted,
            },
        }
    }

    /// Returns how the session ended, provided that there are no more entries.
    pub fn ended(&self) -> Ended {
        let thread = self.deciding_thread();
        let logs_results = self.logs_results.unwrap_or(thread.has_any_result);
        match (thread.stated, thread.last) {
            (Some(stated), _) => stated.status.into(),
            (None, Last::Unknown) => Ended::Unknown,
            (None, Last::User) => Ended::Interrupted,
            (None, Last::Model) if logs_results && thread.open_calls > 0 => Ended::Interrupted,
            (None, Last::Model) => Ended::Normally,
        }
    }

    /// Returns the main thread, unless the session consists of subagents.
    fn deciding_thread(&self) -> &Thread {
        let is_empty = self.main.last == Last::Unknown && self.main.stated.is_none();
        if is_empty { &self.subagents } else { &self.main }
    }
}

impl Thread {
    fn begin_step(&mut self) {
        self.has_failed = false;
        self.has_result = false;
        self.open_calls = 0;
    }
}
