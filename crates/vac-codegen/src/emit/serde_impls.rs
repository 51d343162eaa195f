//! serde, for those who have a serializer of their own.

use proc_macro2::TokenStream;
use quote::quote;

use super::types::name_and_lifetime;
use crate::model::{Body, Item, Model};

/// `Serialize` and `Deserialize` for all types.
pub fn emit(model: &Model) -> TokenStream {
    let items = model.items.iter().map(implementation);
    quote!(#(#items)*)
}

fn implementation(item: &Item) -> TokenStream {
    if matches!(item.body, Body::Open | Body::Constant(_) | Body::Alias(_)) {
        return TokenStream::new();
    }
    let name = name_and_lifetime(item, &quote!('_));
    quote! {
        impl serde::Serialize for #name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                vac_value::bridge::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for #name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                vac_value::bridge::deserialize(deserializer)
            }
        }
    }
}
