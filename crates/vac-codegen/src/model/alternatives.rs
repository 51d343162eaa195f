//! What the alternatives of a group are called.

use std::collections::HashSet;

use vac_cddl::ir::{Element, ElementKind, Key, Member, Type};

use super::build::Builder;
use super::choices::{MAX_JOINED, literal_name};
use crate::analysis::literals;

impl Builder<'_> {
    /// The names of the alternatives of the group of an array: the group rule that one
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
        distinct(titles.collect())
    }

    fn titles_of_elements(&self, elements: &[Element]) -> Vec<String> {
        let titles = elements.iter().take(MAX_JOINED).map(|element| self.element_title(element));
        let all: Vec<String> = titles.collect();
        let leading = elements.first().and_then(|element| match &element.kind {
            ElementKind::Member(member) => self.sole_literal(&member.value),
            ElementKind::Group { .. } => None,
        });
        let all = if all.is_empty() { "empty".to_owned() } else { all.join("-") };
        leading.into_iter().chain([all]).collect()
    }

    pub fn element_title(&self, element: &Element) -> String {
        match &element.kind {
            ElementKind::Group { name, .. } => name.clone().unwrap_or_else(|| "group".to_owned()),
            ElementKind::Member(Member { key: Some(Key::Literal(literal)), .. }) => {
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

    /// The names of ways to choose among the groups of a map. A way is called after the group
    /// rule it consists of, a key or the value of a key that no other way has, or its keys.
    pub fn way_titles(&self, ways: &[(Option<String>, Vec<&Member>)]) -> Vec<String> {
        let keys: Vec<Vec<String>> = ways
            .iter()
            .map(|(_, members)| members.iter().filter_map(|it| key(it)).collect())
            .collect();
        let values: Vec<Vec<String>> = ways
            .iter()
            .map(|(_, members)| members.iter().filter_map(|member| self.valued(member)).collect())
            .collect();
        let titles = ways.iter().enumerate().map(|(at, (name, _))| {
            let own_key = only_in(&keys, at);
            let own_value = only_in(&values, at).map(|title| match title.split_once('=') {
                Some(("", value)) => value.to_owned(),
                _ => title.replace('=', "-"),
            });
            let first = &keys[at][..keys[at].len().min(MAX_JOINED)];
            let all = if first.is_empty() { "empty".to_owned() } else { first.join("-") };
            let titles = [name.clone(), own_key, own_value, Some(all)];
            titles.into_iter().flatten().collect()
        });
        distinct(titles.collect())
    }

    /// A member's literal after `=`, or its key and type.
    fn valued(&self, member: &Member) -> Option<String> {
        let key = key(member)?;
        Some(match self.sole_literal(&member.value) {
            Some(literal) => format!("={literal}"),
            None => format!("{key}={}", self.variant_name(&member.value)),
        })
    }
}

fn key(member: &Member) -> Option<String> {
    match &member.key {
        Some(Key::Literal(literal)) => Some(literal_name(literal)),
        _ => None,
    }
}

/// The first title of one list that no other list has.
fn only_in(lists: &[Vec<String>], at: usize) -> Option<String> {
    let is_elsewhere = |title: &String| {
        lists.iter().enumerate().any(|(other, list)| other != at && list.contains(title))
    };
    lists[at].iter().find(|title| !is_elsewhere(title)).cloned()
}

/// The first candidate of each that is not taken.
fn distinct(candidates: Vec<Vec<String>>) -> Vec<String> {
    let mut taken = HashSet::new();
    candidates
        .into_iter()
        .map(|candidates| {
            let unused = candidates.iter().find(|title| !taken.contains(*title));
            let title = unused.or(candidates.last()).expect("an alternative has a title").clone();
            taken.insert(title.clone());
            title
        })
        .collect()
}
