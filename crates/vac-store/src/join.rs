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
use vac_adapter::{Adapter, Beginning, Detection, Glimpse, Share};

use crate::companion_files;
use crate::held::{HeldBudget, Recorder};
use crate::log::{Log, Part};

/// A log, whose it is, and what its beginning tells.
#[derive(Debug)]
pub struct Known {
    /// The log.
    pub log: Log,
    /// The name of the agent that wrote it, if an adapter knows its format: the adapter's, or
    /// that of another agent in whose place the log was found.
    pub agent: Option<&'static str>,
    /// The name of the adapter that reads it.
    pub adapter: Option<&'static str>,
    /// What the beginning tells.
    pub glimpse: Glimpse,
    /// What the log looks like instead, if no adapter knows it.
    pub looks_like: Option<String>,
    /// Why it could not be read.
    pub trouble: Option<String>,
    /// What was left out because of it, or of it.
    pub left_out: Vec<LeftOut>,
}

/// Something that is not part of any session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What it is called.
    pub shown: String,
    /// Why.
    pub why: Why,
}

/// Why something was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is byte for byte what is in this one.
    Copy(String),
    /// This one has the session as a whole.
    Remains(String),
    /// It could not be read.
    Unreadable(String),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.shown)?;
        match &self.why {
            Why::Copy(other) => write!(f, "skipped, a copy of {other}"),
            Why::Remains(other) => write!(f, "skipped, {other} has more of the session"),
            Why::Unreadable(reason) => f.write_str(reason),
        }
    }
}

/// Looks at the beginning of a log.
pub fn look(log: Log, adapters: &[&dyn Adapter]) -> Known {
    look_and_hold(log, adapters, &HeldBudget::none())
}

/// The same for a log that is to be converted: if an adapter knows it and it fits into the
/// budget, all of it is read and held, so that no byte is read twice.
pub fn look_and_hold(mut log: Log, adapters: &[&dyn Adapter], budget: &HeldBudget) -> Known {
    let is_wanted = |agent: &str| adapters.iter().any(|adapter| adapter.name() == agent);
    let stored = log.stored.as_ref().map(|(adapter, stored)| (*adapter, stored.glimpse.clone()));
    let seen = match stored {
        Some((agent, _)) if !is_wanted(agent) => Ok(Err(None)),
        Some(stored) => Ok(Ok(stored)),
        None => glimpse(&mut log, adapters, budget),
    };
    let (mut agent, mut glimpse, mut trouble) = (None, Glimpse::default(), None);
    let mut looks_like = None;
    let mut left_out = Vec::new();
    match seen {
        Ok(Err(other)) => looks_like = other,
        Ok(Ok((name, seen))) => {
            (agent, glimpse) = (Some(name), seen);
            let adapter = adapters.iter().find(|adapter| adapter.name() == name);
            let troubles = adapter
                .map(|adapter| companion_files::add(&mut log, *adapter, &mut glimpse))
                .unwrap_or_default();
            left_out.extend(troubles.into_iter().map(|(path, error)| LeftOut {
                shown: path.to_string_lossy().into_owned(),
                why: Why::Unreadable(error.to_string()),
            }));
        }
        Err(error) => trouble = Some(error.to_string()),
    }
    let adapter = agent;
    let agent = agent.map(|name| log.origin.map_or(name, |origin| origin.agent));
    Known { log, agent, adapter, glimpse, looks_like, trouble, left_out }
}

