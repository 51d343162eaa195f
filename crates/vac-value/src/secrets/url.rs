//! Recognises passwords in URLs.

use super::placeholder::count_distinct;

/// Longer user information is not examined.
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

/// Characters that a password may contain only if they are escaped (RFC 3986), and often does
/// although they are not.
const RESERVED: [char; 3] = ['@', '/', '#'];

/// Returns the offset of the user, if a user and a password that is not a placeholder are before an
/// `@`, and a host is after it.
pub(super) fn password_start(before: &[u8], after: &[u8]) -> Option<usize> {
    let start = authority_start(before)?;
    let information = std::str::from_utf8(&before[start..]).ok()?;
    let (user, password) = information.split_once(':')?;
    let is_ipv6 = matches!(after, [b'[', byte, ..] if byte.is_ascii_hexdigit() || *byte == b':');
    let is_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let host = after.iter().take(MAX_LENGTH).take_while(is_host);
    let host: String = host.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let is_plain = password.is_ascii() && !password.contains(RESERVED);
    let has_port = matches!(&after[host.len()..], [b':', digit, ..] if digit.is_ascii_digit());
    let is_allowed =
        is_plain || is_unescaped(user, password, is_ipv6 || has_port || is_full_name(&host));
    let is_found = !user.contains(RESERVED)
        && is_allowed
        && (is_ipv6 || !is_reserved(&host))
        && is_password(user, password);
    is_found.then_some(start)
}

/// Returns whether a password is one, and not a placeholder.
pub(super) fn is_password(user: &str, password: &str) -> bool {
    !user.contains('$') && !password.eq_ignore_ascii_case(user) && !is_placeholder(password)
}

/// Returns where the user information before an `@` begins: after a scheme and two slashes.
fn authority_start(before: &[u8]) -> Option<usize> {
    let first = before.len().saturating_sub(MAX_LENGTH);
    for at in (first..before.len()).rev() {
        let byte = before[at];
        if byte == b'/' && ends_with_scheme(&before[..=at]) {
            return Some(at + 1);
        }
        let is_escape = byte == b'\\' && before.get(at + 1) == Some(&b'/');
        let is_reserved = RESERVED.contains(&char::from(byte));
        if !is_user_information(byte) && !is_reserved && !is_escape {
            return None;
        }
    }
    None
}

/// Returns whether a text ends with a scheme, a colon and two slashes, which backslashes may
/// precede: in JSON, and in JSON inside of strings of JSON.
fn ends_with_scheme(text: &[u8]) -> bool {
    const MAX_ESCAPES: usize = 16;
    let without_slash = |text: &'_ [u8]| {
        let text = text.strip_suffix(b"/")?;
        let escapes = text.iter().rev().take(MAX_ESCAPES).take_while(|byte| **byte == b'\\');
        Some(text.len() - escapes.count())
    };
    let Some(scheme) = without_slash(text).and_then(|end| without_slash(&text[..end])) else {
        return false;
    };
    matches!(&text[..scheme], [.., b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9', b':'])
}

/// Returns whether a password with characters that should be escaped is one: not a port and a path,
/// or text that follows a URL.
fn is_unescaped(user: &str, password: &str, is_host_named: bool) -> bool {
    let first = password.find(RESERVED).map_or(password, |end| &password[..end]);
    let port = first.bytes().take_while(u8::is_ascii_digit).count();
    let is_letter = |it: char| it.is_ascii() || it.is_alphanumeric();
    let has = |is: fn(&u8) -> bool| password.as_bytes().iter().any(is);
    let is_random = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    // The host follows the first `@`; what follows is a path.
    let mut hosts = password.split('@').skip(1).map(|rest| rest.split(RESERVED).next());
    !user.contains('.')
        && !user.eq_ignore_ascii_case("localhost")
        && !first.is_empty()
        && (port == 0 || first[port..].starts_with(|it: char| it.is_ascii()))
        && password.chars().all(is_letter)
        && (is_random || !password.contains(['/', '#']))
        && (is_host_named || !password.contains(RESERVED))
        && !hosts.any(|host| host.is_some_and(is_full_name))
}

/// Returns whether a host has the name of a computer in a domain, an address, or `localhost`.
fn is_full_name(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit_once('.').map(|(_, last)| last);
    let is_domain =
        last.is_some_and(|it| it.len() >= 2 && it.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let is_address = host.split('.').count() == 4 && host.split('.').all(is_number);
    host.eq_ignore_ascii_case("localhost") || is_domain || is_address
}

/// Returns whether user information may contain a byte: one of RFC 3986, or of a character that is
/// not ASCII. Quotes and brackets are excluded: in a log they belong to the text around a URL, to
/// code, or to a placeholder.
fn is_user_information(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&*+,;=:%".contains(&byte) || !byte.is_ascii()
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
    // A name is in small letters: `Winter2025pass` is not one.
    let is_name = password.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-.".contains(&byte));
    password.len() < MIN_LENGTH
        || is_port
        || is_constant
        || is_format
        || password.starts_with('$')
        || count_distinct(password.as_bytes()) <= 2
        || ["***", "...", "xxxx"].iter().any(|hidden| plain.contains(hidden))
        || PLACEHOLDERS.contains(&&*plain)
        || plain.starts_with("your") && plain.bytes().all(|byte| !byte.is_ascii_digit())
        || is_name && ENDINGS.iter().any(|ending| plain.ends_with(ending))
}
