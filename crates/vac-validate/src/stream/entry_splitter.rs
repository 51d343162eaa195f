//! Splits a JSON record into its entries and the rest, while it is read.
//!
//! Bytes outside the entries are kept, and elements of the entries are collected one at a time.
//! Nothing is validated here: malformed input is split at arbitrary places, and scanning the
//! parts then fails.

use memchr::memchr2;
use vac_record::keys::{session_trace, verifiable_agent_record};
use vac_value::Document;

/// An event that the caller has to handle before the splitter continues.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// [`EntrySplitter::kept`] ends with the bracket that opens the entries.
    Entries,
    /// [`EntrySplitter::element`] is an element that began at this offset and has this
    /// length. A scalar is followed by the byte that ended it, if there was one.
    Element { offset: usize, length: usize },
    /// An element is followed by neither a comma nor a bracket.
    Unexpected { offset: usize },
}

/// The place in the document that the entries were removed from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The offset after the opening bracket, in the document and in the kept bytes.
    pub at: usize,
    /// The number of bytes between the brackets.
    pub length: usize,
}

/// Splits a document that arrives in chunks.
#[derive(Default)]
pub(super) struct EntrySplitter {
    /// The document without its entries.
    pub kept: Vec<u8>,
    /// The element that is being collected.
    pub element: Vec<u8>,
    /// The place of the entries, once they have been found.
    pub cut: Option<Cut>,
    offset: usize,
    element_start: usize,
    state: State,
    /// The number of open maps and arrays: of the document, or of the current element.
    depth: usize,
    inner_depth: usize,
    quoting: Quoting,
    path: Path,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Outside the entries.
    #[default]
    Outside,
    /// After the bracket that opens them.
    First,
    /// After a comma between them.
    Next,
    /// After an element.
    After,
    /// In an element that is a map or an array.
    Container,
    /// In an element that is text.
    Text,
    /// In an element of any other kind.
    Scalar,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Quoting {
    #[default]
    None,
    Text,
    Escape,
}

/// The state of the search for the entries: the path from the root to them.
#[derive(Default)]
struct Path {
    /// Whether the root has begun.
    begun: bool,
    /// The depth of the innermost map on the path: 1 in the record, 2 in the session, 0
    /// outside of both.
    map: usize,
    /// Whether the next text in that map is a key.
    wants_key: bool,
    /// The offset in the kept bytes of the key that is being read.
    key: Option<usize>,
    /// Whether the key of the next value is the one on the path.
    matched: bool,
    /// Whether the record's `session` and the session's `entries` were found.
    seen: [bool; 2],
}

impl EntrySplitter {
    /// Returns the number of bytes read so far.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns whether the current position is inside the list of entries.
    pub fn is_cutting(&self) -> bool {
        self.state != State::Outside
    }

    /// Consumes bytes of the input up to the next event, or all of them.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Event> {
        while !input.is_empty() {
            let (taken, event) = match self.state {
                State::Outside => self.read_outside(input),
                State::First | State::Next | State::After => self.read_between(input),
                State::Container => self.container(input),
                State::Text => self.text(input),
                State::Scalar => self.scalar(input),
            };
            self.offset += taken;
            *input = &input[taken..];
            if event.is_some() {
                return event;
            }
        }
        None
    }

    /// Ends the input. Returns the event of an element that has not ended.
    pub fn end(&self) -> Option<Event> {
        let inside = matches!(self.state, State::Container | State::Text | State::Scalar);
        inside.then(|| self.complete_entry(self.element.len()))
    }

    fn complete_entry(&self, length: usize) -> Event {
        Event::Element { offset: self.element_start, length }
    }

