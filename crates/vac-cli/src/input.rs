//! Inputs of `vac validate`: files, files in directories and archives, and standard input.

use std::fs::File;
use std::io::{self, BufRead, Read, StdinLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2};
use vac::store::endless::{MAX_WHOLE, check_stdin, refuse_device};
use vac::store::safe_path::PathKind;
use vac::store::walk::{MAX_DEPTH, Visitor, walk};
use vac::store::{KeptRecord, KeptRecords, RecordFolders as _, SafePath, Skipped, Source};
use vac_archive::ArchiveFolders;

/// The extensions of files that are records in a directory.
const EXTENSIONS: [&str; 7] = ["json", "cbor", "jsonl", "ndjson", "cborseq", "cose", "acr"];
/// The extensions of files with one JSON record on each line.
const LINE_EXTENSIONS: [&str; 2] = ["jsonl", "ndjson"];

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A record of an archive.
    Archived(ArchivedRecord),
    /// A path that cannot be read, and the reason.
    Unreadable(PathBuf, String),
}

/// A record of an archive.
#[derive(Clone, Debug)]
pub struct ArchivedRecord {
    source: Arc<dyn Source>,
    /// The name of the record in the source.
    name: String,
    shown: String,
}

impl PartialEq for ArchivedRecord {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.shown) == (&other.name, &other.shown)
    }
}

impl Eq for ArchivedRecord {}

impl Input {
    /// Returns the path as the user gave it.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::Archived(record) => record.shown.clone(),
            Self::File(path) | Self::Unreadable(path, _) => path.to_string_lossy().into_owned(),
        }
    }

    /// Returns whether the file has an extension of JSON.
    pub fn is_named_like_json(&self) -> bool {
        matches!(self, Self::File(path) if has_extension(path, &["json"]) || has_extension(path, &LINE_EXTENSIONS))
    }

    /// Returns whether the file has an extension of JSON lines.
    pub fn is_named_like_lines(&self) -> bool {
        matches!(self, Self::File(path) if has_extension(path, &LINE_EXTENSIONS))
    }

    /// Opens the input. A device is refused: it may not end.
    pub fn open(&self) -> io::Result<Reader> {
        let (kind, max_in_memory) = match self {
            Self::Stdin => {
                let max = check_stdin()?;
                (ReaderKind::Stdin(io::stdin().lock()), max)
            }
            Self::File(path) => {
                let file = File::open(path)?;
                let max = refuse_device(&file)?;
                (ReaderKind::File(file), max)
            }
            Self::Archived(record) => {
                (ReaderKind::Archived(record.source.open(&record.name)?), MAX_WHOLE)
            }
            Self::Unreadable(_, why) => return Err(io::Error::other(why.clone())),
        };
        Ok(Reader { kind, max_in_memory })
    }
}

/// An open input.
pub struct Reader {
    kind: ReaderKind,
    /// The greatest number of bytes of it that are read into memory.
    pub max_in_memory: u64,
}

enum ReaderKind {
    /// Standard input.
    Stdin(StdinLock<'static>),
    /// A file.
    File(File),
    /// A record of an archive.
    Archived(Box<dyn Read + Send>),
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.kind {
            ReaderKind::Stdin(stdin) => stdin.read(buffer),
            ReaderKind::File(file) => file.read(buffer),
            ReaderKind::Archived(record) => record.read(buffer),
        }
    }
}

/// Returns the inputs of paths: `-` is standard input, and a directory contains records at any
/// depth, in the order of their names.
pub fn find(paths: &[PathBuf]) -> Vec<Input> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            if inputs.contains(&Input::Stdin) {
                let why = "standard input can be read only once".to_owned();
                inputs.push(Input::Unreadable(path.clone(), why));
            } else {
                inputs.push(Input::Stdin);
            }
        } else if let Some(found) = (!path.is_file()).then(|| archived(path)).flatten() {
            inputs.extend(found);
        } else if path.is_dir() {
            let mut records = Records(Vec::new());
            walk(&SafePath::named(path, &Skipped::default()), MAX_DEPTH, &mut records);
            if records.0.is_empty() {
                let extensions = EXTENSIONS.join(", .");
                let why = format!("no records in this directory (files that end in .{extensions})");
                inputs.push(Input::Unreadable(path.clone(), why));
            }
            inputs.append(&mut records.0);
        } else {
            inputs.push(Input::File(path.clone()));
        }
    }
    inputs
}