/// The agent of a log with a preview, or what the log looks like instead.
type Seen = Result<(&'static str, Glimpse), Option<String>>;

/// In an agent's own place, only that agent is asked.
fn glimpse(log: &mut Log, adapters: &[&dyn Adapter], budget: &HeldBudget) -> io::Result<Seen> {
    let first = log.parts.first().map(|part| Recorder::open(part, budget));
    let recorder = first.transpose()?.flatten();
    let mut unread = log.unread();
    if let (Some(recorder), Some(first)) = (&recorder, unread.parts.first_mut()) {
        *first = recorder;
    }
    let beginning = Beginning::of(&unread)?;
    let sample = beginning.sample();
    let is_asked =
        |adapter: &&&dyn Adapter| log.origin.is_none_or(|origin| adapter.name() == origin.adapter);
    let adapters: Vec<_> = adapters.iter().filter(is_asked).copied().collect();
    let seen = match sample.detect(&adapters) {
        Detection::Agent(adapter, _) => Ok((adapter.name(), adapter.glimpse(&sample))),
        Detection::Unknown => Err(None),
        other => Err(Some(other.to_string())),
    };
    let recorder = recorder.filter(|_| seen.is_ok());
    // A file whose rest cannot be read is reported when it is converted.
    let held = recorder.and_then(|recorder| recorder.finish().ok());
    if let (Some(held), Some(first)) = (held, log.parts.first_mut()) {
        first.hold(held);
    }
    Ok(seen)
}

/// Joins logs that are one session. The result keeps the order of the first of each.
pub fn join(mut logs: Vec<Known>) -> Vec<Known> {
    // What is read with a session is not something else as well.
    let further = logs.iter().flat_map(|known| known.log.further_paths()).map(Path::to_owned);
    let further: HashSet<_> = further.collect();
    logs.retain(|known| {
        let first = known.log.first_path();
        first.is_none_or(|path| known.agent.is_some() || !further.contains(path))
    });
    let logs = grouped(logs, nameless, without_copies);
    let logs = grouped(logs, session, once);
    grouped(logs, |known| Some((session(known)?, folder(known))), together)
}

/// Does something with all logs that have something in common; others stay as they are.
fn grouped<K: Clone + Eq + std::hash::Hash>(
    logs: Vec<Known>,
    key: impl Fn(&Known) -> Option<K>,
    work: impl Fn(Vec<Known>) -> Vec<Known>,
) -> Vec<Known> {
    let mut groups: HashMap<K, Vec<Known>> = HashMap::new();
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

/// Whose session it is, and which.
fn session(known: &Known) -> Option<(&'static str, String)> {
    Some((known.agent?, known.glimpse.session_id.clone()?))
}

/// Whose it is, if nobody knows which: only a copy is surely the same.
fn nameless(known: &Known) -> Option<&'static str> {
    known.agent.filter(|_| known.glimpse.session_id.is_none())
}

/// Where it is; what was named is together wherever it is.
fn folder(known: &Known) -> Option<String> {
    let first = known.log.parts.first().filter(|_| !known.log.named);
    first.map(|part| part.folder.clone())
}

/// The logs of one session id, without what is there twice.
fn once(group: Vec<Known>) -> Vec<Known> {
    let best = group.iter().map(|known| known.log.standing).min().unwrap_or_default();
    let mut kept: Vec<Known> = Vec::new();
    let mut remains = Vec::new();
    for known in without_copies(group) {
        let is_whole = known.log.standing == best || known.log.named;
        if is_whole { kept.push(known) } else { remains.push(known) }
    }
    if let Some(first) = kept.iter_mut().find(|known| known.log.standing == best) {
        let whole = first.log.shown.clone();
        for known in remains {
            first.left_out.extend(known.left_out);
            let why = Why::Remains(whole.clone());
            first.left_out.push(LeftOut { shown: known.log.shown, why });
        }
    }
    kept
}

/// Sizes first: hardly any file has to be read for this.
fn without_copies(group: Vec<Known>) -> Vec<Known> {
    let sizes: Vec<_> = group.iter().map(|known| known.log.plain_size()).collect();
    let is_file = |known: &Known| known.log.stored.is_none();
    let any_compressed =
        group.iter().zip(&sizes).any(|(known, size)| is_file(known) && size.is_none());
    let mut count: HashMap<u64, usize> = HashMap::new();
    for size in sizes.iter().flatten() {
        *count.entry(*size).or_default() += 1;
    }
    let mut kept: Vec<Known> = Vec::with_capacity(group.len());
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
                first.left_out.push(LeftOut { shown: known.log.shown, why });
            }
        }
    }
    kept
}

/// The logs of one session id in one place, joined as far as they say they may be.
fn together(mut group: Vec<Known>) -> Vec<Known> {
    if group.iter().all(|known| known.glimpse.share == Share::Whole) {
        return group;
    }
    let start = |known: &Known| known.glimpse.start.as_ref().and_then(instant);
    group.sort_by_key(|known| (known.glimpse.share, start(known)));
    let mut joined: Vec<Known> = Vec::new();
    for known in group {
        match joined.last_mut() {
            Some(first) if known.glimpse.share != Share::Whole => {
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
