//! The models of a session.

use std::collections::HashMap;

use vac_adapter::provider::UNKNOWN;

use crate::object::{Model, StoredObject};

/// The models of a session, in the order of their appearance.
#[derive(Default)]
pub(crate) struct Models {
    all: Vec<Counted>,
    places: HashMap<String, usize>,
}

struct Counted {
    name: String,
    provider: Option<String>,
    answers: u64,
}

impl Models {
    /// The models that objects name; if none does, the one that the session names.
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
        if let (true, Some(model)) = (found.all.is_empty(), named) {
            found.add(model, 0);
        }
        found
    }

    fn add(&mut self, model: &Model<'_>, answers: u64) {
        let provider = || model.provider.as_deref().map(str::to_owned);
        let place = self.places.get(&*model.name).copied();
        match place.and_then(|place| self.all.get_mut(place)) {
            Some(known) => {
                known.answers += answers;
                if known.provider.is_none() {
                    known.provider = provider();
                }
            }
            None => {
                let name = model.name.clone().into_owned();
                self.places.insert(name.clone(), self.all.len());
                self.all.push(Counted { name, provider: provider(), answers });
            }
        }
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|model| model.name.as_str())
    }

    /// The model that gave most answers, and who runs it; of equals the first.
    pub fn main(&self) -> (&str, Option<&str>) {
        let most = self.all.iter().map(|model| model.answers).max();
        let main = self.all.iter().find(|model| Some(model.answers) == most);
        main.map_or((UNKNOWN, None), |model| (&model.name, model.provider.as_deref()))
    }
}
