//! What is to be read: files, those in directories, and standard input.

use std::fs::File;
use std::io::{self, BufRead, Read, StdinLock};
use std::path::{Path, PathBuf};

use memchr::memchr;

/// The endings of files that are taken for records when a directory is searched.
const ENDINGS: [&str; 7] = ["json", "cbor", "jsonl", "ndjson", "cborseq", "cose", "acr"];
/// Those of files that hold one record after the other.
const SEQUENCES: [&str; 3] = ["jsonl", "ndjson", "cborseq"];

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// Something that was found to be unreadable, and why.
    Unreadable(PathBuf, String),
}

/// How documents follow each other in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// There is one.
    One,
    /// JSON has one on each line, CBOR one behind the other.
    Sequence,
    /// Either, as it turns out.
    Open,
}

impl Input {
    /// What it is called: the path as it was given.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::File(path) | Self::Unreadable(path, _) => path.to_string_lossy().into_owned(),
        }
    }

    /// How documents follow each other in it.
    pub fn framing(&self) -> Framing {
        match self {
            Self::Stdin => Framing::Open,
            Self::File(path) if has_ending(path, &SEQUENCES) => Framing::Sequence,
            _ => Framing::One,
        }
    }

    /// Opens it.
    pub fn open(&self) -> io::Result<Reader> {
        match self {
            Self::Stdin => Ok(Reader::Stdin(io::stdin().lock())),
            Self::File(path) => File::open(path).map(Reader::File),
            Self::Unreadable(_, why) => Err(io::Error::other(why.clone())),
        }
    }
}

/// An open input.
pub enum Reader {
    /// Standard input.
    Stdin(StdinLock<'static>),
    /// A file.
    File(File),
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stdin(stdin) => stdin.read(buffer),
            Self::File(file) => file.read(buffer),
        }
    }
}

/// The inputs that paths stand for: `-` is standard input, a directory stands
/// for the records in it at any depth, in the order of their names.
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
        } else if path.is_dir() {
            let before = inputs.len();
            search(path, &mut inputs);
            if inputs.len() == before {
                let endings = ENDINGS.join(", .");
                let why = format!("no records in this directory (files that end in .{endings})");
                inputs.push(Input::Unreadable(path.clone(), why));
            }
        } else {
            inputs.push(Input::File(path.clone()));
        }
    }
    inputs
}

/// Links to files are followed, links to directories are not: they may lead
/// back. Pipes and devices are passed by: who reads them may wait for ever.
fn search(directory: &Path, inputs: &mut Vec<Input>) {
    let mut waiting = vec![directory.to_owned()];
    while let Some(path) = waiting.pop() {
        let is_directory = path == directory || (path.is_dir() && !path.is_symlink());
        if is_directory {
            match entries(&path) {
                // The last to be pushed is the next to be looked at.
                Ok(mut entries) => {
                    entries.sort();
                    waiting.extend(entries.into_iter().rev());
                }
                Err(error) => inputs.push(Input::Unreadable(path, error.to_string())),
            }
        } else if has_ending(&path, &ENDINGS) {
            match path.metadata() {
                Ok(metadata) if metadata.is_file() => inputs.push(Input::File(path)),
                Ok(_) => {}
                Err(error) => inputs.push(Input::Unreadable(path, error.to_string())),
            }
        }
    }
}

fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    directory.read_dir()?.map(|entry| entry.map(|entry| entry.path())).collect()
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The rest of a line of another reader, without its end.
pub struct RestOfLine<'r, R> {
    reader: &'r mut R,
    done: bool,
}

impl<'r, R> RestOfLine<'r, R> {
    /// Up to the next line feed.
    pub fn new(reader: &'r mut R) -> Self {
        Self { reader, done: false }
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
        self.reader.consume(length + usize::from(self.done));
        Ok(length)
    }
}

/// Line and column, from 1, of the byte at an offset; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Position {
    /// Reads up to an offset to find out.
    pub fn of(offset: usize, text: impl Read) -> io::Result<Self> {
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
                    // The bytes of a character behind its first.
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
    fn a_position_counts_lines_and_characters() {
        let text = "a\né€x\n";
        let at = |offset| Position::of(offset, text.as_bytes()).unwrap();
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(2), Position { line: 2, column: 1 });
        assert_eq!(at(7), Position { line: 2, column: 3 });
        assert_eq!(at(9), Position { line: 3, column: 1 });
    }

    #[test]
    fn the_rest_of_a_line_ends_with_it() {
        let mut reader = io::BufReader::with_capacity(2, &b"abcde\nfg\n"[..]);
        let mut rest = String::new();
        RestOfLine::new(&mut reader).read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "abcde");
        rest.clear();
        RestOfLine::new(&mut reader).read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "fg");
    }
}
