use super::{body, root};

#[test]
fn a_type_choice_keeps_the_order_of_its_alternatives() {
    assert_eq!(root("a = int / tstr / null"), "(int / tstr / null)");
}

#[test]
fn parentheses_around_a_type_leave_no_trace() {
    assert_eq!(root("a = (((int)))"), "int");
    assert_eq!(root("a = (int / tstr)"), "(int / tstr)");
    assert_eq!(root("a = {b: (int / tstr)}"), "{\"b\": (int / tstr)}");
}

#[test]
fn a_hash_is_anything() {
    assert_eq!(root("a = #"), "#");
    assert_eq!(body("a = any", "any"), "#");
    assert_eq!(root("a = {tstr => #\n 1 => int}"), "{tstr => #, 1 => int}");
}

#[test]
fn major_types_may_have_additional_information() {
    assert_eq!(root("a = #2"), "#2");
    assert_eq!(root("a = #7.25"), "#7.25");
    assert_eq!(root("a = #7.0x19"), "#7.25");
    assert_eq!(root("a = #7.<25>"), "#7.25");
}

#[test]
fn tags_have_a_number_and_content() {
    assert_eq!(root("a = #6.18([b: bstr, c: int])"), "#6.18([\"b\": bstr, \"c\": int])");
    assert_eq!(root("a = #6.<18>(tstr)"), "#6.18(tstr)");
    assert_eq!(root("a = #6.18446744073709551615(tstr)"), "#6.18446744073709551615(tstr)");
}

#[test]
fn the_number_of_a_head_may_be_a_type() {
    assert_eq!(root("a = #6.<b>(tstr)\nb = 1 / 5..7"), "#6.<b>(tstr)");
    assert_eq!(root("a = #6.<uint .le 9>"), "#6.<uint .le 9>(#)");
    assert_eq!(root("a = #7.<0..19 / 25>"), "#7.<(0..19 / 25)>");
    assert_eq!(root("a = #6.<b>(tstr)\nb = 7"), "#6.7(tstr)");
}

#[test]
fn a_tag_may_be_any_tag_or_have_any_content() {
    assert_eq!(root("a = #6(tstr)"), "#6(tstr)");
    assert_eq!(root("a = #6.24"), "#6.24(#)");
    assert_eq!(root("a = #6"), "#6(#)");
}

#[test]
fn ranges_include_their_upper_end_or_not() {
    assert_eq!(root("a = 0..10"), "0..10");
    assert_eq!(root("a = 0...10"), "0...10");
    assert_eq!(root("a = -1.5..1.5"), "-1.5..1.5");
    assert_eq!(root("a = -10 .. -1"), "-10..-1");
}

#[test]
fn the_ends_of_a_range_may_be_named() {
    assert_eq!(root("a = 0 .. max\nmax = (last)\nlast = 255"), "0..255");
    assert_eq!(root("a = min ... (max .plus 1)\nmin = 1\nmax = 2"), "1...3");
}

#[test]
fn an_enumeration_is_a_choice_of_named_literals() {
    assert_eq!(root("a = &(north: 1, south: 2)"), "(north=1 / south=2)");
    assert_eq!(root("a = &way\nway = (north: 1, south: 2)"), "(north=1 / south=2)");
    assert_eq!(root("a = &(up: high)\nhigh = 7"), "(up=7)");
}

#[test]
fn an_enumeration_includes_nested_groups() {
    let text = "a = &(way, (up: 3 // \"down\" => 4), 5)\nway = (north: 1, ? (south: 2))";
    assert_eq!(root(text), "(north=1 / south=2 / up=3 / down=4 / 5)");
    assert_eq!(
        root("a = &$$way\n$$way //= (north: 1)\n$$way //= (south: 2)"),
        "(north=1 / south=2)"
    );
    assert_eq!(root("a = &way\nway = ~map\nmap = {north: 1}"), "(north=1)");
}

#[test]
fn an_enumeration_may_hold_types() {
    assert_eq!(root("a = &(north: int, tstr)"), "(int / tstr)");
}

#[test]
fn unwrapping_a_tag_leaves_its_content() {
    assert_eq!(root("a = ~b\nb = #6.1(int / tstr)"), "(int / tstr)");
    assert_eq!(root("a = ~time"), "number");
    assert_eq!(root("a = [~b]\nb = c\nc = #6.1(int)"), "[int]");
}

#[test]
fn a_socket_holds_its_plugs() {
    let text = "a = [$b]\n$b /= int\n$b /= tstr / null";
    assert_eq!(body(text, "a"), "[$b]");
    assert_eq!(body(text, "$b"), "(int / tstr / null)");
}

#[test]
fn an_unplugged_type_socket_matches_nothing() {
    assert_eq!(root("a = [$b]"), "[()]");
}

#[test]
fn ordinary_names_can_be_extended_too() {
    assert_eq!(root("a = int\na /= tstr"), "(int / tstr)");
    assert_eq!(root("a /= int"), "int");
}

#[test]
fn rules_may_refer_to_each_other_through_a_container() {
    assert_eq!(body("a = [* b]\nb = {? c: a}", "b"), "{? \"c\": a}");
    assert_eq!(root("a = #6.1(a) / bstr .cbor a"), "(#6.1(a) / bstr .cbor a)");
}
