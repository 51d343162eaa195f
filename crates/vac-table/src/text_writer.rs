//! Writes tables as text: CSV, and lines of JSON.
//!
//! The crates `arrow-csv` and `arrow-json` write these formats as well, but their conversions
//! between all types of Arrow would be larger than the rest of this program. The tables have seven
//! types.

use std::io::{self, Write};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use jiff::Timestamp;
use vac_value::{Encoder, Layout};

/// A text format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFormat {
    /// CSV as in RFC 4180, with a line feed after each row. Lists are JSON, null is an empty field.
    Csv,
    /// A JSON object for each row. Null is left out.
    Ndjson,
}

/// Writes rows as text.
pub(crate) struct TextWriter<W: Write> {
    out: W,
    format: TextFormat,
    rows: Rows,
}

impl<W: Write> TextWriter<W> {
    /// Creates a writer.
    pub fn new(out: W, format: TextFormat) -> Self {
        Self { out, format, rows: Rows::default() }
    }

    /// Writes the header of CSV. Writes nothing in other formats.
    pub fn header(&mut self, schema: &SchemaRef) -> io::Result<()> {
        if self.format == TextFormat::Csv {
            for (number, field) in schema.fields().iter().enumerate() {
                self.rows.comma(number > 0);
                self.rows.csv_text(field.name());
            }
            self.rows.text.push(b'\n');
        }
        self.flush()
    }

    /// Adds rows.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        for row in 0..batch.num_rows() {
            match self.format {
                TextFormat::Csv => self.rows.csv_row(batch, row)?,
                TextFormat::Ndjson => self.rows.json_row(batch, row)?,
            }
            self.rows.text.push(b'\n');
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.rows.text)?;
        self.rows.text.clear();
        Ok(())
    }

    pub fn into_inner(self) -> W {
        self.out
    }
}

/// The text of the rows that have not been written yet.
struct Rows {
    text: Vec<u8>,
    encoder: Encoder<'static>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { text: Vec::new(), encoder: Encoder::json(Layout::Compact) }
    }
}

impl Rows {
    fn csv_row(&mut self, batch: &RecordBatch, row: usize) -> io::Result<()> {
        for (number, column) in batch.columns().iter().enumerate() {
            self.comma(number > 0);
            if column.is_null(row) {
                continue;
            }
            match column.data_type() {
                DataType::Utf8 => self.csv_text(column.as_string::<i32>().value(row)),
                DataType::Timestamp(..) => self.text.extend(time(column, row)?.bytes()),
                DataType::List(_) | DataType::Struct(_) => {
                    let mut json = Self::default();
                    json.json(column, row)?;
                    let json = String::from_utf8(json.text).map_err(io::Error::other)?;
                    self.csv_text(&json);
                }
                _ => self.json(column, row)?,
            }
        }
        Ok(())
    }

    fn json_row(&mut self, batch: &RecordBatch, row: usize) -> io::Result<()> {
        let schema = batch.schema_ref();
        let names = schema.fields().iter().map(|field| field.name().as_str());
        self.object(names.zip(batch.columns().iter().map(AsRef::as_ref)), row)
    }

    /// Writes members that are not null.
    fn object<'c>(
        &mut self,
        columns: impl Iterator<Item = (&'c str, &'c dyn Array)>,
        row: usize,
    ) -> io::Result<()> {
        self.text.push(b'{');
        let present = columns.filter(|(_, column)| !column.is_null(row));
        for (number, (name, column)) in present.enumerate() {
            self.comma(number > 0);
            self.scalar(|encoder| encoder.text(name));
            self.text.push(b':');
            self.json(column, row)?;
        }
        self.text.push(b'}');
        Ok(())
    }

    /// Writes a value as JSON. It calls itself for each level of the column's type.
    fn json(&mut self, column: &dyn Array, row: usize) -> io::Result<()> {
        match column.data_type() {
            _ if column.is_null(row) => self.scalar(Encoder::null),
            DataType::Utf8 => self.scalar(|to| to.text(column.as_string::<i32>().value(row))),
            DataType::Boolean => self.scalar(|to| to.bool(column.as_boolean().value(row))),
            DataType::Int64 => {
                let value = column.as_primitive::<Int64Type>().value(row);
                self.scalar(|to| to.integer(value.into()));
            }
            DataType::Float64 => {
                let value = column.as_primitive::<Float64Type>().value(row);
                // JSON has no infinity.
                self.scalar(|to| to.float(value).unwrap_or_else(|_| to.null()));
            }
            DataType::Timestamp(..) => {
                let time = time(column, row)?;
                self.scalar(|to| to.text(&time));
            }
            DataType::List(_) => {
                let items = column.as_list::<i32>().value(row);
                self.text.push(b'[');
                for item in 0..items.len() {
                    self.comma(item > 0);
                    self.json(&items, item)?;
                }
                self.text.push(b']');
            }
            DataType::Struct(_) => {
                let members = column.as_struct();
                let names = members.column_names().into_iter();
                let columns = members.columns().iter().map(AsRef::as_ref);
                self.object(names.zip(columns), row)?;
            }
            other => {
                let words = format!("a column of type {other} cannot be written as text");
                return Err(io::Error::new(io::ErrorKind::Unsupported, words));
            }
        }
        Ok(())
    }

    fn scalar(&mut self, encode: impl FnOnce(&mut Encoder<'static>)) {
        self.encoder.clear();
        encode(&mut self.encoder);
        self.text.extend_from_slice(self.encoder.written());
    }

    fn comma(&mut self, is_due: bool) {
        if is_due {
            self.text.push(b',');
        }
    }

    /// Writes a field, in quotes if necessary. An empty text is also quoted, to distinguish it from
    /// null.
    fn csv_text(&mut self, field: &str) {
        let is_plain = !field.bytes().any(|byte| matches!(byte, b'"' | b',' | b'\n' | b'\r'));
        if is_plain && !field.is_empty() {
            return self.text.extend_from_slice(field.as_bytes());
        }
        self.text.push(b'"');
        for byte in field.bytes() {
            if byte == b'"' {
                self.text.push(b'"');
            }
            self.text.push(byte);
        }
        self.text.push(b'"');
    }
}

