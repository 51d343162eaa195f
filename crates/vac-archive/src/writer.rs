//! Appends statements and heads to an archive. Only one process writes at a time.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use vac::files::FolderLock;
use vac_sign::Signer;
use vac_sign::merkle::Peaks;
use vac_sign::statement::Sign1;

use crate::archive::Archive;
use crate::catalog::{ArchivedVersion, Catalog, RecordDetails};
use crate::claims::{HeadClaim, StatementClaim, hex};
use crate::disk::Disk;
use crate::error::{ArchiveErrorKind, Error, Result};
use crate::findings::count;
use crate::head::{sign_head, sign_statement};
use crate::index::{Index, KnownLog};
use crate::journal::{
    ArchiveHead, HEADS, ItemSearch, Items, STATEMENTS, Statement, TooManyItems, read_file,
    read_head, read_statement, statement_leaf, tree,
};
use crate::objects::{MAX_RECORD, OBJECTS};

/// An archive that is written to.
pub(crate) struct Writer<'w> {
    pub archive: &'w Archive,
    pub disk: &'w Disk,
    pub signer: &'w dyn Signer,
    pub catalog: Catalog,
    /// The entries of the index about logs.
    pub logs: Vec<KnownLog>,
    /// The build that wrote the index.
    pub index_build: String,
    /// Descriptions of what was repaired.
    pub repaired: Vec<String>,
    /// The newest head.
    pub head: ArchiveHead,
    time: Option<u64>,
    peaks: Peaks,
    statements_size: u64,
    heads_size: u64,
    /// The statements that are not on disk yet.
    waiting: Vec<u8>,
    /// The folders of objects that are flushed before the statements are written.
    folders: BTreeSet<PathBuf>,
    is_index_old: bool,
    _lock: FolderLock,
}

impl<'w> Writer<'w> {
    /// Reads the data that appending needs, and repairs what an interrupted run has left.
    pub fn open(
        archive: &'w Archive,
        disk: &'w Disk,
        signer: &'w dyn Signer,
        time: Option<u64>,
        lock: FolderLock,
    ) -> Result<Self> {
        if *signer.public_key() != archive.key {
            let reason =
                format!("the key is not that of the archive, which is {}", archive.description.key);
            return Err(Error::new(ArchiveErrorKind::Key, reason).at(&archive.folder));
        }
        let mut repaired = Vec::new();
        prepare_folders(&archive.folder, disk)?;
        let (head, heads_size) = newest_head(archive, disk, &mut repaired)?;
        let mut writer = Self {
            archive,
            disk,
            signer,
            catalog: Catalog::default(),
            logs: Vec::new(),
            index_build: String::new(),
            repaired,
            head,
            time,
            peaks: Peaks::default(),
            statements_size: 0,
            heads_size,
            waiting: Vec::new(),
            folders: BTreeSet::new(),
            is_index_old: true,
            _lock: lock,
        };
        writer.load_statements()?;
        writer.catalog.acknowledge(archive.acknowledged()?);
        Ok(writer)
    }

