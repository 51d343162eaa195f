//! Which tool a result is of.

use std::collections::HashMap;
use std::rc::Rc;

use crate::outcome::Outcome;

/// So many calls are remembered, twice. Results come soon.
const MOST_CALLS: usize = 1 << 15;
/// Longer ids are not remembered. Nobody has any.
const LONGEST_ID: usize = 512;

/// A call that a result may answer.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The tool.
    pub tool: Option<Rc<str>>,
    /// What was told about its end before the result.
    pub outcome: Option<Outcome>,
}

/// The last calls by their ids: when there are many, the older half is forgotten.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    young: HashMap<String, Call>,
    old: HashMap<String, Call>,
    /// Names are few.
    names: HashMap<String, Rc<str>>,
    /// The last call, if it has no id: a result without one that follows is its own.
    nameless: Option<Call>,
}

impl Calls {
    /// Remembers a call.
    pub fn call(&mut self, id: Option<&str>, tool: &str) {
        let tool = self.name(tool);
        match id {
            None => self.nameless = Some(Call { tool, outcome: None }),
            Some(id) => {
                self.nameless = None;
                let outcome = self.get(id).and_then(|call| call.outcome);
                self.put(id, Call { tool, outcome });
            }
        }
    }

    /// The call that a result answers.
    pub fn answered(&mut self, id: Option<&str>) -> Option<Call> {
        match id {
            None => self.nameless.take(),
            Some(id) => self.get(id).cloned(),
        }
    }

    /// Remembers what was told about a call's end.
    pub fn ended(&mut self, id: &str, outcome: Outcome) {
        let tool = self.get(id).and_then(|call| call.tool.clone());
        self.put(id, Call { tool, outcome: Some(outcome) });
    }

    fn get(&self, id: &str) -> Option<&Call> {
        self.young.get(id).or_else(|| self.old.get(id))
    }

    fn put(&mut self, id: &str, call: Call) {
        if id.len() > LONGEST_ID {
            return;
        }
        if self.young.len() >= MOST_CALLS {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(id.to_owned(), call);
    }

    fn name(&mut self, tool: &str) -> Option<Rc<str>> {
        if tool.len() > LONGEST_ID {
            return None;
        }
        if let Some(name) = self.names.get(tool) {
            return Some(name.clone());
        }
        if self.names.len() >= MOST_CALLS {
            self.names.clear();
        }
        let name: Rc<str> = tool.into();
        self.names.insert(tool.to_owned(), name.clone());
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_about_a_call_stays_with_it() {
        let mut calls = Calls::default();
        calls.ended("c1", Outcome::Error);
        calls.call(Some("c1"), "shell");
        calls.call(Some("c2"), "read");
        calls.ended("c2", Outcome::Success);
        for (id, tool, outcome) in
            [("c1", "shell", Outcome::Error), ("c2", "read", Outcome::Success)]
        {
            let call = calls.get(id).expect("a call");
            assert_eq!((call.tool.as_deref(), call.outcome), (Some(tool), Some(outcome)));
        }
    }

    #[test]
    fn a_result_without_an_id_answers_the_call_before_it_that_has_none() {
        let mut calls = Calls::default();
        calls.call(None, "grep");
        let tool = calls.answered(None).and_then(|call| call.tool);
        assert_eq!(tool.as_deref(), Some("grep"));
        assert!(calls.answered(None).is_none(), "once");
        calls.call(None, "grep");
        calls.call(Some("c1"), "read");
        assert!(calls.answered(None).is_none());
    }

    #[test]
    fn memory_does_not_grow_with_calls_that_nobody_answers() {
        let mut calls = Calls::default();
        for number in 0..3 * MOST_CALLS {
            calls.call(Some(&number.to_string()), "shell");
        }
        calls.call(Some(&"x".repeat(LONGEST_ID + 1)), "shell");
        assert!(calls.young.len() + calls.old.len() <= 2 * MOST_CALLS);
        assert!(calls.get("0").is_none());
        assert!(calls.get(&(3 * MOST_CALLS - 1).to_string()).is_some());
    }
}
