//! Builds the tables that documents are matched against from the intermediate representation.

use std::collections::HashMap;
use std::marker::PhantomData;

use vac_schema::builder::{BuildError, Builder, Definition};
use vac_schema::{
    Control, Element, ElementKind, GroupId, LiteralKey, LiteralValue, MemberKey, RuleId, Schema,
    TagNumber, TypeId, TypeKind,
};

use crate::Error;
use crate::ir::{self, RuleOrigin};
use crate::lower::arguments;

/// Maps the types and groups of a schema in the intermediate representation to their indexes in the
/// tables.
#[derive(Debug, Default)]
pub struct TableIndex<'s> {
    types: HashMap<*const ir::Type, TypeId>,
    groups: HashMap<*const ir::Group, GroupId>,
    /// Types and groups are found by their addresses, so the schema must not move.
    schema: PhantomData<&'s ir::Schema>,
}

impl<'s> TableIndex<'s> {
    /// Returns the index of a type of the schema.
    ///
    /// # Panics
    /// If the type is not part of the schema that the tables were built from.
    pub fn type_id(&self, ty: &'s ir::Type) -> TypeId {
        self.types[&std::ptr::from_ref(ty)]
    }

    /// Returns the index of a group of the schema.
    ///
    /// # Panics
    /// If the group is not part of the schema that the tables were built from.
    pub fn group_id(&self, group: &'s ir::Group) -> GroupId {
        self.groups[&std::ptr::from_ref(group)]
    }
}

/// Builds the tables of a schema, and the index of its types and groups in them.
pub(crate) fn tables(schema: &ir::Schema) -> Result<(Schema, TableIndex<'_>), Error> {
    let mut tables = Tables {
        rules: &schema.rules,
        pattern_names: pattern_names(schema),
        builder: Builder::default(),
        references: HashMap::new(),
        index: TableIndex::default(),
    };
    for _ in &schema.rules {
        tables.builder.declare_rule();
    }
    for (at, rule) in schema.rules.iter().enumerate() {
        let body = tables.type_(&rule.body)?;
        let is_prelude = rule.origin == RuleOrigin::Prelude;
        let definition = Definition { name: rule.name.clone(), body, is_prelude };
        tables.builder.define_rule(rule_id(ir::RuleId(at)), definition);
    }
    let Tables { builder, index, .. } = tables;
    let tables = builder.finish(rule_id(schema.root)).map_err(|error: BuildError| {
        let root = &schema.rules[schema.root.0];
        Error::new(root.location.clone(), error.to_string())
    })?;
    Ok((tables, index))
}

/// Returns the rules that consist of a text, by that text: a pattern is often defined by one.
fn pattern_names(schema: &ir::Schema) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for rule in &schema.rules {
        if let ir::TypeKind::Literal(literal) = &rule.body.kind
            && let ir::LiteralValue::Text(text) = &literal.value
        {
            names.entry(text.clone()).or_insert_with(|| rule.name.clone());
        }
    }
    names
}

struct Tables<'s> {
    rules: &'s [ir::Rule],
    builder: Builder,
    index: TableIndex<'s>,
    pattern_names: HashMap<String, String>,
    /// The type that refers to a rule.
    references: HashMap<ir::RuleId, TypeId>,
}

