//! Tests random histories: every version that was added is kept, and the check reports exactly the
//! changes of files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;
use vac::Search;
use vac_archive::{Archive, Disk, FindingKind};

use crate::world::{World, lines_of};

/// A change of the logs or of the archive.
#[derive(Clone, Debug)]
enum Deed {
    Grow(usize),
    Cut(usize),
    Replace(usize),
    Delete(usize),
    Rename(usize),
    Add,
    /// The process ends after this many steps.
    Kill(u64),
    /// The process is asked to write while another one does.
    Locked,
    DropIndex,
    Acknowledge,
}

fn deed() -> impl Strategy<Value = Deed> {
    let log = 0..3_usize;
    prop_oneof![
        4 => log.clone().prop_map(Deed::Grow),
        1 => log.clone().prop_map(Deed::Cut),
        1 => log.clone().prop_map(Deed::Replace),
        1 => log.clone().prop_map(Deed::Delete),
        1 => log.prop_map(Deed::Rename),
        4 => Just(Deed::Add),
        2 => (0..40_u64).prop_map(Deed::Kill),
        1 => Just(Deed::Locked),
        1 => Just(Deed::DropIndex),
        1 => Just(Deed::Acknowledge),
    ]
}

const NAMES: [&str; 3] = ["ada.jsonl", "bob.jsonl", "cyd.jsonl"];

/// The expected state after the history so far.
struct Model {
    world: World,
    /// The file that each session is in, and its lines.
    logs: [(String, Vec<String>); 3],
    /// The lines of every version that was added, by the number of its statement.
    versions: BTreeMap<u64, (usize, Vec<String>)>,
    next: u64,
}

impl Model {
    fn new() -> Self {
        let logs = NAMES.map(|name| (name.to_owned(), Vec::new()));
        Self { world: World::new(), logs, versions: BTreeMap::new(), next: 0 }
    }

    fn write(&mut self, log: usize, keep: usize) {
        self.next += 1;
        let prompt = format!("prompt {}", self.next);
        let (file, lines) = &mut self.logs[log];
        lines.truncate(keep);
        lines.push(prompt);
        let texts: Vec<_> = lines.iter().map(String::as_str).collect();
        self.world.write(NAMES[log], &texts);
        if file != NAMES[log] {
            std::fs::rename(self.world.log(NAMES[log]), self.world.log(file)).unwrap();
        }
    }

    fn play(&mut self, deed: &Deed) {
        match *deed {
            Deed::Grow(log) => self.write(log, usize::MAX),
            Deed::Replace(log) => self.write(log, 0),
            Deed::Cut(log) => {
                let keep = self.logs[log].1.len() / 2;
                self.write(log, keep);
            }
            Deed::Delete(log) => {
                std::fs::remove_file(self.world.log(&self.logs[log].0)).unwrap_or_default();
                self.logs[log] = (NAMES[log].to_owned(), Vec::new());
            }
            Deed::Rename(log) => {
                self.next += 1;
                let to = format!("moved-{}.jsonl", self.next);
                let from = self.world.log(&self.logs[log].0);
                if from.exists() {
                    std::fs::rename(from, self.world.log(&to)).unwrap();
                    self.logs[log].0 = to;
                }
            }
            Deed::Add => drop(self.world.add()),
            Deed::Acknowledge => {
                let options = vac_archive::AddOptions { acknowledge: true, ..self.world.options() };
                let summary = self.world.add_with(&options, &Disk::default()).unwrap();
                let is_new = |version| summary.added.contains(version);
                assert!(summary.discontinued.iter().all(|(version, _)| is_new(version)));
            }
            Deed::Kill(steps) => {
                let killed =
                    self.world.add_with(&self.world.options(), &Disk::failing_after(steps));
                drop(killed);
            }
            Deed::Locked => {
                let folder = self.world.archive();
                let _lock = vac_archive::FolderLock::acquire(&folder, vac_archive::Wait::No, || ())
                    .unwrap();
                assert!(self.world.add_with(&self.world.options(), &Disk::default()).is_err());
            }
            Deed::DropIndex => {
                std::fs::remove_file(self.world.archive().join("index")).unwrap_or_default();
            }
        }
    }

    /// Compares the archive with what is known.
    fn check(&mut self) {
        let report = self.world.verify();
        assert!(report.valid, "{:?}", lines_of(&report));
        let archive = Archive::open(&self.world.archive()).unwrap();
        let catalog = archive.catalog().unwrap();
        for version in catalog.versions() {
            let log = NAMES.iter().position(|name| version.session_id == name[..3]).unwrap();
            let mut bytes = Vec::new();
            archive.source(version, 0, &mut bytes).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            let lines: Vec<String> = text
                .lines()
                .map(|line| {
                    let start = line.rfind("\"content\":\"").unwrap() + 11;
                    line[start..line.len() - 3].to_owned()
                })
                .collect();
            let known = self.versions.entry(version.number).or_insert((log, lines.clone()));
            assert_eq!(*known, (log, lines), "version {} has changed", version.number);
            let record = String::from_utf8(archive.record(version).unwrap()).unwrap();
            assert!(self.versions[&version.number].1.iter().all(|line| record.contains(line)));
        }
        assert_eq!(self.versions.len(), catalog.versions().len(), "a version is missing");
        // Exactly the versions that do not contain the previous ones are named.
        let lines_of_version = |number: u64| &self.versions[&number].1;
        let mut expected = Vec::new();
        for version in catalog.versions() {
            if let Some(previous) = version.previous {
                let contains =
                    lines_of_version(version.number).starts_with(lines_of_version(previous));
                assert_eq!(version.continues, Some(contains), "version {}", version.number);
                expected.extend((!contains).then_some(version.number));
            }
        }
        // Statements that no head covers yet are checked, and are not in the catalog.
        let is_ahead = report
            .findings
            .iter()
            .any(|it| it.kind == FindingKind::Unfinished && it.file == "statements");
        let named = report.findings.iter().filter(|it| it.kind == FindingKind::Discontinued);
        let (named, expected) = (named.count(), expected.len());
        let is_right = if is_ahead { named >= expected } else { named == expected };
        assert!(is_right, "{expected} expected: {:?}", lines_of(&report));
    }

