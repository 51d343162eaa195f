//! Decoders: from nodes to types.

use proc_macro2::{Ident, Literal as Token, Span, TokenStream};
use quote::{format_ident, quote};
use vac_cddl::ir::{Literal, Value};

use super::types::{name_and_lifetime, rust_type};
use crate::describe;
use crate::model::{Body, Content, Enum, Field, Item, Member, Model, Part, PartKind, Rest, Shape};
use crate::scalar::{value_predicate, without_parentheses};

/// `Decode` for all types.
pub fn emit(model: &Model) -> TokenStream {
    let patterns = model.patterns.declarations();
    let items = model.items.iter().map(|item| implementation(model, item));
    quote!(#patterns #(#items)*)
}

fn implementation(model: &Model, item: &Item) -> TokenStream {
    let rule = &item.rule;
    let (body, sequence) = match &item.body {
        Body::Open | Body::Constant(_) | Body::Alias(_) => return TokenStream::new(),
        Body::Newtype(shape) => {
            let value = decode(model, shape, rule);
            (quote!(#value.map(Self)), None)
        }
        Body::Struct(members) => (map(model, members, rule), None),
        Body::Sequence(parts) => (whole_sequence(rule), Some(sequence(model, parts, rule))),
        Body::Enum(choice) if choice.of_sequences => {
            (any_sequence(model, choice, rule), Some(sequence_choice(model, choice)))
        }
        Body::Enum(choice) => (enumeration(model, choice, rule), None),
    };
    let name = name_and_lifetime(item, &quote!('a));
    let bare = &item.name;
    let owned = if item.borrows {
        quote!(#bare::decode(node).map(IntoOwned::into_owned))
    } else {
        quote!(<Self as Decode<'_>>::decode(node))
    };
    let lifetime = item.borrows.then(|| quote!(<'a>));
    let source = if item.borrows { quote!('a) } else { quote!('_) };
    let sequence = sequence.map(|sequence| {
        quote! {
            impl #lifetime #name {
                fn read(sequence: &mut Sequence<'_, #source>) -> Result<Self, DecodeError> {
                    #sequence
                }
            }
        }
    });
    quote! {
        impl<'a> Decode<'a> for #name {
            fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
                #body
            }

            fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
                #owned
            }
        }
        #sequence
    }
}

/// An expression over `node` that is the value of a shape, or an error.
fn decode(model: &Model, shape: &Shape, rule: &str) -> TokenStream {
    match shape {
        Shape::Scalar(_, None) | Shape::Embedded(_) => quote!(Decode::decode(node)),
        Shape::Scalar(_, Some(guard)) => {
            let predicate = without_parentheses(guard.predicate.clone());
            let expected = &guard.expected;
            quote!(read::guarded(node, #predicate, #rule, #expected))
        }
        Shape::Item(item) => match &model.items[*item] {
            Item { body: Body::Alias(shape), rule, .. } => decode(model, shape, rule),
            Item { name, .. } => quote!(#name::decode(node)),
        },
        Shape::Vec(inner, min, max) => {
            let inner = decode(model, inner, rule);
            let (min, max) = bounds(*min, *max);
            quote!(read::each(node, #rule, #min, #max, |node| #inner))
        }
        Shape::Nullable(inner) => {
            let inner = decode(model, inner, rule);
            quote!(read::nullable(node, |node| #inner))
        }
        Shape::Boxed(inner) => {
            let inner = decode(model, inner, rule);
            quote!(#inner.map(Box::new))
        }
        Shape::Tagged(number, inner) => {
            let inner = decode(model, inner, rule);
            let expected = format!("tag {number}");
            let number = Token::u64_unsuffixed(*number);
            quote!(read::tagged::<#number, _>(node, #rule, #expected, |node| #inner))
        }
        Shape::Table(key, value, occurrence) => {
            let (key, value) = (decode(model, key, rule), decode(model, value, rule));
            let (min, max) = bounds(occurrence.min, occurrence.max);
            quote!(read::table(node, #rule, #min, #max, |node| #key, |node| #value))
        }
    }
}

fn bounds(min: u64, max: Option<u64>) -> (TokenStream, TokenStream) {
    let min = Token::u64_unsuffixed(min);
    match max {
        Some(max) => {
            let max = Token::u64_unsuffixed(max);
            (quote!(#min), quote!(#max))
        }
        None => (quote!(#min), quote!(usize::MAX)),
    }
}

fn map(model: &Model, members: &[Member], rule: &str) -> TokenStream {
    let mut declarations = Vec::new();
    let mut tests = Vec::new();
    let mut fields = Vec::new();
    let mut checks = Vec::new();
    for (at, member) in members.iter().enumerate() {
        match member {
            Member::Field(field) => {
                let (name, held) = (&field.name, local(&field.name));
                let shape = rust_type(model, &field.shape, &quote!('_));
                declarations.push(quote!(let mut #held: Option<#shape> = None;));
                tests.push(field_test(model, field, rule));
                fields.push(if field.required {
                    let key = describe::value(&field.key.value);
                    quote!(#name: read::required(#held, map, #rule, #key)?)
                } else {
                    quote!(#name: #held)
                });
            }
            Member::Constant { key, value } => {
                let seen = format_ident!("constant_{at}");
                let test = key_test(key);
                let predicate = value_predicate(value);
                let (expected, missing) = (describe::value(value), describe::value(&key.value));
                declarations.push(quote!(let mut #seen = false;));
                tests.push(quote! {
                    if #test {
                        if #seen || !#predicate {
                            return Err(DecodeError::expected(node, #rule, #expected));
                        }
                        #seen = true;
                        continue;
                    }
                });
                checks.push(quote! {
                    if !#seen {
                        return Err(DecodeError::missing(map, #rule, #missing));
                    }
                });
            }
            Member::Rest(rest) => {
                let (name, held) = (&rest.name, local(&rest.name));
                declarations.push(quote!(let mut #held = Extensions::default();));
                tests.push(rest_test(model, rest, rule));
                if rest.occurrence.min > 0 {
                    let min = Token::u64_unsuffixed(rest.occurrence.min);
                    checks.push(quote! {
                        if #held.len() < #min {
                            return Err(DecodeError::missing(map, #rule, "another key"));
                        }
                    });
                }
                fields.push(quote!(#name: #held));
            }
        }
    }
    // Keys of a type come after all keys that the schema names.
    let (named, by_type): (Vec<_>, Vec<_>) =
        members.iter().zip(tests).partition(|(member, _)| !matches!(member, Member::Rest(_)));
    let tests = named.into_iter().chain(by_type).map(|(_, test)| test);
    let key = if members.is_empty() { quote!(_) } else { quote!(key) };
    quote! {
        let map = node;
        #(#declarations)*
        for (#key, node) in read::members(map, #rule)? {
            #(#tests)*
            return Err(DecodeError::unexpected(node, #rule));
        }
        #(#checks)*
        Ok(Self { #(#fields),* })
    }
}

fn field_test(model: &Model, field: &Field, rule: &str) -> TokenStream {
    let (name, test) = (local(&field.name), key_test(&field.key));
    let value = decode(model, &field.shape, rule);
    if field.cut {
        quote! {
            if #test {
                if #name.is_some() {
                    return Err(DecodeError::unexpected(node, #rule));
                }
                #name = Some(#value?);
                continue;
            }
        }
    } else {
        quote! {
            if #test && #name.is_none() && let Ok(value) = #value {
                #name = Some(value);
                continue;
            }
        }
    }
}

fn rest_test(model: &Model, rest: &Rest, rule: &str) -> TokenStream {
    let held = local(&rest.name);
    let (key, value) = (decode(model, &rest.key, rule), decode(model, &rest.value, rule));
    let room = rest.occurrence.max.map(|max| {
        let max = Token::u64_unsuffixed(max);
        quote!(#held.len() < #max &&)
    });
    if rest.cut {
        quote! {
            if #room let Ok(name) = { let node = key; #key } {
                #held.push((name, #value?));
                continue;
            }
        }
    } else {
        quote! {
            if #room let Ok(name) = { let node = key; #key } && let Ok(value) = #value {
                #held.push((name, value));
                continue;
            }
        }
    }
}

/// The variable that holds a field's value until all are there: with a prefix,
/// because `key`, `node` and `map` are names of fields too.
fn local(field: &Ident) -> Ident {
    format_ident!("held_{}", field.to_string().trim_start_matches("r#"))
}

/// Whether `key` is a literal key.
fn key_test(key: &Literal) -> TokenStream {
    match &key.value {
        Value::Text(text) => quote!(key.is_text(#text)),
        value => {
            let predicate = value_predicate(value);
            quote!({ let node = key; #predicate })
        }
    }
}

fn enumeration(model: &Model, choice: &Enum, rule: &str) -> TokenStream {
    let expected = &choice.expected;
    if let Some((key, values)) = &choice.select {
        return selection(model, choice, key, values, rule);
    }
    let tries = choice.variants.iter().map(|variant| {
        let name = &variant.name;
        match &variant.content {
            Content::Literal(_, predicate) => quote! {
                if #predicate {
                    return Ok(Self::#name);
                }
            },
            Content::Value(shape, kinds) => {
                let value = decode(model, shape, rule);
                let kinds = kinds.iter().map(|kind| Ident::new(kind, Span::call_site()));
                quote! {
                    if matches!(node.kind(), #(Kind::#kinds)|*) {
                        match #value {
                            Ok(value) => return Ok(Self::#name(value)),
                            Err(other) => error = error.or_further(other),
                        }
                    }
                }
            }
        }
    });
    let tries: Vec<_> = tries.collect();
    let literal = |content: &Content| matches!(content, Content::Literal(..));
    if choice.variants.iter().all(|variant| literal(&variant.content)) {
        return quote! {
            #(#tries)*
            Err(DecodeError::expected(node, #rule, #expected))
        };
    }
    quote! {
        let mut error = DecodeError::expected(node, #rule, #expected);
        #(#tries)*
        Err(error)
    }
}

fn selection(
    model: &Model,
    choice: &Enum,
    key: &Literal,
    values: &[Vec<Literal>],
    rule: &str,
) -> TokenStream {
    let test = key_test(key);
    let missing = describe::value(&key.value);
    let all = values.iter().flatten().map(|literal| describe::value(&literal.value));
    let expected = describe::list(all);
    let cases = choice.variants.iter().zip(values).map(|(variant, values)| {
        let name = &variant.name;
        let tests = values.iter().map(|literal| value_predicate(&literal.value));
        let value = match &variant.content {
            Content::Value(shape, _) => decode(model, shape, rule),
            Content::Literal(..) => quote!(Err(DecodeError::unexpected(node, #rule))),
        };
        quote! {
            if #(#tests)||* {
                let node = map;
                return #value.map(Self::#name);
            }
        }
    });
    quote! {
        let map = node;
        let Some((_, node)) = read::members(map, #rule)?.find(|(key, _)| #test) else {
            return Err(DecodeError::missing(map, #rule, #missing));
        };
        #(#cases)*
        Err(DecodeError::expected(node, #rule, #expected))
    }
}

fn whole_sequence(rule: &str) -> TokenStream {
    quote! {
        let mut sequence = Sequence::of(node, #rule)?;
        let value = Self::read(&mut sequence)?;
        sequence.end()?;
        Ok(value)
    }
}

/// Alternatives of a whole array: each has to take all of it.
fn any_sequence(model: &Model, choice: &Enum, rule: &str) -> TokenStream {
    let expected = &choice.expected;
    let tries = choice.variants.iter().map(|variant| {
        let (name, inner) = (&variant.name, variant_item(model, &variant.content));
        quote! {
            match #inner::decode(node) {
                Ok(value) => return Ok(Self::#name(value)),
                Err(other) => error = error.or_further(other),
            }
        }
    });
    quote! {
        let mut error = DecodeError::expected(node, #rule, #expected);
        #(#tries)*
        Err(error)
    }
}

fn sequence_choice(model: &Model, choice: &Enum) -> TokenStream {
    let tries = choice.variants.iter().map(|variant| {
        let (name, inner) = (&variant.name, variant_item(model, &variant.content));
        quote!(&|sequence| #inner::read(sequence).map(Self::#name))
    });
    quote!(sequence.first_of(&[#(#tries),*]))
}

fn variant_item<'m>(model: &'m Model, content: &Content) -> Option<&'m Ident> {
    match content {
        Content::Value(Shape::Item(item), _) => Some(&model.items[*item].name),
        _ => None,
    }
}

fn sequence(model: &Model, parts: &[Part], rule: &str) -> TokenStream {
    let mut steps = Vec::new();
    let mut fields = Vec::new();
    for part in parts {
        let (name, title) = (&part.name, part.name.to_string());
        let title = title.trim_start_matches("r#");
        let read = match &part.kind {
            PartKind::Constant(value) => {
                let (predicate, expected) = (value_predicate(value), describe::value(value));
                steps.push(quote! {
                    sequence.one(#title, |node| {
                        if #predicate {
                            Ok(())
                        } else {
                            Err(DecodeError::expected(node, #rule, #expected))
                        }
                    })?;
                });
                continue;
            }
            PartKind::One(shape) => {
                let value = decode(model, shape, rule);
                quote!(sequence.one(#title, |node| #value)?)
            }
            PartKind::Optional(shape) => {
                let value = decode(model, shape, rule);
                quote!(sequence.optional(|node| #value))
            }
            PartKind::Many(shape, min, max) => {
                let value = decode(model, shape, rule);
                let (min, max) = bounds(*min, *max);
                quote!(sequence.many(#title, #min, #max, |node| #value)?)
            }
            PartKind::Group(item, min, max) => {
                let group = &model.items[*item].name;
                match (min, max) {
                    (1, Some(1)) => quote!(#group::read(sequence)?),
                    (0, Some(1)) => quote!(sequence.optional_group(|group| #group::read(group))),
                    _ => {
                        let (min, max) = bounds(*min, *max);
                        quote!(sequence.many_groups(#min, #max, |group| #group::read(group))?)
                    }
                }
            }
        };
        let held = local(name);
        steps.push(quote!(let #held = #read;));
        fields.push(quote!(#name: #held));
    }
    if parts.is_empty() {
        steps.push(quote!(let _ = sequence;));
    }
    quote!(#(#steps)* Ok(Self { #(#fields),* }))
}
