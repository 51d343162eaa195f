//! `vac events`

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use vac_value::harmless_json;
use vac_view::{Options, Untold, events};

use crate::exit::Exit;
use crate::help;
use crate::keys;
use crate::sessions::{self, Sessions, Signature};
use crate::size;
use crate::terminal::Talk;
use crate::words::counted;

/// Tell a session as a flat stream of events, the same for all agents
///
/// One JSON object a line, in order: `session_start`, `user_prompt`, `tool_use`,
/// `tool_result`, `assistant_text`, `reasoning`, `session_end`. Every tool call is one
/// event. What a log tells twice or has from another session, and what the agent's program
/// put in the user's or the model's mouth, is left out unless --all asks for it. What was
/// taken back later is told, and says `superseded`.
///
/// The first event of a signed record says `signature`: `not-checked`, or `verified` if --key
/// was given and its signature holds.
///
/// A boundary that no entry states says `synthesised`; a timestamp that the log does not
/// state says `timestamp-derived`: `file-name`, or `order` if it is that of the event
/// before plus a microsecond. Text of prompts and answers is text alone, and `left-out`
/// says what stood beside it.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "0 done, 1 not a session or an invalid record, 2 usage or input/output error.",
    &[
        ("vac events session.jsonl", "What happened in a session"),
        (
            "vac events --only prompts,tools record.json",
            "What was asked and done, without the model's words",
        ),
        ("vac convert session.jsonl | vac events -", "The events of a record, from stdin"),
    ],
))]
pub struct Events {
    /// Session logs or records (JSON, CBOR, signed), directories of them, or - for stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Whose logs they are
    #[arg(short, long, default_value = "auto", value_parser = sessions::agents())]
    agent: String,
    /// Do not parse a longer line or message of a log (1KiB to 2GiB)
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::parse)]
    max_event: usize,
    /// Check that every record is signed with this public key (PEM), or stop
    #[arg(long, value_name = "PUB")]
    key: Option<PathBuf>,
    /// Only these events, with commas between them
    #[arg(long, value_enum, value_name = "KINDS", value_delimiter = ',')]
    only: Vec<Kind>,
    /// Also what is repeated, outdated, inherited or synthetic; `aside` says which
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// `user_prompt`
    Prompts,
    /// `tool_use` and `tool_result`
    Tools,
    /// `assistant_text`
    Text,
    /// `reasoning`
    Reasoning,
    /// `session_start` and `session_end`
    Boundaries,
}

impl Events {
    /// Does it.
    pub fn run(self, talk: Talk) -> Result<Exit> {
        let sessions = Sessions {
            paths: &self.files,
            agent: sessions::agent(&self.agent),
            max_event: self.max_event,
            key: self.key.as_deref().map(keys::read_public).transpose()?,
            talk,
        };
        let options = self.options();
        let mut out = BufWriter::new(io::stdout());
        let mut untold = Untold::default();
        let exit = sessions.each(&mut |session, from| {
            let mut signature = from.signature();
            let left = events(session, &from.names(), options, &mut |event| {
                let mut line = event.line();
                if let Some(signature) = signature.take() {
                    append(&mut line, signature)?;
                }
                // It is text, since it is JSON.
                let line = String::from_utf8_lossy(&line);
                Ok(writeln!(out, "{}", harmless_json(&line))?)
            })?;
            out.flush()?;
            untold.add(&left);
            // The events have been printed, but the user learns that they are not of one log.
            from.sources().map(drop)
        });
        // After an error the buffer holds the beginning of a session.
        out.flush()?;
        if untold.unparsed > 0 {
            let lines = counted(untold.unparsed, "line");
            talk.warn(&format!("not told: {lines} that could not be read"));
        }
        if !untold.asides.is_empty() {
            let asides: Vec<_> = untold
                .asides
                .iter()
                .map(|(why, count)| format!("{count} {}", why.name()))
                .collect();
            talk.say_more(&format!("left out (--all tells them): {}", asides.join(", ")));
        }
        exit
    }

    fn options(&self) -> Options {
        let mut options = if self.only.is_empty() { Options::default() } else { Options::NOTHING };
        for kind in &self.only {
            match kind {
                Kind::Prompts => options.prompts = true,
                Kind::Tools => options.tools = true,
                Kind::Text => options.text = true,
                Kind::Reasoning => options.reasoning = true,
                Kind::Boundaries => options.boundaries = true,
            }
        }
        Options { asides: self.all, ..options }
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
