//! Tests with the table in `grammar.txt`, and properties of all trees.

use std::fmt::Write as _;

use super::ast::{
    Assignment, Body, EntryKind, Group, GroupEntry, HeadNumber, MemberKey, OperatorKind, Reference,
    Rule, TextSpan, Type, Type1, Type2, Type2Kind,
};
use super::{Tree, parse};
use crate::ir::LiteralValue;

const TABLE: &str = include_str!("grammar.txt");

/// Returns the texts of the table, each with what is read from it.
fn cases() -> Vec<(String, &'static str)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    let mut cases: Vec<(String, &str)> = Vec::new();
    for line in lines {
        match line.strip_prefix("    ") {
            None => cases.push((line.replace('⏎', "\n"), "")),
            Some(wanted) => cases.last_mut().expect("a text comes first").1 = wanted,
        }
    }
    cases
}

#[test]
fn every_text_of_the_table_is_read_as_it_says() {
    let cases = cases();
    assert!(cases.len() > 150, "{} texts", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, wanted)| (text, wanted, format_tree(&parse(text))))
        .filter(|(_, wanted, found)| *wanted != found)
        .map(|(text, wanted, found)| format!("{text}\n  wanted {wanted}\n  found  {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_beginning_of_a_text_is_read_without_panic() {
    for (text, _) in cases() {
        for (end, _) in text.char_indices() {
            let _ = parse(&text[..end]);
        }
    }
}

#[test]
fn the_empty_text_has_no_rules_and_no_problems() {
    let tree = parse("");
    assert!(tree.rules.is_empty() && tree.problems.is_empty());
}

#[test]
fn a_tag_apart_from_its_content_gives_a_warning() {
    let warnings = |text| parse(text).warnings.len();
    assert_eq!(warnings("a = #6.1 (int)"), 1);
    assert_eq!(warnings("a = #6.1(int)"), 0);
}

#[test]
fn spans_are_tight() {
    let text = " a<T> = [ ? b: c .size 1 / d , (e) ] ; f";
    let rule = &parse(text).rules[0];
    let written = |span: TextSpan| &text[span.start..span.end];
    assert_eq!(written(rule.span), "a<T> = [ ? b: c .size 1 / d , (e) ]");
    let Body::Type(array) = &rule.body else { panic!("a is a type") };
    let Type2Kind::Array(group) = &array.choices[0].target.kind else { panic!("a is an array") };
    assert_eq!(written(group.span), "[ ? b: c .size 1 / d , (e) ]");
    let [member, parentheses] = group.choices[0].as_slice() else { panic!("two entries") };
    assert_eq!(written(member.span), "? b: c .size 1 / d");
    assert_eq!(written(parentheses.span), "(e)");
    let EntryKind::Member { value, .. } = &member.kind else { panic!("b is a member") };
    assert_eq!(written(value.span), "c .size 1 / d");
    assert_eq!(written(value.choices[0].span), "c .size 1");
    assert_eq!(written(value.choices[0].operator.as_ref().expect(".size").span), ".size");
}

/// Returns a tree in the notation of the table.
fn format_tree(tree: &Tree) -> String {
    if tree.problems.is_empty() {
        return join(&tree.rules, "; ", rule);
    }
    let problem = |problem: &super::SyntaxProblem| {
        let before = &tree.text[..problem.span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        format!("{line}:{column} {}", problem.message)
    };
    format!("! {}", join(&tree.problems, "; ", problem))
}

fn join<T>(of: &[T], separator: &str, show: impl Fn(&T) -> String) -> String {
    of.iter().map(show).collect::<Vec<_>>().join(separator)
}

fn rule(of: &Rule) -> String {
    let parameters = match of.parameters.as_slice() {
        [] => String::new(),
        some => format!("<{}>", join(some, ", ", |name| name.text.to_owned())),
    };
    let assignment = match of.assignment {
        Assignment::Define => "=",
        Assignment::ExtendType => "/=",
        Assignment::ExtendGroup => "//=",
    };
    let body = match &of.body {
        Body::Type(body) => type_(body),
        Body::Group(body) => entry(body),
    };
    format!("{}{parameters} {assignment} {body}", of.name.text)
}

fn type_(of: &Type) -> String {
    join(&of.choices, " / ", type1)
}

fn type1(of: &Type1) -> String {
    let target = type2(&of.target);
    let Some(operator) = &of.operator else { return target };
    let name = match operator.kind {
        OperatorKind::Range { inclusive: true } => "range",
        OperatorKind::Range { inclusive: false } => "range-below",
        OperatorKind::Control(name) => name,
    };
    format!("({name} {target} {})", type2(&operator.argument))
}

fn type2(of: &Type2) -> String {
    match &of.kind {
        Type2Kind::Value(of) => value(of),
        Type2Kind::Name(of) => reference(of),
        Type2Kind::Parenthesized(of) => format!("(type {})", type_(of)),
        Type2Kind::Map(of) => format!("{{{}}}", group(of)),
        Type2Kind::Array(of) => format!("[{}]", group(of)),
        Type2Kind::Unwrap(of) => format!("~{}", reference(of)),
        Type2Kind::ChoiceFromGroup(of) => format!("&({})", group(of)),
        Type2Kind::ChoiceFromName(of) => format!("&{}", reference(of)),
        Type2Kind::Tag { number, content } => {
            let content = content.as_ref().map_or(String::new(), |of| format!("({})", type_(of)));
            format!("#6{}{content}", head_number(number))
        }
        Type2Kind::Major { major, number } => format!("#{major}{}", head_number(number)),
        Type2Kind::Any => "#".into(),
    }
}

fn head_number(of: &HeadNumber) -> String {
    match of {
        HeadNumber::Any => String::new(),
        HeadNumber::One(number) => format!(".{number}"),
        HeadNumber::Of(of) => format!(".<{}>", type_(of)),
    }
}

fn reference(of: &Reference) -> String {
    match of.arguments.as_slice() {
        [] => of.name.text.to_owned(),
        some => format!("{}<{}>", of.name.text, join(some, ", ", type1)),
    }
}

fn group(of: &Group) -> String {
    join(&of.choices, " // ", |entries| join(entries, ", ", entry))
}

fn entry(of: &GroupEntry) -> String {
    let mut shown = String::new();
    if let Some(of) = of.occurrence {
        let max = of.max.map_or("inf".to_owned(), |max| max.to_string());
        write!(shown, "{}*{max} ", of.min).expect("a string");
    }
    shown
        + &match &of.kind {
            EntryKind::Group(of) => format!("(group {})", group(of)),
            EntryKind::Member { key, value: of } => match key {
                None => type_(of),
                Some(MemberKey::Bareword(name)) => format!("bare {}: {}", name.text, type_(of)),
                Some(MemberKey::Value(key)) => format!("{}: {}", value(key), type_(of)),
                Some(MemberKey::Type { type1: key, cut: false }) => {
                    format!("{} => {}", type1(key), type_(of))
                }
                Some(MemberKey::Type { type1: key, cut: true }) => {
                    format!("{} ^ => {}", type1(key), type_(of))
                }
            },
        }
}

fn value(of: &LiteralValue) -> String {
    match of {
        LiteralValue::Integer(of) => of.to_string(),
        LiteralValue::Float(of) => format!("{of:?}"),
        LiteralValue::Text(of) => format!("{of:?}"),
        LiteralValue::Bytes(of) => format!("h'{}'", data_encoding::HEXLOWER.encode(of)),
    }
}
