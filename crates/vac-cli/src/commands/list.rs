//! `vac list`

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::ControlFlow;

use anyhow::Result;
use clap::Args;
use vac::Agent;
use vac::adapter::time::instant;
use vac::parallel::ordered_parallel_map;
use vac::store::MemoryBudget;
use vac::store::join::DetectedLog;
use vac::value::harmless;

use crate::convert::selection::Selection;
use crate::exit::Exit;
use crate::format::{format_size, group_digits, pluralize, truncate};
use crate::help;
use crate::json_output::{Document, FailedFile, ListOutput, ListedSession};
use crate::layout::{self, fit, measure, one_line};
use crate::printer::Printer;
use crate::printer::line::Line;
use crate::printer::table::{GAP, Side, Table};
use crate::sessions;

/// The maximum width of a cell of the table, except for the last.
const WIDEST: usize = 48;
/// The last.
const WIDEST_LAST: usize = 200;
/// Narrower tables have shortened ids and times.
const WIDE: usize = 160;
/// Ids are not shortened to fewer characters.
const MIN_ID: usize = 8;
/// Prompts and projects are not shortened to less before other columns are left out.
const MIN_PROMPT: usize = 24;
const MIN_PROJECT: usize = 12;

/// Returns the note about environment variables, in lines of at most 80 characters.
fn variables() -> String {
    let names = vac::place_variables().join(", ");
    let text = format!(
        "Environment variables that set where agents keep their sessions: {names}. They do not apply to --root."
    );
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + word.len() < 80 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// List the sessions that agents keep on this machine
///
/// Searches the places where each agent keeps its sessions, and parses only the beginning of
/// large logs that contain one session. Agents are detected by content; files that are not sessions are skipped. The latest
/// session is the first.
///
/// On a terminal, columns are shortened or left out until the table fits; elsewhere it is complete
/// unless the variable COLUMNS sets a width. The beginning of an id, of at least 4 characters, is
/// a name of the session for other commands.
#[derive(Args)]
#[command(after_help = help::ending(
    &[&variables()],
    "",
    &[
        ("vac list", "Every session on this machine"),
        ("vac list --agent claude --since 2026-03-01", "Sessions of Claude Code since March"),
        ("vac list --root backup/home --json", "Sessions of another home folder, as JSON"),
    ],
))]
pub struct ListArgs {
    /// Agent whose sessions to list
    #[arg(short, long, default_value = "auto", value_parser = sessions::agents())]
    agent: String,
    #[command(flatten)]
    selection: Selection,
    /// Only the N latest sessions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

impl ListArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let agent = sessions::agent(&self.agent);
        let jobs = std::thread::available_parallelism().map_or(1, Into::into);
        let selected = self.selection.find(&[], agent, jobs, &MemoryBudget::none(), printer)?;
        let mut exit = if selected.failed.is_empty() { Exit::Success } else { Exit::Error };
        let excluded = selected.excluded;
        let mut listed = ListOutput {
            sessions: Vec::new(),
            skipped: 0,
            duplicates: selected.duplicates,
            failed: selected.failed,
        };
        let mut logs = selected.logs;
        logs.sort_by_cached_key(order);
        if let Some(limit) = self.limit {
            logs = limit_sessions(logs, limit, jobs)?;
        }
        let mut sessions = Vec::with_capacity(logs.len());
        let read = |detected| ListedSession::from_log(detected, true);
        ordered_parallel_map(&logs, jobs, read, |found| {
            sessions.push(found);
            ControlFlow::Continue(())
        })?;
        for (detected, sessions) in logs.iter().zip(sessions) {
            match (&detected.trouble, detected.agent) {
                (Some(trouble), _) => {
                    let file = detected.log.shown.clone();
                    printer.error(&format!("{file}: {trouble}"));
                    listed.failed.push(FailedFile { file, error: trouble.clone() });
                    exit = Exit::Error;
                }
                (None, Some(_)) => listed.sessions.extend(sessions),
                (None, None) => {
                    printer.detail(&format!("{}: skipped", detected.log.shown));
                    listed.skipped += 1;
                }
            }
        }
        // Times are RFC 3339 in UTC, and those of one session can be later than the log's.
        listed.sessions.sort_by(|a, b| b.start.cmp(&a.start));
        if let Some(limit) = self.limit {
            listed.sessions.truncate(limit);
        }
        if self.json {
            printer.json(&Document::new("list", &listed))?;
        } else {
            for line in table(&listed.sessions, layout::width()) {
                printer.line(line)?;
            }
        }
        if listed.sessions.is_empty() {
            for line in self.selection.none_found(agent, excluded)? {
                printer.info(&line);
            }
        }
        let summary = summary(&listed);
        if !summary.is_empty() {
            printer.info(&summary);
        }
        Ok(exit)
    }
}

