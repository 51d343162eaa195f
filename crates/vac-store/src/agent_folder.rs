//! Restricts a folder to the files that an adapter may read.

use std::io;

use vac_adapter::container::{Files, Folder};

use crate::safe_path::{PathKind, SafePath};
use crate::skipped::SkippedReason;

/// A folder from which no path and no link leads out.
#[derive(Debug)]
pub(crate) struct AgentFolder {
    root: SafePath,
    name: String,
}

impl AgentFolder {
    pub fn new(root: SafePath) -> Self {
        let name = root.as_path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { root, name }
    }

    fn path(&self, path: &str) -> SafePath {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }
}

impl Folder for AgentFolder {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_folder(&self, path: &str) -> bool {
        self.path(path).is_folder()
    }

    fn exists(&self, path: &str) -> bool {
        let kind = self.path(path).kind();
        // A link in the path is reported like a file that cannot be read.
        !kind.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    fn folders(&self, path: &str) -> io::Result<Vec<String>> {
        let folder = self.path(path);
        let entries = if folder.is_folder() { folder.entries()? } else { Vec::new() };
        let folders = entries.iter().filter(|entry| entry.is_folder());
        Ok(folders.filter_map(file_name).collect())
    }

    fn files(&self, path: &str, ending: &str) -> Files {
        let mut files = Files::default();
        let entries = match self.path(path).entries() {
            Ok(entries) => entries,
            Err(error) => {
                files.unreadable.push((path.to_owned(), error.to_string()));
                return files;
            }
        };
        for entry in entries {
            let Some(file) = file_name(&entry) else { continue };
            let Some(name) = file.strip_suffix(ending) else { continue };
            // Files that are being written have other names.
            if name.is_empty() || name.starts_with('.') {
                continue;
            }
            let reason = match entry.kind() {
                Ok(PathKind::File) => {
                    files.names.push(name.to_owned());
                    continue;
                }
                Ok(PathKind::Link) => SkippedReason::Link.to_string(),
                Ok(PathKind::Special) => {
                    entry.skip_special();
                    SkippedReason::Special.to_string()
                }
                Ok(PathKind::Folder) => "not a regular file".to_owned(),
                Err(error) => error.to_string(),
            };
            files.unreadable.push((format!("{path}/{file}"), reason));
        }
        files
    }

    fn read(&self, path: &str, max: u64) -> io::Result<Vec<u8>> {
        self.path(path).read(max)
    }
}

fn file_name(path: &SafePath) -> Option<String> {
    Some(path.as_path().file_name()?.to_str()?.to_owned())
}
