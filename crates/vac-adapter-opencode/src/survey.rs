//! The first pass: whose units are whose, and what is true of each session.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::rc::Rc;

use vac_adapter::frame::{Content, Frame};
use vac_adapter::redact::Redactor;
use vac_adapter::{Error, Input, Log, ids};
use vac_value::Scanner;

use crate::classify::Class;
use crate::container::{Form, Units};
use crate::record::Around;
use crate::session::Found;
use crate::source::{Seen, Source};
use crate::unit::Unit;
use crate::{order, secret, steps};

/// How a database begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// The sessions of an input.
pub(crate) fn sessions(input: &dyn Input) -> Result<Vec<Found<'_>>, Error> {
    let mut source = Source::of(Log::of(input));
    let mut units = units(source.log())?;
    if !units.all.iter().any(is_known) {
        return Err(refused(input));
    }
    if units.all.iter().all(|unit| unit.session.is_none()) {
        units.sessions.number(ids::of_input(input)?.into(), |name| name);
    }
    order::attribute(&mut units);
    let surveyed = surveyed(&mut units, &source)?;
    let variant = variant(units.form, &surveyed, input.name());
    let numbers: Vec<_> =
        surveyed.iter().map(|surveyed| source.add(surveyed.units.iter())).collect();
    let source = Rc::new(source);
    let units = Rc::new(units);
    let found = surveyed.into_iter().zip(numbers).enumerate().map(|(at, (surveyed, first))| {
        let record = surveyed.around.record(&surveyed.id, &surveyed.units, &units);
        Found {
            source: Rc::clone(&source),
            names: Rc::clone(&units),
            variant,
            id: surveyed.id,
            units: surveyed.units,
            first,
            record,
            is_first: at == 0,
        }
    });
    Ok(found.collect())
}

fn is_known(unit: &Unit<'_>) -> bool {
    use Class::{Captured, Early, Message, Part, Row, Session, Whole};
    matches!(unit.class, Session | Message | Early | Whole | Part | Captured | Row)
}

/// All units of a log.
fn units<'i>(log: &Log<'i>) -> Result<Units<'i>, Error> {
    let mut units = Units::default();
    let mut redactor = Redactor::new(secret::SECRETS);
    if let Some(frames) = log.held() {
        frames.for_each(|frame| units.add(frame, &mut redactor, |text| text));
        return Ok(units);
    }
    log.each(|frame| {
        let from = units.all.len();
        units.add(frame, &mut redactor, |text| Cow::Owned(text.into_owned()));
        units.all[from..].iter_mut().for_each(|unit| hold(unit, frame));
        Ok(())
    })?;
    Ok(units)
}

/// Keeps the text of what is told beside the entries: it is looked at long before the
/// entries are.
fn hold(unit: &mut Unit<'_>, frame: &Frame<'_>) {
    if let (true, Content::Document(document)) = (unit.class.is_beside(), &frame.content) {
        unit.text = Some(document.node(unit.node).raw().into());
    }
}

/// One session, as far as it is known.
struct Surveyed<'i> {
    around: Around,
    id: String,
    units: Vec<Unit<'i>>,
}

/// The sessions that units belong to, in the order of their beginning.
fn surveyed<'i>(units: &mut Units<'i>, source: &Source<'_>) -> Result<Vec<Surveyed<'i>>, Error> {
    let mut groups: Vec<Vec<Unit<'_>>> = Vec::new();
    groups.resize_with(units.sessions.len(), Vec::new);
    let mut projects = Vec::new();
    for unit in std::mem::take(&mut units.all) {
        match unit.session {
            _ if unit.class == Class::Project => projects.push(unit),
            Some(session) => groups[session as usize].push(unit),
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
        let id = units.sessions.name(number).to_owned();
        let mut units = order::order(group, |message| units.messages.name(message));
        let mut around = Around::default();
        for unit in units.iter_mut().filter(|unit| unit.class.is_beside()) {
            if is_taken(&mut around, unit, &id, source, &mut scanner)? {
                unit.entries = 0;
                // Nobody looks at it again.
                unit.text = None;
            }
        }
        surveyed.push(Surveyed { around, id, units });
    }
    surveyed.sort_by_cached_key(|of: &Surveyed<'_>| (of.around.began(&of.units), of.id.clone()));
    place_projects(projects, &mut surveyed, source, &mut scanner)?;
    Ok(surveyed)
}

fn is_taken(
    around: &mut Around,
    unit: &Unit<'_>,
    session: &str,
    source: &Source<'_>,
    scanner: &mut Scanner,
) -> Result<bool, Error> {
    // Units have no number in the order of the entries yet, and what is beside them
    // needs none.
    source.look(unit, usize::MAX, scanner, |seen| match seen {
        Seen::Document(node) => around.take(unit.class, node, session),
        Seen::Raw(..) => false,
    })
}

/// Gives each project to the sessions that name it, else to the first session as an
/// event.
fn place_projects<'i>(
    projects: Vec<Unit<'i>>,
    sessions: &mut [Surveyed<'i>],
    source: &Source<'_>,
    scanner: &mut Scanner,
) -> Result<(), Error> {
    // Sessions that wait for the project of this id.
    let mut waiting: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (number, session) in sessions.iter().enumerate() {
        if let Some(named) = &session.around.project_id {
            waiting.entry(named.clone()).or_default().push_back(number);
        }
    }
    let mut left = Vec::new();
    let mut unnamed = VecDeque::new();
    for project in projects {
        let named = project.id.as_deref().and_then(|id| waiting.get_mut(id));
        let named = named.unwrap_or(&mut unnamed);
        let mut is_placed = false;
        // None of them has a project yet: if one refuses this one, all do.
        while let Some(&number) = named.front() {
            steps::step();
            let session = &mut sessions[number];
            if !is_taken(&mut session.around, &project, &session.id, source, scanner)? {
                break;
            }
            named.pop_front();
            is_placed = true;
            session.units.push(Unit { entries: 0, text: None, ..project.clone() });
        }
        if !is_placed {
            left.push(project);
        }
    }
    if let Some(first) = sessions.first_mut() {
        first.units.splice(0..0, left.into_iter().rev());
    }
    Ok(())
}

/// What the sessions were in. The session of a tree comes as its files, one behind the
/// other, under its own name.
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

/// Why there is no session in an input.
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

    /// How many steps it takes to survey so many lines.
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
        // The half pair keeps every project from being told where projects are.
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
