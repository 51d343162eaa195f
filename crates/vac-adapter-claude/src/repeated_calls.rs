//! Finds repeated calls: iFlow CLI begins a message with the call that the previous message ended
//! with.

use vac_value::Node;

/// The last call, to find the message that repeats it.
#[derive(Debug, Default)]
pub(crate) struct RepeatedCalls {
    last: Option<String>,
}

impl RepeatedCalls {
    /// Adds a message. Returns whether its first block is the last call so far.
    pub fn message(&mut self, content: Option<Node<'_, '_>>) -> bool {
        let mut blocks = content.into_iter().flat_map(Node::elements);
        let Some(first) = blocks.next() else { return false };
        let last = blocks.last().unwrap_or(first);
        let is_repeated = match (call_id(first), &self.last) {
            (Some(first), Some(last)) => first.is_text(last),
            _ => false,
        };
        if let Some(id) = call_id(last).and_then(Node::text) {
            self.last = Some(id.into_owned());
        }
        is_repeated
    }
}

/// Returns the id of a block that is a call.
fn call_id<'d, 'a>(block: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    block.member("input")?;
    block.member("id")
}
