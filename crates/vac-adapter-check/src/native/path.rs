//! Represents the path of a scalar in its document.

use std::borrow::Cow;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep<'a> {
    /// A member, with its key, decoded as far as possible.
    Key(Cow<'a, [u8]>),
    /// An element, with its index.
    Element(usize),
}

/// Formats a path for messages, such as `messages[3].id`.
pub fn path_text(path: &[PathStep<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathStep::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(&String::from_utf8_lossy(key));
            }
            PathStep::Element(number) => text.extend(["[", &number.to_string(), "]"]),
        }
    }
    text
}

/// A path with wildcards, such as `messages[].id` and `*.secret`.
#[derive(Clone, Debug)]
pub struct PathPattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Key(String),
    AnyKey,
    Element,
}

impl PathPattern {
    /// Parses a pattern: keys with dots between them, `[]` for any element, `*` for any
    /// key.
    pub fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        for mut segment in text.split('.') {
            let mut elements = 0;
            while let Some(before) = segment.strip_suffix("[]") {
                segment = before;
                elements += 1;
            }
            match segment {
                "" => {}
                "*" => parts.push(Part::AnyKey),
                key => parts.push(Part::Key(key.to_owned())),
            }
            parts.extend(std::iter::repeat_n(Part::Element, elements));
        }
        Self(parts)
    }

    /// Returns whether the pattern ends with a key.
    pub fn ends_with_key(&self, key: &[u8]) -> bool {
        matches!(self.0.last(), Some(Part::Key(last)) if last.as_bytes() == key)
    }

    /// Returns whether a path matches.
    pub fn matches(&self, path: &[PathStep<'_>]) -> bool {
        self.0.len() == path.len() && self.matches_prefix(path)
    }

    /// Returns whether a path or one of its beginnings matches.
    pub fn matches_prefix(&self, path: &[PathStep<'_>]) -> bool {
        self.0.len() <= path.len()
            && self.0.iter().zip(path).all(|(part, step)| match (part, step) {
                (Part::Key(wanted), PathStep::Key(key)) => wanted.as_bytes() == &**key,
                (Part::AnyKey, PathStep::Key(_)) | (Part::Element, PathStep::Element(_)) => true,
                _ => false,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{PathPattern, PathStep};

    #[test]
    fn patterns_match_paths_with_wildcards() {
        let key = |key: &'static str| PathStep::Key(key.as_bytes().into());
        let path = [key("messages"), PathStep::Element(3), key("info"), key("role")];
        for pattern in ["messages[].info.role", "messages[].*.role", "*[].info.role"] {
            assert!(PathPattern::new(pattern).matches(&path), "{pattern}");
        }
        for pattern in ["messages.info.role", "messages[].info", "[].role", "messages[].info.id"] {
            assert!(!PathPattern::new(pattern).matches(&path), "{pattern}");
        }
        assert!(PathPattern::new("messages[].info").matches_prefix(&path));
        assert!(PathPattern::new("[][].a").matches(&[
            PathStep::Element(0),
            PathStep::Element(1),
            key("a")
        ]));
    }
}
