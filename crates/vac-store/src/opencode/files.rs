//! The files of a tree, without following links: they can lead round in circles, and
//! what they lead to has a name of its own.

use std::io;
use std::path::Path;

use crate::safe_path::{Kind, SafePath};
use crate::skipped::Reason;

/// The documents of one folder.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Their names without `.json`, and where they are, by name.
    pub documents: Vec<(String, SafePath)>,
    /// What is no file although it is called like one, and why.
    pub troubles: Vec<(SafePath, String)>,
}

impl Files {
    /// The documents of a folder; a folder that cannot be listed is a trouble.
    pub fn of(folder: &SafePath) -> Self {
        let mut files = Self::default();
        let paths = match folder.entries() {
            Ok(paths) => paths,
            Err(error) => {
                files.troubles.push((folder.clone(), error.to_string()));
                return files;
            }
        };
        for path in paths {
            let Some(name) = document_name(path.as_path()) else { continue };
            match path.kind() {
                Ok(Kind::File) => files.documents.push((name, path)),
                Ok(Kind::Link) => files.troubles.push((path, Reason::Link.to_string())),
                Ok(Kind::Special) => {
                    path.skip_special();
                    files.troubles.push((path, Reason::Special.to_string()));
                }
                Ok(Kind::Folder) => files.troubles.push((path, "not a regular file".to_owned())),
                Err(error) => files.troubles.push((path, error.to_string())),
            }
        }
        files
    }
}

/// The name of a file that is a document, without what tells that. Files that are being
/// written have other names.
fn document_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".json")?;
    (!name.is_empty() && !name.starts_with('.')).then(|| name.to_owned())
}

/// What is in a folder, if it is there.
pub(super) fn folder_entries(folder: &SafePath) -> io::Result<Vec<SafePath>> {
    if folder.is_folder() { folder.entries() } else { Ok(Vec::new()) }
}

/// Whether text can only be the name of a file, and not lead anywhere else.
pub(super) fn is_name(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(['/', '\\', ':', '\0'])
}
