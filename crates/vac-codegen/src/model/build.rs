//! From lowered CDDL to [`Model`].

use std::collections::HashMap;

use proc_macro2::Ident;
use vac_cddl::TableIndex;
use vac_cddl::ir::{Control, Origin, RuleId, Schema, TagNumber, Type, TypeKind, Value};
use vac_schema::{GroupId, PatternId};

use super::{Body, Item, Model, Place, Scalar, Shape, passes};
use crate::analysis::{literals, prelude_name, rule};
use crate::names::Names;

/// Names of the standard library that generated modules use as they are.
const STANDARD: [&str; 9] =
    ["Box", "Err", "None", "Ok", "Option", "Result", "Some", "String", "Vec"];

/// Builds the types of a schema, whose tables are `tables`.
pub fn build<'s>(
    schema: &'s Schema,
    tables: &'s vac_schema::Schema,
    index: &'s TableIndex<'s>,
) -> Model {
    let mut names = Names::default();
    for reserved in STANDARD {
        names.type_name(reserved);
    }
    let mut builder = Builder {
        schema,
        names,
        items: Vec::new(),
        of_rule: Vec::new(),
        tables,
        index,
        checked_texts: HashMap::new(),
        rule: String::new(),
    };
    builder.rules();
    let root = builder.of_rule[schema.root.0].unwrap_or_default();
    let mut model = Model { items: builder.items, root };
    passes::run(&mut model);
    model
}

pub(super) struct Builder<'s> {
    pub schema: &'s Schema,
    pub names: Names,
    pub items: Vec<Item>,
    /// The item of each rule of the specification.
    of_rule: Vec<Option<usize>>,
    /// The schema's tables.
    pub tables: &'s vac_schema::Schema,
    pub index: &'s TableIndex<'s>,
    /// The types of texts that match a regular expression with a name.
    checked_texts: HashMap<PatternId, usize>,
    /// The rule that is being built.
    rule: String,
}

impl<'s> Builder<'s> {
    fn rules(&mut self) {
        for rule in &self.schema.rules {
            let item = (rule.origin != Origin::Prelude).then(|| {
                let mut docs = rule.docs.clone();
                if !docs.is_empty() {
                    docs.push(String::new());
                }
                docs.push("```cddl".to_owned());
                docs.extend(rule.source.lines().map(str::to_owned));
                docs.push("```".to_owned());
                let (name, body) = match &rule.body.kind {
                    TypeKind::Literal(literal) => (
                        self.names.constant_name(&rule.name),
                        Body::Constant(literal.value.clone()),
                    ),
                    _ => (self.names.type_name(&rule.name), Body::Open),
                };
                let place = Place::Type(self.index.type_id(&rule.body));
                self.items.push(Item {
                    name,
                    rule: rule.name.clone(),
                    docs,
                    body,
                    borrows: false,
                    place,
                    group: None,
                });
                self.items.len() - 1
            });
            self.of_rule.push(item);
        }
        for (at, rule) in self.schema.rules.iter().enumerate() {
            if let Some(slot) = self.of_rule[at]
                && matches!(self.items[slot].body, Body::Open)
            {
                self.rule.clone_from(&rule.name);
                let shape = self.shape(&rule.body, &rule.name, Some(slot));
                if matches!(self.items[slot].body, Body::Open) {
                    self.items[slot].body = Body::Alias(shape);
                }
            }
        }
    }

    /// Fills the slot of a rule, or adds an item that is part of it.
    pub fn item(&mut self, name: &str, slot: Option<usize>, body: Body, place: Place) -> usize {
        if let Some(slot) = slot {
            self.items[slot].body = body;
            return slot;
        }
        let docs = vec![format!("Part of `{}`.", self.rule)];
        let name: Ident = self.names.type_name(name);
        let rule = self.rule.clone();
        self.items.push(Item { name, rule, docs, body, borrows: false, place, group: None });
        self.items.len() - 1
    }

    /// The same for a map or an array.
    pub fn container(
        &mut self,
        name: &str,
        slot: Option<usize>,
        body: Body,
        place: Place,
        group: GroupId,
    ) -> usize {
        let item = self.item(name, slot, body, place);
        self.items[item].group = Some(group);
        item
    }

    /// The shape of a type. An item it needs is called `name`, or is the slot.
    pub fn shape(&mut self, ty: &'s Type, name: &str, slot: Option<usize>) -> Shape {
        if let Some(shape) = self.prelude_shape(ty, name) {
            return shape;
        }
        if let TypeKind::Rule(RuleId(id)) = ty.kind
            && let Some(item) = self.of_rule[id]
            && !matches!(self.items[item].body, Body::Constant(_))
        {
            return Shape::Item(item);
        }
        if literals(self.schema, ty).is_some() {
            return self.literal_choice(ty, name, slot);
        }
        match &ty.kind {
            TypeKind::Choice(alternatives) => self.choice(ty, alternatives, name, slot),
            TypeKind::Map(group) => self.map(ty, group, name, slot),
            TypeKind::Array(group) => self.array(ty, group, name, slot),
            TypeKind::Tag { number: TagNumber::One(number), content }
                if !matches!(number, 2 | 3) =>
            {
                let content = self.shape(content, &format!("{name}-content"), None);
                Shape::Tagged(*number, Box::new(content))
            }
            TypeKind::Control { target, control } => match control {
                Control::Regexp(_)
                    if matches!(prelude_name(self.schema, target), Some("tstr" | "text")) =>
                {
                    self.checked_text(ty, name, slot)
                }
                Control::Cbor(inner) => {
                    let inner = self.shape(inner, &format!("{name}-inside"), None);
                    Shape::Embedded(Box::new(inner))
                }
                _ => match self.scalar(ty) {
                    Some(scalar) => Shape::Scalar(scalar),
                    None => self.shape(target, name, slot),
                },
            },
            _ => Shape::Scalar(self.scalar(ty).unwrap_or(Scalar::Any)),
        }
    }

