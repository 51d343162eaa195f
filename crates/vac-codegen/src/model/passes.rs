//! Passes over the complete model, which decide on pointers and lifetimes.

use std::collections::HashSet;

use super::{Body, Content, Member, Model, PartKind, Scalar, Shape};

/// Runs all passes.
pub fn run(model: &mut Model) {
    name_infinite_aliases(model);
    box_recursion(model);
    find_borrowers(model);
}

/// Turns aliases that refer to themselves into newtypes, because an alias would be infinite.
fn name_infinite_aliases(model: &mut Model) {
    for at in 0..model.items.len() {
        let mut seen = HashSet::new();
        if matches!(model.items[at].body, Body::Alias(_))
            && alias_reaches(model, at, at, &mut seen)
            && let Body::Alias(shape) = std::mem::replace(&mut model.items[at].body, Body::Open)
        {
            model.items[at].body = Body::Newtype(shape);
        }
    }
}

fn alias_reaches(model: &Model, from: usize, to: usize, seen: &mut HashSet<usize>) -> bool {
    let Body::Alias(shape) = &model.items[from].body else { return false };
    let mut inside = Vec::new();
    mentioned(shape, &mut inside);
    inside
        .into_iter()
        .any(|item| item == to || (seen.insert(item) && alias_reaches(model, item, to, seen)))
}

/// Collects the items that a shape mentions.
fn mentioned(shape: &Shape, items: &mut Vec<usize>) {
    match shape {
        Shape::Scalar(..) => {}
        Shape::Item(item) => items.push(*item),
        Shape::Vec(inner)
        | Shape::Nullable(inner)
        | Shape::Boxed(inner)
        | Shape::Tagged(_, inner)
        | Shape::Embedded(inner) => mentioned(inner, items),
        Shape::Table(key, value) => {
            mentioned(key, items);
            mentioned(value, items);
        }
    }
}

/// Puts values that would contain themselves into a `Box`.
fn box_recursion(model: &mut Model) {
    let edges: Vec<Vec<usize>> = model
        .items
        .iter()
        .map(|item| {
            let mut inside = Vec::new();
            for shape in shapes(&item.body) {
                list_contained(shape, &mut inside);
            }
            inside
        })
        .collect();
    let reaches = |from: usize, to: usize| {
        let (mut seen, mut open) = (HashSet::new(), vec![from]);
        while let Some(item) = open.pop() {
            if item == to {
                return true;
            }
            if seen.insert(item) {
                open.extend(&edges[item]);
            }
        }
        false
    };
    for at in 0..model.items.len() {
        let mut body = std::mem::replace(&mut model.items[at].body, Body::Open);
        for shape in shapes_mut(&mut body) {
            box_inside(shape, &|item| reaches(item, at));
        }
        model.items[at].body = body;
    }
}

/// Collects the items whose values are stored inside a value of this shape.
fn list_contained(shape: &Shape, items: &mut Vec<usize>) {
    match shape {
        Shape::Item(item) => items.push(*item),
        Shape::Nullable(inner) | Shape::Tagged(_, inner) | Shape::Embedded(inner) => {
            list_contained(inner, items);
        }
        Shape::Scalar(..) | Shape::Vec(..) | Shape::Boxed(_) | Shape::Table(..) => {}
    }
}

fn box_inside(shape: &mut Shape, recursive: &dyn Fn(usize) -> bool) {
    match shape {
        Shape::Item(item) if recursive(*item) => {
            *shape = Shape::Boxed(Box::new(Shape::Item(*item)));
        }
        Shape::Nullable(inner) | Shape::Tagged(_, inner) | Shape::Embedded(inner) => {
            box_inside(inner, recursive);
        }
        _ => {}
    }
}

/// Returns the shapes directly inside a body; groups of arrays are vectors or once.
fn shapes(body: &Body) -> Vec<&Shape> {
    match body {
        Body::Open | Body::Constant(_) | Body::CheckedText(_) => Vec::new(),
        Body::Alias(shape) | Body::Newtype(shape) => vec![shape],
        Body::Struct(members) => members
            .iter()
            .flat_map(|member| match member {
                Member::Field(field) => vec![&field.shape],
                Member::Constant { .. } | Member::Rest(_) => Vec::new(),
            })
            .collect(),
        Body::Sequence(parts) => parts
            .iter()
            .filter_map(|part| match &part.kind {
                PartKind::One(shape)
                | PartKind::Optional(shape)
                | PartKind::Group(shape, _, Some(1)) => Some(shape),
                PartKind::Constant(_) | PartKind::Many(..) | PartKind::Group(..) => None,
            })
            .collect(),
        Body::Enum(choice) => choice
            .variants
            .iter()
            .filter_map(|variant| match &variant.content {
                Content::Value(shape, _) => Some(shape),
                Content::Literal(..) => None,
            })
            .collect(),
    }
}

fn shapes_mut(body: &mut Body) -> Vec<&mut Shape> {
    match body {
        Body::Open | Body::Constant(_) | Body::CheckedText(_) => Vec::new(),
        Body::Alias(shape) | Body::Newtype(shape) => vec![shape],
        Body::Struct(members) => members
            .iter_mut()
            .filter_map(|member| match member {
                Member::Field(field) => Some(&mut field.shape),
                Member::Constant { .. } | Member::Rest(_) => None,
            })
            .collect(),
        Body::Sequence(parts) => parts
            .iter_mut()
            .filter_map(|part| match &mut part.kind {
                PartKind::One(shape)
                | PartKind::Optional(shape)
                | PartKind::Group(shape, _, Some(1)) => Some(shape),
                PartKind::Constant(_) | PartKind::Many(..) | PartKind::Group(..) => None,
            })
            .collect(),
        Body::Enum(choice) => choice
            .variants
            .iter_mut()
            .filter_map(|variant| match &mut variant.content {
                Content::Value(shape, _) => Some(shape),
                Content::Literal(..) => None,
            })
            .collect(),
    }
}

/// Marks the items that borrow: those with a part that does.
fn find_borrowers(model: &mut Model) {
    loop {
        let mut changed = false;
        for at in 0..model.items.len() {
            if !model.items[at].borrows && body_borrows(model, &model.items[at].body) {
                model.items[at].borrows = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn body_borrows(model: &Model, body: &Body) -> bool {
    let all = match body {
        Body::CheckedText(_) => return true,
        Body::Struct(members) => members
            .iter()
            .flat_map(|member| match member {
                Member::Field(field) => vec![&field.shape],
                Member::Rest(rest) => vec![&rest.key, &rest.value],
                Member::Constant { .. } => Vec::new(),
            })
            .collect(),
        Body::Sequence(parts) => parts
            .iter()
            .filter_map(|part| match &part.kind {
                PartKind::One(shape)
                | PartKind::Optional(shape)
                | PartKind::Many(shape, ..)
                | PartKind::Group(shape, ..) => Some(shape),
                PartKind::Constant(_) => None,
            })
            .collect(),
        _ => shapes(body),
    };
    all.into_iter().any(|shape| borrows(model, shape))
}

/// Returns whether values of a shape borrow from their source.
pub fn borrows(model: &Model, shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(Scalar::Any | Scalar::Text | Scalar::Bytes | Scalar::Number)
        | Shape::Embedded(_) => true,
        Shape::Scalar(..) => false,
        Shape::Item(item) => model.items[*item].borrows,
        Shape::Vec(inner)
        | Shape::Nullable(inner)
        | Shape::Boxed(inner)
        | Shape::Tagged(_, inner) => borrows(model, inner),
        Shape::Table(key, value) => borrows(model, key) || borrows(model, value),
    }
}
