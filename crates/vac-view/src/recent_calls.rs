//! Finds the tool that a result belongs to.

use std::collections::HashMap;
use std::rc::Rc;

use vac_record::annotations::Action;

/// The maximum number of calls in each of the two generations.
const MAX_CALLS: usize = 1 << 15;
/// The maximum number of bytes of an id or name that is remembered.
const MAX_LENGTH: usize = 512;

/// A tool that was called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CalledTool {
    /// The tool's native name.
    pub name: String,
    /// The category of the call.
    pub action: Action<'static>,
}

/// The tools of the last calls, by call id. When there are many, the older generation is
/// dropped: results follow their calls closely.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentCalls {
    recent: HashMap<String, Rc<CalledTool>>,
    older: HashMap<String, Rc<CalledTool>>,
    /// The last tool of each name. A session has many calls of few tools.
    tools: HashMap<String, Rc<CalledTool>>,
    /// The last call, if it has no id. A result without an id that follows is its result.
    without_id: Option<Rc<CalledTool>>,
}

impl RecentCalls {
    /// Remembers a call.
    pub fn insert(&mut self, id: Option<&str>, name: &str, action: &Action<'_>) {
        self.without_id = None;
        if name.len() > MAX_LENGTH || id.is_some_and(|id| id.len() > MAX_LENGTH) {
            return;
        }
        let tool = self.tool(name, action);
        let Some(id) = id else {
            self.without_id = Some(tool);
            return;
        };
        if self.recent.len() >= MAX_CALLS {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(id.to_owned(), tool);
    }

    /// Returns the tool of a result.
    pub fn find(&mut self, id: Option<&str>) -> Option<Rc<CalledTool>> {
        match id {
            None => self.without_id.take(),
            Some(id) => self.recent.get(id).or_else(|| self.older.get(id)).cloned(),
        }
    }

    fn tool(&mut self, name: &str, action: &Action<'_>) -> Rc<CalledTool> {
        if let Some(tool) = self.tools.get(name).filter(|tool| tool.action == *action) {
            return tool.clone();
        }
        if self.tools.len() >= MAX_CALLS {
            self.tools.clear();
        }
        let action = vac_value::IntoOwned::into_owned(action.clone());
        let tool = Rc::new(CalledTool { name: name.to_owned(), action });
        self.tools.insert(name.to_owned(), tool.clone());
        tool
    }
}

#[cfg(test)]
mod tests {
    use vac_record::annotations::Category;

    use super::*;

    fn insert(calls: &mut RecentCalls, id: Option<&str>, name: &str) {
        calls.insert(id, name, &Action::new("shell_exec", Category::Execute));
    }

    #[test]
    fn result_without_id_belongs_to_the_call_before_it() {
        let mut calls = RecentCalls::default();
        insert(&mut calls, None, "grep");
        assert_eq!(calls.find(None).expect("a call").name, "grep");
        assert!(calls.find(None).is_none(), "a call has one result");
        insert(&mut calls, None, "grep");
        insert(&mut calls, Some("c1"), "read");
        assert!(calls.find(None).is_none());
    }

    #[test]
    fn unanswered_calls_do_not_grow_memory() {
        let mut calls = RecentCalls::default();
        for number in 0..3 * MAX_CALLS {
            insert(&mut calls, Some(&number.to_string()), "shell");
        }
        insert(&mut calls, Some(&"x".repeat(MAX_LENGTH + 1)), "shell");
        assert!(calls.recent.len() + calls.older.len() <= 2 * MAX_CALLS);
        assert!(calls.find(Some("0")).is_none());
        assert!(calls.find(Some(&(3 * MAX_CALLS - 1).to_string())).is_some());
    }
}