/// Puts the latest first; logs that do not state when they began are last.
fn order(detected: &DetectedLog) -> (Reverse<Option<i128>>, Option<String>, String) {
    let start = detected.preview.start.as_ref().and_then(instant);
    (Reverse(start), detected.preview.session_id.clone(), detected.log.shown.clone())
}

/// A column of the table.
struct Column {
    name: &'static str,
    side: Side,
    cells: Vec<String>,
}

impl Column {
    fn new(
        name: &'static str,
        side: Side,
        sessions: &[ListedSession],
        cell: impl Fn(&ListedSession) -> Option<String>,
    ) -> Self {
        let cells = sessions.iter().map(|it| cell(it).unwrap_or_else(|| "-".to_owned()));
        Self { name, side, cells: cells.collect() }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| measure(&harmless(cell)));
        cells.max().unwrap_or(0).max(self.name.len())
    }

    fn shorten(&mut self, width: usize) {
        self.cells.iter_mut().for_each(|cell| *cell = fit(cell, width));
    }
}

fn start_of(session: &ListedSession) -> Option<String> {
    // Fractions of a second only make the table wider.
    session.start.as_deref().map(|start| match start.get(..19) {
        Some(seconds) if start.ends_with('Z') => format!("{seconds}Z"),
        _ => start.to_owned(),
    })
}

/// Returns the table: with a width, columns are shortened or left out until it fits.
fn table(sessions: &[ListedSession], width: Option<usize>) -> Vec<Line> {
    if sessions.is_empty() {
        return Vec::new();
    }
    let owned = |text: &str, max| Some(truncate(text, max));
    let is_narrow = width.is_some_and(|width| width < WIDE);
    let short = short_lengths(sessions);
    let mut columns = vec![
        Column::new("agent", Side::Left, sessions, |it| Some(it.agent.clone())),
        Column::new("session", Side::Left, sessions, |it| {
            let id = it.session_id.as_deref()?;
            match short.get(id).filter(|_| is_narrow) {
                Some(length) => Some(id[..*length].to_owned()),
                None => owned(id, WIDEST),
            }
        }),
        Column::new("start", Side::Left, sessions, |it| {
            let start = start_of(it)?;
            let minutes = || Some(start.get(..16)?.replace('T', " "));
            if is_narrow { minutes() } else { None }.or(Some(start.clone()))
        }),
        Column::new("size", Side::Right, sessions, |it| it.size.map(format_size)),
        Column::new("variant", Side::Left, sessions, |it| {
            Some(it.variant).filter(|variant| !variant.is_empty()).map(str::to_owned)
        }),
    ];
    // Most sessions have no parent, so the column is there only if it has content.
    if sessions.iter().any(|session| session.parent.is_some()) {
        columns.push(Column::new("parent", Side::Left, sessions, |it| {
            owned(it.parent.as_deref()?, WIDEST)
        }));
    }
    columns.push(Column::new("project", Side::Left, sessions, |it| {
        owned(it.project.as_deref()?, WIDEST_LAST)
    }));
    columns.push(Column::new("prompt", Side::Left, sessions, |it| {
        owned(&one_line(it.first_prompt.as_deref()?), WIDEST_LAST)
    }));
    if let Some(width) = width {
        fit_columns(&mut columns, width);
    }
    let names: Vec<_> = columns.iter().map(|column| (column.name, column.side)).collect();
    let mut table = Table::with_names(&names);
    for row in 0..sessions.len() {
        table.row(columns.iter().map(|column| column.cells[row].clone()));
    }
    table.lines()
}

