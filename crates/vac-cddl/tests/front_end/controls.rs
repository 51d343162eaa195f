use super::{error, root};

#[test]
fn the_arguments_of_some_operators_are_types() {
    assert_eq!(root("a = tstr .size 4"), "tstr .size 4");
    assert_eq!(root("a = bstr .size (1..4)"), "bstr .size 1..4");
    assert_eq!(root("a = bstr .bits &(fin: 0, syn: 1)"), "bstr .bits (fin=0 / syn=1)");
    assert_eq!(root("a = bstr .cbor {b: int}"), "bstr .cbor {\"b\": int}");
    assert_eq!(root("a = bstr .cbor #"), "bstr .cbor #");
    assert_eq!(root("a = int .within uint"), "int .within uint");
    assert_eq!(root("a = int .and uint"), "int .and uint");
}

#[test]
fn cborseq_is_not_cbor() {
    assert_eq!(root("a = bstr .cborseq [* int]"), "bstr .cborseq [* int]");
    assert_eq!(root("a = {b: bstr .cborseq [* int]}"), "{\"b\": bstr .cborseq [* int]}");
}

#[test]
fn the_arguments_of_other_operators_are_values() {
    assert_eq!(root("a = int .lt 5"), "int .lt 5");
    assert_eq!(root("a = int .le 5"), "int .le 5");
    assert_eq!(root("a = float .gt 0.5"), "float .gt 0.5");
    assert_eq!(root("a = int .ge -5"), "int .ge -5");
    assert_eq!(root("a = tstr .eq \"x\""), "tstr .eq \"x\"");
    assert_eq!(root("a = tstr .ne 'x'"), "tstr .ne h78");
    assert_eq!(root("a = tstr .default \"x\""), "tstr .default \"x\"");
    assert_eq!(root("a = tstr .feature \"x\""), "tstr .feature x");
}

#[test]
fn a_value_may_be_named() {
    assert_eq!(root("a = tstr .regexp b\nb = \"[0-9]+\""), "tstr .regexp [0-9]+");
    assert_eq!(root("a = uint .lt max\nmax = b .plus 1\nb = 9"), "uint .lt 10");
}

#[test]
fn an_operator_binds_stronger_than_a_choice() {
    assert_eq!(root("a = tstr .regexp \"x\" / uint"), "(tstr .regexp x / uint)");
    assert_eq!(root("a = [* tstr .size 3]"), "[* tstr .size 3]");
}

#[test]
fn a_default_that_is_no_literal_leaves_the_target() {
    assert_eq!(root("a = {? b: bool .default true}"), "{? \"b\": bool}");
    assert_eq!(error("a = bool .default tru"), "spec.cddl:1:19: `tru` is not defined");
}

#[test]
fn plus_adds_numbers() {
    assert_eq!(root("a = 1 .plus 2"), "3");
    assert_eq!(root("a = b .plus (c .plus -1)\nb = 5\nc = 2"), "6");
    assert_eq!(root("a = 1.5 .plus 1"), "2.5");
}

#[test]
fn cat_joins_strings_into_the_kind_of_the_left_one() {
    assert_eq!(root("a = \"x\" .cat \"y\""), "\"xy\"");
    assert_eq!(root("a = \"x\" .cat 'y'"), "\"xy\"");
    assert_eq!(root("a = 'x' .cat \"y\""), "h7879");
    assert_eq!(root("a = tstr .regexp (b .cat \"+\")\nb = \"[0-9]\""), "tstr .regexp [0-9]+");
}

#[test]
fn det_takes_the_common_indent_from_both_sides() {
    let text = "a = \"x\\n\" .det '\n    one\n\n      two\n  '";
    assert_eq!(root(text), "\"x\\n\\none\\n\\n  two\\n\"");
}

#[test]
fn computing_needs_literals_of_the_right_kind() {
    assert_eq!(error("a = int .plus 1"), "spec.cddl:1:5: a literal is needed here");
    assert_eq!(
        error("a = 1 .plus 1.5"),
        "spec.cddl:1:7: .plus needs two integers, or a float and a number"
    );
    assert_eq!(
        error("a = 18446744073709551615 .plus 1"),
        "spec.cddl:1:26: this sum is outside of -2^64 to 2^64 - 1"
    );
    assert_eq!(
        error("a = 1 .cat \"x\""),
        "spec.cddl:1:7: text or byte strings are needed on both sides"
    );
    assert_eq!(error("a = \"x\" .cat h'ff'"), "spec.cddl:1:9: the result is not text");
}

#[test]
fn values_are_checked_for_their_kind() {
    assert_eq!(error("a = int .lt \"x\""), "spec.cddl:1:9: a number is needed here");
    assert_eq!(error("a = int .lt int"), "spec.cddl:1:9: a literal is needed here");
    assert_eq!(error("a = tstr .regexp 1"), "spec.cddl:1:10: a text is needed here");
}

#[test]
fn other_operators_are_refused_by_name() {
    for name in ["abnf", "abnfb", "json", "pcre", "b64u", "printf", "join", "iregexp", "sizes"] {
        let text = format!("; first\nb = {{\n  a: tstr .{name} \"x\"\n}}");
        let wanted = format!("spec.cddl:3:11: control operator .{name} is not supported");
        assert_eq!(error(&text), wanted);
    }
}
