//! Contains the generated modules of `fixtures/cddl`. A test in `golden` compares the list with the
//! folder.

#![allow(dead_code, unused_imports, missing_docs, clippy::all, clippy::pedantic)]

use vac_schema::Schema;
use vac_value::{Document, Encode};

#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/01_closed_struct.rs"]
mod g01_closed_struct;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/02_open_map.rs"]
mod g02_open_map;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/03_type_choice.rs"]
mod g03_type_choice;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/04_group_choice_map.rs"]
mod g04_group_choice_map;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/05_array_occurrences.rs"]
mod g05_array_occurrences;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/06_wildcard_occurrence.rs"]
mod g06_wildcard_occurrence;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/07_inlined_groups.rs"]
mod g07_inlined_groups;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/08_repeated_group.rs"]
mod g08_repeated_group;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/09_generics.rs"]
mod g09_generics;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/10_type_socket.rs"]
mod g10_type_socket;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/11_group_socket.rs"]
mod g11_group_socket;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/12_unwrap.rs"]
mod g12_unwrap;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/13_enumeration.rs"]
mod g13_enumeration;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/14_named_int_keys.rs"]
mod g14_named_int_keys;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/15_ranges.rs"]
mod g15_ranges;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/16_cuts.rs"]
mod g16_cuts;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/17_tags.rs"]
mod g17_tags;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/18_major_types.rs"]
mod g18_major_types;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/19_literals.rs"]
mod g19_literals;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/20_prelude_numbers.rs"]
mod g20_prelude_numbers;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/21_size.rs"]
mod g21_size;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/22_bits.rs"]
mod g22_bits;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/23_regexp.rs"]
mod g23_regexp;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/24_cbor.rs"]
mod g24_cbor;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/25_cborseq.rs"]
mod g25_cborseq;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/26_and_within.rs"]
mod g26_and_within;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/27_comparisons.rs"]
mod g27_comparisons;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/28_plus_cat_det.rs"]
mod g28_plus_cat_det;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/29_feature.rs"]
mod g29_feature;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/30_names_and_keywords.rs"]
mod g30_names_and_keywords;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/31_recursion.rs"]
mod g31_recursion;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/32_discriminated_choice.rs"]
mod g32_discriminated_choice;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/33_signed_envelope.rs"]
mod g33_signed_envelope;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/34_mixed_keys.rs"]
mod g34_mixed_keys;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/35_optional_in_middle.rs"]
mod g35_optional_in_middle;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/36_tables.rs"]
mod g36_tables;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/37_empty_and_nested.rs"]
mod g37_empty_and_nested;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/38_prelude_others.rs"]
mod g38_prelude_others;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/39_encoding_variants.rs"]
mod g39_encoding_variants;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/40_greedy_groups.rs"]
mod g40_greedy_groups;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/41_array_records.rs"]
mod g41_array_records;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/42_layout_and_comments.rs"]
mod g42_layout_and_comments;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/43_cuts_in_groups.rs"]
mod g43_cuts_in_groups;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/44_text_encodings.rs"]
mod g44_text_encodings;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/45_base10_printf.rs"]
mod g45_base10_printf;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/46_json.rs"]
mod g46_json;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/47_join.rs"]
mod g47_join;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/48_abnf.rs"]
mod g48_abnf;
#[rustfmt::skip]
#[path = "../../fixtures/cddl/generated/49_equality.rs"]
mod g49_equality;

/// A golden schema.
pub struct Golden {
    /// The name of its file, without the extension.
    pub stem: &'static str,
    /// The generated tables of the schema.
    pub schema: &'static Schema,
    /// Decodes a document into the generated type and encodes it again, in the
    /// document's own encoding.
    pub decode_and_encode: fn(&Document<'_>) -> Result<Vec<u8>, String>,
}

macro_rules! golden {
    ($module:ident, $stem:literal) => {
        Golden {
            stem: $stem,
            schema: &$module::schema::SCHEMA,
            decode_and_encode: |document| {
                let value: $module::Root = $module::schema::SCHEMA
                    .decode($module::schema::rules::ROOT, document.root())
                    .map_err(|error| error.to_string())?;
                let mut encoder = vac_value::Encoder::new(document.encoding());
                value.encode(&mut encoder).map_err(|error| error.to_string())?;
                Ok(encoder.finish())
            },
        }
    };
}

/// All golden schemas.
pub const GOLDENS: &[Golden] = &[
    golden!(g01_closed_struct, "01-closed-struct"),
    golden!(g02_open_map, "02-open-map"),
    golden!(g03_type_choice, "03-type-choice"),
    golden!(g04_group_choice_map, "04-group-choice-map"),
    golden!(g05_array_occurrences, "05-array-occurrences"),
    golden!(g06_wildcard_occurrence, "06-wildcard-occurrence"),
    golden!(g07_inlined_groups, "07-inlined-groups"),
    golden!(g08_repeated_group, "08-repeated-group"),
    golden!(g09_generics, "09-generics"),
    golden!(g10_type_socket, "10-type-socket"),
    golden!(g11_group_socket, "11-group-socket"),
    golden!(g12_unwrap, "12-unwrap"),
    golden!(g13_enumeration, "13-enumeration"),
    golden!(g14_named_int_keys, "14-named-int-keys"),
    golden!(g15_ranges, "15-ranges"),
    golden!(g16_cuts, "16-cuts"),
    golden!(g17_tags, "17-tags"),
    golden!(g18_major_types, "18-major-types"),
    golden!(g19_literals, "19-literals"),
    golden!(g20_prelude_numbers, "20-prelude-numbers"),
    golden!(g21_size, "21-size"),
    golden!(g22_bits, "22-bits"),
    golden!(g23_regexp, "23-regexp"),
    golden!(g24_cbor, "24-cbor"),
    golden!(g25_cborseq, "25-cborseq"),
    golden!(g26_and_within, "26-and-within"),
    golden!(g27_comparisons, "27-comparisons"),
    golden!(g28_plus_cat_det, "28-plus-cat-det"),
    golden!(g29_feature, "29-feature"),
    golden!(g30_names_and_keywords, "30-names-and-keywords"),
    golden!(g31_recursion, "31-recursion"),
    golden!(g32_discriminated_choice, "32-discriminated-choice"),
    golden!(g33_signed_envelope, "33-signed-envelope"),
    golden!(g34_mixed_keys, "34-mixed-keys"),
    golden!(g35_optional_in_middle, "35-optional-in-middle"),
    golden!(g36_tables, "36-tables"),
    golden!(g37_empty_and_nested, "37-empty-and-nested"),
    golden!(g38_prelude_others, "38-prelude-others"),
    golden!(g39_encoding_variants, "39-encoding-variants"),
    golden!(g40_greedy_groups, "40-greedy-groups"),
    golden!(g41_array_records, "41-array-records"),
    golden!(g42_layout_and_comments, "42-layout-and-comments"),
    golden!(g43_cuts_in_groups, "43-cuts-in-groups"),
    golden!(g44_text_encodings, "44-text-encodings"),
    golden!(g45_base10_printf, "45-base10-printf"),
    golden!(g46_json, "46-json"),
    golden!(g47_join, "47-join"),
    golden!(g48_abnf, "48-abnf"),
    golden!(g49_equality, "49-equality"),
];
