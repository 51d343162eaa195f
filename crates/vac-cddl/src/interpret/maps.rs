//! Matching maps: keys in any order, and what is matched first.

use vac_value::{Kind, Node};

use crate::ir::{Element, ElementKind, Group, Key, Member, Occurrence, Type, Value};

use super::judge::Judge;
use super::map_state::{MapState, Miss, Problem};
use super::reach::{Reach, Verdict};

type Matched = Result<(), Miss>;

impl<'s> Judge<'_, 's> {
    pub fn map(&mut self, group: &'s Group, node: Node<'_, '_>) -> Verdict {
        if node.kind() != Kind::Map {
            return Err(Reach::at(node));
        }
        let mut furthest = Reach::at(node);
        for elements in &group.choices {
            match self.map_choice(elements, node) {
                Ok(()) => return Ok(()),
                Err(reach) => furthest = furthest.max(reach),
            }
        }
        Err(furthest)
    }

    /// One of a map's alternatives, for the whole map.
    pub fn map_choice(&mut self, elements: &'s [Element], node: Node<'_, '_>) -> Verdict {
        let mut state = MapState::new(node);
        self.depth += 1;
        let matched = self.map_sequence(elements, &mut state);
        self.depth -= 1;
        self.budget.spend(state.members.steps());
        let left = state.members.open().next();
        match (matched, left) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(entry)) => {
                state.reached(Reach::within(state.value(entry).index()));
                Err(state.reach())
            }
            (Err(_), _) => Err(state.reach()),
        }
    }

    /// Members with one key, then groups, then members with a type for a key.
    pub fn map_sequence(
        &mut self,
        elements: &'s [Element],
        state: &mut MapState<'s, '_, '_>,
    ) -> Matched {
        if !self.budget.spend(1 + elements.len() as u64) {
            return Err(Miss);
        }
        for element in elements {
            if let ElementKind::Member(member) = &element.kind
                && let Some(Key::Literal(key)) = &member.key
            {
                self.known_key(&key.value, member, element.occurrence, state)?;
            }
        }
        for element in elements {
            if let ElementKind::Group { group, .. } = &element.kind {
                self.map_group(group, element.occurrence, state)?;
            }
        }
        for element in elements {
            if let ElementKind::Member(member) = &element.kind {
                match &member.key {
                    Some(Key::Type(key)) => {
                        self.key_type(key, member, element.occurrence, state)?;
                    }
                    Some(Key::Literal(_)) => {}
                    None if element.occurrence.min == 0 => {}
                    None => state.fail(Problem::Impossible, Miss)?,
                }
            }
        }
        Ok(())
    }

    fn known_key(
        &mut self,
        key: &'s Value,
        member: &'s Member,
        occurrence: Occurrence,
        state: &mut MapState<'s, '_, '_>,
    ) -> Matched {
        let mut count = 0;
        while occurrence.max.is_none_or(|most| count < most) {
            let Some(entry) = state.find(key) else { break };
            if member.cut {
                state.members.name(entry);
            }
            if let Err(reach) = self.check(&member.value, state.value(entry)) {
                state.reached(reach);
                if member.cut {
                    state.fail(Problem::Value(entry, &member.value), Miss)?;
                } else if count < occurrence.min {
                    state.tried(entry, &member.value);
                    return state.fail(Problem::Value(entry, &member.value), Miss);
                } else {
                    state.tried(entry, &member.value);
                    break;
                }
            } else {
                state.take(entry);
            }
            count += 1;
        }
        if count < occurrence.min { state.fail(Problem::Missing(key), Miss) } else { Ok(()) }
    }

    fn key_type(
        &mut self,
        key: &'s Type,
        member: &'s Member,
        occurrence: Occurrence,
        state: &mut MapState<'s, '_, '_>,
    ) -> Matched {
        let element = std::ptr::from_ref(member).addr();
        state.recall_refusals(element);
        let mut count = 0;
        let mut next = 0;
        while occurrence.max.is_none_or(|most| count < most) {
            let Some(entry) = state.members.next(element, next) else { break };
            next = entry + 1;
            if self.check(key, state.key(entry)).is_err() {
                state.members.refuse(element, entry);
                continue;
            }
            if member.cut {
                state.members.name(entry);
            }
            match self.check(&member.value, state.value(entry)) {
                Ok(()) => {
                    state.take(entry);
                    count += 1;
                }
                Err(reach) => {
                    state.reached(reach);
                    if member.cut {
                        state.fail(Problem::Value(entry, &member.value), Miss)?;
                        count += 1;
                    } else {
                        state.tried(entry, &member.value);
                        state.refuse(element, entry, reach);
                    }
                }
            }
        }
        if count >= occurrence.min {
            return Ok(());
        }
        let Some(first) = state.first_refused(element) else {
            let problem = Problem::Few { key, least: occurrence.min, count };
            return state.fail(problem, Miss);
        };
        state.fail(Problem::Value(first, &member.value), Miss)
    }

    fn map_group(
        &mut self,
        group: &'s Group,
        occurrence: Occurrence,
        state: &mut MapState<'s, '_, '_>,
    ) -> Matched {
        let mut count = 0;
        while occurrence.max.is_none_or(|most| count < most) {
            let before = state.members.taken();
            match self.map_alternatives(group, state) {
                Ok(()) => count += 1,
                Err(Miss) => break,
            }
            if state.members.taken() == before {
                // What takes nothing matches as often as it has to.
                return Ok(());
            }
        }
        if count >= occurrence.min {
            return Ok(());
        }
        if state.is_lenient() {
            return self.best_alternative(group, state);
        }
        state.fail(Problem::Impossible, Miss)
    }

    /// Tries the alternatives of a group in order.
    fn map_alternatives(&mut self, group: &'s Group, state: &mut MapState<'s, '_, '_>) -> Matched {
        let point = state.members.point();
        for elements in &group.choices {
            let lenient = state.set_lenient(false);
            let matched = self.map_sequence(elements, state);
            state.set_lenient(lenient);
            match matched {
                Ok(()) => return Ok(()),
                Err(Miss) => state.roll_back(point, elements),
            }
        }
        Err(Miss)
    }

    /// Notes what is wrong with the alternative that gets furthest.
    fn best_alternative(&mut self, group: &'s Group, state: &mut MapState<'s, '_, '_>) -> Matched {
        let point = state.members.point();
        let reached = state.reach();
        let mut best: Option<(Reach, &'s [Element])> = None;
        for elements in &group.choices {
            state.set_reach(state.start());
            let lenient = state.set_lenient(false);
            let _ = self.map_sequence(elements, state);
            state.set_lenient(lenient);
            state.roll_back(point, elements);
            if best.is_none_or(|(reach, _)| reach < state.reach()) {
                best = Some((state.reach(), elements));
            }
        }
        state.set_reach(reached);
        match best {
            Some((_, elements)) => self.map_sequence(elements, state),
            None => state.fail(Problem::Impossible, Miss),
        }
    }

    /// Notes everything that is wrong with a map that does not match.
    pub fn map_problems<'d, 'a>(
        &mut self,
        elements: &'s [Element],
        node: Node<'d, 'a>,
    ) -> MapState<'s, 'd, 'a> {
        let mut state = MapState::noting(node);
        let _ = self.map_sequence(elements, &mut state);
        for entry in 0..state.members.len() {
            if state.members.is_taken(entry) {
                continue;
            }
            let near = state.near(entry);
            if state.is_tried(entry) {
                let _ = state.fail(Problem::Unwanted(entry), Miss);
            } else if let Some(elements) = near {
                let _ = self.map_sequence(elements, &mut state);
            }
            if !state.members.is_taken(entry) {
                let _ = state.fail(Problem::Extra(entry), Miss);
            }
        }
        self.budget.spend(state.members.steps());
        state
    }
}
