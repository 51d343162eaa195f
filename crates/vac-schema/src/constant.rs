//! Short constructors for tables that are constants. Generated code calls them.

use std::borrow::Cow;

use crate::abnf::Grammar;
use crate::pattern::Pattern;
use crate::printf::Format;
use crate::tables::{
    Case, Control, Element, ElementKind, Group, GroupId, Kinds, LiteralKey, LiteralValue, Literals,
    MemberKey, PatternId, Rule, RuleId, Schema, Selector, Sequence, TableList, TableText,
    TagNumber, Type, TypeId, TypeKind,
};

/// Returns a list.
pub const fn list<T: Clone>(items: &'static [T]) -> TableList<T> {
    Cow::Borrowed(items)
}

/// Returns a schema.
pub const fn schema(
    rules: &'static [Rule],
    types: &'static [Type],
    groups: &'static [Group],
    patterns: &'static [Pattern],
    root: u32,
) -> Schema {
    Schema {
        rules: list(rules),
        types: list(types),
        groups: list(groups),
        patterns: list(patterns),
        root: RuleId(root),
    }
}

/// Returns a rule of the specification.
pub const fn rule(name: &'static str, body: u32) -> Rule {
    Rule { name: Cow::Borrowed(name), body: TypeId(body), is_prelude: false }
}

/// Returns a rule of the prelude.
pub const fn prelude(name: &'static str, body: u32) -> Rule {
    Rule { name: Cow::Borrowed(name), body: TypeId(body), is_prelude: true }
}

/// Returns a type that is decided without looking inside a node.
pub const fn scalar(kinds: u16, kind: TypeKind) -> Type {
    Type { kind, kinds: Kinds(kinds), is_scalar: true }
}

/// Returns a type whose match depends on the content of a node.
pub const fn compound(kinds: u16, kind: TypeKind) -> Type {
    Type { kind, kinds: Kinds(kinds), is_scalar: false }
}

/// Returns a reference to a rule.
pub const fn reference(rule: u32) -> TypeKind {
    TypeKind::Rule(RuleId(rule))
}

/// Returns the numbers from `low` to `high`.
pub const fn range(low: LiteralValue, high: LiteralValue, is_inclusive: bool) -> TypeKind {
    TypeKind::Range { low, high, is_inclusive }
}

/// Returns a choice between types.
pub const fn choice(alternatives: &'static [TypeId]) -> TypeKind {
    TypeKind::Choice { alternatives: list(alternatives), selector: None, literals: None }
}

/// Returns a choice between many types, literals among them.
pub const fn long_choice(
    alternatives: &'static [TypeId],
    selector: Option<Selector>,
    integers: &'static [i128],
    texts: &'static [TableText],
    others: &'static [TypeId],
) -> TypeKind {
    let literals = Literals { integers: list(integers), texts: list(texts), others: list(others) };
    TypeKind::Choice { alternatives: list(alternatives), selector, literals: Some(literals) }
}

/// Returns a choice between maps that a member decides.
pub const fn selected(alternatives: &'static [TypeId], selector: Selector) -> TypeKind {
    TypeKind::Choice { alternatives: list(alternatives), selector: Some(selector), literals: None }
}

/// Returns the member that decides between maps, and its values.
pub const fn selector(key: LiteralKey, cases: &'static [Case]) -> Selector {
    Selector { key, cases: list(cases) }
}

/// Returns a value that selects an alternative.
pub const fn case(value: LiteralValue, alternative: u32) -> Case {
    Case { value, alternative: TypeId(alternative) }
}

/// Returns the type `#major` or `#major.info`.
pub const fn major(major: u8, info: Option<u64>) -> TypeKind {
    TypeKind::Major { major, info }
}

/// Returns the type `{ group }`.
pub const fn map(group: u32) -> TypeKind {
    TypeKind::Map(GroupId(group))
}

/// Returns the type `[ group ]`.
pub const fn array(group: u32) -> TypeKind {
    TypeKind::Array(GroupId(group))
}

/// Returns the type `#6.number(content)`.
pub const fn tag(number: TagNumber, content: u32) -> TypeKind {
    TypeKind::Tag { number, content: TypeId(content) }
}

/// Returns a type with a control operator.
pub const fn control(target: u32, control: Control) -> TypeKind {
    TypeKind::Control { target: TypeId(target), control }
}

/// Returns the operator `.regexp`.
pub const fn regexp(pattern: u32) -> Control {
    Control::Regexp(PatternId(pattern))
}

/// Returns the operator `.feature`.
pub const fn feature(name: &'static str) -> Control {
    Control::Feature(Cow::Borrowed(name))
}

/// Returns the operator `.printf`.
pub const fn printf(format: &'static str, items: &'static [TypeId]) -> Control {
    Control::Printf(Format::constant(Cow::Borrowed(format)), list(items))
}

/// Returns the operator `.abnf`.
pub const fn abnf(grammar: &'static str) -> Control {
    Control::Abnf(Grammar::constant(Cow::Borrowed(grammar), false))
}

/// Returns the operator `.abnfb`.
pub const fn abnfb(grammar: &'static str) -> Control {
    Control::Abnf(Grammar::constant(Cow::Borrowed(grammar), true))
}

/// Returns a regular expression.
pub const fn pattern(source: &'static str, regex: &'static str, name: &'static str) -> Pattern {
    Pattern::new(Cow::Borrowed(source), Cow::Borrowed(regex), Cow::Borrowed(name))
}

/// Returns a text.
pub const fn string(text: &'static str) -> TableText {
    Cow::Borrowed(text)
}

/// Returns a text value.
pub const fn text(text: &'static str) -> LiteralValue {
    LiteralValue::Text(Cow::Borrowed(text))
}

/// Returns a byte string value.
pub const fn bytes(bytes: &'static [u8]) -> LiteralValue {
    LiteralValue::Bytes(list(bytes))
}

/// Returns a literal key and its name.
pub const fn label(value: LiteralValue, name: &'static str) -> LiteralKey {
    LiteralKey { value, name: Cow::Borrowed(name) }
}

/// Returns a group.
pub const fn group(choices: &'static [Sequence]) -> Group {
    Group { choices: list(choices) }
}

/// Returns an alternative of a group that is matched in one pass in maps.
pub const fn flat(elements: &'static [Element]) -> Sequence {
    Sequence { elements: list(elements), is_flat: true }
}

/// Returns any other alternative of a group.
pub const fn sequence(elements: &'static [Element]) -> Sequence {
    Sequence { elements: list(elements), is_flat: false }
}

/// Returns a member: occurrences, key, whether the key cuts, and the type of the value.
pub const fn member(min: u64, max: u64, key: MemberKey, is_cut: bool, value: u32) -> Element {
    Element { min, max, kind: ElementKind::Member { key, is_cut, value: TypeId(value) } }
}

/// Returns a group within a group.
pub const fn inner(min: u64, max: u64, group: u32) -> Element {
    Element { min, max, kind: ElementKind::Group(GroupId(group)) }
}
