//! Tests that every change of an archive is found and reported as what it is.

use std::fs;

use vac::{Encoding, SecretKey, Signer as _};
use vac_archive::{Archive, ArchivedVersion, FindingKind};

use crate::world::{World, copy, files, hex, lines_of};

/// An archive with three sessions, one of them in two versions.
fn world() -> World {
    let world = World::new();
    world.write("one.jsonl", &["a", "b"]);
    world.write("two.jsonl", &["c"]);
    world.add();
    world.grow("one.jsonl", &["d"]);
    world.write("three.jsonl", &["e"]);
    world.add();
    let report = world.verify();
    assert!(report.valid && report.findings.is_empty(), "{:?}", lines_of(&report));
    assert_eq!((report.statements, report.sessions, report.heads), (4, 3, 3));
    world
}

fn kinds(world: &World) -> Vec<FindingKind> {
    let report = world.verify();
    assert!(!report.valid, "{:?}", lines_of(&report));
    report.findings.iter().map(|it| it.kind).collect()
}

/// Returns the records and logs that an archive returns; `None` if one cannot be read.
fn content(archive: &Archive, versions: &[ArchivedVersion]) -> Option<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    for version in versions {
        all.push(archive.record(version).ok()?);
        for number in 0..version.details.sources.len() {
            let mut log = Vec::new();
            archive.source(version, number, &mut log).ok()?;
            all.push(log);
        }
    }
    Some(all)
}

#[test]
fn every_changed_byte_is_found_in_its_file() {
    let world = world();
    let archive = Archive::open(&world.archive()).unwrap();
    let versions = archive.catalog().unwrap().versions().to_vec();
    let original = content(&archive, &versions);
    assert_eq!(original.as_ref().map(Vec::len), Some(8));
    for (name, bytes) in files(&world.archive()) {
        let path = world.archive().join(&name);
        // Each byte of small files, and bytes everywhere in larger ones.
        let step = (bytes.len() / 150).max(1);
        for at in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            fs::write(&path, &changed).unwrap();
            let report = world.verify();
            let is_named = report.findings.iter().any(|finding| finding.file == name);
            // A frame of Zstandard has bits that no reader uses.
            let is_unused = name.starts_with("objects/")
                && report.findings.is_empty()
                && content(&archive, &versions) == original;
            assert!(is_named || is_unused, "{name} at {at}: {:?}", lines_of(&report));
            // The beginning of a statement that is cut off can look as after an interruption, and
            // the length of one can be changed so that it reaches over the end.
            assert!(!report.valid || is_unused, "{name} at {at}: {:?}", lines_of(&report));
        }
        fs::write(&path, &bytes).unwrap();
    }
    assert!(world.verify().valid);
}

#[test]
fn every_removed_file_is_found() {
    let world = world();
    for (name, bytes) in files(&world.archive()) {
        let path = world.archive().join(&name);
        fs::remove_file(&path).unwrap();
        let report = world.verify();
        let found: Vec<_> = report.findings.iter().filter(|it| it.file == name).collect();
        match name.as_str() {
            "index" => assert!(report.valid && found.is_empty(), "{:?}", lines_of(&report)),
            _ => assert_eq!(found[0].kind, FindingKind::Missing, "{name}"),
        }
        fs::write(&path, bytes).unwrap();
    }
    assert!(world.verify().valid);
}

#[test]
fn swapped_files_are_found() {
    let world = world();
    let all = files(&world.archive());
    let names: Vec<_> = all.keys().filter(|name| *name != "index").collect();
    for (at, one) in names.iter().enumerate() {
        for two in &names[at + 1..] {
            let (first, second) = (world.archive().join(one), world.archive().join(two));
            fs::write(&first, &all[*two]).unwrap();
            fs::write(&second, &all[*one]).unwrap();
            let report = world.verify();
            // Without a description, the text is not compared.
            for name in [one, two].into_iter().filter(|name| **name != "README") {
                let is_named = report.findings.iter().any(|it| it.file == **name);
                assert!(is_named, "{one} and {two}: {:?}", lines_of(&report));
            }
            fs::write(&first, &all[*one]).unwrap();
            fs::write(&second, &all[*two]).unwrap();
        }
    }
    assert!(world.verify().valid);
}

