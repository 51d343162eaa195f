//! Arrays become vectors, structs, or enums of structs.

use vac_cddl::ir::{Element, ElementKind, Group, Key, Occurrence, Type, Value};

use super::build::Builder;
use super::maps::docs_or;
use super::{Body, Choice, Content, Enum, Part, PartKind, PartPlace, Place, Shape, Variant};
use crate::analysis::literals;
use crate::names::Names;

impl<'s> Builder<'s> {
    /// The shape of an array.
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
            let element = self.shape(&member.value, &format!("{name}-element"), None);
            return Shape::Vec(Box::new(element));
        }
        let place = Place::Type(self.index.type_id(ty));
        Shape::Item(self.sequences(group, name, slot, place))
    }

    /// The item of a group inside an array.
    fn sequences(
        &mut self,
        group: &'s Group,
        name: &str,
        slot: Option<usize>,
        place: Place,
    ) -> usize {
        let id = self.index.group_id(group);
        if let [elements] = group.choices.as_slice() {
            let parts = self.parts(elements, name);
            return self.container(name, slot, Body::Sequence(parts), place, id);
        }
        let mut names = Names::default();
        let mut variants = Vec::new();
        for (at, elements) in group.choices.iter().enumerate() {
            let title = format!("choice-{}", at + 1);
            let part = format!("{name}-{title}");
            let body = Body::Sequence(self.parts(elements, &part));
            let item = self.container(&part, None, body, Place::Group, id);
            variants.push(Variant {
                name: names.type_name(&title),
                docs: vec![format!("Alternative {}.", at + 1)],
                content: Content::Value(Shape::Item(item), vec![at]),
            });
        }
        let body = Body::Enum(Enum { variants, choice: Choice::Elements(id) });
        self.container(name, slot, body, place, id)
    }

    fn parts(&mut self, elements: &'s [Element], name: &str) -> Vec<Part> {
        let mut names = Names::default();
        let mut parts = Vec::new();
        for (at, element) in elements.iter().enumerate() {
            let title = title(element, at);
            let around = format!("{name}-{title}");
            let Occurrence { min, max } = element.occurrence;
            let place = match &element.kind {
                ElementKind::Group { group, .. } => PartPlace::Group(self.index.group_id(group)),
                ElementKind::Member(member) => PartPlace::Type(self.index.type_id(&member.value)),
            };
            let kind = match &element.kind {
                ElementKind::Group { group, .. } => {
                    let item = self.sequences(group, &around, None, Place::Group);
                    PartKind::Group(item, min, max)
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
                name: names.field_name(&title),
                docs: docs_or(&element.docs, &format!("The element `{title}`.")),
                kind,
                place,
            });
        }
        parts
    }
}

fn title(element: &Element, at: usize) -> String {
    match &element.kind {
        ElementKind::Member(member) => match &member.key {
            Some(Key::Literal(literal)) => match (&literal.name, &literal.value) {
                (Some(name), _) => name.clone(),
                (None, Value::Text(text)) => text.clone(),
                _ => format!("element-{at}"),
            },
            _ => format!("element-{at}"),
        },
        ElementKind::Group { name: Some(name), .. } => name.clone(),
        ElementKind::Group { name: None, .. } => format!("group-{at}"),
    }
}
