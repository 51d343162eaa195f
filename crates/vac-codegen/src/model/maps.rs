//! Maps become structs, tables, or enums of structs.

use std::collections::HashMap;

use vac_cddl::ir::{
    Control, Element, ElementKind, Group, Literal, LiteralValue, Member as IrMember, MemberKey,
    Occurrence, RuleOrigin, Type, TypeKind,
};

use super::build::Builder;
use super::choices::literal_name;
use super::rule_names::base;
use super::{Body, Choice, Content, Enum, Field, Member, Place, Rest, Scalar, Shape, Variant};
use crate::analysis::{literals, rule};
use crate::names::{Names, part_path};

/// The maximum number of combinations of alternatives of several groups in a map. A map with more
/// has a variant for each of its own alternatives only, in which the members of inner groups are
/// optional.
const MAX_COMBINATIONS: usize = 16;

/// The maximum number of alternatives of one group, with those of groups inside it.
const MAX_WAYS: usize = 512;

/// A member with the groups around it resolved.
#[derive(Clone)]
struct Flat<'s> {
    member: &'s IrMember,
    required: bool,
    occurrence: Occurrence,
    docs: &'s [String],
}

/// One way to choose among the groups of a map.
#[derive(Clone)]
struct Way<'s> {
    /// The group rules that were chosen, from the outside to the inside.
    names: Vec<String>,
    members: Vec<Flat<'s>>,
}

/// The keys of a field.
struct Keys {
    key: Literal,
    json_key: Option<Literal>,
    is_by_type: bool,
}

impl<'s> Builder<'s> {
    /// Returns the shape of a map.
    pub fn map(
        &mut self,
        ty: &'s Type,
        group: &'s Group,
        name: &str,
        slot: Option<usize>,
    ) -> Shape {
        let ways = flatten(group).unwrap_or_else(|| merged(group));
        if ways.is_empty() {
            // A socket without plugs matches nothing.
            return Shape::Scalar(Scalar::Any);
        }
        let (place, id) = (Place::Type(self.index.type_id(ty)), self.index.group_id(group));
        // A map that only consists of a group rule is called as the rule, the first time.
        let group_name = sole_group_name(group)
            .filter(|group| slot.is_none() && !self.names.is_type_name(group));
        let name = group_name.unwrap_or(name);
        let mut numbers = HashMap::new();
        number_members(group, &mut numbers);
        if let [way] = ways.as_slice() {
            if let [Flat { member, occurrence, .. }] = way.members.as_slice()
                && let IrMember { key: Some(MemberKey::Type(key)), value, .. } = member
                && self.keys(member, *occurrence).is_none()
            {
                let key = self.shape(key, &part_path(name, "key"), None);
                let value = self.shape(value, &part_path(name, "value"), None);
                return Shape::Table(Box::new(key), Box::new(value));
            }
            let body = Body::Struct(self.members(&way.members, &numbers, name));
            return Shape::Item(self.container(name, slot, body, place, id));
        }
        let described: Vec<(&[String], Vec<&IrMember>)> = ways
            .iter()
            .map(|way| (&*way.names, way.members.iter().map(|flat| flat.member).collect()))
            .collect();
        let titles = self.way_titles(&described);
        // Whether each way is one of the map's own alternatives.
        let is_direct = ways.len() == group.choices.len();
        let mut names = Names::default();
        let mut variants = Vec::new();
        for ((at, way), title) in ways.iter().enumerate().zip(titles) {
            let part = part_path(name, &title);
            let body = Body::Struct(self.members(&way.members, &numbers, &part));
            let item = match group.names.get(at) {
                Some(Some(rule)) if is_direct => self.group_item(rule, &part, body, id),
                _ => self.container(&part, None, body, Place::Group, id),
            };
            variants.push(Variant {
                name: names.type_name(&title),
                docs: vec![way_docs(way)],
                content: Content::Value(Shape::Item(item), vec![at]),
            });
        }
        let body = Body::Enum(Enum { variants, choice: Choice::Members(id) });
        Shape::Item(self.container(name, slot, body, place, id))
    }

