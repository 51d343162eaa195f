//! The model: the Rust types of a schema, before they are emitted.

mod alternatives;
mod arrays;
mod build;
mod choices;
mod maps;
mod passes;
mod rule_names;

use proc_macro2::Ident;
use vac_cddl::ir::{Literal, LiteralValue, Occurrence};
use vac_schema::{GroupId, PatternId, TypeId};

pub use build::build;
pub use choices::literal_name as key_name;
pub use rule_names::constant_names;

/// All types of a schema.
pub struct Model {
    /// The items in the order of the rules. Parts of a rule follow it.
    pub items: Vec<Item>,
    /// The item of the start rule.
    pub root: usize,
}

/// One type with a name.
pub struct Item {
    /// The Rust name of the type.
    pub name: Ident,
    /// The CDDL rule that it is, or is part of.
    pub rule: String,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// The content of the type.
    pub body: Body,
    /// Whether it borrows from its source.
    pub borrows: bool,
    /// The corresponding entry in the schema's tables.
    pub place: Place,
    /// The group of a map or an array.
    pub group: Option<GroupId>,
}

/// The entry in the schema's tables that corresponds to a named type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A type: the whole body of the rule, or part of it.
    Type(TypeId),
    /// The part of a nullable choice without `null`.
    Value,
    /// A part of a map or an array.
    Group,
}

/// The content of a named type.
pub enum Body {
    /// The shape is not known yet.
    Open,
    /// A single value, as a constant that other code can refer to.
    Constant(LiteralValue),
    /// Another name for a type.
    Alias(Shape),
    /// A type around a type, where an alias would be infinite.
    Newtype(Shape),
    /// A text that matches a regular expression.
    CheckedText(PatternId),
    /// A map.
    Struct(Vec<Member>),
    /// An array of different elements.
    Sequence(Vec<Part>),
    /// A choice.
    Enum(Enum),
}

/// A type without a name of its own.
#[derive(Clone)]
pub enum Shape {
    /// A scalar, or `any`.
    Scalar(Scalar),
    /// A named type.
    Item(usize),
    /// An array of elements of one type.
    Vec(Box<Shape>),
    /// `null` or a value.
    Nullable(Box<Shape>),
    /// A value in a `Box`, where a type would contain itself.
    Boxed(Box<Shape>),
    /// A value with a tag.
    Tagged(u64, Box<Shape>),
    /// A value as CBOR in a byte string.
    Embedded(Box<Shape>),
    /// A map with keys of one type and values of another.
    Table(Box<Shape>, Box<Shape>),
}

/// The scalars of the data model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Any value, kept undecoded.
    Any,
    /// `Text`
    Text,
    /// `Bytes`
    Bytes,
    /// `u64`
    Uint,
    /// `i128`
    Int,
    /// `bool`
    Bool,
    /// `Number`
    Number,
    /// `Null`
    Null,
    /// `Undefined`
    Undefined,
}

/// A member of a map.
pub enum Member {
    /// A field.
    Field(Field),
    /// A member that can have one value only. It is checked and written, but is not a field.
    Constant {
        /// The number of the member in its group.
        number: usize,
        /// The key of the member.
        key: Literal,
        /// The value of the member.
        value: LiteralValue,
    },
    /// All entries whose key is of a type.
    Rest(Rest),
}

/// A member of a map that is a field.
pub struct Field {
    /// The Rust name of the field.
    pub name: Ident,
    /// Its numbers among the members of its group. There are several if groups inside the
    /// group have members with the same key.
    pub numbers: Vec<usize>,
    /// The key of the member.
    pub key: Literal,
    /// The key of the member in JSON, if it differs.
    pub json_key: Option<Literal>,
    /// Whether the key is a type in the schema's tables.
    pub is_by_type: bool,
    /// Whether it is always present.
    pub required: bool,
    /// The type of the member.
    pub shape: Shape,
    /// Lines of documentation.
    pub docs: Vec<String>,
}

/// The members of a map whose keys are of a type.
pub struct Rest {
    /// The Rust name of the field for the members.
    pub name: Ident,
    /// The number of the member in its group.
    pub number: usize,
    /// The type of the keys.
    pub key: Shape,
    /// The type of the values.
    pub value: Shape,
    /// The minimum and maximum number of members.
    pub occurrence: Occurrence,
    /// Lines of documentation.
    pub docs: Vec<String>,
}

/// A part of an array of different elements.
pub struct Part {
    /// The Rust name of the part.
    pub name: Ident,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// The kind of part.
    pub kind: PartKind,
    /// The corresponding entry in the schema's tables.
    pub place: PartPlace,
}

/// The entry in the schema's tables that corresponds to a part of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartPlace {
    /// Elements of a type.
    Type(TypeId),
    /// Groups of elements.
    Group(GroupId),
}

/// The kind of a part of an array.
pub enum PartKind {
    /// One element.
    One(Shape),
    /// One element that can have one value only.
    Constant(LiteralValue),
    /// An optional element.
    Optional(Shape),
    /// Several elements: their type and maximum number.
    Many(Shape, Option<u64>),
    /// A group, which is an item of its own: its minimum and maximum number.
    Group(Shape, u64, Option<u64>),
}

/// A choice.
pub struct Enum {
    /// The variants, in order.
    pub variants: Vec<Variant>,
    /// The choice that the variants are alternatives of.
    pub choice: Choice,
}

/// The choice that the variants of an enum are alternatives of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Literals.
    Literals,
    /// A choice of types.
    Types(TypeId),
    /// The group of a map.
    Members(GroupId),
    /// A group of an array.
    Elements(GroupId),
}

/// One alternative of a choice.
pub struct Variant {
    /// The Rust name of the variant.
    pub name: Ident,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// The content of the variant.
    pub content: Content,
}

/// The content of a variant.
pub enum Content {
    /// No content: the variant is this value, which is one of these alternatives of the choice.
    Literal(LiteralValue, Vec<usize>),
    /// A value of a type, which is one of these alternatives of the choice.
    Value(Shape, Vec<usize>),
}
