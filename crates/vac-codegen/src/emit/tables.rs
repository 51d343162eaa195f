//! The tables of a schema as constants.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use vac_cddl::ir;
use vac_schema::{
    Control, Element, ElementKind, Group, GroupId, LiteralKey, LiteralValue, MemberKey, Rule,
    Schema, Sequence, TagNumber, Type, TypeId, TypeKind,
};

use crate::scalar::{float_token, integer_token};

/// Returns a module with `SCHEMA`, a static that equals the given tables, and a constant for each
/// rule of the specification, which has the given names.
pub fn emit(schema: &Schema, names: &[Option<Ident>]) -> TokenStream {
    let constants = rule_constants(schema, names);
    let rules = schema.rules.iter().map(rule);
    let types = schema.types.iter().enumerate().map(|(at, it)| ty(at, it));
    let cases = schema.types.iter().enumerate().filter_map(|(at, it)| selector_cases(at, it));
    let texts = schema.types.iter().enumerate().filter_map(|(at, it)| sorted_texts(at, it));
    let groups: Vec<_> = schema.groups.iter().enumerate().map(|(at, it)| group(at, it)).collect();
    let elements = groups.iter().flat_map(|(statics, _)| statics);
    let group_rows = groups.iter().map(|(_, row)| row);
    let patterns = schema.patterns.iter().map(|pattern| {
        let (source, regex, name) = (&pattern.source, &pattern.regex, &pattern.name);
        quote!(pattern(#source, #regex, #name))
    });
    let counts =
        [schema.rules.len(), schema.types.len(), schema.groups.len(), schema.patterns.len()]
            .map(Literal::usize_unsuffixed);
    let [rule_count, type_count, group_count, pattern_count] = counts;
    let root = number(schema.root.0);
    quote! {
        use ::vac_schema::constant::*;

        /// The schema as tables.
        pub static SCHEMA: ::vac_schema::Schema =
            schema(&RULES, &TYPES, &GROUPS, &PATTERNS, #root);

        static RULES: [::vac_schema::Rule; #rule_count] = [#(#rules),*];
        static TYPES: [::vac_schema::Type; #type_count] = [#(#types),*];
        static GROUPS: [::vac_schema::Group; #group_count] = [#(#group_rows),*];
        static PATTERNS: [::vac_schema::Pattern; #pattern_count] = [#(#patterns),*];
        #(#cases)*
        #(#texts)*
        #(#elements)*

        /// The rules of the specification.
        pub mod rules {
            #constants
        }
    }
}

/// Returns a constant for each rule of the specification, and one for the start rule. Code that
/// names a constant does not compile if the specification removes the rule.
fn rule_constants(schema: &Schema, names: &[Option<Ident>]) -> TokenStream {
    let root = number(schema.root.0);
    let rules = schema.rules.iter().zip(names).zip(0..);
    let constants = rules.filter_map(|((rule, name), at)| {
        let (name, at) = (name.as_ref()?, number(at));
        let docs = format!(" The rule `{}`.", rule.name);
        Some(quote! {
            #[doc = #docs]
            pub const #name: ::vac_schema::RuleId = ::vac_schema::RuleId(#at);
        })
    });
    quote! {
        /// The start rule, which a whole document has to satisfy.
        pub const ROOT: ::vac_schema::RuleId = ::vac_schema::RuleId(#root);
        #(#constants)*
    }
}

fn number(id: u32) -> Literal {
    Literal::u32_unsuffixed(id)
}

fn rule(rule: &Rule) -> TokenStream {
    let (name, body) = (&rule.name, number(rule.body.0));
    if rule.is_prelude { quote!(prelude(#name, #body)) } else { quote!(rule(#name, #body)) }
}

fn ty(at: usize, ty: &Type) -> TokenStream {
    let kinds = Literal::u16_unsuffixed(ty.kinds.0);
    let kind = type_kind(at, &ty.kind);
    if ty.is_scalar { quote!(scalar(#kinds, #kind)) } else { quote!(compound(#kinds, #kind)) }
}

fn cases_name(at: usize) -> Ident {
    Ident::new(&format!("CASES_{at}"), Span::call_site())
}

fn texts_name(at: usize) -> Ident {
    Ident::new(&format!("TEXTS_{at}"), Span::call_site())
}

/// Returns the static with the texts among many alternatives of a choice.
fn sorted_texts(at: usize, ty: &Type) -> Option<TokenStream> {
    let TypeKind::Choice { literals: Some(literals), .. } = &ty.kind else { return None };
    let name = texts_name(at);
    let count = Literal::usize_unsuffixed(literals.texts.len());
    let texts = literals.texts.iter().map(|text| quote!(string(#text)));
    Some(quote!(static #name: [::vac_schema::TableText; #count] = [#(#texts),*];))
}

/// Returns the static with the cases of a choice that a member decides.
fn selector_cases(at: usize, ty: &Type) -> Option<TokenStream> {
    let TypeKind::Choice { selector: Some(selector), .. } = &ty.kind else { return None };
    let name = cases_name(at);
    let count = Literal::usize_unsuffixed(selector.cases.len());
    let cases = selector.cases.iter().map(|case| {
        let (value, alternative) = (value(&case.value), number(case.alternative.0));
        quote!(case(#value, #alternative))
    });
    Some(quote!(static #name: [::vac_schema::Case; #count] = [#(#cases),*];))
}

fn type_kind(at: usize, kind: &TypeKind) -> TokenStream {
    match kind {
        TypeKind::Any => quote!(::vac_schema::TypeKind::Any),
        TypeKind::Rule(rule) => {
            let rule = number(rule.0);
            quote!(reference(#rule))
        }
        TypeKind::Literal(literal) => {
            let literal = value(literal);
            quote!(::vac_schema::TypeKind::Literal(#literal))
        }
        TypeKind::Range { low, high, is_inclusive } => {
            let (low, high) = (value(low), value(high));
            quote!(range(#low, #high, #is_inclusive))
        }
        TypeKind::Choice { alternatives, selector, literals } => {
            let alternatives = alternatives.iter().map(|id| type_id(*id));
            let selector = selector.as_ref().map(|selector| {
                let (key, cases) = (label(&selector.key), cases_name(at));
                quote!(selector(#key, &#cases))
            });
            match (selector, literals) {
                (None, None) => quote!(choice(&[#(#alternatives),*])),
                (Some(selector), None) => quote!(selected(&[#(#alternatives),*], #selector)),
                (selector, Some(literals)) => {
                    let selector = match selector {
                        None => quote!(None),
                        Some(selector) => quote!(Some(#selector)),
                    };
                    let integers = literals.integers.iter().map(|it| integer_token(*it));
                    let others = literals.others.iter().map(|id| type_id(*id));
                    let texts = texts_name(at);
                    quote! {
                        long_choice(
                            &[#(#alternatives),*],
                            #selector,
                            &[#(#integers),*],
                            &#texts,
                            &[#(#others),*]
                        )
                    }
                }
            }
        }
        TypeKind::Map(group) => {
            let group = number(group.0);
            quote!(map(#group))
        }
        TypeKind::Array(group) => {
            let group = number(group.0);
            quote!(array(#group))
        }
        TypeKind::Major { major, info } => {
            let major = Literal::u8_unsuffixed(*major);
            let info = match info {
                None => quote!(None),
                Some(info) => {
                    let info = Literal::u64_unsuffixed(*info);
                    quote!(Some(#info))
                }
            };
            quote!(major(#major, #info))
        }
        TypeKind::Simple(number) => {
            let number = type_id(*number);
            quote!(::vac_schema::TypeKind::Simple(#number))
        }
        TypeKind::Tag { number: tag, content } => {
            let content = number(content.0);
            let tag = match tag {
                TagNumber::Any => quote!(Any),
                TagNumber::Exactly(exactly) => {
                    let exactly = Literal::u64_unsuffixed(*exactly);
                    quote!(Exactly(#exactly))
                }
                TagNumber::Matching(id) => {
                    let id = type_id(*id);
                    quote!(Matching(#id))
                }
            };
            quote!(tag(::vac_schema::TagNumber::#tag, #content))
        }
        TypeKind::Control { target, control } => {
            let (target, control) = (number(target.0), self::control(control));
            quote!(control(#target, #control))
        }
    }
}

fn control(control: &Control) -> TokenStream {
    let (name, argument) = match control {
        Control::Regexp(pattern) => {
            let pattern = number(pattern.0);
            return quote!(regexp(#pattern));
        }
        Control::Size(id) => ("Size", type_id(*id)),
        Control::Bits(id) => ("Bits", type_id(*id)),
        Control::Cbor(id) => ("Cbor", type_id(*id)),
        Control::Cborseq(id) => ("Cborseq", type_id(*id)),
        Control::And(id) => ("And", type_id(*id)),
        Control::Less(bound) => ("Less", value(bound)),
        Control::AtMost(bound) => ("AtMost", value(bound)),
        Control::Greater(bound) => ("Greater", value(bound)),
        Control::AtLeast(bound) => ("AtLeast", value(bound)),
        Control::Equal(other) => ("Equal", value(other)),
        Control::NotEqual(other) => ("NotEqual", value(other)),
        Control::Not(id) => ("Not", type_id(*id)),
        Control::Base10(id) => ("Base10", type_id(*id)),
        Control::Json(id) => ("Json", type_id(*id)),
        Control::Join(id) => ("Join", type_id(*id)),
        Control::Encoded(encoding, id) => {
            let encoding = Ident::new(&format!("{encoding:?}"), Span::call_site());
            let id = type_id(*id);
            ("Encoded", quote!(::vac_schema::TextEncoding::#encoding, #id))
        }
        Control::Feature(name) => return quote!(feature(#name)),
        Control::Printf(format, items) => {
            let format = format.source();
            let items = items.iter().map(|id| type_id(*id));
            return quote!(printf(#format, &[#(#items),*]));
        }
        Control::Abnf(grammar) => {
            let text = grammar.source();
            let name = if grammar.is_for_bytes() { "abnfb" } else { "abnf" };
            let name = Ident::new(name, Span::call_site());
            return quote!(#name(#text));
        }
    };
    let name = Ident::new(name, Span::call_site());
    quote!(::vac_schema::Control::#name(#argument))
}

/// Returns the place of a group as a constant.
pub fn group_id(GroupId(id): GroupId) -> TokenStream {
    let id = number(id);
    quote!(::vac_schema::GroupId(#id))
}

/// Returns the place of a type as a constant.
pub fn type_id(TypeId(id): TypeId) -> TokenStream {
    let id = number(id);
    quote!(::vac_schema::TypeId(#id))
}

fn value(literal: &LiteralValue) -> TokenStream {
    match literal {
        LiteralValue::Integer(integer) => {
            let integer = integer_token(*integer);
            quote!(::vac_schema::LiteralValue::Integer(#integer))
        }
        LiteralValue::Float(float) => {
            let float = float_token(*float);
            quote!(::vac_schema::LiteralValue::Float(#float))
        }
        LiteralValue::Text(literal) => quote!(text(#literal)),
        LiteralValue::Bytes(literal) => {
            let literal = Literal::byte_string(literal);
            quote!(bytes(#literal))
        }
    }
}

/// Returns a value of the intermediate representation as a constant, for any module.
pub fn ir_value(value: &ir::LiteralValue) -> TokenStream {
    match value {
        ir::LiteralValue::Text(text) => quote!(::vac_schema::constant::text(#text)),
        ir::LiteralValue::Bytes(bytes) => {
            let bytes = Literal::byte_string(bytes);
            quote!(::vac_schema::constant::bytes(#bytes))
        }
        ir::LiteralValue::Integer(integer) => self::value(&LiteralValue::Integer(*integer)),
        ir::LiteralValue::Float(float) => self::value(&LiteralValue::Float(*float)),
    }
}

fn label(key: &LiteralKey) -> TokenStream {
    let (literal, name) = (value(&key.value), &key.name);
    quote!(label(#literal, #name))
}

/// Returns the statics with a group's elements, and the group's row.
fn group(at: usize, group: &Group) -> (Vec<TokenStream>, TokenStream) {
    let mut statics = Vec::new();
    let mut rows = Vec::new();
    for (choice, Sequence { elements, is_flat }) in group.choices.iter().enumerate() {
        let name = Ident::new(&format!("GROUP_{at}_{choice}"), Span::call_site());
        let count = Literal::usize_unsuffixed(elements.len());
        let elements = elements.iter().map(element);
        statics.push(quote! {
            static #name: [::vac_schema::Element; #count] = [#(#elements),*];
        });
        rows.push(if *is_flat { quote!(flat(&#name)) } else { quote!(sequence(&#name)) });
    }
    let name = Ident::new(&format!("GROUP_{at}"), Span::call_site());
    let count = Literal::usize_unsuffixed(rows.len());
    statics.push(quote!(static #name: [::vac_schema::Sequence; #count] = [#(#rows),*];));
    (statics, quote!(group(&#name)))
}

fn element(element: &Element) -> TokenStream {
    let min = Literal::u64_unsuffixed(element.min);
    let max = match element.max {
        u64::MAX => quote!(u64::MAX),
        max => {
            let max = Literal::u64_unsuffixed(max);
            quote!(#max)
        }
    };
    match &element.kind {
        ElementKind::Group(group) => {
            let group = number(group.0);
            quote!(inner(#min, #max, #group))
        }
        ElementKind::Member { key, is_cut, value } => {
            let value = number(value.0);
            let key = match key {
                MemberKey::None => quote!(None),
                MemberKey::Literal(key) => {
                    let key = label(key);
                    quote!(Literal(#key))
                }
                MemberKey::Type(id) => {
                    let id = type_id(*id);
                    quote!(Type(#id))
                }
            };
            quote!(member(#min, #max, ::vac_schema::MemberKey::#key, #is_cut, #value))
        }
    }
}
