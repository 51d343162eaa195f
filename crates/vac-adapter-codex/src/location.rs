//! The location of a part of a log.

use vac_adapter::frame::Place;

/// The location of a part of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    /// The number of its frame among all frames of the input, from 0.
    pub index: u64,
    /// The place of its frame.
    pub place: Place,
    /// The number of the item in a session of the TypeScript CLI, from 0.
    pub item: Option<usize>,
}

impl Location {
    /// Creates the location of a frame.
    pub fn frame(index: u64, place: Place) -> Self {
        Self { index, place, item: None }
    }

    /// Creates the location of a document of a sample, which has no place.
    pub fn document(index: u64) -> Self {
        Self::frame(index, Place::default())
    }

    /// Creates the location of an item of a session of the TypeScript CLI.
    pub fn item(self, number: usize) -> Self {
        Self { item: Some(number), ..self }
    }

    /// Returns an id for an entry that has none in the log.
    pub fn id(self) -> String {
        let frame = self.place.id();
        match self.item {
            None => frame,
            Some(number) => format!("{frame}.items.{number}"),
        }
    }
}
