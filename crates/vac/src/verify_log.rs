//! Verifies that a record was made from a log: converts the log again, and compares.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use vac_adapter::session::{self, Named};
use vac_adapter::{Profile, SourceFile};
use vac_record::keys::{recording_agent, verifiable_agent_record};
use vac_store::Loaded;
use vac_store::recorded::{ComparedSource, RecordedLog};
use vac_validate::detect_encoding;
use vac_validate::signed::{self, Payload};
use vac_value::{Any, Document, Encoding, Kind, Layout, Node, path};

use crate::error::{Error, ErrorKind, Result};
use crate::parallel::with_stack;
use crate::{AGENTS, Agent, ConvertOptions, Task};

/// The result of verifying that a record was made from a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[must_use = "the record may not be made from the log"]
pub struct LogVerification {
    /// The relation of the record to the log.
    pub verdict: LogVerdict,
    /// Whether the record was made from the log.
    pub made_from_log: bool,
    /// Whether the log contains more now than the record was made from.
    pub log_has_grown: bool,
    /// The log that was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The id of the session.
    pub session_id: String,
    /// The version of the program that made the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The build of that version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The JSON pointer of the first value that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs_at: Option<String>,
    /// The files that the record was made from, compared with those of the log.
    pub sources: Vec<ComparedSource>,
    /// The number of files of the log that the record does not state.
    pub added_files: usize,
}

/// The relation of a record to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LogVerdict {
    /// Converting the log gives the bytes of the record.
    Identical,
    /// Converting the log gives the same values in other bytes: the record was formatted again.
    Equal,
    /// Converting the log gives the same values, but another build of this program made the record.
    OtherBuild,
    /// Converting the log gives other values.
    ValuesDiffer,
    /// The log has other bytes than those that the record states.
    SourcesDiffer,
    /// The record does not state what it was made from.
    NoSources,
    /// No log of the session was given.
    NoLog,
}

impl LogVerification {
    /// Returns the rank of the result. Of the results for several logs, the one with the greatest
    /// rank is returned.
    fn rank(&self) -> u8 {
        match self.verdict {
            verdict if verdict.is_made_from_log() => 2,
            LogVerdict::ValuesDiffer => 1,
            _ => 0,
        }
    }
}

impl LogVerdict {
    /// Returns whether the record was made from the log.
    pub fn is_made_from_log(self) -> bool {
        matches!(self, Self::Identical | Self::Equal | Self::OtherBuild)
    }
}

/// Verifies that a record was made from a log: converts the log again with the options that the
/// record shows (encoding, layout, profile, labels, agent), and compares.
///
/// `record` is one record in JSON or CBOR, or a signed record that contains it; the signature is
/// not checked. `tasks` are the logs that it may be made from; several sessions of a store or of a
/// folder can be given. A log may have been renamed. A log that has grown is converted up to the
/// size that the record states. The build and `max_event` of `options` are used.
///
/// ```
/// use vac::{LogVerdict, ConvertOptions, Task};
///
/// let log = br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#;
/// let task = Task::from_bytes("session.jsonl", log.to_vec())?;
/// let mut record = Vec::new();
/// vac::convert(&task, &ConvertOptions::default(), &mut record)?;
/// let renamed = Task::from_bytes("renamed.jsonl", log.to_vec())?;
/// let verified = vac::verify_log(&record, &[renamed], &ConvertOptions::default())?;
/// assert_eq!(verified.verdict, LogVerdict::Identical);
/// # Ok::<(), vac::Error>(())
/// ```
///
/// # Errors
/// If the bytes are not one record, or a log cannot be read.
pub fn verify_log(
    record: &[u8],
    tasks: &[Task],
    options: &ConvertOptions,
) -> Result<LogVerification> {
    with_stack(|| {
        let (bytes, encoding) = record_bytes(record)?;
        let document =
            Document::scan(&bytes, encoding).map_err(|error| not_a_record(&error.to_string()))?;
        if document.duplicate_keys().next().is_some() {
            return Err(Error::new(ErrorKind::Invalid, "the record has duplicate keys"));
        }
        let stated = Stated::new(&document)?;
        verify(&document, &stated, tasks, options)
    })?
}

