//! Chooses the names of the alternatives of a group.

use std::collections::{HashMap, HashSet};

use vac_cddl::ir::{Element, ElementKind, Member, MemberKey, Type};

use super::build::Builder;
use super::choices::{MAX_JOINED, literal_name};
use crate::analysis::literals;

impl Builder<'_> {
    /// Returns the names of the alternatives of the group of an array: the group rule that one
    /// consists of, its first literal, or the names of its elements.
    pub fn sequence_titles(
        &self,
        choices: &[Vec<Element>],
        names: &[Option<String>],
    ) -> Vec<String> {
        let titles = choices.iter().zip(names).map(|(elements, name)| match name {
            Some(name) => vec![name.clone()],
            None => self.titles_of_elements(elements),
        });
        distinct(&titles.collect::<Vec<_>>())
    }

    /// Returns possible names of an alternative of an array, the best one first.
    pub fn titles_of_elements(&self, elements: &[Element]) -> Vec<String> {
        let literal = |element: &Element| match &element.kind {
            ElementKind::Member(member) => self.sole_literal(&member.value),
            ElementKind::Group { .. } => None,
        };
        let leading = elements.first().and_then(literal);
        let leading_key = elements.first().and_then(|element| match &element.kind {
            ElementKind::Member(member) => key(member),
            ElementKind::Group { .. } => None,
        });
        let others = elements.iter().filter(|element| literal(element).is_none());
        let titles: Vec<String> =
            others.take(MAX_JOINED).map(|element| self.element_title(element)).collect();
        let others = titles.join("-");
        match leading {
            // A name is more descriptive than a number.
            Some(number) if is_number(&number) && !others.is_empty() => {
                let longer = match leading_key {
                    Some(key) => {
                        format!("{key}-{}", number.strip_prefix("value-").unwrap_or(&number))
                    }
                    None => format!("{number}-{others}"),
                };
                vec![others, longer]
            }
            Some(leading) if others.is_empty() => vec![leading],
            Some(leading) => {
                let both = format!("{leading}-{others}");
                vec![leading, both]
            }
            None if others.is_empty() => vec!["empty".to_owned()],
            None => vec![others],
        }
    }

    pub fn element_title(&self, element: &Element) -> String {
        match &element.kind {
            ElementKind::Group { name, .. } => name.clone().unwrap_or_else(|| "group".to_owned()),
            ElementKind::Member(Member { key: Some(MemberKey::Literal(literal)), .. }) => {
                literal_name(literal)
            }
            ElementKind::Member(member) => {
                let literal = self.sole_literal(&member.value);
                literal.unwrap_or_else(|| self.variant_name(&member.value))
            }
        }
    }

    fn sole_literal(&self, ty: &Type) -> Option<String> {
        let literals = literals(self.schema, ty)?;
        let [only] = literals.as_slice() else { return None };
        Some(literal_name(only))
    }

    /// Returns the names of ways to choose among the groups of a map. A way is called after the
    /// innermost group rule it consists of, all of them, a key or the value of a key that no other
    /// way has, or its keys.
    pub fn way_titles(&self, ways: &[(&[String], Vec<&Member>)]) -> Vec<String> {
        let keys: Vec<Vec<String>> = ways
            .iter()
            .map(|(_, members)| members.iter().filter_map(|it| key(it)).collect())
            .collect();
        let values: Vec<Vec<String>> = ways
            .iter()
            .map(|(_, members)| {
                members.iter().filter_map(|member| self.value_name(member)).collect()
            })
            .collect();
        let (key_counts, value_counts) = (count_lists(&keys), count_lists(&values));
        let titles = ways.iter().enumerate().map(|(at, (names, _))| {
            let own_key = only_here(&keys[at], &key_counts);
            let own_value =
                only_here(&values[at], &value_counts).map(|title| match title.split_once('=') {
                    Some(("", value)) => value.to_owned(),
                    _ => title.replace('=', "-"),
                });
            let first = &keys[at][..keys[at].len().min(MAX_JOINED)];
            let all = if first.is_empty() { "empty".to_owned() } else { first.join("-") };
            let joined = (names.len() > 1).then(|| names.join("-"));
            let titles = [names.last().cloned(), joined, own_key, own_value, Some(all)];
            titles.into_iter().flatten().collect()
        });
        distinct(&titles.collect::<Vec<_>>())
    }

    /// Returns a member's literal after `=`, or its key and type.
    fn value_name(&self, member: &Member) -> Option<String> {
        let key = key(member)?;
        Some(match self.sole_literal(&member.value) {
            Some(literal) => format!("={literal}"),
            None => format!("{key}={}", self.variant_name(&member.value)),
        })
    }
}

fn key(member: &Member) -> Option<String> {
    match &member.key {
        Some(MemberKey::Literal(literal)) => Some(literal_name(literal)),
        _ => None,
    }
}

/// Counts the lists that contain each title.
fn count_lists(lists: &[Vec<String>]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for title in lists.iter().flat_map(|titles| titles.iter().collect::<HashSet<_>>()) {
        *counts.entry(title.as_str()).or_default() += 1;
    }
    counts
}

/// Returns the first title of a list that no other list has.
fn only_here(titles: &[String], counts: &HashMap<&str, usize>) -> Option<String> {
    titles.iter().find(|title| counts[title.as_str()] == 1).cloned()
}

/// Returns whether a literal is called after its number.
fn is_number(title: &str) -> bool {
    let digits = title.strip_prefix("value-").or_else(|| title.strip_prefix("minus-"));
    digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the first candidate of each that is not a candidate of another, or else the last one.
pub(super) fn distinct(candidates: &[Vec<String>]) -> Vec<String> {
    let counts = count_lists(candidates);
    let title = |titles: &Vec<String>| {
        let last = || titles.last().expect("an alternative has a title").clone();
        only_here(titles, &counts).unwrap_or_else(last)
    };
    candidates.iter().map(title).collect()
}
