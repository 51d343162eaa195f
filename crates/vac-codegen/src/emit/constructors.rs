//! Emits constructors: `new` takes the required members.

use proc_macro2::TokenStream;
use quote::quote;

use super::types::{name_and_lifetime, part_type, rust_type};
use crate::model::{Body, Item, Member, Model, Part, PartKind, Place};

/// Names of arguments that clippy reports as placeholders.
const PLACEHOLDERS: [&str; 3] = ["foo", "baz", "quux"];

/// The maximum number of arguments that clippy allows.
const MAX_ARGUMENTS: usize = 7;

/// Emits `new` for maps and arrays that have required members, and `FromStr` for all.
pub fn emit(model: &Model) -> TokenStream {
    let constructors = model.items.iter().map(|item| match &item.body {
        Body::Struct(members) => map_constructor(model, item, members),
        Body::Sequence(parts) => array_constructor(model, item, parts),
        _ => TokenStream::new(),
    });
    let is_decoded = |item: &&Item| {
        matches!(item.body, Body::Struct(_) | Body::Sequence(_))
            && matches!(item.place, Place::Type(_))
    };
    let parsed: Vec<_> = model
        .items
        .iter()
        .filter(is_decoded)
        .map(|item| name_and_lifetime(item, &quote!('a)))
        .collect();
    let parsed =
        (!parsed.is_empty()).then(|| quote!(::vac_schema::parsed_as_json! { #(#parsed;)* }));
    quote!(#parsed #(#constructors)*)
}

/// Returns whether `Default` is valid for a map: no required member lacks an obvious value.
pub fn has_default(members: &[Member]) -> bool {
    members.iter().all(|member| match member {
        Member::Constant { .. } => true,
        Member::Field(field) => !field.required,
        Member::Rest(rest) => rest.occurrence.min == 0,
    })
}

fn map_constructor(model: &Model, item: &Item, members: &[Member]) -> TokenStream {
    if has_default(members) {
        return TokenStream::new();
    }
    let mut arguments = Vec::new();
    let mut fields = Vec::new();
    for member in members {
        match member {
            Member::Constant { .. } => {}
            Member::Field(field) if field.required => {
                let (name, ty) = (&field.name, rust_type(model, &field.shape, &quote!('a)));
                arguments.push(quote!(#name: impl Into<#ty>));
                fields.push(quote!(#name: #name.into()));
            }
            Member::Field(field) => {
                let name = &field.name;
                fields.push(quote!(#name: None));
            }
            Member::Rest(rest) if rest.occurrence.min > 0 => {
                let name = &rest.name;
                let key = rust_type(model, &rest.key, &quote!('a));
                let value = rust_type(model, &rest.value, &quote!('a));
                arguments.push(quote!(#name: impl Into<::vac_value::Map<#key, #value>>));
                fields.push(quote!(#name: #name.into()));
            }
            Member::Rest(rest) => {
                let name = &rest.name;
                fields.push(quote!(#name: ::vac_value::Map::default()));
            }
        }
    }
    let docs = " Creates a value from its required members. Everything else is absent.";
    constructor(item, docs, &arguments, &fields)
}

fn array_constructor(model: &Model, item: &Item, parts: &[Part]) -> TokenStream {
    let mut arguments = Vec::new();
    let mut fields = Vec::new();
    for part in parts {
        let name = &part.name;
        match &part.kind {
            PartKind::Constant(_) => {}
            PartKind::Optional(_) | PartKind::Group(_, 0, Some(1)) => {
                fields.push(quote!(#name: None));
            }
            PartKind::One(_) | PartKind::Many(..) | PartKind::Group(..) => {
                let Some(ty) = part_type(model, part) else { continue };
                arguments.push(quote!(#name: impl Into<#ty>));
                fields.push(quote!(#name: #name.into()));
            }
        }
    }
    if arguments.is_empty() {
        return TokenStream::new();
    }
    let docs = " Creates a value of its elements. Optional elements are absent.";
    constructor(item, docs, &arguments, &fields)
}

fn constructor(
    item: &Item,
    docs: &str,
    arguments: &[TokenStream],
    fields: &[TokenStream],
) -> TokenStream {
    let name = name_and_lifetime(item, &quote!('a));
    let lifetime = item.borrows.then(|| quote!(<'a>));
    let allowed =
        (arguments.len() > MAX_ARGUMENTS).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let has_placeholder = arguments.iter().any(|argument| {
        let name = argument.clone().into_iter().next().map(|name| name.to_string());
        name.is_some_and(|name| PLACEHOLDERS.contains(&&*name))
    });
    let placeholder = has_placeholder.then(|| quote!(#[allow(clippy::disallowed_names)]));
    quote! {
        impl #lifetime #name {
            #[doc = #docs]
            #allowed
            #placeholder
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#fields),* }
            }
        }
    }
}
