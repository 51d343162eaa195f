//! JSON Schema, draft 2020-12.

mod arrays;
mod controls;
mod keys;
mod maps;
mod pattern;
mod types;

use std::collections::HashSet;

use vac_cddl::ir::{Location, Schema};

use crate::json::Json;
use crate::names::RuleNames;
use crate::shapes::Shapes;
use crate::{Error, ExportedSchema, MAX_PARTS, Note, check_root};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The maximum number of alternatives that are compared with each other.
const MAX_COMPARED: usize = 64;

/// The comment on every exported schema, about general differences that are not repeated at each
/// construct.
const GENERAL: &str = "Made from CDDL, which is authoritative. JSON Schema does not distinguish \
    1.0 from 1, and does not look for duplicate keys; both matter in CDDL. Where else this schema \
    accepts more than the CDDL, a $comment says so.";

/// Exports a schema.
pub(crate) fn export(schema: &Schema) -> Result<ExportedSchema, Error> {
    let shapes = Shapes::new(schema);
    check_root(&shapes)?;
    let names = RuleNames::new(&shapes, &[], definition_name);
    let mut writer =
        Writer { shapes, names, notes: Vec::new(), known_notes: HashSet::new(), parts: 0 };
    let mut definitions = Vec::new();
    for id in writer.names.rules.clone() {
        let rule = &schema.rules[id.0];
        let mut exported = writer.ty(&rule.body);
        if !rule.docs.is_empty() {
            exported.insert_first("description", rule.docs.join("\n").into());
        }
        let name = writer.names.get(id).expect("these rules have names").to_owned();
        definitions.push((name, exported.into_json()));
    }
    if writer.parts > MAX_PARTS {
        return Err(Error::TooLarge);
    }
    let root = writer.reference(schema.root);
    let mut members = vec![
        ("$schema".to_owned(), DIALECT.into()),
        ("$comment".to_owned(), GENERAL.into()),
        ("title".to_owned(), schema.rules[schema.root.0].name.as_str().into()),
    ];
    members.extend(root.members);
    members.push(("$defs".to_owned(), Json::Object(definitions)));
    Ok(ExportedSchema { text: Json::Object(members).to_pretty_text(), notes: writer.notes })
}

/// Returns the name of a definition, which needs no escapes in a reference.
fn definition_name(rule: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '$' | '@');
    let name: String = rule.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    name.trim_end_matches('_').to_owned()
}

/// Writes the types of a schema.
struct Writer<'s> {
    shapes: Shapes<'s>,
    names: RuleNames,
    notes: Vec<Note>,
    known_notes: HashSet<Note>,
    /// The number of types that were written.
    parts: usize,
}

impl Writer<'_> {
    /// Adds a note, also to the schema that it is about.
    fn note(&mut self, schema: &mut Part, location: &Location, message: impl Into<String>) {
        let message = message.into();
        schema.is_exact = false;
        schema.add_comment(&message);
        let note = Note { location: location.clone(), message };
        // Alternatives are multiplied out, so that one construct can be written several times.
        if self.known_notes.insert(note.clone()) {
            self.notes.push(note);
        }
    }

    /// Counts a type. Returns whether there are too many.
    fn is_too_large(&mut self) -> bool {
        self.parts += 1;
        self.parts > MAX_PARTS
    }
}

/// A schema that is being written: the members of its object.
#[derive(Clone, Debug)]
struct Part {
    members: Vec<(String, Json)>,
    /// Whether it accepts exactly the JSON documents that the CDDL accepts, so that it can be
    /// negated.
    is_exact: bool,
}

impl Part {
    /// A schema that accepts everything.
    const ANY: Self = Self { members: Vec::new(), is_exact: true };

    /// Creates a schema of one keyword.
    fn new(keyword: &str, value: impl Into<Json>) -> Self {
        Self::ANY.with(keyword, value)
    }

    /// Creates a schema for values of one type.
    fn of_type(name: &str) -> Self {
        Self::new("type", name)
    }

    /// Accepts nothing.
    fn never(reason: &str) -> Self {
        Self::new("$comment", reason).with("not", Json::Object(Vec::new()))
    }

    fn with(mut self, keyword: &str, value: impl Into<Json>) -> Self {
        self.members.push((keyword.to_owned(), value.into()));
        self
    }

    fn inexact(self) -> Self {
        Self { is_exact: false, ..self }
    }

    fn get(&self, keyword: &str) -> Option<&Json> {
        self.members.iter().find(|(key, _)| key == keyword).map(|(_, value)| value)
    }

    fn is_any(&self) -> bool {
        self.members.iter().all(|(key, _)| key == "$comment" || key == "description")
    }

    fn insert_first(&mut self, keyword: &str, value: Json) {
        self.members.insert(0, (keyword.to_owned(), value));
    }

    fn add_comment(&mut self, comment: &str) {
        match self.members.iter_mut().find(|(key, _)| key == "$comment") {
            Some((_, Json::Text(text))) => {
                if !text.contains(comment) {
                    text.push_str(". ");
                    text.push_str(comment);
                }
            }
            _ => self.insert_first("$comment", comment.into()),
        }
    }

    /// Returns a schema that accepts what both schemas accept.
    fn and(self, other: Self) -> Self {
        let is_exact = self.is_exact && other.is_exact;
        let is_shared = |key: &String| other.get(key).is_some();
        if self.members.iter().any(|(key, _)| is_shared(key) || key == "$ref") {
            let both = vec![self.into_json(), other.into_json()];
            return Self { is_exact, ..Self::new("allOf", Json::Array(both)) };
        }
        let members = self.members.into_iter().chain(other.members).collect();
        Self { members, is_exact }
    }

    /// Returns a schema that accepts what any of the schemas accepts.
    fn any_of(mut alternatives: Vec<Self>) -> Self {
        let is_exact = alternatives.iter().all(|part| part.is_exact);
        if let Some(any) = alternatives.iter().position(Self::is_any) {
            return Self { is_exact, ..alternatives.swap_remove(any) };
        }
        if alternatives.len() <= MAX_COMPARED {
            let mut distinct: Vec<Self> = Vec::new();
            for alternative in alternatives {
                if distinct.iter().all(|other| other.members != alternative.members) {
                    distinct.push(alternative);
                }
            }
            alternatives = distinct;
        }
        match alternatives.len() {
            0 => return Self::never("there is no alternative"),
            1 => return Self { is_exact, ..alternatives.swap_remove(0) },
            _ => {}
        }
        let alternatives = alternatives.into_iter().map(Self::into_json).collect();
        Self { is_exact, ..Self::new("anyOf", Json::Array(alternatives)) }
    }

    fn into_json(self) -> Json {
        Json::Object(self.members)
    }
}
