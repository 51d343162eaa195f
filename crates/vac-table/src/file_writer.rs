//! Writes tables to files: Parquet, Arrow IPC, CSV and lines of JSON.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::ArrowError;
use arrow_select::filter::filter_record_batch;
#[cfg(feature = "parquet")]
use parquet::{
    arrow::ArrowWriter,
    arrow::arrow_reader::ParquetRecordBatchReaderBuilder,
    basic::{Compression, ZstdLevel},
    file::properties::{EnabledStatistics, WriterProperties},
    schema::types::ColumnPath,
};

use crate::table::SessionTable;
use crate::text_writer::{TextFormat, TextWriter};

/// The key of every table.
const KEY: &str = "record_key";
/// The number of bytes of a row group that are kept in memory until they are written.
#[cfg(feature = "parquet")]
const MAX_ROW_GROUP: usize = 16 << 20;
/// Columns of long texts, which rarely repeat.
#[cfg(feature = "parquet")]
const LONG_TEXTS: [&str; 5] = ["text", "content", "extensions", "input", "output_text"];

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Parquet, compressed with Zstandard.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Arrow IPC, as a file.
    Arrow,
    /// Arrow IPC, as a stream.
    ArrowStream,
    /// CSV with a header. Lists are JSON.
    Csv,
    /// A JSON object for each row, on a line of its own.
    Ndjson,
}

impl FileFormat {
    /// All formats.
    pub const ALL: &[Self] = &[
        #[cfg(feature = "parquet")]
        Self::Parquet,
        Self::Arrow,
        Self::ArrowStream,
        Self::Csv,
        Self::Ndjson,
    ];

    /// Returns the format of files with this extension.
    pub fn parse(extension: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.extension() == extension)
    }

    /// Returns the extension of files in this format.
    pub fn extension(self) -> &'static str {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::ArrowStream => "arrows",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    /// Returns whether rows can be removed from a file in this format ([`copy_without`]).
    pub fn is_readable(self) -> bool {
        !matches!(self, Self::Csv | Self::Ndjson)
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

/// Writes one table to a file.
pub struct TableFileWriter<W: Write + Send> {
    format: Format<W>,
    /// The indices of the columns that are written; `None` for all.
    columns: Option<Vec<usize>>,
}

enum Format<W: Write + Send> {
    #[cfg(feature = "parquet")]
    Parquet(Box<ArrowWriter<W>>),
    Arrow(FileWriter<W>),
    ArrowStream(StreamWriter<W>),
    Text(TextWriter<W>),
}

impl<W: Write + Send> TableFileWriter<W> {
    /// Begins a file. Without `has_header`, CSV has no header line, so that files can be joined.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(
        out: W,
        format: FileFormat,
        table: SessionTable,
        has_header: bool,
    ) -> io::Result<Self> {
        Self::without(out, format, table, &[], has_header)
    }

    /// Begins a file without some columns, whose values are the names of folders.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn without(
        out: W,
        format: FileFormat,
        table: SessionTable,
        left_out: &[&str],
        has_header: bool,
    ) -> io::Result<Self> {
        let mut schema = table.schema();
        let is_written = |index: &usize| !left_out.contains(&&**schema.field(*index).name());
        let columns: Vec<_> = (0..schema.fields().len()).filter(is_written).collect();
        let columns = (columns.len() < schema.fields().len()).then_some(columns);
        if let Some(columns) = &columns {
            schema = Arc::new(schema.project(columns).map_err(error)?);
        }
        let format = match format {
            #[cfg(feature = "parquet")]
            FileFormat::Parquet => {
                let writer = ArrowWriter::try_new(out, schema, Some(properties()));
                Format::Parquet(Box::new(writer.map_err(parquet_error)?))
            }
            FileFormat::Arrow => Format::Arrow(FileWriter::try_new(out, &schema).map_err(error)?),
            FileFormat::ArrowStream => {
                Format::ArrowStream(StreamWriter::try_new(out, &schema).map_err(error)?)
            }
            FileFormat::Csv => {
                let mut writer = TextWriter::new(out, TextFormat::Csv);
                if has_header {
                    writer.header(&schema)?;
                }
                Format::Text(writer)
            }
            FileFormat::Ndjson => Format::Text(TextWriter::new(out, TextFormat::Ndjson)),
        };
        Ok(Self { format, columns })
    }

    /// Adds rows of the table, or of a file of it that was written without the same columns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let projected = match &self.columns {
            Some(columns) if batch.num_columns() > columns.len() => {
                Some(batch.project(columns).map_err(error)?)
            }
            _ => None,
        };
        let batch = projected.as_ref().unwrap_or(batch);
        match &mut self.format {
            #[cfg(feature = "parquet")]
            Format::Parquet(writer) => {
                writer.write(batch).map_err(parquet_error)?;
                if writer.in_progress_size() > MAX_ROW_GROUP {
                    writer.flush().map_err(parquet_error)?;
                }
                Ok(())
            }
            Format::Arrow(writer) => writer.write(batch).map_err(error),
            Format::ArrowStream(writer) => writer.write(batch).map_err(error),
            Format::Text(writer) => writer.write(batch),
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self.format {
            #[cfg(feature = "parquet")]
            Format::Parquet(writer) => writer.into_inner().map_err(parquet_error),
            Format::Arrow(mut writer) => {
                writer.finish().map_err(error)?;
                writer.into_inner().map_err(error)
            }
            Format::ArrowStream(mut writer) => {
                writer.finish().map_err(error)?;
                writer.into_inner().map_err(error)
            }
            Format::Text(writer) => Ok(writer.into_inner()),
        }
    }
}

