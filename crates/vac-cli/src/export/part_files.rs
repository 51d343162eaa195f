//! The files of a group of logs while they are written.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use vac_table::SessionTable;
use vac_table::file_writer::{FileFormat, TableFileWriter};

use super::ExportOptions;
use crate::atomic_file::{NamelessFile, make_folder};
use crate::readers::Readers;

/// The beginning of the names of files.
const PREFIX: &str = "part-";
/// The number of bytes of a hash in a name.
const HASH: usize = 8;

/// Where files are written.
#[derive(Clone, Copy)]
pub enum Target<'t> {
    /// To a folder of tables.
    Folder(&'t Path, Readers),
    /// To temporary files, which are copied to standard output.
    Stdout {
        /// Whether the file has a header, if the format has any.
        has_header: bool,
    },
}

/// A file for each table, with the rows of some sessions.
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
    /// The table.
    pub table: SessionTable,
    /// The number of rows.
    pub rows: u64,
    /// The file.
    pub content: Content,
}

/// A file that has no name yet.
pub enum Content {
    /// In the folder that it gets a name in.
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
    /// Why a file could not be written.
    pub error: Option<io::Error>,
}

struct OpenPart {
    partition: String,
    keys: Vec<String>,
    files: Vec<OpenFile>,
}

struct OpenFile {
    table: SessionTable,
    rows: u64,
    /// `None` for a temporary file.
    nameless: Option<NamelessFile>,
    writer: TableFileWriter<BufWriter<File>>,
}

impl<'o> PartFiles<'o> {
    pub fn new(options: &'o ExportOptions, target: Target<'o>) -> Self {
        Self { options, target, open: None, finished: Vec::new(), error: None }
    }

    /// Whether the rows of a session go into the same files as those before.
    pub fn is_open(&self, partition: &str) -> bool {
        self.open.as_ref().is_some_and(|open| open.partition == partition)
    }

    /// Begins files, and completes those before.
    pub fn begin(&mut self, partition: &str) -> io::Result<()> {
        self.close()?;
        let mut files = Vec::new();
        for table in self.options.tables.iter() {
            files.push(open(table, self.options.format, partition, self.target)?);
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
        for file in files.filter(|file| file.table == table) {
            file.writer.write(batch)?;
            file.rows += batch.num_rows() as u64;
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
    /// Returns the path of a file in the folder of tables.
    pub fn path(&self, table: SessionTable, format: FileFormat) -> PathBuf {
        path(table, &self.partition, &self.keys, format)
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

fn open(
    table: SessionTable,
    format: FileFormat,
    partition: &str,
    target: Target<'_>,
) -> io::Result<OpenFile> {
    let (nameless, file, has_header) = match target {
        Target::Folder(folder, readers) => {
            let folder = folder.join(table.name()).join(partition);
            make_folder(&folder, readers).map_err(io::Error::other)?;
            let (nameless, file) = NamelessFile::create(&folder, readers)?;
            (Some(nameless), file, true)
        }
        Target::Stdout { has_header } => (None, tempfile::tempfile()?, has_header),
    };
    let writer = TableFileWriter::new(BufWriter::new(file), format, table, has_header)?;
    Ok(OpenFile { table, rows: 0, nameless, writer })
}

fn close(file: OpenFile) -> io::Result<PartFile> {
    let OpenFile { table, rows, nameless, writer } = file;
    let mut file = writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    let content = match nameless {
        Some(nameless) => Content::Nameless(nameless),
        None => {
            file.seek(SeekFrom::Start(0))?;
            Content::Temporary(file)
        }
    };
    Ok(PartFile { table, rows, content })
}
