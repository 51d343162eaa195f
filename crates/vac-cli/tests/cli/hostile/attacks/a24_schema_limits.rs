//! Tests that the total size of schemas is limited.

use crate::run::{Folder, Ran};

/// Validates a document against a schema.
fn validate(schema: &str, document: &str) -> Ran {
    let folder = Folder::new();
    folder.write("s.cddl", schema);
    folder.write("d.json", document);
    folder.vac(&["validate", "--schema", "s.cddl", "d.json"])
}

/// Asserts that the schema is refused, at this place and with these words.
#[track_caller]
fn refused(schema: &str, place: &str, words: &str) {
    let ran = validate(schema, "1");
    let starts = format!("error: s.cddl:{place}");
    assert!(ran.code == 2 && ran.stdout.is_empty(), "{ran:?}");
    // Warnings come first.
    let error = ran.stderr.find("error: ").map(|at| &ran.stderr[at..]);
    assert!(error.is_some_and(|it| it.starts_with(&starts) && it.contains(words)), "{ran:?}");
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

#[test]
fn patterns_have_a_limit_for_all_of_them() {
    // Some 5 kB of text, and no pattern that is large by itself.
    let schema = lines(100, |at| format!(r#"a{at} = tstr .regexp "\\w{{40}}x{at}""#));
    refused(&schema, "", "the patterns of this schema take more than 32 MiB");
    let long = lines(50, |at| format!(r#"a{at} = tstr .regexp "{}{at}""#, "x".repeat(2000)));
    refused(&long, "", "the patterns of this schema have more than 64 KiB of text");
    refused("b = int\na = tstr .regexp \"(a{1000}){1000}\"", "2:10:", "does not compile");
}

#[test]
fn floats_that_no_double_holds_are_errors() {
    refused("b = int\na = 1e999999999", "2:5:", "this float is too large");
    refused("a = [* -1.0e400]", "1:8:", "this float is too large");
    refused("a = 0.1e-999999999", "1:5:", "this float is too small");
    refused("a = 1e308 .plus 1e308", "1:11:", "this sum is too large");
}

#[test]
fn many_alternatives_are_read_and_matched() {
    let count = 3_000;
    let values: Vec<_> = (0..count).map(|at| format!("\"v{at}\"")).collect();
    let document = format!("[{}]", values.join(","));
    let one_line = format!("a = [* b]\nb = {}", values.join(" / "));
    let sockets = format!("a = [* $b]\n{}", lines(count, |at| format!("$b /= \"v{at}\"")));
    for schema in [&one_line, &sockets] {
        validate(schema, &document).gives(0, "");
        let ran = validate(schema, &document.replace("v2999", "w"));
        assert!(
            ran.code == 1 && ran.stdout.contains("/2999: expected \"v0\", \"v1\", "),
            "{ran:?}"
        );
    }
    let column = one_line.lines().nth(1).unwrap().len() + 4;
    refused(
        &format!("{one_line} / no-such-rule"),
        &format!("2:{column}:"),
        "`no-such-rule` is not defined",
    );
}

#[test]
fn expansion_has_limits() {
    let groups = lines(40, |at| format!("g{at} = (g{0}, g{0})", at + 1));
    refused(
        &format!("a = [g0]\n{groups}g40 = (int, int)"),
        "",
        "gets too large when it is expanded",
    );
    let generic = "a = p<1, 2, 3, 4, 5, 6, 7>\n\
         p<A, B, C, D, E, F, G> = [p<B, A, C, D, E, F, G>, p<B, C, D, E, F, G, A>]";
    refused(generic, "2:", "generic rules are expanded without end");
    let comment =
        format!("a = [{}]\ng = (\n;{}\nint, int)", "g, ".repeat(2000), "c".repeat(100_000));
    refused(&comment, "", "get too long when this specification is expanded (limit 64 MiB)");
    let text = lines(900, |at| format!("a{at} = \"{at}\" .cat b"));
    refused(&format!("{text}b = \"{}\"", "t".repeat(100_000)), "", "(limit 64 MiB)");
    refused(
        &format!("a = {}1{}", "[".repeat(41), "]".repeat(41)),
        "1:45:",
        "nested deeper than 40",
    );
    refused(&format!("a = int ;{}", "c".repeat(2 << 20)), "1:1:", "longer than 2 MiB");
}

#[test]
fn long_rules_are_read_and_matched() {
    let members = lines(30_000, |at| format!("? member{at}: int,"));
    let schema = format!("a = {{\n{members}}}");
    validate(&schema, r#"{"member29999": 1}"#).gives(0, "");
    let ran = validate(&schema, r#"{"member29999": true}"#);
    assert!(ran.code == 1 && ran.stdout.contains("/member29999: expected int"), "{ran:?}");
}

#[test]
fn huge_counts_and_sizes_are_harmless() {
    for schema in [
        "a = [100000000*100000000 int]",
        "a = [18446744073709551615*18446744073709551615 (* int)]",
        "a = { 100000000*100000000 ( ? x: int ) }",
        "a = [* (0*18446744073709551615 int)] .size 5",
        "a = tstr .size (18446744073709551614..18446744073709551615)",
        "a = 18446744073709551615...-18446744073709551616",
        "a = bstr .bits (1000000000..18446744073709551615)",
    ] {
        for document in ["[1, 2]", "{}", "7", "\"text\""] {
            let ran = validate(schema, document);
            assert!(matches!(ran.code, 0..=2), "{schema} {document}: {ran:?}");
        }
    }
    refused("a = 99999999999999999999", "1:5:", "outside of -2^64 to 2^64 - 1");
    refused("a = [99999999999999999999*int]", "1:6:", "outside of -2^64 to 2^64 - 1");
}

#[test]
fn schemas_that_match_without_end_are_stopped() {
    let doubled = lines(60, |at| format!("r{at} = r{0} / r{0}", at + 1)) + "r60 = 0..5";
    let chained = lines(3000, |at| format!("r{at} = r{} / 0..5", at + 1)) + "r3000 = 7..8";
    let nested = "a = [* (* (* (* int, \"x\" // int), \"y\" // int), \"z\" // int)]";
    let list = format!("[{}]", vec!["1"; 20_000].join(","));
    let ran = validate(&doubled, "9");
    assert!(ran.code == 1 && ran.stdout.contains("validation was stopped"), "{ran:?}");
    // Repetitions remember where they end.
    validate(nested, &list).gives(0, "");
    refused(&chained, "1:1:", "more than 500 types in a row");
}
