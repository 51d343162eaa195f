//! What a session holds.

use std::collections::BTreeMap;

use serde::Serialize;
use vac_adapter::report::Source;
use vac_adapter::time::{Span, instant};
use vac_adapter::tools::tool;
use vac_adapter::{Error, Origin, Report, Session, Sink, raw};
use vac_record::{AbstractTimestamp, Entry, VcsContext};

use crate::aside::Aside;
use crate::entry::{self, common};
use crate::head::Head;
use crate::moment::{Shown, shown};
use crate::outcome::Outcome;
use crate::prompt::Author;
use crate::status::Status;
use crate::tokens::Tokens;
use crate::walk::{Deed, Walk, What};

/// So many names of one kind are told apart.
const MOST_NAMES: usize = 1000;
/// What the names beyond share.
const OTHERS: &str = "(others)";
/// So much of the first prompt is kept.
const MOST_CHARACTERS: usize = 2000;

/// What a session holds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Facts {
    /// Its id; bytes are in base64url.
    pub session_id: String,
    /// The agent's name.
    pub agent: String,
    /// Which of the agent's formats, or of a record's encodings, it is in.
    pub variant: String,
    /// What the agent's program calls itself.
    pub cli_name: Option<String>,
    /// Its versions: first the session's, then others that entries state.
    pub versions: Vec<String>,
    /// The models: first the main one.
    pub models: Vec<String>,
    /// Who runs the main model.
    pub model_provider: Option<String>,
    /// Where it worked.
    pub working_dir: Option<String>,
    /// In which repository.
    pub vcs: Option<Vcs>,
    /// When it began, in UTC.
    pub start: Option<String>,
    /// When it ended, in UTC.
    pub end: Option<String>,
    /// Milliseconds between the two.
    pub duration_ms: Option<u64>,
    /// How it ended.
    pub status: Status,
    /// How many prompts the user gave.
    pub prompts: u64,
    /// The beginning of the first, in the user's own words: the first to the model if
    /// there is any, else the first command, else what a subagent was told.
    pub first_prompt: Option<String>,
    /// Entries by type; children count.
    pub entries: BTreeMap<&'static str, u64>,
    /// How many things were said or done that stand aside, by why.
    pub asides: BTreeMap<&'static str, u64>,
    /// How many happened and are not part of the conversation any more.
    pub superseded: u64,
    /// Entries that hold what nobody could read.
    pub unparsed: u64,
    /// Tokens, if anything tells.
    pub tokens: Option<Tokens>,
    /// Tools, by category and name.
    pub tools: Vec<ToolFacts>,
    /// What it was read from.
    pub sources: Vec<Source>,
}

/// A repository.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Vcs {
    /// Its kind, such as `git`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The branch.
    pub branch: Option<String>,
    /// The revision.
    pub revision: Option<String>,
    /// Where it is from.
    pub repository: Option<String>,
}

/// How a tool was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolFacts {
    /// What it is for.
    pub category: &'static str,
    /// What such tools are called here.
    pub canonical: &'static str,
    /// What the agent calls it.
    pub tool: String,
    /// How often it was called.
    pub calls: u64,
    /// How many calls failed.
    pub errors: u64,
    /// How many were cancelled.
    pub cancelled: u64,
}

/// Reads a session for what it holds. `sources` are the files of a log; a record says
/// itself what it was made from.
pub fn inspect(session: &dyn Session, sources: &[Source]) -> Result<Facts, Error> {
    let head = Head::of(session, sources);
    let mut inspector = Inspector {
        walk: Walk::new(head.agent),
        count: Count::default(),
        report: Report::default(),
        head,
    };
    let meta = &inspector.head.record.session.agent_meta;
    note(&mut inspector.count.versions, meta.cli_version.as_deref());
    for model in std::iter::once(&meta.model_id).chain(meta.models.iter().flatten()) {
        note(&mut inspector.count.models, Some(&**model).filter(|model| *model != UNKNOWN));
    }
    session.entries(&mut inspector)?;
    Ok(inspector.facts(session.variant()))
}

/// What stands for a model or provider that nobody knows.
const UNKNOWN: &str = vac_adapter::provider::UNKNOWN;

struct Inspector {
    head: Head,
    walk: Walk,
    count: Count,
    report: Report,
}

#[derive(Default)]
struct Count {
    versions: Vec<String>,
    models: Vec<String>,
    span: Span,
    prompts: u64,
    first_prompt: Option<String>,
    first_command: Option<String>,
    /// To a subagent.
    first_order: Option<String>,
    asides: BTreeMap<&'static str, u64>,
    superseded: u64,
    unparsed: u64,
    tokens: Tokens,
    /// Calls, errors and cancelled calls by category, canonical name and name.
    tools: BTreeMap<String, [u64; 3]>,
}

impl Sink for Inspector {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.report.entry(&entry);
        self.own(&entry, None);
        let Self { walk, count, .. } = self;
        walk.entry(&entry, &mut |deed| {
            count.deed(&deed);
            Ok(())
        })
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

impl Inspector {
    /// What an entry says of the session, and its children.
    fn own(&mut self, entry: &Entry<'_>, aside: Option<Aside>) {
        let here = common(entry);
        if let Entry::Event(event) = entry
            && event.event_type == raw::EVENT_TYPE
        {
            self.count.unparsed += 1;
        }
        let aside = aside.or_else(|| Aside::of(here.native));
        if aside.is_none() {
            if let Some(timestamp) = here.timestamp {
                self.count.span.add(timestamp);
            }
            if let Entry::Message(message) = entry {
                note(&mut self.count.models, message.model_id.as_deref());
            }
            note(&mut self.count.versions, entry::text(here.native, &["version"]).as_deref());
            self.count.tokens.add(self.head.agent, entry);
        }
        for child in here.children {
            self.own(child, aside);
        }
    }

