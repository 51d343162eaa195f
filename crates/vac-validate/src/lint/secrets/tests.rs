//! Tests with sample secrets. They are joined from pieces, so that secret scanners do not report
//! this file.

use vac_value::{Any, Encode as _, Encoder, transcode};

use super::formats::{Alphabet, FORMATS, Format, Part};
use super::*;
use crate::lint::lint as lint_document;

/// A generator of pseudo-random characters.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).expect("64 bits") % limit
    }

    fn text(&mut self, alphabet: Alphabet, length: usize) -> String {
        let all: Vec<u8> = (0..128).filter(|byte| alphabet.contains(*byte)).collect();
        (0..length).map(|_| char::from(all[self.below(all.len())])).collect()
    }
}

/// Returns a token in a format, with runs of the lengths that `length` chooses from the limits.
fn token(format: &Format, length: fn(usize, usize) -> usize) -> String {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut token = format.prefix.to_owned();
    for part in format.parts {
        token += &match part {
            Part::Text(text) => (*text).to_owned(),
            Part::Run(alphabet, min, max) => random.text(*alphabet, length(*min, *max)),
        };
    }
    token
}

fn kinds_in(text: &str) -> Vec<&'static str> {
    secrets_in_bytes(text.as_bytes()).iter().map(|secret| secret.kind).collect()
}

#[track_caller]
fn finds(text: &str, expected: &[&str]) {
    assert_eq!(kinds_in(text), expected, "{text}");
}

fn github() -> String {
    ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat()
}

#[test]
fn kinds_are_sorted_and_complete() {
    assert!(SECRET_KINDS.is_sorted());
    let special = [formats::PRIVATE_KEY, formats::TELEGRAM, formats::URL_PASSWORD];
    let mut used: Vec<_> = FORMATS.iter().map(|format| format.kind).chain(special).collect();
    used.sort_unstable();
    used.dedup();
    assert_eq!(used, SECRET_KINDS);
}

#[test]
fn tokens_of_every_format_are_found() {
    for format in FORMATS {
        for token in [token(format, |min, _| min), token(format, |_, max| max)] {
            finds(&token, &[format.kind]);
            finds(&format!("export TOKEN=\"{token}\"\n"), &[format.kind]);
            finds(&format!("({token}), {token}."), &[format.kind]);
        }
    }
}

#[test]
fn near_misses_of_every_format_are_not_found() {
    for format in FORMATS {
        let shortest = token(format, |min, _| min);
        finds(&shortest[..shortest.len() - 1], &[]);
        finds(&format!("x{shortest}"), &[]);
        finds(&format!("x-{shortest}"), &[]);
        finds(&shortest.replace(format.prefix, "abc_"), &[]);
        // All parts consist of the same few characters.
        let mut same = format.prefix.to_owned();
        for part in format.parts {
            same += &match part {
                Part::Text(text) => (*text).to_owned(),
                Part::Run(alphabet, min, _) if alphabet.contains(b'a') => "a".repeat(*min),
                Part::Run(_, min, _) => "A".repeat(*min),
            };
        }
        finds(&same, &[]);
        finds(&token(format, |_, max| max + 1), &[]);
    }
}

