//! The objects of a store, whatever container they are in: each is a piece of the
//! input's text.

use std::ops::Range;

use vac_adapter::frame::{Content, Frame, Place, Raw};
use vac_value::{Document, Kind, Node};

use crate::classify::{Class, class, export, foreign};
use crate::message::role;
use crate::{secret, tool};

/// One object.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// What it is.
    pub class: Class,
    /// Where its bytes are in the source.
    pub source: Range<usize>,
    /// Its frame's number, and its own in that frame.
    pub frame: usize,
    pub node: u32,
    /// Where its frame stands.
    pub place: Place,
    /// The session that it names.
    pub session: Option<String>,
    /// The message that it is or belongs to.
    pub message: Option<String>,
    /// Its id.
    pub id: Option<String>,
    /// When it was created.
    pub created: Option<u64>,
    /// Whether it is or belongs to a message of the user.
    pub is_user: bool,
    /// The model that a message names.
    pub model: Option<Model>,
    /// The directory that a message was made in.
    pub directory: Option<String>,
    /// How many entries are made of it: two of a tool with a result, none of what
    /// is told beside the entries.
    pub entries: u64,
    /// Whether the usage of a message is counted.
    pub counts_usage: bool,
    /// Whether it holds a secret, which is left out.
    pub has_secret: bool,
}

/// A model that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    /// Its name.
    pub name: String,
    /// Who runs it.
    pub provider: Option<String>,
}

/// All units of an input, in its order.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// They.
    pub all: Vec<Unit>,
    /// Whether they come out of an export.
    pub is_export: bool,
    /// What it is instead, if it is of a form that is not read.
    pub foreign: Option<&'static str>,
}

impl Units {
    /// The units of frames.
    pub fn of(frames: &[Frame<'_>]) -> Self {
        let mut units = Self::default();
        for (number, frame) in frames.iter().enumerate() {
            let from = units.all.len();
            match &frame.content {
                Content::Raw(raw) => units.all.push(bad(raw, frame.place)),
                Content::Document(document) => units.document(document.root(), frame.place),
            }
            units.all[from..].iter_mut().for_each(|unit| unit.frame = number);
        }
        units
    }

    fn document(&mut self, root: Node<'_, '_>, place: Place) {
        if self.foreign.is_none() {
            self.foreign = foreign(root);
        }
        let from = self.all.len();
        let mut add = |node: Node<'_, '_>, class: Class| self.all.push(unit(node, class, place));
        let Some((info, messages)) = export(root) else { return add(root, class(root)) };
        each_of_export(root, info, messages, &mut add);
        self.is_export = true;
        let session = text(info, "id");
        for (part, unit) in (1..).zip(&mut self.all[from..]) {
            unit.place.part = part;
            if unit.session.is_none() {
                unit.session.clone_from(&session);
            }
        }
    }
}

/// Shows the objects of an export, and whatever else it holds.
fn each_of_export<'d, 'a>(
    root: Node<'d, 'a>,
    info: Node<'d, 'a>,
    messages: Node<'d, 'a>,
    show: &mut impl FnMut(Node<'d, 'a>, Class),
) {
    show(info, Class::Session);
    for message in messages.elements() {
        if message.kind() != Kind::Map {
            show(message, Class::Other);
        }
        for (key, value) in message.members() {
            if key.is_text("parts") && value.kind() == Kind::Array {
                value.elements().for_each(|part| show(part, class(part)));
            } else if key.is_text("info") && value.kind() == Kind::Map {
                show(value, class(value));
            } else if value.kind() != Kind::Null {
                show(value, Class::Member(name(key)));
            }
        }
    }
    for (key, value) in root.members() {
        let is_known = key.is_text("info") || key.is_text("messages");
        if !is_known && value.kind() != Kind::Null {
            show(value, Class::Member(name(key)));
        }
    }
}

fn name(key: Node<'_, '_>) -> String {
    match key.text() {
        Some(name) => name.into_owned(),
        None => String::from_utf8_lossy(key.raw()).into_owned(),
    }
}

/// The unit of bytes that are no document.
fn bad(raw: &Raw<'_>, place: Place) -> Unit {
    let start = offset(place);
    let root = raw.document.as_ref().map(Document::root);
    let named = |key: &str| root.and_then(|root| text(root, key));
    let is_message = root.is_some_and(|root| class(root) == Class::Message);
    Unit {
        class: Class::Raw(raw.reason.clone()),
        source: start..start + raw.bytes.len(),
        frame: 0,
        node: 0,
        place,
        session: named("sessionID"),
        message: named(if is_message { "id" } else { "messageID" }),
        id: named("id"),
        created: None,
        is_user: false,
        model: None,
        directory: None,
        entries: 1,
        counts_usage: false,
        has_secret: false,
    }
}

fn unit(node: Node<'_, '_>, class: Class, place: Place) -> Unit {
    let start = offset(place) + node.offset();
    let is_message = class == Class::Message;
    let id = text(node, "id");
    let session = match class {
        Class::Session | Class::Share => id.clone(),
        Class::Project => None,
        _ => text(node, "sessionID"),
    };
    Unit {
        source: start..start + node.raw().len(),
        frame: 0,
        node: node.index(),
        place,
        session,
        message: if is_message { id.clone() } else { text(node, "messageID") },
        id,
        created: node.member("time").and_then(|time| time.member("created")?.uint()),
        is_user: is_message && role(node) == "user",
        model: is_message.then(|| model(node)).flatten(),
        directory: node.member("path").and_then(|path| text(path, "cwd")),
        entries: if class == Class::Part && tool::is_split(node) { 2 } else { 1 },
        counts_usage: is_message,
        has_secret: secret::is_in(node, &class),
        class,
    }
}

/// The model of a message: an answer's own, or the one that a prompt asks for.
fn model(message: Node<'_, '_>) -> Option<Model> {
    let (of, name) = match message.member("modelID") {
        Some(name) => (message, name),
        None => {
            let model = message.member("model")?;
            (model, model.member("modelID")?)
        }
    };
    let name = name.text().filter(|name| !name.is_empty())?.into_owned();
    Some(Model { name, provider: text(of, "providerID") })
}

fn offset(place: Place) -> usize {
    usize::try_from(place.offset).unwrap_or(usize::MAX)
}

/// A member that is text.
pub(crate) fn text(node: Node<'_, '_>, key: &str) -> Option<String> {
    Some(node.member(key)?.text()?.into_owned())
}
