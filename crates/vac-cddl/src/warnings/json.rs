//! Finds constructs that JSON cannot express: labels that are not texts, byte strings, tags.
//!
//! A choice with an alternative for JSON is accepted, and its other alternatives, which are for
//! CBOR, are not checked. If no JSON document matches the start rule, the specification is for
//! CBOR, which one warning states.

use super::kinds::{BYTES, Kinds, SIMPLE, Set, TAG, TEXT, UNDEFINED};
use crate::ir::{
    Element, ElementKind, Group, LiteralValue, Location, MemberKey, RuleId, RuleOrigin, Schema,
    Type, TypeKind, Warning, WarningKind,
};

/// The kinds of values that JSON does not have.
const NOT_JSON: Set = BYTES | TAG | UNDEFINED | SIMPLE;

/// The maximum number of rules that are reported one by one. If there are more, one warning covers
/// all.
const MAX_RULES: usize = 5;

/// Maximum number of rounds over all rules until nothing changes. A longer chain of rules is not
/// followed to its end: the rule that it leads to is reported.
const MAX_ROUNDS: usize = 20;

/// Finds rules that require constructs which JSON cannot express.
pub(super) fn not_json(schema: &Schema, kinds: &Kinds) -> Vec<Warning> {
    let mut json = Json { schema, kinds, is_cbor_only: vec![false; schema.rules.len()] };
    json.find_cbor_only();
    let root = &schema.rules[schema.root.0];
    let warning = |location: &Location, message: String| Warning {
        kind: WarningKind::NotJson,
        location: location.clone(),
        message,
    };
    let affected = json.affected();
    let Some((_, first)) = affected.first() else { return Vec::new() };
    if json.is_cbor_only[schema.root.0] {
        let reason = json.reason(&root.body, MAX_ROUNDS);
        let Cause { what, location } = reason.as_ref().unwrap_or(first);
        let name = &root.name;
        let what =
            format!("no JSON document matches `{name}` ({what}, {location}): it is for CBOR only");
        return vec![warning(&root.location, what)];
    }
    let advice = "use texts for JSON, or a choice of both";
    if affected.len() <= MAX_RULES {
        let each = affected.iter().map(|(id, cause)| {
            let name = &schema.rules[id.0].name;
            let what =
                format!("JSON cannot express what `{name}` asks for: {}; {advice}", cause.what);
            warning(&cause.location, what)
        });
        return each.collect();
    }
    let names: Vec<String> =
        affected.iter().take(3).map(|(id, _)| format!("`{}`", schema.rules[id.0].name)).collect();
    let what = format!(
        "JSON cannot express what {} rules ask for, such as {} ({}): {advice}",
        affected.len(),
        names.join(", "),
        first.what
    );
    vec![warning(&first.location, what)]
}

/// A construct that JSON cannot express, and its place.
struct Cause {
    what: String,
    location: Location,
}

struct Json<'s> {
    schema: &'s Schema,
    kinds: &'s Kinds,
    /// Whether no JSON document matches a rule, as far as known.
    is_cbor_only: Vec<bool>,
}

