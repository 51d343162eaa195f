//! A session as lines for the terminal.
//!
//! An item is one line: the index of its entry, the time, who acted, what happened, and at the end
//! how it ended. With more detail, texts follow below it, wrapped and indented.

use anstyle::{AnsiColor, Style};
use vac::record::annotations::{Decider, Outcome, SupersededHow};
use vac::view::SkipReason;
use vac::view::diff::{FileDiff, LineKind};
use vac::view::transcript::{CallResult, Head, Item, ItemKind, Summary, Totals};
use vac::view::usage_totals::UsageTotals;

use super::{Detail, action, actor, ending, first_line, left_out, reasoning, relative};
use crate::format::{group_digits, pluralize};
use crate::layout::{fit, measure, wrap};
use crate::printer::line::{ERROR, HEADING, Line, SUCCESS, WARNING};

const DIM: Style = Style::new().dimmed();
const USER: Style = AnsiColor::Cyan.on_default().bold();
const COMMAND: Style = AnsiColor::Magenta.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

/// The width of the column of entry indices.
const INDEX_WIDTH: usize = 4;
/// The width of the column of actors.
const ACTOR_WIDTH: usize = 7;
/// The number of spaces for each level of subagents.
const INDENT: usize = 2;
/// The column at which texts below a line begin.
const TEXT_INDENT: usize = 6;
/// The number of lines of an output, a diff or a command that are printed without `--full`.
const MAX_LINES: usize = 12;
/// The end of a call is left out if less than this width remains for what happened.
const MIN_WHAT: usize = 8;
/// Maximum number of names in a footer without `--full`.
const MAX_NAMES: usize = 12;

/// Lays out a session for a terminal of some width.
pub struct TextView {
    width: usize,
    detail: Detail,
    working_dir: Option<String>,
    /// The day of the last item with a time.
    day: Option<String>,
}

impl TextView {
    /// Creates a layout.
    pub fn new(head: &Head, width: usize, detail: Detail) -> Self {
        let day = head.start.as_deref().and_then(|start| start.get(..10)).map(str::to_owned);
        Self { width, detail, working_dir: head.working_dir.clone(), day }
    }

    /// Returns the lines above the items.
    pub fn head(&self, head: &Head) -> Vec<Line> {
        let first = Line::new().styled(HEADING, &head.agent).text(" ").text(&head.session_id);
        let mut lines = vec![first];
        let mut second: Vec<_> =
            [&head.cli_version, &head.model].into_iter().flatten().cloned().collect();
        if let Some(start) = head.start.as_deref() {
            second.push(format!("{} UTC", seconds(start)));
        }
        second.extend(head.working_dir.clone());
        if let (Some(parent), Some(relation)) = (&head.parent, head.relation) {
            second.push(format!("{} of {parent}", relation.as_str()));
        }
        second.extend(head.labels.iter().map(|(key, value)| format!("{key}={value}")));
        if !second.is_empty() {
            let second = wrap(&second.join("  "), self.width);
            lines.extend(second.iter().map(|line| Line::new().text(line)));
        }
        lines.push(Line::new());
        lines
    }

    /// Returns the lines of an item, in full if `detail` says so.
    pub fn item(&mut self, item: &Item, detail: Option<Detail>) -> Vec<Line> {
        let detail = detail.unwrap_or(self.detail);
        let mut lines = Vec::new();
        let day = item.time.as_deref().and_then(|time| time.get(..10));
        if let Some(day) = day.filter(|day| self.day.as_deref() != Some(day)) {
            lines.push(Line::new().styled(DIM, &self.rule(day)));
            self.day = Some(day.to_owned());
        }
        if matches!(item.kind, ItemKind::Compaction) {
            lines.push(Line::new().styled(DIM, &self.rule("conversation compacted")));
            return lines;
        }
        lines.push(self.line(item, detail));
        if detail > Detail::Lines {
            self.texts(item, detail, &mut lines);
        }
        lines
    }

    fn rule(&self, text: &str) -> String {
        let text = format!("── {text} ");
        let rest = self.width.min(100).saturating_sub(measure(&text));
        text + &"─".repeat(rest)
    }