    /// The shape of a text with a regular expression. All uses of an expression that has a
    /// name have one type.
    fn checked_text(&mut self, ty: &'s Type, name: &str, slot: Option<usize>) -> Shape {
        let id = self.index.type_id(ty);
        let vac_schema::TypeKind::Control { control: vac_schema::Control::Regexp(pattern), .. } =
            self.tables.types[id.0 as usize].kind
        else {
            return Shape::Scalar(Scalar::Text);
        };
        let body = Body::CheckedText(pattern);
        let pattern_name = &*self.tables.patterns[pattern.0 as usize].name;
        if slot.is_some() || pattern_name.is_empty() {
            return Shape::Item(self.item(name, slot, body, Place::Type(id)));
        }
        if let Some(item) = self.checked_texts.get(&pattern) {
            return Shape::Item(*item);
        }
        let suffixes = ["-regexp", "-regex", "-pattern"];
        let stem = suffixes.iter().find_map(|suffix| pattern_name.strip_suffix(suffix));
        let name = format!("{}-text", stem.unwrap_or(pattern_name));
        let item = self.item(&name, None, body, Place::Type(id));
        self.items[item].docs = vec![format!("A text that matches `{pattern_name}`.")];
        self.checked_texts.insert(pattern, item);
        Shape::Item(item)
    }

    fn prelude_shape(&mut self, ty: &'s Type, name: &str) -> Option<Shape> {
        let prelude = prelude_name(self.schema, ty)?;
        let scalar = match prelude {
            // JSON has tokens for big integers and CBOR has tags: carried, and checked.
            "any" | "integer" | "unsigned" | "bigint" | "biguint" | "bignint" => Scalar::Any,
            "uint" => Scalar::Uint,
            "nint" | "int" => Scalar::Int,
            "tstr" | "text" => Scalar::Text,
            "bstr" | "bytes" => Scalar::Bytes,
            "bool" | "true" | "false" => Scalar::Bool,
            "nil" | "null" => Scalar::Null,
            "undefined" => Scalar::Undefined,
            "number" | "float" | "float16" | "float32" | "float64" | "float16-32"
            | "float32-64" => Scalar::Number,
            _ => {
                let TypeKind::Rule(id) = ty.kind else { return None };
                return Some(self.shape(&rule(self.schema, id).body, name, None));
            }
        };
        Some(Shape::Scalar(scalar))
    }

    /// The scalar that a type is, if it is one.
    fn scalar(&mut self, ty: &'s Type) -> Option<Scalar> {
        if let Some(shape) = self.prelude_shape(ty, "") {
            return match shape {
                Shape::Scalar(scalar) => Some(scalar),
                _ => None,
            };
        }
        match &ty.kind {
            TypeKind::Rule(id) => self.scalar(&rule(self.schema, *id).body),
            TypeKind::Literal(literal) => Some(match &literal.value {
                Value::Integer(0..) => Scalar::Uint,
                Value::Integer(_) => Scalar::Int,
                Value::Float(_) => Scalar::Number,
                Value::Text(_) => Scalar::Text,
                Value::Bytes(_) => Scalar::Bytes,
            }),
            TypeKind::Range { low, .. } => Some(match low {
                Value::Integer(0..) => Scalar::Uint,
                Value::Integer(_) => Scalar::Int,
                _ => Scalar::Number,
            }),
            TypeKind::Major { major, info } => Some(match (major, info) {
                (0, _) => Scalar::Uint,
                (1, _) => Scalar::Int,
                (2, _) => Scalar::Bytes,
                (3, _) => Scalar::Text,
                (7, Some(20 | 21)) => Scalar::Bool,
                (7, Some(22)) => Scalar::Null,
                (7, Some(23)) => Scalar::Undefined,
                (7, Some(25..=27)) => Scalar::Number,
                _ => Scalar::Any,
            }),
            TypeKind::Choice(alternatives) => {
                let mut scalars = Vec::new();
                for alternative in alternatives {
                    scalars.push(self.scalar(alternative)?);
                }
                scalars.dedup();
                if scalars.len() == 1 { scalars.pop() } else { Some(Scalar::Any) }
            }
            TypeKind::Control { control: Control::Cbor(_) | Control::Cborseq(_), .. } => {
                Some(Scalar::Bytes)
            }
            TypeKind::Control { target, .. } => self.scalar(target),
            _ => None,
        }
    }
}
