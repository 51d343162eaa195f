//! Reads the documents of files that contain records: JSON, one after the other, or a CBOR
//! sequence.
//!
//! A folder that keeps records in a form of its own gives files with records, too: see
//! [`vac_store::record_folder`].

use std::io::{self, Read};
use std::ops::ControlFlow;

use vac_adapter::damaged::beginning;
use vac_adapter::frame::{Content, Frame, Frames, Raw, Reason, each_frame_in_memory};
use vac_adapter::{Input, Memory};
use vac_store::StoredLog;
use vac_validate::detect_encoding;
use vac_value::{Document, Encoding, Scanner};
use vac_view::record;

use crate::error::Result;

/// The number of bytes at the beginning of a file that are read to detect a record.
const BEGINNING: usize = 64 << 10;

/// The maximum number of bytes of a file that is read into memory at once. Larger files are read
/// document by document.
const MAX_AT_ONCE: u64 = 256 << 20;

/// Returns the encoding of the records in a file, or `None` if it does not contain records. CBOR
/// records begin with a map or a tag, as no log does; JSON is recognised by the first document.
///
/// # Errors
/// If the file cannot be read.
pub fn encoding_of_record(log: &StoredLog, is_log: bool) -> io::Result<Option<Encoding>> {
    if log.record_encoding().is_some() {
        return Ok(log.record_encoding());
    }
    if is_log {
        return Ok(None);
    }
    let input = log.unread();
    let mut bytes = Vec::new();
    input.open()?.take(BEGINNING as u64).read_to_end(&mut bytes)?;
    if bytes.first().is_some_and(|first| (0xa0..=0xdb).contains(first)) {
        return Ok(Some(Encoding::Cbor));
    }
    // The beginning of a record is enough, unless its keys are in an unusual order.
    let begins_as_record =
        |bytes: Vec<u8>| Document::json(&bytes).is_ok_and(|it| record::is_record(&it));
    if beginning(bytes.trim_ascii_start()).is_some_and(begins_as_record) {
        return Ok(Some(Encoding::Json));
    }
    let rest: Box<dyn Read> =
        if bytes.len() < BEGINNING { Box::new(&bytes[..]) } else { input.open()? };
    let is_record = Frames::with_chunk(rest, BEGINNING).next(|frame| match &frame.content {
        Content::Document(document) | Content::Raw(Raw { document: Some(document), .. }) => {
            record::is_record(document)
        }
        Content::Raw(_) => false,
    })?;
    Ok((is_record == Some(true)).then_some(Encoding::Json))
}

