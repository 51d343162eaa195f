//! The first pass: whose units are whose, and what is true of each session.

use std::collections::BTreeMap;
use std::sync::Arc;

use vac_adapter::frame::Reason;
use vac_adapter::{Error, Input, Origin, Session, Sink, ids};
use vac_record::{Entry, VerifiableAgentRecord};
use vac_value::{Encode, Node, Scanner};

use crate::classify::Class;
use crate::record::Around;
use crate::store::Store;
use crate::units::{Unit, Units};
use crate::{event, message, order, part, secret};

/// How a database begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// One session of an input.
pub(crate) struct Found<'i> {
    store: Arc<Store<'i>>,
    variant: &'static str,
    id: String,
    /// Its units, in the order of its entries.
    units: Vec<Unit>,
    record: VerifiableAgentRecord<'static>,
}

/// The sessions of an input.
pub(crate) fn sessions(input: &dyn Input) -> Result<Vec<Found<'_>>, Error> {
    let store = Store::of(input)?;
    if store.bytes().starts_with(SQLITE) {
        return Err(refused("a database, which is not read: export its sessions"));
    }
    let Units { all: mut units, is_export, foreign } = store.units();
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
    let variant = if is_export { "export" } else { "concatenated" };
    let (projects, units): (Vec<_>, Vec<_>) =
        units.into_iter().partition(|unit| unit.class == Class::Project);
    let mut groups: BTreeMap<String, Vec<Unit>> = BTreeMap::new();
    for unit in units {
        groups.entry(unit.session.clone().unwrap_or_default()).or_default().push(unit);
    }
    let mut surveyed: Vec<_> =
        groups.into_iter().map(|(id, units)| around(id, order::order(units), &store)).collect();
    surveyed.sort_by_key(|(around, _, units)| around.began(units));
    place_projects(projects, &mut surveyed, &store);
    let store = Arc::new(store);
    let found = surveyed.into_iter().map(|(around, id, units)| {
        let record = around.record(&id, &units);
        Found { store: Arc::clone(&store), variant, id, units, record }
    });
    Ok(found.collect())
}

fn refused(reason: &str) -> Error {
    Error::Refused(reason.to_owned())
}

type Surveyed = (Around, String, Vec<Unit>);

/// What is true of a session; its units that tell it are marked.
fn around(id: String, mut units: Vec<Unit>, store: &Store<'_>) -> Surveyed {
    let mut around = Around::default();
    let mut scanner = Scanner::default();
    for unit in &mut units {
        if !matches!(unit.class, Class::Raw(_) | Class::Message | Class::Part)
            && store.look(unit, &mut scanner, |node| {
                node.is_ok_and(|node| around.take(&unit.class, node, &id))
            })
        {
            unit.entries = 0;
        }
    }
    (around, id, units)
}

/// Gives each project to the sessions that name it, else to the first session as an
/// event.
fn place_projects(projects: Vec<Unit>, sessions: &mut [Surveyed], store: &Store<'_>) {
    let mut scanner = Scanner::default();
    for project in projects {
        let mut is_taken = false;
        for (around, id, units) in &mut *sessions {
            let is_named = around.project_id.is_some() && around.project_id == project.id;
            if is_named
                && store.look(&project, &mut scanner, |node| {
                    node.is_ok_and(|node| around.take(&Class::Project, node, id))
                })
            {
                is_taken = true;
                units.push(Unit { entries: 0, ..project.clone() });
            }
        }
        if let (false, Some((_, _, units))) = (is_taken, sessions.first_mut()) {
            units.insert(0, project);
        }
    }
}

impl Found<'_> {
    fn unit(&self, unit: &Unit, scanner: &mut Scanner, sink: &mut dyn Sink) -> Result<(), Error> {
        let bytes = self.store.source(unit);
        let origin = Origin { place: unit.place, bytes };
        if let Class::Raw(reason) = &unit.class {
            let entry = event::raw(bytes, reason, unit, sink.report());
            return sink.entry(entry, origin);
        }
        self.store.look(unit, scanner, |node| match node {
            Ok(node) => self.document(node, unit, origin, sink),
            // It was a document a moment ago.
            Err(error) => {
                let entry = event::raw(bytes, &Reason::Syntax(error), unit, sink.report());
                sink.entry(entry, origin)
            }
        })
    }

    fn document(
        &self,
        node: Node<'_, '_>,
        unit: &Unit,
        origin: Origin<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let entries = match unit.class {
            Class::Message => message::entry(node, unit, &self.id).map(|entry| (entry, None)),
            Class::Part => part::entries(node, unit, &self.id, sink.report()),
            _ => None,
        };
        let (entry, result) = match entries {
            Some(entries) => entries,
            None => (event::entry(node, unit, &self.id, sink.report()), None),
        };
        if unit.has_secret {
            let told = told(&entry);
            return sink.entry(entry, Origin { bytes: told.as_bytes(), ..origin });
        }
        sink.entry(entry, origin)?;
        match result {
            Some(result) => sink.entry(result, origin),
            None => Ok(()),
        }
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
