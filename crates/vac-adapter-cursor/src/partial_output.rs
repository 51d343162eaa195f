//! Finds repeated answers in a stream with `--stream-partial-output`.
//!
//! Such a stream contains an answer in pieces and then again as a whole: before a tool call, and at
//! the end of the turn. Pieces have `timestamp_ms` and no `model_call_id`. The repetition is a
//! duplicate of the first piece.

use vac_value::{Kind, Node};

/// Maximum length of the text that is remembered, in bytes. A longer answer is not recognised as
/// a repetition.
const MAX_LENGTH: usize = 1 << 20;

/// The pieces of the current turn.
#[derive(Debug, Default)]
pub(crate) struct PartialOutput {
    /// Pieces since the last repetition.
    segment: Pieces,
    /// All pieces of the turn.
    turn: Pieces,
}

#[derive(Debug, Default)]
struct Pieces {
    /// The id of the first piece.
    first: Option<String>,
    text: String,
}

impl Pieces {
    fn add(&mut self, id: &str, text: &str) {
        self.first.get_or_insert_with(|| id.to_owned());
        if self.text.len() + text.len() <= MAX_LENGTH {
            self.text.push_str(text);
        }
    }

    fn repeated(&self, text: &str) -> Option<&str> {
        self.first.as_deref().filter(|_| self.text == text)
    }
}

impl PartialOutput {
    /// Adds an answer with this id. Returns the id of the first piece if it repeats pieces.
    pub fn add(&mut self, line: Node<'_, '_>, id: &str) -> Option<String> {
        let text = text(line)?;
        let has = |key: &str| line.member(key).is_some_and(|value| value.kind() != Kind::Null);
        if has("timestamp_ms") && !has("model_call_id") {
            self.segment.add(id, &text);
            self.turn.add(id, &text);
            return None;
        }
        let original = self.segment.repeated(&text).or_else(|| self.turn.repeated(&text));
        let original = original.map(str::to_owned);
        self.segment = Pieces::default();
        original
    }

    /// Ends the turn.
    pub fn end_turn(&mut self) {
        *self = Self::default();
    }
}

/// Returns the text of an answer.
fn text(line: Node<'_, '_>) -> Option<String> {
    let content = line.member("message")?.member("content")?;
    let blocks = content.elements().filter_map(|block| block.member("text")?.text());
    let text: String = blocks.collect();
    (!text.is_empty()).then_some(text)
}
