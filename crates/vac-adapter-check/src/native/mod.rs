//! A second opinion on native logs: JSON text read without any of the code that the
//! adapters use, so that one mistake cannot hide another.
//!
//! Slower and much simpler: bytes in, [pieces](pieces::Piece) out, and of each piece its
//! scalars with the path to them.

pub mod fragments;
pub mod leaf;
pub mod path;
pub mod pieces;
pub mod read;
pub mod value;

pub use fragments::fragments;
pub use leaf::Leaf;
pub use path::{Pattern, Step, shown};
pub use pieces::{Kind, Piece, pieces};
pub use read::read;
pub use value::value;
