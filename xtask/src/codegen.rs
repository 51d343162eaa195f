//! Brings generated files up to date, or says which are not.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use vac_cddl::folders::{ModuleFolders, read_file};
use vac_cddl::{File, ModuleLoader, Options};
use vac_value::harmless;

/// Where the specification is, from the workspace's root.
const SPEC: &str = "spec/agent-conversation.cddl";

/// Where the specification of annotations is.
const ANNOTATIONS: &str = "spec/vac-annotations.cddl";

/// Where the files go that are generated from both.
const GENERATED: &str = "crates/vac-record/src/generated";

/// Where the golden specifications are. Their modules are in a folder `generated` of it.
const GOLDENS: &str = "fixtures/cddl";

/// The generated files of the workspace. True if all is fresh now, or, with
/// `check`, was so already.
pub fn workspace(check: bool) -> Result<bool> {
    let root = crate::root()?;
    let schema = parse(&[(root.join(SPEC), SPEC.to_owned())], &Options::default())?;
    report(&schema);
    let mut files = Vec::new();
    for file in vac_codegen::record_files(&schema, SPEC)? {
        files.push((root.join(GENERATED).join(file.name), file.text));
    }
    let annotations =
        parse(&[(root.join(ANNOTATIONS), ANNOTATIONS.to_owned())], &Options::default())?;
    report(&annotations);
    let text = vac_codegen::standalone(&annotations, ANNOTATIONS)?;
    files.push((root.join(GENERATED).join("annotations.rs"), text));
    let goldens = root.join(GOLDENS);
    let mut specs: Vec<PathBuf> = std::fs::read_dir(&goldens)
        .with_context(|| format!("cannot read {}", goldens.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    specs.retain(|path| path.extension().is_some_and(|extension| extension == "cddl"));
    specs.sort();
    for spec in specs {
        // Their warnings are not of interest: many contain unusual constructs on purpose.
        let schema = parse(&[named(&spec)?], &Options::default())?;
        files.push(module(&schema, &spec, &goldens.join("generated"))?);
    }
    settle(&files, check)
}

/// Another specification: its files, the folders of its modules, its start rule.
pub struct Specification {
    /// Files that are read as one.
    pub files: Vec<PathBuf>,
    /// Folders of modules.
    pub folders: Vec<PathBuf>,
    /// The start rule, if it is not the first.
    pub start: Option<String>,
}

/// A module for another specification, called as its first file is.
pub fn standalone(spec: &Specification, out: &Path, check: bool) -> Result<bool> {
    let loader = ModuleFolders::new(spec.folders.iter().cloned());
    let modules = (!spec.folders.is_empty()).then_some(&loader as &dyn ModuleLoader);
    let files: Vec<_> = spec.files.iter().map(|path| named(path)).collect::<Result<_>>()?;
    let schema = parse(&files, &Options { start: spec.start.as_deref(), modules })?;
    report(&schema);
    let first = spec.files.first().context("a specification has at least one file")?;
    settle(&[module(&schema, first, out)?], check)
}

/// A path with the name that locations give it.
fn named(path: &Path) -> Result<(PathBuf, String)> {
    let name = path.file_name().ok_or_else(|| anyhow!("{} has no name", path.display()))?;
    Ok((path.to_owned(), name.to_string_lossy().into_owned()))
}

/// The path and the text of the module for a specification.
fn module(schema: &vac_cddl::ir::Schema, spec: &Path, out: &Path) -> Result<(PathBuf, String)> {
    let (_, name) = named(spec)?;
    let stem = spec.file_stem().ok_or_else(|| anyhow!("{} has no name", spec.display()))?;
    let module: String = stem
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    let text = vac_codegen::standalone(schema, &name)?;
    Ok((out.join(module).with_extension("rs"), text))
}

fn parse(files: &[(PathBuf, String)], options: &Options<'_>) -> Result<vac_cddl::ir::Schema> {
    let read = |(path, name): &(PathBuf, String)| {
        let file = read_file(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(File { name: name.clone().into(), ..file })
    };
    let files: Vec<File> = files.iter().map(read).collect::<Result<_>>()?;
    vac_codegen::read_files(&files, options).map_err(|errors| anyhow!("{errors:#}"))
}

/// Prints what a specification probably does not mean.
fn report(schema: &vac_cddl::ir::Schema) {
    for warning in &schema.warnings {
        eprintln!("warning: {}", harmless(&warning.to_string()));
    }
}

/// Writes the files that differ, or with `check` only names them.
fn settle(files: &[(PathBuf, String)], check: bool) -> Result<bool> {
    let mut stale = 0;
    for (path, text) in files {
        let old = match std::fs::read_to_string(path) {
            Ok(old) => old,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        if old == *text {
            continue;
        }
        stale += 1;
        let (added, removed) = difference(&old, text);
        let verb = if check { "stale" } else { "wrote" };
        eprintln!("{verb} {}: {added} lines new, {removed} lines gone", path.display());
        if !check {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)
                    .with_context(|| format!("cannot make {}", folder.display()))?;
            }
            std::fs::write(path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    match (check, stale) {
        (_, 0) => eprintln!("{} generated files are up to date", files.len()),
        (true, _) => eprintln!("{stale} of {} are stale: run `cargo xtask codegen`", files.len()),
        (false, _) => eprintln!("{stale} of {} generated files written", files.len()),
    }
    Ok(!check || stale == 0)
}

/// How many lines the new text has that the old has not, and the reverse.
fn difference(old: &str, new: &str) -> (usize, usize) {
    let mut counts = std::collections::HashMap::new();
    for line in new.lines() {
        *counts.entry(line).or_insert(0i64) += 1;
    }
    for line in old.lines() {
        *counts.entry(line).or_insert(0) -= 1;
    }
    let total =
        |sign: i64| counts.values().map(|count| usize::try_from(count * sign).unwrap_or(0)).sum();
    (total(1), total(-1))
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
        // All of it counts for freshness.
        assert!(standalone(&spec, &out, true).expect("a check"));
        write(&path.join("lib"), "geometry.cddl", "point = { x: int, y: int }\n");
        assert!(!standalone(&spec, &out, true).expect("a check"));

        spec.folders = vec![out];
        let error = standalone(&spec, path, true).expect_err("the module is elsewhere").to_string();
        assert!(error.starts_with("plug.cddl:1:1: module `geometry` is not found"), "{error}");
    }
}
