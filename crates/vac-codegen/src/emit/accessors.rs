//! Methods of choices for members that all their alternatives have.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use vac_cddl::ir::LiteralValue;

use super::conversions::{is_text_enum, resolved, target};
use super::types::{name_and_lifetime, rust_type};
use crate::model::{Body, Content, Enum, Field, Item, Member, Model, Rest, Shape, key_name};
use crate::names::Names;

/// Emits the accessors of all choices of maps.
pub fn emit(model: &Model) -> TokenStream {
    let items = model.items.iter().filter_map(|item| match &item.body {
        Body::Enum(choice) if choice.variants.len() > 1 => accessors(model, item, choice),
        _ => None,
    });
    items.collect()
}

/// An alternative: its variant, and the members of its map.
type Alternative<'m> = (&'m Ident, &'m [Member]);

fn accessors(model: &Model, item: &Item, choice: &Enum) -> Option<TokenStream> {
    let mut alternatives: Vec<Alternative<'_>> = Vec::new();
    for variant in &choice.variants {
        let Content::Value(shape, _) = &variant.content else { return None };
        let Shape::Item(at) = without_box(target(model, shape)) else { return None };
        let Body::Struct(members) = &model.items[*at].body else { return None };
        alternatives.push((&variant.name, members));
    }
    let (_, first) = alternatives.first()?;
    let mut methods = Vec::new();
    let mut names = Names::default();
    for member in *first {
        methods.extend(match member {
            Member::Rest(rest) => rest_methods(model, rest, &alternatives),
            Member::Field(Field { key, .. }) | Member::Constant { key, .. } => {
                let found: Option<Vec<_>> =
                    alternatives.iter().map(|it| Some((it.0, find(it.1, &key.value)?))).collect();
                found.and_then(|members| {
                    let fields: Option<Vec<_>> = members.iter().map(|it| field(it)).collect();
                    let shared = fields.and_then(|fields| field_methods(model, &fields));
                    shared.or_else(|| text_method(model, &key_name(key), &members, &mut names))
                })
            }
        });
    }
    if methods.is_empty() {
        return None;
    }
    let name = name_and_lifetime(item, &quote!('a));
    let lifetime = item.borrows.then(|| quote!(<'a>));
    Some(quote!(impl #lifetime #name { #(#methods)* }))
}

fn without_box(shape: &Shape) -> &Shape {
    match shape {
        Shape::Boxed(inner) => inner,
        shape => shape,
    }
}

/// Returns the member with a key.
fn find<'m>(members: &'m [Member], wanted: &LiteralValue) -> Option<&'m Member> {
    members.iter().find(|member| match member {
        Member::Field(Field { key, .. }) | Member::Constant { key, .. } => key.value == *wanted,
        Member::Rest(_) => false,
    })
}

fn field<'m>(member: &(&'m Ident, &'m Member)) -> Option<(&'m Ident, &'m Field)> {
    match member.1 {
        Member::Field(field) => Some((member.0, field)),
        Member::Constant { .. } | Member::Rest(_) => None,
    }
}

/// Returns the methods for a member that is a field of one type everywhere.
fn field_methods(model: &Model, fields: &[(&Ident, &Field)]) -> Option<TokenStream> {
    let (_, first) = fields.first()?;
    let ty = resolved(model, &first.shape).to_string();
    let is_same =
        |field: &Field| field.name == first.name && resolved(model, &field.shape).to_string() == ty;
    if !fields.iter().all(|(_, field)| is_same(field)) {
        return None;
    }
    let (name, ty) = (&first.name, rust_type(model, &first.shape, &quote!('a)));
    let title = key_name(&first.key);
    if fields.iter().all(|(_, field)| field.required) {
        let cases = fields.iter().map(|(variant, _)| quote!(Self::#variant(it) => &it.#name));
        let body = quote!(match self { #(#cases),* });
        let get = getter(&title, name, &quote!(&#ty), &body);
        let cases = fields.iter().map(|(variant, _)| quote!(Self::#variant(it) => &mut it.#name));
        let body = quote!(match self { #(#cases),* });
        let set = setter(&title, name, &quote!(&mut #ty), &body);
        return Some(quote!(#get #set));
    }
    let (borrowed, borrow) = match &first.shape {
        Shape::Vec(element) => {
            let element = rust_type(model, element, &quote!('a));
            (quote!([#element]), quote!(as_deref))
        }
        _ => (ty.clone(), quote!(as_ref)),
    };
    let cases = fields.iter().map(|(variant, field)| {
        let value =
            if field.required { quote!(Some(&it.#name)) } else { quote!(it.#name.#borrow()) };
        quote!(Self::#variant(it) => #value)
    });
    let body = quote!(match self { #(#cases),* });
    let get = getter(&title, name, &quote!(Option<&#borrowed>), &body);
    if fields.iter().any(|(_, field)| field.required) {
        return Some(get);
    }
    let cases = fields.iter().map(|(variant, _)| quote!(Self::#variant(it) => &mut it.#name));
    let body = quote!(match self { #(#cases),* });
    let set = setter(&title, name, &quote!(&mut Option<#ty>), &body);
    Some(quote!(#get #set))
}

/// Returns the method for a member that is a text of the schema in every alternative.
fn text_method(
    model: &Model,
    title: &str,
    members: &[(&Ident, &Member)],
    names: &mut Names,
) -> Option<TokenStream> {
    let cases: Option<Vec<_>> = members
        .iter()
        .map(|(variant, member)| match member {
            Member::Constant { value: LiteralValue::Text(text), .. } => {
                Some(quote!(Self::#variant(_) => #text))
            }
            Member::Field(field) if field.required && is_text_enum(model, &field.shape) => {
                let name = &field.name;
                Some(quote!(Self::#variant(it) => it.#name.as_str()))
            }
            _ => None,
        })
        .collect();
    let cases = cases?;
    let name = members.iter().find_map(|(_, member)| match member {
        Member::Field(field) => Some(field.name.clone()),
        Member::Constant { .. } | Member::Rest(_) => None,
    });
    let name = name.unwrap_or_else(|| names.field_name(title));
    Some(getter(title, &name, &quote!(&'static str), &quote!(match self { #(#cases),* })))
}

/// Returns the methods for the entries whose keys the specification does not name.
fn rest_methods(
    model: &Model,
    first: &Rest,
    alternatives: &[Alternative<'_>],
) -> Option<TokenStream> {
    let types = |rest: &Rest| {
        let (key, value) = (resolved(model, &rest.key), resolved(model, &rest.value));
        (key.to_string(), value.to_string())
    };
    let is_same = |member: &Member| match member {
        Member::Rest(rest) => rest.name == first.name && types(rest) == types(first),
        Member::Field(_) | Member::Constant { .. } => false,
    };
    if !alternatives.iter().all(|(_, members)| members.iter().any(is_same)) {
        return None;
    }
    let name = &first.name;
    let key = rust_type(model, &first.key, &quote!('a));
    let value = rust_type(model, &first.value, &quote!('a));
    let ty = quote!(::vac_value::Map<#key, #value>);
    let cases = alternatives.iter().map(|(variant, _)| quote!(Self::#variant(it) => &it.#name));
    let get = getter("*", name, &quote!(&#ty), &quote!(match self { #(#cases),* }));
    let cases = alternatives.iter().map(|(variant, _)| quote!(Self::#variant(it) => &mut it.#name));
    let set = setter("*", name, &quote!(&mut #ty), &quote!(match self { #(#cases),* }));
    Some(quote!(#get #set))
}

fn getter(title: &str, name: &Ident, ty: &TokenStream, body: &TokenStream) -> TokenStream {
    let docs = match title {
        "*" => " Returns the members that the schema does not name.".to_owned(),
        title => format!(" Returns the member `{title}`, which all alternatives have."),
    };
    quote! {
        #[doc = #docs]
        pub fn #name(&self) -> #ty {
            #body
        }
    }
}

fn setter(title: &str, name: &Ident, ty: &TokenStream, body: &TokenStream) -> TokenStream {
    let docs = match title {
        "*" => {
            " Returns a mutable reference to the members that the schema does not name.".to_owned()
        }
        title => format!(" Returns a mutable reference to the member `{title}`."),
    };
    let plain = name.to_string();
    let name = quote::format_ident!("{}_mut", plain.strip_prefix("r#").unwrap_or(&plain));
    quote! {
        #[doc = #docs]
        pub fn #name(&mut self) -> #ty {
            #body
        }
    }
}
