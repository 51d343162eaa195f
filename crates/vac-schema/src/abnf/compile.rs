//! Compiles a parsed grammar into the form that the recognizer works on.

use std::collections::{BTreeSet, HashMap};

use super::GrammarError;
use super::core_rules::CORE_RULES;
use super::syntax::{self, Element, Repetition, Rule};

/// Maximum size of a grammar text, in bytes.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// Maximum length of a chain of rules that ends with a set of characters.
const MAX_CHAIN: usize = 50;

/// A grammar for the recognizer. Nonterminals are rules, and groups that repeat or have
/// alternatives.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    /// The alternatives of all nonterminals, those of a nonterminal one after the other.
    pub(super) alternatives: Vec<Alternative>,
    pub(super) nonterminals: Vec<Nonterminal>,
    pub(super) sets: Vec<CharacterSet>,
    pub(super) missing_core_rules: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Alternative {
    pub(super) nonterminal: u32,
    pub(super) parts: Vec<Part>,
    pub(super) first: First,
}

/// A symbol and how often it occurs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) symbol: Symbol,
    pub(super) min: u32,
    /// `u32::MAX` is unlimited.
    pub(super) max: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// One character of a set.
    Set(u32),
    Nonterminal(u32),
}

#[derive(Debug, Default)]
pub(super) struct Nonterminal {
    /// Its alternatives: the first, and the one after the last.
    pub(super) alternatives: (u32, u32),
    pub(super) is_nullable: bool,
    pub(super) first: First,
}

/// The start symbol, whose only alternative is the element to match.
pub(super) const START: u32 = 0;

/// A set of characters.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CharacterSet {
    ranges: Vec<(u32, u32)>,
    first: First,
}

impl CharacterSet {
    fn new(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut first = First::default();
        for &(low, high) in &ranges {
            (low..=high.min(255)).for_each(|character| first.insert(character));
            first.has_others |= high > 255;
        }
        Self { ranges, first }
    }

    pub(super) fn contains(&self, character: u32) -> bool {
        self.first.contains(character)
            && (character < 256
                || self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&character)))
    }
}

/// The characters that a symbol can begin with. The set is exact for the first 256 characters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct First {
    bits: [u64; 4],
    has_others: bool,
}

impl First {
    fn insert(&mut self, character: u32) {
        self.bits[character as usize / 64] |= 1 << (character % 64);
    }

    fn add(&mut self, other: &Self) {
        for (bits, other) in self.bits.iter_mut().zip(other.bits) {
            *bits |= other;
        }
        self.has_others |= other.has_others;
    }

    pub(super) fn contains(&self, character: u32) -> bool {
        match self.bits.get(character as usize / 64) {
            Some(bits) => bits >> (character % 64) & 1 == 1,
            None => self.has_others,
        }
    }
}

impl Compiled {
    pub(super) fn new(text: &str) -> Result<Self, GrammarError> {
        if text.len() > MAX_TEXT_BYTES {
            let message = format!("the text is longer than {} KiB", MAX_TEXT_BYTES >> 10);
            return Err(GrammarError { line: 1, message });
        }
        let grammar = syntax::parse(text)?;
        let core = syntax::parse(CORE_RULES).expect("the core rules are a grammar");
        let mut compiler = Compiler {
            text,
            rules: HashMap::new(),
            core: core.rules.into_iter().map(|rule| (rule.name.clone(), rule)).collect(),
            numbers: HashMap::new(),
            open: Vec::new(),
            single: HashMap::new(),
            core_used: BTreeSet::new(),
            out: Self::default(),
        };
        compiler.rules = grammar.rules.iter().map(|rule| (rule.name.clone(), rule)).collect();
        compiler.grammar(&grammar.start)
    }

    fn is_nullable(&self, part: &Part) -> bool {
        part.min == 0
            || match part.symbol {
                Symbol::Set(_) => false,
                Symbol::Nonterminal(number) => self.nonterminals[number as usize].is_nullable,
            }
    }

    /// Returns the characters that an alternative can begin with and whether it can be empty, as
    /// far as known.
    fn begin(&self, alternative: &Alternative) -> (First, bool) {
        let mut first = First::default();
        for part in &alternative.parts {
            if part.max > 0 {
                first.add(match part.symbol {
                    Symbol::Set(set) => &self.sets[set as usize].first,
                    Symbol::Nonterminal(number) => &self.nonterminals[number as usize].first,
                });
            }
            if !self.is_nullable(part) {
                return (first, false);
            }
        }
        (first, true)
    }

