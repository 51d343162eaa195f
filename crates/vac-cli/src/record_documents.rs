//! Reads the documents of files that contain records: JSON, one after the other, or a CBOR
//! sequence.

use std::io::{self, Read};
use std::ops::ControlFlow;

use vac_adapter::Input;
use vac_adapter::damaged::beginning;
use vac_adapter::frame::{Content, Frames, Raw, each_frame_in_memory};
use vac_store::StoredLog;
use vac_value::{Document, Encoding, Scanner};
use vac_view::record;

/// The number of bytes that show whether a file begins with a record.
const BEGINNING: usize = 64 << 10;

/// Files of up to this size are read at once. Larger ones are read document by document.
const MAX_AT_ONCE: u64 = 256 << 20;

/// Returns the encoding of the records in a file, or `None` if it does not contain records. CBOR
/// records begin with a map or a tag, as no log does; JSON is recognised by the first document.
pub fn encoding_of_record(log: &StoredLog, is_log: bool) -> io::Result<Option<Encoding>> {
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

/// Receives a document, or what is wrong with the bytes in its place.
type Receiver<'r> = dyn FnMut(Result<&Document<'_>, String>) -> ControlFlow<()> + 'r;

/// Passes every document of a file to `receive`, until it breaks off. JSON that cannot be parsed is
/// skipped; CBOR ends there.
///
/// # Errors
/// If the file cannot be read.
pub fn each_document(
    input: &dyn Input,
    encoding: Encoding,
    receive: &mut Receiver<'_>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut rest = input.open()?;
    match encoding {
        Encoding::Cbor => {
            rest.read_to_end(&mut bytes)?;
            each_cbor(&bytes, receive);
        }
        Encoding::Json => {
            rest.by_ref().take(MAX_AT_ONCE).read_to_end(&mut bytes)?;
            if (bytes.len() as u64) < MAX_AT_ONCE {
                each_frame_in_memory(&bytes, &mut |frame| show(&frame.content, receive));
                return Ok(());
            }
            let mut frames = Frames::new(io::Cursor::new(bytes).chain(rest)).within(usize::MAX);
            while let Some(shown) = frames.next(|frame| show(&frame.content, receive))? {
                if shown.is_break() {
                    break;
                }
            }
        }
    }
    Ok(())
}

fn show(content: &Content<'_>, receive: &mut Receiver<'_>) -> ControlFlow<()> {
    match content {
        Content::Document(document) | Content::Raw(Raw { document: Some(document), .. }) => {
            receive(Ok(document))
        }
        Content::Raw(raw) => receive(Err(format!("not JSON: {}", raw.reason))),
    }
}

fn each_cbor(mut bytes: &[u8], receive: &mut Receiver<'_>) {
    let mut scanner = Scanner::default();
    while !bytes.is_empty() {
        let (received, length) = match scanner.cbor_prefix(bytes) {
            Ok((document, length)) => {
                let received = receive(Ok(&document));
                scanner.recycle(document);
                (received, length)
            }
            Err(error) => (receive(Err(format!("not CBOR: {error}"))), bytes.len()),
        };
        if received.is_break() {
            return;
        }
        bytes = &bytes[length..];
    }
}
