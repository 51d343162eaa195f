//! Determines the provider of a model by its name.

/// Beginnings of model names.
const PREFIXES: &[(&str, &str)] = &[
    ("claude", "anthropic"),
    ("gemini", "google"),
    ("gemma", "google"),
    ("gpt", "openai"),
    ("chatgpt", "openai"),
    ("codex", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("grok", "xai"),
    ("mistral", "mistral"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("magistral", "mistral"),
    ("deepseek", "deepseek"),
    ("qwen", "alibaba"),
    ("kimi", "moonshotai"),
    ("glm", "zhipuai"),
    ("minimax", "minimax"),
    ("llama", "meta"),
    ("composer", "cursor"),
];

/// The name of a model or provider that is unknown.
pub const UNKNOWN: &str = "unknown";

/// Returns the provider of a model. It is determined by the beginning of the model's name, after
/// the route that gateways add (`vendor/`, `region.vendor.`).
///
/// ```
/// use vac_adapter::provider::provider;
///
/// assert_eq!(provider("claude-opus-5"), "anthropic");
/// assert_eq!(provider("eu.anthropic.claude-sonnet-4-v1:0"), "anthropic");
/// assert_eq!(provider("openrouter/google/gemini-3-pro"), "google");
/// assert_eq!(provider("house-model"), "unknown");
/// ```
pub fn provider(model: &str) -> &'static str {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let of = |name: &str| {
        PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, found)| *found)
    };
    of(&name).or_else(|| name.split('.').find_map(of)).unwrap_or(UNKNOWN)
}
