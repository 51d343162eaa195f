//! Tests of the front end: the schemas of texts, and the texts that are refused.

mod controls;
mod errors;
mod generics;
mod groups;
mod literals;
mod modules;
mod patterns;
mod robustness;
mod rules;
mod show;
mod types;
mod warnings;

use vac_cddl::ir::{Rule, Schema};

/// Reads a text that has to be right.
fn read(text: &str) -> Schema {
    vac_cddl::parse("spec.cddl", text).unwrap_or_else(|error| panic!("{error}\nin: {text}"))
}

/// Returns a rule of a schema by its name.
fn rule<'a>(schema: &'a Schema, name: &str) -> &'a Rule {
    let found = schema.rules.iter().find(|rule| rule.name == name);
    found.unwrap_or_else(|| panic!("no rule {name}"))
}

/// Returns a rule of a text in the notation of [`show`].
fn body(text: &str, name: &str) -> String {
    let schema = read(text);
    show::type_(&schema, &rule(&schema, name).body)
}

/// Returns the first rule of a text in the notation of [`show`].
fn root(text: &str) -> String {
    let schema = read(text);
    show::type_(&schema, &schema.rules[schema.root.0].body)
}

/// Returns the first error of a text that has to be wrong.
fn error(text: &str) -> String {
    errors(text).swap_remove(0)
}

/// Returns all errors of a text that has to be wrong, without the lines of the text.
fn errors(text: &str) -> Vec<String> {
    match vac_cddl::parse("spec.cddl", text) {
        Ok(_) => panic!("nothing is wrong with: {text}"),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}
