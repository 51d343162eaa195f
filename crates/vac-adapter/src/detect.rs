//! Detection: whose log is it? By content, never by name alone.

use std::io::{self, BufRead, BufReader, Read};

use vac_value::{Document, Node};

use crate::adapter::Adapter;
use crate::begun::closed;
use crate::frame::{Content, Frames, Raw, Reason};
use crate::input::Input;

/// At most so many documents are looked at.
const MOST_DOCUMENTS: usize = 64;
/// And not more, once there are so many bytes of them.
const ENOUGH_BYTES: usize = 256 * 1024;

/// So many bytes are held at once, at most.
const MOST_HELD: u64 = 4 << 20;
/// So many bytes are looked at of a document that is longer.
const MOST_BEGUN: usize = 64 * 1024;

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
    /// Its first documents. One that is very long is there with its beginning.
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
    let mut input = BufReader::new(input.open()?);
    let mut documents = Vec::new();
    let mut size = 0;
    loop {
        let mut window = input.by_ref().take(MOST_HELD);
        let mut frames = Frames::new(&mut window);
        let mut last = Seen::Nothing;
        while let Some(seen) = frames.next(|frame| Seen::of(&frame.content))? {
            last = match seen {
                Seen::Document(text) => {
                    size += text.len();
                    documents.push(text);
                    Seen::Nothing
                }
                other => {
                    size += 1;
                    other
                }
            };
            if documents.len() >= MOST_DOCUMENTS || size >= ENOUGH_BYTES {
                return Ok(documents);
            }
        }
        match last {
            // It goes on behind what is held.
            Seen::Begun { text, is_line } if window.limit() == 0 => {
                let beginning = closed(&text);
                let is_log = is_line && beginning.is_some();
                documents.extend(beginning);
                if !is_log {
                    return Ok(documents);
                }
            }
            _ => return Ok(documents),
        }
        input.skip_until(b'\n')?;
    }
}

/// What a frame is.
enum Seen {
    Document(Vec<u8>),
    /// Something that is no document, and the beginning of it.
    Begun {
        text: Vec<u8>,
        is_line: bool,
    },
    Nothing,
}

impl Seen {
    fn of(content: &Content<'_>) -> Self {
        match content {
            Content::Document(document) => Self::Document(document.root().raw().to_vec()),
            Content::Raw(Raw { bytes, document: Some(_), .. }) => Self::Document(bytes.to_vec()),
            Content::Raw(Raw { bytes, reason: Reason::Syntax(_), .. }) => Self::Begun {
                text: bytes[..bytes.len().min(MOST_BEGUN)].to_vec(),
                is_line: !bytes.contains(&b'\n'),
            },
            Content::Raw(_) => Self::Nothing,
        }
    }
}
