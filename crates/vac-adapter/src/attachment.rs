//! Converts files that belong to a session, but are not logs, to events.
//!
//! The content is text, base64 if it is not UTF-8, or a value if it is a JSON file. A large file
//! is split into several events, so that memory does not grow with its size.

use std::io::{self, Read};
use std::path::Path;

use vac_record::{Entry, EventEntry};
use vac_value::Document;

use crate::adapter::{Error, Origin, Sink};
use crate::frame::Place;
use crate::input::Input;
use crate::members::Rest;
use crate::raw;

/// The maximum number of bytes of a piece.
const MAX_PIECE: usize = 4 << 20;

/// A companion file of a session.
#[derive(Clone, Copy)]
pub struct Attachment<'f> {
    /// The file.
    pub file: &'f dyn Input,
    /// The number of the file among all files of the session, from 0.
    pub number: usize,
}

impl<'f> Attachment<'f> {
    /// Returns the last name of its path. Accepts the separators of all systems.
    pub fn base(self) -> &'f str {
        base(self.file.name())
    }

    /// Opens the file. A file that cannot be read is reported by an event and a warning.
    pub fn open(self, sink: &mut dyn Sink) -> Result<Option<Box<dyn Read + 'f>>, Error> {
        match self.file.open() {
            Ok(reader) => Ok(Some(reader)),
            Err(error) => self.unreadable(&error, id(self.number), sink).map(|()| None),
        }
    }

    fn unreadable(self, error: &io::Error, id: String, sink: &mut dyn Sink) -> Result<(), Error> {
        sink.report().warn(format!("{} cannot be read: {error}", self.file.name()));
        sink.entry(event("unreadable-file", self.named(), id, None), nowhere(self.number))
    }

    /// Passes the file to a sink as events of a type, with the call that it is about.
    pub fn entries(
        self,
        event_type: &str,
        call: Option<&str>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let Some(reader) = self.open(sink)? else { return Ok(()) };
        let mut pieces = Pieces { reader, held: Vec::new(), offset: 0, length: 0, is_over: false };
        for count in 1.. {
            let id = match count {
                1 => id(self.number),
                count => format!("{}.{count}", id(self.number)),
            };
            let Piece { bytes, offset, is_all } = match pieces.next() {
                Ok(None) => break,
                Ok(Some(piece)) => piece,
                Err(error) => return self.unreadable(&error, id, sink),
            };
            let mut data = self.named();
            let document = Document::json(bytes).ok().filter(|_| is_all && self.is_json());
            match document.filter(|document| document.duplicate_keys().len() == 0) {
                Some(document) => data.push(("value".into(), document.root().lift())),
                None => text_or_bytes(&mut data, bytes, offset),
            }
            let Origin { place, .. } = nowhere(self.number);
            sink.entry(event(event_type, data, id, call), Origin { place, bytes })?;
        }
        Ok(())
    }

    fn is_json(self) -> bool {
        let extension = Path::new(self.file.name()).extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
    }

    /// Returns the data of an event about it.
    fn named(self) -> Rest<'static> {
        let mut data = Rest::default();
        raw::push(&mut data, "name", self.file.name());
        data
    }
}

/// Returns the last name of a path. Accepts the separators of all systems.
pub fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the id of the entry for a whole file.
pub fn id(file: usize) -> String {
    format!("F{}", file + 1)
}

/// Returns the origin of an entry that was not made from a line.
pub fn nowhere(file: usize) -> Origin<'static> {
    Origin { place: Place { file, ..Place::default() }, bytes: &[] }
}

/// Returns an event that was not made from a line, with the call that it is about.
pub fn event<'a>(event_type: &str, data: Rest<'a>, id: String, call: Option<&str>) -> Entry<'a> {
    let mut extensions = Rest::default();
    if let Some(call) = call {
        raw::push(&mut extensions, "call-id", call);
    }
    Entry::Event(EventEntry {
        event_type: event_type.to_owned().into(),
        data: Some(data),
        timestamp: None,
        id: Some(id.into()),
        children: None,
        extensions,
    })
}

/// Adds the content of a piece of a file, and its offset if it is not the first.
fn text_or_bytes(data: &mut Rest<'_>, bytes: &[u8], offset: u64) {
    if offset > 0 {
        raw::push(data, "offset", &offset);
    }
    raw::push_bytes(data, ["text", "base64"], bytes);
}

/// A piece of a file, its offset, and whether it is the whole file.
struct Piece<'b> {
    bytes: &'b [u8],
    offset: u64,
    is_all: bool,
}

/// Reads a file in pieces; pieces of text end between characters.
struct Pieces<R> {
    reader: R,
    held: Vec<u8>,
    /// The offset and the length of the piece that was read last.
    offset: u64,
    length: usize,
    is_over: bool,
}

impl<R: Read> Pieces<R> {
    /// Reads the next piece. Every file has at least one.
    fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        if self.is_over {
            return Ok(None);
        }
        self.held.drain(..self.length);
        self.offset += self.length as u64;
        let room = MAX_PIECE - self.held.len();
        let read = self.reader.by_ref().take(room as u64).read_to_end(&mut self.held)?;
        self.is_over = read < room;
        self.length = match std::str::from_utf8(&self.held) {
            Err(error) if !self.is_over && error.error_len().is_none() => error.valid_up_to(),
            _ => self.held.len(),
        };
        let is_first = self.offset == 0;
        Ok((is_first || self.length > 0).then_some(Piece {
            bytes: &self.held[..self.length],
            offset: self.offset,
            is_all: is_first && self.is_over,
        }))
    }
}