    /// Computes the first characters of every nonterminal. An alternative is computed again when
    /// those of a nonterminal in it have changed.
    fn find_firsts(&mut self) {
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); self.nonterminals.len()];
        for (at, alternative) in (0..).zip(&self.alternatives) {
            for part in &alternative.parts {
                if let Symbol::Nonterminal(number) = part.symbol {
                    users[number as usize].push(at);
                }
            }
        }
        let mut open: Vec<u32> = (0..).take(self.alternatives.len()).collect();
        let mut is_open = vec![true; self.alternatives.len()];
        while let Some(at) = open.pop() {
            is_open[at as usize] = false;
            let (first, is_nullable) = self.begin(&self.alternatives[at as usize]);
            self.alternatives[at as usize].first = first;
            let number = self.alternatives[at as usize].nonterminal as usize;
            let nonterminal = &mut self.nonterminals[number];
            let before = (nonterminal.first, nonterminal.is_nullable);
            nonterminal.first.add(&first);
            nonterminal.is_nullable |= is_nullable;
            if before != (nonterminal.first, nonterminal.is_nullable) {
                for user in &users[number] {
                    if !std::mem::replace(&mut is_open[*user as usize], true) {
                        open.push(*user);
                    }
                }
            }
        }
    }
}

struct Compiler<'g> {
    text: &'g str,
    rules: HashMap<String, &'g Rule>,
    core: HashMap<String, Rule>,
    /// The nonterminal of each rule that is used.
    numbers: HashMap<String, u32>,
    /// Nonterminals whose alternatives are still to be compiled.
    open: Vec<(u32, Source<'g>)>,
    /// The sets of the rules that consist of one set of characters.
    single: HashMap<String, Option<u32>>,
    core_used: BTreeSet<String>,
    out: Compiled,
}

