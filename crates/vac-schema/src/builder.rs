//! Builds the tables of a schema.
//!
//! Types may refer to rules before these are defined ([`Builder::declare_rule`]); the facts that
//! the matcher needs about each type are computed at the end.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use vac_value::Kind;

use crate::matcher::MAX_FLAT;
use crate::pattern::{Pattern, PatternError};
use crate::scalar::{MAX_UNSORTED_CASES, compare_cases};
use crate::tables::{
    Case, Control, Element, ElementKind, Group, GroupId, Kinds, LiteralKey, LiteralValue, Literals,
    MemberKey, PatternId, Rule, RuleId, Schema, Selector, Sequence, TagNumber, Type, TypeId,
    TypeKind,
};

/// The maximum number of choices and control operators that refer to each other before a container
/// is reached.
const MAX_REFERENCES: usize = 500;

/// The maximum number of literals of a choice that are tried one by one.
const MAX_TRIED_LITERALS: usize = 8;

/// The maximum number of values of a member that decides between maps.
const MAX_CASES: usize = 1 << 16;

/// The maximum number of types, members and values that the search for such members visits in all
/// choices of a schema together. Further choices are matched by trying their alternatives.
const MAX_VISITS: usize = 4 << 20;

/// Collects the tables of a schema.
#[derive(Debug, Default)]
pub struct Builder {
    rules: Vec<Option<Definition>>,
    types: Vec<TypeKind>,
    groups: Vec<Group>,
    patterns: Vec<Pattern>,
    pattern_ids: HashMap<String, PatternId>,
}

/// The definition of a rule.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name of the rule.
    pub name: String,
    /// The type of the rule.
    pub body: TypeId,
    /// Whether it belongs to the standard prelude.
    pub is_prelude: bool,
}

/// The reason why tables cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// A rule was declared, but not defined.
    Undefined(RuleId),
    /// A type refers to itself, or to a chain of more than 500 types, without a map, an array, a
    /// tag or a byte string in between.
    TooDeep(TypeId),
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Undefined(RuleId(id)) => write!(f, "rule {id} is not defined"),
            Self::TooDeep(_) => write!(
                f,
                "a type refers to itself, or to more than {MAX_REFERENCES} types in a row"
            ),
        }
    }
}

impl std::error::Error for BuildError {}

impl Builder {
    /// Reserves a rule that is defined later.
    pub fn declare_rule(&mut self) -> RuleId {
        self.rules.push(None);
        RuleId(index(self.rules.len() - 1))
    }

    /// Defines a rule that was declared.
    pub fn define_rule(&mut self, RuleId(id): RuleId, definition: Definition) {
        self.rules[id as usize] = Some(definition);
    }

    /// Declares and defines a rule.
    pub fn add_rule(&mut self, definition: Definition) -> RuleId {
        let id = self.declare_rule();
        self.define_rule(id, definition);
        id
    }

    /// Adds a type.
    pub fn add_type(&mut self, kind: TypeKind) -> TypeId {
        self.types.push(kind);
        TypeId(index(self.types.len() - 1))
    }

    /// Adds a choice between types.
    pub fn add_choice(&mut self, alternatives: Vec<TypeId>) -> TypeId {
        self.add_type(TypeKind::Choice {
            alternatives: alternatives.into(),
            selector: None,
            literals: None,
        })
    }

    /// Adds a group: alternatives, each a sequence of elements.
    pub fn add_group(&mut self, choices: Vec<Vec<Element>>) -> GroupId {
        let sequence = |elements: Vec<Element>| Sequence {
            is_flat: is_flat(&elements),
            elements: elements.into(),
        };
        self.groups.push(Group { choices: choices.into_iter().map(sequence).collect() });
        GroupId(index(self.groups.len() - 1))
    }

    /// Returns a member of a group.
    pub fn member(
        &self,
        min: u64,
        max: u64,
        key: MemberKey,
        is_cut: bool,
        value: TypeId,
    ) -> Element {
        Element { min, max, kind: ElementKind::Member { key, is_cut, value } }
    }

    /// Compiles and adds a regular expression, once.
    pub fn add_pattern(
        &mut self,
        source: &str,
        regex: &str,
        name: &str,
    ) -> Result<PatternId, PatternError> {
        if let Some(id) = self.pattern_ids.get(regex) {
            return Ok(*id);
        }
        let [source, name] = [source, name].map(|text| text.to_owned().into());
        self.patterns.push(Pattern::compile(source, regex.to_owned().into(), name, usize::MAX)?);
        let id = PatternId(index(self.patterns.len() - 1));
        self.pattern_ids.insert(regex.to_owned(), id);
        Ok(id)
    }

