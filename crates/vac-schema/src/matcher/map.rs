//! Matches maps: assigns the entries of a map to the members of a sequence.

use std::collections::HashMap;

use vac_value::{Node, ViolationKind, found_key};

use super::Matcher;
use super::open_members::OpenMembers;
use crate::describe::key_name;
use crate::scalar::equals;
use crate::tables::{
    Element, ElementKind, Group, GroupId, LiteralKey, LiteralValue, MemberKey, Sequence, TypeId,
    TypeKind,
};

impl<'s> Matcher<'s, '_> {
    /// Checks a whole map against one alternative of a group.
    pub(super) fn whole_map(&mut self, sequence: &'s Sequence, node: Node<'_, '_>) -> bool {
        if sequence.is_flat {
            return self.flat_map(&sequence.elements, node);
        }
        let mut state = MapState::new(node);
        let mut is_valid = self.take_entries(sequence, &mut state);
        for at in 0..state.members.len() {
            if !is_valid && self.is_done() {
                return false;
            }
            if state.members.is_taken(at) {
                continue;
            }
            if let Some(sequence) = state.incomplete.remove(&at)
                && !self.take_entries(sequence, &mut state)
            {
                // An optional group took the entry, but did not match as a whole.
                is_valid = false;
                continue;
            }
            let (key, value) = (state.members.key(at), state.members.value(at));
            let refused = state.refused.get(&at).map(Vec::as_slice);
            is_valid &= self.not_taken(key, value, refused);
        }
        is_valid
    }

    /// Records an entry that no member takes: because of its value, if members have its key.
    pub(super) fn not_taken(
        &mut self,
        key: Node<'_, '_>,
        value: Node<'_, '_>,
        refused: Option<&[TypeId]>,
    ) -> bool {
        if let Some(refused) = refused.filter(|refused| !refused.is_empty())
            && !self.none_of(refused, value)
        {
            return false;
        }
        self.fail(ViolationKind::UnexpectedKey, value, |matcher| {
            ("no such key".to_owned(), matcher.with_feature(found_key(key), key))
        })
    }

    /// Records a required member that took too few entries.
    pub(super) fn missing(&mut self, element: &'s Element, count: u64, node: Node<'_, '_>) -> bool {
        match &element.kind {
            ElementKind::Member { key: MemberKey::Literal(label), value, .. } => {
                // In probe mode a wrong value has been noted before, and a search would make
                // repeated groups quadratic.
                let mut present = None;
                if !self.is_probing() {
                    let is_it = |(key, _): &(Node<'_, '_>, _)| {
                        self.budget.spend(1) && equals(&label.value, *key)
                    };
                    present = node.members().find(is_it);
                }
                if let Some((_, node)) = present
                    && !self.check_labelled(&label.name, *value, node)
                {
                    return false;
                }
                self.fail(ViolationKind::MissingKey, node, |_| {
                    (key_name(label), "no such key".to_owned())
                })
            }
            ElementKind::Member { key: MemberKey::Type(key), .. } => {
                let kind = match element.min {
                    1 => ViolationKind::MissingKey,
                    _ => ViolationKind::Length,
                };
                self.fail(kind, node, |matcher| {
                    let key = matcher.describe(*key);
                    let expected = match element.min {
                        1 => format!("a key of type {key}"),
                        min => format!("at least {min} keys of type {key}"),
                    };
                    (expected, count.to_string())
                })
            }
            _ => self.fail(ViolationKind::Mismatch, node, |_| {
                ("nothing".to_owned(), vac_value::found(node))
            }),
        }
    }

    /// Matches a sequence against the entries that are left: members with one key first,
    /// then groups, then members whose key is a type.
    pub(super) fn take_entries(
        &mut self,
        sequence: &'s Sequence,
        state: &mut MapState<'s, '_, '_>,
    ) -> bool {
        let mut is_valid = true;
        for pass in [Pass::Literals, Pass::Groups, Pass::Types] {
            for element in &*sequence.elements {
                if !self.budget.spend(1 + state.new_steps()) {
                    return false;
                }
                is_valid &= match (&pass, &element.kind) {
                    (
                        Pass::Literals,
                        ElementKind::Member { key: MemberKey::Literal(label), is_cut, value },
                    ) => self.take_literal(element, label, *is_cut, *value, state),
                    (Pass::Groups, ElementKind::Group(group)) => {
                        self.take_repeated(element, *group, state)
                    }
                    (
                        Pass::Types,
                        ElementKind::Member { key: MemberKey::Type(key), is_cut, value },
                    ) => self.take_by_type(element, *key, *is_cut, *value, state),
                    (Pass::Types, ElementKind::Member { key: MemberKey::None, .. }) => {
                        // A member without a key does not match an entry of a map.
                        element.min == 0 || self.missing(element, 0, state.map)
                    }
                    _ => true,
                };
                if !is_valid && self.is_done() {
                    return false;
                }
            }
        }
        is_valid
    }

    fn take_literal(
        &mut self,
        element: &'s Element,
        label: &'s LiteralKey,
        is_cut: bool,
        id: TypeId,
        state: &mut MapState<'s, '_, '_>,
    ) -> bool {
        let found = state.find(element, &label.value).filter(|_| element.max > 0);
        let mut count = 0;
        if let Some(at) = found {
            let value = state.members.value(at);
            if is_cut {
                state.members.name(at);
                state.take(at, element);
                count = 1;
                if !self.check_labelled(&label.name, id, value) {
                    state.refuse(at, id);
                    return false;
                }
            } else {
                let verdict = self.probe(|matcher| matcher.check(id, value));
                self.note(verdict);
                if verdict.is_valid {
                    state.take(at, element);
                    count = 1;
                } else {
                    state.refuse(at, id);
                }
            }
        }
        count >= element.min || self.missing(element, count, state.map)
    }

    fn take_by_type(
        &mut self,
        element: &'s Element,
        key_type: TypeId,
        is_cut: bool,
        id: TypeId,
        state: &mut MapState<'s, '_, '_>,
    ) -> bool {
        let address = address(element);
        let mut count = 0;
        let mut from = 0;
        while count < element.max {
            if !self.budget.spend(1) {
                return false;
            }
            let Some(at) = state.members.next(address, from) else { break };
            from = at + 1;
            let (key, value) = (state.members.key(at), state.members.value(at));
            if !self.probe(|matcher| matcher.check(key_type, key)).is_valid {
                state.members.refuse(address, at);
                continue;
            }
            if is_cut {
                state.members.name(at);
                state.take(at, element);
                count += 1;
                if !self.check(id, value) {
                    state.refuse(at, id);
                    return false;
                }
                continue;
            }
            let verdict = self.probe(|matcher| matcher.check(id, value));
            self.note(verdict);
            if verdict.is_valid {
                state.take(at, element);
                count += 1;
            } else {
                state.refuse(at, id);
                state.members.refuse(address, at);
            }
        }
        count >= element.min || self.missing(element, count, state.map)
    }

    fn take_repeated(
        &mut self,
        element: &'s Element,
        id: GroupId,
        state: &mut MapState<'s, '_, '_>,
    ) -> bool {
        let group = self.group(id);
        let mut count = 0;
        while count < element.max {
            let taken = state.members.taken();
            if !self.budget.spend(1) {
                return false;
            }
            if !self.take_group_entries(group, state) {
                break;
            }
            count += 1;
            if state.members.taken() == taken {
                // An element that takes nothing matches as often as required.
                count = count.max(element.min);
                break;
            }
        }
        if count >= element.min {
            return true;
        }
        if self.is_probing() {
            return self.fail_group(id, state.map);
        }
        if let Some((key, expected)) = self.constants_of_one_key(group)
            && let Some(value) = state.open_value(key)
            && !self.accepts_any(&expected, value)
        {
            // The value of this key selects the alternative: the other keys belong to none.
            state.take_named(self, group);
            return self.fail(ViolationKind::Mismatch, value, |matcher| {
                (matcher.describe_any(&expected), vac_value::found(value))
            });
        }
        // Report the violations of the alternative that takes the most entries.
        let best = self.best_alternative(group, state);
        let is_reported = best.is_some_and(|sequence| !self.take_entries(sequence, state));
        !is_reported && self.fail_group(id, state.map)
    }

    /// Returns the key that all alternatives of a group have with a constant value, those of groups
    /// inside it included, and its types.
    fn constants_of_one_key(&self, group: &'s Group) -> Option<(&'s LiteralValue, Vec<TypeId>)> {
        if group.choices.len() < 2 {
            return None;
        }
        let key = self.first_constant(&group.choices[0])?;
        let mut types = Vec::new();
        self.collect_constants(group, key, &mut types)?;
        Some((key, types))
    }

    /// Returns the key of the first member of a sequence whose value is a constant.
    fn first_constant(&self, sequence: &'s Sequence) -> Option<&'s LiteralValue> {
        sequence.elements.iter().find_map(|element| match &element.kind {
            ElementKind::Member { key: MemberKey::Literal(label), value, .. }
                if self.is_constant(*value) =>
            {
                Some(&label.value)
            }
            ElementKind::Group(id) => self.first_constant(self.group(*id).choices.first()?),
            ElementKind::Member { .. } => None,
        })
    }

    /// Adds the types of a key in all alternatives. `None` if one of them does not require the
    /// key with a constant value.
    fn collect_constants(
        &self,
        group: &'s Group,
        key: &LiteralValue,
        types: &mut Vec<TypeId>,
    ) -> Option<()> {
        for sequence in &*group.choices {
            let mut required = sequence.elements.iter().filter(|element| element.min > 0);
            required.find_map(|element| match &element.kind {
                ElementKind::Member { key: MemberKey::Literal(label), value, .. } => {
                    if label.value != *key || !self.is_constant(*value) {
                        return None;
                    }
                    types.push(*value);
                    Some(())
                }
                ElementKind::Group(id) => self.collect_constants(self.group(*id), key, types),
                ElementKind::Member { .. } => None,
            })?;
        }
        Some(())
    }

    /// Returns whether a type is a literal.
    fn is_constant(&self, id: TypeId) -> bool {
        match &self.type_(id).kind {
            TypeKind::Literal(_) => true,
            TypeKind::Rule(rule) => {
                matches!(self.type_(self.rule(*rule).body).kind, TypeKind::Literal(_))
            }
            _ => false,
        }
    }

    fn accepts_any(&mut self, ids: &[TypeId], node: Node<'_, '_>) -> bool {
        ids.iter().any(|id| self.accepts_node(*id, node))
    }

    /// Returns how many constant values of a sequence a map has, those of the alternatives of
    /// groups inside it included.
    fn count_constants(
        &mut self,
        sequence: &'s Sequence,
        state: &mut MapState<'s, '_, '_>,
    ) -> usize {
        let mut count = 0;
        for element in &*sequence.elements {
            if !self.budget.spend(1) {
                break;
            }
            match &element.kind {
                ElementKind::Member { key: MemberKey::Literal(label), value, .. }
                    if self.is_constant(*value) =>
                {
                    let found = state.open_value(&label.value);
                    count += usize::from(found.is_some_and(|it| self.accepts_node(*value, it)));
                }
                ElementKind::Group(id) => {
                    let choices = &self.group(*id).choices;
                    let counts = choices.iter().map(|choice| self.count_constants(choice, state));
                    count += counts.max().unwrap_or(0);
                }
                ElementKind::Member { .. } => {}
            }
        }
        count
    }

    /// Returns the alternative with the most constant values that the map has, or of several the
    /// one that takes the most entries before it fails. `None` if there are several, and none of
    /// them takes anything.
    fn best_alternative(
        &mut self,
        group: &'s Group,
        state: &mut MapState<'s, '_, '_>,
    ) -> Option<&'s Sequence> {
        if let [only] = &*group.choices {
            return Some(only);
        }
        let mut best = ((0, 0), None);
        for sequence in &*group.choices {
            let constants = self.count_constants(sequence, state);
            let point = state.members.point();
            // Probe, because report mode would record the violations of all alternatives.
            self.probe(|matcher| matcher.take_entries(sequence, state));
            let count = state.members.taken() - point;
            state.members.roll_back(point);
            if (constants, count) > best.0 {
                best = ((constants, count), Some(sequence));
            }
        }
        best.1
    }

    fn fail_group(&mut self, id: GroupId, node: Node<'_, '_>) -> bool {
        self.fail(ViolationKind::Mismatch, node, |matcher| {
            (matcher.describe_group(id), vac_value::found(node))
        })
    }

    /// Tries the alternatives of a group in order.
    fn take_group_entries(&mut self, group: &'s Group, state: &mut MapState<'s, '_, '_>) -> bool {
        let point = state.members.point();
        let mut from = 0;
        while let Some(at) = state.next_alternative(group, from) {
            from = at + 1;
            let sequence = &group.choices[at];
            if !self.budget.spend(1 + state.new_steps()) {
                return false;
            }
            let verdict = self.probe(|matcher| matcher.take_entries(sequence, state));
            if verdict.is_valid {
                return true;
            }
            self.note(verdict);
            if !self.is_probing() {
                for member in state.members.taken_since(point) {
                    state.incomplete.insert(*member, sequence);
                }
            }
            state.members.roll_back(point);
            self.drop_alternative(group, at, state);
        }
        // Alternatives that were not tried count as failed at the map itself.
        self.furthest = self.furthest.max(state.map.index());
        false
    }
}

