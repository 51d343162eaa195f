//! Joins the files of one session.
//!
//! Files are one session if the adapter says so ([`Share`]), their session ids are equal,
//! and they are in the same folder or were both named. Duplicates are skipped before that:
//! files with the same bytes, in any folder; and files that were not named and contain only
//! parts of a session of which another log contains more (the files of `OpenCode` that a
//! database replaced, the database of a conversation of Antigravity that has a transcript, Gemini's
//! list of prompts), or an older form of it ([`Share::Older`]).

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::Path;

use vac_adapter::time::instant;
use vac_adapter::{Adapter, Beginning, Detection, Preview, Share};

use crate::companion_files;
use crate::find::Origin;
use crate::in_memory::{MemoryBudget, Recorder};
use crate::log::{Part, Rank, StoredLog};

/// A log with its agent and its preview.
#[derive(Debug)]
pub struct DetectedLog {
    /// The log.
    pub log: StoredLog,
    /// The name of the agent that wrote it, if an adapter knows its format: the adapter's, or
    /// that of another agent in whose place the log was found.
    pub agent: Option<&'static str>,
    /// The name of the adapter that reads it.
    pub adapter: Option<&'static str>,
    /// The facts that its beginning states.
    pub preview: Preview,
    /// A description of the log, if no adapter knows it.
    pub looks_like: Option<String>,
    /// The reason it could not be read.
    pub trouble: Option<String>,
    /// Files that were skipped because of this log, and parts of it that could not be read.
    pub left_out: Vec<UnusedFile>,
}

impl DetectedLog {
    /// Returns the variant of its session, as its record states it.
    pub fn variant(&self, adapter: &dyn Adapter) -> &'static str {
        let has_files = !self.log.attachments.is_empty() || self.log.parts.len() > 1;
        adapter.companions().variant(self.preview.variant, has_files)
    }
}

/// A file that is not part of any session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedFile {
    /// Its name in messages.
    pub shown: String,
    /// The reason.
    pub reason: UnusedReason,
    /// Whether it is in another home than the log that is read instead.
    pub is_in_other_home: bool,
}

/// The reason a file was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusedReason {
    /// It has the same bytes as this file.
    Copy(String),
    /// This log contains more of the session.
    Remains(String),
    /// It could not be read.
    Unreadable(String),
}

impl fmt::Display for UnusedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.shown)?;
        match &self.reason {
            UnusedReason::Copy(other) => write!(f, "skipped, a copy of {other}"),
            UnusedReason::Remains(other) => write!(f, "skipped, {other} has more of the session"),
            UnusedReason::Unreadable(reason) => f.write_str(reason),
        }
    }
}

/// Reads the beginning of a log.
pub fn detect(log: StoredLog, adapters: &[&dyn Adapter]) -> DetectedLog {
    detect_and_keep(log, adapters, &MemoryBudget::none())
}

/// Reads the beginning of a log that is to be converted. If an adapter reads its format and it fits
/// into the budget, all of it is read and kept in memory, so that no byte is read twice.
pub fn detect_and_keep(
    mut log: StoredLog,
    adapters: &[&dyn Adapter],
    budget: &MemoryBudget,
) -> DetectedLog {
    let is_wanted = |agent: &str| adapters.iter().any(|adapter| adapter.name() == agent);
    let stored = log.stored.as_ref().map(|(adapter, stored)| (*adapter, stored.preview.clone()));
    let seen = match stored {
        Some((agent, _)) if !is_wanted(agent) => Ok(Err(None)),
        Some(stored) => Ok(Ok(stored)),
        None => preview(&mut log, adapters, budget),
    };
    let (mut agent, mut preview, mut trouble) = (None, Preview::default(), None);
    let mut looks_like = None;
    let mut left_out = Vec::new();
    match seen {
        Ok(Err(other)) => looks_like = other,
        Ok(Ok((name, seen))) => {
            (agent, preview) = (Some(name), seen);
            if preview.share == Share::Older {
                log.rank = log.rank.max(Rank::Older);
            }
            let adapter = adapters.iter().find(|adapter| adapter.name() == name);
            let troubles = adapter
                .map(|adapter| companion_files::add(&mut log, *adapter, &mut preview))
                .unwrap_or_default();
            left_out.extend(troubles.into_iter().map(|(path, error)| UnusedFile {
                shown: path.to_string_lossy().into_owned(),
                reason: UnusedReason::Unreadable(error.to_string()),
                is_in_other_home: false,
            }));
        }
        Err(error) => trouble = Some(error.to_string()),
    }
    let adapter = agent;
    let agent = agent.map(|name| log.origin.map_or(name, |origin| origin.agent));
    DetectedLog { log, agent, adapter, preview, looks_like, trouble, left_out }
}

