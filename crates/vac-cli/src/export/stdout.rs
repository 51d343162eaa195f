//! Exports to standard output.

use std::collections::HashSet;
use std::io::{self, BufReader, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use vac::parallel::ordered_parallel_map;
use vac::tables::SessionTable;
use vac::tables::file_writer::{FileFormat, TableFileWriter, copy_stream};

use super::folder::ExportSummary;
use super::group::GroupReader;
use super::part_files::{Content, Target};
use super::read_sessions::{self, ReadSessions};
use super::{ExportFormat, ExportOptions, groups};
use crate::printer::Printer;
use crate::session_scan::{Scan, Unit};

/// Exports one table, or sessions line by line, to standard output.
pub fn export_to_stdout(
    options: &ExportOptions,
    table: Option<SessionTable>,
    scan: &Scan<'_>,
    mut units: Vec<Unit>,
    printer: &Printer,
) -> Result<ExportSummary> {
    read_sessions::sort(&mut units);
    let mut summary = ExportSummary::default();
    let known = HashSet::new();
    let reader = GroupReader { scan, options, known: &known };
    let mut read = ReadSessions::default();
    let target = Target::Stdout { has_header: false };
    let make = |units: Vec<Unit>| {
        let result = reader.read(&units, &HashSet::new(), target);
        (units, result)
    };
    let mut out = printer.records();
    let mut stream = match (options.format, table) {
        (ExportFormat::Tables(format @ FileFormat::ArrowStream), Some(table)) => {
            Some(TableFileWriter::new(printer.records(), format, table, true)?)
        }
        (ExportFormat::Tables(FileFormat::Csv), Some(table)) => {
            let names: Vec<_> = table.columns().iter().map(|column| column.name).collect();
            writeln!(out, "{}", names.join(","))?;
            None
        }
        _ => None,
    };
    let mut broken = Ok(());
    ordered_parallel_map(groups(units), options.jobs, make, |(units, result)| {
        let units = Arc::from(units);
        let copied = result.and_then(|result| {
            let result = read.without_repeated(&reader, &units, target, result)?;
            for failure in &result.failures {
                failure.report(printer);
            }
            summary.failures.extend(result.failures);
            for part in result.parts {
                summary.add_rows(&part);
                summary.new += part.keys.len() as u64;
                for file in part.files {
                    let Content::Temporary(mut file) = file.content else { continue };
                    match &mut stream {
                        Some(stream) => copy_stream(BufReader::new(file), stream)?,
                        None => drop(io::copy(&mut file, &mut out)?),
                    }
                }
            }
            Ok(())
        });
        match copied {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                broken = Err(error);
                ControlFlow::Break(())
            }
        }
    })?;
    broken?;
    read_sessions::warn_of_differing(read.differing, printer);
    if let Some(stream) = stream {
        stream.finish()?.flush()?;
    }
    out.flush()?;
    Ok(summary)
}
