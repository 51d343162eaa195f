//! Earley's recognizer.
//!
//! At each position of the input there is a set of items: alternatives of which a part has
//! matched, with the position where they began. An item predicts the nonterminal that comes
//! next, consumes a character, or is complete; then the items that waited for its
//! nonterminal go on. Only alternatives that can begin with the next character are predicted, so
//! that real grammars take a few steps per character.

use std::collections::HashSet;

use super::compile::{Compiled, Part, START, Symbol};
use crate::matcher::Budget;

/// Maximum number of items that wait at all positions together. Each takes 20 bytes.
const MAX_WAITING: usize = 4 << 20;

/// A position in an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Item {
    alternative: u32,
    /// The part that comes next.
    part: u32,
    /// The number of times that it has occurred, up to its minimum if it has no maximum.
    count: u32,
    /// The position in the input where the alternative began.
    origin: u32,
}

/// An item that waits for a nonterminal.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    nonterminal: u32,
    item: Item,
}

struct Recognizer<'g> {
    grammar: &'g Compiled,
    /// The waiting items of all positions, those of one position sorted by nonterminal.
    waiting: Vec<Waiting>,
    /// The index at which those of each position begin.
    begins: Vec<usize>,
    /// The items of the current position.
    items: Vec<Item>,
    seen: HashSet<Item>,
    /// The items of the next position.
    scanned: Vec<Item>,
    /// The position at which each nonterminal was predicted last.
    predicted: Vec<u32>,
}

impl Compiled {
    /// Returns whether the grammar generates a string. False if the budget does not suffice.
    pub(super) fn recognize(&self, mut input: impl Iterator<Item = u32>, budget: &Budget) -> bool {
        let (first, _) = self.nonterminals[START as usize].alternatives;
        let mut recognizer = Recognizer {
            grammar: self,
            waiting: Vec::new(),
            begins: Vec::new(),
            items: Vec::new(),
            seen: HashSet::new(),
            scanned: vec![Item { alternative: first, part: 0, count: 0, origin: 0 }],
            predicted: vec![u32::MAX; self.nonterminals.len()],
        };
        for position in 0.. {
            let next = input.next();
            match recognizer.step(position, next, budget) {
                Some(is_complete) if next.is_none() => return is_complete,
                Some(_) if !recognizer.scanned.is_empty() => {}
                _ => return false,
            }
        }
        false
    }
}

impl Recognizer<'_> {
    /// Processes the items of a position. Returns whether the input up to here matches; `None` if
    /// the budget is used up.
    fn step(&mut self, position: u32, next: Option<u32>, budget: &Budget) -> Option<bool> {
        self.begins.push(self.waiting.len());
        self.items.clear();
        self.seen.clear();
        for item in std::mem::take(&mut self.scanned) {
            self.add(item);
        }
        let mut is_complete = false;
        let mut at = 0;
        while let Some(&item) = self.items.get(at) {
            at += 1;
            if !budget.spend(1) {
                return None;
            }
            let alternative = &self.grammar.alternatives[item.alternative as usize];
            let Some(part) = alternative.parts.get(item.part as usize) else {
                is_complete |= alternative.nonterminal == START;
                // Empty alternatives were skipped when they were predicted.
                if item.origin != position {
                    self.complete(alternative.nonterminal, item.origin, budget)?;
                }
                continue;
            };
            if item.count >= part.min || self.is_nullable(part) {
                self.add(Item { part: item.part + 1, count: 0, ..item });
            }
            if item.count < part.max
                && let Some(next) = next
            {
                self.go_on(item, part.symbol, position, next);
            }
        }
        if self.waiting.len() > MAX_WAITING {
            budget.exhaust();
            return None;
        }
        let first = self.begins[position as usize];
        self.waiting[first..].sort_unstable_by_key(|waiting| waiting.nonterminal);
        Some(is_complete)
    }

    fn is_nullable(&self, part: &Part) -> bool {
        match part.symbol {
            Symbol::Set(_) => false,
            Symbol::Nonterminal(number) => self.grammar.nonterminals[number as usize].is_nullable,
        }
    }

    /// Consumes the next character, or predicts a nonterminal that can begin with it.
    fn go_on(&mut self, item: Item, symbol: Symbol, position: u32, next: u32) {
        match symbol {
            Symbol::Set(set) => {
                if self.grammar.sets[set as usize].contains(next) {
                    let item = self.advance(item);
                    self.scanned.push(item);
                }
            }
            Symbol::Nonterminal(number) => {
                let nonterminal = &self.grammar.nonterminals[number as usize];
                if !nonterminal.first.contains(next) {
                    return;
                }
                self.waiting.push(Waiting { nonterminal: number, item });
                if std::mem::replace(&mut self.predicted[number as usize], position) == position {
                    return;
                }
                let (begin, end) = nonterminal.alternatives;
                for alternative in begin..end {
                    if self.grammar.alternatives[alternative as usize].first.contains(next) {
                        self.add(Item { alternative, part: 0, count: 0, origin: position });
                    }
                }
            }
        }
    }

    /// Advances the items that waited for a nonterminal at the position where it began.
    fn complete(&mut self, nonterminal: u32, origin: u32, budget: &Budget) -> Option<()> {
        let range = self.begins[origin as usize]..self.begins[origin as usize + 1];
        let first = range.start
            + self.waiting[range.clone()].partition_point(|it| it.nonterminal < nonterminal);
        for at in first..range.end {
            let waiting = self.waiting[at];
            if waiting.nonterminal != nonterminal {
                break;
            }
            if !budget.spend(1) {
                return None;
            }
            let item = self.advance(waiting.item);
            self.add(item);
        }
        Some(())
    }

    /// Returns the item after one more occurrence of its next part.
    fn advance(&self, item: Item) -> Item {
        let alternative = &self.grammar.alternatives[item.alternative as usize];
        let part = &alternative.parts[item.part as usize];
        let count = match part.max {
            u32::MAX => (item.count + 1).min(part.min),
            _ => item.count + 1,
        };
        Item { count, ..item }
    }

    fn add(&mut self, item: Item) {
        if self.seen.insert(item) {
            self.items.push(item);
        }
    }
}
