//! `vac inspect`

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use clap::Args;
use vac::value::printable;
use vac::view::facts::{Facts, inspect};
use vac::view::usage_totals::UsageTotals;

use crate::exit::Exit;
use crate::format::{format_duration, format_time, group_digits, pluralize, truncate};
use crate::help;
use crate::json_output::{Document, InspectOutput, InspectedEnvelope, InspectedSession};
use crate::printer::Printer;
use crate::printer::line::{HEADING, Line};
use crate::printer::table::{Side, Table};
use crate::sessions::{ReadOptions, Sessions, Signature};

/// Print facts about sessions and records
///
/// Agent, version, models, parent session, times, how it ended, prompts by author, entries,
/// tokens, tools, and the first prompt of the user.
///
/// `ended` is the last end that the log states, if any. Otherwise it is `normally` if the model
/// finished, `interrupted` if it did not, and `unknown` in a session without a conversation;
/// `failed` means that the log states it. Failed tool calls are counted separately. In JSON, the
/// `status` is that of `vac events`: it is `failure` also if a tool failed in the last step.
///
/// Tokens are in buckets that can be added up: `input` (not cached), `cache-read`, `cache-write`
/// and `output`, of which `reasoning` is a part. Like authors, outcomes and categories they are
/// claims of vac, not of the log; records without annotations have none.
///
/// Of a signed record, the issuer, the subject, the time and the key identifier that its envelope
/// claims are printed as well. They are checked only with --key. Of an envelope that does not
/// contain its record nothing else is printed, and the exit code is 1.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "an input is not a session, or a record is invalid",
    &[
        ("vac inspect session.jsonl", "Print the facts about a session"),
        ("vac inspect --json record.cbor", "Print the facts about a record as JSON"),
        ("vac convert logs/ | vac inspect -", "Print the facts about every session of a folder"),
        (
            "vac inspect --key keys/signing-key.pub.pem record.cose",
            "Print them if the signature of the record is valid",
        ),
    ],
))]
pub struct InspectArgs {
    /// Session logs or records (JSON, CBOR, signed), directories or archives of them, - for stdin,
    /// ARCHIVE/SESSION, or ids of sessions that agents keep (at least 4 characters)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadOptions,
    /// Print the facts as JSON
    #[arg(long)]
    json: bool,
}

impl InspectArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let (statements, failed) = (Mutex::default(), Mutex::default());
        let sessions = self.reading.sessions(&self.files, printer)?;
        sessions.check_named()?;
        let sessions =
            Sessions { statements: Some(&statements), failed: Some(&failed), ..sessions };
        let mut found = Vec::new();
        let exit = sessions.each(&mut |session, from| {
            let mut facts = inspect(session, &from.names())?;
            if let Some(sources) = from.sources()? {
                facts.sources = sources;
            }
            found.push(InspectedSession { facts, signature: from.signature().cloned() });
            Ok(())
        })?;
        if sessions.key.is_some() && exit != Exit::Success {
            return Ok(exit);
        }
        let envelopes = statements.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.json {
            let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
            let output = InspectOutput { sessions: found, failed, envelopes };
            printer.json(&Document::new("inspect", output))?;
        } else {
            let sessions = found.iter().map(lines);
            let all = sessions.chain(envelopes.iter().map(envelope_lines));
            for (number, lines) in all.enumerate() {
                if number > 0 {
                    printer.line("")?;
                }
                for line in lines {
                    printer.line(line)?;
                }
            }
        }
        Ok(exit)
    }
}

/// Width of the column of names.
const WIDTH: usize = 11;
/// Maximum length of the first prompt.
const MAX_PROMPT: usize = 200;
/// Maximum length of any other text.
const MAX_TEXT: usize = 400;