#[test]
fn added_files_and_links_are_found() {
    let world = world();
    let objects = world.archive().join("objects");
    let some = objects.read_dir().unwrap().next().unwrap().unwrap().path();
    for path in [
        world.archive().join("notes.txt"),
        world.archive().join(".vac-index"),
        world.archive().join("statements.bak"),
        objects.join("stray"),
        some.join("stray"),
        some.join("0".repeat(62)),
    ] {
        fs::write(&path, "x").unwrap();
        assert_eq!(kinds(&world), [FindingKind::Added], "{}", path.display());
        fs::remove_file(&path).unwrap();
    }
    #[cfg(unix)]
    {
        let statements = world.archive().join("statements");
        let elsewhere = world.home().join("statements");
        fs::rename(&statements, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &statements).unwrap();
        assert!(kinds(&world).contains(&FindingKind::Added));
        fs::remove_file(&statements).unwrap();
        fs::rename(&elsewhere, &statements).unwrap();
    }
    assert!(world.verify().valid);
}

/// Divides a file of statements or heads.
fn items(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut items, mut rest) = (Vec::new(), bytes);
    while let Some((item, after)) = vac_sign::statement::Sign1::split(rest) {
        items.push(item.bytes.to_vec());
        rest = after;
    }
    items
}

#[test]
fn moved_removed_and_repeated_statements_are_named() {
    let world = world();
    for (file, one) in [("statements", "statement"), ("heads", "head")] {
        let path = world.archive().join(file);
        let bytes = fs::read(&path).unwrap();
        let all = items(&bytes);
        let check = |changed: Vec<Vec<u8>>, expected: &str| {
            fs::write(&path, changed.concat()).unwrap();
            let lines = lines_of(&world.verify());
            assert!(lines.iter().any(|line| line == expected), "{lines:?} lacks {expected}");
            fs::write(&path, &bytes).unwrap();
        };
        let mut swapped = all.clone();
        swapped.swap(0, 1);
        check(swapped, &format!("reordered: {file}: {one} 0 is at place 1"));
        let mut removed = all.clone();
        removed.remove(1);
        check(removed, &format!("missing: {file}: {one} 1"));
        let mut repeated = all.clone();
        repeated.insert(1, all[0].clone());
        check(repeated, &format!("added: {file}: {one} 0 occurs 2 times"));
    }
    // Without the last statements, the newest head shows what is missing.
    let path = world.archive().join("statements");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, items(&bytes)[..2].concat()).unwrap();
    let lines = lines_of(&world.verify());
    assert!(lines.contains(&"missing: statements: statements 2 to 3".to_owned()), "{lines:?}");
    assert!(world.add_with(&world.options(), &vac_archive::Disk::default()).is_err());
}

#[test]
fn rolled_back_archive_is_found_by_a_kept_head() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    world.add();
    let earlier = tempfile::tempdir().unwrap();
    copy(&world.archive(), earlier.path());
    let first = world.head();
    world.grow("one.jsonl", &["b"]);
    world.add();
    let second = world.head();
    assert!(world.verify_with(Some(&first)).valid && world.verify_with(Some(&second)).valid);
    fs::remove_dir_all(world.archive()).unwrap();
    copy(earlier.path(), &world.archive());
    assert!(world.verify_with(Some(&first)).valid, "nothing inside shows it");
    let report = world.verify_with(Some(&second));
    let expected =
        "rolled back: heads: the given head is number 2 with 2 statements, the newest is 1";
    assert!(lines_of(&report).contains(&expected.to_owned()), "{:?}", lines_of(&report));
}

