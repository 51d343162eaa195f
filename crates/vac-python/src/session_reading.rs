//! Defines the functions `inspect` and `events`.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use pyo3::prelude::*;
use vac::view::{AuthorSet, MessageAuthor};
use vac::{EventOptions, Facts};

use crate::ordered_batches::ended_early;
use crate::python_error::{parse_json, refused, to_exception, to_python};
use crate::session_input::{SessionInput, Sessions};

/// The approximate size in bytes of the pieces in which events are sent.
const PIECE: usize = 256 << 10;

/// Returns the facts about every session, with the members of `vac inspect --json`.
///
/// `source` is a task, a path, the bytes of a log or of records, or a `Record`.
#[pyfunction]
pub fn inspect<'py>(py: Python<'py>, source: SessionInput<'py>) -> PyResult<Bound<'py, PyAny>> {
    let sessions = source.resolve(py).map_err(to_exception)?;
    let facts = py.detach(|| {
        let mut all: Vec<Facts> = Vec::new();
        sessions.each(|session| {
            all.extend(vac::inspect(session)?);
            Ok(())
        })?;
        Ok(all)
    });
    to_python(py, &facts.map_err(to_exception)?)
}

/// Iterates over the events of sessions, in order. Each event is a line of `vac events` as a
/// dictionary.
///
/// `source` is a task, a path, the bytes of a log or of records, or a `Record`. `only` names the
/// kinds of events: `prompts`, `tools`, `permissions`, `text`, `reasoning`, `usage`, `boundaries`;
/// all by default. `authors` names the authors whose prompts are included: `user`, `program`,
/// `other-agent`, `hook`, `unknown`, `unstated`; only `user` by default. With `repeated`, entries
/// that repeat others are included.
#[pyfunction]
#[pyo3(signature = (source, *, only = None, authors = None, repeated = false))]
pub fn events(
    py: Python<'_>,
    source: SessionInput<'_>,
    only: Option<Vec<String>>,
    authors: Option<Vec<String>>,
    repeated: bool,
) -> PyResult<EventIterator> {
    let mut options = EventOptions { repeated, ..EventOptions::default() };
    if let Some(only) = only {
        options = select(options, &only)?;
    }
    if let Some(authors) = authors {
        options.authors = AuthorSet::EMPTY;
        for name in authors {
            let author = MessageAuthor::ALL.into_iter().find(|author| author.name() == name);
            let author = author.ok_or_else(|| refused(format!("unknown author `{name}`")))?;
            options.authors = options.authors.with(author);
        }
    }
    let sessions = source.resolve(py).map_err(to_exception)?;
    let (sender, receiver) = sync_channel(4);
    let work = move || send_events(&sessions, options, &sender);
    thread::Builder::new().spawn(work).map_err(|error| to_exception(error.into()))?;
    Ok(EventIterator(Mutex::new(EventPieces {
        receiver: Some(receiver),
        piece: Vec::new().into_iter(),
    })))
}

fn select(options: EventOptions, only: &[String]) -> PyResult<EventOptions> {
    let mut selected = EventOptions {
        prompts: false,
        tools: false,
        permissions: false,
        text: false,
        reasoning: false,
        usage: false,
        boundaries: false,
        ..options
    };
    for name in only {
        let kind = match name.as_str() {
            "prompts" => &mut selected.prompts,
            "tools" => &mut selected.tools,
            "permissions" => &mut selected.permissions,
            "text" => &mut selected.text,
            "reasoning" => &mut selected.reasoning,
            "usage" => &mut selected.usage,
            "boundaries" => &mut selected.boundaries,
            other => return Err(refused(format!("unknown kind of events `{other}`"))),
        };
        *kind = true;
    }
    Ok(selected)
}

/// A message of the thread that reads events.
enum EventPiece {
    /// Events as JSON.
    Events(Vec<String>),
    /// The error that ended the reading.
    Failed(vac::Error),
    /// All events have been sent.
    Complete,
}

fn send_events(sessions: &Sessions, options: EventOptions, sender: &SyncSender<EventPiece>) {
    let (mut piece, mut size) = (Vec::new(), 0);
    let read = sessions.each(|session| {
        vac::events(session, options, |event| {
            let json = String::from_utf8(event.line()).expect("JSON is UTF-8");
            size += json.len();
            piece.push(json);
            if size < PIECE {
                return Ok(());
            }
            size = 0;
            let closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
            sender.send(EventPiece::Events(std::mem::take(&mut piece))).map_err(closed)
        })?;
        Ok(())
    });
    let last = match read {
        Ok(()) => EventPiece::Complete,
        Err(error) => EventPiece::Failed(error),
    };
    // This fails if the iterator was dropped, in which case no further events are needed.
    drop(sender.send(EventPiece::Events(piece)).and_then(|()| sender.send(last)));
}

/// An iterator over events.
#[pyclass(module = "vac", frozen)]
pub struct EventIterator(Mutex<EventPieces>);

struct EventPieces {
    /// `None` after the end, or after an error.
    receiver: Option<Receiver<EventPiece>>,
    piece: std::vec::IntoIter<String>,
}

#[pymethods]
impl EventIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = py.detach(|| {
            let mut pieces = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            pieces.next()
        });
        match next.map_err(to_exception)? {
            Some(json) => parse_json(py, &json).map(Some),
            None => Ok(None),
        }
    }
}

impl EventPieces {
    fn next(&mut self) -> vac::Result<Option<String>> {
        loop {
            if let Some(json) = self.piece.next() {
                return Ok(Some(json));
            }
            let Some(receiver) = &self.receiver else { return Ok(None) };
            let end = match receiver.recv() {
                Ok(EventPiece::Events(events)) => {
                    self.piece = events.into_iter();
                    continue;
                }
                Ok(EventPiece::Complete) => Ok(None),
                Ok(EventPiece::Failed(error)) => Err(error),
                Err(_) => Err(ended_early()),
            };
            self.receiver = None;
            return end;
        }
    }
}
