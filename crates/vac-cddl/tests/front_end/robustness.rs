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
