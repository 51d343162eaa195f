//! The hooks in the settings of an agent, and whether they can work.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use vac::adapter::upkeep::AgentHook;
use vac_archive::Archive;

use super::HookRun;
use super::edit::commands;
use crate::key_files;
use crate::settings::edited_file::read_text;

/// A command that an agent calls, as its settings contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledHook {
    /// The agent.
    pub agent: String,
    /// This program, where it was.
    pub program: PathBuf,
    /// The folder of the archive.
    pub archive: PathBuf,
    /// The private key, if it is not the one next to the archive.
    pub key: Option<PathBuf>,
}

/// Returns the file of an agent's settings that its hook is in.
///
/// # Errors
/// If there is no home folder.
pub fn settings_file(hook: &AgentHook) -> Result<PathBuf> {
    let folder = vac::search::own_folder(&hook.place);
    let folder = folder.context("no home folder (set the variable HOME)")?;
    Ok(hook.file.split('/').fold(folder, |path, name| path.join(name)))
}

/// Returns our commands in the settings of an agent.
///
/// # Errors
/// If the settings cannot be read.
pub fn installed(hook: &AgentHook) -> Result<Vec<String>> {
    let path = settings_file(hook)?;
    let Some(text) = read_text(&path)? else { return Ok(Vec::new()) };
    commands(hook.kind, &text, None).with_context(|| path.display().to_string())
}

impl InstalledHook {
    /// Parses a command: of a shell, or a JSON array of texts. Returns `None` if a user has edited it.
    pub fn parse(command: &str) -> Option<Self> {
        let words: Vec<String> = match serde_json::from_str(command) {
            Ok(words) => words,
            Err(_) => super::command::split(command)?,
        };
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let (agent, program, archive, key) = match *words.as_slice() {
            [program, "hook", "--run", "--agent", agent, archive] => {
                (agent, program, archive, None)
            }
            [program, "hook", "--run", "--agent", agent, "--key", key, archive] => {
                (agent, program, archive, Some(key.into()))
            }
            _ => return None,
        };
        let (program, archive) = (program.into(), archive.into());
        Some(Self { agent: agent.to_owned(), program, archive, key })
    }

    /// Returns the runs of the hook.
    ///
    /// # Errors
    /// If there is no home folder.
    pub fn runs(&self) -> Result<HookRun<'_>> {
        HookRun::new(&self.agent, &self.archive, self.key.as_deref())
    }

    /// Checks that the hook can add sessions.
    ///
    /// # Errors
    /// If the program, the archive or the key cannot be used.
    pub fn check(&self) -> Result<()> {
        if !self.program.is_file() {
            let program = self.program.display();
            bail!("{program} does not exist (`vac hook --write` states where it is now)");
        }
        check_key(&Archive::open(&self.archive)?, self.key.as_deref())
    }
}

/// Checks that a program in the background can sign for an archive, with a key or else the one next to
/// the archive. Settings state a key that a variable names.
///
/// # Errors
/// If the key cannot be used.
pub fn check_key(archive: &Archive, key: Option<&Path>) -> Result<()> {
    let own = || key_files::archive_key(archive.folder());
    key_files::check_unattended(&key.map_or_else(own, Path::to_owned), archive.key())
}
