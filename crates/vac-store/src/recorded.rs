//! Compares a log with the sources of a record, and loads it as it was when the record was made:
//! with the recorded names and sizes of its files.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};

use serde::Serialize;
use vac_adapter::SourceFile;

use crate::loaded::Loaded;
use crate::log::{Part, StoredLog};
use crate::sha256::Sha256;

/// A log, compared with the sources that a record states.
#[derive(Debug)]
pub struct RecordedLog<'l> {
    log: &'l StoredLog,
    /// The comparison of each source, in the order of the record.
    pub sources: Vec<ComparedSource>,
    /// The number of files of the log that the record does not state.
    pub added: usize,
    /// The file of each source, by its number in the log.
    files: Vec<Option<usize>>,
}

/// A source of a record, compared with the file of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ComparedSource {
    /// The source as the record states it.
    #[serde(flatten)]
    pub recorded: SourceFile,
    /// The difference between the file and the source.
    pub state: SourceState,
    /// The name of the file in the log, if it differs from the recorded name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_name: Option<String>,
    /// The number of bytes of the file in the log, if it differs from the recorded size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_size: Option<u64>,
}

/// The difference between a file and a source of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceState {
    /// The file has the same bytes as the source.
    Same,
    /// The file begins with the bytes of the source, and is longer.
    Grown,
    /// The file has other bytes.
    Different,
    /// The log has no such file.
    Missing,
}

impl StoredLog {
    /// Compares the log with the sources of a record. A file is that of the source with its name,
    /// otherwise that in the same place, since files can be renamed.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn compare_sources(&self, recorded: &[SourceFile]) -> io::Result<RecordedLog<'_>> {
        let parts: Vec<_> = self.all_parts().collect();
        let mut by_name: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (number, part) in parts.iter().enumerate() {
            by_name.entry(part.source_name()).or_default().push_back(number);
        }
        let same_name =
            |source: &SourceFile| by_name.get_mut(&source.name).and_then(VecDeque::pop_front);
        let mut files: Vec<_> = recorded.iter().map(same_name).collect();
        let mut free: VecDeque<_> = by_name.into_values().flatten().collect();
        free.make_contiguous().sort_unstable();
        for file in files.iter_mut().filter(|file| file.is_none()) {
            *file = free.pop_front();
        }
        let compared = recorded.iter().zip(&files).map(|(source, file)| {
            compare(source, file.and_then(|number| Some((number, *parts.get(number)?))))
        });
        let sources = compared.collect::<io::Result<_>>()?;
        Ok(RecordedLog { log: self, sources, added: free.len(), files })
    }

    fn all_parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().chain(&self.attachments)
    }
}

impl<'l> RecordedLog<'l> {
    /// Returns whether the log contains everything that the record was made from.
    pub fn is_complete(&self) -> bool {
        let is_there =
            |it: &ComparedSource| matches!(it.state, SourceState::Same | SourceState::Grown);
        !self.sources.is_empty() && self.sources.iter().all(is_there)
    }

    /// Returns whether the log has more bytes or files than the record states.
    pub fn has_grown(&self) -> bool {
        self.added > 0 || self.sources.iter().any(|it| it.state == SourceState::Grown)
    }

    /// Loads the log as the record states it: only the recorded files, with the recorded names and
    /// up to the recorded sizes. `None` if the log is not [complete](Self::is_complete).
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn load(&self, max_event: usize) -> io::Result<Option<Loaded<'l>>> {
        let files: Option<Vec<_>> = self.files.iter().copied().collect();
        let Some(files) = files.filter(|_| self.is_complete()) else { return Ok(None) };
        let sources = self.sources.iter().map(|it| &it.recorded);
        self.log
            .load_recorded(&files.into_iter().zip(sources).collect::<Vec<_>>(), max_event)
            .map(Some)
    }
}

fn compare(recorded: &SourceFile, file: Option<(usize, &Part)>) -> io::Result<ComparedSource> {
    let mut compared = ComparedSource {
        recorded: recorded.clone(),
        state: SourceState::Missing,
        log_name: None,
        log_size: None,
    };
    let Some((number, part)) = file else { return Ok(compared) };
    compared.log_name = Some(part.source_name()).filter(|name| *name != recorded.name);
    let (state, size) = state(recorded, part).map_err(|error| part.add_file_name(number, error))?;
    compared.state = state;
    compared.log_size = Some(size).filter(|size| *size != recorded.size);
    Ok(compared)
}

/// Returns how a file differs, and its size.
fn state(recorded: &SourceFile, part: &Part) -> io::Result<(SourceState, u64)> {
    let known = part.size()?;
    if let Some(size) = known.filter(|size| *size < recorded.size) {
        return Ok((SourceState::Different, size));
    }
    let mut bytes = part.stored_bytes()?;
    let mut hash = Sha256::default();
    let mut buffer = vec![0; 1 << 16];
    let mut begin = bytes.by_ref().take(recorded.size);
    let mut size = 0;
    loop {
        match begin.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                hash.update(&buffer[..count]);
                size += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let is_same = size == recorded.size && hash.finish_hex() == recorded.sha_256;
    let size = match known {
        Some(known) => known,
        None => size + io::copy(&mut bytes, &mut io::sink())?,
    };
    let state = match is_same {
        false => SourceState::Different,
        true if size > recorded.size => SourceState::Grown,
        true => SourceState::Same,
    };
    Ok((state, size))
}