    fn facts(self, variant: &str) -> Facts {
        let Self { head, walk, mut count, report } = self;
        let session = &head.record.session;
        let start = session.session_start.clone().or_else(|| count.span.first());
        let end = session.session_end.clone().or_else(|| count.span.last());
        let environment = session.environment.as_ref();
        let vcs = head.record.vcs.as_ref();
        count.tokens.finish();
        Facts {
            session_id: head.session_id(),
            variant: variant.to_owned(),
            cli_name: owned(session.agent_meta.cli_name.as_deref()),
            model_provider: owned(Some(&*session.agent_meta.model_provider))
                .filter(|provider| provider != UNKNOWN),
            working_dir: owned(environment.map(|environment| &*environment.working_dir)),
            vcs: vcs
                .or_else(|| environment.and_then(|environment| environment.vcs.as_ref()))
                .map(Vcs::of),
            duration_ms: duration(start.as_ref(), end.as_ref()),
            start: start.as_ref().map(time),
            end: end.as_ref().map(time),
            status: walk.status(),
            prompts: count.prompts,
            first_prompt: count.first_prompt.or(count.first_command).or(count.first_order),
            entries: report.entries,
            asides: count.asides,
            superseded: count.superseded,
            unparsed: count.unparsed,
            tokens: Some(count.tokens).filter(|tokens| !tokens.is_empty()),
            tools: tools(count.tools),
            versions: count.versions,
            models: count.models,
            agent: head.agent_name,
            sources: head.sources,
        }
    }
}

impl Count {
    fn deed(&mut self, deed: &Deed<'_, '_>) {
        if let Some(aside) = deed.aside {
            *self.asides.entry(aside.name()).or_default() += 1;
            return;
        }
        self.superseded += u64::from(deed.superseded.is_some());
        match &deed.what {
            What::Prompt { said, author } => {
                let first = match (deed.subagent, author) {
                    (None, Author::Command) => &mut self.first_command,
                    (None, _) => &mut self.first_prompt,
                    (Some(_), _) => &mut self.first_order,
                };
                let text = said.text.trim();
                if first.is_none() && !text.is_empty() {
                    *first = Some(text.chars().take(MOST_CHARACTERS).collect());
                }
                self.prompts += u64::from(deed.subagent.is_none());
            }
            What::Call { tool, outcome, .. } => {
                let counts = self.tool(tool);
                counts[0] += 1;
                if let Some(outcome) = outcome {
                    ended(counts, *outcome);
                }
            }
            What::Result { tool, outcome, .. } => {
                if matches!(outcome, Outcome::Error | Outcome::Cancelled) {
                    ended(self.tool(tool.as_deref().unwrap_or(UNKNOWN)), *outcome);
                }
            }
            What::AssistantText { .. } | What::Reasoning { .. } => {}
        }
    }

    fn tool(&mut self, name: &str) -> &mut [u64; 3] {
        let is_new = !self.tools.contains_key(name);
        let name = if is_new && self.tools.len() >= MOST_NAMES { OTHERS } else { name };
        self.tools.entry(name.to_owned()).or_default()
    }
}

fn ended(counts: &mut [u64; 3], outcome: Outcome) {
    match outcome {
        Outcome::Error => counts[1] += 1,
        Outcome::Cancelled => counts[2] += 1,
        Outcome::Success | Outcome::Unknown => {}
    }
}

impl Vcs {
    fn of(vcs: &VcsContext<'_>) -> Self {
        Self {
            kind: vcs.kind.clone().into_owned(),
            branch: owned(vcs.branch.as_deref()),
            revision: owned(vcs.revision.as_deref()),
            repository: owned(vcs.repository.as_deref()),
        }
    }
}

/// In the order of the categories, then of the names.
fn tools(counts: BTreeMap<String, [u64; 3]>) -> Vec<ToolFacts> {
    let mut tools: Vec<_> =
        counts.into_iter().map(|(name, counts)| (tool(&name), name, counts)).collect();
    tools.sort_by_key(|((canonical, category), ..)| (*category, *canonical));
    let facts = tools.into_iter().map(|((canonical, category), tool, counts)| {
        let [calls, errors, cancelled] = counts;
        ToolFacts { category: category.name(), canonical, tool, calls, errors, cancelled }
    });
    facts.collect()
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// Adds a name that is not there yet.
fn note(names: &mut Vec<String>, name: Option<&str>) {
    let is_new = |name: &&str| !names.iter().any(|known| known == name);
    if let Some(name) = name.filter(|name| !name.is_empty()).filter(is_new) {
        match names.len() {
            ..MOST_NAMES => names.push(name.to_owned()),
            MOST_NAMES => names.push(OTHERS.to_owned()),
            _ => {}
        }
    }
}

fn time(timestamp: &AbstractTimestamp<'_>) -> String {
    match shown(timestamp) {
        Shown::Text(text) => text,
        Shown::Number(number) => number.to_string(),
    }
}

fn duration(
    start: Option<&AbstractTimestamp<'_>>,
    end: Option<&AbstractTimestamp<'_>>,
) -> Option<u64> {
    let (start, end) = (instant(start?)?, instant(end?)?);
    u64::try_from((end - start) / 1_000_000).ok()
}