    fn line(&self, item: &Item, detail: Detail) -> Line {
        let is_dim = item.superseded.is_some() || item.skip_reason.is_some();
        let (what, end, style) = self.what(item);
        let index = item.place.index().to_string();
        let time = item.time.as_deref().and_then(|time| time.get(11..19)).unwrap_or("--:--:--");
        let indent = item.depth * INDENT;
        let prefix =
            format!("{index:>INDEX_WIDTH$}  {time}  {:ACTOR_WIDTH$} {:indent$}", actor(item), "");
        let end_style = match &item.kind {
            ItemKind::Call(call) => outcome_style(call.ending()),
            ItemKind::Result { result, .. } => outcome_style(Some(result.outcome)),
            _ => DIM,
        };
        let why = item.skip_reason.map(SkipReason::name);
        let why = why.or(item.superseded.map(SupersededHow::as_str));
        let end = match (why, end.as_str()) {
            (None, end) => end.to_owned(),
            (Some(why), "") => why.to_owned(),
            (Some(why), end) => format!("{end}, {why}"),
        };
        // On a narrow terminal, what happened is more than how it ended.
        let rest = self.width.saturating_sub(measure(&prefix) + 2 + measure(&end));
        let end = if rest < MIN_WHAT { String::new() } else { end };
        let gap = if end.is_empty() { 0 } else { 2 + measure(&end) };
        let room = self.width.saturating_sub(measure(&prefix) + gap).max(1);
        // A text that follows is not repeated.
        let is_below = detail > Detail::Lines && has_text_below(item, self.room(item));
        let (what, end) =
            if is_below { (String::new(), String::new()) } else { (fit(&what, room), end) };
        if is_dim {
            let gap = if end.is_empty() { "" } else { "  " };
            return Line::new().styled(DIM, &format!("{prefix}{what}{gap}{end}"));
        }
        let who = match actor(item) {
            "user" => USER,
            _ => DIM,
        };
        let line = Line::new()
            .styled(DIM, &format!("{index:>INDEX_WIDTH$}  {time}  "))
            .styled(who, &format!("{:ACTOR_WIDTH$}", actor(item)))
            .spaces(1 + indent)
            .styled(style, &what);
        if end.is_empty() { line } else { line.spaces(2).styled(end_style, &end) }
    }

    /// Returns the width of what happened, without how it ended.
    fn room(&self, item: &Item) -> usize {
        let before = INDEX_WIDTH.max(item.place.index().to_string().len()) + 2 + 8 + 2;
        self.width.saturating_sub(before + ACTOR_WIDTH + 1 + item.depth * INDENT).max(1)
    }

    /// Returns what happened, how it ended, and the style of the first.
    fn what(&self, item: &Item) -> (String, String, Style) {
        let more = |others: usize| match others {
            0 => String::new(),
            count => format!("+{}", pluralize(count, "line")),
        };
        match &item.kind {
            ItemKind::Prompt { text, command, .. } => {
                if let Some(command) = command {
                    let (first, others) = first_line(command);
                    return (format!("$ {first}"), more(others), COMMAND);
                }
                let (first, others) = first_line(&text.text);
                let others = [Some(more(others)), left_out(&text.left_out)];
                let end: Vec<_> =
                    others.into_iter().flatten().filter(|it| !it.is_empty()).collect();
                (first, end.join(", "), HEADING)
            }
            ItemKind::Answer { text, .. } => {
                let (first, others) = first_line(&text.text);
                (first, more(others), Style::new())
            }
            ItemKind::Reasoning { text, subject, is_encrypted } => {
                let what = reasoning(&text.text, subject.as_deref(), *is_encrypted);
                (what, String::new(), DIM)
            }
            ItemKind::Call(call) => {
                let style = if call.command.is_some() { COMMAND } else { Style::new() };
                (action(call, self.working_dir.as_deref()), ending(call), style)
            }
            ItemKind::Result { tool, result } => {
                let tool = tool.as_deref().unwrap_or("a call that is not in the log");
                (format!("result of {tool}"), result_ending(result), Style::new())
            }
            ItemKind::Permission { decision, by, what } => {
                let by = by.map_or(String::new(), |by: Decider| format!(" by {}", by.as_str()));
                let what = what.as_deref().map_or(String::new(), |what| format!(": {what}"));
                (format!("{}{by}{what}", decision.as_str()), String::new(), Style::new())
            }
            ItemKind::Unparsed { reason } => {
                (format!("(not parsed: {})", reason.as_str()), String::new(), WARNING)
            }
            ItemKind::Compaction => (String::new(), String::new(), DIM),
        }
    }

