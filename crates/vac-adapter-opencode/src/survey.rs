//! Implements the first pass: assigns objects to sessions, and collects the facts about each
//! session.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::rc::Rc;

use vac_adapter::frame::{Content, Frame};
use vac_adapter::redact::Redactor;
use vac_adapter::{Error, Input, Log, ids};
use vac_value::Scanner;

use crate::annotate::annotate;
use crate::classify::Class;
use crate::container::{Form, Objects};
use crate::object::StoredObject;
use crate::record::SessionData;
use crate::session::OpenCodeSession;
use crate::source::{Seen, Source};
use crate::{order, secret, steps};

/// The first bytes of a database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Returns the sessions of an input.
pub(crate) fn sessions(input: &dyn Input) -> Result<Vec<OpenCodeSession<'_>>, Error> {
    let mut source = Source::new(Log::new(input));
    let mut objects = objects(source.log())?;
    if !objects.all.iter().any(is_known) {
        return Err(refused(input));
    }
    if objects.all.iter().all(|stored| stored.session.is_none()) {
        objects.sessions.number(ids::from_input(input)?.into(), |name| name);
    }
    order::attribute(&mut objects);
    let surveyed = surveyed(&mut objects, &source)?;
    let variant = variant(objects.form, &surveyed, input.name());
    let numbers: Vec<_> =
        surveyed.iter().map(|surveyed| source.add(surveyed.objects.iter())).collect();
    let source = Rc::new(source);
    let objects = Rc::new(objects);
    let found = surveyed.into_iter().zip(numbers).enumerate().map(|(at, (surveyed, first))| {
        let record = surveyed.data.record(&surveyed.id, &surveyed.objects, &objects);
        OpenCodeSession {
            source: Rc::clone(&source),
            names: Rc::clone(&objects),
            variant,
            id: surveyed.id,
            objects: surveyed.objects,
            first,
            record,
            parent: surveyed.data.parent(),
            survey_report: surveyed.data.report,
            is_first: at == 0,
        }
    });
    Ok(found.collect())
}

fn is_known(stored: &StoredObject<'_>) -> bool {
    use Class::{Captured, Message, Message2025, Part, Row, Session, SessionMessage};
    matches!(stored.class, Session | Message | Message2025 | SessionMessage | Part | Captured | Row)
}

/// Returns all objects of a log.
fn objects<'i>(log: &Log<'i>) -> Result<Objects<'i>, Error> {
    let mut objects = Objects::default();
    let mut redactor = Redactor::new(secret::SECRETS);
    if log.is_in_memory() {
        log.each_in_memory(|frame| objects.add(frame, &mut redactor, |text| text));
        return Ok(objects);
    }
    log.each(|frame| {
        let from = objects.all.len();
        objects.add(frame, &mut redactor, |text| Cow::Owned(text.into_owned()));
        objects.all[from..].iter_mut().for_each(|stored| hold(stored, frame));
        Ok(())
    })?;
    Ok(objects)
}

/// Keeps the text of an object that is data of the session, because it is read before the entries.
fn hold(stored: &mut StoredObject<'_>, frame: &Frame<'_>) {
    if let (true, Content::Document(document)) = (stored.class.is_session_data(), &frame.content) {
        stored.text = Some(document.node(stored.node).raw().into());
    }
}

/// A session that is being surveyed.
struct Surveyed<'i> {
    data: SessionData,
    id: String,
    objects: Vec<StoredObject<'i>>,
}

/// Returns the sessions of the objects, in the order of their start.
fn surveyed<'i>(
    objects: &mut Objects<'i>,
    source: &Source<'_>,
) -> Result<Vec<Surveyed<'i>>, Error> {
    let mut groups: Vec<Vec<StoredObject<'_>>> = Vec::new();
    groups.resize_with(objects.sessions.len(), Vec::new);
    let mut projects = Vec::new();
    for stored in std::mem::take(&mut objects.all) {
        match stored.session {
            _ if stored.class == Class::Project => projects.push(stored),
            Some(session) => groups[session as usize].push(stored),
            None => {}
        }
    }
    let mut scanner = Scanner::default();
    let mut surveyed = Vec::new();
    for (number, mut group) in (0..).zip(groups) {
        if group.is_empty() {
            continue;
        }
        order::settle(&mut group);
        order::sort_rows(&mut group);
        let id = objects.sessions.name(number).to_owned();
        let mut objects = order::order(group, |message| objects.messages.name(message));
        let mut data = SessionData::default();
        for stored in objects.iter_mut().filter(|stored| stored.class.is_session_data()) {
            if is_taken(&mut data, stored, &id, source, &mut scanner)? {
                stored.entries = 0;
                // The input is not read again.
                stored.text = None;
            }
        }
        annotate(&mut objects, data.origin());
        surveyed.push(Surveyed { data, id, objects });
    }
    surveyed.sort_by_cached_key(|of: &Surveyed<'_>| (of.data.began(&of.objects), of.id.clone()));
    place_projects(projects, &mut surveyed, source, &mut scanner)?;
    Ok(surveyed)
}

