//! The text of an input, to look at its units again and again.

use std::io::Read;

use vac_adapter::frame::{Content, Frame, held};
use vac_adapter::{Error, Input};
use vac_value::{Node, Scanner, SyntaxError};

use crate::units::{Unit, Units};

/// See the module.
pub(crate) enum Store<'i> {
    /// An input in memory: scanned once.
    Held(&'i [u8], Vec<Frame<'i>>),
    /// An input that was read: a unit is scanned when it is looked at.
    Read(Vec<u8>),
}

impl<'i> Store<'i> {
    /// Reads an input.
    pub fn of(input: &'i dyn Input) -> Result<Self, Error> {
        if let Some(bytes) = input.bytes() {
            return Ok(Self::Held(bytes, held(bytes)));
        }
        let mut bytes = Vec::new();
        input.open()?.read_to_end(&mut bytes)?;
        Ok(Self::Read(bytes))
    }

    /// Its units, in its order.
    pub fn units(&self) -> Units {
        match self {
            Self::Held(_, frames) => Units::of(frames),
            Self::Read(bytes) => Units::of(&held(bytes)),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Held(bytes, _) => bytes,
            Self::Read(bytes) => bytes,
        }
    }

    /// The bytes of a unit.
    pub fn source(&self, unit: &Unit) -> &[u8] {
        &self.bytes()[unit.source.clone()]
    }

    /// Looks at a unit that is a document.
    pub fn look<T>(
        &self,
        unit: &Unit,
        scanner: &mut Scanner,
        look: impl FnOnce(Result<Node<'_, '_>, SyntaxError>) -> T,
    ) -> T {
        if let Self::Held(_, frames) = self
            && let Some(Frame { content: Content::Document(document), .. }) = frames.get(unit.frame)
        {
            return look(Ok(document.node(unit.node)));
        }
        match scanner.json(self.source(unit)) {
            Ok(document) => {
                let result = look(Ok(document.root()));
                scanner.recycle(document);
                result
            }
            Err(error) => look(Err(error)),
        }
    }
}
