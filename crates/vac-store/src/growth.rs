//! Checks whether a log has only grown since a record was made from it.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};
use std::path::Path;

use vac_adapter::SourceFile;

use crate::log::{Part, Place, StoredLog};
use crate::sha256::Sha256;

impl StoredLog {
    /// x
    pub fn files(&self) -> Option<Vec<&Path>> {
        let file = |part| match Part::path(part) {
            Some(_) if matches!(part.place, Place::Stored(..)) => None,
            path => path,
        };
        self.parts.iter().chain(&self.attachments).map(file).collect()
    }

    /// Returns whether each earlier source is the beginning, or all, of a later one of the same
    /// name. The later sources have to be those that were read from this log. The bytes are read
    /// again and compared with both hashes, so that the result is true of the bytes that were read
    /// then. Returns false if the log has changed since.
    pub fn has_grown(&self, earlier: &[SourceFile], later: &[SourceFile]) -> io::Result<bool> {
        let parts: Vec<_> = self.parts.iter().chain(&self.attachments).collect();
        if parts.len() != later.len() {
            return Ok(false);
        }
        let mut by_name: HashMap<&str, VecDeque<_>> = HashMap::new();
        for (part, source) in parts.into_iter().zip(later) {
            by_name.entry(&source.name).or_default().push_back((part, source));
        }
        let mut pairs = Vec::with_capacity(earlier.len());
        for before in earlier {
            let same_name = by_name.get_mut(before.name.as_str()).and_then(VecDeque::pop_front);
            match same_name {
                Some((part, now)) if before.size <= now.size => pairs.push((part, before, now)),
                _ => return Ok(false),
            }
        }
        for (part, before, now) in pairs {
            if before != now && !has_prefix(part.stored_bytes()?, before, now)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns whether bytes are those of the source `now`, and begin with those of the source
/// `before`.
fn has_prefix(bytes: impl Read, before: &SourceFile, now: &SourceFile) -> io::Result<bool> {
    let mut hash = Sha256::default();
    let mut bytes = bytes.take(now.size);
    feed(&mut bytes.by_ref().take(before.size), &mut hash)?;
    if !is_digest_of(&hash, before) {
        return Ok(false);
    }
    feed(&mut bytes, &mut hash)?;
    Ok(is_digest_of(&hash, now))
}

fn feed(bytes: &mut impl Read, hash: &mut Sha256) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match bytes.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_digest_of(hash: &Sha256, source: &SourceFile) -> bool {
    hash.clone().finish_hex() == source.sha_256
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safe_path::SafePath;
    use crate::skipped::Skipped;

    fn log(folder: &Path, files: &[(&str, &str)]) -> StoredLog {
        let parts = files.iter().map(|(name, text)| {
            std::fs::write(folder.join(name), text).unwrap();
            Part::file(&SafePath::named(&folder.join(name), &Skipped::default()))
        });
        let mut parts: Vec<_> = parts.collect();
        let mut log = StoredLog::new(parts.remove(0), "log".to_owned(), true);
        log.parts.extend(parts);
        log
    }

    fn sources(files: &[(&str, &str)]) -> Vec<SourceFile> {
        let source = |(name, text): &(&str, &str)| SourceFile {
            name: (*name).to_owned(),
            size: text.len() as u64,
            sha_256: data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes())),
        };
        files.iter().map(source).collect()
    }

    #[test]
    fn grown_log_begins_with_the_earlier_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let now = [("a", "one two"), ("b", "three")];
        let log = log(folder.path(), &now);
        for (before, expected) in [
            (&[("a", "one two"), ("b", "three")][..], true),
            (&[("a", "one")], true),
            (&[("b", "thr"), ("a", "")], true),
            (&[("a", "one two three")], false),
            (&[("a", "two")], false),
            (&[("a", "one twO")], false),
            (&[("c", "")], false),
            (&[("a", "one"), ("a", "one")], false),
        ] {
            let has_grown = log.has_grown(&sources(before), &sources(&now)).unwrap();
            assert_eq!(has_grown, expected, "{before:?}");
        }
    }

    #[test]
    fn growth_of_other_bytes_than_were_read_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let before = sources(&[("a", "one two")]);
        // The file is longer when it is compared than when it was converted.
        let log = log(folder.path(), &[("a", "one two three")]);
        assert!(!log.has_grown(&before, &sources(&[("a", "one")])).unwrap());
        assert!(!log.has_grown(&before, &sources(&[("a", "two two three")])).unwrap());
        assert!(log.has_grown(&before, &sources(&[("a", "one two t")])).unwrap());
    }

    #[test]
    fn a_log_on_standard_input_has_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path(), &[("a", "")]);
        assert_eq!(log.files(), Some(vec![folder.path().join("a").as_path()]));
        log.parts[0].place = Place::Kept(tempfile::tempfile().unwrap());
        assert_eq!(log.files(), None);
    }
}
