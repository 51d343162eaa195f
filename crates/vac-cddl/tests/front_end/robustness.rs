//! No text takes the process down.

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
fn truncated_texts_do_no_harm() {
    for end in (0..TEXT.len()).filter(|&end| TEXT.is_char_boundary(end)) {
        let _ = vac_cddl::parse("t", &TEXT[..end]);
    }
}

#[test]
fn texts_that_lack_a_character_do_no_harm() {
    for (at, c) in TEXT.char_indices() {
        let text = [&TEXT[..at], &TEXT[at + c.len_utf8()..]].concat();
        let _ = vac_cddl::parse("t", &text);
    }
}

#[test]
fn texts_with_a_stray_character_do_no_harm() {
    let strays = ["\"", "'", "(", "]", "#", ".", "\\", "<", "~", "&", "/", "ä"];
    for ((at, _), stray) in TEXT.char_indices().zip(strays.iter().cycle()) {
        let _ = vac_cddl::parse("t", &[&TEXT[..at], stray, &TEXT[at..]].concat());
    }
}

#[test]
fn deep_nesting_is_refused() {
    for open in ["[", "(", "{", "{a:", "[*", "#6.1(", "&(", "a<", "{(", "~(", "a=("] {
        let text = format!("a = {}", open.repeat(100_000));
        let why = error(&text);
        assert!(why.contains("nested deeper than 40 levels"), "{open}: {why}");
    }
}

#[test]
fn nesting_is_possible_up_to_the_limit() {
    for (open, close) in [("{a: ", "}"), ("#6.1(", ")"), ("(", ")"), ("{a => ", "}")] {
        let text = format!("b = {}int{}\na = 1", open.repeat(40), close.repeat(40));
        super::read(&text);
    }
    super::read(&format!("a = {}int{}", "[".repeat(6), "]".repeat(6)));
}

#[test]
fn brackets_in_strings_and_comments_do_not_count() {
    let brackets = "[".repeat(1000);
    super::read(&format!("a = \"{brackets}\" / '{brackets}' ; {brackets}"));
}

#[test]
fn arrays_that_would_take_the_parser_forever_are_refused() {
    let text = format!("a = {}int{}", "[".repeat(40), "]".repeat(40));
    assert!(error(&text).contains("nested too deeply"));
}

/// Numbered lines.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn long_chains_of_names_are_no_deep_recursion() {
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
fn what_is_copied_on_expansion_has_a_limit() {
    let long = "x".repeat(20_000);
    // The group `g` is used 3600 times.
    let many = |group: &str| {
        let rules = format!("h = ({})\n{group}", "g, ".repeat(60));
        format!("a = [{}]\n{rules}", "h, ".repeat(60))
    };
    let comments = many(&format!("g = (\n;{long}\nint, int)"));
    let literals = many(&format!("g = (\"{long}\", int)"));
    let names = many(&format!("g = (? {long}: int, int)"));
    let blanks = many(&format!("g = (int {}, int)", " ".repeat(20_000)));
    let empty_comments = many(&format!("g = (\n{}int, int)", ";\n".repeat(5_000)));
    let instances = format!(
        "{}\ng<T> = [T, \"{}\"]",
        lines(900, |n| format!("a{n} = g<{n}>")),
        "x".repeat(100_000)
    );
    let computed = format!(
        "{}\nb = \"{}\"",
        lines(900, |n| format!("a{n} = \"{n}\" .cat b")),
        "x".repeat(50_000)
    );
    for text in [comments, literals, names, blanks, empty_comments, instances, computed] {
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
fn long_texts_are_read_in_pieces_that_change_nothing() {
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
fn only_types_are_divided() {
    let many =
        |count: usize| (0..count).map(|n| format!("\"x{n}\"")).collect::<Vec<_>>().join(" / ");
    // A comment in front of the `=`, and parameters.
    let text = format!("a = b<int>\nb ; why /= not\n <T> ; so\n = {} / [T]", many(2000));
    let schema = super::read(&text);
    let vac_cddl::ir::TypeKind::Choice(alternatives) = &super::rule(&schema, "b<int>").body.kind
    else {
        panic!("a choice")
    };
    assert_eq!(alternatives.len(), 2001);
    // An occurrence makes this one entry of a group.
    let schema =
        super::read(&format!("a = [g]\ng = (* ({}))\n$$h //= ({})", many(1000), many(1000)));
    assert_eq!(super::rule(&schema, "a").name, "a");
    let why = error(&format!("a = int\n{} = {}", "n".repeat(5000), many(1000)));
    assert_eq!(why, "spec.cddl:2:1: this name is longer than 4096 bytes");
}

#[test]
fn rules_that_cannot_be_read_in_pieces_have_a_limit() {
    let members = lines(40_000, |n| format!("k{n}: int,"));
    let why = error(&format!("b = int\na = {{\n{members}\n}}"));
    assert!(why.starts_with("spec.cddl:2:1: this part of rule `a` is too long"), "{why}");
}

#[test]
fn huge_numbers_are_errors_or_harmless() {
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
