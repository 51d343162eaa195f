//! Detects the agent that wrote a log by the content of its first documents. The place of a log on
//! disk is used only to name agents that are not supported.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use vac_value::{Document, Node, Problem};

use crate::adapter::Adapter;
use crate::damaged::{MAX_BEGINNING, beginning};
use crate::foreign::{self, Unread};
use crate::frame::in_memory::first_frames_in_memory;
use crate::frame::{Content, Frame, Frames, Raw, Reason};
use crate::input::Input;
use crate::verdict::{Fit, Misfit, Verdict};

/// Maximum number of documents in a sample.
const MAX_DOCUMENTS: usize = 64;
/// The number of bytes of a sample after which no further document is read.
const ENOUGH_BYTES: usize = 256 * 1024;

/// Maximum number of bytes of the input that are in memory at once.
const MAX_SAMPLE: u64 = 4 << 20;

/// Maximum number of bytes in [`Sample::bytes`].
const MAX_BYTES: usize = 16 * 1024;

/// The confidence of an adapter in a detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The input is not a log of this agent.
    #[default]
    No,
    /// The input could be a log of this agent.
    Possible,
    /// The input has properties of logs of this agent, which other logs may have, too.
    Likely,
    /// The input has properties that only logs of this agent have.
    Certain,
}

/// The beginning of an input.
#[derive(Debug)]
pub struct Sample<'a> {
    /// The input's name without the folder.
    pub name: &'a str,
    /// The folder of the input, as [`Input::folder`] returns it.
    pub folder: &'a str,
    /// The first bytes of the input, of any content.
    pub bytes: &'a [u8],
    /// The first documents. A very long one is represented by its beginning.
    pub documents: Vec<Document<'a>>,
}

impl Sample<'_> {
    /// Returns the first bytes, without a byte-order mark and the space around it.
    pub fn text(&self) -> &[u8] {
        let bytes = self.bytes.trim_ascii_start();
        bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
    }

    /// Returns the verdict on all documents, given how well each of them fits.
    pub fn verdict(&self, fit: impl Fn(Node<'_, '_>) -> Fit) -> Verdict {
        let mut verdict = Verdict::default();
        self.documents.iter().for_each(|document| verdict.add(fit(document.root())));
        verdict
    }
}

/// The beginning of an input, in memory.
pub struct Beginning<'i> {
    input: &'i dyn Input,
    /// The whole input, or the first [`MAX_BYTES`] of one that is longer than [`ENOUGH_BYTES`].
    bytes: Vec<u8>,
    /// The first documents of a longer input.
    documents: Option<Vec<Vec<u8>>>,
}

impl<'i> Beginning<'i> {
    /// Reads the beginning of an input.
    pub fn read(input: &'i dyn Input) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let mut rest = input.open()?;
        rest.by_ref().take(ENOUGH_BYTES as u64).read_to_end(&mut bytes)?;
        let mut documents = None;
        if bytes.len() == ENOUGH_BYTES {
            documents = Some(first_documents(bytes.chain(rest))?);
            bytes.truncate(MAX_BYTES);
        }
        Ok(Self { input, bytes, documents })
    }

    /// Returns the sample that adapters receive.
    pub fn sample(&self) -> Sample<'_> {
        let (name, folder) = (self.input.name(), self.input.folder());
        let documents = match &self.documents {
            Some(documents) => {
                documents.iter().filter_map(|bytes| Document::json(bytes).ok()).collect()
            }
            None => documents_in_memory(&self.bytes),
        };
        let bytes = &self.bytes[..self.bytes.len().min(MAX_BYTES)];
        Sample { name, folder, bytes, documents }
    }
}

/// Returns the first documents of an input in memory.
fn documents_in_memory(bytes: &[u8]) -> Vec<Document<'_>> {
    let frames = first_frames_in_memory(bytes, MAX_DOCUMENTS).into_iter();
    frames
        .filter_map(|frame| match frame.content {
            Content::Document(document) => Some(document),
            Content::Raw(Raw { document, .. }) => document,
        })
        .collect()
}

/// The agent that wrote a log, as far as detection knows it.
pub enum Detection<'r> {
    /// An agent whose logs an adapter reads.
    Agent(&'r dyn Adapter, Confidence),
    /// An agent that is not supported, by its name.
    Foreign(&'static str),
    /// A supported agent, but the file is not a log. The text describes the file.
    NotLog(&'static str),
    /// The log resembles those that an adapter reads, but too many documents do not fit.
    Misfit(Misfit),
    /// The agent is unknown.
    Unknown,
}

impl From<Unread> for Detection<'_> {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Agent(agent) => Self::Foreign(agent),
            Unread::NotLog(file) => Self::NotLog(file),
        }
    }
}

impl<'r> Detection<'r> {
    /// Returns the adapter that reads the log.
    pub fn adapter(&self) -> Option<(&'r dyn Adapter, Confidence)> {
        match self {
            Self::Agent(adapter, confidence) => Some((*adapter, *confidence)),
            _ => None,
        }
    }
}

impl fmt::Debug for Detection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(adapter, confidence) => write!(f, "{} ({confidence:?})", adapter.name()),
            _ => write!(f, "{self}"),
        }
    }
}

