//! `vac schema`

use anyhow::Context;
use clap::Args;

use crate::exit::Exit;
use crate::help;
use crate::printer::Printer;
use crate::schema::{self, no_rule};

/// Print the schema that records are validated against, in CDDL
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac schema > agent-conversation.cddl", "Print the whole schema"),
        ("vac schema --rule entry", "Print one rule, with its comment"),
        ("vac schema --version", "Print the version of the schema"),
    ],
))]
pub struct SchemaArgs {
    /// Print this rule only
    #[arg(long, value_name = "NAME", conflicts_with = "version")]
    rule: Option<String>,
    /// Print the schema's version only
    #[arg(long)]
    version: bool,
}

impl SchemaArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> anyhow::Result<Exit> {
        if self.version {
            printer.line(vac_record::SCHEMA_VERSION)?;
        } else if let Some(name) = &self.rule {
            printer.text(&rule(name)?)?;
        } else {
            printer.text(schema::TEXT)?;
        }
        Ok(Exit::Success)
    }
}

/// Returns the text of a rule, with its comment.
fn rule(name: &str) -> anyhow::Result<String> {
    let schema = vac_cddl::parse("agent-conversation.cddl", schema::TEXT)
        .context("the embedded schema cannot be read")?;
    let rule = schema
        .rules
        .iter()
        .find(|rule| rule.name == name)
        .ok_or_else(|| no_rule(name, schema.rules.iter().map(|rule| rule.name.as_str())))?;
    let mut lines: Vec<_> = rule.docs.iter().map(|line| format!("; {line}")).collect();
    lines.push(rule.source.trim_end().to_owned());
    Ok(lines.join("\n") + "\n")
}
