//! Reads facts in the blobs of a database, which are Protocol Buffers. The numbers of fields are
//! those in recorded databases.

use std::borrow::Cow;

use data_encoding::BASE64;
use vac_record::AbstractTimestamp;
use vac_value::{Node, Text};

use crate::protobuf::Message;

/// The maximum number of steps of a request that are read. Each takes more memory than its number
/// in the blob.
const MAX_STEPS: usize = 1024;

/// The source of a step that the user wrote. In a transcript, it is `USER_EXPLICIT`.
const USER: u64 = 4;

/// Returns the bytes of a blob, which is text or base64 in a document.
pub(crate) fn bytes<'a>(cell: Node<'a, '_>) -> Option<Cow<'a, [u8]>> {
    if let Some(text) = cell.text() {
        return Some(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        });
    }
    let base64 = cell.member("base64")?.text()?;
    BASE64.decode(base64.as_bytes()).ok().map(Cow::Owned)
}

/// `metadata` of a step.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    /// The time at which the step began.
    pub created: Option<AbstractTimestamp<'static>>,
    /// Whether the user wrote it.
    pub is_typed: bool,
    /// The tokens that its request used.
    pub tokens: Option<Tokens>,
}

impl Metadata {
    /// Reads a blob. `None` if it is not a message.
    pub fn read(cell: Node<'_, '_>) -> Option<Self> {
        let bytes = bytes(cell)?;
        let metadata = Message::parse(&bytes)?;
        Some(Self {
            created: metadata.message(1).and_then(time),
            is_typed: metadata.number(3) == Some(USER),
            tokens: metadata.message(9).map(Tokens::new),
        })
    }
}

/// The tokens of a request.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    /// The input tokens, without those of caches.
    pub input: Option<u64>,
    /// The output tokens, with those of thinking.
    pub output: Option<u64>,
    pub cache_read: Option<u64>,
    pub thinking: Option<u64>,
    /// The id of the response, by which statements of the same tokens are recognised.
    pub response: Option<String>,
}

impl Tokens {
    fn new(usage: Message<'_>) -> Self {
        Self {
            input: usage.number(2),
            output: usage.number(3),
            cache_read: usage.number(5),
            thinking: usage.number(9),
            response: usage.text(11).map(str::to_owned),
        }
    }
}

/// `data` of a row of `gen_metadata`.
#[derive(Debug, Default)]
pub(crate) struct Request {
    /// The steps that it answers.
    pub steps: Vec<u64>,
    /// The model, by the name that the user sees, else by the program's.
    pub model: Option<String>,
    /// The tokens that it used.
    pub tokens: Option<Tokens>,
}

impl Request {
    /// Reads a blob. `None` if it is not a message.
    pub fn read(cell: Node<'_, '_>) -> Option<Self> {
        let bytes = bytes(cell)?;
        let message = Message::parse(&bytes)?;
        let request = message.message(1);
        let name = |field| request?.text(field).filter(|name| !name.is_empty());
        Some(Self {
            steps: message.numbers(2, MAX_STEPS),
            model: name(21).or_else(|| name(19)).map(str::to_owned),
            tokens: request.and_then(|request| request.message(4)).map(Tokens::new),
        })
    }
}

/// The texts in `step_payload`.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    pub content: Option<Text<'static>>,
    pub thinking: Option<Text<'static>>,
}

impl Payload {
    /// Reads the blob of a prompt. `None` if it is not a message.
    pub fn read_prompt(cell: Node<'_, '_>) -> Option<Self> {
        let bytes = bytes(cell)?;
        let prompt = Message::parse(&bytes)?.message(19)?;
        Some(Self { content: text(prompt, 2), thinking: None })
    }

    /// Reads the blob of a response. `None` if it is not a message.
    pub fn read_response(cell: Node<'_, '_>) -> Option<Self> {
        let bytes = bytes(cell)?;
        let response = Message::parse(&bytes)?.message(20)?;
        let content = text(response, 8).or_else(|| text(response, 1));
        Some(Self { content, thinking: text(response, 3) })
    }
}

/// Returns a text that is not empty.
fn text(message: Message<'_>, field: u64) -> Option<Text<'static>> {
    message.text(field).filter(|text| !text.is_empty()).map(|text| text.to_owned().into())
}

/// Returns a time, which is seconds since 1970 and nanoseconds, in milliseconds.
fn time(time: Message<'_>) -> Option<AbstractTimestamp<'static>> {
    // The first day that is more than 10^11 milliseconds after 1970, and the year 9999.
    let seconds = time.number(1).filter(|it| (100_000_000..253_402_300_800).contains(it))?;
    let nanoseconds = time.number(2).unwrap_or(0);
    let is_time = nanoseconds < 1_000_000_000;
    is_time.then_some(AbstractTimestamp::Uint(seconds * 1000 + nanoseconds / 1_000_000))
}

#[cfg(test)]
mod tests {
    use vac_value::Document;

    use super::*;

    #[test]
    fn blob_is_text_or_base64() {
        for (json, expected) in [
            (r#""\b\u0001""#, Some(&b"\x08\x01"[..])),
            (r#"{"base64": "CP8B"}"#, Some(b"\x08\xff\x01")),
            (r#"{"base64": "CP8"}"#, None),
            (r#""\ud800""#, None),
            ("7", None),
        ] {
            let document = Document::json(json.as_bytes()).expect("JSON");
            assert_eq!(bytes(document.root()).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn time_outside_of_its_range_is_not_a_time() {
        let of = |bytes: &[u8]| time(Message::parse(bytes).expect("a message"));
        let june = b"\x08\x80\xc4\xd8\xd1\x06\x10\x80\xca\xb5\xee\x01";
        assert_eq!(of(june), Some(AbstractTimestamp::Uint(1_781_932_544_500)));
        assert_eq!(of(b"\x08\x07"), None);
        assert_eq!(of(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), None);
        assert_eq!(of(b"\x08\x80\xc4\xd8\xd1\x06\x10\x80\x94\xeb\xdc\x03"), None);
    }
}
