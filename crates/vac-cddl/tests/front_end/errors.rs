use super::{error, errors, read};

/// Texts, each with its first error after the file's name.
fn check(cases: &[(&str, &str)]) {
    for (text, wanted) in cases {
        assert_eq!(error(text), format!("spec.cddl:{wanted}"), "in: {text}");
    }
}

#[test]
fn a_text_needs_a_rule() {
    check(&[
        ("", "1:1: this text contains no rule"),
        (" \n; nothing\n", "1:1: this text contains no rule"),
    ]);
}

#[test]
fn the_first_rule_has_to_be_a_type() {
    check(&[
        (
            "\na = (b: int)\nc = int",
            "2:1: `a` is the first rule, but not a type without parameters \
             (use --start to choose another rule)",
        ),
        (
            "a<T> = [T]\nc = int",
            "1:1: `a` is the first rule, but not a type without parameters \
             (use --start to choose another rule)",
        ),
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
        ("a = #6.<a>(int)", "1:1: `a` is defined by itself"),
        ("a = 1 / #7.<b>\nb = a", "1:1: `a` is defined by itself, by way of b"),
        ("a = x<int>\nx<T> = x<T>", "2:1: `x<int>` is defined by itself"),
        ("a = [b, c]\nb = c\nc = b", "2:1: `b` is defined by itself, by way of c"),
    ]);
}

#[test]
fn groups_cannot_contain_themselves() {
    check(&[
        ("a = {g}\ng = (x: int, g)", "2:14: group `g` contains itself"),
        ("a = int\ng = (h)\nh = (x: int, g)", "2:6: group `h` contains itself"),
        ("a = {~a}", "1:7: group `~a` contains itself"),
        ("a = &g\ng = (x: 1, g)", "2:12: group `g` contains itself"),
    ]);
}

#[test]
fn generic_rules_are_expanded_finitely() {
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
        ("a = [$$g / int]", "1:6: `$$g` is a group, and a type is needed"),
        ("a = &int", "1:6: `int` is not a group"),
        ("a = {x: ~b}\nb = {}", "1:9: `~b` is a group, and a type is needed"),
        ("a = {~int}", "1:7: `~int` needs `int` to be a map, an array or a tag"),
    ]);
}

#[test]
fn ranges_and_occurrences_make_sense() {
    check(&[
        ("a = 1..1.5", "1:6: a range is between two integers or two floats"),
        ("a = \"a\"..\"b\"", "1:8: a range is between two integers or two floats"),
        ("a = 1 .. int", "1:7: a literal is needed here"),
        (
            "a = b..c\nb = 1",
            "1:5: `b..c` is not defined: it is one name, and a range needs spaces around its dots",
        ),
        (
            "a = [b.size 3]\nb = tstr",
            "1:6: `b.size` is not defined: it is one name, and an operator needs a space before \
             its dot",
        ),
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
        ("a = [0x]", "1:6: a space or a comma is missing after this number"),
        ("a = [1a]", "1:6: a space or a comma is missing after this number"),
        ("a = 0x1p5000", "1:5: this hexadecimal float is too long"),
    ]);
}

#[test]
fn heads_are_well_formed() {
    check(&[
        ("a = #8", "1:5: major type 8 does not exist"),
        ("a = #2.<int>", "1:5: only `#6` and `#7` can have a type as their number"),
        ("a = #6.<-1>(int)", "1:9: a number of 0 to 2^64 - 1 is needed here"),
        ("a = #2(int)", "1:5: only `#6` can have content in parentheses"),
        ("a = #(int)", "1:5: a digit is missing between `#` and `(`"),
        ("a = #6.99999999999999999999(int)", "1:5: this number is larger than 2^64 - 1"),
        ("a = #6.01(int)", "1:5: a number cannot start with 0"),
    ]);
}

#[test]
fn unbalanced_brackets_are_refused() {
    check(&[
        ("a = {b: [int}", "1:13: `}` cannot close `[`"),
        ("a = {b: [int]", "1:5: `{` is never closed"),
        ("a = int]", "1:8: `]` closes nothing"),
    ]);
}

