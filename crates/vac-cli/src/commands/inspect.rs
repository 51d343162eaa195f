//! `vac inspect`

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use vac_value::printable;
use vac_view::facts::{Facts, inspect};
use vac_view::tokens::Tokens;

use crate::exit::Exit;
use crate::sessions::{self, Sessions};
use crate::terminal::{Output, Talk};

/// Show what a session or a record holds
///
/// Agent, versions, models, times, how it ended, entries, tokens, tools, and the first
/// thing the user said. The status is `success` if the model had the last word and the
/// tools it used last did not fail, `failure` if they did or the session ended with an
/// error, and otherwise `interrupted`.
#[derive(Args)]
#[command(after_help = "Examples:
  vac inspect session.jsonl
  vac inspect --json record.cbor
  vac convert logs/ | vac inspect -

Exit codes: 0 done, 1 not a session or an invalid record, 2 usage or input/output error.")]
pub struct Inspect {
    /// Session logs or records (JSON, CBOR, signed), directories of them, or - for stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Whose logs they are
    #[arg(short, long, default_value = "auto")]
    agent: String,
    /// Give the facts as JSON
    #[arg(long)]
    json: bool,
}

/// All sessions.
#[derive(Serialize)]
struct Inspected {
    sessions: Vec<Facts>,
}

impl Inspect {
    /// Does it.
    pub fn run(self, talk: Talk) -> Result<Exit> {
        let sessions = Sessions {
            paths: &self.files,
            agent: sessions::agent(&self.agent)?,
            hashes: true,
            talk,
        };
        let mut found = Vec::new();
        let exit = sessions.each(&mut |session, sources| {
            found.push(inspect(session, sources)?);
            Ok(())
        })?;
        let mut out = Output::new();
        if self.json {
            let inspected = Inspected { sessions: found };
            out.write(&(serde_json::to_string_pretty(&inspected)? + "\n"))?;
        } else {
            let texts: Vec<_> = found.iter().map(text).collect();
            out.write(&texts.join("\n"))?;
        }
        out.flush()?;
        Ok(exit)
    }
}

/// How wide the names of facts are.
const WIDTH: usize = 11;
/// How much of the first prompt is shown.
const MOST_PROMPT: usize = 200;
/// And of anything else.
const MOST: usize = 400;

/// A session's facts as lines. Everything that comes from a log is made harmless.
fn text(facts: &Facts) -> String {
    let mut lines = Lines(Vec::new());
    lines.fact("session", &shown(&facts.session_id));
    lines.fact("agent", &agent(facts));
    lines.list("versions", &facts.versions);
    lines.fact("models", &models(facts));
    lines.optional("directory", facts.working_dir.as_deref());
    lines.fact("vcs", &vcs(facts));
    lines.optional("start", facts.start.as_deref());
    lines.optional("end", facts.end.as_deref());
    lines.fact("duration", &facts.duration_ms.map(duration).unwrap_or_default());
    lines.fact("status", facts.status.name());
    let prompt = facts.first_prompt.as_deref().map(|text| printable(text, MOST_PROMPT));
    lines.fact("prompt", &prompt.map(|text| format!("\"{text}\"")).unwrap_or_default());
    lines.table("entries", &entries(facts));
    lines.table("tokens", &facts.tokens.as_ref().map(tokens).unwrap_or_default());
    lines.table("tools", &tools(facts));
    for source in &facts.sources {
        let (name, hash) = (shown(&source.name), shown(&source.sha_256));
        lines.fact("source", &format!("{name}, {} bytes, SHA-256 {hash}", grouped(source.size)));
    }
    lines.0.concat()
}

/// Lines of a name and a fact.
struct Lines(Vec<String>);

impl Lines {
    /// A fact; an empty one is none.
    fn fact(&mut self, name: &str, fact: &str) {
        if !fact.is_empty() {
            self.0.push(format!("{name:<WIDTH$}{fact}\n"));
        }
    }

    fn optional(&mut self, name: &str, fact: Option<&str>) {
        self.fact(name, &fact.map(shown).unwrap_or_default());
    }

    fn list(&mut self, name: &str, facts: &[String]) {
        let facts: Vec<_> = facts.iter().map(|fact| shown(fact)).collect();
        self.fact(name, &facts.join(", "));
    }

