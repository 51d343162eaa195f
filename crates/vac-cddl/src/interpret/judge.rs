//! Deciding whether a node matches a type.

use std::collections::HashMap;

use vac_value::{Document, Encoder, Kind, Limits, Node, Problem, Scanner, SyntaxError};

use crate::ir::{Pattern, Rule, RuleId, Schema, TagNumber, Type, TypeKind};

use super::Interpreter;
use super::budget::Budget;
use super::reach::{Reach, Verdict, hit};
use super::values;

/// What is known while one document is judged.
pub(super) struct Judge<'i, 's> {
    interpreter: &'i Interpreter<'s>,
    pub budget: Budget,
    /// Verdicts by the address of the type, the node and its document.
    memo: HashMap<(usize, u32, u32), Verdict>,
    /// The numbers of embedded documents, by what they are embedded in.
    documents: HashMap<(u32, u32, Carrier), u32>,
    /// The number of the document that is being judged.
    document: u32,
    /// The containers, tags and byte strings around the node that is judged.
    pub depth: usize,
}

/// Verdicts that are remembered at once.
const MOST_VERDICTS: usize = 1 << 20;

/// Bytes of a string that are gone through in about the time of a step.
const BYTES_FOR_EACH_STEP: u64 = 64;

/// How a byte string carries CBOR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Carrier {
    /// One item.
    Item,
    /// Items, one behind the other.
    Sequence,
}

impl<'i, 's> Judge<'i, 's> {
    pub fn new(interpreter: &'i Interpreter<'s>, document: &Document<'_>) -> Self {
        Self {
            interpreter,
            budget: Budget::new(interpreter.steps, document),
            memo: HashMap::new(),
            documents: HashMap::new(),
            document: 0,
            depth: 0,
        }
    }