    /// Completes the tables.
    pub fn finish(self, root: RuleId) -> Result<Schema, BuildError> {
        let mut rules = Vec::with_capacity(self.rules.len());
        for (at, definition) in self.rules.into_iter().enumerate() {
            let definition = definition.ok_or(BuildError::Undefined(RuleId(index(at))))?;
            let Definition { name, body, is_prelude } = definition;
            rules.push(Rule { name: name.into(), body, is_prelude });
        }
        let facts = Facts::new(&rules, &self.types)?;
        let selectors = Selectors {
            rules: &rules,
            types: &self.types,
            groups: &self.groups,
            facts: &facts,
            visits: Cell::new(0),
        };
        let found: Vec<Option<Selector>> =
            self.types.iter().map(|kind| selectors.find(kind)).collect();
        let sorted: Vec<Option<Literals>> =
            self.types.iter().map(|kind| selectors.sort_literals(kind)).collect();
        let types = self.types.into_iter().zip(found).zip(sorted).zip(&facts.0);
        let types = types.map(|(((mut kind, found), sorted), facts)| {
            if let TypeKind::Choice { selector, literals, .. } = &mut kind {
                *selector = found;
                *literals = sorted;
            }
            Type { kind, kinds: facts.kinds, is_scalar: facts.is_scalar }
        });
        Ok(Schema {
            types: types.collect(),
            rules: rules.into(),
            groups: self.groups.into(),
            patterns: self.patterns.into(),
            root,
        })
    }
}

fn index(at: usize) -> u32 {
    u32::try_from(at).expect("a schema has fewer than 2^32 parts")
}

/// Returns whether a map with these elements can be matched in one pass: every entry can then go to
/// at most one literal key.
fn is_flat(elements: &[Element]) -> bool {
    let mut keys: Vec<&LiteralValue> = Vec::new();
    elements.len() <= MAX_FLAT
        && elements.iter().all(|element| match &element.kind {
            ElementKind::Member { key: MemberKey::Literal(label), .. } => {
                let is_new = element.max > 0 && !keys.contains(&&label.value);
                keys.push(&label.value);
                is_new
            }
            ElementKind::Member { key: MemberKey::Type(_), .. } => true,
            ElementKind::Member { key: MemberKey::None, .. } | ElementKind::Group(_) => false,
        })
}

/// The facts about each type.
struct Facts(Vec<Fact>);

#[derive(Clone, Copy)]
struct Fact {
    kinds: Kinds,
    is_scalar: bool,
    /// The length of the longest chain of types that it refers to.
    references: usize,
}

impl Facts {
    /// Computes the facts of each type after those of the types that it refers to.
    fn new(rules: &[Rule], types: &[TypeKind]) -> Result<Self, BuildError> {
        let mut facts: Vec<Option<Fact>> = vec![None; types.len()];
        let mut is_open = vec![false; types.len()];
        for at in 0..types.len() {
            let mut open = vec![at];
            while let Some(&at) = open.last() {
                if facts[at].is_some() {
                    open.pop();
                    continue;
                }
                let waiting: Vec<usize> = references(rules, &types[at])
                    .filter(|reference| facts[*reference].is_none())
                    .collect();
                if waiting.is_empty() {
                    let fact = Fact::new(rules, &types[at], &facts);
                    if fact.references > MAX_REFERENCES {
                        return Err(BuildError::TooDeep(TypeId(index(at))));
                    }
                    facts[at] = Some(fact);
                    is_open[at] = false;
                    open.pop();
                    continue;
                }
                if is_open[at] {
                    return Err(BuildError::TooDeep(TypeId(index(at))));
                }
                is_open[at] = true;
                open.extend(waiting);
            }
        }
        Ok(Self(facts.into_iter().map(|fact| fact.expect("every type was visited")).collect()))
    }
}

/// Returns the types that a type refers to without looking inside a container.
fn references<'t>(rules: &[Rule], kind: &'t TypeKind) -> impl Iterator<Item = usize> + use<'t> {
    let (one, two, more): (Option<TypeId>, Option<TypeId>, &[TypeId]) = match kind {
        TypeKind::Rule(RuleId(rule)) => (Some(rules[*rule as usize].body), None, &[]),
        TypeKind::Choice { alternatives, .. } => (None, None, alternatives),
        TypeKind::Control { target, control } => match control {
            Control::Size(other)
            | Control::Bits(other)
            | Control::And(other)
            | Control::Not(other) => (Some(*target), Some(*other), &[]),
            _ => (Some(*target), None, &[]),
        },
        TypeKind::Simple(number) | TypeKind::Tag { number: TagNumber::Matching(number), .. } => {
            (Some(*number), None, &[])
        }
        _ => (None, None, &[]),
    };
    one.into_iter().chain(two).chain(more.iter().copied()).map(|TypeId(id)| id as usize)
}