    /// Adds the texts of an item.
    fn texts(&self, item: &Item, detail: Detail, lines: &mut Vec<Line>) {
        let indent = TEXT_INDENT + item.depth * INDENT;
        let width = self.width.saturating_sub(indent).max(1);
        let all = detail == Detail::Full;
        let max = if all { usize::MAX } else { MAX_LINES };
        let mut text = Indented { indent, width, lines };
        match &item.kind {
            ItemKind::Prompt { text: message, .. } | ItemKind::Answer { text: message, .. } => {
                if has_text_below(item, self.room(item)) {
                    text.add(&message.text, Style::new(), usize::MAX);
                }
            }
            ItemKind::Reasoning { text: thought, .. } if all => {
                text.add(&thought.text, DIM, usize::MAX);
            }
            ItemKind::Call(call) => {
                if let Some(command) = &call.command
                    && (all || command.trim().lines().count() > 1)
                {
                    text.add(command, COMMAND, max);
                }
                for edit in &call.edits {
                    text.lines.extend(self.diff(edit, indent, width, max));
                }
                if all && call.command.is_none() && call.edits.is_empty() {
                    text.add(&call.input, DIM, usize::MAX);
                }
                if let Some(result) = &call.result
                    && (all || call.command.is_some() || result.outcome == Outcome::Error)
                {
                    text.add(&result.output, DIM, max);
                }
            }
            ItemKind::Result { result, .. } => text.add(&result.output, DIM, max),
            ItemKind::Reasoning { .. }
            | ItemKind::Permission { .. }
            | ItemKind::Compaction
            | ItemKind::Unparsed { .. } => {}
        }
        if all {
            let place = item.place.pointer();
            lines.push(Line::new().spaces(indent).styled(DIM, &fit(&place, width)));
        }
        if lines.last().is_some_and(|line| *line != Line::new()) {
            lines.push(Line::new());
        }
    }

    fn diff(&self, edit: &FileDiff, indent: usize, width: usize, max: usize) -> Vec<Line> {
        let line = |style: Style, text: &str| Line::new().spaces(indent).styled(style, text);
        let mut lines = Vec::new();
        if let Some(path) = &edit.path {
            let path = relative(path, self.working_dir.as_deref());
            lines.push(line(HEADING, &fit(&path, width)));
        }
        for changed in edit.lines.iter().take(max) {
            let style = match changed.kind {
                LineKind::Added => ADDED,
                LineKind::Removed => REMOVED,
                LineKind::Hunk => DIM,
                LineKind::Same => Style::new(),
            };
            let text = changed.text.replace('\t', "    ");
            let mut wrapped = wrap(&text, width.saturating_sub(1).max(1));
            if wrapped.is_empty() {
                wrapped.push(String::new());
            }
            for text in wrapped {
                lines.push(line(style, &format!("{}{text}", changed.kind.sign())));
            }
        }
        if edit.lines.len() > max {
            let rest = pluralize(edit.lines.len() - max, "more line");
            lines.push(line(DIM, &format!("... {rest}")));
        }
        lines
    }

    /// Returns the lines below the items.
    pub fn footer(&self, summary: &Summary, is_all: bool) -> Vec<Line> {
        let mut lines = vec![Line::new().styled(DIM, &self.rule("summary"))];
        for (name, values) in footer(summary, self.working_dir.as_deref(), is_all) {
            let max = if self.detail == Detail::Full { usize::MAX } else { MAX_NAMES };
            let width = self.width.saturating_sub(10).max(1);
            let count = values.len();
            let mut name = Some(name);
            let mut add = |text: &str| {
                for text in wrap(text, width) {
                    let label = format!("{:<10}", name.take().unwrap_or_default());
                    lines.push(Line::new().styled(HEADING, &label).text(&text));
                }
            };
            values.iter().take(max).for_each(|value| add(value));
            if count > max {
                add(&format!("and {} more", count - max));
            }
        }
        lines
    }
}

/// Returns whether the text of a message does not fit its line.
fn has_text_below(item: &Item, room: usize) -> bool {
    match &item.kind {
        ItemKind::Prompt { text, command: None, .. } | ItemKind::Answer { text, .. } => {
            let (first, others) = first_line(&text.text);
            others > 0 || measure(&first) > room
        }
        _ => false,
    }
}

/// Adds wrapped lines to others.
struct Indented<'l> {
    indent: usize,
    width: usize,
    lines: &'l mut Vec<Line>,
}

