//! Readers of sessions, from logs and from records, for `vac inspect`, `vac events` and `vac show`.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use vac::adapter::{Error, Memory, Session, SourceFile};
use vac::convert::read_log;
use vac::parallel::with_stack;
use vac::read::source_names;
use vac::record::SessionId;
use vac::record_documents::{each_document, encoding_of_record};
use vac::signature::{PublicKey, SignatureVerdict, Verification, verify};
use vac::store::join::DetectedLog;
use vac::store::{Found, Loaded, MemoryBudget, StoredLog, find_with};
use vac::validation::signed::{self, Payload};
use vac::value::{Document, Encoding};
use vac::view::record;
use vac::{AGENTS, Agent, Search, SignerClaims};
use vac_archive::ArchiveFolders;

use crate::exit::Exit;
use crate::format::truncate;
use crate::json_output::{FailedFile, InspectedEnvelope};
use crate::key_files::{self, now};
use crate::printer::Printer;
use crate::session_names::{self, Last, Named};
use crate::{size, skipped};

/// The options of commands that read sessions of logs and of records.
#[derive(Args)]
pub struct ReadOptions {
    #[command(flatten)]
    last: Last,
    /// Agent that wrote the logs
    #[arg(short, long, default_value = "auto", value_parser = agents())]
    agent: String,
    /// Maximum size of a line or message of a log that is parsed (1KiB to 2GiB)
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::parse)]
    max_event: usize,
    /// Check that every record is signed with this public key (PEM), or stop
    #[arg(long, value_name = "PUB")]
    key: Option<PathBuf>,
}

impl ReadOptions {
    /// Returns the sessions in some paths.
    ///
    /// # Errors
    /// If the key cannot be read.
    pub fn sessions<'s>(&self, paths: &'s [PathBuf], printer: &'s Printer) -> Result<Sessions<'s>> {
        Ok(Sessions {
            paths,
            last: self.last,
            agent: agent(&self.agent),
            max_event: self.max_event,
            key: self.key.as_deref().map(key_files::read_public).transpose()?,
            statements: None,
            failed: None,
            printer,
        })
    }
}

/// The sessions to read, and how to read them.
pub struct Sessions<'s> {
    /// Files, directories, names of sessions, or `-` for standard input.
    pub paths: &'s [PathBuf],
    /// The number of the latest sessions to read.
    pub last: Last,
    /// The agent that the user named; every file is then a log.
    pub agent: Option<Agent>,
    /// Maximum size in bytes of an event that is parsed.
    pub max_event: usize,
    /// The key that every record has to be signed with; `None` does not check signatures.
    pub key: Option<PublicKey>,
    /// Receives envelopes that do not contain their record.
    pub statements: Option<&'s Mutex<Vec<InspectedEnvelope>>>,
    /// Receives what could not be read.
    pub failed: Option<&'s Mutex<Vec<FailedFile>>>,
    /// Prints messages.
    pub printer: &'s Printer,
}

/// Receives each session and its origin.
pub type Show<'s> = dyn FnMut(&dyn Session, ReadFrom<'_>) -> Result<(), Error> + Send + 's;

/// The origin of a session.
#[derive(Clone, Copy)]
pub enum ReadFrom<'l> {
    /// A log.
    Log(&'l Loaded<'l>),
    /// A record, which states its sources itself, with the signature if it is signed.
    Record(Option<&'l Signature>),
}

impl<'l> ReadFrom<'l> {
    /// Returns the names of the files of a log.
    pub fn names(self) -> Vec<SourceFile> {
        match self {
            Self::Log(log) => source_names(log),
            Self::Record(_) => Vec::new(),
        }
    }

    /// Returns the sources of a log, which is called after all of it was read: it fails if the log
    /// has changed meanwhile.
    pub fn sources(self) -> Result<Option<Vec<SourceFile>>, Error> {
        match self {
            Self::Log(log) => log.sources().map(Some),
            Self::Record(_) => Ok(None),
        }
    }

    /// Returns an error if a log was changed while it was read.
    pub fn check_unchanged(self) -> Result<(), Error> {
        match self {
            Self::Log(log) => log.check_unchanged(),
            Self::Record(_) => Ok(()),
        }
    }

    /// Returns the state of the signature of a signed record.
    pub fn signature(self) -> Option<&'l Signature> {
        match self {
            Self::Log(_) => None,
            Self::Record(signature) => signature,
        }
    }
}

/// The message of commands that read logs, or records without a signature. Only the result for the
/// latter can be read by them.
pub const SIGNED_RECORD: &str = "this is a signed record (`vac verify ENV --key KEY -o FILE` writes \
                                 the record that it contains)";

/// The state of the signature of a signed record.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "signature", rename_all = "kebab-case")]
pub enum Signature {
    /// No key was given.
    NotChecked {
        /// The claims of the envelope.
        #[serde(skip_serializing_if = "Option::is_none")]
        signer: Option<SignerClaims>,
    },
    /// The signature and the record are verified.
    Verified {
        /// The thumbprint of the key, as a URI.
        #[serde(rename = "signature-key")]
        key: String,
        /// The claims of the envelope, which the signature covers.
        #[serde(skip_serializing_if = "Option::is_none")]
        signer: Option<SignerClaims>,
    },
}