impl Fact {
    fn new(rules: &[Rule], kind: &TypeKind, facts: &[Option<Self>]) -> Self {
        let fact = |TypeId(id): TypeId| facts[id as usize].expect("a reference comes first");
        let (kinds, is_scalar) = match kind {
            TypeKind::Any => (Kinds::ALL, true),
            TypeKind::Rule(RuleId(rule)) => {
                let body = fact(rules[*rule as usize].body);
                (body.kinds, body.is_scalar)
            }
            TypeKind::Literal(value) | TypeKind::Range { low: value, .. } => {
                (Kinds::from_kind(value_kind(value)), true)
            }
            TypeKind::Choice { alternatives, .. } => {
                alternatives.iter().fold((Kinds::NONE, true), |(kinds, is_scalar), id| {
                    (kinds.or(fact(*id).kinds), is_scalar && fact(*id).is_scalar)
                })
            }
            TypeKind::Map(_) => (Kinds::from_kind(Kind::Map), false),
            TypeKind::Array(_) => (Kinds::from_kind(Kind::Array), false),
            TypeKind::Major { major, info } => (major_kinds(*major, *info), true),
            TypeKind::Simple(_) => (simple_kinds(), true),
            TypeKind::Tag { .. } => {
                (Kinds::from_kind(Kind::Tag).or(Kinds::from_kind(Kind::BigInteger)), false)
            }
            TypeKind::Control { target, control } => {
                let looks_inside = match control {
                    Control::Cbor(_)
                    | Control::Cborseq(_)
                    | Control::Encoded(..)
                    | Control::Base10(_)
                    | Control::Printf(..)
                    | Control::Json(_)
                    | Control::Join(_) => true,
                    Control::And(other) | Control::Not(other) => !fact(*other).is_scalar,
                    _ => false,
                };
                (fact(*target).kinds, fact(*target).is_scalar && !looks_inside)
            }
        };
        // The matcher follows references to rules in a loop.
        let step = usize::from(!matches!(kind, TypeKind::Rule(_)));
        let references = references(rules, kind)
            .map(|at| facts[at].expect("a reference comes first").references + step)
            .fold(0, usize::max);
        Self { kinds, is_scalar, references }
    }
}

fn value_kind(value: &LiteralValue) -> Kind {
    match value {
        LiteralValue::Integer(_) => Kind::Integer,
        LiteralValue::Float(_) => Kind::Float,
        LiteralValue::Text(_) => Kind::Text,
        LiteralValue::Bytes(_) => Kind::Bytes,
    }
}

fn simple_kinds() -> Kinds {
    let kinds = [Kind::Null, Kind::Undefined, Kind::Bool, Kind::Simple];
    kinds.into_iter().fold(Kinds::NONE, |kinds, kind| kinds.or(Kinds::from_kind(kind)))
}

fn major_kinds(major: u8, info: Option<u64>) -> Kinds {
    match (major, info) {
        (0 | 1, _) => Kinds::from_kind(Kind::Integer),
        (2, _) => Kinds::from_kind(Kind::Bytes),
        (3, _) => Kinds::from_kind(Kind::Text),
        (4, _) => Kinds::from_kind(Kind::Array),
        (5, _) => Kinds::from_kind(Kind::Map),
        (_, None) => simple_kinds().or(Kinds::from_kind(Kind::Float)),
        (_, Some(20 | 21)) => Kinds::from_kind(Kind::Bool),
        (_, Some(22)) => Kinds::from_kind(Kind::Null),
        (_, Some(23)) => Kinds::from_kind(Kind::Undefined),
        (_, Some(25..=27)) => Kinds::from_kind(Kind::Float),
        (_, Some(_)) => Kinds::from_kind(Kind::Simple),
    }
}

/// Finds the member that decides between the maps of a choice.
struct Selectors<'t> {
    rules: &'t [Rule],
    types: &'t [TypeKind],
    groups: &'t [Group],
    facts: &'t Facts,
    visits: Cell<usize>,
}

/// The required members of a map whose values are literals.
type LiteralMembers<'t> = Vec<(&'t LiteralKey, Vec<&'t LiteralValue>)>;

impl<'t> Selectors<'t> {
    /// Counts visits. `None` if there were too many.
    fn visit(&self, count: usize) -> Option<()> {
        self.visits.set(self.visits.get().saturating_add(count));
        (self.visits.get() <= MAX_VISITS).then_some(())
    }

