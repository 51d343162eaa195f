//! Writes the files of a group of logs.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use vac::files::{NamelessFile, Readers, make_folder};
use vac::tables::SessionTable;
use vac::tables::file_writer::{FileFormat, TableFileWriter};

use super::export_format::{ExportFormat, FileKind};
use super::{ExportOptions, partition};

/// The beginning of the names of files.
const PREFIX: &str = "part-";
/// The number of bytes of a hash in a name.
const HASH: usize = 8;

/// The destination of files.
#[derive(Clone, Copy)]
pub enum Target<'t> {
    /// To a folder.
    Folder(&'t Path, Readers),
    /// To temporary files, which are copied to standard output.
    Stdout {
        /// Whether the file has a header, if the format has any.
        has_header: bool,
    },
}

/// The files of some sessions: one for each table, or one for the only session.
pub struct Part {
    /// The names of the folders that the values of columns give, with a slash at the end.
    pub partition: String,
    /// The sessions.
    pub keys: Vec<String>,
    /// The files.
    pub files: Vec<PartFile>,
}

/// A file that is complete.
pub struct PartFile {
    /// What it contains.
    pub kind: FileKind,
    /// The number of rows, steps or spans.
    pub rows: u64,
    /// The file.
    pub content: Content,
}

/// A file that does not have its final name yet.
pub enum Content {
    /// In the folder in which it gets its name.
    Nameless(NamelessFile),
    /// A temporary file.
    Temporary(File),
}

/// Writes the rows of a group.
pub struct PartFiles<'o> {
    options: &'o ExportOptions,
    target: Target<'o>,
    open: Option<OpenPart>,
    finished: Vec<Part>,
    /// The error that a file could not be written.
    pub error: Option<io::Error>,
}

struct OpenPart {
    partition: String,
    keys: Vec<String>,
    files: Vec<OpenFile>,
}

struct OpenFile {
    kind: FileKind,
    rows: u64,
    /// `None` for a temporary file.
    nameless: Option<NamelessFile>,
    writer: FileWriter,
}

enum FileWriter {
    Table(Box<TableFileWriter<BufWriter<File>>>),
    Session(BufWriter<File>),
}

impl<'o> PartFiles<'o> {
    pub fn new(options: &'o ExportOptions, target: Target<'o>) -> Self {
        Self { options, target, open: None, finished: Vec::new(), error: None }
    }

    /// Whether the rows of a session go into the same files as those before.
    pub fn is_open(&self, partition: &str) -> bool {
        let is_shared = matches!(self.options.format, ExportFormat::Tables(_));
        is_shared && self.open.as_ref().is_some_and(|open| open.partition == partition)
    }

    /// Begins files, and completes those before.
    pub fn begin(&mut self, partition: &str) -> io::Result<()> {
        self.close()?;
        let mut files = Vec::new();
        for kind in self.options.format.kinds(self.options.tables) {
            files.push(open(kind, self.options, partition, self.target)?);
        }
        let (partition, keys) = (partition.to_owned(), Vec::new());
        self.open = Some(OpenPart { partition, keys, files });
        Ok(())
    }

    /// Names a session whose rows follow.
    pub fn add_session(&mut self, key: &str) {
        if let Some(open) = &mut self.open {
            open.keys.push(key.to_owned());
        }
    }

    /// Adds rows.
    pub fn write(&mut self, table: SessionTable, batch: &RecordBatch) -> io::Result<()> {
        let files = self.open.iter_mut().flat_map(|open| &mut open.files);
        for file in files.filter(|file| file.kind == FileKind::Table(table)) {
            if let FileWriter::Table(writer) = &mut file.writer {
                writer.write(batch)?;
                file.rows += batch.num_rows() as u64;
            }
        }
        Ok(())
    }

