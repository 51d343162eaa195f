//! Builds a session during a survey.

use std::collections::HashSet;
use std::ops::Range;

use vac_adapter::frame::{Frame, Place};
use vac_adapter::{Error, Log};
use vac_record::MessageEntryType;
use vac_value::{Kind, Node};

use crate::attachment::Links;
use crate::facts::{Facts, Moment};
use crate::message_content;
use crate::message_versions::{Key, MessageVersions, key};
use crate::native::{Form, Native};
use crate::walk::{self, Pick, Piece, Role, Shape, Slot};

/// Frames of one file that belong together: the head of a session and the lines after it.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The file.
    pub file: usize,
    /// The indexes of its frames.
    pub frames: Range<u64>,
    /// The time at which it begins; if it states none, that of the segment before it.
    pub moment: Moment,
    /// The prompts of this session, if the frame is a list of prompts of several sessions.
    pub picked: Vec<Pick>,
}

/// A session that is being surveyed.
#[derive(Debug, Default)]
pub(crate) struct SessionBuilder {
    /// `sessionId`.
    pub id: Option<String>,
    /// The format of the head or the document that began it.
    pub form: Option<Form>,
    /// The frames of the session, in segments.
    pub segments: Vec<Segment>,
    /// The facts about it.
    pub facts: Facts,
    /// The versions of its messages.
    pub versions: MessageVersions,
    /// The calls that contain their result.
    pub answered: HashSet<Key>,
    /// The calls, if attachments have to be linked to them.
    pub links: Option<Links>,
    /// The number of its entries.
    pub entries: u64,
    /// Whether it contains lines that only a log of lines contains.
    pub has_lines: bool,
}

impl SessionBuilder {
    /// Returns whether it contains a document of Gemini CLI.
    pub fn is_session(&self) -> bool {
        self.form.is_some() || self.has_lines
    }

    /// Returns the format of the session.
    pub fn variant(&self) -> Form {
        match self.form {
            Some(Form::Messages) if self.has_lines => Form::Lines,
            form => form.unwrap_or(Form::Lines),
        }
    }

    /// Begins a segment with a head or a session at this place.
    pub fn open(&mut self, form: Form, place: Place, moment: Option<Moment>) {
        let before = self.segments.last().map_or(Moment::MIN, |last| last.moment);
        let moment = moment.unwrap_or(before);
        match self.segments.last_mut() {
            // Lines before the first head belong to the session of that head.
            Some(last) if self.form.is_none() && last.file == place.file => last.moment = moment,
            _ => self.segments.push(segment(place, moment)),
        }
        self.form.get_or_insert(form);
    }

    /// Adds the frame at this place to the last segment.
    pub fn extend(&mut self, place: Place) {
        match self.segments.last_mut() {
            Some(last)
                if last.file == place.file
                    && last.frames.end == place.index
                    && last.picked.is_empty() =>
            {
                last.frames.end += 1;
            }
            last => {
                let moment = last.map_or(Moment::MIN, |last| last.moment);
                let mut segment = segment(place, moment);
                segment.frames.end += 1;
                self.segments.push(segment);
            }
        }
    }

    fn moment(&self) -> Moment {
        self.segments.last().map_or(Moment::MIN, |last| last.moment)
    }

    /// Adds a frame.
    pub fn frame(&mut self, frame: &Frame<'_>, shape: &Shape) -> Result<(), Error> {
        self.extend(frame.place);
        self.has_lines |= matches!(shape.native(), Native::Set | Native::Rewind | Native::Message);
        self.versions.frame(frame.place.file);
        shape.each(frame, &mut |_, piece| {
            self.piece(frame.place, &piece);
            Ok(())
        })
    }

    /// Adds the prompts that were selected from the last frame.
    pub fn picked(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        let last = self.segments.last_mut();
        let picked = last.map_or_else(Vec::new, |last| std::mem::take(&mut last.picked));
        walk::picked(frame, &picked, &mut |_, piece| {
            self.piece(frame.place, &piece);
            Ok(())
        })?;
        if let Some(last) = self.segments.last_mut() {
            last.picked = picked;
        }
        Ok(())
    }

