//! Messages, without their parts.

use vac_adapter::annotation;
use vac_adapter::members::{Rest, object, put, sift};
use vac_record::annotations::{self, EntryAnnotations};
use vac_record::{AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType, TokenUsage};
use vac_value::{Any, Kind, Map, Node, Number, Text};

use crate::object::StoredObject;
use crate::part::Scope;

/// Who speaks.
pub(crate) fn role(role: Node<'_, '_>) -> &'static str {
    if role.is_text("user") { "user" } else { "assistant" }
}

/// The entry of a message.
pub(crate) fn entry<'a>(node: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let stored = scope.stored;
    let mut id = None;
    let mut parent_id = None;
    let mut model_id = None;
    let mut model = None;
    let mut moment = Moment::default();
    let mut usage = Usage::default();
    let answers = node.member("modelID").is_some_and(|model| model.kind() == Kind::Text);
    let mut extensions = sift(node, &MessageEntry::KEYS, |key, value| match key {
        "role" => value.is_text(role(value)),
        "sessionID" => value.is_text(scope.session),
        "id" => text(value, &mut id),
        "parentID" => text(value, &mut parent_id),
        "modelID" => text(value, &mut model_id),
        "model" if !answers && value.kind() == Kind::Map => {
            let rest =
                sift(value, &[], |key, value| key == "modelID" && text(value, &mut model_id));
            model = object(rest);
            true
        }
        "time" => moment.take(value, "created"),
        "cost" | "tokens" if stored.counts_usage => usage.take(key, value),
        _ => false,
    });
    extensions.extend(model.map(|model| ("model".into(), model)));
    extensions.extend(moment.left());
    let annotations = EntryAnnotations {
        author: stored.notes.author,
        usage: usage.buckets(),
        ends: stored.notes.end(),
        ..scope.annotations()
    };
    annotation::attach(&mut extensions, &annotations);
    Entry::Message(MessageEntry {
        kind: speaker(stored),
        content: None,
        timestamp: moment.timestamp,
        id: Some(id.unwrap_or_else(|| stored.place_id())),
        model_id,
        parent_id,
        token_usage: usage.made(),
        children: None,
        extensions,
    })
}

/// Whose words a message and its texts are.
pub(crate) fn speaker(stored: &StoredObject<'_>) -> MessageEntryType {
    if stored.is_user { MessageEntryType::User } else { MessageEntryType::Assistant }
}

/// Takes text.
pub(crate) fn text<'a>(value: Node<'a, '_>, to: &mut Option<Text<'a>>) -> bool {
    put(to, value.text())
}

/// A time out of `time`, and what is left of that.
#[derive(Default)]
pub(crate) struct Moment<'a> {
    pub timestamp: Option<AbstractTimestamp<'a>>,
    left: Option<Any<'a>>,
}

impl<'a> Moment<'a> {
    /// Takes the time of that name, if there is an object to take it from.
    pub fn take(&mut self, time: Node<'a, '_>, name: &str) -> bool {
        if time.kind() != Kind::Map {
            return false;
        }
        let rest = sift(time, &[], |key, value| {
            key == name && put(&mut self.timestamp, AbstractTimestamp::from_node(value).ok())
        });
        self.left = object(rest);
        true
    }

    /// What is left, as a member.
    pub fn left(&mut self) -> Option<(Text<'a>, Any<'a>)> {
        self.left.take().map(|left| ("time".into(), left))
    }
}

/// What a message cost: the canonical numbers, and the others next to them.
#[derive(Default)]
pub(crate) struct Usage<'a> {
    cost: Option<Number<'a>>,
    tokens: Option<TokenUsage<'a>>,
    cache_write: Option<u64>,
}

impl<'a> Usage<'a> {
    /// Takes `cost` or `tokens`.
    pub fn take(&mut self, key: &str, value: Node<'a, '_>) -> bool {
        if key == "cost" {
            let cost = value.number().filter(|cost| !matches!(cost, Number::Decimal(_)));
            return put(&mut self.cost, cost);
        }
        if value.kind() != Kind::Map {
            return false;
        }
        let mut tokens = none();
        let mut cache = None;
        let mut rest = sift(value, &TokenUsage::KEYS, |key, value| match key {
            "input" => uint(value, &mut tokens.input),
            "output" => uint(value, &mut tokens.output),
            "reasoning" => uint(value, &mut tokens.reasoning),
            "total" => uint(value, &mut tokens.total),
            "cache" if value.kind() == Kind::Map => {
                self.cache_write = value.member("write").and_then(Node::uint);
                let rest =
                    sift(value, &[], |key, value| key == "read" && uint(value, &mut tokens.cached));
                cache = object(rest);
                true
            }
            _ => false,
        });
        rest.extend(cache.map(|cache| ("cache".into(), cache)));
        tokens.extensions = rest;
        self.tokens = Some(tokens);
        true
    }

    /// Returns the tokens in buckets that can be added up, without those that are 0.
    ///
    /// `input` excludes what is read from a cache or written to one. `reasoning` is not part of
    /// `output`, unless the stated total shows that it is: versions differ.
    pub fn buckets(&self) -> Option<annotations::Usage<'static>> {
        let tokens = self.tokens.as_ref()?;
        let of = |tokens: Option<u64>| tokens.unwrap_or_default();
        let reasoning = of(tokens.reasoning);
        let sum = [tokens.input, tokens.output, tokens.cached, self.cache_write]
            .into_iter()
            .fold(0, |sum: u64, tokens| sum.saturating_add(of(tokens)));
        let is_inside = tokens.total == Some(sum);
        let output = of(tokens.output).saturating_add(if is_inside { 0 } else { reasoning });
        let bucket = |tokens: u64| (tokens > 0).then_some(tokens);
        let buckets = annotations::Usage {
            input: bucket(of(tokens.input)),
            cache_read: bucket(of(tokens.cached)),
            cache_write: bucket(of(self.cache_write)),
            output: bucket(output),
            reasoning: bucket(reasoning),
            model: None,
        };
        (sum > 0 || reasoning > 0).then_some(buckets)
    }

    /// All of it, if there is any.
    pub fn made(self) -> Option<TokenUsage<'a>> {
        match (self.tokens, self.cost) {
            (None, None) => None,
            (tokens, cost) => Some(TokenUsage { cost, ..tokens.unwrap_or_else(none) }),
        }
    }
}

fn none<'a>() -> TokenUsage<'a> {
    TokenUsage {
        input: None,
        output: None,
        cached: None,
        reasoning: None,
        total: None,
        cost: None,
        extensions: Map::default(),
    }
}

fn uint(value: Node<'_, '_>, to: &mut Option<u64>) -> bool {
    put(to, value.uint())
}

/// Adds a member, if there is one.
pub(crate) fn push<'a>(members: &mut Rest<'a>, name: &'static str, value: Option<Any<'a>>) {
    members.extend(value.map(|value| (name.into(), value)));
}
