//! Implements the first pass: collects the facts about a session.

use vac_adapter::adapter::{Counter, Parent};
use vac_adapter::frame::Content;
use vac_adapter::{Error, Input, Log, Session, Sink};
use vac_record::VerifiableAgentRecord;

use crate::facts::Facts;
use crate::line::{Line, line};
use crate::reader::Reader;

/// The first bytes of a database.
const DATABASE: &[u8] = b"SQLite format 3";

/// A session that consists of documents, and the facts about it.
pub(crate) struct Survey<'i> {
    log: Log<'i>,
    facts: Facts,
    /// The number of entries, if every frame is one entry.
    count: Option<u64>,
}

impl<'i> Survey<'i> {
    /// Surveys an input.
    pub fn new(input: &'i dyn Input) -> Result<Self, Error> {
        let log = Log::new(input);
        let mut facts = Facts::new(input.folder());
        let (mut is_empty, mut is_database) = (true, false);
        let mut count = Some(0);
        log.each(|frame| {
            match &frame.content {
                Content::Document(document) => {
                    let line = line(document.root());
                    facts.add(line, document.root());
                    count = count.filter(|_| is_one_entry(line));
                }
                Content::Raw(raw) => {
                    is_database |= is_empty && raw.bytes.starts_with(DATABASE);
                    if let Some(document) = &raw.document {
                        facts.add(line(document.root()), document.root());
                    }
                }
            }
            is_empty = false;
            count = count.map(|count| count + 1);
            Ok(())
        })?;
        if facts.variant.is_none() {
            let reason = match (is_empty, is_database) {
                (true, _) => "it is empty",
                (_, true) => "a database, which has to be opened where it is",
                _ => "nothing of Cursor's in it",
            };
            return Err(Error::Refused(reason.to_owned()));
        }
        facts.name_after(input)?;
        Ok(Self { log, facts, count })
    }
}

impl Session for Survey<'_> {
    fn adapter(&self) -> Option<&'static dyn vac_adapter::Adapter> {
        Some(&crate::Cursor)
    }

    fn variant(&self) -> &'static str {
        self.facts.variant.unwrap_or_default()
    }

    fn parent(&self) -> Option<Parent> {
        self.facts.parent()
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        self.facts.record()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut reader = Reader::new(&self.log, &self.facts);
        self.log.each(|frame| reader.frame(frame, sink))?;
        reader.end(sink)
    }

    fn count(&self) -> Result<u64, Error> {
        match self.count {
            Some(count) => Ok(count),
            None => {
                let mut counter = Counter::default();
                self.entries(&mut counter)?;
                Ok(counter.count)
            }
        }
    }
}

/// Returns whether a document of this kind is always one entry.
fn is_one_entry(line: Line) -> bool {
    matches!(line, Line::Message | Line::Event | Line::Unknown)
}