/// Leaves out or shortens columns until the table is not wider than `width`.
fn fit_columns(columns: &mut Vec<Column>, width: usize) {
    let excess = |columns: &[Column]| {
        let gaps = GAP * columns.len().saturating_sub(1);
        (columns.iter().map(Column::width).sum::<usize>() + gaps).saturating_sub(width)
    };
    let shorten = |columns: &mut Vec<Column>, name: &str, min: usize| {
        let excess = excess(columns);
        if let Some(column) = columns.iter_mut().find(|column| column.name == name)
            && excess > 0
        {
            let width = column.width();
            column.shorten(width.saturating_sub(excess).max(min.min(width)));
        }
    };
    let prompts = columns.last().map(|column| column.cells.clone());
    shorten(columns, "prompt", MIN_PROMPT);
    for name in ["variant", "parent", "size"] {
        if excess(columns) > 0 {
            columns.retain(|column| column.name != name);
        }
    }
    if excess(columns) > 0 {
        let last = |cell: &String| {
            let name = cell.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next();
            name.unwrap_or(cell).to_owned()
        };
        let project = columns.iter_mut().find(|column| column.name == "project");
        if let Some(column) = project {
            column.cells = column.cells.iter().map(last).collect();
        }
    }
    shorten(columns, "project", MIN_PROJECT);
    for name in ["project", "start", "agent"] {
        if excess(columns) > 0 {
            columns.retain(|column| column.name != name);
        }
    }
    // Prompts have the place of the columns that were left out.
    if let (Some(column), Some(prompts)) = (columns.last_mut(), prompts) {
        column.cells = prompts;
    }
    shorten(columns, "prompt", 1);
    shorten(columns, "session", 1);
}

/// Returns the lengths of the beginnings of ids that no other session has, in bytes.
fn short_lengths(sessions: &[ListedSession]) -> HashMap<&str, usize> {
    let mut ids: Vec<_> =
        sessions.iter().filter_map(|session| session.session_id.as_deref()).collect();
    ids.sort_unstable();
    ids.dedup();
    let common = |a: &str, b: &str| {
        let same = a.char_indices().zip(b.chars()).take_while(|((_, a), b)| a == b);
        same.last().map_or(0, |((at, character), _)| at + character.len_utf8())
    };
    let mut lengths = HashMap::new();
    for (at, id) in ids.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| common(id, ids[before]));
        let after = ids.get(at + 1).map(|after| common(id, after));
        let needed = before.max(after).unwrap_or(0);
        let ends = id.char_indices().map(|(end, _)| end);
        let length = ends.into_iter().find(|end| *end > needed && *end >= MIN_ID);
        lengths.insert(*id, length.unwrap_or(id.len()));
    }
    lengths
}

/// Keeps the first logs of sessions, and those that may contain one that began later than their
/// beginning states, or that do not state it there.
fn limit_sessions(logs: Vec<DetectedLog>, limit: usize, jobs: usize) -> Result<Vec<DetectedLog>> {
    let is_certain = |it: &DetectedLog| {
        let agent = it.agent.and_then(vac::agent);
        let is_one = |agent: Agent| it.log.is_one_session(agent.adapter, &it.preview);
        it.preview.start.is_some() && agent.is_some_and(|agent| is_one(agent).unwrap_or(false))
    };
    let (mut kept, mut count) = (Vec::new(), 0);
    let work = |known: DetectedLog| {
        let is_certain = is_certain(&known);
        (known, is_certain)
    };
    ordered_parallel_map(logs, jobs, work, |(known, is_certain)| {
        count += usize::from(is_certain);
        if !is_certain || count <= limit {
            kept.push(known);
        }
        ControlFlow::Continue(())
    })?;
    Ok(kept)
}

fn summary(listed: &ListOutput) -> String {
    let mut parts = Vec::new();
    if !listed.sessions.is_empty() {
        parts.push(pluralize(listed.sessions.len(), "session"));
    }
    let unknown = listed.sessions.iter().filter(|session| session.start.is_none()).count();
    if unknown > 0 {
        parts.push(format!("{} of unknown start", group_digits(unknown as u64)));
    }
    if listed.skipped > 0 {
        parts.push(format!("{} skipped", pluralize(listed.skipped, "file")));
    }
    if !listed.duplicates.is_empty() {
        parts.push(format!("{} skipped", pluralize(listed.duplicates.len(), "duplicate")));
    }
    parts.join(", ")
}
