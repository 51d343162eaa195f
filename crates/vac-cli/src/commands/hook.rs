//! `vac hook`

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use vac::adapter::Adapter;
use vac::adapter::upkeep::AgentHook;
use vac_archive::Archive;

use crate::exit::Exit;
use crate::help;
use crate::hook::{
    HookCommand, HookRun, InstalledHook, Removal, check_key, commands, insert, remove,
    settings_file, timer,
};
use crate::json_output::{Document, HookChange, HookOutput, PrintedHook};
use crate::key_files;
use crate::printer::Printer;
use crate::settings::edited_file::EditedFile;

/// Add sessions to an archive when they end
///
/// Prints what makes an agent call `vac archive add` when a session ends, or with --write adds it to
/// the settings of the agent. Nothing else in the file changes; the file as it was is kept with the
/// ending `.vac-backup`. --remove takes it out again.
///
/// The agent never waits, and never fails because of it: sessions are added in the background. So a key
/// with a password cannot be used. `vac doctor` prints what kept a hook from adding them, and
/// `vac archive status` shows what is not in the archive yet.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = help::ending(
    &["Without --agent, the agents that have a settings folder on this machine are meant. Settings that \
are a link, are read-only, or cannot be parsed are not changed."],
    "the settings of an agent were not changed",
    &[
        ("vac hook journal", "Print the settings"),
        ("vac hook journal --agent claude --write", "Change the settings of Claude Code"),
        ("vac hook --remove", "Remove the hooks from all settings"),
        ("vac hook journal --timer", "A timer of systemd and a line for cron instead"),
    ],
))]
pub struct HookArgs {
    /// Folder of the archive
    #[arg(value_name = "DIR", required_unless_present = "remove")]
    archive: Option<PathBuf>,
    /// Agent whose settings are meant (repeatable)
    #[arg(short, long, value_parser = agents())]
    agent: Vec<String>,
    /// Private key of the archive [default: the one that `vac archive add` finds]
    #[arg(long, value_name = "KEY", conflicts_with = "remove")]
    key: Option<PathBuf>,
    /// Change the settings
    #[arg(long)]
    write: bool,
    /// Remove what --write has added; with DIR, for this archive only
    #[arg(long, conflicts_with_all = ["write", "timer"])]
    remove: bool,
    /// Print a timer that adds the sessions of all agents every hour
    #[arg(long, conflicts_with_all = ["write", "agent"])]
    timer: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Start the process in the background; what agents call
    #[arg(long, hide = true, conflicts_with_all = ["write", "remove", "timer", "json"])]
    run: bool,
    /// Call `vac archive add` and keep its result; what --run starts
    #[arg(long, hide = true, conflicts_with_all = ["run", "write", "remove", "timer", "json"])]
    background: bool,
}

/// Returns the parser of names of agents that call other programs.
fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(hooks().map(|(adapter, _)| adapter.name()))
}

/// Returns the agents that call other programs, and how.
fn hooks() -> impl Iterator<Item = (&'static dyn Adapter, AgentHook)> {
    vac::AGENTS.iter().filter_map(|adapter| Some((*adapter, adapter.upkeep().hook?)))
}

