use super::error;

/// Texts, each with what is said about it behind the file's name.
fn check(cases: &[(&str, &str)]) {
    for (text, wanted) in cases {
        let found = error(text);
        // What the parser says is its own business: the end is left open.
        let fits = match wanted.strip_suffix("...") {
            Some(start) => found.starts_with(&format!("spec.cddl:{start}")),
            None => found == format!("spec.cddl:{wanted}"),
        };
        assert!(fits, "{found}\ninstead of {wanted}\nin: {text}");
    }
}

#[test]
fn a_text_needs_a_rule() {
    check(&[
        ("", "1:1: there is no rule in this text"),
        (" \n; nothing\n", "1:1: there is no rule in this text"),
    ]);
}

#[test]
fn the_first_rule_has_to_be_a_type() {
    check(&[
        ("\na = (b: int)\nc = int", "2:1: `a` comes first, and is not a type without parameters"),
        ("a<T> = [T]\nc = int", "1:1: `a` comes first, and is not a type without parameters"),
    ]);
}

#[test]
fn names_have_to_be_defined() {
    check(&[
        ("a = b", "1:5: `b` is not defined"),
        ("a = {\n  b: [* c]\n}", "2:9: `c` is not defined"),
        ("a = {b}", "1:6: `b` is not defined"),
        ("a = {b => int}", "1:6: `b` is not defined"),
        ("a = {~b}", "1:7: `b` is not defined"),
        ("a = &b", "1:6: `b` is not defined"),
        ("a = tstr .size b", "1:16: `b` is not defined"),
        ("a = x<b>\nx<T> = [T]", "1:7: `b` is not defined"),
        ("a = int\ng = (x: b)", "2:9: `b` is not defined"),
    ]);
}

#[test]
fn names_can_be_defined_once() {
    check(&[
        ("a = int\na = tstr", "2:1: `a` is already defined at spec.cddl:1:1"),
        ("a = int\nb<T> = [T]\nb < T > = {}", "3:1: `b` is already defined at spec.cddl:2:1"),
        ("a = int\nb = (x: int)\nb = (y: int)", "3:1: `b` is already defined at spec.cddl:2:1"),
        (
            "a = int\nb<T> = [T]\nb /= int",
            "3:1: `b` is defined with other generic parameters before",
        ),
    ]);
}

#[test]
fn names_of_the_prelude_cannot_be_defined() {
    check(&[
        ("a = int\n  tstr = int", "2:3: `tstr` is a name of the prelude"),
        ("a = int\nnull /= int", "2:1: `null` is a name of the prelude"),
        ("a = int\ntime = (x: int)", "2:1: `time` is a name of the prelude"),
    ]);
}

#[test]
fn rules_cannot_be_defined_by_themselves() {
    check(&[
        ("a = a", "1:1: `a` is defined by itself"),
        ("a = (a)", "1:1: `a` is defined by itself"),
        ("x = [a]\na = b / c\nb = a\nc = int", "2:1: `a` is defined by itself, by way of b"),
        ("a = int .and a", "1:1: `a` is defined by itself"),
        ("a = uint .size a", "1:1: `a` is defined by itself"),
        ("a = x<int>\nx<T> = x<T>", "2:1: `x<int>` is defined by itself"),
        ("a = [b, c]\nb = c\nc = b", "2:1: `b` is defined by itself, by way of c"),
    ]);
}

#[test]
fn groups_cannot_contain_themselves() {
    check(&[
        ("a = {g}\ng = (x: int, g)", "2:14: group `g` contains itself"),
        ("a = {g}\ng = (x: {g})", "2:10: group `g` contains itself"),
        ("a = int\ng = (h)\nh = (x: int, g)", "3:14: group `g` contains itself"),
        ("a = {~a}", "1:7: group `~a` contains itself"),
        ("a = &g\ng = (x: 1, g)", "2:12: group `g` contains itself"),
    ]);
}

#[test]
fn generic_rules_take_their_arguments_and_come_to_an_end() {
    check(&[
        ("a = x<int, int>\nx<T> = [T]", "1:5: `x` takes 1 generic arguments, not 2"),
        ("a = x\nx<T> = [T]", "1:5: `x` takes 1 generic arguments, not 0"),
        ("a = int<int>", "1:5: `int` takes 0 generic arguments, not 1"),
        ("a = x<int>\nx<T> = T<int>", "2:8: parameter `T` cannot be generic"),
        ("a = x<int>\nx<T> = [x<[T, T]>]", "2:9: the instances of `x` grow without end"),
    ]);
}