    fn members(&mut self, members: &[Flat<'s>], numbers: &Numbers, name: &str) -> Vec<Member> {
        let keys: Vec<Option<Keys>> =
            members.iter().map(|flat| self.keys(flat.member, flat.occurrence)).collect();
        let titles: Vec<String> = keys.iter().flatten().map(Keys::title).collect();
        let mut names = Names::for_fields(titles.iter().map(String::as_str));
        let has_several_rests = keys.iter().filter(|keys| keys.is_none()).count() > 1;
        let mut fields: Vec<Member> = Vec::new();
        for (flat, keys) in members.iter().zip(keys) {
            let number = numbers[&std::ptr::from_ref(flat.member)];
            let Some(keys) = keys else {
                if let Some(MemberKey::Type(key)) = &flat.member.key {
                    let title = match self.variant_name(key) {
                        title if has_several_rests && title != "text" => {
                            format!("{title}-extensions")
                        }
                        _ => "extensions".to_owned(),
                    };
                    let field = names.field_name(&title);
                    let part = part_path(name, &field.to_string());
                    fields.push(Member::Rest(Rest {
                        name: field,
                        number,
                        key: self.shape(key, &part_path(&part, "key"), None),
                        value: self.shape(&flat.member.value, &part_path(&part, "value"), None),
                        occurrence: flat.occurrence,
                        docs: docs_or(flat.docs, "Members that the schema does not name."),
                    }));
                }
                continue;
            };
            let same_key = fields.iter_mut().find_map(|member| match member {
                Member::Field(field)
                    if field.key.value == keys.key.value
                        && !(field.is_by_type || keys.is_by_type) =>
                {
                    Some(field)
                }
                _ => None,
            });
            match same_key {
                Some(field) => {
                    let has_number = |it: &&Flat<'s>| {
                        numbers[&std::ptr::from_ref(it.member)] == field.numbers[0]
                    };
                    let first = members.iter().find(has_number).expect("a field is a member");
                    if !self.is_same(&first.member.value, &flat.member.value) {
                        field.shape = Shape::Scalar(Scalar::Any);
                    }
                    field.numbers.push(number);
                    field.required = false;
                }
                None => {
                    let field = self.field(flat, number, keys, &mut names, name);
                    fields.push(field);
                }
            }
        }
        fields
    }

    fn field(
        &mut self,
        flat: &Flat<'s>,
        number: usize,
        keys: Keys,
        names: &mut Names,
        around: &str,
    ) -> Member {
        let value: &'s Type = &flat.member.value;
        let title = keys.title();
        let Keys { key, json_key, is_by_type } = keys;
        if flat.required
            && !is_by_type
            && let Some([only]) = literals(self.schema, value).as_deref()
        {
            return Member::Constant { number, key, value: only.value.clone() };
        }
        Member::Field(Field {
            name: names.field_name(&title),
            numbers: vec![number],
            key,
            json_key,
            is_by_type,
            required: flat.required,
            shape: self.shape(value, &part_path(around, &title), None),
            docs: docs_or(flat.docs, &format!("The member `{title}`.")),
        })
    }

    /// Returns whether two types are written in the same way.
    fn is_same(&self, one: &'s Type, other: &'s Type) -> bool {
        let kind = |ty: &'s Type| &self.tables.types[self.index.type_id(ty).0 as usize].kind;
        kind(one) == kind(other)
    }

    /// Returns the keys of a member that is a field: one literal, or one literal for JSON and one
    /// for CBOR. `None` if the keys are data.
    fn keys(&self, member: &IrMember, occurrence: Occurrence) -> Option<Keys> {
        let ty = match member.key.as_ref()? {
            MemberKey::Literal(key) => {
                return Some(Keys { key: key.clone(), json_key: None, is_by_type: false });
            }
            MemberKey::Type(ty) if occurrence.max == Some(1) => ty,
            MemberKey::Type(_) => return None,
        };
        let mut found = Vec::new();
        self.keys_by_feature(ty, (None, None), &mut found)?;
        match found.as_slice() {
            [(_, only)] => Some(Keys { key: only.clone(), json_key: None, is_by_type: true }),
            [(Some("json"), json), (Some("cbor"), cbor)]
            | [(Some("cbor"), cbor), (Some("json"), json)]
                if matches!(json.value, LiteralValue::Text(_)) =>
            {
                Some(Keys { key: cbor.clone(), json_key: Some(json.clone()), is_by_type: true })
            }
            _ => None,
        }
    }

    /// Collects the literals of a key, each with the feature that it is for. `None` if there is
    /// anything but literals. A number without a name has that of the rule around it.
    fn keys_by_feature<'t>(
        &'t self,
        ty: &'t Type,
        (feature, name): (Option<&'t str>, Option<&'t String>),
        found: &mut Vec<(Option<&'t str>, Literal)>,
    ) -> Option<()> {
        match &ty.kind {
            TypeKind::Rule(id) => {
                let rule = rule(self.schema, *id);
                let name = if rule.origin == RuleOrigin::Spec { Some(&rule.name) } else { name };
                self.keys_by_feature(&rule.body, (feature, name), found)
            }
            TypeKind::Control { target, control: Control::Feature(feature) } => {
                self.keys_by_feature(target, (Some(feature), name), found)
            }
            TypeKind::Control { target, control: Control::Default(_) } => {
                self.keys_by_feature(target, (feature, name), found)
            }
            TypeKind::Choice(choices) => choices
                .iter()
                .try_for_each(|choice| self.keys_by_feature(choice, (feature, name), found)),
            TypeKind::Literal(literal) => {
                let mut literal = literal.clone();
                if literal.name.is_none() && !matches!(literal.value, LiteralValue::Text(_)) {
                    literal.name = name.cloned();
                }
                found.push((feature, literal));
                Some(())
            }
            _ => None,
        }
    }
}