impl Json<'_> {
    fn find_cbor_only(&mut self) {
        let count = self.schema.rules.len();
        for round in 0..MAX_ROUNDS {
            let mut is_changed = false;
            for at in 0..count {
                // Alternate the direction, because rules refer both to earlier and to later rules.
                let rule = if round % 2 == 0 { count - 1 - at } else { at };
                if !self.is_cbor_only[rule] && self.is_cbor_only(&self.schema.rules[rule].body) {
                    self.is_cbor_only[rule] = true;
                    is_changed = true;
                }
            }
            if !is_changed {
                return;
            }
        }
    }

    /// Returns whether no JSON document matches.
    fn is_cbor_only(&self, ty: &Type) -> bool {
        match &ty.kind {
            TypeKind::Rule(id) => self.is_cbor_only[id.0],
            TypeKind::Choice(alternatives) => {
                !alternatives.is_empty() && alternatives.iter().all(|it| self.is_cbor_only(it))
            }
            TypeKind::Map(group) => self.is_cbor_only_group(group, true),
            TypeKind::Array(group) => self.is_cbor_only_group(group, false),
            TypeKind::Control { target, .. } => self.is_cbor_only(target),
            _ => {
                let possible = self.kinds.get(ty).possible;
                possible != 0 && possible & !NOT_JSON == 0
            }
        }
    }

    fn is_cbor_only_group(&self, group: &Group, is_map: bool) -> bool {
        !group.choices.is_empty()
            && group.choices.iter().all(|elements| self.is_cbor_only_choice(elements, is_map))
    }

    fn is_cbor_only_choice(&self, elements: &[Element], is_map: bool) -> bool {
        elements.iter().filter(|element| element.occurrence.min > 0).any(|element| {
            match &element.kind {
                ElementKind::Group { group, .. } => self.is_cbor_only_group(group, is_map),
                ElementKind::Member(member) => {
                    let is_text = !is_map || self.label(member.key.as_ref()).is_none();
                    !is_text || self.is_cbor_only(&member.value)
                }
            }
        })
    }

    /// Returns the first reason why no JSON document matches a type; `None` if more than
    /// `max_rules` rules lead to it.
    fn reason(&self, ty: &Type, max_rules: usize) -> Option<Cause> {
        match &ty.kind {
            TypeKind::Rule(id) if self.schema.rules[id.0].origin != RuleOrigin::Prelude => {
                self.reason(&self.schema.rules[id.0].body, max_rules.checked_sub(1)?)
            }
            TypeKind::Choice(alternatives) => self.reason(alternatives.first()?, max_rules),
            TypeKind::Map(group) => self.group_reason(group, true, max_rules),
            TypeKind::Array(group) => self.group_reason(group, false, max_rules),
            TypeKind::Control { target, .. } => self.reason(target, max_rules),
            _ => {
                let mut cause = None;
                self.note(ty, &mut cause);
                cause
            }
        }
    }

    fn group_reason(&self, group: &Group, is_map: bool, max_rules: usize) -> Option<Cause> {
        let elements = group.choices.first()?.iter();
        let mut required = elements.filter(|element| element.occurrence.min > 0);
        required.find_map(|element| match &element.kind {
            ElementKind::Group { group, .. } if self.is_cbor_only_group(group, is_map) => {
                self.group_reason(group, is_map, max_rules)
            }
            ElementKind::Member(member) => {
                match self.label(member.key.as_ref()).filter(|_| is_map) {
                    Some(what) => Some(Cause { what, location: element.location.clone() }),
                    None if self.is_cbor_only(&member.value) => {
                        self.reason(&member.value, max_rules)
                    }
                    None => None,
                }
            }
            ElementKind::Group { .. } => None,
        })
    }

    /// Describes a label of a map that JSON cannot express.
    fn label(&self, key: Option<&MemberKey>) -> Option<String> {
        match key? {
            MemberKey::Literal(literal) => match &literal.value {
                LiteralValue::Text(_) => None,
                LiteralValue::Integer(label) => Some(format!("the label {label}")),
                LiteralValue::Float(label) => Some(format!("the label {label}")),
                LiteralValue::Bytes(_) => Some("a byte string as label".to_owned()),
            },
            MemberKey::Type(key) => {
                let possible = self.kinds.get(key).possible;
                let is_other = possible != 0 && possible & TEXT == 0;
                is_other.then(|| "labels that are not texts".to_owned())
            }
        }
    }

    /// Returns the rules that the start rule refers to and that require a value which JSON cannot
    /// express, each with its first cause.
    fn affected(&self) -> Vec<(RuleId, Cause)> {
        let mut affected = Vec::new();
        let mut is_known = vec![false; self.schema.rules.len()];
        let mut open = vec![self.schema.root];
        is_known[self.schema.root.0] = true;
        while let Some(id) = open.pop() {
            let rule = &self.schema.rules[id.0];
            if rule.origin == RuleOrigin::Prelude {
                continue;
            }
            let mut cause = None;
            self.walk(&rule.body, &mut cause, &mut |next: RuleId| {
                if !std::mem::replace(&mut is_known[next.0], true) {
                    open.push(next);
                }
            });
            affected.extend(cause.map(|cause| (id, cause)));
        }
        affected.sort_by_key(|(id, _)| *id);
        affected
    }

    fn walk(&self, ty: &Type, cause: &mut Option<Cause>, found: &mut impl FnMut(RuleId)) {
        match &ty.kind {
            TypeKind::Rule(id) => {
                let is_prelude = self.schema.rules[id.0].origin == RuleOrigin::Prelude;
                if is_prelude && self.is_cbor_only[id.0] {
                    self.note(ty, cause);
                }
                found(*id);
            }
            TypeKind::Choice(alternatives) => {
                let is_all = alternatives.iter().all(|it| self.is_cbor_only(it));
                for alternative in alternatives {
                    if is_all || !self.is_cbor_only(alternative) {
                        self.walk(alternative, cause, found);
                    }
                }
            }
            TypeKind::Map(group) => self.walk_group(group, true, cause, found),
            TypeKind::Array(group) => self.walk_group(group, false, cause, found),
            TypeKind::Control { target, .. } => self.walk(target, cause, found),
            _ if self.is_cbor_only(ty) => self.note(ty, cause),
            _ => {}
        }
    }

    fn walk_group(
        &self,
        group: &Group,
        is_map: bool,
        cause: &mut Option<Cause>,
        found: &mut impl FnMut(RuleId),
    ) {
        let is_all = self.is_cbor_only_group(group, is_map);
        for elements in &group.choices {
            if !is_all && self.is_cbor_only_choice(elements, is_map) {
                continue;
            }
            for element in elements {
                match &element.kind {
                    ElementKind::Group { group, .. } => {
                        self.walk_group(group, is_map, cause, found);
                    }
                    ElementKind::Member(member) => {
                        let label = self.label(member.key.as_ref()).filter(|_| is_map);
                        match label {
                            Some(what) => {
                                let location = element.location.clone();
                                cause.get_or_insert(Cause { what, location });
                            }
                            None => self.walk(&member.value, cause, found),
                        }
                    }
                }
            }
        }
    }

    fn note(&self, ty: &Type, cause: &mut Option<Cause>) {
        if cause.is_some() {
            return;
        }
        let possible = self.kinds.get(ty).possible;
        let what = match &ty.kind {
            TypeKind::Rule(id) => format!("`{}`", self.schema.rules[id.0].name),
            _ if possible == BYTES => "a byte string".to_owned(),
            _ if possible == TAG => "a tag".to_owned(),
            _ => "a value that only CBOR has".to_owned(),
        };
        *cause = Some(Cause { what, location: ty.location.clone() });
    }
}
