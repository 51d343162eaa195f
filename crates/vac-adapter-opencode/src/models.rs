//! Collects the models of a session, and their providers.

use vac_adapter::models::Models;

use crate::object::{Model, StoredObject};

/// The models of a session with their providers.
#[derive(Default)]
pub(crate) struct SessionModels {
    pub models: Models,
    /// The provider of each model, by its position.
    providers: Vec<Option<String>>,
}

impl SessionModels {
    /// Returns the models that messages name; if no message names one, the model that the session
    /// names.
    pub fn new(
        objects: &[StoredObject<'_>],
        models: &[Model<'_>],
        named: Option<&Model<'_>>,
    ) -> Self {
        let mut found = Self::default();
        for stored in objects {
            let model = stored.model.and_then(|number| models.get(number as usize));
            if let Some(model) = model {
                found.add(model, u64::from(!stored.is_user));
            }
        }
        if let (None, Some(model)) = (found.models.main(), named) {
            found.add(model, 0);
        }
        found
    }

    fn add(&mut self, model: &Model<'_>, answers: u64) {
        let Some(position) = self.models.add(&model.name, answers) else { return };
        if self.providers.len() <= position {
            self.providers.resize(position + 1, None);
        }
        if let provider @ None = &mut self.providers[position] {
            *provider = model.provider.as_deref().map(str::to_owned);
        }
    }

    /// Returns the provider of the main model.
    pub fn provider(&self) -> Option<&str> {
        let main = self.models.main()?;
        let position = self.models.names().position(|name| name == main)?;
        self.providers.get(position)?.as_deref()
    }
}
