//! Joins the files of one session.
//!
//! Files are one session if the adapter says so ([`Share`]), their session ids are equal,
//! and they are in the same folder or were both named. Duplicates are skipped before that:
//! files with the same bytes, in any folder; and files that were not named and contain only
//! parts of a session of which another log contains more (the files of `OpenCode` that a
//! database replaced, Gemini's list of prompts).

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::Path;

use vac_adapter::time::instant;
use vac_adapter::{Adapter, Beginning, Detection, Preview, Share};

use crate::companion_files;
use crate::in_memory::{MemoryBudget, Recorder};
use crate::log::{Part, StoredLog};

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
    /// What its beginning states.
    pub preview: Preview,
    /// What the log looks like instead, if no adapter knows it.
    pub looks_like: Option<String>,
    /// The reason why it could not be read.
    pub trouble: Option<String>,
    /// Files that were skipped because of this log, and parts of it that could not be read.
    pub left_out: Vec<UnusedFile>,
}

/// A file that is not part of any session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedFile {
    /// Its name in messages.
    pub shown: String,
    /// The reason.
    pub why: Why,
}

/// The reason why a file was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
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
        match &self.why {
            Why::Copy(other) => write!(f, "skipped, a copy of {other}"),
            Why::Remains(other) => write!(f, "skipped, {other} has more of the session"),
            Why::Unreadable(reason) => f.write_str(reason),
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
            let adapter = adapters.iter().find(|adapter| adapter.name() == name);
            let troubles = adapter
                .map(|adapter| companion_files::add(&mut log, *adapter, &mut preview))
                .unwrap_or_default();
            left_out.extend(troubles.into_iter().map(|(path, error)| UnusedFile {
                shown: path.to_string_lossy().into_owned(),
                why: Why::Unreadable(error.to_string()),
            }));
        }
        Err(error) => trouble = Some(error.to_string()),
    }
    let adapter = agent;
    let agent = agent.map(|name| log.origin.map_or(name, |origin| origin.agent));
    DetectedLog { log, agent, adapter, preview, looks_like, trouble, left_out }
}

