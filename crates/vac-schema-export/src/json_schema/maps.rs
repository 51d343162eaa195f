//! Writes maps: members with known keys, and members whose keys have a type.

use std::collections::{HashMap, HashSet};

use vac_cddl::ir::{Group, Location};

use super::keys::Keys;
use super::{Part, Writer};
use crate::json::Json;
use crate::map_shape::{Alternative, COUNT, KEY_TYPES, Known, OPEN_GROUP};

/// The position of a member with a known key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// In the map itself.
    Map,
    /// The first member of an optional group.
    GroupFirst,
    /// Another member of an optional group.
    GroupLater,
}

/// A type of keys with the values it allows.
struct TypedKeys<'s> {
    keys: Keys<'s>,
    value: Part,
    is_cut: bool,
}

impl<'s> Writer<'s> {
    /// Writes a map.
    pub(super) fn map(&mut self, group: &'s Group) -> Part {
        let mut parts = Vec::new();
        for elements in &group.choices {
            let alternatives = self.shapes.alternatives(elements);
            for alternative in &alternatives {
                parts.push(self.alternative(alternative, &group.location));
            }
        }
        Part::any_of(parts)
    }

    fn alternative(&mut self, alternative: &Alternative<'s>, location: &Location) -> Part {
        if self.is_too_large() {
            return Part::ANY;
        }
        let mut losses = alternative.losses.clone();
        let mut is_exact = true;
        let mut typed = Vec::new();
        for it in &alternative.typed {
            let keys = self.keys(it.key);
            let value = self.ty(it.value);
            typed.push(TypedKeys { keys, value, is_cut: it.is_cut });
        }

        // Members with known keys, in the order of the text; one key may occur in several places.
        let mut order: Vec<&str> = Vec::new();
        let mut places: HashMap<&str, Vec<(Known<'s>, Position)>> = HashMap::new();
        let in_groups = alternative.groups.iter().flat_map(|group| {
            let position = |at| if at == 0 { Position::GroupFirst } else { Position::GroupLater };
            group.iter().enumerate().map(move |(at, known)| (*known, position(at)))
        });
        let outside = alternative.known.iter().map(|known| (*known, Position::Map));
        for (known, position) in outside.chain(in_groups) {
            let list = places.entry(known.key).or_insert_with(|| {
                order.push(known.key);
                Vec::new()
            });
            list.push((known, position));
        }
        let mut properties: Vec<(String, Json)> = Vec::new();
        for key in &order {
            let part = self.property(&places[key], &typed, &mut losses);
            is_exact &= part.is_exact;
            properties.push(((*key).to_owned(), part.into_json()));
        }

        let required: Vec<&str> =
            unique(alternative.known.iter().filter(|known| known.is_required));
        let mut part = Part::of_type("object");
        let known: HashSet<&str> = order.iter().copied().collect();
        let others = other_properties(&typed, &mut properties, &known, &mut losses);
        is_exact &= others.is_exact && typed.iter().all(|it| it.value.is_exact);
        if !properties.is_empty() {
            part = part.with("properties", Json::Object(properties));
        }
        if !required.is_empty() {
            part = part.with("required", texts(&required));
        }
        let dependent = dependent_required(&alternative.groups, &known, &typed);
        if !dependent.is_empty() {
            part = part.with("dependentRequired", Json::Object(dependent));
        }
        part = part.and(others);
        part = counts(part, alternative, required.len(), order.len(), &mut losses);
        part.is_exact = is_exact;
        losses.dedup();
        for loss in losses {
            self.note(&mut part, location, loss);
        }
        part
    }

    /// Writes the value of a known key.
    fn property(
        &mut self,
        places: &[(Known<'s>, Position)],
        typed: &[TypedKeys<'s>],
        losses: &mut Vec<&'static str>,
    ) -> Part {
        let mut values = Vec::new();
        for (known, position) in places {
            values.push(self.ty(known.value));
            // A type of keys may accept an entry that the member with its key does not accept.
            let is_left = match position {
                Position::Map => !known.is_cut && !known.is_required,
                Position::GroupFirst => !known.is_cut,
                // Cuts are not reached if an earlier member of the group is missing.
                Position::GroupLater => true,
            };
            for it in typed.iter().filter(|it| is_left && it.keys.may_accept(known.key)) {
                values.push(it.value.clone());
                if *position != Position::Map {
                    losses.push(OPEN_GROUP);
                }
            }
        }
        let mut part = Part::any_of(values);
        if let [(known, _)] = places
            && !known.docs.is_empty()
            && part.get("description").is_none()
        {
            part.insert_first("description", known.docs.join("\n").into());
        }
        part
    }
}

fn unique<'s, 'a>(known: impl Iterator<Item = &'a Known<'s>>) -> Vec<&'s str>
where
    's: 'a,
{
    let mut seen = HashSet::new();
    known.map(|known| known.key).filter(|key| seen.insert(*key)).collect()
}

fn texts(texts: &[&str]) -> Json {
    Json::Array(texts.iter().map(|text| Json::from(*text)).collect())
}

/// Returns the keys that each optional group requires.
///
/// In a map that accepts other keys, the members of a group after its first may belong to those.
fn dependent_required<'s>(
    groups: &[Vec<Known<'s>>],
    known: &HashSet<&str>,
    typed: &[TypedKeys<'s>],
) -> Vec<(String, Json)> {
    let mut dependent: Vec<(String, Json)> = Vec::new();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for member in groups.iter().flatten() {
        *uses.entry(member.key).or_default() += 1;
    }
    for group in groups {
        let required = unique(group.iter().filter(|member| member.is_required));
        for (at, member) in group.iter().enumerate() {
            let is_left = typed.iter().any(|it| it.keys.may_accept(member.key));
            if is_left && (at > 0 || !member.is_cut) {
                continue;
            }
            let is_shared = uses[member.key] > 1;
            let others: Vec<_> =
                required.iter().copied().filter(|key| *key != member.key).collect();
            if !is_shared && known.contains(member.key) && !others.is_empty() {
                dependent.push((member.key.to_owned(), texts(&others)));
            }
        }
    }
    dependent
}

/// Writes the members whose keys have a type. Adds properties for types that consist of texts.
fn other_properties(
    typed: &[TypedKeys<'_>],
    properties: &mut Vec<(String, Json)>,
    known: &HashSet<&str>,
    losses: &mut Vec<&'static str>,
) -> Part {
    let allowed = |at: usize, key: &str| -> Part {
        // The first type that accepts a key takes the entry, unless the value does not match and
        // the type has no cut.
        let others = typed.iter().enumerate().filter(|(other, it)| {
            let is_cut_off = *other > at && typed[at].is_cut;
            *other == at || (it.keys.may_accept(key) && !is_cut_off)
        });
        Part::any_of(others.map(|(_, it)| it.value.clone()).collect())
    };
    let mut patterns: Vec<(String, Json)> = Vec::new();
    let mut names: Vec<Json> = Vec::new();
    let mut rest = Vec::new();
    let mut has_all = false;
    let mut added = HashSet::new();
    for (at, it) in typed.iter().enumerate() {
        let Keys::Texts(texts) = &it.keys else { continue };
        for text in texts.iter().filter(|text| !known.contains(*text)) {
            if added.insert(*text) {
                properties.push(((*text).to_owned(), allowed(at, text).into_json()));
            }
        }
        names.push(Part::new("enum", self::texts(texts)).into_json());
    }
    for (at, it) in typed.iter().enumerate() {
        match &it.keys {
            Keys::None | Keys::Texts(_) => {}
            Keys::All => {
                has_all = true;
                rest.push(it.value.clone());
            }
            Keys::Pattern(pattern) => {
                let excluded: Vec<_> = properties
                    .iter()
                    .map(|(key, _)| key.as_str())
                    .filter(|key| pattern.is_match(key))
                    .collect();
                let pattern_text = pattern.ecma_except(&excluded);
                let value = allowed_for_pattern(typed, at, losses);
                if !patterns.iter().any(|(other, _)| *other == pattern_text) {
                    patterns.push((pattern_text, value.into_json()));
                }
                names.push(Part::new("pattern", pattern.ecma()).into_json());
            }
            Keys::Described(description) => {
                rest.push(it.value.clone());
                names.push(description.clone().into_json());
                if typed.len() > 1 {
                    losses.push(KEY_TYPES);
                }
            }
        }
    }
    let mut part = Part::ANY;
    if !patterns.is_empty() {
        part = part.with("patternProperties", Json::Object(patterns));
    }
    let is_described = typed.iter().any(|it| matches!(it.keys, Keys::Described(_)));
    if rest.is_empty() {
        return part.with("additionalProperties", Json::Bool(false));
    }
    let rest = Part::any_of(rest);
    if !rest.is_any() {
        part = part.with("additionalProperties", rest.into_json());
    }
    if is_described && !has_all {
        let mut keys: Vec<&str> = properties.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        if !keys.is_empty() {
            names.insert(0, Part::new("enum", texts(&keys)).into_json());
        }
        let names = Part::new("anyOf", Json::Array(names));
        part = part.with("propertyNames", names.into_json());
    }
    part
}

/// Returns the values that keys of a pattern may have. With one pattern they are known exactly.
fn allowed_for_pattern(typed: &[TypedKeys<'_>], at: usize, losses: &mut Vec<&'static str>) -> Part {
    let mut values = Vec::new();
    let mut is_known = true;
    for (other, it) in typed.iter().enumerate() {
        let is_cut_off = other > at && typed[at].is_cut;
        match &it.keys {
            _ if other == at => values.push(it.value.clone()),
            Keys::None => {}
            Keys::All if is_cut_off => {}
            Keys::All => values.push(it.value.clone()),
            Keys::Texts(_) | Keys::Pattern(_) | Keys::Described(_) => {
                is_known = false;
                values.push(it.value.clone());
            }
        }
    }
    if !is_known {
        losses.push(KEY_TYPES);
    }
    Part::any_of(values)
}

/// Adds the minimum and maximum number of members.
fn counts(
    part: Part,
    alternative: &Alternative<'_>,
    required: usize,
    known: usize,
    losses: &mut Vec<&'static str>,
) -> Part {
    let typed = &alternative.typed;
    let min = typed.iter().fold(0_u64, |sum, it| sum.saturating_add(it.min));
    let max = typed.iter().try_fold(0_u64, |sum, it| Some(sum.saturating_add(it.max?)));
    let max = max.filter(|_| !typed.is_empty());
    if min == 0 && max.is_none() {
        return part;
    }
    if required != known || typed.len() > 1 {
        losses.push(COUNT);
    }
    let mut part = part;
    if min > 0 {
        part = part.with("minProperties", (required as u64).saturating_add(min));
    }
    if let Some(max) = max {
        part = part.with("maxProperties", (known as u64).saturating_add(max));
    }
    part
}
