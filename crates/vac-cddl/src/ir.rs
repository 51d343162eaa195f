//! The intermediate representation: CDDL as plain data.
//!
//! Lowering has already done everything that is about *notation*: names are
//! resolved to [`RuleId`]s, generics are expanded to instances, sockets contain their plugs, group
//! names and unwrapped (`~`) groups are inlined, `&` enumerations are choices of named literals,
//! and `.plus`, `.cat` and `.det` are computed. What is left are the conditions that a value has to
//! satisfy, and their locations in the text.

use std::fmt;
use std::sync::Arc;

use vac_schema::{Grammar, TextEncoding};

/// The location of a construct in its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The file's name as it was given to the parser.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A whole specification. The start rule is [`Schema::root`], which need not be `rules[0]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Type rules in the order of the text; generic instances follow the rule
    /// that first uses them; the prelude rules that are used come last.
    /// Group rules are inlined where they are used and do not appear.
    pub rules: Vec<Rule>,
    /// The start rule: the first rule of the text.
    pub root: RuleId,
    /// Warnings about parts of the text that are probably mistakes.
    pub warnings: Vec<Warning>,
}

/// A construct of a specification that is allowed and probably a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The kind of the warning.
    pub kind: WarningKind,
    /// The place in the text.
    pub location: Location,
    /// A description of the construct, and what to do about it.
    pub message: String,
}

/// The kind of a [`Warning`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WarningKind {
    /// The notation is not that of the RFC, but is accepted.
    Lenient,
    /// `;# import` or `;# include` is not followed.
    Directive,
    /// A pattern contains `^` or `$` as if they were anchors.
    Anchor,
    /// A rule is not taken from a module because another module has a rule of the same name.
    HiddenRule,
    /// The start rule does not lead to a rule.
    UnusedRule,
    /// An earlier alternative of a choice accepts every value that a later one accepts.
    UnreachableAlternative,
    /// No JSON document can match a rule.
    NotJson,
    /// Another parser reads the text differently.
    SecondReader,
    /// There are more warnings than are reported.
    More,
}

impl WarningKind {
    /// Returns a stable code for use by programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Lenient => "lenient",
            Self::Directive => "directive",
            Self::Anchor => "anchor",
            Self::HiddenRule => "hidden-rule",
            Self::UnusedRule => "unused-rule",
            Self::UnreachableAlternative => "unreachable-alternative",
            Self::NotJson => "not-json",
            Self::SecondReader => "second-reader",
            Self::More => "more",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

/// The index of a rule in [`Schema::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub usize);

/// One type rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The name as in the text. An instance of a generic rule is called `name<argument, ...>`; a
    /// map or array that became a rule is called after its text.
    pub name: String,
    /// The origin of the rule.
    pub origin: RuleOrigin,
    /// The comment lines directly above the rule, without `;`.
    pub docs: Vec<String>,
    /// The rule's own text (plugs of a socket joined by newlines).
    pub source: String,
    /// The location of the rule's name.
    pub location: Location,
    /// The type of the rule.
    pub body: Type,
}

/// The origin of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOrigin {
    /// Written in the specification.
    Spec,
    /// Made of the specification: a generic rule with its arguments filled in, or a
    /// map or an array inside a group that contains itself.
    Instance,
    /// The standard prelude (RFC 8610 appendix D).
    Prelude,
}

/// A type, and its location in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// The kind of type.
    pub kind: TypeKind,
    /// The location of the type.
    pub location: Location,
}

/// The kind of a [`Type`].
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `any`, `#`.
    Any,
    /// A reference to a rule.
    Rule(RuleId),
    /// A single value.
    Literal(Literal),
    /// `low..high` or, exclusive of `high`, `low...high`. Both ends are
    /// integers, or both are floats.
    Range {
        /// Lower end, inclusive.
        low: LiteralValue,
        /// Upper end.
        high: LiteralValue,
        /// Whether the upper end belongs to the range.
        inclusive: bool,
    },
    /// Ordered alternatives. Without any (an unplugged socket), nothing matches.
    Choice(Vec<Type>),
    /// `{ ... }`.
    Map(Group),
    /// `[ ... ]`.
    Array(Group),
    /// `#major` or `#major.info`; never major 6.
    Major {
        /// 0 to 5, or 7.
        major: u8,
        /// The additional information or simple value.
        info: Option<u64>,
    },
    /// `#7.<type>`: a simple value or float whose number in the head matches.
    Simple(Box<Type>),
    /// `#6.number(content)`.
    Tag {
        /// The tag number.
        number: TagNumber,
        /// The type of the content.
        content: Box<Type>,
    },
    /// `target .operator argument`.
    Control {
        /// The type that is controlled.
        target: Box<Type>,
        /// The operator with its argument.
        control: Control,
    },
}

/// The numbers that a tag may have.
#[derive(Clone, Debug, PartialEq)]
pub enum TagNumber {
    /// `#6`: any.
    Any,
    /// `#6.18`
    One(u64),
    /// `#6.<type>`: those that match a type, which does not match one number only.
    Of(Box<Type>),
}

