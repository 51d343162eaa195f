use super::{read, rule, show};
use vac_cddl::ir::{ElementKind, Key, Origin, TypeKind};

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
    assert!(schema.rules[2..].iter().all(|rule| rule.origin == Origin::Prelude));
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
        "; about a\na = { ; open\n  b: int ; about b\n} ; behind\n\n; about c\nc = tstr ; end\n";
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
fn the_docs_of_an_element_stand_above_or_behind() {
    let text = "a = {
  ; above b
  ; more
  b: int, ; behind b
  c: tstr ; behind c
  d: {
    e: int
  } ; behind d
  f: 1, g: 2 ; behind g
  \"h;\": 3
}";
    let schema = read(text);
    let TypeKind::Map(group) = &schema.rules[0].body.kind else { panic!("a is a map") };
    let docs: Vec<String> = group.choices[0]
        .iter()
        .map(|element| {
            let ElementKind::Member(member) = &element.kind else { panic!("all are members") };
            let Some(Key::Literal(key)) = &member.key else { panic!("all have literal keys") };
            format!("{} {}", show::value(&key.value), element.docs.join("|"))
        })
        .collect();
    let wanted = [
        "\"b\" above b|more|behind b",
        "\"c\" behind c",
        "\"d\" behind d",
        "\"f\" ",
        "\"g\" behind g",
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
