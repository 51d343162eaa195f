//! Gives access to the text of objects in any order.
//!
//! An input in memory is scanned once, and an object is a place in its frames. Of any other input,
//! a few megabytes are in memory at a time: the objects that come next in the order of the entries.
//! The input is read as often as necessary.

use std::cell::RefCell;

use vac_adapter::frame::{Content, Frame, Reason};
use vac_adapter::{Error, Log};
use vac_value::{Node, Scanner};

use crate::object::StoredObject;

/// Maximum number of bytes of text that is in memory of an input which is read from disk.
const MAX_TEXT_IN_MEMORY: usize = if cfg!(test) { 1 << 10 } else { 32 << 20 };

/// Gives access to the text of objects. See the [module](self).
#[derive(Debug)]
pub(crate) struct Source<'i> {
    log: Log<'i>,
    /// The places of the objects, in the order of the entries, if the input is not in memory.
    spots: Vec<Spot>,
    window: RefCell<Window>,
}

/// The place of an object.
#[derive(Clone, Copy, Debug)]
struct Spot {
    file: usize,
    index: u64,
    node: u32,
    size: usize,
    /// Whether the text is not read from the input, because the object has it or is not needed.
    is_held: bool,
}

/// The objects in memory, and the number of the first in the order of the entries.
#[derive(Debug, Default)]
struct Window {
    first: usize,
    bodies: Vec<Option<Body>>,
}

#[derive(Debug)]
enum Body {
    Document(Box<[u8]>),
    Raw(Box<[u8]>, Reason),
}

/// The content of an object.
#[derive(Clone, Copy)]
pub(crate) enum Seen<'d, 'a> {
    /// A document, or a part of one.
    Document(Node<'d, 'a>),
    /// Bytes that are not a document.
    Raw(&'a [u8], &'d Reason),
}

impl<'i> Source<'i> {
    /// Creates a source without objects.
    pub fn new(log: Log<'i>) -> Self {
        Self { log, spots: Vec::new(), window: RefCell::default() }
    }

    /// Returns the log.
    pub fn log(&self) -> &Log<'i> {
        &self.log
    }

    /// Adds objects at the end of the order of the entries, and returns the number of the first.
    pub fn add<'u>(&mut self, objects: impl Iterator<Item = &'u StoredObject<'u>>) -> usize {
        let first = self.spots.len();
        if !self.log.is_in_memory() {
            self.spots.extend(objects.map(|stored| Spot {
                file: stored.place.file,
                index: stored.place.index,
                node: stored.node,
                size: stored.size,
                is_held: stored.entries == 0 || stored.text.is_some(),
            }));
        }
        first
    }

    /// Passes the object with this number in the order of the entries to a function.
    pub fn read<T>(
        &self,
        stored: &StoredObject<'_>,
        number: usize,
        scanner: &mut Scanner,
        read: impl FnOnce(Seen<'_, '_>) -> T,
    ) -> Result<T, Error> {
        if let Some(text) = &stored.text {
            return match &stored.reason {
                None => scanned(text, scanner, read),
                Some(reason) => Ok(read(Seen::Raw(text, reason))),
            };
        }
        if self.log.is_in_memory() {
            let found = self.log.frame(stored.place, scanner, |frame| {
                let seen = find_object(frame, stored.node)?;
                Some(read(seen))
            });
            return found.flatten().ok_or_else(changed);
        }
        if !self.window.borrow().holds(number) {
            // Free the old window before the new one is read.
            self.window.take();
            self.window.replace(self.window_from(number)?);
        }
        let window = self.window.borrow();
        match window.body(number).ok_or_else(changed)? {
            Body::Document(text) => scanned(text, scanner, read),
            Body::Raw(bytes, reason) => Ok(read(Seen::Raw(bytes, reason))),
        }
    }

    /// Reads the objects from a number on, as many as fit into memory.
    fn window_from(&self, first: usize) -> Result<Window, Error> {
        let mut room = MAX_TEXT_IN_MEMORY;
        let spots = self.spots.get(first..).unwrap_or_default();
        let fits = |spot: &&Spot| {
            let before = room;
            room = room.saturating_sub(if spot.is_held { 0 } else { spot.size });
            before > 0
        };
        let count = spots.iter().take_while(fits).count();
        let wanted = spots[..count].iter().zip(0..).filter(|(spot, _)| !spot.is_held);
        let mut wanted: Vec<(_, usize)> = wanted.collect();
        wanted.sort_by_key(|(spot, _)| (spot.file, spot.index, spot.node));
        let mut wanted = wanted.into_iter().peekable();
        let mut bodies: Vec<_> = (0..count).map(|_| None).collect();
        let read = self.log.each(|frame| {
            let here =
                |spot: &Spot| (spot.file, spot.index) == (frame.place.file, frame.place.index);
            while let Some((spot, slot)) = wanted.next_if(|(spot, _)| here(spot)) {
                let body: &mut Option<Body> = &mut bodies[slot];
                *body = find_object(frame, spot.node).map(Body::from_seen);
            }
            // All wanted objects have been read.
            if wanted.peek().is_none() { Err(Error::Refused(String::new())) } else { Ok(()) }
        });
        match read {
            Err(error) if wanted.peek().is_some() => Err(error),
            _ => Ok(Window { first, bodies }),
        }
    }
}

