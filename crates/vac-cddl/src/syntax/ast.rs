//! The syntax tree of a text as plain data, before names are resolved.
//!
//! Names and comments are slices of the text; every node has the range of bytes
//! it was read from.

use crate::ir::LiteralValue;

/// A range of bytes of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSpan {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

/// One rule: `name<parameters> = body`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule<'a> {
    /// The name that is defined or extended.
    pub name: Name<'a>,
    /// Generic parameters.
    pub parameters: Vec<Name<'a>>,
    /// How the body is assigned to the name.
    pub assignment: Assignment,
    /// The type or group that is assigned.
    pub body: Body<'a>,
    /// The range in the text from the name to the end of the body.
    pub span: TextSpan,
}

/// The way in which a rule assigns its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignment {
    /// `=`
    Define,
    /// `/=`: adds alternatives to a type.
    ExtendType,
    /// `//=`: adds alternatives to a group.
    ExtendGroup,
}

/// The body of a rule. A name, alone or in parentheses, is read as a type here; it is a group if it
/// names one.
#[derive(Clone, Debug, PartialEq)]
pub enum Body<'a> {
    /// A type.
    Type(Type<'a>),
    /// A group entry.
    Group(GroupEntry<'a>),
}

/// A name with its `$` or `$$`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The name as it is written.
    pub text: &'a str,
    /// The range of the name in the text.
    pub span: TextSpan,
}

/// Alternatives separated by `/`; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Type<'a> {
    /// The alternatives.
    pub choices: Vec<Type1<'a>>,
    /// The range in the text of all alternatives.
    pub span: TextSpan,
}

/// A type with at most one operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Type1<'a> {
    /// The type to the left of the operator.
    pub target: Type2<'a>,
    /// The operator and its argument.
    pub operator: Option<Operator<'a>>,
    /// The target, the operator and its argument.
    pub span: TextSpan,
}

/// A range or control operator and its argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator<'a> {
    /// The kind of operator.
    pub kind: OperatorKind<'a>,
    /// The type to the right of the operator.
    pub argument: Type2<'a>,
    /// The operator alone.
    pub span: TextSpan,
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorKind<'a> {
    /// `..`, or `...` without the upper end.
    Range {
        /// Whether the upper end belongs to the range.
        inclusive: bool,
    },
    /// `.name`
    Control(&'a str),
}

/// A type without operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Type2<'a> {
    /// The kind of type.
    pub kind: Type2Kind<'a>,
    /// The range of the type in the text.
    pub span: TextSpan,
}

/// The kind of a [`Type2`].
#[derive(Clone, Debug, PartialEq)]
pub enum Type2Kind<'a> {
    /// A literal.
    Value(LiteralValue),
    /// `name` or `name<arguments>`
    Name(Reference<'a>),
    /// `(type)`
    Parenthesized(Box<Type<'a>>),
    /// `{group}`
    Map(Group<'a>),
    /// `[group]`
    Array(Group<'a>),
    /// `~name`
    Unwrap(Reference<'a>),
    /// `&(group)`
    ChoiceFromGroup(Group<'a>),
    /// `&name`
    ChoiceFromName(Reference<'a>),
    /// `#6.number(content)`
    Tag {
        /// The tag numbers.
        number: HeadNumber<'a>,
        /// The type of the content; `None` is anything.
        content: Option<Box<Type<'a>>>,
    },
    /// `#major.number`; never major type 6.
    Major {
        /// 0 to 5, or 7.
        major: u8,
        /// The additional information or simple value.
        number: HeadNumber<'a>,
    },
    /// `#`
    Any,
}

/// The number in the head of a data item.
#[derive(Clone, Debug, PartialEq)]
pub enum HeadNumber<'a> {
    /// Any number, because none is given.
    Any,
    /// `.18`
    One(u64),
    /// `.<type>`: the numbers that a type matches (RFC 9682 section 3.2).
    Of(Box<Type<'a>>),
}

/// A name in use, with generic arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference<'a> {
    /// The name.
    pub name: Name<'a>,
    /// The arguments between `<` and `>`.
    pub arguments: Vec<Type1<'a>>,
}

/// Alternatives separated by `//`, each a sequence of entries; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'a> {
    /// The alternatives.
    pub choices: Vec<Vec<GroupEntry<'a>>>,
    /// Whether a comma follows an entry. Parentheses with a comma in them are
    /// never a type.
    pub has_comma: bool,
    /// The range in the text, with the brackets around the group.
    pub span: TextSpan,
}

/// One entry of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupEntry<'a> {
    /// The number of occurrences.
    pub occurrence: Option<Occurrence>,
    /// The kind of entry.
    pub kind: EntryKind<'a>,
    /// The range in the text of the occurrence, key and type.
    pub span: TextSpan,
}

/// `?`, `*`, `+` or `min*max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The minimum.
    pub min: u64,
    /// The maximum; `None` is without limit.
    pub max: Option<u64>,
}

/// The kind of a [`GroupEntry`].
#[derive(Clone, Debug, PartialEq)]
pub enum EntryKind<'a> {
    /// `key: type`, `key => type`, or a type alone, which may name a group.
    Member {
        /// The key.
        key: Option<MemberKey<'a>>,
        /// The type of the value.
        value: Type<'a>,
    },
    /// `(group)`, which may be a type in parentheses.
    Group(Group<'a>),
}

/// The key of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKey<'a> {
    /// `name:`
    Bareword(Name<'a>),
    /// `"text":`, `1:`
    Value(LiteralValue),
    /// `type =>`, `type ^ =>`
    Type {
        /// The type that the key matches.
        type1: Box<Type1<'a>>,
        /// Whether there is a `^`.
        cut: bool,
    },
}
