//! Tests that no text makes the parser panic, overflow the stack or take too long.

use super::error;

const TEXT: &str = r#"; ä start
start = #6.18([h: bstr .cbor head, ? p: pay<int, 2>, * $$more]) / $s
head = {
  &(alg: 1) => int .lt -5, ; ö
  ? "k\u00e4\n" ^ => tstr .regexp ("[a-z-[b]]\\d" .cat rest)
  (x: 1 // y: 0x1F..0b11), 2*3 'b\'' => h'00 ff' / b64'AA'
  * (int / tstr) => any,
}
rest = "{2,3}?"
pay<A, B> = [+ A, B...5, ~head, -1.5e3 .default 0x1p-3, bool]
$s /= &way
$$more //= (way, z: ~time)
way = (n: 1, s: (2 .plus 3))
"#;

#[test]
fn truncated_texts_are_read_without_panic() {
    for end in (0..TEXT.len()).filter(|&end| TEXT.is_char_boundary(end)) {
        let _ = vac_cddl::parse("t", &TEXT[..end]);
    }
}

#[test]
fn texts_that_lack_a_character_are_read_without_panic() {
    for (at, c) in TEXT.char_indices() {
        let text = [&TEXT[..at], &TEXT[at + c.len_utf8()..]].concat();
        let _ = vac_cddl::parse("t", &text);
    }
}

#[test]
fn texts_with_a_stray_character_are_read_without_panic() {
    let strays = ["\"", "'", "(", "]", "#", ".", "\\", "<", "~", "&", "/", "ä"];
    for ((at, _), stray) in TEXT.char_indices().zip(strays.iter().cycle()) {
        let _ = vac_cddl::parse("t", &[&TEXT[..at], stray, &TEXT[at..]].concat());
    }
}

#[test]
fn deep_nesting_is_refused() {
    for open in ["[", "(", "{", "{a:", "[*", "#6.1(", "&(", "a<", "{("] {
        let text = format!("a = {}", open.repeat(100_000));
        let why = error(&text);
        assert!(why.contains("nested deeper than 40 levels"), "{open}: {why}");
    }
}

#[test]
fn nesting_is_possible_up_to_the_limit() {
    for (open, close) in
        [("[", "]"), ("{a: ", "}"), ("#6.1(", ")"), ("(", ")"), ("{a => ", "}"), ("[(", ")]")]
    {
        let count = 40 / open.matches(['(', '[', '{']).count();
        let text = format!("b = {}int{}\na = 1", open.repeat(count), close.repeat(count));
        super::read(&text);
    }
}

#[test]
fn brackets_in_strings_and_comments_do_not_count() {
    let brackets = "[".repeat(1000);
    super::read(&format!("a = \"{brackets}\" / '{brackets}' ; {brackets}"));
}

#[test]
fn large_texts_are_read_in_one_pass() {
    super::read(&format!("a = {}", vec!["int"; 100_000].join(" / ")));
    let rest = "b = 1\nc = 2\nd = 3";
    super::read(&format!("a = [{}]\n{rest}", vec!["(b / (c)) / (d)"; 5_000].join(", ")));
    super::read(&format!("a = [{}]\n{rest}", "(((((b)))))".repeat(5_000)));
    super::read(&format!("a = \"{}\"", "x".repeat(1 << 20)));
    super::read(&format!("a = \"{}\"", "\\u{1f600}".repeat(100_000)));
    super::read(&format!("{}a = int", "; comment\n".repeat(100_000)));
    super::read(&format!("a = int{}", " ".repeat(1 << 20)));
    super::read(&format!("a = {{\n{}\n}}", lines(40_000, |n| format!("k{n}: int,"))));
}

#[test]
fn definitions_are_repeated_without_going_through_all_of_them() {
    let parts = "a /= 1\n".repeat(20_000);
    super::read(&format!("{parts}{}", "a = 2\n".repeat(20_000)));
    let long = format!("a = 1 / {}", "int / ".repeat(20_000));
    let why = error(&format!("{long} int\n{}", "a = 2\n".repeat(20_000)));
    assert!(why.contains("`a` is already defined at spec.cddl:1:1"), "{why}");
}

#[test]
fn blanks_cost_nothing_on_expansion() {
    let (uses, blanks) = ("g, ".repeat(10_000), " ".repeat(500_000));
    for group in [
        format!("(int {blanks}, int)"),
        format!("(int {blanks}; comment\n, int)"),
        format!("(\n{blanks}; comment\n{blanks}int, int)"),
    ] {
        super::read(&format!("a = [{uses}]\ng = {group}"));
    }
}

/// Numbered lines.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn long_chains_of_names_do_not_recurse_deeply() {
    let text = lines(1000, |n| format!("a{n} = a{}", n + 1));
    assert_eq!(super::root(&format!("{text}\na1000 = int")), "a1");
    assert!(error(&format!("{text}\na1000 = a0")).contains("a1 and others to a1000"));
}

#[test]
fn long_chains_of_groups_are_refused() {
    let text = lines(1000, |n| format!("g{n} = (x{n}: int, g{})", n + 1));
    let why = error(&format!("a = {{g0}}\n{text}\ng1000 = (x: int)"));
    assert!(why.contains("nested too deeply"), "{why}");
}

#[test]
fn groups_that_multiply_are_refused() {
    let text = lines(40, |n| format!("g{n} = (g{0}, g{0})", n + 1));
    let why = error(&format!("a = {{g0}}\n{text}\ng40 = (x: int)"));
    assert!(why.contains("gets too large when it is expanded"), "{why}");
}

