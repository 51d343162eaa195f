//! Finds prompts that were put into the queue while the agent worked.
//!
//! A prompt leaves the queue as a `user` line, as an attachment, or (before attachments were
//! logged) without a line, or the user withdraws it (`popAll`). This module finds the prompts that
//! no later line contains.
//!
//! A busy agent repeatedly takes a prompt from the queue and puts it back. A text that enters the
//! queue after the same text has left it, without a `user` line in between, is the same prompt.

use std::collections::VecDeque;

use vac_adapter::prompt::block_author;
use vac_record::annotations::Author;
use vac_value::{Kind, Node};

use crate::prompt_rules::RULES;

/// Maximum number of waiting prompts. If there are more, the oldest counts as only enqueued.
const MAX_WAITING: usize = 64;

/// The prompts in the queue; see the module.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: VecDeque<Prompt>,
    only_enqueued: Vec<usize>,
}

/// A prompt that no later line contains yet.
#[derive(Debug)]
struct Prompt {
    text: String,
    /// The line that put it into the queue.
    line: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Queued,
    /// It has left the queue and may be put back.
    Left,
    /// It has left the queue before a `user` line.
    Gone,
}

impl Queue {
    /// Adds a `queue-operation` line.
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
                    prompt.state == State::Queued
                        && content.as_ref().is_none_or(|text| *text == prompt.text)
                };
                if let Some(prompt) = self.waiting.iter_mut().find(is_it) {
                    prompt.state = State::Left;
                }
            }
            Some("popAll") => self.waiting.retain(|prompt| prompt.state != State::Queued),
            _ => {}
        }
    }

    fn enqueue(&mut self, text: String, line: usize) {
        // The program also sends notifications to the model through the queue.
        if text.trim().is_empty() || block_author(text.trim(), RULES) == Author::Program {
            return;
        }
        let is_same = |prompt: &&mut Prompt| prompt.state == State::Left && prompt.text == text;
        if let Some(prompt) = self.waiting.iter_mut().find(is_same) {
            prompt.state = State::Queued;
            return;
        }
        self.waiting.push_back(Prompt { text, line, state: State::Queued });
        if self.waiting.len() > MAX_WAITING {
            self.only_enqueued.extend(self.waiting.pop_front().map(|prompt| prompt.line));
        }
    }

    /// Adds a message of the user.
    pub fn message(&mut self, content: Node<'_, '_>) {
        if self.waiting.is_empty() {
            return;
        }
        let blocks = content.elements().filter_map(|block| match block.kind() {
            Kind::Map => block.member("text"),
            _ => Some(block),
        });
        for text in blocks.chain([content]).filter_map(Node::text) {
            self.waiting.retain(|prompt| !contains(&text, &prompt.text));
        }
        for prompt in self.waiting.iter_mut().filter(|prompt| prompt.state == State::Left) {
            prompt.state = State::Gone;
        }
    }

    /// Returns the lines whose prompts no other line contains, once all lines were read.
    pub fn only_enqueued(self) -> impl Iterator<Item = usize> {
        self.only_enqueued.into_iter().chain(self.waiting.into_iter().map(|prompt| prompt.line))
    }
}

/// Returns whether a text contains the prompt as some of its lines (prompts that waited together
/// become one message), as the content of an element (`<bash-input>`), or as a command
/// (`<command-name>`).
fn contains(text: &str, prompt: &str) -> bool {
    let wanted = match prompt.strip_prefix('/') {
        Some(_) if text.contains("<command-name>") => {
            prompt.split_whitespace().next().unwrap_or(prompt)
        }
        _ => prompt.trim(),
    };
    text.match_indices(wanted).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + wanted.len()..]);
        (before.is_empty() || before.ends_with(['\n', '>']))
            && (after.is_empty() || after.starts_with(['\n', '<']))
    })
}
