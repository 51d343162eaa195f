//! Creates, opens and reads an archive.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use vac_sign::merkle::MerkleTree;
use vac_sign::receipt::attach;
use vac_sign::statement::Sign1;
use vac_sign::{Envelope, PublicKey, Signer};
use vac_store::Sha256;
use vac_value::{Document, Encoding};

use crate::add::check_labels;
use crate::catalog::{ArchivedVersion, Catalog, RecordDetails};
use crate::claims::HeadClaim;
use crate::description::{
    ArchiveDescription, DESCRIPTION, FORMAT, KEY, README, read_key, read_small, readme, sha256_hex,
};
use crate::disk::Disk;
use crate::error::{ArchiveErrorKind, Error, Result, not_an_archive};
use crate::head::sign_head;
use crate::index::Index;
use crate::journal::{
    ArchiveHead, HEADS, Items, STATEMENTS, Statement, read_file, read_head, read_statement,
    statement_leaf,
};
use crate::objects::{Bounded, OBJECTS, ObjectError, Objects};
use crate::writer::prepare_folders;

/// Options for creating an archive.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// 16 random bytes, which become the id of the archive.
    pub id: [u8; 16],
    /// The labels of every record.
    pub labels: BTreeMap<String, String>,
    /// The encoding of records.
    pub encoding: Encoding,
    /// The time, in seconds since 1970; `None` to state none.
    pub time: Option<u64>,
}

/// An archive that can be read. Opening it does not verify its content:
/// [`verify_archive`](crate::verify::verify_archive) does.
#[derive(Debug)]
pub struct Archive {
    pub(crate) folder: PathBuf,
    pub(crate) description: ArchiveDescription,
    /// SHA-256 of `archive.json`.
    pub(crate) description_hash: [u8; 32],
    pub(crate) key: PublicKey,
    pub(crate) objects: Objects,
}

impl Archive {
    /// Checks that [`init`](Self::init) can create an archive in a folder: the folder does not
    /// exist, is empty, or contains only the files of an interrupted `init`. Writes nothing.
    ///
    /// # Errors
    /// If the folder contains something else, or the labels are too long.
    pub fn check_init(folder: &Path, options: &InitOptions) -> Result<()> {
        check_labels(&options.labels)?;
        if folder.symlink_metadata().is_err() || is_unfinished(folder).map_err(Error::io(folder))? {
            return Ok(());
        }
        let reason = "the folder is not empty: an archive needs its own folder";
        Err(Error::new(ArchiveErrorKind::Exists, reason).at(folder))
    }

    /// Creates an archive in a folder that does not exist or is empty. An interrupted call can be
    /// repeated.
    ///
    /// # Errors
    /// As for [`check_init`](Self::check_init), and if the folder cannot be written.
    pub fn init(
        folder: &Path,
        options: &InitOptions,
        signer: &dyn Signer,
        disk: &Disk,
    ) -> Result<Self> {
        Self::check_init(folder, options)?;
        if folder.symlink_metadata().is_err() {
            let parent = folder.parent().filter(|it| !it.as_os_str().is_empty());
            if let Some(parent) = parent {
                std::fs::create_dir_all(parent).map_err(Error::io(parent))?;
            }
            disk.create_folder(folder).map_err(Error::io(folder))?;
        }
        let key = signer.public_key().clone();
        let id = crate::claims::hex(&options.id);
        let thumbprint = key.thumbprint_uri();
        let readme = readme(&id, &thumbprint);
        let description = ArchiveDescription {
            vac_archive: FORMAT,
            id,
            created: options.time,
            format: match options.encoding {
                Encoding::Json => "json".to_owned(),
                Encoding::Cbor => "cbor".to_owned(),
            },
            labels: options.labels.clone(),
            key: thumbprint,
            readme_sha_256: sha256_hex(readme.as_bytes()),
        };
        let internal = |error: String| Error::new(ArchiveErrorKind::Internal, error);
        let mut json =
            serde_json::to_vec_pretty(&description).map_err(|error| internal(error.to_string()))?;
        json.push(b'\n');
        let pem = key.to_pem().map_err(|error| internal(error.to_string()))?;
        let claim = HeadClaim {
            size: 0,
            number: 0,
            archive: Sha256::digest(&json),
            previous: None,
            acknowledged: Vec::new(),
        };
        let root = vac_sign::merkle::Peaks::default().root();
        let head = sign_head(&description.id, &claim, &root, options.time, signer)?;
        prepare_folders(folder, disk)?;
        // Write the description last, because it makes the folder an archive.
        for (name, bytes) in [
            (README, readme.as_bytes()),
            (KEY, pem.as_bytes()),
            (STATEMENTS, &[]),
            (HEADS, &head),
            (DESCRIPTION, &json),
        ] {
            let path = folder.join(name);
            disk.replace(&folder.join("tmp"), &path, bytes).map_err(Error::io(&path))?;
        }
        Self::open(folder)
    }

