//! Fuzzes the workspace: builds one program with libFuzzer and coverage counters, and runs it for
//! every target.
//!
//! The pinned compiler is sufficient: the flags below request from LLVM what `cargo fuzz` requests
//! from a nightly compiler. They are passed with `--target`, so that build scripts and macros,
//! which run on this machine without libFuzzer, are built without them.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

/// The compiler flags for coverage of every branch and comparison, in the form that libFuzzer
/// reads.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The memory in MiB above which an input is a finding.
const MAX_MEMORY: u32 = 2048;
/// The time in seconds above which an input is a finding.
const MAX_TIME: u32 = 20;

/// The configuration of a target. Its own corpus is `tests/fuzz/corpus/<name>`.
struct Target {
    name: &'static str,
    /// Further folders with inputs, from the workspace's root.
    seeds: &'static [&'static str],
    /// The name of its dictionary in `tests/fuzz/dictionaries`.
    dictionary: &'static str,
    /// The maximum size of an input in bytes.
    max_length: u32,
}

/// All targets. Their checks are in `vac_tests::fuzz`.
const TARGETS: &[Target] = &[
    Target { name: "json", seeds: &["fixtures/schema"], dictionary: "json", max_length: 8192 },
    Target { name: "cbor", seeds: &["fixtures/schema"], dictionary: "cbor", max_length: 4096 },
    Target {
        name: "transcode",
        seeds: &["tests/fuzz/corpus/json", "tests/fuzz/corpus/cbor"],
        dictionary: "cbor",
        max_length: 4096,
    },
    Target { name: "cddl", seeds: &[], dictionary: "cddl", max_length: 2048 },
    Target {
        name: "convert",
        seeds: &[
            "fixtures/antigravity",
            "fixtures/atif",
            "fixtures/claude",
            "fixtures/codex",
            "fixtures/copilot",
            "fixtures/cursor",
            "fixtures/droid",
            "fixtures/gemini",
            "fixtures/goose",
            "fixtures/grok",
            "fixtures/hermes",
            "fixtures/opencode",
            "fixtures/pi",
            "fixtures/qwen",
            "fixtures/hostile",
        ],
        dictionary: "logs",
        max_length: 16_384,
    },
    Target {
        name: "file",
        seeds: &[
            "fixtures/codex/envelopes/compressed",
            "fixtures/cursor/chat/basic",
            "fixtures/cursor/composer/basic",
            "fixtures/opencode/database/basic",
        ],
        dictionary: "logs",
        max_length: 32_768,
    },
    Target { name: "rows", seeds: &[], dictionary: "logs", max_length: 8192 },
    Target { name: "folder", seeds: &[], dictionary: "logs", max_length: 16_384 },
    Target { name: "verify", seeds: &[], dictionary: "cbor", max_length: 4096 },
    Target {
        name: "receipts",
        seeds: &["tests/fuzz/corpus/verify"],
        dictionary: "cbor",
        max_length: 4096,
    },
    Target {
        name: "tokens",
        seeds: &["fixtures/sign/timestamps"],
        dictionary: "keys",
        max_length: 4096,
    },
    Target { name: "keys", seeds: &["fixtures/sign"], dictionary: "keys", max_length: 4096 },
    Target { name: "archive", seeds: &[], dictionary: "cbor", max_length: 4096 },
];

/// Fuzzes the named targets, or all of them, each for `seconds`, with `jobs` targets in parallel,
/// and returns whether nothing was found. The same `seed` gives the same inputs; 0 means another
/// seed each time.
pub fn run(names: &[String], seconds: NonZeroU32, jobs: NonZeroUsize, seed: u32) -> Result<bool> {
    let targets: Vec<&Target> = if names.is_empty() {
        TARGETS.iter().collect()
    } else {
        names.iter().map(|name| find(name)).collect::<Result<_>>()?
    };
    let folder = crate::root()?.join("target/fuzz");
    let fuzz = Fuzz { program: build()?, folder, seconds, seed };
    let waiting = Mutex::new(VecDeque::from(targets));
    let work = || {
        let mut is_clean = true;
        while let Some(target) = next(&waiting) {
            is_clean &= fuzz.target(target)?;
        }
        Ok(is_clean)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.get()).map(|_| scope.spawn(work)).collect();
        let results = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect::<Result<Vec<_>>>().map(|clean| clean.into_iter().all(|clean| clean))
    })
}

fn next<'t>(waiting: &Mutex<VecDeque<&'t Target>>) -> Option<&'t Target> {
    waiting.lock().expect("no worker panics with the lock").pop_front()
}

fn find(name: &str) -> Result<&'static Target> {
    TARGETS.iter().find(|target| target.name == name).with_context(|| {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        format!("no fuzz target `{name}` (there are {})", names.join(", "))
    })
}

/// Builds the program in a separate folder, because builds with other flags in the same folder
/// would compile everything again.
fn build() -> Result<PathBuf> {
    let root = crate::root()?;
    let host = crate::rust_version::host()?;
    let target_dir = root.join("target/fuzz");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--package", "vac-fuzz", "--features", "libfuzzer"]);
    build.args(["--profile", "fuzz", "--target", &host, "--target-dir"]).arg(&target_dir);
    build.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}")).current_dir(root);
    if !build.status().context("cannot run cargo")?.success() {
        bail!("the fuzz targets cannot be built (libFuzzer needs a C++ compiler)");
    }
    Ok(target_dir.join(host).join("fuzz/fuzz").with_extension(std::env::consts::EXE_EXTENSION))
}

