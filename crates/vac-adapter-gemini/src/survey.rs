//! The first pass: which sessions there are; and the second: their entries.

use std::collections::HashMap;

use vac_adapter::frame::{Content, Frame, Place, Raw};
use vac_adapter::provider::{UNKNOWN, provider};
use vac_adapter::time::instant;
use vac_adapter::{Error, Input, Log, Origin, Session, Sink, ids};
use vac_record::{AgentMeta, Environment, SessionId, SessionTrace, VerifiableAgentRecord};
use vac_value::Document;

use crate::broken::Skeleton;
use crate::content::Calls;
use crate::detect::{Form, Native, native};
use crate::facts::{Facts, start_in_name};
use crate::part::{Part, Piece, Shape, Wrapper, whole};
use crate::tools::none;
use crate::{event, message};

/// The sessions of an input.
pub(crate) fn sessions<'i>(input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
    let mut drafts: Vec<Vec<(Part, Facts)>> = Vec::new();
    let mut before = Vec::new();
    Log::of(input).each(|frame| {
        let (part, facts) = read(frame)?;
        let same = |draft: &&mut Vec<(Part, Facts)>| {
            facts.session_id.is_some()
                && draft.iter().any(|(_, known)| known.session_id == facts.session_id)
        };
        if part.shape.form().is_none() {
            drafts.last_mut().unwrap_or(&mut before).push((part, facts));
        } else if let Some(draft) = drafts.iter_mut().find(same) {
            draft.push((part, facts));
        } else {
            let mut draft = std::mem::take(&mut before);
            draft.push((part, facts));
            drafts.push(draft);
        }
        Ok(())
    })?;
    if drafts.is_empty() {
        return Err(Error::Refused("no session of Gemini CLI in it".to_owned()));
    }
    let mut sessions: Vec<Box<dyn Session + 'i>> = Vec::new();
    let mut unnamed = 0;
    for draft in drafts {
        let mut survey = Survey::of(draft, input.name());
        if survey.id.is_empty() {
            unnamed += 1;
            survey.id = match (ids::of_input(input)?, unnamed) {
                (id, 1) => id,
                (id, number) => format!("{id}#{number}"),
            };
        }
        sessions.push(Box::new(survey));
    }
    Ok(sessions)
}

/// One document and what it says.
fn read(frame: &Frame<'_>) -> Result<(Part, Facts), Error> {
    let place = frame.place;
    let mut facts = Facts::default();
    let mut count = |_: usize, piece: Piece<'_, '_, '_>| {
        facts.piece(&piece);
        Ok(())
    };
    let part = match &frame.content {
        Content::Document(document) | Content::Raw(Raw { document: Some(document), .. }) => {
            match native(document.root()) {
                Native::Session(form) => {
                    whole(document, form, &mut count)?;
                    return Ok((of_document(place, Shape::Whole(form), document), facts));
                }
                Native::Refused(reason) => return Err(Error::Refused(reason.to_owned())),
                Native::Other => match &frame.content {
                    Content::Raw(raw) => of_raw(place, raw),
                    Content::Document(_) => of_document(place, Shape::Other, document),
                },
            }
        }
        Content::Raw(raw) => match Skeleton::of(raw.bytes, &raw.reason) {
            Some(skeleton) => {
                let shape = Shape::Broken(skeleton);
                Part { place, shape, bytes: raw.bytes.to_vec() }
            }
            None => of_raw(place, raw),
        },
    };
    part.each(&mut count)?;
    Ok((part, facts))
}

fn of_document(place: Place, shape: Shape, document: &Document<'_>) -> Part {
    Part { place, shape, bytes: document.root().raw().to_vec() }
}

fn of_raw(place: Place, raw: &Raw<'_>) -> Part {
    Part { place, shape: Shape::Raw(raw.reason.clone()), bytes: raw.bytes.to_vec() }
}

/// One session and what was found out about it.
#[derive(Debug)]
struct Survey {
    id: String,
    form: Form,
    parts: Vec<Part>,
    facts: Facts,
}

impl Survey {
    /// Joins the documents of one session in the order of their start.
    fn of(mut draft: Vec<(Part, Facts)>, name: &str) -> Self {
        // What has no start stays behind what it stood behind.
        let mut last = i128::MIN;
        let mut starts = HashMap::new();
        for (part, facts) in &draft {
            last = facts.start.as_ref().and_then(instant).unwrap_or(last);
            starts.insert(part.place.index, last);
        }
        draft.sort_by_key(|(part, _)| starts.get(&part.place.index).copied());
        let mut joined: Option<(Form, Facts)> = None;
        let mut others = 0;
        let mut parts = Vec::with_capacity(draft.len());
        for (part, facts) in draft {
            match (part.shape.form(), &mut joined) {
                (None, _) => others += facts.pieces,
                (Some(_), Some((_, joined))) => joined.continued(facts),
                (Some(form), joined) => *joined = Some((form, facts)),
            }
            parts.push(part);
        }
        let (form, mut facts) = joined.unwrap_or((Form::Messages, Facts::default()));
        facts.pieces += others + u64::from(facts.wrapper_is_raw);
        facts.start = facts.start.or_else(|| facts.span.first()).or_else(|| start_in_name(name));
        facts.end = facts.end.or_else(|| facts.span.last());
        Self { id: facts.session_id.clone().unwrap_or_default(), form, parts, facts }
    }