/// The origin of the alternatives of a nonterminal.
enum Source<'g> {
    Start(&'g Repetition),
    Group(&'g [Vec<Repetition>]),
    Characters(&'g [Vec<(u32, u32)>]),
    /// A rule of the grammar.
    Rule(&'g Rule),
    /// A core rule, by its name.
    Core(String),
}

impl<'g> Compiler<'g> {
    fn grammar(mut self, start: &'g Repetition) -> Result<Compiled, GrammarError> {
        self.add_nonterminal(Source::Start(start));
        while let Some((number, source)) = self.open.pop() {
            let begin = index(self.out.alternatives.len());
            let alternatives: Vec<Vec<Part>> = match source {
                Source::Start(start) => vec![self.parts(std::slice::from_ref(start))?],
                Source::Group(alternatives) => self.alternatives(alternatives)?,
                Source::Characters(characters) => vec![self.characters(characters)],
                Source::Rule(rule) => self.alternatives(&rule.alternatives)?,
                Source::Core(name) => self.core_rule(&name)?,
            };
            for parts in alternatives {
                let first = First::default();
                self.out.alternatives.push(Alternative { nonterminal: number, parts, first });
            }
            let end = index(self.out.alternatives.len());
            self.out.nonterminals[number as usize].alternatives = (begin, end);
        }
        self.out.find_firsts();
        self.out.missing_core_rules = self.core_used.into_iter().collect();
        Ok(self.out)
    }

    fn add_nonterminal(&mut self, source: Source<'g>) -> u32 {
        let number = index(self.out.nonterminals.len());
        self.out.nonterminals.push(Nonterminal::default());
        self.open.push((number, source));
        number
    }

    fn add_set(&mut self, ranges: Vec<(u32, u32)>) -> Symbol {
        let set = CharacterSet::new(ranges);
        // The set that was added last is often the same (`DIGIT DIGIT`).
        if self.out.sets.last() != Some(&set) {
            self.out.sets.push(set);
        }
        Symbol::Set(index(self.out.sets.len() - 1))
    }

    fn alternatives(
        &mut self,
        alternatives: &'g [Vec<Repetition>],
    ) -> Result<Vec<Vec<Part>>, GrammarError> {
        alternatives.iter().map(|repetitions| self.parts(repetitions)).collect()
    }

    fn parts(&mut self, repetitions: &'g [Repetition]) -> Result<Vec<Part>, GrammarError> {
        let mut parts = Vec::new();
        for Repetition { min, max, element } in repetitions {
            if (*min, *max) == (1, 1) {
                parts.extend(self.once(element)?);
            } else {
                parts.push(Part { symbol: self.symbol(element)?, min: *min, max: *max });
            }
        }
        Ok(parts)
    }

    /// Compiles an element that occurs once, without a nonterminal of its own if it needs none.
    fn once(&mut self, element: &'g Element) -> Result<Vec<Part>, GrammarError> {
        match element {
            Element::Characters(characters) => Ok(self.characters(characters)),
            Element::Group(alternatives) => match alternatives.as_slice() {
                [only] => self.parts(only),
                _ => Ok(vec![part(self.symbol(element)?)]),
            },
            Element::Reference { .. } => Ok(vec![part(self.symbol(element)?)]),
        }
    }

    fn characters(&mut self, characters: &[Vec<(u32, u32)>]) -> Vec<Part> {
        characters.iter().map(|ranges| part(self.add_set(ranges.clone()))).collect()
    }

    fn symbol(&mut self, element: &'g Element) -> Result<Symbol, GrammarError> {
        if let Element::Reference { name, at } = element {
            return self.reference(name, *at);
        }
        if let Some(ranges) = self.ranges(element, 0) {
            return Ok(self.add_set(ranges));
        }
        let source = match element {
            Element::Group(alternatives) => Source::Group(alternatives),
            Element::Characters(characters) => Source::Characters(characters),
            Element::Reference { .. } => unreachable!("references were followed"),
        };
        Ok(Symbol::Nonterminal(self.add_nonterminal(source)))
    }

    fn reference(&mut self, spelled: &str, at: usize) -> Result<Symbol, GrammarError> {
        let name = spelled.to_ascii_lowercase();
        if let Some(number) = self.numbers.get(&name) {
            return Ok(Symbol::Nonterminal(*number));
        }
        if let Some(Some(set)) = self.single.get(&name) {
            return Ok(Symbol::Set(*set));
        }
        if !self.rules.contains_key(&name) {
            if !self.core.contains_key(&name) {
                let message = format!("rule `{spelled}` is not defined");
                return Err(GrammarError::new(self.text, at, message));
            }
            self.core_used.insert(name.to_ascii_uppercase());
        }
        if !self.single.contains_key(&name) {
            let set = self.rule_ranges(&name, 0).map(|ranges| {
                self.out.sets.push(CharacterSet::new(ranges));
                index(self.out.sets.len() - 1)
            });
            self.single.insert(name.clone(), set);
            if let Some(set) = set {
                return Ok(Symbol::Set(set));
            }
        }
        let source = match self.rules.get(&name) {
            Some(rule) => Source::Rule(rule),
            None => Source::Core(name.clone()),
        };
        let number = self.add_nonterminal(source);
        self.numbers.insert(name, number);
        Ok(Symbol::Nonterminal(number))
    }

    /// Returns the alternatives of a core rule that is more than a set: `CRLF` and `LWSP`.
    fn core_rule(&mut self, name: &str) -> Result<Vec<Vec<Part>>, GrammarError> {
        let mut reference = |name: &str| self.reference(name, 0);
        if name == "crlf" {
            return Ok(vec![vec![part(reference("CR")?), part(reference("LF")?)]]);
        }
        // LWSP = *(WSP / CRLF WSP) is written as `LWSP = *WSP [CRLF WSP LWSP]`.
        let (wsp, crlf) = (reference("WSP")?, reference("CRLF")?);
        let spaces = Part { symbol: wsp, min: 0, max: u32::MAX };
        let more = vec![spaces, part(crlf), part(wsp), part(reference("LWSP")?)];
        Ok(vec![vec![spaces], more])
    }

    /// Returns the ranges of a rule that is a set of characters.
    fn rule_ranges(&self, name: &str, depth: usize) -> Option<Vec<(u32, u32)>> {
        let rule = match self.rules.get(name) {
            Some(rule) => rule,
            None => self.core.get(name)?,
        };
        self.alternative_ranges(&rule.alternatives, depth)
    }

    fn alternative_ranges(
        &self,
        alternatives: &[Vec<Repetition>],
        depth: usize,
    ) -> Option<Vec<(u32, u32)>> {
        /// Maximum number of ranges of a set.
        const MAX_RANGES: usize = 1_000;
        let mut ranges = Vec::new();
        for repetitions in alternatives {
            let [Repetition { min: 1, max: 1, element }] = repetitions.as_slice() else {
                return None;
            };
            ranges.extend(self.ranges(element, depth)?);
            if ranges.len() > MAX_RANGES {
                return None;
            }
        }
        Some(ranges)
    }

    /// Returns the ranges of an element that is a set of characters.
    fn ranges(&self, element: &Element, depth: usize) -> Option<Vec<(u32, u32)>> {
        if depth == MAX_CHAIN {
            return None;
        }
        match element {
            Element::Characters(characters) => match characters.as_slice() {
                [ranges] => Some(ranges.clone()),
                _ => None,
            },
            Element::Group(alternatives) => self.alternative_ranges(alternatives, depth + 1),
            Element::Reference { name, .. } => {
                self.rule_ranges(&name.to_ascii_lowercase(), depth + 1)
            }
        }
    }
}

fn part(symbol: Symbol) -> Part {
    Part { symbol, min: 1, max: 1 }
}

fn index(at: usize) -> u32 {
    u32::try_from(at).expect("a grammar text is shorter than 2^32 bytes")
}