/// The reason why a record is not verified with the given key. It ends the command.
#[derive(Debug)]
struct NotVerified(String);

impl std::fmt::Display for NotVerified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotVerified {}

/// Returns the message that no session was found in the paths that the user named.
pub fn none_found(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return "no session found where agents keep them (run `vac list`)".to_owned();
    }
    let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    format!("no session found in {} (supported: {})", paths.join(", "), vac::agent_names())
}

/// Returns the parser of the names of agents, and of `auto`.
pub fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(
        std::iter::once("auto").chain(vac::agents().into_iter().map(|agent| agent.name)),
    )
}

/// Returns the agent of a name that [`agents`] has parsed, or `None` for `auto`.
pub fn agent(name: &str) -> Option<Agent> {
    vac::agent(name)
}

/// Returns the message that an input is a log of an agent where a record is expected.
pub fn not_a_record(agent: Agent) -> String {
    format!("{}, not a record; convert it first with `vac convert`", is_log(agent))
}

/// Says that an input is a log of an agent.
pub fn is_log(agent: Agent) -> String {
    let title = agent.title();
    // The name of a format is in the plural.
    if let Some(format) = title.strip_suffix(" trajectories") {
        return format!("this is a trajectory ({format})");
    }
    let is_vowel = |letter: char| "aeiou".contains(letter.to_ascii_lowercase());
    let article = if title.starts_with(is_vowel) { "an" } else { "a" };
    format!("this is {article} {title} log")
}

/// The error of commands that read sessions and were given none.
pub const NOTHING_NAMED: &str = "no session named (pass a file, a folder, - for stdin, the id of a \
                                 session that `vac list` prints, or --last)";

/// Returns the agent that wrote a log in memory, if it is one.
pub fn agent_of_bytes(bytes: &[u8]) -> Option<Agent> {
    let log = Memory { name: "-", bytes };
    let (adapter, _) = vac::adapter::detect(&log, AGENTS).ok()??;
    vac::agent(adapter.name())
}

/// Returns the agent that wrote a log, if it is known.
pub fn named(known: &DetectedLog) -> Option<Agent> {
    known.agent.and_then(vac::agent)
}

impl Sessions<'_> {
    /// Fails if nothing is named that could be read.
    pub fn check_named(&self) -> Result<()> {
        if self.paths.is_empty() && self.last.last.is_none() {
            bail!(NOTHING_NAMED);
        }
        Ok(())
    }

    /// Passes each session on, in order. A session that cannot be read does not stop the others.
    pub fn each(&self, show: &mut Show<'_>) -> Result<Exit> {
        let work = move || {
            let named = session_names::resolve(self.paths, self.last, self.agent)?;
            let reading =
                Reading { sessions: self, named: &named, show, shown: 0, exit: Exit::Success };
            reading.all()
        };
        match with_stack(work)? {
            Err(error) if error.is::<NotVerified>() => {
                self.printer.error(&error.to_string());
                Ok(Exit::Failure)
            }
            exit => exit,
        }
    }
}

struct Reading<'l, 's> {
    sessions: &'l Sessions<'l>,
    named: &'l Named,
    show: &'l mut Show<'s>,
    shown: u64,
    exit: Exit,
}

impl Reading<'_, '_> {
    fn all(mut self) -> Result<Exit> {
        let Found { logs, troubles, skipped } =
            find_with(&self.named.paths, AGENTS, &ArchiveFolders);
        for trouble in troubles {
            self.note(&trouble.shown, &trouble.reason);
            self.fail(&trouble.to_string(), Exit::Error);
        }
        let mut others = Vec::new();
        for log in logs {
            match encoding_of_record(&log, self.sessions.agent.is_some()) {
                Ok(Some(encoding)) => self.records(&log, encoding)?,
                Ok(None) => others.push(log),
                Err(error) => self.refuse(&log, &error.to_string(), Exit::Error),
            }
        }
        let agents = self.sessions.agent.iter().map(|agent| agent.name.to_owned()).collect();
        let search = Search { agents, ..Search::default() };
        let budget = MemoryBudget::new(self.sessions.max_event);
        for known in search.detect(others, &budget, &mut |_| {})? {
            self.log(&known)?;
        }
        skipped::warn(&skipped, self.sessions.printer);
        if self.shown == 0 && self.exit == Exit::Success {
            self.fail(&none_found(&self.named.paths), Exit::Failure);
        }
        Ok(self.exit)
    }

