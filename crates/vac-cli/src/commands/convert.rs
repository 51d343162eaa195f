//! `vac convert`

use std::collections::HashSet;
use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use vac_adapter::adapter::Profile;
use vac_adapter::session::Options;
use vac_store::join::Known;
use vac_store::{Log, find};
use vac_value::{Encoding, Layout};

use crate::convert::destination::{Destination, Existing, Placed, make_folder};
use crate::convert::earlier::Earlier;
use crate::convert::report_file::ReportFile;
use crate::convert::selection::Selection;
use crate::convert::summary::{Changes, Refused, Summary};
use crate::convert::unknown;
use crate::convert::work::{self, Made, Outcome, Settings};
use crate::exit::Exit;
use crate::help;
use crate::line::beginning;
use crate::product::refuse_to_show;
use crate::protected::Protected;
use crate::sessions;
use crate::terminal::{self, Talk};

/// Turn the session logs of agents into records
///
/// Logs are recognised by their content. Every value of a log is in its record,
/// under its canonical or its native name. The same log always gives the same
/// bytes.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = help::ending(
    &["\
With --discover and an output folder, only sessions that are new or have changed since
are converted: a record names its sources with size and SHA-256. --force converts all of
them again. What is in the folder and is no record of the same session is never replaced."],
    "0 done, 1 something could not be converted, 2 usage or input/output error.",
    &[
        ("vac convert session.jsonl > record.json", "One session"),
        ("vac convert ~/.claude/projects -o records/", "All sessions of Claude Code, a file each"),
        ("vac convert --discover -o records/", "All sessions on this machine; again: what is new"),
        (
            "vac convert -f cbor --report report.json -o records.cborseq logs/",
            "In CBOR, one behind the other, with a report of what was found",
        ),
    ],
))]
pub struct Convert {
    /// Files, directories (searched for logs at any depth), or - for stdin
    #[arg(value_name = "PATH", required_unless_present = "discover")]
    paths: Vec<PathBuf>,
    /// Convert the sessions that agents keep on this machine (see `vac list`)
    #[arg(long, conflicts_with = "paths")]
    discover: bool,
    #[command(flatten)]
    selection: Selection,
    /// Whose logs they are
    #[arg(short, long, default_value = "auto", value_parser = sessions::agents())]
    agent: String,
    /// How records are written
    #[arg(short, long, value_enum, default_value = "json")]
    format: Format,
    /// A file for all records, or a folder (with a slash at the end, or with --discover)
    /// for one file each
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// How much of a log its record holds
    #[arg(long, value_enum, default_value = "full")]
    profile: ProfileName,
    /// Lay JSON out for reading
    #[arg(long)]
    pretty: bool,
    /// Write a report of what was found to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Convert so many logs at once [default: one for each core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// Do not check records against the schema
    #[arg(long)]
    no_validate: bool,
    /// Replace files that are there already
    #[arg(long)]
    force: bool,
    /// Exit with 1 if anything was not understood
    #[arg(long)]
    strict: bool,
    /// Give the summary as JSON on stdout; needs --output
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// One JSON record a line
    Json,
    /// Deterministic CBOR, one record behind the other
    Cbor,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProfileName {
    /// Everything
    Full,
    /// Only what the schema names
    Canonical,
}

impl Convert {
    /// Does it.
    pub fn run(self, talk: Talk) -> Result<Exit> {
        if self.selection.root.is_some() && !self.discover {
            bail!("--root says where to discover sessions: it needs --discover");
        }
        let settings = self.settings();
        let (agent, jobs) = (settings.agent.as_deref(), settings.jobs);
        let mut found_paths = Vec::new();
        let selected = if self.discover {
            self.selection.discover(agent, jobs, talk)?
        } else {
            let found = find(&self.paths);
            found_paths.extend(found.logs.iter().flat_map(Log::paths).map(Path::to_owned));
            self.selection.select(found, agent, jobs, talk)?
        };
        let inputs = Rc::new(inputs(&found_paths, &selected.logs));
        let words_about_left_out = selected.words_about_left_out();
        let mut summary = Summary { left_out: selected.left_out, ..Summary::default() };
        let (destination, logs) =
            self.destination(selected.logs, &settings, &inputs, &mut summary, talk)?;
        if destination.is_stdout() && settings.options.encoding == Encoding::Cbor {
            refuse_to_show()?;
        }
        let report = self.report.as_deref();
        let report = report
            .map(|path| ReportFile::of(path, self.force, &inputs, &destination))
            .transpose()?;
        let mut run = Run {
            destination,
            encoding: settings.options.encoding,
            summary,
            exit: if selected.is_complete { Exit::Yes } else { Exit::Trouble },
            over: None,
            talk,
        };
        // Records on a terminal show how far it is.
        let is_seen = run.destination.is_stdout() && std::io::stdout().is_terminal();
        let progress = if is_seen { Talk::Quiet } else { talk };
        work::convert_all(&logs, &settings, progress, |log, outcome| run.take(log, outcome))?;
        let Run { destination, summary, mut exit, over, .. } = run;
        if let Some(error) = over {
            return Err(error);
        }
        if let Some(report) = &report {
            report.refuse_records(&destination)?;
        }
        destination.finish()?;
        if summary.sessions.is_empty() && summary.refused.is_empty() {
            exit = exit.max(self.nothing(&summary, talk));
        }
        if self.strict && summary.has_unknown() {
            exit = exit.max(Exit::No);
        }
        if let Some(report) = &report {
            report.write(&terminal::json(&summary)?)?;
        }
        if self.json {
            let mut out = terminal::Output::new();
            out.json(&summary)?;
            out.flush()?;
        }
        summary.tell(words_about_left_out, talk);
        Ok(exit)
    }