impl<'s> Matcher<'s, '_> {
    /// Marks one of many alternatives as not matching, because the value of its first key is of
    /// another type.
    fn drop_alternative(&mut self, group: &'s Group, at: usize, state: &mut MapState<'s, '_, '_>) {
        if group.choices.len() <= MAX_TRIED {
            return;
        }
        if let Some((key, id)) = required_member(&group.choices[at])
            && let Some(member) = state.members.find_value(key)
        {
            let value = state.members.value(member);
            if !self.accepts_node(id, value) {
                state.members.drop_alternative(group_address(group), at, member);
            }
        }
    }
}

/// The maximum number of alternatives of a group that are tried one by one.
const MAX_TRIED: usize = 8;

enum Pass {
    Literals,
    Groups,
    Types,
}

/// The state of a map while a sequence that is not flat is matched against it.
pub(super) struct MapState<'s, 'd, 'a> {
    map: Node<'d, 'a>,
    members: OpenMembers<'d, 'a>,
    /// The types that members with an entry's key expected for its value.
    refused: HashMap<usize, Vec<TypeId>>,
    /// The alternatives that took an entry and did not match in the end.
    incomplete: HashMap<usize, &'s Sequence>,
    /// The steps of `members` that the budget knows.
    counted: u64,
    /// The element that took each entry last.
    takers: Vec<*const Element>,
}

