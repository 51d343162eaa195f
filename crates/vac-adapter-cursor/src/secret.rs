//! The one deliberate omission: keys to what Cursor stores encrypted.

use std::borrow::Cow;

use vac_adapter::frame::Raw;

/// Members of a composer.
const SECRETS: &[&str] = &["blobEncryptionKey", "speculativeSummarizationEncryptionKey"];

/// How the report calls a member, if it is a secret.
pub(crate) fn name(key: &str) -> Option<String> {
    SECRETS.contains(&key).then(|| format!("composerData.{key}"))
}

/// Text that is carried as it is, without what secrets it holds: of each what stands
/// between its quotation marks, which may be escaped as the text around it is.
pub(crate) fn taken_out(text: &[u8]) -> Cow<'_, [u8]> {
    let mut rest = text;
    let mut kept = Vec::new();
    while let Some((before, behind)) = split(rest) {
        kept.extend_from_slice(before);
        let end = behind.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n'));
        rest = &behind[end.unwrap_or(behind.len())..];
    }
    if kept.is_empty() {
        return Cow::Borrowed(text);
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

/// The same for a frame, which may be a piece of a larger one: where a secret may go on
/// from the piece before, the whole piece is left out.
pub(crate) fn taken_out_of<'a>(raw: &Raw<'a>) -> Cow<'a, [u8]> {
    let whole = raw.reason.with_before(raw.bytes);
    let before = whole.len() - raw.bytes.len();
    let begins_before = SECRETS.iter().any(|name| {
        let beginning = &whole[..whole.len().min(before + name.len())];
        before > 0 && beginning.windows(name.len()).any(|part| part == name.as_bytes())
    });
    if begins_before { Cow::Owned(Vec::new()) } else { taken_out(raw.bytes) }
}

/// Splits behind the quotation mark that the value of the first secret begins with.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let find = |name: &&str| {
        let at = text.windows(name.len()).position(|part| part == name.as_bytes())?;
        Some(at + name.len())
    };
    let name = SECRETS.iter().filter_map(find).min()?;
    let mut quotes = 0;
    for (at, byte) in text.iter().enumerate().skip(name) {
        match byte {
            b'"' => quotes += 1,
            b'\\' | b':' | b' ' => continue,
            _ => return text.split_at_checked(at),
        }
        if quotes == 2 {
            return text.split_at_checked(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::taken_out;

    #[test]
    fn a_secret_is_taken_out_of_text_and_nothing_else() {
        for (text, expected) in [
            (
                r#"{"a":1,"blobEncryptionKey":"s3","b":2}"#,
                r#"{"a":1,"blobEncryptionKey":"","b":2}"#,
            ),
            (r#"{\"blobEncryptionKey\": \"s3\",\"b\""#, r#"{\"blobEncryptionKey\": \"\",\"b\""#),
            (r#"{"blobEncryptionKey":"s3"#, r#"{"blobEncryptionKey":""#),
            (r#"{"blobEncryptionKey":7}"#, r#"{"blobEncryptionKey":"#),
            ("nothing here", "nothing here"),
            (
                r#"{"speculativeSummarizationEncryptionKey":"s","blobEncryptionKey":"t"}"#,
                r#"{"speculativeSummarizationEncryptionKey":"","blobEncryptionKey":""}"#,
            ),
            ("blobEncryptionKey", "blobEncryptionKey"),
        ] {
            let found = taken_out(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), expected);
        }
    }
}
