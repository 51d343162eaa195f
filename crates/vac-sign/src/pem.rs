//! Finds the PEM block that contains a key.

use crate::key::KeyError;

const BEGIN: &str = "-----BEGIN ";

/// Returns the block with this label, which has to be the only block. Text around it is
/// ignored.
pub(crate) fn block<'t>(text: &'t str, expected: &'static str) -> Result<&'t str, KeyError> {
    let not_pem = |why: String| KeyError::Pem(why);
    let (start, label) = text
        .find(BEGIN)
        .and_then(|start| {
            let (label, _) = text[start + BEGIN.len()..].split_once("-----")?;
            (!label.contains('\n')).then_some((start, label))
        })
        .ok_or_else(|| not_pem(format!("it has no line {BEGIN}{expected}-----")))?;
    if label != expected {
        return Err(KeyError::Label { expected, found: label.to_owned() });
    }
    let end = format!("-----END {expected}-----");
    let (inside, after) =
        text[start..].split_once(&end).ok_or_else(|| not_pem(format!("it has no line {end}")))?;
    if after.contains(BEGIN) {
        return Err(not_pem("it contains more than one key or certificate".to_owned()));
    }
    Ok(&text[start..start + inside.len() + end.len()])
}
