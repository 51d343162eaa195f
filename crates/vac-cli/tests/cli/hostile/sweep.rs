//! Tests every native fixture, truncated and damaged in many places: it is converted to a valid
//! record or refused with a reason. Most are converted in this process, some by the program.

use std::fs;
use std::path::{Path, PathBuf};

use vac::AGENTS;
use vac::adapter::detect::detect;
use vac::adapter::session::{self, RecordOptions};
use vac::adapter::{Error, Memory};
use vac::value::Encoding;

use super::{Dice, assert_untouched, files, names, run};
use crate::run::Folder;

/// Number of places of a file that are tried.
const PLACES: usize = 16;

/// Returns the native files of all agents.
fn fixtures() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut found = Vec::new();
    for &adapter in AGENTS {
        let below = folder.join(adapter.name());
        let is_native = |name: &String| !name.rsplit('/').next().unwrap().starts_with("expected");
        let paths = names(&below).into_iter().filter(is_native);
        let paths = paths.map(|name| (format!("{}/{name}", adapter.name()), below.join(name)));
        found.extend(paths.filter(|(_, path)| path.is_file()));
    }
    assert!(found.len() > 100, "{} fixtures", found.len());
    found
}

fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SQLite format 3\0") || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

/// Converts a changed log. Returns the records, if it is still a log.
fn convert(name: &str, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let input = Memory { name: name.rsplit('/').next().unwrap(), bytes };
    let (adapter, _) = detect(&input, AGENTS).expect("memory can be read")?;
    let sessions = match adapter.survey(&input) {
        Ok(sessions) => sessions,
        Err(Error::Refused(reason)) => {
            assert!(!reason.is_empty(), "{name}: no reason");
            return None;
        }
        Err(error) => panic!("{name}: {error}"),
    };
    let record = |session: &dyn vac::adapter::Session| {
        let mut record = Vec::new();
        session::write(session, &RecordOptions::default(), &session::no_sources, &mut record)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(vac::validation::validate(&record, Encoding::Json), Ok(()), "{name}");
        record
    };
    Some(sessions.iter().map(|session| record(&**session)).collect())
}

#[test]
fn truncated_log_converts_or_is_refused() {
    let (mut converted, mut refused) = (0, 0);
    for (name, path) in fixtures() {
        let bytes = fs::read(path).expect("a fixture");
        // A companion file is read together with its log, or in a tree.
        let is_piece = name.contains("/storage/") || convert(&name, &bytes).is_none();
        if is_container(&bytes) || is_piece {
            continue;
        }
        let step = bytes.len().div_ceil(PLACES).max(1);
        for end in (0..bytes.len()).step_by(step).chain(bytes.len().saturating_sub(3)..bytes.len())
        {
            match convert(&format!("cut at {end}/{name}"), &bytes[..end]) {
                Some(_) => converted += 1,
                None => refused += 1,
            }
        }
    }
    // Beginnings are recognised, unless they are a few bytes.
    assert!(converted > 2 * refused, "{converted} converted, {refused} refused");
}

#[test]
fn damaged_log_converts_or_is_refused_the_same_each_time() {
    let mut dice = Dice(0x5eed_0007);
    let mut converted = 0;
    for (name, path) in fixtures() {
        let bytes = fs::read(path).expect("a fixture");
        if is_container(&bytes) {
            continue;
        }
        for round in 0..PLACES {
            let mut bytes = bytes.clone();
            dice.damage(&mut bytes);
            let name = format!("damaged {round}/{name}");
            let records = convert(&name, &bytes);
            converted += usize::from(records.is_some());
            if round == 0 {
                assert!(convert(&name, &bytes) == records, "{name}: other bytes the second time");
            }
        }
    }
    assert!(converted > 1000, "{converted} converted");
}

#[test]
fn program_and_library_convert_alike() {
    let mut dice = Dice(0x5eed_0011);
    let folder = Folder::new();
    let mut damaged = 0;
    for (number, (name, path)) in fixtures().into_iter().enumerate() {
        let mut bytes = fs::read(&path).expect("a fixture");
        let ending = name.rsplit('.').next().unwrap().to_owned();
        for round in 0..2 {
            if round == 0 {
                bytes.truncate(dice.roll(bytes.len()));
            } else {
                dice.damage(&mut bytes);
            }
            folder.write(&format!("in/{number}-{round}.{ending}"), &bytes);
            damaged += 1;
        }
    }
    let before = files(&folder.path().join("in"));
    let ended = run(folder.path(), &["convert", "in", "-o", "out/", "--report", "report.json"]);
    assert_ne!(ended.code, 0, "something among them is refused: {}", ended.stderr);
    assert_untouched(&before);
    assert_eq!(run(folder.path(), &["validate", "out"]).code, 0);
    assert!(names(&folder.path().join("out")).len() > damaged / 3);
    for command in [&["validate"][..], &["inspect"], &["events"], &["list", "--root"]] {
        run(folder.path(), &[command, &["in"]].concat());
    }
    assert_untouched(&before);
    let forced = ["convert", "in", "-o", "out/", "--force", "-j", "5"];
    let made = files(&folder.path().join("out"));
    run(folder.path(), &forced);
    let again = files(&folder.path().join("out"));
    assert_eq!(made.len(), again.len());
    for (path, (_, bytes)) in &made {
        assert!(again[path].1 == *bytes, "{} is not the same again", path.display());
    }
}

#[test]
fn broken_containers_are_reported_and_stop_nothing() {
    let folder = Folder::new();
    folder.write("in/log.jsonl", super::log("one"));
    let mut kinds = [0; 2];
    for (name, path) in fixtures() {
        let bytes = fs::read(&path).expect("a fixture");
        if !is_container(&bytes) {
            continue;
        }
        kinds[usize::from(bytes[0] == b'S')] += 1;
        let mut dice = Dice(0x5eed_0013);
        for round in 0..6 {
            let mut bytes = bytes.clone();
            match round {
                0 => bytes.truncate(17),
                1 => bytes.truncate(bytes.len() / 2),
                2 => bytes.truncate(bytes.len() - 1),
                3 => bytes[100..].fill(0xff),
                _ => (0..20).for_each(|_| dice.damage(&mut bytes)),
            }
            let input = format!("in/{round}-{}", name.replace('/', "-"));
            folder.write(&input, bytes);
            let ended = run(folder.path(), &["convert", "-q", &input]);
            let is_said = ended.code == 0 || ended.stderr.contains(&format!("error: {input}"));
            assert!(is_said, "{input}: {ended:?}");
            assert!(round > 1 || ended.code != 0, "{input}: half of it is not all of it");
        }
    }
    let compressed = zstd::encode_all(super::log("two").as_bytes(), 3).unwrap();
    folder.write("in/trailing.jsonl.zst", [&compressed[..], b"something else"].concat());
    let ended = run(folder.path(), &["convert", "in/trailing.jsonl.zst"]);
    ended.says(2, "in/trailing.jsonl.zst: cannot be decompressed: ");
    assert!(kinds.iter().all(|count| *count > 0), "databases and compressed files: {kinds:?}");
    let before = files(&folder.path().join("in"));
    let ended = run(folder.path(), &["convert", "in", "-o", "out/"]);
    assert!(names(&folder.path().join("out")).contains(&"claude-one.json".to_owned()));
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert_untouched(&before);
    assert_eq!(files(&folder.path().join("in")).len(), before.len(), "no journals are made");
}