#[test]
fn groups_that_all_contain_each_other_are_read() {
    let members = lines(40, |n| format!("x{n}: [g{n}],"));
    let text = lines(40, |n| format!("g{n} = (\n{members})"));
    super::read(&format!("a = {{g0}}\n{text}"));
    let why = error("a = g<int>\ng<T> = {h<T>}\nh<T> = (x: {h<[T]>})");
    assert!(why.contains("groups are expanded without end"), "{why}");
}

#[test]
fn repeated_searches_of_containers_are_counted() {
    let members = "x: int, ".repeat(20_000);
    let text = format!("a = [{}]\ng = (y: {{ {members} g }})", "g, ".repeat(20_000));
    let why = error(&text);
    assert!(why.contains("get too long when this specification is expanded"), "{why}");
}

#[test]
fn strings_that_multiply_are_refused() {
    let text = lines(100, |n| format!("s{n} = s{0} .cat s{0}", n + 1));
    assert!(error(&format!("{text}\ns100 = \"x\"")).contains("gets too long"));
    super::read(&format!("{text}\ns100 = \"\""));
}

#[test]
fn instances_that_multiply_are_refused() {
    let text = "a = p<1, 2, 3, 4, 5, 6, 7>
p<A, B, C, D, E, F, G> = [p<B, A, C, D, E, F, G>, p<B, C, D, E, F, G, A>]";
    assert!(error(text).contains("generic rules are expanded without end"));
}

#[test]
fn texts_beyond_two_mebibytes_are_refused() {
    let text = format!("a = int\n;{}", "x".repeat(2 << 20));
    assert_eq!(error(&text), "spec.cddl:1:1: this text is longer than 2 MiB");
}

#[test]
fn bytes_copied_on_expansion_are_limited() {
    let long = "x".repeat(200_000);
    let uses = |count: usize| "g, ".repeat(count);
    let comments = format!("a = [{}]\n; about\ng = (\n;{long}\nint, int)", uses(1000));
    let literals = format!("a = [{}]\ng = (\"{long}\", int)", uses(1000));
    let names = format!("a = {{ {} }}\ng = (? {long}: int)", uses(1000));
    let empty_comments = format!("a = [{}]\ng = (\n{}int, int)", uses(1000), ";\n".repeat(50_000));
    let instances =
        format!("a = [{}]\ng<T> = [T, \"{long}\"]", lines(900, |n| format!("g<{n}>, ")));
    let computed = lines(900, |n| format!("a{n} = \"{n}\" .cat b")) + &format!("\nb = \"{long}\"");
    for text in [comments, literals, names, empty_comments, instances, computed] {
        let why = error(&text);
        assert!(why.contains("get too long when this specification is expanded"), "{why}");
    }
}

#[test]
fn many_empty_alternatives_are_counted() {
    let sockets = "$$x //= ()\n".repeat(2_000);
    let why = error(&format!("a = {{ {} }}\n{sockets}", "* $$x, ".repeat(2_000)));
    assert!(why.contains("gets too large when it is expanded"), "{why}");
}

#[test]
fn long_texts_have_the_right_places() {
    // Alternatives on one line and on many, sockets, generics, comments, groups.
    let one_line: Vec<_> = (0..1500).map(|n| format!("\"one{n}\"")).collect();
    let many_lines: Vec<_> = (0..500).map(|n| format!("  ; number {n}\n  many<{n}>")).collect();
    let text = format!(
        "start = one / many-of-it / $socket\none = {}\nmany-of-it = {}\n{}\nmany<N> = [N, T / int]\n\
         T = {{ a: int }} / missing-at-the-end",
        one_line.join(" / "),
        many_lines.join(" /\n"),
        lines(500, |n| format!("$socket /= [{n}, \"ä\"]")),
    );
    let last_line = text.lines().count();
    assert_eq!(
        error(&text),
        format!("spec.cddl:{last_line}:18: `missing-at-the-end` is not defined")
    );
    let schema = super::read(&text.replace(" / missing-at-the-end", ""));
    let choices = |name: &str| match &super::rule(&schema, name).body.kind {
        vac_cddl::ir::TypeKind::Choice(alternatives) => alternatives,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(choices("one").len(), 1500);
    assert_eq!(choices("many-of-it").len(), 500);
    assert_eq!(choices("$socket").len(), 500);
    let location = &choices("one")[1499].location;
    let column = text.lines().nth(1).unwrap().find("\"one1499\"").unwrap() + 1;
    assert_eq!((location.line, location.column), (2, column));
    let location = &choices("many-of-it")[499].location;
    assert_eq!((location.line, location.column), (3 + 999, 3));
}

#[test]
fn huge_numbers_are_errors_or_accepted() {
    assert_eq!(
        error("b = int\na = [0, 1e999999999]"),
        "spec.cddl:2:9: this float is too large: no 64 bits hold it"
    );
    assert!(error("a = -1.5e400").contains("too large"));
    assert!(error("a = 1e-999999999").contains("too small"));
    assert!(error("a = 1.7e308 .plus 1.7e308").contains("this sum is too large"));
    super::read("a = 0e999999999 / 0.0e-9999 / 1e308 / 5e-324");
    assert!(error(&format!("a = {}", "9".repeat(10_000))).contains("outside of -2^64"));
    super::read("a = [100000000*100000000 int, 1*18446744073709551615 tstr]");
    super::read("a = bstr .size 18446744073709551615 / tstr .size (0..18446744073709551615)");
}
