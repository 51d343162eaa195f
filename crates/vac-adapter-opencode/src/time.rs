//! Reads the times of objects.

use vac_adapter::members::{Rest, object};
use vac_adapter::{Report, mapping};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::Node;

use crate::object::push;

/// The keys of the times that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct TimeKeys {
    pub start: &'static str,
    pub end: Option<&'static str>,
}

/// The times of a message.
pub(crate) const CREATED: TimeKeys = TimeKeys { start: "created", end: None };
/// The times of a part.
pub(crate) const STARTED: TimeKeys = TimeKeys { start: "start", end: None };

mapping! {
    /// `time` of a session, a message, a part or a tool call.
    pub(crate) struct Time<'a>("time"; key, value, keys: TimeKeys) {
        "created" => "of a session, `session-start`; else `timestamp`",
            take created: AbstractTimestamp<'a> = timestamp(value, keys.start == key);
        "start" | "ran" => "`timestamp`",
            take start: AbstractTimestamp<'a> = timestamp(value, keys.start == key);
        "end" | "completed" => "of a tool call, `timestamp` of the result; else kept",
            take end: AbstractTimestamp<'a> = timestamp(value, keys.end == Some(key));
        "updated" => "of a session, `session-end`; else kept",
            take updated: AbstractTimestamp<'a> = timestamp(value, keys.end == Some(key));
        "initialized" | "compacted" | "compacting" | "archived" | "suspended" | "streamed" => "",
            keep;
    }
}

/// Returns a timestamp, if it is wanted and valid.
pub(crate) fn timestamp<'a>(value: Node<'a, '_>, is_wanted: bool) -> Option<AbstractTimestamp<'a>> {
    is_wanted.then(|| AbstractTimestamp::from_node(value).ok()).flatten()
}

/// A start and an end.
#[derive(Default)]
pub(crate) struct Moment<'a> {
    pub start: Option<AbstractTimestamp<'a>>,
    pub end: Option<AbstractTimestamp<'a>>,
}

/// Reads `time` and adds its other members to those of its object.
pub(crate) fn read<'a>(
    time: Option<Node<'a, '_>>,
    keys: TimeKeys,
    members: &mut Rest<'a>,
    report: &mut Report,
) -> Moment<'a> {
    let Some(time) = time else { return Moment::default() };
    let Time { created, start, end, updated, rest } = Time::read(time, &[], keys, report);
    push(members, "time", object(rest));
    Moment { start: start.or(created), end: end.or(updated) }
}
