//! Conversions into enums from what their variants contain.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use vac_cddl::ir::LiteralValue;

use super::types::{name_and_lifetime, rust_type};
use crate::model::{Body, Choice, Content, Enum, Item, Model, Scalar, Shape, Variant};

/// Emits `From`, `TryFrom` and `FromStr` for enums.
pub fn emit(model: &Model) -> TokenStream {
    let items = model.items.iter().filter_map(|item| match &item.body {
        Body::Enum(choice) if choice.choice == Choice::Literals => text_enum(item, choice),
        Body::Enum(choice) if matches!(choice.choice, Choice::Types(_) | Choice::Members(_)) => {
            Some(conversions(model, item, choice))
        }
        _ => None,
    });
    items.collect()
}

fn conversions(model: &Model, item: &Item, choice: &Enum) -> TokenStream {
    let values: Vec<(&Ident, &Shape)> = choice
        .variants
        .iter()
        .filter_map(|variant| match &variant.content {
            Content::Value(shape, _) => Some((&variant.name, shape)),
            Content::Literal(..) => None,
        })
        .collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, shape) in &values {
        *counts.entry(resolved(model, shape).to_string()).or_default() += 1;
    }
    let is_unique = |shape: &Shape| counts[&resolved(model, shape).to_string()] == 1;
    let name = name_and_lifetime(item, &quote!('a));
    let lifetime = item.borrows.then(|| quote!(<'a>));
    let froms = values.iter().filter(|(_, shape)| is_unique(shape)).map(|(variant, shape)| {
        let (content, value) = match shape {
            Shape::Boxed(inner) => (rust_type(model, inner, &quote!('a)), quote!(Box::new(value))),
            shape => (rust_type(model, shape, &quote!('a)), quote!(value)),
        };
        quote! {
            impl #lifetime From<#content> for #name {
                fn from(value: #content) -> Self {
                    Self::#variant(#value)
                }
            }
        }
    });
    let text = text_conversions(model, item, choice, &values);
    quote!(#(#froms)* #text)
}

/// Returns the conversions between an enum and the texts that its values are.
fn text_enum(item: &Item, choice: &Enum) -> Option<TokenStream> {
    let texts: Option<Vec<_>> = choice.variants.iter().map(literal_text).collect();
    let variants = texts?.into_iter().map(|(name, text)| quote!(#name = #text));
    let name = &item.name;
    Some(quote!(::vac_schema::text_enum! { #name: #(#variants),* }))
}

/// Returns the text of a variant that is a text literal.
fn literal_text(variant: &Variant) -> Option<(&Ident, &str)> {
    match &variant.content {
        Content::Literal(LiteralValue::Text(text), _) => Some((&variant.name, text)),
        Content::Literal(..) | Content::Value(..) => None,
    }
}

/// Returns whether a shape is an enum of texts.
pub fn is_text_enum(model: &Model, shape: &Shape) -> bool {
    let Shape::Item(at) = target(model, shape) else { return false };
    match &model.items[*at].body {
        Body::Enum(choice) => {
            choice.choice == Choice::Literals
                && choice.variants.iter().all(|variant| literal_text(variant).is_some())
        }
        _ => false,
    }
}

/// Returns the conversions of strings, if one variant is for text. Variants for single texts come
/// first.
fn text_conversions(
    model: &Model,
    item: &Item,
    choice: &Enum,
    values: &[(&Ident, &Shape)],
) -> TokenStream {
    let texts = values.iter().filter_map(|(variant, shape)| match target(model, shape) {
        Shape::Scalar(Scalar::Text) => Some((*variant, None)),
        Shape::Item(at) => match &model.items[*at].body {
            Body::CheckedText(_) => Some((*variant, Some(&model.items[*at].name))),
            _ => None,
        },
        _ => None,
    });
    let texts: Vec<_> = texts.collect();
    let name = &item.name;
    let literals: Vec<_> = choice
        .variants
        .iter()
        .filter_map(literal_text)
        .map(|(variant, text)| quote!(#text => Self::#variant))
        .collect();
    let or_literal = |text: TokenStream, otherwise: TokenStream| match literals.as_slice() {
        [] => otherwise,
        literals => quote!(match #text { #(#literals,)* _ => #otherwise }),
    };
    match texts.as_slice() {
        [(variant, None)] => {
            let borrowed = or_literal(quote!(text), quote!(Self::#variant(text.into())));
            let owned = or_literal(quote!(text.as_str()), quote!(Self::#variant(text.into())));
            quote! {
                impl<'a> From<&'a str> for #name<'a> {
                    fn from(text: &'a str) -> Self {
                        #borrowed
                    }
                }

                impl From<String> for #name<'_> {
                    fn from(text: String) -> Self {
                        #owned
                    }
                }
            }
        }
        [(variant, Some(checked))] => quote! {
            impl<'a> TryFrom<&'a str> for #name<'a> {
                type Error = ::vac_schema::InvalidText;

                fn try_from(text: &'a str) -> Result<Self, Self::Error> {
                    #checked::new(text).map(Self::#variant)
                }
            }

            impl ::std::str::FromStr for #name<'_> {
                type Err = ::vac_schema::InvalidText;

                fn from_str(text: &str) -> Result<Self, Self::Err> {
                    text.parse().map(Self::#variant)
                }
            }
        },
        _ => TokenStream::new(),
    }
}

/// Returns the shape that an alias refers to.
pub fn target<'m>(model: &'m Model, shape: &'m Shape) -> &'m Shape {
    match shape {
        Shape::Item(item) => match &model.items[*item].body {
            Body::Alias(inner) => target(model, inner),
            _ => shape,
        },
        _ => shape,
    }
}

/// Returns a shape in Rust, with aliases replaced by the types that they name.
pub fn resolved(model: &Model, shape: &Shape) -> TokenStream {
    match target(model, shape) {
        Shape::Vec(inner) => {
            let inner = resolved(model, inner);
            quote!(Vec<#inner>)
        }
        Shape::Nullable(inner) => {
            let inner = resolved(model, inner);
            quote!(Option<#inner>)
        }
        Shape::Boxed(inner) => resolved(model, inner),
        Shape::Tagged(number, inner) => {
            let inner = resolved(model, inner);
            quote!(Tagged<#number, #inner>)
        }
        Shape::Embedded(inner) => {
            let inner = resolved(model, inner);
            quote!(Embedded<#inner>)
        }
        Shape::Table(key, value) => {
            let (key, value) = (resolved(model, key), resolved(model, value));
            quote!(Table<#key, #value>)
        }
        shape @ (Shape::Scalar(_) | Shape::Item(_)) => rust_type(model, shape, &quote!('a)),
    }
}
