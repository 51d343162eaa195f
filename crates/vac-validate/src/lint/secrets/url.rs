//! Recognises passwords in URLs.

use super::placeholder::count_distinct;

/// The maximum number of bytes of user information that is examined.
const MAX_LENGTH: usize = 256;

/// Passwords of documentation, tests and local databases.
const PLACEHOLDERS: [&str; 20] = [
    "api_key",
    "apikey",
    "changeme",
    "credentials",
    "dummy",
    "example",
    "foobar",
    "guest",
    "hidden",
    "mask",
    "masked",
    "none",
    "null",
    "placeholder",
    "redacted",
    "removed",
    "test",
    "testing",
    "user",
    "username",
];

/// The endings of names of variables and placeholders, as in `db_password` and `your-token`.
const ENDINGS: [&str; 6] = ["pass", "password", "passwd", "pwd", "secret", "token"];

/// Returns whether a user and a password that is not a placeholder are before an `@`, and a host is
/// after it.
pub(super) fn has_password(before: &[u8], host: &[u8]) -> bool {
    let information = before.iter().rev().take(MAX_LENGTH);
    let length = information.take_while(|byte| is_user_information(**byte)).count();
    let (before, information) = before.split_at(before.len() - length);
    // JSON may have escaped slashes.
    let Some(scheme) = before.strip_suffix(b"//").or_else(|| before.strip_suffix(br"\/\/")) else {
        return false;
    };
    let [.., b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9', b':'] = scheme else { return false };
    let Ok(information) = std::str::from_utf8(information) else { return false };
    let Some((user, password)) = information.split_once(':') else { return false };
    let is_ipv6 = matches!(host, [b'[', byte, ..] if byte.is_ascii_hexdigit() || *byte == b':');
    let is_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let host = host.iter().take(MAX_LENGTH).take_while(is_host);
    let host: String = host.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    (is_ipv6 || !is_reserved(&host))
        && !user.contains('$')
        && !password.eq_ignore_ascii_case(user)
        && !is_placeholder(password)
}

/// Returns whether user information may contain a character (RFC 3986). Quotes and brackets are
/// excluded: in a log they belong to the text around a URL, to code, or to a placeholder.
fn is_user_information(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&*+,;=:%".contains(&byte)
}

/// Returns whether a host is empty, a placeholder, reserved for documentation (RFC 2606), or the
/// name of a hash function, as in `docker://image:tag@sha256:...`.
fn is_reserved(host: &str) -> bool {
    let is_below = |name: &&str| {
        let subdomain = host.strip_suffix(name);
        subdomain.is_some_and(|it| it.is_empty() || it.ends_with('.'))
    };
    matches!(host, "" | "host" | "hostname" | "sha256" | "...")
        || ["example", "example.com", "example.org", "example.net"].iter().any(is_below)
}

/// Returns whether a password is a placeholder, a variable, a format, or hidden.
fn is_placeholder(password: &str) -> bool {
    const MIN_LENGTH: usize = 4;
    let is_port = password.len() <= 5 && password.bytes().all(|byte| byte.is_ascii_digit());
    let is_constant = password.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let is_format = password.split('%').skip(1).any(|rest| {
        let digits = rest.as_bytes().get(..2);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    let plain = password.to_ascii_lowercase();
    password.len() < MIN_LENGTH
        || is_port
        || is_constant
        || is_format
        || password.starts_with('$')
        || count_distinct(password.as_bytes()) <= 2
        || ["***", "...", "xxxx"].iter().any(|hidden| plain.contains(hidden))
        || PLACEHOLDERS.contains(&&*plain)
        || ENDINGS.iter().any(|ending| plain.ends_with(ending))
}
