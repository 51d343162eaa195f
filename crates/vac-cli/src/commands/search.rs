//! `vac search`

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use vac::record::annotations::SupersededHow;
use vac::value::harmless;
use vac::view::text_search::{Hit, TextField, TextFields, TextQuery};
use vac::view::{SessionHits, SkipReason, search_session};
use vac::when;

use crate::exit::Exit;
use crate::format::{group_digits, pluralize};
use crate::help;
use crate::json_output::{Document, HitOutput, SearchOutput, SearchedSession};
use crate::layout::{self, fit, measure};
use crate::printer::Printer;
use crate::printer::line::{ERROR, HEADING, Line};
use crate::session_scan::{Limits, Scope};
use crate::size;

/// Search the texts of sessions with a regular expression
///
/// Searches prompts, answers, commands, outputs and paths, in logs and records, several in
/// parallel. A hit is one text that matches: the index of its entry, the time in UTC, what the text
/// is, and the line in which the first match begins. The next line is the command that shows the
/// entry.
///
/// The syntax is that of the Rust crate `regex`. `^` and `$` match at lines, and `.` does not match a
/// line end.
///
/// Nothing is reported twice: entries that repeat others, were inherited from another session or
/// are earlier versions of others are not searched, and neither are messages that the program or a
/// hook wrote in the user's name; see --all. What was superseded in another way is searched.
#[derive(Args)]
#[command(after_help = help::ending(
    &["Exit codes are those of grep. Logs that cannot contain a match are not parsed, and signatures \
       are not checked."],
    "nothing matches",
    &[
        ("vac search -i weave", "All sessions on this machine"),
        ("vac search 'it$' --in prompts,outputs --since 2026-03", "Some texts, since March"),
        ("vac search -l Woven session.jsonl", "The sessions that contain a text"),
        ("vac search --json --in answers . record.json", "Every answer in a record, as JSON"),
    ],
))]
#[allow(clippy::struct_excessive_bools)] // each is an option
pub struct SearchArgs {
    /// Regular expression
    #[arg(value_name = "PATTERN", allow_hyphen_values = true)]
    pattern: String,
    #[command(flatten)]
    scope: Scope,
    /// Only sessions that began then or later: 2026, 2026-03, 2026-03-01,
    /// 2026-03-01T09:30:00Z, 24h, 7d, 2w (ago), today, yesterday; in UTC
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    since: Option<i128>,
    /// Only sessions that began then or earlier; all of a day, month or year
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    until: Option<i128>,
    /// Search only these texts, separated by commas
    #[arg(
        long = "in",
        value_enum,
        value_name = "TEXTS",
        value_delimiter = ',',
        default_value = "prompts,answers,commands,outputs,paths"
    )]
    fields: Vec<Field>,
    /// Ignore case
    #[arg(short, long)]
    ignore_case: bool,
    /// Also search entries that repeat others, were inherited, or were written by the program
    #[arg(long)]
    all: bool,
    /// Print only the names of sessions with hits: ids, or paths of files
    #[arg(short = 'l', long, conflicts_with = "count")]
    sessions: bool,
    /// Print only the names of sessions with hits, and the number of hits
    #[arg(short, long)]
    count: bool,
    /// Maximum hits to print per session (0 = unlimited)
    #[arg(short, long, value_name = "N", default_value_t = 1000, value_parser = size::count_or_all)]
    max_count: usize,
    /// Print the hits as JSON
    #[arg(long)]
    json: bool,
}

/// A kind of text to search.
#[derive(Clone, Copy, ValueEnum)]
enum Field {
    /// Messages of the user
    Prompts,
    /// Messages of the model
    Answers,
    /// Reasoning of the model
    Reasoning,
    /// Command lines
    Commands,
    /// All texts in inputs of tools, such as the content of written files
    Inputs,
    /// Outputs of tools
    Outputs,
    /// Paths that tool calls name
    Paths,
}

