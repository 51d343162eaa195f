//! Tests frames that exceed the limit.

use vac_adapter::frame::{Content, Frames, Place, Raw, Reason};
use vac_adapter::redact::{Redactor, Secrets};

/// A frame: its place, its bytes, and the number of the piece, if it is one.
type Found = (Place, Vec<u8>, Option<(u64, bool)>);

fn frames(log: &[u8], limit: usize, chunk: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let mut frames = Frames::with_chunk(log, chunk).within(limit);
    let next = |frame: &vac_adapter::frame::Frame<'_>| match &frame.content {
        Content::Document(document) => (frame.place, document.root().raw().to_vec(), None),
        Content::Raw(Raw { bytes, reason: Reason::TooLong { piece, is_last, .. }, .. }) => {
            (frame.place, bytes.to_vec(), Some((*piece, *is_last)))
        }
        Content::Raw(raw) => (frame.place, raw.bytes.to_vec(), None),
    };
    while let Some(frame) = frames.next(next).expect("memory can be read") {
        found.push(frame);
    }
    found
}

/// Joins the pieces of each frame; returns the frames and whether they were in pieces.
#[track_caller]
fn join_pieces(log: &[u8], limit: usize) -> Vec<(Vec<u8>, bool)> {
    let found = frames(log, limit, 1 << 20);
    for chunk in [1, 7, 64, 1000] {
        assert_eq!(frames(log, limit, chunk), found, "in chunks of {chunk}");
    }
    let mut whole: Vec<(Vec<u8>, bool)> = Vec::new();
    let mut expected = 1;
    for (place, bytes, piece) in found {
        let from = usize::try_from(place.offset).expect("it is short");
        assert_eq!(&log[from..from + bytes.len()], bytes, "it is where it says");
        let line = log[..from].split(|byte| *byte == b'\n').count();
        assert_eq!(place.line, line as u64);
        let Some((number, is_last)) = piece else {
            whole.push((bytes, false));
            continue;
        };
        assert_eq!(number, expected, "pieces follow each other");
        assert!(bytes.len() <= limit, "{} bytes", bytes.len());
        if number == 1 {
            whole.push((bytes, true));
        } else {
            whole.last_mut().expect("the first piece").0.extend(bytes);
        }
        expected = if is_last { 1 } else { number + 1 };
    }
    assert_eq!(expected, 1, "the last piece says so");
    whole
}

/// Compares the frames of lines with the lines.
#[track_caller]
fn lines(log: &[u8], limit: usize, expected: &[(&str, bool)]) {
    let whole = join_pieces(log, limit);
    let shown: Vec<_> =
        whole.iter().map(|(bytes, cut)| (String::from_utf8_lossy(bytes), *cut)).collect();
    let shown: Vec<_> = shown.iter().map(|(bytes, cut)| (&**bytes, *cut)).collect();
    assert_eq!(shown, expected);
}

const LIMIT: usize = 64;

fn text(length: usize) -> String {
    format!("{{\"a\":\"{}\"}}", "é".repeat((length - 8) / 2))
}

#[test]
fn long_line_is_complete_in_its_pieces_and_the_next_is_parsed() {
    for length in [64, 66, 80, 128, 130, 1000, 1026, 10_000] {
        let event = text(length);
        assert_eq!(event.len(), length);
        let is_cut = length > LIMIT + 8;
        for end in ["\n", "\r\n", "\n\n \n"] {
            let log = format!("{{\"b\":1}}{end}{event}{end}{{\"b\":2}}");
            lines(
                log.as_bytes(),
                LIMIT,
                &[("{\"b\":1}", false), (&event, is_cut), ("{\"b\":2}", false)],
            );
        }
        lines(event.as_bytes(), LIMIT, &[(&event, is_cut)]);
    }
}

#[test]
fn pieces_of_text_are_text() {
    let event = text(5000);
    for (_, bytes, piece) in frames(event.as_bytes(), LIMIT, 1 << 20) {
        assert!(piece.is_some() && std::str::from_utf8(&bytes).is_ok());
    }
}

