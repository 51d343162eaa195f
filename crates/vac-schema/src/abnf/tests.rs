use super::{Grammar, GrammarError};
use crate::matcher::Budget;

fn grammar(text: &str) -> Grammar {
    Grammar::parse(text.to_owned().into(), false).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn matches(text: &str, string: &str) -> bool {
    let budget = Budget::with_steps(1_000_000);
    let is_match = grammar(text).is_match(string.as_bytes(), &budget);
    assert!(!budget.is_stopped(), "{text}");
    is_match
}

#[track_caller]
fn check(text: &str, good: &[&str], bad: &[&str]) {
    for string in good {
        assert!(matches(text, string), "{text}: {string:?}");
    }
    for string in bad {
        assert!(!matches(text, string), "{text}: {string:?}");
    }
}

#[test]
fn strings_are_case_insensitive_unless_marked() {
    check("\"aB1\"", &["aB1", "AB1", "ab1"], &["", "ab", "ab12", "äb1"]);
    check("%i\"ab\"", &["AB", "aB"], &["abc"]);
    check("%s\"aB\"", &["aB"], &["ab", "AB"]);
    check("\"\"", &[""], &["a"]);
    check("\"ſ\\n\"".replace("ſ\\n", "s").as_str(), &["S", "s"], &["\u{17f}"]);
}

#[test]
fn numbers_are_characters_strings_and_ranges() {
    check("%x41", &["A"], &["a", "AA", ""]);
    check("%x41.42.43", &["ABC"], &["AB", "abc", "ABCD"]);
    check("%d65-67", &["A", "B", "C"], &["D", "@"]);
    check("%b1000001", &["A"], &["B"]);
    check("%x20AC", &["€"], &["E"]);
    check("%x10000-10FFFF", &["\u{10000}", "\u{10ffff}"], &["\u{ffff}", "a"]);
    check("%XaB", &["\u{ab}"], &["\u{ba}"]);
}

#[test]
fn repetitions_groups_and_options_nest() {
    check("(2\"a\")", &["aa"], &["a", "aaa"]);
    check("(2*3\"a\")", &["aa", "aaa"], &["a", "aaaa", ""]);
    check("(*3\"a\")", &["", "aaa"], &["aaaa"]);
    check("(2*\"a\")", &["aa", "aaaaaa"], &["a"]);
    check("(0\"a\" \"b\")", &["b"], &["ab"]);
    check("[\"a\"]", &["", "a"], &["aa"]);
    check("(2[\"a\"] \"b\")", &["b", "ab", "aab"], &["aaab"]);
    check("(\"a\" / \"b\" \"c\" / (\"d\" / \"e\"))", &["a", "bc", "d", "e"], &["b", "ac", "de"]);
    check("(*(\"a\" *\"b\") \"c\")", &["c", "abbac"], &["bc", "abba"]);
    check("(3*3(\"a\" / [\"b\"]))", &["", "aba", "bbb", "a"], &["aaaa", "c"]);
    check("(1*1000\"a\")", &["a", &"a".repeat(1000)], &["", &"a".repeat(1001)]);
}

#[test]
fn rules_are_found_by_name_in_either_case_and_can_be_extended() {
    let text = "Start\r\nSTART = one ; comment\r\n  / two\r\none = \"1\"\r\n\r\n; all\r\none =/ \"i\"\r\nTWO=\"2\"";
    check(text, &["1", "i", "2", "I"], &["", "12", "3"]);
    // Rules may be indented alike, and continue on lines that are indented more.
    check("a\n  a = \"x\"\n    b\n  b = \"y\"\n", &["xy"], &["x"]);
}

#[test]
fn core_rules_are_used_and_named_as_missing() {
    check("HEXDIG", &["0", "a", "F"], &["g"]);
    check("CRLF", &["\r\n"], &["\n", "\r"]);
    check("LWSP", &["", " ", "\t \r\n ", "\r\n \r\n\t"], &["\r\n", "x", " \r\n"]);
    check("(1*VCHAR)", &["~!"], &[" ", ""]);
    assert_eq!(grammar("a\na = DIGIT alpha b\nb = digit").missing_core_rules(), ["ALPHA", "DIGIT"]);
    check("digit\nDIGIT = \"x\"", &["x"], &["1"]);
    assert!(grammar("digit\nDIGIT = \"x\"").missing_core_rules().is_empty());
}

#[test]
fn any_recursion_is_matched_exactly() {
    let sum = "sum\nsum = sum \"+\" sum / \"1\"";
    check(sum, &["1", "1+1", "1+1+1+1+1"], &["", "+", "1+", "1+1+", "11"]);
    check("a\na = a / \"x\"", &["x"], &["", "xx"]);
    check("a\na = b / \"x\"\nb = a", &["x"], &["y"]);
    check("a\na = a", &[], &["", "a"]);
    check("a\na = *a", &[""], &["a"]);
    check("a\na = *b\nb = *c\nc = *\"x\"", &["", "x", "xxx"], &["y"]);
    check("a\na = [a] [a] \"x\" [a]", &["x", "xx", "xxxx"], &["", "y"]);
    check("a\na = \"(\" *a \")\"", &["()", "(()(()))"], &["(", "())", ""]);
    check(
        "palindrome\npalindrome = [\"a\" / \"b\" / \"a\" palindrome \"a\" / \"b\" palindrome \"b\"]",
        &["", "a", "aba", "abba", "abbabba"],
        &["ab", "abb"],
    );
    // Neither the first alternative nor the longest repetition may be final.
    check("(*\"a\" \"a\" (\"a\" / \"aa\") \"b\")", &["aab", "aaaab"], &["ab", "aa"]);
}

#[test]
fn bytes_and_characters_are_counted_separately() {
    let is_match = |text: &str, is_for_bytes, string: &[u8]| {
        let grammar = Grammar::parse(text.to_owned().into(), is_for_bytes).expect("a grammar");
        grammar.is_match(string, &Budget::with_steps(1000))
    };
    assert!(is_match("(2%x80-FF)", true, "é".as_bytes()));
    assert!(!is_match("(2%x80-FF)", false, "é".as_bytes()));
    assert!(is_match("%xE9", false, "é".as_bytes()));
    assert!(!is_match("%xE9", false, &[0xe9]), "not UTF-8");
    assert!(is_match("%xE9", true, &[0xe9]));
    assert!(!is_match("%x1E9", true, &[0xe9]));
}

#[test]
fn mistakes_are_found_on_their_line() {
    let error = |text: &str| -> GrammarError {
        Grammar::parse(text.to_owned().into(), false).expect_err(text)
    };
    for (text, line, message) in [
        ("", 1, "an element is needed here"),
        ("4DIGIT", 1, "a grammar begins with one element: put `(` and `)` around it"),
        ("a / b\na = \"a\"\nb = \"b\"", 1, "the first line is one element"),
        ("a\na = <a letter>", 2, "`<...>` describes in prose"),
        ("a\na = b\n", 2, "rule `b` is not defined"),
        ("a\na = \"x\"\nA = \"y\"", 3, "rule `a` is defined twice"),
        ("a\na = \"x", 2, "a quoted string does not end"),
        ("a\na = \"é\"", 2, "a quoted string consists of printable ASCII"),
        ("a\na = (\"x\"", 2, "`)` is needed here"),
        ("a\na = [\"x\")", 2, "`]` is needed here"),
        ("a\na = %q41", 2, "`%` is followed by b, d or x"),
        ("a\na = %x", 2, "digits are needed here"),
        ("a\na = %xFFFFFFFF", 2, "this number is too large"),
        ("a\na = %x42-41", 2, "the end of this range is before its beginning"),
        ("a\na = 3*2\"x\"", 2, "3*2 is not a number of repetitions"),
        ("a\na = \"x\" /", 2, "an element is needed here"),
        ("a\na = é", 2, "an element is needed here, not 'é'"),
        ("a\na = \"x\"\nb", 3, "a rule is needed at the start of a line"),
        ("a a = \"x\"", 1, "the first line is one element"),
    ] {
        let found = error(text);
        assert!(found.message.starts_with(message), "{text:?}: {found}");
        assert_eq!(found.line, line, "{text:?}: {found}");
    }
    let deep = format!("{}\"a\"{}", "(".repeat(1000), ")".repeat(1000));
    assert!(error(&deep).message.contains("more than 100 deep"));
    assert!(error(&"a".repeat(1 << 20)).message.contains("longer than 256 KiB"));
}

#[test]
fn work_is_counted_and_linear_where_the_grammar_allows_it() {
    let steps = |text: &str, string: &str| {
        let budget = Budget::with_steps(10_000_000);
        assert!(grammar(text).is_match(string.as_bytes(), &budget), "{text}");
        budget.steps()
    };
    let list =
        "list\nlist = item *(\",\" item)\nitem = 1*DIGIT / word\nword = ALPHA *(ALPHA / \"-\")";
    for (text, piece) in [
        (list, "12,ab-c,"),
        ("a\na = a \"12,ab-c,\" / \"\"", "12,ab-c,"),
        ("(*OCTET)", "12,ab-c,"),
        ("(1*100000OCTET)", "12,ab-c,"),
    ] {
        let [one, four] = [100, 400].map(|count| {
            steps(text, (piece.repeat(count) + if text == list { "1" } else { "" }).as_str())
        });
        assert!(four <= 4 * one + 40, "{text}: {one} steps, then {four}");
        assert!(one < 800 * 20, "{text}: {one}");
    }
    // An ambiguous grammar takes cubic time, until it is stopped.
    let budget = Budget::with_steps(100_000);
    let ambiguous = grammar("a\na = a a / \"x\"");
    assert!(!ambiguous.is_match("x".repeat(10_000).as_bytes(), &budget));
    assert!(budget.is_stopped());
}

#[test]
fn large_grammars_are_compiled_in_linear_time() {
    let chain: Vec<_> = (0..8000).map(|n| format!("r{n} = r{} / \"x\"", n + 1)).collect();
    assert!(matches(&format!("r0\n{}\nr8000 = \"y\"", chain.join("\n")), "x"));
    let twice: Vec<_> = (0..2000).map(|n| format!("r{n} = r{0} / r{0}", n + 1)).collect();
    assert!(matches(&format!("r0\n{}\nr2000 = \"y\"", twice.join("\n")), "y"));
    let words: Vec<String> = (0..5000).map(|n| format!("\"w{n}\"")).collect();
    assert!(matches(&format!("({})", words.join(" / ")), "w4999"));
    let comments = format!("a\n{}a = *\"x\"", "; comment\n".repeat(5000));
    assert!(matches(&comments, "xx"));
}
