//! `vac transcode`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use vac::signature::canonical::{Form, canonical};
use vac::validation::{detect_encoding, signed};
use vac::value::{Document, Encoder, Encoding, Layout};

use crate::exit::Exit;
use crate::format::{format_size, truncate};
use crate::help;
use crate::mode_option::ModeOption;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::Printer;
use crate::session_names;
use crate::sessions;

/// Convert a record between JSON and CBOR
///
/// CBOR is written deterministically (RFC 8949 section 4.2.1). A value that the other encoding
/// cannot express is an error, never a silent change.
#[derive(Args)]
#[command(after_help = help::ending(
    &[],
    "the other encoding cannot express the record",
    &[
        ("vac transcode record.json --to cbor -o short.cbor", "Convert to CBOR"),
        ("vac transcode record.cbor --to json --pretty", "Convert to JSON that is easy to read"),
        (
            "vac transcode record.json --canonical > canonical.json",
            "Convert to canonical JSON: the same record gives the same bytes",
        ),
    ],
))]
pub struct TranscodeArgs {
    /// Record, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Encoding of the output
    #[arg(long, value_enum, required_unless_present = "canonical")]
    to: Option<Format>,
    /// Write canonical JSON (RFC 8785)
    #[arg(long, conflicts_with = "pretty")]
    canonical: bool,
    /// Pretty-print JSON
    #[arg(long)]
    pretty: bool,
    /// Encoding of the input
    #[arg(long, value_enum, default_value = "auto", value_name = "FORMAT")]
    from: Source,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite a file that already exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    mode: ModeOption,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON
    Json,
    /// Deterministic CBOR
    Cbor,
}

#[derive(Clone, Copy, ValueEnum)]
enum Source {
    /// Detect by the first bytes
    Auto,
    /// JSON
    Json,
    /// CBOR
    Cbor,
}

impl TranscodeArgs {
    /// Runs the command.
    pub fn run(mut self, printer: &Printer) -> anyhow::Result<Exit> {
        self.file = session_names::resolve_record(&self.file)?;
        if self.canonical && self.to == Some(Format::Cbor) {
            anyhow::bail!("--canonical is a form of JSON; CBOR has one form only");
        }
        let readers = self.mode.readers_of_files([self.file.as_path()]);
        let output = OutputFile::of(self.output.as_deref()).readable_by(readers);
        let existing = Existing::by("--force", self.force);
        output.check(existing, [&self.file])?;
        let bytes = output_file::read(&self.file)?;
        match self.transcode(&bytes) {
            Ok(written) => {
                let is_text = self.to != Some(Format::Cbor);
                // Canonical JSON has no line feed at its end.
                let end: &[u8] = if is_text && !self.canonical { b"\n" } else { b"" };
                output.write(&[&written, end], is_text, existing, printer)?;
                let (from, to) = (self.file.display(), output.name());
                let (before, after) =
                    (format_size(bytes.len() as u64), format_size(written.len() as u64));
                printer.detail(&format!("{from} -> {to}: {before} -> {after}"));
                Ok(Exit::Success)
            }
            Err(why) => {
                printer.error(&format!("{}: {why}", self.file.display()));
                Ok(Exit::Failure)
            }
        }
    }

    fn transcode(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let encoding = match self.from {
            Source::Auto => detect_encoding(bytes),
            Source::Json => Encoding::Json,
            Source::Cbor => Encoding::Cbor,
        };
        let document = Document::scan(bytes, encoding).map_err(|error| {
            output_file::why_not_a_record(bytes, encoding)
                .unwrap_or_else(|| format!("not {encoding}: {error}"))
        })?;
        if signed::payload(&document).is_some() {
            return Err(sessions::SIGNED_RECORD.to_owned());
        }
        if self.canonical {
            return canonical(&document, Form::Rfc8785).map_err(|error| error.to_string());
        }
        let mut encoder = match self.to {
            Some(Format::Cbor) => Encoder::cbor(),
            _ if self.pretty => Encoder::json(Layout::Pretty),
            _ => Encoder::json(Layout::Compact),
        };
        vac::value::transcode(&document, &mut encoder)
            .map_err(|error| truncate(&error.to_string(), 400))?;
        Ok(encoder.finish())
    }
}