impl<'d, 'a> MapState<'_, 'd, 'a> {
    pub(super) fn new(map: Node<'d, 'a>) -> Self {
        let members = OpenMembers::new(map);
        let (refused, incomplete) = (HashMap::new(), HashMap::new());
        let takers = vec![std::ptr::null(); members.len()];
        Self { map, members, refused, incomplete, counted: 0, takers }
    }

    /// Returns the next alternative of a group that may match: of many alternatives only those
    /// whose first key is open are tried.
    fn next_alternative(&mut self, group: &Group, from: usize) -> Option<usize> {
        let count = group.choices.len();
        if count <= MAX_TRIED {
            return (from < count).then_some(from);
        }
        let keys = group.choices.iter().map(|sequence| Some(required_member(sequence)?.0));
        self.members.next_alternative(group_address(group), from, keys)
    }

    fn take(&mut self, at: usize, element: &Element) {
        self.takers[at] = std::ptr::from_ref(element);
        self.members.take(at);
    }

    /// Returns the keys and values in order, each with the element that took it; `None` if one was
    /// not taken.
    pub(super) fn taken(&self) -> Option<Vec<Taken<'d, 'a>>> {
        let taken = |at: usize| {
            let entry = (self.takers[at], self.members.key(at), self.members.value(at));
            self.members.is_taken(at).then_some(entry)
        };
        (0..self.members.len()).map(taken).collect()
    }

    /// Returns the value of this key, if it has not been taken.
    fn open_value(&mut self, key: &LiteralValue) -> Option<Node<'d, 'a>> {
        let at = self.members.find_value(key)?;
        (!self.members.is_taken(at)).then(|| self.members.value(at))
    }

    /// Takes the entries whose keys are in a group or in a group inside it.
    fn take_named(&mut self, matcher: &Matcher<'_, '_>, group: &Group) {
        for element in group.choices.iter().flat_map(|sequence| &*sequence.elements) {
            match &element.kind {
                ElementKind::Member { key: MemberKey::Literal(label), .. } => {
                    if let Some(at) = self.members.find_value(&label.value)
                        && !self.members.is_taken(at)
                    {
                        self.take(at, element);
                    }
                }
                ElementKind::Group(id) => self.take_named(matcher, matcher.group(*id)),
                ElementKind::Member { .. } => {}
            }
        }
    }

    /// Returns the entry with this key, if it has not been taken.
    fn find(&mut self, element: &Element, key: &LiteralValue) -> Option<usize> {
        match key {
            LiteralValue::Text(text) => self.members.find_text(text),
            LiteralValue::Integer(integer) => self.members.find_integer(*integer),
            key => self.members.find_with(address(element), |found| equals(key, found)),
        }
    }

    fn refuse(&mut self, at: usize, id: TypeId) {
        let refused = self.refused.entry(at).or_default();
        if !refused.contains(&id) {
            refused.push(id);
        }
    }

    /// Returns the steps since the last call.
    fn new_steps(&mut self) -> u64 {
        let steps = self.members.steps();
        steps - std::mem::replace(&mut self.counted, steps)
    }
}

/// An entry of a map and the element that took it.
pub(super) type Taken<'d, 'a> = (*const Element, Node<'d, 'a>, Node<'d, 'a>);

/// Returns the literal key without which a sequence fails before it has any effect, and the type of
/// its value.
fn required_member(sequence: &Sequence) -> Option<(&LiteralValue, TypeId)> {
    let mut literals = sequence.elements.iter().filter_map(|element| match &element.kind {
        ElementKind::Member { key: MemberKey::Literal(label), value, .. } => {
            Some((element, &label.value, *value))
        }
        _ => None,
    });
    let (element, key, value) = literals.next()?;
    (element.min > 0 && element.max > 0).then_some((key, value))
}

/// Identifies a group.
fn group_address(group: &Group) -> usize {
    std::ptr::from_ref(group).addr()
}

/// Identifies an element of a group.
fn address(element: &Element) -> usize {
    std::ptr::from_ref(element).addr()
}
