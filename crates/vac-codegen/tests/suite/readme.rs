//! Tests that the code of README.md compiles and prints the output shown there.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::data;
use crate::project::Project;

const README: &str = include_str!("../../README.md");

/// Returns the code block that starts with a line.
fn block(info: &str, first_line: &str) -> String {
    let start = format!("```{info}\n{first_line}");
    let at = README.find(&start).unwrap_or_else(|| panic!("no block `{start}`"));
    let block = &README[at + info.len() + 4..];
    block[..block.find("```").expect("the block ends")].to_owned()
}

#[test]
fn a_crate_made_as_documented_runs() {
    let project = Project::new("documented");
    let cddl = block("cddl", "; A way");
    project.write("track.cddl", &cddl);
    let rest = block("rust", "use track::");
    let included = block("rust", "mod track {");
    let expected = block("text", "/points/0/x");
    let spec = project.folder().join("track.cddl");
    // Generate as a build script does.
    let out = project.folder().join("out");
    vac_codegen::generate(&spec, out.join("track.rs")).expect("a module");
    project.write("src/main.rs", format!("{included}\n{rest}"));
    assert_eq!(project.run_with_out_dir(&out), expected);
    // Generate as the command does.
    let file = project.folder().join("src/track.rs");
    let _ = fs::remove_file(&file);
    let run = |check: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vac-codegen"));
        command.arg(&spec).arg("-o").arg(&file);
        if check {
            command.arg("--check");
        }
        command.output().expect("the command runs")
    };
    assert_eq!(run(true).status.code(), Some(1));
    assert_eq!(run(false).status.code(), Some(0));
    assert_eq!(run(true).status.code(), Some(0));
    project.write("src/main.rs", format!("mod track;\n{rest}"));
    assert_eq!(project.run(), expected);
}

#[test]
fn the_build_script_compiles() {
    assert_eq!(block("rust", "use std::path::Path;"), include_str!("build_script.rs"));
}

#[test]
fn errors_of_the_command_have_a_location() {
    let project = Project::new("documented");
    project.write("wrong.cddl", "a = { x: interger }\n");
    let run = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vac-codegen"));
        let output = command.arg(project.folder().join(name)).output().expect("the command runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let (code, error) = run("wrong.cddl");
    assert_eq!(code, Some(2));
    assert!(error.contains("wrong.cddl:1:10: `interger` is not defined"), "{error}");
    // Every error is marked, with its line.
    project.write("two.cddl", "a = [ b, c ]\nb = [ interger ]\nc = { x: txt }\n");
    let (code, error) = run("two.cddl");
    assert_eq!(code, Some(2));
    let first = "error: two.cddl:2:7: `interger` is not defined\n2 | b = [ interger ]\n";
    assert!(error.starts_with(first), "{error}");
    assert!(error.contains("\nerror: two.cddl:3:10: `txt` is not defined\n"), "{error}");
    let (code, error) = run("missing.cddl");
    assert_eq!(code, Some(2));
    assert!(error.starts_with("error: ") && error.contains("missing.cddl"), "{error}");
}

#[test]
fn the_table_of_families_names_what_is_tested() {
    let rows = README.lines().filter_map(|line| line.strip_prefix("| `family_"));
    let documented: BTreeSet<&str> =
        rows.map(|row| row.split('`').next().expect("a name ends")).collect();
    let schemas = data::schemas();
    let tested: BTreeSet<&str> =
        schemas.iter().filter_map(|schema| schema.name.strip_prefix("family_")).collect();
    assert_eq!(documented, tested);
}
