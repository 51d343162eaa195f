//! The path of a scalar in its document.

use std::borrow::Cow;

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// To a member: its key, decoded as far as it can be.
    Key(Cow<'a, [u8]>),
    /// To an element: its number.
    Element(usize),
}

/// A path for a message: `messages[3].id`.
pub fn shown(path: &[Step<'_>]) -> String {
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

/// A path with open places: `messages[].id`, `*.secret`.
#[derive(Clone, Debug)]
pub struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Key(String),
    AnyKey,
    Element,
}

impl Pattern {
    /// Reads a pattern: keys with dots between them, `[]` for any element, `*` for any
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

    /// Whether it is a member of that name that is meant, somewhere.
    pub fn ends(&self, key: &[u8]) -> bool {
        matches!(self.0.last(), Some(Part::Key(last)) if last.as_bytes() == key)
    }

    /// Whether a path is one of those that are meant.
    pub fn is(&self, path: &[Step<'_>]) -> bool {
        self.0.len() == path.len() && self.begins(path)
    }

    /// Whether a path is one of those, or below one.
    pub fn begins(&self, path: &[Step<'_>]) -> bool {
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
    fn patterns_are_paths_with_open_places() {
        let key = |key: &'static str| Step::Key(key.as_bytes().into());
        let path = [key("messages"), Step::Element(3), key("info"), key("role")];
        for pattern in ["messages[].info.role", "messages[].*.role", "*[].info.role"] {
            assert!(Pattern::new(pattern).is(&path), "{pattern}");
        }
        for pattern in ["messages.info.role", "messages[].info", "[].role", "messages[].info.id"] {
            assert!(!Pattern::new(pattern).is(&path), "{pattern}");
        }
        assert!(Pattern::new("messages[].info").begins(&path));
        assert!(Pattern::new("[][].a").is(&[Step::Element(0), Step::Element(1), key("a")]));
    }
}
