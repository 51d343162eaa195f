//! The grammar of CBOR: scans and writes its bytes.

mod head;
mod scan;

pub(crate) use head::{
    argument_at, double_to_half, double_to_single, float_at, head_length, integer_at, push_float,
    push_head, string_at,
};
pub(crate) use scan::scan;
