//! `vac archive list`

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use vac_archive::ArchivedVersion;

use super::{format_time, open};
use crate::exit::Exit;
use crate::format::{format_size, pluralize};
use crate::help;
use crate::json_output::{ArchiveListOutput, Document};
use crate::layout;
use crate::printer::Printer;
use crate::printer::columns::Columns;
use crate::printer::table::{Side, Table};

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
    let side = |name: &'static str| {
        let is_number = ["version", "size"].contains(&name);
        (name, if is_number { Side::Right } else { Side::Left })
    };
    let mut columns = Columns::new(&names.map(side));
    for version in versions {
        columns.row(cells(version));
    }
    columns.fit(width, ("origin", MIN_ORIGIN), &LEFT_OUT, "session")
}
