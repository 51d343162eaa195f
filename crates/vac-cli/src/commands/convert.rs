//! `vac convert`

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use vac_adapter::adapter::Profile;
use vac_adapter::session::Options;
use vac_store::{Found, Log, find};
use vac_value::{Encoding, Layout, printable};

use crate::convert::destination::Destination;
use crate::convert::summary::{Refused, Summary};
use crate::convert::work::{self, Made, Outcome, Settings};
use crate::exit::Exit;
use crate::terminal::{self, Talk};

/// Turn the session logs of agents into records
///
/// Logs are recognised by their content. Every value of a log is in its record,
/// under its canonical or its native name. The same log always gives the same
/// bytes.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = "Examples:
  vac convert session.jsonl > record.json
  vac convert ~/.claude/projects -o records/
  vac convert -f cbor -o record.cbor session.jsonl
  vac convert --report report.json -o records/ logs/

Exit codes: 0 done, 1 something could not be converted, 2 usage or input/output error.")]
pub struct Convert {
    /// Files, directories (searched for logs at any depth), or - for stdin
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Whose logs they are
    #[arg(short, long, default_value = "auto")]
    agent: String,
    /// How records are written
    #[arg(short, long, value_enum, default_value = "json")]
    format: Format,
    /// A file for all records, or a folder (with a slash at the end) for one file each
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
        let settings = self.settings()?;
        let Found { logs, troubles } = find(&self.paths);
        for trouble in &troubles {
            terminal::error(&printable(trouble, usize::MAX));
        }
        self.refuse_inputs_as_output(&logs)?;
        let mut run = Run {
            destination: Destination::of(self.output.as_deref(), self.force)?,
            encoding: settings.options.encoding,
            summary: Summary::default(),
            exit: if troubles.is_empty() { Exit::Yes } else { Exit::Trouble },
            talk,
        };
        let logs = work::arrange(logs, &settings)?;
        work::convert_all(&logs, &settings, |log, outcome| run.take(log, outcome))?;
        let Run { destination, summary, mut exit, .. } = run;
        destination.finish()?;
        if summary.sessions.is_empty() && summary.refused.is_empty() {
            terminal::error("no session log found");
            exit = exit.max(Exit::No);
        }
        if self.strict && summary.has_unknown() {
            exit = exit.max(Exit::No);
        }
        if let Some(path) = &self.report {
            let text = serde_json::to_string_pretty(&summary)?;
            std::fs::write(path, text + "\n")
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if self.json {
            let mut out = terminal::Output::new();
            out.write(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
            out.flush()?;
        }
        for line in summary.lines() {
            talk.say(&line);
        }
        Ok(exit)
    }

    fn settings(&self) -> Result<Settings> {
        let agent = match self.agent.as_str() {
            "auto" => None,
            name if crate::convert::ADAPTERS.iter().any(|adapter| adapter.name() == name) => {
                Some(name.to_owned())
            }
            name => {
                let known: Vec<_> =
                    crate::convert::ADAPTERS.iter().map(|adapter| adapter.name()).collect();
                bail!("no agent {name:?}; there are auto, {}", known.join(", "));
            }
        };
        Ok(Settings {
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
        })
    }

    /// A log is never replaced, whatever else may be.
    fn refuse_inputs_as_output(&self, logs: &[Log]) -> Result<()> {
        let Some(output) = self.output.as_ref().and_then(|output| output.canonicalize().ok())
        else {
            return Ok(());
        };
        let mut inputs = logs.iter().flat_map(Log::paths);
        if inputs.any(|path| path.canonicalize().ok().as_ref() == Some(&output)) {
            bail!("{} is a log: it is not written to", output.display());
        }
        Ok(())
    }
}

/// Takes outcomes as they come.
struct Run {
    destination: Destination,
    encoding: Encoding,
    summary: Summary,
    exit: Exit,
    talk: Talk,
}

impl Run {
    fn take(&mut self, log: &Log, outcome: Outcome) {
        match outcome {
            Outcome::Converted(sessions) => {
                for made in sessions {
                    self.take_session(log, made);
                }
            }
            Outcome::Unknown if log.named => {
                self.refuse(log, "not a session log of an agent known here".to_owned(), Exit::No);
            }
            Outcome::Unknown => {
                self.talk.say_more(&format!("{}: passed over", printable(&log.shown, usize::MAX)));
                self.summary.passed_over += 1;
            }
            Outcome::Refused(reason) => self.refuse(log, reason, Exit::No),
            Outcome::Trouble(reason) => self.refuse(log, reason, Exit::Trouble),
        }
    }

    fn take_session(&mut self, log: &Log, made: Made) {
        match made {
            Made::Failed(reason) => self.refuse(log, reason, Exit::No),
            Made::Record(report, mut record) => {
                let (agent, session) = (&report.agent, &report.session_id);
                match self.destination.take(&mut record, self.encoding, agent, session) {
                    Ok(Some(path)) => self.talk.say_more(&format!(
                        "{} -> {}",
                        printable(&log.shown, usize::MAX),
                        path.display()
                    )),
                    Ok(None) => {}
                    Err(error) => {
                        return self.refuse(log, format!("{error:#}"), Exit::Trouble);
                    }
                }
                self.summary.sessions.push(*report);
            }
        }
    }

    fn refuse(&mut self, log: &Log, reason: String, exit: Exit) {
        terminal::error(&format!(
            "{}: {}",
            printable(&log.shown, usize::MAX),
            printable(&reason, 400)
        ));
        self.summary.refused.push(Refused { name: log.shown.clone(), reason });
        self.exit = self.exit.max(exit);
    }
}
