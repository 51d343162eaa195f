//! Keeps tool calls that wait for their results.

use std::collections::{BTreeMap, HashMap, VecDeque};

use vac_record::annotations::{Action, Category, Decider, Decision};

/// The maximum number of calls that wait for their results. Results follow their calls closely, but
/// some agents do not log all of them.
const MAX_WAITING: usize = 1 << 15;
/// The maximum number of bytes of these calls.
const MAX_WAITING_BYTES: usize = 32 << 20;

/// A tool call, or the result of one that is not known.
#[derive(Debug, Default)]
pub(crate) struct ToolCall {
    pub index: i64,
    pub ordinal: Option<i64>,
    pub id: Option<String>,
    pub tool: Option<String>,
    pub action: Option<CallAction>,
    pub called_at: Option<i64>,
    pub outcome: Option<&'static str>,
    pub exit_code: Option<i64>,
    pub command: Option<String>,
    pub paths: Vec<String>,
    pub host: Option<String>,
    pub input: Option<String>,
    pub subagent: Option<String>,
    pub child_session_id: Option<String>,
    pub permission: Option<CallPermission>,
    pub is_counted: bool,
    pub is_lossy: bool,
    pub files: Vec<CallFile>,
}

/// The action of a tool.
#[derive(Debug)]
pub(crate) struct CallAction {
    pub canonical: String,
    pub category: Category,
    pub server: Option<String>,
}

impl From<&Action<'_>> for CallAction {
    fn from(action: &Action<'_>) -> Self {
        Self {
            canonical: action.tool.to_string(),
            category: action.category,
            server: action.server.as_deref().map(str::to_owned),
        }
    }
}

/// The last decision about a call. A question is replaced by its decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallPermission {
    pub decision: Decision,
    pub by: Option<Decider>,
}

impl CallPermission {
    fn is_final(self) -> bool {
        matches!(self.decision, Decision::Allowed | Decision::Denied)
    }

    fn replace(old: &mut Option<Self>, new: Self) {
        if new.is_final() || !old.is_some_and(Self::is_final) {
            *old = Some(new);
        }
    }
}

/// A file that a call acts on.
#[derive(Debug)]
pub(crate) struct CallFile {
    pub path: String,
    pub operation: &'static str,
    pub lines_added: Option<i64>,
    pub lines_removed: Option<i64>,
}

/// The result of a call.
#[derive(Debug, Default)]
pub(crate) struct CallResult {
    pub ordinal: Option<i64>,
    pub answered_at: Option<i64>,
    pub output_text: Option<String>,
    pub output_size: Option<i64>,
}

impl ToolCall {
    fn size(&self) -> usize {
        let input = self.input.as_ref().map_or(0, String::len);
        let command = self.command.as_ref().map_or(0, String::len);
        let paths = self.files.iter().map(|file| file.path.len() + 64).sum::<usize>();
        256 + input + command + paths
    }
}

/// The calls that wait, by their ids and by whether they are counted. A counted call waits for a
/// counted result only.
#[derive(Default)]
pub(crate) struct WaitingCalls {
    calls: BTreeMap<i64, ToolCall>,
    by_id: HashMap<(bool, String), VecDeque<i64>>,
    /// The last call, if it has no id. A result without an id that follows is its result.
    without_id: Option<i64>,
    size: usize,
    next_index: i64,
    /// Decisions about calls that have not appeared yet.
    decided: HashMap<String, Option<CallPermission>>,
}

impl WaitingCalls {
    /// Returns the number of the next call.
    pub fn next_index(&mut self) -> i64 {
        let index = self.next_index;
        self.next_index += 1;
        index
    }

    /// Notes a decision about the calls with an id that wait, or about the next one.
    pub fn decide(&mut self, id: &str, permission: CallPermission) {
        let mut is_waiting = false;
        for is_counted in [true, false] {
            for index in self.by_id.get(&(is_counted, id.to_owned())).into_iter().flatten() {
                if let Some(call) = self.calls.get_mut(index) {
                    CallPermission::replace(&mut call.permission, permission);
                    is_waiting = true;
                }
            }
        }
        if !is_waiting && (self.decided.len() < MAX_WAITING || self.decided.contains_key(id)) {
            CallPermission::replace(self.decided.entry(id.to_owned()).or_default(), permission);
        }
    }

