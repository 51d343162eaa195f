//! Converts lines of `opencode run --format json`: a part as it was when it was printed, or another
//! event.

use vac_adapter::members::{Rest, object};
use vac_adapter::{Report, mapping};
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, Entry};
use vac_value::{Any, Node, Text};

use crate::entry;
use crate::object::push;
use crate::part::{self, Entries, Scope};
use crate::time;

/// The known types of lines without a part.
const EVENTS: &[&str] = &["error", "done"];

/// The types of lines, and the types of their parts.
const CALLED: &[(&str, &str)] = &[
    ("text", "text"),
    ("reasoning", "reasoning"),
    ("tool_use", "tool"),
    ("step_start", "step-start"),
    ("step_finish", "step-finish"),
];

/// The context for reading a line.
#[derive(Clone, Copy)]
pub(crate) struct LineContext<'c> {
    /// The session's id.
    session: &'c str,
    /// The part in the line.
    part: Option<Node<'c, 'c>>,
    /// Whether the part states a time.
    has_time: bool,
}

impl LineContext<'_> {
    /// Returns whether the entry of the line states that the line has this type.
    fn states(self, kind: Node<'_, '_>) -> bool {
        let Some(part) = self.part else { return kind.text().is_some() };
        let part_kind = part.member("type");
        CALLED.iter().any(|(called, of_part)| {
            kind.is_text(called) && part_kind.is_some_and(|kind| kind.is_text(of_part))
        })
    }
}

mapping! {
    /// A line of `opencode run --format json`: a part, or an event that may have any other key.
    pub(crate) struct Line<'a>("line"; key, value, context: LineContext<'_>) {
        "part" => "the part", stated = true;
        "type" => "the type of the part's entry; `event-type` of a line without a part",
            note kind: Text<'a> = value.text(), unless context.states(value);
        "sessionID" => "the session's `id`; kept if it is another",
            stated = value.is_text(context.session);
        "timestamp" => "`timestamp`, if the part states none; else kept",
            take timestamp: AbstractTimestamp<'a> = time::timestamp(value, !context.has_time);
        _ => keep if context.part.is_none();
    }
}

/// Returns the entries of a line.
pub(crate) fn entries<'a>(
    line: Node<'a, '_>,
    scope: Scope<'_>,
    report: &mut Report,
) -> Entries<'a> {
    let Some(part) = line.member("part") else { return (event(line, scope, report), None) };
    let (mut entry, mut result) = part::entries(part, scope, report);
    let last = result.as_mut().unwrap_or(&mut entry);
    let has_time = last.timestamp().is_some();
    let context = LineContext { session: scope.session, part: Some(part), has_time };
    let Line { timestamp, rest, .. } = Line::read(line, &[], context, report);
    keep(last.extensions_mut(), object(rest));
    if timestamp.is_some() {
        *last.timestamp_mut() = timestamp;
    }
    (entry, result)
}

/// Adds the rest of a line to the members of its part.
fn keep<'a>(extensions: &mut Rest<'a>, line: Option<Any<'a>>) {
    let name = if extensions.contains_key("line") { "native:line" } else { "line" };
    push(extensions, name, line);
}

/// Returns the entry of a line without a part.
fn event<'a>(line: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entry<'a> {
    let context = LineContext { session: scope.session, part: None, has_time: false };
    let Line { kind, timestamp, rest: data } = Line::read(line, &[], context, report);
    let kind = kind.unwrap_or(Text::Borrowed("unknown"));
    if !EVENTS.contains(&&*kind) {
        report.unknown(&kind);
    }
    let annotations = EntryAnnotations {
        permission: part::permission(line, &kind),
        ends: scope.end(),
        ..scope.annotations()
    };
    entry::event(kind, data, scope.id(), timestamp, Rest::default(), &annotations)
}
