//! Finds rules that are defined by themselves without a container in between, so that no value
//! matches them.

use crate::Error;
use crate::ir::{Control, Rule, RuleId, TagNumber, Type, TypeKind};

/// The state of a rule during the search.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

pub(super) fn refuse(rules: &[Rule]) -> Result<(), Error> {
    let mut marks = vec![Mark::New; rules.len()];
    for start in 0..rules.len() {
        // The path from `start`: each rule, and its references that are still to be visited.
        let mut path = Vec::new();
        let mut next = Some(start);
        loop {
            match next.map(|rule| (rule, marks[rule])) {
                Some((rule, Mark::New)) => {
                    marks[rule] = Mark::Open;
                    path.push((rule, direct_references(&rules[rule].body)));
                }
                Some((rule, Mark::Open)) => return Err(cycle(rules, &path, rule)),
                Some((_, Mark::Done)) => {}
                None => match path.pop() {
                    Some((rule, _)) => marks[rule] = Mark::Done,
                    None => break,
                },
            }
            next = path.last_mut().and_then(|(_, references)| references.pop());
        }
    }
    Ok(())
}

fn cycle(rules: &[Rule], path: &[(usize, Vec<usize>)], back_to: usize) -> Error {
    let name = &rules[back_to].name;
    let on_cycle = path.iter().map(|(rule, _)| *rule).skip_while(|rule| *rule != back_to);
    let between: Vec<&str> = on_cycle.skip(1).map(|rule| rules[rule].name.as_str()).collect();
    let way = match between.as_slice() {
        [] => String::new(),
        [first, .., last] if between.len() > 5 => {
            format!(", by way of {first} and others to {last}")
        }
        few => format!(", by way of {}", few.join(", ")),
    };
    let why = format!("`{name}` is defined by itself{way}");
    Error::new(rules[back_to].location.clone(), why)
}

/// Returns the rules that a value itself, not a part of it, is matched against.
fn direct_references(of: &Type) -> Vec<usize> {
    let mut references = Vec::new();
    let mut open = vec![of];
    while let Some(next) = open.pop() {
        match &next.kind {
            TypeKind::Rule(RuleId(rule)) => references.push(*rule),
            TypeKind::Choice(alternatives) => open.extend(alternatives),
            TypeKind::Simple(numbers) | TypeKind::Tag { number: TagNumber::Of(numbers), .. } => {
                open.push(numbers);
            }
            TypeKind::Control { target, control } => {
                open.push(target);
                match control {
                    Control::Size(argument)
                    | Control::Bits(argument)
                    | Control::Within(argument)
                    | Control::And(argument)
                    | Control::Is(argument)
                    | Control::IsNot(argument) => open.push(argument),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    references
}
