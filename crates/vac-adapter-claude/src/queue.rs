//! Prompts that were put into the queue while the agent worked: which of them does
//! nothing behind them tell?
//!
//! A prompt leaves the queue as a `user` line, or as an attachment, or (before
//! attachments were logged) without a trace; or the user takes it back (`popAll`).

use std::collections::VecDeque;

use vac_value::{Kind, Node};

/// So many prompts are waited for; of more the oldest is taken for untold.
const MOST_WAITING: usize = 64;

/// What the agent tells itself through the queue.
const NOT_A_PROMPT: &str = "<task-notification>";

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: VecDeque<Prompt>,
    untold: Vec<usize>,
}

/// A prompt that nothing has told yet.
#[derive(Debug)]
struct Prompt {
    text: String,
    /// The line that put it into the queue.
    line: usize,
    /// Whether it has left the queue.
    has_left: bool,
}

impl Queue {
    /// A `queue-operation` line.
    pub fn operation(
        &mut self,
        operation: Node<'_, '_>,
        content: Option<Node<'_, '_>>,
        line: usize,
    ) {
        let content = content.and_then(Node::text);
        match operation.text().as_deref() {
            Some("enqueue") => self.enqueue(content.unwrap_or_default().into_owned(), line),
            Some("dequeue" | "remove") => {
                let is_it = |prompt: &&mut Prompt| {
                    !prompt.has_left && content.as_ref().is_none_or(|text| *text == prompt.text)
                };
                if let Some(prompt) = self.waiting.iter_mut().find(is_it) {
                    prompt.has_left = true;
                }
            }
            Some("popAll") => self.waiting.retain(|prompt| prompt.has_left),
            _ => {}
        }
    }

    fn enqueue(&mut self, text: String, line: usize) {
        if text.trim().is_empty() || text.starts_with(NOT_A_PROMPT) {
            return;
        }
        self.waiting.push_back(Prompt { text, line, has_left: false });
        if self.waiting.len() > MOST_WAITING {
            self.untold.extend(self.waiting.pop_front().map(|prompt| prompt.line));
        }
    }

    /// A message of the user.
    pub fn told(&mut self, content: Node<'_, '_>) {
        if self.waiting.is_empty() {
            return;
        }
        let blocks = content.elements().filter_map(|block| match block.kind() {
            Kind::Map => block.member("text"),
            _ => Some(block),
        });
        for text in blocks.chain([content]).filter_map(Node::text) {
            self.waiting.retain(|prompt| !tells(&text, &prompt.text));
        }
    }

    /// The lines whose prompts nothing tells, once all lines were seen.
    pub fn untold(self) -> impl Iterator<Item = usize> {
        self.untold.into_iter().chain(self.waiting.into_iter().map(|prompt| prompt.line))
    }
}

/// Whether a text has the prompt as some of its lines (prompts that waited together
/// become one message), or as what an element of it says (`<bash-input>`), or the
/// prompt's command (`<command-name>`).
fn tells(text: &str, prompt: &str) -> bool {
    let wanted = match prompt.strip_prefix('/') {
        Some(_) if text.contains("<command-name>") => {
            prompt.split_whitespace().next().unwrap_or(prompt)
        }
        _ => prompt.trim(),
    };
    text.match_indices(wanted).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + wanted.len()..]);
        (before.is_empty() || before.ends_with(['\n', '>']))
            && (behind.is_empty() || behind.starts_with(['\n', '<']))
    })
}
