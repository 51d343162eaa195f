//! Runs the check of one target on inputs of libFuzzer. The environment variable
//! `VAC_FUZZ` names the target; `cargo xtask fuzz` builds this and sets it.
//!
//! Building one program for all targets takes a fraction of the time of building one for each.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use vac_tests::fuzz::{Target, target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("VAC_FUZZ").expect("VAC_FUZZ names a target");
    target(&name).unwrap_or_else(|| panic!("no target {name}"))
});

fuzz_target!(|bytes: &[u8]| (TARGET.check)(bytes));
