//! Rows of a database as entries.

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::LineAt;
use vac_adapter::members::{Rest, all};
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Author, EntryAnnotations, Superseded, SupersededHow, Usage};
use vac_record::{AbstractTimestamp, Entry, MessageEntry, MessageEntryType};
use vac_value::{Node, Text};

use crate::blobs::{Metadata, Payload, Request, Tokens};
use crate::line::CHECKPOINT;
use crate::lines::Lines;
use crate::store::{REQUESTS, STEPS, TRAJECTORY};

/// The type of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepType {
    Prompt,
    Response,
    /// An event of this type, by its name in transcripts.
    Event(&'static str),
    Unknown,
}

impl StepType {
    /// Returns the type of a row of `steps`.
    pub fn from_row(row: Node<'_, '_>) -> Self {
        match row.member("step_type").and_then(Node::uint) {
            Some(14) => Self::Prompt,
            Some(15) => Self::Response,
            Some(23) => Self::Event(CHECKPOINT),
            Some(90) => Self::Event("EPHEMERAL_MESSAGE"),
            Some(98) => Self::Event("CONVERSATION_HISTORY"),
            _ => Self::Unknown,
        }
    }
}

mapping! {
    /// A row of `steps` in a database. Blobs are kept whole.
    pub(crate) struct Step<'a>("steps"; key, value) {
        "idx" => "`id`", note number: u64 = value.uint();
        "step_type" => "the entry's type, or `event-type`", note kind: u64 = value.uint();
        "metadata" => "`timestamp`, `vac.author` of a prompt, `vac.usage`",
            note metadata: Node<'a, 'a> = Some(value);
        "step_payload" => "`content`, and a child `reasoning` of a response",
            note payload: Node<'a, 'a> = Some(value);
        "status" | "has_subtrajectory" | "error_details" | "permissions" | "task_details"
        | "render_info" | "step_format" => "", keep;
    }
}

/// Returns the entry of a row.
pub(crate) fn entry<'a>(
    table: &'static str,
    row: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    if table == STEPS.name {
        return step(row, at, lines, report);
    }
    let mut it = EntryAnnotations::default();
    if table == TRAJECTORY.name {
        it.starts = Some(true);
    } else if table == REQUESTS.name {
        let request = decoded(row.member("data"), Request::read, "gen_metadata.data", report);
        let tokens = request.tokens.filter(|tokens| lines.is_first_statement(tokens, at));
        // Without an id of the response, the step is assumed to state the same tokens.
        let tokens = tokens.filter(|tokens| tokens.response.is_some());
        it.usage = tokens.and_then(|tokens| usage(&tokens, request.model.map(Text::Owned)));
    }
    event(table.into(), all(row, &[]), at.place.id(), None, &it)
}

fn event<'a>(
    event_type: Text<'a>,
    data: Rest<'a>,
    id: String,
    timestamp: Option<AbstractTimestamp<'a>>,
    it: &EntryAnnotations<'_>,
) -> Entry<'a> {
    let mut extensions = Rest::default();
    attach(&mut extensions, it);
    let common = Common { timestamp, id: Some(id.into()), extensions };
    Entry::Event(entry::event(event_type, Some(data), common))
}

fn step<'a>(row: Node<'a, 'a>, at: LineAt, lines: &'a Lines, report: &mut Report) -> Entry<'a> {
    let step_type = StepType::from_row(row);
    let is_message = matches!(step_type, StepType::Prompt | StepType::Response);
    let named = if is_message { &MessageEntry::KEYS[..] } else { &[] };
    let Step { number, kind, metadata, payload, rest: mut extensions } =
        Step::read(row, named, report);
    let id = lines.step_id(number, at).unwrap_or_else(|| at.place.id());
    let metadata = decoded(metadata, Metadata::read, "steps.metadata", report);
    let timestamp = metadata.created;
    let model = lines.model(number);
    let tokens = metadata.tokens.filter(|tokens| lines.is_first_statement(tokens, at));
    // A response names its model itself.
    let other_model = model.filter(|_| step_type != StepType::Response).map(Text::Borrowed);
    let mut it = EntryAnnotations {
        usage: tokens.and_then(|tokens| usage(&tokens, other_model)),
        ..EntryAnnotations::default()
    };
    let event_type = match step_type {
        StepType::Prompt | StepType::Response => None,
        StepType::Event(name) => Some(Text::Borrowed(name)),
        StepType::Unknown => {
            let name = kind.map_or(UNKNOWN.into(), |kind| Text::Owned(format!("step-type-{kind}")));
            report.unknown(&name);
            Some(name)
        }
    };
    if let Some(event_type) = event_type {
        return event(event_type, extensions, id, timestamp, &it);
    }
    let by = lines.summary_after(number).map(Text::from);
    it.superseded = by.map(|by| Superseded { how: SupersededHow::Compacted, by: Some(by) });
    let is_prompt = step_type == StepType::Prompt;
    let (kind, read): (_, fn(Node<'_, '_>) -> _) = if is_prompt {
        it.author = Some(if metadata.is_typed { Author::User } else { Author::Unknown });
        (MessageEntryType::User, Payload::read_prompt)
    } else {
        (MessageEntryType::Assistant, Payload::read_response)
    };
    attach(&mut extensions, &it);
    let Payload { content, thinking } = decoded(payload, read, "steps.step_payload", report);
    let reasoning = thinking.map(|thinking| {
        let common = Common { timestamp: timestamp.clone(), ..Common::default() };
        Entry::Reasoning(entry::reasoning(Some(thinking.into()), None, None, common))
    });
    let common = Common { timestamp, id: Some(id.into()), extensions };
    let message = entry::message(kind, content.map(Into::into), common);
    Entry::Message(MessageEntry {
        model_id: model.filter(|_| !is_prompt).map(Text::Borrowed),
        children: reasoning.map(|reasoning| vec![reasoning]),
        ..message
    })
}

/// Returns the content of a blob. A blob that cannot be decoded is counted as unknown, and kept.
fn decoded<T: Default>(
    cell: Option<Node<'_, '_>>,
    read: impl Fn(Node<'_, '_>) -> Option<T>,
    name: &str,
    report: &mut Report,
) -> T {
    let Some(cell) = cell else { return T::default() };
    read(cell).unwrap_or_else(|| {
        report.unknown(&format!("a blob in {name} of another format"));
        T::default()
    })
}

fn usage<'a>(tokens: &Tokens, model: Option<Text<'a>>) -> Option<Usage<'a>> {
    let some = |number: Option<u64>| number.filter(|number| *number > 0);
    let buckets = Usage {
        input: some(tokens.input),
        cache_read: some(tokens.cache_read),
        cache_write: None,
        output: some(tokens.output),
        reasoning: some(tokens.thinking),
        model: None,
    };
    (buckets != Usage::default()).then_some(Usage { model, ..buckets })
}