    fn read_outside(&mut self, input: &[u8]) -> (usize, Option<Event>) {
        if self.quoting != Quoting::None {
            let taken = self.read_string(input);
            append(&mut self.kept, &input[..taken]);
            if self.quoting == Quoting::None {
                self.path.end_of_text(&self.kept);
            }
            return (taken, None);
        }
        let is_mark = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b',' | b':');
        let Some(at) = input.iter().position(is_mark) else {
            append(&mut self.kept, input);
            return (input.len(), None);
        };
        append(&mut self.kept, &input[..=at]);
        (at + 1, self.mark(input[at]))
    }

    /// Handles a quote, a bracket, a comma or a colon outside the entries.
    fn mark(&mut self, byte: u8) -> Option<Event> {
        let is_on_path = self.path.map > 0 && self.path.map == self.depth;
        match byte {
            b'"' => {
                self.quoting = Quoting::Text;
                if is_on_path && self.path.wants_key {
                    self.path.key = Some(self.kept.len() - 1);
                } else {
                    self.path.matched = false;
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                if self.path.opens_entries(byte) {
                    self.state = State::First;
                    self.cut = Some(Cut { at: self.kept.len(), length: 0 });
                    return Some(Event::Entries);
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.path.closed(self.depth);
            }
            b',' if is_on_path => {
                self.path.wants_key = true;
                self.path.matched = false;
            }
            b':' if is_on_path => self.path.wants_key = false,
            _ => {}
        }
        None
    }

    /// Reads bytes before, between and after the elements.
    fn read_between(&mut self, input: &[u8]) -> (usize, Option<Event>) {
        let Some(at) = input.iter().position(|byte| !is_space(*byte)) else {
            return (input.len(), None);
        };
        match (self.state, input[at]) {
            (State::First | State::After, b']') => {
                self.kept.push(b']');
                self.depth -= 1;
                if let Some(cut) = &mut self.cut {
                    cut.length = self.offset + at - cut.at;
                }
                self.state = State::Outside;
                (at + 1, None)
            }
            (State::After, b',') => {
                self.state = State::Next;
                (at + 1, None)
            }
            (State::After, _) => (at, Some(Event::Unexpected { offset: self.offset + at })),
            (_, first) => {
                self.element.clear();
                self.element.push(first);
                self.element_start = self.offset + at;
                self.state = match first {
                    b'{' | b'[' => State::Container,
                    b'"' => State::Text,
                    _ => State::Scalar,
                };
                self.inner_depth = 1;
                self.quoting = if first == b'"' { Quoting::Text } else { Quoting::None };
                (at + 1, None)
            }
        }
    }

    fn container(&mut self, input: &[u8]) -> (usize, Option<Event>) {
        let mut at = 0;
        while at < input.len() && self.inner_depth > 0 {
            if self.quoting != Quoting::None {
                at += self.read_string(&input[at..]);
                continue;
            }
            match input[at] {
                b'"' => self.quoting = Quoting::Text,
                b'{' | b'[' => self.inner_depth += 1,
                b'}' | b']' => self.inner_depth -= 1,
                _ => {}
            }
            at += 1;
        }
        append(&mut self.element, &input[..at]);
        (at, (self.inner_depth == 0).then(|| self.ended(0)))
    }

    fn text(&mut self, input: &[u8]) -> (usize, Option<Event>) {
        let taken = self.read_string(input);
        append(&mut self.element, &input[..taken]);
        (taken, (self.quoting == Quoting::None).then(|| self.ended(0)))
    }

    fn scalar(&mut self, input: &[u8]) -> (usize, Option<Event>) {
        let ends = |byte: u8| {
            is_space(byte) || matches!(byte, b',' | b':' | b'"' | b'{' | b'}' | b'[' | b']')
        };
        match input.iter().position(|byte| ends(*byte)) {
            None => {
                append(&mut self.element, input);
                (input.len(), None)
            }
            // Keep the byte that ended it, which shows whether it is complete.
            Some(at) => {
                append(&mut self.element, &input[..=at]);
                (at, Some(self.ended(1)))
            }
        }
    }

    fn ended(&mut self, after: usize) -> Event {
        self.state = State::After;
        self.complete_entry(self.element.len() - after)
    }

    /// Returns the number of bytes of the input that belong to the open text. The text has
    /// ended if these are not all.
    fn read_string(&mut self, input: &[u8]) -> usize {
        let mut at = 0;
        while at < input.len() {
            if self.quoting == Quoting::Escape {
                self.quoting = Quoting::Text;
                at += 1;
                continue;
            }
            let Some(found) = memchr2(b'"', b'\\', &input[at..]) else { break };
            at += found + 1;
            if input[at - 1] == b'"' {
                self.quoting = Quoting::None;
                return at;
            }
            self.quoting = Quoting::Escape;
        }
        input.len()
    }
}

impl Path {
    /// Checks whether the text that just ended is the key on the path.
    fn end_of_text(&mut self, kept: &[u8]) {
        let Some(start) = self.key.take() else { return };
        let [session_seen, entries_seen] = &mut self.seen;
        let (wanted, seen) = match self.map {
            1 => (verifiable_agent_record::SESSION, session_seen),
            _ => (session_trace::ENTRIES, entries_seen),
        };
        let is_wanted =
            || Document::json(&kept[start..]).is_ok_and(|key| key.root().is_text(wanted));
        if !*seen && is_wanted() {
            *seen = true;
            self.matched = true;
        }
    }

    /// Enters a container. Returns whether it is the list of entries.
    fn opens_entries(&mut self, bracket: u8) -> bool {
        let matched = std::mem::take(&mut self.matched);
        let is_root = !std::mem::replace(&mut self.begun, true);
        match (self.map, bracket) {
            (0, b'{') if is_root => self.map = 1,
            (1, b'{') if matched => self.map = 2,
            (2, b'[') if matched => return true,
            _ => return false,
        }
        self.wants_key = true;
        false
    }

    /// Leaves a container; `depth` containers are still open.
    fn closed(&mut self, depth: usize) {
        if depth < self.map {
            self.map = depth;
            self.wants_key = false;
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Appends bytes. The buffer grows by an eighth, because doubling would let the largest entry take
/// twice its size in memory.
fn append(buffer: &mut Vec<u8>, bytes: &[u8]) {
    if buffer.capacity() - buffer.len() < bytes.len() {
        buffer.reserve_exact(bytes.len().max(buffer.len() / 8).max(256));
    }
    buffer.extend_from_slice(bytes);
}
