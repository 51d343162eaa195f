//! `vac view`

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use vac::page::{PageCheck, PageContents, check_page, is_page, make_page};
use vac::parallel::with_stack;
use vac::signature::{SignatureVerdict, Verification, verify};
use vac::validation::{detect_encoding, signed};
use vac::value::Document;
use vac::view::record::is_record;
use vac::{ConvertOptions, ErrorKind, RecordOptions, Search, Task, convert_to_records};

use crate::exit::Exit;
use crate::format::{format_size, truncate};
use crate::help;
use crate::key_files;
use crate::mode_option::ModeOption;
use crate::output_file::{self, Existing, OutputFile};
use crate::printer::Printer;
use crate::session_names::{self, Last, Named};
use crate::sessions;
use crate::version;

/// Write a session as one HTML page that checks its own signature
///
/// The page works offline and without a server: it contains the exact bytes of the record or of
/// its signed envelope, and shows what it decodes from them. The browser checks the signature with
/// the key that was given here, or with one that the reader drops on the page.
///
/// A page can claim anything. `vac verify PAGE --key PUB` verifies the signed bytes in it without
/// a browser, and `vac view --check PAGE` makes the page again and compares all bytes. One build of
/// vac always makes the same page of the same input.
///
/// A session log is converted first; its page is not signed. Whether certificates and claims are
/// valid today is not part of a page.
#[derive(Args)]
#[command(after_help = help::ending(
    &["A page has at most 256 MiB of record and 200,000 entries."],
    "there is not exactly one valid session, it is not verified with --key, or the page differs",
    &[
        ("vac view session.jsonl -o session.html", "A session; --open also opens the page"),
        (
            "vac view record.cose --key keys/signing-key.pub.pem -o page.html",
            "A signed record, with the key to check it with",
        ),
        (
            "vac view record.sig.cbor --record record.json --key keys/signing-key.pub.pem -o detached.html",
            "A signature next to its record",
        ),
        ("vac view --check page.html", "Whether vac made this page, byte by byte"),
    ],
))]
pub struct ViewArgs {
    /// Session log, record (JSON, CBOR, signed), - for stdin, or the id of a session that an agent
    /// keeps (at least 4 characters)
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Read the latest session that an agent keeps
    #[arg(long, conflicts_with = "file")]
    last: bool,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "PAGE")]
    output: Option<PathBuf>,
    /// Public key of the signer in PEM
    #[arg(long, value_name = "PUB")]
    key: Option<PathBuf>,
    /// Record, if the envelope does not contain it
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long, requires = "output")]
    open: bool,
    /// Overwrite a file that already exists
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    mode: ModeOption,
    /// Make this page again from what it contains, and compare
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["file", "last", "output", "key", "record"])]
    check: Option<PathBuf>,
}

impl ViewArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        if let Some(page) = &self.check {
            return check(page, printer);
        }
        if self.file.is_none() && !self.last {
            bail!(sessions::NOTHING_NAMED);
        }
        let last = Last { last: self.last.then_some(1) };
        let file = self.file.as_slice();
        let named = with_stack(|| session_names::resolve(file, last, None))??;
        let [first, ..] = &*named.paths else {
            printer.error(&sessions::none_found(&[]));
            return Ok(Exit::Failure);
        };
        self.write(first, &named, printer)
    }

    /// Writes the page of the session of some paths, the first of which is in messages.
    fn write(&self, file: &Path, named: &Named, printer: &Printer) -> Result<Exit> {
        let inputs = || named.paths.iter().chain(&self.record).map(PathBuf::as_path);
        let readers = self.mode.readers_of_files(inputs());
        let output = OutputFile::of(self.output.as_deref()).readable_by(readers);
        let existing = Existing::by("--force", self.force);
        let owned: Vec<_> = inputs().map(Path::to_owned).collect();
        output.check(existing, owned.iter().chain(&self.key))?;
        let name = file.display();
        let key = self.key.as_deref().map(key_files::read_public).transpose()?;
        let document = match named.one_session() {
            Some(id) => convert_found(&named.paths, Some(id)),
            None => read(file)?,
        };
        let document = match document {
            Ok(document) => document,
            Err(reason) => {
                printer.error(&format!("{name}: {}", truncate(&reason, 400)));
                return Ok(Exit::Failure);
            }
        };
        let record = self.record.as_deref().map(output_file::read).transpose()?;
        let contents = PageContents { document, record, key };
        let (found, exit) = verdict(&contents);
        let page = match make_page(contents, &version::build()) {
            Ok(page) => page,
            Err(error) => {
                printer.error(&format!("{name}: {}", truncate(&error.to_string(), 400)));
                return Ok(if error.kind == ErrorKind::Io { Exit::Error } else { Exit::Failure });
            }
        };
        output.write(&[&page], true, existing, printer)?;
        let size = format_size(page.len() as u64);
        let message = format!("{name} -> {}: {size}, {found}", output.name());
        match exit {
            Exit::Success => printer.info(&message),
            _ => printer.error(&message),
        }
        if let OutputFile::File(path, _) = &output
            && self.open
        {
            open(path)?;
        }
        Ok(exit)
    }
}

