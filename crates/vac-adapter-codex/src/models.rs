//! Collects the models of a session, and determines the main one.

use vac_adapter::models::Models;
use vac_value::Node;

/// The models of a session by its turns.
#[derive(Default)]
pub(crate) struct TurnModels {
    /// The models, with the number of the session's own turns of each.
    pub models: Models,
    /// The turns that may be copies from another session: their lines and models.
    doubtful: Vec<(u64, usize)>,
}

impl TurnModels {
    /// Adds a turn context.
    pub fn turn(&mut self, turn: Node<'_, '_>, index: u64, is_doubtful: bool) {
        if let Some(model) = self.add(turn.member("model")) {
            if is_doubtful {
                self.doubtful.push((index, model));
            } else {
                self.models.add_answers(model, 1);
            }
        }
        self.mode(turn);
    }

    /// Adds settings that name a model.
    pub fn settings(&mut self, settings: Node<'_, '_>) {
        self.add(settings.member("model"));
        self.mode(settings);
    }

    /// Removes the doubtful turns so far, which belonged to another session.
    pub fn forget_doubtful(&mut self) {
        self.doubtful.clear();
    }

    /// Ends the pass, once it is known which lines were copied.
    pub fn end(&mut self, is_copied: impl Fn(u64) -> bool) {
        for (index, model) in std::mem::take(&mut self.doubtful) {
            self.models.add_answers(model, u64::from(!is_copied(index)));
        }
    }

    fn mode(&mut self, around: Node<'_, '_>) {
        let settings = around.member("collaboration_mode").and_then(|mode| mode.member("settings"));
        self.add(settings.and_then(|settings| settings.member("model")));
    }

    fn add(&mut self, model: Option<Node<'_, '_>>) -> Option<usize> {
        self.models.add(&model?.text()?, 0)
    }
}
