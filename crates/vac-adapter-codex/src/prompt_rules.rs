//! Finds the author of a message in the user's name.
//!
//! | by | author |
//! |---|---|
//! | `internal_chat_message_metadata_passthrough.content_item_kinds` (since 0.148): one of them begins with `user.` | the user |
//! | the same: all others | hooks' for `hooks.`, else by [`RULES`], else the program |
//! | the session's `source.subagent` | another agent, where it would be the user |
//! | the session's `source.internal` | the program, where it would be the user |
//! | an image without words | the user |
//! | no event repeats the message, in a session in which events repeat messages of the user | unknown, where it would be the user |
//! | anything else | by [`RULES`] |

use vac_adapter::prompt::{PromptRule, Typed, between, block_author, inside_element};
use vac_record::annotations::Author;
use vac_value::{Kind, Node, Text};

/// The element that contains a command which the user ran with `!`.
const USER_COMMAND: &str = "user_shell_command";
/// The element by which the CLI informs the model that the user stopped it.
const TURN_ABORTED: &str = "turn_aborted";

/// Texts that the CLI writes in the user's name.
pub(crate) const RULES: &[PromptRule] = &[
    PromptRule::tag("user_shell_command", Author::User, "0.63"),
    PromptRule::tag("environment_context", Author::Program, "0.32"),
    PromptRule::tag("user_instructions", Author::Program, "0.32"),
    PromptRule::tag("permissions instructions", Author::Program, "0.98"),
    PromptRule::tag("turn_aborted", Author::Program, "0.58"),
    PromptRule::tag("collaboration_mode", Author::Program, "0.98"),
    PromptRule::tag("multi_agent_mode", Author::Program, "0.145"),
    PromptRule::tag("personality_spec", Author::Program, "0.98"),
    PromptRule::tag("model_switch", Author::Program, "0.98"),
    PromptRule::tag("apps_instructions", Author::Program, "0.139"),
    PromptRule::tag("plugins_instructions", Author::Program, "0.145"),
    PromptRule::tag("recommended_plugins", Author::Program, "0.144"),
    PromptRule::tag("skills_instructions", Author::Program, "0.98"),
    PromptRule::tag("skill", Author::Program, "0.98"),
    PromptRule::tag("plugins", Author::Program, "0.115"),
    PromptRule::tag("subagents", Author::Program, "0.115"),
    PromptRule::tag("goal_context", Author::Program, "0.129"),
    PromptRule::tag("codex_internal_context", Author::Program, "0.145"),
    PromptRule::tag("realtime_conversation", Author::Program, "0.115"),
    PromptRule::tag("token_budget", Author::Program, "0.145"),
    PromptRule::tag("context_window", Author::Program, "0.145"),
    PromptRule::tag("context_window_guidance", Author::Program, "0.145"),
    PromptRule::tag("rollout_budget", Author::Program, "0.145"),
    PromptRule::tag("app-context", Author::Program, "0.104"),
    PromptRule::tag("user_action", Author::Program, "0.42"),
    PromptRule::tag("INSTRUCTIONS", Author::Program, "0.144"),
    PromptRule::tag("subagent_notification", Author::OtherAgent, "0.118"),
    PromptRule::tag("hook_prompt", Author::Hook, "0.116"),
    PromptRule::tag("image", Author::Program, "0.98"),
    // From 0.144 on without "for <path>".
    PromptRule::prefix("# AGENTS.md instructions", Author::Program, "0.39"),
    PromptRule::prefix("<image name=", Author::Program, "0.98"),
    PromptRule::prefix("</image>", Author::Program, "0.98"),
    PromptRule::prefix("<external_", Author::Unknown, "0.145"),
    PromptRule::prefix(
        "Warning: The maximum number of unified exec processes you can keep open is",
        Author::Program,
        "0.98",
    ),
    PromptRule::prefix("Warning: apply_patch was requested via ", Author::Program, "0.98"),
    PromptRule::prefix(
        "Warning: Your account was flagged for potentially high-risk cyber activity",
        Author::Program,
        "0.98",
    ),
    // The prompt that starts the review of a session, and its result.
    PromptRule::prefix("User initiated a review task.", Author::Program, "0.42"),
];

/// Heads of the context that the IDE and the desktop app add before the user's words.
const CONTEXT_HEADS: &[&str] = &[
    "# Context from my IDE setup:",
    "# Files mentioned by the user:",
    "## Referenced chats with Codex:",
];
/// The heads of the user's words after that context.
const REQUESTS: &[&str] = &["## My request for Codex:", "## My request:"];

/// The prompter: who starts the turns of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prompter {
    /// The user.
    #[default]
    User,
    /// The session that started this one.
    OtherAgent,
    /// The CLI itself.
    Program,
}

