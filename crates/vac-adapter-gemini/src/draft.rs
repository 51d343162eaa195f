//! A session while a survey finds out about it.

use std::collections::HashSet;
use std::ops::Range;

use vac_adapter::frame::{Frame, Place};
use vac_adapter::{Error, Log};
use vac_record::MessageEntryType;
use vac_value::{Kind, Node};

use crate::attachment::Links;
use crate::facts::{Facts, Moment};
use crate::ledger::{Key, Ledger, key};
use crate::native::{Form, Native};
use crate::said;
use crate::walk::{Piece, Role, Shape, Slot};

/// Frames of one file that belong together: a session's head and what follows it.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The file.
    pub file: usize,
    /// Its frames, by index.
    pub frames: Range<u64>,
    /// When it begins; what does not say so begins with what stands before it.
    pub moment: Moment,
    /// Of a list of prompts, those of this session: number and handle.
    pub picked: Vec<(u64, u32)>,
}

/// A session that is being surveyed.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// `sessionId`.
    pub id: Option<String>,
    /// What it was opened by: a head, or a document that is a session.
    pub form: Option<Form>,
    /// Its frames.
    pub segments: Vec<Segment>,
    /// What is known about it as a whole.
    pub facts: Facts,
    /// Which messages still stand.
    pub ledger: Ledger,
    /// Calls whose result was told with them.
    pub answered: HashSet<Key>,
    /// Calls, where attachments have to be linked to them.
    pub links: Option<Links>,
    /// How many entries it has.
    pub entries: u64,
    /// Whether it has lines that only a log of lines has.
    pub has_lines: bool,
}

impl Draft {
    /// Whether there is anything of Gemini CLI in it.
    pub fn is_session(&self) -> bool {
        self.form.is_some() || self.has_lines
    }

    /// Which format it is in.
    pub fn variant(&self) -> Form {
        match self.form {
            Some(Form::Messages) if self.has_lines => Form::Lines,
            form => form.unwrap_or(Form::Lines),
        }
    }

    /// A head or a session begins at this place.
    pub fn open(&mut self, form: Form, place: Place, moment: Option<Moment>) {
        let before = self.segments.last().map_or(Moment::MIN, |last| last.moment);
        let moment = moment.unwrap_or(before);
        match self.segments.last_mut() {
            // Lines before the head are the head's.
            Some(last) if self.form.is_none() && last.file == place.file => last.moment = moment,
            _ => self.segments.push(segment(place, moment)),
        }
        self.form.get_or_insert(form);
    }

    /// Counts in that the frame at this place belongs to it.
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

    /// Counts a frame in.
    pub fn frame(&mut self, frame: &Frame<'_>, shape: &Shape) -> Result<(), Error> {
        self.extend(frame.place);
        self.has_lines |= matches!(shape.native(), Native::Set | Native::Rewind | Native::Message);
        self.ledger.frame(frame.place.file);
        shape.each(frame, &mut |_, piece| {
            self.piece(frame.place, &piece);
            Ok(())
        })
    }

    /// Counts in what was picked of the frame that was read last.
    pub fn picked(&mut self, frame: &Frame<'_>, shape: &Shape) -> Result<(), Error> {
        let last = self.segments.last_mut();
        let picked = last.map_or_else(Vec::new, |last| std::mem::take(&mut last.picked));
        shape.picked(frame, &picked, &mut |_, piece| {
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
        let is_new = judge(&mut self.ledger, place, piece);
        let moment = self.moment();
        match piece {
            Piece::Around(around) => match around.role {
                Role::Head => self.facts.head(around, moment),
                Role::Set => self.facts.set(around, moment),
            },
            Piece::Element(Slot::Message, node) => {
                self.facts.message(*node, is_new);
                self.message(*node);
            }
            Piece::Element(Slot::Content, node) => {
                if let Some(parts) = node.member("parts") {
                    self.content(parts);
                }
            }
            Piece::Element(Slot::Prompt, node) => self.facts.message(*node, true),
            Piece::Element(..) | Piece::Raw(..) => {}
        }
    }

    fn message(&mut self, message: Node<'_, '_>) {
        let calls = message.member("toolCalls");
        calls.into_iter().flat_map(Node::elements).for_each(|call| self.call(call));
        if is_user(message)
            && let Some((_, content)) = said::content(message)
        {
            self.content(content);
            self.facts.content(content);
        }
    }

    /// One entry for each response, where there is nothing else.
    fn content(&mut self, content: Node<'_, '_>) {
        self.entries += said::responses(content).map_or(0, |responses| responses - 1);
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

    /// Puts the segments in the order of their beginnings. If that is not the order in
    /// which they were read, what stands has to be judged again.
    pub fn sort(&mut self, log: &Log<'_>) -> Result<(), Error> {
        if !self.segments.is_sorted_by_key(|segment| segment.moment) {
            self.segments.sort_by_key(|segment| segment.moment);
            self.ledger = Ledger::default();
            for segment in &self.segments {
                let ledger = &mut self.ledger;
                log.range(segment.file, segment.frames.clone(), |frame| {
                    ledger.frame(frame.place.file);
                    Shape::of(frame).each(frame, &mut |_, piece| {
                        judge(ledger, frame.place, &piece);
                        Ok(())
                    })
                })?;
            }
        }
        // What stands behind each other is read at once.
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

/// Notes in the ledger what a piece does to others; gives whether it is new itself.
fn judge(ledger: &mut Ledger, place: Place, piece: &Piece<'_, '_, '_>) -> bool {
    match piece {
        Piece::Around(around) if around.role == Role::Set && around.lists().next().is_some() => {
            ledger.compact(place);
        }
        Piece::Element(Slot::Message, node) => return message(ledger, *node),
        Piece::Raw(Slot::Message, raw) => {
            return match &raw.document {
                Some(document) => message(ledger, document.root()),
                None => ledger.message(None, false, None),
            };
        }
        Piece::Element(Slot::Rewind, node) => {
            if let Some(id) = node.member("$rewindTo").and_then(Node::text) {
                ledger.rewind(key(&id), place);
            }
        }
        _ => {}
    }
    true
}

fn message(ledger: &mut Ledger, message: Node<'_, '_>) -> bool {
    let id = message.member("id").and_then(Node::text);
    let has_tokens = message.member("tokens").is_some_and(|tokens| tokens.kind() == Kind::Map);
    ledger.message(id.as_deref(), has_tokens, said::hash(message))
}

/// Whether a user said a message, or the CLI for the user.
pub(crate) fn is_user(message: Node<'_, '_>) -> bool {
    said::author(message).is_some_and(|(author, _)| author == MessageEntryType::User)
}
