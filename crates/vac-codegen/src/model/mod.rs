//! The Rust types that a schema becomes, before they are written down.

mod arrays;
mod build;
mod choices;
mod maps;
mod passes;

use proc_macro2::{Ident, TokenStream};
use vac_cddl::ir::{Literal, Occurrence, Value};

use crate::scalar::Patterns;

pub use build::build;

/// All types of a schema.
pub struct Model {
    /// In the order of the rules; parts of a rule follow it.
    pub items: Vec<Item>,
    /// The item of the start rule.
    pub root: usize,
    /// The regular expressions that decoders need.
    pub patterns: Patterns,
}

/// One type with a name.
pub struct Item {
    /// Its Rust name.
    pub name: Ident,
    /// The CDDL rule it is, or is part of.
    pub rule: String,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// What it is.
    pub body: Body,
    /// Whether it borrows from its source.
    pub borrows: bool,
}

/// What a named type is.
pub enum Body {
    /// Not known yet.
    Open,
    /// A single value, for those who want to refer to it.
    Constant(Value),
    /// Another name for a type.
    Alias(Shape),
    /// A type around a type, where an alias would be infinite.
    Newtype(Shape),
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
    Scalar(Scalar, Option<Guard>),
    /// A named type.
    Item(usize),
    /// An array of elements of one type: at least, at most.
    Vec(Box<Shape>, u64, Option<u64>),
    /// `null` or a value.
    Nullable(Box<Shape>),
    /// Behind a pointer, where a type would contain itself.
    Boxed(Box<Shape>),
    /// Under a tag.
    Tagged(u64, Box<Shape>),
    /// As CBOR in a byte string.
    Embedded(Box<Shape>),
    /// A map of any keys and values: at least, at most.
    Table(Box<Shape>, Box<Shape>, Occurrence),
}

/// The scalars of the data model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Anything, carried as it is.
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

/// What a scalar has to satisfy besides its Rust type.
#[derive(Clone)]
pub struct Guard {
    /// An expression over `node`.
    pub predicate: TokenStream,
    /// What a message says was expected.
    pub expected: String,
}

/// A member of a map.
pub enum Member {
    /// A field.
    Field(Field),
    /// A member that can have one value only: checked, written, but no field.
    Constant {
        /// Its key.
        key: Literal,
        /// Its value.
        value: Value,
    },
    /// Everything whose key is of a type.
    Rest(Rest),
}

/// A member of a map that is a field.
pub struct Field {
    /// Its Rust name.
    pub name: Ident,
    /// Its key.
    pub key: Literal,
    /// Whether it has to be there.
    pub required: bool,
    /// Whether a wrong value under its key is an error, or an extension.
    pub cut: bool,
    /// Its type.
    pub shape: Shape,
    /// Lines of documentation.
    pub docs: Vec<String>,
}

/// The members of a map whose keys are of a type.
pub struct Rest {
    /// Its Rust name.
    pub name: Ident,
    /// The type of the keys.
    pub key: Shape,
    /// The type of the values.
    pub value: Shape,
    /// Whether a wrong value under such a key is an error.
    pub cut: bool,
    /// At least and at most so many.
    pub occurrence: Occurrence,
    /// Lines of documentation.
    pub docs: Vec<String>,
}

/// A part of an array of different elements.
pub struct Part {
    /// Its Rust name.
    pub name: Ident,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// What it is.
    pub kind: PartKind,
}

/// What a part of an array is.
pub enum PartKind {
    /// One element.
    One(Shape),
    /// One element that can have one value only.
    Constant(Value),
    /// An element that may be there.
    Optional(Shape),
    /// Several elements: at least, at most.
    Many(Shape, u64, Option<u64>),
    /// A group, which is an item of its own: at least, at most.
    Group(usize, u64, Option<u64>),
}

/// A choice.
pub struct Enum {
    /// In order.
    pub variants: Vec<Variant>,
    /// The member that tells them apart, with its values for each variant.
    pub select: Option<(Literal, Vec<Vec<Literal>>)>,
    /// Whether the variants are groups inside an array.
    pub of_sequences: bool,
    /// What a message says was expected.
    pub expected: String,
}

/// One alternative of a choice.
pub struct Variant {
    /// Its Rust name.
    pub name: Ident,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// What it holds.
    pub content: Content,
}

/// What a variant holds.
pub enum Content {
    /// Nothing: it is this very value. The expression says whether a node is.
    Literal(Value, TokenStream),
    /// A value of a type, which only nodes of these kinds can be.
    Value(Shape, Vec<&'static str>),
}
