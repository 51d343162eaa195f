//! Lints timestamps that are out of order or in seconds, and ends before starts.
//!
//! Numbers of seconds are not reported in a record with annotations of `vac` on its session: they
//! are those of the log, which are kept as they are, and what reads the record tells the two units
//! apart. In a record of another program, they may be a mistake of its author.

use vac_record::keys::{message_entry, session_trace, verifiable_agent_record};
use vac_record::time::is_in_seconds;
use vac_record::{AbstractTimestamp, Decode, time};
use vac_value::Node;

use super::{Entries, Findings};

/// The key of annotations.
const ANNOTATIONS: &str = "vac";

pub(super) fn lint(record: Node<'_, '_>, entries: &Entries<'_, '_>, findings: &mut Findings) {
    let session = record.member(verifiable_agent_record::SESSION);
    let is_of_log = session.is_some_and(|session| session.member(ANNOTATIONS).is_some());
    unit(record, verifiable_agent_record::CREATED, "", findings);
    if let Some(session) = session {
        let path = format!("/{}", verifiable_agent_record::SESSION);
        let (start, end) = (session_trace::SESSION_START, session_trace::SESSION_END);
        if !is_of_log {
            unit(session, start, &path, findings);
            unit(session, end, &path, findings);
        }
        order_of_span(session, start, end, &path, findings);
    }
    order(entries, is_of_log, findings);
}

/// Lints a map with a start and an end.
pub(super) fn span(map: Node<'_, '_>, start: &str, end: &str, path: &str, findings: &mut Findings) {
    unit(map, start, path, findings);
    unit(map, end, path, findings);
    order_of_span(map, start, end, path, findings);
}

/// Lints the order of a start and an end.
fn order_of_span(map: Node<'_, '_>, start: &str, end: &str, path: &str, findings: &mut Findings) {
    let (Some(first), Some(last)) = (map.member(start), map.member(end)) else { return };
    if let (Some(from), Some(to)) = (instant(first), instant(last))
        && to < from
    {
        let message = format!("{end} is before {start}");
        findings.add(last, "end-before-start", format!("{path}/{end}"), message);
    }
}

fn unit(map: Node<'_, '_>, key: &str, path: &str, findings: &mut Findings) {
    if let Some(value) = map.member(key) {
        seconds(value, findings, || format!("{path}/{key}"));
    }
}

fn seconds(value: Node<'_, '_>, findings: &mut Findings, path: impl FnOnce() -> String) {
    if let Some(number) = value.uint().filter(|number| is_in_seconds(*number)) {
        let message = format!("{number} looks like seconds; timestamps are milliseconds");
        findings.add(value, "seconds-timestamp", path(), message);
    }
}

/// Returns the point in time that a timestamp states.
fn instant(node: Node<'_, '_>) -> Option<i128> {
    time::instant(&AbstractTimestamp::from_node(node).ok()?)
}

/// Lints the order of timestamps within each list of entries.
fn order(entries: &Entries<'_, '_>, is_of_log: bool, findings: &mut Findings) {
    // The last timestamp in the list of each parent; the record's own is first.
    let mut before: Vec<Option<(i128, usize)>> = vec![None];
    for (place, entry) in entries.iter() {
        before.push(None);
        let Some(timestamp) = entry.node.member(message_entry::TIMESTAMP) else { continue };
        let path = || entries.path(place, message_entry::TIMESTAMP);
        if !is_of_log {
            seconds(timestamp, findings, path);
        }
        let Some(moment) = instant(timestamp) else { continue };
        let list = &mut before[entry.parent.map_or(0, |parent| parent + 1)];
        if let Some((last, index)) = list
            && moment < *last
        {
            let message = format!("earlier than entry {index} of the same list");
            findings.add(timestamp, "time-order", path(), message);
        }
        *list = Some((moment, entry.index));
    }
}
