//! A copy of the workspace whose specification can be changed.
//!
//! The copy is always in the same folder below `target`, and only files that differ are
//! written, so that cargo checks again only what a change affects. The target folder is that of
//! the workspace, so that dependencies are not built twice.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use vac_tests::root;

use super::{SPEC, target};

/// The package that depends on everything that a change of the specification can break.
const PACKAGE: &str = "vac-cli";

/// A copy of the workspace.
pub struct WorkspaceCopy {
    folder: PathBuf,
}

/// An error of the compiler at a place in a file.
#[derive(Debug)]
pub struct Diagnostic {
    /// The code, `E0063`; may be empty.
    pub code: String,
    /// The first line.
    pub message: String,
    /// The file, from the root of the workspace.
    pub file: String,
    /// The bytes of the file that the error is about.
    pub span: std::ops::Range<usize>,
}

impl WorkspaceCopy {
    /// Copies the workspace as it is now.
    pub fn new() -> Self {
        let copy = Self { folder: target().join("spec-change") };
        copy.reset();
        copy
    }

    /// Undoes all changes.
    pub fn reset(&self) {
        for name in ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"] {
            let text = std::fs::read_to_string(root().join(name)).expect("a file of the workspace");
            self.write(name, &text);
        }
        for name in ["crates", "spec", "tests", "xtask"] {
            mirror(&root().join(name), &self.folder.join(name));
        }
    }

    /// Writes a specification, and the files that are generated from it.
    pub fn write_spec(&self, text: &str) {
        self.write(SPEC, text);
        let schema = vac_cddl::parse(SPEC, text).unwrap_or_else(|error| panic!("{error}"));
        for file in vac_codegen::record_files(&schema, SPEC).expect("types") {
            self.write(&format!("crates/vac-record/src/generated/{}", file.name), &file.text);
        }
    }

    /// Reads a file.
    pub fn read(&self, file: &str) -> String {
        let path = self.folder.join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Writes a file if it differs.
    pub fn write(&self, file: &str, text: &str) {
        write_if_changed(&self.folder.join(file), text.as_bytes());
    }

    /// Checks the command line and all that it consists of. Returns the compiler's errors.
    pub fn check(&self) -> Vec<Diagnostic> {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--offline", "--keep-going", "--message-format=json"])
            .args(["--package", PACKAGE])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", target())
            .env("CARGO_INCREMENTAL", "1")
            .output()
            .expect("cargo runs");
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let messages = lines.map(|line| serde_json::from_slice(line).expect("JSON"));
        let errors: Vec<_> = messages.filter_map(|message| diagnostic(&message)).collect();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || !errors.is_empty(), "{stderr}");
        errors
    }
}

/// Returns the error that a message of cargo contains.
fn diagnostic(message: &Value) -> Option<Diagnostic> {
    let message = message.get("message")?;
    if message.get("level")?.as_str()? != "error" {
        return None;
    }
    let is_primary = |span: &&Value| span["is_primary"].as_bool() == Some(true);
    let span = message.get("spans")?.as_array()?.iter().find(is_primary)?;
    let offset = |key: &str| usize::try_from(span[key].as_u64()?).ok();
    Some(Diagnostic {
        code: message["code"]["code"].as_str().unwrap_or("").to_owned(),
        message: message["message"].as_str()?.to_owned(),
        file: span["file_name"].as_str()?.to_owned(),
        span: offset("byte_start")?..offset("byte_end")?,
    })
}

/// Makes a folder equal to another one.
fn mirror(from: &Path, to: &Path) {
    let mut kept = BTreeSet::new();
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder of the workspace") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            mirror(&entry.path(), &target);
        } else {
            write_if_changed(&target, &std::fs::read(entry.path()).expect("a file"));
        }
        kept.insert(entry.file_name());
    }
    for entry in std::fs::read_dir(to).expect("the copy") {
        let entry = entry.expect("an entry");
        if kept.contains(&entry.file_name()) {
            continue;
        }
        let is_folder = entry.file_type().expect("a type").is_dir();
        let remove = if is_folder { std::fs::remove_dir_all } else { std::fs::remove_file };
        let removed = remove(entry.path());
        removed.expect("the copy can be changed");
    }
}

fn write_if_changed(path: &Path, content: &[u8]) {
    if std::fs::read(path).is_ok_and(|old| old == content) {
        return;
    }
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, content).expect("the copy can be changed");
}