#[test]
fn rolled_back_files_are_found_by_the_index_that_was_left() {
    let world = World::new();
    world.write("one.jsonl", &["a"]);
    world.add();
    let before = files(&world.archive());
    world.grow("one.jsonl", &["b"]);
    world.add();
    for name in ["heads", "statements"] {
        fs::write(world.archive().join(name), &before[name]).unwrap();
    }
    let lines = lines_of(&world.verify());
    let expected = "rolled back: heads: the index is of head 2, which is missing";
    assert!(lines.contains(&expected.to_owned()), "{lines:?}");
}

#[test]
fn kept_head_with_a_time_stamp_is_the_same_head() {
    let world = world();
    let kept = world.head();
    // `vac timestamp attach` writes its token there.
    let unprotected = [&[0xa1, 0x19, 0x01, 0x0e, 0x43][..], b"tst"].concat();
    let stamped = vac_sign::Envelope::read_receipt(&kept).unwrap().with_unprotected(&unprotected);
    let report = world.verify_with(Some(&stamped));
    assert!(report.valid, "{:?}", lines_of(&report));
    let mut changed = stamped.clone();
    *changed.last_mut().unwrap() ^= 1;
    for wrong in [changed, [&stamped[..], b"x"].concat()] {
        let report = world.verify_with(Some(&wrong));
        assert!(!report.valid && report.findings[0].file == "the given head", "{report:?}");
    }
}

#[test]
fn kept_head_detects_a_rewritten_archive() {
    let one = World::new();
    one.write("one.jsonl", &["a", "b"]);
    one.add();
    let kept = one.head();
    // The owner of the key writes the history anew, with the same id and time.
    let two = World::new();
    two.write("one.jsonl", &["a"]);
    two.add();
    two.write("two.jsonl", &["x"]);
    two.add();
    assert!(two.verify().valid);
    let lines = lines_of(&two.verify_with(Some(&kept)));
    assert!(
        lines.contains(&"rewritten: heads: head 1 is not the given one".to_owned()),
        "{lines:?}"
    );
    let root = "rewritten: the given head: the first statement does not have its root";
    assert!(lines.contains(&root.to_owned()), "{lines:?}");
}

#[test]
fn archive_of_another_key_is_found() {
    let mut world = World::with_key(SecretKey::ed25519(&[9; 32]), Encoding::Cbor);
    world.write("one.jsonl", &["a"]);
    world.add();
    assert!(world.verify().valid);
    world.key = SecretKey::ed25519(&[8; 32]);
    let kinds = kinds(&world);
    assert!(kinds.iter().all(|kind| *kind != FindingKind::Unused), "{kinds:?}");
    let archive = Archive::open(&world.archive()).unwrap();
    assert!(world.add_with(&world.options(), &vac_archive::Disk::default()).is_err());
    assert_eq!(archive.catalog().unwrap().versions().len(), 1);
}

#[test]
fn changed_index_makes_no_wrong_answer() {
    let world = world();
    let path = world.archive().join("index");
    let text = fs::read_to_string(&path).unwrap();
    let archive = Archive::open(&world.archive()).unwrap();
    let right = archive.catalog().unwrap().versions().to_vec();
    fs::write(&path, text.replace("three", "threw")).unwrap();
    assert_eq!(archive.catalog().unwrap().versions(), right);
    fs::remove_file(&path).unwrap();
    assert_eq!(archive.catalog().unwrap().versions(), right);
    // The next run reads everything again, and adds nothing.
    let again = world.add();
    assert_eq!((again.added.len(), again.unchanged), (0, 3));
    assert_eq!(archive.catalog().unwrap().versions(), right);
}