    /// Adds a call. Returns one that has waited for too long.
    pub fn insert(&mut self, mut call: ToolCall) -> Option<ToolCall> {
        if let Some(id) = &call.id {
            call.permission = self.decided.remove(id).flatten();
        }
        self.without_id = None;
        match &call.id {
            Some(id) => {
                let waiting = self.by_id.entry((call.is_counted, id.clone())).or_default();
                waiting.push_back(call.index);
            }
            None => self.without_id = Some(call.index),
        }
        self.size += call.size();
        self.calls.insert(call.index, call);
        let is_full = self.calls.len() > MAX_WAITING || self.size > MAX_WAITING_BYTES;
        is_full.then(|| self.pop_first()).flatten()
    }

    /// Returns the call of a result. Of several calls with the same id, the first.
    pub fn answer(&mut self, id: Option<&str>, is_counted: bool) -> Option<ToolCall> {
        let index = match id {
            Some(id) => {
                let key = (is_counted, id.to_owned());
                let waiting = self.by_id.get_mut(&key)?;
                let index = waiting.pop_front();
                if waiting.is_empty() {
                    self.by_id.remove(&key);
                }
                index
            }
            None => self.without_id.take(),
        };
        let call = self.calls.remove(&index?)?;
        self.size -= call.size();
        Some(call)
    }

    /// Returns the call that has waited for the longest time.
    pub fn pop_first(&mut self) -> Option<ToolCall> {
        let (index, call) = self.calls.pop_first()?;
        self.size -= call.size();
        if let Some(id) = &call.id {
            let key = (call.is_counted, id.clone());
            if let Some(waiting) = self.by_id.get_mut(&key) {
                waiting.retain(|waiting| *waiting != index);
                if waiting.is_empty() {
                    self.by_id.remove(&key);
                }
            }
        }
        Some(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(calls: &mut WaitingCalls, id: Option<&str>, is_counted: bool) -> Option<ToolCall> {
        let index = calls.next_index();
        let id = id.map(str::to_owned);
        calls.insert(ToolCall { index, id, is_counted, ..ToolCall::default() })
    }

    fn answer(calls: &mut WaitingCalls, id: Option<&str>, is_counted: bool) -> Option<i64> {
        calls.answer(id, is_counted).map(|call| call.index)
    }

    #[test]
    fn results_belong_to_the_first_call_of_their_id_that_counts_as_they_do() {
        let mut calls = WaitingCalls::default();
        insert(&mut calls, Some("a"), true);
        insert(&mut calls, Some("a"), false);
        insert(&mut calls, Some("a"), true);
        assert_eq!(answer(&mut calls, Some("b"), true), None);
        assert_eq!(answer(&mut calls, Some("a"), true), Some(0));
        assert_eq!(answer(&mut calls, Some("a"), true), Some(2));
        assert_eq!(answer(&mut calls, Some("a"), true), None);
        assert_eq!(answer(&mut calls, Some("a"), false), Some(1));
        assert_eq!(calls.size, 0);
    }

    #[test]
    fn decisions_belong_to_calls_before_and_after_them() {
        let by_user = |decision| CallPermission { decision, by: Some(Decider::User) };
        let mut calls = WaitingCalls::default();
        calls.decide("a", by_user(Decision::Asked));
        calls.decide("a", by_user(Decision::Denied));
        insert(&mut calls, Some("a"), true);
        insert(&mut calls, Some("b"), true);
        insert(&mut calls, Some("c"), true);
        calls.decide("b", by_user(Decision::Allowed));
        calls.decide("b", by_user(Decision::Asked));
        let decided = |calls: &mut WaitingCalls, id| {
            calls.answer(Some(id), true).and_then(|call| call.permission)
        };
        assert_eq!(decided(&mut calls, "a"), Some(by_user(Decision::Denied)));
        assert_eq!(decided(&mut calls, "b"), Some(by_user(Decision::Allowed)));
        assert_eq!(decided(&mut calls, "c"), None);
    }

    #[test]
    fn result_without_id_belongs_to_the_call_before_it() {
        let mut calls = WaitingCalls::default();
        insert(&mut calls, None, true);
        assert_eq!(answer(&mut calls, None, true), Some(0));
        insert(&mut calls, None, true);
        insert(&mut calls, Some("a"), true);
        assert_eq!(answer(&mut calls, None, true), None);
        assert_eq!(calls.pop_first().map(|call| call.index), Some(1));
    }

    #[test]
    fn number_of_waiting_calls_is_bounded() {
        let mut calls = WaitingCalls::default();
        for _ in 0..MAX_WAITING {
            assert!(insert(&mut calls, Some("same"), true).is_none());
        }
        assert_eq!(insert(&mut calls, Some("x"), true).map(|call| call.index), Some(0));
        assert_eq!(calls.calls.len(), MAX_WAITING);
    }
}