impl SearchArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let query = self.query()?;
        let limits = Limits { since: self.since, until: self.until, filter: query.filter.as_ref() };
        let mut output = SearchOutput { sessions: Vec::new() };
        let mut is_first = true;
        let mut left_out = 0;
        let search = |session: &dyn vac::adapter::Session, sources: &[vac::adapter::SourceFile]| {
            search_session(session, sources, &query)
        };
        let scanned = self.scope.each(limits, printer, search, &mut |session| {
            let (name, found) = (session.name, session.result);
            if found.count == 0 {
                return Ok(());
            }
            if !self.sessions && !self.count {
                left_out += found.count - found.hits.len() as u64;
            }
            if self.json {
                output.sessions.push(self.output(name, found));
            } else if self.sessions || self.count {
                let name = name.unwrap_or(found.head.session_id);
                let count = if self.count { format!(":{}", found.count) } else { String::new() };
                printer.line(&format!("{name}{count}"))?;
            } else {
                if !is_first {
                    printer.line("")?;
                }
                for line in lines(name.as_deref(), &found, layout::width()) {
                    printer.line(line)?;
                }
            }
            is_first = false;
            Ok(())
        })?;
        if self.json {
            is_first = output.sessions.is_empty();
            printer.json(&Document::new("search", &output))?;
        }
        if left_out > 0 {
            let hits = pluralize(left_out, "more hit");
            printer.info(&format!("{hits} not printed (see --max-count)"));
        }
        printer.detail(&format!("{} searched", pluralize(scanned.logs, "log")));
        Ok(match (scanned.exit, is_first) {
            (Exit::Success, false) => Exit::Success,
            (Exit::Success, true) => Exit::Failure,
            // As for grep, what could not be searched is an error whatever was found.
            _ => Exit::Error,
        })
    }

    fn query(&self) -> Result<TextQuery> {
        let query = TextQuery::new(&self.pattern, self.ignore_case);
        let mut query = query.context("the pattern is not a regular expression")?;
        query.fields = self.fields.iter().fold(TextFields::EMPTY, |fields, field| {
            fields.with(match field {
                Field::Prompts => TextField::Prompt,
                Field::Answers => TextField::Answer,
                Field::Reasoning => TextField::Reasoning,
                Field::Commands => TextField::Command,
                Field::Inputs => TextField::Input,
                Field::Outputs => TextField::Output,
                Field::Paths => TextField::Path,
            })
        });
        query.all = self.all;
        query.first_only = self.sessions;
        query.max_hits = match self.max_count {
            _ if self.sessions || self.count => 0,
            0 => usize::MAX,
            count => count,
        };
        Ok(query)
    }

    fn output(&self, name: Option<String>, found: SessionHits) -> SearchedSession {
        let SessionHits { head, hits, count } = found;
        let hit = |hit: Hit| HitOutput {
            field: hit.field,
            entry: hit.place.index(),
            path: hit.place.pointer(),
            show: name.as_deref().map(|name| show_command(name, &hit)),
            entry_id: hit.entry_id,
            timestamp: hit.time,
            subagent: hit.subagent,
            superseded: hit.superseded.map(SupersededHow::as_str),
            repeats: hit.skip_reason,
            line: hit.line,
            matched: hit.text[hit.matched].to_owned(),
            text: hit.text,
            lines: hit.lines,
        };
        SearchedSession {
            hits: hits.into_iter().map(hit).collect(),
            session_id: head.session_id,
            agent: head.agent,
            start: head.start,
            working_dir: head.working_dir,
            name,
            count: (!self.sessions).then_some(count),
        }
    }
}

/// Width of the columns of indexes and of fields.
const INDEX: usize = 6;
const FIELD: usize = 9;

