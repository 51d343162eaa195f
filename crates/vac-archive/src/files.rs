//! Checks that an archive contains no other files than its own.

use std::io;
use std::path::Path;

use vac_sign::merkle::Hash;
use vac_store::safe_path::PathKind;
use vac_store::walk::{INDEX_NAME, Visitor, walk};
use vac_store::{SafePath, Skipped};

use crate::claims::parse_hash;
use crate::description::{DESCRIPTION, KEY, README};
use crate::findings::{FindingKind, Findings};
use crate::index::INDEX_FILE;
use crate::journal::{HEADS, STATEMENTS};
use crate::objects::{MAX_RECORD, OBJECTS, ObjectError, Objects};
use crate::verify::UsedObjects;

/// The maximum depth of folders that are visited. Those of an archive are not deeper than
/// `objects/ab`; a folder below it is visited to be reported.
const MAX_DEPTH: usize = 4;
const NOT_PART: &str = "it is not part of the archive";

/// Reports files that are not part of the archive, and if all statements could be read, objects
/// that none of them names.
pub(crate) fn check_files(
    folder: &Path,
    objects: &Objects,
    used: &UsedObjects,
    is_complete: bool,
    findings: &mut Findings,
) {
    let mut files = Files { folder, objects, used, is_complete, findings };
    walk(&SafePath::named(folder, &Skipped::default()), MAX_DEPTH, &mut files);
}

struct Files<'f> {
    folder: &'f Path,
    objects: &'f Objects,
    used: &'f UsedObjects,
    is_complete: bool,
    findings: &'f mut Findings,
}

impl Files<'_> {
    fn name(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.folder).unwrap_or(path);
        let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
        names.join("/")
    }

    /// Checks an object that no statement names.
    fn check_unused(&mut self, name: &str, hash: &Hash) {
        let (kind, detail) = match self.objects.check(hash, MAX_RECORD) {
            Ok(_) if !self.is_complete => return,
            Ok(_) => (FindingKind::Unused, "no statement names it".to_owned()),
            // The object may be a large log, or a small file that decompresses to a large size.
            Err(ObjectError::Io(error)) if error.kind() == io::ErrorKind::FileTooLarge => (
                FindingKind::Unused,
                format!("no statement names it, and it is not checked: {error}"),
            ),
            Err(error) => (FindingKind::Added, error.to_string()),
        };
        self.findings.add(kind, name, detail);
    }

    fn check(&mut self, name: &str, kind: PathKind) {
        let parts: Vec<_> = name.split('/').collect();
        let is_file = kind == PathKind::File;
        match parts[..] {
            [README | DESCRIPTION | KEY | HEADS | STATEMENTS | INDEX_FILE] if is_file => {}
            // The lock, where folders cannot be locked.
            [".vac-lock"] if is_file && cfg!(not(unix)) => {}
            ["tmp", _] if is_file => {
                let detail = "a file that was being written";
                self.findings.add(FindingKind::Unfinished, name, detail);
            }
            ["objects", start, rest] if is_file => {
                let hash = parse_hash(&format!("{start}{rest}")).filter(|_| start.len() == 2);
                match hash {
                    None => self.findings.add(FindingKind::Added, name, "not an object"),
                    Some(hash) if self.used.contains_key(&hash) => {}
                    Some(hash) => self.check_unused(name, &hash),
                }
            }
            _ if is_file => {
                self.findings.add(FindingKind::Added, name, NOT_PART);
            }
            _ => {
                let detail = "a link or a special file, which no archive has";
                self.findings.add(FindingKind::Added, name, detail);
            }
        }
    }
}

/// Returns whether an archive has a folder of this name.
fn is_own_folder(name: &str) -> bool {
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    match name.split_once('/') {
        None => name.is_empty() || name == OBJECTS || name == "tmp",
        Some((parent, start)) => {
            parent == OBJECTS && start.len() == 2 && start.chars().all(is_digit)
        }
    }
}

impl Visitor for Files<'_> {
    fn folder(&mut self, folder: &SafePath, entries: Vec<SafePath>) -> Vec<SafePath> {
        let name = self.name(folder.as_path());
        if !is_own_folder(&name) {
            self.findings.add(FindingKind::Added, name + "/", NOT_PART);
            // The content of `tmp` is not checked.
            return Vec::new();
        }
        // The walk skips the index of a folder of records.
        let is_index = |entry: &&SafePath| entry.as_path().ends_with(INDEX_NAME);
        for entry in entries.iter().filter(is_index) {
            let name = self.name(entry.as_path());
            self.findings.add(FindingKind::Added, name, NOT_PART);
        }
        entries
    }

    fn visit(&mut self, path: SafePath, kind: PathKind) {
        let name = self.name(path.as_path());
        self.check(&name, kind);
    }

    fn failed(&mut self, path: &Path, error: io::Error) {
        let name = self.name(path);
        self.findings.add(FindingKind::Changed, name, error.to_string());
    }
}
