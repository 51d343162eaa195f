//! The file that a report is written to.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use vac::files::{InputGuard, Readers, is_taken, refuse_agent_folder};

use super::output::OutputKind;
use crate::output_file::{Existing, OutputFile};
use crate::printer::Printer;

/// The first line of a report, after the brace and the version of `vac`.
const COMMAND: &str = "  \"command\": \"convert\",";

/// That file, or standard output.
pub struct ReportFile(Option<PathBuf>);

impl ReportFile {
    /// Checks that the report may be written: an earlier report is replaced, another file only with
    /// `--force`, and inputs never.
    pub fn new(path: &Path, force: bool, inputs: &InputGuard, kind: OutputKind) -> Result<Self> {
        if path.as_os_str() == "-" {
            if kind == OutputKind::Stdout {
                bail!("records and report cannot both go to standard output: see --output");
            }
            return Ok(Self(None));
        }
        refuse_agent_folder(path)?;
        inputs.refuse(path)?;
        if !force && is_taken(path) && !is_report(path) {
            bail!(
                "{} already exists and is not a report (use --force to overwrite)",
                path.display()
            );
        }
        Ok(Self(Some(path.to_owned())))
    }

    /// Fails if the file is one of the records.
    pub fn refuse_records(&self, is_record: impl FnOnce(&Path) -> bool) -> Result<()> {
        match &self.0 {
            Some(path) if is_record(path) => {
                bail!("{} is for records: the report needs another file", path.display())
            }
            _ => Ok(()),
        }
    }

    /// Writes it for these readers.
    pub fn write(&self, text: &str, readers: Readers, printer: &Printer) -> Result<()> {
        let output = OutputFile::of(self.0.as_deref()).readable_by(readers);
        output.write(&[text.as_bytes()], true, Existing::Replaced, printer)
    }
}

fn is_report(path: &Path) -> bool {
    const MAX_BYTES: u64 = 200;
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    read.is_ok()
        && lines.next() == Some("{")
        && lines.next().is_some_and(|line| line.starts_with("  \"vac\": \""))
        && lines.next() == Some(COMMAND)
}
