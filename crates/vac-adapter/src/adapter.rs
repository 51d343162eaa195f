//! The traits of an adapter: detect a log, survey it, then return its entries one by one.

use std::borrow::Cow;
use std::fmt;
use std::io;

use vac_record::annotations::Relation;
use vac_record::{AbstractTimestamp, Entry, MessageEntry, VerifiableAgentRecord};
use vac_validate::Violations;
use vac_value::Any;

use crate::companions::Companions;
use crate::container::Stores;
use crate::detect::Sample;
use crate::frame::Place;
use crate::input::Input;
use crate::mapping::Mapping;
use crate::members::Rest;
use crate::places;
use crate::prompt;
use crate::provider::UNKNOWN;
use crate::report::Report;
use crate::tools::ToolTable;
use crate::verdict::Verdict;

/// One native format family.
pub trait Adapter: Sync {
    /// The agent: `claude`, `gemini`, `codex`, `opencode`, `cursor`.
    fn name(&self) -> &'static str;

    /// The agent's name in text for people: `Claude Code`.
    fn title(&self) -> &'static str {
        self.name()
    }

    /// How the documents of a sample fit the logs of this agent.
    fn detect(&self, sample: &Sample<'_>) -> Verdict;

    /// What the beginning tells about the session, without reading on.
    fn glimpse(&self, sample: &Sample<'_>) -> Glimpse {
        let _ = sample;
        Glimpse::default()
    }

    /// The newest version of the agent that these mappings were tried on: a log of a
    /// newer one may hold what nobody has seen.
    fn newest_tested(&self) -> Option<&'static str> {
        None
    }

    /// The name that the agent's program has in records (`cli-name`), if it differs from
    /// [`name`](Self::name).
    fn cli_name(&self) -> &'static str {
        self.name()
    }

    /// What becomes of the members of native objects: the tables in the crate's documentation.
    fn mappings(&self) -> Vec<Mapping> {
        Vec::new()
    }

    /// What the agent's tools are for.
    fn tools(&self) -> &'static ToolTable {
        &ToolTable::EMPTY
    }

    /// Texts that the agent puts in the user's name.
    fn prompt_rules(&self) -> &'static [prompt::Rule] {
        &[]
    }

    /// Takes away what the agent puts around the words of the user. Receives the text of a
    /// message whose author is the user, and the message's extensions.
    fn typed(&self, text: &str, extensions: &Rest<'_>) -> Option<prompt::Typed> {
        let _ = (text, extensions);
        None
    }

    /// Returns what the model said in a message of which the content also contains other
    /// entries as text. `None` if all of the content was said.
    fn spoken(&self, message: &MessageEntry<'_>, text: &str) -> Option<String> {
        let _ = (message, text);
        None
    }

    /// Returns the text of a tool's output that is neither a text nor a list of text blocks.
    fn result_text(&self, output: &Any<'_>) -> Option<String> {
        let _ = output;
        None
    }

    /// Returns the start of a session that the name of its file states. A session that states
    /// none begins then, which is not exact.
    fn start_in_name(&self, file: &str) -> Option<AbstractTimestamp<'static>> {
        let _ = file;
        None
    }

    /// Whether every finished tool call has a result in the log: then one without is unfinished.
    fn logs_results(&self) -> bool {
        false
    }

    /// Where the agent keeps its sessions.
    fn places(&self) -> &'static [places::Place] {
        &[]
    }

    /// Which files belong to a session besides its log.
    fn companions(&self) -> &'static Companions {
        &Companions::NONE
    }

    /// The databases and folders in which the agent keeps several sessions.
    fn stores(&self) -> &'static Stores {
        &Stores::NONE
    }

    /// What tests have to know about the agent's logs: a `vac_adapter_check::Agent`. Only with the
    /// feature `check` of the agent's crate.
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        None
    }

    /// Reads an input once for what is true of its sessions as a whole. An input
    /// that is no log of this agent is refused with the reason.
    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error>;
}

/// What the beginning of a log tells about its session: enough for a list, and to find
/// the files that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glimpse {
    /// Which of the agent's formats it is in.
    pub variant: &'static str,
    /// The session's id, if it is stated there or by the file's name.
    pub session_id: Option<String>,
    /// When it began, as the log writes it.
    pub start: Option<AbstractTimestamp<'static>>,
    /// The folder it worked in.
    pub project: Option<String>,
    /// The version of the agent.
    pub version: Option<String>,
    /// The session that it came from.
    pub parent: Option<Parent>,
    /// What it is of the session.
    pub share: Share,
}

