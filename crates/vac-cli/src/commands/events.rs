//! `vac events`

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use vac::value::{harmless_json, known_text};
use vac::view::{AuthorSet, EventOptions, MessageAuthor, SkippedEvents, events};

use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::printer::Printer;
use crate::sessions::{ReadOptions, Signature};

/// Print a session as a stream of uniform JSON events
///
/// One JSON object a line, in order: `session_start`, `user_prompt`, `tool_use`, `tool_result`,
/// `permission`, `assistant_text`, `reasoning`, `usage`, `session_end`. Members that are not known
/// are absent.
///
/// Prompts have an `author`. Only the user's are printed, and those of records that do not state
/// authors (`unstated`); see --authors. Entries that repeat others, were inherited from another
/// session or are earlier versions of others are skipped; see --all. What was superseded in
/// another way is printed with `superseded`.
///
/// `command`, `paths` and `host` are derived from the input of a tool, `text` from its output.
/// `author`, `outcome`, `usage` and the other annotations are claims of vac, not of the log.
///
/// The first event of a signed record has the member `signature`: `not-checked`, or `verified` if
/// --key was given and the signature is valid.
///
/// `session_start` and `session_end` have the member `synthesised` if no entry states them. The latter
/// has a `status`, and `ended`, which disregards failures of tools. A
/// timestamp that the log does not state has `timestamp-derived`: `file-name`, or `order` if it
/// is that of the event before plus a microsecond. `left-out` counts what is not in a `text`.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "an input is not a session, or a record is invalid",
    &[
        ("vac events session.jsonl", "What happened in a session"),
        (
            "vac events --only prompts,tools record.json",
            "Prompts and tool calls, without the text of the model",
        ),
        (
            "vac events --only prompts --authors all session.jsonl",
            "Prompts of the user, the program, hooks and other agents",
        ),
        ("vac convert session.jsonl | vac events -", "The events of a record, from stdin"),
    ],
))]
pub struct EventsArgs {
    /// Session logs or records (JSON, CBOR, signed), directories or archives of them, - for stdin,
    /// ARCHIVE/SESSION, or ids of sessions that agents keep (at least 4 characters)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadOptions,
    /// Print only these events, separated by commas
    #[arg(long, value_enum, value_name = "KINDS", value_delimiter = ',')]
    only: Vec<Kind>,
    /// Print messages of these authors, separated by commas
    #[arg(
        long,
        value_enum,
        value_name = "AUTHORS",
        value_delimiter = ',',
        default_value = "user",
        conflicts_with = "all"
    )]
    authors: Vec<Author>,
    /// Print everything: messages of all authors, and duplicate, inherited and updated entries
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// `user_prompt`
    Prompts,
    /// `tool_use` and `tool_result`
    Tools,
    /// `permission`
    Permissions,
    /// `assistant_text`
    Text,
    /// `reasoning`
    Reasoning,
    /// `usage`
    Usage,
    /// `session_start` and `session_end`
    Boundaries,
}

#[derive(Clone, Copy, ValueEnum)]
enum Author {
    /// The user, and messages whose author is not stated
    User,
    /// The agent's program
    Program,
    /// Another agent, such as the one that started a subagent
    OtherAgent,
    /// A hook
    Hook,
    /// Messages that the user may not have written
    Unknown,
    /// Everyone
    All,
}

impl EventsArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let sessions = self.reading.sessions(&self.files, printer)?;
        sessions.check_named()?;
        let options = self.options();
        let mut out = BufWriter::new(printer.records());
        let mut skipped = SkippedEvents::default();
        let exit = sessions.each(&mut |session, from| {
            let mut signature = from.signature();
            let found = events(session, &from.names(), options, &mut |event| {
                let mut line = event.line();
                if let Some(signature) = signature.take() {
                    append(&mut line, signature)?;
                }
                let line = known_text(&line).expect("JSON is UTF-8");
                Ok(writeln!(out, "{}", harmless_json(line))?)
            })?;
            out.flush()?;
            skipped.add(&found);
            // The events have been printed, but the user learns that they are not of one log.
            from.check_unchanged()
        });
        // After an error the buffer holds the beginning of a session.
        out.flush()?;
        report(&skipped, printer);
        exit
    }

    fn options(&self) -> EventOptions {
        let mut options =
            if self.only.is_empty() { EventOptions::default() } else { EventOptions::NOTHING };
        for kind in &self.only {
            match kind {
                Kind::Prompts => options.prompts = true,
                Kind::Tools => options.tools = true,
                Kind::Permissions => options.permissions = true,
                Kind::Text => options.text = true,
                Kind::Reasoning => options.reasoning = true,
                Kind::Usage => options.usage = true,
                Kind::Boundaries => options.boundaries = true,
            }
        }
        options.authors = self.authors.iter().fold(AuthorSet::EMPTY, |set, author| match author {
            Author::User => set.with(MessageAuthor::User).with(MessageAuthor::Unstated),
            Author::Program => set.with(MessageAuthor::Program),
            Author::OtherAgent => set.with(MessageAuthor::OtherAgent),
            Author::Hook => set.with(MessageAuthor::Hook),
            Author::Unknown => set.with(MessageAuthor::Unknown),
            Author::All => AuthorSet::ALL,
        });
        if self.all {
            (options.authors, options.repeated) = (AuthorSet::ALL, true);
        }
        options
    }
}

/// Reports what was skipped.
fn report(skipped: &SkippedEvents, printer: &Printer) {
    let list = |counts: Vec<(&str, u64)>| {
        let counts: Vec<_> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        counts.join(", ")
    };
    if skipped.unparsed > 0 {
        let entries = if skipped.unparsed == 1 { "entry" } else { "entries" };
        let count = skipped.unparsed;
        printer.warn(&format!("skipped {count} {entries} that could not be parsed"));
    }
    if skipped.invalid_annotations > 0 {
        let annotations = pluralize(skipped.invalid_annotations, "invalid annotation");
        printer.warn(&format!("ignored {annotations}"));
    }
    if !skipped.by_author.is_empty() {
        let authors = skipped.by_author.iter().map(|(author, count)| (author.name(), *count));
        let total = pluralize(skipped.by_author.values().sum::<u64>(), "message");
        let authors = list(authors.collect());
        printer
            .info(&format!("skipped {total} by author: {authors} (use --authors to print them)"));
    }
    if !skipped.repeated.is_empty() {
        let reasons = skipped.repeated.iter().map(|(reason, count)| (reason.name(), *count));
        let total = pluralize(skipped.repeated.values().sum::<u64>(), "event");
        let reasons = list(reasons.collect());
        printer.info(&format!("skipped {total}: {reasons} (use --all to print them)"));
    }
}

/// Adds what is known about the signature to a line that is a JSON object.
fn append(line: &mut Vec<u8>, signature: &Signature) -> io::Result<()> {
    let members = serde_json::to_vec(signature)?;
    if line.pop_if(|end| *end == b'}').is_some() {
        line.push(b',');
        line.extend_from_slice(&members[1..]);
    }
    Ok(())
}