    /// Whether the archive has the logs as they are now.
    fn is_up_to_date(&mut self) {
        self.world.add();
        self.check();
        let archive = Archive::open(&self.world.archive()).unwrap();
        let catalog = archive.catalog().unwrap();
        for (log, (_, lines)) in self.logs.iter().enumerate().filter(|(_, (_, it))| !it.is_empty())
        {
            let has = |number: &u64| self.versions[number] == (log, lines.clone());
            assert!(
                catalog.latest().any(|version| has(&version.number)),
                "the latest version of {} is not {lines:?}",
                NAMES[log]
            );
        }
        let again = self.world.add();
        assert!(again.added.is_empty(), "{again:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_version_is_kept_whatever_happens(deeds in prop::collection::vec(deed(), 1..24)) {
        let mut model = Model::new();
        for deed in &deeds {
            model.play(deed);
            if matches!(deed, Deed::Add | Deed::Kill(_) | Deed::Acknowledge) {
                model.check();
            }
        }
        model.is_up_to_date();
    }
}

#[test]
fn emptied_log_is_reported_until_it_is_acknowledged() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    world.write("two.jsonl", &["b"]);
    world.add();
    std::fs::write(world.log("one.jsonl"), "").unwrap();
    std::fs::write(world.home().join("notes.txt"), "not a log").unwrap();
    for _ in 0..2 {
        let summary = world.add();
        let [(log, reason)] = &summary.failed[..] else { panic!("{summary:?}") };
        assert!(log.ends_with("one.jsonl"), "{log}");
        assert!(reason.contains("version 1 of session one, which was made from it, is kept"));
        assert_eq!((summary.unchanged, summary.skipped), (1, 1));
    }
    let options = vac_archive::AddOptions { acknowledge: true, ..world.options() };
    let summary = world.add_with(&options, &Disk::default()).unwrap();
    assert_eq!((summary.failed.len(), summary.accepted.len()), (0, 1), "{summary:?}");
    let summary = world.add();
    assert_eq!((summary.failed.len(), summary.skipped), (0, 2), "{summary:?}");
    // The index alone states it, as its format states.
    let index = world.archive().join("index");
    let bytes = std::fs::read(&index).unwrap();
    std::fs::remove_file(&index).unwrap();
    assert_eq!(world.add().failed.len(), 1);
    std::fs::write(&index, bytes).unwrap();
    assert_eq!(world.add().failed.len(), 0);
    // The log is restored.
    world.write("one.jsonl", &["a", "c"]);
    assert_eq!(world.add().added[0].version, 2);
    assert!(world.verify().valid);
}

#[test]
fn names_that_no_statement_can_have_stop_no_other_log() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    let text = std::fs::read_to_string(world.log("one.jsonl")).unwrap();
    let long = text.replace("\"one\"", &format!("\"{}\"", "x".repeat(1 << 20)));
    std::fs::write(world.log("long.jsonl"), long).unwrap();
    let summary = world.add();
    assert_eq!((summary.added.len(), summary.failed.len()), (1, 1), "{:?}", summary.failed);
    assert!(summary.failed[0].1.contains("more than 24576"), "{}", summary.failed[0].1);
    assert!(world.verify().valid);
    let labels = BTreeMap::from([("note".to_owned(), "x".repeat(20_000))]);
    let options = vac_archive::AddOptions { labels, ..world.options() };
    let error = world.add_with(&options, &Disk::default()).unwrap_err();
    assert_eq!(error.to_string(), "the labels have 20011 bytes, more than 16384");
}

#[test]
fn archives_below_a_searched_folder_are_not_archived() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    let other = world.home().join("other");
    crate::world::copy(&world.archive(), &other);
    let add = |paths: &[PathBuf]| {
        let search = Search { paths: paths.to_vec(), ..Search::default() };
        let options = vac_archive::AddOptions { search, ..world.options() };
        world.add_with(&options, &Disk::default()).unwrap()
    };
    let all = world.archive().parent().unwrap().to_owned();
    assert_eq!(add(std::slice::from_ref(&all)).added.len(), 1);
    // The copy has objects, too.
    std::fs::remove_dir_all(&other).unwrap();
    crate::world::copy(&world.archive(), &other);
    let again = add(&[all]);
    assert_eq!((again.added.len(), again.skipped), (0, 0), "{again:?}");
    for path in [world.archive(), other.join("objects"), other.join("statements")] {
        let named = add(&[path]);
        assert_eq!((named.added.len(), named.troubles.len()), (0, 1), "{named:?}");
        assert!(named.troubles[0].ends_with("part of an archive, which keeps no logs to add"));
    }
}
