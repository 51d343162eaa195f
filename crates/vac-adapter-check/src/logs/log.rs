//! A log in memory.

use std::io::{self, Read};
use std::path::PathBuf;

use vac_adapter::container::{Container, Trouble};
use vac_adapter::input::concatenate;
use vac_adapter::{Input, frame};

/// A log in memory, usually one file.
#[derive(Clone, Debug)]
pub struct TestLog {
    /// The name of the log in messages.
    pub shown: String,
    /// The files of the log on disk, or the folder or database that contains it. Empty for a log
    /// that is only in memory.
    pub files: Vec<PathBuf>,
    /// The files that adapters read.
    pub parts: Vec<Part>,
    /// The companion files.
    pub attachments: Vec<Part>,
}

/// One file of a log.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name of the file without the folder.
    pub name: String,
    /// The folder that contains the file.
    pub folder: String,
    /// The bytes of the file as an adapter reads them.
    pub bytes: Vec<u8>,
    /// The kind of container from which the file was read.
    pub container: Container,
    /// The problems of the file's documents.
    pub troubles: Vec<Trouble>,
    /// The maximum size in bytes of an event that is parsed.
    pub max_event: usize,
}

impl TestLog {
    /// Creates a log that is not on disk.
    pub fn new(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let (name, bytes) = (name.to_owned(), bytes.into());
        let part = Part {
            name,
            folder: String::new(),
            bytes,
            container: Container::File,
            troubles: Vec::new(),
            max_event: frame::MAX_EVENT,
        };
        Self {
            shown: part.name.clone(),
            files: Vec::new(),
            parts: vec![part],
            attachments: Vec::new(),
        }
    }

    /// Reads a log from disk.
    pub fn load(log: &vac_store::StoredLog) -> Self {
        let files: Vec<_> = log.paths().map(PathBuf::from).collect();
        let path = PathBuf::from(&log.shown);
        let around = [super::root(), super::root().parent().unwrap_or(super::root())];
        let shown = around.iter().find_map(|folder| path.strip_prefix(folder).ok());
        let shown = shown.unwrap_or(&path).display().to_string();
        let loaded = log.load().unwrap_or_else(|error| panic!("{shown}: {error}"));
        let parts = loaded.parts().into_iter().map(Part::load).collect();
        let attachments = loaded.attachments().into_iter().map(Part::load).collect();
        Self { shown, files, parts, attachments }
    }

    /// Returns the log with another limit on events.
    #[must_use]
    pub fn with_max_event(mut self, max_event: usize) -> Self {
        for part in self.parts.iter_mut().chain(&mut self.attachments) {
            part.max_event = max_event;
        }
        self
    }

    /// Returns the log under another name for messages.
    #[must_use]
    pub fn named(mut self, shown: String) -> Self {
        self.shown = shown;
        self
    }

    /// Returns the bytes of the first file, which is usually the only one.
    pub fn first(&self) -> &[u8] {
        &self.parts[0].bytes
    }

    /// Returns the log with other bytes in its first file. The new log is not on disk.
    #[must_use]
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        let mut log = Self { files: Vec::new(), ..self.clone() };
        log.parts[0].bytes = bytes;
        log.parts[0].troubles.clear();
        log
    }
}

impl Part {
    fn load(input: &dyn Input) -> Self {
        let mut bytes = Vec::new();
        let read = input.open().and_then(|mut reader| reader.read_to_end(&mut bytes));
        read.unwrap_or_else(|error| panic!("{}: {error}", input.name()));
        let (name, folder) = (input.name().to_owned(), input.folder().to_owned());
        Self {
            name,
            folder,
            bytes,
            container: input.container(),
            troubles: input.troubles().to_vec(),
            max_event: input.max_event(),
        }
    }
}

impl Input for Part {
    fn name(&self) -> &str {
        &self.name
    }

    fn folder(&self) -> &str {
        &self.folder
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(&self.bytes[..]))
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(&self.bytes)
    }

    fn container(&self) -> Container {
        self.container
    }

    fn troubles(&self) -> &[Trouble] {
        &self.troubles
    }

    fn max_event(&self) -> usize {
        self.max_event
    }
}

impl Input for TestLog {
    fn name(&self) -> &str {
        self.parts[0].name()
    }

    fn folder(&self) -> &str {
        self.parts[0].folder()
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match &self.parts[..] {
            [only] => only.open(),
            parts => concatenate(parts.iter().map(|part| part as &dyn Input).collect()),
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        match &self.parts[..] {
            [only] => only.bytes(),
            _ => None,
        }
    }

    fn max_event(&self) -> usize {
        self.parts[0].max_event
    }

    fn container(&self) -> Container {
        self.parts[0].container
    }

    fn troubles(&self) -> &[Trouble] {
        match &self.parts[..] {
            [only] => only.troubles(),
            _ => &[],
        }
    }

    fn parts(&self) -> Vec<&dyn Input> {
        self.parts.iter().map(|part| part as &dyn Input).collect()
    }

    fn attachments(&self) -> Vec<&dyn Input> {
        self.attachments.iter().map(|part| part as &dyn Input).collect()
    }
}
