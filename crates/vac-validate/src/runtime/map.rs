//! Maps: which member takes which entry.

use vac_value::{Kind, Node, OpenMembers, printable};

use super::{Context, Element, Group, Key, Member};

/// A map type.
#[derive(Debug)]
pub struct Map {
    /// The rule it stands in.
    pub rule: &'static str,
    /// The alternatives of its group, each tried for the whole map.
    pub choices: &'static [&'static [Element]],
}

impl Context {
    /// Checks a map.
    pub fn map(&mut self, node: Node<'_, '_>, map: &'static Map) -> bool {
        if node.kind() != Kind::Map {
            return self.expect(false, node, map.rule, "map");
        }
        if let [choice] = map.choices {
            return self.within(map.rule, |context| context.map_as(node, map.rule, choice));
        }
        let mut best: Option<(u32, &'static [Element])> = None;
        for choice in map.choices {
            let verdict = self.try_silently(|context| context.map_as(node, map.rule, choice));
            if verdict.valid {
                return true;
            }
            if best.is_none_or(|(furthest, _)| verdict.furthest > furthest) {
                best = Some((verdict.furthest, choice));
            }
        }
        match best {
            Some((_, choice)) => {
                self.within(map.rule, |context| context.map_as(node, map.rule, choice))
            }
            None => self.expect(false, node, map.rule, "nothing: this choice is empty"),
        }
    }

    fn map_as(
        &mut self,
        node: Node<'_, '_>,
        rule: &'static str,
        elements: &'static [Element],
    ) -> bool {
        let is_flat = elements.len() <= 64
            && elements.iter().all(|element| matches!(element, Element::Member(_)));
        if is_flat {
            return self.flat_map(node, rule, elements);
        }
        let mut members = OpenMembers::new(node);
        let mut valid = self.take_sequence(node, &mut members, rule, elements);
        for at in members.open() {
            if valid || self.silent == 0 {
                valid &= self.unexpected(members.key(at), members.value(at), rule);
            }
        }
        #[cfg(test)]
        {
            self.map_steps += members.steps();
        }
        valid
    }

    /// The common case in one pass: members only, each entry goes to the member
    /// with its key or else to the first key type that takes it.
    fn flat_map(
        &mut self,
        node: Node<'_, '_>,
        rule: &'static str,
        elements: &'static [Element],
    ) -> bool {
        let mut valid = true;
        let mut counts = Counts::default();
        let mut hint = 0;
        for (key, value) in node.members().filter(|(key, _)| !key.is_duplicate_key()) {
            let known = find(elements, key, &mut hint);
            if let Some((at, member)) = known {
                if member.cut {
                    counts.add(at);
                    valid &= self.labelled(value, member.key.label(), member.check);
                } else {
                    let verdict = self.try_silently(|context| (member.check)(context, value));
                    if verdict.valid {
                        counts.add(at);
                        continue;
                    }
                    self.note_furthest(verdict);
                    valid &= self.by_key_type(key, value, rule, elements, &mut counts);
                }
            } else {
                valid &= self.by_key_type(key, value, rule, elements, &mut counts);
            }
            if !valid && self.silent > 0 {
                return false;
            }
        }
        for (at, element) in elements.iter().enumerate() {
            let Element::Member(member) = element else { continue };
            if counts.of(at) < member.min {
                valid &= self.missing(node, rule, member);
            }
        }
        valid
    }

    fn by_key_type(
        &mut self,
        key: Node<'_, '_>,
        value: Node<'_, '_>,
        rule: &'static str,
        elements: &'static [Element],
        counts: &mut Counts,
    ) -> bool {
        for (at, element) in elements.iter().enumerate() {
            let Element::Member(member @ Member { key: Key::Type(key_check), .. }) = element else {
                continue;
            };
            if member.max != u64::MAX && counts.of(at) >= member.max {
                continue;
            }
            if !self.try_silently(|context| key_check(context, key)).valid {
                continue;
            }
            // How often exactly matters only to a member that says so.
            let counted = member.min > 1 || member.max != u64::MAX;
            if member.cut {
                counts.add_if(at, counted);
                return (member.check)(self, value);
            }
            let verdict = self.try_silently(|context| (member.check)(context, value));
            if verdict.valid {
                counts.add_if(at, counted);
                return true;
            }
            self.note_furthest(verdict);
        }
        self.unexpected(key, value, rule)
    }

    /// An entry that no member takes.
    fn unexpected(&mut self, key: Node<'_, '_>, value: Node<'_, '_>, rule: &'static str) -> bool {
        self.fail(value, rule, || {
            let name = match key.text() {
                Some(text) => format!("key \"{}\"", printable(&text, 40)),
                None => format!("key {}", vac_value::found(key)),
            };
            ("no such key".to_owned(), name)
        })
    }

    /// A required member that took nothing: because it is not there, or because
    /// its value does not fit.
    fn missing(&mut self, node: Node<'_, '_>, rule: &'static str, member: &Member) -> bool {
        let present = node.members().find(|(key, _)| matches(&member.key, *key));
        if let Some((_, value)) = present
            && !self.labelled(value, member.key.label(), member.check)
        {
            return false;
        }
        self.fail(node, rule, || (member.key.name(), "no such key".to_owned()))
    }

    /// Matches a sequence of elements against what is left of a map: elements with one key
    /// first, then groups, then key types.
    fn take_sequence(
        &mut self,
        map: Node<'_, '_>,
        members: &mut OpenMembers<'_, '_>,
        rule: &'static str,
        elements: &'static [Element],
    ) -> bool {
        let mut valid = true;
        for element in elements {
            if let Element::Member(member) = element
                && member.key.is_literal()
            {
                valid &= self.take_literal(map, members, rule, member);
                if !valid && self.silent > 0 {
                    return false;
                }
            }
        }
        for element in elements {
            if let Element::Group(group) = element {
                valid &= self.take_group(map, members, rule, group);
                if !valid && self.silent > 0 {
                    return false;
                }
            }
        }
        for element in elements {
            if let Element::Member(member @ Member { key: Key::Type(key), .. }) = element {
                valid &= self.take_by_type(map, members, rule, member, *key);
                if !valid && self.silent > 0 {
                    return false;
                }
            }
        }
        valid
    }

    fn take_literal(
        &mut self,
        map: Node<'_, '_>,
        members: &mut OpenMembers<'_, '_>,
        rule: &'static str,
        member: &'static Member,
    ) -> bool {
        let found = match &member.key {
            Key::Text(text) => members.find_text(text),
            Key::Integer(label, _) => members.find_integer(*label),
            key => members.find_with(address(member), |found| matches(key, found)),
        };
        let mut count = 0;
        if let Some(at) = found {
            let value = members.value(at);
            if member.cut {
                members.name(at);
                members.take(at);
                count = 1;
                if !self.labelled(value, member.key.label(), member.check) {
                    return false;
                }
            } else {
                let verdict = self.try_silently(|context| (member.check)(context, value));
                self.note_furthest(verdict);
                if verdict.valid {
                    members.take(at);
                    count = 1;
                }
            }
        }
        count >= member.min || self.missing(map, rule, member)
    }

    fn take_group(
        &mut self,
        map: Node<'_, '_>,
        members: &mut OpenMembers<'_, '_>,
        rule: &'static str,
        group: &'static Group,
    ) -> bool {
        let mut count = 0;
        while count < group.max {
            let before = members.taken();
            if !self.take_choice(map, members, rule, group) {
                break;
            }
            count += 1;
            if members.taken() == before {
                // Nothing was taken: it would match for ever.
                count = count.max(group.min);
                break;
            }
        }
        count >= group.min || self.expect(false, map, rule, group.expected)
    }

    fn take_choice(
        &mut self,
        map: Node<'_, '_>,
        members: &mut OpenMembers<'_, '_>,
        rule: &'static str,
        group: &'static Group,
    ) -> bool {
        let point = members.point();
        for choice in group.choices {
            let verdict =
                self.try_silently(|context| context.take_sequence(map, members, rule, choice));
            if verdict.valid {
                return true;
            }
            self.note_furthest(verdict);
            members.roll_back(point);
        }
        false
    }

    fn take_by_type(
        &mut self,
        map: Node<'_, '_>,
        members: &mut OpenMembers<'_, '_>,
        rule: &'static str,
        member: &'static Member,
        key_check: super::Check,
    ) -> bool {
        let element = address(member);
        let mut count = 0;
        let mut next = 0;
        while count < member.max {
            let Some(at) = members.next(element, next) else { break };
            next = at + 1;
            let (key, value) = (members.key(at), members.value(at));
            if !self.try_silently(|context| key_check(context, key)).valid {
                members.refuse(element, at);
                continue;
            }
            if member.cut {
                members.name(at);
                members.take(at);
                count += 1;
                if !(member.check)(self, value) {
                    return false;
                }
                continue;
            }
            let verdict = self.try_silently(|context| (member.check)(context, value));
            if verdict.valid {
                members.take(at);
                count += 1;
            } else {
                self.note_furthest(verdict);
                members.refuse(element, at);
            }
        }
        count >= member.min || self.missing(map, rule, member)
    }
}

/// Identifies an element of a group.
fn address(member: &'static Member) -> usize {
    std::ptr::from_ref(member).addr()
}

/// The member that names this very key. Documents tend to keep the schema's
/// order, so the search begins behind the last find.
#[inline]
fn find(
    elements: &'static [Element],
    key: Node<'_, '_>,
    hint: &mut usize,
) -> Option<(usize, &'static Member)> {
    let split = (*hint).min(elements.len());
    let (before, behind) = elements.split_at(split);
    let text = key.text_bytes();
    let places = (split..).zip(behind).chain((0..).zip(before));
    for (at, element) in places {
        let Element::Member(member) = element else { continue };
        let is_it = match (&member.key, text) {
            // Most keys differ in their length or their first byte already.
            (Key::Text(expected), Some(text)) => {
                expected.len() == text.len()
                    && expected.as_bytes().first() == text.first()
                    && expected.as_bytes() == text
            }
            (expected, _) => matches(expected, key),
        };
        if is_it {
            *hint = at + 1;
            return Some((at, member));
        }
    }
    None
}

/// Whether a literal key is this one.
#[inline]
fn matches(expected: &Key, key: Node<'_, '_>) -> bool {
    match expected {
        Key::Text(text) => key.is_text(text),
        Key::Integer(label, _) => key.integer() == Some(*label),
        Key::Literal(check) => check(&mut Context { silent: 1, ..Context::default() }, key),
        Key::None | Key::Type(_) => false,
    }
}

/// How often each member of a flat map has been there; most are single bits.
#[derive(Default)]
struct Counts {
    once: u64,
    more: Vec<(usize, u64)>,
}

impl Counts {
    #[inline]
    fn add(&mut self, at: usize) {
        if self.once & 1 << at == 0 {
            self.once |= 1 << at;
        } else if let Some((_, count)) = self.more.iter_mut().find(|(place, _)| *place == at) {
            *count += 1;
        } else {
            self.more.push((at, 1));
        }
    }

    /// Counts the first, and the others if they are to be counted.
    #[inline]
    fn add_if(&mut self, at: usize, counted: bool) {
        if counted || self.once & 1 << at == 0 {
            self.add(at);
        }
    }

    #[inline]
    fn of(&self, at: usize) -> u64 {
        let more = self.more.iter().find(|(place, _)| *place == at);
        (self.once >> at & 1) + more.map_or(0, |(_, count)| *count)
    }
}