    fn load_statements(&mut self) -> Result<()> {
        let archive = self.archive;
        let path = archive.folder.join(STATEMENTS);
        let index = Index::read(&archive.folder, &archive.description.id, &archive.key);
        if let Some(later) = index.as_ref().filter(|it| it.head > self.head.claim.number) {
            let reason = format!("rolled back: the index is of head {}", later.head);
            return Err(archive.damaged(HEADS, &reason));
        }
        let index = index.filter(|index| {
            index.head_sha256 == self.head.sha256 && index.peaks.root() == self.head.root
        });
        let (mut known, mut size) = (Vec::new(), None);
        if let Some(index) = index {
            self.logs = index.logs;
            self.index_build = index.build;
            (known, size) = (index.versions, Some(index.statements_size));
            self.peaks = index.peaks;
        }
        let found = path.symlink_metadata().map_err(Error::io(&path))?.len();
        if size == Some(found) {
            for version in known {
                self.catalog.push(version);
            }
            self.statements_size = found;
            self.is_index_old = false;
            return Ok(());
        }
        // Without an index for this file, read all of it.
        let bytes = read_file(&archive.folder, STATEMENTS)?;
        let Items { items, rest } = Items::split(&bytes);
        let covered = usize::try_from(self.head.claim.size).unwrap_or(usize::MAX);
        let Some(before) = items.get(..covered) else {
            return Err(archive.damaged(STATEMENTS, "statements of the newest head are missing"));
        };
        self.peaks = tree(before);
        if self.peaks.root() != self.head.root {
            let reason = "the statements do not have the root of the newest head";
            return Err(archive.damaged(STATEMENTS, reason));
        }
        let mut end = before.iter().map(|item| item.bytes.len() as u64).sum::<u64>();
        let mut is_valid = true;
        for (number, item) in (0_u64..).zip(&items) {
            let at = usize::try_from(number).unwrap_or(usize::MAX);
            if at >= covered {
                let read = read_statement(item, &archive.key);
                let is_next = read.is_ok_and(|it| {
                    it.claim.number == number && archive.objects.is_intact(&it.record, MAX_RECORD)
                });
                if is_valid && is_next {
                    self.peaks.push(statement_leaf(item));
                    end += item.bytes.len() as u64;
                } else if is_next {
                    let reason = "a statement after the newest head is damaged";
                    return Err(archive.damaged(STATEMENTS, reason));
                } else {
                    is_valid = false;
                    continue;
                }
            }
            let version = match known.get(at) {
                Some(version) => version.clone(),
                None => self.read_version(item)?,
            };
            self.catalog.push(version);
        }
        self.statements_size = end;
        let adopted = self.peaks.size() - self.head.claim.size;
        if adopted > 0 {
            let adopted = count(adopted, "statement");
            self.repaired.push(format!("{adopted} of an interrupted run kept"));
        }
        if end < bytes.len() as u64 {
            refuse_statements_in(archive, STATEMENTS, rest, |item| {
                read_statement(item, &archive.key).is_ok()
            })?;
            self.disk.truncate(&path, end).map_err(Error::io(&path))?;
            let removed = count(bytes.len() as u64 - end, "byte");
            self.repaired.push(format!("{removed} of an incomplete statement removed"));
        }
        Ok(())
    }

    /// Reads a version. A version whose record is lost has no details, and its session is added
    /// again.
    fn read_version(&mut self, item: &Sign1<'_>) -> Result<ArchivedVersion> {
        let archive = self.archive;
        archive.read_version(item).or_else(|error| {
            let statement = read_statement(item, &archive.key)
                .map_err(|why| archive.damaged(STATEMENTS, &why))?;
            self.repaired.push(error.to_string());
            Ok(ArchivedVersion::new(statement, RecordDetails::default()))
        })
    }

    /// Returns whether there are statements that no head covers.
    pub fn is_ahead(&self) -> bool {
        self.peaks.size() > self.head.claim.size
    }

    /// Signs a statement and adds it to those that [`flush`](Self::flush) writes.
    pub fn state(
        &mut self,
        session_id: &str,
        mut claim: StatementClaim,
        record: [u8; 32],
        details: RecordDetails,
        folders: Vec<PathBuf>,
    ) -> Result<&ArchivedVersion> {
        claim.number = self.peaks.size();
        let encoding = self.archive.description.encoding();
        let bytes = sign_statement(session_id, &claim, &record, encoding, self.time, self.signer)?;
        let Some((item, _)) = Sign1::split(&bytes) else {
            let reason = "a statement that cannot be read again";
            return Err(Error::new(ArchiveErrorKind::Internal, reason));
        };
        self.peaks.push(statement_leaf(&item));
        #[allow(clippy::cast_precision_loss)] // seconds are far below 2^53
        let time = self.time.map(|time| time as f64);
        let session_id = session_id.to_owned();
        let statement = Statement { claim, session_id, time, record };
        self.catalog.push(ArchivedVersion::new(statement, details));
        self.waiting.extend(bytes);
        self.folders.extend(folders);
        self.is_index_old = true;
        let last = self.catalog.versions().last();
        last.ok_or_else(|| Error::new(ArchiveErrorKind::Internal, "no version"))
    }

    /// Flushes the folders of objects of existing statements with the next statements.
    pub fn keep(&mut self, folders: Vec<PathBuf>) {
        self.folders.extend(folders);
    }

