//! Determines the author of a message in the user's name.

use vac_adapter::prompt::block_author;
use vac_adapter::tools::canonical;
use vac_record::annotations::{Action, Author, Category, EntryAnnotations, Outcome};
use vac_value::{Kind, Node};

use crate::message_content::is_response;
use crate::prompt_rules::{CANNED_ANSWERS, CONTINUE, RULES, is_cut_context, user_command};

/// The facts about a message other than its content.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub(crate) struct Position {
    /// Whether the model's canned answer to a summary follows, so that the compressor wrote the
    /// message.
    pub is_summary: bool,
    /// Whether the session is a subagent's, so that the agent that started it wrote the prompts.
    pub is_subagent: bool,
    /// Whether the log has not stated the end of the turn.
    pub is_turn_open: bool,
}

/// Adds the author of a message in the user's name, according to its content.
pub(crate) fn annotate(
    content: Node<'_, '_>,
    shown: Option<Node<'_, '_>>,
    position: Position,
    annotations: &mut EntryAnnotations<'static>,
) {
    let author = if position.is_summary || shown.is_some_and(is_responses_alone) {
        Author::Program
    } else {
        author(content)
    };
    annotations.author = Some(match author {
        Author::User | Author::Unknown if position.is_subagent => Author::OtherAgent,
        author => author,
    });
    if annotations.author != Some(Author::User) {
        return;
    }
    let Some(text) = first_text(content).filter(|text| is_marked(*text)).and_then(Node::text)
    else {
        return;
    };
    let text = text.trim_start();
    if let Some((_, exit_code)) = user_command(text) {
        annotations.local_command = Some(true);
        annotations.action = Some(Action {
            tool: canonical::USER_COMMAND.into(),
            category: Category::Execute,
            server: None,
        });
        annotations.exit_code = exit_code;
        annotations.outcome =
            exit_code.map(|code| if code == 0 { Outcome::Success } else { Outcome::Error });
    } else if is_command(text) {
        annotations.local_command = Some(true);
    }
}

/// Returns the author of a content: the user if one of its texts is the user's.
fn author(content: Node<'_, '_>) -> Author {
    let mut others = None;
    let mut has_responses = false;
    for part in parts(content) {
        has_responses |= is_response(part);
        let Some(text) = part_text(part).and_then(Node::text) else { continue };
        match text.trim() {
            CONTINUE => others = others.or(Some(Author::Unknown)),
            text if is_cut_context(text) => others = others.or(Some(Author::Program)),
            text => match block_author(text, RULES) {
                Author::User => return Author::User,
                author => others = others.or(Some(author)),
            },
        }
    }
    // Responses and their parts, such as images, are not the user's.
    others.unwrap_or(if has_responses { Author::Program } else { Author::User })
}

/// Returns whether a content in the model's name is one of the CLI's canned answers.
pub(crate) fn is_canned_answer(content: Node<'_, '_>) -> bool {
    let mut texts = parts(content).map(part_text);
    let (first, second) = (texts.next().flatten(), texts.next());
    second.is_none()
        && first.is_some_and(|text| CANNED_ANSWERS.iter().any(|answer| text.is_text(answer)))
}

fn is_responses_alone(shown: Node<'_, '_>) -> bool {
    let mut parts = parts(shown).peekable();
    parts.peek().is_some() && parts.all(is_response)
}

fn parts<'d: 'a, 'a>(content: Node<'d, 'a>) -> impl Iterator<Item = Node<'d, 'a>> {
    let is_list = content.kind() == Kind::Array;
    let one = (!is_list).then_some(content);
    one.into_iter().chain(content.elements().filter(move |_| is_list))
}

/// Returns the text of a part, unless it is a thought, which has its own entry.
fn part_text<'d: 'a, 'a>(part: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    let text = match part.kind() {
        Kind::Text => Some(part),
        Kind::Map if part.member("thought").and_then(Node::bool) != Some(true) => {
            part.member("text")
        }
        _ => None,
    };
    text.filter(|text| text.kind() == Kind::Text)
}

/// Returns the first text of a content.
pub(crate) fn first_text<'d: 'a, 'a>(content: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    parts(content).find_map(part_text)
}

/// Returns whether a text may be a command or context. This check is fast: most texts are long and
/// begin otherwise.
pub(crate) fn is_marked(text: Node<'_, '_>) -> bool {
    let first = text.raw().get(1).copied();
    // `I` is the first letter of the text that the CLI writes after a command of the user.
    first.is_some_and(|byte| matches!(byte, b'<' | b'/' | b'?' | b'\\' | b' ' | b'I'))
}

/// Returns whether a text is a command for the CLI rather than a prompt for the model. A path or a
/// comment is not a command.
fn is_command(text: &str) -> bool {
    let is_name = |text: &str| {
        let name = text.split_whitespace().next().unwrap_or_default();
        !name.is_empty()
            && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | ':'))
            && text.starts_with(name)
    };
    text.trim_end() == "?" || text.strip_prefix('/').is_some_and(is_name)
}

/// Returns the annotations of a prompt that consists of a text only.
pub(crate) fn annotations(
    content: Option<Node<'_, '_>>,
    position: Position,
) -> EntryAnnotations<'static> {
    let mut annotations = EntryAnnotations::default();
    match content {
        Some(content) => annotate(content, None, position, &mut annotations),
        None => annotations.author = Some(Author::User),
    }
    annotations
}