    pub fn schema(&self) -> &'s Schema {
        self.interpreter.schema
    }

    pub fn rule(&self, id: RuleId) -> Option<&'s Rule> {
        self.schema().rules.get(id.0)
    }

    /// The type that a reference leads to in the end.
    pub fn resolve(&self, ty: &'s Type) -> &'s Type {
        super::end(&self.interpreter.ends, ty)
    }

    pub fn check(&mut self, ty: &'s Type, node: Node<'_, '_>) -> Verdict {
        if !self.budget.enter() {
            return Err(Reach::at(node));
        }
        let verdict = self.check_within_budget(ty, node);
        self.budget.leave();
        verdict
    }

    fn check_within_budget(&mut self, ty: &'s Type, node: Node<'_, '_>) -> Verdict {
        let ty = self.resolve(ty);
        match &ty.kind {
            TypeKind::Any => Ok(()),
            TypeKind::Literal(literal) => hit(values::equals(&literal.value, node), node),
            TypeKind::Range { low, high, inclusive } => {
                hit(values::in_range(low, high, *inclusive, node), node)
            }
            TypeKind::Major { major, info } => hit(values::is_major(*major, *info, node), node),
            TypeKind::Simple(numbers) => hit(self.is_simple(numbers, node), node),
            TypeKind::Rule(_) => Err(Reach::at(node)),
            _ if is_worth_remembering(node.kind()) => self.recall(ty, node),
            _ => self.take_apart(ty, node),
        }
    }

    fn recall(&mut self, ty: &'s Type, node: Node<'_, '_>) -> Verdict {
        let key = (std::ptr::from_ref(ty).addr(), node.index(), self.document);
        if let Some(verdict) = self.memo.get(&key) {
            return *verdict;
        }
        let verdict = self.take_apart(ty, node);
        // Forgetting costs time and nothing else, and time has its own limit.
        if self.memo.len() == MOST_VERDICTS {
            self.memo.clear();
        }
        self.memo.insert(key, verdict);
        verdict
    }

    fn take_apart(&mut self, ty: &'s Type, node: Node<'_, '_>) -> Verdict {
        match &ty.kind {
            TypeKind::Choice(alternatives) => self.choice(alternatives, node),
            TypeKind::Map(group) => self.map(group, node),
            TypeKind::Array(group) => self.array(group, node),
            TypeKind::Tag { number, content } => self.tag(number, content, node),
            TypeKind::Control { target, control } => self.control(target, control, node),
            _ => Err(Reach::at(node)),
        }
    }

    fn choice(&mut self, alternatives: &'s [Type], node: Node<'_, '_>) -> Verdict {
        let mut furthest = Reach::at(node);
        let interpreter = self.interpreter;
        if let Some(long) = interpreter.long_choices.get(alternatives) {
            if long.contains(node) {
                return Ok(());
            }
            for alternative in &long.others {
                match self.check(alternative, node) {
                    Ok(()) => return Ok(()),
                    Err(reach) => furthest = furthest.max(reach),
                }
            }
            return Err(furthest);
        }
        for alternative in alternatives {
            match self.check(alternative, node) {
                Ok(()) => return Ok(()),
                Err(reach) => furthest = furthest.max(reach),
            }
        }
        Err(furthest)
    }

    /// Whether a choice has many alternatives, and all of them are literals.
    pub fn is_list_of_literals(&self, alternatives: &[Type]) -> bool {
        let long = self.interpreter.long_choices.get(alternatives);
        long.is_some_and(|long| long.others.is_empty())
    }

    fn tag(&mut self, number: &'s TagNumber, content: &'s Type, node: Node<'_, '_>) -> Verdict {
        if node.kind() == Kind::BigInteger {
            return hit(self.is_big_integer(number, content, node), node);
        }
        match node.tag() {
            Some((found, inner)) if self.takes_tag(number, found) => {
                self.depth += 1;
                let verdict = self.check(content, inner);
                self.depth -= 1;
                verdict
            }
            _ => Err(Reach::at(node)),
        }
    }

    /// Whether a tag of this number matches.
    pub fn takes_tag(&mut self, number: &'s TagNumber, found: u64) -> bool {
        match number {
            TagNumber::Any => true,
            TagNumber::One(number) => *number == found,
            TagNumber::Of(numbers) => self.takes_integer(numbers, i128::from(found)),
        }
    }

    /// Whether the head of a simple value or float has a number that matches a type.
    fn is_simple(&mut self, numbers: &'s Type, node: Node<'_, '_>) -> bool {
        match node.simple() {
            Some(number) => self.takes_integer(numbers, i128::from(number)),
            None => [25, 26, 27].into_iter().any(|size| {
                values::is_major(7, Some(size), node)
                    && self.takes_integer(numbers, i128::from(size))
            }),
        }
    }

    /// A big integer of JSON is judged as the tagged bytes that it is in CBOR.
    fn is_big_integer(
        &mut self,
        number: &'s TagNumber,
        content: &'s Type,
        node: Node<'_, '_>,
    ) -> bool {
        let tag = if node.raw().starts_with(b"-") { 3 } else { 2 };
        if !self.takes_tag(number, tag) {
            return false;
        }
        let mut encoder = Encoder::cbor();
        if encoder.node(node).is_err() {
            // So many digits that nobody converts them.
            return self.takes_all_bytes(content);
        }
        let source = encoder.finish();
        let Ok(document) = Document::cbor(&source) else { return false };
        let Some((_, bytes)) = document.root().tag() else { return false };
        let outside = self.enter(node, Carrier::Item);
        let verdict = self.check(content, bytes);
        self.leave(outside);
        verdict.is_ok()
    }

    fn takes_all_bytes(&mut self, ty: &'s Type) -> bool {
        if !self.budget.enter() {
            return false;
        }
        let takes_all = match &self.resolve(ty).kind {
            TypeKind::Any | TypeKind::Major { major: 2, info: None } => true,
            TypeKind::Choice(alternatives) => {
                alternatives.iter().any(|alternative| self.takes_all_bytes(alternative))
            }
            _ => false,
        };
        self.budget.leave();
        takes_all
    }

    pub fn is_match(&mut self, pattern: &Pattern, node: Node<'_, '_>) -> bool {
        let Some(text) = node.text() else { return false };
        self.budget.spend(text.len() as u64 / BYTES_FOR_EACH_STEP);
        self.interpreter.patterns.is_match(pattern, &text)
    }

    /// Judges what a byte string holds.
    pub fn embedded(&mut self, ty: &'s Type, node: Node<'_, '_>, carrier: Carrier) -> Verdict {
        let Some(source) = carried(node, carrier) else { return Err(Reach::at(node)) };
        self.budget.spend(source.len() as u64 / BYTES_FOR_EACH_STEP);
        let Ok(document) = self.scan(&source) else { return Err(Reach::at(node)) };
        let root = document.root();
        if root.duplicate_keys().len() > 0 {
            return Err(Reach::embedded(node, Reach::at(root)));
        }
        let outside = self.enter(node, carrier);
        let verdict = self.check(ty, document.root());
        self.leave(outside);
        verdict.map_err(|inner| Reach::embedded(node, inner))
    }

    /// Scans embedded CBOR. All documents inside each other share one limit of
    /// depth, because each of their levels takes its part of the stack.
    pub fn scan<'a>(&self, source: &'a [u8]) -> Result<Document<'a>, SyntaxError> {
        let limits = Limits::default();
        match limits.depth.checked_sub(self.depth + 1) {
            Some(depth) => Scanner::new(Limits { depth, ..limits }).cbor(source),
            None => Err(SyntaxError { offset: 0, problem: Problem::Depth(limits.depth) }),
        }
    }

    /// Goes on inside a byte string; [`Judge::leave`] takes what this returns.
    pub fn enter(&mut self, node: Node<'_, '_>, carrier: Carrier) -> u32 {
        let next = u32::try_from(self.documents.len()).unwrap_or(u32::MAX).saturating_add(1);
        let key = (self.document, node.index(), carrier);
        let inside = *self.documents.entry(key).or_insert(next);
        self.depth += 1;
        std::mem::replace(&mut self.document, inside)
    }

    pub fn leave(&mut self, outside: u32) {
        self.depth -= 1;
        self.document = outside;
    }
}

/// What a type says about these is remembered: they take time.
fn is_worth_remembering(kind: Kind) -> bool {
    matches!(kind, Kind::Map | Kind::Array | Kind::Tag | Kind::Bytes)
}

/// The bytes to scan: a sequence is made the content of an array.
pub(super) fn carried(node: Node<'_, '_>, carrier: Carrier) -> Option<Vec<u8>> {
    const BEGIN_ARRAY: u8 = 0x9f;
    const BREAK: u8 = 0xff;
    let bytes = node.bytes()?;
    Some(match carrier {
        Carrier::Item => bytes.into_owned(),
        Carrier::Sequence => [&[BEGIN_ARRAY], &*bytes, &[BREAK]].concat(),
    })
}
