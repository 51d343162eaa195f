//! The models of a session, and which of them is the main one.

use std::collections::HashMap;

use vac_value::Text;

use crate::provider::UNKNOWN;

/// The models of a session in the order in which the log names them first.
///
/// The main model is the one with the most answers; the first one if several have as many.
/// Answers of subagents do not count: an adapter adds them with a count of 0.
///
/// ```
/// use vac_adapter::models::Models;
///
/// let mut models = Models::default();
/// models.add("large", 1);
/// models.add("small", 0);
/// models.add("large", 1);
/// models.add("medium", 2);
/// assert_eq!(models.main(), Some("large"));
/// assert_eq!(models.names().collect::<Vec<_>>(), ["large", "small", "medium"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Models {
    counts: Vec<(String, u64)>,
    positions: HashMap<String, usize>,
}

impl Models {
    /// Adds a model that gave this many answers. An empty name is ignored. Returns its position.
    pub fn add(&mut self, model: &str, answers: u64) -> Option<usize> {
        if model.is_empty() {
            return None;
        }
        let position = match self.positions.get(model) {
            Some(position) => *position,
            None => {
                self.positions.insert(model.to_owned(), self.counts.len());
                self.counts.push((model.to_owned(), 0));
                self.counts.len() - 1
            }
        };
        self.add_answers(position, answers);
        Some(position)
    }

    /// Adds answers to the model at a position.
    pub fn add_answers(&mut self, position: usize, answers: u64) {
        if let Some((_, count)) = self.counts.get_mut(position) {
            *count = count.saturating_add(answers);
        }
    }

    /// Returns the main model.
    pub fn main(&self) -> Option<&str> {
        let most = self.counts.iter().map(|(_, answers)| *answers).max()?;
        let main = self.counts.iter().find(|(_, answers)| *answers == most);
        main.map(|(model, _)| model.as_str())
    }

    /// Returns the main model, or `unknown`.
    pub fn main_or_unknown(&self) -> &str {
        self.main().unwrap_or(UNKNOWN)
    }

    /// Returns all models.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.counts.iter().map(|(model, _)| model.as_str())
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
    fn model_without_answers_is_listed_and_not_the_main_one() {
        let mut models = Models::default();
        models.add("subagent", 0);
        models.add("main", 1);
        assert_eq!(models.main(), Some("main"));
        assert_eq!(models.listed(), Some(vec!["subagent".into(), "main".into()]));
    }
}
