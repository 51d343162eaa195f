//! The adapter over its fixtures, over hostile input and over real sessions.

mod beginnings;
mod companion_files;
mod every_log;
mod hostile;
mod lines;
mod mapping;
mod meaning;
mod split;
mod stream;
mod tokens;

use vac_adapter_check::{Log, Outcome};
use vac_adapter_gemini::Gemini;
use vac_adapter_gemini::check::GEMINI;

/// What becomes of an input, after it was seen that it is what it has to be.
fn check(name: &str, bytes: &[u8]) -> Outcome {
    vac_adapter_check::check(&GEMINI, &Gemini, &Log::new(name, bytes))
}

/// The only record, to look inside.
fn record(name: &str, text: &str) -> serde_json::Value {
    check(name, text.as_bytes()).only().value()
}
