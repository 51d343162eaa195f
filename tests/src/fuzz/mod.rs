//! Checks for arbitrary bytes: one function for each fuzz target.
//!
//! A check panics if an invariant does not hold for its input, and returns otherwise,
//! whether the input is accepted or rejected. `tests/fuzz` calls the checks from libFuzzer,
//! the test suite calls them with every file of the committed corpus.
//!
//! ```
//! let target = vac_tests::fuzz::target("json").expect("a target");
//! (target.check)(br#"{"version": 1"#);
//! ```

// Every function here panics when an invariant is broken.
#![allow(clippy::missing_panics_doc)]

mod archives;
mod containers;
mod documents;
mod logs;
mod schemas;
mod signatures;

pub use archives::{archive, write_archive};
pub use containers::{file, folder, rows, write_database, write_folder};
pub use documents::{cbor, json, transcode};
pub use logs::convert;
pub use schemas::cddl;
pub use signatures::{keys, receipts, tokens, verify};

/// A fuzz target: a parser of untrusted bytes, with a check for every input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name that `cargo xtask fuzz` and the folder of the corpus use.
    pub name: &'static str,
    /// Panics if an invariant is broken.
    pub check: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "json", check: json },
    Target { name: "cbor", check: cbor },
    Target { name: "transcode", check: transcode },
    Target { name: "cddl", check: cddl },
    Target { name: "convert", check: convert },
    Target { name: "file", check: file },
    Target { name: "rows", check: rows },
    Target { name: "folder", check: folder },
    Target { name: "verify", check: verify },
    Target { name: "receipts", check: receipts },
    Target { name: "tokens", check: tokens },
    Target { name: "keys", check: keys },
    Target { name: "archive", check: archive },
];

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
