//! Sessions that are no JSON as a whole: cut short, damaged or nested too deep.
//!
//! Brackets and quotes are enough to tell where a member or an element ends.
//! What is good by itself is read as if nothing had happened; the rest is carried
//! raw.

use std::ops::Range;

use vac_adapter::Error;
use vac_adapter::frame::{Raw, Reason};
use vac_value::{Document, Limits, Node, Scanner, Text};

use crate::brackets::{Element, Walker, is_space};
use crate::native::{Form, Native, is_gemini, native};
use crate::walk::{self, Piece, Show, Slot};

/// Levels that a record has around an element, with room to spare.
const LEVELS_AROUND: usize = 16;
/// So many messages are looked at to know whose they are.
const TELLING: usize = 64;

/// What is left of a session.
#[derive(Debug)]
pub(crate) struct Skeleton {
    /// The format.
    pub form: Form,
    /// The members around the lists that are good, and empty lists.
    wrapper: Vec<u8>,
    /// The elements of the lists, good or bad.
    elements: Vec<Element>,
    /// What belongs to nothing.
    lost: Vec<Range<usize>>,
    /// What is wrong with the whole.
    reason: Reason,
}

impl Skeleton {
    /// Looks for a session in what is no JSON.
    pub fn of(bytes: &[u8], reason: &Reason) -> Option<Self> {
        let mut walker = Walker::new(bytes);
        let wrapper = match bytes.first()? {
            b'{' => walker.object(),
            b'[' => {
                walker.list("");
                walker.end();
                Vec::new()
            }
            _ => return None,
        };
        let Walker { elements, lost, .. } = walker;
        let (elements, lost) = joined(bytes, elements, lost);
        let mut skeleton =
            Self { form: Form::Messages, wrapper, elements, lost, reason: reason.clone() };
        skeleton.form = skeleton.judge(bytes)?;
        Some(skeleton)
    }

    fn judge(&self, bytes: &[u8]) -> Option<Form> {
        let telling = || self.elements.iter().take(TELLING).filter_map(|element| element.of(bytes));
        let text = if self.wrapper.is_empty() {
            [b"[", telling().next()?, b"]"].concat()
        } else {
            self.wrapper.clone()
        };
        if let Native::Session(form) = native(Document::json(&text).ok()?.root()) {
            return Some(form);
        }
        let is_ours = |bytes| Document::json(bytes).is_ok_and(|found| is_gemini(found.root()));
        let has_messages = self.elements.iter().any(|element| element.list == "messages");
        (has_messages && telling().any(is_ours)).then_some(Form::Messages)
    }

    /// Shows what it says around its lists.
    pub fn around(&self, show: &mut Show<'_>) -> Result<(), Error> {
        let behind = 1 + (self.elements.len() + self.lost.len()) as u64;
        match Document::json(&self.wrapper) {
            Ok(document) => walk::wrapper(&document, self.form, behind, show),
            Err(_) => Ok(()),
        }
    }

    /// Shows each piece.
    pub fn each(&self, bytes: &[u8], show: &mut Show<'_>) -> Result<(), Error> {
        self.around(show)?;
        let mut numbers = 1..;
        let mut reader = Reader::new(bytes);
        for (element, number) in self.elements.iter().zip(&mut numbers) {
            reader.element(element, self.slot(element), number, show)?;
        }
        self.lost(bytes, numbers.start, show)
    }

    fn lost(&self, bytes: &[u8], from: u64, show: &mut Show<'_>) -> Result<(), Error> {
        for (range, number) in self.lost.iter().zip(from..) {
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
    /// handles behind the last prompt.
    pub fn prompts(&self, bytes: &[u8], show: &mut dyn FnMut(u64, u32, Option<Text<'_>>)) {
        let mut handles = 0..;
        for (element, handle) in self.elements.iter().zip(&mut handles) {
            let document = element.of(bytes).and_then(|bytes| Document::json(bytes).ok());
            let session = document
                .as_ref()
                .and_then(|document| document.root().member("sessionId").and_then(Node::text));
            show(u64::from(handle) + 1, handle, session);
        }
        for (_, handle) in self.lost.iter().zip(handles) {
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
        let mut reader = Reader::new(bytes);
        for (number, handle) in picked.iter().copied() {
            match self.elements.get(handle as usize) {
                Some(element) => reader.element(element, Slot::Prompt, number, show)?,
                None => {
                    let at = handle as usize - self.elements.len();
                    let Some(range) = self.lost.get(at) else { continue };
                    let bytes = bytes.get(range.clone()).unwrap_or_default();
                    let raw = Raw { bytes, reason: self.reason.clone(), document: None };
                    show(number, Piece::Raw(Slot::Other, &raw))?;
                }
            }
        }
        Ok(())
    }
}

/// Joins bad elements that follow each other where one of them is no object: there the
/// brackets do not fit, and only together they are what was written.
fn joined(
    bytes: &[u8],
    elements: Vec<Element>,
    mut lost: Vec<Range<usize>>,
) -> (Vec<Element>, Vec<Range<usize>>) {
    let mut joined: Vec<Element> = Vec::with_capacity(elements.len());
    let (mut was_bad, mut was_open) = (false, false);
    for element in elements {
        let bytes = element.of(bytes).unwrap_or_default();
        let is_bad = Document::json(bytes).is_err();
        let is_open = is_bad && !(bytes.starts_with(b"{") && bytes.ends_with(b"}"));
        let follows = was_bad && is_bad && (was_open || is_open);
        match joined.last_mut().filter(|before| follows && before.list == element.list) {
            Some(before) => before.range.end = element.range.end,
            None => joined.push(element),
        }
        (was_bad, was_open) = (is_bad, is_open || (follows && was_open));
    }
    if let (true, Some(last), Some(rest)) = (was_open, joined.last(), lost.last_mut())
        && rest.end == bytes.len()
        && bytes
            .get(last.range.end..rest.start)
            .is_some_and(|between| between.iter().copied().all(is_space))
    {
        rest.start = last.range.start;
        joined.pop();
    }
    (joined, lost)
}

/// Reads elements one by one.
struct Reader<'b> {
    bytes: &'b [u8],
    scanner: Scanner,
}

impl<'b> Reader<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        let limits = Limits::default();
        let limits = Limits { depth: limits.depth - LEVELS_AROUND, ..limits };
        Self { bytes, scanner: Scanner::new(limits) }
    }

    fn element(
        &mut self,
        element: &Element,
        slot: Slot,
        number: u64,
        show: &mut Show<'_>,
    ) -> Result<(), Error> {
        let bytes = element.of(self.bytes).unwrap_or_default();
        let (reason, document) = match self.scanner.json(bytes) {
            Ok(document) if document.duplicate_keys().len() == 0 => {
                show(number, Piece::Element(slot, document.root()))?;
                self.scanner.recycle(document);
                return Ok(());
            }
            Ok(document) => (Reason::DuplicateKey, Some(document)),
            Err(error) => (Reason::Syntax(error), None),
        };
        show(number, Piece::Raw(slot, &Raw { bytes, reason, document }))
    }
}
