//! The files of an export in its folder: how they get names, lose rows and are removed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use vac::files::{AtomicFile, is_nameless};
use vac::tables::SessionTable;
use vac::tables::file_writer::{FileFormat, TableFileWriter, copy_without};

use super::manifest::{self, ManifestPart};
use super::part_files::{self, Content, Part, PartFile};
use super::{ExportFormat, ExportOptions, partition};

/// Writes the rows of some sessions of earlier files to new files.
pub fn take_out(
    folder: &Path,
    options: &ExportOptions,
    part: &ManifestPart,
    kept: &ManifestPart,
) -> Result<()> {
    let ExportFormat::Tables(format) = options.format else { return Ok(()) };
    let keys: BTreeSet<_> =
        part.keys.iter().filter(|key| !kept.keys.contains(key)).cloned().collect();
    let left_out = partition::names(&options.partition_by);
    for table in options.tables.iter() {
        let from = folder.join(path(table, part, format));
        let to = folder.join(path(table, kept, format));
        let copy = || -> io::Result<()> {
            let readers = options.mode.readers_of_files([&*from]);
            let file = AtomicFile::new(&to, readers)?;
            let file = BufWriter::new(file);
            let mut out = TableFileWriter::without(file, format, table, &left_out, true)?;
            copy_without(format, File::open(&from)?, &keys, &mut out)?;
            let file = out.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(true)
        };
        copy().with_context(|| {
            let from = from.display();
            format!("cannot copy rows of {from} (if it is damaged, remove it to export its sessions again)")
        })?;
    }
    Ok(())
}

/// Gives the files of a part their names.
pub fn publish(folder: &Path, format: ExportFormat, part: Part) -> Result<()> {
    let paths: Vec<_> =
        part.files.iter().map(|file| folder.join(part.path(file.kind, format))).collect();
    for (PartFile { content, .. }, path) in part.files.into_iter().zip(paths) {
        if let Content::Nameless(file) = content {
            let persisted = file.persist(&path, true);
            persisted.with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

/// Removes files of a folder that exist.
pub fn remove(folder: &Path, files: &[String]) -> Result<()> {
    for file in files {
        let file = folder.join(file);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", file.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes files without a name that exports have left that were killed. The folder is locked, so
/// they are not those of another export.
pub fn remove_unfinished(folder: &Path) -> Result<()> {
    let walked = each_file(folder, &mut |path, name| {
        // Such files are in folders of tables and partitions only.
        let is_unfinished = is_nameless(name) && path.parent() != Some(folder);
        if is_unfinished { std::fs::remove_file(path) } else { Ok(()) }
    });
    walked.with_context(|| format!("cannot clean {}", folder.display()))
}

/// Returns the paths in a folder of all files that have names of an export.
pub fn exported_files(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let walked = each_file(folder, &mut |path, _| {
        let path = path.strip_prefix(folder).ok().and_then(Path::to_str);
        found.extend(path.filter(|path| manifest::is_path_of_export(path)).map(str::to_owned));
        Ok(())
    });
    walked.with_context(|| folder.display().to_string())?;
    Ok(found)
}

/// Calls `take` with each file, and its name, of a folder and of the folders of tables and partitions
/// in it. Fails if one of these is a link: files elsewhere would be written and removed.
fn each_file(folder: &Path, take: &mut dyn FnMut(&Path, &str) -> io::Result<()>) -> io::Result<()> {
    let is_ours = |name: &str| {
        SessionTable::parse(name).is_some() || partition::is_folder(&format!("{name}/"))
    };
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = match folder.read_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let (name, kind) = (entry.file_name(), entry.file_type()?);
            let Some(name) = name.to_str() else { continue };
            if kind.is_dir() && is_ours(name) {
                waiting.push(entry.path());
            } else if kind.is_symlink() && is_ours(name) && entry.path().is_dir() {
                let path = entry.path();
                return Err(io::Error::other(format!(
                    "{} is a link to a folder (remove it, or export to another folder)",
                    path.display()
                )));
            } else if kind.is_file() {
                take(&entry.path(), name)?;
            }
        }
    }
    Ok(())
}

fn path(table: SessionTable, part: &ManifestPart, format: FileFormat) -> PathBuf {
    part_files::path(table, &part.partition, &part.keys, format)
}
