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
fn a_default_that_is_not_a_literal_is_ignored() {
    assert_eq!(root("a = {? b: bool .default true}"), "{? \"b\": bool}");
    assert_eq!(error("a = bool .default tru"), "spec.cddl:1:19: `tru` is not defined");
}

#[test]
fn plus_adds_numbers() {
    assert_eq!(root("a = 1 .plus 2"), "3");
    assert_eq!(root("a = b .plus (c .plus -1)\nb = 5\nc = 2"), "6");
    assert_eq!(root("a = 1.5 .plus 1"), "2.5");
    // The sum is of the target's kind, rounded down (RFC 9165 section 2.1).
    assert_eq!(root("a = 1 .plus 1.5"), "2");
    assert_eq!(root("a = 1 .plus -1.5"), "-1");
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
    assert_eq!(error("a = 1 .plus \"x\""), "spec.cddl:1:7: .plus needs two numbers");
    assert_eq!(
        error("a = 1 .plus 1e300"),
        "spec.cddl:1:7: this sum is outside of -2^64 to 2^64 - 1"
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
fn equality_takes_any_single_value() {
    assert_eq!(root("a = bool .ne true"), "bool .ne true");
    assert_eq!(root("a = any .eq null"), "any .eq null");
    assert_eq!(root("a = any .ne [1, \"x\", [undefined]]"), "any .ne [1, \"x\", [undefined]]");
    assert_eq!(root("a = any .eq {a: b}\nb = #6.1(0)"), "any .eq {\"a\": b}");
    assert_eq!(root("a = any .ne {}"), "any .ne {}");
    for argument in ["int", "(1..2)", "(1 / 2)", "[* 1]", "[int]", "{tstr => 1}", "#6.1(int)", "b"]
    {
        let text = format!("a = any .ne {argument}\nb = [b]");
        let found = error(&text);
        assert!(found.ends_with(": a single value is needed here"), "{found}");
    }
}

#[test]
fn text_encodings_take_types() {
    assert_eq!(root("a = tstr .b64u b\nb = bstr .size 4"), "tstr .Base64Url b");
    for (name, shown) in [
        ("b64u-sloppy", "Base64UrlSloppy"),
        ("b64c", "Base64"),
        ("b64c-sloppy", "Base64Sloppy"),
        ("b32", "Base32"),
        ("h32", "Base32Hex"),
        ("hex", "Hex"),
        ("hexlc", "HexLower"),
        ("hexuc", "HexUpper"),
        ("b45", "Base45"),
        ("base10", "base10"),
        ("json", "json"),
    ] {
        assert_eq!(root(&format!("a = tstr .{name} any")), format!("tstr .{shown} any"));
    }
}

#[test]
fn printf_takes_a_format_and_its_items() {
    let text = "a = hex<19>\nhex<K> = tstr .printf ([\"0x%04x\", K])";
    assert_eq!(super::body(text, "hex<19>"), "tstr .printf [\"0x%04x\", 19]");
    assert_eq!(root("a = tstr .printf b\nb = [c, int]\nc = \"%d\" .cat \"!\""), "tstr .printf b");
    let array = ".printf needs an array of a format and its data items";
    let literal = "the format of .printf has to be a literal text";
    for (argument, wanted) in [
        ("\"%d\"", array),
        ("[]", array),
        ("[\"%d\", * int]", array),
        ("[\"%d\", int // \"%s\", tstr]", array),
        ("[tstr]", literal),
        ("['%d', int]", literal),
        ("[\"%d\"]", "the format takes 1 data item, and there are 0"),
        ("[\"%d%d\", int]", "the format takes 2 data items, and there is 1"),
        ("[\"%q\", int]", "`%q` is not a conversion of printf"),
        ("[\"%d\", \"x\"]", "the format takes an integer here"),
        ("[\"%x\", -1]", "the format takes an integer that is not negative here"),
        ("[\"%f\", 1]", "the format takes a float here"),
        ("[\"%c\", 55296]", "the format takes the number of a Unicode character here"),
        ("[\"%s\", 1]", "the format takes a text here"),
    ] {
        let found = error(&format!("a = tstr .printf {argument}"));
        assert!(found.starts_with("spec.cddl:1:") && found.ends_with(wanted), "{found}");
    }
}

#[test]
fn join_takes_an_array_of_strings() {
    assert_eq!(root("a = tstr .join b\nb = [tstr, \".\", * bstr]"), "tstr .join b");
    assert_eq!(error("a = tstr .join tstr"), "spec.cddl:1:16: .join needs an array");
    for element in ["1", "int", "1..2", "{}", "[* tstr]", "#6.1(tstr)", "b"] {
        assert_eq!(
            error(&format!("a = tstr .join [tstr, ? ({element}, \"x\")]\nb = nint")),
            "spec.cddl:1:26: the elements of the array for .join have to be strings",
            "{element}"
        );
    }
}

#[test]
fn abnf_takes_a_grammar() {
    assert_eq!(
        root("a = tstr .abnf (\"b\" .cat '\nb = %x61\n')"),
        "tstr .abnf \"b\\nb = %x61\\n\""
    );
    assert_eq!(root("a = bstr .abnfb '%x61'"), "bstr .abnfb \"%x61\"");
    let text = "a = tstr .abnf (\"b\" .det c)\nc = '\n   b = %x61\n     / %x62 ; or\n'";
    assert_eq!(root(text), "tstr .abnf \"b\\nb = %x61\\n  / %x62 ; or\\n\"");
    assert_eq!(error("a = tstr .abnf 1"), "spec.cddl:1:10: a text is needed here");
    assert_eq!(error("a = tstr .abnf tstr"), "spec.cddl:1:10: a literal is needed here");
    assert_eq!(
        error("a = tstr .abnf h'ff'"),
        "spec.cddl:1:10: a grammar is text: these bytes are not UTF-8"
    );
    assert_eq!(
        error("a = tstr .abnf 'b\nb = c'"),
        "spec.cddl:1:10: line 2 of the ABNF grammar: rule `c` is not defined"
    );
}

#[test]
fn core_rules_that_a_grammar_lacks_give_a_warning() {
    let schema = super::read("a = tstr .abnf 'b\nb = 2DIGIT'");
    assert_eq!(
        schema.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "spec.cddl:1:10: this ABNF grammar does not define `DIGIT`: the core rule of RFC 5234 is \
          used, and RFC 9165 wants it to be part of the grammar"
        ]
    );
    assert!(super::read("a = tstr .abnf 'digit\nDIGIT = %x30-39'").warnings.is_empty());
}

#[test]
fn all_grammars_together_have_a_limit() {
    let rule = |at: usize, more: usize| {
        format!("a{at} = tstr .abnf 'b ; {}{}\nb = %x61'\n", "x".repeat(150_000), "y".repeat(more))
    };
    // A repeated grammar is not counted again.
    super::read(&(0..5).map(|at| rule(at, 0)).collect::<String>());
    let rules = "c = '".to_owned() + &"; x\n".repeat(50_000) + "'\n";
    let uses = (0..12).map(|at| format!("a{at} = tstr .abnf (\"%x{at}\\n\" .cat c)\n"));
    let why = error(&(uses.collect::<String>() + &rules));
    assert!(why.contains("the grammars of this schema have more than 2 MiB of text"), "{why}");
}

#[test]
fn other_operators_are_refused_by_name() {
    for name in ["pcre", "iregexp", "sizes", "b64", "decimal", "jsonseq", "sdnv", "oid"] {
        let text = format!("; first\nb = {{\n  a: tstr .{name} \"x\"\n}}");
        let wanted = format!("spec.cddl:3:11: control operator .{name} is not supported");
        assert_eq!(error(&text), wanted);
    }
}
