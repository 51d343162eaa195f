//! The keys of maps as constants.
//!
//! Code that names a constant does not compile if the specification renames or removes the key.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use vac_cddl::ir::{Literal, LiteralValue};

use super::types::name_and_lifetime;
use crate::model::{Body, Field, Item, Member, Model, key_name};
use crate::names::Names;
use crate::scalar::integer_token;

/// Emits the list of keys of every map, and the texts that are the only value of a member.
pub fn lists(model: &Model) -> TokenStream {
    maps(model).map(|(item, members, keys)| list(item, members, &keys)).collect()
}

/// Emits a module for every map, with a constant for each key.
pub fn modules(model: &Model) -> TokenStream {
    let mut names = Names::default();
    let modules = maps(model).map(|(item, _, keys)| {
        let name = names.field_name(&item.name.to_string());
        let docs = format!(" The keys of `{}`.", item.name);
        let constants = constants(&keys);
        quote! {
            #[doc = #docs]
            pub mod #name {
                #constants
            }
        }
    });
    modules.collect()
}

/// A key of a map, with the name of its constant.
struct NamedKey<'m> {
    title: String,
    docs: String,
    literal: &'m Literal,
}

/// Returns the maps that have keys.
fn maps(model: &Model) -> impl Iterator<Item = (&Item, &[Member], Vec<NamedKey<'_>>)> {
    model.items.iter().filter_map(|item| {
        let Body::Struct(members) = &item.body else { return None };
        let keys: Vec<NamedKey> = members.iter().flat_map(keys).collect();
        (!keys.is_empty()).then_some((item, members.as_slice(), keys))
    })
}

/// Returns the keys of a member: two, if it has another one in JSON.
fn keys(member: &Member) -> Vec<NamedKey<'_>> {
    match member {
        Member::Field(Field { key, json_key: Some(json_key), .. }) => {
            let name = key_name(json_key);
            let in_encoding = |encoding: &str, literal| NamedKey {
                title: format!("{name}-{encoding}"),
                docs: format!(" The key of `{name}` in {encoding}."),
                literal,
            };
            vec![in_encoding("CBOR", key), in_encoding("JSON", json_key)]
        }
        Member::Field(Field { key, json_key: None, .. }) | Member::Constant { key, .. } => {
            let title = key_name(key);
            vec![NamedKey { docs: format!(" The key `{title}`."), title, literal: key }]
        }
        Member::Rest(_) => Vec::new(),
    }
}

/// Returns the constants that belong to the type itself.
fn list(item: &Item, members: &[Member], keys: &[NamedKey<'_>]) -> TokenStream {
    let name = name_and_lifetime(item, &quote!('_));
    let (ty, values) = key_list(keys);
    let count = Token::usize_unsuffixed(keys.len());
    let mut names = Names::default();
    names.constant_name("keys");
    let fixed = members.iter().filter_map(|member| match member {
        Member::Constant { key, value: LiteralValue::Text(text), .. } => {
            let title = key_name(key);
            let name = names.constant_name(&title);
            let docs = format!(" The only value of the member `{title}`.");
            Some(quote!(#[doc = #docs] pub const #name: &'static str = #text;))
        }
        _ => None,
    });
    quote! {
        impl #name {
            /// The keys that the specification names, in its order.
            pub const KEYS: [#ty; #count] = [#(#values),*];
            #(#fixed)*
        }
    }
}

/// Returns the type of the keys of a map and the keys themselves.
fn key_list(keys: &[NamedKey<'_>]) -> (TokenStream, Vec<TokenStream>) {
    let all = |is_it: fn(&LiteralValue) -> bool| keys.iter().all(|key| is_it(&key.literal.value));
    if all(|value| matches!(value, LiteralValue::Text(_))) {
        return (quote!(&'static str), keys.iter().map(|key| plain(&key.literal.value)).collect());
    }
    if all(|value| matches!(value, LiteralValue::Integer(_))) {
        return (quote!(i128), keys.iter().map(|key| plain(&key.literal.value)).collect());
    }
    let values = keys.iter().map(|key| super::tables::ir_value(&key.literal.value));
    (quote!(::vac_schema::LiteralValue), values.collect())
}

fn plain(value: &LiteralValue) -> TokenStream {
    match value {
        LiteralValue::Text(text) => quote!(#text),
        LiteralValue::Integer(integer) => integer_token(*integer),
        other => super::tables::ir_value(other),
    }
}

/// Returns a constant for each key of a map.
fn constants(keys: &[NamedKey<'_>]) -> TokenStream {
    let mut names = Names::default();
    let constants = keys.iter().map(|NamedKey { title, docs, literal }| {
        let (name, value) = (names.constant_name(title), plain(&literal.value));
        let ty = match &literal.value {
            LiteralValue::Text(_) => quote!(&str),
            LiteralValue::Integer(_) => quote!(i128),
            LiteralValue::Float(_) | LiteralValue::Bytes(_) => quote!(::vac_schema::LiteralValue),
        };
        quote!(#[doc = #docs] pub const #name: #ty = #value;)
    });
    constants.collect()
}