/// Returns a time as text, in UTC and with microseconds.
fn time(column: &dyn Array, row: usize) -> io::Result<String> {
    let micros = column.as_primitive::<TimestampMicrosecondType>().value(row);
    let time = Timestamp::from_microsecond(micros).map_err(io::Error::other)?;
    Ok(format!("{time:.6}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{ListBuilder, StringBuilder};
    use arrow_array::{
        ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, StructArray,
        TimestampMicrosecondArray,
    };
    use arrow_schema::{Field, Fields, Schema};

    use super::*;

    fn batch() -> RecordBatch {
        let mut lists = ListBuilder::new(StringBuilder::new());
        lists.values().append_value("a\"b");
        lists.values().append_null();
        lists.append(true);
        lists.append(true);
        lists.append(false);
        let fields: Fields = vec![Field::new("size", DataType::Int64, true)].into();
        let sizes: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", Arc::new(StringArray::from(vec![Some("a,\"b\"\r\n\u{1}"), Some(""), None]))),
            ("integer", Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(0), None]))),
            ("float", Arc::new(Float64Array::from(vec![Some(0.1), Some(f64::NAN), Some(2.0)]))),
            ("bool", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
            (
                "time",
                Arc::new(
                    TimestampMicrosecondArray::from(vec![
                        Some(1_767_225_600_000_001),
                        Some(-1),
                        None,
                    ])
                    .with_timezone("UTC"),
                ),
            ),
            ("list", Arc::new(lists.finish())),
            ("struct", Arc::new(StructArray::new(fields, vec![sizes], None))),
        ];
        let fields: Vec<_> = columns
            .iter()
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), true))
            .collect();
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
    }

    fn text(format: TextFormat) -> String {
        let batch = batch();
        let mut writer = TextWriter::new(Vec::new(), format);
        writer.header(&batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        String::from_utf8(writer.into_inner()).unwrap()
    }

    #[test]
    fn csv_quotes_what_would_be_read_otherwise() {
        let expected = [
            "text,integer,float,bool,time,list,struct\n",
            "\"a,\"\"b\"\"\r\n\u{1}\",-9223372036854775808,0.1,true,2026-01-01T00:00:00.000001Z,",
            "\"[\"\"a\\\"\"b\"\",null]\",\"{\"\"size\"\":1}\"\n",
            "\"\",0,null,false,1969-12-31T23:59:59.999999Z,[],{}\n",
            ",,2.0,,,,\"{\"\"size\"\":3}\"\n",
        ];
        assert_eq!(text(TextFormat::Csv), expected.concat());
    }

    #[test]
    fn lines_of_json_leave_null_out() {
        let expected = [
            r#"{"text":"a,\"b\"\r\n\u0001","integer":-9223372036854775808,"float":0.1,"bool":true,"#,
            r#""time":"2026-01-01T00:00:00.000001Z","list":["a\"b",null],"struct":{"size":1}}"#,
            "\n",
            r#"{"text":"","integer":0,"float":null,"bool":false,"#,
            r#""time":"1969-12-31T23:59:59.999999Z","list":[],"struct":{}}"#,
            "\n",
            r#"{"float":2.0,"struct":{"size":3}}"#,
            "\n",
        ];
        assert_eq!(text(TextFormat::Ndjson), expected.concat());
    }
}
