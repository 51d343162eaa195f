use vac_cddl::ir::{ElementKind, Group, TypeKind};

use super::{body, root};

#[test]
fn occurrences_are_counted() {
    let text = "a = [? int, * int, + int, 2*3 int, 2* int, *3 int, 0*0 int]";
    assert_eq!(root(text), "[? int, * int, 1* int, 2*3 int, 2* int, 0*3 int, 0*0 int]");
    assert_eq!(root("a = [2*certs: bstr]"), "[2* \"certs\": bstr]");
    assert_eq!(root("a = [0x2*0x3 int]"), "[2*3 int]");
}

#[test]
fn commas_are_optional() {
    assert_eq!(root("a = {b: int c: tstr, d: null,}"), "{\"b\": int, \"c\": tstr, \"d\": null}");
}

#[test]
fn a_bareword_before_a_colon_is_a_text_even_if_a_rule_has_its_name() {
    assert_eq!(root("a = {b: b}\nb = int"), "{\"b\": b}");
    assert_eq!(
        root("a = {session-id: session-id}\nsession-id = int"),
        "{\"session-id\": session-id}"
    );
    assert_eq!(root("a = {int: int}"), "{\"int\": int}");
    assert_eq!(root("a = {$id: int, b--c: int}"), "{\"$id\": int, \"b--c\": int}");
}

#[test]
fn a_bareword_before_an_arrow_is_a_type() {
    assert_eq!(root("a = {* tstr => any}"), "{* tstr => any}");
    assert_eq!(root("a = {* (int / tstr) => any}"), "{* (int / tstr) => any}");
}

#[test]
fn a_colon_and_a_caret_cut_and_a_plain_arrow_does_not() {
    let text = "a = {b: 1, \"c\": 2, 3: 4, \"d\" => 5, \"e\" ^ => 6, ? tstr ^ => 7, tstr => 8}";
    let shown = r#"{"b": 1, "c": 2, 3: 4, "d" => 5, "e": 6, ? tstr ^ => 7, tstr => 8}"#;
    assert_eq!(root(text), shown);
}

#[test]
fn keys_may_be_any_literal() {
    assert_eq!(root("a = {-1: int, 1.5: int, ? 'b': int}"), "{-1: int, 1.5: int, ? h62: int}");
    assert_eq!(root("a = {? -1 => int, h'00' => int}"), "{? -1 => int, h00 => int}");
}

#[test]
fn an_enumeration_of_one_names_a_key() {
    let text = "a = {&(alg: 1) => int, ? &(kid: 4) ^ => bstr}";
    assert_eq!(root(text), "{alg=1 => int, ? kid=4: bstr}");
    assert_eq!(root("a = {&(alg: 1, kid: 4) => int}"), "{(alg=1 / kid=4) => int}");
}

#[test]
fn a_key_that_names_a_literal_is_that_literal() {
    assert_eq!(root("a = {b => int}\nb = c\nc = (\"x\" .cat \"y\")"), "{\"xy\" => int}");
    assert_eq!(root("a = {b => int}\nb = 1 / 2"), "{b => int}");
}

#[test]
fn group_choices_stay_apart() {
    assert_eq!(root("a = {b: 1 // c: 2, d: 3}"), "{\"b\": 1 // \"c\": 2, \"d\": 3}");
    assert_eq!(root("a = [ (b: 1 // (c: 2 // d: 3)) ]"), "[(\"b\": 1 // (\"c\": 2 // \"d\": 3))]");
    assert_eq!(root("a = [ // int]"), "[ // int]");
}

#[test]
fn an_empty_group_has_one_empty_choice() {
    assert_eq!(root("a = {}"), "{}");
    assert_eq!(root("a = []"), "[]");
}