impl Keys {
    /// Returns the name of the field.
    fn title(&self) -> String {
        literal_name(self.json_key.as_ref().unwrap_or(&self.key))
    }
}

pub(super) fn docs_or(docs: &[String], otherwise: &str) -> Vec<String> {
    if docs.is_empty() { vec![otherwise.to_owned()] } else { docs.to_vec() }
}

fn way_docs(way: &Way<'_>) -> String {
    let mut keys = way.members.iter().filter_map(|flat| match &flat.member.key {
        Some(MemberKey::Literal(literal)) => Some(format!("`{}`", literal_name(literal))),
        _ => None,
    });
    match (way.names.last(), keys.next()) {
        (Some(name), _) => format!("The group `{name}`."),
        (None, None) => "The map without these members.".to_owned(),
        (None, Some(first)) => {
            let keys: Vec<String> = [first].into_iter().chain(keys).collect();
            format!("The map with {}.", keys.join(", "))
        }
    }
}

/// Returns the group rule that a map consists of, if that is all.
fn sole_group_name(group: &Group) -> Option<&str> {
    let [elements] = group.choices.as_slice() else { return None };
    match elements.as_slice() {
        [Element { kind: ElementKind::Group { name: Some(name), .. }, .. }] => Some(base(name)),
        _ => None,
    }
}

/// The numbers of the members of a group, by their addresses.
type Numbers = HashMap<*const IrMember, usize>;

/// Numbers the members of a group in its order, those of groups inside it included.
/// `vac_schema::MapReader` counts them in the same way.
fn number_members(group: &Group, numbers: &mut Numbers) {
    for element in group.choices.iter().flatten() {
        match &element.kind {
            ElementKind::Member(member) => {
                numbers.insert(std::ptr::from_ref(member), numbers.len());
            }
            ElementKind::Group { group, .. } => number_members(group, numbers),
        }
    }
}

/// Returns every way to choose among the groups of a map; `None` if there are too many.
fn flatten(group: &Group) -> Option<Vec<Way<'_>>> {
    let mut all = Vec::new();
    for (elements, name) in group.choices.iter().zip(&group.names) {
        let mut ways = vec![Way { names: name.iter().cloned().collect(), members: Vec::new() }];
        for element in elements {
            ways = extend(&ways, element)?;
        }
        all.extend(ways);
        if all.len() > MAX_WAYS {
            return None;
        }
    }
    Some(all)
}

fn extend<'s>(ways: &[Way<'s>], element: &'s Element) -> Option<Vec<Way<'s>>> {
    let additions = match &element.kind {
        ElementKind::Member(member) => {
            vec![Way { names: Vec::new(), members: vec![flat(member, element)] }]
        }
        ElementKind::Group { group, .. } => {
            match (element.occurrence.min, element.occurrence.max) {
                (1, Some(1)) => flatten(group)?,
                // Optional or repeated: each of its members may be present.
                _ => vec![Way { names: Vec::new(), members: optional_members(group) }],
            }
        }
    };
    let mut extended = Vec::new();
    for way in ways {
        for addition in &additions {
            let mut names = way.names.clone();
            names.extend(addition.names.iter().cloned());
            names.dedup();
            let members = way.members.iter().chain(&addition.members).cloned().collect();
            extended.push(Way { names, members });
        }
    }
    let is_product = ways.len() > 1 && additions.len() > 1;
    let max = if is_product { MAX_COMBINATIONS } else { MAX_WAYS };
    (extended.len() <= max).then_some(extended)
}

/// Returns a way for each alternative of a map, in which everything inside groups is optional.
fn merged(group: &Group) -> Vec<Way<'_>> {
    let mut ways = Vec::new();
    for (elements, name) in group.choices.iter().zip(&group.names) {
        let mut members = Vec::new();
        for element in elements {
            match &element.kind {
                ElementKind::Member(member) => members.push(flat(member, element)),
                ElementKind::Group { group, .. } => members.extend(optional_members(group)),
            }
        }
        ways.push(Way { names: name.iter().cloned().collect(), members });
    }
    ways
}

/// Returns all members of a group and of the groups inside it, each of which may be present.
fn optional_members(group: &Group) -> Vec<Flat<'_>> {
    let mut members = Vec::new();
    for element in group.choices.iter().flatten() {
        match &element.kind {
            ElementKind::Group { group, .. } => members.extend(optional_members(group)),
            ElementKind::Member(member) => {
                let flat = flat(member, element);
                let occurrence = Occurrence { min: 0, ..flat.occurrence };
                members.push(Flat { required: false, occurrence, ..flat });
            }
        }
    }
    members
}

fn flat<'s>(member: &'s IrMember, element: &'s Element) -> Flat<'s> {
    let occurrence = element.occurrence;
    Flat { member, required: occurrence.min > 0, occurrence, docs: &element.docs }
}