impl Tables<'_> {
    fn type_(&mut self, ty: &ir::Type) -> Result<TypeId, Error> {
        let id = self.add_type(ty)?;
        self.index.types.insert(std::ptr::from_ref(ty), id);
        Ok(id)
    }

    fn types<'t>(
        &mut self,
        types: impl IntoIterator<Item = &'t ir::Type>,
    ) -> Result<Vec<TypeId>, Error> {
        types.into_iter().map(|ty| self.type_(ty)).collect()
    }

    fn add_type(&mut self, ty: &ir::Type) -> Result<TypeId, Error> {
        let kind = match &ty.kind {
            ir::TypeKind::Any => TypeKind::Any,
            ir::TypeKind::Rule(id) => {
                if let Some(reference) = self.references.get(id) {
                    return Ok(*reference);
                }
                let reference = self.builder.add_type(TypeKind::Rule(rule_id(*id)));
                self.references.insert(*id, reference);
                return Ok(reference);
            }
            ir::TypeKind::Literal(literal) => TypeKind::Literal(value(&literal.value)),
            ir::TypeKind::Range { low, high, inclusive } => {
                TypeKind::Range { low: value(low), high: value(high), is_inclusive: *inclusive }
            }
            ir::TypeKind::Choice(alternatives) => {
                let alternatives = self.types(alternatives)?;
                return Ok(self.builder.add_choice(alternatives));
            }
            ir::TypeKind::Map(group) => TypeKind::Map(self.group(group)?),
            ir::TypeKind::Array(group) => TypeKind::Array(self.group(group)?),
            ir::TypeKind::Major { major, info } => TypeKind::Major { major: *major, info: *info },
            ir::TypeKind::Tag { number, content } => TypeKind::Tag {
                number: match number {
                    ir::TagNumber::Any => TagNumber::Any,
                    ir::TagNumber::One(number) => TagNumber::Exactly(*number),
                    ir::TagNumber::Of(numbers) => TagNumber::Matching(self.type_(numbers)?),
                },
                content: self.type_(content)?,
            },
            ir::TypeKind::Simple(number) => TypeKind::Simple(self.type_(number)?),
            ir::TypeKind::Control { target, control } => {
                let target = self.type_(target)?;
                match self.control(control, &ty.location)? {
                    Some(control) => TypeKind::Control { target, control },
                    None => return Ok(target),
                }
            }
        };
        Ok(self.builder.add_type(kind))
    }

    /// Returns the operator, unless it does not change what matches.
    fn control(
        &mut self,
        control: &ir::Control,
        at: &ir::Location,
    ) -> Result<Option<Control>, Error> {
        Ok(Some(match control {
            ir::Control::Size(argument) => Control::Size(self.type_(argument)?),
            ir::Control::Bits(argument) => Control::Bits(self.type_(argument)?),
            ir::Control::Regexp(pattern) => {
                let name = self.pattern_names.get(&pattern.xsd).map_or("", String::as_str);
                let added = self.builder.add_pattern(&pattern.xsd, &pattern.regex, name);
                Control::Regexp(added.map_err(|why| {
                    Error::new(at.clone(), format!("this pattern does not compile: {why}"))
                })?)
            }
            ir::Control::Cbor(argument) => Control::Cbor(self.type_(argument)?),
            ir::Control::Cborseq(argument) => Control::Cborseq(self.type_(argument)?),
            ir::Control::Within(argument)
            | ir::Control::And(argument)
            | ir::Control::Is(argument) => Control::And(self.type_(argument)?),
            ir::Control::IsNot(argument) => Control::Not(self.type_(argument)?),
            ir::Control::Lt(bound) => Control::Less(value(bound)),
            ir::Control::Le(bound) => Control::AtMost(value(bound)),
            ir::Control::Gt(bound) => Control::Greater(value(bound)),
            ir::Control::Ge(bound) => Control::AtLeast(value(bound)),
            ir::Control::Eq(other) => Control::Equal(value(other)),
            ir::Control::Ne(other) => Control::NotEqual(value(other)),
            ir::Control::Feature(name) => Control::Feature(name.clone().into()),
            ir::Control::Encoded(encoding, content) => {
                Control::Encoded(*encoding, self.type_(content)?)
            }
            ir::Control::Base10(content) => Control::Base10(self.type_(content)?),
            ir::Control::Printf(array) => {
                let (format, items) = arguments::printf(self.rules, array)?;
                Control::Printf(format, self.types(items)?.into())
            }
            ir::Control::Json(content) => Control::Json(self.type_(content)?),
            ir::Control::Join(array) => Control::Join(self.type_(array)?),
            ir::Control::Abnf(grammar) => Control::Abnf(grammar.clone()),
            ir::Control::Default(_) => return Ok(None),
        }))
    }

    fn group(&mut self, group: &ir::Group) -> Result<GroupId, Error> {
        let mut choices = Vec::with_capacity(group.choices.len());
        for elements in &group.choices {
            let elements = elements.iter().map(|element| self.element(element));
            choices.push(elements.collect::<Result<_, _>>()?);
        }
        let id = self.builder.add_group(choices);
        self.index.groups.insert(std::ptr::from_ref(group), id);
        Ok(id)
    }

    fn element(&mut self, element: &ir::Element) -> Result<Element, Error> {
        let kind = match &element.kind {
            ir::ElementKind::Member(member) => ElementKind::Member {
                key: self.key(member.key.as_ref())?,
                is_cut: member.cut,
                value: self.type_(&member.value)?,
            },
            ir::ElementKind::Group { group, .. } => ElementKind::Group(self.group(group)?),
        };
        let ir::Occurrence { min, max } = element.occurrence;
        Ok(Element { min, max: max.unwrap_or(u64::MAX), kind })
    }

    fn key(&mut self, key: Option<&ir::MemberKey>) -> Result<MemberKey, Error> {
        Ok(match key {
            None => MemberKey::None,
            Some(ir::MemberKey::Type(ty)) => MemberKey::Type(self.type_(ty)?),
            Some(ir::MemberKey::Literal(literal)) => MemberKey::Literal(LiteralKey {
                value: value(&literal.value),
                name: literal.name.clone().map_or("".into(), Into::into),
            }),
        })
    }
}

fn rule_id(ir::RuleId(id): ir::RuleId) -> RuleId {
    RuleId(u32::try_from(id).expect("a schema has fewer than 2^32 rules"))
}

fn value(value: &ir::LiteralValue) -> LiteralValue {
    match value {
        ir::LiteralValue::Integer(integer) => LiteralValue::Integer(*integer),
        ir::LiteralValue::Float(float) => LiteralValue::Float(*float),
        ir::LiteralValue::Text(text) => LiteralValue::Text(text.clone().into()),
        ir::LiteralValue::Bytes(bytes) => LiteralValue::Bytes(bytes.clone().into()),
    }
}
