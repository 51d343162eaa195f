//! `vac archive list` and `status`

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use vac_archive::{ArchivedVersion, Catalog};
use vac_store::MemoryBudget;

use super::{format_time, open};
use crate::convert::selection::Selection;
use crate::exit::Exit;
use crate::format::{format_size, pluralize};
use crate::help;
use crate::json_output::{ArchiveListOutput, ArchiveStatusOutput, Document};
use crate::layout::{self, fit, measure};
use crate::printer::Printer;
use crate::printer::table::{GAP, Side, Table};

/// List the sessions in an archive
///
/// The latest version of each session, the last added first. On a terminal, columns are shortened or
/// left out until the table fits.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac archive list sessions", "Every session, its latest version"),
        ("vac archive list sessions --all-versions --json", "All versions, as JSON"),
    ],
))]
pub struct List {
    /// Folder of the archive
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    /// List all versions
    #[arg(long)]
    all_versions: bool,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let catalog = open(&self.archive)?.catalog()?;
        let is_listed = |it: &&ArchivedVersion| self.all_versions || catalog.is_latest(it);
        let versions: Vec<_> = catalog.versions().iter().rev().filter(is_listed).cloned().collect();
        if self.json {
            printer
                .json(&Document::new("archive list", ArchiveListOutput { sessions: versions }))?;
            return Ok(Exit::Success);
        }
        for line in table(&versions, layout::width()).lines() {
            printer.line(line)?;
        }
        printer.info(&pluralize(
            versions.len(),
            if self.all_versions { "version" } else { "session" },
        ));
        Ok(Exit::Success)
    }
}

/// The columns that are left out first when the table is too wide.
const LEFT_OUT: [&str; 6] = ["labels", "size", "start", "origin", "agent", "added"];
/// The origin is not shortened to less before other columns are left out.
const MIN_ORIGIN: usize = 24;

fn table(versions: &[ArchivedVersion], width: Option<usize>) -> Table {
    let minutes = |text: &str| text.get(..16).map(|start| start.replace('T', " "));
    let cells = |it: &ArchivedVersion| {
        let labels: Vec<_> =
            it.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let time = it.time.map(format_time);
        [
            it.session_id.clone(),
            it.version.to_string(),
            it.agent.clone(),
            time.as_deref().and_then(minutes).unwrap_or_else(|| "-".to_owned()),
            it.details.start.as_deref().and_then(minutes).unwrap_or_else(|| "-".to_owned()),
            format_size(it.details.sources.iter().map(|source| source.size).sum()),
            it.origin.clone(),
            labels.join(" "),
        ]
    };
    let names = ["session", "version", "agent", "added", "start", "size", "origin", "labels"];
    let mut columns: Vec<(&str, Vec<String>)> =
        names.iter().map(|name| (*name, vec![(*name).to_owned()])).collect();
    for version in versions {
        for (column, cell) in columns.iter_mut().zip(cells(version)) {
            column.1.push(vac_value::harmless(&cell).into_owned());
        }
    }
    let width_of = |cells: &[String]| cells.iter().map(|cell| measure(cell)).max().unwrap_or(0);
    let excess = |columns: &[(&str, Vec<String>)]| {
        let gaps = GAP * columns.len().saturating_sub(1);
        let total = columns.iter().map(|(_, cells)| width_of(cells)).sum::<usize>() + gaps;
        width.map_or(0, |width| total.saturating_sub(width))
    };
    let shorten = |columns: &mut Vec<(&str, Vec<String>)>, name: &str, min: usize| {
        let excess = excess(columns);
        if let Some((_, cells)) = columns.iter_mut().find(|(it, _)| *it == name)
            && excess > 0
        {
            let wide = width_of(cells).saturating_sub(excess).max(min);
            for cell in cells {
                *cell = fit(cell, wide);
            }
        }
    };
    shorten(&mut columns, "origin", MIN_ORIGIN);
    for name in LEFT_OUT {
        if excess(&columns) > 0 {
            columns.retain(|(it, _)| *it != name);
        }
    }
    shorten(&mut columns, "session", 1);
    let sides: Vec<_> = columns
        .iter()
        .map(|(name, _)| {
            let is_number = ["version", "size"].contains(name);
            (*name, if is_number { Side::Right } else { Side::Left })
        })
        .collect();
    let mut table = Table::with_names(&sides);
    for row in 1..=versions.len() {
        table.row(columns.iter().map(|(_, cells)| cells[row].clone()));
    }
    table
}

/// Print what is in an archive, and what is not yet
///
/// Counts sessions, versions, agents and labels. Sessions that agents keep on this machine and that are
/// not in the archive are counted, too.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "a log no longer contains what was archived",
    &[
        ("vac archive status sessions", "What is in it, and what on this machine is not"),
        ("vac archive status sessions --root backup/home --json", "The same of another home, as JSON"),
    ],
))]
pub struct Status {
    /// Folder of the archive
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    #[command(flatten)]
    selection: Selection,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let archive = open(&self.archive)?;
        let catalog = archive.catalog()?;
        let (head, _) = archive.newest_head()?;
        let jobs = std::thread::available_parallelism().map_or(1, Into::into);
        let found = self.selection.find(&[], None, jobs, &MemoryBudget::none(), printer)?;
        let known: BTreeSet<&str> =
            catalog.versions().iter().map(|version| version.session_id.as_str()).collect();
        let missing = found.logs.iter().filter(|log| log.agent.is_some());
        let missing = missing
            .filter(|log| log.preview.session_id.as_deref().is_none_or(|id| !known.contains(id)))
            .map(|log| log.log.shown.clone())
            .collect();
        let output = status(&catalog, head.time, missing);
        let exit = if output.discontinued.is_empty() { Exit::Success } else { Exit::Failure };
        if self.json {
            printer.json(&Document::new("archive status", &output))?;
            return Ok(exit);
        }
        let mut table = Table::new(&[Side::Left, Side::Left]);
        let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
        row("archive", archive.description().id.clone());
        row("key", archive.description().key.clone());
        row("sessions", output.sessions.to_string());
        row("versions", output.versions.to_string());
        let counts = |counts: &BTreeMap<String, usize>| {
            let parts: Vec<_> = counts.iter().map(|(it, count)| format!("{it} {count}")).collect();
            parts.join(", ")
        };
        row("agents", counts(&output.agents));
        row("labels", counts(&output.labels));
        row("last head", output.time.map_or("-".to_owned(), format_time));
        row("not archived", pluralize(output.not_archived.len(), "session"));
        for line in table.lines() {
            printer.line(line)?;
        }
        for path in &output.not_archived {
            printer.detail(&format!("not archived: {path}"));
        }
        for session in &output.discontinued {
            printer.warn_always(&format!(
                "session {session} no longer contains what was archived (see `vac archive add`)"
            ));
        }
        Ok(exit)
    }
}

fn status(catalog: &Catalog, time: Option<f64>, not_archived: Vec<String>) -> ArchiveStatusOutput {
    let (mut agents, mut labels) = (BTreeMap::new(), BTreeMap::new());
    for version in catalog.latest() {
        *agents.entry(version.agent.clone()).or_default() += 1;
        for (key, value) in &version.labels {
            *labels.entry(format!("{key}={value}")).or_default() += 1;
        }
    }
    ArchiveStatusOutput {
        sessions: catalog.latest().count(),
        versions: catalog.versions().len(),
        agents,
        labels,
        time,
        not_archived,
        discontinued: catalog.discontinued().map(|it| it.session_id.clone()).collect(),
    }
}
