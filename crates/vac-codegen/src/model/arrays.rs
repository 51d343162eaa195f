//! Arrays become vectors, structs, or enums of structs.

use vac_cddl::ir::{
    Control, Element, ElementKind, Group, Member as IrMember, MemberKey, Occurrence, RuleOrigin,
    Type, TypeKind,
};
use vac_schema::GroupId;

use super::build::Builder;
use super::choices::{MAX_JOINED, literal_name};
use super::maps::docs_or;
use super::rule_names::base;
use super::{
    Body, Choice, Content, Enum, Part, PartKind, PartPlace, Place, Scalar, Shape, Variant,
};
use crate::analysis::{literals, prelude_name, rule};
use crate::names::{Names, part_path, snake_case};

impl<'s> Builder<'s> {
    /// Returns the shape of an array.
    pub fn array(
        &mut self,
        ty: &'s Type,
        group: &'s Group,
        name: &str,
        slot: Option<usize>,
    ) -> Shape {
        if let [elements] = group.choices.as_slice()
            && let [Element { kind: ElementKind::Member(member), occurrence, .. }] =
                elements.as_slice()
            && *occurrence != Occurrence::ONCE
        {
            let element = self.shape(&member.value, &part_path(name, "element"), None);
            return Shape::Vec(Box::new(element));
        }
        if group.choices.is_empty() || sole_group(group).is_some_and(|it| it.choices.is_empty()) {
            // A socket without plugs matches nothing.
            return Shape::Scalar(Scalar::Any);
        }
        let place = Place::Type(self.index.type_id(ty));
        let outer = self.index.group_id(group);
        Shape::Item(self.sequences(sole_group(group).unwrap_or(group), name, slot, place, outer))
    }

    /// Returns the item of a group inside an array, whose group is `outer`.
    fn sequences(
        &mut self,
        group: &'s Group,
        name: &str,
        slot: Option<usize>,
        place: Place,
        outer: GroupId,
    ) -> usize {
        if let [elements] = group.choices.as_slice() {
            let parts = self.parts(elements, name);
            return self.container(name, slot, Body::Sequence(parts), place, outer);
        }
        let id = self.index.group_id(group);
        let mut names = Names::default();
        let mut variants = Vec::new();
        let titles = self.sequence_titles(&group.choices, &group.names);
        for ((at, elements), title) in group.choices.iter().enumerate().zip(titles) {
            let part = part_path(name, &title);
            let rule = group.names[at].as_deref();
            let inner = match elements.as_slice() {
                [element] => sole_group_of(element).filter(|inner| !inner.choices.is_empty()),
                _ => None,
            };
            let item = if let Some(inner) = inner {
                // Do not nest a group of alternatives: it is the variant.
                self.group_in_array(inner, rule, &part)
            } else if let Some(rule) = rule {
                let choices = std::slice::from_ref(elements);
                match self.use_of_group(rule, choices) {
                    Some(item) => item,
                    None => {
                        let body = Body::Sequence(self.parts(elements, &part));
                        let item = self.group_item(rule, &part, body, id);
                        self.uses_of_groups.push((rule, choices, item));
                        item
                    }
                }
            } else {
                let body = Body::Sequence(self.parts(elements, &part));
                self.container(&part, None, body, Place::Group, id)
            };
            let docs = match rule {
                Some(rule) => format!("The group `{rule}`."),
                None => format!("The elements `{title}`."),
            };
            variants.push(Variant {
                name: names.type_name(&title),
                docs: vec![docs],
                content: Content::Value(Shape::Item(item), vec![at]),
            });
        }
        let body = Body::Enum(Enum { variants, choice: Choice::Elements(id) });
        self.container(name, slot, body, place, outer)
    }

    /// Returns the item of a group rule that another array contains, if it has the same content
    /// there. The arguments of a generic group may differ.
    fn use_of_group(&self, rule: &str, choices: &[Vec<Element>]) -> Option<usize> {
        let is_it =
            |(name, other, _): &&(&str, &[Vec<Element>], usize)| *name == rule && *other == choices;
        self.uses_of_groups.iter().find(is_it).map(|(_, _, item)| *item)
    }

    /// Returns the item of a group inside an array, which may be a group rule.
    fn group_in_array(&mut self, group: &'s Group, rule: Option<&'s str>, name: &str) -> usize {
        let id = self.index.group_id(group);
        let Some(rule) = rule else {
            return self.sequences(group, name, None, Place::Group, id);
        };
        if let Some(item) = self.use_of_group(rule, &group.choices) {
            return item;
        }
        // The item comes first, so that its name is the rule's and not that of a part.
        let item = self.group_item(rule, name, Body::Open, id);
        self.uses_of_groups.push((rule, &group.choices, item));
        let name = self.items[item].name.to_string();
        self.sequences(group, &name, Some(item), Place::Group, id)
    }

