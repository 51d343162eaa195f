//! Samples of secrets are joined from pieces, so that scanners do not report this file.

use super::formats::{Alphabet, FORMATS, Format, Part};
use super::*;

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

/// Returns the kinds of the secrets in a text, each once.
fn kinds_in(text: &str) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    search(text.as_bytes(), |kind| {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    });
    kinds
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
    let special =
        [formats::DISCORD, formats::PRIVATE_KEY, formats::TELEGRAM, formats::URL_PASSWORD];
    let special = special.into_iter().chain(anchored::kinds());
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
        // All parts of the same few characters.
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
fn tokens_start_after_the_minus_of_a_diff() {
    for format in FORMATS {
        let token = token(format, |min, _| min);
        for before in ["-", "\n-", r"\n-", "+"] {
            finds(&format!("{before}{token}"), &[format.kind]);
        }
        finds(&format!("--{token}"), &[]);
    }
}

#[test]
fn secrets_with_a_fixed_text_are_found() {
    let mut random = Random(11);
    let mut text = |alphabet, length| random.text(alphabet, length);
    let storage = text(formats::ALPHANUMERIC, 86);
    let url = text(formats::ALPHANUMERIC, 24);
    let entra = text(formats::ALPHANUMERIC, 33);
    for (kind, secret) in [
        ("aws-bedrock-key", format!("ABSK{}=", text(formats::ALPHANUMERIC, 130))),
        ("azure-account-key", format!("DefaultEndpointsProtocol=https;AccountKey={storage}==")),
        ("azure-client-secret", format!("eN18Q~{entra}")),
        ("azure-client-secret", format!("e~.8Q~.{}~_", &entra[3..])),
        ("slack-token", format!("xoxd-{}%2B{}%3D", &storage[..9], &storage[9..])),
        ("slack-webhook", format!("https://hooks.slack.com/services/T024BE7LH/B02AC3PLQ/{url}")),
        ("slack-webhook", format!(r"hooks.slack.com\/services\/T024BE7LH\/B02AC3PLQ\/{url}")),
        ("terraform-token", format!("Zx81kPqVbN3mTy.atlasv1.{}", text(formats::ALPHANUMERIC, 67))),
    ] {
        finds(&secret, &[kind]);
        finds(&format!("-{secret}"), &[kind]);
        finds(&format!("KEY=\"{secret}\"\n"), &[kind]);
        finds(&secret[..secret.len() * 2 / 3], &[]);
    }
    // A Discord token begins with the number of the bot in base 64.
    let discord = ["MTk4NjIyNDgzNDcxOTI1", "MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4", "se7kKWs"].concat();
    finds(&discord, &["discord-token"]);
    finds(&discord.replace("NDgz", "adgz"), &[]);
    finds("MyLongNameOfAClassOfTests.method.andTheNameOfAMemberInItWithMore", &[]);
}

