//! Writes the record of a session, entry by entry, in either encoding.
//!
//! # Decisions
//!
//! * The record without entries is encoded first, and the entries replace its empty list.
//!   The same code therefore writes JSON in the schema's order, pretty JSON and deterministic CBOR,
//!   with one entry in memory at a time.
//! * The sources of a record come after its entries, and are requested after these have been read,
//!   so that the SHA-256 of a source is that of the converted bytes.
//! * CBOR states the number of entries before them: [`Session::count`].
//! * Every entry is validated before it is written, and so is the record without entries. Together
//!   these are the whole record, because the schema only requires that the list contains valid
//!   entries. The written bytes are validated, with null in the place of every value of type `any`.
//! * An entry that the encoding cannot express (CBOR text cannot contain a lone surrogate) is
//!   kept as the text that it was made from.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use vac_record::annotations::SessionAnnotations;
use vac_record::keys::message_entry;
use vac_record::{Entry, RecordingAgent, VerifiableAgentRecord};
use vac_validate::{RuleId, rules, validate_document};
use vac_value::{Any, Document, Encode, Encoder, Encoding, IntoOwned, Layout, Map};

use crate::adapter::{Adapter, Error, Origin, Parent, Profile, Session, Sink};
use crate::annotation;
use crate::canonical::{strip_entry, strip_record};
use crate::frame::Reason;
use crate::raw::{self, KnownMembers};
use crate::report::{Report, SourceFile};

/// The key of `recording-agent` that states the profile of a record that is not full.
pub const PROFILE: &str = "profile";
/// The value of [`PROFILE`] for [`Profile::Canonical`].
pub const CANONICAL: &str = "canonical";

/// Options for writing a record.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// The encoding of the record.
    pub encoding: Encoding,
    /// The layout of JSON.
    pub layout: Layout,
    /// The extent of the record.
    pub profile: Profile,
    /// Whether to validate the record.
    pub validate: bool,
    /// Labels that the user gives the record. They are written to its `recording-agent`.
    pub labels: BTreeMap<String, String>,
    /// The build of the program that writes the record, such as its commit. It is written to
    /// `recording-agent`, after the version.
    pub build: Option<String>,
}

/// A function that returns the sources of a record. It is called after all entries have been read,
/// so that it can state the bytes that were read.
pub type Sources<'s> = dyn Fn() -> Result<Vec<SourceFile>, Error> + 's;

/// Returns no sources: the [`Sources`] of a record that states none.
pub fn no_sources() -> Result<Vec<SourceFile>, Error> {
    Ok(Vec::new())
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self {
            encoding: Encoding::Json,
            layout: Layout::Compact,
            profile: Profile::Full,
            validate: true,
            labels: BTreeMap::new(),
            build: None,
        }
    }
}

/// Writes a session's record, without a line end.
pub fn write(
    session: &dyn Session,
    options: &RecordOptions,
    sources: &Sources<'_>,
    out: &mut dyn Write,
) -> Result<Report, Error> {
    let mut record = record_without_entries(session, options);
    let mut report = begin_report(session, &record);
    report.labels = options.labels.clone();
    let head = EncodedHead::new(&record, options)?;
    out.write_all(head.before())?;
    let count = match options.encoding {
        Encoding::Json => None,
        Encoding::Cbor => Some(session.count()?),
    };
    let mut writer = Writer::new(options, report, &mut *out, count)?;
    session.entries(&mut writer)?;
    let mut report = writer.end(count)?;
    report.finish();
    report.sources = sources()?;
    record.recording_agent = Some(recording_agent(options, &report.sources));
    // Only the bytes after the entries have changed: no member of the record sorts between
    // `recording-agent` and the session, in either encoding.
    let complete = EncodedHead::new(&record, options)?;
    if complete.before() != head.before() {
        return Err(missing_entries());
    }
    out.write_all(complete.after())?;
    Ok(report)
}

/// The encoded record without entries, and the position of its entries.
struct EncodedHead {
    bytes: Vec<u8>,
    /// The empty list of entries.
    entries: std::ops::Range<usize>,
}