/// Returns the facts about a session as lines.
fn lines(session: &InspectedSession) -> Vec<Line> {
    let InspectedSession { facts, signature } = session;
    let mut lines = Lines(Vec::new());
    lines.fact("session", &shorten(&facts.session_id));
    if let Some(signature) = signature {
        lines.signature(signature);
    }
    lines.fact("agent", &agent(facts));
    lines.optional("version", facts.cli_version.as_deref());
    lines.fact("models", &models(facts));
    lines.optional("directory", facts.working_dir.as_deref());
    lines.fact("vcs", &vcs(facts));
    lines.fact("parent", &parent(facts));
    lines.optional("start", facts.start.as_deref());
    lines.optional("end", facts.end.as_deref());
    lines.fact("duration", &facts.duration_ms.map(format_duration).unwrap_or_default());
    lines.fact("ended", facts.ended.name());
    if facts.errors > 0 {
        lines.fact("errors", &format!("{} failed", pluralize(facts.errors, "tool call")));
    }
    let prompt = facts.first_prompt.as_deref().map(|text| printable(text, MAX_PROMPT));
    lines.fact("prompt", &prompt.map(|text| format!("\"{text}\"")).unwrap_or_default());
    let prompts = facts.prompts.iter().map(|(author, count)| count_row(author, *count));
    lines.table("prompts", COUNTS, prompts.collect());
    lines.table("entries", COUNTS, entries(facts));
    lines.table("tokens", COUNTS, facts.tokens.as_ref().map(tokens).unwrap_or_default());
    lines.fact("cost", &facts.cost.map(|cost| cost.to_string()).unwrap_or_default());
    lines.table("tools", TOOLS, tools(facts));
    if facts.commands > 0 {
        lines.fact("commands", &group_digits(facts.commands));
    }
    for (key, value) in &facts.labels {
        lines.fact("label", &format!("{}={}", shorten(key), shorten(value)));
    }
    for source in &facts.sources {
        let (name, hash) = (shorten(&source.name), shorten(&source.sha_256));
        lines.fact(
            "source",
            &format!("{name}, {} bytes, SHA-256 {hash}", group_digits(source.size)),
        );
    }
    lines.0
}

/// Returns the claims of an envelope without its record as lines.
fn envelope_lines(envelope: &InspectedEnvelope) -> Vec<Line> {
    let InspectedEnvelope { file, signature } = envelope;
    let mut lines = Lines(Vec::new());
    lines.fact("envelope", &format!("{}, which does not contain its record", shorten(file)));
    lines.signature(signature);
    lines.0
}

/// Columns of a name and a number.
const COUNTS: &[Side] = &[Side::Left, Side::Right];
/// Columns of tools: category, canonical name, native name with server, calls, errors, cancelled.
const TOOLS: &[Side] =
    &[Side::Left, Side::Left, Side::Left, Side::Left, Side::Right, Side::Right, Side::Right];

/// Lines of a name and a fact.
struct Lines(Vec<Line>);

impl Lines {
    /// Adds a fact, unless it is empty.
    fn fact(&mut self, name: &str, fact: &str) {
        if !fact.is_empty() {
            self.0.push(heading(name).text(fact));
        }
    }

    fn optional(&mut self, name: &str, fact: Option<&str>) {
        self.fact(name, &fact.map(shorten).unwrap_or_default());
    }

    /// Adds the state of a signature, and who claims to have signed.
    fn signature(&mut self, signature: &Signature) {
        let signer = match signature {
            Signature::NotChecked { signer } => {
                let claims = if signer.is_some() { "; its envelope claims:" } else { "" };
                self.fact("signature", &format!("not checked{claims}"));
                signer
            }
            Signature::Verified { key, signer } => {
                self.fact("signature", &format!("verified, {key}"));
                signer
            }
        };
        let Some(signer) = signer else { return };
        self.optional("issuer", signer.issuer.as_deref());
        self.optional("subject", signer.subject.as_deref());
        #[allow(clippy::cast_precision_loss)] // seconds are far below 2^53
        let time = signer.issued_at.map(|time| format_time(time as f64));
        let time = time.map(|time| format!("{time}, by the signer's clock"));
        self.optional("signed at", time.as_deref());
        self.optional("key id", signer.key_id.as_deref());
        self.fact("algorithm", &signer.algorithm_name);
        if signer.certificates > 0 {
            let count = pluralize(signer.certificates, "certificate");
            self.fact("chain", &format!("{count}, not checked"));
        }
    }

    /// Adds a fact that is a table.
    fn table(&mut self, name: &str, sides: &[Side], rows: Vec<Vec<String>>) {
        let mut table = Table::new(sides);
        for row in rows {
            table.row(row);
        }
        for (number, line) in table.lines().into_iter().enumerate() {
            self.0.push(heading(if number == 0 { name } else { "" }).then(&line));
        }
    }
}

