//! The objects of a store, whatever container they are in: each is a piece of the
//! input's text.

use std::ops::Range;

use vac_adapter::Error;
use vac_adapter::frame::{Content, Frame, Frames, Place};
use vac_value::{Kind, Node};

use crate::classify::{Class, class, export, foreign};
use crate::message::role;
use crate::{secret, tool};

/// One object.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// What it is.
    pub class: Class,
    /// Where its bytes are.
    pub range: Range<usize>,
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
    /// The units of an input's bytes.
    pub fn of(bytes: &[u8]) -> Result<Self, Error> {
        let mut units = Self::default();
        Frames::new(bytes).each(|frame| {
            units.frame(frame);
            Ok::<(), Error>(())
        })?;
        Ok(units)
    }

    fn frame(&mut self, frame: &Frame<'_>) {
        let place = frame.place;
        match &frame.content {
            Content::Raw(raw) => {
                let start = offset(place);
                let root = raw.document.as_ref().map(vac_value::Document::root);
                let mut unit = Unit {
                    class: Class::Raw(raw.reason.clone()),
                    range: start..start + raw.bytes.len(),
                    place,
                    session: root.and_then(|root| text(root, "sessionID")),
                    message: root.and_then(|root| text(root, "messageID")),
                    id: root.and_then(|root| text(root, "id")),
                    created: None,
                    is_user: false,
                    model: None,
                    directory: None,
                    entries: 1,
                    counts_usage: false,
                    has_secret: false,
                };
                if root.is_some_and(|root| class(root) == Class::Message) {
                    unit.message.clone_from(&unit.id);
                }
                self.all.push(unit);
            }
            Content::Document(document) => {
                let root = document.root();
                if self.foreign.is_none() {
                    self.foreign = foreign(root);
                }
                match export(root) {
                    Some((info, messages)) => self.export(root, info, messages, place),
                    None => self.all.push(unit(root, class(root), place)),
                }
            }
        }
    }

    fn export(
        &mut self,
        root: Node<'_, '_>,
        info: Node<'_, '_>,
        messages: Node<'_, '_>,
        place: Place,
    ) {
        self.is_export = true;
        let from = self.all.len();
        self.all.push(unit(info, Class::Session, place));
        for message in messages.elements() {
            if message.kind() != Kind::Map {
                self.all.push(unit(message, Class::Other, place));
            }
            for (key, value) in message.members() {
                if key.is_text("parts") && value.kind() == Kind::Array {
                    self.all.extend(value.elements().map(|part| unit(part, class(part), place)));
                } else if key.is_text("info") && value.kind() == Kind::Map {
                    self.all.push(unit(value, class(value), place));
                } else {
                    self.member(key, value, place);
                }
            }
        }
        for (key, value) in root.members() {
            if !key.is_text("info") && !key.is_text("messages") {
                self.member(key, value, place);
            }
        }
        let session = text(info, "id");
        for (part, unit) in (1..).zip(&mut self.all[from..]) {
            unit.place.part = part;
            if unit.session.is_none() {
                unit.session.clone_from(&session);
            }
        }
    }

    fn member(&mut self, key: Node<'_, '_>, value: Node<'_, '_>, place: Place) {
        if value.kind() != Kind::Null {
            let name = match key.text() {
                Some(name) => name.into_owned(),
                None => String::from_utf8_lossy(key.raw()).into_owned(),
            };
            self.all.push(unit(value, Class::Member(name), place));
        }
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
        range: start..start + node.raw().len(),
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