impl EncodedHead {
    /// Encodes a record without entries, and validates it if `options` ask for that.
    fn new(record: &VerifiableAgentRecord<'_>, options: &RecordOptions) -> Result<Self, Error> {
        let mut encoder = encoder(options).indexed();
        record.encode(&mut encoder)?;
        let found = encoder.read_index(|document| {
            if options.validate {
                validate(document, rules::ROOT, None)?;
            }
            let entries = vac_validate::entries(document.root()).ok_or_else(missing_entries)?;
            Ok::<_, Error>(entries.offset()..entries.offset() + entries.raw().len())
        });
        let entries = found.map_err(|_| missing_entries())??;
        Ok(Self { bytes: encoder.finish(), entries })
    }

    fn before(&self) -> &[u8] {
        &self.bytes[..self.entries.start]
    }

    fn after(&self) -> &[u8] {
        &self.bytes[self.entries.end..]
    }
}

/// Collects the whole record in memory, without sources. For tests and small logs; [`write()`] needs
/// the memory of one entry.
pub fn collect(
    session: &dyn Session,
    options: &RecordOptions,
) -> Result<(VerifiableAgentRecord<'static>, Report), Error> {
    let mut record = record_without_entries(session, options);
    let report = begin_report(session, &record);
    let mut collector = Collector { entries: Vec::new(), report, profile: options.profile };
    session.entries(&mut collector)?;
    record.session.entries = collector.entries;
    collector.report.finish();
    Ok((record, collector.report))
}

struct Collector {
    entries: Vec<Entry<'static>>,
    report: Report,
    profile: Profile,
}

impl Sink for Collector {
    fn entry(&mut self, mut entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        if self.profile == Profile::Canonical {
            strip_entry(&mut entry);
        }
        self.report.entry(&entry);
        self.entries.push(entry.into_owned());
        Ok(())
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

/// Returns the record of a session without entries and without `recording-agent`, with the
/// annotations of the session.
pub fn head(session: &dyn Session) -> VerifiableAgentRecord<'static> {
    let mut record = session.record();
    record.session.entries = Vec::new();
    // The session of a record has its annotations.
    let Some(adapter) = session.adapter().filter(|_| !session.is_record()) else { return record };
    let parent = session.parent();
    let annotations = SessionAnnotations {
        agent: session.agent(),
        adapter: adapter.name().into(),
        variant: session.variant().into(),
        relation: parent.as_ref().map(|parent| parent.relation),
        parent: parent.map(|parent| parent.session_id.into()),
    };
    annotation::annotate_session(&mut record, &annotations);
    record
}

/// A session of an agent with another name than the adapter of its format. The place of the log, or
/// the user, states the name.
pub struct Named<'s> {
    session: &'s dyn Session,
    agent: &'s str,
}

impl<'s> Named<'s> {
    /// Sets the name of the agent that wrote a session. If `agent` is the name of the adapter, the
    /// name that the session itself states is kept.
    pub fn new(session: &'s dyn Session, agent: &'s str) -> Self {
        Self { session, agent }
    }

    /// Returns the name, if it is not the adapter's.
    fn other(&self) -> Option<&'s str> {
        let adapter = self.session.adapter()?;
        (adapter.name() != self.agent && !self.session.is_record()).then_some(self.agent)
    }
}

impl Session for Named<'_> {
    fn adapter(&self) -> Option<&'static dyn Adapter> {
        self.session.adapter()
    }

    fn agent(&self) -> Cow<'_, str> {
        self.other().map_or_else(|| self.session.agent(), Cow::Borrowed)
    }

    fn parent(&self) -> Option<Parent> {
        self.session.parent()
    }

    fn variant(&self) -> &'static str {
        self.session.variant()
    }

    fn is_record(&self) -> bool {
        self.session.is_record()
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let mut record = self.session.record();
        let cli_name = &mut record.session.agent_meta.cli_name;
        // Keep a program that the log itself states.
        let adapter = self.session.adapter();
        let is_own = |name: &str| adapter.is_none_or(|adapter| adapter.cli_name() == name);
        let is_stated = cli_name.as_deref().is_some_and(|name| !is_own(name));
        if let Some(agent) = self.other().filter(|_| !is_stated) {
            *cli_name = Some(agent.to_owned().into());
        }
        record
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.session.entries(sink)
    }

    fn count(&self) -> Result<u64, Error> {
        self.session.count()
    }
}

