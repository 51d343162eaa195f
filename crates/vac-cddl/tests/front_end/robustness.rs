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

#[test]
fn long_chains_of_names_are_no_deep_recursion() {
    let mut text = String::from("a0 = {g0}\n");
    for n in 0..300 {
        text.push_str(&format!("g{n} = (g{})\na{} = a{}\n", n + 1, n + 1, n + 2));
    }
    text.push_str("g300 = (x: int)\na301 = int\n");
    assert!(super::root(&text).contains("\"x\": int"));
}

#[test]
fn groups_that_multiply_are_refused() {
    let mut text = String::from("a = {g0}\n");
    for n in 0..40 {
        text.push_str(&format!("g{n} = (g{0}, g{0})\n", n + 1));
    }
    text.push_str("g40 = (x: int)\n");
    assert!(error(&text).contains("gets too large when it is expanded"));
}

#[test]
fn strings_that_multiply_are_refused() {
    let mut text = String::from("a = s0\n");
    for n in 0..100 {
        text.push_str(&format!("s{n} = s{0} .cat s{0}\n", n + 1));
    }
    assert!(error(&format!("{text}s100 = \"x\"")).contains("gets too long"));
    super::read(&format!("{text}s100 = \"\""));
}

#[test]
fn instances_that_multiply_are_refused() {
    let text = "a = p<1, 2, 3, 4, 5, 6, 7>
p<A, B, C, D, E, F, G> = [p<B, A, C, D, E, F, G>, p<B, C, D, E, F, G, A>]";
    assert!(error(text).contains("generic rules are expanded without end"));
}
