//! Tests the JSON Schema and TypeScript of CDDL schemas. `tests/interchange` compares verdicts over
//! all golden schemas with those of other tools.

use serde_json::{Value, json};
use vac_schema_export::{Error, ExportedSchema};

fn json_schema(cddl: &str) -> ExportedSchema {
    let schema = vac_cddl::parse("spec.cddl", cddl).expect("the CDDL is right");
    vac_schema_export::json_schema(&schema).expect("it can be exported")
}

/// Returns the definition of the first rule.
fn definition(cddl: &str) -> Value {
    let exported = json_schema(cddl);
    let schema: Value = serde_json::from_str(&exported.text).expect("it is JSON");
    let definitions = schema["$defs"].as_object().expect("it has definitions");
    let reference = schema["$ref"].as_str().expect("the root is a reference");
    let name = reference.strip_prefix("#/$defs/").expect("it refers to a definition");
    definitions[name].clone()
}

fn notes(cddl: &str) -> Vec<String> {
    json_schema(cddl).notes.iter().map(ToString::to_string).collect()
}

fn typescript(cddl: &str) -> String {
    let schema = vac_cddl::parse("spec.cddl", cddl).expect("the CDDL is right");
    let text = vac_schema_export::typescript(&schema).expect("it can be exported").text;
    let (_, body) = text.split_once("\n\n").expect("there is a header");
    body.to_owned()
}