    /// The model that wrote most messages; of equals the last.
    fn model(&self) -> &str {
        let main = self.facts.models.iter().max_by_key(|(_, messages)| *messages);
        main.map_or(UNKNOWN, |(model, _)| model)
    }
}

impl Session for Survey {
    fn agent(&self) -> &'static str {
        "gemini"
    }

    fn variant(&self) -> &'static str {
        self.form.name()
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let Facts { start, end, working_dir, rest, models, .. } = &self.facts;
        let models: Vec<_> = models.iter().map(|(model, _)| model.clone().into()).collect();
        VerifiableAgentRecord {
            version: "3.0.0-draft".into(),
            id: self.id.clone().into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text(self.id.clone().into()),
                session_start: start.clone(),
                session_end: end.clone(),
                agent_meta: AgentMeta {
                    model_id: self.model().to_owned().into(),
                    model_provider: provider(self.model()).into(),
                    models: (!models.is_empty()).then_some(models),
                    cli_name: Some("gemini-cli".into()),
                    cli_version: None,
                    extensions: none(),
                },
                environment: working_dir.clone().map(|working_dir| Environment {
                    working_dir: working_dir.into(),
                    vcs: None,
                    sandboxes: None,
                    extensions: none(),
                }),
                entries: Vec::new(),
                extensions: rest.clone(),
            },
            created: start.clone(),
            file_attribution: None,
            vcs: None,
            recording_agent: None,
            extensions: none(),
        }
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut calls = Calls::default();
        let mut places = Places::default();
        let mut is_first = true;
        for part in &self.parts {
            sink.report().frames += 1;
            let form = part.shape.form();
            places.begin(part.place.line);
            part.each(&mut |offset, piece| {
                if matches!(piece, Piece::Wrapper(Wrapper { raw: None, .. }) if is_first) {
                    return Ok(());
                }
                let place = places.at(part, offset);
                let id = || place.id();
                let report = sink.report();
                let (entry, bytes) = match &piece {
                    Piece::Wrapper(wrapper) => return around(wrapper, place, sink),
                    Piece::Element(node) if form == Some(Form::Messages) => {
                        (message::entry(*node, id, &mut calls, report), node.raw())
                    }
                    Piece::Element(node) => {
                        (message::content(*node, id, &mut calls, report), node.raw())
                    }
                    Piece::Other(node) => (event::other(*node, id, report), node.raw()),
                    Piece::Raw(raw) => (event::raw(raw, place, id, report), raw.bytes),
                };
                sink.entry(entry, Origin { place, bytes })
            })?;
            is_first &= form.is_none();
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.facts.pieces)
    }
}

/// The entry of what stands around the messages, where the record's head cannot
/// say it.
fn around(wrapper: &Wrapper<'_, '_>, place: Place, sink: &mut dyn Sink) -> Result<(), Error> {
    if let Some((bytes, reason)) = &wrapper.raw {
        let raw = Raw { bytes, reason: reason.clone(), document: None };
        let entry = event::raw(&raw, place, || place.id(), sink.report());
        return sink.entry(entry, Origin { place, bytes });
    }
    let Some(cursor) = wrapper.cursor() else { return Ok(()) };
    let entry = event::continued(cursor, place.id());
    sink.entry(entry, Origin { place, bytes: b"" })
}

/// Gives each piece a place of its own.
#[derive(Debug, Default)]
struct Places {
    line: u64,
    offset: usize,
    /// How many pieces began on each line.
    on_line: HashMap<u64, u64>,
    index: u64,
}

impl Places {
    fn begin(&mut self, line: u64) {
        (self.line, self.offset) = (line, 0);
    }

    fn at(&mut self, part: &Part, offset: usize) -> Place {
        let between = part.bytes.get(self.offset..offset).unwrap_or_default();
        self.line += between.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        self.offset = self.offset.max(offset);
        let on_line = self.on_line.entry(self.line).or_default();
        *on_line += 1;
        self.index += 1;
        Place {
            file: part.place.file,
            index: self.index - 1,
            line: self.line,
            part: *on_line,
            offset: part.place.offset + offset as u64,
        }
    }
}