/// The agent of a log with a preview, or a description of an unknown log.
type PreviewResult = Result<(&'static str, Preview), Option<String>>;

/// Returns the preview of a log. In an agent's own place, only the adapter of that agent is tried.
fn preview(
    log: &mut StoredLog,
    adapters: &[&dyn Adapter],
    budget: &MemoryBudget,
) -> io::Result<PreviewResult> {
    let first = log.parts.first().map(|part| Recorder::open(part, budget));
    let recorder = first.transpose()?.flatten();
    let mut unread = log.unread();
    if let (Some(recorder), Some(first)) = (&recorder, unread.parts.first_mut()) {
        *first = recorder;
    }
    let beginning = Beginning::read(&unread)?;
    let sample = beginning.sample();
    let is_asked =
        |adapter: &&&dyn Adapter| log.origin.is_none_or(|origin| adapter.name() == origin.adapter);
    let adapters: Vec<_> = adapters.iter().filter(is_asked).copied().collect();
    let mut fork = None;
    let seen = match sample.detect(&adapters) {
        Detection::Agent(adapter, _) => {
            let named = adapter.fork(&sample);
            fork = named.map(|agent| Origin { agent, adapter: adapter.name() });
            Ok((adapter.name(), adapter.preview(&sample)))
        }
        Detection::Unknown => Err(None),
        other => Err(Some(other.to_string())),
    };
    let recorder = recorder.filter(|_| seen.is_ok());
    // A place names the agent, too, and takes precedence.
    log.origin = log.origin.or(fork);
    // A file whose rest cannot be read is reported when it is converted.
    let bytes = recorder.and_then(|recorder| recorder.finish().ok());
    if let (Some(bytes), Some(first)) = (bytes, log.parts.first_mut()) {
        first.keep_in_memory(bytes);
    }
    Ok(seen)
}

/// Which logs can be one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Homes {
    /// Copies in several homes are.
    #[default]
    Together,
    /// Only logs in one home are: each session belongs to a user.
    Apart,
}

/// Joins logs that are one session. The result keeps the order of the first of each.
pub fn join(logs: Vec<DetectedLog>) -> Vec<DetectedLog> {
    join_homes(logs, Homes::Together)
}

/// Joins logs that are one session, as [`join`] does, in all homes or in each of them.
pub fn join_homes(mut logs: Vec<DetectedLog>, homes: Homes) -> Vec<DetectedLog> {
    // Files that are read with a session are not sessions of their own.
    let further = logs.iter().flat_map(|detected| detected.log.further_paths()).map(Path::to_owned);
    let further: HashSet<_> = further.collect();
    logs.retain(|detected| {
        let first = detected.log.first_path();
        first.is_none_or(|path| detected.agent.is_some() || !further.contains(path))
    });
    let home = |it: &DetectedLog| it.log.home.clone().filter(|_| homes == Homes::Apart);
    let logs = map_groups(logs, |it| Some((agent_without_id(it)?, home(it))), without_copies);
    let logs = map_groups(logs, |it| Some((session_key(it)?, home(it))), without_duplicates);
    map_groups(logs, |detected| Some((session_key(detected)?, folder(detected))), join_group)
}

/// Replaces each group of logs with the same key by what `work` returns. Logs without a key and
/// groups of one stay as they are.
fn map_groups<K: Clone + Eq + std::hash::Hash>(
    logs: Vec<DetectedLog>,
    key: impl Fn(&DetectedLog) -> Option<K>,
    work: impl Fn(Vec<DetectedLog>) -> Vec<DetectedLog>,
) -> Vec<DetectedLog> {
    let mut groups: HashMap<K, Vec<DetectedLog>> = HashMap::new();
    let mut order = Vec::new();
    for log in logs {
        match key(&log) {
            None => order.push(Err(log)),
            Some(key) => {
                let group = groups.entry(key.clone()).or_default();
                if group.is_empty() {
                    order.push(Ok(key));
                }
                group.push(log);
            }
        }
    }
    let mut done = Vec::with_capacity(order.len());
    for place in order {
        match place {
            Err(log) => done.push(log),
            Ok(key) => match groups.remove(&key) {
                Some(group) if group.len() == 1 => done.extend(group),
                Some(group) => done.extend(work(group)),
                None => {}
            },
        }
    }
    done
}