#[test]
fn documented_tokens_are_found() {
    for (kind, pieces) in [
        ("github-token", ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"]),
        ("aws-access-key-id", ["AK", "IAI44QH8DHBQ5XNTYA"]),
        ("google-api-key", ["AI", "zaSyD9tSrke72PouQMnMX-a7eZSW0jkFMBWYf"]),
        ("slack-token", ["xox", "b-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1"]),
        ("slack-token", ["xa", "pp-1-A052FGTS2DL-5171572773297-610b6a11f4b7eb819e87b767d80e6575"]),
        ("stripe-key", ["sk_", "live_4eC39HqLyjWDarjtT1zdp7dc"]),
        (
            "sendgrid-key",
            ["S", "G.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"],
        ),
        ("telegram-token", ["110201543", ":AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw8"]),
        ("gitlab-token", ["gl", "pat-Z7qrb3nX-k9LwTmAVp2s"]),
        ("npm-token", ["np", "m_8hUQbCFuVzYHnXWaKpE2mJ5rT0sLqDoGiN3v"]),
    ] {
        finds(&pieces.concat(), &[kind]);
    }
}

#[test]
fn bot_tokens_are_found_in_urls() {
    let token = ["110201543", ":AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw8"].concat();
    finds(&format!("https://api.telegram.org/bot{token}/getMe"), &["telegram-token"]);
    finds(&format!("5{}", &token[3..]), &[]);
    finds(&format!("1234567890{token}"), &[]);
    finds(&token[..token.len() - 1], &[]);
}

#[test]
fn tokens_start_after_escapes() {
    let token = github();
    for before in [
        r"\n",
        r"\\n",
        r"\t",
        r"\u001b[1m",
        "\u{1b}[1;32m",
        r"\u00e9",
        "%3D",
        "%20",
        " -",
        "\n-",
        "é",
        "→",
        "/",
        "=",
        "'",
        "`",
        "@",
        "+",
    ] {
        finds(&format!("a{before}{token}"), &["github-token"]);
    }
    for before in ["a", "_", "9", "--", "a-", "\u{1b}[m-a-", "m", "0m", r"\x6e", "%3"] {
        finds(&format!("a{before}{token}"), &[]);
    }
    for after in [r"\n", "\n", r#"\""#, ".", ",", "@github.com", "-", "é", ":", "/"] {
        finds(&format!("{token}{after}a"), &["github-token"]);
    }
}

#[test]
fn placeholders_are_not_found() {
    let digits = "0123456789";
    let lower = "abcdefghijklmnopqrstuvwxyz";
    for text in [
        format!("ghp_{}", "x".repeat(36)),
        format!("ghp_{lower}{digits}"),
        format!("ghp_{digits}{lower}"),
        format!("ghp_{}", "a1b2c3d4e5f6".repeat(3)),
        format!("ghp_yourTokenPlaceholder{}", "16C7e42F292c691"),
        format!("AKIA{}", "IOSFODNN7EXAMPLE"),
        format!("sk-ant-api03-{}", "X".repeat(95)),
        format!("sk-{}", "1234567890abcdef".repeat(3)),
        format!("npm_{}", "Redacted".repeat(5).split_at(36).0),
        "sk-ant-api03-...".to_owned(),
        "sk-...".to_owned(),
        // The token that documentation of JWT shows.
        [
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Ikpva",
            "G4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        ]
        .concat(),
    ] {
        finds(&text, &[]);
    }
}

#[test]
fn hashes_ids_and_blobs_are_not_found() {
    let mut random = Random(7);
    let standard = formats::BASE64;
    for _ in 0..16 {
        let hex = random.text(formats::HEX, 64);
        let uuid =
            format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[..4], &hex[4..8], &hex[..12]);
        for text in [&hex[..], &hex[..32], &hex[..40], &uuid, &format!("sha256-{hex}=")] {
            finds(text, &[]);
        }
        finds(&random.text(standard, 1 << 14), &[]);
        finds(&random.text(formats::WORD, 1 << 14), &[]);
    }
    for text in [
        "risk-free-task-management-with-many-words-in-one-long-identifier-1234567890abc",
        "hf_transfer",
        "npm_config_registry",
        "npm_lifecycle_event_of_a_package_with_a_long_name",
        "ghs_",
        "AKIA",
        "eyJ",
        "SG.",
        "task-0123456789abcdef0123456789abcdef",
    ] {
        finds(text, &[]);
    }
}

#[test]
fn private_keys_are_found_with_their_content() {
    let mut random = Random(3);
    let line = random.text(formats::WORD, 64).replace('_', "/");
    for label in ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "] {
        let first = format!("-----BEGIN {label}{}-----", "PRIVATE KEY");
        for text in [
            format!("{first}\n{line}\n"),
            format!(r"{first}\n{line}\n"),
            format!(r#""key": \"{first}\\n{line}\\n"#),
            format!("     1\u{2192}{first}\n     2\u{2192}{line}\n"),
            format!("{first}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A0B\n\n{line}\n"),
        ] {
            finds(&text, &["private-key"]);
        }
        for text in [
            first.clone(),
            format!("{first}\\n..."),
            format!("{first}\n{}\n", &line[..20]),
            format!("{first}\n{}\n", "A".repeat(64)),
            format!(
                "if text.contains(\"{first}\") {{ return Err(Error::PrivateKeyIsNotAllowed) }}"
            ),
            format!("{}\n{line}", first.replace("PRIVATE", "PUBLIC")),
            format!("{}\n{line}", first.replace("-----BEGIN", "BEGIN")),
            format!("{}\n{line}", first.replace("BEGIN", "END")),
        ] {
            finds(&text, &[]);
        }
    }
    let pgp = ["-----BEGIN PGP ", "PRIVATE KEY BLOCK-----\n\n", &line].concat();
    finds(&pgp, &["private-key"]);
}

#[test]
fn passwords_in_urls_are_found() {
    for text in [
        "https://ada:correct-horse@git.lovelace.dev/loom",
        "postgres://app:s3cr%40t!@db.internal:5432/app?sslmode=require",
        "redis://:8fJ2kd9x@10.0.0.5:6379/0",
        "DATABASE_URL=mysql://root:Tr0ub4dor@localhost/db",
        "amqp://svc:pa$5word9@[::1]:5672",
        r"mongodb+srv:\/\/ada:correct-horse@cluster0.mongodb.net",
        "git clone https://x-access-token:kj3h4kj5h@github.com/a/b",
        "see <ftp://ada:correct-horse@ftp.lovelace.dev>.",
    ] {
        finds(text, &["url-password"]);
    }
}

#[test]
fn urls_without_passwords_are_not_found() {
    for text in [
        "https://lovelace.dev:8080/a@b",
        "https://ada@lovelace.dev/",
        "ssh://git@github.com:22/a/b",
        "https://user:pass@lovelace.dev",
        "https://user:password@lovelace.dev",
        "https://ada:your_password@lovelace.dev",
        "https://ada:$PASSWORD@lovelace.dev",
        "https://ada:${PASSWORD}@lovelace.dev",
        "https://$USER:correct-horse@lovelace.dev",
        "https://ada:DB_PASSWORD@lovelace.dev",
        "https://ada:***@lovelace.dev",
        "https://ada:xxxxxxxx@lovelace.dev",
        "https://ada:<password>@lovelace.dev",
        "https://ada:{password}@lovelace.dev",
        "https://ada:[redacted]@lovelace.dev",
        "https://%s:%s@%s/",
        "https://ada:%s@lovelace.dev",
        "https://ada:...@lovelace.dev",
        "https://ada:@lovelace.dev",
        "https://ada:correct-horse@",
        "https://ada:correct-horse@example.com",
        "https://ada:correct-horse@db.example.org",
        "https://ada:correct-horse@kiosk.example",
        "postgres://postgres:postgres@localhost/db",
        "docker://alpine:3.20.1@sha256:abc",
        "https://lovelace.dev:8080?mail=ada@lovelace.dev",
        "https://lovelace.dev:8080 ada@lovelace.dev",
        "\"https://lovelace.dev:8080\",\"ada@lovelace.dev\"",
        "://ada:correct-horse@lovelace.dev",
        "r\"://([^:]+):([^@]+)@\"",
    ] {
        finds(text, &[]);
    }
}

#[test]
fn long_user_information_is_not_a_password() {
    finds(&format!("https://ada:{}@lovelace.dev", "ab1-".repeat(100)), &[]);
}

/// Returns a record with secrets in an entry, in JSON inside of a string, and in keys.
fn record() -> String {
    let token = github();
    let output = format!(r#"{{\"env\": {{\"TOKEN\": \"{token}\"}}, \"a\": \"\\n{token}\"}}"#);
    format!(
        r#"{{"session": {{"entries": [
            {{"type": "user", "content": "use {token}, please"}},
            {{"type": "tool-result", "output": "{output}"}},
            {{"type": "user", "{token}": ["{token}", {{"a/b": "ftp://ada:correct-horse@c.dev"}}]}}
        ]}}}}"#
    )
}

