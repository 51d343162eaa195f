//! The models that took part in a session.

use std::collections::HashMap;

use vac_adapter::provider::UNKNOWN;
use vac_value::Text;

/// The model of messages that the CLI makes itself.
pub(crate) const SYNTHETIC: &str = "<synthetic>";

/// Models in the order of their appearance.
#[derive(Debug, Default)]
pub(crate) struct Models {
    models: Vec<Model>,
    /// The position of each in that list.
    positions: HashMap<String, usize>,
}

/// A model, and the number of lines that it wrote.
#[derive(Debug)]
struct Model {
    name: String,
    in_main_thread: u64,
    in_subagents: u64,
}

impl Models {
    /// Adds a model that took part, and the number of lines that it wrote.
    pub fn add(&mut self, name: &str, lines: u64, is_subagent: bool) {
        if name.is_empty() || name == SYNTHETIC {
            return;
        }
        let position = match self.positions.get(name) {
            Some(position) => *position,
            None => {
                self.positions.insert(name.to_owned(), self.models.len());
                let name = name.to_owned();
                self.models.push(Model { name, in_main_thread: 0, in_subagents: 0 });
                self.models.len() - 1
            }
        };
        let model = &mut self.models[position];
        *(if is_subagent { &mut model.in_subagents } else { &mut model.in_main_thread }) += lines;
    }

    /// Returns the model that wrote most lines of the main thread, the first of equal ones. A
    /// log of subagents alone has their model.
    pub fn main(&self) -> &str {
        let has_main = self.models.iter().any(|model| model.in_main_thread > 0);
        let lines =
            |model: &Model| if has_main { model.in_main_thread } else { model.in_subagents };
        let most = self.models.iter().map(lines).max();
        let found = self.models.iter().find(|model| Some(lines(model)) == most);
        found.map_or(UNKNOWN, |model| &model.name)
    }

    /// Returns the names of all models; `None` if none is known.
    pub fn names(&self) -> Option<Vec<Text<'static>>> {
        let names: Vec<_> = self.models.iter().map(|model| model.name.clone().into()).collect();
        (!names.is_empty()).then_some(names)
    }
}
