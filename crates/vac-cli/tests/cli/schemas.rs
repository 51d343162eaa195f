//! Tests other schemas, other rules, and `vac schema`.

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
fn schema_error_has_its_place() {
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
                   give the folder of its file with --include\n";
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

/// Returns a schema with two modules, one of them needed by the other.
fn with_modules() -> Folder {
    let folder = Folder::new();
    folder.write("line.cddl", "line = [2* geo.point]\n;# import geometry as geo\n");
    folder.write("lib/geometry.cddl", "point = { x: number1, y: number1 }\n;# import numbers\n");
    folder.write("more/numbers.cddl", "number1 = 0..9\nunneeded = tstr\n");
    folder.write("a.json", r#"[{"x": 1, "y": 2}, {"x": 1, "y": 10}]"#);
    folder
}

#[test]
fn modules_are_read_from_the_folders_that_are_given() {
    let folder = with_modules();
    let schema = ["validate", "--schema", "line.cddl", "--include", "lib"];
    let ran = folder.vac(&[&schema[..], &["--include", "more", "a.json"]].concat());
    ran.gives(1, "a.json: /1/y: expected 0..9, found integer 10 (rule geo.number1)\n");
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    for name in ["GEOMETRY", "geometry.cddl"] {
        folder.write("line.cddl", format!("line = [2* geo.point]\n;# import {name} as geo\n"));
        let ran = folder.vac(&[&schema[..], &["--include", "more", "a.json"]].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
    }
    // A module that is missing is named with the directive that needs it.
    let ran = folder.vac(&[&schema[..], &["a.json"]].concat());
    ran.gives(2, "");
    assert_eq!(
        ran.stderr,
        "error: lib/geometry.cddl:2:1: module `numbers` is not found: no numbers.cddl \
         in lib\n2 | ;# import numbers\n  | ^\n"
    );
    let ran = folder.vac(&["validate", "--include", "lib", "a.json"]);
    ran.gives(2, "");
    assert!(ran.stderr.contains("--schema <FILE>"), "{}", ran.stderr);
    // Errors are in the module that has them.
    folder.write("more/numbers.cddl", "number1 = 0..9\n\nother = [number2]\n");
    folder.write(
        "line.cddl",
        "line = [2* geo.point]\n;# include geometry as geo\n;# include numbers",
    );
    let ran = folder.vac(&[&schema[..], &["--include", "more", "a.json"]].concat());
    ran.gives(2, "");
    assert_eq!(
        ran.stderr,
        "error: more/numbers.cddl:3:10: `number2` is not defined\n\
         3 | other = [number2]\n  |          ^\n"
    );
}

#[test]
fn modules_stay_below_their_folders() {
    let folder = with_modules();
    folder.write("secret.cddl", "secret = int");
    let refuses = |directive: &str, why: &str| {
        folder.write("line.cddl", format!("line = int\n;# include {directive}\n"));
        let ran = folder.vac(&["validate", "--schema", "line.cddl", "--include", "lib", "a.json"]);
        ran.gives(2, "");
        assert!(ran.stderr.contains(why), "{directive}: {}", ran.stderr);
    };
    refuses("../secret", "`../secret` is not the name of a module");
    refuses("/etc/passwd", "`/etc/passwd` is not the name of a module");
    refuses("..", "`..` is not the name of a module");
    refuses("secret", "module `secret` is not found: no secret.cddl in lib");
    std::fs::create_dir(folder.path().join("lib/folder.cddl")).expect("a folder");
    refuses("folder", "lib/folder.cddl is not a file");
    folder.write("lib/binary.cddl", [0xff, 0xfe]);
    refuses("binary", "cannot read lib/binary.cddl: ");
    folder.write("lib/large.cddl", "; ".repeat(1 << 20) + "a = int");
    refuses("large", "lib/large.cddl:1:1: this text is longer than 2 MiB");
    #[cfg(unix)]
    {
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, folder.path().join(name)).expect("a link");
        };
        link("../secret.cddl", "lib/link.cddl");
        refuses("link", "lib/link.cddl is a link to a file outside of its folder");
        // Within the folder, links are fine.
        link("geometry.cddl", "lib/shape.cddl");
        folder.write("line.cddl", "line = [* any]\n;# include point from shape\nnumber1 = int");
        let schema = ["validate", "--schema", "line.cddl", "--include", "lib"];
        folder.vac(&[&schema[..], &["--include", "more", "a.json"]].concat()).gives(0, "");
    }
}

#[test]
fn several_schemas_are_one() {
    let folder = Folder::new();
    folder.write("base.cddl", "start = [* $item]\n$item /= int\n");
    folder.write("plug.cddl", "$item /= name\nname = tstr\n");
    folder.write("a.json", r#"[1, "x"]"#);
    let base = ["validate", "--schema", "base.cddl"];
    assert_eq!(folder.vac(&[&base[..], &["a.json"]].concat()).code, 1);
    let ran = folder.vac(&[&base[..], &["--schema", "plug.cddl", "a.json"]].concat());
    ran.gives(0, "");
    folder.write("plug.cddl", "\nstart = int\n");
    let ran = folder.vac(&[&base[..], &["--schema", "plug.cddl", "a.json"]].concat());
    ran.gives(2, "");
    assert_eq!(
        ran.stderr,
        "error: plug.cddl:2:1: `start` is already defined at base.cddl:1:1\n\
         2 | start = int\n  | ^\n"
    );
}

#[test]
fn the_start_rule_can_be_picked() {
    let folder = with_modules();
    folder.write("b.json", r#"{"x": 1, "y": 2}"#);
    folder.write("empty.cddl", ";# import geometry as geo\n");
    let schema = ["validate", "--schema", "empty.cddl", "--include", "lib", "--include", "more"];
    folder.vac(&[&schema[..], &["--start", "geo.point", "b.json"]].concat()).gives(0, "");
    let ran = folder.vac(&[&schema[..], &["b.json"]].concat());
    ran.gives(2, "");
    assert!(ran.stderr.contains("this text contains no rule"), "{}", ran.stderr);
    // A group may come first if it is not the start rule.
    folder.write("group.cddl", "g = (x: int, y: int)\npoint = { g }\n");
    let schema = ["validate", "--schema", "group.cddl"];
    folder.vac(&[&schema[..], &["--start", "point", "b.json"]].concat()).gives(0, "");
    let ran = folder.vac(&[&schema[..], &["--start", "g", "b.json"]].concat());
    assert!(ran.stderr.contains("the start rule `g` is not a type"), "{}", ran.stderr);
}

#[test]
fn warnings_about_a_schema_go_to_stderr_once() {
    let folder = Folder::new();
    folder.write("a.cddl", "a = {x: int / 1, ? 1 => tstr .regexp \"^a$\"}\nb = int\n");
    folder.write("a.json", r#"{"x": 1}"#);
    folder.write("b.json", r#"{"x": 2}"#);
    let schema = ["validate", "--schema", "a.cddl", "a.json", "b.json"];
    let ran = folder.vac(&schema);
    ran.gives(0, "");
    let warnings: Vec<&str> =
        ran.stderr.lines().filter_map(|line| line.strip_prefix("warning: ")).collect();
    let places: Vec<&str> = warnings.iter().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(places, ["a.cddl:1:15", "a.cddl:1:18", "a.cddl:1:30", "a.cddl:2:1"], "{ran:?}");
    assert!(warnings[0].contains("this alternative is never reached"), "{warnings:?}");
    assert!(warnings[1].contains("JSON cannot express what `a` asks for"), "{warnings:?}");
    assert!(warnings[2].contains("`^` and `$` are ordinary characters"), "{warnings:?}");
    assert!(warnings[3].contains("rule `b` is not used"), "{warnings:?}");
    // Nothing of it is about CBOR, and nothing is on stdout.
    let ran = folder.vac(&[&schema[..], &["--format", "cbor"]].concat());
    assert!(!ran.stderr.contains("JSON cannot"), "{}", ran.stderr);
    let ran = folder.vac(&[&schema[..], &["--json"]].concat());
    assert!(!ran.stdout.contains("never reached"), "{}", ran.stdout);
    let ran = folder.vac(&[&schema[..], &["--quiet"]].concat());
    assert_eq!(ran.stderr, "");
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
    assert!(
        ran.stderr.contains("it has start, schema-version, abstract-timestamp, "),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_schema_can_be_printed() {
    let folder = Folder::new();
    folder.vac(&["schema"]).gives(0, OWN);
    folder.vac(&["schema", "--version"]).gives(0, "3.0.0-draft\n");
    folder
        .vac(&["schema", "--rule", "entry-id"])
        .gives(0, "; Identifier of an entry within its session.\nentry-id = tstr\n");
    let ran = folder.vac(&["schema", "--rule", "nothing"]);
    ran.gives(2, "");
    // The printed schema can be used.
    folder.write("own.cddl", folder.vac(&["schema"]).stdout);
    folder.write("a.json", small());
    folder.vac(&["validate", "--schema", "own.cddl", "a.json"]).gives(0, "");
}

#[test]
fn schema_is_exported_for_other_languages() {
    let folder = Folder::new();
    let ran = folder.vac(&["schema", "--format", "json-schema"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let schema: serde_json::Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["$defs"]["session-trace"]["properties"]["entries"]["type"], "array");
    assert_eq!(ran.stderr, "");
    let ran = folder.vac(&["schema", "-f", "typescript", "--rule", "token-usage"]);
    assert!(
        ran.stdout.contains("\nexport interface TokenUsage {\n    input?: number;\n"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("Entry"), "only what the rule refers to: {}", ran.stdout);

    folder.write("modules/shape.cddl", "side = tstr .size 3");
    folder.write("box.cddl", "box = { left: shape.side }\n;# import shape as shape");
    let box_schema = ["--schema", "box.cddl", "--include", "modules", "--start", "box"];
    let ran = folder.vac(&[&["schema", "-f", "json-schema"], &box_schema[..]].concat());
    assert!(ran.stdout.contains("\"minLength\": 1"), "{}", ran.stdout);
    assert_eq!(
        ran.stderr,
        "1 construct of the CDDL cannot be expressed in full; comments say which\n"
    );
    let ran = folder.vac(&[&["schema"], &box_schema[..]].concat());
    ran.gives(2, "");
    assert_eq!(ran.stderr, "error: --schema needs --format json-schema or --format typescript\n");
    folder.write("bytes.cddl", "b = bstr");
    let ran = folder.vac(&["schema", "-f", "typescript", "--schema", "bytes.cddl"]);
    ran.gives(2, "");
    assert_eq!(
        ran.stderr,
        "error: cannot export bytes.cddl: bytes.cddl:1:1: no JSON document matches `b`: it is for \
         CBOR only\n",
    );
}
