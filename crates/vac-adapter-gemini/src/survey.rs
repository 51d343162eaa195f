//! Implements the first pass: finds the sessions of an input.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use vac_adapter::frame::{Content, Frame, Place, Raw};
use vac_adapter::{Error, Input, Log, Session, ids};
use vac_value::Node;

use crate::attachment::Attachments;
use crate::facts::{Moment, moment, session_id};
use crate::message_versions::MessageVersions;
use crate::native::{Form, Native};
use crate::session::Surveyed;
use crate::session_builder::{Segment, SessionBuilder};
use crate::walk::{self, Shape};

/// Returns the sessions of an input.
pub(crate) fn sessions<'i>(
    input: &'i dyn Input,
    log: &Rc<Log<'i>>,
) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
    let attachments = Attachments::new(input)?;
    let mut survey = Survey::read(log, !attachments.is_empty(), false)?;
    if survey.builders.iter().any(|builder| builder.versions.lacks_hashes()) {
        survey = Survey::read(log, !attachments.is_empty(), true)?;
    }
    survey.builders.retain(SessionBuilder::is_session);
    if survey.builders.is_empty() {
        return Err(Error::Refused("no session of Gemini CLI in it".to_owned()));
    }
    let mut attachments = Some(attachments);
    let mut sessions: Vec<Box<dyn Session + 'i>> = Vec::new();
    let mut unnamed = 0;
    for mut builder in survey.builders {
        builder.sort(log)?;
        let id = match builder.id.take().or_else(|| builder.facts.set_id.take()) {
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
        sessions.push(Box::new(Surveyed::new(id, builder, input, log, attachments)));
    }
    Ok(sessions)
}

#[derive(Default)]
struct Survey {
    builders: Vec<SessionBuilder>,
    by_id: HashMap<String, usize>,
    /// The session that the current lines belong to.
    current: Option<usize>,
    has_attachments: bool,
    /// Whether the contents of messages are hashed ([`MessageVersions::new`]).
    hashes_content: bool,
}

impl Survey {
    fn read(log: &Log<'_>, has_attachments: bool, hashes_content: bool) -> Result<Self, Error> {
        let mut survey = Self { has_attachments, hashes_content, ..Self::default() };
        log.each(|frame| survey.frame(frame))?;
        Ok(survey)
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        let shape = Shape::new(frame);
        let form = match shape.native() {
            Native::Session(Form::Prompts) => return self.prompts(frame),
            Native::Session(form) => Some(form),
            Native::Header => Some(Form::Lines),
            _ => None,
        };
        let builder = match form {
            Some(form) => self.open(form, frame, &shape),
            None => self.current(),
        };
        builder.frame(frame, &shape)
    }

    /// Returns the session that a line belongs to.
    fn current(&mut self) -> &mut SessionBuilder {
        let at = self.current.unwrap_or_else(|| self.add(None));
        self.current = Some(at);
        &mut self.builders[at]
    }

    fn add(&mut self, id: Option<String>) -> usize {
        let at = self.builders.len();
        let links = self.has_attachments.then(Default::default);
        let versions = MessageVersions::new(self.hashes_content);
        let builder =
            SessionBuilder { id: id.clone(), links, versions, ..SessionBuilder::default() };
        self.builders.push(builder);
        if let Some(id) = id {
            self.by_id.insert(id, at);
        }
        at
    }

    /// Returns the session with an id: a known one, otherwise the lines that belong to no session
    /// yet, otherwise a new one.
    fn session(&mut self, id: Option<String>) -> usize {
        if let Some(at) = id.as_ref().and_then(|id| self.by_id.get(id)) {
            return *at;
        }
        let Some(at) = self.current.filter(|at| self.builders[*at].form.is_none()) else {
            return self.add(id);
        };
        if let Some(id) = id {
            self.builders[at].id = Some(id.clone());
            self.by_id.insert(id, at);
        }
        at
    }

    /// Returns the session that a head, or a document that is a session, belongs to.
    fn open(&mut self, form: Form, frame: &Frame<'_>, shape: &Shape) -> &mut SessionBuilder {
        let Begin { id, moment } = Begin::new(frame, shape);
        let at = self.session(id);
        self.current = Some(at);
        let builder = &mut self.builders[at];
        builder.open(form, frame.place, moment);
        builder
    }

    /// Adds each prompt of a list to its session.
    fn prompts(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        let mut touched = Vec::new();
        walk::prompts(frame, &mut |pick, id| {
            let id = id.filter(|id| !id.is_empty());
            let at = match (&id, self.current) {
                (None, Some(at)) => at,
                _ => self.session(id.map(Cow::into_owned)),
            };
            self.current = Some(at);
            let builder = &mut self.builders[at];
            builder.form.get_or_insert(Form::Prompts);
            match builder.segments.last_mut().filter(|last| is_at(last, frame.place)) {
                Some(last) => last.picked.push(pick),
                None => {
                    let Place { file, index, .. } = frame.place;
                    let picked = vec![pick];
                    let moment = builder.segments.last().map_or(Moment::MIN, |last| last.moment);
                    builder.segments.push(Segment {
                        file,
                        frames: index..index + 1,
                        moment,
                        picked,
                    });
                    touched.push(at);
                }
            }
        });
        for at in touched {
            self.builders[at].picked(frame)?;
        }
        Ok(())
    }
}

fn is_at(segment: &Segment, place: Place) -> bool {
    segment.file == place.file && segment.frames.start == place.index && !segment.picked.is_empty()
}

/// The facts with which a session begins.
#[derive(Default)]
struct Begin {
    id: Option<String>,
    moment: Option<Moment>,
}

impl Begin {
    fn new(frame: &Frame<'_>, shape: &Shape) -> Self {
        let mut begin = Self::default();
        match (&frame.content, shape) {
            (_, Shape::Damaged(session)) => session.around(|around| {
                if let Some(around) = around {
                    begin.read(around.node);
                }
            }),
            (
                Content::Document(document) | Content::Raw(Raw { document: Some(document), .. }),
                _,
            ) => begin.read(document.root()),
            _ => {}
        }
        begin
    }

    fn read(&mut self, head: Node<'_, '_>) {
        self.id = head.member("sessionId").and_then(session_id);
        self.moment = head.member("startTime").and_then(moment);
    }
}
