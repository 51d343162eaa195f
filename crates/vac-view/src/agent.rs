//! Whose session it is.

/// An agent whose habits are known here, or any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// `OpenCode`.
    OpenCode,
    /// Cursor.
    Cursor,
    /// Any other.
    Other,
}

impl Agent {
    /// Of an adapter's name.
    pub fn of_name(name: &str) -> Self {
        match name {
            "claude" => Self::Claude,
            "codex" => Self::Codex,
            "gemini" => Self::Gemini,
            "opencode" => Self::OpenCode,
            "cursor" => Self::Cursor,
            _ => Self::Other,
        }
    }

    /// Of the `cli-name` of a record.
    pub fn of_cli_name(name: &str) -> Self {
        match name {
            "claude-code" => Self::Claude,
            "codex-cli" => Self::Codex,
            "gemini-cli" => Self::Gemini,
            "opencode" => Self::OpenCode,
            "cursor" => Self::Cursor,
            _ => Self::Other,
        }
    }

    /// The adapter's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Cursor => "cursor",
            Self::Other => "other",
        }
    }
}