    fn piece(&mut self, place: Place, piece: &Piece<'_, '_, '_>) {
        self.entries += 1;
        let is_new = record_piece(&mut self.versions, place, piece);
        let moment = self.moment();
        match piece {
            Piece::Around(around) => match around.role {
                Role::Head => self.facts.head(around, moment),
                Role::Set => self.facts.set(around, moment),
            },
            Piece::Element(Slot::Message, node, _) => {
                self.facts.message(*node, is_new);
                self.message(*node);
            }
            Piece::Element(Slot::Content, node, _) => {
                if let Some(parts) = node.member("parts") {
                    self.content(parts);
                }
            }
            Piece::Element(Slot::Prompt, node, _) => self.facts.message(*node, true),
            Piece::Element(..) | Piece::Raw(..) => {}
        }
    }

    fn message(&mut self, message: Node<'_, '_>) {
        let calls = message.member("toolCalls");
        calls.into_iter().flat_map(Node::elements).for_each(|call| self.call(call));
        if is_user(message)
            && let Some((_, content)) = message_content::content(message)
        {
            self.content(content);
            self.facts.content(content);
        }
    }

    /// Adds a content. It is one entry, or one for each response if it consists of responses.
    fn content(&mut self, content: Node<'_, '_>) {
        self.entries += message_content::responses(content).map_or(0, |responses| responses - 1);
        if let Some(links) = &mut self.links {
            for call in content.elements().filter_map(|part| part.member("functionCall")) {
                links.call(call.member("id"));
            }
        }
    }

    fn call(&mut self, call: Node<'_, '_>) {
        let id = call.member("id");
        if let Some(links) = &mut self.links {
            links.call(id);
        }
        if call.member("result").is_some_and(|result| result.kind() != Kind::Null)
            && let Some(id) = id.and_then(Node::text)
        {
            self.answered.insert(key(&id));
        }
    }

    /// Sorts the segments by the time at which they begin. If that is not the order in which they
    /// were read, the versions have to be recorded again.
    pub fn sort(&mut self, log: &Log<'_>) -> Result<(), Error> {
        if !self.segments.is_sorted_by_key(|segment| segment.moment) {
            self.segments.sort_by_key(|segment| segment.moment);
            self.versions = MessageVersions::new(self.versions.hashes_content());
            for segment in &self.segments {
                let versions = &mut self.versions;
                log.range(segment.file, segment.frames.clone(), |frame| {
                    versions.frame(frame.place.file);
                    Shape::new(frame).each(frame, &mut |_, piece| {
                        record_piece(versions, frame.place, &piece);
                        Ok(())
                    })
                })?;
            }
        }
        // Adjacent segments are read at once.
        self.segments.dedup_by(|next, last| {
            let follows = next.file == last.file
                && next.frames.start == last.frames.end
                && next.picked.is_empty()
                && last.picked.is_empty();
            if follows {
                last.frames.end = next.frames.end;
            }
            follows
        });
        Ok(())
    }
}

fn segment(place: Place, moment: Moment) -> Segment {
    Segment { file: place.file, frames: place.index..place.index, moment, picked: Vec::new() }
}

/// Records the effect of a piece on other messages, and returns whether the piece is a new message.
fn record_piece(versions: &mut MessageVersions, place: Place, piece: &Piece<'_, '_, '_>) -> bool {
    match piece {
        Piece::Around(around) if around.role == Role::Set && around.lists().next().is_some() => {
            versions.compact(place);
        }
        Piece::Element(Slot::Message, node, _) => return message(versions, *node),
        Piece::Raw(Slot::Message, raw) => {
            return match &raw.document {
                Some(document) => message(versions, document.root()),
                None => versions.message(None, false, 0, || None),
            };
        }
        Piece::Element(Slot::Rewind, node, _) => {
            if let Some(id) = node.member("$rewindTo").and_then(Node::text) {
                versions.rewind(key(&id), place);
            }
        }
        _ => {}
    }
    true
}

fn message(versions: &mut MessageVersions, message: Node<'_, '_>) -> bool {
    let id = message.member("id").and_then(Node::text);
    let has_tokens = message.member("tokens").is_some_and(|tokens| tokens.kind() == Kind::Map);
    let calls = message.member("toolCalls").into_iter().flat_map(Node::elements);
    let has_result = |call: &Node<'_, '_>| {
        call.member("result").is_some_and(|result| result.kind() != Kind::Null)
    };
    let results = calls.filter(has_result).count();
    versions.message(id.as_deref(), has_tokens, results, || message_content::hash(message))
}

/// Returns whether a message is in the user's name.
pub(crate) fn is_user(message: Node<'_, '_>) -> bool {
    message_content::message_type(message).is_some_and(|(kind, _)| kind == MessageEntryType::User)
}
