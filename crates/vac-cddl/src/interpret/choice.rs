//! Explaining choices: which alternative was meant.

use vac_value::{Kind, Node};

use crate::ir::{Element, ElementKind, Key, Type, TypeKind, Value};

use super::describe::{describe, one_of};
use super::explain::{Explainer, Task, Tasks, What};
use super::reach::Reach;

/// How many alternatives are told apart.
const MOST_ALTERNATIVES: usize = 256;

/// How many keys are looked at to tell maps apart.
const MOST_KEYS: usize = 64;

/// Types within each other that are looked into for literals.
const LITERALS_WITHIN: usize = 16;

/// How many of the others get a line.
const MOST_OTHERS: usize = 8;

/// One alternative, and the rule it is from.
#[derive(Clone, Copy)]
pub(super) struct Alternative<'s> {
    pub what: Way<'s>,
    pub rule: &'s str,
}

/// An alternative of a choice of types, or of a container's group.
#[derive(Clone, Copy)]
pub(super) enum Way<'s> {
    Type(&'s Type),
    Sequence(&'s Type, &'s [Element]),
}

impl<'s> From<Way<'s>> for What<'s, '_, '_> {
    fn from(option: Way<'s>) -> Self {
        match option {
            Way::Type(ty) => What::Type(ty),
            Way::Sequence(ty, elements) => What::Sequence(ty, elements),
        }
    }
}

/// An alternative that got less far than another.
pub(super) struct Rejected<'s, 'd, 'a> {
    pub alternative: Alternative<'s>,
    pub node: Node<'d, 'a>,
    pub depth: usize,
}