fn record_without_entries(
    session: &dyn Session,
    options: &RecordOptions,
) -> VerifiableAgentRecord<'static> {
    let mut record = head(session);
    if options.profile == Profile::Canonical {
        strip_record(&mut record);
    }
    record.recording_agent = Some(recording_agent(options, &[]));
    record
}

/// Returns the `recording-agent` of a record.
fn recording_agent(options: &RecordOptions, sources: &[SourceFile]) -> RecordingAgent<'static> {
    let mut extensions = Map::default();
    if let Some(build) = &options.build {
        raw::push(&mut extensions, "build", &build.as_str());
    }
    if options.profile == Profile::Canonical {
        raw::push(&mut extensions, PROFILE, &CANONICAL);
    }
    if !options.labels.is_empty() {
        let mut members = crate::members::Rest::default();
        for (key, value) in &options.labels {
            let value = Any::from_value(value.as_str(), Encoding::Json);
            members.push((key.clone().into(), value.expect("every encoding has text")));
        }
        raw::push(&mut extensions, "labels", &members);
    }
    let sources: Vec<_> = sources.iter().map(describe_source).collect();
    if let (false, Ok(any)) = (sources.is_empty(), Any::from_value(&sources, Encoding::Json)) {
        extensions.push(("sources".into(), any));
    }
    RecordingAgent {
        name: "vac".into(),
        version: Some(env!("CARGO_PKG_VERSION").into()),
        extensions,
    }
}

fn describe_source(source: &SourceFile) -> crate::members::Rest<'static> {
    let mut members = Map::default();
    raw::push(&mut members, "name", &source.name.as_str());
    raw::push(&mut members, "size", &source.size);
    raw::push(&mut members, "sha-256", &source.sha_256.as_str());
    members
}

fn begin_report(session: &dyn Session, record: &VerifiableAgentRecord<'_>) -> Report {
    Report {
        agent: session.agent().into_owned(),
        variant: session.variant().to_owned(),
        cli_version: record.session.agent_meta.cli_version.as_deref().map(str::to_owned),
        session_id: record.id.clone().into_owned(),
        ..Report::default()
    }
}

/// The maximum number of bytes of a source whose entry is pretty-printed. Indentation can take
/// hundreds of times the memory of the indented value.
const MAX_PRETTY: usize = 1 << 20;

/// The initial capacity in bytes, which is enough for most entries.
const ROOM: usize = 16 * 1024;

fn encoder(options: &RecordOptions) -> Encoder<'static> {
    let encoder = match options.encoding {
        Encoding::Json => Encoder::json(options.layout),
        Encoding::Cbor => Encoder::cbor(),
    };
    encoder.with_capacity(ROOM)
}

/// Returns the error for an encoded record without a list of entries, which is a defect of this
/// program.
fn missing_entries() -> Error {
    Error::Encode(vac_value::EncodeError::NotRepresentable {
        encoding: Encoding::Json,
        what: "the record around the entries",
    })
}

fn validate(document: &Document<'_>, rule: RuleId, line: Option<u64>) -> Result<(), Error> {
    validate_document(document, rule, 1)
        .map_err(|violations| Error::Invalid { line, violations: Box::new(violations) })
}

/// Writes entries.
struct Writer<'w> {
    options: &'w RecordOptions,
    report: Report,
    out: &'w mut dyn Write,
    encoder: Encoder<'static>,
    written: u64,
}

impl<'w> Writer<'w> {
    fn new(
        options: &'w RecordOptions,
        report: Report,
        out: &'w mut dyn Write,
        count: Option<u64>,
    ) -> Result<Self, Error> {
        let encoder = inside_entries(options, count.unwrap_or_default());
        out.write_all(encoder.written())?;
        Ok(Self { options, report, out, encoder, written: 0 })
    }