#[test]
fn json_and_cbor_have_the_same_secrets() {
    let json = record();
    let document = Document::json(json.as_bytes()).expect("JSON");
    let found = secrets(&document);
    assert!(may_contain_secrets(json.as_bytes(), Encoding::Json));
    assert!(!may_contain_secrets(br#"{"a": "ghp_", "b": "\n\u001b[1m"}"#, Encoding::Json));
    let short: Vec<_> =
        found.iter().map(|it| format!("{} {} {}", it.kind, it.count, it.path)).collect();
    let expected = [
        "github-token 1 /session/entries/0/content",
        "github-token 2 /session/entries/1/output",
        "github-token 1 /session/entries/2/(key 1)",
        "github-token 1 /session/entries/2/(redacted)/0",
        "url-password 1 /session/entries/2/(redacted)/1/a~1b",
    ];
    assert_eq!(short, expected);
    let mut encoder = Encoder::cbor();
    transcode(&document, &mut encoder).expect("CBOR");
    let cbor = encoder.finish();
    let of_cbor = secrets(&Document::cbor(&cbor).expect("CBOR"));
    // Keys are in another order.
    let same = |it: &Secret| (it.kind, it.count, it.path.replace("(key 0)", "(key 1)"));
    let by_path = |secrets: &[Secret]| {
        let mut all: Vec<_> = secrets.iter().map(same).collect();
        all.sort();
        all
    };
    assert_eq!(by_path(&of_cbor), by_path(&found));
}

#[test]
fn findings_do_not_contain_the_value() {
    let token = github();
    let json = record().replace(r#""type": "tool-result","#, &format!(
        r#""type": "tool-result", "call-id": "{token}", "id": "{token}", "parent-id": "x {token}","#
    ));
    let document = Document::json(json.as_bytes()).expect("JSON");
    let findings = lint_document(&document);
    assert_eq!(findings.iter().filter(|finding| finding.code == CODE).count(), 8);
    assert!(findings.iter().any(|finding| finding.code == "result-without-call"));
    let printed = format!("{findings:?}{:?}", secrets(&document))
        + &findings.iter().map(ToString::to_string).collect::<String>();
    for value in [&token[4..20], "correct"] {
        assert!(!printed.contains(value), "{printed}");
    }
    assert_eq!(
        findings.iter().find(|finding| finding.code == CODE).map(ToString::to_string).as_deref(),
        Some("/session/entries/0/content: likely secret: github-token (lint likely-secret)")
    );
}

#[test]
fn escaped_letters_do_not_hide_a_secret() {
    let token = github().replace('_', r"\u005f");
    let found = |json: String| {
        let found = secrets(&Document::json(json.as_bytes()).expect("JSON")).len();
        assert!(found == 0 || may_contain_secrets(json.as_bytes(), Encoding::Json));
        found
    };
    assert_eq!(found(format!(r#""{token}""#)), 1);
    assert_eq!(found(format!(r#""\u001b[1m{} {token}""#, github())), 1);
    assert_eq!(found(format!(r#""\u0041{token}""#)), 0);
    // Text with a lone surrogate cannot be decoded.
    assert_eq!(found(format!(r#""\ud800 {} \u0041""#, github())), 1);
}

#[test]
fn strings_of_cbor_may_be_bytes_or_in_chunks() {
    let token = github();
    let bytes = Any::bytes(token.as_bytes()).to_cbor().expect("CBOR");
    let text = Any::from(token.clone()).to_cbor().expect("CBOR");
    // An indefinite-length text of two chunks.
    let (first, last) = token.split_at(10);
    let chunk = |text: &str| Any::from(text.to_owned()).to_cbor().expect("CBOR");
    let chunks = [&b"\x7f"[..], &chunk(first), &chunk(last), b"\xff"].concat();
    for cbor in [bytes, text, chunks] {
        let found = secrets(&Document::cbor(&cbor).expect("CBOR"));
        assert_eq!(found.len(), 1, "{cbor:x?}");
        assert_eq!((found[0].kind, &*found[0].path), ("github-token", ""));
    }
}

#[test]
fn repeated_prefixes_take_linear_time() {
    for format in FORMATS {
        for before in ["/", ".", "-", " ", ":", r"\n", "@", "+"] {
            let text = format!("{before}{}", format.prefix).repeat(1 << 10);
            finds(&text, &[]);
        }
    }
    for text in ["://a:b", "://a:b@", "-----BEGIN PRIVATE KEY-----", "eyJabcdefghijklmnop.", ":AA"]
    {
        finds(&text.repeat(1 << 12), &[]);
    }
}
