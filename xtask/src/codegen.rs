//! Updates generated files, or reports those that are not up to date.

use std::path::Path;

use anyhow::{Result, anyhow};
use vac_codegen::files::{self, FileError, Output, Specification};
use vac_value::harmless;

/// Updates the generated files of the workspace. With `check`, writes nothing, and returns whether
/// all files are up to date.
pub fn workspace(check: bool) -> Result<bool> {
    let (outputs, warnings) =
        files::workspace(crate::root()?).map_err(|error| to_anyhow(&error))?;
    for warning in warnings {
        eprintln!("warning: {}", harmless(&warning.to_string()));
    }
    settle(&outputs, check)
}

/// Updates the module of another specification.
pub fn standalone(spec: &Specification, out: &Path, check: bool) -> Result<bool> {
    let (text, warnings) = files::module(spec).map_err(|error| to_anyhow(&error))?;
    for warning in warnings {
        eprintln!("warning: {}", harmless(&warning.to_string()));
    }
    let path = out.join(spec.module_name()).with_extension("rs");
    settle(&[Output { path, text }], check)
}

/// Returns the error with the lines of the specification to which it refers.
fn to_anyhow(error: &FileError) -> anyhow::Error {
    anyhow!("{error:#}")
}

/// Writes the files that differ; with `check`, only prints their names.
fn settle(outputs: &[Output], check: bool) -> Result<bool> {
    let changes = if check { files::stale(outputs) } else { files::update(outputs) };
    let changes = changes.map_err(|error| to_anyhow(&error))?;
    let verb = if check { "stale" } else { "wrote" };
    for change in &changes {
        eprintln!("{verb} {}", harmless(&change.to_string()));
    }
    match (check, changes.len()) {
        (_, 0) => eprintln!("{} generated files are up to date", outputs.len()),
        (true, stale) => {
            eprintln!("{stale} of {} are stale: run `cargo xtask codegen`", outputs.len());
        }
        (false, written) => eprintln!("{written} of {} generated files written", outputs.len()),
    }
    Ok(!check || changes.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Specification, standalone};

    fn write(folder: &Path, name: &str, text: &str) {
        fs::write(folder.join(name), text).expect("a file that can be written");
    }

    #[test]
    fn a_specification_may_have_several_files_modules_and_a_start_rule() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        fs::create_dir(path.join("lib")).expect("a folder");
        write(path, "base.cddl", "first = int\nitems = [* $item]\n$item /= geo.point\n");
        write(path, "plug.cddl", ";# import geometry as geo\n$item /= tstr\n");
        write(&path.join("lib"), "geometry.cddl", "point = { x: int }\nunneeded = 1\n");
        let mut spec = Specification {
            files: vec![path.join("base.cddl"), path.join("plug.cddl")],
            folders: vec![path.join("lib")],
            start: Some("items".to_owned()),
        };
        let out = path.join("out");
        assert!(standalone(&spec, &out, false).expect("a module"));
        let module = fs::read_to_string(out.join("base.rs")).expect("the module");
        for wanted in [
            "pub struct GeoPoint",
            "ROOT: ::vac_schema::RuleId = ::vac_schema::RuleId(1)",
            "pub enum Item",
        ] {
            assert!(module.contains(wanted), "no {wanted} in {module}");
        }
        assert!(!module.contains("unneeded"), "{module}");
        // Every output file is compared.
        assert!(standalone(&spec, &out, true).expect("a check"));
        write(&path.join("lib"), "geometry.cddl", "point = { x: int, y: int }\n");
        assert!(!standalone(&spec, &out, true).expect("a check"));

        spec.folders = vec![out];
        let error = standalone(&spec, path, true).expect_err("the module is elsewhere").to_string();
        assert!(error.starts_with("plug.cddl:1:1: module `geometry` is not found"), "{error}");
    }
}