#[test]
fn unexpected_tokens_have_a_place() {
    check(&[
        ("a = int\nb == int", "2:4: expected a type, found `=`"),
        ("a =", "1:4: expected a type, found the end of the text"),
        ("a = \nb = int", "2:1: expected a type, found the next rule"),
        ("a = [int,, int]", "1:10: expected a type, found `,`"),
        ("a = {b ^ int}", "1:10: expected `=>` after `^`, found `int`"),
        (
            "a = (b: int) / tstr",
            "1:5: these parentheses contain a group, and a type is needed here",
        ),
        ("a = {x: (b: int)}", "1:11: expected `)`, found `:`"),
        ("a = ä", "1:5: unexpected character `ä`: names are ASCII"),
        ("a = h\"00\"", "1:6: expected a rule, found `\"00\"`"),
        ("a = \u{feff}int", "1:5: unexpected character `\u{feff}`: names are ASCII"),
        ("a = int\0", "1:8: control character U+0000"),
        ("a = int ; \u{1b}[2J", "1:11: control character U+001B in a comment"),
        ("a = \"\u{7}\"", "1:5: control character U+0007: write it as an escape"),
        ("a = int\rb = int", "1:8: a carriage return without a line feed"),
    ]);
}

#[test]
fn every_rule_reports_its_first_error() {
    let text = "a = { x: interger }\nb = [int\nc = int\nd = \"x\ne = 1 .foo 2\nf = tsr";
    assert_eq!(
        errors(text),
        [
            "spec.cddl:2:5: `[` is never closed",
            "spec.cddl:4:5: this text is not closed on its line"
        ]
    );
    let text = "a = { x: interger }\nb = [int]\nc = int .foo 1\ng = (y: tsr)";
    assert_eq!(
        errors(text),
        [
            "spec.cddl:1:10: `interger` is not defined",
            "spec.cddl:3:9: control operator .foo is not supported",
            "spec.cddl:4:9: `tsr` is not defined",
        ]
    );
}

#[test]
fn errors_are_limited_in_number() {
    let rules = |rule: fn(usize) -> String| (0..1000).map(rule).collect::<Vec<_>>().join("\n");
    assert_eq!(errors(&rules(|n| format!("a{n} = ["))).len(), 20);
    assert_eq!(errors(&rules(|n| format!("a{n} = b{n}"))).len(), 20);
    assert_eq!(errors(&"'\\'\n".repeat(1000)).len(), 20);
}

#[test]
fn an_error_can_be_displayed_with_its_line() {
    let error = vac_cddl::parse("s.cddl", "\n\tä: \"ü\" = [\r\nb = c").unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "s.cddl:2:2: unexpected character `ä`: names are ASCII\n2 |  ä: \"ü\" = [\n  |  ^"
    );
    let long = format!("a = [{}x]", "int, ".repeat(1000));
    let error = vac_cddl::parse("s.cddl", &long).unwrap_err();
    let shown = format!("{error:#}");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "s.cddl:1:5006: `x` is not defined");
    assert_eq!(lines[1].len(), 4 + 60 + 2);
    assert_eq!(lines[2].find('^'), Some(4 + 60));
    let error = vac_cddl::parse("s.cddl", "a = \"\u{202e}\u{1b}\" x").unwrap_err();
    assert!(format!("{error:#}").contains("1 | a = \"\\u{202e}\\u{1b}\" x"), "{error:#}");
}

#[test]
fn a_definition_may_be_repeated_as_it_is() {
    read("a = [b, c<int>]\nb = { x: int } ; one\nb = {x:int}\nc<T> = [T]\nc< T > = [ T ]");
    read("a = [tstr]\nuint = #0");
    check(&[
        ("a = int\nb = 1\nb = 0x1", "3:1: `b` is already defined at spec.cddl:2:1"),
        ("a = int\nuint = #1", "2:1: `uint` is a name of the prelude"),
    ]);
}
