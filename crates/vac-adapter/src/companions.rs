//! Describes the files that belong to a session in addition to its log, as data.
//!
//! An adapter states which files belong to a session ([`Adapter::companions`]); `vac-store` finds
//! them. Logs that are found that way are further [parts](crate::Input::parts) of the session,
//! other files are its [attachments](crate::Input::attachments).
//!
//! [`Adapter::companions`]: crate::Adapter::companions

use crate::adapter::Preview;

/// The rules for the companion files of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Companions {
    /// The folder next to a log that has its name.
    pub session_folder: Option<SessionFolder>,
    /// Other files and folders.
    pub files: &'static [Companion],
    /// Files with the prompts of several sessions.
    pub prompts: Option<PromptList>,
    /// Variants of logs, each with the variant of a log that has companion files. Variants that are
    /// not listed stay the same.
    pub with_files: &'static [(&'static str, &'static str)],
}

impl Companions {
    /// The rules of an agent without companion files.
    pub const NONE: Self =
        Self { session_folder: None, files: &[], prompts: None, with_files: &[] };

    /// Returns the variant of a session whose log has the variant `log`.
    pub fn variant(&self, log: &'static str, has_files: bool) -> &'static str {
        let together = self.with_files.iter().find(|(alone, _)| has_files && *alone == log);
        together.map_or(log, |(_, together)| together)
    }
}

/// A folder next to a log with the name of the log without its ending.
#[derive(Clone, Copy, Debug)]
pub struct SessionFolder {
    /// The ending of the log.
    pub ending: &'static str,
    /// The folder belongs to the log if it contains one of these folders; those with names only
    /// if one of their entries has such a name. `*` is any text.
    pub signs: &'static [(&'static str, &'static [&'static str])],
    /// The names of files that are logs, at any depth. `*` is any text.
    pub logs: &'static [&'static str],
}

/// A file or a folder that belongs to logs of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Companion {
    /// The variants of logs that have it; empty for all.
    pub variants: &'static [&'static str],
    /// The folder that the path is relative to.
    pub base: Base,
    /// The path, with `/` between the names: `*` is any folder, `{id}` the id of the session, `{stem}`
    /// the name of the log without its ending.
    /// Of several files with such a path, the first that is accepted belongs to the log.
    pub path: &'static str,
    /// The name of a file next to it with which it does not belong to the log.
    pub unless: Option<&'static str>,
    /// The kind of file or folder.
    pub kind: CompanionKind,
}

/// The kind of a [`Companion`].
#[derive(Clone, Copy, Debug)]
pub enum CompanionKind {
    /// A folder; all files in it are attachments.
    Folder,
    /// A file, which is an attachment. The function adds its facts to the preview of the log, or
    /// returns the reason why it cannot.
    Attachment(fn(&[u8], &mut Preview) -> Result<(), &'static str>),
    /// A JSON document that is read with the log, as `{"file": its name, "value": the document}`.
    /// The function adds its facts to the preview, and returns false if the file is something else.
    Note(fn(&[u8], &mut Preview) -> bool),
}

/// The folder that the path of a companion is relative to.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// The name of a folder that the log is in.
    pub folder: &'static str,
    /// The number of folders above the log that are searched for it.
    pub within: usize,
    /// The number of folders that the base is above that one.
    pub above: usize,
    /// Whether the folder of the log is the base if no folder has that name.
    pub or_own_folder: bool,
}

/// A JSON array with the prompts of several sessions. Each session is a list of its own prompts.
#[derive(Clone, Copy, Debug)]
pub struct PromptList {
    /// The variant of such a list.
    pub variant: &'static str,
    /// The member of an element that names the session.
    pub session_id: &'static str,
    /// The member that every element has.
    pub prompt: &'static str,
    /// The member with the time.
    pub timestamp: &'static str,
}
