//! Tests that a missing schema rule is an error, never a valid document.
//!
//! Code that needs a rule names its constant, and does not compile without it: that is tested
//! on a copy of the spec in `tests/suite/spec_change.rs`. What is left is a rule that the user
//! names.

use crate::records::{record, small};
use crate::run::Folder;

const OWN: &str = include_str!("../../../../../../spec/agent-conversation.cddl");

/// Returns the spec with the rule `entry` renamed.
fn renamed() -> String {
    OWN.replace("\nentry =", "\nlog-entry =").replace("[* entry]", "[* log-entry]")
}

#[test]
fn a_rule_that_the_schema_does_not_have_is_an_error() {
    let folder = Folder::new();
    folder.write("renamed.cddl", renamed());
    folder.write("robot.json", r#"{"type": "robot"}"#);
    folder.write("small.json", small());
    for (arguments, word) in [
        (&["--schema", "renamed.cddl", "--rule", "entry", "robot.json"][..], "\"entry\""),
        (&["--schema", "renamed.cddl", "--rule", "", "robot.json"], "\"\""),
        (&["--rule", "log-entry", "robot.json"], "\"log-entry\""),
    ] {
        let ran = folder.vac(&[&["validate"], arguments].concat());
        ran.gives(2, "");
        assert!(ran.stderr.contains(&format!("the schema has no rule {word}")), "{ran:?}");
    }
    let valid = ["validate", "--schema", "renamed.cddl", "small.json"];
    folder.vac(&valid).gives(0, "");
    let ran =
        folder.vac(&["validate", "--schema", "renamed.cddl", "--rule", "log-entry", "robot.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn a_schema_that_lacks_a_rule_of_its_own_is_an_error() {
    let folder = Folder::new();
    folder.write("small.json", small());
    folder.write("lacks.cddl", OWN.replace("\nentry =", "\nlog-entry ="));
    let ran = folder.vac(&["validate", "--schema", "lacks.cddl", "small.json"]);
    ran.gives(2, "");
    assert!(ran.stderr.contains("`entry` is not defined"), "{ran:?}");
}

#[test]
fn entries_of_a_streamed_record_are_validated() {
    let folder = Folder::new();
    let filler = format!(r#"{{"type": "user", "content": "{}"}}"#, "x".repeat(1 << 20));
    let entries = [&vec![filler; 17][..], &[r#"{"type": "robot"}"#.to_owned()]].concat();
    folder.write("big.json", record(&entries.join(",")));
    let ran = folder.vac(&["validate", "big.json"]);
    assert!(ran.code == 1 && ran.stdout.contains("/session/entries/17/type: "), "{ran:?}");
}
