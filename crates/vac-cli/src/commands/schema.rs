//! `vac schema`

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use vac::cddl::ParseOptions;
use vac::cddl::SpecFile;

use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::printer::Printer;
use crate::schema::{self, no_rule};

/// The name of the embedded schema, for locations.
const FILE_NAME: &str = "agent-conversation.cddl";

/// Print the schema that records are validated against, in CDDL
///
/// With `--format`, prints it as JSON Schema (draft 2020-12) or as TypeScript declarations. Both
/// accept every JSON document that the CDDL accepts. Where they accept more, they contain a comment
/// that says so, and a message on stderr states how often.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac schema --rule entry", "Print one rule, with its comment"),
        ("vac schema --format json-schema > record.schema.json", "For validators of JSON"),
        ("vac schema --format typescript > record.d.ts", "For programs in TypeScript"),
        (
            "vac schema --format json-schema --schema point.cddl --include modules",
            "Anything else that has a schema in CDDL",
        ),
    ],
))]
pub struct SchemaArgs {
    /// Format of the schema
    #[arg(short, long, value_enum, default_value_t, conflicts_with = "version")]
    format: Format,
    /// Print this rule only; in other formats than CDDL, with the rules that it refers to
    #[arg(long, visible_alias = "start", value_name = "NAME", conflicts_with = "version")]
    rule: Option<String>,
    /// Use this CDDL instead of the schema of agent records (repeat to read files as one)
    #[arg(long, value_name = "FILE", conflicts_with = "version")]
    schema: Vec<PathBuf>,
    /// Read the modules that the CDDL imports and includes from this folder (repeatable)
    #[arg(long, value_name = "DIR", requires = "schema")]
    include: Vec<PathBuf>,
    /// Print the schema's version only
    #[arg(long)]
    version: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// CDDL
    #[default]
    Cddl,
    /// JSON Schema, draft 2020-12
    JsonSchema,
    /// TypeScript declarations
    Typescript,
}

impl SchemaArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> anyhow::Result<Exit> {
        if self.version {
            printer.line(vac::record::SCHEMA_VERSION)?;
        } else if self.format != Format::Cddl {
            self.export(printer)?;
        } else if !self.schema.is_empty() {
            bail!("--schema needs --format json-schema or --format typescript");
        } else if let Some(name) = &self.rule {
            printer.text(&rule(name)?)?;
        } else {
            printer.text(schema::TEXT)?;
        }
        Ok(Exit::Success)
    }

    fn export(&self, printer: &Printer) -> anyhow::Result<()> {
        let rule = self.rule.as_deref();
        let (schema, name) = match &*self.schema {
            [] => (own_schema(rule)?, FILE_NAME.to_owned()),
            [first, ..] => {
                (schema::read(&self.schema, &self.include, rule)?, first.display().to_string())
            }
        };
        let exported = match self.format {
            Format::Typescript => vac::schema_export::typescript(&schema),
            Format::JsonSchema | Format::Cddl => vac::schema_export::json_schema(&schema),
        };
        let exported = exported.with_context(|| format!("cannot export {name}"))?;
        printer.text(&exported.text)?;
        if !exported.notes.is_empty() {
            let constructs = pluralize(exported.notes.len() as u64, "construct");
            printer.info(&format!(
                "{constructs} of the CDDL cannot be expressed in full; comments say which"
            ));
        }
        Ok(())
    }
}

/// Reads the schema of agent records, from a rule on.
fn own_schema(rule: Option<&str>) -> anyhow::Result<vac::cddl::ir::Schema> {
    let read = |start| {
        let files = [SpecFile::new(FILE_NAME, schema::TEXT)];
        vac::cddl::parse_files(&files, &ParseOptions { start, modules: None })
            .context("the embedded schema cannot be read")
    };
    let whole = read(None)?;
    match rule {
        Some(name) if !whole.rules.iter().any(|rule| rule.name == name) => {
            Err(no_rule(name, whole.rules.iter().map(|rule| rule.name.as_str())))
        }
        Some(_) => read(rule),
        None => Ok(whole),
    }
}

/// Returns the text of a rule, with its comment.
fn rule(name: &str) -> anyhow::Result<String> {
    let schema = own_schema(None)?;
    let rule = schema
        .rules
        .iter()
        .find(|rule| rule.name == name)
        .ok_or_else(|| no_rule(name, schema.rules.iter().map(|rule| rule.name.as_str())))?;
    let mut lines: Vec<_> = rule.docs.iter().map(|line| format!("; {line}")).collect();
    lines.push(rule.source.trim_end().to_owned());
    Ok(lines.join("\n") + "\n")
}
