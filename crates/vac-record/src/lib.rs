//! The types of the agent record schema, generated from its CDDL.

mod generated {
    mod decode;
    mod encode;
    mod owned;
    mod serde;
    pub mod types;
}

pub use generated::types::*;
pub use vac_value::{Decode, Encode, IntoOwned};