impl fmt::Display for Detection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(adapter, _) => write!(f, "a log of {}", adapter.title()),
            Self::Foreign(agent) => write!(f, "looks like {agent}, which is not supported yet"),
            Self::NotLog(file) => write!(f, "not a log, but {file}"),
            Self::Misfit(misfit) => misfit.fmt(f),
            Self::Unknown => f.write_str("unrecognised log format"),
        }
    }
}

impl Sample<'_> {
    /// Detects the agent that wrote the input. Of adapters with the same confidence, the first one
    /// is taken.
    pub fn detect<'r>(&self, adapters: &[&'r dyn Adapter]) -> Detection<'r> {
        let unread = self.unread();
        // No adapter reads most of the documents.
        if let Some((unread, count)) = unread
            && count * 2 > self.documents.len()
        {
            return unread.into();
        }
        let mut best: Option<(&dyn Adapter, Confidence)> = None;
        let mut misfit: Option<(Verdict, Misfit)> = None;
        for adapter in adapters {
            let verdict = adapter.detect(self);
            let confidence = verdict.confidence();
            if confidence > best.map_or(Confidence::No, |(_, confidence)| confidence) {
                best = Some((*adapter, confidence));
            }
            if let Some(found) = verdict.misfit(adapter.name())
                && misfit.is_none_or(|(it, _)| verdict.refused_rank() > it.refused_rank())
            {
                misfit = Some((verdict, found));
            }
        }
        if let Some((adapter, confidence)) = best {
            return Detection::Agent(adapter, confidence);
        }
        let by_place = || {
            let agent = foreign::agent_of_place(self.name, self.folder, self.bytes);
            agent.map(Unread::Agent)
        };
        match (unread.map(|(unread, _)| unread).or_else(by_place), misfit) {
            (Some(unread), _) => unread.into(),
            (None, Some((_, misfit))) => Detection::Misfit(misfit),
            (None, None) => Detection::Unknown,
        }
    }

    /// Returns the writer of most of the documents that no adapter reads, and their number.
    fn unread(&self) -> Option<(Unread, usize)> {
        let mut counts: Vec<(Unread, usize)> = Vec::new();
        for document in &self.documents {
            let Some(writer) = foreign::writer_of_document(document.root()) else { continue };
            match counts.iter_mut().find(|(known, _)| *known == writer) {
                Some((_, count)) => *count += 1,
                None => counts.push((writer, 1)),
            }
        }
        let most = counts.iter().map(|(_, count)| *count).max()?;
        counts.into_iter().find(|(_, count)| *count == most)
    }
}

/// Returns the adapter for an input and its confidence, if any. Of adapters with the
/// same confidence, the first one is taken.
pub fn detect<'r>(
    input: &dyn Input,
    adapters: &[&'r dyn Adapter],
) -> io::Result<Option<(&'r dyn Adapter, Confidence)>> {
    Ok(Beginning::read(input)?.sample().detect(adapters).adapter())
}

/// Reads the first documents of an input.
fn first_documents(input: impl Read) -> io::Result<Vec<Vec<u8>>> {
    let mut input = BufReader::new(input);
    let mut documents = Vec::new();
    let mut size = 0;
    loop {
        let mut head = Vec::new();
        input.by_ref().take(MAX_BEGINNING as u64).read_to_end(&mut head)?;
        let mut window = head.as_slice().chain(&mut input).take(MAX_SAMPLE);
        let mut frames = Frames::new(&mut window);
        let mut last = FrameKind::Nothing;
        while let Some(seen) = frames.next(FrameKind::from_frame)? {
            // The frame before this one is the first line of a document that continues after the
            // window.
            if let FrameKind::Begun { offset, is_cut: true, .. } = last {
                documents.extend(head.get(offset..).and_then(beginning));
                return Ok(documents);
            }
            last = match seen {
                FrameKind::Document(text) => {
                    size += text.len();
                    documents.push(text);
                    FrameKind::Nothing
                }
                other => {
                    size += 1;
                    other
                }
            };
            if documents.len() >= MAX_DOCUMENTS || size >= ENOUGH_BYTES {
                return Ok(documents);
            }
        }
        match last {
            // The frame continues after the bytes in memory.
            FrameKind::Begun { text, is_line, .. } if window.limit() == 0 => {
                let beginning = beginning(&text);
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

/// A kind of frame.
enum FrameKind {
    Document(Vec<u8>),
    /// Bytes that are not a document.
    Begun {
        /// The offset of the bytes in the window.
        offset: usize,
        /// The beginning of the bytes.
        text: Vec<u8>,
        is_line: bool,
        /// Whether they are valid up to the end of the window.
        is_cut: bool,
    },
    Nothing,
}

impl FrameKind {
    fn from_frame(frame: &Frame<'_>) -> Self {
        match &frame.content {
            Content::Document(document) => Self::Document(document.root().raw().to_vec()),
            Content::Raw(Raw { bytes, document: Some(_), .. }) => Self::Document(bytes.to_vec()),
            Content::Raw(Raw { bytes, reason: Reason::Syntax(error), .. }) => Self::Begun {
                offset: usize::try_from(frame.place.offset).unwrap_or(usize::MAX),
                is_cut: error.problem == Problem::Truncated,
                text: bytes[..bytes.len().min(MAX_BEGINNING)].to_vec(),
                is_line: !bytes.contains(&b'\n'),
            },
            Content::Raw(_) => Self::Nothing,
        }
    }
}