/// What a file holds of its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    /// A session of its own, whatever other files say.
    #[default]
    Whole,
    /// A piece of it: files with the same session id are one session, in the order of
    /// their start.
    Piece,
    /// What a subagent did in it: behind the pieces.
    Subagent,
}

/// One session that a survey found, and how to read its entries.
pub trait Session {
    /// The adapter whose tables apply. `None` for a record of an unknown agent.
    fn adapter(&self) -> Option<&'static dyn Adapter>;

    /// The name of the agent that wrote the log: the adapter's, or that of another agent that
    /// writes the same format.
    fn agent(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.adapter().map_or(UNKNOWN, Adapter::name))
    }

    /// The session that this one came from.
    fn parent(&self) -> Option<Parent> {
        None
    }

    /// Which of the agent's formats it is in.
    fn variant(&self) -> &'static str;

    /// Whether it is read from a record, which states its own annotations.
    fn is_record(&self) -> bool {
        false
    }

    /// The record without entries and without `recording-agent`, which is the
    /// writer's.
    fn record(&self) -> VerifiableAgentRecord<'static>;

    /// Reads the input again and gives the entries, in order, one by one.
    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error>;

    /// How many entries there are at the top level. Counts them, unless the
    /// survey has done so.
    fn count(&self) -> Result<u64, Error> {
        let mut counter = Counter::default();
        self.entries(&mut counter)?;
        Ok(counter.count)
    }
}

/// The session that another one came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its id.
    pub session_id: String,
    /// How the other one came from it.
    pub relation: Relation,
}

/// Takes entries.
pub trait Sink {
    /// Takes an entry. `origin` is where it came from: what cannot be written in
    /// the record's encoding is carried as the origin's text instead.
    fn entry(&mut self, entry: Entry<'_>, origin: Origin<'_>) -> Result<(), Error>;

    /// The report, for whatever the adapter has to tell.
    fn report(&mut self) -> &mut Report;
}

/// The part of the source that an entry was made of.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its frame's place.
    pub place: Place,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// Only counts.
#[derive(Debug, Default)]
pub struct Counter {
    /// How many entries there were at the top level.
    pub count: u64,
    report: Report,
}

impl Sink for Counter {
    fn entry(&mut self, _: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.count += 1;
        Ok(())
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

/// How much of a log its record holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Everything: what the schema does not name keeps its native name.
    #[default]
    Full,
    /// What the schema names.
    Canonical,
}

/// Why a log was not converted.
#[derive(Debug)]
pub enum Error {
    /// It could not be read, or the record not written.
    Io(io::Error),
    /// It is no session log of this agent.
    Refused(String),
    /// What an adapter made is not what the schema wants: a defect of ours.
    Invalid {
        /// The line it was made from; `None` for the record around the entries.
        line: Option<u64>,
        /// What is wrong.
        violations: Box<Violations>,
    },
    /// The record cannot be written: a defect of ours.
    Encode(vac_value::EncodeError),
    /// [`Session::count`] is not the number of entries: a defect of ours.
    Miscounted {
        /// What it was.
        expected: u64,
        /// How many entries there are.
        found: u64,
    },
    /// The input was not the same in every pass.
    Changed {
        /// The file that was changed, if the input has several and it is not the first.
        file: Option<String>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Refused(reason) => f.write_str(reason),
            Self::Invalid { line: Some(line), violations } => {
                write!(f, "the entry made of line {line} is not valid: {}", violations.summary())
            }
            Self::Invalid { line: None, violations } => {
                write!(f, "the record is not valid: {}", violations.summary())
            }
            Self::Encode(error) => error.fmt(f),
            Self::Miscounted { expected, found } => {
                write!(f, "expected {expected} entries, found {found}")
            }
            Self::Changed { file } => {
                if let Some(file) = file {
                    write!(f, "{file} ")?;
                }
                f.write_str("changed while it was being read; try again")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Encode(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<vac_value::EncodeError> for Error {
    fn from(error: vac_value::EncodeError) -> Self {
        Self::Encode(error)
    }
}
