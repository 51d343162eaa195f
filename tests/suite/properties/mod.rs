//! Tests properties with random values of every generated type, and with documents that are changed
//! at random. The validator and the decoders have to agree on all of them.

use std::collections::BTreeMap;
use std::fmt::Debug;

use data_encoding::HEXLOWER;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};
use vac_record::*;
use vac_schema::Build;
use vac_tests::root;
use vac_validate::{SCHEMA, rules, validate_document};
use vac_value::{
    Any, Document, Embedded, EncodeError, Encoder, Encoding, Kind, Map, Node, Number, Tagged, Text,
};

use crate::golden::{cases, schema};
use crate::goldens::GOLDENS;

mod changed;
mod invariants;
mod parts;
mod scalars;
mod types;

use parts::*;
use scalars::*;

/// Returns whether the validator accepts a document.
fn is_valid(rule: &str, document: &Document<'_>) -> bool {
    let rule = SCHEMA.rule(rule).expect("a rule of the schema");
    validate_document(document, rule, 1).is_ok()
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(8610),
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}