/// Returns the id of a record in JSON or CBOR, or of the one in a signed record.
///
/// # Errors
/// If the bytes are not one record.
pub fn record_id(record: &[u8]) -> Result<String> {
    let (bytes, encoding) = record_bytes(record)?;
    let document =
        Document::scan(&bytes, encoding).map_err(|error| not_a_record(&error.to_string()))?;
    let id = document.root().member(verifiable_agent_record::ID).and_then(Node::text);
    Ok(id.ok_or_else(|| not_a_record("it has no id"))?.into_owned())
}

fn not_a_record(reason: &str) -> Error {
    Error::new(ErrorKind::Unrecognised, format!("not a record: {reason}"))
}

/// Returns the bytes of a record, or of the one that a signed record contains.
fn record_bytes(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, Encoding)> {
    let encoding = detect_encoding(bytes);
    if encoding == Encoding::Cbor {
        let document = Document::cbor(bytes).map_err(|error| not_a_record(&error.to_string()))?;
        return match signed::payload(&document) {
            None => Ok((Cow::Borrowed(bytes), encoding)),
            Some(Payload::Attached { bytes, encoding }) => {
                Ok((Cow::Owned(bytes.into_owned()), encoding))
            }
            Some(Payload::Detached | Payload::Digest) => {
                Err(Error::refused("the record is not in the envelope: pass the record itself"))
            }
        };
    }
    Ok((Cow::Borrowed(bytes.trim_ascii_end()), encoding))
}

/// The facts that a record states about its conversion.
struct Stated {
    id: String,
    /// The agent, if the record names a supported one.
    agent: Option<Agent>,
    sources: Vec<SourceFile>,
    labels: BTreeMap<String, String>,
    version: Option<String>,
    build: Option<String>,
    encoding: Encoding,
    layout: Layout,
}

impl Stated {
    fn new(document: &Document<'_>) -> Result<Self> {
        let root = document.root();
        let id = root.member(verifiable_agent_record::ID).and_then(Node::text);
        let id = id.ok_or_else(|| not_a_record("it has no id"))?.into_owned();
        let mut agent = None;
        vac_view::record::read(document, AGENTS, &mut |session| {
            let adapter = session.adapter().map(vac_adapter::Adapter::name);
            let named = crate::agent(&session.agent());
            agent = named.filter(|agent| Some(agent.adapter.name()) == adapter);
            Ok(())
        })?;
        let recording = root.member(verifiable_agent_record::RECORDING_AGENT);
        let text = |node: Node<'_, '_>, key: &str| Some(node.member(key)?.text()?.into_owned());
        let source = |node: Node<'_, '_>| {
            let size = node.member("size")?.uint()?;
            Some(SourceFile { name: text(node, "name")?, size, sha_256: text(node, "sha-256")? })
        };
        let sources = recording.and_then(|it| it.member("sources"));
        let sources: Option<Vec<_>> = sources.and_then(|it| it.elements().map(source).collect());
        let labels = recording.and_then(|it| it.member("labels"));
        let label = |(key, value): (Node<'_, '_>, Node<'_, '_>)| {
            Some((key.text()?.into_owned(), value.text()?.into_owned()))
        };
        Ok(Self {
            id,
            agent,
            sources: sources.unwrap_or_default(),
            labels: labels.map(|it| it.members().filter_map(label).collect()).unwrap_or_default(),
            version: recording.and_then(|it| text(it, recording_agent::VERSION)),
            build: recording.and_then(|it| text(it, BUILD)),
            encoding: document.encoding(),
            layout: layout(root),
        })
    }

    /// Returns the options that the record was converted with, as far as it shows them.
    fn options(&self, profile: Profile, options: &ConvertOptions) -> session::RecordOptions {
        session::RecordOptions {
            encoding: self.encoding,
            layout: self.layout,
            profile,
            labels: self.labels.clone(),
            ..options.record.clone()
        }
    }

