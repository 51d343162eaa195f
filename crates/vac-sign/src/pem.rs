//! Finds the PEM block that contains a key.

use ed25519_dalek::pkcs8::spki::der::pem;
use zeroize::Zeroizing;

use crate::key::KeyError;

const BEGIN: &str = "-----BEGIN ";

/// Returns the label and the content of the only block. Text around it is ignored. The label has to
/// be one of those expected, of which messages name the first.
pub(crate) fn block(
    text: &str,
    expected: &[&'static str],
) -> Result<(&'static str, Zeroizing<Vec<u8>>), KeyError> {
    let named = expected.first().expect("a label is expected");
    let not_pem = |why: String| KeyError::Pem(why);
    let (start, found) = text
        .find(BEGIN)
        .and_then(|start| {
            let (label, _) = text[start + BEGIN.len()..].split_once("-----")?;
            (!label.contains('\n')).then_some((start, label))
        })
        .ok_or_else(|| not_pem(format!("it has no line {BEGIN}{named}-----")))?;
    let Some(label) = expected.iter().find(|label| **label == found) else {
        return Err(KeyError::Label { expected: named, found: found.to_owned() });
    };
    let end = format!("-----END {label}-----");
    let (inside, after) =
        text[start..].split_once(&end).ok_or_else(|| not_pem(format!("it has no line {end}")))?;
    if after.contains(BEGIN) {
        return Err(not_pem("it contains more than one key or certificate".to_owned()));
    }
    let block = &text[start..start + inside.len() + end.len()];
    let mut content = Zeroizing::new(Vec::with_capacity(block.len()));
    // OpenSSH writes lines of 70 characters, everything else lines of 64.
    pem::Decoder::new_detect_wrap(block.as_bytes())
        .and_then(|mut decoder| decoder.decode_to_end(&mut content).map(drop))
        .map_err(|error| not_pem(error.to_string()))?;
    Ok((label, content))
}
