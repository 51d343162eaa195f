//! Records, as sessions whose entries are read one by one.

use vac_adapter::frame::Place;
use vac_adapter::{Error, Origin, Session, Sink};
use vac_record::keys::{session_trace, verifiable_agent_record};
use vac_record::{Decode, DecodeError, Entry, VerifiableAgentRecord};
use vac_validate::signed::{self, Payload};
use vac_value::{Document, Encoding, IntoOwned, Kind, Node, Violation};

use crate::agent::Agent;

/// Takes a session.
pub type Show<'s, T> = dyn FnMut(&dyn Session) -> Result<T, Error> + 's;

/// Whether a document looks like a record, or like one that is signed: enough to tell it
/// from a log.
pub fn is_record(document: &Document<'_>) -> bool {
    if signed::payload(document).is_some() {
        return true;
    }
    let root = document.root();
    let session = root.member(verifiable_agent_record::SESSION);
    let has_agent = |session: Node<'_, '_>| session.member(session_trace::AGENT_META).is_some();
    root.member(verifiable_agent_record::VERSION).is_some()
        && session.is_some_and(has_agent)
        && vac_validate::entries(root).is_some()
}

/// Shows the record in a document, or in the payload of a document that is signed. Whether
/// the signature is good is not asked.
pub fn read<T>(document: &Document<'_>, show: &mut Show<'_, T>) -> Result<T, Error> {
    let form = |json, cbor| move |encoding| if encoding == Encoding::Json { json } else { cbor };
    match signed::payload(document) {
        None => {
            let variant = form("record-json", "record-cbor")(document.encoding());
            show(&Recorded::of(document, variant)?)
        }
        Some(Payload::Attached { bytes, encoding }) => {
            let payload = Document::scan(&bytes, encoding).map_err(|error| {
                Error::Refused(format!("the payload of the signature is no {encoding}: {error}"))
            })?;
            let variant = form("signed-record-json", "signed-record-cbor")(encoding);
            show(&Recorded::of(&payload, variant)?)
        }
        Some(Payload::Detached | Payload::Digest) => Err(Error::Refused(
            "the signature is detached, its record kept elsewhere: read the record itself"
                .to_owned(),
        )),
    }
}

/// A record.
#[derive(Debug)]
pub struct Recorded<'d, 'a> {
    head: VerifiableAgentRecord<'static>,
    entries: Node<'d, 'a>,
    variant: &'static str,
}

impl<'d, 'a> Recorded<'d, 'a> {
    fn of(document: &'d Document<'a>, variant: &'static str) -> Result<Self, Error> {
        if let Some(duplicate) = Violation::duplicate_keys(document.root(), 1).pop() {
            return Err(Error::Invalid { line: None, violations: Box::new(duplicate.into()) });
        }
        let root = document.root();
        let entries = vac_validate::entries(root);
        let Some(entries) = entries.filter(|entries| entries.kind() == Kind::Array) else {
            return Err(match VerifiableAgentRecord::from_node(root) {
                Err(error) => invalid(error),
                Ok(_) => Error::Refused("a record whose entries are not an array".to_owned()),
            });
        };
        let head = without(root, entries);
        let head = Document::scan(&head, document.encoding()).ok();
        let head = head.map(|head| match VerifiableAgentRecord::from_node(head.root()) {
            Ok(head) => Ok(head.into_owned()),
            Err(error) => Err(invalid(error)),
        });
        let head = head.unwrap_or_else(|| {
            Err(Error::Refused("a record that cannot be read without its entries".to_owned()))
        })?;
        Ok(Self { head, entries, variant })
    }
}

/// The bytes of a record with an empty list of entries.
fn without(root: Node<'_, '_>, entries: Node<'_, '_>) -> Vec<u8> {
    let raw = root.raw();
    let from = entries.offset() - root.offset();
    let empty: &[u8] = match root.encoding() {
        Encoding::Json => b"[]",
        Encoding::Cbor => &[0x80],
    };
    [&raw[..from], empty, &raw[from + entries.raw().len()..]].concat()
}

fn invalid(error: DecodeError) -> Error {
    match error {
        DecodeError::Invalid(violations) => {
            Error::Invalid { line: None, violations: Box::new(violations) }
        }
        other => Error::Refused(other.to_string()),
    }
}

impl Session for Recorded<'_, '_> {
    fn agent(&self) -> &'static str {
        let name = self.head.session.agent_meta.cli_name.as_deref();
        name.map_or(Agent::Other, Agent::of_cli_name).name()
    }

    fn variant(&self) -> &'static str {
        self.variant
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        self.head.clone()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        for (index, node) in (0..).zip(self.entries.elements()) {
            let entry = Entry::from_node(node).map_err(invalid)?;
            let place = Place { index, ..Place::default() };
            sink.entry(entry, Origin { place, bytes: node.raw() })?;
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.entries.elements().count() as u64)
    }
}
