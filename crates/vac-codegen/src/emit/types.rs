//! Emits the declarations of the types.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use vac_schema::PatternId;

use super::constructors::has_default;
use crate::model::{
    Body, Choice, Content, Enum, Item, Member, Model, Part, PartKind, Scalar, Shape,
};
use crate::scalar::value_tokens;

/// Returns the declarations of all types.
///
/// `schema` is the path of the tables.
pub fn emit(model: &Model, schema: &TokenStream) -> TokenStream {
    let items = model.items.iter().map(|item| declaration(model, item, schema));
    quote!(#(#items)*)
}

/// Returns a name for the type of the start rule that does not depend on the schema.
pub fn root(model: &Model) -> TokenStream {
    let item = &model.items[model.root];
    if matches!(item.body, Body::Constant(_)) || model.items.iter().any(|item| item.name == "Root")
    {
        return TokenStream::new();
    }
    let lifetime = item.borrows.then(|| quote!(<'a>));
    let name = name_and_lifetime(item, &quote!('a));
    quote! {
        /// The type of the start rule.
        pub type Root #lifetime = #name;
    }
}

fn declaration(model: &Model, item: &Item, schema: &TokenStream) -> TokenStream {
    let docs = doc_lines(&item.docs);
    let name = name_and_lifetime(item, &quote!('a));
    match &item.body {
        Body::Open => TokenStream::new(),
        Body::Constant(value) => {
            let (ty, value) = value_tokens(value);
            quote!(#docs pub const #name: #ty = #value;)
        }
        Body::Alias(shape) => {
            let shape = rust_type(model, shape, &quote!('a));
            quote!(#docs pub type #name = #shape;)
        }
        Body::Newtype(shape) => {
            let shape = rust_type(model, shape, &quote!('a));
            quote! {
                #docs
                #[derive(Clone, Debug, PartialEq)]
                pub struct #name(pub #shape);
            }
        }
        Body::CheckedText(PatternId(pattern)) => {
            let (bare, pattern) = (&item.name, Token::u32_unsuffixed(*pattern));
            quote! {
                #docs
                #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
                pub struct #name(::vac_value::Text<'a>);

                ::vac_schema::checked_text! { #bare, #schema, #pattern }
            }
        }
        Body::Struct(members) => {
            let fields = members.iter().filter_map(|member| match member {
                Member::Constant { .. } => None,
                Member::Field(field) => {
                    let (docs, name) = (doc_lines(&field.docs), &field.name);
                    let shape = rust_type(model, &field.shape, &quote!('a));
                    Some(if field.required {
                        quote!(#docs pub #name: #shape)
                    } else {
                        quote!(#docs pub #name: Option<#shape>)
                    })
                }
                Member::Rest(rest) => {
                    let (docs, name) = (doc_lines(&rest.docs), &rest.name);
                    let key = rust_type(model, &rest.key, &quote!('a));
                    let value = rust_type(model, &rest.value, &quote!('a));
                    Some(quote!(#docs pub #name: ::vac_value::Map<#key, #value>))
                }
            });
            let default = has_default(members).then(|| quote!(Default,));
            quote! {
                #docs
                #[derive(Clone, Debug, #default PartialEq)]
                pub struct #name { #(#fields),* }
            }
        }
        Body::Sequence(parts) => {
            let fields = parts.iter().filter_map(|part| part_field(model, part));
            quote! {
                #docs
                #[derive(Clone, Debug, PartialEq)]
                pub struct #name { #(#fields),* }
            }
        }
        Body::Enum(choice) => {
            let literal = |content: &Content| matches!(content, Content::Literal(..));
            let plain = choice.variants.iter().all(|variant| literal(&variant.content));
            let derive = if plain {
                quote!(#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)])
            } else {
                let allow = has_structs(model, choice)
                    .then(|| quote!(#[allow(clippy::large_enum_variant)]));
                quote!(#[derive(Clone, Debug, PartialEq)] #allow)
            };
            let variants = choice.variants.iter().map(|variant| {
                let (docs, name) = (doc_lines(&variant.docs), &variant.name);
                match &variant.content {
                    Content::Literal(..) => quote!(#docs #name),
                    Content::Value(shape, _) => {
                        let shape = rust_type(model, shape, &quote!('a));
                        quote!(#docs #name(#shape))
                    }
                }
            });
            quote!(#docs #derive pub enum #name { #(#variants),* })
        }
    }
}

/// Returns whether a variant may contain a struct, which can be much larger than the other
/// variants.
fn has_structs(model: &Model, choice: &Enum) -> bool {
    choice.variants.iter().any(|variant| match &variant.content {
        Content::Value(shape, _) => contains_item(model, shape),
        Content::Literal(..) => false,
    })
}

fn contains_item(model: &Model, shape: &Shape) -> bool {
    match shape {
        Shape::Item(item) => match &model.items[*item].body {
            Body::Alias(inner) | Body::Newtype(inner) => contains_item(model, inner),
            Body::Enum(choice) => choice.choice != Choice::Literals,
            Body::Struct(_) | Body::Sequence(_) => true,
            Body::Open | Body::Constant(_) | Body::CheckedText(_) => false,
        },
        Shape::Nullable(inner) | Shape::Tagged(_, inner) | Shape::Embedded(inner) => {
            contains_item(model, inner)
        }
        Shape::Scalar(_) | Shape::Vec(_) | Shape::Boxed(_) | Shape::Table(..) => false,
    }
}

/// Returns the field of a part of an array, unless the part can have one value only.
fn part_field(model: &Model, part: &Part) -> Option<TokenStream> {
    let (docs, name) = (doc_lines(&part.docs), &part.name);
    let shape = part_type(model, part)?;
    Some(quote!(#docs pub #name: #shape))
}

/// Returns the type of a part of an array, unless the part can have one value only.
pub fn part_type(model: &Model, part: &Part) -> Option<TokenStream> {
    let of = |shape: &Shape| rust_type(model, shape, &quote!('a));
    Some(match &part.kind {
        PartKind::Constant(_) => return None,
        PartKind::One(shape) => of(shape),
        PartKind::Optional(shape) => {
            let shape = of(shape);
            quote!(Option<#shape>)
        }
        PartKind::Many(shape, ..) => {
            let shape = of(shape);
            quote!(Vec<#shape>)
        }
        PartKind::Group(shape, min, max) => {
            let group = of(shape);
            match (min, max) {
                (1, Some(1)) => group,
                (0, Some(1)) => quote!(Option<#group>),
                _ => quote!(Vec<#group>),
            }
        }
    })
}

fn doc_lines(lines: &[String]) -> TokenStream {
    let mut in_code = false;
    let lines = sentences(lines);
    let lines = lines.iter().map(|line| {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        let text = if in_code { line.clone() } else { prose(line) };
        let text = if text.is_empty() { text } else { format!(" {text}") };
        quote!(#[doc = #text])
    });
    quote!(#(#lines)*)
}

/// Returns a comment as sentences: it begins with a capital letter and ends with a full stop.
fn sentences(lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    let end = lines.iter().position(|line| line.is_empty() || line.starts_with("```"));
    let end = end.unwrap_or(lines.len());
    let comment = &mut lines[..end];
    if let Some(first) = comment.first_mut()
        && let Some(letter) = first.chars().next()
    {
        // A word with capitals or digits inside is a name and stays as it is.
        let word = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(first);
        if word.chars().all(char::is_lowercase) {
            first.replace_range(..letter.len_utf8(), &letter.to_uppercase().to_string());
        }
    }
    if let Some(last) = comment.last_mut()
        && !last.ends_with(['.', '!', '?', ':'])
    {
        last.push('.');
    }
    lines
}

/// Returns the text of a comment in which Markdown finds no links or tags.
fn prose(line: &str) -> String {
    let mut in_code = false;
    let mut text = String::new();
    for character in line.chars() {
        match character {
            '`' => in_code = !in_code,
            '[' | ']' | '<' | '*' | '_' if !in_code => text.push('\\'),
            _ => {}
        }
        text.push(character);
    }
    text
}

/// Returns the name of a type with its lifetime: `Record<'a>`, or `Label` if it borrows nothing.
pub fn name_and_lifetime(item: &Item, lifetime: &TokenStream) -> TokenStream {
    let name = &item.name;
    if item.borrows { quote!(#name<#lifetime>) } else { quote!(#name) }
}

/// Returns a shape in Rust.
pub fn rust_type(model: &Model, shape: &Shape, lifetime: &TokenStream) -> TokenStream {
    match shape {
        Shape::Scalar(scalar) => match scalar {
            Scalar::Any => quote!(::vac_value::Any<#lifetime>),
            Scalar::Text => quote!(::vac_value::Text<#lifetime>),
            Scalar::Bytes => quote!(::vac_value::Bytes<#lifetime>),
            Scalar::Uint => quote!(u64),
            Scalar::Int => quote!(i128),
            Scalar::Bool => quote!(bool),
            Scalar::Number => quote!(::vac_value::Number<#lifetime>),
            Scalar::Null => quote!(::vac_value::Null),
            Scalar::Undefined => quote!(::vac_value::Undefined),
        },
        Shape::Item(item) => name_and_lifetime(&model.items[*item], lifetime),
        Shape::Vec(inner) => {
            let inner = rust_type(model, inner, lifetime);
            quote!(Vec<#inner>)
        }
        Shape::Nullable(inner) => {
            let inner = rust_type(model, inner, lifetime);
            quote!(Option<#inner>)
        }
        Shape::Boxed(inner) => {
            let inner = rust_type(model, inner, lifetime);
            quote!(Box<#inner>)
        }
        Shape::Tagged(number, inner) => {
            let (number, inner) =
                (Token::u64_unsuffixed(*number), rust_type(model, inner, lifetime));
            quote!(::vac_value::Tagged<#number, #inner>)
        }
        Shape::Embedded(inner) => {
            let inner = rust_type(model, inner, lifetime);
            quote!(::vac_value::Embedded<#lifetime, #inner>)
        }
        Shape::Table(key, value) => {
            let key = rust_type(model, key, lifetime);
            let value = rust_type(model, value, lifetime);
            quote!(::vac_value::Map<#key, #value>)
        }
    }
}