/// The author of a message in the user's name, and other facts that its text states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// The author.
    pub author: Author,
    /// The command that the user ran with it, if it is one.
    pub command: Option<UserCommand>,
    /// Whether it states that the user stopped the model.
    pub is_interruption: bool,
}

/// A command that the user ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UserCommand {
    /// The exit code of the command, if the message states it.
    pub exit_code: Option<i128>,
}

impl Prompt {
    /// Reads the content of a message: text, or a list of blocks.
    pub fn new(content: Option<Node<'_, '_>>, prompter: Prompter) -> Self {
        let mut found = Self { author: Author::User, command: None, is_interruption: false };
        let Some(content) = content else { return found.prompted_by(prompter) };
        let mut others = None;
        let mut has_own = false;
        let mut block = |block: Node<'_, '_>| match text(block) {
            Some(text) => {
                let text = text.trim();
                found.is_interruption |= inside_element(text, TURN_ABORTED).is_some();
                if let Some(inside) = inside_element(text, USER_COMMAND) {
                    found.command = Some(UserCommand { exit_code: exit_code(inside) });
                }
                match block_author(text, RULES) {
                    Author::User => has_own = true,
                    author => others = others.or(Some(author)),
                }
            }
            // An image, a sound.
            None => has_own |= block.kind() == Kind::Map,
        };
        match content.kind() {
            Kind::Array => content.elements().for_each(block),
            _ => block(content),
        }
        if !has_own && let Some(others) = others {
            found.author = others;
        }
        found.prompted_by(prompter)
    }

    /// Reads the content of a message whose metadata may state the kinds of its blocks. A hidden
    /// message was not displayed as a prompt.
    pub fn from_item(
        content: Option<Node<'_, '_>>,
        metadata: Option<Node<'_, '_>>,
        prompter: Prompter,
        is_hidden: bool,
    ) -> Self {
        let prompt = Self::new(content, prompter);
        let kinds = metadata.and_then(|metadata| metadata.member("content_item_kinds"));
        let kinds = || kinds.into_iter().flat_map(Node::elements).filter_map(Node::text);
        let author = if kinds().any(|kind| kind.starts_with("user.")) {
            prompter.author()
        } else if kinds().next().is_none() {
            let is_users = prompt.author == Author::User && prompt.command.is_none();
            if !is_hidden || !is_users {
                return prompt;
            }
            Author::Unknown
        } else if kinds().all(|kind| kind.starts_with("hooks.")) {
            Author::Hook
        } else if prompt.author == prompter.author() && prompt.command.is_none() {
            Author::Program
        } else {
            return prompt;
        };
        Self { author, ..prompt }
    }

    fn prompted_by(self, prompter: Prompter) -> Self {
        match self.author {
            Author::User if self.command.is_none() => Self { author: prompter.author(), ..self },
            _ => self,
        }
    }
}

impl Prompter {
    fn author(self) -> Author {
        match self {
            Self::User => Author::User,
            Self::OtherAgent => Author::OtherAgent,
            Self::Program => Author::Program,
        }
    }
}

fn text<'a>(block: Node<'a, '_>) -> Option<Text<'a>> {
    match block.kind() {
        Kind::Map => block.member("text")?.text(),
        _ => block.text(),
    }
}

/// Returns the exit code in the result of a command that the user ran.
fn exit_code(command: &str) -> Option<i128> {
    let (_, result) = command.split_once("<result>")?;
    let code = result.trim_start().strip_prefix("Exit code: ")?;
    code.lines().next()?.trim().parse().ok()
}

/// Returns the text that the user typed, without the text that the CLI, the IDE or the app put
/// around it.
pub(crate) fn typed(text: &str) -> Option<Typed> {
    let text = text.trim();
    if let Some(inside) = inside_element(text, USER_COMMAND) {
        let (_, command, _) = between(inside, "<command>", "</command>")?;
        return Some(Typed { text: format!("!{}", command.trim()), left_out: "output" });
    }
    let own = without_context(text);
    let is_context = CONTEXT_HEADS.iter().any(|head| own.starts_with(head));
    let request = REQUESTS
        .iter()
        .filter(|mark| is_context || (own.starts_with("# ") && **mark == REQUESTS[0]))
        .find_map(|mark| own.split_once(mark));
    let own = request.map_or(own, |(_, own)| own.trim());
    (own.len() < text.len()).then(|| Typed { text: own.to_owned(), left_out: "context" })
}

