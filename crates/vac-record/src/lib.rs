//! The types of the agent record schema, generated from its CDDL.

mod generated {
    #[rustfmt::skip]
    mod decode;
    #[rustfmt::skip]
    mod encode;
    #[rustfmt::skip]
    mod owned;
    #[rustfmt::skip]
    mod serde;
    #[rustfmt::skip]
    pub mod types;
}

pub use generated::types::*;
pub use vac_value::{Decode, Encode, IntoOwned};