    fn result(
        &self,
        verdict: LogVerdict,
        log: Option<(&Task, &RecordedLog<'_>)>,
    ) -> LogVerification {
        let recorded = log.map(|(_, recorded)| recorded);
        LogVerification {
            verdict,
            made_from_log: verdict.is_made_from_log(),
            log_has_grown: recorded.is_some_and(|it| it.is_complete() && it.has_grown()),
            log: log.map(|(task, _)| task.name.clone()),
            session_id: self.id.clone(),
            version: self.version.clone(),
            build: self.build.clone(),
            differs_at: None,
            sources: recorded.map(|it| it.sources.clone()).unwrap_or_default(),
            added_files: recorded.map_or(0, |it| it.added),
        }
    }
}

/// Returns the layout of a record in JSON: compact, or indented.
fn layout(root: Node<'_, '_>) -> Layout {
    let is_indented = root.raw().get(1).is_some_and(u8::is_ascii_whitespace);
    if is_indented { Layout::Pretty } else { Layout::Compact }
}

const BUILD: &str = "build";

fn verify(
    document: &Document<'_>,
    stated: &Stated,
    tasks: &[Task],
    options: &ConvertOptions,
) -> Result<LogVerification> {
    if stated.sources.is_empty() {
        return Ok(stated.result(LogVerdict::NoSources, None));
    }
    // The beginning of a log need not state the session's id, and a renamed file can have lost it.
    let order = |task: &&Task| match &task.session_id {
        Some(id) if *id == stated.id => 0,
        None => 1,
        Some(_) => 2,
    };
    let mut candidates: Vec<_> = tasks.iter().collect();
    candidates.sort_by_key(order);
    let mut closest: Option<LogVerification> = None;
    for task in candidates {
        let is_found = closest.as_ref().is_some_and(|it| it.made_from_log);
        if is_found && order(&task) == 2 {
            break;
        }
        let found = verify_task(document, stated, task, options)?;
        // Of a log and a longer copy of it, the record was made from the shorter one.
        if found.made_from_log && !found.log_has_grown {
            return Ok(found);
        }
        if closest.as_ref().is_none_or(|it| found.rank() > it.rank()) {
            closest = Some(found);
        }
    }
    Ok(closest.unwrap_or_else(|| stated.result(LogVerdict::NoLog, None)))
}

/// Compares one log with the sources of the record, and converts it if it contains them.
fn verify_task(
    document: &Document<'_>,
    stated: &Stated,
    task: &Task,
    options: &ConvertOptions,
) -> Result<LogVerification> {
    let (log, agent) = task.open()?;
    let at = |error| Error::from(error).at(&task.name);
    let recorded = log.compare_sources(&stated.sources).map_err(at)?;
    let Some(loaded) = recorded.load(options.max_event).map_err(at)? else {
        return Ok(stated.result(LogVerdict::SourcesDiffer, Some((task, &recorded))));
    };
    let agent = stated.agent.unwrap_or(agent);
    let compared = compare(document, stated, agent, &loaded, options);
    let (verdict, differs_at) = match compared.map_err(|error| error.at(&task.name))? {
        Ok(verdict) => (verdict, None),
        Err(difference) => (LogVerdict::ValuesDiffer, Some(difference.pointer)),
    };
    Ok(LogVerification { differs_at, ..stated.result(verdict, Some((task, &recorded))) })
}

/// Converts the sources of the record, and compares. A record does not state its profile, so both
/// are tried.
fn compare(
    document: &Document<'_>,
    stated: &Stated,
    agent: Agent,
    loaded: &Loaded<'_>,
    options: &ConvertOptions,
) -> Result<Result<LogVerdict, Difference>> {
    let mut furthest: Option<Difference> = None;
    for profile in [Profile::Full, Profile::Canonical] {
        let options = stated.options(profile, options);
        let Some(bytes) = convert_session(loaded, agent, &options, &stated.id)? else {
            let id = document.root().member(verifiable_agent_record::ID);
            return Ok(Err(Difference::at(id.unwrap_or(document.root()))));
        };
        if bytes == document.root().raw() {
            return Ok(Ok(LogVerdict::Identical));
        }
        let again = Document::scan(&bytes, stated.encoding)
            .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        match compare_records(document.root(), again.root()) {
            Ok(verdict) => return Ok(Ok(verdict)),
            // The profile of the record is the one with which more of it is the same.
            Err(difference) => {
                if furthest.as_ref().is_none_or(|it| it.offset < difference.offset) {
                    furthest = Some(difference);
                }
            }
        }
    }
    Ok(Err(furthest.unwrap_or_else(|| Difference::at(document.root()))))
}

/// Converts the session with this id, if the log has it.
fn convert_session(
    loaded: &Loaded<'_>,
    agent: Agent,
    options: &session::RecordOptions,
    id: &str,
) -> Result<Option<Vec<u8>>> {
    for session in &agent.adapter.survey(loaded)? {
        let session = Named::new(&**session, agent.name);
        if session::head(&session).id == id {
            let mut bytes = Vec::new();
            session::write(&session, options, &|| loaded.sources(), &mut bytes)?;
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

/// The first value of a record that differs.
struct Difference {
    pointer: String,
    /// The offset of the value in the record, or of the array or map that lacks it.
    offset: usize,
}

impl Difference {
    fn at(node: Node<'_, '_>) -> Self {
        Self { pointer: path::pointer(node), offset: node.offset() }
    }

    /// Creates the difference of a value that `container` of the record lacks.
    fn missing(value: Node<'_, '_>, container: Node<'_, '_>) -> Self {
        Self { pointer: path::pointer(value), offset: container.offset() + container.raw().len() }
    }
}

/// Compares a record with the one that the log converts to. The version and build of the program
/// may differ.
fn compare_records(record: Node<'_, '_>, again: Node<'_, '_>) -> Result<LogVerdict, Difference> {
    const AGENT: &str = verifiable_agent_record::RECORDING_AGENT;
    map_difference(record, again, &[AGENT])?;
    match (record.member(AGENT), again.member(AGENT)) {
        (Some(one), Some(other)) if one.kind() == Kind::Map => {
            let build = [recording_agent::VERSION, BUILD];
            map_difference(one, other, &build)?;
            let is_same =
                |key: &&str| one.member(key).map(Node::carry) == other.member(key).map(Node::carry);
            let is_same_build = build.iter().all(is_same);
            Ok(if is_same_build { LogVerdict::Equal } else { LogVerdict::OtherBuild })
        }
        _ => Err(Difference::at(record)),
    }
}

/// Finds the first difference of two values, which nest up to 256 levels.
fn difference(record: Node<'_, '_>, again: Node<'_, '_>) -> Result<(), Difference> {
    if record.raw() == again.raw() {
        return Ok(());
    }
    match (record.kind(), again.kind()) {
        (Kind::Map, Kind::Map) => map_difference(record, again, &[]),
        (Kind::Array, Kind::Array) => {
            let mut others = again.elements();
            for element in record.elements() {
                match others.next() {
                    Some(other) => difference(element, other)?,
                    None => return Err(Difference::at(element)),
                }
            }
            others.next().map_or(Ok(()), |other| Err(Difference::missing(other, record)))
        }
        _ if record.carry() == again.carry() => Ok(()),
        _ => Err(Difference::at(record)),
    }
}

/// Finds the first difference of two maps, of which some members are not compared.
fn map_difference(
    record: Node<'_, '_>,
    again: Node<'_, '_>,
    ignored: &[&str],
) -> Result<(), Difference> {
    let is_compared = |(key, _): &(Node<'_, '_>, Node<'_, '_>)| {
        !ignored.iter().any(|ignored| key.is_text(ignored))
    };
    let others = again.members().filter(is_compared);
    // Clippy warns of the cell in the key. It is a cache, which neither hash nor equality reads.
    #[allow(clippy::mutable_key_type)]
    let mut others: HashMap<Any<'_>, Node<'_, '_>> =
        others.map(|(key, value)| (key.carry(), value)).collect();
    for (key, value) in record.members().filter(is_compared) {
        match others.remove(&key.carry()) {
            Some(other) => difference(value, other)?,
            None => return Err(Difference::at(value)),
        }
    }
    let first = others.into_values().min_by_key(|value| value.offset());
    first.map_or(Ok(()), |value| Err(Difference::missing(value, record)))
}