    /// Returns whether a folder contains the description of an archive.
    pub fn is_archive(folder: &Path) -> bool {
        folder.is_dir()
            && read_small(folder, DESCRIPTION)
                .is_ok_and(|bytes| ArchiveDescription::parse(&bytes).is_ok())
    }

    /// Opens an archive.
    ///
    /// # Errors
    /// If the folder is not an archive, or its key is not the one of its description.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(DESCRIPTION);
        // The folder can be an archive even if its description cannot be read.
        let bytes = read_small(folder, DESCRIPTION).map_err(|error| {
            let found = path.symlink_metadata().map_err(|error| error.kind());
            match found {
                Err(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    not_an_archive(folder)
                }
                _ => error,
            }
        })?;
        let description = ArchiveDescription::parse(&bytes).map_err(|error| error.at(&path))?;
        let key = read_key(folder)?;
        if key.thumbprint_uri() != description.key {
            let reason = "its key.pub.pem is not the key that archive.json names";
            return Err(Error::new(ArchiveErrorKind::Damaged, reason).at(folder));
        }
        Ok(Self {
            objects: Objects::new(folder),
            folder: folder.to_owned(),
            description_hash: Sha256::digest(&bytes),
            description,
            key,
        })
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the description.
    pub fn description(&self) -> &ArchiveDescription {
        &self.description
    }

    /// Returns the public key in the archive.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Returns the newest head and its bytes.
    ///
    /// # Errors
    /// If the archive has no head, or the head is not valid.
    pub fn newest_head(&self) -> Result<(ArchiveHead, Vec<u8>)> {
        let bytes = read_file(&self.folder, HEADS)?;
        let damaged = |reason: String| {
            Error::new(ArchiveErrorKind::Damaged, reason).at(&self.folder.join(HEADS))
        };
        let items = Items::split(&bytes);
        let last = items.items.last().ok_or_else(|| damaged("it has no head".to_owned()))?;
        let head = read_head(last, &self.key).map_err(damaged)?;
        if head.claim.archive != self.description_hash {
            return Err(
                self.damaged(DESCRIPTION, "it was changed: the newest head states another hash")
            );
        }
        Ok((head, last.bytes.to_vec()))
    }

    /// Returns all versions that the newest head covers: from the index if it is valid for that
    /// head, otherwise from the statements and records.
    ///
    /// # Errors
    /// If a file of the archive cannot be read.
    pub fn catalog(&self) -> Result<Catalog> {
        let (head, _) = self.newest_head()?;
        let mut catalog = Catalog::default();
        let index = Index::read(&self.folder, &self.description.id, &self.key);
        let index = index.filter(|index| index.head_sha256 == head.sha256);
        match index {
            Some(index) => index.versions.into_iter().for_each(|it| catalog.push(it)),
            None => {
                let bytes = read_file(&self.folder, STATEMENTS)?;
                let items = Items::split(&bytes).items;
                let count = usize::try_from(head.claim.size).unwrap_or(usize::MAX);
                if items.len() < count {
                    return Err(self.damaged(STATEMENTS, "statements are missing"));
                }
                for item in &items[..count] {
                    catalog.push(self.read_version(item)?);
                }
            }
        }
        catalog.acknowledge(self.acknowledged()?);
        Ok(catalog)
    }

    /// Returns the numbers that heads state as acknowledged.
    pub(crate) fn acknowledged(&self) -> Result<Vec<u64>> {
        let bytes = read_file(&self.folder, HEADS)?;
        let mut numbers = Vec::new();
        for item in Items::split(&bytes).items {
            let claim = item.claim(crate::claims::HEAD).and_then(|it| HeadClaim::read(&it));
            // Check only the signatures of heads with acknowledgements; the others are not needed.
            if claim.is_some_and(|claim| !claim.acknowledged.is_empty()) {
                let head = read_head(&item, &self.key).map_err(|why| self.damaged(HEADS, &why))?;
                numbers.extend(head.claim.acknowledged);
            }
        }
        Ok(numbers)
    }

    /// Reads a statement, and the details of its record.
    pub(crate) fn read_version(&self, item: &Sign1<'_>) -> Result<ArchivedVersion> {
        let statement =
            read_statement(item, &self.key).map_err(|why| self.damaged(STATEMENTS, &why))?;
        let details = self.read_details(&statement)?;
        Ok(ArchivedVersion::new(statement, details))
    }

    fn read_details(&self, statement: &Statement) -> Result<RecordDetails> {
        let record = self.objects.read(&statement.record);
        let record = record.map_err(|error| {
            let number = statement.claim.number;
            self.damaged("objects", &format!("the record of statement {number}: {error}"))
        })?;
        let document = Document::scan(&record, self.description.encoding())
            .map_err(|error| self.damaged("objects", &error.to_string()))?;
        RecordDetails::read(&document, record.len()).map_err(|why| {
            let number = statement.claim.number;
            self.damaged("objects", &format!("the record of statement {number}: {why}"))
        })
    }

