//! `vac list`

use std::ops::ControlFlow;

use anyhow::Result;
use clap::Args;
use vac::parallel::ordered_parallel_map;
use vac::{AGENTS, Agent};
use vac_adapter::session::Named;
use vac_adapter::time::instant;
use vac_adapter::{Error, Session as _};
use vac_store::MemoryBudget;
use vac_store::join::DetectedLog;
use vac_view::event_time::to_utc;

use crate::convert::selection::Selection;
use crate::exit::Exit;
use crate::format::{format_size, group_digits, pluralize, truncate};
use crate::help;
use crate::json_output::{Document, FailedFile, ListOutput, ListedSession};
use crate::printer::Printer;
use crate::printer::line::Line;
use crate::printer::table::{Side, Table};
use crate::sessions;

/// Logs with at most this many bytes are read whole: the preview reads as much of every log.
const MAX_SMALL: u64 = 256 * 1024;
/// The maximum size of an event, as `vac convert` has it by default.
const MAX_EVENT: usize = 256 << 20;

/// Maximum width of a cell, except in the last column.
const MAX_WIDTH: usize = 48;
/// Maximum width of a cell in the last column.
const MAX_LAST_WIDTH: usize = 200;

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
/// Searches the places where each agent keeps its sessions, and reads only the beginning of
/// large logs. Agents are detected by content; files that are not sessions are skipped.
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
        let mut exit = if selected.is_complete { Exit::Success } else { Exit::Error };
        let mut listed = ListOutput {
            sessions: Vec::new(),
            skipped: 0,
            duplicates: selected.duplicates,
            failed: Vec::new(),
        };
        let mut logs = selected.logs;
        logs.sort_by_cached_key(order);
        let mut sessions = Vec::with_capacity(logs.len());
        ordered_parallel_map(&logs, jobs, ListedSession::from_log, |found| {
            sessions.push(found);
            ControlFlow::Continue(())
        })?;
        for (known, sessions) in logs.iter().zip(sessions) {
            match (&known.trouble, known.agent) {
                (Some(trouble), _) => {
                    let file = known.log.shown.clone();
                    printer.error(&format!("{file}: {trouble}"));
                    listed.failed.push(FailedFile { file, error: trouble.clone() });
                    exit = Exit::Error;
                }
                (None, Some(_)) => listed.sessions.extend(sessions),
                (None, None) => {
                    printer.detail(&format!("{}: skipped", known.log.shown));
                    listed.skipped += 1;
                }
            }
        }
        if self.json {
            printer.json(&Document::new("list", &listed))?;
        } else {
            for line in table(&listed.sessions) {
                printer.line(line)?;
            }
        }
        if listed.sessions.is_empty() {
            for line in self.selection.none_found(agent)? {
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

impl ListedSession {
    /// Returns the sessions of a log, with the ids and variants that their records have. A large
    /// log is one session if its beginning states the id.
    fn from_log(known: &DetectedLog) -> Vec<Self> {
        let Some(agent) = sessions::named(known) else { return Vec::new() };
        let preview = Self::from_preview(known, agent.name);
        let is_small = preview.size.is_some_and(|size| size <= MAX_SMALL);
        if preview.session_id.is_some() && !is_small {
            return vec![preview];
        }
        match Self::survey(known, agent, &preview) {
            Ok(sessions) if !sessions.is_empty() => sessions,
            // The reason is reported when it is converted.
            _ => vec![preview],
        }
    }

    /// Reads a log and returns its sessions. What a session does not state is that of the preview.
    fn survey(known: &DetectedLog, agent: Agent, preview: &Self) -> Result<Vec<Self>, Error> {
        let log = known.log.load_within(MAX_EVENT)?;
        let sessions = agent.adapter.survey(&log)?;
        let is_only = sessions.len() == 1;
        let listed = |session: &dyn vac_adapter::Session| {
            let session = Named::new(session, agent.name);
            let record = session.record();
            let start = record.session.session_start.as_ref().and_then(to_utc);
            let parent = session.parent();
            Self {
                agent: session.agent().into_owned(),
                session_id: Some(record.id.into_owned()),
                start: start.or_else(|| preview.start.clone().filter(|_| is_only)),
                variant: session.variant(),
                parent: parent.as_ref().map(|parent| parent.session_id.clone()),
                relation: parent.map(|parent| parent.relation.as_str()),
                ..preview.clone()
            }
        };
        Ok(sessions.iter().map(|session| listed(&**session)).collect())
    }

    fn from_preview(known: &DetectedLog, agent: &str) -> Self {
        let start = known.preview.start.as_ref().and_then(to_utc);
        let parent = known.preview.parent.as_ref();
        let files = known.log.paths().map(|path| path.to_string_lossy().into_owned());
        Self {
            agent: agent.to_owned(),
            session_id: known.preview.session_id.clone(),
            start,
            size: known.log.size(),
            variant: known.preview.variant,
            project: known.preview.project.clone(),
            cli_version: known.preview.version.clone(),
            parent: parent.map(|parent| parent.session_id.clone()),
            relation: parent.map(|parent| parent.relation.as_str()),
            files: files.collect(),
        }
    }

    /// Returns the cells of the session's row, with the parent if the table has parents.
    fn cells(&self, has_parents: bool) -> Vec<String> {
        let or_dash = |text: Option<&str>, max| text.map_or("-".to_owned(), |it| truncate(it, max));
        // Fractions of a second would only widen the table.
        let start = self.start.as_deref().map(|start| match start.get(..19) {
            Some(seconds) if start.ends_with('Z') => format!("{seconds}Z"),
            _ => start.to_owned(),
        });
        let mut cells = vec![
            self.agent.clone(),
            or_dash(self.session_id.as_deref(), MAX_WIDTH),
            or_dash(start.as_deref(), MAX_WIDTH),
            self.size.map_or("-".to_owned(), format_size),
            or_dash(Some(self.variant).filter(|variant| !variant.is_empty()), MAX_WIDTH),
        ];
        if has_parents {
            cells.push(or_dash(self.parent.as_deref(), MAX_WIDTH));
        }
        cells.push(or_dash(self.project.as_deref(), MAX_LAST_WIDTH));
        cells
    }
}

/// Returns the sort key of a session: by agent, then by start; sessions of unknown start are first.
fn order(known: &DetectedLog) -> (usize, Option<i128>, Option<String>, String) {
    let agent = AGENTS.iter().position(|adapter| Some(adapter.name()) == known.adapter);
    let start = known.preview.start.as_ref().and_then(instant);
    let (id, shown) = (known.preview.session_id.clone(), known.log.shown.clone());
    (agent.unwrap_or(usize::MAX), start, id, shown)
}

fn table(sessions: &[ListedSession]) -> Vec<Line> {
    if sessions.is_empty() {
        return Vec::new();
    }
    // Most sessions have no parent, so the column is omitted if it is empty.
    let has_parents = sessions.iter().any(|session| session.parent.is_some());
    let mut names = vec![
        ("agent", Side::Left),
        ("session", Side::Left),
        ("start", Side::Left),
        ("size", Side::Right),
        ("variant", Side::Left),
    ];
    if has_parents {
        names.push(("parent", Side::Left));
    }
    names.push(("project", Side::Left));
    let mut table = Table::with_names(&names);
    for session in sessions {
        table.row(session.cells(has_parents));
    }
    table.lines()
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
