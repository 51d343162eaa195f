//! Brings generated files up to date, or says which are not.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
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
    let schema = parse(&root.join(SPEC), SPEC)?;
    let mut files = Vec::new();
    for file in vac_codegen::record_files(&schema, SPEC)? {
        files.push((root.join(GENERATED).join(file.name), file.text));
    }
    let annotations = parse(&root.join(ANNOTATIONS), ANNOTATIONS)?;
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
        files.push(module(&spec, &goldens.join("generated"))?);
    }
    settle(&files, check)
}

/// A module for another specification.
pub fn standalone(spec: &Path, out: &Path, check: bool) -> Result<bool> {
    settle(&[module(spec, out)?], check)
}

/// The path and the text of the module for a specification.
fn module(spec: &Path, out: &Path) -> Result<(PathBuf, String)> {
    let stem = spec.file_stem().ok_or_else(|| anyhow!("{} has no name", spec.display()))?;
    let name = spec.file_name().unwrap_or(stem).to_string_lossy();
    let schema = parse(spec, &name)?;
    let module: String = stem
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    let text = vac_codegen::standalone(&schema, &name)?;
    Ok((out.join(module).with_extension("rs"), text))
}

fn parse(path: &Path, name: &str) -> Result<vac_cddl::ir::Schema> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let schema = vac_codegen::read(name, &text).map_err(|errors| anyhow!("{errors:#}"))?;
    for warning in &schema.warnings {
        eprintln!("warning: {}", harmless(&warning.to_string()));
    }
    Ok(schema)
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
