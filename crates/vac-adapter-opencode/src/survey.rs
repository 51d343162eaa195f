//! The first pass: whose units are whose, and what is true of each session.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use vac_adapter::frame::Reason;
use vac_adapter::{Error, Input, Origin, Session, Sink, ids};
use vac_record::{Entry, VerifiableAgentRecord};
use vac_value::{Document, Encode, Scanner};

use crate::classify::Class;
use crate::record::Around;
use crate::units::{Unit, Units};
use crate::{event, message, order, part, secret};

/// How a database begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// One session of an input.
pub(crate) struct Found<'i> {
    text: Arc<Text<'i>>,
    variant: &'static str,
    id: String,
    /// Its units, in the order of its entries.
    units: Vec<Unit>,
    record: VerifiableAgentRecord<'static>,
}

/// The bytes of an input, as they are and without space.
struct Text<'i> {
    source: Cow<'i, [u8]>,
    tidy: Vec<u8>,
}

impl Text<'_> {
    /// A unit's bytes, to be read.
    fn of(&self, unit: &Unit) -> &[u8] {
        match &unit.tidy {
            Some(range) => &self.tidy[range.clone()],
            None => &self.source[unit.source.clone()],
        }
    }
}

/// The sessions of an input.
pub(crate) fn sessions(input: &dyn Input) -> Result<Vec<Found<'_>>, Error> {
    let source = match input.bytes() {
        Some(bytes) => Cow::Borrowed(bytes),
        None => {
            let mut bytes = Vec::new();
            input.open()?.read_to_end(&mut bytes)?;
            Cow::Owned(bytes)
        }
    };
    if source.starts_with(SQLITE) {
        return Err(refused("a database, which is not read: export its sessions"));
    }
    let Units { all: mut units, tidy, is_export, foreign } = Units::of(&source);
    let is_known =
        |unit: &Unit| matches!(unit.class, Class::Session | Class::Message | Class::Part);
    if !units.iter().any(is_known) {
        return Err(refused(foreign.unwrap_or("no session, message or part of OpenCode in it")));
    }
    let fallback = if units.iter().any(|unit| unit.session.is_some()) {
        String::new()
    } else {
        ids::of_input(input)?
    };
    order::attribute(&mut units, &fallback);
    let text = Arc::new(Text { source, tidy });
    let variant = if is_export { "export" } else { "concatenated" };
    let (projects, units): (Vec<_>, Vec<_>) =
        units.into_iter().partition(|unit| unit.class == Class::Project);
    let mut groups: BTreeMap<String, Vec<Unit>> = BTreeMap::new();
    for unit in units {
        groups.entry(unit.session.clone().unwrap_or_default()).or_default().push(unit);
    }
    let mut surveyed: Vec<_> =
        groups.into_iter().map(|(id, units)| around(id, order::order(units), &text)).collect();
    surveyed.sort_by_key(|(around, _, units)| around.began(units));
    place_projects(projects, &mut surveyed, &text);
    let found = surveyed.into_iter().map(|(around, id, units)| {
        let record = around.record(&id, &units);
        Found { text: Arc::clone(&text), variant, id, units, record }
    });
    Ok(found.collect())
}

fn refused(reason: &str) -> Error {
    Error::Refused(reason.to_owned())
}

type Surveyed = (Around, String, Vec<Unit>);

/// What is true of a session; its units that tell it are marked.
fn around(id: String, mut units: Vec<Unit>, text: &Text<'_>) -> Surveyed {
    let mut around = Around::default();
    for unit in &mut units {
        if matches!(unit.class, Class::Raw(_) | Class::Message | Class::Part) {
            continue;
        }
        if let Ok(document) = Document::json(text.of(unit))
            && around.take(&unit.class, document.root(), &id)
        {
            unit.entries = 0;
        }
    }
    (around, id, units)
}

/// Gives each project to the sessions that name it, else to the first session as an
/// event.
fn place_projects(projects: Vec<Unit>, sessions: &mut [Surveyed], text: &Text<'_>) {
    for project in projects {
        let mut is_taken = false;
        if let Ok(document) = Document::json(text.of(&project)) {
            for (around, id, units) in &mut *sessions {
                if around.project_id.is_some()
                    && around.project_id == project.id
                    && around.take(&Class::Project, document.root(), id)
                {
                    is_taken = true;
                    units.push(Unit { entries: 0, ..project.clone() });
                }
            }
        }
        if let (false, Some((_, _, units))) = (is_taken, sessions.first_mut()) {
            units.insert(0, project);
        }
    }
}

impl Found<'_> {
    fn unit(&self, unit: &Unit, scanner: &mut Scanner, sink: &mut dyn Sink) -> Result<(), Error> {
        let bytes = &self.text.source[unit.source.clone()];
        let origin = Origin { place: unit.place, bytes };
        if let Class::Raw(reason) = &unit.class {
            let entry = event::raw(bytes, reason, unit, sink.report());
            return sink.entry(entry, origin);
        }
        let document = match scanner.json(self.text.of(unit)) {
            Ok(document) => document,
            // It was a document a moment ago.
            Err(error) => {
                let entry = event::raw(bytes, &Reason::Syntax(error), unit, sink.report());
                return sink.entry(entry, origin);
            }
        };
        let node = document.root();
        let entries = match unit.class {
            Class::Message => message::entry(node, unit, &self.id).map(|entry| (entry, None)),
            Class::Part => part::entries(node, unit, &self.id, sink.report()),
            _ => None,
        };
        let (entry, result) =
            entries.unwrap_or_else(|| (event::entry(node, unit, &self.id, sink.report()), None));
        if unit.has_secret {
            let told = told(&entry);
            sink.entry(entry, Origin { bytes: told.as_bytes(), ..origin })?;
        } else {
            sink.entry(entry, origin)?;
        }
        if let Some(result) = result {
            sink.entry(result, origin)?;
        }
        scanner.recycle(document);
        Ok(())
    }
}

/// An object with a secret, as it may be told.
fn told(entry: &Entry<'_>) -> String {
    match entry {
        Entry::Event(event) => event.data.to_json().unwrap_or_default(),
        _ => String::new(),
    }
}

impl Session for Found<'_> {
    fn agent(&self) -> &'static str {
        "opencode"
    }

    fn variant(&self) -> &'static str {
        self.variant
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        self.record.clone()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut scanner = Scanner::default();
        for unit in &self.units {
            sink.report().frames += 1;
            if unit.entries > 0 {
                self.unit(unit, &mut scanner, sink)?;
            }
            if unit.has_secret {
                sink.report().omit(secret::OMITTED);
            }
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.units.iter().map(|unit| unit.entries).sum())
    }
}