    /// Encodes an entry that was made from `size` bytes.
    fn encode(&mut self, entry: &Entry<'_>, size: usize) -> Result<(), vac_value::EncodeError> {
        self.encoder.clear();
        self.encoder.element();
        if size > MAX_PRETTY {
            self.encoder.set_layout(Layout::Compact);
        }
        let encoded = entry.encode(&mut self.encoder);
        self.encoder.set_layout(self.options.layout);
        encoded
    }

    /// Validates the entry that was just written.
    fn validate(&mut self, line: u64) -> Result<(), Error> {
        if !self.options.validate {
            return Ok(());
        }
        let validate = |document: &Document<'_>| validate(document, rules::ENTRY, Some(line));
        let verdict = self.encoder.read_index(validate);
        verdict.map_err(|error| Error::Invalid {
            line: Some(line),
            violations: Box::new(vac_value::Violation::embedded(&error).into()),
        })?
    }

    fn end(mut self, count: Option<u64>) -> Result<Report, Error> {
        if let Some(expected) = count.filter(|expected| *expected != self.written) {
            return Err(Error::Miscounted { expected, found: self.written });
        }
        self.encoder.clear();
        self.encoder.end_array();
        self.out.write_all(self.encoder.written())?;
        Ok(self.report)
    }
}

impl Sink for Writer<'_> {
    fn entry(&mut self, mut entry: Entry<'_>, origin: Origin<'_>) -> Result<(), Error> {
        if self.options.profile == Profile::Canonical {
            strip_entry(&mut entry);
        }
        if let Err(error) = self.encode(&entry, origin.bytes.len()) {
            let reason = Reason::Encoding(error.to_string());
            self.report.unparsed(origin.place.line, reason.code());
            entry = raw::entry(origin.bytes, &reason, origin.place, known_members(entry));
            // The encoder can be in any state inside the value that it could not write.
            self.encoder = inside_entries(self.options, 0);
            if self.written > 0 {
                self.encoder.element();
            }
            self.encode(&entry, origin.bytes.len())?;
        }
        self.validate(origin.place.line)?;
        self.out.write_all(self.encoder.written())?;
        self.written += 1;
        self.report.entry(&entry);
        Ok(())
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

/// Returns an encoder that has just opened the list of entries, at the second level.
fn inside_entries(options: &RecordOptions, count: u64) -> Encoder<'static> {
    let mut encoder = encoder(options);
    encoder.begin_array(1);
    encoder.begin_array(1);
    encoder.clear();
    encoder.begin_array(usize::try_from(count).unwrap_or(usize::MAX));
    if options.validate { encoder.indexed() } else { encoder }
}

/// Returns the members of an entry that all types of entries have.
fn known_members(mut entry: Entry<'_>) -> KnownMembers<'_> {
    let (id, timestamp) = (entry.id_mut().take(), entry.timestamp_mut().take());
    let parent_id = match entry {
        Entry::Message(entry) => entry.parent_id,
        entry => entry.extensions().get(message_entry::PARENT_ID).and_then(|parent| {
            let document = parent.document().ok()?;
            document.root().text().map(|text| text.into_owned().into())
        }),
    };
    KnownMembers { id, timestamp, parent_id }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes bytes that are not a typed entry, because those are valid by construction.
    #[test]
    fn written_bytes_are_validated_as_an_entry() {
        for encoding in [Encoding::Json, Encoding::Cbor] {
            for validate in [true, false] {
                let options = RecordOptions { encoding, validate, ..RecordOptions::default() };
                let mut out = Vec::new();
                let mut writer =
                    Writer::new(&options, Report::default(), &mut out, Some(1)).expect("a writer");
                writer.encoder.clear();
                writer.encoder.element();
                "not an entry".encode(&mut writer.encoder).expect("encoded");
                match (validate, writer.validate(7)) {
                    (true, Err(error)) => assert!(error.to_string().contains("line 7"), "{error}"),
                    (false, Ok(())) => {}
                    (_, verdict) => panic!("{validate}: {verdict:?}"),
                }
            }
        }
    }
}
