//! `vac validate`

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread;

use clap::{Args, ValueEnum};
use vac::cddl::ir::WarningKind;
use vac::parallel::ordered_parallel_map;
use vac::validation::Encoding;

use crate::exit::Exit;
use crate::help;
use crate::input;
use crate::printer::Printer;
use crate::schema::{self, Rule};
use crate::session_names;
use crate::size;
use crate::validate::report::Reporter;
use crate::validate::run::{Lints, Settings, validate};

/// Check records against the schema
///
/// Records may be JSON or CBOR, signed, and several in one file, as `vac convert`
/// writes them: JSON documents one after the other, or a CBOR sequence. The content
/// decides, not the name. Each violation is one line on stdout: file, place, what
/// was expected, what was found, and the rule.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "a file is invalid, or has reported lint findings with --lint=deny",
    &[
        ("vac validate record.json", "One record"),
        ("vac validate --lint=secrets,deny records/", "A folder, with likely secrets as errors"),
        ("vac convert session.jsonl | vac validate -", "From stdin"),
        (
            "vac validate --schema point.cddl --include modules --rule point point.cbor",
            "Anything else that has a schema in CDDL, and the modules it imports",
        ),
    ],
))]
pub struct ValidateArgs {
    /// Files, directories (searched for records at any depth), archives, - for stdin, or ids of records in
    /// the folder `VAC_RECORDS`
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Encoding of the input
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Use this CDDL instead of the schema of agent records (repeat to read files as one)
    #[arg(long, value_name = "FILE")]
    schema: Vec<PathBuf>,
    /// Read the modules that the CDDL imports and includes from this folder (repeatable)
    #[arg(long, value_name = "DIR", requires = "schema")]
    include: Vec<PathBuf>,
    /// Check against this rule instead of the schema's first
    #[arg(long, visible_alias = "start", value_name = "RULE")]
    rule: Option<String>,
    /// Accept only this feature of the CDDL (`.feature`; repeatable)
    #[arg(long, value_name = "NAME", requires = "schema", conflicts_with = "no_feature")]
    feature: Vec<String>,
    /// Reject this feature of the CDDL (`.feature`; repeatable)
    #[arg(long, value_name = "NAME", requires = "schema")]
    no_feature: Vec<String>,
    /// Also report lint findings; with `secrets`, only likely secrets; with `deny`, what is reported
    /// decides the exit code, too
    #[arg(
        long,
        value_enum,
        value_name = "secrets,deny",
        num_args = 0..=1,
        value_delimiter = ',',
        require_equals = true,
        default_missing_value = "warn",
        hide_possible_values = true
    )]
    lint: Vec<Lint>,
    /// Maximum violations to report per file (0 = unlimited)
    #[arg(
        long,
        default_value_t = vac::validation::MAX_VIOLATIONS,
        value_name = "N",
        value_parser = size::count_or_all
    )]
    max_errors: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Format {
    /// Detect by the first bytes
    #[default]
    Auto,
    /// JSON
    Json,
    /// CBOR
    Cbor,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Lint {
    Warn,
    Secrets,
    Deny,
}

impl ValidateArgs {
    /// Validates all inputs, and reports them in the order of the arguments.
    pub fn run(self, printer: &Printer) -> anyhow::Result<Exit> {
        let max_reported = if self.max_errors == 0 { usize::MAX } else { self.max_errors };
        let rule = self.rule.as_deref();
        let rule = if self.schema.is_empty() {
            Rule::own(rule)?
        } else {
            let schema = schema::read(&self.schema, &self.include, rule)?;
            for warning in &schema.warnings {
                // Warnings about JSON do not concern a validation of CBOR.
                let is_for_json = warning.kind == WarningKind::NotJson;
                if !is_for_json || !matches!(self.format, Format::Cbor) {
                    printer.warn(&warning.to_string());
                }
            }
            Rule::other(&schema)?.with_features(&self.feature, &self.no_feature)?
        };
        let encoding = match self.format {
            Format::Auto => None,
            Format::Json => Some(Encoding::Json),
            Format::Cbor => Some(Encoding::Cbor),
        };
        let lints = match &self.lint[..] {
            [] => Lints::None,
            lints if lints.contains(&Lint::Secrets) => Lints::Secrets,
            _ => Lints::All,
        };
        let settings = Settings { rule, encoding, lints, max_reported };
        let mut reporter = Reporter::new(self.json, self.lint.contains(&Lint::Deny), printer);
        let inputs = input::find(&session_names::resolve_records(&self.paths)?);
        let progress = printer.progress("validating", inputs.len());
        let jobs = thread::available_parallelism().map_or(1, NonZero::get);
        let work = |input| validate(input, &settings);
        let mut written = Ok(());
        ordered_parallel_map(&inputs, jobs, work, |outcome| {
            progress.step();
            written = reporter.add(&outcome);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        drop(progress);
        written?;
        Ok(reporter.finish()?)
    }
}
