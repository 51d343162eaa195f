//! Choices between types.

use vac_value::{Kind, Node, found};

use super::{Check, Context, Key, Verdict};

/// A choice between types that only trying can tell apart.
#[derive(Debug)]
pub struct Choice {
    /// The rule it stands in.
    pub rule: &'static str,
    /// What a message calls all of it.
    pub expected: &'static str,
    /// The types, in order.
    pub alternatives: &'static [Alternative],
}

/// One type of a choice.
#[derive(Debug)]
pub struct Alternative {
    /// What a message calls it.
    pub name: &'static str,
    /// The kinds of nodes it can match at all.
    pub kinds: &'static [Kind],
    /// The type.
    pub check: Check,
}

/// A choice between maps that one member tells apart.
#[derive(Debug)]
pub struct Select {
    /// The rule it stands in.
    pub rule: &'static str,
    /// The key of the member.
    pub key: Key,
    /// What a message says of its values.
    pub expected: &'static str,
    /// The member's values, and the map that goes with each.
    pub cases: &'static [Case],
}

/// One value of the member that tells maps apart.
#[derive(Debug)]
pub struct Case {
    /// The value.
    pub value: Key,
    /// The map.
    pub check: Check,
}

impl Context {
    /// Checks a choice: the first alternative that fits wins.
    pub fn choice(&mut self, node: Node<'_, '_>, choice: &'static Choice) -> bool {
        let kind = node.kind();
        let mut candidates =
            choice.alternatives.iter().filter(|alternative| alternative.kinds.contains(&kind));
        match (candidates.next(), candidates.next()) {
            (None, _) => self.expect(false, node, choice.rule, choice.expected),
            (Some(only), None) => self.within(choice.rule, |context| (only.check)(context, node)),
            _ => self.choice_by_trying(node, choice),
        }
    }

    fn choice_by_trying(&mut self, node: Node<'_, '_>, choice: &'static Choice) -> bool {
        let verdict = self.remembered(node, choice);
        if verdict.valid {
            return true;
        }
        if self.silent > 0 {
            self.note_furthest(verdict);
            return false;
        }
        if verdict.furthest <= node.index() {
            return self.expect(false, node, choice.rule, choice.expected);
        }
        self.report_furthest(node, choice)
    }

    /// The verdict on a choice at a node. Remembered, because an alternative
    /// that fails late has often tried everything below already.
    fn remembered(&mut self, node: Node<'_, '_>, choice: &'static Choice) -> Verdict {
        let key = (std::ptr::from_ref(choice).addr(), self.document, node.index());
        if let Some(verdict) = self.memory.get(&key) {
            return *verdict;
        }
        let mut all = Verdict { valid: false, furthest: 0 };
        for alternative in choice.alternatives {
            let verdict = self.try_silently(|context| (alternative.check)(context, node));
            if verdict.valid {
                all = verdict;
                break;
            }
            all.furthest = all.furthest.max(verdict.furthest);
        }
        self.memory.insert(key, all);
        all
    }

    /// Says what is wrong inside the alternative that got furthest, and in a
    /// line each why the others failed.
    fn report_furthest(&mut self, node: Node<'_, '_>, choice: &'static Choice) -> bool {
        let mut tried: Vec<(u32, &Alternative)> = Vec::new();
        for alternative in choice.alternatives {
            let verdict = self.try_silently(|context| (alternative.check)(context, node));
            tried.push((verdict.furthest, alternative));
        }
        // The first of the furthest.
        let Some(best) = (0..tried.len()).rev().max_by_key(|at| tried[*at].0) else { return false };
        let first = self.violations.len();
        self.within(choice.rule, |context| (tried[best].1.check)(context, node));
        if self.violations.len() > first {
            let others = tried
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != best)
                .filter_map(|(_, (_, alternative))| self.first_violation(node, alternative))
                .collect();
            self.violations[first].others = others;
        }
        false
    }

    fn first_violation(&mut self, node: Node<'_, '_>, alternative: &Alternative) -> Option<String> {
        let labels = self.labels.clone();
        let locator = std::mem::take(&mut self.locator);
        let mut context = Context { labels, within: self.within, locator, ..Context::new(1) };
        (alternative.check)(&mut context, node);
        self.locator = context.locator;
        let violation = context.violations.first()?;
        Some(format!("{}: {violation}", alternative.name))
    }

    /// Checks a choice between maps by looking at the member that tells them
    /// apart, once.
    pub fn select(&mut self, node: Node<'_, '_>, select: &'static Select) -> bool {
        if node.kind() != Kind::Map {
            return self.expect(false, node, select.rule, "map");
        }
        let member = node.members().find(|(key, _)| is(&select.key, *key));
        let Some((_, value)) = member else {
            return self.fail(node, select.rule, || (select.key.name(), "no such key".to_owned()));
        };
        match select.cases.iter().find(|case| is(&case.value, value)) {
            Some(case) => (case.check)(self, node),
            None => self.fail(value, select.rule, || (select.expected.to_owned(), found(value))),
        }
    }
}

fn is(expected: &Key, node: Node<'_, '_>) -> bool {
    match expected {
        Key::Text(text) => node.is_text(text),
        Key::Integer(integer, _) => node.integer() == Some(*integer),
        _ => false,
    }
}
