//! Searches the texts of sessions.

use std::io::{self, Read};

use vac_adapter::container::Container;
use vac_adapter::{Adapter, Input};
use vac_store::StoredLog;
use vac_view::byte_filter::ByteFilter;
use vac_view::search_session;
pub use vac_view::{SessionHits, TextQuery};

use crate::error::Result;
use crate::read::{Readable, read, source_names};

/// The number of bytes that are filtered at once.
const PIECE: usize = 256 << 10;

/// Searches every session of a log or of records. A log whose bytes cannot contain a match is not
/// parsed.
///
/// ```
/// use vac::text_search::TextQuery;
///
/// let log = br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Tidy it"}]}}"#;
/// let task = vac::Task::from_bytes("session.jsonl", log.to_vec())?;
/// let found = vac::search_texts(&task, &TextQuery::new("tidy", true).expect("a pattern"))?;
/// assert_eq!((found[0].count, found[0].hits[0].text.as_str()), (1, "Tidy it"));
/// # Ok::<(), vac::Error>(())
/// ```
///
/// # Errors
/// If something cannot be read or is refused.
pub fn search_texts<'r>(
    from: impl Into<Readable<'r>>,
    query: &TextQuery,
) -> Result<Vec<SessionHits>> {
    let from = from.into();
    if let (Readable::Log(task), Some(filter)) = (&from, &query.filter) {
        let (log, agent) = task.open()?;
        if !may_match(&log, agent.adapter, filter)? {
            return Ok(Vec::new());
        }
    }
    let mut found = Vec::new();
    read(from, &mut |session, log| {
        let names = log.map(source_names).unwrap_or_default();
        found.push(search_session(session, &names, query)?);
        Ok(())
    })?;
    Ok(found)
}

/// Returns whether the files of a log, including companion files, can contain a match. Memory does
/// not grow with them.
///
/// # Errors
/// If a file cannot be read.
pub fn may_match(log: &StoredLog, adapter: &dyn Adapter, filter: &ByteFilter) -> io::Result<bool> {
    if !adapter.writes_whole_texts() {
        return Ok(true);
    }
    let input = log.unread();
    for file in input.parts().into_iter().chain(input.attachments()) {
        let is_file = matches!(file.container(), Container::File | Container::CompressedFile);
        if !is_file || may_contain(&mut *file.open()?, filter)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn may_contain(input: &mut dyn Read, filter: &ByteFilter) -> io::Result<bool> {
    let mut buffer = vec![0; PIECE.max(4 * filter.overlap())];
    let mut kept = 0;
    loop {
        let count = match input.read(&mut buffer[kept..]) {
            Ok(0) => return Ok(false),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = kept + count;
        if filter.may_match(&buffer[..end]) {
            return Ok(true);
        }
        // A word can begin in this piece and end in the next one.
        let from = end.saturating_sub(filter.overlap());
        buffer.copy_within(from..end, 0);
        kept = end - from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_across_two_pieces_is_found() {
        let filter = ByteFilter::new("shuttlecock", false).expect("a word");
        for from in PIECE - 15..PIECE + 3 {
            let mut bytes = vec![b'x'; from];
            bytes.extend(b"shuttlecock");
            assert!(may_contain(&mut &bytes[..], &filter).unwrap(), "{from}");
            bytes.pop();
            bytes.resize(PIECE * 2, b'x');
            assert!(!may_contain(&mut &bytes[..], &filter).unwrap(), "{from}");
        }
    }
}
