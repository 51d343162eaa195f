//! The models of a session, and which of them is the main one.

use std::collections::HashMap;

use vac_adapter::provider::UNKNOWN;
use vac_value::Node;

/// Models in the order of their appearance.
#[derive(Default)]
pub(crate) struct Models {
    /// Each, and how many turns of the session's own it had.
    all: Vec<(String, u64)>,
    places: HashMap<String, usize>,
    /// Turns that may be copies from another session: their lines and models.
    doubtful: Vec<(u64, usize)>,
}

impl Models {
    /// A turn context.
    pub fn turn(&mut self, turn: Node<'_, '_>, index: u64, is_doubtful: bool) {
        if let Some(model) = self.add(turn.member("model")) {
            if is_doubtful {
                self.doubtful.push((index, model));
            } else {
                self.all[model].1 += 1;
            }
        }
        self.mode(turn);
    }

    /// Settings that name a model.
    pub fn settings(&mut self, settings: Node<'_, '_>) {
        self.add(settings.member("model"));
        self.mode(settings);
    }

    /// The doubtful turns so far were another session's.
    pub fn forget_doubtful(&mut self) {
        self.doubtful.clear();
    }

    /// Ends the pass, once it is known which lines were copied.
    pub fn end(&mut self, is_copied: impl Fn(u64) -> bool) {
        for (index, model) in std::mem::take(&mut self.doubtful) {
            self.all[model].1 += u64::from(!is_copied(index));
        }
    }

    fn mode(&mut self, around: Node<'_, '_>) {
        let settings = around.member("collaboration_mode").and_then(|mode| mode.member("settings"));
        self.add(settings.and_then(|settings| settings.member("model")));
    }

    fn add(&mut self, model: Option<Node<'_, '_>>) -> Option<usize> {
        let model = model?.text().filter(|model| !model.is_empty())?;
        if let Some(known) = self.places.get(&*model) {
            return Some(*known);
        }
        let place = self.all.len();
        self.places.insert(model.clone().into_owned(), place);
        self.all.push((model.into_owned(), 0));
        Some(place)
    }

    /// The model of most turns; of equals the first.
    pub fn main(&self) -> &str {
        let most = self.all.iter().map(|(_, turns)| *turns).max();
        let main = self.all.iter().find(|(_, turns)| Some(*turns) == most);
        main.map_or(UNKNOWN, |(model, _)| model)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(model, _)| model.as_str())
    }
}
