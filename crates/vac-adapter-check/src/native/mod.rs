//! Implements a second reader of native logs. It parses JSON text without any of the code that the
//! adapters use, so that mistakes in that code are found.
//!
//! It is slower and much simpler: it splits bytes into [pieces](pieces::NativePiece), and each piece into
//! its scalars with their paths.

pub mod fragments;
pub mod leaf;
pub mod path;
pub mod pieces;
pub mod read;
pub mod value;

pub use fragments::fragments;
pub use leaf::Leaf;
pub use path::{PathPattern, PathStep, path_text};
pub use pieces::{NativePiece, PieceKind, pieces};
pub use read::read;
pub use value::value;
