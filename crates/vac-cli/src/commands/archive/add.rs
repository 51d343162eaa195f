//! `vac archive add`

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, bail};
use clap::Args;
use vac::Search;
use vac_archive::{AddOptions, AddProgress, AddSummary, ArchivedVersion, Disk, Wait, add};

use super::{KeyOption, open};
use crate::commands::convert::{labels_by_key, parse_jobs, parse_label};
use crate::exit::Exit;
use crate::format::{pluralize, truncate};
use crate::help;
use crate::json_output::{ArchiveAddOutput, Document};
use crate::key_files;
use crate::printer::Printer;
use crate::sessions;
use crate::size;
use crate::version::COMMIT;

/// Add sessions that are new or have grown
///
/// Converts logs to records, keeps both, and signs a statement about each record. A session whose log
/// is unchanged is not added again; a log whose files, or whose database, have the same size, times and
/// inode as before is not read.
///
/// A log that grew gives a new version. A log that no longer contains what was archived, because it
/// was cut or replaced, gives a new version, too; a warning names both versions and the exit code is
/// 1, in every run until --acknowledge. That acknowledges what earlier runs have reported: a log that
/// this run finds cut is reported at least once. A file that is not a log any more is an error, until it
/// is added with --acknowledge; only the index of the archive keeps that. So is a log that cannot be compared with what was archived, because the
/// archive has lost that; --acknowledge adds it without a previous version.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = help::ending(
    &["One process adds at a time; another one waits. A run that is interrupted at any point leaves a
valid archive, and the next run completes it."],
    "a session was not added, or a log no longer contains what was archived",
    &[
        ("vac archive add sessions --discover", "All sessions on this machine"),
        ("vac archive add sessions logs/", "The sessions in a folder"),
        (
            "vac archive add sessions --discover --root backup/home --label host=spindle",
            "Those of another machine, with its label",
        ),
    ],
))]
pub struct Add {
    /// Folder of the archive
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    /// Files, directories (searched for logs at any depth), or - for stdin
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Add the sessions that agents keep on this machine (see `vac list`)
    #[arg(long, conflicts_with = "paths")]
    discover: bool,
    /// With --discover, search this folder instead: a home folder, a folder of homes, or a copy of
    /// an agent's folder (repeatable)
    #[arg(long, value_name = "DIR", requires = "discover")]
    root: Vec<PathBuf>,
    /// Agent that wrote the logs
    #[arg(short, long, default_value = "auto", value_parser = sessions::agents())]
    agent: String,
    #[command(flatten)]
    key: KeyOption,
    /// Keep this label in the records and statements of this run, too (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_label)]
    label: Vec<(String, String)>,
    /// Do not keep logs, only records
    #[arg(long)]
    no_logs: bool,
    /// Read logs that are unchanged by the state of their files, and store again what the archive
    /// has lost of them
    #[arg(long)]
    rehash: bool,
    /// Acknowledge what earlier runs have reported: logs that no longer contain what was archived; and
    /// add logs that cannot be compared with it
    #[arg(long)]
    acknowledge: bool,
    /// Do not state the time
    #[arg(long)]
    no_time: bool,
    /// Keep a longer line or message unparsed, in pieces (1KiB to 2GiB)
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::parse)]
    max_event: usize,
    /// Number of logs to convert in parallel [default: number of cores]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<std::num::NonZeroUsize>,
    /// Fail instead of waiting if another vac writes to the archive
    #[arg(long)]
    no_wait: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Add {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        if self.paths.is_empty() && !self.discover && !self.acknowledge {
            bail!("no PATH given (use --discover to add the sessions on this machine)");
        }
        let archive = open(&self.archive)?;
        let key = self.key.read(&self.archive)?;
        let agents = sessions::agent(&self.agent).iter().map(|it| it.name.to_owned()).collect();
        let options = AddOptions {
            search: Search {
                paths: self.paths.clone(),
                discover: self.discover && self.root.is_empty(),
                roots: self.root.clone(),
                agents,
                jobs: self.jobs.map_or(0, Into::into),
                ..Search::default()
            },
            labels: labels_by_key(&self.label)?,
            keep_logs: !self.no_logs,
            rehash: self.rehash,
            acknowledge: self.acknowledge,
            time: if self.no_time { None } else { Some(key_files::now()?) },
            build: COMMIT.map(str::to_owned),
            max_event: self.max_event,
            wait: if self.no_wait { Wait::No } else { Wait::Yes },
            ..AddOptions::new(SystemTime::now())
        };
        let (mut detecting, mut adding) = (None, None);
        let summary = add(&archive, &key, &options, &Disk::default(), &mut |step| match step {
            AddProgress::Waiting => {
                let shown = self.archive.display();
                printer.info(&format!("waiting for another vac that writes to {shown}"));
            }
            AddProgress::Detected(total) => {
                detecting.get_or_insert_with(|| printer.progress("looking", total)).step();
            }
            AddProgress::Read(total) => {
                detecting = None;
                adding.get_or_insert_with(|| printer.progress("adding", total)).step();
            }
            AddProgress::Added(version) => {
                printer.detail(&format!("{} -> {}", version.origin, name(version)));
            }
        });
        drop((detecting, adding));
        let summary = summary?;
        let exit = print(&summary, printer);
        if self.json {
            printer.json(&Document::new("archive add", ArchiveAddOutput::from(&summary)))?;
        }
        printer.info(&text(&summary));
        if !self.label.is_empty() && summary.unchanged > 0 {
            let unchanged = pluralize(summary.unchanged, "unchanged log");
            printer.warn(&format!(
                "--label is not kept for {unchanged}: what is archived keeps its labels"
            ));
        }
        Ok(exit)
    }
}