/// Returns the lines of a session. Lines with hits fit the width, if there is one.
fn lines(name: Option<&str>, found: &SessionHits, width: Option<usize>) -> Vec<Line> {
    let head = &found.head;
    let mut facts = format!("  {}", head.agent);
    for fact in [&head.start, &head.working_dir].into_iter().flatten() {
        facts.extend(["  ", fact]);
    }
    // The id is needed as a whole.
    let id = harmless(&head.session_id);
    let room = width.map(|width| width.saturating_sub(measure(&id)));
    let facts = room.map_or_else(|| facts.clone(), |room| fit(&facts, room));
    let mut lines = vec![Line::new().styled(HEADING, &id).text(facts.trim_end())];
    for hit in &found.hits {
        let time = match hit.time.as_deref().and_then(|time| time.get(..19)) {
            Some(time) => time.replace('T', " "),
            None => "-".to_owned(),
        };
        let field = hit.field.name();
        let index = hit.place.index().to_string();
        let line = Line::new()
            .spaces(INDEX.saturating_sub(index.len()))
            .text(&format!("{index}  {time:19}  {field:FIELD$}  "));
        let used = INDEX.max(index.len()) + 2 + 19 + 2 + FIELD + 2;
        let mut marks = Vec::new();
        marks.extend(hit.superseded.map(SupersededHow::as_str));
        marks.extend(hit.skip_reason.map(SkipReason::name));
        let mark =
            if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        let room = width.map(|width| width.saturating_sub(used + measure(&mark)));
        lines.push(line.then(&context(hit, room)).text(&mark));
        if let Some(name) = name {
            lines.push(Line::new().spaces(INDEX + 2).text(&show_command(name, hit)));
        }
    }
    let left_out = found.count - found.hits.len() as u64;
    if left_out > 0 {
        lines.push(Line::new().spaces(INDEX + 2).text(&format!("{} more", group_digits(left_out))));
    }
    lines
}

/// Returns the line around a match, with the match in colour.
fn context(hit: &Hit, width: Option<usize>) -> Line {
    let plain = |text: &str| harmless(&text.replace('\t', " ")).into_owned();
    let before = plain(hit.text[..hit.matched.start].trim_start());
    let matched = plain(&hit.text[hit.matched.clone()]);
    let after = plain(hit.text[hit.matched.end..].trim_end());
    let Some(width) = width else {
        return Line::new().text(&before).styled(ERROR, &matched).text(&after);
    };
    let needed = measure(&before) + measure(&matched) + measure(&after);
    let before = if needed > width { fit_end(&before, width / 3) } else { before };
    let rest = width.saturating_sub(measure(&before));
    let matched = fit(&matched, rest);
    let after = fit(&after, rest.saturating_sub(measure(&matched)));
    Line::new().text(&before).styled(ERROR, &matched).text(&after)
}

/// Returns the end of a text that fits the width, with an ellipsis if it is not all of it.
fn fit_end(text: &str, width: usize) -> String {
    let reversed: String = text.chars().rev().collect();
    fit(&reversed, width).chars().rev().collect()
}

/// Returns the command that shows an entry.
fn show_command(name: &str, hit: &Hit) -> String {
    let all = if hit.is_hidden { " --all" } else { "" };
    format!("vac show {} --at {}{all}", quote(name), hit.place.index())
}

/// Returns a word as a shell reads it.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:@%+=".contains(c);
    let word = if word.starts_with('-') { format!("./{word}") } else { word.to_owned() };
    if !word.is_empty() && word.chars().all(is_plain) {
        return word;
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("a/b-c.jsonl", "a/b-c.jsonl"),
            ("a b", "'a b'"),
            ("it's $(x)", r"'it'\''s $(x)'"),
            ("-l", "./-l"),
            ("", "''"),
        ] {
            assert_eq!(quote(word), expected);
        }
    }

    #[test]
    fn context_keeps_the_match_in_the_width() {
        let text = format!("{} needle {}", "a".repeat(200), "b".repeat(200));
        let at = text.find("needle").expect("it is there");
        let hit = Hit {
            field: TextField::Output,
            place: vac::view::EntryPlace::default(),
            entry_id: None,
            time: None,
            subagent: None,
            superseded: None,
            skip_reason: None,
            is_hidden: false,
            line: 1,
            matched: at..at + 6,
            text,
            lines: 1,
        };
        for width in [20, 40, 80] {
            let line = context(&hit, Some(width));
            let plain = anstream::adapter::strip_str(line.as_str()).to_string();
            assert!(measure(&plain) <= width && plain.contains("needle"), "{plain}");
        }
        assert_eq!(fit_end("weaving", 4), "…ing");
    }
}