/// A control operator and its argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// `.size`: bytes of a string (text: of its UTF-8), or of an unsigned
    /// integer; the argument matches the size as an unsigned integer.
    Size(Box<Type>),
    /// `.bits`: only bits whose number matches the argument are set.
    Bits(Box<Type>),
    /// `.regexp`.
    Regexp(XsdPattern),
    /// `.cbor`: a byte string that holds one item of this type.
    Cbor(Box<Type>),
    /// `.cborseq`: a byte string that holds a sequence; the argument is an
    /// array type whose elements are matched.
    Cborseq(Box<Type>),
    /// `.within`: the target shall be a subset of the argument.
    Within(Box<Type>),
    /// `.and`: values that both the target and the argument match.
    And(Box<Type>),
    /// `.lt`
    Lt(LiteralValue),
    /// `.le`
    Le(LiteralValue),
    /// `.gt`
    Gt(LiteralValue),
    /// `.ge`
    Ge(LiteralValue),
    /// `.eq`
    Eq(LiteralValue),
    /// `.eq` with a value that is not a number, a text or bytes: `true`, `[]`, `{a: 1}`.
    /// The type matches only that value.
    Is(Box<Type>),
    /// `.ne`
    Ne(LiteralValue),
    /// `.ne` with a value as in [`Control::Is`].
    IsNot(Box<Type>),
    /// `.default`: states the value that absence means; matches like the target.
    Default(LiteralValue),
    /// `.feature`: names the feature that a match uses. Matches like the target, unless a caller
    /// disables the feature.
    Feature(String),
    /// `.b64u`, `.hex` and the like: a text that encodes bytes of this type.
    Encoded(TextEncoding, Box<Type>),
    /// `.base10`: a text that is an integer of this type, in decimal digits.
    Base10(Box<Type>),
    /// `.printf`: a text that a format produces. The argument is an array type: a literal
    /// text, which is the format, and the types of the data items.
    Printf(Box<Type>),
    /// `.json`: a text that holds a JSON document of this type.
    Json(Box<Type>),
    /// `.join`: a string that consists of the elements of an array of this type.
    Join(Box<Type>),
    /// `.abnf` and `.abnfb`: a string that the grammar generates.
    Abnf(Grammar),
}

/// A regular expression of XML Schema, and the same for crate `regex`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XsdPattern {
    /// The expression as the text has it.
    pub xsd: String,
    /// The translation, anchored at both ends.
    pub regex: String,
}

/// A literal type: one value, with the name an enumeration gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The value.
    pub value: LiteralValue,
    /// The name of the value, such as `north` in `&(north: 1)`.
    pub name: Option<String>,
}

/// A value of a CDDL literal.
#[derive(Clone, Debug, PartialEq)]
pub enum LiteralValue {
    /// An integer of -2^64 to 2^64 - 1.
    Integer(i128),
    /// A float.
    Float(f64),
    /// Text.
    Text(String),
    /// A byte string, from `'...'`, `h'...'` or `b64'...'`.
    Bytes(Vec<u8>),
}

/// The content of the braces of a map or an array: alternatives, each a
/// sequence of elements. An empty list of choices (an unplugged group socket)
/// matches nothing; one empty choice matches the empty group.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The alternatives of `//`, in order.
    pub choices: Vec<Vec<Element>>,
    /// For each alternative: the group rule that it consists of, if it is only that.
    pub names: Vec<Option<String>>,
    /// The location of the group.
    pub location: Location,
}

/// One element of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The number of occurrences.
    pub occurrence: Occurrence,
    /// The member or the group.
    pub kind: ElementKind,
    /// The comment lines directly above, or after it on the same line.
    pub docs: Vec<String>,
    /// The location of the element.
    pub location: Location,
}

/// The minimum and maximum number of times that an element occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The minimum.
    pub min: u64,
    /// The maximum; `None` is without limit.
    pub max: Option<u64>,
}

impl Occurrence {
    /// Exactly once: an element without an occurrence indicator.
    pub const ONCE: Self = Self { min: 1, max: Some(1) };
}

/// A member, or a group in parentheses.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementKind {
    /// `key: value`, `key => value`, `value`.
    Member(Member),
    /// A group that repeats, is optional or has alternatives; every other
    /// group is spliced into the one around it.
    Group {
        /// The name of the group rule it comes from, if any.
        name: Option<String>,
        /// The content of the group.
        group: Group,
    },
}

/// A member of a map, or an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The key. In an array it only names the element.
    pub key: Option<MemberKey>,
    /// Whether a matching key commits to this member (`:` and `^ =>`).
    pub cut: bool,
    /// The value.
    pub value: Type,
}

/// The key of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKey {
    /// One known key: `name:`, `"text" =>`, `1 =>`, `&(alg: 1) =>`.
    Literal(Literal),
    /// Any key of a type: `tstr => any`.
    Type(Type),
}
