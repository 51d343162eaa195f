//! Writes literals as Rust code.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use vac_cddl::ir::LiteralValue;

/// Returns the Rust type of a literal, and its value.
pub fn value_tokens(value: &LiteralValue) -> (TokenStream, TokenStream) {
    match value {
        LiteralValue::Text(text) => (quote!(&str), quote!(#text)),
        LiteralValue::Integer(integer) => (quote!(i128), integer_token(*integer)),
        LiteralValue::Float(float) => (quote!(f64), float_token(*float)),
        LiteralValue::Bytes(bytes) => {
            let bytes = Token::byte_string(bytes);
            (quote!(&[u8]), quote!(#bytes))
        }
    }
}

/// Returns an integer as Rust writes it, without a suffix.
pub fn integer_token(value: i128) -> TokenStream {
    let magnitude = Token::u128_unsuffixed(value.unsigned_abs());
    if value < 0 { quote!(-#magnitude) } else { quote!(#magnitude) }
}

/// Returns a float as Rust writes it.
pub fn float_token(value: f64) -> TokenStream {
    float(value, Token::f64_unsuffixed)
}

/// Returns a float as Rust writes it where its type is not known.
pub fn suffixed_float(value: f64) -> TokenStream {
    float(value, Token::f64_suffixed)
}

fn float(value: f64, token: fn(f64) -> Token) -> TokenStream {
    if value.is_nan() {
        quote!(f64::NAN)
    } else if value.is_infinite() {
        if value > 0.0 { quote!(f64::INFINITY) } else { quote!(f64::NEG_INFINITY) }
    } else if is_near_constant(value) {
        let bits = value.to_bits();
        quote!(f64::from_bits(#bits))
    } else {
        let magnitude = token(value.abs());
        if value.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
    }
}

/// Returns whether clippy (`approx_constant`) might take a literal for a constant of `std`.
fn is_near_constant(value: f64) -> bool {
    use std::f64::consts as c;
    let constants = [
        c::E,
        c::FRAC_1_PI,
        c::FRAC_1_SQRT_2,
        c::FRAC_2_PI,
        c::FRAC_2_SQRT_PI,
        c::FRAC_PI_2,
        c::FRAC_PI_3,
        c::FRAC_PI_4,
        c::FRAC_PI_6,
        c::FRAC_PI_8,
        c::LN_2,
        c::LN_10,
        c::LOG2_10,
        c::LOG2_E,
        c::LOG10_2,
        c::LOG10_E,
        c::PI,
        c::SQRT_2,
        c::TAU,
    ];
    // The lint compares at least three digits, so it ignores values such as 0.7.
    let has_digits = (value * 100.0).fract() != 0.0 || value.abs() >= 2.0;
    has_digits && constants.iter().any(|constant| (value.abs() - constant).abs() < 0.01)
}
