//! Other schemas, other rules, and `vac schema`.

use crate::records::small;
use crate::run::Folder;

const OWN: &str = include_str!("../../../../spec/agent-conversation.cddl");

#[test]
fn another_schema_is_interpreted() {
    let folder = Folder::new();
    folder.write("point.cddl", "point = { x: int, ? y: int }\nname = tstr");
    folder.write("a.json", r#"{"x": 1, "y": "2"}"#);
    folder.write("b.cbor", [0xa1, 0x61, b'x', 0x01]);
    folder.write("c.json", "\"n\"");
    let schema = ["validate", "--schema", "point.cddl"];
    folder
        .vac(&[&schema[..], &["a.json", "b.cbor"]].concat())
        .gives(1, "a.json: /y: expected int, found text \"2\" (rule point)\n");
    folder.vac(&[&schema[..], &["--rule", "name", "c.json"]].concat()).gives(0, "");
    let ran = folder.vac(&[&schema[..], &["--rule", "line", "c.json"]].concat());
    ran.gives(2, "");
    assert!(ran.stderr.starts_with("error: the schema has no rule \"line\"; it has point, name"));
}

#[test]
fn features_of_a_schema_can_be_switched() {
    let folder = Folder::new();
    let schema = "person = { name: tstr, ? age: uint .feature \"ages\",\n\
                  * (tstr .feature \"extras\") => any }";
    folder.write("person.cddl", schema);
    folder.write("a.json", r#"{"name": "a", "age": 7, "more": 1}"#);
    let run = |options: &[&str]| {
        let start = ["validate", "--schema", "person.cddl"];
        folder.vac(&[&start[..], options, &["a.json"]].concat())
    };
    run(&[]).gives(0, "");
    run(&["--feature", "ages", "--feature", "extras"]).gives(0, "");
    let age = "a.json: /age: expected uint, found integer 7 of the disabled feature \"ages\" \
               (rule person)\n";
    let more = "a.json: /more: unexpected key \"more\" of the disabled feature \"extras\" \
                (rule person)\n";
    run(&["--no-feature", "ages"]).gives(1, age);
    run(&["--feature", "ages"]).gives(1, more);
    run(&["--no-feature", "ages", "--no-feature", "extras"]).gives(1, &(age.to_owned() + more));

    let ran = run(&["--no-feature", "age"]);
    ran.gives(2, "");
    assert_eq!(ran.stderr, "error: the schema has no feature \"age\"; did you mean \"ages\"?\n");
    let ran = run(&["--feature", "ages", "--no-feature", "extras"]);
    ran.gives(2, "");
    let ran = folder.vac(&["validate", "--feature", "ages", "a.json"]);
    ran.gives(2, "");
    assert!(ran.stderr.contains("--schema"), "{}", ran.stderr);
}

#[test]
fn a_bad_schema_is_told_with_its_place() {
    let folder = Folder::new();
    folder.write("a.json", "1");
    folder.write("bad.cddl", "point = { x: interger }");
    let ran = folder.vac(&["validate", "--schema", "bad.cddl", "a.json"]);
    ran.gives(2, "");
    assert_eq!(
        ran.stderr,
        "error: bad.cddl:1:14: `interger` is not defined\n\
         1 | point = { x: interger }\n  |              ^\n"
    );
    let ran = folder.vac(&["validate", "--schema", "none.cddl", "a.json"]);
    ran.gives(2, "");
    assert!(ran.stderr.starts_with("error: cannot read the schema none.cddl: "), "{}", ran.stderr);
}

#[test]
fn every_error_of_a_schema_is_reported() {
    let folder = Folder::new();
    folder.write("a.json", "1");
    folder.write("bad.cddl", "a = [int\nb = { x:: int }\nc = \"\u{202e}");
    let ran = folder.vac(&["validate", "--schema", "bad.cddl", "a.json"]);
    ran.gives(2, "");
    assert_eq!(
        ran.stderr,
        "error: bad.cddl:1:5: `[` is never closed\n1 | a = [int\n  |     ^\n\
         error: bad.cddl:2:9: expected a type, found `:`\n2 | b = { x:: int }\n  |         ^\n\
         error: bad.cddl:3:5: this text is not closed on its line\n\
         3 | c = \"\\u{202e}\n  |     ^\n"
    );
}

#[test]
fn a_directive_that_is_not_followed_gives_a_warning() {
    let folder = Folder::new();
    folder.write("a.json", "1");
    folder.write("a.cddl", "a = int\n;# import rfc9052 as cose\n");
    let ran = folder.vac(&["validate", "--schema", "a.cddl", "a.json"]);
    ran.gives(0, "");
    let warning = "a.cddl:2:1: the directive `import rfc9052 as cose` is not followed: \
                   add the rules here\n";
    assert!(ran.stderr.starts_with(&format!("warning: {warning}")), "{}", ran.stderr);
    let ran = folder.vac(&["validate", "--quiet", "--schema", "a.cddl", "a.json"]);
    ran.gives(0, "");
    assert_eq!(ran.stderr, "");
    // It is the likely reason for names that are not defined.
    folder.write("a.cddl", "a = cose.b\n;# import rfc9052 as cose\n");
    let ran = folder.vac(&["validate", "--schema", "a.cddl", "a.json"]);
    ran.gives(2, "");
    assert!(ran.stderr.contains(&format!("error: {warning}")), "{}", ran.stderr);
}

#[test]
fn one_rule_can_be_picked() {
    let folder = Folder::new();
    folder.write("a.json", r#"{"type": "user"}"#);
    folder.write("b.json", small());
    folder.vac(&["validate", "--rule", "entry", "a.json"]).gives(0, "");
    folder.vac(&["validate", "--rule", "start", "b.json"]).gives(0, "");
    let ran = folder.vac(&["validate", "--rule", "nothing", "a.json"]);
    ran.gives(2, "");
    assert!(ran.stderr.contains("it has start, abstract-timestamp, "), "{}", ran.stderr);
}

#[test]
fn the_schema_can_be_printed() {
    let folder = Folder::new();
    folder.vac(&["schema"]).gives(0, OWN);
    folder.vac(&["schema", "--version"]).gives(0, "3.0.0-draft\n");
    folder
        .vac(&["schema", "--rule", "entry-id"])
        .gives(0, "; Names an entry within its session.\nentry-id = tstr\n");
    let ran = folder.vac(&["schema", "--rule", "nothing"]);
    ran.gives(2, "");
    // What is printed can be used.
    folder.write("own.cddl", folder.vac(&["schema"]).stdout);
    folder.write("a.json", small());
    folder.vac(&["validate", "--schema", "own.cddl", "a.json"]).gives(0, "");
}