/// Signs the last statement or head of a file again, with other claims.
fn sign_again(
    world: &World,
    file: &str,
    root: Option<[u8; 32]>,
    change: impl Fn(Vec<u8>) -> Vec<u8>,
) {
    use vac_sign::statement::{Purpose, Sign1, sign};
    let path = world.archive().join(file);
    let bytes = fs::read(&path).unwrap();
    let mut all = items(&bytes);
    let last = all.pop().unwrap();
    let (item, _) = Sign1::split(&last).unwrap();
    let (name, purpose) = match file {
        "heads" => ("vac-archive-head", Purpose::TreeHead),
        _ => ("vac-archive", Purpose::Record { content_type: "application/json" }),
    };
    let subject = item.verify(world.key.public_key()).unwrap().subject.unwrap();
    let claim = change(item.claim(name).unwrap());
    let payload = root.unwrap_or(*item.payload);
    all.push(
        sign(purpose, &subject, Some(world.time), (name, &claim), &payload, &world.key).unwrap(),
    );
    fs::write(path, all.concat()).unwrap();
}

/// Returns CBOR with other bytes after a key.
fn with_value(claim: &[u8], key: &str, length: usize, value: &[u8]) -> Vec<u8> {
    let at = claim.windows(key.len()).position(|it| it == key.as_bytes()).unwrap() + key.len();
    [&claim[..at], value, &claim[at + length..]].concat()
}

/// Signs the newest head again, for the statements that are there.
fn sign_head_again(world: &World) {
    use vac_sign::merkle::{Peaks, leaf};
    let statements = fs::read(world.archive().join("statements")).unwrap();
    let leaf_of =
        |item: &Vec<u8>| leaf(&vac_sign::statement::Sign1::split(item).unwrap().0.entry());
    let tree: Peaks = items(&statements).iter().map(leaf_of).collect();
    sign_again(world, "heads", Some(tree.root()), |claim| claim);
    fs::remove_file(world.archive().join("index")).unwrap();
}

#[test]
fn false_claim_to_contain_the_previous_version_is_found() {
    let world = World::new();
    world.write("one.jsonl", &["a", "b"]);
    world.add();
    world.write("one.jsonl", &["a"]);
    assert_eq!(world.add().discontinued.len(), 1);
    // The owner of the key signs that nothing was lost.
    sign_again(&world, "statements", None, |claim| with_value(&claim, "continues", 1, &[0xf5]));
    sign_head_again(&world);
    let expected = "changed: statements: statement 1: version 2 of session one does not contain \
                    version 1, though it states that";
    assert_eq!(lines_of(&world.verify()), [expected]);
}

#[test]
fn numbers_beyond_every_place_are_named() {
    let world = world();
    let last = u64::MAX.to_be_bytes();
    let value = [&[0x1b][..], &last].concat();
    sign_again(&world, "statements", None, |claim| with_value(&claim, "number", 1, &value));
    let lines = lines_of(&world.verify());
    assert!(lines.iter().any(|line| line.starts_with("missing: statements: ")), "{lines:?}");
    sign_again(&world, "heads", None, |claim| with_value(&claim, "number", 1, &value));
    let lines = lines_of(&world.verify());
    assert!(lines.iter().any(|line| line.starts_with("missing: heads: ")), "{lines:?}");
    assert!(world.add_with(&world.options(), &vac_archive::Disk::default()).is_err());
}

#[test]
fn files_that_only_seem_to_be_large_are_not_read() {
    let world = world();
    for name in ["statements", "heads"] {
        let path = world.archive().join(name);
        let bytes = fs::read(&path).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        let lines = lines_of(&world.verify());
        let expected =
            format!("changed: {name}: the bytes after offset {} cannot be read", bytes.len());
        assert_eq!(lines, [expected]);
        fs::remove_file(world.archive().join("index")).unwrap_or_default();
        assert!(world.add_with(&world.options(), &vac_archive::Disk::default()).is_err());
        assert_eq!(path.metadata().unwrap().len(), 1 << 40, "nothing was removed");
        fs::write(&path, bytes).unwrap();
    }
    let index = fs::File::create(world.archive().join("index")).unwrap();
    index.set_len(1 << 40).unwrap();
    let lines = lines_of(&world.verify());
    assert!(lines.len() == 1 && lines[0].starts_with("changed: index: "), "{lines:?}");
}

