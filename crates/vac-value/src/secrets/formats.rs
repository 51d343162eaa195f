//! The formats of tokens, as documented by their issuers or known from their tokens.

/// A set of ASCII characters, one bit each.
#[derive(Clone, Copy)]
pub(super) struct Alphabet(u128);

impl Alphabet {
    pub const fn new(characters: &[u8]) -> Self {
        let mut set = 0;
        let mut at = 0;
        while at < characters.len() {
            set |= 1 << characters[at];
            at += 1;
        }
        Self(set)
    }

    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn contains(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }

    /// Returns the number of characters in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }
}

const DIGITS: Alphabet = Alphabet::new(b"0123456789");
pub(super) const HEX: Alphabet = DIGITS.and(Alphabet::new(b"abcdef"));
const UPPER: Alphabet = Alphabet::new(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ");
const LOWER: Alphabet = Alphabet::new(b"abcdefghijklmnopqrstuvwxyz");
pub(super) const UPPER_DIGITS: Alphabet = UPPER.and(DIGITS);
const LOWER_DIGITS: Alphabet = LOWER.and(DIGITS);
pub(super) const ALPHANUMERIC: Alphabet = UPPER.and(LOWER_DIGITS);
const ALPHANUMERIC_DASH: Alphabet = ALPHANUMERIC.and(Alphabet::new(b"-"));
/// Base 64 with the URL-safe alphabet of RFC 4648.
pub(super) const BASE64URL: Alphabet = ALPHANUMERIC_DASH.and(Alphabet::new(b"_"));
/// Base 64 with the alphabet of RFC 4648 that is not for URLs, and padding.
pub(super) const STANDARD_BASE64: Alphabet = ALPHANUMERIC.and(Alphabet::new(b"+/="));
/// Base 64 with either alphabet.
pub(super) const BASE64: Alphabet = BASE64URL.and(Alphabet::new(b"+/="));
/// The characters of words. A token does not end before one of them.
pub(super) const WORD: Alphabet = ALPHANUMERIC.and(Alphabet::new(b"_"));

/// A part of a token after its prefix.
pub(super) enum Part {
    /// A run of characters of an alphabet: the minimum and the maximum number.
    Run(Alphabet, usize, usize),
    /// A fixed text.
    Text(&'static str),
}

/// A format of tokens.
pub(super) struct Format {
    pub kind: &'static str,
    pub prefix: &'static str,
    pub parts: &'static [Part],
}

use Part::{Run, Text};

const fn format(kind: &'static str, prefix: &'static str, parts: &'static [Part]) -> Format {
    Format { kind, prefix, parts }
}

/// The kind of a long-term API key of Amazon Bedrock.
pub(super) const AWS_BEDROCK: &str = "aws-bedrock-key";
/// The kind of a client secret of Entra ID.
pub(super) const AZURE_SECRET: &str = "azure-client-secret";
/// The kind of a key of an Azure account, in a connection string.
pub(super) const AZURE_STORAGE: &str = "azure-account-key";
/// The kind of a user and password in a header `Authorization: Basic`.
pub(super) const BASIC: &str = "basic-password";
/// The kind of a bot's token of Discord, which begins with the bot's number in base 64.
pub(super) const DISCORD: &str = "discord-token";
/// The kind of a private key.
pub(super) const PRIVATE_KEY: &str = "private-key";
/// The kind of tokens and cookies of Slack.
pub(super) const SLACK_TOKEN: &str = "slack-token";
/// The kind of the URL of an incoming webhook of Slack.
pub(super) const SLACK_WEBHOOK: &str = "slack-webhook";
/// The kind of a token of HCP Terraform.
pub(super) const TERRAFORM: &str = "terraform-token";
/// The kind of a bot's token of Telegram, which begins with the bot's number.
pub(super) const TELEGRAM: &str = "telegram-token";
/// The kind of a password in a URL.
pub(super) const URL_PASSWORD: &str = "url-password";

/// The part of a Telegram bot token after the number of the bot and a colon.
pub(super) const TELEGRAM_PARTS: &[Part] = &[Text("AA"), Run(BASE64URL, 33, 33)];

/// A Discord bot token: the number of the bot, a time and a signature.
pub(super) const DISCORD_PARTS: &[Part] = &[
    Run(ALPHANUMERIC, 24, 26),
    Text("."),
    Run(BASE64URL, 6, 6),
    Text("."),
    Run(BASE64URL, 27, 38),
];

const GITHUB: &[Part] = &[Run(ALPHANUMERIC, 36, 251)];
const GITLAB: &[Part] = &[Run(BASE64URL, 20, 20)];
/// A token of GitLab that states where it is stored.
const GITLAB_ROUTABLE: &[Part] = &[Run(BASE64URL, 27, 256), Text("."), Run(LOWER_DIGITS, 9, 9)];
const LANGSMITH: &[Part] = &[Run(HEX, 32, 32), Text("_"), Run(HEX, 10, 10)];
const SLACK: &[Part] = &[Run(ALPHANUMERIC_DASH, 24, 256)];
const AWS: &[Part] = &[Run(UPPER_DIGITS, 16, 16)];
const OPENAI: &[Part] = &[Run(BASE64URL, 40, 256)];
const STRIPE: &[Part] = &[Run(ALPHANUMERIC, 24, 247)];
const TAILSCALE: &[Part] = &[Run(ALPHANUMERIC, 11, 24), Text("-"), Run(ALPHANUMERIC, 24, 64)];
const TAVILY: &[Part] = &[Run(ALPHANUMERIC, 32, 32)];
const TAVILY_PARTS: &[Part] = &[Run(ALPHANUMERIC, 5, 8), Text("-"), Run(ALPHANUMERIC, 40, 56)];
const HEX32: &[Part] = &[Run(HEX, 32, 32)];
const HEX40: &[Part] = &[Run(HEX, 40, 40)];
const HEX64: &[Part] = &[Run(HEX, 64, 64)];

/// Formats that are a prefix and what follows it.
///
/// The search finds a token by its first long word, so each has one of at least
/// [`MIN_WORD`](super::search::MIN_WORD) characters of [`BASE64URL`], either with the prefix or
/// right after it.
pub(super) const FORMATS: &[Format] = &[
    format("age-secret-key", "AGE-SECRET-KEY-1", &[Run(UPPER_DIGITS, 58, 58)]),
    format(
        "anthropic-token",
        "sk-ant-",
        &[Run(LOWER_DIGITS, 4, 8), Text("-"), Run(BASE64URL, 80, 256)],
    ),
    format("atlassian-token", "ATATT3", &[Run(BASE64URL, 150, 256)]),
    format("aws-access-key-id", "AKIA", AWS),
    format("aws-access-key-id", "ASIA", AWS),
    format("crates-io-token", "cio", &[Run(ALPHANUMERIC, 32, 32)]),
    format("cursor-key", "crsr_", &[Run(ALPHANUMERIC, 64, 64)]),
    format("databricks-token", "dapi", HEX32),
    format("deepseek-token", "sk-", HEX32),
    format("digitalocean-token", "dop_v1_", HEX64),
    format("digitalocean-token", "doo_v1_", HEX64),
    format("digitalocean-token", "dor_v1_", HEX64),
    format("docker-token", "dckr_pat_", &[Run(BASE64URL, 27, 27)]),
    format("docker-token", "dckr_oat_", &[Run(BASE64URL, 32, 32)]),
    format("doppler-token", "dp.pt.", &[Run(ALPHANUMERIC, 40, 44)]),
    format("figma-token", "figd_", &[Run(BASE64URL, 40, 80)]),
    format("github-token", "ghp_", GITHUB),
    format("github-token", "gho_", GITHUB),
    format("github-token", "ghu_", GITHUB),
    format("github-token", "ghs_", GITHUB),
    format("github-token", "ghr_", GITHUB),
    format(
        "github-token",
        "github_pat_",
        &[Run(ALPHANUMERIC, 22, 22), Text("_"), Run(ALPHANUMERIC, 59, 59)],
    ),
    format("gitlab-token", "glpat-", GITLAB),
    format("gitlab-token", "glpat-", GITLAB_ROUTABLE),
    format("gitlab-token", "glcbt-", &[Run(ALPHANUMERIC, 1, 5), Text("_"), Run(BASE64URL, 20, 20)]),
    format("gitlab-token", "gldt-", GITLAB),
    format("gitlab-token", "glffct-", GITLAB),
    format("gitlab-token", "glft-", GITLAB),
    format("gitlab-token", "glimt-", &[Run(BASE64URL, 25, 25)]),
    format("gitlab-token", "glrt-", GITLAB),
    // Of a runner of an instance, a group and a project.
    format("gitlab-token", "glrt-t1_", GITLAB),
    format("gitlab-token", "glrt-t2_", GITLAB),
    format("gitlab-token", "glrt-t3_", GITLAB),
    format("gitlab-token", "glrt-t1_", GITLAB_ROUTABLE),
    format("gitlab-token", "glrt-t2_", GITLAB_ROUTABLE),
    format("gitlab-token", "glrt-t3_", GITLAB_ROUTABLE),
    format("gitlab-token", "glsoat-", GITLAB),
    format("gitlab-token", "gloas-", HEX64),
    format("gitlab-token", "glptt-", HEX40),
    format("google-api-key", "AIza", &[Run(BASE64URL, 35, 35)]),
    format("google-api-key", "AQ.", &[Text("Ab"), Run(BASE64URL, 38, 62)]),
    format("google-oauth-secret", "GOCSPX-", &[Run(BASE64URL, 28, 28)]),
    format("google-oauth-token", "ya29.", &[Run(BASE64URL, 40, 2048)]),
    format("google-oauth-token", "ya29.c.", &[Run(BASE64URL, 40, 2048)]),
    format("grafana-token", "glsa_", &[Run(ALPHANUMERIC, 32, 32), Text("_"), Run(HEX, 8, 8)]),
    format("groq-token", "gsk_", &[Run(ALPHANUMERIC, 52, 52)]),
    format("huggingface-token", "hf_", &[Run(ALPHANUMERIC, 34, 34)]),
    format(
        "jwt",
        "eyJ",
        &[
            Run(BASE64URL, 17, 4096),
            Text(".eyJ"),
            Run(BASE64URL, 8, 16384),
            Text("."),
            Run(BASE64URL, 42, 1024),
        ],
    ),
    format("langsmith-key", "lsv2_pt_", LANGSMITH),
    format("langsmith-key", "lsv2_sk_", LANGSMITH),
    format("linear-token", "lin_api_", &[Run(ALPHANUMERIC, 40, 40)]),
    format("netlify-token", "nfp_", &[Run(ALPHANUMERIC, 36, 40)]),
    format("new-relic-key", "NRAK-", &[Run(UPPER_DIGITS, 27, 27)]),
    format("notion-token", "ntn_", &[Run(ALPHANUMERIC, 46, 46)]),
    format("npm-token", "npm_", &[Run(ALPHANUMERIC, 36, 36)]),
    format("openai-token", "sk-proj-", OPENAI),
    format("openai-token", "sk-svcacct-", OPENAI),
    format("openai-token", "sk-admin-", OPENAI),
    format("openai-token", "sk-", &[Run(ALPHANUMERIC, 48, 48)]),
    format("openrouter-token", "sk-or-v1-", HEX64),
    format("perplexity-token", "pplx-", &[Run(ALPHANUMERIC, 48, 48)]),
    format(
        "pinecone-key",
        "pcsk_",
        &[Run(ALPHANUMERIC, 5, 6), Text("_"), Run(ALPHANUMERIC, 63, 64)],
    ),
    format("planetscale-token", "pscale_tkn_", &[Run(BASE64URL, 32, 64)]),
    format("planetscale-token", "pscale_pw_", &[Run(BASE64URL, 32, 64)]),
    format("postman-key", "PMAK-", &[Run(HEX, 24, 24), Text("-"), Run(HEX, 34, 34)]),
    format("pulumi-token", "pul-", HEX40),
    format("pypi-token", "pypi-AgE", &[Run(BASE64URL, 64, 1024)]),
    format("replicate-token", "r8_", &[Run(ALPHANUMERIC, 37, 37)]),
    format("rubygems-token", "rubygems_", &[Run(HEX, 48, 48)]),
    format("sendgrid-key", "SG.", &[Run(BASE64URL, 22, 22), Text("."), Run(BASE64URL, 43, 43)]),
    format("sentry-token", "sntryu_", HEX64),
    format("sentry-token", "sntrys_eyJ", &[Run(WORD, 64, 512)]),
    format("shopify-token", "shpat_", HEX32),
    format("shopify-token", "shpca_", HEX32),
    format("shopify-token", "shppa_", HEX32),
    format("shopify-token", "shpss_", HEX32),
    format(SLACK_TOKEN, "xoxa-", SLACK),
    format(SLACK_TOKEN, "xoxb-", SLACK),
    format(SLACK_TOKEN, "xoxc-", SLACK),
    format(SLACK_TOKEN, "xoxe-", SLACK),
    format(SLACK_TOKEN, "xoxp-", SLACK),
    format(SLACK_TOKEN, "xoxr-", SLACK),
    format(SLACK_TOKEN, "xoxs-", SLACK),
    format(SLACK_TOKEN, "xapp-", SLACK),
    format("stripe-key", "sk_live_", STRIPE),
    format("stripe-key", "rk_live_", STRIPE),
    format("stripe-key", "whsec_", &[Run(ALPHANUMERIC, 32, 64)]),
    format("supabase-token", "sbp_", HEX40),
    // 22 characters, an underscore and 8 characters, of which any may be an underscore, too.
    format("supabase-token", "sb_secret_", &[Run(BASE64URL, 31, 31)]),
    format("tailscale-key", "tskey-api-", TAILSCALE),
    format("tailscale-key", "tskey-auth-", TAILSCALE),
    format("tailscale-key", "tskey-client-", TAILSCALE),
    format("tailscale-key", "tskey-scim-", TAILSCALE),
    format("tailscale-key", "tskey-webhook-", TAILSCALE),
    format("tavily-key", "tvly-", TAVILY),
    format("tavily-key", "tvly-dev-", TAVILY),
    format("tavily-key", "tvly-dev-", TAVILY_PARTS),
    format("tavily-key", "tvly-prod-", TAVILY),
    format("tavily-key", "tvly-prod-", TAVILY_PARTS),
    // A root token.
    format("vault-token", "hvs.", &[Run(ALPHANUMERIC, 24, 24)]),
    format("vault-token", "hvs.", &[Run(BASE64URL, 90, 256)]),
    format("vault-token", "hvb.", &[Run(BASE64URL, 130, 512)]),
    format("xai-token", "xai-", &[Run(ALPHANUMERIC, 80, 80)]),
];

/// All kinds, in alphabetical order.
pub(super) const KINDS: &[&str] = &[
    "age-secret-key",
    "anthropic-token",
    "atlassian-token",
    "aws-access-key-id",
    AWS_BEDROCK,
    AZURE_STORAGE,
    AZURE_SECRET,
    BASIC,
    "crates-io-token",
    "cursor-key",
    "databricks-token",
    "deepseek-token",
    "digitalocean-token",
    DISCORD,
    "docker-token",
    "doppler-token",
    "figma-token",
    "github-token",
    "gitlab-token",
    "google-api-key",
    "google-oauth-secret",
    "google-oauth-token",
    "grafana-token",
    "groq-token",
    "huggingface-token",
    "jwt",
    "langsmith-key",
    "linear-token",
    "netlify-token",
    "new-relic-key",
    "notion-token",
    "npm-token",
    "openai-token",
    "openrouter-token",
    "perplexity-token",
    "pinecone-key",
    "planetscale-token",
    "postman-key",
    PRIVATE_KEY,
    "pulumi-token",
    "pypi-token",
    "replicate-token",
    "rubygems-token",
    "sendgrid-key",
    "sentry-token",
    "shopify-token",
    SLACK_TOKEN,
    SLACK_WEBHOOK,
    "stripe-key",
    "supabase-token",
    "tailscale-key",
    "tavily-key",
    TELEGRAM,
    TERRAFORM,
    URL_PASSWORD,
    "vault-token",
    "xai-token",
];