impl Indented<'_> {
    fn add(&mut self, text: &str, style: Style, max: usize) {
        let wrapped = wrap(text.trim_end(), self.width);
        for line in wrapped.iter().take(max) {
            self.lines.push(Line::new().spaces(self.indent).styled(style, line));
        }
        if wrapped.len() > max {
            let rest = format!("... {}", pluralize(wrapped.len() - max, "more line"));
            self.lines.push(Line::new().spaces(self.indent).styled(DIM, &rest));
        }
    }
}

fn outcome_style(outcome: Option<Outcome>) -> Style {
    match outcome {
        Some(Outcome::Error) => ERROR,
        Some(Outcome::Cancelled) => WARNING,
        Some(Outcome::Success) => SUCCESS,
        Some(Outcome::Unknown) | None => DIM,
    }
}

fn result_ending(result: &CallResult) -> String {
    let mut parts = Vec::new();
    match (result.exit_code, result.outcome) {
        (Some(code), _) => parts.push(format!("exit {code}")),
        (None, Outcome::Error) => parts.push("failed".to_owned()),
        (None, Outcome::Cancelled) => parts.push("cancelled".to_owned()),
        (None, Outcome::Success | Outcome::Unknown) => {}
    }
    parts.extend(super::output_lines(result));
    parts.join(", ")
}

/// Returns the facts below a session, with their names.
pub fn footer(
    summary: &Summary,
    working_dir: Option<&str>,
    is_all: bool,
) -> Vec<(&'static str, Vec<String>)> {
    let Summary { totals, ended, .. } = summary;
    let mut facts = Vec::new();
    let failed = |count: u64, failed: u64| match failed {
        0 => group_digits(count),
        failed => format!("{}, {} failed", group_digits(count), group_digits(failed)),
    };
    let files = totals.files.iter().map(|(path, file)| {
        let path = relative(path, working_dir);
        match (file.is_deleted, file.is_partial, file.added + file.removed) {
            (true, ..) => format!("{path} deleted"),
            (_, true, 0) => path,
            _ => format!("{path} +{} -{}", file.added, file.removed),
        }
    });
    facts.push(("files", files.collect::<Vec<_>>()));
    if totals.commands > 0 {
        facts.push(("commands", vec![failed(totals.commands, totals.failed_commands)]));
    }
    if totals.calls > 0 {
        facts.push(("calls", vec![failed(totals.calls, totals.failed_calls)]));
    }
    let host = |(host, count): (&String, &u64)| match count {
        1 => host.clone(),
        count => format!("{host} ({count})"),
    };
    let hosts: Vec<_> = totals.hosts.iter().map(host).collect();
    facts.push(("hosts", if hosts.is_empty() { Vec::new() } else { vec![hosts.join(", ")] }));
    facts.extend(tokens(&totals.tokens).map(|tokens| ("tokens", vec![tokens])));
    if let Some(cost) = totals.cost {
        facts.push(("cost", vec![format!("{cost}")]));
    }
    facts.push(("ended", vec![ended.name().to_owned()]));
    if !is_all {
        facts.extend(not_shown(totals).map(|text| ("not shown", vec![text])));
    }
    facts.retain(|(_, values)| !values.is_empty());
    facts
}

/// Returns the tokens in their buckets.
fn tokens(tokens: &UsageTotals) -> Option<String> {
    let buckets = [
        ("input", tokens.input),
        ("cache-read", tokens.cache_read),
        ("cache-write", tokens.cache_write),
        ("output", tokens.output),
    ];
    let bucket =
        |(name, count): (&str, Option<u64>)| Some(format!("{name} {}", group_digits(count?)));
    let parts: Vec<_> = buckets.into_iter().filter_map(bucket).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn not_shown(totals: &Totals) -> Option<String> {
    let part =
        |count: u64, what: &str| (count > 0).then(|| format!("{} {what}", group_digits(count)));
    let parts = [
        part(totals.superseded, "superseded"),
        part(totals.repeated, "repeated"),
        part(totals.by_program, "by the program"),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{} (use --all)", parts.join(", ")))
}

/// Returns a time without fractions of a second, with a space between day and time.
fn seconds(time: &str) -> String {
    match time.get(..19) {
        Some(seconds) => seconds.replace('T', " "),
        None => time.to_owned(),
    }
}
