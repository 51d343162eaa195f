//! A crate with generated modules, which is compiled by one call of cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// A crate in a folder of its own. Files that do not change are not written again, so that
/// cargo only compiles what changes.
pub struct Project {
    folder: PathBuf,
}

impl Project {
    /// Creates a crate with the lock file of the workspace, so that nothing has to be downloaded.
    pub fn new(name: &str) -> Self {
        let folder = root().join("target/generated").join(name);
        let project = Self { folder };
        let crates = root().join("crates");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [workspace]\n\n[dependencies]\n\
             vac-schema = {{ path = '{0}/vac-schema' }}\n\
             vac-value = {{ path = '{0}/vac-value' }}\n\n\
             [profile.dev]\ndebug = false\n\n[lints.rust]\nmissing_docs = \"warn\"\n",
            crates.display(),
        );
        project.write("Cargo.toml", &manifest);
        project.write("Cargo.lock", fs::read(root().join("Cargo.lock")).expect("the lock"));
        project
    }

    /// Writes a file below the crate's folder.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        if fs::read(&path).is_ok_and(|old| old == content.as_ref()) {
            return;
        }
        fs::write(path, content).expect("the file can be written");
    }

    /// Returns the crate's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Checks the crate with clippy, for which any warning is an error.
    pub fn lint(&self) {
        let output = Command::new(env!("CARGO"))
            .args(["clippy", "--quiet", "--offline", "--", "-D", "warnings"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", root().join("target/generated/target"))
            .output()
            .expect("cargo runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}", beginning(&errors));
    }

    /// Compiles the crate and runs it. Returns what it prints.
    pub fn run(&self) -> String {
        self.run_with_out_dir(&self.folder)
    }

    /// Compiles and runs the crate with a folder of files that a build script would have generated.
    pub fn run_with_out_dir(&self, out_dir: &Path) -> String {
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--offline"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", root().join("target/generated/target"))
            .env("OUT_DIR", out_dir)
            .output()
            .expect("cargo runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}", beginning(&errors));
        String::from_utf8(output.stdout).expect("text")
    }
}

fn beginning(text: &str) -> String {
    text.lines().take(400).flat_map(|line| [line, "\n"]).collect()
}
