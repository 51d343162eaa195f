//! The keys of maps as constants.
//!
//! Code that names a constant does not compile when the specification renames or loses
//! the key.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use vac_cddl::ir::{Literal, Value};

use super::types::name_and_lifetime;
use crate::model::{Body, Item, Member, Model, key_name};
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

/// The maps that have keys.
fn maps(model: &Model) -> impl Iterator<Item = (&Item, &[Member], Vec<&Literal>)> {
    model.items.iter().filter_map(|item| {
        let Body::Struct(members) = &item.body else { return None };
        let keys: Vec<&Literal> = members.iter().filter_map(key).collect();
        (!keys.is_empty()).then_some((item, members.as_slice(), keys))
    })
}

fn key(member: &Member) -> Option<&Literal> {
    match member {
        Member::Field(field) => Some(&field.key),
        Member::Constant { key, .. } => Some(key),
        Member::Rest(_) => None,
    }
}

/// The constants that belong to the type itself.
fn list(item: &Item, members: &[Member], keys: &[&Literal]) -> TokenStream {
    let name = name_and_lifetime(item, &quote!('_));
    let (ty, values) = key_list(keys);
    let count = Token::usize_unsuffixed(keys.len());
    let mut names = Names::default();
    names.constant_name("keys");
    let fixed = members.iter().filter_map(|member| match member {
        Member::Constant { key, value: Value::Text(text), .. } => {
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

/// The type of the keys of a map and the keys themselves.
fn key_list(keys: &[&Literal]) -> (TokenStream, Vec<TokenStream>) {
    if keys.iter().all(|key| matches!(key.value, Value::Text(_))) {
        return (quote!(&'static str), keys.iter().map(|key| plain(&key.value)).collect());
    }
    if keys.iter().all(|key| matches!(key.value, Value::Integer(_))) {
        return (quote!(i128), keys.iter().map(|key| plain(&key.value)).collect());
    }
    let values = keys.iter().map(|key| super::tables::ir_value(&key.value));
    (quote!(::vac_schema::Value), values.collect())
}

fn plain(value: &Value) -> TokenStream {
    match value {
        Value::Text(text) => quote!(#text),
        Value::Integer(integer) => integer_token(*integer),
        other => super::tables::ir_value(other),
    }
}

/// A constant for each key of a map.
fn constants(keys: &[&Literal]) -> TokenStream {
    let mut names = Names::default();
    let constants = keys.iter().map(|key| {
        let title = key_name(key);
        let (name, value) = (names.constant_name(&title), plain(&key.value));
        let ty = match &key.value {
            Value::Text(_) => quote!(&str),
            Value::Integer(_) => quote!(i128),
            Value::Float(_) | Value::Bytes(_) => quote!(::vac_schema::Value),
        };
        let docs = format!(" The key `{title}`.");
        quote!(#[doc = #docs] pub const #name: #ty = #value;)
    });
    constants.collect()
}
