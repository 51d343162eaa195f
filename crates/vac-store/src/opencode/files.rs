//! The files of a tree, without following links: they can lead round in circles, and
//! what they lead to has a name of its own.

use std::io;
use std::path::{Path, PathBuf};

use crate::find::entries;

/// The documents of one folder.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Their names without `.json`, and where they are, by name.
    pub documents: Vec<(String, PathBuf)>,
    /// What is no file although it is called like one, and why.
    pub troubles: Vec<(PathBuf, String)>,
}

impl Files {
    /// The documents of a folder; a folder that cannot be listed is a trouble.
    pub fn of(folder: &Path) -> Self {
        let mut files = Self::default();
        let paths = match entries(folder) {
            Ok(paths) => paths,
            Err(error) => {
                files.troubles.push((folder.to_owned(), error.to_string()));
                return files;
            }
        };
        for path in paths {
            let Some(name) = document_name(&path) else { continue };
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_file() => files.documents.push((name, path)),
                Ok(metadata) if metadata.is_symlink() => {
                    let reason = "it is a symbolic link, which is not followed".to_owned();
                    files.troubles.push((path, reason));
                }
                Ok(_) => files.troubles.push((path, "it is no regular file".to_owned())),
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

/// Whether there is a folder, and no link to one.
pub(super) fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// What is in a folder, if it is there.
pub(super) fn folder_entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_folder(folder) { entries(folder) } else { Ok(Vec::new()) }
}

/// Whether text can only be the name of a file, and not lead anywhere else.
pub(super) fn is_name(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(['/', '\\', ':', '\0'])
}
