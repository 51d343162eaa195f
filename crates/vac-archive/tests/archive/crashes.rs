//! Tests that a process that ends at any point, and a full disk, leave a valid archive.

use std::collections::BTreeMap;

use vac::{Encoding, Signer as _};
use vac_archive::{
    Archive, ArchiveErrorKind, Disk, FolderLock, InitOptions, VerifyOptions, Wait, verify_archive,
};

use crate::world::{World, files, lines_of};

/// Adds with a disk that fails after each number of steps, until it no longer fails.
#[test]
fn interruption_at_every_step_loses_nothing() {
    let mut steps = 0;
    loop {
        let world = World::new();
        world.write("one.jsonl", &["a", "b"]);
        world.add();
        world.grow("one.jsonl", &["c"]);
        world.write("two.jsonl", &["d"]);
        let covered = world.verify().statements;
        let added = world.add_with(&world.options(), &Disk::failing_after(steps));
        let report = world.verify();
        assert!(report.valid, "after {steps} steps: {:?}", lines_of(&report));
        assert!(report.statements >= covered);
        // The next run completes it.
        let again = world.add();
        let report = world.verify();
        assert!(report.valid, "after {steps} steps: {:?}", lines_of(&report));
        assert_eq!(report.statements, 3, "after {steps} steps: {again:?}");
        let tmp = world.archive().join("tmp").read_dir().unwrap().count();
        assert_eq!(tmp, 0, "after {steps} steps");
        let third = world.add();
        assert_eq!(third.added.len() + third.repaired.len(), 0, "after {steps} steps: {third:?}");
        if added.is_ok() {
            break;
        }
        assert_eq!(added.unwrap_err().kind, ArchiveErrorKind::Io);
        steps += 1;
    }
    assert!(steps > 20, "{steps}");
}

#[test]
fn interrupted_init_can_be_repeated() {
    let world = World::new();
    let options = InitOptions {
        id: [4; 16],
        labels: BTreeMap::new(),
        encoding: Encoding::Json,
        time: Some(world.time),
    };
    for exists in [false, true] {
        for steps in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let place = folder.path().join("new");
            if exists {
                std::fs::create_dir(&place).unwrap();
            }
            let init = |disk| Archive::init(&place, &options, &world.key, &disk);
            let is_made = init(Disk::failing_after(steps)).is_ok();
            let is_archive = Archive::open(&place).is_ok();
            let again = init(Disk::default());
            assert_eq!(again.is_err(), is_archive, "after {steps} steps: {again:?}");
            let key = Some(world.key.public_key());
            let check = VerifyOptions { key, jobs: 1, ..VerifyOptions::default() };
            let report = verify_archive(&place, &check, &mut |_| {}).unwrap();
            assert!(report.valid, "after {steps} steps: {:?}", lines_of(&report));
            if is_made {
                assert!(steps > 15, "{steps}");
                break;
            }
        }
    }
    // An archive that has lost its description is not overwritten.
    world.write("one.jsonl", &["a"]);
    world.add();
    std::fs::remove_file(world.archive().join("archive.json")).unwrap();
    let error = Archive::init(&world.archive(), &options, &world.key, &Disk::default());
    assert_eq!(error.unwrap_err().kind, ArchiveErrorKind::Exists);
}

#[test]
fn failure_at_any_step_adds_no_empty_head() {
    for steps in 0.. {
        let world = World::new();
        world.write("one.jsonl", &["a", "b"]);
        world.add();
        world.write("two.jsonl", &["c"]);
        let added = world.add_with(&world.options(), &Disk::failing_once_after(steps));
        let report = world.verify();
        assert!(report.valid, "after {steps} steps: {:?}", lines_of(&report));
        // Head 0 and one of each session.
        assert_eq!(report.heads as u64, 1 + report.statements, "after {steps} steps");
        if added.is_ok() {
            assert!(steps > 10, "{steps}");
            break;
        }
    }
}

