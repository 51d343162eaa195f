//! Computes the kinds of JSON values that a type may accept.

use vac_cddl::ir::{
    Control, Element, ElementKind, Group, LiteralValue, MemberKey, RuleId, Schema, TagNumber, Type,
    TypeKind,
};

/// A set of kinds of JSON values.
pub(crate) type KindSet = u8;

pub(crate) const NULL: KindSet = 1;
pub(crate) const FALSE: KindSet = 2;
pub(crate) const TRUE: KindSet = 4;
pub(crate) const NUMBER: KindSet = 8;
pub(crate) const TEXT: KindSet = 16;
pub(crate) const ARRAY: KindSet = 32;
pub(crate) const OBJECT: KindSet = 64;
const ALL: KindSet = 127;

/// The maximum number of rounds over all rules. Each round removes kinds, so that the sets contain
/// all accepted kinds after any number of rounds.
const MAX_ROUNDS: usize = 20;

/// The kinds of values that the rules of a schema may accept. No JSON value matches a rule without
/// a kind.
pub(crate) struct Kinds {
    rules: Vec<KindSet>,
}

impl Kinds {
    /// Finds the kinds of all rules.
    pub fn new(schema: &Schema) -> Self {
        let mut kinds = Self { rules: vec![ALL; schema.rules.len()] };
        for round in 0..MAX_ROUNDS {
            let mut is_changed = false;
            for at in 0..schema.rules.len() {
                // Alternate the direction, because rules refer both to earlier and to later rules.
                let rule = if round % 2 == 0 { schema.rules.len() - 1 - at } else { at };
                let found = kinds.get(&schema.rules[rule].body);
                is_changed |= found != kinds.rules[rule];
                kinds.rules[rule] = found;
            }
            if !is_changed {
                break;
            }
        }
        kinds
    }

    /// Returns the kinds of values that a rule may accept.
    pub fn rule(&self, RuleId(id): RuleId) -> KindSet {
        self.rules[id]
    }

    /// Returns the kinds of values that a type may accept.
    pub fn get(&self, ty: &Type) -> KindSet {
        match &ty.kind {
            TypeKind::Any => ALL,
            TypeKind::Rule(id) => self.rule(*id),
            TypeKind::Literal(literal) => value_kind(&literal.value),
            TypeKind::Range { .. } => NUMBER,
            TypeKind::Choice(alternatives) => {
                alternatives.iter().fold(0, |set, alternative| set | self.get(alternative))
            }
            TypeKind::Map(group) => {
                let is_possible = self.has_choice(group, true);
                if is_possible { OBJECT } else { 0 }
            }
            TypeKind::Array(group) => {
                let is_possible = self.has_choice(group, false);
                if is_possible { ARRAY } else { 0 }
            }
            TypeKind::Major { major, info } => major_kinds(*major, *info),
            TypeKind::Simple(_) => NULL | FALSE | TRUE | NUMBER,
            TypeKind::Tag { number, .. } => tag_kinds(number),
            TypeKind::Control { target, control } => self.get(target) & self.control(control),
        }
    }

    fn control(&self, control: &Control) -> KindSet {
        match control {
            Control::Size(_) => TEXT | NUMBER,
            Control::Regexp(_)
            | Control::Encoded(..)
            | Control::Base10(_)
            | Control::Printf(_)
            | Control::Json(_)
            | Control::Join(_)
            | Control::Abnf(_) => TEXT,
            Control::Cbor(_) | Control::Cborseq(_) => 0,
            Control::Within(other) | Control::And(other) | Control::Is(other) => self.get(other),
            Control::Bits(_)
            | Control::Lt(_)
            | Control::Le(_)
            | Control::Gt(_)
            | Control::Ge(_) => NUMBER,
            Control::Eq(value) => value_kind(value),
            Control::Ne(_) | Control::IsNot(_) | Control::Default(_) | Control::Feature(_) => ALL,
        }
    }

    fn has_choice(&self, group: &Group, is_map: bool) -> bool {
        group.choices.iter().any(|elements| self.is_possible(elements, is_map))
    }

    fn is_possible(&self, elements: &[Element], is_map: bool) -> bool {
        elements.iter().filter(|element| element.occurrence.min > 0).all(|element| {
            match &element.kind {
                ElementKind::Group { group, .. } => self.has_choice(group, is_map),
                ElementKind::Member(member) => {
                    let has_text_key = match &member.key {
                        None => false,
                        Some(MemberKey::Literal(key)) => {
                            matches!(key.value, LiteralValue::Text(_))
                        }
                        Some(MemberKey::Type(key)) => self.get(key) & TEXT != 0,
                    };
                    (!is_map || has_text_key) && self.get(&member.value) != 0
                }
            }
        })
    }
}

/// Returns the kind of a value; none if JSON does not have it.
fn value_kind(value: &LiteralValue) -> KindSet {
    match value {
        LiteralValue::Integer(_) => NUMBER,
        LiteralValue::Float(value) if value.is_finite() => NUMBER,
        LiteralValue::Text(_) => TEXT,
        LiteralValue::Float(_) | LiteralValue::Bytes(_) => 0,
    }
}

fn major_kinds(major: u8, info: Option<u64>) -> KindSet {
    match (major, info) {
        (0 | 1, _) | (7, Some(25..=27)) => NUMBER,
        (3, _) => TEXT,
        (4, _) => ARRAY,
        (5, _) => OBJECT,
        (7, None) => NULL | FALSE | TRUE | NUMBER,
        (7, Some(20)) => FALSE,
        (7, Some(21)) => TRUE,
        (7, Some(22)) => NULL,
        _ => 0,
    }
}

/// Integers beyond 64 bits are tagged in CBOR, and numbers in JSON.
fn tag_kinds(number: &TagNumber) -> KindSet {
    match number {
        TagNumber::Any | TagNumber::Of(_) | TagNumber::One(2 | 3) => NUMBER,
        TagNumber::One(_) => 0,
    }
}