/// Returns the records of an archive, or of a path below one.
fn archived(path: &Path) -> Option<Vec<Input>> {
    Some(match ArchiveFolders.open(path)? {
        Ok(kept) if kept.records.is_empty() => {
            let why = "no records in this archive".to_owned();
            vec![Input::Unreadable(path.to_owned(), why)]
        }
        Ok(KeptRecords { source, records, .. }) => {
            let input = |KeptRecord { name, shown, .. }| {
                Input::Archived(ArchivedRecord { source: source.clone(), name, shown })
            };
            records.into_iter().map(input).collect()
        }
        Err(error) => vec![Input::Unreadable(path.to_owned(), error.to_string())],
    })
}

/// The records in a directory, and the entries of it that could not be read.
struct Records(Vec<Input>);

impl Visitor for Records {
    fn folder(&mut self, folder: &SafePath, entries: Vec<SafePath>) -> Vec<SafePath> {
        match archived(folder.as_path()) {
            Some(found) => {
                self.0.extend(found);
                Vec::new()
            }
            None => entries,
        }
    }

    /// Links to files are followed, links to directories are not: they may lead back. Pipes and
    /// devices are skipped: reading them may never end.
    fn visit(&mut self, path: SafePath, kind: PathKind) {
        let path = path.as_path();
        if !has_extension(path, &EXTENSIONS) {
            return;
        }
        let is_file = match kind {
            PathKind::Link => path.metadata().map(|target| target.is_file()),
            kind => Ok(kind == PathKind::File),
        };
        match is_file {
            Ok(true) => self.0.push(Input::File(path.to_owned())),
            Ok(false) => {}
            Err(error) => self.failed(path, error),
        }
    }

    fn failed(&mut self, path: &Path, error: io::Error) {
        // Other programs may be writing temporary files.
        if error.kind() != io::ErrorKind::NotFound || has_extension(path, &EXTENSIONS) {
            self.0.push(Input::Unreadable(path.to_owned(), error.to_string()));
        }
    }
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|it| known.iter().any(|known| it.eq_ignore_ascii_case(known)))
}

/// A reader of the rest of a line, without its line feed.
pub struct RestOfLine<'r, R> {
    reader: &'r mut R,
    length: usize,
    done: bool,
}

impl<'r, R> RestOfLine<'r, R> {
    /// Creates a reader up to the next line feed.
    pub fn new(reader: &'r mut R) -> Self {
        Self { reader, length: 0, done: false }
    }

    /// Returns the number of bytes that were read, with the line feed.
    pub fn length(&self) -> usize {
        self.length
    }
}

impl<R: BufRead> Read for RestOfLine<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.done || buffer.is_empty() {
            return Ok(0);
        }
        let available = self.reader.fill_buf()?;
        let most = available.len().min(buffer.len());
        let feed = memchr(b'\n', &available[..most]);
        let length = feed.unwrap_or(most);
        buffer[..length].copy_from_slice(&available[..length]);
        self.done = feed.is_some();
        let taken = length + usize::from(self.done);
        self.length += taken;
        self.reader.consume(taken);
        Ok(length)
    }
}

/// A splitter of JSON documents, with or without space between them. It finds the end of a document
/// by brackets and quotes; whether the document is valid is left to a parser.
pub struct Documents<R> {
    reader: R,
    offset: usize,
    line: usize,
}

impl<R: BufRead> Documents<R> {
    /// Creates a splitter.
    pub fn new(reader: R) -> Self {
        Self { reader, offset: 0, line: 1 }
    }

    /// Returns the offset of the next byte.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the line of the next byte, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Skips space and returns whether anything follows.
    pub fn skip_space(&mut self) -> io::Result<bool> {
        loop {
            let available = self.reader.fill_buf()?;
            if available.is_empty() {
                return Ok(false);
            }
            let space = available.iter().take_while(|byte| is_space(**byte)).count();
            let is_found = space < available.len();
            self.consume(space);
            if is_found {
                return Ok(true);
            }
        }
    }

    /// Returns a reader of the document that begins here.
    pub fn next_document(&mut self) -> NextDocument<'_, R> {
        NextDocument { documents: self, inside: Inside::Nothing, depth: 0 }
    }

    fn consume(&mut self, length: usize) {
        let consumed = self.reader.fill_buf().map_or(&[][..], |available| &available[..length]);
        self.line += memchr_iter(b'\n', consumed).count();
        self.offset += length;
        self.reader.consume(length);
    }
}

/// A reader of one document.
pub struct NextDocument<'d, R> {
    documents: &'d mut Documents<R>,
    inside: Inside,
    /// Number of open brackets.
    depth: usize,
}

