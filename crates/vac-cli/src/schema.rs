//! The schema that documents are validated against: the one of agent records, or another.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use vac::cddl::folders::{ModuleFolders, read_file};
use vac::cddl::{ModuleLoader, ParseOptions, SpecFile};
use vac::schema::{Features, RuleId, Schema};
use vac::validation::{Document, SCHEMA, Violations, rules};
use vac::value::printable;

/// The schema, in CDDL.
pub const TEXT: &str = include_str!("../../../spec/agent-conversation.cddl");

/// Reads another schema than this project's: files as one specification, with modules from
/// folders. `rule` is its start rule.
pub fn read(
    paths: &[PathBuf],
    folders: &[PathBuf],
    rule: Option<&str>,
) -> anyhow::Result<vac::cddl::ir::Schema> {
    let read = |path: &PathBuf| {
        read_file(path).with_context(|| format!("cannot read the schema {}", path.display()))
    };
    let files: Vec<SpecFile> = paths.iter().map(read).collect::<anyhow::Result<_>>()?;
    let loader = ModuleFolders::new(folders.iter().cloned());
    let modules = (!folders.is_empty()).then_some(&loader as &dyn ModuleLoader);
    let errors = match vac::cddl::parse_files(&files, &ParseOptions { start: rule, modules }) {
        Ok(schema) => return Ok(schema),
        Err(errors) => errors,
    };
    // If only the rule is wrong, the rules that exist are of more help.
    if rule.is_some()
        && let Ok(schema) = vac::cddl::parse_files(&files, &ParseOptions { start: None, modules })
    {
        find(&vac::cddl::tables(&schema)?, rule)?;
    }
    Err(errors.into())
}

/// The rule that documents are validated against.
pub struct Rule<'s> {
    schema: Cow<'s, Schema>,
    id: RuleId,
    /// Whether it is the start rule of this project's schema.
    is_for_records: bool,
    /// The features of the schema that documents may use.
    features: Features,
}

impl Rule<'_> {
    /// Returns a rule of the schema of agent records.
    pub fn own(name: Option<&str>) -> anyhow::Result<Self> {
        let id = find(&SCHEMA, name)?;
        let (is_for_records, features) = (id == rules::ROOT, Features::ALL);
        Ok(Self { schema: Cow::Borrowed(&SCHEMA), id, is_for_records, features })
    }

    /// Returns the start rule of another schema.
    pub fn other(schema: &vac::cddl::ir::Schema) -> anyhow::Result<Self> {
        let schema = vac::cddl::tables(schema)?;
        let id = schema.root;
        let (schema, features) = (Cow::Owned(schema), Features::ALL);
        Ok(Self { schema, id, is_for_records: false, features })
    }

    /// Restricts the features that documents may use: to `only`, or to all but `except`.
    pub fn with_features(mut self, only: &[String], except: &[String]) -> anyhow::Result<Self> {
        let known: Vec<&str> = self.schema.features().into_iter().collect();
        for name in only.iter().chain(except) {
            if !known.contains(&name.as_str()) {
                return Err(no_such("feature", name, &known));
            }
        }
        self.features = match only {
            [] => Features::except(except),
            only => Features::only(only),
        };
        Ok(self)
    }

    /// Returns whether the rule is the one of records, which can be validated while they are read,
    /// and may be signed.
    pub fn is_for_records(&self) -> bool {
        self.is_for_records
    }

    /// Validates a document. Records at most `max_violations`, counts all.
    pub fn validate(
        &self,
        document: &Document<'_>,
        max_violations: usize,
    ) -> Result<(), Violations> {
        self.schema.validate_with(&self.features, self.id, document.root(), max_violations)
    }
}

/// Returns the rule of a name, by default the start rule.
fn find(schema: &Schema, name: Option<&str>) -> anyhow::Result<RuleId> {
    let Some(name) = name else { return Ok(schema.root) };
    let specified = schema.rules.iter().filter(|rule| !rule.is_prelude);
    schema.rule(name).ok_or_else(|| no_rule(name, specified.map(|rule| &*rule.name)))
}

/// Returns the error about an unknown rule, which names a similar one or lists all.
pub fn no_rule<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> anyhow::Error {
    no_such("rule", name, &known.collect::<Vec<_>>())
}

/// Returns the error about an unknown name.
fn no_such(what: &str, name: &str, known: &[&str]) -> anyhow::Error {
    let shown = printable(name, 60);
    match similar(name, known) {
        Some(other) => anyhow!("the schema has no {what} \"{shown}\"; did you mean \"{other}\"?"),
        None if known.is_empty() => anyhow!("the schema has no {what} \"{shown}\""),
        None => anyhow!("the schema has no {what} \"{shown}\"; it has {}", known.join(", ")),
    }
}

/// Returns the most similar name, if one is similar.
fn similar<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    const SIMILAR: f64 = 0.6;
    let likeness = |other: &str| strsim::normalized_damerau_levenshtein(name, other);
    let others = known.iter().map(|other| (likeness(other), *other));
    let best = others.max_by(|(one, _), (two, _)| one.total_cmp(two))?;
    (best.0 > SIMILAR).then_some(best.1)
}
