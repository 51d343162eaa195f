//! Measures the whole command as a user runs it: processes that read files and write files.
//!
//! Set `VAC_BINARIES` to compare builds in one run: `before=/path/to/vac:after=/path/to/vac`.
//! Without it, the release build of this workspace is measured.

use std::fs;
use std::hint::black_box;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use vac_adapter::frame::{self, Content, Frame};
use vac_tests::{native, synthetic};

use crate::measure::Effort;
use crate::table::{Row, Table};

/// A build to measure.
struct Binary {
    name: String,
    path: PathBuf,
}

/// The cost of a run.
#[derive(Clone, Copy)]
struct Cost {
    processor: Duration,
    wall: Duration,
}

impl Cost {
    const MAX: Self = Self { processor: Duration::MAX, wall: Duration::MAX };

    fn min(self, other: Self) -> Self {
        Self { processor: self.processor.min(other.processor), wall: self.wall.min(other.wall) }
    }
}

/// Measures the command; an error without a build to measure.
pub fn tables(effort: Effort) -> Result<Vec<Table>, String> {
    let binaries = binaries()?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for log in native::logs(1) {
        // The same number of turns gives logs of different sizes.
        let turns = effort.pick(40_000_000, 1_000_000) / log.text.len().max(1);
        let all = native::logs(turns.max(1));
        let Some(log) = all.into_iter().find(|other| other.agent == log.agent) else { continue };
        let path = folder.path().join(log.name);
        fs::write(&path, &log.text).map_err(|error| error.to_string())?;
        let convert = [&["convert", "-q"], &[text(&path), "-o", "OUT/"][..]].concat();
        rows.push(row(
            &format!("convert {}", log.agent),
            &[path.as_path()],
            &convert,
            &binaries,
            effort,
        ));
    }
    let logs = folder.path().join("logs");
    let small = small_logs(&logs, effort.pick(2_000, 50))?;
    let small: Vec<_> = small.iter().map(PathBuf::as_path).collect();
    for jobs in ["1", "2"] {
        let convert = ["convert", "-q", "-j", jobs, text(&logs), "-o", "OUT/"];
        let name = format!("convert {} small logs, -j {jobs}", small.len());
        rows.push(row(&name, &small, &convert, &binaries, effort));
    }
    let record = folder.path().join("record.json");
    let bytes = synthetic::with_output(effort.pick(40_000_000, 1_000_000));
    fs::write(&record, bytes).map_err(|error| error.to_string())?;
    let commands: [&[&str]; 4] = [
        &["validate", "-q"],
        &["inspect", "-q"],
        &["events", "-q"],
        &["transcode", "-q", "--to", "cbor", "-o", "OUT/r"],
    ];
    for command in commands {
        let arguments = [command, &[text(&record)]].concat();
        rows.push(row(command[0], &[&record], &arguments, &binaries, effort));
    }
    let columns: Vec<_> = binaries.iter().map(|binary| binary.name.clone()).collect();
    let table = |title, measure, pick: fn(&[f64; 2]) -> f64| Table {
        title,
        measure,
        baseline: "reading the files and `serde_json::from_slice::<Value>` of each document",
        of: "command",
        columns: columns.clone(),
        rows: rows
            .iter()
            .map(|(name, bytes, ratios): &(String, usize, Vec<[f64; 2]>)| Row {
                name: name.clone(),
                bytes: Some(*bytes),
                cells: ratios.iter().map(|ratio| Some(pick(ratio))).collect(),
            })
            .collect(),
    };
    Ok(vec![
        table("The whole command", "Processor time of the process", |ratio| ratio[0]),
        table("The whole command, elapsed", "Wall time of the process", |ratio| ratio[1]),
        searches(folder.path(), &binaries, effort),
        archives(&folder.path().join("archived"), &binaries, effort)?,
    ])
}

/// Writes this many small logs, each of another session, to a new folder.
fn small_logs(folder: &Path, count: usize) -> Result<Vec<PathBuf>, String> {
    fs::create_dir(folder).map_err(|error| error.to_string())?;
    let log = native::logs(4).into_iter().find(|log| log.agent == "claude");
    let log = log.ok_or("no log of claude")?.text;
    let write = |number| {
        let id = format!("11111111-0000-4000-8000-{number:012}");
        let path = folder.join(format!("{id}.jsonl"));
        let log = log.replace("11111111-0000-4000-8000-000000000001", &id);
        fs::write(&path, log).map_err(|error| error.to_string())?;
        Ok(path)
    };
    (0..count).map(write).collect()
}