    /// Writes a session to its file, which ends with a line end. `write` returns the number of steps
    /// or spans.
    pub fn write_session<E: From<io::Error>>(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<u64, E>,
    ) -> Result<(), E> {
        let files = self.open.iter_mut().flat_map(|open| &mut open.files);
        for file in files {
            if let FileWriter::Session(writer) = &mut file.writer {
                let mut out = SessionOut { writer, error: None };
                let written =
                    write(&mut out).and_then(|count| Ok((out.write_all(b"\n")?, count).1));
                // Nothing else can be written, either.
                self.error = self.error.take().or(out.error);
                file.rows += written?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Completes all files.
    pub fn finish(mut self) -> io::Result<Vec<Part>> {
        self.close()?;
        Ok(self.finished)
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(OpenPart { partition, keys, files }) = self.open.take() else { return Ok(()) };
        let files = files.into_iter().map(close).collect::<io::Result<_>>()?;
        self.finished.push(Part { partition, keys, files });
        Ok(())
    }
}

impl Part {
    /// Returns the path of a file in the folder.
    pub fn path(&self, kind: FileKind, format: ExportFormat) -> PathBuf {
        format.path(kind, &self.partition, &self.keys)
    }
}

/// Returns the path of the file of a table with these sessions. The name is derived from the
/// sessions, so that the same ones give the same name.
pub fn path(table: SessionTable, partition: &str, keys: &[String], format: FileFormat) -> PathBuf {
    let mut hash = Sha256::new();
    for key in keys {
        hash.update(key.as_bytes());
    }
    let hash = HEXLOWER.encode(&hash.finalize()[..HASH]);
    PathBuf::from(format!("{table}/{partition}{PREFIX}{hash}.{format}"))
}

/// Whether a text is the name of such a file, without its ending.
pub fn is_stem(text: &str) -> bool {
    let hash = text.strip_prefix(PREFIX).filter(|hash| hash.len() == 2 * HASH);
    hash.is_some_and(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn open(
    kind: FileKind,
    options: &ExportOptions,
    partition: &str,
    target: Target<'_>,
) -> io::Result<OpenFile> {
    let (nameless, file, has_header) = match target {
        Target::Folder(folder, readers) => {
            let folder = match kind {
                FileKind::Table(table) => folder.join(table.name()).join(partition),
                FileKind::Session => folder.join(partition),
            };
            make_folder(&folder, readers).map_err(io::Error::other)?;
            let (nameless, file) = NamelessFile::create(&folder, readers)?;
            (Some(nameless), file, true)
        }
        Target::Stdout { has_header } => (None, tempfile::tempfile()?, has_header),
    };
    let file = BufWriter::new(file);
    let writer = match (kind, options.format) {
        (FileKind::Table(table), ExportFormat::Tables(format)) => {
            let left_out = partition::names(&options.partition_by);
            let writer = TableFileWriter::without(file, format, table, &left_out, has_header)?;
            FileWriter::Table(Box::new(writer))
        }
        _ => FileWriter::Session(file),
    };
    Ok(OpenFile { kind, rows: 0, nameless, writer })
}

fn close(file: OpenFile) -> io::Result<PartFile> {
    let OpenFile { kind, rows, nameless, writer } = file;
    let writer = match writer {
        FileWriter::Table(writer) => writer.finish()?,
        FileWriter::Session(writer) => writer,
    };
    let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    let content = match nameless {
        Some(nameless) => Content::Nameless(nameless),
        None => {
            file.seek(SeekFrom::Start(0))?;
            Content::Temporary(file)
        }
    };
    Ok(PartFile { kind, rows, content })
}

/// Stores the reason for which a file cannot be written, to distinguish it from errors of reading a
/// session.
struct SessionOut<'w> {
    writer: &'w mut BufWriter<File>,
    error: Option<io::Error>,
}

impl Write for SessionOut<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes).map_err(|error| {
            let reported = io::Error::new(error.kind(), error.to_string());
            self.error = Some(error);
            reported
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
