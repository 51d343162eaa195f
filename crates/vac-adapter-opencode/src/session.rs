//! Converts one session: its objects become entries.

use std::rc::Rc;

use vac_adapter::container::RowProblem;
use vac_adapter::frame::{Place, Reason};
use vac_adapter::{Error, Origin, Parent, Report, Session, Sink, redact};
use vac_record::VerifiableAgentRecord;
use vac_record::annotations::Relation;
use vac_value::{Document, Node, Scanner};

use crate::classify::Class;
use crate::container::Objects;
use crate::object::{Redaction, StoredObject};
use crate::part::Scope;
use crate::source::{Seen, Source};
use crate::{capture, event, message, message_2025, part, secret, session_message};

/// One session of an input.
pub(crate) struct OpenCodeSession<'i> {
    pub source: Rc<Source<'i>>,
    /// The names that the objects share.
    pub names: Rc<Objects<'i>>,
    pub variant: &'static str,
    pub id: String,
    /// The objects of the session, in the order of its entries.
    pub objects: Vec<StoredObject<'i>>,
    /// The number of its first object in the order of all sessions.
    pub first: usize,
    pub record: VerifiableAgentRecord<'static>,
    /// The session that this one came from.
    pub parent: Option<Parent>,
    /// The report of the first pass on the session.
    pub survey_report: Report,
    /// Whether this session reports the unreadable parts of the input.
    pub is_first: bool,
}

impl OpenCodeSession<'_> {
    /// Files and tables that could not be read.
    fn unreadable(&self) -> impl Iterator<Item = (&str, &str)> {
        let troubles = self.source.log().troubles().filter(|_| self.is_first);
        troubles.filter_map(|trouble| match &trouble.problem {
            RowProblem::Unreadable { what, reason } => Some((what.as_str(), reason.as_str())),
            _ => None,
        })
    }
}

impl OpenCodeSession<'_> {
    fn scope<'k>(&'k self, stored: &'k StoredObject<'k>) -> Scope<'k> {
        let fork = self.parent.as_ref().filter(|parent| parent.relation == Relation::Fork);
        let fork_of = fork.map(|parent| parent.session_id.as_str());
        Scope { stored, session: &self.id, variant: self.variant, fork_of, number: None }
    }

    fn stored(
        &self,
        stored: &StoredObject<'_>,
        number: usize,
        scanner: &mut Scanner,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        self.source.read(stored, number, scanner, |seen| match seen {
            // This is part of a damaged document that may contain a secret.
            Seen::Document(node) if stored.redaction == Redaction::Whole => {
                raw(node.raw(), &Reason::Stray, stored, sink)
            }
            Seen::Document(node) => self.document(node, stored, sink),
            Seen::Raw(bytes, reason) => raw(bytes, reason, stored, sink),
        })?
    }

    fn document(
        &self,
        node: Node<'_, '_>,
        stored: &StoredObject<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        if stored.redaction == Redaction::Member {
            return self.redacted(node, stored, sink);
        }
        let origin = Origin { place: stored.place, bytes: node.raw() };
        let scope = self.scope(stored);
        let (entry, result) = match stored.class {
            Class::Message => (message::entry(node, scope, sink.report()), None),
            Class::Part => part::entries(node, scope, sink.report()),
            Class::Captured => capture::entries(node, scope, sink.report()),
            Class::Message2025 => return message_2025::entries(node, scope, origin, sink),
            Class::SessionMessage => return session_message::entries(node, scope, origin, sink),
            _ => {
                let members = &self.names.members;
                (event::entry(node, scope, members, sink.report()), None)
            }
        };
        sink.entry(entry, origin)?;
        match result {
            Some(result) => sink.entry(result, origin),
            None => Ok(()),
        }
    }
}

impl OpenCodeSession<'_> {
    /// Passes the entry of a document with a secret to a sink.
    fn redacted(
        &self,
        node: Node<'_, '_>,
        stored: &StoredObject<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let blanked = secret::SECRETS.without_secrets(node);
        let bytes = blanked.as_ref().map_or(node.raw(), |(bytes, _)| bytes);
        let Ok(document) = Document::json(bytes) else {
            // The bytes were a document before something was removed, so they still are one.
            let stored = StoredObject { redaction: Redaction::Whole, ..stored.clone() };
            return raw(node.raw(), &Reason::Stray, &stored, sink);
        };
        let members = &self.names.members;
        let entry = event::entry(document.root(), self.scope(stored), members, sink.report());
        let bytes = redact::origin(&entry)?;
        sink.entry(entry, Origin { place: stored.place, bytes: &bytes })
    }
}

/// Passes the entry of bytes that could not be parsed to a sink.
fn raw(
    bytes: &[u8],
    reason: &Reason,
    stored: &StoredObject<'_>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let entry = event::raw(bytes, reason, stored, sink.report());
    sink.entry(entry, Origin { place: stored.place, bytes })
}

impl Session for OpenCodeSession<'_> {
    fn adapter(&self) -> Option<&'static dyn vac_adapter::Adapter> {
        Some(&crate::OpenCode)
    }

    fn variant(&self) -> &'static str {
        self.variant
    }

    fn parent(&self) -> Option<Parent> {
        self.parent.clone()
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        self.record.clone()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        for (number, (what, reason)) in (1..).zip(self.unreadable()) {
            sink.report().warn(format!("{what}: {reason}"));
            let entry = vac_adapter::raw::unreadable(what, number);
            sink.entry(entry, Origin { place: Place::default(), bytes: b"" })?;
        }
        for (key, count) in &self.survey_report.unknown_keys {
            *sink.report().unknown_keys.entry(key.clone()).or_default() += count;
        }
        let mut scanner = Scanner::default();
        for (number, stored) in (self.first..).zip(&self.objects) {
            sink.report().frames += 1;
            if stored.entries > 0 {
                self.stored(stored, number, &mut scanner, sink)?;
            }
            if stored.redaction == Redaction::Member {
                sink.report().redact(secret::PATH);
            }
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, Error> {
        let unreadable = self.unreadable().count() as u64;
        Ok(unreadable + self.objects.iter().map(|stored| stored.entries).sum::<u64>())
    }
}