#[test]
fn a_group_that_is_there_once_is_spliced() {
    assert_eq!(root("a = {b: 1, (c: 2, (d: 3)), e: 4}"), r#"{"b": 1, "c": 2, "d": 3, "e": 4}"#);
    assert_eq!(root("a = {b, e: 4}\nb = (c: 2, d: 3)"), r#"{"c": 2, "d": 3, "e": 4}"#);
}

#[test]
fn a_group_that_repeats_or_has_alternatives_stays() {
    assert_eq!(root("a = [* (int, tstr)]"), "[* (int, tstr)]");
    assert_eq!(root("a = {? b}\nb = (c: 2, d: 3)"), "{? b(\"c\": 2, \"d\": 3)}");
    assert_eq!(root("a = {b}\nb = (c: 2 // d: 3)"), "{b(\"c\": 2 // \"d\": 3)}");
    assert_eq!(root("a = {? (b: 1)}"), "{? (\"b\": 1)}");
}

#[test]
fn a_type_in_parentheses_is_not_a_group() {
    assert_eq!(root("a = [* (int / tstr)]"), "[* (int / tstr)]");
    assert_eq!(root("a = [2*3 (int)]"), "[2*3 int]");
    assert_eq!(root("a = [(int / tstr) / bool]"), "[((int / tstr) / bool)]");
    assert_eq!(root("a = [? ((b) / c), (1) .. 5]\nb = int\nc = tstr"), "[? (b / c), 1..5]");
    assert_eq!(root("a = {(int / tstr) => bool}"), "{(int / tstr) => bool}");
}

#[test]
fn a_rule_may_be_one_entry_of_a_group() {
    assert_eq!(root("a = {g}\ng = b: int"), "{\"b\": int}");
    assert_eq!(root("a = {* g}\ng = tstr => int"), "{* g(tstr => int)}");
    assert_eq!(
        root("a = {$$g}\n$$g //= b: int\n$$g //= c: int"),
        "{$$g(\"b\": int // \"c\": int)}"
    );
}

#[test]
fn a_group_may_contain_itself_in_a_map_or_an_array() {
    let text = "a = {g}\ng = (x: int // y: {g})";
    assert_eq!(root(text), r#"{g("x": int // "y": {g})}"#);
    assert_eq!(body(text, "{g}"), r#"{g("x": int // "y": {g})}"#);
    let text = "a = [g]\ng = (int, ? h)\nh = (z: [* { * tstr => [ g ] }])";
    assert_eq!(body(text, "a"), r#"[int, ? h("z": [* {* tstr => [ g ]}])]"#);
    assert_eq!(body(text, "[ g ]"), r#"[int, ? h("z": [* {* tstr => [ g ]}])]"#);
    let text = "a = tree<int>\ntree<T> = {node<T>}\nnode<T> = (v: T, c: [* {node<T>}])";
    assert_eq!(body(text, "{node<int>}"), r#"{"v": int, "c": [* {node<int>}]}"#);
    let text = "a = {w<g>}\nw<G> = (x: [* {G}])\ng = (w<g> // y: int)";
    assert_eq!(body(text, "{g}"), r#"{g("x": [* {g}] // "y": int)}"#);
    let long = "z".repeat(60);
    let text = format!("a = {{g}}\ng = (x: [* {{g, {long}: int}}])");
    assert_eq!(body(&text, "g@2:12"), format!(r#"{{"x": [* g@2:12], "{long}": int}}"#));
    assert_eq!(root("a = {x: [* ~a]}"), r#"{"x": [* ~a]}"#);
    assert_eq!(body("a = {x: [* ~a]}", "[* ~a]"), r#"[* ("x": [* ~a])]"#);
}

#[test]
fn a_name_in_a_group_is_what_its_rule_is() {
    assert_eq!(root("a = [b, c]\nb = int\nc = (d: int)"), "[b, \"d\": int]");
    assert_eq!(root("a = [b]\nb = (int / tstr)"), "[b]");
    assert_eq!(root("a = [b]\nb = (c)\nc = d\nd = (e: int)"), "[\"e\": int]");
    assert_eq!(root("a = [b]\nb = ? c: int"), "[? \"c\": int]");
}

#[test]
fn group_rules_do_not_appear() {
    let schema = super::read("a = {b}\nb = (c: int)");
    let names: Vec<&str> = schema.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["a", "int", "uint", "nint"]);
}

#[test]
fn a_group_socket_holds_its_plugs() {
    let text = "a = {b: int, * $$more}\n$$more //= (c: int)\n$$more //= (d: int // e: int)";
    assert_eq!(root(text), r#"{"b": int, * $$more("c": int // "d": int // "e": int)}"#);
    assert_eq!(root("a = {$$more}\n$$more //= (c: int)"), "{\"c\": int}");
}

#[test]
fn an_unplugged_group_socket_has_no_choice() {
    assert_eq!(root("a = {b: int, * $$more}"), "{\"b\": int, * (nothing)}");
    assert_eq!(root("a = {$$more}"), "{(nothing)}");
}

#[test]
fn ordinary_groups_can_be_extended_too() {
    assert_eq!(root("a = [b]\nb = (c: int)\nb //= (d: int)"), "[b(\"c\": int // \"d\": int)]");
    assert_eq!(root("a = [b]\nb = (c)\nb //= (d: int)\nc = int"), "[b(c // \"d\": int)]");
}

#[test]
fn unwrapping_a_map_or_an_array_leaves_its_group() {
    let text = "a = {~b, d: int}\nb = {c: int}";
    assert_eq!(body(text, "a"), "{\"c\": int, \"d\": int}");
    assert_eq!(body(text, "b"), "{\"c\": int}");
    assert_eq!(root("a = [* ~b]\nb = [int, tstr]"), "[* (int, tstr)]");
    assert_eq!(root("a = [b]\nb = ~c\nc = [d: int]"), "[\"d\": int]");
}

#[test]
fn key_types_may_have_operators_arguments_and_comments_around_them() {
    assert_eq!(root("a = {* tstr .size 3 => int}"), "{* tstr .size 3 => int}");
    assert_eq!(root("a = {? 1..5 => int}"), "{? 1..5 => int}");
    assert_eq!(root("a = {* b<int> ^ => 1}\nb<T> = T / tstr"), "{* b<int> ^ => 1}");
    assert_eq!(root("a = {? ; x\n 1 ; y\n: ; z\n int}"), "{? 1: int}");
    assert_eq!(root("a = {? ; x\n \"k\" ; y\n => ; z\n int}"), "{? \"k\" => int}");
    assert_eq!(root("a = {[int, 1] => int, {x: 1} => 2}"), "{[int, 1] => int, {\"x\": 1} => 2}");
}

#[test]
fn values_may_be_any_type() {
    assert_eq!(
        root("a = [x: 1 / 2, y: -1..1, z: [* int] / {}]"),
        r#"["x": (1 / 2), "y": -1..1, "z": ([* int] / {})]"#
    );
    assert_eq!(
        root("a = [1 / 2, tstr .size 2 int, #6.1(int), #7.25 #2]"),
        "[(1 / 2), tstr .size 2, int, #6.1(int), #7.25, #2]"
    );
    assert_eq!(
        root("a = [&(x: 1), b<int>, ~c, d]\nb<T> = [T]\nc = #6.1(int)\nd = 1"),
        "[(x=1), b<int>, int, d]"
    );
}

#[test]
fn a_label_that_is_not_text_has_the_name_of_its_rule() {
    let text =
        "a = {alg => int, sub => int, g<kid>}\nalg = 1\nsub = \"s\"\nkid = -4\ng<K> = (K => int)";
    assert_eq!(root(text), "{alg=1 => int, \"s\" => int, kid=-4 => int}");
}

#[test]
fn alternatives_have_the_names_of_their_group_rules() {
    let text = "a = [add // remove // 2, int // $$more]\nadd = (0, int)\nremove = (1, int)\n$$more //= (3)\n$$more //= add";
    let schema = vac_cddl::parse("s.cddl", text).expect("CDDL");
    let TypeKind::Array(group) = &schema.rules[0].body.kind else { panic!("an array") };
    let named = |group: &Group| {
        group.names.iter().map(|name| name.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(named(group), ["add", "remove", "", "$$more"]);
    let ElementKind::Group { group: more, .. } = &group.choices[3][0].kind else {
        panic!("a group")
    };
    assert_eq!(named(more), ["", "add"]);
}