#[test]
fn folders_that_a_copy_has_lost_are_made_again() {
    let world = World::new();
    for name in ["objects", "tmp"] {
        std::fs::remove_dir(world.archive().join(name)).unwrap();
    }
    world.write("one.jsonl", &["a"]);
    assert_eq!(world.add().added.len(), 1);
    std::fs::remove_dir(world.archive().join("tmp")).unwrap();
    assert!(world.verify().valid);
    assert_eq!(world.add().unchanged, 1);
}

#[test]
fn file_that_is_cut_off_anywhere_is_repaired_or_refused() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    world.add();
    let before = files(&world.archive());
    world.write("two.jsonl", &["b"]);
    world.add();
    let after = files(&world.archive());
    for name in ["statements", "heads"] {
        let path = world.archive().join(name);
        for end in 0..after[name].len() {
            // Simulate that the run ended while it wrote this file.
            for (other, bytes) in &after {
                std::fs::write(world.archive().join(other), bytes).unwrap();
            }
            std::fs::write(world.archive().join("index"), &before["index"]).unwrap();
            if name == "statements" {
                std::fs::write(world.archive().join("heads"), &before["heads"]).unwrap();
            }
            std::fs::write(&path, &after[name][..end]).unwrap();
            let is_interrupted = end >= before[name].len();
            let report = world.verify();
            assert_eq!(report.valid, is_interrupted, "{name} {end}: {:?}", lines_of(&report));
            let added = world.add_with(&world.options(), &Disk::default());
            assert_eq!(added.is_ok(), is_interrupted, "{name} {end}: {added:?}");
            if is_interrupted {
                let report = world.verify();
                assert!(report.valid && report.statements == 2, "{name} {end}");
            }
        }
    }
}

#[test]
fn damage_in_the_middle_is_never_taken_for_an_interruption() {
    let world = World::new();
    for name in ["one.jsonl", "two.jsonl", "three.jsonl"] {
        world.write(name, &[name]);
        world.add();
    }
    let all = files(&world.archive());
    std::fs::remove_file(world.archive().join("index")).unwrap();
    for name in ["statements", "heads"] {
        let (path, bytes) = (world.archive().join(name), &all[name]);
        for at in 0..bytes.len() / 2 {
            let mut changed = bytes.clone();
            changed[at] ^= 0x81;
            std::fs::write(&path, &changed).unwrap();
            let added = world.add_with(&world.options(), &Disk::default());
            let found = std::fs::read(&path).unwrap();
            assert!(found.starts_with(&changed), "{name} at {at}: bytes were removed: {added:?}");
            std::fs::remove_file(world.archive().join("index")).unwrap_or_default();
        }
        std::fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn two_writers_take_turns() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    let lock = FolderLock::acquire(&world.archive(), Wait::No, || ()).unwrap();
    let refused = world.add_with(&world.options(), &Disk::default()).unwrap_err();
    assert_eq!(refused.kind, ArchiveErrorKind::Locked);
    drop(lock);
    let options = vac_archive::AddOptions { wait: Wait::Yes, ..world.options() };
    let added: usize = std::thread::scope(|scope| {
        let run = || world.add_with(&options, &Disk::default()).unwrap().added.len();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(added, 1);
    assert!(world.verify().valid);
    assert_eq!(Archive::open(&world.archive()).unwrap().catalog().unwrap().versions().len(), 1);
}

#[test]
fn archive_that_grows_during_a_check_is_valid() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    world.add();
    world.write("two.jsonl", &["b"]);
    let options =
        VerifyOptions { key: Some(world.key.public_key()), jobs: 1, ..VerifyOptions::default() };
    let mut has_grown = false;
    // The heads are read before the records, and the index is written while those are checked.
    let report = verify_archive(&world.archive(), &options, &mut |_| {
        if !std::mem::replace(&mut has_grown, true) {
            assert_eq!(world.add().added.len(), 1);
        }
    });
    let report = report.unwrap();
    assert!(has_grown && report.valid, "{:?}", lines_of(&report));
    assert_eq!(report.statements, 1);
}
