//! Emits decoders, which build the types from valid nodes.

use proc_macro2::{Ident, Literal as Token, TokenStream};
use quote::quote;
use vac_cddl::ir::LiteralValue;
use vac_schema::{GroupId, Schema, TypeId};

use super::tables::{group_id, ir_value, type_id};
use super::types::name_and_lifetime;
use crate::model::{
    Body, Choice, Content, Enum, Item, Member, Model, Part, PartKind, PartPlace, Place, Shape,
    Variant,
};
use crate::scalar::integer_token;

/// Emits `Build` for all types, and the list of types for `generated_types!`. `schema` is the
/// path of the tables.
pub fn emit(model: &Model, tables: &Schema, schema: &TokenStream) -> TokenStream {
    let list = model.items.iter().filter_map(|item| listed(item, tables));
    let items = model.items.iter().map(|item| implementation(model, item));
    quote! {
        ::vac_schema::generated_types! { #schema; #(#list)* }
        #(#items)*
    }
}

/// Returns the line of a type in the list of types.
fn listed(item: &Item, tables: &Schema) -> Option<TokenStream> {
    if matches!(item.body, Body::Open | Body::Constant(_) | Body::Alias(_)) {
        return None;
    }
    let name = name_and_lifetime(item, &quote!('a));
    let place = match item.place {
        Place::Group => quote!(group),
        Place::Value => quote!(value),
        Place::Type(TypeId(id)) => {
            let is_it = |rule: &vac_schema::Rule| !rule.is_prelude && rule.name == item.rule;
            let rule = tables.rules.iter().position(is_it).expect("a type is part of a rule");
            let (rule, id) = (Token::usize_unsuffixed(rule), Token::u32_unsuffixed(id));
            quote!(rule #rule, type #id)
        }
    };
    Some(quote!(#name: #place;))
}

fn implementation(model: &Model, item: &Item) -> TokenStream {
    let (body, read) = match &item.body {
        Body::Open | Body::Constant(_) | Body::Alias(_) | Body::CheckedText(_) => {
            return TokenStream::new();
        }
        Body::Newtype(_) => (quote!(reader.build(node).map(Self)), None),
        // The type that contains a part of a map builds it.
        Body::Struct(_) if item.place == Place::Group => return TokenStream::new(),
        Body::Struct(members) => (map(item, members), None),
        Body::Sequence(parts) => (array(item), Some(elements(model, parts))),
        Body::Enum(choice) => match choice.choice {
            Choice::Literals => (literals(choice), None),
            Choice::Types(id) => (alternatives(choice, id), None),
            Choice::Members(id) => (member_choice(model, choice, id), None),
            Choice::Elements(id) => (array(item), Some(element_choice(model, choice, id))),
        },
    };
    let name = name_and_lifetime(item, &quote!('a));
    let lifetime = item.borrows.then(|| quote!(<'a>));
    let only_text_or_integers =
        matches!(&item.body, Body::Enum(choice) if is_matched_by_value(choice));
    let reader = if only_text_or_integers { quote!(_) } else { quote!(reader) };
    let build = (item.place != Place::Group).then(|| {
        quote! {
            impl<'a> ::vac_schema::Build<'a> for #name {
                fn build(
                    #reader: &mut ::vac_schema::Reader<'_>,
                    node: ::vac_value::Node<'_, 'a>,
                ) -> ::vac_schema::Built<Self> {
                    #body
                }
            }
        }
    });
    let source = if item.borrows { quote!('a) } else { quote!('_) };
    let read = read.map(|read| {
        quote! {
            impl #lifetime #name {
                fn read(
                    array: &mut ::vac_schema::ArrayReader<'_, '_, '_, #source>,
                ) -> ::vac_schema::Built<Self> {
                    #read
                }
            }
        }
    });
    quote!(#build #read)
}

fn map(item: &Item, members: &[Member]) -> TokenStream {
    let group = group_id(item.group.expect("a map has a group"));
    let fields = fields(members);
    if members.iter().all(|member| matches!(member, Member::Constant { .. })) {
        return quote! {
            reader.map(#group, node)?;
            Ok(Self { #(#fields),* })
        };
    }
    quote! {
        let mut map = reader.map(#group, node)?;
        Ok(Self { #(#fields),* })
    }
}

fn fields(members: &[Member]) -> impl Iterator<Item = TokenStream> {
    members.iter().filter_map(|member| {
        let token = |number: &usize| Token::usize_unsuffixed(*number);
        Some(match member {
            Member::Constant { .. } => return None,
            Member::Rest(rest) => {
                let (name, number) = (&rest.name, token(&rest.number));
                quote!(#name: map.rest(#number)?)
            }
            Member::Field(field) => {
                let name = &field.name;
                let read = match (field.required, field.is_by_type) {
                    (true, false) => quote!(required),
                    (false, false) => quote!(optional),
                    (true, true) => quote!(required_entry),
                    (false, true) => quote!(optional_entry),
                };
                match field.numbers.as_slice() {
                    [number] => {
                        let number = token(number);
                        quote!(#name: map.#read(#number)?)
                    }
                    numbers => {
                        let numbers = numbers.iter().map(token);
                        quote!(#name: map.read_first(&[#(#numbers),*])?)
                    }
                }
            }
        })
    })
}

/// Returns the decoder of a map with alternatives: the members that are present decide.
fn member_choice(model: &Model, choice: &Enum, id: GroupId) -> TokenStream {
    let group = group_id(id);
    let cases = choice.variants.iter().map(|variant| {
        let (name, item) = (&variant.name, variant_item(model, variant));
        let Body::Struct(members) = &item.body else { return TokenStream::new() };
        let (content, fields) = (&item.name, fields(members));
        let all = members.iter().flat_map(numbers).map(Token::usize_unsuffixed);
        let required = members.iter().filter(|member| match member {
            Member::Constant { .. } => true,
            Member::Field(field) => field.required,
            Member::Rest(rest) => rest.occurrence.min > 0,
        });
        let required = required.flat_map(numbers).map(Token::usize_unsuffixed);
        let mut value = quote!(#content { #(#fields),* });
        if matches!(variant.content, Content::Value(Shape::Boxed(_), _)) {
            value = quote!(Box::new(#value));
        }
        quote! {
            if map.is_within(&[#(#required),*], &[#(#all),*]) {
                return Ok(Self::#name(#value));
            }
        }
    });
    let has_fields = |variant: &Variant| {
        let Body::Struct(members) = &variant_item(model, variant).body else { return false };
        members.iter().any(|member| !matches!(member, Member::Constant { .. }))
    };
    let mutable = choice.variants.iter().any(has_fields).then(|| quote!(mut));
    quote! {
        let #mutable map = reader.map(#group, node)?;
        #(#cases)*
        Err(map.mismatch())
    }
}

fn numbers(member: &Member) -> Vec<usize> {
    match member {
        Member::Constant { number, .. } => vec![*number],
        Member::Field(field) => field.numbers.clone(),
        Member::Rest(rest) => vec![rest.number],
    }
}

fn variant_item<'m>(model: &'m Model, variant: &Variant) -> &'m Item {
    match &variant.content {
        Content::Value(Shape::Item(item), _) => &model.items[*item],
        Content::Value(Shape::Boxed(inner), _) => match &**inner {
            Shape::Item(item) => &model.items[*item],
            _ => unreachable!("an alternative of a group is an item"),
        },
        _ => unreachable!("an alternative of a group is an item"),
    }
}

/// Returns whether the value of a node alone determines which literal it is.
fn is_matched_by_value(choice: &Enum) -> bool {
    let is_text =
        |variant: &Variant| matches!(variant.content, Content::Literal(LiteralValue::Text(_), _));
    let is_integer = |variant: &Variant| {
        matches!(variant.content, Content::Literal(LiteralValue::Integer(_), _))
    };
    choice.choice == Choice::Literals
        && (choice.variants.iter().all(is_text) || choice.variants.iter().all(is_integer))
}

/// Returns the decoder of a choice of literals.
fn literals(choice: &Enum) -> TokenStream {
    let values = choice.variants.iter().filter_map(|variant| match &variant.content {
        Content::Literal(value, _) => Some(value),
        Content::Value(..) => None,
    });
    let values: Vec<&LiteralValue> = values.collect();
    let names: Vec<&Ident> = choice.variants.iter().map(|variant| &variant.name).collect();
    let texts: Vec<&str> = values
        .iter()
        .filter_map(|value| if let LiteralValue::Text(text) = value { Some(&**text) } else { None })
        .collect();
    let integers: Vec<TokenStream> = values
        .iter()
        .filter_map(|value| match value {
            LiteralValue::Integer(integer) => Some(integer_token(*integer)),
            _ => None,
        })
        .collect();
    let mismatch = quote!(_ => Err(::vac_schema::Mismatch::new(node)));
    if texts.len() == values.len() {
        return quote! {
            match node.text().as_deref() {
                #(Some(#texts) => Ok(Self::#names),)*
                #mismatch
            }
        };
    }
    if integers.len() == values.len() {
        return quote! {
            match node.integer() {
                #(Some(#integers) => Ok(Self::#names),)*
                #mismatch
            }
        };
    }
    let literals = values.iter().map(|value| ir_value(value));
    let indices = (0..values.len()).map(Token::usize_unsuffixed);
    quote! {
        match reader.find(&[#(#literals),*], node)? {
            #(#indices => Ok(Self::#names),)*
            #mismatch
        }
    }
}

/// Returns the decoder of a choice of types: the first that accepts the node decides.
fn alternatives(choice: &Enum, id: TypeId) -> TokenStream {
    let id = type_id(id);
    let cases = choice.variants.iter().map(|variant| {
        let name = &variant.name;
        let (value, indices) = match &variant.content {
            Content::Literal(_, indices) => (quote!(Ok(Self::#name)), indices),
            Content::Value(_, indices) => (quote!(reader.build(node).map(Self::#name)), indices),
        };
        let indices = pattern(indices);
        quote!(#indices => #value)
    });
    quote! {
        match reader.choose(#id, node)? {
            #(#cases,)*
            _ => Err(::vac_schema::Mismatch::new(node)),
        }
    }
}

/// Returns a pattern for some indices in ascending order.
fn pattern(indices: &[usize]) -> TokenStream {
    let token = |at: &usize| Token::usize_unsuffixed(*at);
    match indices {
        [first, .., last] if last - first + 1 == indices.len() => {
            let (first, last) = (token(first), token(last));
            quote!(#first..=#last)
        }
        _ => {
            let indices = indices.iter().map(token);
            quote!(#(#indices)|*)
        }
    }
}

fn array(item: &Item) -> TokenStream {
    let group = group_id(item.group.expect("an array has a group"));
    quote! {
        let mut array = reader.array(#group, node)?;
        let value = Self::read(&mut array)?;
        array.end()?;
        Ok(value)
    }
}

fn element_choice(model: &Model, choice: &Enum, id: GroupId) -> TokenStream {
    let id = group_id(id);
    let cases = choice.variants.iter().enumerate().map(|(at, variant)| {
        let (at, name) = (Token::usize_unsuffixed(at), &variant.name);
        let inner = &variant_item(model, variant).name;
        let boxed = matches!(variant.content, Content::Value(Shape::Boxed(_), _))
            .then(|| quote!(.map(Box::new)));
        quote!(#at => #inner::read(array)#boxed.map(Self::#name))
    });
    quote! {
        match array.alternative(#id)? {
            #(#cases,)*
            _ => Err(array.mismatch()),
        }
    }
}

/// Returns the function that reads a group, and a call of it.
fn read_group(model: &Model, shape: &Shape) -> (TokenStream, TokenStream) {
    match shape {
        Shape::Item(item) => {
            let name = &model.items[*item].name;
            (quote!(#name::read), quote!(#name::read(array)))
        }
        Shape::Boxed(inner) => {
            let (_, call) = read_group(model, inner);
            (quote!(|array| #call.map(Box::new)), quote!(#call.map(Box::new)))
        }
        _ => unreachable!("a group is an item"),
    }
}

/// Returns the code that reads elements one after the other, in the order of the fields.
fn elements(model: &Model, parts: &[Part]) -> TokenStream {
    if parts.is_empty() {
        return quote! {
            let _ = array;
            Ok(Self {})
        };
    }
    let mut fields = Vec::new();
    let mut skips = Vec::new();
    for part in parts {
        let name = &part.name;
        match element(model, part) {
            None => skips.push(quote!(array.skip()?;)),
            Some(read) if skips.is_empty() => fields.push(quote!(#name: #read)),
            Some(read) => {
                let skips = std::mem::take(&mut skips);
                fields.push(quote!(#name: { #(#skips)* #read }));
            }
        }
    }
    match (fields.is_empty(), skips.is_empty()) {
        (_, true) => quote!(Ok(Self { #(#fields),* })),
        (true, false) => quote!(#(#skips)* Ok(Self {})),
        (false, false) => quote! {
            let value = Self { #(#fields),* };
            #(#skips)*
            Ok(value)
        },
    }
}

/// Returns the code that reads an element, unless it can have one value only.
fn element(model: &Model, part: &Part) -> Option<TokenStream> {
    let max = |max: &Option<u64>| match max {
        Some(max) => {
            let max = Token::u64_unsuffixed(*max);
            quote!(#max)
        }
        None => quote!(u64::MAX),
    };
    let place = match part.place {
        PartPlace::Type(id) => type_id(id),
        PartPlace::Group(id) => group_id(id),
    };
    Some(match &part.kind {
        PartKind::Constant(_) => return None,
        PartKind::One(_) => quote!(array.one()?),
        PartKind::Optional(_) => quote!(array.optional(#place)?),
        PartKind::Many(_, most) => {
            let max = max(most);
            quote!(array.many(#place, #max)?)
        }
        PartKind::Group(shape, min, most) => {
            let (read, call) = read_group(model, shape);
            match (min, most) {
                (1, Some(1)) => quote!(#call?),
                (0, Some(1)) => quote!(array.optional_group(#place, #read)?),
                _ => {
                    let max = max(most);
                    quote!(array.groups(#place, #max, #read)?)
                }
            }
        }
    })
}
