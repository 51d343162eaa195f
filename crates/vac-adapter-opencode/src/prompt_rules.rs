//! Recognizes texts that `OpenCode` and its plugins write in the user's name.
//!
//! The flags `synthetic` and `ignored` state that a part is the program's. These rules are for logs
//! that have lost the flags, and for plugins, which do not set them.
//!
//! Text from the template of a slash command counts as the user's: `OpenCode` logs it as a plain
//! text part and does not log the command. Only a `subtask` part names its `command`.

use vac_adapter::prompt::{PromptRule, block_author};
use vac_record::annotations::Author::{self, Hook, Program};

/// The note of the program before a command that the user ran with `!`.
pub(crate) const USER_COMMAND: &str = "The following tool was executed by the user";

/// The rules.
pub(crate) const RULES: &[PromptRule] = &[
    PromptRule::tag("system-reminder", Program, "0.5"),
    PromptRule::prefix("<task id=\"ses_", Program, "1.17"),
    PromptRule::prefix("<subagent sessionID=\"ses_", Program, "2.0"),
    PromptRule::prefix(USER_COMMAND, Program, "0.5"),
    PromptRule::prefix("Called the Read tool with the following input: {", Program, "0.3"),
    PromptRule::prefix("Reading MCP resource: ", Program, "1.0"),
    PromptRule::prefix(
        "Summarize the task tool output above and continue with your task.",
        Program,
        "1.0",
    ),
    PromptRule::prefix(
        "Use the above message and context to generate a prompt and call the task tool with subagent: ",
        Program,
        "0.5",
    ),
    PromptRule::prefix(
        "Continue if you have next steps, or stop and ask for clarification",
        Program,
        "1.1",
    ),
    PromptRule::prefix("The previous request exceeded the provider's size limit", Program, "1.2"),
    // Kilo.
    PromptRule::tag("environment_details", Program, "7.0"),
    // Plugins that prompt the model to continue.
    PromptRule::prefix("[SYSTEM DIRECTIVE: ", Hook, "1.1"),
    PromptRule::prefix("[SYSTEM REMINDER - ", Hook, "1.0"),
];

/// Texts at the end of the prompts of the plugin `oh-my-opencode`.
const PLUGIN_MARKS: &[&str] = &["<!-- OMO_INTERNAL_INITIATOR -->", "<!-- OMO_INTERNAL_NOREPLY -->"];

/// Returns the author of a text in the user's name.
pub(crate) fn text_author(text: &str) -> Author {
    let text = text.trim();
    if PLUGIN_MARKS.iter().any(|mark| text.ends_with(mark)) {
        return Hook;
    }
    block_author(text, RULES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_program_are_recognised() {
        for (text, author) in [
            (USER_COMMAND, Program),
            ("<system-reminder>\nPlan mode is active.\n</system-reminder>", Program),
            ("Continue if you have next steps, or stop and ask for clarification if", Program),
            ("[SYSTEM DIRECTIVE: OH-MY-OPENCODE - TODO CONTINUATION]\nGo on", Hook),
            ("<task id=\"ses_1\" state=\"completed\">\nDone\n</task>", Program),
            ("Go on with the list.\n<!-- OMO_INTERNAL_INITIATOR -->\n", Hook),
            ("<weather>rain</weather>", Author::Unknown),
            ("Continue if you can.", Author::User),
        ] {
            assert_eq!(text_author(text), author, "{text}");
        }
    }
}