fn heading(name: &str) -> Line {
    Line::new().styled(HEADING, name).spaces(WIDTH - name.len())
}

fn agent(facts: &Facts) -> String {
    let name = shorten(&facts.agent);
    let name = match facts.adapter.as_ref().filter(|adapter| **adapter != facts.agent) {
        Some(adapter) => format!("{name} (format of {adapter})"),
        None => name,
    };
    let of_record = match facts.encoding {
        Some("cbor") => ", record in CBOR",
        Some(_) => ", record in JSON",
        None => "",
    };
    match facts.cli_name.as_ref().filter(|cli| **cli != facts.agent) {
        Some(cli) => format!("{name} ({}), {}{of_record}", shorten(cli), facts.variant),
        None => format!("{name}, {}{of_record}", facts.variant),
    }
}

fn models(facts: &Facts) -> String {
    let models: Vec<_> = facts.models.iter().map(|model| shorten(model)).collect();
    let provider = facts.model_provider.as_ref().map(|provider| format!("({})", shorten(provider)));
    let models = Some(models.join(", ")).filter(|models| !models.is_empty());
    models.into_iter().chain(provider).collect::<Vec<_>>().join(" ")
}

fn parent(facts: &Facts) -> String {
    match (&facts.parent, facts.relation) {
        (Some(parent), Some(relation)) => format!("{} ({relation})", shorten(parent)),
        (Some(parent), None) => shorten(parent),
        (None, _) => String::new(),
    }
}

/// Returns a row of a name and a number.
fn count_row(name: &str, count: u64) -> Vec<String> {
    vec![name.to_owned(), group_digits(count)]
}

fn vcs(facts: &Facts) -> String {
    let Some(vcs) = &facts.vcs else { return String::new() };
    let mut parts = vec![shorten(&vcs.kind)];
    let members = [("branch", &vcs.branch), ("revision", &vcs.revision), ("of", &vcs.repository)];
    for (name, value) in members {
        parts.extend(value.as_ref().map(|value| format!("{name} {}", shorten(value))));
    }
    parts.join(", ")
}

fn entries(facts: &Facts) -> Vec<Vec<String>> {
    const ORDER: [&str; 6] =
        ["user", "assistant", "reasoning", "tool-call", "tool-result", "system-event"];
    let row = |kind: &str| Some(vec![kind.to_owned(), group_digits(*facts.entries.get(kind)?)]);
    let mut rows: Vec<_> = ORDER.into_iter().filter_map(row).collect();
    let note = |name: &str, count: u64| count_row(&format!("({name})"), count);
    rows.extend(facts.skipped.iter().map(|(reason, count)| note(reason, *count)));
    for (name, count) in [
        ("superseded", facts.superseded),
        ("unparsed", facts.unparsed),
        ("invalid annotations", facts.invalid_annotations),
    ] {
        if count > 0 {
            rows.push(note(name, count));
        }
    }
    rows
}

fn tokens(tokens: &UsageTotals) -> Vec<Vec<String>> {
    let UsageTotals { input, cache_read, cache_write, output, reasoning, total } = tokens;
    let numbers = [
        ("input", input),
        ("cache-read", cache_read),
        ("cache-write", cache_write),
        ("output", output),
        ("(reasoning)", reasoning),
        ("total", total),
    ];
    numbers.into_iter().filter_map(|(name, number)| Some(count_row(name, (*number)?))).collect()
}

fn tools(facts: &Facts) -> Vec<Vec<String>> {
    let numbered = |count: u64, what: &str| match count {
        0 => String::new(),
        _ => format!("{} {what}", group_digits(count)),
    };
    let row = |used: &vac::view::facts::ToolFacts| {
        let errors = if used.errors == 1 { "error" } else { "errors" };
        vec![
            used.category.to_owned(),
            used.canonical.clone(),
            match &used.server {
                Some(server) => format!("{} ({})", shorten(&used.tool), shorten(server)),
                None => shorten(&used.tool),
            },
            group_digits(used.calls),
            numbered(used.errors, errors),
            numbered(used.cancelled, "cancelled"),
        ]
    };
    facts.tools.iter().map(row).collect()
}

fn shorten(text: &str) -> String {
    truncate(text, MAX_TEXT)
}
