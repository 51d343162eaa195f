//! How documentation writes a literal.

use vac_cddl::ir::Value;

/// A literal as CDDL writes it.
pub fn value(value: &Value) -> String {
    match value {
        Value::Integer(integer) => integer.to_string(),
        Value::Float(float) => format!("{float:?}"),
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(bytes) => {
            let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("h'{}'", hex.concat())
        }
    }
}
