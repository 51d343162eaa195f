use super::{read, rule, show};
use vac_cddl::ir::{ElementKind, MemberKey, RuleOrigin, TypeKind};

#[test]
fn the_first_rule_is_the_root() {
    let schema = read("b = int\na = tstr");
    assert_eq!(schema.rules[schema.root.0].name, "b");
}

#[test]
fn rules_keep_the_order_of_the_text_and_the_used_prelude_comes_last() {
    let schema = read("b = [a, tstr]\na = number");
    let names: Vec<&str> = schema.rules.iter().map(|rule| rule.name.as_str()).collect();
    let prelude = ["tstr", "number", "int", "float", "uint", "nint", "float16-32", "float64"];
    assert_eq!(names[..2], ["b", "a"]);
    assert_eq!(names[2..10], prelude);
    assert!(schema.rules[2..].iter().all(|rule| rule.origin == RuleOrigin::Prelude));
}

#[test]
fn every_rule_of_the_prelude_can_be_used() {
    let prelude = include_str!("../../src/prelude.cddl");
    let names: Vec<&str> =
        prelude.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    assert_eq!(names.len(), 40);
    let schema = read(&format!("a = [{}]", names.join(", ")));
    assert_eq!(schema.rules.len(), 41);
    assert_eq!(rule(&schema, "uint").location.to_string(), "prelude:5:1");
    assert_eq!(rule(&schema, "uint").source, "uint = #0");
    assert!(rule(&schema, "uint").docs.is_empty());
}

#[test]
fn locations_count_lines_and_characters() {
    let schema = read("; ä\na = {\r\n  \"ä\" => int, bb: [ tstr ]\r\n}\n");
    let a = rule(&schema, "a");
    assert_eq!(a.location.to_string(), "spec.cddl:2:1");
    assert_eq!(a.body.location.to_string(), "spec.cddl:2:5");
    let TypeKind::Map(group) = &a.body.kind else { panic!("a is a map") };
    assert_eq!(group.location.to_string(), "spec.cddl:2:5");
    let [first, second] = group.choices[0].as_slice() else { panic!("it has two members") };
    assert_eq!(first.location.to_string(), "spec.cddl:3:3");
    assert_eq!(second.location.to_string(), "spec.cddl:3:15");
    let ElementKind::Member(member) = &second.kind else { panic!("it is a member") };
    assert_eq!(member.value.location.to_string(), "spec.cddl:3:19");
}

#[test]
fn inlined_elements_are_located_in_their_group() {
    let schema = read("a = {b}\nb = (\n  c: int)");
    let TypeKind::Map(group) = &schema.rules[0].body.kind else { panic!("a is a map") };
    assert_eq!(group.choices[0][0].location.to_string(), "spec.cddl:3:3");
}

#[test]
fn the_source_of_a_rule_is_its_own_text() {
    let text =
        "; about a\na = { ; open\n  b: int ; about b\n} ; after\n\n; about c\nc = tstr ; end\n";
    let schema = read(text);
    assert_eq!(rule(&schema, "a").source, "a = { ; open\n  b: int ; about b\n}");
    assert_eq!(rule(&schema, "c").source, "c = tstr");
}

#[test]
fn the_source_of_a_socket_is_all_of_its_plugs() {
    let schema = read("a = $b\n; one\n$b /= int\nc = int\n; two\n$b /= tstr");
    assert_eq!(rule(&schema, "$b").source, "$b /= int\n$b /= tstr");
    assert_eq!(rule(&schema, "$b").docs, ["one", "two"]);
}

#[test]
fn the_docs_of_a_rule_are_the_comments_directly_above() {
    let text = "; far away\n\n; near\n;   indented\n;\na = int ; not this\n; nor this\n\nb = int";
    let schema = read(text);
    assert_eq!(rule(&schema, "a").docs, ["near", "  indented", ""]);
    assert!(rule(&schema, "b").docs.is_empty());
}

#[test]
fn docs_of_an_element_are_above_or_after_it() {
    let text = "a = {
  ; above b
  ; more
  b: int, ; after b
  c: tstr ; after c
  d: {
    e: int
  } ; after d
  f: 1, g: 2 ; after g
  \"h;\": 3
}";
    let schema = read(text);
    let TypeKind::Map(group) = &schema.rules[0].body.kind else { panic!("a is a map") };
    let docs: Vec<String> = group.choices[0]
        .iter()
        .map(|element| {
            let ElementKind::Member(member) = &element.kind else { panic!("all are members") };
            let Some(MemberKey::Literal(key)) = &member.key else {
                panic!("all have literal keys")
            };
            format!("{} {}", show::value(&key.value), element.docs.join("|"))
        })
        .collect();
    let wanted = [
        "\"b\" above b|more|after b",
        "\"c\" after c",
        "\"d\" after d",
        "\"f\" ",
        "\"g\" after g",
        "\"h;\" ",
    ];
    assert_eq!(docs, wanted);
}

