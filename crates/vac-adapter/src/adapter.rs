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
use crate::session_marks::SessionMark;
use crate::tools::ToolTable;
use crate::upkeep::Upkeep;
use crate::verdict::Verdict;

/// The adapter of one agent.
pub trait Adapter: Sync {
    /// Returns the name of the agent: `claude`, `gemini`, `codex`, `opencode`, `cursor`.
    fn name(&self) -> &'static str;

    /// Returns the agent's name for messages: `Claude Code`.
    fn title(&self) -> &'static str {
        self.name()
    }

    /// Returns how well the documents of a sample fit the logs of this agent.
    fn detect(&self, sample: &Sample<'_>) -> Verdict;

    /// Returns the facts that the beginning of a log states about its session.
    fn preview(&self, sample: &Sample<'_>) -> Preview {
        let _ = sample;
        Preview::default()
    }

    /// Returns the other agent that wrote a log in the format of this one, if its content names it.
    fn fork(&self, sample: &Sample<'_>) -> Option<&'static str> {
        let _ = sample;
        None
    }

    /// Returns the newest version of the agent that the mappings were tested with. Logs of newer
    /// versions may contain unknown types and keys.
    fn newest_tested(&self) -> Option<&'static str> {
        None
    }

    /// Returns the name of the agent's program in records (`cli-name`), if it differs from
    /// [`name`](Self::name).
    fn cli_name(&self) -> &'static str {
        self.name()
    }

    /// Returns the mapping tables, which are part of the crate's documentation.
    fn mappings(&self) -> Vec<Mapping> {
        Vec::new()
    }

    /// Returns the table of the agent's tools.
    fn tools(&self) -> &'static ToolTable {
        &ToolTable::EMPTY
    }

    /// Returns the types of system events which state that a summary replaces the conversation so
    /// far.
    fn compaction_events(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the rules for texts that the agent writes in the user's name.
    fn prompt_rules(&self) -> &'static [prompt::PromptRule] {
        &[]
    }

    /// Removes the text that the agent adds around the words of the user. Receives the text of a
    /// message whose author is the user, and the message's extensions. Returns `None` if the agent
    /// added nothing.
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

    /// Returns whether every finished tool call has a result in the log. A call without one is then
    /// unfinished.
    fn logs_results(&self) -> bool {
        false
    }

    /// Returns whether every word of the texts of a session is in one piece in the bytes of its log:
    /// no text is joined from pieces that can end inside a word, and none is compressed or encoded.
    /// If so, a search skips logs that do not contain a word that it needs.
    fn writes_whole_texts(&self) -> bool {
        false
    }

    /// Returns the marks that distinguish the sessions of a log of this variant, which can be
    /// concatenated; empty if such a log is always one session. `None` if only
    /// [`survey`](Self::survey) can determine it.
    fn session_marks(&self, variant: &str) -> Option<&'static [SessionMark]> {
        let _ = variant;
        None
    }

    /// Returns the places where the agent keeps its sessions.
    fn places(&self) -> &'static [places::AgentPlace] {
        &[]
    }

    /// Returns the rules for files that belong to a session in addition to its log.
    fn companions(&self) -> &'static Companions {
        &Companions::NONE
    }

    /// Returns the rules for databases and folders in which the agent keeps several sessions.
    fn stores(&self) -> &'static Stores {
        &Stores::NONE
    }

    /// Returns the rules by which the agent deletes sessions and calls other programs.
    fn upkeep(&self) -> &'static Upkeep {
        &Upkeep::NONE
    }

    /// Returns the rules of the checks, a `vac_adapter_check::AgentRules`. Only with the feature `check`
    /// of the agent's crate.
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        None
    }

    /// Reads an input once for the facts about its sessions. Refuses an input that is not a log of
    /// this agent, with the reason.
    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error>;
}

