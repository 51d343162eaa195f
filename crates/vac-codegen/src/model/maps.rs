//! Maps become structs, tables, or enums of structs.

use std::collections::HashMap;

use vac_cddl::ir::{
    Element, ElementKind, Group, Key, Literal, Member as IrMember, Occurrence, Type, Value,
};

use super::build::Builder;
use super::choices::literal_name;
use super::{Body, Choice, Content, Enum, Field, Member, Place, Rest, Scalar, Shape, Variant};
use crate::analysis::literals;
use crate::names::{Names, camel_case};

/// More alternatives than this in one map are carried instead of typed.
const MOST_ALTERNATIVES: usize = 16;

/// A member with the groups around it resolved.
#[derive(Clone)]
struct Flat<'s> {
    member: &'s IrMember,
    required: bool,
    occurrence: Occurrence,
    docs: &'s [String],
}

impl<'s> Builder<'s> {
    /// The shape of a map.
    pub fn map(
        &mut self,
        ty: &'s Type,
        group: &'s Group,
        name: &str,
        slot: Option<usize>,
    ) -> Shape {
        let Some(mut alternatives) = flatten(group) else {
            return Shape::Scalar(Scalar::Any);
        };
        let (place, id) = (Place::Type(self.index.type_id(ty)), self.index.group_id(group));
        let mut numbers = HashMap::new();
        number_members(group, &mut numbers);
        if alternatives.len() == 1
            && let Some(members) = alternatives.pop()
        {
            if let [Flat { member, .. }] = members.as_slice()
                && let IrMember { key: Some(Key::Type(key)), value, .. } = member
            {
                let key = self.shape(key, &format!("{name}-key"), None);
                let value = self.shape(value, &format!("{name}-value"), None);
                return Shape::Table(Box::new(key), Box::new(value));
            }
            let body = Body::Struct(self.members(&members, &numbers, name));
            return Shape::Item(self.container(name, slot, body, place, id));
        }
        let mut names = Names::default();
        let mut variants = Vec::new();
        for (at, members) in alternatives.iter().enumerate() {
            let others = alternatives.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<_> = others.map(|(_, members)| members).collect();
            let title =
                distinction(members, &others).unwrap_or_else(|| format!("choice-{}", at + 1));
            let part = format!("{name}-{title}");
            let body = Body::Struct(self.members(members, &numbers, &part));
            let item = self.container(&part, None, body, Place::Group, id);
            variants.push(Variant {
                name: names.type_name(&camel_case(&title)),
                docs: vec![format!("The map with `{title}`.")],
                content: Content::Value(Shape::Item(item), vec![at]),
            });
        }
        let body = Body::Enum(Enum { variants, choice: Choice::Members(id) });
        Shape::Item(self.container(name, slot, body, place, id))
    }

    fn members(&mut self, members: &[Flat<'s>], numbers: &Numbers, name: &str) -> Vec<Member> {
        let mut names = Names::default();
        let mut fields = Vec::new();
        let rest = members.iter().filter(|flat| !matches!(flat.member.key, Some(Key::Literal(_))));
        let several = rest.count() > 1;
        for flat in members {
            let number = numbers[&std::ptr::from_ref(flat.member)];
            match &flat.member.key {
                Some(Key::Literal(key)) => {
                    fields.push(self.field(flat, number, key, &mut names, name));
                }
                Some(Key::Type(key)) => {
                    let title = if several { "extensions_1" } else { "extensions" };
                    let field = names.field_name(title);
                    let part = format!("{name}-{field}");
                    fields.push(Member::Rest(Rest {
                        name: field,
                        number,
                        key: self.shape(key, &format!("{part}-key"), None),
                        value: self.shape(&flat.member.value, &format!("{part}-value"), None),
                        occurrence: flat.occurrence,
                        docs: docs_or(flat.docs, "Members that the schema does not name."),
                    }));
                }
                // Lowering has refused it, or the validator will.
                None => {}
            }
        }
        fields
    }

    fn field(
        &mut self,
        flat: &Flat<'s>,
        number: usize,
        key: &Literal,
        names: &mut Names,
        around: &str,
    ) -> Member {
        let value: &'s Type = &flat.member.value;
        if flat.required
            && let Some([only]) = literals(self.schema, value).as_deref()
        {
            return Member::Constant { number, key: key.clone(), value: only.value.clone() };
        }
        let title = literal_name(key);
        Member::Field(Field {
            name: names.field_name(&title),
            number,
            key: key.clone(),
            required: flat.required,
            shape: self.shape(value, &format!("{around}-{title}"), None),
            docs: docs_or(flat.docs, &format!("The member `{title}`.")),
        })
    }
}

pub(super) fn docs_or(docs: &[String], otherwise: &str) -> Vec<String> {
    if docs.is_empty() { vec![otherwise.to_owned()] } else { docs.to_vec() }
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

/// Every way to choose among the groups of a map; `None` if there are too many.
fn flatten(group: &Group) -> Option<Vec<Vec<Flat<'_>>>> {
    let mut all = Vec::new();
    for elements in &group.choices {
        let mut ways = vec![Vec::new()];
        for element in elements {
            ways = extend(&ways, element)?;
        }
        all.extend(ways);
        if all.len() > MOST_ALTERNATIVES {
            return None;
        }
    }
    Some(all)
}

fn extend<'s>(ways: &[Vec<Flat<'s>>], element: &'s Element) -> Option<Vec<Vec<Flat<'s>>>> {
    let additions = match &element.kind {
        ElementKind::Member(member) => {
            vec![vec![Flat {
                member,
                required: element.occurrence.min > 0,
                occurrence: element.occurrence,
                docs: &element.docs,
            }]]
        }
        ElementKind::Group { group, .. } => {
            let inner = flatten(group)?;
            match (element.occurrence.min, element.occurrence.max) {
                (1, Some(1)) => inner,
                (0, Some(1)) => inner.into_iter().chain([Vec::new()]).collect(),
                // Repeated: any of its members may be there.
                _ => vec![inner.iter().flatten().map(optional).collect()],
            }
        }
    };
    let mut extended = Vec::new();
    for way in ways {
        for addition in &additions {
            extended.push(way.iter().chain(addition).cloned().collect());
        }
    }
    (extended.len() <= MOST_ALTERNATIVES).then_some(extended)
}

fn optional<'s>(flat: &Flat<'s>) -> Flat<'s> {
    let occurrence = Occurrence { min: 0, ..flat.occurrence };
    Flat { required: false, occurrence, ..flat.clone() }
}

/// A key that only this alternative has.
fn distinction(members: &[Flat<'_>], others: &[&Vec<Flat<'_>>]) -> Option<String> {
    let key = |flat: &Flat<'_>| match &flat.member.key {
        Some(Key::Literal(literal)) => Some(literal.value.clone()),
        _ => None,
    };
    members.iter().find_map(|flat| {
        let own = key(flat)?;
        let elsewhere =
            others.iter().any(|other| other.iter().any(|flat| key(flat).as_ref() == Some(&own)));
        match (&own, elsewhere) {
            (Value::Text(text), false) => Some(text.clone()),
            (Value::Integer(integer), false) => Some(format!("value-{integer}")),
            _ => None,
        }
    })
}
