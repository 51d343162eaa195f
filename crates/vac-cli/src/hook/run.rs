//! Runs the process in the background that an agent starts to add its sessions.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use vac::files::{AtomicFile, FolderLock, Readers, Wait, make_folder};
use vac::record::time::utc;

use crate::key_files;
use crate::settings::edited_file::read_text;

/// Maximum number of bytes of messages that are kept.
const MAX_MESSAGE: u64 = 4096;
/// The file with the last result.
const RESULT: &str = "result.json";
/// The folder whose lock the next process has.
const NEXT: &str = "next";

/// The runs of the hook of one agent for one archive.
///
/// Some agents call their hook after every turn. One process adds sessions, and at most one other
/// waits. That one has not begun to search, so it will find everything that has been written until
/// now, and any further process ends at once.
pub struct HookRun<'a> {
    agent: &'a str,
    archive: &'a Path,
    key: Option<&'a Path>,
    /// The folder with the last result and the locks.
    folder: PathBuf,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookResult {
    /// When it ended, in seconds since 1970.
    pub time: u64,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl HookResult {
    /// Describes what went wrong, and when, in one line; `None` if nothing did.
    pub fn failure(&self) -> Option<String> {
        let error = self.error.as_ref()?.lines().collect::<Vec<_>>().join("; ");
        let time = i128::from(self.time) * 1_000_000_000;
        let time = utc(time).unwrap_or_else(|| format!("{} seconds since 1970", self.time));
        Some(format!("the last run, at {time}, failed: {error}"))
    }
}

impl<'a> HookRun<'a> {
    /// Names the runs of a hook.
    ///
    /// # Errors
    /// If there is no home folder.
    pub fn new(agent: &'a str, archive: &'a Path, key: Option<&'a Path>) -> Result<Self> {
        let hash = Sha256::digest(archive.as_os_str().as_encoded_bytes());
        let name = format!("{agent}-{}", HEXLOWER.encode(&hash[..8]));
        Ok(Self { agent, archive, key, folder: state_folder()?.join("hooks").join(name) })
    }

    /// Starts a process in the background and does not wait for it. An error is kept as the result.
    ///
    /// # Errors
    /// If the result cannot be kept.
    pub fn start(&self) -> Result<()> {
        let start = || {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["hook", "--background", "--agent", self.agent]);
            self.add_paths(&mut command);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            detach(&mut command);
            command.spawn()
        };
        match start() {
            Ok(_) => Ok(()),
            Err(error) => {
                self.create()?;
                self.keep(Some(format!("cannot start a process in the background: {error}")))
            }
        }
    }

    /// Adds the sessions of the agent and keeps the result, unless another process is about to.
    ///
    /// # Errors
    /// If the result cannot be kept.
    pub fn run(&self) -> Result<()> {
        self.create()?;
        let next = FolderLock::acquire(&self.folder.join(NEXT), Wait::No, || ())?;
        let Some(next) = next else { return Ok(()) };
        let _running = FolderLock::acquire(&self.folder, Wait::Yes, || ())?;
        drop(next);
        self.keep(self.add().unwrap_or_else(|error| Some(format!("{error:#}"))))
    }

    /// Creates the folder for results.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(&self) -> Result<()> {
        Ok(make_folder(&self.folder.join(NEXT), Readers::Owner)?)
    }

    /// Returns the last result; `None` before the first.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn last(&self) -> Result<Option<HookResult>> {
        let path = self.folder.join(RESULT);
        let text = read_text(&path)?;
        let result = text.map(|text| serde_json::from_str(&text)).transpose();
        result.with_context(|| format!("{} is not a result", path.display()))
    }

    /// Removes what is known of earlier runs.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn forget(&self) -> Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", self.folder.display()))
            }
            _ => Ok(()),
        }
    }

    /// Runs `vac archive add`. Returns its error messages.
    fn add(&self) -> Result<Option<String>> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["archive", "add", "--discover", "--quiet", "--agent", self.agent]);
        self.add_paths(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        detach(&mut command);
        let mut child = command.spawn()?;
        let mut messages = Vec::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.by_ref().take(MAX_MESSAGE).read_to_end(&mut messages)?;
            io::copy(&mut stderr, &mut io::sink())?;
        }
        let status = child.wait()?;
        if status.success() {
            return Ok(None);
        }
        let messages = String::from_utf8_lossy(&messages).trim().to_owned();
        Ok(Some(if messages.is_empty() { status.to_string() } else { messages }))
    }

    fn add_paths(&self, command: &mut Command) {
        if let Some(key) = self.key {
            command.arg("--key").arg(key);
        }
        command.arg(self.archive);
    }

    fn keep(&self, error: Option<String>) -> Result<()> {
        let result = HookResult { time: key_files::now()?, error };
        let mut file = AtomicFile::new(&self.folder.join(RESULT), Readers::Owner)?;
        file.write_all(&serde_json::to_vec(&result)?)?;
        Ok(file.persist(true)?)
    }
}

/// Returns the folder in which programs keep the state of earlier runs.
fn state_folder() -> Result<PathBuf> {
    let (variable, in_home) = if cfg!(windows) {
        ("LOCALAPPDATA", "AppData/Local")
    } else {
        ("XDG_STATE_HOME", ".local/state")
    };
    let stated = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let folder = stated.or_else(|| Some(home()?.join(in_home)));
    Ok(folder.context("no home folder (set the variable HOME)")?.join("vac"))
}

/// Lets a process go on when the one that started it ends.
#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

/// Lets a process go on when the one that started it ends.
#[cfg(windows)]
fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    const DETACHED_PROCESS: u32 = 0x8;
    command.creation_flags(DETACHED_PROCESS);
}

#[cfg(not(any(unix, windows)))]
fn detach(_: &mut Command) {}