#[test]
fn folders_that_are_not_part_of_an_archive_are_found() {
    let world = world();
    for name in ["a/b/c/d/e/f/g", "objects/zz", "objects/AB", "tmp/x"] {
        fs::create_dir_all(world.archive().join(name)).unwrap();
        let top = if name.starts_with('a') { "a" } else { name };
        assert_eq!(
            lines_of(&world.verify()),
            [format!("added: {top}/: it is not part of the archive")]
        );
        fs::remove_dir_all(world.archive().join(top)).unwrap();
    }
    assert!(world.verify().valid);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    for name in ["objects", "tmp", "statements", "heads"] {
        let world = world();
        let (own, elsewhere) = (world.archive().join(name), world.home().join("elsewhere"));
        fs::rename(&own, &elsewhere).unwrap();
        symlink(&elsewhere, &own).unwrap();
        let content = || if elsewhere.is_dir() { files(&elsewhere) } else { files(&world.home()) };
        world.write("new.jsonl", &["n"]);
        let before = content();
        assert!(world.add_with(&world.options(), &vac_archive::Disk::default()).is_err(), "{name}");
        assert_eq!(content(), before, "{name}");
    }
}

#[test]
fn changed_description_accuses_no_record() {
    let world = world();
    let path = world.archive().join("archive.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"json\"", "\"cbor\"")).unwrap();
    let expected = "changed: archive.json: the heads state another hash";
    assert_eq!(lines_of(&world.verify()), [expected]);
    let error = Archive::open(&world.archive()).unwrap().catalog().unwrap_err();
    assert!(error.to_string().contains("archive.json: it was changed"), "{error}");
}

#[test]
fn lost_record_accuses_no_log() {
    let world = world();
    let archive = Archive::open(&world.archive()).unwrap();
    let name = hex(&archive.catalog().unwrap().versions()[1].record_sha_256);
    let file = format!("objects/{}/{}", &name[..2], &name[2..]);
    fs::remove_file(world.archive().join(&file)).unwrap();
    let lines = lines_of(&world.verify());
    let expected = format!(
        "missing: {file}: the record of statement 1 (version 1 of session two): the file does not exist"
    );
    assert_eq!(lines, [expected]);
}

#[test]
fn problems_are_reported_before_notes() {
    let world = World::new();
    world.write("one.jsonl", &["a", "b"]);
    world.add();
    world.write("one.jsonl", &["c"]);
    world.add();
    fs::write(world.archive().join("stray"), "x").unwrap();
    let kinds: Vec<_> = world.verify().findings.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [FindingKind::Added, FindingKind::Discontinued]);
}

#[test]
fn lost_objects_are_stored_again_from_their_logs() {
    let world = world();
    let archive = Archive::open(&world.archive()).unwrap();
    let latest: Vec<_> = archive.catalog().unwrap().latest().cloned().collect();
    let before = fs::read(world.archive().join("statements")).unwrap();
    let mut lost = Vec::new();
    for version in &latest {
        lost.extend([version.record_sha_256, version.details.sources[0].sha_256]);
    }
    for (at, name) in lost.iter().map(hex).enumerate() {
        let path = world.archive().join("objects").join(&name[..2]).join(&name[2..]);
        if at % 2 == 0 { fs::remove_file(path).unwrap() } else { fs::write(path, "x").unwrap() }
    }
    assert!(world.add().repaired.is_empty() && !world.verify().valid);
    let options = vac_archive::AddOptions { rehash: true, ..world.options() };
    let summary = world.add_with(&options, &vac_archive::Disk::default()).unwrap();
    assert_eq!((summary.added.len(), summary.repaired.len()), (0, latest.len()), "{summary:?}");
    let report = world.verify();
    assert!(report.valid, "{:?}", lines_of(&report));
    assert_eq!(fs::read(world.archive().join("statements")).unwrap(), before);
}