    /// Several lines of columns; the first is a text, the others are put to the right.
    fn table(&mut self, name: &str, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        for (number, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                let is_number = cell.starts_with(|c: char| c.is_ascii_digit());
                match (column, is_number) {
                    (1.., true) => format!("{cell:>width$}"),
                    _ => format!("{cell:<width$}"),
                }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            let name = if number == 0 { name } else { "" };
            self.0.push(format!("{name:<WIDTH$}{}\n", line.trim_end()));
        }
    }
}

fn agent(facts: &Facts) -> String {
    let name = shown(&facts.agent);
    match facts.cli_name.as_ref().filter(|cli| **cli != facts.agent) {
        Some(cli) => format!("{name} ({}), {}", shown(cli), facts.variant),
        None => format!("{name}, {}", facts.variant),
    }
}

fn models(facts: &Facts) -> String {
    let models: Vec<_> = facts.models.iter().map(|model| shown(model)).collect();
    match &facts.model_provider {
        Some(provider) => format!("{} ({})", models.join(", "), shown(provider)),
        None => models.join(", "),
    }
}

fn vcs(facts: &Facts) -> String {
    let Some(vcs) = &facts.vcs else { return String::new() };
    let mut parts = vec![shown(&vcs.r#type)];
    let said = [("branch", &vcs.branch), ("revision", &vcs.revision), ("of", &vcs.repository)];
    for (name, value) in said {
        parts.extend(value.as_ref().map(|value| format!("{name} {}", shown(value))));
    }
    parts.join(", ")
}

fn entries(facts: &Facts) -> Vec<Vec<String>> {
    const ORDER: [&str; 6] =
        ["user", "assistant", "reasoning", "tool-call", "tool-result", "system-event"];
    let row = |kind: &str| Some(vec![kind.to_owned(), grouped(*facts.entries.get(kind)?)]);
    let mut rows: Vec<_> = ORDER.into_iter().filter_map(row).collect();
    let noted = |why: &str, count: u64| vec![format!("({why})"), grouped(count)];
    rows.extend(facts.asides.iter().map(|(why, count)| noted(why, *count)));
    if facts.superseded > 0 {
        rows.push(noted("superseded", facts.superseded));
    }
    if facts.unparsed > 0 {
        rows.push(noted("unparsed", facts.unparsed));
    }
    rows
}

fn tokens(tokens: &Tokens) -> Vec<Vec<String>> {
    let Tokens { input, output, cached, cache_written, reasoning, total, cost } = tokens;
    let numbers = [
        ("input", input),
        ("output", output),
        ("cached", cached),
        ("cache-written", cache_written),
        ("reasoning", reasoning),
        ("total", total),
    ];
    let row =
        |(name, number): (&str, &Option<u64>)| Some(vec![name.to_owned(), grouped((*number)?)]);
    let mut rows: Vec<_> = numbers.into_iter().filter_map(row).collect();
    rows.extend(cost.map(|cost| vec!["cost".to_owned(), cost.to_string()]));
    rows
}

fn tools(facts: &Facts) -> Vec<Vec<String>> {
    let counted = |count: u64, what: &str| match count {
        0 => String::new(),
        _ => format!("{} {what}", grouped(count)),
    };
    let row = |used: &vac_view::facts::ToolFacts| {
        let errors = if used.errors == 1 { "error" } else { "errors" };
        vec![
            used.category.to_owned(),
            used.canonical.to_owned(),
            shown(&used.tool),
            grouped(used.calls),
            counted(used.errors, errors),
            counted(used.cancelled, "cancelled"),
        ]
    };
    facts.tools.iter().map(row).collect()
}

fn shown(text: &str) -> String {
    printable(text, MOST)
}

/// A number with a comma between each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let (minutes, rest) = (seconds / 60 % 60, seconds % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{rest}.{:03} s", milliseconds % 1000),
        (0, 0, _) => format!("{minutes} min {rest} s"),
        (0, _, _) => format!("{hours} h {minutes} min {rest} s"),
        _ => format!("{days} d {hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three_digits() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn durations_are_told_in_two_or_three_units() {
        for (milliseconds, expected) in [
            (5, "0.005 s"),
            (61_000, "1 min 1 s"),
            (3_600_000, "1 h 0 min 0 s"),
            (90_061_000, "1 d 1 h 1 min"),
        ] {
            assert_eq!(duration(milliseconds), expected);
        }
    }
}
