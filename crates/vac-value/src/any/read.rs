//! Reads carried values.

use std::borrow::Cow;

use super::Any;
use crate::document::Kind;
use crate::node::Node;
use crate::number::Number;

#[allow(clippy::redundant_closure_for_method_calls)] // the methods are not general enough
impl Any<'_> {
    /// Returns the kind. `None` if the value exceeds the limits of documents or cannot be
    /// encoded; [`Any::document`] returns the error. All methods for reading return `None` for
    /// such a value.
    pub fn kind(&self) -> Option<Kind> {
        self.read(|node| Some(node.kind()))
    }

    /// Returns whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == Some(Kind::Null)
    }

    /// Returns the value of the first member with a text key, if this is a map.
    ///
    /// ```
    /// # use vac_value::Any;
    /// let input: Any = r#"{"command": "ls", "limits": {"seconds": 10}}"#.parse()?;
    /// assert_eq!(input.get("command").expect("a command"), "ls");
    /// let seconds = input.get("limits").and_then(|limits| limits.get("seconds")?.integer());
    /// assert_eq!(seconds, Some(10));
    /// # Ok::<(), vac_value::SyntaxError>(())
    /// ```
    pub fn get(&self, key: &str) -> Option<Any<'static>> {
        self.read(|node| node.member(key).map(Any::from))
    }

    /// Returns the elements, if this is an array.
    pub fn elements(&self) -> Option<Vec<Any<'static>>> {
        self.read(|node| {
            (node.kind() == Kind::Array).then(|| node.elements().map(Any::from).collect())
        })
    }

    /// Returns the text, if this is text. `None` for text with a lone surrogate, which is not
    /// Unicode.
    pub fn text(&self) -> Option<String> {
        self.read(|node| node.text().map(Cow::into_owned))
    }

    /// Returns the bool, if this is one.
    pub fn bool(&self) -> Option<bool> {
        self.read(|node| node.bool())
    }

    /// Returns the integer, if this is one of -2^64 to 2^64 - 1.
    pub fn integer(&self) -> Option<i128> {
        self.read(|node| node.integer())
    }

    /// Returns the nearest double, if this is a float.
    pub fn float(&self) -> Option<f64> {
        self.read(|node| node.float())
    }

    /// Returns the exact number, if this is an integer or a float.
    pub fn number(&self) -> Option<Number<'static>> {
        self.read(|node| node.number().map(crate::into_owned))
    }

    fn read<T>(&self, read: impl FnOnce(Node<'_, '_>) -> Option<T>) -> Option<T> {
        read(self.document().ok()?.root())
    }
}
