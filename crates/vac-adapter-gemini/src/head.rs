//! Converts heads of sessions, and lines that change them.

use vac_adapter::mapping;
use vac_record::AbstractTimestamp;
use vac_value::{Kind, Node};

use crate::facts::{session_id, time};
use crate::walk::{Lists, is_list};

/// The members of a head that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// The keys of the lists in the head.
    pub lists: Lists,
    /// Whether the head is part of the record's head; otherwise, it is an event.
    pub is_hoisted: bool,
}

mapping! {
    /// The head of a session: the object around its messages, or the first line of a log of lines.
    /// The head of a further document of the session is an event, which keeps all but `startTime`.
    pub(crate) struct Head<'a>("session"; key, value, wanted: Wanted) {
        "sessionId" => "`id`, `session.session-id`; without one, that of a `$set`, the file's \
            stem, or a function of the bytes",
            stated = wanted.is_hoisted && session_id(value).is_some();
        "startTime" => "`created`, `session.session-start`; without one, the earliest timestamp, \
            else the minute in the file's name. `timestamp` of the event",
            take start: AbstractTimestamp<'a> = time(value);
        "lastUpdated" => "`session.session-end`, the last one; without one, the latest timestamp",
            take end: AbstractTimestamp<'a> =
                time(value).filter(|_| wanted.is_hoisted);
        "messages" | "history" | "clientHistory" | "toolCall" => "the entries",
            stated = is_list(wanted.lists, key, value);
        "projectHash" => "decides which folder is `environment.working-dir`", keep;
        "directories" => "`environment.working-dir`, if nothing else states it", keep;
        "kind" => "`vac.author` of prompts, if it is `subagent`", keep;
        "parentSessionId" => "`vac.parent`", keep;
        "summary" | "memoryScratchpad" | "authType" | "commitHash" | "messageId" | "filePath"
        | "type" => "", keep;
    }
}

mapping! {
    /// A line that changes the facts about the session: an event.
    pub(crate) struct SetLine<'a>("set"; key, value) {
        "$set" => "what changes", take set: Node<'a, 'a> =
            (value.kind() == Kind::Map).then_some(value);
    }
}

mapping! {
    /// `$set` of a line.
    pub(crate) struct Set<'a>("$set"; key, value, lists: Lists) {
        "messages" => "the entries after the event", stated = is_list(lists, key, value);
        "lastUpdated" => "`timestamp`; the last one is `session.session-end`",
            take timestamp: AbstractTimestamp<'a> = time(value);
        "sessionId" => "`id` of a session without a head", keep;
        "summary" | "directories" | "memoryScratchpad" | "kind" | "projectHash" =>
            "the session's, if it is the last", keep;
        "startTime" => "", keep;
    }
}

mapping! {
    /// A line that takes messages back, or does something else: an event.
    pub(crate) struct Operation<'a>("operation"; key, value, event_type: &str) {
        "type" => "`event-type`", stated = value.is_text(event_type);
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = time(value);
        "$rewindTo" => "`vac.superseded` of the messages that it takes back", keep;
        _ => keep;
    }
}