impl Window {
    fn holds(&self, number: usize) -> bool {
        number.checked_sub(self.first).is_some_and(|at| at < self.bodies.len())
    }

    fn body(&self, number: usize) -> Option<&Body> {
        self.bodies.get(number.checked_sub(self.first)?)?.as_ref()
    }
}

impl Body {
    fn from_seen(seen: Seen<'_, '_>) -> Self {
        match seen {
            Seen::Document(node) => Self::Document(node.raw().into()),
            Seen::Raw(bytes, reason) => Self::Raw(bytes.into(), reason.clone()),
        }
    }
}

/// Returns an object of a frame; `None` if the frame has changed.
fn find_object<'d, 'a>(frame: &'d Frame<'a>, node: u32) -> Option<Seen<'d, 'a>> {
    match &frame.content {
        Content::Document(document) if (node as usize) < document.len() => {
            Some(Seen::Document(document.node(node)))
        }
        Content::Document(_) => None,
        Content::Raw(raw) => Some(Seen::Raw(raw.bytes, &raw.reason)),
    }
}

fn scanned<T>(
    text: &[u8],
    scanner: &mut Scanner,
    look: impl FnOnce(Seen<'_, '_>) -> T,
) -> Result<T, Error> {
    // The bytes were a document before, so they still are one.
    let document = scanner.json(text).map_err(|_| changed())?;
    let result = look(Seen::Document(document.root()));
    scanner.recycle(document);
    Ok(result)
}

fn changed() -> Error {
    Error::Changed { file: None }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{self, Read};

    use vac_adapter::session::{RecordOptions, no_sources, write};
    use vac_adapter::{Adapter, Input, Memory};

    use crate::OpenCode;

    /// An input that is not in memory and counts how often it is read.
    struct File<'a>(&'a [u8], Cell<usize>);

    impl Input for File<'_> {
        fn name(&self) -> &'static str {
            "log.jsonl"
        }

        fn open(&self) -> io::Result<Box<dyn Read + '_>> {
            self.1.set(self.1.get() + 1);
            Ok(Box::new(self.0))
        }
    }

    fn records(input: &dyn Input) -> Vec<Vec<u8>> {
        let sessions = OpenCode.survey(input).expect("sessions");
        let records = sessions.iter().map(|session| {
            let mut record = Vec::new();
            write(&**session, &RecordOptions::default(), &no_sources, &mut record)
                .expect("a record");
            record
        });
        records.collect()
    }

    /// Returns a log of two sessions whose last messages come first, with garbage and arrays in
    /// between.
    fn log() -> Vec<u8> {
        let mut log = Vec::new();
        for number in (10..60).rev() {
            for session in ["ses_1", "ses_2"] {
                log.push(format!(
                    r#"{{"id": "prt_{number}", "sessionID": "{session}", "type": "text",
                        "messageID": "msg_{number}{session}", "text": "{number} words"}}"#
                ));
                log.push(format!(
                    r#"{{"id": "msg_{number}{session}", "sessionID": "{session}", "role": "user",
                        "time": {{"created": {number}}}}}"#
                ));
            }
            if number % 20 == 0 {
                log.push("what is this?".to_owned());
                log.push(r#"[{"file": "a.rs", "additions": 1}]"#.to_owned());
            }
        }
        log.push(r#"{"id": "ses_2", "projectID": "p", "title": "t"}"#.to_owned());
        log.join("\n").into_bytes()
    }

    #[test]
    fn input_on_disk_gives_the_same_records_as_in_memory() {
        let log = log();
        let file = File(&log, Cell::new(0));
        let expected = records(&Memory { name: "log.jsonl", bytes: &log });
        assert_eq!(expected.len(), 2);
        assert!(records(&file) == expected, "other records");
        let times = file.1.get();
        let least = log.len() / super::MAX_TEXT_IN_MEMORY / 2;
        assert!(times > least && times < 40, "{times} times, {} bytes", log.len());
    }
}
