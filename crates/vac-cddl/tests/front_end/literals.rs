use super::root;

#[test]
fn integers_may_be_decimal_hexadecimal_or_binary() {
    assert_eq!(root("a = 0"), "0");
    assert_eq!(root("a = 0x1F"), "31");
    assert_eq!(root("a = 0b101"), "5");
    assert_eq!(root("a = -0x10"), "-16");
}

#[test]
fn integers_reach_as_far_as_cbor_does() {
    assert_eq!(root("a = 18446744073709551615"), "18446744073709551615");
    assert_eq!(root("a = -18446744073709551616"), "-18446744073709551616");
}

#[test]
fn floats_have_a_fraction_or_an_exponent() {
    assert_eq!(root("a = 1.5"), "1.5");
    assert_eq!(root("a = -1.25e2"), "-125.0");
    assert_eq!(root("a = 1e3"), "1000.0");
    assert_eq!(root("a = 1E-3"), "0.001");
    assert_eq!(root("a = 0x1.8p1"), "3.0");
    assert_eq!(root("a = -0x2p-1"), "-1.0");
}

#[test]
fn texts_have_the_escapes_of_json() {
    assert_eq!(root(r#"a = "\"\\\/\b\f\n\r\t""#), r#""\"\\/\u{8}\u{c}\n\r\t""#);
    assert_eq!(root(r#"a = "\u00e4\ud83d\ude00\u{1f600}""#), r#""ä😀😀""#);
    assert_eq!(root("a = \"ä ; no comment\""), "\"ä ; no comment\"");
    assert_eq!(root("a = \"\""), "\"\"");
}

#[test]
fn byte_strings_are_written_in_three_ways() {
    assert_eq!(root("a = 'Az'"), "h417a");
    assert_eq!(root("a = h'00 fF'"), "h00ff");
    assert_eq!(root("a = b64'AP8='"), "h00ff");
    assert_eq!(root("a = b64'-_8'"), "hfbff");
    assert_eq!(root("a = ['', h'', b64'']"), "[h, h, h]");
}

#[test]
fn byte_strings_have_escapes_and_may_span_lines() {
    assert_eq!(root(r"a = '\'\\'"), "h275c");
    assert_eq!(root("a = 'a\r\nb'"), "h610a62");
}

#[test]
fn literals_differ_from_names_and_occurrences() {
    assert_eq!(root("a = [1*2 int, 3]"), "[1*2 int, 3]");
    assert_eq!(root("a = [h, b64]\nh = 1\nb64 = 2"), "[h, b64]");
}
