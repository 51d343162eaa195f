//! Builds the [`Model`] of a lowered schema.

use std::collections::HashMap;

use proc_macro2::{Ident, Span};
use vac_cddl::TableIndex;
use vac_cddl::ir::{
    Control, Element, LiteralValue, Rule, RuleId, RuleOrigin, Schema, TagNumber, Type, TypeKind,
};
use vac_schema::{GroupId, PatternId};

use super::rule_names::{References, title, type_name};
use super::{Body, Item, Model, Place, Scalar, Shape, passes};
use crate::analysis::{is_transparent, literals, prelude_name, resolve, rule};
use crate::names::{Names, camel_case, part_path};

/// Builds the types of a schema, whose tables are `tables`.
pub fn build<'s>(
    schema: &'s Schema,
    tables: &'s vac_schema::Schema,
    index: &'s TableIndex<'s>,
) -> Model {
    let mut builder = Builder {
        schema,
        names: Names::for_module(),
        items: Vec::new(),
        of_rule: Vec::new(),
        tables,
        index,
        checked_texts: HashMap::new(),
        uses_of_groups: Vec::new(),
        rule: String::new(),
    };
    builder.rules();
    let root = builder.of_rule[schema.root.0].expect("the start rule is a rule of the text");
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
    /// The items of group rules inside arrays: the rule, its content, the item.
    pub uses_of_groups: Vec<(&'s str, &'s [Vec<Element>], usize)>,
    /// The rule that is being built.
    rule: String,
}

