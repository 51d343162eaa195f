//! The regular expressions of a schema, each compiled once.

use std::collections::HashMap;

use regex_automata::meta::Regex;

use crate::Error;
use crate::compile::Compiler;
use crate::ir::{Control, Element, ElementKind, Key, Location, Pattern, Schema, Type, TypeKind};

/// Compiled expressions by their text.
#[derive(Debug, Default)]
pub(super) struct Patterns<'s> {
    compiled: HashMap<&'s str, Regex>,
}

impl<'s> Patterns<'s> {
    pub fn of(schema: &'s Schema) -> Result<Self, Error> {
        let mut patterns = Self::default();
        let mut compiler = Compiler::default();
        for next in types(schema) {
            if let TypeKind::Control { control: Control::Regexp(pattern), .. } = &next.kind {
                patterns.add(pattern, &next.location, &mut compiler)?;
            }
        }
        Ok(patterns)
    }

    fn add(
        &mut self,
        pattern: &'s Pattern,
        location: &Location,
        compiler: &mut Compiler,
    ) -> Result<(), Error> {
        if !self.compiled.contains_key(pattern.regex.as_str()) {
            let regex = compiler
                .admit(&pattern.xsd)
                .and_then(|()| compiler.compile(&pattern.regex))
                .map_err(|why| Error::at(location.clone(), why))?;
            self.compiled.insert(&pattern.regex, regex);
        }
        Ok(())
    }

    pub fn is_match(&self, pattern: &Pattern, text: &str) -> bool {
        self.compiled.get(pattern.regex.as_str()).is_some_and(|regex| regex.is_match(text))
    }
}

/// All types of a schema, those inside of others among them.
pub(super) fn types(schema: &Schema) -> impl Iterator<Item = &Type> {
    let mut open: Vec<&Type> = schema.rules.iter().map(|rule| &rule.body).collect();
    std::iter::from_fn(move || {
        let next = open.pop()?;
        push_parts(next, &mut open);
        Some(next)
    })
}

/// The types directly inside a type.
fn push_parts<'s>(of: &'s Type, open: &mut Vec<&'s Type>) {
    match &of.kind {
        TypeKind::Choice(alternatives) => open.extend(alternatives),
        TypeKind::Map(group) | TypeKind::Array(group) => {
            group.choices.iter().for_each(|elements| push_members(elements, open));
        }
        TypeKind::Tag { content, .. } => open.push(content),
        TypeKind::Control { target, control } => {
            open.push(target);
            open.extend(argument(control));
        }
        TypeKind::Any
        // Their numbers are matched against types without compiled expressions.
        | TypeKind::Simple(_)
        | TypeKind::Rule(_)
        | TypeKind::Literal(_)
        | TypeKind::Range { .. }
        | TypeKind::Major { .. } => {}
    }
}

fn argument(control: &Control) -> Option<&Type> {
    match control {
        Control::Size(argument)
        | Control::Bits(argument)
        | Control::Cbor(argument)
        | Control::Cborseq(argument)
        | Control::Within(argument)
        | Control::And(argument) => Some(argument),
        _ => None,
    }
}

fn push_members<'s>(elements: &'s [Element], open: &mut Vec<&'s Type>) {
    for element in elements {
        match &element.kind {
            ElementKind::Member(member) => {
                open.push(&member.value);
                if let Some(Key::Type(key)) = &member.key {
                    open.push(key);
                }
            }
            ElementKind::Group { group, .. } => {
                group.choices.iter().for_each(|elements| push_members(elements, open));
            }
        }
    }
}
