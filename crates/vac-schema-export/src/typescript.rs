//! TypeScript declarations.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use vac_cddl::ir::{
    Control, Group, Literal, LiteralValue, Location, RuleId, RuleOrigin, Schema, Type, TypeKind,
};

use crate::array_shape::{Losses, Run};
use crate::json::Json;
use crate::kinds::{FALSE, NULL, NUMBER, TRUE};
use crate::map_shape::{Alternative, Known};
use crate::names::RuleNames;
use crate::shapes::{Shapes, resolve, texts};
use crate::{Error, ExportedSchema, MAX_PARTS, Note, check_root};

const HEADER: &str = "\
// Made from CDDL, which is authoritative. A type accepts every JSON document that the CDDL accepts,
// and more: TypeScript knows neither ranges nor patterns, and does not distinguish integers.
";

/// Names that TypeScript does not allow for types, and global types that values here may have.
const RESERVED: &[&str] = &[
    "Any", "Array", "Boolean", "Number", "Object", "String", "Symbol", "Record", "Function", "Date",
];

/// The maximum number of elements of a tuple that are written one by one.
const MAX_TUPLE: u64 = 16;

/// Exports a schema.
pub(crate) fn export(schema: &Schema) -> Result<ExportedSchema, Error> {
    let shapes = Shapes::new(schema);
    check_root(&shapes)?;
    let names = RuleNames::new(&shapes, RESERVED, type_name);
    let mut writer = Writer { shapes, names, notes: Vec::new(), parts: 0 };
    let mut text = HEADER.to_owned();
    for id in writer.names.rules.clone() {
        text.push('\n');
        writer.rule(id, &mut text);
    }
    if writer.parts > MAX_PARTS {
        return Err(Error::TooLarge);
    }
    Ok(ExportedSchema { text, notes: writer.notes })
}

/// Returns the name of a rule as that of a type: `session-id` is `SessionId`.
fn type_name(rule: &str) -> String {
    let mut name = String::new();
    let mut is_start = true;
    for c in rule.chars() {
        if !c.is_ascii_alphanumeric() && c != '_' {
            is_start = true;
        } else if is_start {
            name.push(c.to_ascii_uppercase());
            is_start = false;
        } else {
            name.push(c);
        }
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) || name.is_empty() {
        name.insert(0, '_');
    }
    name
}

struct Writer<'s> {
    shapes: Shapes<'s>,
    names: RuleNames,
    notes: Vec<Note>,
    parts: usize,
}

impl<'s> Writer<'s> {
    fn rule(&mut self, id: RuleId, out: &mut String) {
        let rule = &self.shapes.schema.rules[id.0];
        let name = self.names.get(id).expect("these rules have names").to_owned();
        write_docs(&rule.docs, 0, out);
        if let TypeKind::Map(group) = &rule.body.kind
            && let Some(alternative) = self.only_alternative(group)
        {
            let body = self.object(&alternative, &group.location, 0);
            writeln!(out, "export interface {name} {body}").expect("a text can be written to");
            return;
        }
        let body = self.ty(&rule.body, 0);
        writeln!(out, "export type {name} = {body};").expect("a text can be written to");
    }

    fn only_alternative(&self, group: &'s Group) -> Option<Alternative<'s>> {
        let mut alternatives =
            group.choices.iter().flat_map(|elements| self.shapes.alternatives(elements));
        let only = alternatives.next();
        only.filter(|_| alternatives.next().is_none())
    }

    fn note(&mut self, location: &Location, message: &str) -> String {
        let note = Note { location: location.clone(), message: message.to_owned() };
        // The writer goes through the text in order, so that equal notes follow each other.
        if self.notes.last() != Some(&note) {
            self.notes.push(note);
        }
        format!("/* {message} */ ")
    }

    /// Writes a type. The result is a single word, or in parentheses or brackets, except for
    /// unions.
    fn ty(&mut self, ty: &'s Type, level: usize) -> String {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return "unknown".to_owned();
        }
        let kinds = self.shapes.kinds.get(ty);
        if kinds == 0 {
            return "never".to_owned();
        }
        match &ty.kind {
            TypeKind::Any => "unknown".to_owned(),
            TypeKind::Rule(id) => self.reference(*id, level),
            TypeKind::Literal(Literal { value, .. }) => literal(value),
            TypeKind::Range { .. } | TypeKind::Tag { .. } => "number".to_owned(),
            TypeKind::Choice(alternatives) => {
                let mut parts = Vec::new();
                for alternative in alternatives {
                    if self.shapes.kinds.get(alternative) != 0 {
                        parts.push(self.ty(alternative, level));
                    }
                }
                union(parts)
            }
            TypeKind::Map(group) => self.map(group, level),
            TypeKind::Array(group) => self.array(group, level),
            TypeKind::Major { .. } | TypeKind::Simple(_) => of_kinds(kinds),
            TypeKind::Control { target, control } => {
                let written = self.ty(target, level);
                match control {
                    Control::Eq(value) => literal(value),
                    Control::And(other) | Control::Is(other) => {
                        let other = self.ty(other, level);
                        format!("({written}) & ({other})")
                    }
                    _ => written,
                }
            }
        }
    }

