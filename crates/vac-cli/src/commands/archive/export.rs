//! `vac archive export`

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use vac::files::{AtomicFile, Readers, is_taken, make_folder, refuse_agent_folder};
use vac::value::Encoding;
use vac_archive::{Archive, ArchivedVersion, Prover, file_name};

use super::open;
use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::json_output::{ArchiveExportOutput, Document};
use crate::output_file::{Existing, write_file};
use crate::printer::Printer;

/// Write records of an archive to a folder
///
/// Writes the record of the latest version of each session, or of the named ones. With --logs their logs
/// are written to folders of their own, with the names that they had, so that `vac verify --log` works
/// after the agent has deleted them; of several files with one name, all but the first get a number. With
/// --proofs the signed statement is next to each record, with a receipt.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = help::ending(
    &[],
    "",
    &[
        ("vac archive export sessions -o records/", "The latest version of every session"),
        ("vac archive export sessions 5f0c1c1e --logs --proofs -o evidence/", "All about one session"),
    ],
))]
pub struct Export {
    /// Folder of the archive
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    /// Ids of sessions, or their beginnings [default: all sessions]
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Write all versions
    #[arg(long)]
    all_versions: bool,
    /// Also write the logs
    #[arg(long)]
    logs: bool,
    /// Also write the signed statements, with receipts
    #[arg(long)]
    proofs: bool,
    /// Overwrite files that already exist
    #[arg(long)]
    force: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Export {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        refuse_agent_folder(&self.output)?;
        let archive = open(&self.archive)?;
        let catalog = archive.catalog()?;
        let mut versions: Vec<&ArchivedVersion> = Vec::new();
        for session in &self.sessions {
            let count = if self.all_versions { usize::MAX } else { 1 };
            versions.extend(catalog.history(catalog.find(session)?).take(count));
        }
        let mut numbers = HashSet::new();
        versions.retain(|version| numbers.insert(version.number));
        if self.sessions.is_empty() {
            let is_wanted = |it: &&ArchivedVersion| self.all_versions || catalog.is_latest(it);
            versions.extend(catalog.versions().iter().filter(is_wanted));
        }
        make_folder(&self.output, Readers::Owner)?;
        let prover = self.proofs.then(|| archive.prover()).transpose()?;
        let missing = versions.iter().filter(|version| !version.logs).count();
        if self.logs && missing > 0 {
            let missing = pluralize(missing, "log");
            printer.warn_always(&format!("{missing} not in the archive, and not written"));
        }
        let mut files = WrittenFiles::default();
        let mut taken = HashSet::new();
        for version in versions {
            let number = version.number;
            let mut name = file_name(&version.session_id);
            if self.all_versions {
                name = format!("{name}.{number}");
            }
            while !taken.insert(name.to_lowercase()) {
                name = format!("{name}.{number}");
            }
            self.write_version(&archive, prover.as_ref(), version, &name, &mut files)?;
        }
        let files = files.shown;
        if self.json {
            let output = ArchiveExportOutput { files: files.clone() };
            printer.json(&Document::new("archive export", output))?;
        }
        printer.info(&format!(
            "{} written to {}",
            pluralize(files.len(), "file"),
            self.output.display()
        ));
        Ok(Exit::Success)
    }

    fn write_version(
        &self,
        archive: &Archive,
        prover: Option<&Prover<'_>>,
        version: &ArchivedVersion,
        name: &str,
        files: &mut WrittenFiles,
    ) -> Result<()> {
        let ending = match archive.description().encoding() {
            Encoding::Json => "json",
            Encoding::Cbor => "cbor",
        };
        let record = archive.record(version)?;
        self.write(&self.output.join(format!("{name}.{ending}")), &record, files)?;
        if let Some(prover) = prover {
            let proof = prover.prove(version)?;
            self.write(&self.output.join(format!("{name}.cose")), &proof, files)?;
        }
        if self.logs && version.logs {
            let folder = self.output.join(format!("{name}.log"));
            for (number, source) in version.details.sources.iter().enumerate() {
                let mut path = folder.clone();
                // A name is data of the log: it must not lead out of the folder.
                path.extend(source.name.split(['/', '\\']).map(file_name));
                make_folder(path.parent().unwrap_or(&folder), Readers::Owner)?;
                let path = files.unused(&path);
                if !self.force && is_taken(&path) {
                    bail!("{} already exists (use --force to overwrite)", path.display());
                }
                let cannot = || format!("cannot write {}", path.display());
                let mut file = AtomicFile::new(&path, Readers::Owner).with_context(cannot)?;
                archive.source(version, number, &mut file)?;
                file.persist(self.force).with_context(cannot)?;
                files.add(&path)?;
            }
        }
        Ok(())
    }

    fn write(&self, path: &Path, bytes: &[u8], files: &mut WrittenFiles) -> Result<()> {
        let path = files.unused(path);
        let existing = Existing::by("--force", self.force);
        write_file(&path, &[bytes], Readers::Owner, existing)?;
        files.add(&path)
    }
}

/// The files that a run has written. Names are data of logs, and several can become the same: the next
/// file of a name gets a number, so that it replaces none of the same run, even with --force.
#[derive(Default)]
struct WrittenFiles {
    /// The paths, as they are printed.
    shown: Vec<String>,
    /// The paths as the file system resolves them, since in some the case of letters does not matter. Each has
    /// the last number that a file of its name got.
    numbers: HashMap<PathBuf, usize>,
}

impl WrittenFiles {
    /// Returns a path, with a number before its ending if a file of this run has it.
    fn unused(&mut self, path: &Path) -> PathBuf {
        let resolve = |path: &Path| path.canonicalize().ok();
        let Some(taken) = resolve(path).filter(|it| self.numbers.contains_key(it)) else {
            return path.to_owned();
        };
        let mut number = self.numbers.get(&taken).copied().unwrap_or(1);
        loop {
            number += 1;
            let numbered = with_number(path, number);
            if !resolve(&numbered).is_some_and(|it| self.numbers.contains_key(&it)) {
                self.numbers.insert(taken, number);
                return numbered;
            }
        }
    }

    fn add(&mut self, path: &Path) -> Result<()> {
        let resolved = path.canonicalize();
        let resolved = resolved.with_context(|| format!("cannot read {}", path.display()))?;
        self.numbers.insert(resolved, 1);
        self.shown.push(path.display().to_string());
        Ok(())
    }
}

fn with_number(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}
