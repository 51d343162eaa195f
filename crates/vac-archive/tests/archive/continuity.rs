//! Tests which version becomes the previous one, and the statement if it cannot be compared.

use std::fs;
use std::io::Read as _;
use std::path::PathBuf;

use vac::Search;
use vac_archive::{AddOptions, AddSummary, Archive, ArchivedVersion, Disk};

use crate::world::{World, hex};

/// Returns the file of the record of a version.
fn object(world: &World, version: &ArchivedVersion) -> PathBuf {
    let name = hex(&version.record_sha_256);
    world.archive().join("objects").join(&name[..2]).join(&name[2..])
}

#[test]
fn unreadable_previous_record_makes_no_statement() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    let first = world.add().added.remove(0);
    let path = object(&world, &first);
    let intact = fs::read(&path).unwrap();
    // The log is written anew, so that only the records show that nothing was lost.
    world.write("one.jsonl", &["z", "a"]);
    for damaged in [Some("damaged"), None] {
        match damaged {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let summary = world.add();
        let [(_, reason)] = &summary.failed[..] else { panic!("{summary:?}") };
        assert!(reason.contains("cannot be compared with version 1 of session one"), "{reason}");
        assert_eq!((summary.added.len(), summary.size), (0, 1), "{summary:?}");
    }
    fs::write(&path, intact).unwrap();
    let second = world.add().added.remove(0);
    assert_eq!((second.version, second.continues), (2, Some(true)));
    assert!(world.verify().valid);
}

#[test]
fn acknowledged_session_with_a_lost_record_begins_anew() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    let first = world.add().added.remove(0);
    fs::remove_file(object(&world, &first)).unwrap();
    world.write("one.jsonl", &["z", "a"]);
    let options = AddOptions { acknowledge: true, ..world.options() };
    let summary = world.add_with(&options, &Disk::default()).unwrap();
    let [added] = &summary.added[..] else { panic!("{summary:?}") };
    assert_eq!((added.version, added.previous, added.continues), (1, None, None));
    // The next versions follow this one.
    world.grow("one.jsonl", &["b"]);
    let next = world.add().added.remove(0);
    assert_eq!((next.version, next.previous, next.continues), (2, Some(1), Some(true)));
    let catalog = Archive::open(&world.archive()).unwrap().catalog().unwrap();
    assert_eq!(catalog.find("one").unwrap().number, next.number);
}

#[test]
fn log_that_was_not_kept_is_kept_by_a_later_run() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    let without = AddOptions { keep_logs: false, ..world.options() };
    let run = |options| world.add_with(options, &Disk::default()).unwrap();
    assert!(!run(&without).added[0].logs);
    assert_eq!(run(&without).unchanged, 1);
    let kept = world.add();
    let [version] = &kept.added[..] else { panic!("{kept:?}") };
    assert_eq!((version.version, version.continues, version.logs), (2, Some(true), true));
    let mut log = Vec::new();
    Archive::open(&world.archive()).unwrap().source(version, 0, &mut log).unwrap();
    assert_eq!(log, fs::read(world.log("one.jsonl")).unwrap());
    for options in [&world.options(), &without] {
        assert_eq!((run(options).added.len(), run(options).unchanged), (0, 1));
    }
    assert!(world.verify().valid);
}

#[test]
fn log_that_was_cut_is_reported_before_it_is_acknowledged() {
    let world = World::new();
    world.write("one.jsonl", &["a", "b"]);
    world.add();
    world.write("one.jsonl", &["a"]);
    let options = AddOptions { acknowledge: true, ..world.options() };
    let run = || world.add_with(&options, &Disk::default()).unwrap();
    let found = run();
    assert_eq!((found.discontinued.len(), found.acknowledged.len()), (1, 0), "{found:?}");
    let accepted = run();
    let [(version, previous)] = &accepted.acknowledged[..] else { panic!("{accepted:?}") };
    assert_eq!((version.version, previous.version), (2, 1));
    assert!(accepted.discontinued.is_empty() && run().acknowledged.is_empty());
}

#[cfg(unix)]
#[test]
fn cut_log_is_found_under_every_path_of_its_folder() {
    for first in ["logs", "alias"] {
        for second in ["alias", "logs/../logs", "alias/../logs", "logs"] {
            let world = World::new();
            fs::create_dir(world.log("logs")).unwrap();
            std::os::unix::fs::symlink("logs", world.log("alias")).unwrap();
            let add = |folder: &str| {
                let search = Search { paths: vec![world.log(folder)], ..Search::default() };
                let options = AddOptions { search, ..world.options() };
                world.add_with(&options, &Disk::default()).unwrap()
            };
            world.write("one.jsonl", &["a", "b"]);
            fs::rename(world.log("one.jsonl"), world.log("logs/one.jsonl")).unwrap();
            let added = add(first).added.remove(0);
            assert!(added.origin.ends_with("/logs/one.jsonl"), "{added:?}");
            assert_eq!(add(second).unchanged, 1, "{first}, then {second}");
            world.write("one.jsonl", &["a"]);
            fs::rename(world.log("one.jsonl"), world.log("logs/one.jsonl")).unwrap();
            let cut = add(second);
            assert_eq!(cut.discontinued.len(), 1, "{first}, then {second}: {cut:?}");
            assert_eq!(cut.added[0].version, 2, "{first}, then {second}");
        }
    }
}