impl HookArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        if self.run || self.background {
            // An error must not stop the agent.
            let _ = self.run_unseen();
            return Ok(Exit::Success);
        }
        if self.timer {
            return self.print_timer(printer);
        }
        let mut output = HookOutput { hooks: Vec::new() };
        let mut exit = Exit::Success;
        for (adapter, hook) in self.selected()? {
            let path = settings_file(&hook)?;
            let changed = if self.remove {
                self.remove_from(&path, &hook)
            } else {
                self.insert_into(&path, adapter, &hook)
            };
            match changed {
                Ok((change, command, content)) => {
                    let file = path.display().to_string();
                    let (agent, since) = (adapter.name(), hook.since);
                    let hook = PrintedHook { agent, file, since, change, command, content };
                    output.hooks.push(hook);
                }
                Err(error) => {
                    exit = Exit::Failure;
                    printer.error(&format!("{}: {error:#}", path.display()));
                }
            }
        }
        if self.json {
            printer.json(&Document::new("hook", &output))?;
        } else {
            print(&output, printer)?;
        }
        for (adapter, hook) in hooks() {
            let is_new =
                |it: &PrintedHook| it.agent == adapter.name() && it.change == HookChange::Written;
            if let Some(advice) = hook.advice.filter(|_| output.hooks.iter().any(is_new)) {
                printer.info(&format!("{}: {advice}", adapter.name()));
            }
        }
        Ok(exit)
    }

    /// Returns the agents that are meant.
    fn selected(&self) -> Result<Vec<(&'static dyn Adapter, AgentHook)>> {
        if !self.agent.is_empty() {
            let is_named = |adapter: &dyn Adapter| self.agent.iter().any(|it| it == adapter.name());
            return Ok(hooks().filter(|(adapter, _)| is_named(*adapter)).collect());
        }
        let exists = |hook: &AgentHook| {
            vac::search::own_folder(&hook.place).is_some_and(|folder| folder.is_dir())
        };
        let found: Vec<_> = hooks().filter(|(_, hook)| exists(hook)).collect();
        match found.is_empty() {
            true if self.write => bail!("no agent has a settings folder here (use --agent)"),
            true if !self.remove => Ok(hooks().collect()),
            _ => Ok(found),
        }
    }

    /// Returns the archive, which has to exist.
    fn archive(&self) -> Result<Archive> {
        let archive = self.archive.as_deref().context("no archive given")?;
        Ok(Archive::open(&std::path::absolute(archive)?)?)
    }

    /// Returns the key, unless it is the one that is found without an option. The program that runs
    /// the command may not have the variable that names it.
    fn key(&self, archive: &Archive) -> Result<Option<PathBuf>> {
        let stated = self.key.clone().or_else(key_files::from_variable);
        let stated = stated.map(std::path::absolute).transpose()?;
        check_key(archive, stated.as_deref())?;
        Ok(stated)
    }

    fn insert_into(
        &self,
        path: &Path,
        adapter: &dyn Adapter,
        hook: &AgentHook,
    ) -> Result<(HookChange, Option<String>, Option<String>)> {
        let archive = self.archive()?;
        let key = self.key(&archive)?;
        let program = std::env::current_exe().context("the path of this program is unknown")?;
        let command =
            HookCommand::of_agent(&program, adapter.name(), archive.folder(), key.as_deref())?;
        let shell = Some(command.shell());
        if !self.write {
            let content = insert(hook.kind, None, &command)?;
            return Ok((HookChange::Printed, shell, Some(content)));
        }
        let file = EditedFile::read(path)?;
        let existing = file.exists().then(|| file.text());
        let text = insert(hook.kind, existing, &command)?;
        if existing == Some(text.as_str()) {
            return Ok((HookChange::Unchanged, shell, None));
        }
        // An earlier copy is older than what was added before.
        let is_first = matches!(remove(hook.kind, file.text(), None, None), Ok(Removal::Absent));
        if is_first || !file.exists() {
            file.delete_backup()?;
            file.keep_backup()?;
        }
        // The results of an earlier hook may be those of another key.
        let run = HookRun::new(adapter.name(), archive.folder(), key.as_deref())?;
        run.forget()?;
        run.create()?;
        file.write(&text)?;
        Ok((HookChange::Written, shell, None))
    }

    fn remove_from(
        &self,
        path: &Path,
        hook: &AgentHook,
    ) -> Result<(HookChange, Option<String>, Option<String>)> {
        let archive = self.archive.as_deref().map(std::path::absolute).transpose()?;
        let archive =
            archive.as_deref().map(|it| it.to_str().context("not Unicode")).transpose()?;
        let file = EditedFile::read(path)?;
        let backup = file.backup_text();
        let commands = commands(hook.kind, file.text(), archive)?;
        let change = match remove(hook.kind, file.text(), backup.as_deref(), archive)? {
            Removal::Absent => HookChange::Absent,
            Removal::Nothing => {
                file.delete()?;
                HookChange::Removed
            }
            Removal::Text(text) => {
                file.write(&text)?;
                if backup.as_deref() == Some(&text) {
                    file.delete_backup()?;
                }
                HookChange::Removed
            }
        };
        for hook in commands.iter().filter_map(|command| InstalledHook::parse(command)) {
            hook.runs()?.forget()?;
        }
        Ok((change, None, None))
    }

    fn print_timer(&self, printer: &Printer) -> Result<Exit> {
        let archive = self.archive()?;
        let key = self.key(&archive)?;
        let program = std::env::current_exe().context("the path of this program is unknown")?;
        let command = HookCommand::of_timer(&program, archive.folder(), key.as_deref())?;
        let text = timer(&command, &archive.folder().to_string_lossy());
        if self.json {
            let hook = PrintedHook {
                agent: "timer",
                file: "~/.config/systemd/user".to_owned(),
                since: "",
                change: HookChange::Printed,
                command: Some(command.shell()),
                content: Some(text),
            };
            printer.json(&Document::new("hook", &HookOutput { hooks: vec![hook] }))?;
        } else {
            for line in text.lines() {
                printer.line(line)?;
            }
        }
        Ok(Exit::Success)
    }

    /// Starts the process in the background, or is that process.
    fn run_unseen(&self) -> Result<()> {
        let archive = self.archive.as_deref().context("no archive")?;
        for agent in &self.agent {
            let run = HookRun::new(agent, archive, self.key.as_deref())?;
            if self.background { run.run()? } else { run.start()? }
        }
        Ok(())
    }
}

fn print(output: &HookOutput, printer: &Printer) -> Result<()> {
    for (number, hook) in output.hooks.iter().enumerate() {
        let PrintedHook { agent, file, since, change, .. } = hook;
        match change {
            HookChange::Printed => {
                if number > 0 {
                    printer.line("")?;
                }
                printer.line(&format!("# {agent} {since} or later: {file}"))?;
                for line in hook.content.iter().flat_map(|content| content.lines()) {
                    printer.line(line)?;
                }
            }
            HookChange::Written => printer.line(&format!("{agent}: added to {file}"))?,
            HookChange::Unchanged => printer.line(&format!("{agent}: already in {file}"))?,
            HookChange::Removed => printer.line(&format!("{agent}: removed from {file}"))?,
            HookChange::Absent => printer.detail(&format!("{agent}: not in {file}")),
        }
    }
    let is_removed = |it: &PrintedHook| it.change == HookChange::Removed;
    if output.hooks.iter().all(|it| it.change == HookChange::Absent || is_removed(it))
        && !output.hooks.iter().any(is_removed)
    {
        printer.info("no hook to remove");
    }
    Ok(())
}