#[test]
fn directives_give_a_warning() {
    let schema = read(";# import rfc9052 as cose\na = int ;# include rfc9165\n;# nothing\n");
    let warnings: Vec<String> = schema.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "spec.cddl:1:1: the directive `import rfc9052 as cose` is not followed: give the \
             folder of its file with --include",
            "spec.cddl:2:9: the directive `include rfc9165` is not followed: give the folder of \
             its file with --include",
        ]
    );
}

#[test]
fn the_specification_of_agent_records_is_read() {
    let text = include_str!("../../../../spec/agent-conversation.cddl");
    let schema = read(text);
    let shown = |name: &str| show::type_(&schema, &rule(&schema, name).body);
    assert_eq!(shown("start"), "(verifiable-agent-record / signed-agent-record)");
    assert_eq!(shown("COSE_X509"), "(bstr / [2* \"certs\": bstr])");
    assert_eq!(shown("COSE_CertHash"), r#"["hashAlg": (int / tstr), "hashValue": bstr]"#);
    assert_eq!(
        shown("signed-agent-record"),
        "#6.18([\"protected\": bstr .cbor protected-header, \"unprotected\": unprotected-header, \
         \"payload\": (bstr / null), \"signature\": bstr])"
    );
    assert!(shown("protected-header").starts_with("{CWT_Claims=15 => CWT_Claims, ? alg=1 => int"));
    assert!(shown("message-entry").contains("? \"children\": [* entry]"));
}

#[test]
fn a_socket_and_a_rule_of_the_same_name_stay_apart() {
    let schema = read("a = [$entry, entry, {$$entry}]\n$entry /= 1\nentry = 2\n$$entry //= (x: 3)");
    let shown = |name: &str| show::type_(&schema, &rule(&schema, name).body);
    assert_eq!(shown("a"), r#"[$entry, entry, {"x": 3}]"#);
    assert_eq!((shown("$entry"), shown("entry")), ("1".to_owned(), "2".to_owned()));
}

/// Rules as text, without locations.
fn shapes(text: &str) -> Vec<String> {
    let schema = read(text);
    let shape = |rule: &vac_cddl::ir::Rule| {
        format!("{} = {}", rule.name.replace('\r', ""), show::type_(&schema, &rule.body))
    };
    schema.rules.iter().map(shape).collect()
}

const EVERYTHING: &str = r#"start = #6.18([h: bstr .cbor head, ? p: pay<int, 2>, * $$more]) / $s
head = { &(alg: 1) => int .lt -5, ? "k\u{e4}" ^ => tstr .regexp ("[a-z]" .cat "b"),
  (x: 1 // y: 0x1F .. 0b101111), 2*3 'b' => h'00 ff' / b64'AA', * (int / tstr) => any }
pay<A, B> = [+ A, B ... 5, ~head, #7.<24..255>, #6.<1 / 2>(bool), [(int / bool) / nil]]
$s /= &way
$$more //= (way, z: ~time)
way = (n: 1, s.t@u: (2 .plus 3))
"#;

#[test]
fn comments_may_be_wherever_spaces_may_be() {
    let tokens = vac_cddl::syntax::parse(EVERYTHING).tokens;
    let mut commented = "; first".to_owned();
    let mut end = 0;
    for token in tokens {
        if token.span.start > end || end == 0 {
            commented.push_str(" ; a = [ \"'\r\n\t; b\r\n");
        }
        commented.push_str(&EVERYTHING[token.span.start..token.span.end]);
        end = token.span.end;
    }
    assert_eq!(shapes(&commented), shapes(EVERYTHING));
    assert_eq!(shapes(&EVERYTHING.replace('\n', "\r\n")), shapes(EVERYTHING));
}

/// A schema language in the style of RFC 8927: forms that contain schemas.
#[test]
fn groups_may_contain_maps_of_themselves_as_in_schema_languages() {
    let text = "root = { ? definitions: { * tstr => { form } }, form }
form = (reference // list // fields // empty)
shared = (? nullable: bool)
empty = (shared)
reference = (ref: tstr, shared)
list = (elements: { form }, shared)
fields = (with-fields, ? open: bool, shared)
with-fields = (properties: { * tstr => { form } }, ? optional: { * tstr => { form } }
  // optional: { * tstr => { form } })
";
    let schema = read(text);
    let tables = vac_cddl::tables(&schema).expect("it has tables");
    let is_valid = |json: &str| {
        let document = vac_value::Document::json(json.as_bytes()).expect("JSON");
        tables.validate(tables.root, document.root(), 1).is_ok()
    };
    assert!(is_valid(r#"{"elements": {"properties": {"x": {"ref": "y"}}, "nullable": true}}"#));
    assert!(is_valid(r#"{"definitions": {"y": {"elements": {}}}, "ref": "y"}"#));
    assert!(!is_valid(r#"{"elements": {"properties": {"x": {"ref": 1}}}}"#));
    assert!(!is_valid(r#"{"ref": "y", "elements": {}}"#));
}