/// The syntax that the next byte is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Nothing, because it is the first byte.
    Nothing,
    /// A map or an array.
    Container,
    /// Text.
    Text,
    /// Text, after a backslash.
    Escape,
    /// A number or a literal.
    Scalar,
    /// Nothing, because the document has ended.
    End,
}

impl<R> NextDocument<'_, R> {
    /// Returns how many of these bytes belong to the document.
    fn length(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && self.inside != Inside::End {
            let is_bracket = matches!(bytes[at], b'{' | b'[' | b'}' | b']');
            match (self.inside, bytes[at]) {
                (Inside::Text, _) => match memchr2(b'"', b'\\', &bytes[at..]) {
                    None => return bytes.len(),
                    Some(found) => {
                        at += found;
                        let is_escape = bytes[at] == b'\\';
                        self.inside = if is_escape { Inside::Escape } else { self.outer() };
                    }
                },
                (Inside::Scalar, byte) if is_bracket || is_space(byte) || byte == b'"' => {
                    self.inside = Inside::End;
                    return at;
                }
                (Inside::Scalar, _) => {}
                (Inside::Escape, _) | (_, b'"') => self.inside = Inside::Text,
                (_, b'{' | b'[') => {
                    self.depth += 1;
                    self.inside = Inside::Container;
                }
                (_, b'}' | b']') => {
                    self.depth = self.depth.saturating_sub(1);
                    self.inside = self.outer();
                }
                (Inside::Nothing, _) => self.inside = Inside::Scalar,
                (Inside::Container | Inside::End, _) => {}
            }
            at += 1;
        }
        at
    }

    /// Returns the syntax around a value that has just ended.
    fn outer(&self) -> Inside {
        if self.depth == 0 { Inside::End } else { Inside::Container }
    }
}

impl<R: BufRead> Read for NextDocument<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.inside == Inside::End {
            return Ok(0);
        }
        let available = self.documents.reader.fill_buf()?;
        let most = available.len().min(buffer.len());
        buffer[..most].copy_from_slice(&available[..most]);
        let length = self.length(&buffer[..most]);
        self.documents.consume(length);
        Ok(length)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Line and column, from 1, of the byte at an offset; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Position {
    /// Returns the position of an offset, by reading the text up to it.
    pub fn at(offset: usize, text: impl Read) -> io::Result<Self> {
        let mut position = Self { line: 1, column: 1 };
        let mut text = io::BufReader::new(text.take(offset as u64));
        loop {
            let chunk = text.fill_buf()?;
            if chunk.is_empty() {
                return Ok(position);
            }
            for &byte in chunk {
                match byte {
                    b'\n' => position = Self { line: position.line + 1, column: 1 },
                    // Continuation bytes of a character.
                    0x80..=0xbf => {}
                    _ => position.column += 1,
                }
            }
            let length = chunk.len();
            text.consume(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_counts_lines_and_characters() {
        let text = "a\né€x\n";
        let at = |offset| Position::at(offset, text.as_bytes()).unwrap();
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(2), Position { line: 2, column: 1 });
        assert_eq!(at(7), Position { line: 2, column: 3 });
        assert_eq!(at(9), Position { line: 3, column: 1 });
    }

    #[test]
    fn documents_end_with_their_last_bracket_in_any_chunks() {
        let text = r#" {"a": "}\"]\\", "b": [{}]}{}
            [1, "["]"x\"y" 12 true{"c":1}]"#;
        let expected = [
            (1, r#"{"a": "}\"]\\", "b": [{}]}"#),
            (1, "{}"),
            (2, r#"[1, "["]"#),
            (2, r#""x\"y""#),
            (2, "12"),
            (2, "true"),
            (2, r#"{"c":1}"#),
            (2, "]"),
        ];
        for capacity in 1..text.len() {
            let reader = io::BufReader::with_capacity(capacity, text.as_bytes());
            let mut documents = Documents::new(reader);
            let mut found = Vec::new();
            while documents.skip_space().unwrap() {
                let (line, start) = (documents.line(), documents.offset());
                let mut document = String::new();
                documents.next_document().read_to_string(&mut document).unwrap();
                assert_eq!(text[start..documents.offset()], document);
                found.push((line, document));
            }
            let found: Vec<_> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
            assert_eq!(found, expected, "{capacity}");
        }
    }

    #[test]
    fn rest_of_line_ends_before_the_next_line() {
        let mut reader = io::BufReader::with_capacity(2, &b"abcde\nfg\n"[..]);
        let mut rest = String::new();
        RestOfLine::new(&mut reader).read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "abcde");
        rest.clear();
        RestOfLine::new(&mut reader).read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "fg");
    }
}
