//! Sessions that are not JSON as a whole: truncated, damaged or nested too deep.
//!
//! Brackets and quotes are enough to find where a member or an element ends.
//! Elements that are valid by themselves are read as usual; the rest is kept unparsed.

use vac_adapter::Error;
use vac_adapter::broken::{Broken, Element, Reader};
use vac_adapter::frame::{Raw, Reason};
use vac_value::{Document, Node, Text};

use crate::native::{Form, Native, is_gemini, native};
use crate::walk::{self, Piece, Show, Slot};

/// The members that hold lists.
const LISTS: &[&str] = &["messages", "history", "clientHistory"];
/// So many messages are looked at to know whose they are.
const TELLING: usize = 64;

/// What is left of a session.
#[derive(Debug)]
pub(crate) struct Skeleton {
    /// The format.
    pub form: Form,
    broken: Broken,
    /// What is wrong with the whole.
    reason: Reason,
}

impl Skeleton {
    /// Finds a session in bytes that are not JSON.
    pub fn parse(bytes: &[u8], reason: &Reason) -> Option<Self> {
        let broken = Broken::of(bytes, LISTS)?;
        let form = detect_form(&broken, bytes)?;
        Some(Self { form, broken, reason: reason.clone() })
    }

    /// Shows what it says around its lists.
    pub fn around(&self, show: &mut Show<'_>) -> Result<(), Error> {
        let after = 1 + (self.broken.elements.len() + self.broken.lost.len()) as u64;
        match Document::json(&self.broken.wrapper) {
            Ok(document) => walk::wrapper(&document, self.form, after, show),
            Err(_) => Ok(()),
        }
    }

    /// Shows each piece.
    pub fn each(&self, bytes: &[u8], show: &mut Show<'_>) -> Result<(), Error> {
        self.around(show)?;
        let mut numbers = 1..;
        let mut reader = Reader::default();
        for (element, number) in self.broken.elements.iter().zip(&mut numbers) {
            read(&mut reader, element.of(bytes), self.slot(element), number, show)?;
        }
        self.lost(bytes, numbers.start, show)
    }

    fn lost(&self, bytes: &[u8], from: u64, show: &mut Show<'_>) -> Result<(), Error> {
        for (range, number) in self.broken.lost.iter().zip(from..) {
            let bytes = bytes.get(range.clone()).unwrap_or_default();
            let raw = Raw { bytes, reason: self.reason.clone(), document: None };
            show(number, Piece::Raw(Slot::Other, &raw))?;
        }
        Ok(())
    }

    fn slot(&self, element: &Element) -> Slot {
        match (self.form, element.list) {
            (Form::Messages, "messages") => Slot::Message,
            (Form::Prompts, _) => Slot::Prompt,
            (Form::ToolCheckpoint, "history") => Slot::Display,
            (_, "messages") => Slot::Other,
            _ => Slot::Content,
        }
    }

    /// Shows prompts as [`walk::Shape::prompts`] does; what belongs to nothing has the
    /// handles after the last prompt.
    pub fn prompts(&self, bytes: &[u8], show: &mut dyn FnMut(u64, u32, Option<Text<'_>>)) {
        let mut handles = 0..;
        for (element, handle) in self.broken.elements.iter().zip(&mut handles) {
            let document = Document::json(element.of(bytes)).ok();
            let session = document
                .as_ref()
                .and_then(|document| document.root().member("sessionId").and_then(Node::text));
            show(u64::from(handle) + 1, handle, session);
        }
        for (_, handle) in self.broken.lost.iter().zip(handles) {
            show(u64::from(handle) + 1, handle, None);
        }
    }

    /// Shows prompts by their numbers and handles.
    pub fn picked(
        &self,
        bytes: &[u8],
        picked: &[(u64, u32)],
        show: &mut Show<'_>,
    ) -> Result<(), Error> {
        let mut reader = Reader::default();
        for (number, handle) in picked.iter().copied() {
            match self.broken.elements.get(handle as usize) {
                Some(element) => read(&mut reader, element.of(bytes), Slot::Prompt, number, show)?,
                None => {
                    let at = handle as usize - self.broken.elements.len();
                    let Some(range) = self.broken.lost.get(at) else { continue };
                    let bytes = bytes.get(range.clone()).unwrap_or_default();
                    let raw = Raw { bytes, reason: self.reason.clone(), document: None };
                    show(number, Piece::Raw(Slot::Other, &raw))?;
                }
            }
        }
        Ok(())
    }
}

fn detect_form(broken: &Broken, bytes: &[u8]) -> Option<Form> {
    let telling = || broken.elements.iter().take(TELLING).map(|element| element.of(bytes));
    let text = if broken.wrapper.is_empty() {
        [b"[", telling().next()?, b"]"].concat()
    } else {
        broken.wrapper.clone()
    };
    if let Native::Session(form) = native(Document::json(&text).ok()?.root()) {
        return Some(form);
    }
    let is_ours = |bytes| Document::json(bytes).is_ok_and(|found| is_gemini(found.root()));
    let has_messages = broken.elements.iter().any(|element| element.list == "messages");
    (has_messages && telling().any(is_ours)).then_some(Form::Messages)
}

/// Shows an element.
fn read(
    reader: &mut Reader,
    bytes: &[u8],
    slot: Slot,
    number: u64,
    show: &mut Show<'_>,
) -> Result<(), Error> {
    reader.read(bytes, |found| match found {
        Ok(document) => show(number, Piece::Element(slot, document.root(), false)),
        Err(raw) => show(number, Piece::Raw(slot, raw)),
    })
}