impl<'s> Builder<'s> {
    fn rules(&mut self) {
        let schema = self.schema;
        let references = References::new(schema);
        let merged: HashMap<usize, usize> = schema
            .rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| rule.origin == RuleOrigin::Spec)
            .filter_map(|(at, rule)| Some((references.sole_instance(schema, rule)?, at)))
            .collect();
        self.of_rule = vec![None; schema.rules.len()];
        // The start rule may have the name that every module uses for it.
        let root = &schema.rules[schema.root.0];
        let root_is_named = camel_case(&root.name) == "Root" && self.names.claim_type_name("Root");
        for (at, rule) in schema.rules.iter().enumerate() {
            let is_transparent = is_transparent(schema, rule) && at != schema.root.0;
            if rule.origin == RuleOrigin::Prelude || merged.contains_key(&at) || is_transparent {
                continue;
            }
            let (name, body) = match &rule.body.kind {
                TypeKind::Literal(literal) => {
                    (self.names.constant_name(&rule.name), Body::Constant(literal.value.clone()))
                }
                _ if root_is_named && at == schema.root.0 => {
                    (Ident::new("Root", Span::call_site()), Body::Open)
                }
                _ => (type_name(schema, &references, at, &mut self.names), Body::Open),
            };
            self.of_rule[at] = Some(self.items.len());
            self.items.push(Item {
                name,
                rule: rule.name.clone(),
                docs: rule_docs(rule),
                body,
                borrows: false,
                place: Place::Type(self.index.type_id(&rule.body)),
                group: None,
            });
        }
        for (instance, rule) in &merged {
            self.of_rule[*instance] = self.of_rule[*rule];
        }
        for (at, rule) in schema.rules.iter().enumerate() {
            if let Some(slot) = self.of_rule[at]
                && !merged.contains_key(&at)
                && matches!(self.items[slot].body, Body::Open)
            {
                self.rule.clone_from(&rule.name);
                let mut body = &rule.body;
                // A chain of instances that only refer to each other is one type.
                while let TypeKind::Rule(RuleId(id)) = body.kind
                    && self.of_rule[id] == Some(slot)
                {
                    body = &schema.rules[id].body;
                }
                let name = self.items[slot].name.to_string();
                let title = if name == camel_case(title(rule)) { title(rule) } else { &name };
                let shape = self.shape(body, title, Some(slot));
                if matches!(self.items[slot].body, Body::Open) {
                    self.items[slot].body = Body::Alias(shape);
                }
            }
        }
    }

    /// Sets the item of a rule, or adds an item that is part of the rule.
    pub fn item(&mut self, name: &str, slot: Option<usize>, body: Body, place: Place) -> usize {
        if let Some(slot) = slot {
            self.items[slot].body = body;
            return slot;
        }
        let docs = vec![format!("A type inside of the rule `{}`.", self.rule)];
        let name: Ident = self.names.type_name(name);
        let rule = self.rule.clone();
        self.items.push(Item { name, rule, docs, body, borrows: false, place, group: None });
        self.items.len() - 1
    }

    /// Adds an item for a use of a group rule. The first use is called as the rule is.
    pub fn group_item(&mut self, rule: &str, name: &str, body: Body, group: GroupId) -> usize {
        let contexts = [name.strip_suffix(rule).unwrap_or(name).to_owned()];
        let name = self.names.type_name_in(rule, &contexts);
        let docs = vec![format!("The group `{rule}`.")];
        let rule = self.rule.clone();
        let (place, group) = (Place::Group, Some(group));
        self.items.push(Item { name, rule, docs, body, borrows: false, place, group });
        self.items.len() - 1
    }

    /// Sets the item of a map or an array that is a rule, or adds an item for it.
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

    /// Returns the shape of a type. If it needs an item, that is the slot, or a new one called
    /// `name`.
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
        if let TypeKind::Control { target, control: Control::Default(_) | Control::Feature(_) } =
            &ty.kind
        {
            return self.shape(target, name, slot);
        }
        if literals(self.schema, ty).is_some() {
            return self.literal_choice(ty, name, slot);
        }
        match &ty.kind {
            TypeKind::Rule(id) => self.shape(&rule(self.schema, *id).body, name, slot),
            TypeKind::Choice(alternatives) => self.choice(ty, alternatives, name, slot),
            TypeKind::Map(group) => self.map(ty, group, name, slot),
            TypeKind::Array(group) => self.array(ty, group, name, slot),
            TypeKind::Tag { number: TagNumber::One(number), content }
                if !matches!(number, 2 | 3) =>
            {
                let content = self.shape(content, &part_path(name, "content"), None);
                Shape::Tagged(*number, Box::new(content))
            }
            TypeKind::Control { target, control } => match control {
                Control::Regexp(_) if self.is_text(target) => self.checked_text(ty, name, slot),
                Control::Cbor(inner) => {
                    let inner = self.shape(inner, &part_path(name, "inside"), None);
                    Shape::Embedded(Box::new(inner))
                }
                Control::And(other) | Control::Within(other)
                    if matches!(resolve(self.schema, target).kind, TypeKind::Any) =>
                {
                    self.shape(other, name, slot)
                }
                _ => self.shape(target, name, slot),
            },
            _ => Shape::Scalar(scalar(ty)),
        }
    }

    /// Returns the shape of a text with a regular expression. All uses of an expression that has a
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
            // JSON has tokens for big integers and CBOR has tags. They are kept undecoded, and
            // checked.
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

    /// Returns whether a type is text without restrictions.
    fn is_text(&self, ty: &Type) -> bool {
        match &ty.kind {
            _ if matches!(prelude_name(self.schema, ty), Some("tstr" | "text")) => true,
            TypeKind::Rule(id) => self.is_text(&rule(self.schema, *id).body),
            _ => false,
        }
    }
}

/// Returns the scalar that a type without parts is.
fn scalar(ty: &Type) -> Scalar {
    match &ty.kind {
        TypeKind::Range { low: LiteralValue::Integer(0..), .. } => Scalar::Uint,
        TypeKind::Range { low: LiteralValue::Integer(_), .. } => Scalar::Int,
        TypeKind::Range { .. } => Scalar::Number,
        TypeKind::Major { major, info } => match (major, info) {
            (0, _) => Scalar::Uint,
            (1, _) => Scalar::Int,
            (2, _) => Scalar::Bytes,
            (3, _) => Scalar::Text,
            (7, Some(20 | 21)) => Scalar::Bool,
            (7, Some(22)) => Scalar::Null,
            (7, Some(23)) => Scalar::Undefined,
            (7, Some(25..=27)) => Scalar::Number,
            _ => Scalar::Any,
        },
        _ => Scalar::Any,
    }
}

/// Returns the comment above a rule, and its text.
fn rule_docs(rule: &Rule) -> Vec<String> {
    let mut docs = rule.docs.clone();
    if !docs.is_empty() {
        docs.push(String::new());
    }
    docs.push("```cddl".to_owned());
    docs.extend(rule.source.lines().map(str::to_owned));
    docs.push("```".to_owned());
    docs
}
