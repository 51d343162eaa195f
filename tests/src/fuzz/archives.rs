//! Checks the files of an archive.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use vac_archive::{AddOptions, Archive, Disk, InitOptions, VerifyOptions, add, verify_archive};
use vac_sign::{SecretKey, Signer as _};
use vac_value::Encoding;

const LOG: &str = "{\"role\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Tidy the shelf\"}]}}\n";

/// An archive with one session, which is changed and restored for each input.
struct Prepared {
    folder: tempfile::TempDir,
    key: SecretKey,
    /// The files that are replaced, with their content.
    files: Vec<(PathBuf, Vec<u8>)>,
    record: Vec<u8>,
}

static ARCHIVE: LazyLock<Mutex<Prepared>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("session.jsonl");
    fs::write(&log, LOG).expect("a log");
    let key = SecretKey::ed25519(&[7; 32]);
    let options =
        InitOptions { id: [1; 16], labels: BTreeMap::new(), encoding: Encoding::Json, time: None };
    let place = folder.path().join("archive");
    let archive = Archive::init(&place, &options, &key, &Disk::default()).expect("an archive");
    let mut options = AddOptions::new(SystemTime::now());
    options.search.paths = vec![log];
    add(&archive, &key, &options, &Disk::default(), &mut |_| {}).expect("a session");
    let catalog = archive.catalog().expect("a catalog");
    let version = &catalog.versions()[0];
    let record = archive.record(version).expect("a record");
    let object = |hash: &[u8; 32]| {
        let name = data_encoding::HEXLOWER.encode(hash);
        format!("objects/{}/{}", &name[..2], &name[2..])
    };
    let names = ["statements", "heads", "index", "archive.json", "key.pub.pem"].map(str::to_owned);
    let sources = version.details.sources.iter().map(|source| object(&source.sha_256));
    let objects = std::iter::once(object(&version.record_sha_256)).chain(sources);
    let files = names.into_iter().chain(objects).map(|name| {
        let path = place.join(name);
        let bytes = fs::read(&path).expect("a file of the archive");
        (path, bytes)
    });
    let files = files.collect();
    Mutex::new(Prepared { folder, key, files, record })
});

/// Replaces a file of an archive, and checks that the archive contains no new record. The first
/// byte selects the file, and the others are its content.
pub fn archive(bytes: &[u8]) {
    let Some((number, content)) = bytes.split_first() else { return };
    let prepared = ARCHIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let Prepared { folder, key, files, record } = &*prepared;
    let folder = folder.path().join("archive");
    let (path, original) = &files[usize::from(*number) % files.len()];
    fs::write(path, content).expect("a file that can be written");
    let options = VerifyOptions { key: Some(key.public_key()), ..VerifyOptions::default() };
    let report = verify_archive(&folder, &options, &mut |_| {});
    let is_valid = report.is_ok_and(|report| report.valid);
    if content == original {
        assert!(is_valid, "the archive as it was made");
    }
    if let Ok(archive) = Archive::open(&folder)
        && let Ok(catalog) = archive.catalog()
    {
        for version in catalog.versions() {
            match archive.record(version) {
                Ok(read) => assert_eq!(&read, record, "another record"),
                Err(error) => assert!(!is_valid, "a valid archive without a record: {error}"),
            }
            let _ = archive.prove(version);
        }
        let _ = archive.records();
    }
    fs::write(path, original).expect("a file that can be written");
}

/// Writes the archive to a folder that does not exist, with one file replaced as in [`archive`].
pub fn write_archive(folder: &Path, bytes: &[u8]) {
    let prepared = ARCHIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = prepared.folder.path().join("archive");
    let replaced = bytes.split_first().map(|(number, content)| {
        (&prepared.files[usize::from(*number) % prepared.files.len()].0, content)
    });
    let readme = place.join("README");
    let readme = (&readme, fs::read(&readme).expect("a file of the archive"));
    let files = prepared.files.iter().map(|(path, content)| (path, content.clone()));
    for (path, original) in files.chain([readme]) {
        let content = match replaced {
            Some((replaced, content)) if replaced == path => content.to_vec(),
            _ => original,
        };
        let below = path.strip_prefix(&place).expect("a file of the archive");
        let path = folder.join(below);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder that can be made");
        fs::write(path, content).expect("a file that can be written");
    }
    fs::create_dir_all(folder.join("tmp")).expect("a folder that can be made");
}
