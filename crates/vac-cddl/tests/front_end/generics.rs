use super::{body, read, root};
use vac_cddl::ir::RuleOrigin;

#[test]
fn a_generic_rule_is_expanded_once_for_each_argument() {
    let text = "a = [list<int>, list<tstr>, list< int >]\nlist<T> = [* T]\nb = list<int>";
    assert_eq!(body(text, "a"), "[list<int>, list<tstr>, list<int>]");
    assert_eq!(body(text, "list<int>"), "[* int]");
    assert_eq!(body(text, "list<tstr>"), "[* tstr]");
    assert_eq!(body(text, "b"), "list<int>");
}

#[test]
fn instances_follow_the_rule_that_first_uses_them() {
    let schema =
        read("a = [b]\nb = pair<int, one<tstr>>\npair<A, B> = [A, B]\none<T> = [T]\nc = one<int>");
    let names: Vec<(&str, RuleOrigin)> =
        schema.rules.iter().map(|rule| (rule.name.as_str(), rule.origin)).collect();
    assert_eq!(
        names,
        [
            ("a", RuleOrigin::Spec),
            ("b", RuleOrigin::Spec),
            ("pair<int, one<tstr>>", RuleOrigin::Instance),
            ("one<tstr>", RuleOrigin::Instance),
            ("c", RuleOrigin::Spec),
            ("one<int>", RuleOrigin::Instance),
            ("int", RuleOrigin::Prelude),
            ("tstr", RuleOrigin::Prelude),
            ("uint", RuleOrigin::Prelude),
            ("nint", RuleOrigin::Prelude),
        ]
    );
}

#[test]
fn arguments_are_spelled_out_in_the_name_of_an_instance() {
    let text = "a = outer<tstr>\nouter<T> = [inner<{T: T, x: -1}>]\ninner<U> = [U, U]";
    assert_eq!(
        body(text, "inner<{T: tstr, x: -1}>"),
        r#"[{"T": tstr, "x": -1}, {"T": tstr, "x": -1}]"#
    );
}

#[test]
fn generic_groups_are_expanded_in_place() {
    assert_eq!(root("a = {m<tstr, 1>}\nm<K, V> = (* K => V)"), "{* tstr => 1}");
    assert_eq!(root("a = [? p<int>]\np<T> = (x: T, y: T)"), "[? p<int>(\"x\": int, \"y\": int)]");
}

#[test]
fn an_argument_may_be_a_group() {
    assert_eq!(root("a = with<g>\nwith<G> = {G, z: int}\ng = (x: int)"), "with<g>");
    let text = "a = with<g>\nwith<G> = {G, z: int}\ng = (x: int)";
    assert_eq!(body(text, "with<g>"), "{\"x\": int, \"z\": int}");
    let text = "a = with<$$g>\nwith<G> = {G, z: int}\n$$g //= (x: int)";
    assert_eq!(body(text, "with<$$g>"), "{\"x\": int, \"z\": int}");
}

#[test]
fn an_argument_may_be_a_constant() {
    let text = "a = between<1, 5>\nbetween<L, H> = L .. H";
    assert_eq!(body(text, "between<1, 5>"), "1..5");
    let text = "a = has<\"x\">\nhas<K> = {K => int}";
    assert_eq!(body(text, "has<\"x\">"), "{\"x\" => int}");
    let text = "a = i<10>\ni<BASE> = {&(x: BASE) => int, (BASE .plus 1) => int}";
    assert_eq!(body(text, "i<10>"), "{x=10 => int, 11 => int}");
}

#[test]
fn a_parameter_hides_a_rule_of_the_same_name() {
    assert_eq!(body("a = list<tstr>\nlist<b> = [b]\nb = int", "list<tstr>"), "[tstr]");
}

#[test]
fn a_generic_rule_may_use_itself() {
    assert_eq!(body("a = tree<int>\ntree<T> = [T, * tree<T>]", "tree<int>"), "[int, * tree<int>]");
    let text = "a = swap<1, 2>\nswap<A, B> = [A, swap<B, A>]";
    assert_eq!(body(text, "swap<2, 1>"), "[2, swap<1, 2>]");
}

#[test]
fn generic_rules_can_be_extended() {
    let text = "a = m<int>\nm<T> = [T]\nm<U> /= {x: U}";
    assert_eq!(body(text, "m<int>"), "([int] / {\"x\": int})");
}