/// Compares `vac archive add` with `vac convert` of the same logs, and a second run that finds nothing
/// new with the first.
fn archives(logs: &Path, binaries: &[Binary], effort: Effort) -> Result<Table, String> {
    let count = small_logs(logs, effort.pick(3_000, 50))?.len();
    // A log that has just been written is read again, because its modification time may not show
    // the next change.
    std::thread::sleep(Duration::from_secs(3));
    let mut least = vec![[Cost::MAX; 3]; binaries.len()];
    for _ in 0..effort.pick(5, 2) {
        for (binary, least) in binaries.iter().zip(&mut least) {
            let out = tempfile::tempdir().map_err(|error| error.to_string())?;
            run(binary, &["archive", "init", "-q", "--keygen", "OUT/archive"], out.path());
            let add = ["archive", "add", "-q", "OUT/archive", text(logs)];
            let convert = ["convert", "-q", text(logs), "-o", "OUT/records/"];
            for (least, arguments) in least.iter_mut().zip([&convert[..], &add, &add]) {
                *least = least.min(run(binary, arguments, out.path()));
            }
        }
    }
    let row = |name: &str, work: usize, baseline: usize| {
        let time = |costs: &[Cost; 3], run: usize| costs[run].processor.as_secs_f64();
        let cells = least.iter().map(|costs| Some(time(costs, work) / time(costs, baseline)));
        Row { name: name.to_owned(), bytes: None, cells: cells.collect() }
    };
    Ok(Table {
        title: "Archive",
        measure: "Processor time of the process",
        baseline: "the run before",
        of: "archive add",
        columns: binaries.iter().map(|binary| binary.name.clone()).collect(),
        rows: vec![
            row(&format!("{count} new logs, against `vac convert`"), 1, 0),
            row("the same again, nothing new, against the first run", 2, 1),
        ],
    })
}

/// Compares `vac search` with `vac events`, which reads everything, over all logs in a folder.
fn searches(folder: &Path, binaries: &[Binary], effort: Effort) -> Table {
    let searches: [(&str, &[&str]); 4] = [
        ("a word that no log contains", &["zzqqzz"]),
        ("the same, ignoring case", &["-i", "zzqqzz"]),
        ("a pattern without a word", &["[0-9]z[0-9]z"]),
        ("a word that all logs contain, counted", &["-c", "[[:alpha:]]"]),
    ];
    let least = |binary: &Binary, arguments: &[&str]| {
        let runs = (0..effort.pick(5, 2)).map(|_| run(binary, arguments, folder));
        runs.fold(Cost::MAX, Cost::min).processor.as_secs_f64()
    };
    let logs = text(folder);
    let all: Vec<_> = binaries.iter().map(|it| least(it, &["events", "-q", logs])).collect();
    let rows = searches.into_iter().map(|(name, pattern)| {
        let arguments = [&["search", "-q"], pattern, &[logs]].concat();
        let ratio = |(binary, events): (&Binary, &f64)| Some(least(binary, &arguments) / events);
        let cells = binaries.iter().zip(&all).map(ratio).collect();
        Row { name: name.to_owned(), bytes: None, cells }
    });
    Table {
        title: "Search",
        measure: "Processor time of the process",
        baseline: "`vac events` of the same logs",
        of: "search for",
        columns: binaries.iter().map(|binary| binary.name.clone()).collect(),
        rows: rows.collect(),
    }
}

