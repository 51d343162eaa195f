//! Validation. Steps are counted where they are taken, in the tests of `vac-value`,
//! `vac-validate` and `vac-cddl`. Here quadratic work shows: with another schema it exceeds the
//! limit that validation has, and without one a run of this size would take hours.

use crate::records::record;
use crate::run::Folder;

#[test]
fn repeated_groups_over_a_large_map_are_matched() {
    let folder = Folder::new();
    let members = |value: &str| {
        let members: Vec<_> = (0..30_000).map(|at| format!("\"n{at}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    };
    folder.write("schema.cddl", r#"start = { * ( "k": int // tstr => int ) }"#);
    folder.write("good.json", members("1"));
    folder.write("bad.json", members("true"));
    let validate = ["validate", "--schema", "schema.cddl", "--max-errors", "0"];
    folder.vac(&[&validate[..], &["good.json"]].concat()).gives(0, "");
    let ran = folder.vac(&[&validate[..], &["bad.json"]].concat());
    assert_eq!((ran.code, ran.lines().len()), (1, 30_000));
    assert!(ran.stdout.contains("/n29999: "), "{}", ran.lines()[0]);
}

#[test]
fn all_violations_of_a_large_record_are_located() {
    let folder = Folder::new();
    let entries = vec![r#"{"type":"robot"}"#; 30_000].join(",");
    folder.write("own.cddl", folder.vac(&["schema"]).stdout);
    folder.write("a.json", record(&entries));
    for schema in [&[][..], &["--schema", "own.cddl"]] {
        let ran = folder.vac(&[&["validate", "--max-errors", "0", "a.json"], schema].concat());
        assert_eq!((ran.code, ran.lines().len()), (1, 30_000));
        assert!(ran.lines()[29_999].contains("/session/entries/29999/type: "));
    }
}
