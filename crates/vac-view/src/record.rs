//! Reads records as sessions, entry by entry.

use std::borrow::Cow;

use vac_adapter::frame::Place;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Adapter, Error, Origin, Parent, Session, Sink, annotation};
use vac_record::annotations::SessionAnnotations;
use vac_record::keys::{session_trace, verifiable_agent_record};
use vac_record::{Decode, DecodeError, Entry, VerifiableAgentRecord};
use vac_validate::signed::{self, Payload};
use vac_value::{Document, Encoding, IntoOwned, Kind, Node, Violation};

/// A function that receives the session of a record.
pub type SessionReceiver<'s, T> = dyn FnMut(&dyn Session) -> Result<T, Error> + 's;

/// Returns whether a document has the form of a record or a signed record. It may still be invalid.
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

/// Reads the record in a document, or in the payload of a signed document, whose signature is
/// not checked. The record is read with the tables of the adapter that it names in
/// `session.vac.adapter`, or else in `cli-name`, if `agents` contains it.
///
/// # Errors
/// If the document does not contain a valid record, or if `show` fails.
pub fn read<T>(
    document: &Document<'_>,
    agents: &[&'static dyn Adapter],
    show: &mut SessionReceiver<'_, T>,
) -> Result<T, Error> {
    match signed::payload(document) {
        None => {
            let variant = match document.encoding() {
                Encoding::Json => "record-json",
                Encoding::Cbor => "record-cbor",
            };
            show(&RecordSession::new(document, agents, variant)?)
        }
        Some(Payload::Attached { bytes, encoding }) => {
            let payload = Document::scan(&bytes, encoding).map_err(|error| {
                Error::Refused(format!("the payload of the signature is not {encoding}: {error}"))
            })?;
            let variant = match encoding {
                Encoding::Json => "signed-record-json",
                Encoding::Cbor => "signed-record-cbor",
            };
            show(&RecordSession::new(&payload, agents, variant)?)
        }
        Some(Payload::Detached | Payload::Digest) => Err(Error::Refused(
            "the signature is detached: read the record itself, which is a file of its own"
                .to_owned(),
        )),
    }
}

/// Returns the encoding of the record that a session was read from, by its variant.
pub(crate) fn encoding(variant: &str) -> Option<&'static str> {
    match variant {
        "record-json" | "signed-record-json" => Some("json"),
        "record-cbor" | "signed-record-cbor" => Some("cbor"),
        _ => None,
    }
}

/// A record as a session.
pub struct RecordSession<'d, 'a> {
    head: VerifiableAgentRecord<'static>,
    entries: Node<'d, 'a>,
    variant: &'static str,
    adapter: Option<&'static dyn Adapter>,
    /// The annotations of the session, if they are valid.
    annotations: Option<SessionAnnotations<'static>>,
}

impl<'d, 'a> RecordSession<'d, 'a> {
    fn new(
        document: &'d Document<'a>,
        agents: &[&'static dyn Adapter],
        variant: &'static str,
    ) -> Result<Self, Error> {
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
        let head = without_entries(root, entries);
        let head = Document::scan(&head, document.encoding())
            .map_err(|error| Error::Refused(format!("the record without its entries: {error}")))?;
        let head = VerifiableAgentRecord::from_node(head.root()).map_err(invalid)?.into_owned();
        let annotations = annotation::session_annotations(&head).ok().flatten();
        let find = |is_it: &dyn Fn(&dyn Adapter) -> bool| {
            agents.iter().copied().find(|adapter| is_it(*adapter))
        };
        let by_name = annotations.as_ref().and_then(|it| find(&|found| found.name() == it.adapter));
        let cli_name = head.session.agent_meta.cli_name.as_deref();
        let by_cli_name = || cli_name.and_then(|name| find(&|found| found.cli_name() == name));
        let adapter = by_name.or_else(by_cli_name);
        Ok(Self { head, entries, variant, adapter, annotations })
    }
}

/// Returns the bytes of a record with an empty list of entries.
fn without_entries(root: Node<'_, '_>, entries: Node<'_, '_>) -> Vec<u8> {
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

impl Session for RecordSession<'_, '_> {
    fn adapter(&self) -> Option<&'static dyn Adapter> {
        self.adapter
    }

    fn agent(&self) -> Cow<'_, str> {
        let stated = self.annotations.as_ref().map(|it| &*it.agent);
        let by_table = || self.adapter.map(Adapter::name);
        let by_program = || self.head.session.agent_meta.cli_name.as_deref();
        Cow::Borrowed(stated.or_else(by_table).or_else(by_program).unwrap_or(UNKNOWN))
    }

    fn parent(&self) -> Option<Parent> {
        let annotations = self.annotations.as_ref()?;
        let session_id = annotations.parent.as_deref()?.to_owned();
        Some(Parent { session_id, relation: annotations.relation? })
    }

    fn is_record(&self) -> bool {
        true
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
