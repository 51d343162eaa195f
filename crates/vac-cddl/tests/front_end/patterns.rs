use super::{error, read};
use vac_cddl::ir::{Control, TypeKind};

/// Returns whether the whole of `text` matches the pattern, as it is translated.
fn matches(pattern: &str, text: &str) -> bool {
    let literal = pattern.replace('\\', "\\\\").replace('"', "\\\"");
    let schema = read(&format!("a = tstr .regexp \"{literal}\""));
    let TypeKind::Control { control: Control::Regexp(found), .. } = &schema.rules[0].body.kind
    else {
        panic!("not a pattern")
    };
    assert_eq!(found.xsd, pattern);
    regex::Regex::new(&found.regex).expect("it compiles").is_match(text)
}

fn assert_refused(pattern: &str) -> String {
    error(&format!("a = tstr .regexp \"{}\"", pattern.replace('\\', "\\\\")))
}

#[test]
fn a_pattern_matches_the_whole_text() {
    assert!(matches("a|bc", "bc"));
    assert!(!matches("a|bc", "abc"));
    assert!(!matches("a", "a\n"));
    assert!(matches("", ""));
}

#[test]
fn anchors_are_ordinary_characters() {
    assert!(matches("^a$", "^a$"));
    assert!(matches("[a^$]+", "a^$"));
    assert!(!matches("[^a^]", "^"));
}

#[test]
fn anchors_give_a_warning() {
    let warnings = |pattern: &str| -> Vec<String> {
        let schema = read(&format!("a = [b, b]\nb = tstr .regexp \"{pattern}\""));
        schema.warnings.iter().map(ToString::to_string).collect()
    };
    let wanted = "spec.cddl:2:10: `^` and `$` are ordinary characters here: a pattern always \
                  matches the whole text, so leave them out";
    assert_eq!(warnings("^a"), [wanted]);
    assert_eq!(warnings("a$"), [wanted]);
    assert!(warnings("[^a]").is_empty());
    assert!(warnings(r"a\\$").is_empty());
}

#[test]
fn a_dot_is_anything_but_a_line_end() {
    assert!(matches("a.b", "a\u{85}b"));
    assert!(!matches(".", "\n"));
    assert!(!matches(".", "\r"));
}

#[test]
fn quantifiers_repeat_what_they_follow() {
    assert!(matches("a?b*c+d{2}e{1,}f{0,2}", "cddeff"));
    assert!(!matches("a{2,3}", "aaaa"));
    assert!(matches("(ab)+", "abab"));
}

#[test]
fn escapes_mean_classes() {
    assert!(matches(r"\d\D", "٣x"));
    assert!(matches(r"\w+", "aä1+"));
    assert!(!matches(r"\w", "-"));
    assert!(matches(r"\W", "_"));
    assert!(matches(r"\s\S", "\tx"));
    assert!(!matches(r"\s", "\u{a0}"));
    assert!(matches(r"\i\c*", "_a-1.b"));
    assert!(!matches(r"\i", "1"));
    assert!(matches(r"\I\C", "1 "));
    assert!(matches(r"\p{Lu}\P{L}\p{Nd}", "A-7"));
    assert!(matches(r"[\d\-\p{L}]+", "1-a"));
}

#[test]
fn escaped_characters_match_themselves() {
    assert!(matches(r"\n\t\r\.\\\?\*\+\(\)\{\}\[\]\|\^\-", "\n\t\r.\\?*+(){}[]|^-"));
    assert!(matches(r"\/\#\@\$", "/#@$"));
}

#[test]
fn characters_special_only_to_crate_regex_are_escaped() {
    assert!(matches("a&&b~~c#/ -", "a&&b~~c#/ -"));
    assert!(matches("[a&&b~~#]+", "&~#ab"));
    assert!(matches("[+--]+", "+,-"));
}

#[test]
fn classes_have_ranges_and_hyphens_at_their_ends() {
    assert!(matches("[a-c-]+", "abc-"));
    assert!(matches("[-a]+", "-a"));
    assert!(matches(r"[\t-\r]+", "\t\n\r"));
    assert!(!matches("[^a-c]", "b"));
}

