//! A home with sessions, an archive of them, and functions that change both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use vac::{Encoding, Search, SecretKey, Signer as _};
use vac_archive::{
    AddOptions, AddSummary, Archive, ArchiveReport, Disk, Error, InitOptions, VerifyOptions, Wait,
    add, verify_archive,
};

pub struct World {
    folder: tempfile::TempDir,
    pub key: SecretKey,
    pub time: u64,
}

impl World {
    pub fn new() -> Self {
        Self::with_key(SecretKey::ed25519(&[7; 32]), Encoding::Json)
    }

    pub fn with_key(key: SecretKey, encoding: Encoding) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("home")).expect("a folder");
        let world = Self { folder, key, time: 1_772_352_000 };
        let labels = BTreeMap::from([("user".to_owned(), "ada".to_owned())]);
        let options = InitOptions { id: [3; 16], labels, encoding, time: Some(world.time) };
        Archive::init(&world.archive(), &options, &world.key, &Disk::default())
            .expect("an archive");
        world
    }

    pub fn archive(&self) -> PathBuf {
        self.folder.path().join("archive")
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn log(&self, name: &str) -> PathBuf {
        self.home().join(name)
    }

    /// Writes a log with these prompts.
    pub fn write(&self, name: &str, prompts: &[&str]) {
        std::fs::write(self.log(name), lines(name, prompts)).expect("a log");
    }

    /// Appends prompts to a log.
    pub fn grow(&self, name: &str, prompts: &[&str]) {
        use std::io::Write as _;
        let mut file =
            std::fs::OpenOptions::new().append(true).open(self.log(name)).expect("a log");
        file.write_all(lines(name, prompts).as_bytes()).expect("a log");
    }

    pub fn options(&self) -> AddOptions {
        AddOptions {
            search: Search { paths: vec![self.home()], jobs: 2, ..Search::default() },
            time: Some(self.time),
            wait: Wait::No,
            // Files that were just written count as old enough for the index.
            ..AddOptions::new(SystemTime::now() + Duration::from_secs(10))
        }
    }

    #[track_caller]
    pub fn add(&self) -> AddSummary {
        self.add_with(&self.options(), &Disk::default()).expect("sessions that are added")
    }

    pub fn add_with(&self, options: &AddOptions, disk: &Disk) -> Result<AddSummary, Error> {
        let archive = Archive::open(&self.archive())?;
        add(&archive, &self.key, options, disk, &mut |_| {})
    }

    pub fn verify(&self) -> ArchiveReport {
        self.verify_with(None)
    }

    #[track_caller]
    pub fn verify_with(&self, head: Option<&[u8]>) -> ArchiveReport {
        let options = VerifyOptions { key: Some(self.key.public_key()), head, jobs: 1 };
        verify_archive(&self.archive(), &options, &mut |_| {}).expect("a report")
    }

    pub fn head(&self) -> Vec<u8> {
        Archive::open(&self.archive()).and_then(|it| it.newest_head()).expect("a head").1
    }
}

/// The findings as lines.
pub fn lines_of(report: &ArchiveReport) -> Vec<String> {
    report.findings.iter().map(ToString::to_string).collect()
}

/// A hash in hexadecimal, as objects are named.
pub fn hex(hash: &[u8; 32]) -> String {
    data_encoding::HEXLOWER.encode(hash)
}

/// Lines of a log of the session `name`.
fn lines(name: &str, prompts: &[&str]) -> String {
    let id = name.trim_end_matches(".jsonl");
    let line = |prompt: &&str| {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"{id}\",\"uuid\":\"{prompt}\",\"parentUuid\":null,\
             \"isSidechain\":false,\"cwd\":\"/home/ada/shelf\",\"version\":\"2.1.40\",\
             \"timestamp\":\"2026-03-04T09:00:00.000Z\",\"message\":{{\"role\":\"user\",\
             \"content\":\"{prompt}\"}}}}\n"
        )
    };
    prompts.iter().map(line).collect()
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in from.read_dir().expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// All files below a folder, by their names.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in next.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    found
}