/// Removes elements of the CLI from the beginning of a text that continues after them.
fn without_context(text: &str) -> &str {
    let mut rest = text;
    while let Some(name) = rest.strip_prefix('<').and_then(|inside| inside.split('>').next()) {
        let end = format!("</{name}>");
        match rest.split_once(&end) {
            Some((element, after))
                if !after.trim().is_empty()
                    && block_author(&format!("{element}{end}"), RULES) == Author::Program =>
            {
                rest = after.trim_start();
            }
            _ => break,
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    fn author(content: &str, prompter: Prompter) -> Author {
        Prompt::new(Some(Document::json(content.as_bytes()).expect("JSON").root()), prompter).author
    }

    #[test]
    fn text_decides_where_nothing_else_does() {
        for (text, expected) in [
            ("Fix the kiln", Author::User),
            ("Why does <environment_context> say so?", Author::User),
            ("<environment_context>\\n<cwd>/w</cwd>\\n</environment_context>", Author::Program),
            ("<recommended_plugins>\\nNone\\n</recommended_plugins>", Author::Program),
            (
                "# AGENTS.md instructions for /w\\n\\n<INSTRUCTIONS>\\nx\\n</INSTRUCTIONS>",
                Author::Program,
            ),
            ("# AGENTS.md instructions\\n\\n<INSTRUCTIONS>\\nx\\n</INSTRUCTIONS>", Author::Program),
            ("<hook_prompt hook_run_id=\\\"stop:0\\\">Go on</hook_prompt>", Author::Hook),
            ("<subagent_notification>{}</subagent_notification>", Author::OtherAgent),
            ("<brand_new_context>x</brand_new_context>", Author::Unknown),
            ("<external_notes>x</external_notes>", Author::Unknown),
        ] {
            let content = format!(r#"[{{"type": "input_text", "text": "{text}"}}]"#);
            assert_eq!(author(&content, Prompter::User), expected, "{text}");
            let expected = if expected == Author::User { Author::OtherAgent } else { expected };
            assert_eq!(author(&content, Prompter::OtherAgent), expected, "{text}");
        }
    }

    #[test]
    fn image_without_words_is_the_users() {
        let mark = r#"{"type": "input_text", "text": "<image name=[Image #1]>"}"#;
        let end = r#"{"type": "input_text", "text": "</image>"}"#;
        let image = r#"{"type": "input_image", "image_url": "data:"}"#;
        assert_eq!(author(&format!("[{mark}, {image}, {end}]"), Prompter::User), Author::User);
        assert_eq!(author(&format!("[{mark}, {end}]"), Prompter::User), Author::Program);
    }

    #[test]
    fn kinds_of_blocks_decide_before_the_text() {
        for (kinds, text, expected) in [
            (r#"["user.text"]"#, "<note>mine</note>", Author::User),
            (r#"["agents_md.instructions"]"#, "Be brief", Author::Program),
            (r#"["hooks.additional_context"]"#, "Be brief", Author::Hook),
            ("[]", "Be brief", Author::Unknown),
        ] {
            let content = format!(r#"[{{"type": "input_text", "text": "{text}"}}]"#);
            let content = Document::json(content.as_bytes()).expect("JSON");
            let metadata = format!(r#"{{"content_item_kinds": {kinds}}}"#);
            let metadata = Document::json(metadata.as_bytes()).expect("JSON");
            let (content, metadata) = (Some(content.root()), Some(metadata.root()));
            let prompt = Prompt::from_item(content, metadata, Prompter::User, true);
            assert_eq!(prompt.author, expected, "{kinds}");
        }
    }

    #[test]
    fn commands_that_the_user_ran_are_the_users_in_every_session() {
        let text = r#""<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 2\nDuration: 0.1 seconds\nOutput:\nno\n</result>\n</user_shell_command>""#;
        let document = Document::json(text.as_bytes()).expect("JSON");
        let found = Prompt::new(Some(document.root()), Prompter::OtherAgent);
        let command = Some(UserCommand { exit_code: Some(2) });
        assert_eq!((found.author, found.command), (Author::User, command));
    }

    #[test]
    fn typed_text_is_without_context() {
        let command = "<user_shell_command>\n<command>\nls -l\n</command>\n<result>\nExit code: 0\n</result>\n</user_shell_command>";
        for (text, expected) in [
            ("Fix it", None),
            ("See ## My request for Codex: there", None),
            ("# Browser comments:\n\nx\n\n## My request for Codex:\nFix it\n", Some("Fix it")),
            ("# Notes\n\n## My request:\nFix it", None),
            ("# Context from my IDE setup:\n\n## My request for Codex:\nFix it\n", Some("Fix it")),
            (
                "# Files mentioned by the user:\n\n## a: /a\n\n## My request:\nFix it",
                Some("Fix it"),
            ),
            ("<environment_context>x</environment_context>\nFix it", Some("Fix it")),
            ("<b>Fix</b> it", None),
            (command, Some("!ls -l")),
        ] {
            assert_eq!(typed(text).map(|typed| typed.text).as_deref(), expected, "{text}");
        }
    }
}
