//! Reads sessions that are not JSON as a whole: truncated, damaged or nested too deeply. Elements
//! that are valid by themselves are read as usual; the rest is kept unparsed.

use vac_adapter::Error;
use vac_adapter::damaged::{self, List, Pieces};
use vac_adapter::frame::{Content, Raw};
use vac_value::{Document, Node, Text};

use crate::native::{Form, Native, is_gemini, native};
use crate::walk::{Around, Pick, Piece, Show, Slot};

/// The members that contain lists.
const LISTS: &[List] = &[List::new("messages"), List::new("history"), List::new("clientHistory")];
/// Maximum number of elements that are read to determine the format.
const MAX_COMPARED_ELEMENTS: usize = 64;

/// A damaged session.
#[derive(Debug)]
pub(crate) struct DamagedSession {
    /// The format.
    pub form: Form,
    /// The members around the lists; `None` if the session is an array.
    wrapper: Option<Vec<u8>>,
}

impl DamagedSession {
    /// Finds a session in bytes that are not JSON.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let wrapper = damaged::wrapper(bytes, LISTS);
        let form = match &wrapper {
            None if bytes.starts_with(b"[") => {
                let (_, first) = elements(bytes).next()?;
                form(&[b"[", first.root().raw(), b"]"].concat())
            }
            None => None,
            Some(wrapper) => form(wrapper).or_else(|| {
                let is_ours = |(list, element): (&str, Document<'_>)| {
                    list == "messages" && is_gemini(element.root())
                };
                elements(bytes).take(MAX_COMPARED_ELEMENTS).any(is_ours).then_some(Form::Messages)
            }),
        };
        Some(Self { form: form?, wrapper })
    }

    /// Passes the members around its lists to `show`.
    pub fn around<T>(&self, show: impl FnOnce(Option<&Around<'_, '_>>) -> T) -> T {
        let document = self.wrapper.as_deref().map(Document::json).and_then(Result::ok);
        show(document.as_ref().and_then(|it| Around::damaged(it, self.form)).as_ref())
    }

    /// Passes each piece to `show`.
    pub fn each(&self, raw: &Raw<'_>, show: &mut Show<'_>) -> Result<(), Error> {
        self.around(|around| {
            if let Some(around) = around {
                show(0, Piece::Around(around))?;
            }
            let mut number = 0;
            for (list, _, content) in contents(Pieces::from_frame(raw, LISTS)) {
                number += 1;
                read(self.slot(list), &content, number, show)?;
            }
            // The tool call of a checkpoint is not a list, and follows the lists.
            let mut lists = around.into_iter().flat_map(Around::lists);
            match lists.find(|(slot, _)| *slot == Slot::Call) {
                Some((slot, call)) => show(number + 1, Piece::Element(slot, call, false)),
                None => Ok(()),
            }
        })
    }

    fn slot(&self, list: &str) -> Slot {
        match (self.form, list) {
            (Form::Messages, "messages") => Slot::Message,
            (Form::Prompts, _) => Slot::Prompt,
            (Form::ToolCheckpoint, "history") => Slot::Display,
            (_, "messages") => Slot::Other,
            _ => Slot::Content,
        }
    }
}

fn form(text: &[u8]) -> Option<Form> {
    match native(Document::json(text).ok()?.root()) {
        Native::Session(form) => Some(form),
        _ => None,
    }
}

/// Returns the elements of lists and the bytes that could not be parsed: each with its list and its
/// first byte.
fn contents(pieces: Pieces<'_>) -> impl Iterator<Item = (&'static str, usize, Content<'_>)> {
    pieces.filter_map(|piece| match piece {
        damaged::Piece::Element { of, at, value } => Some((of, at, Content::Document(value))),
        damaged::Piece::Raw { of, at, raw } => Some((of, at, Content::Raw(raw))),
        _ => None,
    })
}

fn elements(bytes: &[u8]) -> impl Iterator<Item = (&'static str, Document<'_>)> {
    contents(Pieces::new(bytes, LISTS)).filter_map(|(list, _, content)| match content {
        Content::Document(element) => Some((list, element)),
        Content::Raw(_) => None,
    })
}

fn read(slot: Slot, content: &Content<'_>, number: u64, show: &mut Show<'_>) -> Result<(), Error> {
    match content {
        Content::Document(document) => show(number, Piece::Element(slot, document.root(), false)),
        Content::Raw(raw) => show(number, Piece::Raw(slot, raw)),
    }
}

/// Passes each prompt of a damaged list to `show`, with the session of the prompt.
pub(crate) fn prompts(bytes: &[u8], show: &mut dyn FnMut(Pick, Option<Text<'_>>)) {
    for (number, (_, at, content)) in (1..).zip(contents(Pieces::new(bytes, LISTS))) {
        let (length, session) = match &content {
            Content::Document(document) => {
                let prompt = document.root();
                (prompt.raw().len(), prompt.member("sessionId").and_then(Node::text))
            }
            Content::Raw(raw) => (raw.bytes.len(), None),
        };
        show(Pick { number, range: at..at + length }, session);
    }
}

/// Passes some prompts of a damaged list to `show`.
pub(crate) fn picked(raw: &Raw<'_>, picks: &[Pick], show: &mut Show<'_>) -> Result<(), Error> {
    picks.iter().try_for_each(|pick| {
        let content = damaged::parse_in(raw, pick.range.clone());
        let content = content.ok_or(Error::Changed { file: None })?;
        read(Slot::Prompt, &content, pick.number, show)
    })
}