    fn parts(&mut self, elements: &'s [Element], name: &str) -> Vec<Part> {
        let titles = self.part_titles(elements);
        let mut names = Names::for_fields(titles.iter().map(String::as_str));
        let mut parts = Vec::new();
        for (element, title) in elements.iter().zip(&titles) {
            if matches!(&element.kind, ElementKind::Group { group, .. } if group.choices.is_empty())
            {
                // An element of a socket without plugs is never present.
                continue;
            }
            let around = part_path(name, title);
            let Occurrence { min, max } = element.occurrence;
            let place = match &element.kind {
                ElementKind::Group { group, .. } => PartPlace::Group(self.index.group_id(group)),
                ElementKind::Member(member) => PartPlace::Type(self.index.type_id(&member.value)),
            };
            let kind = match &element.kind {
                ElementKind::Group { group, name } => {
                    let item = self.group_in_array(group, name.as_deref(), &around);
                    PartKind::Group(Shape::Item(item), min, max)
                }
                ElementKind::Member(member) => {
                    let constant = literals(self.schema, &member.value);
                    match (constant.as_deref(), element.occurrence) {
                        (Some([only]), Occurrence::ONCE) => PartKind::Constant(only.value.clone()),
                        (_, Occurrence::ONCE) => {
                            PartKind::One(self.shape(&member.value, &around, None))
                        }
                        (_, Occurrence { min: 0, max: Some(1) }) => {
                            PartKind::Optional(self.shape(&member.value, &around, None))
                        }
                        _ => PartKind::Many(self.shape(&member.value, &around, None), max),
                    }
                }
            };
            parts.push(Part {
                name: names.field_name(title),
                docs: docs_or(&element.docs, &format!("The element `{title}`.")),
                kind,
                place,
            });
        }
        parts
    }

    /// Returns the names of the elements of an array: the key, the group or the rule of each, or
    /// its position.
    fn part_titles(&self, elements: &[Element]) -> Vec<String> {
        let named: Vec<Option<String>> =
            elements.iter().map(|element| self.part_title(element)).collect();
        let is_unique = |title: &String| {
            named.iter().flatten().filter(|it| snake_case(it) == snake_case(title)).count() == 1
        };
        let has_key = |element: &Element| {
            matches!(&element.kind, ElementKind::Member(IrMember { key: Some(_), .. }))
        };
        let titles = elements.iter().zip(&named).enumerate().map(|(at, (element, title))| {
            let title = title.as_ref().filter(|title| has_key(element) || is_unique(title));
            match title {
                Some(title) => base(title).to_owned(),
                None if elements.len() == 1 => "elements".to_owned(),
                None => format!("element-{at}"),
            }
        });
        titles.collect()
    }

    fn part_title(&self, element: &Element) -> Option<String> {
        match &element.kind {
            ElementKind::Group { name: Some(name), .. } => Some(name.clone()),
            ElementKind::Group { name: None, group } => joined_keys(group),
            ElementKind::Member(IrMember { key: Some(MemberKey::Literal(key)), .. }) => {
                Some(literal_name(key))
            }
            ElementKind::Member(IrMember { value, .. }) => self.rule_inside(value),
        }
    }

    /// Returns the name of the rule that a type is about: `digest` in `bstr .cbor digest`, `[+
    /// digest]`, `digest / null` and `#6.1(digest)`, and the group in `{ + $$parameters }`.
    fn rule_inside(&self, ty: &Type) -> Option<String> {
        match &ty.kind {
            TypeKind::Rule(id) => {
                let rule = rule(self.schema, *id);
                (rule.origin == RuleOrigin::Spec).then(|| rule.name.clone())
            }
            TypeKind::Tag { content, .. } => self.rule_inside(content),
            TypeKind::Control { target, control } => match control {
                Control::Cbor(inner) => self.rule_inside(inner),
                _ => self.rule_inside(target),
            },
            TypeKind::Choice(choices) => {
                let is_null =
                    |ty: &&Type| matches!(prelude_name(self.schema, ty), Some("null" | "nil"));
                let mut others = choices.iter().filter(|ty| !is_null(ty));
                match (others.next(), others.next()) {
                    (Some(only), None) => self.rule_inside(only),
                    _ => None,
                }
            }
            TypeKind::Array(group) | TypeKind::Map(group) => {
                let [elements] = group.choices.as_slice() else { return None };
                match elements.as_slice() {
                    [Element { kind: ElementKind::Group { name, .. }, .. }] => name.clone(),
                    [Element { kind: ElementKind::Member(member), .. }]
                        if matches!(ty.kind, TypeKind::Array(_)) =>
                    {
                        self.rule_inside(&member.value)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Returns the keys of a group without a name, if all of its elements have keys.
fn joined_keys(group: &Group) -> Option<String> {
    let [elements] = group.choices.as_slice() else { return None };
    let keys = elements.iter().map(|element| match &element.kind {
        ElementKind::Member(IrMember { key: Some(MemberKey::Literal(key)), .. }) => {
            Some(literal_name(key))
        }
        _ => None,
    });
    let keys: Vec<String> = keys.collect::<Option<_>>()?;
    (1..=MAX_JOINED).contains(&keys.len()).then(|| keys.join("-and-"))
}

/// Returns the group that an array consists of, if that is all.
fn sole_group(group: &Group) -> Option<&Group> {
    match group.choices.as_slice() {
        [elements] => match elements.as_slice() {
            [element] => sole_group_of(element),
            _ => None,
        },
        _ => None,
    }
}

fn sole_group_of(element: &Element) -> Option<&Group> {
    match &element.kind {
        ElementKind::Group { group, .. } if element.occurrence == Occurrence::ONCE => Some(group),
        _ => None,
    }
}
