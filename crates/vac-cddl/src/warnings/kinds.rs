//! Computes the kinds of values that a type can match, and the kinds of which it matches every
//! value.

use crate::ir::{
    Control, Element, ElementKind, Group, LiteralValue, MemberKey, Occurrence, Schema, TagNumber,
    Type, TypeKind,
};

/// A set of kinds of values.
pub(super) type Set = u16;

pub(super) const UINT: Set = 1;
pub(super) const NINT: Set = 1 << 1;
pub(super) const BYTES: Set = 1 << 2;
pub(super) const TEXT: Set = 1 << 3;
pub(super) const ARRAY: Set = 1 << 4;
pub(super) const MAP: Set = 1 << 5;
pub(super) const TAG: Set = 1 << 6;
pub(super) const FALSE: Set = 1 << 7;
pub(super) const TRUE: Set = 1 << 8;
pub(super) const NULL: Set = 1 << 9;
pub(super) const UNDEFINED: Set = 1 << 10;
pub(super) const FLOAT16: Set = 1 << 11;
pub(super) const FLOAT32: Set = 1 << 12;
pub(super) const FLOAT64: Set = 1 << 13;
/// Simple values that have no name.
pub(super) const SIMPLE: Set = 1 << 14;
pub(super) const FLOAT: Set = FLOAT16 | FLOAT32 | FLOAT64;
pub(super) const MAJOR_7: Set = FALSE | TRUE | NULL | UNDEFINED | FLOAT | SIMPLE;
pub(super) const ALL: Set = UINT | NINT | BYTES | TEXT | ARRAY | MAP | TAG | MAJOR_7;

/// The kinds of values that a type matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// A superset of the kinds of the values that the type matches.
    pub possible: Set,
    /// The kinds of which the type matches every value.
    pub complete: Set,
}

impl Kind {
    const fn some(possible: Set) -> Self {
        Self { possible, complete: 0 }
    }

    const fn every(kinds: Set) -> Self {
        Self { possible: kinds, complete: kinds }
    }
}

/// The kinds of all rules.
pub(super) struct Kinds {
    rules: Vec<Kind>,
    /// Whether a rule is another name for `#`, as `any` of the prelude.
    is_any: Vec<bool>,
}

impl Kinds {
    pub(super) fn new(schema: &Schema) -> Self {
        let count = schema.rules.len();
        let is_any = schema.rules.iter().map(|rule| rule.body.kind == TypeKind::Any).collect();
        let mut kinds = Self { rules: vec![Kind::default(); count], is_any };
        let mut is_known = vec![false; count];
        for start in 0..count {
            // Visit a rule after the rules that it consists of. No rule consists of itself.
            let mut open = vec![(start, false)];
            while let Some((rule, is_ready)) = open.pop() {
                if is_known[rule] {
                    continue;
                }
                if is_ready {
                    kinds.rules[rule] = kinds.get(&schema.rules[rule].body);
                    is_known[rule] = true;
                } else {
                    open.push((rule, true));
                    parts(&schema.rules[rule].body, &mut |part| open.push((part, false)));
                }
            }
        }
        kinds
    }

    pub(super) fn get(&self, ty: &Type) -> Kind {
        match &ty.kind {
            TypeKind::Any => Kind::every(ALL),
            TypeKind::Rule(id) => self.rules[id.0],
            TypeKind::Literal(literal) => Kind::some(value_kind(&literal.value)),
            TypeKind::Range { low, high, .. } => match (low, high) {
                (LiteralValue::Integer(low), LiteralValue::Integer(high)) => {
                    let negative = if *low < 0 { NINT } else { 0 };
                    Kind::some(negative | if *high >= 0 { UINT } else { 0 })
                }
                _ => Kind::some(FLOAT),
            },
            TypeKind::Choice(alternatives) => {
                alternatives.iter().fold(Kind::default(), |sum, alternative| {
                    let Kind { possible, complete } = self.get(alternative);
                    Kind { possible: sum.possible | possible, complete: sum.complete | complete }
                })
            }
            TypeKind::Map(group) => {
                Kind { possible: MAP, complete: if self.is_open(group, true) { MAP } else { 0 } }
            }
            TypeKind::Array(group) => Kind {
                possible: ARRAY,
                complete: if self.is_open(group, false) { ARRAY } else { 0 },
            },
            TypeKind::Major { major, info } => major_kind(*major, *info),
            TypeKind::Simple(_) => Kind::some(MAJOR_7),
            TypeKind::Tag { number, content } => {
                let is_any = *number == TagNumber::Any && self.is_any(content);
                Kind { possible: TAG, complete: if is_any { TAG } else { 0 } }
            }
            TypeKind::Control { target, control } => {
                let Kind { possible, complete } = self.get(target);
                let is_same = matches!(control, Control::Default(_));
                Kind { possible, complete: if is_same { complete } else { 0 } }
            }
        }
    }

    fn is_any(&self, ty: &Type) -> bool {
        match &ty.kind {
            TypeKind::Any => true,
            TypeKind::Rule(id) => self.is_any[id.0],
            _ => false,
        }
    }

    /// Returns whether a map or an array with this content may contain anything.
    fn is_open(&self, group: &Group, is_map: bool) -> bool {
        group.choices.iter().any(|elements| self.is_open_choice(elements, is_map))
    }

    /// Returns whether this is `* any => any`, or `* any`.
    pub(super) fn is_open_choice(&self, elements: &[Element], is_map: bool) -> bool {
        let [element] = elements else { return false };
        let ElementKind::Member(member) = &element.kind else { return false };
        let is_any_key = match &member.key {
            Some(MemberKey::Type(key)) => self.is_any(key),
            None | Some(MemberKey::Literal(_)) => false,
        };
        element.occurrence == Occurrence { min: 0, max: None }
            && (is_any_key || !is_map)
            && self.is_any(&member.value)
    }
}

/// Calls a function with each rule that a type consists of, outside of maps, arrays and tags.
fn parts(ty: &Type, found: &mut impl FnMut(usize)) {
    match &ty.kind {
        TypeKind::Rule(id) => found(id.0),
        TypeKind::Choice(alternatives) => alternatives.iter().for_each(|it| parts(it, found)),
        TypeKind::Control { target, .. } => parts(target, found),
        _ => {}
    }
}

pub(super) fn value_kind(value: &LiteralValue) -> Set {
    match value {
        LiteralValue::Integer(value) if *value < 0 => NINT,
        LiteralValue::Integer(_) => UINT,
        LiteralValue::Float(_) => FLOAT,
        LiteralValue::Text(_) => TEXT,
        LiteralValue::Bytes(_) => BYTES,
    }
}

fn major_kind(major: u8, info: Option<u64>) -> Kind {
    let kinds = match major {
        0 => UINT,
        1 => NINT,
        2 => BYTES,
        3 => TEXT,
        4 => ARRAY,
        5 => MAP,
        6 => TAG,
        _ => match info {
            None => MAJOR_7,
            Some(20) => FALSE,
            Some(21) => TRUE,
            Some(22) => NULL,
            Some(23) => UNDEFINED,
            Some(25) => FLOAT16,
            Some(26) => FLOAT32,
            Some(27) => FLOAT64,
            Some(_) => return Kind::some(SIMPLE),
        },
    };
    if major < 7 && info.is_some() { Kind::some(kinds) } else { Kind::every(kinds) }
}
