//! Detection: whose log is it? By content, never by name alone.

use std::io::{self, Read};

use vac_value::{Document, Node};

use crate::adapter::Adapter;
use crate::frame::{Content, Frames};
use crate::input::Input;

/// At most so many documents are looked at.
const MOST_DOCUMENTS: usize = 64;
/// And not more, once there are so many bytes of them.
const ENOUGH_BYTES: usize = 256 * 1024;

/// So many bytes are shown as they are.
const MOST_BYTES: u64 = 16 * 1024;

/// How sure an adapter is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It is something else.
    #[default]
    No,
    /// It could be.
    Possible,
    /// It has what a log of this agent has, and others might have too.
    Likely,
    /// It has what only a log of this agent has.
    Certain,
}

/// The beginning of an input.
#[derive(Debug)]
pub struct Sample<'a> {
    /// The input's name without the folder.
    pub name: &'a str,
    /// The folder it is in, as [`Input::folder`] has it.
    pub folder: &'a str,
    /// Its first bytes, whatever they are.
    pub bytes: &'a [u8],
    /// Its first documents.
    pub documents: Vec<Document<'a>>,
}

impl Sample<'_> {
    /// The highest confidence that any of the documents gives.
    pub fn best(&self, judge: impl Fn(Node<'_, '_>) -> Confidence) -> Confidence {
        self.documents.iter().map(|document| judge(document.root())).max().unwrap_or_default()
    }
}

/// The beginning of an input, read.
pub struct Beginning<'i> {
    input: &'i dyn Input,
    bytes: Vec<u8>,
    documents: Vec<Vec<u8>>,
}

impl<'i> Beginning<'i> {
    /// Reads it.
    pub fn of(input: &'i dyn Input) -> io::Result<Self> {
        let mut bytes = Vec::new();
        input.open()?.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(Self { input, bytes, documents: documents(input)? })
    }

    /// What adapters look at.
    pub fn sample(&self) -> Sample<'_> {
        let (name, folder) = (self.input.name(), self.input.folder());
        let documents = self.documents.iter().filter_map(|bytes| Document::json(bytes).ok());
        Sample { name, folder, bytes: &self.bytes, documents: documents.collect() }
    }
}

impl Sample<'_> {
    /// The adapter that is surest about it, if any is; of equals the first.
    pub fn whose<'r>(&self, adapters: &[&'r dyn Adapter]) -> Option<(&'r dyn Adapter, Confidence)> {
        let mut best: Option<(&dyn Adapter, Confidence)> = None;
        for adapter in adapters {
            let confidence = adapter.detect(self);
            if confidence > best.map_or(Confidence::No, |(_, confidence)| confidence) {
                best = Some((*adapter, confidence));
            }
        }
        best
    }
}

/// The adapter that is surest about an input, if any is; of equals the first.
pub fn detect<'r>(
    input: &dyn Input,
    adapters: &[&'r dyn Adapter],
) -> io::Result<Option<(&'r dyn Adapter, Confidence)>> {
    Ok(Beginning::of(input)?.sample().whose(adapters))
}

fn documents(input: &dyn Input) -> io::Result<Vec<Vec<u8>>> {
    let mut frames = Frames::new(input.open()?);
    let mut documents = Vec::new();
    let mut size = 0;
    while documents.len() < MOST_DOCUMENTS && size < ENOUGH_BYTES {
        let next = frames.next(|frame| match &frame.content {
            Content::Document(document) => Some(document.root().raw().to_vec()),
            Content::Raw(raw) => raw.document.as_ref().map(|_| raw.bytes.to_vec()),
        })?;
        let Some(document) = next else { break };
        if let Some(document) = document {
            size += document.len();
            documents.push(document);
        } else {
            size += 1;
        }
    }
    Ok(documents)
}
