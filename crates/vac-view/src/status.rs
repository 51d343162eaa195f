//! How a session ended: success, failure or interrupted.
//!
//! The rule was written for Gemini's list of messages: without messages a session was
//! interrupted; if the last message is the model's, it failed if a tool call in that
//! message did, and was a success otherwise; if it is anybody else's, it was interrupted.
//!
//! For all agents "message" is read as *step*: what the model said and did at once, and
//! the results of that.
//!
//! | agent | a step is | besides |
//! |---|---|---|
//! | Gemini | a message with its tool calls and their results | a last message `error` is a failure; `info` and `warning` interrupt |
//! | Claude | the lines with one `message.id`, and the results of their calls | an API error in the model's place is a failure; `[Request interrupted by user` interrupts; local commands such as `/exit` are not addressed to the model and decide nothing |
//! | Codex | items up to the first item of the model behind a result | `turn_aborted` (as event or message) interrupts, an `error` event is a failure |
//! | `OpenCode` | the parts between two `step-start`, at most a message | an `error` of the message is a failure; `MessageAbortedError` interrupts |
//! | Cursor | a line | `turn_ended` and `result` say it: aborted interrupts, an error is a failure; an `error` line is a failure |
//! | others | as Codex | |
//!
//! In the logs of Claude, Codex and `OpenCode` every call has its result: where the last
//! step has a call without one, the session was interrupted. (Gemini's calls hold their
//! results, Cursor does not tell any; of others it is asked if they told any.)
//!
//! Entries that stand [aside](crate::aside) or were taken back decide nothing, and neither
//! do subagents, unless there is nobody else.

use serde::Serialize;

use crate::agent::Agent;
use crate::outcome::Outcome;
use crate::prompt::Author;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The model had the last word, and the tools it used last did not fail.
    Success,
    /// They did, or the session ended with an error.
    Failure,
    /// The user had the last word, or nobody, or somebody stopped the model.
    Interrupted,
}

impl Status {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Tools of a provider, whose calls have no result of their own.
const WITHOUT_RESULT: &[&str] = &["web_search_call", "image_generation_call"];

/// Follows a session to its end.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    agent: Agent,
    main: Track,
    subagents: Track,
}

#[derive(Clone, Debug, Default)]
struct Track {
    last: Last,
    /// Said outright, until somebody goes on.
    verdict: Option<Status>,
    /// What tells the entries of a step from those of the next, if anything does.
    key: Option<String>,
    failed: bool,
    answered: bool,
    /// Calls of the step without a result.
    open: u64,
    tells_results: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nobody,
    User,
    Model,
    Program,
}

impl Course {
    pub fn new(agent: Agent) -> Self {
        Self { agent, main: Track::default(), subagents: Track::default() }
    }

    fn track(&mut self, is_subagent: bool) -> &mut Track {
        if is_subagent { &mut self.subagents } else { &mut self.main }
    }

    /// A message in the user's name.
    pub fn prompt(&mut self, is_subagent: bool, author: Author) {
        let track = self.track(is_subagent);
        match author {
            Author::User => {
                track.begin(None);
                track.verdict = None;
                track.last = Last::User;
            }
            Author::Interruption => track.verdict = Some(Status::Interrupted),
            Author::Command | Author::Program => {}
        }
    }

    /// Something of the model that is no child of something else.
    pub fn model(&mut self, is_subagent: bool, key: Option<String>, is_message: bool) {
        let track = self.track(is_subagent);
        let is_next = match (&key, &track.key) {
            (Some(key), Some(current)) => key != current,
            (Some(_), None) => true,
            (None, _) => is_message || track.answered || track.verdict.is_some(),
        };
        if is_next {
            track.begin(key);
            track.verdict = None;
        }
        track.last = Last::Model;
    }

    /// The log says that a step begins.
    pub fn step(&mut self, is_subagent: bool) {
        let track = self.track(is_subagent);
        let key = track.key.take();
        track.begin(key);
    }

    /// A tool call.
    pub fn call(&mut self, is_subagent: bool, tool: &str) {
        if !WITHOUT_RESULT.contains(&tool) {
            self.track(is_subagent).open += 1;
        }
    }

    /// A tool result.
    pub fn result(&mut self, is_subagent: bool, outcome: Outcome) {
        let track = self.track(is_subagent);
        track.last = Last::Model;
        track.answered = true;
        track.tells_results = true;
        track.failed |= outcome == Outcome::Error;
        track.open = track.open.saturating_sub(1);
    }

    /// The program has the word.
    pub fn program(&mut self, is_subagent: bool) {
        let track = self.track(is_subagent);
        track.begin(None);
        track.verdict = None;
        track.last = Last::Program;
    }

    /// The log says it outright.
    pub fn verdict(&mut self, is_subagent: bool, status: Status) {
        self.track(is_subagent).verdict = Some(status);
    }

    /// How it ended.
    pub fn status(&self) -> Status {
        let is_empty = self.main.last == Last::Nobody && self.main.verdict.is_none();
        let track = if is_empty { &self.subagents } else { &self.main };
        if let Some(verdict) = track.verdict {
            return verdict;
        }
        let waits = track.open > 0
            && match self.agent {
                Agent::Claude | Agent::Codex | Agent::OpenCode => true,
                Agent::Gemini | Agent::Cursor => false,
                Agent::Other => track.tells_results,
            };
        match track.last {
            Last::Nobody | Last::User | Last::Program => Status::Interrupted,
            Last::Model if track.failed => Status::Failure,
            Last::Model if waits => Status::Interrupted,
            Last::Model => Status::Success,
        }
    }
}

impl Track {
    fn begin(&mut self, key: Option<String>) {
        self.key = key;
        self.failed = false;
        self.answered = false;
        self.open = 0;
    }
}
