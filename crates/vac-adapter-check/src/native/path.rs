//! The path of a scalar in its document.

use std::borrow::Cow;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// To a member: its key, decoded as far as it can be.
    Key(Cow<'a, [u8]>),
    /// To an element: its number.
    Element(usize),
}

/// Writes a path for a message: `messages[3].id`.
pub fn path_text(path: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(&String::from_utf8_lossy(key));
            }
            Step::Element(number) => text.extend(["[", &number.to_string(), "]"]),
        }
    }
    text
}

/// A path with wildcards: `messages[].id`, `*.secret`.
#[derive(Clone, Debug)]
pub struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Key(String),
    AnyKey,
    Element,
}

impl Pattern {
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
    pub fn matches(&self, path: &[Step<'_>]) -> bool {
        self.0.len() == path.len() && self.matches_prefix(path)
    }

    /// Returns whether a path or one of its beginnings matches.
    pub fn matches_prefix(&self, path: &[Step<'_>]) -> bool {
        self.0.len() <= path.len()
            && self.0.iter().zip(path).all(|(part, step)| match (part, step) {
                (Part::Key(wanted), Step::Key(key)) => wanted.as_bytes() == &**key,
                (Part::AnyKey, Step::Key(_)) | (Part::Element, Step::Element(_)) => true,
                _ => false,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Step};

    #[test]
    fn patterns_match_paths_with_wildcards() {
        let key = |key: &'static str| Step::Key(key.as_bytes().into());
        let path = [key("messages"), Step::Element(3), key("info"), key("role")];
        for pattern in ["messages[].info.role", "messages[].*.role", "*[].info.role"] {
            assert!(Pattern::new(pattern).matches(&path), "{pattern}");
        }
        for pattern in ["messages.info.role", "messages[].info", "[].role", "messages[].info.id"] {
            assert!(!Pattern::new(pattern).matches(&path), "{pattern}");
        }
        assert!(Pattern::new("messages[].info").matches_prefix(&path));
        assert!(Pattern::new("[][].a").matches(&[Step::Element(0), Step::Element(1), key("a")]));
    }
}
