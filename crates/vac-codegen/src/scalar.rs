//! Types without inside: each is a predicate over a node, written once and used
//! by decoders and validators alike.

use proc_macro2::{Delimiter, Ident, Literal as Token, Span, TokenStream, TokenTree};
use quote::quote;
use vac_cddl::ir::{Control, Pattern, Schema, Type, TypeKind, Value};

use crate::analysis::{integer_ranges, prelude_name, rule};

/// The regular expressions of a generated file: each compiled once, by name.
#[derive(Default)]
pub struct Patterns {
    sources: Vec<String>,
}

impl Patterns {
    fn name(&mut self, pattern: &Pattern) -> Ident {
        let at = self.sources.iter().position(|source| *source == pattern.regex);
        let at = at.unwrap_or_else(|| {
            self.sources.push(pattern.regex.clone());
            self.sources.len() - 1
        });
        pattern_name(at)
    }

    /// The names of their declarations.
    pub fn names(&self) -> impl Iterator<Item = Ident> {
        (0..self.sources.len()).map(pattern_name)
    }

    /// Their declarations.
    pub fn declarations(&self) -> TokenStream {
        let declarations = self.names().zip(&self.sources).map(|(name, source)| {
            quote! {
                static #name: LazyLock<Pattern> =
                    LazyLock::new(|| Pattern::new(#source).expect("the generator has compiled it"));
            }
        });
        quote!(#(#declarations)*)
    }
}

fn pattern_name(at: usize) -> Ident {
    Ident::new(&format!("PATTERN_{}", at + 1), Span::call_site())
}

/// Whether a type can be judged by a predicate.
pub fn is_scalar(schema: &Schema, ty: &Type) -> bool {
    predicate(schema, ty, &mut Patterns::default()).is_some()
}

/// The same as [`predicate`], to stand where nothing binds tighter.
pub fn condition(schema: &Schema, ty: &Type, patterns: &mut Patterns) -> Option<TokenStream> {
    predicate(schema, ty, patterns).map(without_parentheses)
}

/// Takes the parentheses around a whole expression away.
pub fn without_parentheses(expression: TokenStream) -> TokenStream {
    let mut tokens = expression.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Parenthesis => {
            group.stream()
        }
        _ => expression,
    }
}

/// An expression over `node`, a `vac_value::Node`; `None` for types with an
/// inside, for `any`, and for what no predicate can say.
pub fn predicate(schema: &Schema, ty: &Type, patterns: &mut Patterns) -> Option<TokenStream> {
    if let Some(name) = prelude_name(schema, ty)
        && let Some(predicate) = of_prelude(name)
    {
        return Some(predicate);
    }
    match &ty.kind {
        TypeKind::Rule(id) => predicate(schema, &rule(schema, *id).body, patterns),
        TypeKind::Literal(literal) => Some(value_predicate(&literal.value)),
        TypeKind::Range { low, high, inclusive } => range(low, high, *inclusive),
        TypeKind::Choice(alternatives) => {
            let mut all = Vec::new();
            for alternative in alternatives {
                all.push(predicate(schema, alternative, patterns)?);
            }
            Some(any_of(all))
        }
        TypeKind::Major { major, info } => Some(major_type(*major, *info)),
        TypeKind::Control { target, control } => controlled(schema, target, control, patterns),
        TypeKind::Any
        | TypeKind::Map(_)
        | TypeKind::Array(_)
        | TypeKind::Tag { .. }
        | TypeKind::Simple(_) => None,
    }
}

fn any_of(mut predicates: Vec<TokenStream>) -> TokenStream {
    match predicates.len() {
        0 => quote!(false),
        1 => predicates.remove(0),
        _ => quote!((#(#predicates)||*)),
    }
}

fn of_prelude(name: &str) -> Option<TokenStream> {
    Some(match name {
        "uint" => quote!(check::uint(node)),
        "nint" => quote!(check::nint(node)),
        "int" => quote!(check::int(node)),
        "tstr" | "text" => quote!(check::text(node)),
        "bstr" | "bytes" => quote!(check::bytes(node)),
        "bool" => quote!(check::bool(node)),
        "false" => quote!(check::simple(node, 20)),
        "true" => quote!(check::simple(node, 21)),
        "nil" | "null" => quote!(check::simple(node, 22)),
        "undefined" => quote!(check::simple(node, 23)),
        "float16" => quote!(check::float16(node)),
        "float32" | "float16-32" => quote!(check::float32(node)),
        "float64" | "float32-64" | "float" => quote!(check::float(node)),
        "number" => quote!((check::int(node) || check::float(node))),
        "biguint" => quote!(check::biguint(node)),
        "bignint" => quote!(check::bignint(node)),
        "bigint" => quote!((check::biguint(node) || check::bignint(node))),
        "integer" => {
            quote!((check::int(node) || check::biguint(node) || check::bignint(node)))
        }
        "unsigned" => quote!((check::uint(node) || check::biguint(node))),
        _ => return None,
    })
}

fn major_type(major: u8, info: Option<u64>) -> TokenStream {
    let of_length = |kind: TokenStream| match info {
        None => kind,
        Some(length) => quote!((#kind && check::length(node) == #length)),
    };
    match (major, info) {
        (0, None) => quote!(check::uint(node)),
        (1, None) => quote!(check::nint(node)),
        (0, Some(value)) => value_predicate(&Value::Integer(i128::from(value))),
        (1, Some(value)) => value_predicate(&Value::Integer(-1 - i128::from(value))),
        (2, _) => of_length(quote!(check::bytes(node))),
        (3, _) => of_length(quote!(check::text(node))),
        (4, _) => of_length(quote!((node.kind() == Kind::Array))),
        (5, _) => of_length(quote!((node.kind() == Kind::Map))),
        (_, None) => quote!(check::float_or_simple(node)),
        (_, Some(25)) => quote!(check::float16(node)),
        (_, Some(26)) => quote!(check::float32(node)),
        (_, Some(27)) => quote!(check::float(node)),
        (_, Some(number)) => match u8::try_from(number) {
            Ok(number) => quote!(check::simple(node, #number)),
            Err(_) => quote!(false),
        },
    }
}

/// Whether `node` is this value.
pub fn value_predicate(value: &Value) -> TokenStream {
    match value {
        Value::Integer(integer) => {
            let integer = integer_token(*integer);
            quote!(check::is_integer(node, #integer))
        }
        Value::Float(float) => {
            let float = float_token(*float);
            quote!(check::is_float(node, #float))
        }
        Value::Text(text) => quote!(check::is_text(node, #text)),
        Value::Bytes(bytes) => {
            let bytes = Token::byte_string(bytes);
            quote!(check::is_bytes(node, #bytes))
        }
    }
}

/// The Rust type of a literal, and its value.
pub fn value_tokens(value: &Value) -> (TokenStream, TokenStream) {
    match value {
        Value::Text(text) => (quote!(&str), quote!(#text)),
        Value::Integer(integer) => (quote!(i128), integer_token(*integer)),
        Value::Float(float) => (quote!(f64), float_token(*float)),
        Value::Bytes(bytes) => {
            let bytes = Token::byte_string(bytes);
            (quote!(&[u8]), quote!(#bytes))
        }
    }
}

/// An integer as Rust writes it, without a suffix.
pub fn integer_token(value: i128) -> TokenStream {
    let magnitude = Token::u128_unsuffixed(value.unsigned_abs());
    if value < 0 { quote!(-#magnitude) } else { quote!(#magnitude) }
}

/// A float as Rust writes it.
pub fn float_token(value: f64) -> TokenStream {
    if value.is_nan() {
        quote!(f64::NAN)
    } else if value.is_infinite() {
        if value > 0.0 { quote!(f64::INFINITY) } else { quote!(f64::NEG_INFINITY) }
    } else {
        let magnitude = Token::f64_unsuffixed(value.abs());
        if value.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
    }
}

fn range(low: &Value, high: &Value, inclusive: bool) -> Option<TokenStream> {
    match (low, high) {
        (Value::Integer(low), Value::Integer(high)) => {
            let low = integer_token(*low);
            let high = integer_token(if inclusive { *high } else { *high - 1 });
            Some(quote!(check::integer_range(node, #low, #high)))
        }
        (Value::Float(low), Value::Float(high)) => {
            let (low, high) = (float_token(*low), float_token(*high));
            Some(quote!(check::float_range(node, #low, #high, #inclusive)))
        }
        _ => None,
    }
}

fn controlled(
    schema: &Schema,
    target: &Type,
    control: &Control,
    patterns: &mut Patterns,
) -> Option<TokenStream> {
    let target = predicate(schema, target, patterns)?;
    let also = match control {
        Control::Default(_) | Control::Feature(_) => return Some(target),
        Control::Cbor(_) | Control::Cborseq(_) => return None,
        Control::Size(sizes) => any_of(
            integer_ranges(schema, sizes)?
                .into_iter()
                .map(|(least, most)| quote!(check::size(node, #least, #most)))
                .collect(),
        ),
        Control::Bits(bits) => {
            let allowed = integer_ranges(schema, bits)?.into_iter().map(|(low, high)| {
                let (low, high) = (Token::u64_unsuffixed(low), Token::u64_unsuffixed(high));
                if low.to_string() == high.to_string() {
                    quote!(#low)
                } else {
                    quote!(#low..=#high)
                }
            });
            quote!(check::bits(node, |bit| matches!(bit, #(#allowed)|*)))
        }
        Control::Regexp(pattern) => {
            let pattern = patterns.name(pattern);
            quote!(check::regexp(node, &#pattern))
        }
        Control::Within(other) | Control::And(other) => predicate(schema, other, patterns)?,
        Control::Lt(value) => compare(value, "is_lt")?,
        Control::Le(value) => compare(value, "is_le")?,
        Control::Gt(value) => compare(value, "is_gt")?,
        Control::Ge(value) => compare(value, "is_ge")?,
        Control::Eq(value) => value_predicate(value),
        Control::Ne(value) => {
            let same = value_predicate(value);
            quote!(!#same)
        }
    };
    Some(quote!((#target && #also)))
}

fn compare(to: &Value, ordering: &str) -> Option<TokenStream> {
    let ordering = Ident::new(ordering, Span::call_site());
    match to {
        Value::Integer(integer) => {
            let integer = integer_token(*integer);
            Some(quote!(check::compare_integer(node, #integer).is_some_and(Ordering::#ordering)))
        }
        Value::Float(float) => {
            let float = float_token(*float);
            Some(quote!(check::compare_float(node, #float).is_some_and(Ordering::#ordering)))
        }
        Value::Text(_) | Value::Bytes(_) => None,
    }
}