#[test]
fn groups_are_not_types() {
    check(&[
        ("a = {x: g}\ng = (y: int)", "1:9: `g` is a group, and a type is needed"),
        ("a = int / g\ng = (y: int)", "1:11: `g` is a group, and a type is needed"),
        ("a = [$$g / int]", "1:10: expected ..."),
        ("a = &int", "1:6: `int` is not a group"),
        (
            "a = {x: ~b}\nb = {}",
            "1:9: what `~` leaves here is a group: it can only stand in a group",
        ),
        ("a = {~int}", "1:7: `~int` needs `int` to be a map, an array or a tag"),
    ]);
}

#[test]
fn ranges_and_occurrences_make_sense() {
    check(&[
        ("a = 1..1.5", "1:6: a range is between two integers or two floats"),
        ("a = \"a\"..\"b\"", "1:8: a range is between two integers or two floats"),
        ("a = 1 .. int", "1:7: a literal is needed here"),
        ("a = b..c\nb = 1", "1:5: `b..c` is one name: a range needs blanks around its dots"),
        ("a = [3*2 int]", "1:6: this occurrence asks for more than it allows"),
    ]);
}

#[test]
fn literals_are_well_formed() {
    check(&[
        ("a = \"x", "1:5: this text is not closed on its line"),
        ("a = \"x\ny\"", "1:5: this text is not closed on its line"),
        ("a = \"\\x\"", "1:5: `\\x` is not an escape of CDDL"),
        ("a = \"\\ud800\"", "1:5: this `\\u` is not a character"),
        ("a = \"\\ud800\\u0041\"", "1:5: this `\\u` is not a character"),
        ("a = \"\\u{110000}\"", "1:5: this `\\u` is not a character"),
        ("a = \"\\u00e\"", "1:5: this `\\u` is not a character"),
        ("a = 'x", "1:5: this byte string is never closed"),
        ("a = h'0'", "1:5: this byte string is not hexadecimal"),
        ("a = h'xx'", "1:5: this byte string is not hexadecimal"),
        ("a = b64'?'", "1:5: this byte string is not base64"),
        ("a = b32'AA'", "1:5: there are no byte strings of the form b32'...'"),
        ("a = 18446744073709551616", "1:5: this integer is outside of -2^64 to 2^64 - 1"),
        ("a = -18446744073709551617", "1:5: this integer is outside of -2^64 to 2^64 - 1"),
        ("a = [042]", "1:6: a number cannot start with 0"),
        ("a = [0x]", "1:6: a blank or a comma is missing behind this number"),
        ("a = [1a]", "1:6: a blank or a comma is missing behind this number"),
        ("a = 0x1p5000", "1:5: this hexadecimal float is too long"),
    ]);
}

#[test]
fn heads_are_well_formed() {
    check(&[
        ("a = #8", "1:5: there is no major type 8"),
        ("a = #6.<int>(tstr)", "1:5: `<int>` behind `#` is not supported"),
        ("a = #7.<int>", "1:5: `<int>` behind `#` is not supported"),
        ("a = #2(int)", "1:5: only `#6` can have content in parentheses"),
        ("a = #(int)", "1:5: a digit or a comma has to follow this `#`"),
        ("a = {tstr => #\n 1 => int}", "1:14: a comma is missing behind this `#`"),
        ("a = {tstr => # ; c\n 1}", "1:14: a comma is missing behind this `#`"),
        ("a = #6.99999999999999999999(int)", "1:8: Tag number out of range..."),
    ]);
}

#[test]
fn brackets_fit() {
    check(&[
        ("a = {b: [int}", "1:13: `}` cannot close `[`"),
        ("a = {b: [int]", "1:5: `{` is never closed"),
        ("a = int]", "1:8: `]` closes nothing"),
    ]);
}

#[test]
fn what_the_parser_does_not_understand_has_a_place() {
    check(&[
        ("a = int\nb == int", "2:4: expected ..."),
        (
            "a = [(int / tstr) / bool]",
            "1:19: a type in parentheses has to come last in a choice within a group",
        ),
        ("a = [g]\ng = b: int", "2:6: a group with a key needs parentheses"),
        ("a = {$b: int}", "1:6: this key is not supported"),
        ("a = int\nb--c = int", "2:1: names such as `b--c` are not supported"),
        ("a = ä", "1:5: unexpected character `ä`"),
        ("a = h\"00\"", "1:5: this literal is not supported"),
    ]);
}
