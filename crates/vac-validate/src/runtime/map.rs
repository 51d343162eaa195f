//! Maps: which member takes which entry.

use vac_value::{Kind, Node, printable};

use super::{Context, Element, Group, Key, Member};

/// A map type.
#[derive(Debug)]
pub struct Map {
    /// The rule it stands in.
    pub rule: &'static str,
    /// The alternatives of its group, each tried for the whole map.
    pub choices: &'static [&'static [Element]],
}

/// The entries of a map while members take them.
struct Entries<'d, 'a> {
    map: Node<'d, 'a>,
    entries: Vec<Entry<'d, 'a>>,
}

#[derive(Clone)]
struct Entry<'d, 'a> {
    key: Node<'d, 'a>,
    value: Node<'d, 'a>,
    /// Taken by a member.
    taken: bool,
    /// A member that cuts has named its key: no key type may take it, whatever
    /// becomes of that member.
    named: bool,
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
        let entries = node
            .members()
            .map(|(key, value)| Entry { key, value, taken: false, named: false })
            .collect();
        let mut entries = Entries { map: node, entries };
        let mut valid = self.take_sequence(&mut entries, rule, elements);
        for entry in &entries.entries {
            if !entry.taken && (valid || self.silent == 0) {
                valid &= self.unexpected(entry.key, entry.value, rule);
            }
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
        for (key, value) in node.members() {
            let known = find(elements, key, &mut hint);
            if let Some((at, member)) = known {
                let first = counts.of(at) == 0;
                if member.cut && !first {
                    valid &= self.fail(key, rule, || {
                        ("every key once".to_owned(), format!("{} again", member.key.name()))
                    });
                } else if member.cut {
                    counts.add(at);
                    valid &= self.labelled(value, member.key.label(), member.check);
                } else if first {
                    let verdict = self.try_silently(|context| (member.check)(context, value));
                    if verdict.valid {
                        counts.add(at);
                        continue;
                    }
                    self.note_furthest(verdict);
                    valid &= self.by_key_type(key, value, rule, elements, &mut counts);
                } else {
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

    /// Matches a sequence of elements against what is left of the entries:
    /// members with one key first, then groups, then key types.
    fn take_sequence(
        &mut self,
        entries: &mut Entries<'_, '_>,
        rule: &'static str,
        elements: &'static [Element],
    ) -> bool {
        let mut valid = true;
        for element in elements {
            if let Element::Member(member) = element
                && member.key.is_literal()
            {
                valid &= self.take_literal(entries, rule, member);
                if !valid && self.silent > 0 {
                    return false;
                }
            }
        }
        for element in elements {
            if let Element::Group(group) = element {
                valid &= self.take_group(entries, rule, group);
                if !valid && self.silent > 0 {
                    return false;
                }
            }
        }
        for element in elements {
            if let Element::Member(member @ Member { key: Key::Type(key), .. }) = element {
                valid &= self.take_by_type(entries, rule, member, *key);
                if !valid && self.silent > 0 {
                    return false;
                }
            }
        }
        valid
    }

    fn take_literal(
        &mut self,
        entries: &mut Entries<'_, '_>,
        rule: &'static str,
        member: &Member,
    ) -> bool {
        let mut count = 0;
        for entry in &mut entries.entries {
            if entry.taken || !matches(&member.key, entry.key) {
                continue;
            }
            entry.named |= member.cut;
            if count > 0 {
                continue;
            }
            if member.cut {
                entry.taken = true;
                count += 1;
                if !self.labelled(entry.value, member.key.label(), member.check) {
                    return false;
                }
            } else {
                let value = entry.value;
                let verdict = self.try_silently(|context| (member.check)(context, value));
                self.note_furthest(verdict);
                entry.taken = verdict.valid;
                count += u64::from(verdict.valid);
            }
        }
        count >= member.min || self.missing(entries.map, rule, member)
    }

    fn take_group(
        &mut self,
        entries: &mut Entries<'_, '_>,
        rule: &'static str,
        group: &'static Group,
    ) -> bool {
        let mut count = 0;
        while count < group.max {
            let before = entries.taken();
            if !self.take_choice(entries, rule, group) {
                break;
            }
            count += 1;
            if entries.taken() == before {
                // Nothing was taken: it would match for ever.
                count = count.max(group.min);
                break;
            }
        }
        count >= group.min || self.expect(false, entries.map, rule, group.expected)
    }

    fn take_choice(
        &mut self,
        entries: &mut Entries<'_, '_>,
        rule: &'static str,
        group: &'static Group,
    ) -> bool {
        for choice in group.choices {
            let before = entries.entries.clone();
            let verdict = self.try_silently(|context| context.take_sequence(entries, rule, choice));
            if verdict.valid {
                return true;
            }
            self.note_furthest(verdict);
            for (entry, before) in entries.entries.iter_mut().zip(before) {
                entry.taken = before.taken;
            }
        }
        false
    }

    fn take_by_type(
        &mut self,
        entries: &mut Entries<'_, '_>,
        rule: &'static str,
        member: &Member,
        key_check: super::Check,
    ) -> bool {
        let mut count = 0;
        for entry in &mut entries.entries {
            if count == member.max {
                break;
            }
            let (key, value) = (entry.key, entry.value);
            if entry.taken
                || entry.named
                || !self.try_silently(|context| key_check(context, key)).valid
            {
                continue;
            }
            if member.cut {
                entry.named = true;
                entry.taken = true;
                count += 1;
                if !(member.check)(self, value) {
                    return false;
                }
                continue;
            }
            let verdict = self.try_silently(|context| (member.check)(context, value));
            self.note_furthest(verdict);
            entry.taken = verdict.valid;
            count += u64::from(verdict.valid);
        }
        count >= member.min || self.missing(entries.map, rule, member)
    }
}

impl Entries<'_, '_> {
    fn taken(&self) -> usize {
        self.entries.iter().filter(|entry| entry.taken).count()
    }
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
