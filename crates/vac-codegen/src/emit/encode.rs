//! Encoders: from types to both encodings.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use vac_cddl::ir::Value;

use super::types::name_and_lifetime;
use crate::model::{Body, Content, Enum, Item, Member, Model, Part, PartKind};
use crate::scalar::{integer_token, value_tokens};

/// `Encode` for all types.
pub fn emit(model: &Model) -> TokenStream {
    let items = model.items.iter().map(implementation);
    quote!(#(#items)*)
}

fn implementation(item: &Item) -> TokenStream {
    let (body, elements) = match &item.body {
        Body::Open | Body::Constant(_) | Body::Alias(_) => return TokenStream::new(),
        Body::Newtype(_) => (quote!(self.0.encode(to)), None),
        Body::Struct(members) => (map(members), None),
        Body::Sequence(parts) => (whole_sequence(), Some(elements(parts))),
        Body::Enum(choice) if choice.of_sequences => (whole_sequence(), Some(choose(choice))),
        Body::Enum(choice) => (enumeration(choice), None),
    };
    let name = name_and_lifetime(item, &quote!('_));
    let elements = elements.map(|elements| {
        quote! {
            impl #name {
                fn elements<'v>(&'v self, elements: &mut Vec<&'v dyn Encode>) {
                    #elements
                }
            }
        }
    });
    quote! {
        impl Encode for #name {
            fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
                #body
            }
        }
        #elements
    }
}

/// A literal as a static that can be written.
fn constant(name: &Ident, value: &Value) -> TokenStream {
    let (ty, value) = value_tokens(value);
    quote!(static #name: #ty = #value;)
}

fn map(members: &[Member]) -> TokenStream {
    let mut constants = Vec::new();
    let mut known = Vec::new();
    let mut rest = Vec::new();
    for (at, member) in members.iter().enumerate() {
        match member {
            Member::Field(field) => {
                let key = key(&field.key.value, &format_ident!("KEY_{at}"), &mut constants);
                let name = &field.name;
                known.push(if field.required {
                    quote!(map.member(#key, &self.#name)?;)
                } else {
                    quote!(map.optional(#key, self.#name.as_ref())?;)
                });
            }
            Member::Constant { key: name, value } => {
                let key = key(&name.value, &format_ident!("KEY_{at}"), &mut constants);
                let held = format_ident!("VALUE_{at}");
                constants.push(constant(&held, value));
                known.push(quote!(map.member(#key, &#held)?;));
            }
            Member::Rest(field) => {
                let name = &field.name;
                rest.push(quote!(self.#name.add_to(&mut map)?;));
            }
        }
    }
    let mutable = (!members.is_empty()).then(|| quote!(mut));
    quote! {
        #(#constants)*
        let #mutable map = MapEncoder::new(to);
        #(#known)*
        #(#rest)*
        map.end()
    }
}

fn key(value: &Value, name: &Ident, constants: &mut Vec<TokenStream>) -> TokenStream {
    match value {
        Value::Text(text) if is_plain(text) => quote!(Key::Name(#text)),
        Value::Text(text) => quote!(Key::Text(#text)),
        Value::Integer(integer) => {
            let integer = integer_token(*integer);
            quote!(Key::Integer(#integer))
        }
        Value::Float(_) | Value::Bytes(_) => {
            constants.push(constant(name, value));
            quote!(Key::Other(&#name))
        }
    }
}

/// Whether JSON has nothing to escape in it.
fn is_plain(text: &str) -> bool {
    !text.contains(|c: char| c < ' ' || matches!(c, '"' | '\\'))
}

fn enumeration(choice: &Enum) -> TokenStream {
    let mut constants = Vec::new();
    let cases = choice.variants.iter().enumerate().map(|(at, variant)| {
        let name = &variant.name;
        match &variant.content {
            Content::Literal(value, _) => {
                let held = format_ident!("VALUE_{at}");
                constants.push(constant(&held, value));
                quote!(Self::#name => #held.encode(to))
            }
            Content::Value(..) => quote!(Self::#name(value) => value.encode(to)),
        }
    });
    let cases: Vec<_> = cases.collect();
    quote! {
        #(#constants)*
        match self { #(#cases),* }
    }
}

fn whole_sequence() -> TokenStream {
    quote! {
        let mut elements = Vec::new();
        self.elements(&mut elements);
        to.array(&elements)
    }
}

fn choose(choice: &Enum) -> TokenStream {
    let cases = choice.variants.iter().map(|variant| {
        let name = &variant.name;
        quote!(Self::#name(value) => value.elements(elements))
    });
    quote!(match self { #(#cases),* })
}

fn elements(parts: &[Part]) -> TokenStream {
    let mut constants = Vec::new();
    let steps = parts.iter().enumerate().map(|(at, part)| {
        let name = &part.name;
        match &part.kind {
            PartKind::Constant(value) => {
                let held = format_ident!("VALUE_{at}");
                constants.push(constant(&held, value));
                quote!(elements.push(&#held);)
            }
            PartKind::One(_) => quote!(elements.push(&self.#name);),
            PartKind::Optional(_) => quote! {
                if let Some(value) = &self.#name {
                    elements.push(value);
                }
            },
            PartKind::Many(..) => quote! {
                for value in &self.#name {
                    elements.push(value);
                }
            },
            PartKind::Group(_, 1, Some(1)) => quote!(self.#name.elements(elements);),
            PartKind::Group(..) => quote! {
                for group in &self.#name {
                    group.elements(elements);
                }
            },
        }
    });
    let steps: Vec<_> = steps.collect();
    if steps.is_empty() {
        return quote!(let _ = elements;);
    }
    quote!(#(#constants)* #(#steps)*)
}
