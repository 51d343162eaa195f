//! Changes of the spec: generates code from changed copies of it.

mod exercise;
mod workspace_copy;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use vac_codegen::files;
use vac_tests::root;
use vac_value::Document;

const SPEC: &str = "spec/agent-conversation.cddl";

fn spec() -> String {
    std::fs::read_to_string(root().join(SPEC)).expect("the spec is there")
}

/// Returns the target folder that this test was built in. Cargo does not lock it while tests run.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    test.ancestors().nth(3).expect("a test is in target/PROFILE/deps").to_owned()
}

/// Returns the spec with one passage replaced, which has to occur once.
fn changed_spec(from: &str, to: &str) -> String {
    let spec = spec();
    assert_eq!(spec.matches(from).count(), 1, "the spec has {from:?} once");
    spec.replace(from, to)
}

struct Generated {
    types: String,
    schema: vac_cddl::ir::Schema,
}

fn generate(spec: &str) -> Generated {
    let schema = vac_cddl::parse(SPEC, spec).unwrap_or_else(|error| panic!("{error}"));
    let types = vac_codegen::record_files(&schema, SPEC).expect("types");
    let text = |files: &[vac_codegen::GeneratedFile], name: &str| {
        files.iter().find(|file| file.name == name).expect("a file").text.clone()
    };
    Generated { types: text(&types, "types.rs"), schema }
}

const RECORD: &str = r#"{"version":"3.0.0-draft","id":"r","session":{"session-id":"s",
    "agent-meta":{"model-id":"m","model-provider":"p"},"entries":[ENTRY]}}"#;

fn is_valid(generated: &Generated, entry: &str) -> bool {
    let text = RECORD.replace("ENTRY", entry);
    let document = Document::json(text.as_bytes()).expect("JSON");
    let schema = vac_cddl::tables(&generated.schema).expect("the spec has tables");
    schema.validate(schema.root, document.root(), 1).is_ok()
}

/// `cargo xtask codegen` writes what these functions return, so that no file is left out.
#[test]
fn generated_files_are_up_to_date() {
    let (outputs, _) = files::workspace(root()).unwrap_or_else(|error| panic!("{error}"));
    let stale = files::stale(&outputs).unwrap_or_else(|error| panic!("{error}"));
    let stale: Vec<String> = stale.iter().map(ToString::to_string).collect();
    assert!(stale.is_empty(), "run `cargo xtask codegen`:\n{}", stale.join("\n"));
    let listed: BTreeSet<&Path> = outputs.iter().map(|output| output.path.as_path()).collect();
    for folder in ["crates/vac-record/src/generated", "fixtures/cddl/generated"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
            let path = entry.expect("a file").path();
            assert!(listed.contains(path.as_path()), "{} is not generated", path.display());
        }
    }
}

