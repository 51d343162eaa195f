//! A schema as flat tables: rules, types and groups that refer to each other by index.
//!
//! Every part can be written as a constant, so that a code generator can print the tables
//! of [`crate::builder::Builder`] as a `static`. Two schemas are equal if their tables are.

use std::borrow::Cow;

use vac_value::Kind;

use crate::abnf::Grammar;
use crate::pattern::Pattern;
use crate::printf::Format;
use crate::text_encoding::TextEncoding;

/// A list, which is borrowed in a constant and owned in a schema built at run time.
pub type TableList<T> = Cow<'static, [T]>;

/// A text, which is borrowed in a constant and owned in a schema built at run time.
pub type TableText = Cow<'static, str>;

/// A schema: the rules that the documents of a format have to satisfy.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The named types.
    pub rules: TableList<Rule>,
    /// All types; rules, members and other types refer to them by index.
    pub types: TableList<Type>,
    /// The contents of maps and arrays.
    pub groups: TableList<Group>,
    /// The regular expressions of `.regexp`.
    pub patterns: TableList<Pattern>,
    /// The rule that a whole document has to satisfy.
    pub root: RuleId,
}

/// An index into [`Schema::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

/// An index into [`Schema::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// An index into [`Schema::groups`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub u32);

/// An index into [`Schema::patterns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub u32);

/// A named type.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The name in the specification; an instance of a generic rule is called
    /// `name<argument, ...>`.
    pub name: TableText,
    /// The type that the rule names.
    pub body: TypeId,
    /// Whether it belongs to the standard prelude (RFC 8610 appendix D). Messages then name
    /// the rule that refers to it.
    pub is_prelude: bool,
}

/// A type, with the facts about it that the matcher needs at every visit.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// The values that it accepts.
    pub kind: TypeKind,
    /// The kinds of nodes that it can accept.
    pub kinds: Kinds,
    /// Whether a match is decided without the content of a node: neither the type nor anything it
    /// refers to looks inside a container, a tag or a byte string.
    pub is_scalar: bool,
}

/// The values that a type accepts.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// Any value.
    Any,
    /// Accepts what a rule accepts.
    Rule(RuleId),
    /// A single value.
    Literal(LiteralValue),
    /// Numbers from `low` to `high`. Both are integers, or both are floats.
    Range {
        /// The lower end, which is included.
        low: LiteralValue,
        /// The upper end.
        high: LiteralValue,
        /// Whether the upper end is included.
        is_inclusive: bool,
    },
    /// Values that one of several alternatives accepts. The first one that matches is taken.
    Choice {
        /// The alternatives, in order.
        alternatives: TableList<TypeId>,
        /// The member that decides between alternatives that are maps.
        selector: Option<Selector>,
        /// The literals among many alternatives.
        literals: Option<Literals>,
    },
    /// Maps whose entries a group matches.
    Map(GroupId),
    /// Arrays whose elements a group matches.
    Array(GroupId),
    /// `#major` and `#major.info` except major type 6.
    Major {
        /// 0 to 5, or 7.
        major: u8,
        /// The argument, the length, or the simple value.
        info: Option<u64>,
    },
    /// `#7.<type>`: simple values whose number a type accepts.
    Simple(TypeId),
    /// Tagged values.
    Tag {
        /// The tag numbers.
        number: TagNumber,
        /// The type of the content.
        content: TypeId,
    },
    /// Values that `target` and a control operator accept.
    Control {
        /// The controlled type.
        target: TypeId,
        /// The operator and its argument.
        control: Control,
    },
}

/// The numbers of a tag type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagNumber {
    /// `#6(...)`: any number.
    Any,
    /// `#6.18(...)`: this number.
    Exactly(u64),
    /// `#6.<type>(...)`: numbers that a type accepts.
    Matching(TypeId),
}

