//! Splits a frame into the pieces from which entries are made.

use std::ops::Range;

use vac_adapter::frame::{Content, Frame, Raw, Reason};
use vac_adapter::{Error, Report};
use vac_record::MessageEntryType;
use vac_value::{Any, Document, Encoding, Kind, Node, Text};

use crate::damaged::{self, DamagedSession};
use crate::head::{Head, Wanted};
use crate::message_content;
use crate::native::{Form, Native, native};
use crate::user_message_kind::is_canned_answer;

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// A message.
    Message,
    /// A Content.
    Content,
    /// A prompt of `logs.json`.
    Prompt,
    /// The tool call before which a checkpoint was made.
    Call,
    /// The conversation as the user saw it when a checkpoint was made.
    Display,
    /// A line that takes messages back.
    Rewind,
    /// A line with another operation.
    Operation,
    /// A document that is not part of a session.
    Other,
}

/// A piece of a frame.
#[derive(Debug)]
pub(crate) enum Piece<'p, 'd, 'a> {
    /// The object around lists. It is passed first.
    Around(&'p Around<'d, 'a>),
    /// An element of a list or a line, and whether the canned answer to a summary follows.
    Element(Slot, Node<'d, 'a>, bool),
    /// Bytes that cannot be kept as a value, and the kind of element that they would be.
    Raw(Slot, &'p Raw<'a>),
}

/// The role of an object around lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The head of a session.
    Head,
    /// A change of the session's facts.
    Set,
}

/// An object without its lists.
#[derive(Debug)]
pub(crate) struct Around<'d, 'a> {
    /// The role of the object.
    pub role: Role,
    /// The document.
    pub node: Node<'d, 'a>,
    /// The object that contains the lists.
    inner: Node<'d, 'a>,
    pub lists: Lists,
    /// The text of the object with empty lists and the reason, if its other members cannot be kept
    /// as values.
    pub raw: Option<(Vec<u8>, Reason)>,
}

/// The members of an object that are lists or the call of a checkpoint, and the kind of their
/// elements.
pub(crate) type Lists = &'static [(&'static str, Slot)];

const MESSAGES: Lists = &[("messages", Slot::Message)];

impl<'d: 'a, 'a> Around<'d, 'a> {
    /// Returns the members around the lists of a document; `None` if there are none.
    fn new(node: Node<'d, 'a>, native: Native) -> Option<Self> {
        let (role, lists): (_, Lists) = match native {
            Native::Session(Form::Messages) => (Role::Head, MESSAGES),
            Native::Session(Form::History) => (Role::Head, &[("history", Slot::Content)]),
            Native::Session(Form::ToolCheckpoint) => (
                Role::Head,
                &[
                    ("clientHistory", Slot::Content),
                    ("toolCall", Slot::Call),
                    ("history", Slot::Display),
                ],
            ),
            Native::Header => (Role::Head, &[]),
            Native::Set => (Role::Set, MESSAGES),
            _ => return None,
        };
        let inner = if role == Role::Set { node.member("$set")? } else { node };
        Some(Self { role, node, inner, lists, raw: None })
    }

    /// Returns the members around the lists of a damaged session, whose lists are empty in
    /// `document`.
    pub fn damaged(document: &'d Document<'a>, form: Form) -> Option<Self> {
        let mut around = Self::new(document.root(), Native::Session(form))?;
        around.check_encodable(document.duplicate_keys().len() > 0);
        Some(around)
    }

    /// Returns a member that is next to the lists.
    pub fn member(&self, key: &str) -> Option<Node<'d, 'a>> {
        self.inner.member(key)
    }

    /// Returns the lists of the object.
    pub fn lists(&self) -> impl Iterator<Item = (Slot, Node<'d, 'a>)> {
        self.lists.iter().filter_map(|(key, slot)| {
            let list = self.inner.member(key)?;
            is_list(self.lists, key, list).then_some((*slot, list))
        })
    }

    /// Reads the head of a session.
    pub fn head(&self, named: &[&str], is_hoisted: bool, report: &mut Report) -> Head<'d> {
        Head::read(self.inner, named, Wanted { lists: self.lists, is_hoisted }, report)
    }

    /// Returns the text of the object with empty lists.
    pub fn text(&self) -> Vec<u8> {
        let (raw, start) = (self.node.raw(), self.node.offset());
        let mut lists: Vec<_> = self.lists().map(|(_, list)| list).collect();
        lists.sort_by_key(|list| list.offset());
        let mut text = Vec::new();
        let mut at = 0;
        for list in lists {
            let from = list.offset() - start;
            text.extend_from_slice(&raw[at..from]);
            text.extend_from_slice(b"[]");
            at = from + list.raw().len();
        }
        text.extend_from_slice(&raw[at..]);
        text
    }

    /// Checks whether both encodings can express the members. If one of them cannot, the members
    /// become an entry, because the head of a record cannot contain raw text.
    fn check_encodable(&mut self, is_ambiguous: bool) {
        if is_ambiguous {
            self.raw = Some((self.text(), Reason::DuplicateKey));
        } else if self.role == Role::Head
            && let rest = self.head(&[], true, &mut Report::default()).rest
            && let Err(error) = Any::from_value(&rest, Encoding::Cbor)
        {
            self.raw = Some((self.text(), Reason::Encoding(error.to_string())));
        }
    }
}

