//! Where a piece of a log stands.

use vac_adapter::frame::Place;

/// Where a piece of a log stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    /// The number of its frame among all frames of the input, from 0.
    pub index: u64,
    /// The place of its frame.
    pub place: Place,
    /// Which of the items of a whole session it is, from 0.
    pub item: Option<usize>,
}

impl At {
    /// A frame.
    pub fn frame(index: u64, place: Place) -> Self {
        Self { index, place, item: None }
    }

    /// A document of which nobody wants to know the place.
    pub fn document(index: u64) -> Self {
        Self::frame(index, Place::default())
    }

    /// An item of a whole session.
    pub fn item(self, number: usize) -> Self {
        Self { item: Some(number), ..self }
    }

    /// An id for what the source gives none.
    pub fn id(self) -> String {
        let frame = self.place.id();
        match self.item {
            None => frame,
            Some(number) => format!("{frame}.items.{number}"),
        }
    }
}
