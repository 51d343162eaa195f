//! Secrets without a long word of letters and digits, found by a fixed text in them.

use std::sync::LazyLock;

use data_encoding::{BASE64, BASE64_NOPAD};
use memchr::memmem::Finder;

use super::formats::{
    ALPHANUMERIC, AWS_BEDROCK, AZURE_SECRET, AZURE_STORAGE, Alphabet, BASE64URL, BASIC, Part,
    SLACK_TOKEN, SLACK_WEBHOOK, STANDARD_BASE64, TERRAFORM, UPPER_DIGITS,
};
use super::search::{has_parts, is_word_start};
use super::url::is_password;

use Part::{Run, Text};

/// A kind of secret, the text that it is searched by, and whether the text before and after it are
/// the rest of one.
struct Anchor {
    kind: &'static str,
    text: &'static str,
    matches: fn(&[u8], &[u8]) -> bool,
}

const ANCHORS: &[Anchor] = &[
    Anchor { kind: AWS_BEDROCK, text: "ABSK", matches: is_bedrock_key },
    Anchor { kind: AZURE_SECRET, text: "Q~", matches: is_azure_secret },
    Anchor { kind: AZURE_STORAGE, text: "AccountKey=", matches: is_storage_key },
    Anchor { kind: BASIC, text: "Basic ", matches: is_basic_password },
    Anchor { kind: SLACK_TOKEN, text: "xoxd-", matches: is_slack_cookie },
    Anchor { kind: SLACK_WEBHOOK, text: "hooks.slack.com", matches: is_slack_webhook },
    Anchor { kind: TERRAFORM, text: ".atlasv1.", matches: is_terraform_token },
];

/// All kinds, for a test.
#[cfg(test)]
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    ANCHORS.iter().map(|anchor| anchor.kind)
}

static FINDERS: LazyLock<Vec<Finder<'static>>> =
    LazyLock::new(|| ANCHORS.iter().map(|anchor| Finder::new(anchor.text)).collect());

/// Calls `found` with the kind of each secret in a text.
pub(super) fn search(text: &[u8], mut found: impl FnMut(&'static str)) {
    for (anchor, finder) in ANCHORS.iter().zip(&*FINDERS) {
        for at in finder.find_iter(text) {
            if (anchor.matches)(&text[..at], &text[at + anchor.text.len()..]) {
                found(anchor.kind);
            }
        }
    }
}

/// The base 64 of a long-term key of Amazon Bedrock.
fn is_bedrock_key(before: &[u8], after: &[u8]) -> bool {
    is_word_start(before) && has_parts(after, &[Run(STANDARD_BASE64, 109, 272)])
}

/// A secret of an application of Entra ID: three characters, a digit, `Q~` and the rest.
fn is_azure_secret(before: &[u8], after: &[u8]) -> bool {
    const CHARACTERS: Alphabet = BASE64URL.and(Alphabet::new(b".~"));
    let Some((start, [first @ .., digit])) = before.split_last_chunk::<4>() else { return false };
    digit.is_ascii_digit()
        && first.iter().all(|byte| CHARACTERS.contains(*byte))
        && start.last().is_none_or(|byte| !b".~".contains(byte))
        && is_word_start(start)
        && has_parts(after, &[Run(CHARACTERS, 31, 34)])
}

/// The 64 bytes of a key of Azure Storage or Cosmos DB, in a connection string.
fn is_storage_key(_: &[u8], after: &[u8]) -> bool {
    const WITHOUT_PADDING: Alphabet = ALPHANUMERIC.and(Alphabet::new(b"+/"));
    has_parts(after, &[Run(WITHOUT_PADDING, 86, 86), Text("==")])
}

/// User and password in base 64, as the header `Authorization` has them. What follows the word
/// decides, because text that is not base 64 of `user:password` cannot be mistaken for it.
fn is_basic_password(before: &[u8], after: &[u8]) -> bool {
    const MAX: usize = 512;
    if before.last().is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    let is_base64 = |byte: &&u8| STANDARD_BASE64.contains(**byte);
    let encoded = &after[..after.iter().take(MAX).take_while(is_base64).count()];
    let decoded = BASE64.decode(encoded).or_else(|_| BASE64_NOPAD.decode(encoded));
    let text = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text.filter(|text| !text.contains(char::is_control)) else { return false };
    text.split_once(':').is_some_and(|(user, password)| is_password(user, password))
}

/// The cookie of a session of Slack, whose base 64 is escaped like a URL.
fn is_slack_cookie(before: &[u8], after: &[u8]) -> bool {
    const CHARACTERS: Alphabet = BASE64URL.and(Alphabet::new(b"%+/=."));
    is_word_start(before) && has_parts(after, &[Run(CHARACTERS, 60, 1024)])
}

/// The URL of an incoming webhook of Slack, with escaped slashes in JSON.
fn is_slack_webhook(_: &[u8], after: &[u8]) -> bool {
    let mut rest = after;
    for (first, alphabet, min, max) in
        [("services", UPPER_DIGITS, 0, 0), ("T", UPPER_DIGITS, 7, 14), ("B", UPPER_DIGITS, 7, 14)]
    {
        let Some(part) = after_slash(rest).and_then(|it| it.strip_prefix(first.as_bytes())) else {
            return false;
        };
        let length = part.iter().take(max).take_while(|byte| alphabet.contains(**byte)).count();
        if length < min {
            return false;
        }
        rest = &part[length..];
    }
    after_slash(rest).is_some_and(|secret| has_parts(secret, &[Run(ALPHANUMERIC, 24, 24)]))
}

/// Returns what follows a slash, which backslashes may precede.
fn after_slash(text: &[u8]) -> Option<&[u8]> {
    let escapes = text.iter().take(8).take_while(|byte| **byte == b'\\').count();
    text[escapes..].strip_prefix(b"/")
}

/// A token of HCP Terraform: 14 characters, `.atlasv1.` and the rest.
fn is_terraform_token(before: &[u8], after: &[u8]) -> bool {
    let Some((start, first)) = before.split_last_chunk::<14>() else { return false };
    first.iter().all(|byte| ALPHANUMERIC.contains(*byte))
        && is_word_start(start)
        && has_parts(after, &[Run(BASE64URL.and(Alphabet::new(b"=")), 60, 70)])
}