/// Returns whether a member of the object is one of its lists.
pub(crate) fn is_list(lists: Lists, key: &str, value: Node<'_, '_>) -> bool {
    let kind = |slot| if slot == Slot::Call { Kind::Map } else { Kind::Array };
    lists.iter().any(|(list, slot)| *list == key && value.kind() == kind(*slot))
}

/// A receiver of pieces, each with its number: the first of a frame has 0, and elements of lists
/// begin at 1.
pub(crate) type Show<'s> = dyn FnMut(u64, Piece<'_, '_, '_>) -> Result<(), Error> + 's;

/// The kind of a frame.
#[derive(Debug)]
pub(crate) enum Shape {
    /// A document.
    Whole(Native),
    /// A session that is not JSON as a whole.
    Damaged(DamagedSession),
    /// Something else.
    Raw,
}

impl Shape {
    /// Classifies a frame.
    pub fn new(frame: &Frame<'_>) -> Self {
        match document(frame) {
            Ok(document) => Self::Whole(native(document.root())),
            Err(raw) => DamagedSession::parse(raw.bytes).map_or(Self::Raw, Self::Damaged),
        }
    }

    /// Returns the kind of the frame.
    pub fn native(&self) -> Native {
        match self {
            Self::Whole(native) => *native,
            Self::Damaged(session) => Native::Session(session.form),
            Self::Raw => Native::Other,
        }
    }

    /// Passes each piece of a frame to `show`.
    pub fn each(&self, frame: &Frame<'_>, show: &mut Show<'_>) -> Result<(), Error> {
        match (self, document(frame)) {
            (Self::Whole(native), Ok(document)) => Pieces::new(document).each(*native, frame, show),
            (Self::Damaged(session), Err(raw)) => session.each(raw, show),
            (_, Err(raw)) => show(0, Piece::Raw(Slot::Other, raw)),
            (_, Ok(document)) => show(0, Piece::Element(Slot::Other, document.root(), false)),
        }
    }
}

/// A prompt of a list with the prompts of several sessions.
#[derive(Clone, Debug)]
pub(crate) struct Pick {
    /// The number of the prompt in the list, from 1.
    pub number: u64,
    /// The nodes of the prompt in the document, or its bytes in a damaged document.
    pub range: Range<usize>,
}

/// Passes each element of a list of prompts to `show`, with the session of the element.
pub(crate) fn prompts(frame: &Frame<'_>, show: &mut dyn FnMut(Pick, Option<Text<'_>>)) {
    match document(frame) {
        Err(raw) => damaged::prompts(raw.bytes, show),
        Ok(document) => {
            for (number, node) in (1..).zip(document.root().elements()) {
                let session = node.member("sessionId").and_then(Node::text);
                let range = node.index() as usize..node.after() as usize;
                show(Pick { number, range }, session);
            }
        }
    }
}