/// Adds a log with two prompts in a folder, changes that folder, and adds a copy with the first
/// prompt alone.
fn add_cut_copy(folder: &str, change: impl Fn(PathBuf)) -> (World, AddSummary) {
    let world = World::new();
    for name in [folder, "copy"] {
        fs::create_dir_all(world.log(name)).unwrap();
    }
    world.write("one.jsonl", &["a", "b"]);
    fs::rename(world.log("one.jsonl"), world.log(folder).join("one.jsonl")).unwrap();
    assert_eq!(world.add().added.len(), 1);
    change(world.log(folder));
    world.write("one.jsonl", &["a"]);
    let copy = world.log("copy").join("one.jsonl");
    fs::rename(world.log("one.jsonl"), &copy).unwrap();
    let search = Search { paths: vec![copy], ..Search::default() };
    let options = AddOptions { search, ..world.options() };
    let summary = world.add_with(&options, &Disk::default()).unwrap();
    assert_eq!(summary.added.len(), 1, "{summary:?}");
    (world, summary)
}

#[test]
fn session_in_two_places_has_two_names() {
    let (world, _) = add_cut_copy("logs", |_| ());
    let archive = Archive::open(&world.archive()).unwrap();
    let catalog = archive.catalog().unwrap();
    let records = archive.records().unwrap();
    let mut names = Vec::new();
    for record in &records.records {
        let name = record.shown.rsplit(['/', '\\']).next().unwrap();
        let mut bytes = Vec::new();
        records.source.open(&record.name).unwrap().read_to_end(&mut bytes).unwrap();
        let version = catalog.find_named(name).unwrap();
        assert_eq!(archive.record(version).unwrap(), bytes, "{name}");
        names.push(name);
    }
    assert_eq!(names, ["one@statement-0", "one"]);
}

#[test]
fn cut_copy_of_a_log_that_still_exists_is_another_session() {
    for folder in ["logs", "c#/logs"] {
        let (_, summary) = add_cut_copy(folder, |_| ());
        assert_eq!((summary.discontinued.len(), summary.added[0].version), (0, 1), "{folder}");
    }
}

#[test]
fn cut_log_follows_one_that_is_missing_in_its_folder() {
    for folder in ["logs", "c#/logs"] {
        let (_, summary) =
            add_cut_copy(folder, |folder| fs::remove_file(folder.join("one.jsonl")).unwrap());
        assert_eq!((summary.discontinued.len(), summary.added[0].version), (1, 2), "{folder}");
        // The folder of another machine, or of a disk that is not mounted.
        let (_, summary) = add_cut_copy(folder, |folder| fs::remove_dir_all(folder).unwrap());
        assert_eq!((summary.discontinued.len(), summary.added[0].version), (0, 1), "{folder}");
    }
}

#[test]
fn run_for_some_sessions_of_a_log_leaves_the_others_to_the_next() {
    let world = World::new();
    let session = |id: &str, hour: u32| {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"{id}\",\"uuid\":\"{id}\",\"parentUuid\":null,\
             \"timestamp\":\"2026-04-01T{hour:02}:00:00.000Z\",\"cwd\":\"/home/ada/loom\",\
             \"version\":\"2.1.0\",\"message\":{{\"role\":\"user\",\"content\":\"Weave it\"}}}}\n"
        )
    };
    fs::write(world.log("both.jsonl"), session("early", 8) + &session("late", 10)).unwrap();
    let since = vac::when::since("2026-04-01T09:00:00Z").ok();
    let some = AddOptions { search: Search { since, ..world.options().search }, ..world.options() };
    let ids = |summary: AddSummary| -> Vec<String> {
        summary.added.into_iter().map(|version| version.session_id).collect()
    };
    let add = |options: &AddOptions| ids(world.add_with(options, &Disk::default()).unwrap());
    assert_eq!(add(&some), ["late"]);
    assert_eq!(add(&some), [""; 0]);
    assert_eq!(ids(world.add()), ["early"]);
    assert_eq!(ids(world.add()), [""; 0]);
    assert_eq!(add(&some), [""; 0]);
    assert!(world.verify().valid);
}
