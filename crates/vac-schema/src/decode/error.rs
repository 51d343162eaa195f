//! The reason why a document cannot be decoded.

use std::fmt;

use vac_value::{AnyError, EncodeError, Node, SyntaxError, Violation, ViolationKind};

use crate::Violations;

/// The reason why a document cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes are not a document of the encoding.
    Syntax(SyntaxError),
    /// The document violates the schema.
    Invalid(Violations),
    /// The document is valid, but the generated type cannot hold it. This is a defect of
    /// the code generator, except if a map contains a member under both of its keys.
    Internal(Mismatch),
}

impl DecodeError {
    /// Returns the violations of the schema, at most [`MAX_VIOLATIONS`](crate::MAX_VIOLATIONS).
    pub fn violations(&self) -> &[Violation] {
        match self {
            Self::Invalid(violations) => violations.as_slice(),
            Self::Syntax(_) | Self::Internal(_) => &[],
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Internal(mismatch) => mismatch.fmt(f),
            Self::Invalid(violations) => violations.fmt(f),
        }
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Invalid(violations) => Some(violations),
            Self::Internal(mismatch) => Some(mismatch),
        }
    }
}

impl From<SyntaxError> for DecodeError {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

impl From<AnyError> for DecodeError {
    fn from(error: AnyError) -> Self {
        match error {
            AnyError::Syntax(error) => Self::Syntax(error),
            AnyError::Encode(error) => Self::Invalid(unencodable(&error)),
        }
    }
}

impl From<Violations> for DecodeError {
    fn from(violations: Violations) -> Self {
        Self::Invalid(violations)
    }
}

/// Returns the verdict on a value that neither encoding can represent.
pub(super) fn unencodable(error: &EncodeError) -> Violations {
    let kind = match error {
        EncodeError::DuplicateKey(_) => ViolationKind::DuplicateKey,
        EncodeError::NotRepresentable { .. } => ViolationKind::Mismatch,
    };
    Violations::from(Violation {
        kind,
        path: String::new(),
        expected: "a value that can be encoded".to_owned(),
        found: error.to_string(),
        rule: String::new(),
        others: Vec::new(),
    })
}

/// The error that a valid node does not fit the Rust type that is built from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The offset of the node in its document.
    pub offset: usize,
    /// Whether the node is a map that contains a member under both its key for JSON and its
    /// key for CBOR. The generated type has one field for them.
    pub has_both_keys: bool,
}

impl Mismatch {
    /// Creates the error for a node that does not fit.
    pub fn new(node: Node<'_, '_>) -> Self {
        Self { offset: node.offset(), has_both_keys: false }
    }

    /// Creates the error for a map that contains a member under both of its keys.
    pub(super) fn with_both_keys(node: Node<'_, '_>) -> Self {
        Self { offset: node.offset(), has_both_keys: true }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_both_keys {
            let offset = self.offset;
            return write!(
                f,
                "the map at byte {offset} contains a member under its key for JSON and again \
                 under its key for CBOR, and a value can hold only one of them"
            );
        }
        write!(
            f,
            "internal error: the value at byte {} matches the schema, but not the generated type",
            self.offset
        )
    }
}

impl std::error::Error for Mismatch {}
