//! An input in memory and one that is streamed give the same frames, which contain every byte
//! except white space.

use proptest::prelude::*;
use vac_adapter::frame::{Content, Frame, Frames, frames_in_memory, frames_in_memory_within};

/// A frame that borrows nothing: place, whether it is a document, bytes.
type OwnedFrame = (String, u64, bool, String, Vec<u8>);

fn to_owned_frame(frame: &Frame<'_>) -> OwnedFrame {
    let (good, reason, bytes) = match &frame.content {
        Content::Document(document) => (true, String::new(), document.root().raw()),
        Content::Raw(raw) => (false, raw.reason.to_string(), raw.bytes),
    };
    (frame.place.id(), frame.place.offset, good, reason, bytes.to_vec())
}

fn streamed(log: &[u8], chunk: usize) -> Vec<OwnedFrame> {
    let mut frames = Frames::with_chunk(log, chunk);
    let mut found = Vec::new();
    while let Some(frame) = frames.next(to_owned_frame).expect("memory can be read") {
        found.push(frame);
    }
    found
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Generates pieces of logs, valid and malformed.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let pieces: &[&[u8]] = &[
        b"{\"a\":1}",
        b"{\n  \"a\": [\n    true\n  ]\n}",
        b"{\"k\":\"\\ud83d\\u0041 \xc3\xa9\"}",
        b"[1, 2.5e3, null]",
        b"{\"a\":1,\"a\":2}",
        b"{\"cut\":\"",
        b"{\"open\":[",
        b"{\n  \"bad\": x\n}",
        b"12345",
        b"null",
        b"\"alone\"",
        b"garbage",
        b"}",
        b"\0\0\0",
        b"\xff",
        b"\xe2\x82",
        b"\xef\xbb\xbf",
        b"\n",
        b"\r\n",
        b"\n\n",
        b" ",
    ];
    prop::sample::select(pieces.to_vec()).prop_map(<[u8]>::to_vec)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn frames_do_not_depend_on_streaming(pieces in prop::collection::vec(piece(), 0..24), chunk in 1_usize..40) {
        let log = pieces.concat();
        let held: Vec<_> = frames_in_memory(&log).iter().map(to_owned_frame).collect();
        prop_assert_eq!(&held, &streamed(&log, chunk));
        // Every byte outside of frames is white space or a byte-order mark.
        let mut at = 0;
        for (_, offset, _, _, bytes) in &held {
            let start = usize::try_from(*offset).expect("small");
            prop_assert!(start >= at);
            prop_assert!(between(&log[at..start]));
            at = start + bytes.len();
            prop_assert_eq!(&log[start..at], &bytes[..]);
        }
        prop_assert!(between(&log[at..]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn frames_after_skipped_ones_are_the_same(
        pieces in prop::collection::vec(piece(), 0..24),
        chunk in 1_usize..40,
        passed in 0_usize..8,
        skipped in 0_usize..8,
    ) {
        let log = pieces.concat();
        let all = frames_in_memory(&log);
        let is_document = |frame: &&Frame<'_>| matches!(frame.content, Content::Document(_));
        if let Some(next) = all.iter().skip(passed + skipped).find(is_document) {
            let mut frames = Frames::with_chunk(&*log, chunk);
            for _ in 0..passed {
                frames.next(|_| ()).expect("memory can be read");
            }
            frames.skip_to(next.place).expect("memory can be read");
            for frame in &all[usize::try_from(next.place.index).expect("small")..] {
                let found = frames.next(to_owned_frame).expect("memory can be read");
                prop_assert_eq!(found, Some(to_owned_frame(frame)));
            }
        }
    }
}

#[test]
fn log_that_changed_between_two_passes_is_an_error() {
    let before = frames_in_memory(b"{} {}");
    let mut frames = Frames::new("{}\u{e9} {}".as_bytes());
    frames.next(|_| ()).expect("memory can be read");
    let error = frames.skip_to(before[1].place).expect_err("a character begins before that place");
    assert!(error.to_string().contains("has changed"), "{error}");
}

fn between(mut bytes: &[u8]) -> bool {
    loop {
        bytes = match bytes {
            [] => return true,
            [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            [space, rest @ ..] if is_space(*space) => rest,
            _ => return false,
        }
    }
}

/// Returns the frames within a limit on one frame, streamed and in memory.
fn within(log: &[u8], limit: usize) -> (Vec<OwnedFrame>, Option<Vec<OwnedFrame>>) {
    let mut frames = Frames::new(log).within(limit);
    let mut found = Vec::new();
    while let Some(frame) = frames.next(to_owned_frame).expect("memory can be read") {
        found.push(frame);
    }
    let held = frames_in_memory_within(log, limit).map(|frames| {
        let mut all = Vec::new();
        let each: Result<(), ()> = frames.each(|frame| {
            all.push(to_owned_frame(frame));
            Ok(())
        });
        each.expect("the function does not fail");
        all
    });
    (found, held)
}

#[test]
fn frames_that_are_too_long_are_streamed() {
    const MIB: usize = 1 << 20;
    let limit = 48 * MIB;
    for (log, is_in_memory) in [
        // A line that is not a document is split from an eighth of the limit on.
        (["{\"a\": 1}\n", &"x".repeat(5 * MIB), "\n{\"a\": 2}\n"].concat(), true),
        (["{\"a\": 1}\n", &"x".repeat(7 * MIB), "\n{\"a\": 2}\n"].concat(), false),
        (["{\"a\": 1}\n", &"\0".repeat(7 * MIB), "\n{\"a\": 2}\n"].concat(), false),
        // A document is split if it has a node for each 16 bytes of the limit.
        (["[", &"1,".repeat(5 * MIB / 2), "1]\n[2]"].concat(), true),
        (["[", &"1,".repeat(7 * MIB / 2), "1]\n[2]"].concat(), false),
        // All frames together are longer than a quarter of the limit.
        (["\"", &"x".repeat(12 * MIB), "\"\n"].concat(), false),
        // The index of all frames is too large.
        (["[", &"1,".repeat(MIB), "1]\n"].concat().repeat(5), false),
    ] {
        let (streamed, held) = within(log.as_bytes(), limit);
        assert_eq!(held.is_some(), is_in_memory, "{:?} ...", &log[..20]);
        assert!(held.is_none_or(|held| held == streamed), "{:?} ...", &log[..20]);
    }
}
