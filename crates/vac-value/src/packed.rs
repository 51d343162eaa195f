//! Stores many scanned documents, with their indexes in one allocation.

use crate::document::{Document, Entry, Source};
use crate::scan::Scanner;

/// Scanned documents without duplicate keys. Their indexes are in one allocation, so that many
/// small documents do not need one each.
///
/// ```
/// use vac_value::{PackedDocuments, Scanner};
///
/// let mut scanner = Scanner::default();
/// let mut documents = PackedDocuments::default();
/// for text in ["[1]", "[2, 3]"] {
///     let document = scanner.json(text.as_bytes())?;
///     assert!(documents.push(document, &mut scanner).is_ok());
/// }
/// let second = documents.get(1, &mut scanner).expect("there are two");
/// assert_eq!(second.root().raw(), b"[2, 3]");
/// scanner.recycle(second);
/// # Ok::<(), vac_value::SyntaxError>(())
/// ```
#[derive(Debug, Default)]
pub struct PackedDocuments<'a> {
    entries: Vec<Entry>,
    documents: Vec<Packed<'a>>,
}

#[derive(Debug)]
struct Packed<'a> {
    source: Source<'a>,
    /// The end of the document's index, which begins at the end of the previous document's index.
    end: usize,
    line_ends: u64,
}

impl<'a> PackedDocuments<'a> {
    /// Adds a document, and returns its memory to the scanner for the next document.
    ///
    /// # Errors
    /// Returns the document if it has duplicate keys.
    pub fn push(
        &mut self,
        document: Document<'a>,
        scanner: &mut Scanner,
    ) -> Result<(), Document<'a>> {
        if !document.duplicates.is_empty() {
            return Err(document);
        }
        self.entries.extend_from_slice(&document.entries);
        let (source, line_ends) = (document.source, document.line_ends);
        self.documents.push(Packed { source, end: self.entries.len(), line_ends });
        scanner.recycle(document);
        Ok(())
    }

    /// Returns a copy of the document with this number, in the memory of a
    /// [recycled](Scanner::recycle) one. `None` if there are not as many documents.
    pub fn get(&self, number: usize, scanner: &mut Scanner) -> Option<Document<'a>> {
        let &Packed { source, end, line_ends } = self.documents.get(number)?;
        let before = number.checked_sub(1).and_then(|before| self.documents.get(before));
        let start = before.map_or(0, |before| before.end);
        let mut entries = scanner.take_spare();
        entries.extend_from_slice(&self.entries[start..end]);
        Some(Document { source, entries, duplicates: Vec::new(), line_ends })
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_returned_as_they_were() {
        let texts = ["{\"a\": [1, \"x\\n\"]}", "7", "[]", "{\n\"b\": {}}"];
        let mut scanner = Scanner::default();
        let mut documents = PackedDocuments::default();
        for text in texts {
            documents.push(scanner.json(text.as_bytes()).unwrap(), &mut scanner).unwrap();
        }
        assert_eq!(documents.len(), texts.len());
        for (number, text) in texts.iter().enumerate().rev() {
            let document = documents.get(number, &mut scanner).unwrap();
            let expected = Document::json(text.as_bytes()).unwrap();
            assert_eq!(format!("{document:?}"), format!("{expected:?}"));
            scanner.recycle(document);
        }
        assert!(documents.get(texts.len(), &mut scanner).is_none());
    }

    #[test]
    fn document_with_duplicate_keys_is_returned() {
        let mut documents = PackedDocuments::default();
        let mut scanner = Scanner::default();
        let document = scanner.json(b"{\"a\": 1, \"a\": 2}").unwrap();
        let document = documents.push(document, &mut scanner).unwrap_err();
        assert_eq!(document.duplicate_keys().len(), 1);
        assert!(documents.is_empty());
    }
}
