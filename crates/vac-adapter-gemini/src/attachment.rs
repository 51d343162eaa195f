//! Converts files of a session that are not logs.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use vac_adapter::adapter::Counter;
use vac_adapter::attachment::{Attachment, base};
use vac_adapter::{Error, Input, Sink};
use vac_value::Node;

/// The name of the file that contains the path of the project.
const PROJECT_ROOT: &str = ".project_root";

/// The attachments of an input.
#[derive(Default)]
pub(crate) struct Attachments<'i> {
    /// The folder that `.project_root` names.
    pub project_root: Option<String>,
    /// All other files.
    files: Vec<&'i dyn Input>,
}

impl<'i> Attachments<'i> {
    /// Reads the attachments of an input.
    pub fn new(input: &'i dyn Input) -> Result<Self, Error> {
        let mut found = Self::default();
        // Each file of a session has its own companion files.
        let mut seen = HashSet::new();
        for file in input.attachments() {
            if !seen.insert((file.folder(), file.name())) {
                continue;
            }
            if base(file.name()) == PROJECT_ROOT && found.project_root.is_none() {
                found.project_root = folder(file)?;
                if found.project_root.is_some() {
                    continue;
                }
            }
            found.files.push(file);
        }
        Ok(found)
    }

    /// Returns whether no attachment becomes an entry.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Passes each attachment to a sink as an entry, with the call that its name contains, if there
    /// is one. `parts` is the number of files before them.
    pub fn entries(
        &self,
        parts: usize,
        links: Option<&Links>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        for (number, file) in (parts..).zip(&self.files) {
            let call = links.and_then(|links| links.find(file.name()));
            let event_type = if call.is_some() { "tool-result-file" } else { "file" };
            Attachment { file: *file, number }.entries(event_type, call, sink)?;
        }
        Ok(())
    }

    /// Returns the number of entries of the attachments.
    pub fn count(&self) -> Result<u64, Error> {
        let mut counter = Counter::default();
        self.entries(0, None, &mut counter)?;
        Ok(counter.count)
    }
}

/// Returns the folder that a file names, if the file contains exactly one line of text.
fn folder(file: &dyn Input) -> Result<Option<String>, Error> {
    const LONGEST: u64 = 64 * 1024;
    let mut bytes = Vec::new();
    file.open()?.take(LONGEST).read_to_end(&mut bytes)?;
    let text = std::str::from_utf8(&bytes).unwrap_or_default().trim();
    Ok((!text.is_empty() && !text.contains('\n')).then(|| text.to_owned()))
}

/// Returns whether the hash of a project is the hash of this folder.
pub(crate) fn is_hash_of(hash: &str, folder: &str) -> bool {
    HEXLOWER.encode(&Sha256::digest(folder.as_bytes())) == hash
}

/// The tool calls of a session, by their ids in the names of files.
#[derive(Debug, Default)]
pub(crate) struct Links(HashMap<String, String>);

impl Links {
    /// Adds a call by its id.
    pub fn call(&mut self, id: Option<Node<'_, '_>>) {
        if let Some(id) = id.and_then(Node::text).filter(|id| !id.is_empty()) {
            self.0.insert(in_name(&id), id.into_owned());
        }
    }

    /// Returns the call that a file belongs to. The name of the file consists of the name of the
    /// tool, the id of the call and sometimes a random word, with `_` between them and in them.
    fn find(&self, name: &str) -> Option<&str> {
        let name = in_name(base(name).split('.').next()?);
        let starts = std::iter::once(0).chain(name.match_indices('_').map(|(at, _)| at + 1));
        let end = name.rfind('_').unwrap_or(name.len());
        starts
            .flat_map(|start| [name.get(start..), name.get(start..end)])
            .find_map(|part| self.0.get(part?))
            .map(String::as_str)
    }
}

/// Returns the form of an id in the name of a file.
fn in_name(id: &str) -> String {
    let kept = |char: char| if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' };
    id.chars().map(|char| kept(char).to_ascii_lowercase()).collect()
}
