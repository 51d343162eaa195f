//! Emits encoders of both encodings.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use vac_cddl::ir::LiteralValue;

use super::types::name_and_lifetime;
use crate::model::{
    Body, Choice, Content, Enum, Field, Item, Member, Model, Part, PartKind, Variant,
};
use crate::scalar::{integer_token, suffixed_float};

/// Emits `Encode` for all types.
pub fn emit(model: &Model) -> TokenStream {
    let items = model.items.iter().map(implementation);
    quote!(#(#items)*)
}

fn implementation(item: &Item) -> TokenStream {
    let (body, elements) = match &item.body {
        Body::Open | Body::Constant(_) | Body::Alias(_) | Body::CheckedText(_) => {
            return TokenStream::new();
        }
        Body::Newtype(_) => (quote!(::vac_value::Encode::encode(&self.0, to)), None),
        Body::Struct(members) => (map(members), None),
        Body::Sequence(parts) => (whole_array(), Some(elements(parts))),
        Body::Enum(choice) => match choice.choice {
            Choice::Elements(_) => (whole_array(), Some(element_choice(choice))),
            Choice::Literals | Choice::Types(_) | Choice::Members(_) => (enumeration(choice), None),
        },
    };
    let name = name_and_lifetime(item, &quote!('_));
    let elements = elements.map(|elements| {
        quote! {
            impl #name {
                fn elements<'v>(&'v self, elements: &mut Vec<&'v dyn ::vac_value::Encode>) {
                    #elements
                }
            }
        }
    });
    quote! {
        impl ::vac_value::Encode for #name {
            fn encode(&self, to: &mut ::vac_value::Encoder) -> ::vac_value::Encoded {
                #body
            }
        }
        #elements
    }
}

/// Returns a reference to a literal that lives as long as the program.
fn literal(value: &LiteralValue) -> TokenStream {
    match value {
        LiteralValue::Text(text) => quote!(&#text),
        LiteralValue::Integer(integer) => {
            let magnitude = Token::i128_suffixed(*integer);
            quote!(const { &#magnitude })
        }
        LiteralValue::Float(float) => {
            let float = suffixed_float(*float);
            quote!(const { &#float })
        }
        LiteralValue::Bytes(bytes) => {
            let bytes = Token::byte_string(bytes);
            quote!(const { &(#bytes as &[u8]) })
        }
    }
}

fn map(members: &[Member]) -> TokenStream {
    let mut named = Vec::new();
    let mut rest = Vec::new();
    for member in members {
        match member {
            Member::Field(field) => {
                let name = &field.name;
                named.push(match (&field.json_key, &field.key.value, field.required) {
                    (None, LiteralValue::Text(key), true) if is_plain(key) => {
                        quote!(map.field(#key, &self.#name)?;)
                    }
                    (None, LiteralValue::Text(key), false) if is_plain(key) => {
                        quote!(map.optional_field(#key, &self.#name)?;)
                    }
                    (json_key, value, required) => {
                        let mut key = key(value);
                        if let Some(json_key) = json_key {
                            let json_key = self::key(&json_key.value);
                            key = quote!(if is_json { #json_key } else { #key });
                        }
                        if required {
                            quote!(map.member(#key, &self.#name)?;)
                        } else {
                            quote!(map.optional(#key, self.#name.as_ref())?;)
                        }
                    }
                });
            }
            Member::Constant { key: name, value, .. } => {
                let value = literal(value);
                named.push(match &name.value {
                    LiteralValue::Text(key) if is_plain(key) => quote!(map.field(#key, #value)?;),
                    name => {
                        let key = key(name);
                        quote!(map.member(#key, #value)?;)
                    }
                });
            }
            Member::Rest(field) => {
                let name = &field.name;
                rest.push(quote!(self.#name.add_to(&mut map)?;));
            }
        }
    }
    let mutable = (!members.is_empty()).then(|| quote!(mut));
    let has_json_key =
        |member: &Member| matches!(member, Member::Field(Field { json_key: Some(_), .. }));
    let is_json = members
        .iter()
        .any(has_json_key)
        .then(|| quote!(let is_json = to.encoding() == ::vac_value::Encoding::Json;));
    quote! {
        #is_json
        let #mutable map = ::vac_value::MapEncoder::new(to);
        #(#named)*
        #(#rest)*
        map.end()
    }
}

fn key(value: &LiteralValue) -> TokenStream {
    match value {
        LiteralValue::Text(text) => quote!(::vac_value::Key::Text(#text)),
        LiteralValue::Integer(integer) => {
            let integer = integer_token(*integer);
            quote!(::vac_value::Key::Integer(#integer))
        }
        LiteralValue::Float(_) | LiteralValue::Bytes(_) => {
            let value = literal(value);
            quote!(::vac_value::Key::Other(#value))
        }
    }
}

/// Returns whether a text has no characters that JSON escapes.
fn is_plain(text: &str) -> bool {
    !text.contains(|c: char| c < ' ' || matches!(c, '"' | '\\'))
}

fn enumeration(choice: &Enum) -> TokenStream {
    let text = |variant: &Variant| match &variant.content {
        Content::Literal(LiteralValue::Text(text), _) => Some((variant.name.clone(), text.clone())),
        _ => None,
    };
    if let Some(texts) = choice.variants.iter().map(text).collect::<Option<Vec<_>>>() {
        let cases = texts.into_iter().map(|(name, text)| quote!(Self::#name => #text));
        return quote! {
            to.text(match self { #(#cases),* });
            Ok(())
        };
    }
    let cases = choice.variants.iter().map(|variant| {
        let name = &variant.name;
        match &variant.content {
            Content::Literal(value, _) => {
                let value = literal(value);
                quote!(Self::#name => ::vac_value::Encode::encode(#value, to))
            }
            Content::Value(..) => {
                quote!(Self::#name(value) => ::vac_value::Encode::encode(value, to))
            }
        }
    });
    quote!(match self { #(#cases),* })
}

fn whole_array() -> TokenStream {
    quote! {
        let mut elements = Vec::new();
        self.elements(&mut elements);
        to.array(&elements)
    }
}

fn element_choice(choice: &Enum) -> TokenStream {
    let cases = choice.variants.iter().map(|variant| {
        let name = &variant.name;
        quote!(Self::#name(value) => value.elements(elements))
    });
    quote!(match self { #(#cases),* })
}

fn elements(parts: &[Part]) -> TokenStream {
    let steps = parts.iter().map(|part| {
        let name = &part.name;
        match &part.kind {
            PartKind::Constant(value) => {
                let value = literal(value);
                quote!(elements.push(#value);)
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
            PartKind::Group(_, 0, Some(1)) => quote! {
                if let Some(group) = &self.#name {
                    group.elements(elements);
                }
            },
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
    quote!(#(#steps)*)
}