/// Passes some prompts of a list to `show`.
pub(crate) fn picked(frame: &Frame<'_>, picks: &[Pick], show: &mut Show<'_>) -> Result<(), Error> {
    match document(frame) {
        Err(raw) => damaged::picked(raw, picks, show),
        Ok(document) => {
            let pieces = Pieces::new(document);
            picks.iter().try_for_each(|pick| {
                let index = u32::try_from(pick.range.start).ok();
                let index = index.filter(|_| pick.range.end <= document.len());
                let node = document.node(index.ok_or(Error::Changed { file: None })?);
                pieces.element(pick.number, Slot::Prompt, node, false, show)
            })
        }
    }
}

/// Returns the document of a frame, even if the frame is ambiguous.
fn document<'f, 'a>(frame: &'f Frame<'a>) -> Result<&'f Document<'a>, &'f Raw<'a>> {
    match &frame.content {
        Content::Document(document) | Content::Raw(Raw { document: Some(document), .. }) => {
            Ok(document)
        }
        Content::Raw(raw) => Err(raw),
    }
}

/// The pieces of a document.
struct Pieces<'d, 'a> {
    document: &'d Document<'a>,
    /// Duplicate keys.
    doubles: Vec<u32>,
}

impl<'d: 'a, 'a> Pieces<'d, 'a> {
    fn new(document: &'d Document<'a>) -> Self {
        Self { document, doubles: document.duplicate_keys().map(Node::index).collect() }
    }

    fn each(&self, native: Native, frame: &Frame<'a>, show: &mut Show<'_>) -> Result<(), Error> {
        let root = self.document.root();
        let mut number = 0;
        let slot = match native {
            Native::Session(Form::Contents) => {
                return self.list(Slot::Content, root, &mut number, show);
            }
            Native::Session(Form::Prompts) => {
                return self.list(Slot::Prompt, root, &mut number, show);
            }
            Native::Message | Native::Unknown => Slot::Message,
            Native::Rewind => Slot::Rewind,
            Native::Operation => Slot::Operation,
            _ => Slot::Other,
        };
        let Some(mut around) = Around::new(root, native) else {
            return match &frame.content {
                Content::Document(_) => show(0, Piece::Element(slot, root, false)),
                Content::Raw(raw) => show(0, Piece::Raw(slot, raw)),
            };
        };
        let lists: Vec<_> = around.lists().collect();
        let is_inside = |double: &u32| lists.iter().any(|(_, list)| within(*list, *double));
        around.check_encodable(!self.doubles.iter().all(is_inside));
        show(0, Piece::Around(&around))?;
        lists.into_iter().try_for_each(|(slot, list)| self.list(slot, list, &mut number, show))
    }

    fn list(
        &self,
        slot: Slot,
        list: Node<'d, 'a>,
        number: &mut u64,
        show: &mut Show<'_>,
    ) -> Result<(), Error> {
        if slot == Slot::Call {
            *number += 1;
            return self.element(*number, slot, list, false, show);
        }
        let mut elements = list.elements().peekable();
        while let Some(node) = elements.next() {
            *number += 1;
            let is_summary = elements.peek().is_some_and(|next| answers_summary(slot, *next));
            self.element(*number, slot, node, is_summary, show)?;
        }
        Ok(())
    }

    fn element(
        &self,
        number: u64,
        slot: Slot,
        node: Node<'d, 'a>,
        is_summary: bool,
        show: &mut Show<'_>,
    ) -> Result<(), Error> {
        // The keys are in the order of the document.
        let from = self.doubles.partition_point(|double| *double < node.index());
        if self.doubles.get(from).is_none_or(|double| !within(node, *double)) {
            return show(number, Piece::Element(slot, node, is_summary));
        }
        let bytes = node.raw();
        let raw = Raw { bytes, reason: Reason::DuplicateKey, document: Document::json(bytes).ok() };
        show(number, Piece::Raw(slot, &raw))
    }
}

/// Returns whether an element is the CLI's canned answer to the element before it.
fn answers_summary(slot: Slot, node: Node<'_, '_>) -> bool {
    let content = match slot {
        Slot::Message => message_content::message_type(node)
            .filter(|(kind, _)| *kind == MessageEntryType::Assistant)
            .and_then(|_| message_content::content(node).map(|(_, content)| content)),
        Slot::Content => node.member("parts"),
        _ => None,
    };
    content.is_some_and(is_canned_answer)
}

fn within(node: Node<'_, '_>, index: u32) -> bool {
    (node.index()..node.after()).contains(&index)
}