/// A built program, and the time for which it runs.
struct Fuzz {
    program: PathBuf,
    /// The folder for findings and output.
    folder: PathBuf,
    seconds: NonZeroU32,
    seed: u32,
}

impl Fuzz {
    /// Runs one target, prints findings, and returns whether nothing was found.
    fn target(&self, target: &Target) -> Result<bool> {
        let root = crate::root()?;
        let name = target.name;
        let own = root.join("tests/fuzz/corpus").join(name);
        let scratch = scratch_folder()?;
        let new = scratch.path().join("new");
        fs::create_dir(&new)?;
        let log = self.folder.join(format!("{name}.log"));
        let output =
            File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut program = Command::new(&self.program);
        // libFuzzer adds new inputs to the first folder and only reads the others.
        program.arg(&new).arg(own).args(target.seeds.iter().map(|seeds| root.join(seeds)));
        program.args([
            format!("-max_total_time={}", self.seconds),
            format!("-seed={}", self.seed),
            format!("-max_len={}", target.max_length),
            format!("-timeout={MAX_TIME}"),
            format!("-rss_limit_mb={MAX_MEMORY}"),
            format!("-artifact_prefix={}/{name}-", self.folder.display()),
            format!("-dict={}/tests/fuzz/dictionaries/{}.dict", root.display(), target.dictionary),
            "-print_final_stats=1".to_owned(),
        ]);
        program.env("VAC_FUZZ", name).env("TMPDIR", scratch.path());
        program.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let status = program.status().context("cannot run the fuzz target")?;
        let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        if status.success() {
            println!("{name}: {}", summary(&text));
        } else {
            println!("{name}: failed ({status})\n{}", finding(&text));
            println!("all output: {}", log.display());
            println!("to keep the input as a test: copy it to tests/fuzz/corpus/{name}");
        }
        Ok(status.success())
    }
}

/// Returns the numbers of runs and of covered edges, as libFuzzer reports them.
fn summary(output: &str) -> String {
    let runs = statistic(output, "stat::number_of_executed_units: ").unwrap_or("no");
    let memory = statistic(output, "stat::peak_rss_mb: ").unwrap_or("?");
    let coverage = output.lines().rev().find_map(|line| {
        let (_, rest) = line.split_once(" cov: ")?;
        rest.split_whitespace().next()
    });
    format!("{runs} runs, {} edges, {memory} MiB", coverage.unwrap_or("no"))
}

fn statistic<'o>(output: &'o str, name: &str) -> Option<&'o str> {
    output.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// Extracts the first panic with its message, and the input, from the output of a run that failed.
fn finding(output: &str) -> String {
    let panic = output.lines().skip_while(|line| !line.contains("panicked at ")).take(4);
    let verdict = output.lines().filter(|line| {
        ["ERROR: ", "SUMMARY: ", "Test unit written to "].iter().any(|words| line.contains(words))
    });
    panic.chain(verdict).collect::<Vec<_>>().join("\n")
}

/// Creates a folder for the files of a run, in memory if the system supports it.
fn scratch_folder() -> Result<TempDir> {
    let memory = Path::new("/dev/shm");
    let mut folder = tempfile::Builder::new();
    folder.prefix("vac-fuzz-");
    let made = if memory.is_dir() { folder.tempdir_in(memory) } else { folder.tempdir() };
    made.context("cannot make a temporary folder")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_a_row() {
        let checks: Vec<_> = vac_tests::fuzz::TARGETS.iter().map(|target| target.name).collect();
        let rows: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        assert_eq!(rows, checks);
    }

    #[test]
    fn seeds_and_dictionaries_exist() {
        let root = crate::root().expect("a workspace");
        for target in TARGETS {
            let corpus = format!("tests/fuzz/corpus/{}", target.name);
            for folder in target.seeds.iter().copied().chain([corpus.as_str()]) {
                assert!(root.join(folder).is_dir(), "{}: {folder}", target.name);
            }
            let dictionary = format!("tests/fuzz/dictionaries/{}.dict", target.dictionary);
            assert!(root.join(&dictionary).is_file(), "{}: {dictionary}", target.name);
        }
    }

    #[test]
    fn unknown_target_is_reported_with_the_known_ones() {
        let error = find("jsn").err().expect("an error").to_string();
        assert!(error.starts_with("no fuzz target `jsn` (there are json, cbor, "), "{error}");
    }

    #[test]
    fn finding_has_the_panic_and_the_input() {
        let output = "INFO: seed\n\nthread '<unnamed>' panicked at a.rs:1:2:\nleft\nright\n\
                      stack\nmore\n==1== ERROR: libFuzzer: deadly signal\n\
                      Test unit written to ./x-crash\n";
        assert_eq!(
            finding(output),
            "thread '<unnamed>' panicked at a.rs:1:2:\nleft\nright\nstack\n\
             ==1== ERROR: libFuzzer: deadly signal\nTest unit written to ./x-crash"
        );
    }

    #[test]
    fn summary_has_runs_coverage_and_memory() {
        let output = "#8\tpulse  cov: 7 ft: 9\n#16\tDONE   cov: 12 ft: 40 corp: 3/9b\n\
                      stat::number_of_executed_units: 16\nstat::peak_rss_mb:              31\n";
        assert_eq!(summary(output), "16 runs, 12 edges, 31 MiB");
    }
}
