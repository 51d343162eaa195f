//! The place where a log was when it was read.

use std::path::Path;

use vac_store::StoredLog;

/// The place of a log, as statements name it: the path of a file, or the path of a store, `#` and the key
/// of a session in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin<'o> {
    text: &'o str,
    /// The path of the file or the store.
    pub path: &'o str,
    /// The key of the session in the store.
    pub key: Option<&'o str>,
}

impl<'o> Origin<'o> {
    /// Divides the text of a statement. Names of folders can contain `#`, so the first source is needed: its
    /// name is that of the file, or that of the store with `#` and the key. Without it, the first `#` in
    /// the last name of the path counts. A file with `#` in its own name looks like a session of a store.
    pub fn parse(text: &'o str, first_source: Option<&str>) -> Self {
        let folder = first_source.and_then(|name| text.strip_suffix(name));
        let start = match folder {
            Some(folder) => folder.len(),
            None => text.rfind(['/', '\\']).map_or(0, |at| at + 1),
        };
        let (path, key) = match text[start..].find('#') {
            Some(at) => (&text[..start + at], Some(&text[start + at + 1..])),
            None => (text, None),
        };
        Self { text, path, key }
    }

    /// Returns the text that names the place of a log in statements. It depends neither on the working
    /// directory nor, on Unix, on links in the path, so that a log has one place.
    pub fn text_of(log: &StoredLog) -> String {
        if log.paths().next().is_none() {
            return log.shown.clone();
        }
        let name = log.source_name();
        let Origin { path, key, .. } = Origin::parse(&log.shown, Some(&name));
        // A log that is gone cannot be resolved. Windows resolves paths to ones that most programs
        // refuse.
        let resolved = if cfg!(unix) { Path::new(path).canonicalize().ok() } else { None };
        let Some(absolute) = resolved.or_else(|| std::path::absolute(path).ok()) else {
            return log.shown.clone();
        };
        let absolute = absolute.to_string_lossy();
        match key {
            Some(key) => format!("{absolute}#{key}"),
            None => absolute.into_owned(),
        }
    }

    /// Returns whether both are the same place. Earlier builds stated paths that contain links and
    /// `..`.
    pub fn is_same_place(&self, other: &Self) -> bool {
        let resolve = |it: &Self| Path::new(it.path).canonicalize().ok();
        self.text == other.text
            || self.key == other.key
                && resolve(self).is_some_and(|path| resolve(other) == Some(path))
    }

    /// Returns whether the file or store is known to be removed: its folder exists and does not
    /// contain it. A folder that is missing or cannot be read may be that of another user or
    /// machine, or on a disk that is not mounted.
    pub fn is_gone(&self) -> bool {
        let path = Path::new(self.path);
        let is_missing = |path: &Path| matches!(path.try_exists(), Ok(false));
        let folder = path.parent().filter(|_| path.is_absolute());
        folder.is_some_and(|folder| matches!(folder.try_exists(), Ok(true)))
            && is_missing(path)
            && (self.key.is_none() || is_missing(Path::new(self.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_separated_from_the_path_by_the_first_source() {
        for (text, source, path, key) in [
            ("/a/c#/b.jsonl", Some("b.jsonl"), "/a/c#/b.jsonl", None),
            ("/a/c#/b.jsonl", None, "/a/c#/b.jsonl", None),
            ("/a/c#/x.db#k/1#2", Some("x.db#k/1#2"), "/a/c#/x.db", Some("k/1#2")),
            ("/a/c#/x.db#k", None, "/a/c#/x.db", Some("k")),
            ("/a/c#/x.db#k", Some("other"), "/a/c#/x.db", Some("k")),
            ("C:\\c#\\x.db#k", Some("x.db#k"), "C:\\c#\\x.db", Some("k")),
            ("-", Some(""), "-", None),
        ] {
            let origin = Origin::parse(text, source);
            assert_eq!((origin.path, origin.key), (path, key), "{text} with {source:?}");
        }
    }

    #[test]
    fn only_a_file_missing_in_its_folder_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a#b");
        std::fs::write(&file, "x").unwrap();
        let is_gone = |name: &str| {
            let text = folder.path().join(name).to_str().unwrap().to_owned();
            Origin::parse(&text, None).is_gone()
        };
        assert!(!is_gone("a#b"), "a file with `#` in its name");
        assert!(is_gone("b") && is_gone("x.db#1"));
        assert!(!is_gone("nowhere/b"), "the folder is missing, too");
        assert!(!Origin::parse("-", None).is_gone(), "standard input");
        std::fs::remove_file(file).unwrap();
        assert!(is_gone("a#b"));
    }

    #[cfg(unix)]
    #[test]
    fn paths_of_earlier_builds_name_the_same_place() {
        let folder = tempfile::tempdir().unwrap();
        let text = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir(text("logs")).unwrap();
        std::fs::write(text("logs/a"), "x").unwrap();
        std::os::unix::fs::symlink("logs", text("alias")).unwrap();
        let is_same = |one: &str, other: &str| {
            let (one, other) = (text(one), text(other));
            Origin::parse(&one, None).is_same_place(&Origin::parse(&other, None))
        };
        assert!(is_same("alias/a", "logs/a") && is_same("logs/../logs/a", "logs/a"));
        assert!(is_same("alias/a#k", "logs/a#k") && !is_same("alias/a#k", "logs/a#l"));
        assert!(is_same("logs/gone", "logs/gone") && !is_same("logs/gone", "alias/gone"));
    }
}