/// Copies the rows of a file, except for those of some sessions. The format has to be one that [can
/// be read](FileFormat::is_readable). Returns the number of rows that were copied.
///
/// # Errors
/// If a file cannot be read or written.
pub fn copy_without<W: Write + Send>(
    format: FileFormat,
    from: File,
    keys: &BTreeSet<String>,
    to: &mut TableFileWriter<W>,
) -> io::Result<usize> {
    let batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>> = match format {
        #[cfg(feature = "parquet")]
        FileFormat::Parquet => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(from).map_err(parquet_error)?;
            Box::new(reader.build().map_err(parquet_error)?)
        }
        FileFormat::Arrow => Box::new(FileReader::try_new(from, None).map_err(error)?),
        FileFormat::ArrowStream => Box::new(StreamReader::try_new(from, None).map_err(error)?),
        FileFormat::Csv | FileFormat::Ndjson => {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "text has no rows to take out"));
        }
    };
    let mut copied = 0;
    for batch in batches {
        let batch = batch.map_err(error)?;
        let found = batch.column_by_name(KEY).and_then(|column| column.as_string_opt::<i32>());
        let found =
            found.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no record_key"))?;
        let is_kept: BooleanArray =
            found.iter().map(|key| Some(key.is_none_or(|key| !keys.contains(key)))).collect();
        let kept = filter_record_batch(&batch, &is_kept).map_err(error)?;
        if kept.num_rows() > 0 {
            copied += kept.num_rows();
            to.write(&kept)?;
        }
    }
    Ok(copied)
}

/// Copies the rows of an Arrow stream to a file.
///
/// # Errors
/// If the stream cannot be read, or the file cannot be written.
pub fn copy_stream<W: Write + Send>(
    from: impl Read,
    to: &mut TableFileWriter<W>,
) -> io::Result<()> {
    for batch in StreamReader::try_new(from, None).map_err(error)? {
        to.write(&batch.map_err(error)?)?;
    }
    Ok(())
}

#[cfg(feature = "parquet")]
fn properties() -> WriterProperties {
    let level = ZstdLevel::try_new(1).expect("level 1 exists");
    let mut properties = WriterProperties::builder().set_compression(Compression::ZSTD(level));
    for name in LONG_TEXTS {
        let column = || ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column(), false)
            .set_column_statistics_enabled(column(), EnabledStatistics::None);
    }
    properties.build()
}

fn error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(feature = "parquet")]
fn parquet_error(error: parquet::errors::ParquetError) -> io::Error {
    io::Error::other(error)
}