#[test]
fn classes_can_be_subtracted() {
    assert!(matches("[a-z-[aeiou]]+", "xyz"));
    assert!(!matches("[a-z-[aeiou]]", "e"));
    assert!(matches("[a-z-[a-e-[c]]]", "c"));
    assert!(!matches("[^a-c-[x]]", "x"));
    assert!(matches("[^a-c-[x]]", "y"));
}

#[test]
fn syntax_that_xsd_lacks_is_refused() {
    let cases = [
        ("a*?", "there is nothing that `?` could repeat"),
        ("a++", "there is nothing that `+` could repeat"),
        ("*", "there is nothing that `*` could repeat"),
        ("(|*)", "there is nothing that `*` could repeat"),
        ("(?:a)", "groups with `(?` are not part of XSD"),
        ("(?=a)", "groups with `(?` are not part of XSD"),
        (r"\ba", r"`\b` is not part of XSD"),
        (r"(a)\1", r"`\1` is not part of XSD"),
        (r"\u0041", r"`\u` is not part of XSD"),
        (r"a\", "it ends with a backslash"),
        ("(a", "`(` is never closed"),
        ("a)", "`)` closes nothing"),
        ("[a", "`[` is never closed"),
        ("[]", "a class cannot be empty"),
        ("[a[b]]", "`[` has to be escaped in a class"),
        ("[[:alpha:]]", "`[` has to be escaped in a class"),
        ("[a-[b]c]", "a class has to end after what is subtracted"),
        ("[z-a]", "`z-a` is not a range"),
        (r"[a-\d]", "a range cannot end with a class"),
        ("a]", "`]` has to be escaped"),
        ("a}", "`}` has to be escaped"),
        ("a{}", "`{}` is not a quantity"),
        ("a{2,1}", "`{2,1}` is not a quantity"),
        ("a{+1}", "`{+1}` is not a quantity"),
        ("a{1", "`{` is never closed"),
        (r"\p{IsGreek}", r"Unicode blocks (`\p{IsGreek}`) are not supported"),
        (r"\p{Greek}", "`Greek` is not a category"),
        (r"\p{Lx}", "`Lx` is not a category"),
        (r"\pL", r"a category in braces has to follow `\p`"),
    ];
    for (pattern, why) in cases {
        assert_eq!(assert_refused(pattern), format!("spec.cddl:1:10: pattern `{pattern}`: {why}"));
    }
}

#[test]
fn patterns_that_get_too_large_are_refused() {
    let why = assert_refused(r"((\w{99}){99}){99}");
    assert!(why.contains("does not compile"), "{why}");
}

#[test]
fn deep_patterns_are_refused() {
    let deep = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(assert_refused(&deep).contains("does not compile"));
    assert!(assert_refused(&"[a-".repeat(10_000)).contains("too many classes within classes"));
}

/// Returns a schema with patterns that are all different.
fn with_patterns(count: usize, pattern: &str) -> String {
    let rules = (0..count).map(|at| format!("a{at} = tstr .regexp \"{pattern}x{at}\"\n"));
    rules.collect()
}

#[test]
fn all_patterns_together_have_a_limit() {
    // None of them is large.
    let why = error(&with_patterns(50, r"\\w{40}"));
    assert!(why.contains("the patterns of this schema take more than 32 MiB"), "{why}");
    assert!(!why.starts_with("spec.cddl:1:"), "the first is not the one too many: {why}");
    let why = error(&with_patterns(50, &"x".repeat(2000)));
    assert!(why.contains("the patterns of this schema have more than 64 KiB of text"), "{why}");
    // A repeated pattern is not counted again.
    let rule = |at: usize| format!("a{at} = tstr .regexp \"{}\"\n", "x".repeat(1000));
    super::read(&(0..70).map(rule).collect::<String>());
}

#[test]
fn repetitions_within_repetitions_are_refused() {
    for pattern in ["(a{1000}){1000}", "((a{1,100}){1,100}){1,100}", "(a?){4294967295}"] {
        let why = assert_refused(pattern);
        assert!(why.contains("does not compile"), "{pattern}: {why}");
        assert!(why.starts_with("spec.cddl:1:10: "), "{pattern}: {why}");
    }
}
