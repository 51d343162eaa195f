//! Detection: whose log is it? By content, never by name alone.

use std::io;

use vac_value::{Document, Node};

use crate::adapter::{Adapter, Input};
use crate::frame::{Content, Frames};

/// At most so many documents are looked at.
const MOST_DOCUMENTS: usize = 64;
/// And not more, once there are so many bytes of them.
const ENOUGH_BYTES: usize = 256 * 1024;

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
    /// Its first documents.
    pub documents: Vec<Document<'a>>,
}

impl Sample<'_> {
    /// The highest confidence that any of the documents gives.
    pub fn best(&self, judge: impl Fn(Node<'_, '_>) -> Confidence) -> Confidence {
        self.documents.iter().map(|document| judge(document.root())).max().unwrap_or_default()
    }
}

/// The adapter that is surest about an input, if any is; of equals the first.
pub fn detect<'r>(
    input: &dyn Input,
    adapters: &[&'r dyn Adapter],
) -> io::Result<Option<(&'r dyn Adapter, Confidence)>> {
    let beginning = beginning(input)?;
    let documents = beginning.iter().filter_map(|bytes| Document::json(bytes).ok()).collect();
    let sample = Sample { name: input.name(), documents };
    let mut best: Option<(&dyn Adapter, Confidence)> = None;
    for adapter in adapters {
        let confidence = adapter.detect(&sample);
        if confidence > best.map_or(Confidence::No, |(_, confidence)| confidence) {
            best = Some((*adapter, confidence));
        }
    }
    Ok(best)
}

fn beginning(input: &dyn Input) -> io::Result<Vec<Vec<u8>>> {
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
