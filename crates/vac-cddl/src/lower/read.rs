//! Reads texts into a schema: parses them, merges their rules, lowers these, and finds probable
//! mistakes.

use std::collections::HashMap;

use super::definitions::{Definition, Definitions};
use super::{Lowering, Patterns, arguments, cycles, limits, prelude, recursion, unused};
use crate::ir::{Location, RuleId, RuleOrigin, Schema, Warning, WarningKind};
use crate::modules::{self, Directive, NamedSource, ParseOptions, RuleSet, SpecFile, directives};
use crate::source::Source;
use crate::{Error, Errors, warnings};

/// Reads a specification.
pub(crate) fn schema(files: &[SpecFile<'_>], options: &ParseOptions<'_>) -> Result<Schema, Errors> {
    let prelude = prelude::load()?;
    if files.is_empty() {
        let nowhere = Location { file: "specification".into(), line: 1, column: 1 };
        return Err(Error::new(nowhere, "no file was given").into());
    }
    let loaded = match options.modules {
        Some(loader) => modules::load(files, loader)?,
        None => Vec::new(),
    };
    let mut sources = Vec::new();
    let mut errors: Vec<Error> = Vec::new();
    for (number, file) in files.iter().chain(loaded.iter().map(|(_, file)| file)).enumerate() {
        match Source::read(number, &file.name, &file.text) {
            Ok(source) => sources.push(source),
            Err(found) => errors.extend(found.iter().cloned()),
        }
    }
    errors.truncate(limits::ERRORS);
    if let Some(errors) = Errors::new(errors) {
        return Err(errors);
    }
    let (given, modules) = sources.split_at(files.len());
    let names = loaded.iter().map(|(name, _)| name.as_str());
    let modules: Vec<_> = names.zip(modules).collect();
    lower(prelude, given, &modules, options)
        .map_err(|errors| Errors::sorted(errors, &sources.iter().collect::<Vec<_>>()))
}

fn lower<'a>(
    prelude: &'a Source<'a>,
    given: &'a [Source<'a>],
    modules: &[NamedSource<'a>],
    options: &ParseOptions<'_>,
) -> Result<Schema, Vec<Error>> {
    let merged = match options.modules {
        Some(_) => modules::merge(given, modules, options.start),
        None => Ok((RuleSet::new(given), Vec::new())),
    };
    let (merged, mut found) = merged.map_err(|error| vec![error])?;
    let mut definitions = Definitions::new();
    let mut errors = definitions.add(&RuleSet::new([prelude]), RuleOrigin::Prelude);
    errors.append(&mut definitions.add(&merged, RuleOrigin::Spec));
    let Some(first_rule) = definitions.specification_definitions().next() else {
        let why = "this text contains no rule";
        errors.extend(given.first().map(|source| source.error(0, why)));
        errors.extend(unfollowed_errors(given, options));
        return Err(errors);
    };

    let recursive = recursion::recursive_groups(&definitions);

    // The first pass finds all rules and their order, so that the second one can number them.
    let unknown = HashMap::new();
    let mut first = Lowering::new(&definitions, &unknown, &recursive, Patterns::default());
    let rules = first.rules();
    first.check_groups();
    errors.append(&mut first.errors);
    if !errors.is_empty() {
        errors.extend(unfollowed_errors(given, options));
        return Err(errors);
    }
    let order: HashMap<String, usize> = rules.into_iter().map(|rule| rule.name).zip(0..).collect();
    let root =
        root(&order, &definitions, first_rule, options.start).map_err(|error| vec![error])?;
    let mut second = Lowering::new(&definitions, &order, &recursive, first.patterns);
    let rules = second.rules();
    if !second.errors.is_empty() {
        return Err(second.errors);
    }
    cycles::refuse(&rules).map_err(|error| vec![error])?;
    arguments::check(&rules).map_err(|error| vec![error])?;
    let mut schema = Schema { rules, root, warnings: Vec::new() };
    found.append(&mut second.warnings);
    let sources = given.iter().chain(modules.iter().map(|(_, source)| *source));
    let sources: Vec<&Source> = sources.collect();
    for source in &sources {
        found.extend(lenient(source));
    }
    if options.modules.is_none() {
        found.extend(given.iter().flat_map(warn_unfollowed));
    }
    found.extend(unused::unused(&definitions, first_rule, options.start));
    found.extend(warnings::find(&schema));
    schema.warnings = warnings::sorted(found, &sources);
    Ok(schema)
}

/// Returns the rule that documents have to match.
fn root(
    order: &HashMap<String, usize>,
    definitions: &Definitions<'_>,
    first: &Definition<'_>,
    start: Option<&str>,
) -> Result<RuleId, Error> {
    let Some(start) = start else {
        let why = format!(
            "`{}` is the first rule, but not a type without parameters \
             (use --start to choose another rule)",
            first.name,
        );
        let index = order.get(&*first.name);
        return index
            .map(|&index| RuleId(index))
            .ok_or_else(|| Error::new(first.location.clone(), why));
    };
    // An alias is replaced by the name that it refers to.
    let defined = definitions.get(start);
    let name = defined.map_or(start, |definition| &definition.name);
    order.get(name).map(|&index| RuleId(index)).ok_or_else(|| match defined {
        Some(defined) => {
            let why = format!("the start rule `{start}` is not a type without parameters");
            Error::new(defined.location.clone(), why)
        }
        None => {
            let why = format!("the start rule `{start}` is not defined");
            Error::new(first.location.clone(), why)
        }
    })
}

/// Returns warnings about notation that the RFC does not allow and this crate accepts.
fn lenient(source: &Source<'_>) -> impl Iterator<Item = Warning> {
    source.tree.warnings.iter().map(|problem| Warning {
        kind: WarningKind::Lenient,
        location: source.location(problem.span.start),
        message: problem.message.clone(),
    })
}

/// Returns errors about directives that are not followed, which may be why a name is not defined.
fn unfollowed_errors(given: &[Source<'_>], options: &ParseOptions<'_>) -> Vec<Error> {
    let is_followed = options.modules.is_some();
    let texts = given.iter().filter(|_| !is_followed);
    texts.flat_map(warn_unfollowed).map(|it| Error::new(it.location, it.message)).collect()
}

/// Returns warnings about the directives of a text that is read without modules.
fn warn_unfollowed(source: &Source<'_>) -> Vec<Warning> {
    let found = directives(source.tree.text, &source.tree.comments);
    let warning = |Directive { text, start, .. }: Directive<'_>| Warning {
        kind: WarningKind::Directive,
        location: source.location(start),
        message: format!(
            "the directive `{text}` is not followed: give the folder of its file with --include"
        ),
    };
    found.map(warning).take(limits::ERRORS).collect()
}
