//! The file that a report is written to.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::destination::Destination;
use crate::atomic_file::is_taken;
use crate::input_guard::{InputGuard, refuse_agent_folder};
use crate::output_file::{Existing, OutputFile};
use crate::printer::Printer;
use crate::readers::Readers;

/// How every report of ours begins.
const BEGINNING: &[u8] = b"{\n  \"sessions\": [";

/// That file, or standard output.
pub struct ReportFile(Option<PathBuf>);

impl ReportFile {
    /// Complains early: an earlier report is replaced, anything else only if that is
    /// wanted, and what is read or made never.
    pub fn of(
        path: &Path,
        force: bool,
        inputs: &InputGuard,
        destination: &Destination,
    ) -> Result<Self> {
        if path.as_os_str() == "-" {
            if destination.is_stdout() {
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
        let file = Self(Some(path.to_owned()));
        file.refuse_records(destination)?;
        Ok(file)
    }

    /// Complains if it is a record.
    pub fn refuse_records(&self, destination: &Destination) -> Result<()> {
        match &self.0 {
            Some(path) if destination.holds(path) => {
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
    let mut beginning = Vec::new();
    let read = File::open(path)
        .and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut beginning));
    read.is_ok() && beginning == BEGINNING
}
