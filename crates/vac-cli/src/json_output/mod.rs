//! The JSON documents that commands print with `--json`, and that `vac convert --report` writes.
//!
//! Keys are in kebab-case, and the same thing has the same key in every document. Enumerations are
//! codes, and what is unknown is absent. `JSON.md` of this crate lists all keys.

mod archive;
mod convert;
mod doctor;
mod export;
mod hook;
mod inspect;
mod keygen;
mod list;
mod receipts;
mod search;
mod sign;
#[cfg(test)]
mod tests;
mod timestamp;
mod usage;
mod validate;
mod verify;

use serde::Serialize;

pub use archive::{
    ArchiveAddOutput, ArchiveExportOutput, ArchiveHeadOutput, ArchiveInitOutput, ArchiveListOutput,
    ArchiveProofOutput, ArchiveStatusOutput, LogState, UnarchivedLog,
};
pub use convert::ConvertOutput;
pub use doctor::{
    AgentState, ArchiveState, DeletionState, DoctorOutput, DoctorProblem, HookPresence, HookState,
    PlaceState, ProblemCode,
};
pub use export::{ExportOutput, ExportedTable};
pub use hook::{HookChange, HookOutput, PrintedHook};
pub use inspect::{InspectOutput, InspectedEnvelope, InspectedSession};
pub use keygen::KeygenOutput;
pub use list::{ListOutput, ListedSession};
pub use receipts::AttachOutput;
pub use search::{HitOutput, SearchOutput, SearchedSession};
pub use sign::{LikelySecret, SignBatchFile, SignBatchOutput, SignOutput, SignSummary, SignedHash};
pub use timestamp::AttachTokenOutput;
pub use usage::{UnpricedModel, UsageOutput, UsageRowOutput};
pub use validate::{ValidateOutput, ValidateSummary, ValidatedFile};
pub use verify::{VerifyBatchFile, VerifyBatchOutput, VerifyOutput, VerifySummary};

/// A document of a command. It begins with the version of `vac` and the name of the command.
#[derive(Serialize)]
pub struct Document<T> {
    vac: &'static str,
    command: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T: Serialize> Document<T> {
    /// Creates the document of a command.
    pub fn new(command: &'static str, body: T) -> Self {
        Self { vac: env!("CARGO_PKG_VERSION"), command, body }
    }
}

/// A file that could not be read or converted.
#[derive(Clone, Serialize)]
pub struct FailedFile {
    /// The name of the file.
    pub file: String,
    /// The error message.
    pub error: String,
}