/// A control operator and its argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// `.size`: strings with a number of bytes that a type accepts, or unsigned integers that fit
    /// into such a number of bytes.
    Size(TypeId),
    /// `.bits`: values in which only bits are set whose numbers a type accepts.
    Bits(TypeId),
    /// `.regexp`: text that matches a regular expression.
    Regexp(PatternId),
    /// `.cbor`: a byte string that contains a CBOR item which a type accepts.
    Cbor(TypeId),
    /// `.cborseq`: a byte string that contains a CBOR sequence which a type accepts as an array.
    Cborseq(TypeId),
    /// `.within` and `.and`: values that another type accepts as well.
    And(TypeId),
    /// `.lt`: numbers less than a value.
    Less(LiteralValue),
    /// `.le`: numbers less than or equal to a value.
    AtMost(LiteralValue),
    /// `.gt`: numbers greater than a value.
    Greater(LiteralValue),
    /// `.ge`: numbers greater than or equal to a value.
    AtLeast(LiteralValue),
    /// `.eq`: a value equal to this one.
    Equal(LiteralValue),
    /// `.ne`: values other than this one.
    NotEqual(LiteralValue),
    /// `.ne` with a value that is not a number, a text or bytes, given as a type that accepts only
    /// this value.
    Not(TypeId),
    /// `.feature`: the name of the feature that a match uses.
    Feature(TableText),
    /// `.b64u` and the like: text that encodes bytes which a type accepts.
    Encoded(TextEncoding, TypeId),
    /// `.base10`: text that is an integer which a type accepts.
    Base10(TypeId),
    /// `.printf`: text in a format, and the types of its data items.
    Printf(Format, TableList<TypeId>),
    /// `.json`: text that contains a JSON document which a type accepts.
    Json(TypeId),
    /// `.join`: a string that consists of the elements of an array of this type.
    Join(TypeId),
    /// `.abnf` and `.abnfb`: strings that a grammar generates.
    Abnf(Grammar),
}

/// A single value.
#[derive(Clone, Debug, PartialEq)]
pub enum LiteralValue {
    /// An integer from -2^64 to 2^64 - 1.
    Integer(i128),
    /// A float.
    Float(f64),
    /// Text.
    Text(TableText),
    /// A byte string.
    Bytes(TableList<u8>),
}

/// The alternatives of a choice, sorted so that a literal is found without trying each.
#[derive(Clone, Debug, PartialEq)]
pub struct Literals {
    /// The integers, in ascending order.
    pub integers: TableList<i128>,
    /// The texts, in ascending order of their bytes.
    pub texts: TableList<TableText>,
    /// All other alternatives, in the order of the choice.
    pub others: TableList<TypeId>,
}

/// A required member whose value is different in each map of a choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// The member's key.
    pub key: LiteralKey,
    /// The member's values, and the alternative that each belongs to.
    pub cases: TableList<Case>,
}

/// One value of a [`Selector`].
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The member's value.
    pub value: LiteralValue,
    /// The map that has it.
    pub alternative: TypeId,
}

/// The content of a map or an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The alternatives, in order.
    pub choices: TableList<Sequence>,
}

/// One alternative of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The elements of the alternative, in order.
    pub elements: TableList<Element>,
    /// Whether it has at most 64 elements, all of them members. A map of that form is
    /// matched in one pass.
    pub is_flat: bool,
}

/// One element of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The minimum number of occurrences.
    pub min: u64,
    /// The maximum number of occurrences; `u64::MAX` is unlimited.
    pub max: u64,
    /// The member or the group.
    pub kind: ElementKind,
}

/// The kind of an element of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementKind {
    /// An entry of a map or an element of an array.
    Member {
        /// The key. In an array it only names the element.
        key: MemberKey,
        /// Whether a matching key commits to this member.
        is_cut: bool,
        /// The type of the value.
        value: TypeId,
    },
    /// A group within the group.
    Group(GroupId),
}

/// The key of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKey {
    /// No key.
    None,
    /// One key.
    Literal(LiteralKey),
    /// Any key of a type.
    Type(TypeId),
}

/// A literal key, with the name that the specification gives to it.
#[derive(Clone, Debug, PartialEq)]
pub struct LiteralKey {
    /// The key.
    pub value: LiteralValue,
    /// The name of the key if it is not text. Can be empty.
    pub name: TableText,
}

/// A set of [`Kind`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(pub u16);

impl Kinds {
    /// No kind.
    pub const NONE: Self = Self(0);
    /// Every kind.
    pub const ALL: Self = Self(u16::MAX);

    /// Returns the set of one kind.
    pub const fn from_kind(kind: Kind) -> Self {
        Self(1 << kind as u16)
    }

    /// Returns the kinds that are in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether a kind is in the set.
    #[inline]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }
}
