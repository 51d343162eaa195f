//! Files of one session, put together.
//!
//! Files are one session if the adapter says so ([`Share`]), their session ids are equal,
//! and they are in the same folder or were both named.

use std::collections::HashMap;
use std::io;

use vac_adapter::time::instant;
use vac_adapter::{Adapter, Beginning, Glimpse, Share};

use crate::log::Log;

/// A log, whose it is, and what its beginning tells.
#[derive(Debug)]
pub struct Known {
    /// The log.
    pub log: Log,
    /// The agent's name, if any adapter knows it.
    pub agent: Option<&'static str>,
    /// What the beginning tells.
    pub glimpse: Glimpse,
    /// Why it could not be read.
    pub trouble: Option<String>,
}

/// Looks at the beginning of a log.
pub fn look(log: Log, adapters: &[&dyn Adapter]) -> Known {
    if let Some((agent, glimpse)) = log.held.as_ref().and_then(|held| held.glimpse.clone()) {
        return Known { log, agent: Some(agent), glimpse, trouble: None };
    }
    let seen = glimpse(&log, adapters);
    match seen {
        Ok(Some((agent, glimpse))) => Known { log, agent: Some(agent), glimpse, trouble: None },
        Ok(None) => Known { log, agent: None, glimpse: Glimpse::default(), trouble: None },
        Err(error) => {
            let trouble = Some(error.to_string());
            Known { log, agent: None, glimpse: Glimpse::default(), trouble }
        }
    }
}

fn glimpse(log: &Log, adapters: &[&dyn Adapter]) -> io::Result<Option<(&'static str, Glimpse)>> {
    let unread = log.unread();
    let beginning = Beginning::of(&unread)?;
    let sample = beginning.sample();
    Ok(sample.whose(adapters).map(|(adapter, _)| (adapter.name(), adapter.glimpse(&sample))))
}

/// Joins logs that are one session. The result keeps the order of the first of each.
pub fn join(logs: Vec<Known>) -> Vec<Known> {
    let mut joined: Vec<Known> = Vec::with_capacity(logs.len());
    let mut groups: HashMap<(&str, String, Option<String>), Vec<Known>> = HashMap::new();
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
    for place in order {
        match place {
            Err(log) => joined.push(log),
            Ok(key) => {
                if let Some(group) = groups.remove(&key) {
                    joined.extend(together(group));
                }
            }
        }
    }
    joined
}

/// What files of one session have in common.
fn key(known: &Known) -> Option<(&'static str, String, Option<String>)> {
    let session = known.glimpse.session_id.clone()?;
    let part = known.log.parts.first()?;
    let folder = (!known.log.named).then(|| part.folder.clone());
    Some((known.agent?, session, folder))
}

/// The logs of one session id, joined as far as they say they may be.
fn together(mut group: Vec<Known>) -> Vec<Known> {
    if group.len() == 1 || group.iter().all(|known| known.glimpse.share == Share::Whole) {
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
            }
            _ => joined.push(known),
        }
    }
    joined
}
