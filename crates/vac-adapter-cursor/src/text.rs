//! Reads the old text variant: turns under a line `user:`, `assistant:` or `A:`.
//!
//! The format is ambiguous: nothing is escaped, so a line of a text can equal a marker. The text of
//! a turn therefore stays complete in its message; thoughts, calls and results are parsed from it
//! as children as far as possible.

pub(crate) mod turn;

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};

use vac_adapter::adapter::Parent;
use vac_adapter::frame::{self, Place};
use vac_adapter::{Confidence, Error, Input, Origin, Sample, Session, Sink};
use vac_record::VerifiableAgentRecord;

use crate::facts::Facts;
use turn::Turn;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Other texts that begin a line in this variant.
const OTHERS: &[&[u8]] =
    &[b"<user_query>", b"[Thinking]", b"[Tool call]", b"[Tool result]", b"assistant:", b"A:"];

/// Returns whether an input begins with a marker of this variant.
pub(crate) fn is_text_transcript(beginning: &[u8]) -> bool {
    let text = beginning.strip_prefix(BYTE_ORDER_MARK).unwrap_or(beginning).trim_ascii_start();
    // A marker is short; a line may be long.
    let beginning = text.get(..64).unwrap_or(text);
    let line = beginning.split(|byte| *byte == b'\n').next().unwrap_or_default();
    turn::marker(line).is_some()
}

/// Returns the confidence that the beginning of an input gives. One marker alone is not enough,
/// because ordinary text can begin with it.
pub(crate) fn confidence(sample: &Sample<'_>) -> Confidence {
    let is_there = |line: &[u8]| OTHERS.iter().any(|other| line.starts_with(other));
    let mut lines = sample.bytes.split(|byte| *byte == b'\n').skip(1);
    let is_in_place = sample.folder.split('/').any(|name| name == "agent-transcripts");
    if is_text_transcript(sample.bytes) && (is_in_place || lines.any(is_there)) {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

/// Returns the beginning of an input.
pub(crate) fn beginning(input: &dyn Input) -> Result<Cow<'_, [u8]>, Error> {
    if let Some(bytes) = input.bytes() {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut bytes = Vec::new();
    input.open()?.take(4096).read_to_end(&mut bytes)?;
    Ok(Cow::Owned(bytes))
}

/// A session in the text variant.
pub(crate) struct Survey<'i> {
    input: &'i dyn Input,
    facts: Facts,
}

impl<'i> Survey<'i> {
    /// Surveys an input.
    pub fn new(input: &'i dyn Input) -> Result<Self, Error> {
        let mut facts = Facts::new(input.folder());
        add(input, &mut facts)?;
        facts.name_after(input)?;
        Ok(Self { input, facts })
    }
}

impl Session for Survey<'_> {
    fn adapter(&self) -> Option<&'static dyn vac_adapter::Adapter> {
        Some(&crate::Cursor)
    }

    fn variant(&self) -> &'static str {
        "text"
    }

    fn parent(&self) -> Option<Parent> {
        self.facts.parent()
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        self.facts.record()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        turns(self.input, |turn| {
            let report = sink.report();
            report.frames += 1;
            let entry = turn.entry(self.facts.is_subagent(), report);
            sink.entry(entry, Origin { place: turn.place, bytes: &turn.bytes })
        })
    }
}

/// Adds the facts that the turns of an input state about their session.
pub(crate) fn add(input: &dyn Input, facts: &mut Facts) -> Result<(), Error> {
    facts.variant = Some("text");
    turns(input, |turn| {
        facts.time(turn.timestamp().as_ref());
        Ok(())
    })
}

/// The number of bytes of a line that are read at once.
const CHUNK: u64 = 1 << 20;

/// Passes each turn to `show`. A turn that is too long for one entry is passed in pieces.
fn turns(input: &dyn Input, mut show: impl FnMut(&Turn) -> Result<(), Error>) -> Result<(), Error> {
    let mut lines = BufReader::new(input.open()?);
    let (most, piece) = frame::max_text(input.max_event());
    let mut turn = Turn::default();
    let mut line = Vec::new();
    let mut place = Place { line: 1, part: 1, ..Place::default() };
    let mut is_begin = true;
    while lines.by_ref().take(CHUNK).read_until(b'\n', &mut line)? > 0 {
        let length = line.len() as u64;
        let is_end = line.ends_with(b"\n");
        if place.offset == 0 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        let marker = turn::marker(&line).filter(|_| is_begin);
        if marker.is_some() {
            if !turn.is_blank() {
                turn.end(piece, &mut show)?;
                place.index += 1;
            }
            turn = Turn { marker, place, head: line.len(), ..Turn::default() };
        } else if turn.bytes.is_empty() && turn.pieces == 0 {
            turn.place = place;
        }
        turn.bytes.append(&mut line);
        if turn.bytes.len() > most || turn.pieces > 0 {
            turn.cut(piece, &mut show)?;
        }
        place.line += u64::from(is_end);
        place.offset += length;
        is_begin = is_end;
    }
    if turn.is_blank() { Ok(()) } else { turn.end(piece, &mut show) }
}