/// The agent of a log with a preview, or what the log looks like instead.
type Seen = Result<(&'static str, Preview), Option<String>>;

/// Returns the preview of a log. In an agent's own place, only that agent is asked.
fn preview(
    log: &mut StoredLog,
    adapters: &[&dyn Adapter],
    budget: &MemoryBudget,
) -> io::Result<Seen> {
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
    let seen = match sample.detect(&adapters) {
        Detection::Agent(adapter, _) => Ok((adapter.name(), adapter.preview(&sample))),
        Detection::Unknown => Err(None),
        other => Err(Some(other.to_string())),
    };
    let recorder = recorder.filter(|_| seen.is_ok());
    // A file whose rest cannot be read is reported when it is converted.
    let bytes = recorder.and_then(|recorder| recorder.finish().ok());
    if let (Some(bytes), Some(first)) = (bytes, log.parts.first_mut()) {
        first.keep_in_memory(bytes);
    }
    Ok(seen)
}

/// Joins logs that are one session. The result keeps the order of the first of each.
pub fn join(mut logs: Vec<DetectedLog>) -> Vec<DetectedLog> {
    // What is read with a session is not something else as well.
    let further = logs.iter().flat_map(|known| known.log.further_paths()).map(Path::to_owned);
    let further: HashSet<_> = further.collect();
    logs.retain(|known| {
        let first = known.log.first_path();
        first.is_none_or(|path| known.agent.is_some() || !further.contains(path))
    });
    let logs = grouped(logs, agent_without_id, without_copies);
    let logs = grouped(logs, session, once);
    grouped(logs, |known| Some((session(known)?, folder(known))), join_group)
}

/// Does something with all logs that have something in common; others stay as they are.
fn grouped<K: Clone + Eq + std::hash::Hash>(
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
fn session(known: &DetectedLog) -> Option<(&'static str, String)> {
    Some((known.agent?, known.preview.session_id.clone()?))
}

/// Returns the agent of a session without an id: only a copy of its log is the same session.
fn agent_without_id(known: &DetectedLog) -> Option<&'static str> {
    known.agent.filter(|_| known.preview.session_id.is_none())
}

/// Returns the folder of a log. Logs that were named are together in any folder.
fn folder(known: &DetectedLog) -> Option<String> {
    let first = known.log.parts.first().filter(|_| !known.log.named);
    first.map(|part| part.folder.clone())
}

/// Returns the logs of one session id, without duplicates.
fn once(group: Vec<DetectedLog>) -> Vec<DetectedLog> {
    let best = group.iter().map(|known| known.log.rank).min().unwrap_or_default();
    let mut kept: Vec<DetectedLog> = Vec::new();
    let mut remains = Vec::new();
    for known in without_copies(group) {
        let is_whole = known.log.rank == best || known.log.named;
        if is_whole { kept.push(known) } else { remains.push(known) }
    }
    if let Some(first) = kept.iter_mut().find(|known| known.log.rank == best) {
        let whole = first.log.shown.clone();
        for known in remains {
            first.left_out.extend(known.left_out);
            let why = Why::Remains(whole.clone());
            first.left_out.push(UnusedFile { shown: known.log.shown, why });
        }
    }
    kept
}

/// Sizes first: hardly any file has to be read for this.
fn without_copies(group: Vec<DetectedLog>) -> Vec<DetectedLog> {
    let sizes: Vec<_> = group.iter().map(|known| known.log.plain_size()).collect();
    let is_file = |known: &DetectedLog| known.log.stored.is_none();
    let any_compressed =
        group.iter().zip(&sizes).any(|(known, size)| is_file(known) && size.is_none());
    let mut count: HashMap<u64, usize> = HashMap::new();
    for size in sizes.iter().flatten() {
        *count.entry(*size).or_default() += 1;
    }
    let mut kept: Vec<DetectedLog> = Vec::with_capacity(group.len());
    let mut seen = HashMap::new();
    for (known, size) in group.into_iter().zip(sizes) {
        let is_alone = size.is_some_and(|size| count.get(&size) == Some(&1)) && !any_compressed;
        let content = (is_file(&known) && !is_alone).then(|| known.log.content().ok()).flatten();
        // What cannot be read is complained about when it is converted.
        let Some(content) = content else {
            kept.push(known);
            continue;
        };
        match seen.get(&content).and_then(|place: &usize| kept.get_mut(*place)) {
            None => {
                seen.insert(content, kept.len());
                kept.push(known);
            }
            Some(first) => {
                let why = Why::Copy(first.log.shown.clone());
                first.left_out.push(UnusedFile { shown: known.log.shown, why });
            }
        }
    }
    kept
}

/// Returns the logs of one session id in one place, joined as far as they say they may be.
fn join_group(mut group: Vec<DetectedLog>) -> Vec<DetectedLog> {
    if group.iter().all(|known| known.preview.share == Share::Whole) {
        return group;
    }
    let start = |known: &DetectedLog| known.preview.start.as_ref().and_then(instant);
    group.sort_by_key(|known| (known.preview.share, start(known)));
    let mut joined: Vec<DetectedLog> = Vec::new();
    for known in group {
        match joined.last_mut() {
            Some(first) if known.preview.share != Share::Whole => {
                first.log.parts.extend(known.log.parts);
                first.log.attachments.extend(known.log.attachments);
                first.left_out.extend(known.left_out);
            }
            _ => joined.push(known),
        }
    }
    for known in &mut joined {
        let mut seen = HashSet::new();
        let is_first = |part: &Part| part.path().is_none_or(|path| seen.insert(path.to_owned()));
        known.log.attachments.retain(is_first);
    }
    joined
}
