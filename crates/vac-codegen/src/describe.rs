//! Formats literals for documentation.

use vac_cddl::ir::LiteralValue;

/// Returns a literal as CDDL writes it.
pub fn value(value: &LiteralValue) -> String {
    match value {
        LiteralValue::Integer(integer) => integer.to_string(),
        LiteralValue::Float(float) => format!("{float:?}"),
        LiteralValue::Text(text) => format!("{text:?}"),
        LiteralValue::Bytes(bytes) => {
            let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("h'{}'", hex.concat())
        }
    }
}
