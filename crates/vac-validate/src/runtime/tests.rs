//! Work is counted, not timed: four times the input takes four times the steps.

use vac_value::{Document, Node, check};

use super::{Array, Check, Context, Element, Group, Key, Map, Member, Shape};

fn int(context: &mut Context, node: Node<'_, '_>) -> bool {
    context.expect(check::int(node), node, "", "int")
}

fn text(context: &mut Context, node: Node<'_, '_>) -> bool {
    context.expect(check::text(node), node, "", "text")
}

fn bytes(context: &mut Context, node: Node<'_, '_>) -> bool {
    context.expect(check::bytes(node), node, "", "bytes")
}

const fn member(key: Key, cut: bool, check: Check) -> Element {
    Element::Member(Member { key, cut, min: 1, max: 1, check })
}

const fn repeated(choices: &'static [&'static [Element]]) -> Element {
    Element::Group(Group { expected: "a group", min: 0, max: u64::MAX, choices })
}

/// `{ * ( "k": int // tstr => int ) }`
static BY_KEY_OR_TYPE: Map = Map {
    rule: "m",
    choices: &[&[repeated(&[
        &[member(Key::Text("k"), true, int)],
        &[member(Key::Type(text), false, int)],
    ])]],
};

/// `{ * ( tstr => int, bstr => int // tstr => int ) }`: the first alternative takes a member
/// and gives it back every time.
static GIVEN_BACK: Map = Map {
    rule: "m",
    choices: &[&[repeated(&[
        &[member(Key::Type(text), false, int), member(Key::Type(bytes), false, int)],
        &[member(Key::Type(text), false, int)],
    ])]],
};

fn as_map(map: &'static Map, document: &Document<'_>) -> (bool, u64) {
    let mut context = Context::new(0);
    let valid = context.map(document.root(), map);
    (valid, context.map_steps)
}

fn object(members: impl Iterator<Item = (usize, &'static str)>) -> String {
    let members: Vec<_> = members.map(|(at, value)| format!("\"n{at}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn repeated_group_over_a_map_takes_linear_work() {
    for map in [&BY_KEY_OR_TYPE, &GIVEN_BACK] {
        let good = |count: usize| object((0..count).map(|at| (at, "1")));
        // The first half is refused, and must not be tried again for each of the other half.
        let bad = |count: usize| {
            object((0..count).map(|at| (at, if at < count / 2 { "true" } else { "1" })))
        };
        for (text, valid) in [(&good as &dyn Fn(usize) -> String, true), (&bad, false)] {
            let steps = |count: usize| {
                let text = text(count);
                let (verdict, steps) = as_map(map, &Document::json(text.as_bytes()).unwrap());
                assert_eq!(verdict, valid);
                steps
            };
            let (one, four) = (steps(500), steps(2000));
            assert!(four <= 4 * one + 16, "{one} steps, then {four}");
        }
    }
}

#[test]
fn many_violations_are_located_in_one_walk() {
    static INTS: Array =
        Array { rule: "a", shape: Shape::Each { min: 0, max: u64::MAX, expected: "", check: int } };
    let moves = |count: usize| {
        let text = format!("[{}]", vec!["true"; count].join(","));
        let document = Document::json(text.as_bytes()).unwrap();
        let mut context = Context::new(usize::MAX);
        assert!(!context.array(document.root(), &INTS));
        let moves = context.locator.moves();
        let (violations, total) = context.finish();
        assert_eq!((violations.len(), total), (count, count));
        assert_eq!(violations[count - 1].path, format!("/{}", count - 1));
        moves
    };
    let (one, four) = (moves(500), moves(2000));
    assert!(four <= 4 * one + 16, "{one} moves, then {four}");
}

#[test]
fn a_duplicate_key_counts_once_and_its_value_is_not_matched() {
    static MEMBERS: Map = Map {
        rule: "m",
        choices: &[&[
            member(Key::Text("k"), true, int),
            Element::Member(Member {
                key: Key::Type(text),
                cut: false,
                min: 0,
                max: u64::MAX,
                check: int,
            }),
        ]],
    };
    fn members(context: &mut Context, node: Node<'_, '_>) -> bool {
        context.map(node, &MEMBERS)
    }
    fn by_key_or_type(context: &mut Context, node: Node<'_, '_>) -> bool {
        context.map(node, &BY_KEY_OR_TYPE)
    }
    let text = br#"{"k": 1, "x": 1, "\u006b": "no int", "x": 2}"#;
    let document = Document::json(text).unwrap();
    for check in [members as Check, by_key_or_type] {
        let report = crate::check(&document, check, 20);
        let shown: Vec<_> = report.violations.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "/k: expected every key once, found duplicate key \"k\"",
                "/x: expected every key once, found duplicate key \"x\"",
            ]
        );
        assert_eq!(report.total, 2);
        assert_eq!(crate::check(&document, check, 1).violations.len(), 1);
    }
}