    fn log(&mut self, known: &DetectedLog) -> Result<()> {
        let log = &known.log;
        if let Some(trouble) = &known.trouble {
            self.refuse(log, trouble, Exit::Error);
            return Ok(());
        }
        let Some(agent) = self.sessions.agent.or_else(|| named(known)) else {
            if log.named {
                let reason = format!(
                    "neither a record nor a session log (supported: {})",
                    vac::agent_names()
                );
                self.refuse(log, known.looks_like.as_deref().unwrap_or(&reason), Exit::Failure);
            } else {
                self.sessions.printer.detail(&format!("{}: skipped", log.shown));
            }
            return Ok(());
        };
        if self.sessions.key.is_some() {
            bail!(NotVerified(format!("{}: not signed: this is a session log", log.shown)));
        }
        let mut taken = Ok(());
        let read = read_log(log, agent, self.sessions.max_event, &mut |session, loaded| {
            let record = session.record();
            let session_id = match &record.session.session_id {
                SessionId::Text(id) => &**id,
                SessionId::Bytes(_) => "",
            };
            if taken.is_ok() && self.named.selects(log, &[&record.id, session_id]) {
                let shown = (self.show)(session, ReadFrom::Log(loaded));
                taken = self.take(log, shown);
            }
        });
        if let Err(error) = read {
            self.take(log, Err(error))?;
        }
        taken
    }

    /// Reads the records of a file, each held in memory.
    fn records(&mut self, log: &StoredLog, encoding: Encoding) -> Result<()> {
        let mut taken = Ok(());
        let read = each_document(&log.unread(), encoding, &mut |document| {
            taken = match document {
                Ok(document) => self.record(log, document),
                Err(reason) => self.take(log, Err(Error::Refused(reason))),
            };
            if taken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Err(error) = read {
            self.refuse(log, &error.to_string(), Exit::Error);
        }
        taken
    }

    fn record(&mut self, log: &StoredLog, document: &Document<'_>) -> Result<()> {
        if let (Some(statements), None) = (self.sessions.statements, &self.sessions.key)
            && let Some(Payload::Detached | Payload::Digest) = signed::payload(document)
            && let Some(signer) = SignerClaims::read(document.root().raw())
        {
            let signature = Signature::NotChecked { signer: Some(signer) };
            let found = InspectedEnvelope { file: log.shown.clone(), signature };
            statements.lock().unwrap_or_else(PoisonError::into_inner).push(found);
            // It is also an error, since there are no facts about a session.
        }
        let signature = self.signature(log, document)?;
        let from = ReadFrom::Record(signature.as_ref());
        let shown = record::read(document, AGENTS, &mut |session| (self.show)(session, from));
        self.take(log, shown)
    }

    /// Checks the signature of a document, if there is a key to check it with.
    fn signature(&self, log: &StoredLog, document: &Document<'_>) -> Result<Option<Signature>> {
        let Some(key) = &self.sessions.key else {
            // A detached record is an error, which the caller reports.
            let Some(Payload::Attached { .. }) = signed::payload(document) else {
                return Ok(None);
            };
            let note = "signature: not checked; run vac verify";
            self.sessions.printer.info(&format!("{}: {note}", log.shown));
            let signer = SignerClaims::read(document.root().raw());
            return Ok(Some(Signature::NotChecked { signer }));
        };
        let time = Some(now()?);
        let with = Verification { key: Some(key), time, ..Verification::default() };
        let answers = verify(document.root().raw(), &with);
        if answers.verdict() == SignatureVerdict::Verified {
            let signer = SignerClaims::read(document.root().raw());
            return Ok(Some(Signature::Verified { key: key.thumbprint_uri(), signer }));
        }
        let failed = answers.lines().into_iter().find(|(_, answer)| answer.is_failed());
        let why = match failed {
            Some((question, answer)) => {
                format!("signature: failed ({question}: {})", answer.detail())
            }
            // No check failed, so the record is missing.
            None => "signature: not checked: the record is detached; run \
                     `vac verify ENV --key KEY --record FILE`"
                .to_owned(),
        };
        bail!(NotVerified(format!("{}: {}", log.shown, truncate(&why, 400))))
    }

    /// Counts a session, or prints why it could not be read. A closed pipe ends the command.
    fn take(&mut self, log: &StoredLog, shown: Result<(), Error>) -> Result<()> {
        match shown {
            Ok(()) => self.shown += 1,
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => bail!(error),
            Err(Error::Io(error)) => self.refuse(log, &error.to_string(), Exit::Error),
            Err(error) => self.refuse(log, &error.to_string(), Exit::Failure),
        }
        Ok(())
    }

    fn refuse(&mut self, log: &StoredLog, reason: &str, exit: Exit) {
        self.note(&log.shown, reason);
        self.fail(&format!("{}: {}", log.shown, truncate(reason, 400)), exit);
    }

    /// Notes a file that could not be read.
    fn note(&self, file: &str, reason: &str) {
        let Some(failed) = self.sessions.failed else { return };
        let failure = FailedFile { file: file.to_owned(), error: truncate(reason, 400) };
        failed.lock().unwrap_or_else(PoisonError::into_inner).push(failure);
    }

    fn fail(&mut self, message: &str, exit: Exit) {
        self.sessions.printer.error(message);
        self.exit = self.exit.max(exit);
    }
}
