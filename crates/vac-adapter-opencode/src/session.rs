//! One session: its units as entries.

use std::rc::Rc;

use vac_adapter::container::Problem;
use vac_adapter::frame::{Place, Reason};
use vac_adapter::{Error, Origin, Session, Sink, redact};
use vac_record::VerifiableAgentRecord;
use vac_value::{Document, Node, Scanner};

use crate::classify::Class;
use crate::container::Units;
use crate::part::Known;
use crate::source::{Seen, Source};
use crate::unit::{Redaction, Unit};
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
    /// Whether what could not be read of the input is reported with this session.
    pub is_first: bool,
}

impl Found<'_> {
    /// Files and tables that could not be read.
    fn unreadable(&self) -> impl Iterator<Item = (&str, &str)> {
        let troubles = self.source.log().troubles().filter(|_| self.is_first);
        troubles.filter_map(|trouble| match &trouble.problem {
            Problem::Unreadable { what, reason } => Some((what.as_str(), reason.as_str())),
            _ => None,
        })
    }
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
            // Part of a damaged document, with a secret before it.
            Seen::Document(node) if unit.redaction == Redaction::Whole => {
                raw(node.raw(), &Reason::Stray, unit, sink)
            }
            Seen::Document(node) => self.document(node, unit, sink),
            Seen::Raw(bytes, reason) => raw(bytes, reason, unit, sink),
        })?
    }

    fn document(
        &self,
        node: Node<'_, '_>,
        unit: &Unit<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        if unit.redaction == Redaction::Member {
            return self.redacted(node, unit, sink);
        }
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
        sink.entry(entry, origin)?;
        match result {
            Some(result) => sink.entry(result, origin),
            None => Ok(()),
        }
    }
}

impl Found<'_> {
    /// Gives the entry of a document with a secret.
    fn redacted(
        &self,
        node: Node<'_, '_>,
        unit: &Unit<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let blanked = secret::SECRETS.blanked(node);
        let bytes = blanked.as_ref().map_or(node.raw(), |(bytes, _)| bytes);
        let Ok(document) = Document::json(bytes) else {
            // It was a document before something was taken out.
            let unit = Unit { redaction: Redaction::Whole, ..unit.clone() };
            return raw(node.raw(), &Reason::Stray, &unit, sink);
        };
        let members = &self.names.members;
        let entry = event::entry(document.root(), unit, &self.id, members, sink.report());
        let bytes = redact::origin(&entry)?;
        sink.entry(entry, Origin { place: unit.place, bytes: &bytes })
    }
}

/// Gives the entry of bytes that could not be parsed.
fn raw(bytes: &[u8], reason: &Reason, unit: &Unit<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let entry = event::raw(bytes, reason, unit, sink.report());
    sink.entry(entry, Origin { place: unit.place, bytes })
}

impl Session for Found<'_> {
    fn adapter(&self) -> Option<&'static dyn vac_adapter::Adapter> {
        Some(&crate::OpenCode)
    }

    fn variant(&self) -> &'static str {
        self.variant
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        self.record.clone()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        for (number, (what, reason)) in (1..).zip(self.unreadable()) {
            sink.report().warn(format!("{what}: {reason}"));
            let entry = event::unreadable(what, number);
            sink.entry(entry, Origin { place: Place::default(), bytes: b"" })?;
        }
        let mut scanner = Scanner::default();
        for (number, unit) in (self.first..).zip(&self.units) {
            sink.report().frames += 1;
            if unit.entries > 0 {
                self.unit(unit, number, &mut scanner, sink)?;
            }
            if unit.redaction == Redaction::Member {
                sink.report().redact(secret::PATH);
            }
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, Error> {
        let unreadable = self.unreadable().count() as u64;
        Ok(unreadable + self.units.iter().map(|unit| unit.entries).sum::<u64>())
    }
}