    /// Writes the waiting statements.
    pub fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() && self.folders.is_empty() {
            return Ok(());
        }
        for folder in &self.folders {
            self.disk.sync_folder(folder).map_err(Error::io(folder))?;
        }
        let objects = self.archive.folder.join(OBJECTS);
        self.disk.sync_folder(&objects).map_err(Error::io(&objects))?;
        self.folders.clear();
        if self.waiting.is_empty() {
            return Ok(());
        }
        let path = self.archive.folder.join(STATEMENTS);
        // If this fails, the statements are kept waiting, so that no head covers them.
        self.disk.append(&path, self.statements_size, &self.waiting).map_err(Error::io(&path))?;
        self.statements_size += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Writes a head for all statements.
    pub fn write_head(&mut self, acknowledged: Vec<u64>) -> Result<()> {
        self.flush()?;
        let claim = HeadClaim {
            size: self.peaks.size(),
            number: self.head.claim.number + 1,
            archive: self.archive.description_hash,
            previous: Some(self.head.sha256),
            acknowledged: acknowledged.clone(),
        };
        let id = &self.archive.description.id;
        let bytes = sign_head(id, &claim, &self.peaks.root(), self.time, self.signer)?;
        let path = self.archive.folder.join(HEADS);
        self.disk.append(&path, self.heads_size, &bytes).map_err(Error::io(&path))?;
        self.heads_size += bytes.len() as u64;
        self.catalog.acknowledge(acknowledged);
        let internal = |why: String| Error::new(ArchiveErrorKind::Internal, why);
        self.head = ArchiveHead::read(&bytes, &self.archive.key).map_err(internal)?;
        self.is_index_old = true;
        Ok(())
    }

    /// Writes the index, if it changed.
    pub fn write_index(&self, logs: Vec<KnownLog>, build: &str) -> Result<()> {
        if !self.is_index_old && logs == self.logs && build == self.index_build {
            return Ok(());
        }
        let index = Index {
            build: build.to_owned(),
            archive: self.archive.description.id.clone(),
            head: self.head.claim.number,
            head_sha256: self.head.sha256,
            statements_size: self.statements_size,
            peaks: self.peaks.clone(),
            versions: self.catalog.versions().to_vec(),
            logs,
        };
        index.write(self.disk, &self.archive.folder, self.signer)
    }
}

/// Creates missing folders, because some programs do not copy empty ones, and removes files that an
/// interrupted run was writing. Nothing is written through a link.
pub(crate) fn prepare_folders(folder: &Path, disk: &Disk) -> Result<()> {
    let tmp = folder.join("tmp");
    for path in [&tmp, &folder.join(OBJECTS)] {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return Err(Error::new(ArchiveErrorKind::Damaged, "it is not a folder").at(path));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                disk.create_folder(path).map_err(Error::io(path))?;
                disk.sync_folder(folder).map_err(Error::io(folder))?;
            }
            Err(error) => return Err(Error::io(path)(error)),
        }
    }
    for entry in tmp.read_dir().map_err(Error::io(&tmp))? {
        let entry = entry.map_err(Error::io(&tmp))?;
        let is_own = entry.file_name().to_string_lossy().starts_with("new-");
        if is_own && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            std::fs::remove_file(entry.path()).map_err(Error::io(&entry.path()))?;
        }
    }
    Ok(())
}

/// Reads the newest head, and removes an incomplete one after it.
fn newest_head(
    archive: &Archive,
    disk: &Disk,
    repaired: &mut Vec<String>,
) -> Result<(ArchiveHead, u64)> {
    let bytes = read_file(&archive.folder, HEADS)?;
    let Items { items, rest } = Items::split(&bytes);
    let last = items.last().ok_or_else(|| archive.damaged(HEADS, "it has no head"))?;
    let head = read_head(last, &archive.key).map_err(|why| archive.damaged(HEADS, &why))?;
    let is_right = head.claim.number.checked_add(1) == Some(items.len() as u64)
        && head.claim.archive == archive.description_hash
        && head.archive_id == archive.description.id;
    if !is_right {
        return Err(archive.damaged(HEADS, "the newest head is not one of this archive"));
    }
    let end = (bytes.len() - rest.len()) as u64;
    if !rest.is_empty() {
        let is_head = |item: &Sign1<'_>| read_head(item, &archive.key).is_ok();
        refuse_statements_in(archive, HEADS, rest, is_head)?;
        let path = archive.folder.join(HEADS);
        disk.truncate(&path, end).map_err(Error::io(&path))?;
        let removed = count(rest.len() as u64, "byte");
        repaired.push(format!("{removed} of an incomplete head removed"));
    }
    Ok((head, end))
}

/// Fails if the end of a file, which would be removed, contains a valid item: an interrupted run
/// leaves none there.
fn refuse_statements_in(
    archive: &Archive,
    file: &str,
    rest: &[u8],
    is_valid: impl Fn(&Sign1<'_>) -> bool,
) -> Result<()> {
    // The rest does not begin with an item, so search after its start.
    match ItemSearch::new(rest).find(rest, is_valid) {
        Ok(None) => Ok(()),
        Ok(Some(_)) | Err(TooManyItems) => {
            let end = hex(&rest[..rest.len().min(8)]);
            let reason = format!("it is damaged at {} bytes before its end ({end})", rest.len());
            Err(archive.damaged(file, &reason))
        }
    }
}
