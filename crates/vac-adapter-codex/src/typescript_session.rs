//! A session of the first CLI, which was written in TypeScript: one document `{session, items}`.
//! A document that is cut short or damaged is read up to there; the rest is unparsed.
//!
//! This reader is not [`vac_adapter::broken::Broken`]. That one skips damage to the next element
//! that brackets and quotes show. This one ends at the first byte that is not JSON, or at an
//! ambiguous member, and keeps everything from there on, with the comma before it, as one part:
//! items without an id are named by their number, which after damage is only a guess.

use std::collections::HashSet;
use std::ops::Range;

use vac_adapter::broken::Reader;
use vac_adapter::frame::{Raw, Reason, scanner};
use vac_adapter::members::{Members, Rest};
use vac_value::{Document, Kind, Node, Scanner, Text};

/// A part of a session.
pub(crate) enum Piece<'p, 'a> {
    /// Everything but the items.
    Header {
        /// What the session says about itself.
        session: Option<Node<'a, 'a>>,
        /// All members but the items.
        members: Rest<'a>,
    },
    /// An item, and its number.
    Item(usize, Node<'a, 'a>),
    /// An item that could not be parsed, and its number; or what follows the last.
    Raw(usize, &'p Raw<'a>),
}

/// Passes each part of a document to `show`.
pub(crate) fn each<'a, E>(
    document: Node<'a, 'a>,
    mut show: impl FnMut(Piece<'_, 'a>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(mut members) = Members::new(document) else { return Ok(()) };
    let session = members.peek("session");
    let items = members.array("items");
    show(Piece::Header { session, members: members.rest(&[]) })?;
    let items = items.into_iter().flat_map(Node::elements);
    items.enumerate().try_for_each(|(number, item)| show(Piece::Item(number, item)))
}

/// Whether bytes begin like such a document: with a `session` that has an id and a timestamp.
pub(crate) fn is_begun(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    let mut walk = Walk { text: valid_text(bytes), at: 0, scanner: scanner() };
    let is_session = walk.token("{").is_some()
        && walk.key(false).is_some_and(|key| key == "session")
        && walk.token("{").is_some();
    let (mut has_id, mut has_timestamp) = (false, false);
    let mut is_next = false;
    while is_session && !(has_id && has_timestamp) {
        let Some(key) = walk.key(is_next) else { return false };
        has_id |= key == "id";
        has_timestamp |= key == "timestamp";
        is_next = true;
        if walk.value().is_none() {
            break;
        }
    }
    has_id && has_timestamp
}

/// Returns the text up to the first byte that is not valid UTF-8.
fn valid_text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// Shows what the beginning of one says about its session.
pub(crate) fn begun(bytes: &[u8], show: impl FnOnce(Node<'_, '_>)) {
    let broken = is_begun(bytes).then(|| DamagedSession::parse(bytes));
    let session = broken.as_ref().and_then(DamagedSession::session);
    if let Some(session) = session {
        show(session);
    }
}

/// A session that is cut short or damaged.
pub(crate) struct DamagedSession<'a> {
    bytes: &'a [u8],
    members: Vec<(Text<'a>, Document<'a>)>,
    /// The names of the members.
    names: HashSet<Text<'a>>,
    items: Vec<Range<usize>>,
    /// Where the damage begins.
    damage: Option<usize>,
}

impl<'a> DamagedSession<'a> {
    /// Reads what begins like one.
    pub fn parse(bytes: &'a [u8]) -> Self {
        let mut broken = Self {
            bytes,
            members: Vec::new(),
            names: HashSet::new(),
            items: Vec::new(),
            damage: None,
        };
        let mut walk = Walk { text: valid_text(bytes), at: 0, scanner: scanner() };
        if walk.object(&mut broken).is_none() || walk.at < bytes.len() {
            broken.damage = Some(walk.at);
        }
        broken
    }

    fn session(&self) -> Option<Node<'_, '_>> {
        let (_, session) = self.members.iter().find(|(key, _)| key == "session")?;
        Some(session.root()).filter(|session| session.kind() == Kind::Map)
    }

    /// Passes each part to `show`; the reason is that of the whole document.
    pub fn each<E>(
        &self,
        reason: &Reason,
        mut show: impl FnMut(Piece<'_, '_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let members = self.members.iter();
        let members = members.map(|(key, value)| (key.clone(), value.root().carry())).collect();
        show(Piece::Header { session: self.session(), members })?;
        let mut reader = Reader::default();
        for (number, range) in self.items.iter().enumerate() {
            let bytes = self.bytes.get(range.clone()).unwrap_or_default();
            reader.read(bytes, |item| match item {
                Ok(item) => show(Piece::Item(number, item.root())),
                Err(raw) => show(Piece::Raw(number, raw)),
            })?;
        }
        if let Some(damage) = self.damage {
            let bytes = self.bytes.get(damage..).unwrap_or_default();
            let raw = Raw { bytes, reason: reason.clone(), document: None };
            show(Piece::Raw(self.items.len(), &raw))?;
        }
        Ok(())
    }
}

/// Goes over the text, up to where it is good.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    scanner: Scanner,
}

impl<'a> Walk<'a> {
    /// The members of the object; `None` where it ends too soon.
    fn object(&mut self, broken: &mut DamagedSession<'a>) -> Option<()> {
        self.token("{")?;
        let mut is_next = false;
        while self.token("}").is_none() {
            self.member(broken, is_next)?;
            is_next = true;
        }
        self.space();
        Some(())
    }

    fn member(&mut self, broken: &mut DamagedSession<'a>, is_next: bool) -> Option<()> {
        let from = self.at;
        let Some(key) = self.key(is_next) else {
            self.at = from;
            return None;
        };
        if key == "items" && broken.items.is_empty() && self.token("[").is_some() {
            return self.items(broken);
        }
        let is_new = broken.names.insert(key.clone());
        let value = if is_new { self.value() } else { None };
        match value.filter(|value| value.duplicate_keys().len() == 0) {
            Some(value) => broken.members.push((key, value)),
            None => {
                self.at = from;
                return None;
            }
        }
        Some(())
    }

    fn key(&mut self, is_next: bool) -> Option<Text<'a>> {
        if is_next {
            self.token(",")?;
        }
        let key = self.value()?.root().text()?;
        self.token(":")?;
        Some(key)
    }

    fn items(&mut self, broken: &mut DamagedSession<'a>) -> Option<()> {
        while self.token("]").is_none() {
            let from = self.at;
            if !broken.items.is_empty() && self.token(",").is_none() {
                return None;
            }
            self.space();
            let start = self.at;
            let Some(item) = self.value() else {
                self.at = from;
                return None;
            };
            self.scanner.recycle(item);
            broken.items.push(start..self.at);
        }
        Some(())
    }

    fn value(&mut self) -> Option<Document<'a>> {
        self.space();
        let (document, length) = self.scanner.json_text_prefix(self.text.get(self.at..)?).ok()?;
        self.at += length;
        Some(document)
    }

    fn token(&mut self, token: &str) -> Option<()> {
        self.space();
        if !self.text.get(self.at..)?.starts_with(token) {
            return None;
        }
        self.at += token.len();
        Some(())
    }

    fn space(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        // Only JSON's own white space: anything else is damage.
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }
}