/// A function that receives a document, or the reason why bytes could not be parsed as one.
pub type DocumentReceiver<'r> =
    dyn FnMut(std::result::Result<&Document<'_>, String>) -> ControlFlow<()> + 'r;

/// Passes every document of a file to `receive`, until that returns `Break`. JSON that cannot be
/// parsed is reported, and reading continues after it; CBOR that cannot be parsed ends the reading.
///
/// # Errors
/// If the file cannot be read.
pub fn each_document(
    input: &dyn Input,
    encoding: Encoding,
    receive: &mut DocumentReceiver<'_>,
) -> io::Result<()> {
    if let Some(bytes) = input.bytes() {
        each_in_memory(bytes, encoding, receive);
        return Ok(());
    }
    let mut bytes = Vec::new();
    let mut rest = input.open()?;
    let max = if encoding == Encoding::Json { MAX_AT_ONCE } else { u64::MAX };
    rest.by_ref().take(max).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < max {
        each_in_memory(&bytes, encoding, receive);
        return Ok(());
    }
    let mut frames = Frames::new(io::Cursor::new(bytes).chain(rest)).within(usize::MAX);
    while let Some(shown) = frames.next(|frame| show(frame, 0, receive))? {
        if shown.is_break() {
            break;
        }
    }
    Ok(())
}

/// Passes every document of records in memory to `receive`, up to the first bytes that are not one.
/// Returns a description of the problem with these, or with bytes that contain no document.
///
/// # Errors
/// The error of `receive`.
pub(crate) fn each_valid_document(
    bytes: &[u8],
    receive: &mut dyn FnMut(&Document<'_>) -> Result<()>,
) -> Result<Option<String>> {
    let (mut received, mut problem) = (Ok(()), Some("it is empty".to_owned()));
    let input = Memory { name: "", bytes };
    let read = each_document(&input, detect_encoding(bytes), &mut |document| {
        (received, problem) = match document {
            Ok(document) => (receive(document), None),
            Err(reason) => (Ok(()), Some(reason)),
        };
        match (&received, &problem) {
            (Ok(()), None) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    });
    read.and(Ok(problem)).map_err(Into::into).and_then(|problem| received.map(|()| problem))
}

fn each_in_memory(bytes: &[u8], encoding: Encoding, receive: &mut DocumentReceiver<'_>) {
    let mut scanner = Scanner::default();
    let mut start = 0;
    loop {
        let rest = &bytes[start..];
        let rest = if encoding == Encoding::Json { rest.trim_ascii_start() } else { rest };
        start = bytes.len() - rest.len();
        if rest.is_empty() {
            return;
        }
        let next = match encoding {
            Encoding::Json => scanner.json_prefix(rest),
            Encoding::Cbor => scanner.cbor_prefix(rest),
        };
        match next {
            Ok((document, length)) => {
                let received = receive(Ok(&document));
                scanner.recycle(document);
                start += length;
                if received.is_break() {
                    return;
                }
            }
            Err(error) if encoding == Encoding::Cbor => {
                let byte = start + error.offset;
                let _ = receive(Err(format!("not CBOR: byte {byte}: {}", error.problem)));
                return;
            }
            // The framing of logs finds where the next document begins, in one pass.
            Err(_) => {
                return each_frame_in_memory(rest, &mut |frame| show(frame, start, receive));
            }
        }
    }
}

/// Passes on a frame that begins after `before` bytes.
fn show(frame: &Frame<'_>, before: usize, receive: &mut DocumentReceiver<'_>) -> ControlFlow<()> {
    let start = before as u64 + frame.place.offset;
    match &frame.content {
        Content::Document(document) | Content::Raw(Raw { document: Some(document), .. }) => {
            receive(Ok(document))
        }
        Content::Raw(Raw { reason: Reason::Syntax(error), .. }) => {
            let byte = start + error.offset as u64;
            receive(Err(format!("not JSON: byte {byte}: {}", error.problem)))
        }
        Content::Raw(raw) => receive(Err(format!("not JSON: byte {start}: {}", raw.reason))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};

    fn count(bytes: &[u8]) -> (usize, Option<String>) {
        let mut count = 0;
        let problem = each_valid_document(bytes, &mut |_| {
            count += 1;
            Ok(())
        });
        (count, problem.unwrap())
    }

    #[test]
    fn documents_are_read_up_to_the_first_error() {
        assert_eq!(count(b"{\"a\":1} {}\n{\n\"b\":[]}"), (3, None));
        assert_eq!(count(b"\xa1\x61a\x01\xa0"), (2, None));
        let (documents, problem) = count(b"{}\n{\"a\":\n");
        assert_eq!(documents, 1);
        assert!(
            problem.as_deref().is_some_and(|it| it.starts_with("not JSON: byte ")),
            "{problem:?}"
        );
        let (documents, problem) = count(b"\xa0\xa1\x61a");
        assert_eq!(
            (documents, problem.as_deref().map(|it| &it[..16])),
            (1, Some("not CBOR: byte 4"))
        );
        assert_eq!(count(b""), (0, Some("it is empty".to_owned())));
    }

    #[test]
    fn error_of_the_receiver_ends_the_reading() {
        let mut seen = 0;
        let read = each_valid_document(b"{}{}", &mut |_| {
            seen += 1;
            Err(Error::new(ErrorKind::Unrecognised, "enough"))
        });
        assert_eq!((seen, read.unwrap_err().reason.as_str()), (1, "enough"));
    }
}