#[test]
fn an_added_optional_key_becomes_a_field_that_is_checked() {
    let spec = changed_spec("  ? subject: tstr\n", "  ? subject: tstr\n  ? effort: uint\n");
    let generated = generate(&spec);
    assert!(generated.types.contains("pub effort: Option<u64>"));
    assert!(is_valid(&generated, r#"{"type":"reasoning","content":1,"effort":3}"#));
    assert!(!is_valid(&generated, r#"{"type":"reasoning","content":1,"effort":"high"}"#));
    assert!(is_valid(
        &generate(&self::spec()),
        r#"{"type":"reasoning","content":1,"effort":"high"}"#
    ));
}

#[test]
fn a_new_entry_type_becomes_a_variant_found_by_its_type() {
    let spec = changed_spec(
        "/ reasoning-entry / event-entry",
        "/ reasoning-entry / event-entry / plan-entry\n\nplan-entry = {\n  type: \"plan\"\n  steps: [+ tstr]\n  * tstr => any\n}",
    );
    let generated = generate(&spec);
    assert!(generated.types.contains("Plan(PlanEntry<'a>)"));
    assert!(generated.types.contains("pub struct PlanEntry<'a>"));
    assert!(is_valid(&generated, r#"{"type":"plan","steps":["a"]}"#));
    assert!(!is_valid(&generated, r#"{"type":"plan","steps":[]}"#));
    assert!(!is_valid(&generate(&self::spec()), r#"{"type":"plan","steps":["a"]}"#));
}

#[test]
fn a_key_made_required_loses_its_option() {
    let before = generate(&spec());
    assert!(before.types.contains("pub encrypted: Option<::vac_value::Text<'a>>"));
    let after = generate(&changed_spec("  ? encrypted: tstr ", "  encrypted: tstr "));
    assert!(after.types.contains("pub encrypted: ::vac_value::Text<'a>"));
    assert!(is_valid(&before, r#"{"type":"reasoning","content":1}"#));
    assert!(!is_valid(&after, r#"{"type":"reasoning","content":1}"#));
}

#[test]
fn an_added_value_becomes_a_variant() {
    let generated =
        generate(&changed_spec("\"mixed\" / \"unknown\"", "\"mixed\" / \"robot\" / \"unknown\""));
    assert!(generated.types.contains("    Robot,\n"));
}

#[test]
fn announced_changes_of_the_spec_are_supported() {
    let spec = spec()
        + "\n$$entry-extension //= (cost-centre: tstr)\nlabelled<V> = { 1: V, * $$entry-extension }\n\
           extra = labelled<uint>\n";
    let generated = generate(&spec);
    assert!(
        generated.types.contains("pub struct Extra") || generated.types.contains("pub type Extra")
    );
}

/// Compiles and runs the module of a changed spec in a crate of its own.
#[test]
fn the_module_of_a_changed_spec_compiles_and_validates() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = changed_spec("  ? subject: tstr\n", "  ? subject: tstr\n  effort: uint\n");
    let spec_file = folder.path().join("next.cddl");
    std::fs::write(&spec_file, spec).expect("the spec is written");
    let module = vac_codegen::standalone(
        &vac_cddl::parse("next.cddl", &std::fs::read_to_string(&spec_file).expect("text"))
            .expect("CDDL"),
        "next.cddl",
    )
    .expect("a module");
    make_crate(folder.path(), &module);
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .current_dir(folder.path())
        .env("CARGO_TARGET_DIR", target())
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "false true: /: missing key \"effort\"",
    );
}

fn make_crate(folder: &Path, module: &str) {
    let crates = |name: &str| -> PathBuf { root().join("crates").join(name) };
    let lock = root().join("Cargo.lock");
    std::fs::create_dir_all(folder.join("src")).expect("src");
    std::fs::copy(lock, folder.join("Cargo.lock")).expect("the lock");
    std::fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = \"next\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
             vac-value = {{ path = '{}' }}\nvac-schema = {{ path = '{}' }}\n",
            crates("vac-value").display(),
            crates("vac-schema").display(),
        ),
    )
    .expect("a manifest");
    std::fs::write(folder.join("src/next.rs"), module).expect("the module");
    std::fs::write(
        folder.join("src/main.rs"),
        r##"mod next;
use vac_schema::Decode;
use vac_value::Document;
fn main() {
    let without = br#"{"type":"reasoning","content":1}"#;
    let with = br#"{"type":"reasoning","content":1,"effort":3}"#;
    let old = next::ReasoningEntry::from_json(without);
    let new = next::ReasoningEntry::from_json(with);
    let document = Document::json(without).unwrap();
    let rule = next::schema::rules::REASONING_ENTRY;
    let violations = next::schema::SCHEMA.validate(rule, document.root(), 1).unwrap_err();
    let shown = violations.to_string();
    println!("{} {}: {}", old.is_ok(), new.is_ok(), shown.split(" (rule").next().unwrap());
}
"##,
    )
    .expect("main");
}