    pub(crate) fn damaged(&self, file: &str, reason: &str) -> Error {
        let reason = format!("{reason} (`vac archive verify` lists what is wrong)");
        Error::new(ArchiveErrorKind::Damaged, reason).at(&self.folder.join(file))
    }

    /// Reads the record of a version.
    ///
    /// # Errors
    /// If the record is missing, or has other bytes than were signed.
    pub fn record(&self, version: &ArchivedVersion) -> Result<Vec<u8>> {
        let record = self.objects.read(&version.record_sha_256);
        record.map_err(|error| self.object_error("the record", version.number, &error))
    }

    /// Writes a source of a version to `out`. Returns its size in bytes.
    ///
    /// # Errors
    /// If the source was not kept, is missing, or has other bytes than the record states.
    pub fn source(
        &self,
        version: &ArchivedVersion,
        number: usize,
        out: &mut dyn std::io::Write,
    ) -> Result<u64> {
        let missing = || Error::new(ArchiveErrorKind::Refused, "no such source");
        let source = version.details.sources.get(number).ok_or_else(missing)?;
        let read = self.objects.read_to(&source.sha_256, &mut Bounded::new(out, source.size));
        read.map_err(|error| self.object_error("a log", version.number, &error))
    }

    fn object_error(&self, what: &str, number: u64, error: &ObjectError) -> Error {
        self.damaged("objects", &format!("{what} of statement {number}: {error}"))
    }

    /// Returns the statement about a version, with the receipt of its inclusion in the tree of the
    /// newest head (RFC 9942). It can be verified without the archive.
    ///
    /// # Errors
    /// If the archive is damaged.
    pub fn prove(&self, version: &ArchivedVersion) -> Result<Vec<u8>> {
        self.prover()?.prove(version)
    }

    /// Reads the statements that the newest head covers, for any number of proofs.
    ///
    /// # Errors
    /// If the archive is damaged.
    pub fn prover(&self) -> Result<Prover<'_>> {
        let (head, head_bytes) = self.newest_head()?;
        let bytes = read_file(&self.folder, STATEMENTS)?;
        let items = Items::split(&bytes).items;
        let size = usize::try_from(head.claim.size).unwrap_or(usize::MAX);
        let items = items.get(..size);
        let items = items.ok_or_else(|| self.damaged(STATEMENTS, "statements are missing"))?;
        let tree = MerkleTree::new(items.iter().map(statement_leaf).collect());
        if tree.root() != head.root {
            return Err(self.damaged(STATEMENTS, "they do not have the root of the newest head"));
        }
        let mut end = 0;
        let places = items.iter().map(|item| {
            let start = end;
            end += item.bytes.len();
            start..end
        });
        let places = places.collect();
        Ok(Prover { archive: self, head: head_bytes, places, bytes, tree })
    }
}

/// Returns whether a folder is empty, or contains only the files of an interrupted
/// [`Archive::init`], which writes the description last and no statement.
fn is_unfinished(folder: &Path) -> io::Result<bool> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let (name, metadata) = (entry.file_name(), entry.path().symlink_metadata()?);
        let is_left = match name.to_str() {
            Some(README | KEY) => metadata.is_file(),
            Some(HEADS) => {
                let heads = read_file(folder, HEADS);
                heads.is_ok_and(|bytes| Items::split(&bytes).items.len() <= 1)
            }
            Some(STATEMENTS) => metadata.is_file() && metadata.len() == 0,
            Some(OBJECTS) => metadata.is_dir() && entry.path().read_dir()?.next().is_none(),
            Some("tmp") => metadata.is_dir(),
            _ => false,
        };
        if !is_left {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The statements of an archive, and the tree over them.
#[derive(Debug)]
pub struct Prover<'a> {
    archive: &'a Archive,
    /// The bytes of the newest head.
    head: Vec<u8>,
    /// The content of the file `statements`, and the range of each statement in it.
    bytes: Vec<u8>,
    places: Vec<Range<usize>>,
    tree: MerkleTree,
}

impl Prover<'_> {
    /// Returns the statement about a version, with its receipt.
    ///
    /// # Errors
    /// If the newest head does not cover the version.
    pub fn prove(&self, version: &ArchivedVersion) -> Result<Vec<u8>> {
        let missing = || Error::new(ArchiveErrorKind::Session, "the newest head does not cover it");
        let at = usize::try_from(version.number).unwrap_or(usize::MAX);
        let statement = self.places.get(at).and_then(|place| self.bytes.get(place.clone()));
        let statement = statement.ok_or_else(missing)?;
        let path = self.tree.inclusion_path(at).ok_or_else(missing)?;
        let (head, _) = Sign1::split(&self.head).ok_or_else(missing)?;
        let receipt = head.receipt(self.places.len() as u64, version.number, &path)?;
        let envelope = Envelope::read(statement)
            .map_err(|error| self.archive.damaged(STATEMENTS, &error.to_string()))?;
        attach(&envelope, &[&receipt])
            .map_err(|error| Error::new(ArchiveErrorKind::Internal, error.to_string()))
    }
}