#[test]
fn closed_maps_have_properties_and_no_others() {
    assert_eq!(
        definition("a = { x: tstr, ? y: bool }"),
        json!({
            "type": "object",
            "properties": {"x": {"type": "string"}, "y": {"type": "boolean"}},
            "required": ["x"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn uncut_key_may_have_the_value_of_a_type_of_keys() {
    let expected = json!({"anyOf": [{"type": "boolean"}, {"type": "string"}]});
    let cddl = "a = { ? \"k\" => bool, * tstr => tstr }";
    assert_eq!(definition(cddl)["properties"]["k"], expected);
    let cut = "a = { ? k: bool, * tstr => tstr }";
    assert_eq!(definition(cut)["properties"]["k"], json!({"type": "boolean"}));
    assert!(notes(cddl).is_empty() && notes(cut).is_empty());
}

#[test]
fn pattern_of_keys_excludes_known_keys() {
    let schema = definition("a = { ? x-a: bool, * (tstr .regexp \"x-[a-z]\") => tstr }");
    let patterns = schema["patternProperties"].as_object().expect("it has patterns");
    assert_eq!(patterns.keys().collect::<Vec<_>>(), ["^(?!(?:x-a)$)(?:x-[a-z])$"]);
}

#[test]
fn optional_group_requires_all_of_its_members() {
    let cddl = "a = { id: tstr, ? (lat: float, lon: float) }";
    let schema = definition(cddl);
    assert_eq!(schema["dependentRequired"], json!({"lat": ["lon"], "lon": ["lat"]}));
    assert!(notes(cddl).is_empty());
}

#[test]
fn open_map_with_an_optional_group_is_noted() {
    let found = notes("a = { ? (k: int, b: tstr), * tstr => any }");
    let expected =
        "spec.cddl:1:5: which members of an optional group belong together is not checked";
    assert_eq!(found, [expected]);
}

#[test]
fn group_choices_are_alternatives() {
    let cddl = "a = { (kind: \"x\", b: tstr // kind: \"y\", c: tstr) }";
    assert_eq!(definition(cddl)["anyOf"].as_array().map(Vec::len), Some(2));
    assert!(notes(cddl).is_empty());
    // The first alternative takes its member, and the second one is not tried.
    assert_eq!(notes("a = { (b: tstr // b: tstr, c: tstr) }").len(), 1);
}

#[test]
fn arrays_have_a_prefix_and_a_rest() {
    let schema = definition("a = [tstr, bool, 2*3 tstr]");
    let expected = json!({
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "boolean"}],
        "items": {"type": "string"},
        "minItems": 4,
        "maxItems": 5,
    });
    assert_eq!(schema, expected);
    assert_eq!(definition("a = []"), json!({"type": "array", "maxItems": 0}));
}

#[test]
fn optional_element_is_noted_only_if_it_is_ambiguous() {
    assert!(notes("a = [? tstr, bool]").is_empty());
    assert_eq!(notes("a = [? tstr, tstr]").len(), 1);
    assert_eq!(notes("a = [* tstr, bool]").len(), 1);
}

#[test]
fn what_only_cbor_has_is_left_out_or_refused() {
    let schema = definition("a = tstr / bstr / #6.32(tstr)");
    assert_eq!(schema["type"], "string");
    assert!(schema["$comment"].is_string());
    let refused = ["a = bstr", "a = #6.18([])", "a = { 1 => tstr }", "a = { x: b }\nb = [bstr]"];
    for cddl in refused {
        let schema = vac_cddl::parse("spec.cddl", cddl).expect("the CDDL is right");
        for exported in
            [vac_schema_export::json_schema(&schema), vac_schema_export::typescript(&schema)]
        {
            let error = exported.expect_err(cddl);
            assert!(matches!(&error, Error::NotJson { rule, .. } if rule == "a"), "{error}");
            assert!(error.to_string().contains("for CBOR only"), "{error}");
        }
    }
}

#[test]
fn keys_that_are_not_texts_are_left_out() {
    let schema = definition("a = { ? 1 => tstr, x: tstr, * uint => tstr }");
    assert_eq!(schema["properties"], json!({"x": {"type": "string"}}));
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn numbers_are_excluded_from_integers_only() {
    assert_eq!(definition("a = uint .ne 0")["not"], json!({"const": 0}));
    assert!(notes("a = uint .ne 0").is_empty());
    // 0.0 is not 0 in CDDL.
    assert!(definition("a = number .ne 0").get("not").is_none());
    assert_eq!(notes("a = number .ne 0").len(), 1);
}

#[test]
fn unexpressed_controls_are_noted() {
    let controls = [
        "tstr .size 3",
        "uint .bits (0..3)",
        "tstr .b64u bstr",
        "tstr .base10 int",
        "tstr .printf ([\"%d\", int])",
        "tstr .json { x: int }",
        "tstr .join [tstr, \".\"]",
        "tstr .abnf '(\"a\")'",
        "[int] .ne [1]",
        "float16",
    ];
    for control in controls {
        let cddl = format!("a = {control}");
        assert_eq!(notes(&cddl).len(), 1, "{control}");
        assert!(definition(&cddl)["$comment"].is_string(), "{control}");
    }
}

#[test]
fn instances_and_names_are_definitions_of_their_own() {
    let exported = json_schema("a = [p<tstr>, p<bool>, a-b]\np<t> = { v: t }\na-b = A\nA = tstr");
    let schema: Value = serde_json::from_str(&exported.text).expect("it is JSON");
    let names: Vec<_> = schema["$defs"].as_object().expect("it has definitions").keys().collect();
    assert_eq!(names, ["A", "a", "a-b", "p_bool", "p_tstr"]);
    let text = typescript("a-b = [A.b]\nA.b = tstr");
    assert_eq!(text, "export type AB = [AB2];\n\nexport type AB2 = string;\n");
}

#[test]
fn typescript_has_interfaces_tuples_and_unions() {
    let text = typescript(
        "; A shape. */ not the end\n\
         shape = { kind: \"box\" / \"ball\", ? size: 1..5, at: [number, ? number], \"b c\": [+ tstr], * tstr => bool }",
    );
    let expected = "\
/** A shape. * / not the end */
export interface Shape {
    kind: \"box\" | \"ball\";
    size?: number;
    at: [number, (number)?];
    \"b c\": [string, ...Array<string>];
    [key: string]: boolean | \"box\" | \"ball\" | number | undefined | [number, (number)?] | [string, ...Array<string>];
}
";
    assert_eq!(text, expected);
}

#[test]
fn alternatives_within_alternatives_are_limited() {
    // Each level contains the one inside it twice.
    let mut cddl = "tstr".to_owned();
    for _ in 0..19 {
        cddl = format!("{{ (a: tstr // b: tstr), k: {cddl} }}");
    }
    let schema = vac_cddl::parse("spec.cddl", &format!("a = {cddl}")).expect("the CDDL is right");
    assert_eq!(vac_schema_export::json_schema(&schema), Err(Error::TooLarge));
    assert_eq!(vac_schema_export::typescript(&schema), Err(Error::TooLarge));
    // Groups that double the rules: the product is not written out.
    let choices = "(a: tstr // b: tstr), ".repeat(18);
    let wide = format!("a = {{ {choices} }}");
    assert!(json_schema(&wide).text.len() < 100_000);
}

#[test]
fn long_chains_of_rules_are_exported() {
    use std::fmt::Write as _;
    let mut cddl = String::new();
    for number in 0..5_000 {
        writeln!(cddl, "r{number} = [r{}]", number + 1).expect("a text can be written to");
    }
    cddl.push_str("r5000 = bstr\n");
    // Whether JSON can match is not followed to the end of the chain: what is exported may accept
    // nothing, but is complete.
    let schema = vac_cddl::parse("spec.cddl", &cddl).expect("the CDDL is right");
    if let Ok(exported) = vac_schema_export::json_schema(&schema) {
        assert!(exported.text.contains("\"r4999\""));
    }
}
