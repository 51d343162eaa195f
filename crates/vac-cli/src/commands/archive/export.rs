//! `vac archive export`

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use vac_archive::{Archive, ArchivedVersion, Prover};
use vac_value::Encoding;

use super::{find, open};
use crate::atomic_file::{AtomicFile, make_folder};
use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::input_guard::refuse_agent_folder;
use crate::json_output::{ArchiveExportOutput, Document};
use crate::printer::Printer;
use crate::readers::Readers;

/// Write records of an archive to a folder
///
/// Writes the record of the latest version of each session, or of the named ones. With --logs their logs
/// are written to folders of their own, with the names that they had, so that `vac verify --log` works
/// after the agent has deleted them. With --proofs the signed statement is next to each record, with a
/// receipt.
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
            let mut next = Some(find(&catalog, session, None)?);
            while let Some(version) = next {
                versions.push(version);
                let previous = version.previous.filter(|_| self.all_versions);
                next = previous.and_then(|number| catalog.get(number));
            }
        }
        if self.sessions.is_empty() {
            let is_wanted = |it: &&ArchivedVersion| self.all_versions || catalog.is_latest(it);
            versions.extend(catalog.versions().iter().filter(is_wanted));
        }
        make_folder(&self.output, Readers::Owner)?;
        let prover = self.proofs.then(|| archive.prover()).transpose()?;
        let mut files = Vec::new();
        let mut taken = HashSet::new();
        for version in versions {
            let mut name = file_name(&version.session_id);
            if self.all_versions || !taken.insert(name.clone()) {
                name = format!("{name}.{}", version.number);
            }
            self.write_version(&archive, prover.as_ref(), version, &name, &mut files)?;
        }
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
        files: &mut Vec<String>,
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
                let mut file = AtomicFile::new(&path, Readers::Owner)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                archive.source(version, number, &mut file)?;
                let persisted = file.persist(self.force);
                persisted.with_context(|| format!("cannot write {}", path.display()))?;
                files.push(path.display().to_string());
            }
        }
        Ok(())
    }

    fn write(&self, path: &Path, bytes: &[u8], files: &mut Vec<String>) -> Result<()> {
        use crate::output_file::{Existing, write_file};
        let existing = Existing::by("--force", self.force);
        write_file(path, &[bytes], Readers::Owner, existing)?;
        files.push(path.display().to_string());
        Ok(())
    }
}

/// Makes a file name of an id or a name in a log.
fn file_name(text: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | ' ');
    let name: String = text.chars().map(|c| if is_kept(c) { c } else { '_' }).take(120).collect();
    match name.trim_matches('.') {
        "" => "_".to_owned(),
        _ => name.trim_start_matches('.').to_owned(),
    }
}