fn name(version: &ArchivedVersion) -> String {
    format!("{} version {}", version.session_id, version.version)
}

/// Prints what is to be known. Returns the exit code.
fn print(summary: &AddSummary, printer: &Printer) -> Exit {
    let mut exit = Exit::Success;
    for repaired in &summary.repaired {
        printer.info(&format!("repaired: {repaired}"));
    }
    for duplicate in &summary.duplicates {
        printer.detail(&duplicate.to_string());
    }
    for trouble in &summary.troubles {
        printer.error(trouble);
        exit = Exit::Error;
    }
    for (log, reason) in &summary.failed {
        printer.error(&format!("{log}: {}", truncate(reason, 400)));
        exit = exit.max(Exit::Failure);
    }
    for (version, previous) in &summary.acknowledged {
        printer.info(&format!(
            "acknowledged: version {} of session {} does not contain version {} any more ({})",
            version.version, version.session_id, previous.version, version.origin
        ));
    }
    for (log, reason) in &summary.accepted {
        printer.info(&format!("acknowledged: {log}: {}", truncate(reason, 400)));
    }
    for (version, previous) in &summary.discontinued {
        exit = exit.max(Exit::Failure);
        printer.warn_always(&format!(
            "{}: version {} of session {} does not contain version {} any more; both are kept \
             (--acknowledge accepts this)",
            version.origin, version.version, version.session_id, previous.version
        ));
    }
    exit
}

fn text(summary: &AddSummary) -> String {
    let new = summary.added.iter().filter(|version| version.version == 1).count();
    let mut parts = vec![
        format!("{} added", pluralize(new, "session")),
        pluralize(summary.added.len() - new, "new version"),
        format!("{} unchanged", summary.unchanged),
        format!("{} failed", summary.failed.len()),
    ];
    if !summary.acknowledged.is_empty() {
        parts.push(format!("{} acknowledged", summary.acknowledged.len()));
    }
    parts.push(format!(
        "{} in the archive",
        pluralize(usize::try_from(summary.size).unwrap_or(usize::MAX), "statement")
    ));
    parts.join(", ")
}
