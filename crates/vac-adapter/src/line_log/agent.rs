//! The adapter of an agent whose sessions are lines, as data.

use vac_value::Any;

use super::{LineFormat, preview, survey, verdict};
use crate::adapter::{Adapter, Error, Preview, Session};
use crate::companions::Companions;
use crate::container::Stores;
use crate::detect::Sample;
use crate::input::Input;
use crate::mapping::Mapping;
use crate::members::Rest;
use crate::places::AgentPlace;
use crate::prompt::{PromptRule, Typed};
use crate::session_marks::SessionMark;
use crate::tools::ToolTable;
use crate::verdict::Verdict;

/// The tables of an agent; each field is what the method of [`Adapter`] with the same name returns.
#[derive(Clone, Copy)]
pub struct LineAgent {
    /// The name of the agent.
    pub name: &'static str,
    /// The name of the agent in messages.
    pub title: &'static str,
    /// Returns how well the documents of a sample fit.
    pub detect: fn(&Sample<'_>) -> Verdict,
    /// Returns the facts that the beginning of a log states about its session.
    pub preview: fn(&Sample<'_>) -> Preview,
    /// Returns the other agent that wrote a log, if its content names it.
    pub fork: fn(&Sample<'_>) -> Option<&'static str>,
    /// Reads an input once for the facts about its session.
    pub survey: Survey,
    /// The name of its program in records; [`name`](Self::name) if `None`.
    pub cli_name: Option<&'static str>,
    /// The newest version that the mappings were tested with.
    pub newest_tested: Option<&'static str>,
    /// The mapping tables, in groups.
    pub mappings: &'static [&'static [Mapping]],
    /// The tools.
    pub tools: &'static ToolTable,
    /// The types of events which state that a summary replaces the conversation so far.
    pub compaction_events: &'static [&'static str],
    /// The rules for texts in the user's name.
    pub prompt_rules: &'static [PromptRule],
    /// Removes the text that the agent adds around the words of the user.
    pub typed: fn(&str, &Rest<'_>) -> Option<Typed>,
    /// Returns the text of a tool's output.
    pub result_text: fn(&Any<'_>) -> Option<String>,
    /// Whether every finished tool call has a result in the log.
    pub logs_results: bool,
    /// Whether every word is in one piece in the bytes of a log.
    pub writes_whole_texts: bool,
    /// The marks that distinguish the sessions of a log that contains several.
    pub session_marks: Option<&'static [SessionMark]>,
    /// The places.
    pub places: &'static [AgentPlace],
    /// The files that belong to a session in addition to its log.
    pub companions: &'static Companions,
    /// The databases.
    pub stores: &'static Stores,
    /// The rules of the checks.
    pub check_rules: Option<&'static (dyn std::any::Any + Sync)>,
}

/// A function that surveys an input.
type Survey = for<'i> fn(&'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error>;

impl LineAgent {
    /// Returns an agent without tables: the base of struct updates.
    pub const fn new<F: LineFormat + 'static>(name: &'static str, title: &'static str) -> Self {
        Self {
            name,
            title,
            detect: verdict::<F>,
            preview: preview::<F>,
            fork: |_| None,
            survey: survey::<F>,
            cli_name: None,
            newest_tested: None,
            mappings: &[],
            tools: &ToolTable::EMPTY,
            compaction_events: &[],
            prompt_rules: &[],
            typed: |_, _| None,
            result_text: |_| None,
            logs_results: false,
            writes_whole_texts: false,
            session_marks: None,
            places: &[],
            companions: &Companions::NONE,
            stores: &Stores::NONE,
            check_rules: None,
        }
    }
}

/// An agent whose sessions consist of lines. Its tables implement its [`Adapter`].
pub trait LineAdapter: Sync {
    /// The tables of the agent.
    const AGENT: LineAgent;
}

impl<T: LineAdapter> Adapter for T {
    fn name(&self) -> &'static str {
        T::AGENT.name
    }

    fn title(&self) -> &'static str {
        T::AGENT.title
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        (T::AGENT.detect)(sample)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        (T::AGENT.preview)(sample)
    }

    fn fork(&self, sample: &Sample<'_>) -> Option<&'static str> {
        (T::AGENT.fork)(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        T::AGENT.newest_tested
    }

    fn cli_name(&self) -> &'static str {
        T::AGENT.cli_name.unwrap_or(T::AGENT.name)
    }

    fn mappings(&self) -> Vec<Mapping> {
        T::AGENT.mappings.concat()
    }

    fn tools(&self) -> &'static ToolTable {
        T::AGENT.tools
    }

    fn compaction_events(&self) -> &'static [&'static str] {
        T::AGENT.compaction_events
    }

    fn prompt_rules(&self) -> &'static [PromptRule] {
        T::AGENT.prompt_rules
    }

    fn typed(&self, text: &str, extensions: &Rest<'_>) -> Option<Typed> {
        (T::AGENT.typed)(text, extensions)
    }

    fn result_text(&self, output: &Any<'_>) -> Option<String> {
        (T::AGENT.result_text)(output)
    }

    fn logs_results(&self) -> bool {
        T::AGENT.logs_results
    }

    fn writes_whole_texts(&self) -> bool {
        T::AGENT.writes_whole_texts
    }

    fn session_marks(&self, _: &str) -> Option<&'static [SessionMark]> {
        T::AGENT.session_marks
    }

    fn places(&self) -> &'static [AgentPlace] {
        T::AGENT.places
    }

    fn companions(&self) -> &'static Companions {
        T::AGENT.companions
    }

    fn stores(&self) -> &'static Stores {
        T::AGENT.stores
    }

    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        T::AGENT.check_rules
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        (T::AGENT.survey)(input)
    }
}
