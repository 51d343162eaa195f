//! Verifies many files in one run.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Result, bail};
use vac::Verified;
use vac::files::{InputGuard, refuse_agent_folder};
use vac::parallel::ordered_parallel_map;
use vac::signature::Answers;
use vac::validation::detect_encoding;
use vac::value::Encoding;

use super::{NOT_ATTACHED, Opened, Verifier, VerifyArgs};
use crate::batch::{Batch, BatchFile, Destination, FileMessage, create_parents, format_skipped};
use crate::exit::Exit;
use crate::format::pluralize;
use crate::json_output::{Document, VerifyBatchFile, VerifyBatchOutput, VerifySummary};
use crate::output_file::{Existing, OutputFile};
use crate::printer::Printer;
use crate::printer::line::{ERROR, Line};

/// The result of verifying one file.
struct VerifiedFile {
    file: String,
    /// The answers, or the reason why there are none.
    result: Result<Verified>,
    line: Line,
    exit: Exit,
    messages: Vec<FileMessage>,
}

/// The files that are written, and what is never overwritten.
struct Outputs {
    folder: PathBuf,
    existing: Existing,
    inputs: InputGuard,
}

impl VerifyArgs {
    /// Verifies several envelopes.
    pub(super) fn run_batch(&self, batch: Batch, printer: &Printer) -> Result<Exit> {
        if !self.log.is_empty() {
            bail!("--log compares one record; pass one file");
        }
        if self.timestamp.is_some() {
            bail!("--timestamp is for one signature; pass one file");
        }
        if self.record.as_ref().is_some_and(|record| !record.is_dir()) {
            bail!("of several files, --record has to be a folder with a record for each");
        }
        let outputs = match self.output.as_deref() {
            None => None,
            Some(output) => {
                refuse_agent_folder(output)?;
                let Destination::Folder(folder) = Destination::new(Some(output), false)? else {
                    bail!("several records are written to a folder (use -o FOLDER/)");
                };
                let files = batch.files.iter().map(|file| file.path.as_path());
                let inputs = InputGuard::new(files.chain(self.inputs().map(PathBuf::as_path)));
                Some(Outputs { folder, existing: Existing::by("--force", self.force), inputs })
            }
        };
        let verifier = Verifier::read(self)?;
        let progress = printer.progress("verifying", batch.files.len());
        let jobs = thread::available_parallelism().map_or(1, NonZero::get);
        let mut exit = Exit::Success;
        let mut summary = VerifySummary { skipped: batch.skipped, ..VerifySummary::default() };
        let mut files = Vec::new();
        let mut written = Ok(());
        let work = |file| self.verify_file(&file, &verifier, outputs.as_ref(), printer);
        ordered_parallel_map(batch.files, jobs, work, |verified| {
            progress.step();
            summary.files += 1;
            match verified.exit {
                Exit::Success => summary.verified += 1,
                Exit::Failure => summary.not_verified += 1,
                Exit::Error => summary.failed += 1,
            }
            exit = exit.max(verified.exit);
            for message in &verified.messages {
                message.print(printer);
            }
            let (answers, error) = match verified.result {
                Ok(answers) => (Some(answers), None),
                Err(error) => (None, Some(format!("{error:#}"))),
            };
            if let Some(error) = &error {
                printer.error(error);
            } else if !self.json {
                written = printer.line(verified.line);
            }
            if self.json {
                files.push(VerifyBatchFile { file: verified.file, verified: answers, error });
            }
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        drop(progress);
        written?;
        if self.json {
            printer.json(&Document::new("verify", VerifyBatchOutput { files, summary }))?;
        }
        printer.info(&format!(
            "{}: {} verified, {} not verified, {} failed{}",
            pluralize(summary.files, "file"),
            summary.verified,
            summary.not_verified,
            summary.failed,
            format_skipped(summary.skipped, "not signed"),
        ));
        Ok(exit)
    }

    fn verify_file(
        &self,
        file: &BatchFile,
        verifier: &Verifier,
        outputs: Option<&Outputs>,
        printer: &Printer,
    ) -> VerifiedFile {
        let mut outcome = VerifiedFile {
            file: file.name(),
            result: Err(anyhow::Error::msg("not verified")),
            line: Line::new(),
            exit: Exit::Error,
            messages: Vec::new(),
        };
        outcome.result = self.try_verify(file, verifier, outputs, printer, &mut outcome);
        if outcome.result.is_err() {
            outcome.exit = Exit::Error;
        }
        outcome
    }

    fn try_verify(
        &self,
        file: &BatchFile,
        verifier: &Verifier,
        outputs: Option<&Outputs>,
        printer: &Printer,
        outcome: &mut VerifiedFile,
    ) -> Result<Verified> {
        if let Some(why) = &file.unreadable {
            bail!("{}: {why}", file.name());
        }
        let record = self.record.as_deref().and_then(|folder| record_of(folder, &file.relative));
        let opened = Opened::read(&file.path, record.as_deref())?;
        outcome.messages.extend(opened.note.clone().map(FileMessage::Info));
        let answers = verifier.verify(&opened.signed, opened.record.as_deref(), self);
        let (style, words, hint, exit) = self.verdict_words(&answers);
        let reasons: Vec<_> =
            failures(&answers).into_iter().chain(hint.map(str::to_owned)).collect();
        outcome.exit = exit;
        outcome.line = Line::new().text(&format!("{}: ", file.name())).styled(style, words);
        if exit != Exit::Success {
            let line = std::mem::replace(&mut outcome.line, Line::new());
            outcome.line = line.text(&format!(" ({})", reasons.join("; ")));
        }
        if let Some(outputs) = outputs.filter(|_| exit == Exit::Success) {
            outcome.write(&answers, &file.relative, outputs, printer)?;
        }
        Ok((&answers).into())
    }
}

impl VerifiedFile {
    /// Writes the attached record.
    fn write(
        &mut self,
        answers: &Answers<'_>,
        relative: &Path,
        outputs: &Outputs,
        printer: &Printer,
    ) -> Result<()> {
        let Some(payload) = answers.verified_payload() else {
            self.exit = Exit::Failure;
            self.messages.push(FileMessage::Error(format!("{}: {NOT_ATTACHED}", self.file)));
            self.line = Line::new().text(&format!("{}: ", self.file)).styled(ERROR, "not written");
            return Ok(());
        };
        let is_json = detect_encoding(payload) == Encoding::Json;
        let name = relative.with_extension(if is_json { "json" } else { "cbor" });
        let path = outputs.folder.join(name);
        let output = OutputFile::of(Some(&path));
        output.check_inputs(outputs.existing, &outputs.inputs)?;
        create_parents(&path)?;
        output.write(&[payload], is_json, outputs.existing, printer)?;
        self.messages.push(FileMessage::Info(format!("{} -> {}", self.file, output.name())));
        Ok(())
    }
}

/// Returns the record with the name of an envelope, in JSON or CBOR.
fn record_of(folder: &Path, relative: &Path) -> Option<PathBuf> {
    let names = ["json", "cbor"].map(|extension| folder.join(relative.with_extension(extension)));
    names.into_iter().find(|path| path.is_file())
}

/// Returns the questions whose answers are negative, with their reasons.
fn failures(answers: &Answers<'_>) -> Vec<String> {
    let failed = |(_, answer): &(_, &vac::signature::Answer)| answer.is_failed();
    let lines = answers.lines().into_iter().filter(failed);
    lines.map(|(question, answer)| format!("{question}: {}", answer.detail())).collect()
}