#[test]
fn passwords_of_basic_authentication_are_decoded() {
    // `ada:correct-horse`
    let encoded = ["YWRhOmNvcnJl", "Y3QtaG9yc2U"].concat();
    for text in [
        format!("Authorization: Basic {encoded}="),
        format!("Basic {encoded}"),
        format!(r#"-H \"authorization: Basic {encoded}=\""#),
    ] {
        finds(&text, &["basic-password"]);
    }
    finds(&format!("VisualBasic {encoded}="), &[]);
    for text in [
        // `user:password`
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
        "Authorization: Basic $CREDENTIALS",
        "Authorization: Basic <base64>",
        "Basic usage of commands with options",
        "Basic authentication",
    ] {
        finds(text, &[]);
    }
}

#[test]
fn bot_tokens_are_found_in_urls() {
    let token = ["110201543", ":AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw8"].concat();
    finds(&format!("https://api.telegram.org/bot{token}/getMe"), &["telegram-token"]);
    finds(&format!("-{token}"), &["telegram-token"]);
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
        "\u{1b}[m\u{1b}[K",
        "\u{1b}[01;31m\u{1b}[K",
        "\u{1b}[2J",
        "\u{1b}[?25h",
        r"\u001b[01;31m\u001b[K",
        r"\x1b[0K",
        r"\033[K",
        r"\e[2K",
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
    for before in
        ["a", "_", "9", "--", "a-", "\u{1b}[m-a-", "m", "0m", "K", "[K", "[2K", r"\x6e", "%3"]
    {
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
            format!("{first}\n{}\n{}\n{}\n", &line[..24], &line[24..48], &line[48..]),
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
            format!(
                "{first}: ThisIsTheNameOfAFunction calls AnotherFunctionWithALongName in \
                 AFileOfTheProject"
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
fn private_keys_are_found_in_several_strings() {
    let mut random = Random(5);
    let line = random.text(formats::WORD, 64).replace('_', "/");
    let other = random.text(formats::WORD, 64).replace('_', "+");
    let first = ["-----BEGIN EC ", "PRIVATE KEY-----"].concat();
    let is_found = |strings: &[&str]| {
        let mut key = SplitKey::default();
        strings.iter().filter(|text| key.next(text.as_bytes())).count()
    };
    assert_eq!(is_found(&[&first, &line, &other]), 1);
    assert_eq!(is_found(&[&format!("+{first}"), &format!("+{line}")]), 1);
    assert_eq!(is_found(&[&format!("-{first}"), &format!("-{line}")]), 1);
    assert_eq!(is_found(&[&format!(r"{first}\n"), "body", &format!(r"{line}\n{other}")]), 1);
    assert_eq!(is_found(&[&first, "Proc-Type: 4,ENCRYPTED", "", &line]), 1);
    assert_eq!(is_found(&[&first, &line[..32], &line[32..], &other]), 1);
    assert_eq!(is_found(&[&first, &line[..32]]), 0);
    assert_eq!(is_found(&[&format!("if it.contains(\"{first}\") {{"), &line]), 0);
    assert_eq!(is_found(&[&first, "a", "b", "c", "d", "e", "f", "g", "h", &line]), 0);
    assert_eq!(is_found(&[&first, &format!("the key {line}")]), 0);
    assert_eq!(is_found(&[&first, "src/components/of/the/project/with/a/long/path.rs"]), 0);
    assert_eq!(is_found(&[&first.replace("PRIVATE", "PUBLIC"), &line]), 0);
    assert!(has_key_header(first.as_bytes()) && !has_key_header(line.as_bytes()));
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
        r"https:\\/\\/ada:correct-horse@lovelace.dev",
        r"https:\\\\/\\\\/ada:correct-horse@lovelace.dev",
        "postgres://app:Winter2025pass@localhost/app",
        "postgres://app:MyApp2Secret@localhost/app",
        "postgres://app:Sommer-Token@localhost/app",
        "https://ada:c0rrect@horse@git.lovelace.dev/loom",
        "https://ada:c0rrect/horse@git.lovelace.dev/loom",
        "https://ada:c0rrect#horse@git.lovelace.dev/loom",
        r"https:\/\/ada:c0rrect\/horse@git.lovelace.dev\/loom",
        "redis://:p@ssw0rd/9@10.0.0.5:6379/0",
        "https://ada:Grün-Blau-Rot@git.lovelace.dev",
    ] {
        finds(text, &["url-password"]);
        let mut count = 0;
        search(text.as_bytes(), |_| count += 1);
        assert_eq!(count, 1, "{text}");
    }
}

#[test]
fn urls_without_passwords_are_not_found() {
    for text in [
        "https://lovelace.dev:8080/a@b",
        "https://ada@lovelace.dev/",
        "ssh://git@github.com:22/a/b",
        "https://user:pass@lovelace.dev",
        "https://user:pass@lovelace.dev/a1@b.dev",
        "http://localhost:8080/users/a1@lovelace.dev",
        "http://localhost:port/users/a1@lovelace.dev",
        "http://kettle:8080#a1@lovelace.dev",
        "file://C:/Users/ada1@lovelace.dev",
        "ssh://git:tools/loom2@v2",
        "https://lovelace.dev:org/loom2@v2.1",
        "https://lovelace.dev/@tools/loom:c0rrect@1.2.3",
        "https://kettle:8080を見てada@lovelace.dev",
        "https://ada:…@lovelace.dev",
        "https://ada:••••••••@lovelace.dev",
        "https://ada:YourPassword@lovelace.dev",
        "https://ada:db_password@lovelace.dev",
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

#[test]
fn repeated_prefixes_take_linear_time() {
    for format in FORMATS {
        for before in ["/", ".", "-", " ", ":", r"\n", "@", "+"] {
            let text = format!("{before}{}", format.prefix).repeat(1 << 10);
            finds(&text, &[]);
        }
    }
    for text in [
        "://a:b",
        "://a:b@",
        "a:b@c/",
        "-----BEGIN PRIVATE KEY-----",
        "eyJabcdefghijklmnop.",
        ":AA",
        "ABSK",
        "Q~",
        "AccountKey=",
        "Basic ",
        "xoxd-",
        ".atlasv1.",
        "hooks.slack.com/services/T024BE7LH/",
        "MTk4NjIyNDgzNDcxOTI1MjQ4.",
        "\u{1b}[1;",
    ] {
        finds(&text.repeat(1 << 12), &[]);
    }
}
