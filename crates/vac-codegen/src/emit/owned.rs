//! Emits `IntoOwned`: conversions to values that borrow nothing.

use proc_macro2::TokenStream;
use quote::quote;

use super::types::name_and_lifetime;
use crate::model::{Body, Content, Item, Member, Model, PartKind};

/// Emits `IntoOwned` for all types.
pub fn emit(model: &Model) -> TokenStream {
    let items = model.items.iter().map(implementation);
    quote!(#(#items)*)
}

fn implementation(item: &Item) -> TokenStream {
    let bare = &item.name;
    let body = match &item.body {
        Body::Open | Body::Constant(_) | Body::Alias(_) | Body::CheckedText(_) => {
            return TokenStream::new();
        }
        _ if !item.borrows => quote!(self),
        Body::Newtype(_) => quote!(#bare(::vac_value::into_owned(self.0))),
        Body::Struct(members) => {
            let fields = members.iter().filter_map(|member| match member {
                Member::Field(field) => Some(&field.name),
                Member::Rest(rest) => Some(&rest.name),
                Member::Constant { .. } => None,
            });
            quote!(#bare { #(#fields: ::vac_value::into_owned(self.#fields)),* })
        }
        Body::Sequence(parts) => {
            let fields = parts
                .iter()
                .filter(|part| !matches!(part.kind, PartKind::Constant(_)))
                .map(|part| &part.name);
            quote!(#bare { #(#fields: ::vac_value::into_owned(self.#fields)),* })
        }
        Body::Enum(choice) => {
            let cases = choice.variants.iter().map(|variant| {
                let name = &variant.name;
                match &variant.content {
                    Content::Literal(..) => quote!(Self::#name => #bare::#name),
                    Content::Value(..) => {
                        quote!(Self::#name(value) => #bare::#name(::vac_value::into_owned(value)))
                    }
                }
            });
            quote!(match self { #(#cases),* })
        }
    };
    let name = name_and_lifetime(item, &quote!('_));
    let owned = name_and_lifetime(item, &quote!('static));
    quote! {
        impl ::vac_value::IntoOwned for #name {
            type Owned = #owned;

            fn into_owned(self) -> Self::Owned {
                #body
            }
        }
    }
}