    /// Where records go, and what there is to convert.
    fn destination(
        &self,
        logs: Vec<Known>,
        settings: &Settings,
        inputs: &Rc<Protected>,
        summary: &mut Summary,
        talk: Talk,
    ) -> Result<(Destination, Vec<Known>)> {
        let folder = self.output.as_ref().filter(|path| self.discover && path.as_os_str() != "-");
        let Some(folder) = folder else {
            return Ok((Destination::of(self.output.as_deref(), self.force, inputs)?, logs));
        };
        make_folder(folder)?;
        let mut earlier =
            Earlier::in_folder(folder, settings.options.encoding, settings.jobs, talk)
                .with_context(|| format!("cannot look into {}", folder.display()))?;
        let (logs, unchanged) =
            if self.force { (logs, 0) } else { earlier.divide(logs, settings.jobs, talk)? };
        summary.changes = Some(Changes { unchanged, ..Changes::default() });
        Ok((Destination::folder(folder, Existing::Updated(Box::new(earlier))), logs))
    }

    /// There is nothing to convert: of what somebody named, that is not expected.
    fn nothing(&self, summary: &Summary, talk: Talk) -> Exit {
        let is_unchanged = summary.changes.is_some_and(|changes| changes.unchanged > 0);
        match (self.discover, is_unchanged) {
            (true, true) => Exit::Yes,
            (true, false) => {
                talk.say("no session found");
                Exit::Yes
            }
            (false, _) => {
                terminal::error("no session log found");
                Exit::No
            }
        }
    }

    fn settings(&self) -> Settings {
        let agent = sessions::agent(&self.agent).map(|adapter| adapter.name().to_owned());
        Settings {
            agent,
            options: Options {
                encoding: match self.format {
                    Format::Json => Encoding::Json,
                    Format::Cbor => Encoding::Cbor,
                },
                layout: if self.pretty { Layout::Pretty } else { Layout::Compact },
                profile: match self.profile {
                    ProfileName::Full => Profile::Full,
                    ProfileName::Canonical => Profile::Canonical,
                },
                validate: !self.no_validate,
                sources: Vec::new(),
            },
            jobs: self.jobs.or(std::thread::available_parallelism().ok()).map_or(1, Into::into),
        }
    }
}

/// Everything that was found, also what is there twice. What is only passed over may be a
/// record of an earlier run.
fn inputs(found: &[PathBuf], logs: &[Known]) -> Protected {
    let is_nobodys =
        |known: &&Known| known.agent.is_none() && known.trouble.is_none() && !known.log.named;
    let passed_over: HashSet<_> =
        logs.iter().filter(is_nobodys).flat_map(|known| known.log.paths()).collect();
    let all = logs.iter().flat_map(|known| known.log.paths());
    let all = found.iter().map(PathBuf::as_path).chain(all);
    Protected::new(all.filter(|path| !passed_over.contains(path)))
}

/// Takes outcomes as they come.
struct Run {
    destination: Destination,
    encoding: Encoding,
    summary: Summary,
    exit: Exit,
    /// Why no further record can be written anywhere.
    over: Option<anyhow::Error>,
    talk: Talk,
}

impl Run {
    /// Takes one, and breaks off when there is nowhere to go with the next.
    fn take(&mut self, log: &Log, outcome: Outcome) -> ControlFlow<()> {
        match outcome {
            Outcome::Converted(sessions) => {
                for made in sessions {
                    self.take_session(log, made);
                }
            }
            Outcome::Unknown if log.named => {
                self.refuse(log, unknown::reason(log), Exit::No);
            }
            Outcome::Unknown => {
                self.talk.say_more(&format!("{}: passed over", log.shown));
                self.summary.passed_over += 1;
            }
            Outcome::Refused(reason) => self.refuse(log, reason, Exit::No),
            Outcome::Trouble(reason) => self.refuse(log, reason, Exit::Trouble),
        }
        if self.destination.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn take_session(&mut self, log: &Log, made: Made) {
        match made {
            Made::Failed(reason) => self.refuse(log, reason, Exit::No),
            Made::Trouble(reason) => self.refuse(log, reason, Exit::Trouble),
            Made::Record(report, mut record) => {
                let placed = match self.destination.take(&mut record, self.encoding, &report) {
                    Ok(placed) => placed,
                    Err(error) if self.destination.is_over() => {
                        self.over = Some(error);
                        return;
                    }
                    Err(error) => return self.refuse(log, format!("{error:#}"), Exit::Trouble),
                };
                self.tell(log, &placed);
                for warning in &report.warnings {
                    let words = format!("{}: {}", log.shown, beginning(warning, 400));
                    self.talk.warn_more(&words);
                }
                self.summary.sessions.push(*report);
            }
        }
    }

    fn tell(&mut self, log: &Log, placed: &Placed) {
        let (path, is_changed) = match placed {
            Placed::Behind => return,
            Placed::New(path) | Placed::Beside(path, _) => (path, false),
            Placed::Changed(path) => (path, true),
        };
        if let Some(Changes { new, changed, .. }) = &mut self.summary.changes {
            *if is_changed { changed } else { new } += 1;
        }
        if let Placed::Beside(_, other) = placed {
            let words = format!("{} stays: it is no record of this session", other.display());
            self.talk.warn(&words);
        }
        self.talk.say_more(&format!("{} -> {}", log.shown, path.display()));
    }

    fn refuse(&mut self, log: &Log, reason: String, exit: Exit) {
        terminal::error(&format!("{}: {}", log.shown, beginning(&reason, 400)));
        self.summary.refused.push(Refused { name: log.shown.clone(), reason });
        self.exit = self.exit.max(exit);
    }
}
