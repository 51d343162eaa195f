//! The document of `vac inspect`.

use serde::Serialize;
use vac::view::facts::Facts;

use super::FailedFile;
use crate::sessions::Signature;

/// The result of `vac inspect`.
#[derive(Serialize)]
pub struct InspectOutput {
    /// The sessions, in the order of the arguments.
    pub sessions: Vec<InspectedSession>,
    /// The files and logs that could not be read.
    pub failed: Vec<FailedFile>,
    /// Envelopes that do not contain their record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub envelopes: Vec<InspectedEnvelope>,
}

/// An envelope that does not contain its record.
#[derive(Serialize)]
pub struct InspectedEnvelope {
    /// The file.
    pub file: String,
    /// The state of the signature, and the claims of the envelope.
    #[serde(flatten)]
    pub signature: Signature,
}

/// The facts about a session.
#[derive(Serialize)]
pub struct InspectedSession {
    /// The facts.
    #[serde(flatten)]
    pub facts: Facts,
    /// The state of the signature; absent for logs and for records that are not signed.
    #[serde(flatten)]
    pub signature: Option<Signature>,
}
