//! The first pass: which sessions there are.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use vac_adapter::frame::{Content, Frame, Place, Raw};
use vac_adapter::{Error, Input, Log, Session, ids};
use vac_value::Node;

use crate::attachment::Attachments;
use crate::draft::{Draft, Segment};
use crate::facts::{Moment, moment, session_id};
use crate::native::{Form, Native};
use crate::session::Surveyed;
use crate::walk::{Piece, Shape};

/// The sessions of an input.
pub(crate) fn sessions<'i>(input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
    let log = Rc::new(Log::of(input));
    let attachments = Attachments::of(input)?;
    let mut survey = Survey { has_attachments: !attachments.is_empty(), ..Survey::default() };
    log.each(|frame| survey.frame(frame))?;
    survey.drafts.retain(Draft::is_session);
    if survey.drafts.is_empty() {
        return Err(Error::Refused("no session of Gemini CLI in it".to_owned()));
    }
    let mut attachments = Some(attachments);
    let mut sessions: Vec<Box<dyn Session + 'i>> = Vec::new();
    let mut unnamed = 0;
    for mut draft in survey.drafts {
        draft.sort(&log)?;
        let id = match draft.id.take().or_else(|| draft.facts.set_id.take()) {
            Some(id) => id,
            None => {
                unnamed += 1;
                match (ids::from_input(input)?, unnamed) {
                    (id, 1) => id,
                    (id, number) => format!("{id}#{number}"),
                }
            }
        };
        let attachments = attachments.take().unwrap_or_default();
        sessions.push(Box::new(Surveyed::new(id, draft, input, &log, attachments)));
    }
    Ok(sessions)
}

#[derive(Default)]
struct Survey {
    drafts: Vec<Draft>,
    by_id: HashMap<String, usize>,
    /// The session that lines belong to.
    current: Option<usize>,
    has_attachments: bool,
}

impl Survey {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        let shape = Shape::of(frame);
        let form = match shape.native() {
            Native::Session(Form::Prompts) => return self.prompts(frame, &shape),
            Native::Session(form) => Some(form),
            Native::Header => Some(Form::Lines),
            _ => None,
        };
        let draft = match form {
            Some(form) => self.open(form, frame, &shape)?,
            None => self.current(),
        };
        draft.frame(frame, &shape)
    }

    /// The session that a line belongs to.
    fn current(&mut self) -> &mut Draft {
        let at = self.current.unwrap_or_else(|| self.add(None));
        self.current = Some(at);
        &mut self.drafts[at]
    }

    fn add(&mut self, id: Option<String>) -> usize {
        let at = self.drafts.len();
        let links = self.has_attachments.then(Default::default);
        self.drafts.push(Draft { id: id.clone(), links, ..Draft::default() });
        if let Some(id) = id {
            self.by_id.insert(id, at);
        }
        at
    }

    /// The session of an id: one that is known, else the lines that no session has
    /// claimed yet, else a new one.
    fn session(&mut self, id: Option<String>) -> usize {
        if let Some(at) = id.as_ref().and_then(|id| self.by_id.get(id)) {
            return *at;
        }
        let Some(at) = self.current.filter(|at| self.drafts[*at].form.is_none()) else {
            return self.add(id);
        };
        if let Some(id) = id {
            self.drafts[at].id = Some(id.clone());
            self.by_id.insert(id, at);
        }
        at
    }

    /// The session that a head, or a document that is a session, belongs to.
    fn open(&mut self, form: Form, frame: &Frame<'_>, shape: &Shape) -> Result<&mut Draft, Error> {
        let Begin { id, moment } = Begin::of(frame, shape)?;
        let at = self.session(id);
        self.current = Some(at);
        let draft = &mut self.drafts[at];
        draft.open(form, frame.place, moment);
        Ok(draft)
    }

    /// Gives each prompt of a list to its session.
    fn prompts(&mut self, frame: &Frame<'_>, shape: &Shape) -> Result<(), Error> {
        let mut touched = Vec::new();
        shape.prompts(frame, &mut |number, handle, id| {
            let id = id.filter(|id| !id.is_empty());
            let at = match (&id, self.current) {
                (None, Some(at)) => at,
                _ => self.session(id.map(Cow::into_owned)),
            };
            self.current = Some(at);
            let draft = &mut self.drafts[at];
            draft.form.get_or_insert(Form::Prompts);
            match draft.segments.last_mut().filter(|last| is_at(last, frame.place)) {
                Some(last) => last.picked.push((number, handle)),
                None => {
                    let Place { file, index, .. } = frame.place;
                    let picked = vec![(number, handle)];
                    let moment = draft.segments.last().map_or(Moment::MIN, |last| last.moment);
                    draft.segments.push(Segment { file, frames: index..index + 1, moment, picked });
                    touched.push(at);
                }
            }
        });
        for at in touched {
            self.drafts[at].picked(frame, shape)?;
        }
        Ok(())
    }
}

fn is_at(segment: &Segment, place: Place) -> bool {
    segment.file == place.file && segment.frames.start == place.index && !segment.picked.is_empty()
}

/// How a session begins.
#[derive(Default)]
struct Begin {
    id: Option<String>,
    moment: Option<Moment>,
}

impl Begin {
    fn of(frame: &Frame<'_>, shape: &Shape) -> Result<Self, Error> {
        let mut begin = Self::default();
        match (&frame.content, shape) {
            (_, Shape::Broken(skeleton)) => skeleton.around(&mut |_, piece| {
                if let Piece::Around(around) = piece {
                    begin.read(around.node);
                }
                Ok(())
            })?,
            (
                Content::Document(document) | Content::Raw(Raw { document: Some(document), .. }),
                _,
            ) => begin.read(document.root()),
            _ => {}
        }
        Ok(begin)
    }

    fn read(&mut self, head: Node<'_, '_>) {
        self.id = head.member("sessionId").and_then(session_id);
        self.moment = head.member("startTime").and_then(moment);
    }
}