fn is_taken(
    data: &mut SessionData,
    stored: &StoredObject<'_>,
    session: &str,
    source: &Source<'_>,
    scanner: &mut Scanner,
) -> Result<bool, Error> {
    // Objects do not have a number in the order of the entries yet, and data of the session needs
    // none.
    source.read(stored, usize::MAX, scanner, |seen| match seen {
        Seen::Document(node) => data.take(stored.class, node, session),
        Seen::Raw(..) => false,
    })
}

/// Adds each project to the sessions that name it, otherwise to the first session as an event.
fn place_projects<'i>(
    projects: Vec<StoredObject<'i>>,
    sessions: &mut [Surveyed<'i>],
    source: &Source<'_>,
    scanner: &mut Scanner,
) -> Result<(), Error> {
    // The sessions that name the project of this id and do not have it yet.
    let mut waiting: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (number, session) in sessions.iter().enumerate() {
        if let Some(named) = &session.data.project_id {
            waiting.entry(named.clone()).or_default().push_back(number);
        }
    }
    let mut left = Vec::new();
    let mut unnamed = VecDeque::new();
    for project in projects {
        let named = project.id.as_deref().and_then(|id| waiting.get_mut(id));
        let named = named.unwrap_or(&mut unnamed);
        let mut is_placed = false;
        // None of them has a project yet: if one rejects this project, all do.
        while let Some(&number) = named.front() {
            steps::step();
            let session = &mut sessions[number];
            if !is_taken(&mut session.data, &project, &session.id, source, scanner)? {
                break;
            }
            named.pop_front();
            is_placed = true;
            session.objects.push(StoredObject { entries: 0, text: None, ..project.clone() });
        }
        if !is_placed {
            left.push(project);
        }
    }
    if let Some(first) = sessions.first_mut() {
        first.objects.splice(0..0, left.into_iter().rev());
    }
    Ok(())
}

/// Returns the variant of the sessions. A store provides the session of a tree as its files, one
/// after the other, under the id of the session.
fn variant(form: Form, sessions: &[Surveyed<'_>], name: &str) -> &'static str {
    let is_alone = matches!(sessions, [only] if only.id == name);
    match form {
        Form::Export => "export",
        Form::Share => "share",
        Form::Capture => "capture",
        Form::Rows => "database",
        Form::Early => "early",
        Form::Objects if is_alone => "tree",
        Form::Objects => "concatenated",
    }
}

/// Returns the reason for which an input contains no session.
fn refused(input: &dyn Input) -> Error {
    let mut beginning = Vec::new();
    let read =
        input.open().and_then(|input| input.take(SQLITE.len() as u64).read_to_end(&mut beginning));
    match read {
        Err(error) => Error::Io(error),
        Ok(_) if beginning == SQLITE => {
            Error::Refused("a database, and none of OpenCode that could be opened".to_owned())
        }
        Ok(_) => Error::Refused("no session, message or part of OpenCode in it".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use vac_adapter::Memory;

    use super::*;

    /// Returns the number of steps of a survey of `count` lines.
    fn steps(count: usize, line: impl Fn(usize) -> String) -> usize {
        let mut log = String::new();
        for number in 0..count {
            writeln!(log, "{}", line(number)).expect("a string takes text");
        }
        let log = Memory { name: "log.jsonl", bytes: log.as_bytes() };
        steps::take();
        assert!(!sessions(&log).expect("sessions").is_empty());
        steps::take()
    }

    #[test]
    fn steps_grow_with_the_lines_alone() {
        let model = |number: usize| {
            let id = number % 97;
            format!(
                r#"{{"id": "m{number}", "sessionID": "s", "role": "user", "modelID": "{number}"}}
                {{"id": "n{number}", "sessionID": "s", "role": "user", "modelID": "{id}"}}"#
            )
        };
        let unnamed = |number: usize| {
            format!(
                r#"{{"id": "p{number}", "worktree": "/"}} {{"id": "s{number}", "projectID": "q"}}"#
            )
        };
        // The lone surrogate makes every project an event.
        let refused = |number: usize| {
            format!(
                r#"{{"id": "q", "worktree": "\ud800"}} {{"id": "s{number}", "projectID": "q"}}"#
            )
        };
        let lines: [(&str, &dyn Fn(usize) -> String); 3] =
            [("models", &model), ("unnamed projects", &unnamed), ("refused projects", &refused)];
        for (name, line) in lines {
            let [one, four] = [250, 1000].map(|count| steps(count, line));
            assert!(four <= 5 * one, "{name}: {one} steps for 250 lines, {four} for 1000");
        }
    }
}