/// Runs a command of every build and the baseline in turns. `OUT/` in the arguments is a new
/// folder for each run.
fn row(
    name: &str,
    files: &[&Path],
    arguments: &[&str],
    binaries: &[Binary],
    effort: Effort,
) -> (String, usize, Vec<[f64; 2]>) {
    // Finding the documents is not part of the baseline.
    let documents: Vec<_> = files.iter().map(|path| (*path, documents(path))).collect();
    let mut least_baseline = Cost::MAX;
    let mut least = vec![Cost::MAX; binaries.len()];
    for _ in 0..effort.pick(5, 2) {
        least_baseline = least_baseline.min(cost(|| baseline(&documents)));
        for (binary, least) in binaries.iter().zip(&mut least) {
            let out = tempfile::tempdir().expect("a temporary folder");
            *least = least.min(run(binary, arguments, out.path()));
        }
    }
    let bytes = files.iter().filter_map(|path| path.metadata().ok());
    let bytes = bytes.map(|metadata| usize::try_from(metadata.len()).unwrap_or(usize::MAX)).sum();
    let ratio = |cost: &Cost| {
        [
            cost.processor.as_secs_f64() / least_baseline.processor.as_secs_f64(),
            cost.wall.as_secs_f64() / least_baseline.wall.as_secs_f64(),
        ]
    };
    (name.to_owned(), bytes, least.iter().map(ratio).collect())
}

/// Finds the documents in a file.
fn documents(path: &Path) -> Vec<Range<usize>> {
    let bytes = fs::read(path).expect("a file");
    let frames = frame::frames_in_memory(&bytes);
    let range = |frame: &Frame<'_>| {
        let document = match &frame.content {
            Content::Document(document) => document.root().raw(),
            Content::Raw(raw) => raw.bytes,
        };
        let start = usize::try_from(frame.place.offset).expect("an offset in memory");
        start..start + document.len()
    };
    frames.iter().map(range).collect()
}

fn baseline(files: &[(&Path, Vec<Range<usize>>)]) {
    for (path, documents) in files {
        let bytes = fs::read(path).expect("a file");
        for document in documents {
            let document = &bytes[document.clone()];
            drop(black_box(serde_json::from_slice::<serde_json::Value>(document)));
        }
    }
}

/// Measures the cost of work in this process.
fn cost(work: impl Fn()) -> Cost {
    let (processor, wall) = (crate::measure::processor_time(), Instant::now());
    work();
    let processor = crate::measure::processor_time().saturating_sub(processor);
    Cost { processor, wall: wall.elapsed() }
}

/// Measures the cost of a process.
fn run(binary: &Binary, arguments: &[&str], out: &Path) -> Cost {
    let arguments = arguments.iter().map(|argument| match argument.strip_prefix("OUT/") {
        Some(name) => out.join(name).into_os_string(),
        None => argument.into(),
    });
    let mut command = Command::new(&binary.path);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let (before, wall) = (children_time(), Instant::now());
    let status = command.status().expect("a build that can be started");
    let wall = wall.elapsed();
    // A search that finds nothing is not an error.
    let is_search = command.get_args().next().is_some_and(|name| name == "search");
    let is_right = status.success() || (is_search && status.code() == Some(1));
    assert!(is_right, "{} {:?}: {status}", binary.name, command.get_args());
    Cost { processor: children_time().saturating_sub(before), wall }
}

/// Returns the processor time of all processes that this one has started and waited for.
#[cfg(target_os = "linux")]
fn children_time() -> Duration {
    // The fields after the name of the program, which is in brackets, are separated by spaces. User
    // and system time of children are the 14th and 15th of them, in ticks.
    let stat = fs::read_to_string("/proc/self/stat").expect("a system with /proc");
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    let ticks = fields.skip(13).take(2).map(|field| field.parse::<u64>().expect("a number"));
    // The number of ticks in a second is 100 on every architecture that Rust runs on.
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// Returns zero, because the processor time of processes is not available on this system.
#[cfg(not(target_os = "linux"))]
fn children_time() -> Duration {
    Duration::ZERO
}

fn binaries() -> Result<Vec<Binary>, String> {
    if let Ok(list) = std::env::var("VAC_BINARIES") {
        let binary = |item: &str| {
            let (name, path) = item.split_once('=').ok_or("VAC_BINARIES: expected NAME=PATH")?;
            Ok(Binary { name: name.to_owned(), path: path.into() })
        };
        return list.split(':').map(binary).collect();
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let built = Command::new(cargo).args(["build", "--release", "-q", "-p", "vac-cli"]).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("cannot build vac-cli".to_owned());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = program.parent().and_then(Path::parent).ok_or("no target folder")?;
    let path = folder.join(format!("vac{}", std::env::consts::EXE_SUFFIX));
    Ok(vec![Binary { name: "vac".to_owned(), path }])
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of this benchmark is text")
}
