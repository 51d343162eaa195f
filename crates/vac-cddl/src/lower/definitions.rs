//! What each name is defined as, before anything is resolved.

use std::collections::HashMap;

use cddl::ast;
use cddl::token::SocketPlug;

use super::source::Source;
use crate::Error;
use crate::ir::{Location, Origin};

/// The definitions of a specification and of the prelude.
pub(super) struct Definitions<'a> {
    /// The prelude's, then the specification's in the order of the text.
    all: Vec<Definition<'a>>,
    by_name: HashMap<String, usize>,
}

/// All that is said about a name.
pub(super) struct Definition<'a> {
    /// With its `$` or `$$`.
    pub(super) name: String,
    pub(super) origin: Origin,
    /// Where the name stands first.
    pub(super) location: Location,
    pub(super) parts: Vec<Part<'a>>,
    /// Whether one of the parts can only be a group.
    pub(super) has_group: bool,
}

/// One rule of the text: what `=`, `/=` or `//=` says.
pub(super) struct Part<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) parameters: Vec<&'a str>,
    pub(super) body: Body<'a>,
    pub(super) docs: Vec<String>,
    pub(super) text: &'a str,
}

#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    /// A type, or a name or parenthesis that may turn out to be a group.
    Type(&'a ast::Type<'a>),
    Group(&'a ast::GroupEntry<'a>),
}

impl<'a> Definitions<'a> {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), by_name: HashMap::new() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Definition<'a>> {
        self.by_name.get(name).map(|&index| &self.all[index])
    }

    pub(super) fn of_specification(&self) -> impl Iterator<Item = &Definition<'a>> {
        self.all.iter().filter(|definition| definition.origin == Origin::Spec)
    }

    /// Adds the rules of one text.
    pub(super) fn add(
        &mut self,
        rules: &'a [ast::Rule<'a>],
        source: &'a Source<'a>,
        origin: Origin,
    ) -> Result<(), Error> {
        for rule in rules {
            let header = Header::of(rule, source);
            let part = Part {
                source,
                parameters: header.parameters(),
                body: header.body,
                docs: source.docs_above(header.start),
                text: source.tight(header.start, header.end),
            };
            self.add_part(&header, part, source, origin)?;
        }
        Ok(())
    }

    fn add_part(
        &mut self,
        header: &Header<'a>,
        part: Part<'a>,
        source: &'a Source<'a>,
        origin: Origin,
    ) -> Result<(), Error> {
        let error = |why: String| Err(source.error(header.start, why));
        let name = &header.name;
        let Some(&index) = self.by_name.get(name) else {
            self.by_name.insert(name.clone(), self.all.len());
            self.all.push(Definition {
                name: name.clone(),
                origin,
                location: source.location(header.start),
                has_group: matches!(part.body, Body::Group(_)),
                parts: vec![part],
            });
            return Ok(());
        };

        let known = &mut self.all[index];
        if known.origin != origin {
            return error(format!("`{name}` is a name of the prelude"));
        }
        if known.parts[0].parameters.len() != part.parameters.len() {
            return error(format!("`{name}` is defined with other generic parameters before"));
        }
        known.has_group |= matches!(part.body, Body::Group(_));
        known.parts.push(part);
        Ok(())
    }
}

impl Definition<'_> {
    pub(super) fn is_generic(&self) -> bool {
        self.arity() > 0
    }

    pub(super) fn arity(&self) -> usize {
        self.parts[0].parameters.len()
    }
}

/// What type and group rules have in common.
struct Header<'a> {
    name: String,
    parameters: Option<&'a ast::GenericParams<'a>>,
    body: Body<'a>,
    start: usize,
    end: usize,
}

impl<'a> Header<'a> {
    fn of(rule: &'a ast::Rule<'a>, source: &Source) -> Self {
        let (start, end, _) = rule.span();
        let (name, parameters, body) = match rule {
            ast::Rule::Type { rule, .. } => {
                (&rule.name, &rule.generic_params, Body::Type(&rule.value))
            }
            ast::Rule::Group { rule, .. } => {
                (&rule.name, &rule.generic_params, Body::Group(&rule.entry))
            }
        };
        let start = source.skip_blanks(start);
        Self { name: full_name(name), parameters: parameters.as_ref(), body, start, end }
    }

    fn parameters(&self) -> Vec<&'a str> {
        let parameters = self.parameters.iter().flat_map(|parameters| &parameters.params);
        parameters.map(|parameter| parameter.param.ident).collect()
    }
}

/// A name with the `$` or `$$` that the parser cuts off.
pub(super) fn full_name(identifier: &ast::Identifier) -> String {
    let socket = match identifier.socket {
        Some(SocketPlug::TYPE) => "$",
        Some(SocketPlug::GROUP) => "$$",
        None => "",
    };
    format!("{socket}{}", identifier.ident)
}
