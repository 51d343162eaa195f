//! Properties: random values of every generated type, and documents that are
//! changed at random until two judges disagree (they must not).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::LazyLock;

use data_encoding::HEXLOWER;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};
use vac_cddl::interpret::Interpreter;
use vac_cddl::ir::Schema;
use vac_record::*;
use vac_tests::root;
use vac_validate::runtime::Check;
use vac_value::{
    Any, Document, Embedded, EncodeError, Encoder, Encoding, Extensions, Kind, Node, Number,
    ReadError, Tagged, Text, check,
};

use crate::golden::{LOOSER_TYPES, cases, schema};
use crate::goldens::GOLDENS;

mod changed;
mod held;
mod parts;
mod scalars;
mod types;

use parts::*;
use scalars::*;

static SPEC: LazyLock<Schema> = LazyLock::new(|| {
    let path = root().join("spec/agent-conversation.cddl");
    let text = std::fs::read_to_string(path).expect("the spec is there");
    vac_cddl::parse("agent-conversation.cddl", &text).expect("the spec is CDDL")
});

static INTERPRETER: LazyLock<Interpreter<'static>> =
    LazyLock::new(|| Interpreter::new(&SPEC).expect("the spec can be interpreted"));

/// Whether the generated validator and the interpreter accept a document.
fn verdicts(rule: &str, document: &Document<'_>) -> (bool, bool) {
    let check = vac_validate::rule(rule).expect("a rule of the schema");
    let report = vac_validate::check(document, check, 1);
    let rule = INTERPRETER.rule(rule).expect("a rule of the schema");
    let violations = INTERPRETER.validate_rule(rule, document);
    (report.is_valid(), violations.is_empty())
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
