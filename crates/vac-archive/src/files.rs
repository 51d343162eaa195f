//! Checks that an archive contains no other files than its own.

use std::io;
use std::path::Path;

use vac_store::safe_path::PathKind;
use vac_store::walk::{INDEX_NAME, Visitor, walk};
use vac_store::{SafePath, Skipped};

use crate::claims::parse_hash;
use crate::description::{DESCRIPTION, KEY, README};
use crate::findings::{FindingKind, Findings};
use crate::index::INDEX_FILE;
use crate::journal::{HEADS, STATEMENTS};
use crate::objects::Objects;
use crate::verify::UsedObjects;

/// Folders of an archive are not deeper.
const MAX_DEPTH: usize = 8;

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
                    Some(hash) => match self.objects.read_to(&hash, &mut io::sink()) {
                        Ok(_) if !self.is_complete => {}
                        Ok(_) => {
                            let detail = "no statement names it";
                            self.findings.add(FindingKind::Unused, name, detail);
                        }
                        Err(error) => {
                            self.findings.add(FindingKind::Added, name, error.to_string());
                        }
                    },
                }
            }
            _ if is_file => {
                self.findings.add(FindingKind::Added, name, "it is not part of the archive");
            }
            _ => {
                let detail = "a link or a special file, which no archive has";
                self.findings.add(FindingKind::Added, name, detail);
            }
        }
    }
}

impl Visitor for Files<'_> {
    fn folder(&mut self, _: &SafePath, entries: Vec<SafePath>) -> Vec<SafePath> {
        // The walk skips the index of a folder of records.
        let is_index = |entry: &&SafePath| entry.as_path().ends_with(INDEX_NAME);
        for entry in entries.iter().filter(is_index) {
            let name = self.name(entry.as_path());
            self.findings.add(FindingKind::Added, name, "it is not part of the archive");
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