/// Returns the agent and the id of a session.
fn session_key(detected: &DetectedLog) -> Option<(&'static str, String)> {
    Some((detected.agent?, detected.preview.session_id.clone()?))
}

/// Returns the agent of a session without an id: only a copy of its log is the same session.
fn agent_without_id(detected: &DetectedLog) -> Option<&'static str> {
    detected.agent.filter(|_| detected.preview.session_id.is_none())
}

/// Returns the folder of a log. Logs that were named are together in any folder.
fn folder(detected: &DetectedLog) -> Option<String> {
    let first = detected.log.parts.first().filter(|_| !detected.log.named);
    first.map(|part| part.folder.clone())
}

/// Returns the logs of one session id, without duplicates.
fn without_duplicates(mut group: Vec<DetectedLog>) -> Vec<DetectedLog> {
    // Of copies the first is kept, so the session's own log precedes an older form of it.
    group.sort_by_key(|detected| detected.log.rank);
    let best = group.first().map(|detected| detected.log.rank);
    let mut kept: Vec<DetectedLog> = Vec::new();
    let mut remains = Vec::new();
    for detected in without_copies(group) {
        let is_whole = Some(detected.log.rank) == best || detected.log.named;
        if is_whole { kept.push(detected) } else { remains.push(detected) }
    }
    if let Some(first) = kept.iter_mut().find(|detected| Some(detected.log.rank) == best) {
        let whole = first.log.shown.clone();
        for detected in remains {
            let is_in_other_home = detected.log.home != first.log.home;
            first.left_out.extend(detected.left_out);
            let reason = UnusedReason::Remains(whole.clone());
            let shown = detected.log.shown;
            first.left_out.push(UnusedFile { shown, reason, is_in_other_home });
        }
    }
    kept
}

/// Returns logs without copies. Sizes are compared first, so that few files have to be read.
fn without_copies(group: Vec<DetectedLog>) -> Vec<DetectedLog> {
    let sizes: Vec<_> = group.iter().map(|detected| detected.log.plain_size()).collect();
    let is_file = |detected: &DetectedLog| detected.log.stored.is_none();
    let any_compressed =
        group.iter().zip(&sizes).any(|(detected, size)| is_file(detected) && size.is_none());
    let mut count: HashMap<u64, usize> = HashMap::new();
    for size in sizes.iter().flatten() {
        *count.entry(*size).or_default() += 1;
    }
    let mut kept: Vec<DetectedLog> = Vec::with_capacity(group.len());
    let mut seen = HashMap::new();
    for (detected, size) in group.into_iter().zip(sizes) {
        let is_alone = size.is_some_and(|size| count.get(&size) == Some(&1)) && !any_compressed;
        let content =
            (is_file(&detected) && !is_alone).then(|| detected.log.content().ok()).flatten();
        // A log that cannot be read is reported when it is converted.
        let Some(content) = content else {
            kept.push(detected);
            continue;
        };
        match seen.get(&content).and_then(|place: &usize| kept.get_mut(*place)) {
            None => {
                seen.insert(content, kept.len());
                kept.push(detected);
            }
            Some(first) => {
                let reason = UnusedReason::Copy(first.log.shown.clone());
                let is_in_other_home = detected.log.home != first.log.home;
                let shown = detected.log.shown;
                first.left_out.push(UnusedFile { shown, reason, is_in_other_home });
            }
        }
    }
    kept
}

/// Joins the logs of one session id in one place, as far as their [`Share`] allows it.
fn join_group(mut group: Vec<DetectedLog>) -> Vec<DetectedLog> {
    if !group.iter().any(|detected| detected.preview.share.is_part()) {
        return group;
    }
    let start = |detected: &DetectedLog| detected.preview.start.as_ref().and_then(instant);
    group.sort_by_key(|detected| (detected.preview.share, start(detected)));
    let mut joined: Vec<DetectedLog> = Vec::new();
    for detected in group {
        match joined.last_mut() {
            Some(first) if detected.preview.share.is_part() => {
                first.log.parts.extend(detected.log.parts);
                first.log.attachments.extend(detected.log.attachments);
                first.left_out.extend(detected.left_out);
            }
            _ => joined.push(detected),
        }
    }
    for detected in &mut joined {
        let mut seen = HashSet::new();
        let is_first = |part: &Part| part.path().is_none_or(|path| seen.insert(path.to_owned()));
        detected.log.attachments.retain(is_first);
    }
    joined
}
