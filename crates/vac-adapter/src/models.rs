//! The models of a session, and the choice of the main one.

use std::collections::HashMap;

use vac_value::Text;

use crate::provider::UNKNOWN;

/// The models of a session in the order in which the log names them first.
///
/// The main model is the one with the most answers in the main thread; the first one if several
/// have as many. Answers of subagents count only in a log without others, which is
/// that of a subagent.
///
/// ```
/// use vac_adapter::models::Models;
///
/// let mut models = Models::default();
/// models.add("large", 1);
/// models.add_subagent("small", 7);
/// models.add("large", 1);
/// models.add("medium", 2);
/// assert_eq!(models.main(), Some("large"));
/// assert_eq!(models.names().collect::<Vec<_>>(), ["large", "small", "medium"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Models {
    models: Vec<Model>,
    positions: HashMap<String, usize>,
}

/// A model, and the number of its answers.
#[derive(Clone, Debug, Default)]
struct Model {
    name: String,
    in_main_thread: u64,
    in_subagents: u64,
}

impl Models {
    /// Adds a model with its number of answers in the main thread. Returns its position; `None` for
    /// an empty name, which is ignored.
    pub fn add(&mut self, name: &str, answers: u64) -> Option<usize> {
        let position = self.position(name)?;
        self.add_answers(position, answers);
        Some(position)
    }

    /// Adds a model with its number of answers as a subagent. An empty name is ignored.
    pub fn add_subagent(&mut self, name: &str, answers: u64) {
        if let Some(position) = self.position(name) {
            let count = &mut self.models[position].in_subagents;
            *count = count.saturating_add(answers);
        }
    }

    /// Adds answers in the main thread to the model at a position that [`Self::add`] returned.
    pub fn add_answers(&mut self, position: usize, answers: u64) {
        let count = &mut self.models[position].in_main_thread;
        *count = count.saturating_add(answers);
    }

    /// Returns the position of a model, which is added if it is new.
    fn position(&mut self, name: &str) -> Option<usize> {
        if name.is_empty() {
            return None;
        }
        if let Some(position) = self.positions.get(name) {
            return Some(*position);
        }
        let position = self.models.len();
        self.positions.insert(name.to_owned(), position);
        self.models.push(Model { name: name.to_owned(), ..Model::default() });
        Some(position)
    }

    /// Returns the main model.
    pub fn main(&self) -> Option<&str> {
        let has_main_thread = self.models.iter().any(|model| model.in_main_thread > 0);
        let answers = |model: &Model| {
            if has_main_thread { model.in_main_thread } else { model.in_subagents }
        };
        let most = self.models.iter().map(answers).max()?;
        let main = self.models.iter().find(|model| answers(model) == most);
        main.map(|model| model.name.as_str())
    }

    /// Returns the model if there is only one.
    pub fn only(&self) -> Option<&str> {
        match self.models.as_slice() {
            [model] => Some(&model.name),
            _ => None,
        }
    }

    /// Returns the main model, or `unknown`.
    pub fn main_or_unknown(&self) -> &str {
        self.main().unwrap_or(UNKNOWN)
    }

    /// Returns all models.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(|model| model.name.as_str())
    }

    /// Returns all models as a record states them. `None` if there are none.
    pub fn listed(&self) -> Option<Vec<Text<'static>>> {
        let models: Vec<_> = self.names().map(|model| model.to_owned().into()).collect();
        (!models.is_empty()).then_some(models)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_of_equal_models_is_the_main_one() {
        let mut models = Models::default();
        assert_eq!((models.main(), models.listed()), (None, None));
        assert_eq!(models.main_or_unknown(), "unknown");
        assert_eq!(models.add("", 7), None);
        for model in ["a", "b", "b", "a"] {
            models.add(model, 1);
        }
        assert_eq!(models.main(), Some("a"));
        models.add_answers(1, 1);
        assert_eq!(models.main(), Some("b"));
    }

    #[test]
    fn model_of_subagents_is_the_main_one_only_without_others() {
        let mut models = Models::default();
        models.add_subagent("subagent", 5);
        assert_eq!((models.main(), models.only()), (Some("subagent"), Some("subagent")));
        models.add("main", 1);
        assert_eq!((models.main(), models.only()), (Some("main"), None));
        assert_eq!(models.listed(), Some(vec!["subagent".into(), "main".into()]));
    }
}
