//! One session: its units as entries.

use std::rc::Rc;

use vac_adapter::{Error, Origin, Session, Sink};
use vac_record::{Entry, VerifiableAgentRecord};
use vac_value::{Encode, Node, Scanner};

use crate::classify::Class;
use crate::container::Units;
use crate::part::Known;
use crate::source::{Seen, Source};
use crate::unit::Unit;
use crate::{capture, early, event, message, part, secret, whole};

/// One session of an input.
pub(crate) struct Found<'i> {
    pub source: Rc<Source<'i>>,
    /// The names that units share.
    pub names: Rc<Units<'i>>,
    pub variant: &'static str,
    pub id: String,
    /// Its units, in the order of its entries.
    pub units: Vec<Unit<'i>>,
    /// The number of the first in the order of all entries.
    pub first: usize,
    pub record: VerifiableAgentRecord<'static>,
}

impl Found<'_> {
    fn unit(
        &self,
        unit: &Unit<'_>,
        number: usize,
        scanner: &mut Scanner,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        self.source.look(unit, number, scanner, |seen| match seen {
            Seen::Document(node) => self.document(node, unit, sink),
            Seen::Raw(bytes, reason) => {
                let entry = event::raw(bytes, reason, unit, sink.report());
                sink.entry(entry, Origin { place: unit.place, bytes })
            }
        })?
    }

    fn document(
        &self,
        node: Node<'_, '_>,
        unit: &Unit<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let origin = Origin { place: unit.place, bytes: node.raw() };
        let known = Known { unit, session: &self.id, number: None };
        let (entry, result) = match unit.class {
            Class::Message => (message::entry(node, unit, &self.id), None),
            Class::Part => part::entries(node, known, sink.report()),
            Class::Captured => capture::entries(node, known, sink.report()),
            Class::Early => return early::entries(node, unit, &self.id, origin, sink),
            Class::Whole => return whole::entries(node, unit, &self.id, origin, sink),
            _ => {
                let members = &self.names.members;
                (event::entry(node, unit, &self.id, members, sink.report()), None)
            }
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
        for (number, unit) in (self.first..).zip(&self.units) {
            sink.report().frames += 1;
            if unit.entries > 0 {
                self.unit(unit, number, &mut scanner, sink)?;
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