#[test]
fn long_malformed_bytes_are_complete_in_their_pieces() {
    let rubbish = "x".repeat(500);
    let log = format!("{rubbish}\n{{}}\n\"{rubbish}\n{{}}");
    let cut = format!("\"{rubbish}");
    lines(log.as_bytes(), LIMIT, &[(&rubbish, true), ("{}", false), (&cut, true), ("{}", false)]);
    let bytes = [b"\xff".repeat(300), b"\n{}".to_vec()].concat();
    let found = join_pieces(&bytes, LIMIT);
    assert_eq!(found, [(b"\xff".repeat(300), true), (b"{}".to_vec(), false)]);
    // A line with an invalid byte after much text.
    let late = [text(400).into_bytes(), b"\xc3(\xff".to_vec(), b"\n{}".to_vec()].concat();
    assert_eq!(
        join_pieces(&late, LIMIT),
        [(late[..late.len() - 3].to_vec(), true), (b"{}".to_vec(), false)]
    );
}

#[test]
fn long_pretty_printed_document_ends_where_it_closes() {
    let items: Vec<_> = (0..100).map(|number| format!("  {number}")).collect();
    let document = format!("[\n{}\n]", items.join(",\n"));
    let log = format!("{document}\n{{\"b\":2}}\n{document}");
    lines(log.as_bytes(), LIMIT, &[(&document, true), ("{\"b\":2}", false), (&document, true)]);
    // It may be cut before it closes, in the middle of a line or after it.
    for length in [document.len() - 1, document.len() - 2, 300, 301, 302, 303, 304] {
        let cut = document[..length].trim_end_matches('\n');
        lines(&document.as_bytes()[..length], LIMIT, &[(cut, true)]);
        let log = format!("{cut}\n{{\"b\":2}}");
        lines(log.as_bytes(), LIMIT, &[(cut, true), ("{\"b\":2}", false)]);
    }
}

#[test]
fn run_of_nul_bytes_ends_a_long_frame_and_is_limited() {
    let event = text(500);
    let log = [event.as_bytes(), &[0; 200], b"{}"].concat();
    let found = join_pieces(&log, LIMIT);
    assert_eq!(found[0], (event.into_bytes(), true));
    let nul: usize = found[1..found.len() - 1].iter().map(|(bytes, _)| bytes.len()).sum();
    assert_eq!((nul, &found[found.len() - 1].0[..]), (200, &b"{}"[..]));
}

#[test]
fn document_with_too_many_values_is_not_parsed() {
    let many = format!("[{}1]", "1,".repeat(2000));
    let log = format!("{many}\n[1]");
    lines(log.as_bytes(), 8192, &[(&many, true), ("[1]", false)]);
    lines(log.as_bytes(), 65_536, &[(&many, false), ("[1]", false)]);
}

#[test]
fn documents_after_a_long_one_on_its_line_are_part_of_it() {
    let (one, other) = (text(100), text(200));
    let log = format!("{{}}{one}{other}{{}}\n{{}}");
    let rest = format!("{one}{other}{{}}");
    lines(log.as_bytes(), LIMIT, &[("{}", false), (&rest, true), ("{}", false)]);
}

#[test]
fn secret_is_redacted_wherever_pieces_are_cut() {
    const SECRETS: Secrets = Secrets::new(&["secret"]);
    for padding in 0..600 {
        let log = format!("{{\"a\":\"{}\",\"secret\":\"hush\"}}", "x".repeat(padding));
        let mut frames = Frames::new(log.as_bytes()).within(LIMIT);
        let mut redactor = Redactor::new(SECRETS);
        let mut kept = Vec::new();
        let mut pieces = 0;
        while let Some(is_piece) = frames
            .next(|frame| {
                let is_redacted = redactor.is_redacted(frame);
                let Content::Raw(Raw { bytes, .. }) = &frame.content else { return false };
                if !is_redacted {
                    kept.extend_from_slice(bytes);
                }
                true
            })
            .expect("memory can be read")
        {
            pieces += u64::from(is_piece);
        }
        assert!(padding < 300 || pieces > 1, "{padding}");
        assert!(!String::from_utf8_lossy(&kept).contains("hush"), "{padding}");
    }
}