/// The facts that the beginning of a log states about its session: enough for a list, and to find
/// the files that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preview {
    /// The variant of the log.
    pub variant: &'static str,
    /// The session's id, if the beginning or the file's name states it.
    pub session_id: Option<String>,
    /// The time when it began, as the log writes it.
    pub start: Option<AbstractTimestamp<'static>>,
    /// The folder that the agent worked in.
    pub project: Option<String>,
    /// The version of the agent.
    pub version: Option<String>,
    /// The session that it came from.
    pub parent: Option<Parent>,
    /// The part of the session that the log contains.
    pub share: Share,
}

/// The part of its session that a file contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    /// The whole session.
    #[default]
    Whole,
    /// An older or shortened form of the session, which is read only if no other log of it is
    /// found.
    Older,
    /// A piece of the session. Files with the same session id are one session, in the order of
    /// their start.
    Piece,
    /// The part of a subagent, which follows the pieces.
    Subagent,
}

impl Share {
    /// Returns whether the file is a part of a session that other files with the same session id
    /// complete.
    pub fn is_part(self) -> bool {
        matches!(self, Self::Piece | Self::Subagent)
    }
}

/// One session that a survey found, and how to read its entries.
pub trait Session {
    /// Returns the adapter whose tables apply. `None` for a record of an unknown agent.
    fn adapter(&self) -> Option<&'static dyn Adapter>;

    /// Returns the name of the agent that wrote the log: the adapter's, or that of another agent that
    /// writes the same format.
    fn agent(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.adapter().map_or(UNKNOWN, Adapter::name))
    }

    /// Returns the session that this one came from.
    fn parent(&self) -> Option<Parent> {
        None
    }

    /// Returns the variant of the log.
    fn variant(&self) -> &'static str;

    /// Returns whether it is read from a record, which has its own annotations.
    fn is_record(&self) -> bool {
        false
    }

    /// Returns the record without entries and without `recording-agent`, which the writer adds.
    fn record(&self) -> VerifiableAgentRecord<'static>;

    /// Reads the input again and passes the entries to a sink, in order, one by one.
    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error>;

    /// Returns the number of entries at the top level. Counts them, unless the survey has done so.
    fn count(&self) -> Result<u64, Error> {
        let mut counter = Counter::default();
        self.entries(&mut counter)?;
        Ok(counter.count)
    }
}

/// The session that another one came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The id of the session.
    pub session_id: String,
    /// The relation of the other session to this one.
    pub relation: Relation,
}

/// A receiver of entries.
pub trait Sink {
    /// Receives an entry. An entry that the record's encoding cannot express is kept as the bytes
    /// of its `origin` instead.
    fn entry(&mut self, entry: Entry<'_>, origin: Origin<'_>) -> Result<(), Error>;

    /// Returns the report, to which adapters add warnings and counts.
    fn report(&mut self) -> &mut Report;
}

/// The part of the log that an entry was made from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The place of the entry's frame.
    pub place: Place,
    /// The bytes of that part.
    pub bytes: &'a [u8],
}

/// A sink that only counts entries.
#[derive(Debug, Default)]
pub struct Counter {
    /// The number of entries at the top level.
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

/// The extent of a record: everything in the log, or only what the schema names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Everything in the log. Members that the schema does not name keep their native names.
    #[default]
    Full,
    /// Only members that the schema names, and annotations.
    Canonical,
}

/// The reason why a log was not converted.
#[derive(Debug)]
pub enum Error {
    /// The log could not be read, or the record could not be written.
    Io(io::Error),
    /// The input is not a session log of this agent.
    Refused(String),
    /// An entry or record that an adapter made is not valid: a defect of this program.
    Invalid {
        /// The line that the entry was made from; `None` for the record without its entries.
        line: Option<u64>,
        /// The violations of the schema.
        violations: Box<Violations>,
    },
    /// The record cannot be written: a defect of this program.
    Encode(vac_value::EncodeError),
    /// [`Session::count`] returned another number than there are entries: a defect of this program.
    Miscounted {
        /// The number that `Session::count` returned.
        expected: u64,
        /// The number of entries.
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
                write!(f, "the entry made from line {line} is not valid: {}", violations.summary())
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