/// What a member that tells maps apart says about a map.
enum Told<'s, 'd, 'a> {
    /// It has to be one of these.
    Among(Vec<Alternative<'s>>),
    /// It is none of them, because of this.
    Apart(Task<'s, 'd, 'a>),
}

impl<'s> Explainer<'_, '_, 's> {
    /// Explains that none of these types matches.
    pub fn of_choice<'d, 'a>(
        &mut self,
        types: &[&'s Type],
        task: Task<'s, 'd, 'a>,
        open: &mut Tasks<'s, 'd, 'a>,
    ) {
        let alternatives = self.alternatives(types, task.rule);
        let candidates = match self.tell_apart(&alternatives, &task) {
            Told::Among(candidates) => candidates,
            Told::Apart(mut told) => {
                told.others = task.others;
                return open.push(told);
            }
        };
        if let [only] = *candidates {
            let rule = only.rule;
            return open.push(Task { rule, ..task.narrowed(only.what.into()) });
        }
        self.furthest(&candidates, task, open);
    }

    /// All alternatives, those of rules and of groups among them.
    fn alternatives(&mut self, types: &[&'s Type], rule: &'s str) -> Vec<Alternative<'s>> {
        let mut alternatives = Vec::new();
        let mut open: Vec<(&'s Type, &'s str)> = types.iter().rev().map(|ty| (*ty, rule)).collect();
        while let Some((ty, mut rule)) = open.pop() {
            if !self.judge.budget.spend(1) {
                break;
            }
            let inner = self.named(ty, &mut rule);
            match &inner.kind {
                TypeKind::Choice(inner) if alternatives.len() < MOST_ALTERNATIVES => {
                    open.extend(inner.iter().rev().map(|ty| (ty, rule)));
                }
                TypeKind::Map(group) | TypeKind::Array(group) if group.choices.len() > 1 => {
                    alternatives.extend(group.choices.iter().map(|elements| Alternative {
                        what: Way::Sequence(inner, elements),
                        rule,
                    }));
                }
                _ => alternatives.push(Alternative { what: Way::Type(inner), rule }),
            }
        }
        alternatives
    }

    /// Explains the alternative that got furthest, or, when none got anywhere,
    /// names them all.
    fn furthest<'d, 'a>(
        &mut self,
        candidates: &[Alternative<'s>],
        mut task: Task<'s, 'd, 'a>,
        open: &mut Tasks<'s, 'd, 'a>,
    ) {
        let nowhere = Reach::at(task.node);
        let (mut best, mut furthest) = (0, nowhere);
        for (at, candidate) in candidates.iter().enumerate() {
            let reach = self.reach(*candidate, task.node);
            if reach > furthest {
                (best, furthest) = (at, reach);
            }
        }
        let Some(chosen) = candidates.get(best).filter(|_| furthest > nowhere) else {
            let schema = self.judge.schema();
            let named = one_of(candidates.iter().map(|candidate| match candidate.what {
                Way::Type(ty) | Way::Sequence(ty, _) => describe(schema, ty),
            }));
            return self.mismatch_as(&named, &task);
        };
        task.others = candidates
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != best)
            .take(MOST_OTHERS)
            .map(|(_, other)| Rejected { alternative: *other, node: task.node, depth: task.depth })
            .collect();
        let rule = chosen.rule;
        open.push(Task { rule, ..task.narrowed(chosen.what.into()) });
    }

    fn reach(&mut self, alternative: Alternative<'s>, node: Node<'_, '_>) -> Reach {
        let verdict = match (alternative.what, node.kind()) {
            (Way::Type(ty), _) => self.judge.check(ty, node),
            (Way::Sequence(ty, elements), kind) => match (&ty.kind, kind) {
                (TypeKind::Map(_), Kind::Map) => self.judge.map_choice(elements, node),
                (TypeKind::Array(_), Kind::Array) => self.judge.array_choice(elements, node),
                _ => Err(Reach::at(node)),
            },
        };
        verdict.err().unwrap_or(Reach::at(node))
    }

    /// Maps are often told apart by a required member whose value is known. If
    /// so, only those remain that have the value that stands there.
    fn tell_apart<'d, 'a>(
        &mut self,
        alternatives: &[Alternative<'s>],
        task: &Task<'s, 'd, 'a>,
    ) -> Told<'s, 'd, 'a> {
        let is_map = |alternative: &&Alternative<'s>| self.members(**alternative).is_some();
        let mut maps: Vec<Alternative<'s>> = alternatives.iter().filter(is_map).copied().collect();
        if task.node.kind() != Kind::Map || maps.len() < 2 {
            return Told::Among(alternatives.to_vec());
        }
        let all = maps.len();
        for key in self.known_keys(&maps) {
            match self.tell_apart_by(key, &maps, task) {
                Told::Among(fewer) => maps = fewer,
                apart @ Told::Apart(_) => return apart,
            }
        }
        Told::Among(if maps.len() < all { maps } else { alternatives.to_vec() })
    }

    fn tell_apart_by<'d, 'a>(
        &mut self,
        key: &'s Value,
        maps: &[Alternative<'s>],
        task: &Task<'s, 'd, 'a>,
    ) -> Told<'s, 'd, 'a> {
        let values: Vec<Option<&'s Type>> =
            maps.iter().map(|map| self.known_value(*map, key)).collect();
        let undecided = values.iter().filter(|value| value.is_none()).count();
        if values.len() - undecided < 2 {
            return Told::Among(maps.to_vec());
        }
        let Some(node) = member(task.node, key) else {
            return if undecided == 0 {
                Told::Apart(Task::new(What::Missing(key), task.node, task.rule, task.depth))
            } else {
                Told::Among(maps.to_vec())
            };
        };
        let verdicts: Vec<Option<bool>> = values
            .iter()
            .map(|value| value.map(|value| self.judge.check(value, node).is_ok()))
            .collect();
        let these = |verdict| {
            let among = maps.iter().zip(&verdicts).filter(move |(_, found)| **found == verdict);
            among.map(|(map, _)| *map).collect::<Vec<_>>()
        };
        let (same, different) = (these(Some(true)), these(Some(false)));
        if same.is_empty() && undecided == 0 {
            Told::Apart(task.inside(What::OneOf(values.into_iter().flatten().collect()), node))
        } else if same.is_empty() {
            Told::Among(these(None))
        } else if different.is_empty() {
            Told::Among(maps.to_vec())
        } else {
            Told::Among(same)
        }
    }

    /// The elements of an alternative that is a map.
    fn members(&self, alternative: Alternative<'s>) -> Option<&'s [Element]> {
        match alternative.what {
            Way::Sequence(ty, elements) => matches!(ty.kind, TypeKind::Map(_)).then_some(elements),
            Way::Type(ty) => match &self.judge.resolve(ty).kind {
                TypeKind::Map(group) => match &*group.choices {
                    [elements] => Some(elements),
                    _ => None,
                },
                _ => None,
            },
        }
    }

    /// Keys under which some alternative requires known values: the first of them.
    fn known_keys(&mut self, maps: &[Alternative<'s>]) -> Vec<&'s Value> {
        let mut keys = Vec::new();
        for map in maps {
            for element in self.members(*map).into_iter().flatten() {
                if keys.len() == MOST_KEYS {
                    return keys;
                }
                if let Some((key, ty)) = required(element)
                    && !keys.contains(&key)
                    && self.is_known(ty, LITERALS_WITHIN)
                {
                    keys.push(key);
                }
            }
        }
        keys
    }

    fn known_value(&mut self, map: Alternative<'s>, key: &Value) -> Option<&'s Type> {
        let elements = self.members(map)?;
        self.judge.budget.spend(elements.len() as u64);
        let found = elements.iter().filter_map(required).find(|(name, _)| *name == key);
        found.map(|(_, ty)| ty).filter(|ty| self.is_known(ty, LITERALS_WITHIN))
    }

    /// Whether a type is a list of values. Looks at most `within` types deep.
    fn is_known(&mut self, ty: &'s Type, within: usize) -> bool {
        if !self.judge.budget.spend(1) {
            return false;
        }
        match &self.judge.resolve(ty).kind {
            TypeKind::Literal(_) | TypeKind::Major { major: 7, info: Some(20..=23) } => true,
            TypeKind::Choice(alternatives) if self.judge.is_list_of_literals(alternatives) => true,
            TypeKind::Choice(alternatives) => {
                let is_known = |alternative| self.is_known(alternative, within - 1);
                within > 0 && !alternatives.is_empty() && alternatives.iter().all(is_known)
            }
            _ => false,
        }
    }
}

/// A member that has to be there and has one key.
fn required(element: &Element) -> Option<(&Value, &Type)> {
    match &element.kind {
        ElementKind::Member(member) if element.occurrence.min > 0 => match &member.key {
            Some(Key::Literal(key)) => Some((&key.value, &member.value)),
            _ => None,
        },
        _ => None,
    }
}

/// The first value under a key.
fn member<'d, 'a>(map: Node<'d, 'a>, key: &Value) -> Option<Node<'d, 'a>> {
    map.members().find(|(name, _)| super::values::equals(key, *name)).map(|(_, value)| value)
}
