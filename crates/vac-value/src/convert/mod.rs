//! Conversions from and to the value types of other crates.

#[cfg(feature = "ciborium")]
mod cbor_value;
#[cfg(feature = "serde_json")]
mod json_value;
