//! Files that are swapped between the passes over them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use vac_adapter::{Adapter, Error, Input, SourceFile};
use vac_adapter_cursor::Cursor;
use vac_store::join::{DetectedLog, detect, detect_and_keep, join};
use vac_store::{Loaded, MemoryBudget, find};

/// More bytes than are kept in memory.
const LARGE: usize = 65 << 20;

fn digest(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&<sha2::Sha256 as sha2::Digest>::digest(bytes))
}

/// Returns a transcript of this many bytes with `mark` at its beginning and at its end.
fn version(mark: char, size: usize) -> Vec<u8> {
    let (before, after) =
        (r#"{"role":"user","message":{"content":[{"type":"text","text":""#, "\"}]}}\n");
    let length = size - before.len() - after.len() - 2;
    // Use varied content, because files that compress to less than a thousandth are refused.
    let numbers: Vec<_> = (0..length / 500).map(|number| format!("{number:x}")).collect();
    let numbers = numbers.concat();
    let numbers = &numbers[..numbers.len().min(length)];
    let text = "x".repeat(length - numbers.len());
    format!("{before}{mark}{numbers}{text}{mark}{after}").into_bytes()
}

struct Swapped {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Swapped {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        Self { _folder: folder, path }
    }

    /// Replaces the bytes of the file and keeps its modification time.
    fn swap(&self, bytes: &[u8]) {
        let time = fs::metadata(&self.path).and_then(|it| it.modified()).expect("a time");
        let mut file = fs::File::create(&self.path).expect("the file");
        file.write_all(bytes).expect("room");
        file.set_modified(time).expect("the time");
    }

    fn detect(&self) -> DetectedLog {
        self.detect_within(&MemoryBudget::none())
    }

    fn detect_within(&self, budget: &MemoryBudget) -> DetectedLog {
        let found = find(std::slice::from_ref(&self.path), crate::AGENTS);
        let adapters: &[&dyn Adapter] = &[&Cursor];
        let known = found.logs.into_iter().map(|log| detect_and_keep(log, adapters, budget));
        join(known.collect()).pop().expect("a log")
    }
}

fn read(loaded: &Loaded<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    loaded.open().and_then(|mut log| log.read_to_end(&mut bytes)).expect("the log");
    bytes
}

fn read_beginning(input: &dyn Input, size: u64) {
    let mut bytes = Vec::new();
    input.open().and_then(|log| log.take(size).read_to_end(&mut bytes)).expect("the log");
}

#[track_caller]
fn is_refused(loaded: &Loaded<'_>) {
    let error = loaded.sources().expect_err("it was swapped");
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert!(error.to_string().contains("changed while it was being read; try again"));
}

#[test]
fn passes_that_differ_are_refused() {
    let (a, b) = (version('a', LARGE), version('b', LARGE));
    let file = Swapped::new("log.jsonl", &a);
    let known = file.detect();
    let loaded = known.log.load().expect("a log");
    assert!(loaded.bytes().is_none(), "it is not in memory");
    assert_eq!(read(&loaded), a);
    file.swap(&b);
    assert_eq!(read(&loaded), b);
    is_refused(&loaded);
    file.swap(&a);
    is_refused(&loaded);
}

#[test]
fn stated_digest_is_that_of_the_bytes_that_were_read() {
    let (a, b) = (version('a', LARGE), version('b', LARGE));
    let file = Swapped::new("log.jsonl", &a);
    let known = file.detect();
    let loaded = known.log.load().expect("a log");
    // It was swapped before the first pass, and is swapped back after the last.
    file.swap(&b);
    read(&loaded);
    assert_eq!(read(&loaded), b);
    file.swap(&a);
    let sources = loaded.sources().expect("the same in every pass");
    assert_eq!((sources[0].size, &sources[0].sha_256), (LARGE as u64, &digest(&b)));
}

#[test]
fn pass_that_ends_early_counts_as_well() {
    let (a, b) = (version('a', LARGE), version('b', LARGE));
    for size in [1, 1000, 1 << 20] {
        for (first, second) in [(&a, &b), (&b, &a)] {
            let file = Swapped::new("log.jsonl", first);
            let known = file.detect();
            let loaded = known.log.load().expect("a log");
            read_beginning(&loaded, size);
            file.swap(second);
            read(&loaded);
            // One byte is the same in both.
            assert_eq!(loaded.sources().is_ok(), size == 1, "{size}");
        }
    }
    // The end differs, which an unfinished pass has not read.
    let file = Swapped::new("log.jsonl", &a);
    let known = file.detect();
    let loaded = known.log.load().expect("a log");
    let mut other = a.clone();
    let place = other.len() - 10;
    other[place] = b' ';
    read(&loaded);
    file.swap(&other);
    read_beginning(&loaded, 1 << 20);
    is_refused(&loaded);
}

#[test]
fn truncated_file_is_refused() {
    let a = version('a', LARGE);
    let file = Swapped::new("log.jsonl", &a);
    let known = file.detect();
    let loaded = known.log.load().expect("a log");
    read(&loaded);
    file.swap(&a[..a.len() - 1]);
    read(&loaded);
    is_refused(&loaded);
    let loaded = known.log.load().expect("a log");
    read(&loaded);
    fs::remove_file(&file.path).expect("a file less");
    assert!(loaded.sources().is_ok(), "all of it has been read");
    let loaded = Swapped::new("log.jsonl", &a);
    let known = loaded.detect();
    let unread = known.log.load().expect("a log");
    fs::remove_file(&loaded.path).expect("a file less");
    assert!(matches!(unread.sources(), Err(Error::Io(_))));
}

#[test]
fn compressed_bytes_are_those_that_were_decompressed() {
    for size in [LARGE, 1000] {
        let compressed = |mark| zstd::encode_all(&version(mark, size)[..], 3).expect("memory");
        let (a, b) = (compressed('a'), compressed('b'));
        let file = Swapped::new("log.jsonl.zst", &a);
        let known = file.detect();
        let loaded = known.log.load().expect("a log");
        assert_eq!(read(&loaded), version('a', size));
        file.swap(&b);
        if size == LARGE {
            assert_eq!(read(&loaded), version('b', size));
            is_refused(&loaded);
        } else {
            assert_eq!(read(&loaded), version('a', size), "it is in memory");
            let sources = loaded.sources().expect("sources");
            assert_eq!(sources[0].sha_256, digest(&a));
        }
    }
}

#[test]
fn small_log_is_read_once() {
    let (a, b) = (version('a', 1000), version('b', 1000));
    let file = Swapped::new("log.jsonl", &a);
    let known = file.detect();
    let loaded = known.log.load().expect("a log");
    file.swap(&b);
    assert_eq!(read(&loaded), a);
    assert_eq!(loaded.sources().expect("sources")[0].sha_256, digest(&a));
}

#[test]
fn small_log_is_converted_from_the_bytes_that_were_detected() {
    let compress = |bytes: Vec<u8>| zstd::encode_all(&bytes[..], 3).expect("memory");
    let (a, b) = (version('a', 300_000), version('b', 300_000));
    for (name, stored_a, stored_b) in [
        ("log.jsonl", a.clone(), b.clone()),
        ("log.jsonl.zst", compress(a.clone()), compress(b.clone())),
    ] {
        let file = Swapped::new(name, &stored_a);
        let known = file.detect_within(&MemoryBudget::new(1 << 30));
        file.swap(&stored_b);
        for (bytes, stored) in [(&a, &stored_a), (&b, &stored_b)] {
            assert!(known.log.is_made_of(&sources(name, stored)).expect("a log"), "{name}");
            // The next one is loaded from disk.
            let loaded = known.log.load().expect("a log");
            assert_eq!(&read(&loaded), bytes, "{name}");
            assert_eq!(loaded.sources().expect("sources"), sources(name, stored));
        }
    }
}

fn sources(name: &str, bytes: &[u8]) -> Vec<SourceFile> {
    let (name, size) = (name.to_owned(), bytes.len() as u64);
    vec![SourceFile { name, size, sha_256: digest(bytes) }]
}

#[test]
fn log_that_does_not_fit_into_the_budget_is_not_held() {
    let (a, b) = (version('a', LARGE), version('b', LARGE));
    let file = Swapped::new("log.jsonl", &a);
    let known = file.detect_within(&MemoryBudget::new(1 << 30));
    file.swap(&b);
    assert_eq!(read(&known.log.load().expect("a log")), b);
}

#[test]
fn swapped_attachment_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/gemini/jsonl/project-folder");
    copy(&fixture, folder.path());
    let found = find(&[folder.path().to_owned()], crate::AGENTS);
    let adapters: &[&dyn Adapter] = &[&vac_adapter_gemini::Gemini];
    let known = join(found.logs.into_iter().map(|log| detect(log, adapters)).collect());
    let has_attachment = |known: &&DetectedLog| {
        known.log.load().is_ok_and(|log| {
            log.attachments().iter().any(|file| file.name().contains("tool-outputs"))
        })
    };
    let known = known.iter().find(has_attachment).expect("a session with an attachment");
    let loaded = known.log.load().expect("a log");
    let attachments = loaded.attachments();
    let attachment = attachments
        .iter()
        .find(|file| file.name().contains("tool-outputs"))
        .expect("an attachment");
    read_beginning(*attachment, 1 << 20);
    let path = known.log.paths().find(|path| path.ends_with(attachment.name())).expect("its path");
    fs::write(path, "something else").expect("room");
    read_beginning(*attachment, 1 << 20);
    let error = loaded.sources().expect_err("it was swapped").to_string();
    assert!(error.starts_with(attachment.name()), "{error}");
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}
