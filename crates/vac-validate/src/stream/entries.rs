//! Reads the entries of a record, one at a time.

use std::io::Read;

use vac_value::{Document, Node, Problem, Scanner, SyntaxError};

use super::entry_splitter::{EntrySplitter, Event};
use super::{Error, check_before, split_entries};

/// Passes each entry of a JSON record to a function, in order, in the memory of the largest entry.
/// The whole record has to be well-formed; whether it is valid is not checked. Returns whether
/// these are all entries: false if the record has no list of entries, or has a duplicate key.
///
/// ```
/// use vac_validate::stream;
///
/// let record = br#"{"session": {"entries": [{"type": "user"}, {"type": "robot"}]}}"#;
/// let mut types = Vec::new();
/// let are_all = stream::entries(&record[..], |entry| {
///     types.extend(entry.member("type").and_then(|node| node.text()).map(String::from));
/// })?;
/// assert!(are_all);
/// assert_eq!(types, ["user", "robot"]);
/// # Ok::<(), stream::Error>(())
/// ```
pub fn entries(input: impl Read, mut show: impl FnMut(Node<'_, '_>)) -> Result<bool, Error> {
    let mut scanner = Scanner::default();
    let mut take = |splitter: &mut EntrySplitter, event| match event {
        Event::Entries => check_before(&mut splitter.kept),
        Event::Element { offset, length } => {
            let at = |error: SyntaxError| SyntaxError { offset: offset + error.offset, ..error };
            let (document, end) = scanner.json_prefix(&splitter.element).map_err(at)?;
            if end < length {
                return Err(unexpected(offset + end));
            }
            show(document.root());
            scanner.recycle(document);
            Ok(())
        }
        Event::Unexpected { offset } => Err(unexpected(offset)),
    };
    let mut splitter = split_entries(input, &mut take)?;
    if let Some(event) = splitter.end() {
        take(&mut splitter, event).map_err(Error::Syntax)?;
    }
    if splitter.is_cutting() {
        let offset = splitter.offset();
        return Err(Error::Syntax(SyntaxError { offset, problem: Problem::Truncated }));
    }
    let around = Document::json(&splitter.kept).map_err(Error::Syntax)?;
    Ok(splitter.cut.is_some() && around.duplicate_keys().len() == 0)
}

fn unexpected(offset: usize) -> SyntaxError {
    SyntaxError { offset, problem: Problem::Expected("',' or ']'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the raw entries and whether they are all.
    fn read(record: &str) -> Option<(Vec<String>, bool)> {
        let mut found = Vec::new();
        let show = |entry: Node<'_, '_>| {
            found.push(String::from_utf8_lossy(entry.raw()).into_owned());
        };
        let are_all = entries(record.as_bytes(), show).ok()?;
        Some((found, are_all))
    }

    #[test]
    fn entries_are_passed_in_order() {
        let record =
            r#" {"a": {"entries": [0]}, "session": {"entries" : [ {"b": [1]}, 2 ], "c": 3}} "#;
        let expected = vec![r#"{"b": [1]}"#.to_owned(), "2".to_owned()];
        assert_eq!(read(record), Some((expected, true)));
        assert_eq!(read(r#"{"session": {"entries": []}}"#), Some((Vec::new(), true)));
    }

    #[test]
    fn entries_that_cannot_be_passed_are_noticed() {
        for record in [
            "{}",
            r#"{"session": {"entries": {}}}"#,
            r#"{"session": {"entries": []}, "session": {"entries": [1]}}"#,
            r#"{"session": {"entries": [], "entries": [1]}}"#,
        ] {
            assert_eq!(read(record), Some((Vec::new(), false)), "{record}");
        }
        let whole = r#"{"session": {"entries": [{"a": 1}, 2]}}"#;
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), None, "{}", &whole[..end]);
        }
        assert_eq!(read(r#"{"session": {"entries": [1 2]}}"#), None);
    }
}
