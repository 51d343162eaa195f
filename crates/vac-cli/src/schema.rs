//! What documents are measured by: the schema of this project, or another.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, anyhow};
use vac_cddl::Interpreter;
use vac_cddl::ir::RuleId;
use vac_validate::runtime::Check;
use vac_validate::{Document, ROOT, RULES, Report, check};
use vac_value::printable;

/// The schema, in CDDL.
pub const TEXT: &str = include_str!("../../../spec/agent-conversation.cddl");

/// The version that the schema's first comment states.
pub fn version() -> &'static str {
    let stated = TEXT.split_once("schema version ").map_or("", |(_, version)| version);
    stated.split_whitespace().next().unwrap_or("unknown").trim_end_matches('.')
}

/// Another schema than this project's, read from a file.
pub fn read(path: &Path) -> anyhow::Result<vac_cddl::ir::Schema> {
    let name = path.to_string_lossy();
    let mut bytes = Vec::new();
    // One byte more than the parser takes, so that it refuses what is longer.
    let most = vac_cddl::MAX_TEXT_BYTES as u64 + 1;
    std::fs::File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read the schema {name}"))?;
    // A text that is cut off may end inside of a character.
    let text = if bytes.len() > vac_cddl::MAX_TEXT_BYTES {
        String::from_utf8_lossy(&bytes)
    } else {
        std::str::from_utf8(&bytes)
            .with_context(|| format!("cannot read the schema {name}"))?
            .into()
    };
    Ok(vac_cddl::parse(&name, &text)?)
}

/// What documents are measured by.
pub enum Rules<'s> {
    /// A rule of this project's schema, compiled in.
    Own {
        /// The rule.
        check: Check,
        /// Whether it is the start rule.
        start: bool,
    },
    /// A rule of another schema.
    Other {
        /// The schema.
        interpreter: Interpreter<'s>,
        /// The rule.
        rule: RuleId,
    },
}

impl<'s> Rules<'s> {
    /// A rule of this project's schema.
    pub fn own(rule: Option<&str>) -> anyhow::Result<Self> {
        let start = matches!(rule, None | Some("start"));
        let check = match rule {
            None => ROOT,
            Some(name) => vac_validate::rule(name)
                .ok_or_else(|| no_rule(name, RULES.iter().map(|(name, _)| *name)))?,
        };
        Ok(Self::Own { check, start })
    }

    /// A rule of another schema, which tells so many violations.
    pub fn other(
        schema: &'s vac_cddl::ir::Schema,
        rule: Option<&str>,
        most: usize,
    ) -> anyhow::Result<Self> {
        let interpreter = Interpreter::new(schema)?.max_violations(most);
        let rule = match rule {
            None => schema.root,
            Some(name) => interpreter
                .rule(name)
                .ok_or_else(|| no_rule(name, schema.rules.iter().map(|rule| rule.name.as_str())))?,
        };
        Ok(Self::Other { interpreter, rule })
    }

    /// Whether they are about records: those can be validated while they are
    /// read, and opened if they are signed.
    pub fn are_for_records(&self) -> bool {
        matches!(self, Self::Own { start: true, .. })
    }

    /// Validates a document, keeping so many violations.
    pub fn validate(&self, document: &Document<'_>, most: usize) -> Report {
        match self {
            Self::Own { check: rule, .. } => check(document, *rule, most),
            Self::Other { interpreter, rule } => {
                let mut violations = interpreter.validate_rule(*rule, document);
                let total = violations.len();
                violations.truncate(most);
                Report { violations, total }
            }
        }
    }
}

/// There is no such rule, and these are.
pub fn no_rule<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> anyhow::Error {
    let known: Vec<_> = known.collect();
    let shown = printable(name, 60);
    match similar(name, &known) {
        Some(other) => anyhow!("the schema has no rule \"{shown}\"; did you mean \"{other}\"?"),
        None => anyhow!("the schema has no rule \"{shown}\"; it has {}", known.join(", ")),
    }
}

/// The most similar of some names, if one is similar at all.
fn similar<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    const SIMILAR: f64 = 0.6;
    let likeness = |other: &str| strsim::normalized_damerau_levenshtein(name, other);
    let others = known.iter().map(|other| (likeness(other), *other));
    let best = others.max_by(|(one, _), (two, _)| one.total_cmp(two))?;
    (best.0 > SIMILAR).then_some(best.1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_states_its_version() {
        assert_eq!(super::version(), "3.0.0-draft");
    }
}