/// Returns the bytes of the record or envelope in a file, or those of the record of a log; or why
/// there is not exactly one.
fn read(file: &Path) -> Result<Result<Vec<u8>, String>> {
    let is_stdin = file.as_os_str() == "-";
    if !is_stdin && file.is_dir() {
        return Ok(convert_found(&[file.to_owned()], None));
    }
    let bytes = output_file::read(file)?;
    if is_page(&bytes) {
        return Ok(Err("this is a page already; run `vac view --check PAGE` to check it".into()));
    }
    let encoding = detect_encoding(&bytes);
    match Document::scan(&bytes, encoding) {
        Ok(document) if is_record(&document) => return Ok(Ok(bytes)),
        Err(_) if output_file::are_several(&bytes, encoding) && begins_with_record(&bytes) => {
            return Ok(Err(output_file::SEVERAL.to_owned()));
        }
        _ => {}
    }
    if is_stdin {
        let task = Task::from_bytes("stdin", bytes).map_err(|error| error.to_string());
        return Ok(task.and_then(|task| convert(&task, None)));
    }
    Ok(convert_found(&[file.to_owned()], None))
}

/// Returns whether the first document of several is a record.
fn begins_with_record(bytes: &[u8]) -> bool {
    let mut scanner = vac::value::Scanner::default();
    let first = match detect_encoding(bytes) {
        vac::value::Encoding::Json => scanner.json_prefix(bytes),
        vac::value::Encoding::Cbor => scanner.cbor_prefix(bytes),
    };
    first.is_ok_and(|(document, _)| is_record(&document))
}

/// Converts the one session in files or folders, or the one of an id.
fn convert_found(paths: &[PathBuf], id: Option<&str>) -> Result<Vec<u8>, String> {
    let search = Search { paths: paths.to_vec(), ..Search::default() };
    let mut plan = search.plan().map_err(|error| error.to_string())?;
    // A log whose beginning does not state an id can contain the session.
    let is_meant = |task: &Task| match (id, &task.session_id) {
        (Some(id), Some(session)) => id == session,
        _ => true,
    };
    plan.tasks.retain(is_meant);
    match (&*plan.tasks, plan.troubles.first()) {
        ([task], _) => convert(task, id),
        ([], Some(trouble)) => Err(trouble.reason.clone()),
        ([], None) => Err(sessions::none_found(paths)),
        (tasks, _) => Err(several(tasks.len())),
    }
}

fn convert(task: &Task, id: Option<&str>) -> Result<Vec<u8>, String> {
    let build = version::COMMIT.map(str::to_owned);
    let record = RecordOptions { build, ..RecordOptions::default() };
    let records = convert_to_records(task, &ConvertOptions { record, ..ConvertOptions::default() });
    let mut records = records.map_err(|error| error.reason)?;
    if records.len() > 1 {
        records.retain(|record| id.is_none_or(|id| id == record.report.session_id));
    }
    match (records.pop(), records.len()) {
        (Some(record), 0) => Ok(record.bytes),
        (_, others) => Err(several(others + 1)),
    }
}

fn several(count: usize) -> String {
    format!(
        "{count} sessions, where one is expected (`vac convert FILE -o FOLDER/` writes one record for each)"
    )
}

/// Returns what the page states about the signature, in words. Not to be verified with the key
/// that the user gave is a failure.
fn verdict(contents: &PageContents) -> (&'static str, Exit) {
    let PageContents { document, record, key } = contents;
    let is_signed = Document::scan(document, detect_encoding(document))
        .is_ok_and(|document| signed::payload(&document).is_some());
    let Some(key) = key else {
        let found = if is_signed { "signature not checked" } else { "not signed" };
        return (found, Exit::Success);
    };
    if !is_signed {
        return ("NOT verified: not signed", Exit::Failure);
    }
    let with =
        Verification { key: Some(key), record: record.as_deref(), ..Verification::default() };
    match verify(document, &with).verdict() {
        SignatureVerdict::Verified => ("verified", Exit::Success),
        SignatureVerdict::StatementOnly | SignatureVerdict::Failed => {
            ("NOT verified", Exit::Failure)
        }
    }
}

/// Makes a page again and compares.
fn check(path: &Path, printer: &Printer) -> Result<Exit> {
    let page = output_file::read(path)?;
    let name = path.display();
    let (message, exit) = match check_page(&page, &version::build()) {
        Ok(PageCheck::Same) => {
            (format!("{name}: same as the page that this vac makes"), Exit::Success)
        }
        Ok(PageCheck::Different { at }) => {
            (format!("{name}: differs from byte {at} on"), Exit::Failure)
        }
        Ok(PageCheck::OtherVersion { version }) => {
            let version = vac::value::printable(&version, 40);
            (format!("{name}: not compared: made by vac {version}"), Exit::Failure)
        }
        Err(error) => {
            printer.error(&format!("{name}: {}", truncate(&error.to_string(), 400)));
            return Ok(Exit::Failure);
        }
    };
    printer.line(&message)?;
    Ok(exit)
}

/// Opens a page with the program that the system has for it.
fn open(path: &Path) -> Result<()> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let path = path.canonicalize().with_context(|| format!("cannot open {}", path.display()))?;
    Command::new(program)
        .arg(&path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
        .with_context(|| format!("cannot run {program} to open {}", path.display()))
}
