//! Runs the check of one target on inputs of libFuzzer. The environment variable
//! `VAC_FUZZ` names the target; `cargo xtask fuzz` builds this and sets it.
//!
//! One program for all targets builds in a fraction of the time of one program for each.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use vac_tests::fuzz::{Target, target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("VAC_FUZZ").expect("VAC_FUZZ names a target");
    target(&name).unwrap_or_else(|| panic!("no target {name}"))
});

fuzz_target!(|bytes: &[u8]| (TARGET.check)(bytes));