    fn find(&self, kind: &'t TypeKind) -> Option<Selector> {
        let TypeKind::Choice { alternatives, .. } = kind else { return None };
        let mut maps: Vec<(TypeId, LiteralMembers<'t>)> = Vec::new();
        let mut open: Vec<TypeId> = alternatives.iter().rev().copied().collect();
        let mut visited = 0;
        while let Some(id) = open.pop() {
            visited += 1;
            if visited > MAX_CASES {
                return None;
            }
            self.visit(1)?;
            if !self.facts.0[id.0 as usize].kinds.contains(Kind::Map) {
                continue;
            }
            match &self.types[self.resolve(id).0 as usize] {
                TypeKind::Choice { alternatives, .. } => {
                    open.extend(alternatives.iter().rev());
                }
                TypeKind::Map(group) => maps.push((id, self.literal_members(*group)?)),
                _ => return None,
            }
        }
        let ((_, first), others) = maps.split_first()?;
        if others.is_empty() {
            return None;
        }
        first.iter().find_map(|(key, _)| self.by_member(key, &maps))
    }

    /// Sorts the alternatives of a choice with many literals.
    fn sort_literals(&self, kind: &'t TypeKind) -> Option<Literals> {
        let TypeKind::Choice { alternatives, .. } = kind else { return None };
        if alternatives.len() <= MAX_TRIED_LITERALS {
            return None;
        }
        let (mut integers, mut texts, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for id in &**alternatives {
            match &self.types[self.resolve(*id).0 as usize] {
                TypeKind::Literal(LiteralValue::Integer(integer)) => integers.push(*integer),
                TypeKind::Literal(LiteralValue::Text(text)) => texts.push(text.clone()),
                _ => others.push(*id),
            }
        }
        if integers.len() + texts.len() <= MAX_TRIED_LITERALS {
            return None;
        }
        integers.sort_unstable();
        texts.sort_unstable();
        Some(Literals { integers: integers.into(), texts: texts.into(), others: others.into() })
    }

    fn resolve(&self, mut id: TypeId) -> TypeId {
        while let TypeKind::Rule(RuleId(rule)) = &self.types[id.0 as usize] {
            id = self.rules[*rule as usize].body;
        }
        id
    }

    fn literal_members(&self, GroupId(group): GroupId) -> Option<LiteralMembers<'t>> {
        let [sequence] = &*self.groups[group as usize].choices else { return None };
        let mut members = Vec::new();
        self.visit(sequence.elements.len())?;
        for element in &*sequence.elements {
            if let Element {
                min: 1,
                max: 1,
                kind: ElementKind::Member { key: MemberKey::Literal(label), value, .. },
            } = element
                && SimpleValue::new(&label.value).is_some()
                && let Some(values) = self.literals(*value)
                && values.len() <= MAX_CASES
            {
                members.push((label, values));
            }
        }
        Some(members)
    }

    /// Returns the values of a type that accepts nothing but integer and text literals.
    fn literals(&self, id: TypeId) -> Option<Vec<&'t LiteralValue>> {
        let mut values = Vec::new();
        let mut open = vec![id];
        let mut visited = 0;
        while let Some(id) = open.pop() {
            visited += 1;
            self.visit(1)?;
            match &self.types[self.resolve(id).0 as usize] {
                _ if visited > MAX_CASES => return None,
                TypeKind::Literal(value) => {
                    SimpleValue::new(value)?;
                    values.push(value);
                }
                TypeKind::Choice { alternatives, .. } if !alternatives.is_empty() => {
                    open.extend(alternatives.iter().rev());
                }
                _ => return None,
            }
        }
        Some(values)
    }

    /// Returns the selector by one member, if its values differ in all maps.
    fn by_member(
        &self,
        key: &LiteralKey,
        maps: &[(TypeId, LiteralMembers<'_>)],
    ) -> Option<Selector> {
        let mut cases = Vec::new();
        let mut seen = HashSet::new();
        for (id, members) in maps {
            self.visit(members.len())?;
            let (_, values) = members.iter().find(|(label, _)| label.value == key.value)?;
            for value in values {
                if !seen.insert(SimpleValue::new(value)?) {
                    return None;
                }
                cases.push(Case { value: (*value).clone(), alternative: *id });
            }
        }
        if cases.len() > MAX_UNSORTED_CASES {
            cases.sort_by(|one, other| compare_cases(&one.value, &other.value));
        }
        Some(Selector { key: key.clone(), cases: cases.into() })
    }
}

/// A value that can be hashed.
#[derive(PartialEq, Eq, Hash)]
enum SimpleValue<'t> {
    Integer(i128),
    Text(&'t str),
}

impl<'t> SimpleValue<'t> {
    fn new(value: &'t LiteralValue) -> Option<Self> {
        match value {
            LiteralValue::Integer(integer) => Some(Self::Integer(*integer)),
            LiteralValue::Text(text) => Some(Self::Text(text)),
            LiteralValue::Float(_) | LiteralValue::Bytes(_) => None,
        }
    }
}