    fn reference(&mut self, id: RuleId, level: usize) -> String {
        let rule = &self.shapes.schema.rules[id.0];
        match self.names.get(id) {
            Some(name) => name.to_owned(),
            None if rule.origin == RuleOrigin::Prelude => match rule.name.as_str() {
                "bool" => "boolean".to_owned(),
                "number" => "number".to_owned(),
                _ => self.ty(&rule.body, level),
            },
            None => "never".to_owned(),
        }
    }

    fn map(&mut self, group: &'s Group, level: usize) -> String {
        let alternatives: Vec<_> =
            group.choices.iter().flat_map(|elements| self.shapes.alternatives(elements)).collect();
        let mut parts = Vec::new();
        for alternative in &alternatives {
            parts.push(self.object(alternative, &group.location, level));
        }
        union(parts)
    }

    fn object(
        &mut self,
        alternative: &Alternative<'s>,
        location: &Location,
        level: usize,
    ) -> String {
        let mut members: Vec<(Known<'s>, bool)> = Vec::new();
        let outside = alternative.known.iter().map(|known| (*known, known.is_required));
        let in_groups = alternative.groups.iter().flatten().map(|known| (*known, false));
        let mut positions = HashMap::new();
        let mut values: Vec<Vec<String>> = Vec::new();
        for (known, is_required) in outside.chain(in_groups) {
            let at = *positions.entry(known.key).or_insert_with(|| {
                members.push((known, false));
                values.push(Vec::new());
                members.len() - 1
            });
            members[at].1 |= is_required;
            let value = self.ty(known.value, level + 1);
            values[at].push(value);
        }
        let mut losses: Vec<&str> = alternative.losses.clone();
        if !alternative.groups.is_empty() {
            losses.push("which members of an optional group belong together is not checked");
        }
        let indent = "    ".repeat(level + 1);
        let mut out = "{".to_owned();
        losses.dedup();
        for loss in losses {
            let comment = self.note(location, loss);
            write!(out, "\n{indent}{}", comment.trim_end()).expect("a text can be written to");
        }
        let mut others: Vec<String> = Vec::new();
        for typed in &alternative.typed {
            let value = self.ty(typed.value, level + 1);
            let keys = texts(self.shapes.schema, resolve(self.shapes.schema, typed.key));
            match keys {
                Some(keys) => {
                    for key in keys.into_iter().filter(|key| !positions.contains_key(key)) {
                        write!(out, "\n{indent}{}?: {value};", property_name(key))
                            .expect("a text can be written to");
                        others.push("undefined".to_owned());
                    }
                }
                None => others.push(value),
            }
        }
        let has_index = others.iter().any(|other| other != "undefined");
        let of_index = others.clone();
        let in_groups: HashSet<_> =
            alternative.groups.iter().flatten().map(|known| known.key).collect();
        for ((known, is_required), mut values) in members.iter().zip(values) {
            // A type of keys may accept a value that the known key does not accept.
            let is_left = !known.is_cut || in_groups.contains(known.key);
            if has_index && is_left && !is_required {
                values.extend(of_index.iter().cloned());
            }
            let value = union(values);
            out.push('\n');
            write_docs(known.docs, level + 1, &mut out);
            let optional = if *is_required { "" } else { "?" };
            write!(out, "{indent}{}{optional}: {value};", property_name(known.key))
                .expect("a text can be written to");
            // An index signature has to allow the values of all members.
            others.push(value);
            if !is_required {
                others.push("undefined".to_owned());
            }
        }
        if has_index {
            let others = union(others);
            write!(out, "\n{indent}[key: string]: {others};").expect("a text can be written to");
        }
        if out.len() == 1 {
            return "Record<string, never>".to_owned();
        }
        write!(out, "\n{}}}", "    ".repeat(level)).expect("a text can be written to");
        out
    }

    fn array(&mut self, group: &'s Group, level: usize) -> String {
        let mut parts = Vec::new();
        for elements in &group.choices {
            if !self.shapes.is_possible_sequence(elements) {
                continue;
            }
            let mut losses = Losses::default();
            for runs in self.shapes.sequences(elements, &mut losses) {
                parts.push(self.tuple(&runs, &group.location, level));
            }
        }
        union(parts)
    }

    fn tuple(&mut self, runs: &[Run<'s>], location: &Location, level: usize) -> String {
        let fixed = runs.iter().take_while(|run| run.is_fixed() && run.min <= MAX_TUPLE).count();
        let length: u64 = runs[..fixed].iter().map(|run| run.min).sum();
        let (prefix, rest) = runs.split_at(fixed);
        let is_short = length <= MAX_TUPLE && rest.len() <= 1;
        if !is_short {
            let types: Vec<_> = runs.iter().flat_map(|run| &run.types).copied().collect();
            let element = self.any_type(&types, level);
            let comment = self.note(location, "the order of elements is not checked");
            return format!("{comment}Array<{element}>");
        }
        let mut elements = Vec::new();
        for run in prefix {
            let element = self.any_type(&run.types, level);
            elements.extend(std::iter::repeat_n(element, usize::try_from(run.min).unwrap_or(0)));
        }
        if let [run] = rest {
            let element = self.any_type(&run.types, level);
            if elements.is_empty() && run.min == 0 && run.max != Some(1) {
                return format!("Array<{element}>");
            }
            if run.max == Some(1) && run.min == 0 {
                elements.push(format!("({element})?"));
            } else {
                let least = usize::try_from(run.min.min(MAX_TUPLE)).unwrap_or(0);
                elements.extend(std::iter::repeat_n(element.clone(), least));
                elements.push(format!("...Array<{element}>"));
            }
        }
        format!("[{}]", elements.join(", "))
    }

    fn any_type(&mut self, types: &[&'s Type], level: usize) -> String {
        let parts = types.iter().map(|ty| self.ty(ty, level)).collect();
        union(parts)
    }
}

fn union(parts: Vec<String>) -> String {
    if parts.iter().any(|part| part == "unknown") {
        return "unknown".to_owned();
    }
    let mut seen = HashSet::new();
    let distinct: Vec<_> = parts.into_iter().filter(|part| seen.insert(part.clone())).collect();
    match distinct.len() {
        0 => "never".to_owned(),
        _ => distinct.join(" | "),
    }
}

fn of_kinds(kinds: u8) -> String {
    let names = [
        (NULL, "null"),
        (NUMBER, "number"),
        (crate::kinds::TEXT, "string"),
        (crate::kinds::ARRAY, "Array<unknown>"),
        (crate::kinds::OBJECT, "{ [key: string]: unknown }"),
    ];
    let mut parts: Vec<_> = names
        .into_iter()
        .filter(|(kind, _)| kinds & kind != 0)
        .map(|(_, name)| name.to_owned())
        .collect();
    match kinds & (TRUE | FALSE) {
        0 => {}
        TRUE => parts.push("true".to_owned()),
        FALSE => parts.push("false".to_owned()),
        _ => parts.push("boolean".to_owned()),
    }
    union(parts)
}

/// Writes a literal. A number that TypeScript cannot express exactly becomes `number`.
fn literal(value: &LiteralValue) -> String {
    const MAX_SAFE: i128 = (1 << 53) - 1;
    match value {
        LiteralValue::Integer(value) if value.abs() <= MAX_SAFE => value.to_string(),
        LiteralValue::Float(value) if value.abs() <= 1e9 => format!("{value}"),
        LiteralValue::Integer(_) | LiteralValue::Float(_) => "number".to_owned(),
        LiteralValue::Text(text) => quoted(text),
        LiteralValue::Bytes(_) => "never".to_owned(),
    }
}

fn property_name(key: &str) -> String {
    let mut characters = key.chars();
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let is_plain = characters.next().is_some_and(is_start)
        && characters.all(|c| is_start(c) || c.is_ascii_digit());
    if is_plain { key.to_owned() } else { quoted(key) }
}

/// Quotes a text. A string of JSON is one of TypeScript, too.
fn quoted(text: &str) -> String {
    serde_json::to_string(&Json::from(text)).expect("a text can be written")
}

fn write_docs(docs: &[String], level: usize, out: &mut String) {
    if docs.is_empty() {
        return;
    }
    let indent = "    ".repeat(level);
    let lines: Vec<_> = docs.iter().map(|line| line.replace("*/", "* /")).collect();
    match &*lines {
        [line] => writeln!(out, "{indent}/** {line} */"),
        lines => {
            let lines = lines.iter().map(|line| format!("{indent} * {line}").trim_end().to_owned());
            let lines: Vec<_> = lines.collect();
            writeln!(out, "{indent}/**\n{}\n{indent} */", lines.join("\n"))
        }
    }
    .expect("a text can be written to");
}
