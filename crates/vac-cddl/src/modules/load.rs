//! Collects the texts of all modules that a specification needs.

use std::collections::HashSet;

use super::{ModuleLoader, SpecFile, directives};
use crate::lower::limits;
use crate::{Error, Errors, location, syntax};

/// A module by its name, with its text.
pub(crate) type Loaded = (String, SpecFile<'static>);

/// Loads the modules that texts name, and those that these name, each once.
pub(crate) fn load(
    files: &[SpecFile<'_>],
    loader: &dyn ModuleLoader,
) -> Result<Vec<Loaded>, Errors> {
    let mut loading =
        Loading { loader, known: HashSet::new(), loaded: Vec::new(), bytes: 0, errors: Vec::new() };
    for file in files {
        loading.follow(file);
    }
    let mut next = 0;
    while next < loading.loaded.len() {
        // The list grows while its texts are read.
        let file = std::mem::replace(&mut loading.loaded[next].1, SpecFile::new("", ""));
        loading.follow(&file);
        loading.loaded[next].1 = file;
        next += 1;
    }
    match Errors::new(loading.errors) {
        Some(errors) => Err(errors),
        None => Ok(loading.loaded),
    }
}

struct Loading<'l> {
    loader: &'l dyn ModuleLoader,
    known: HashSet<String>,
    loaded: Vec<Loaded>,
    /// Bytes of all texts that were loaded.
    bytes: usize,
    errors: Vec<Error>,
}

impl Loading<'_> {
    /// Loads the modules that a text names.
    fn follow(&mut self, file: &SpecFile<'_>) {
        if file.text.len() > limits::TEXT_BYTES {
            // The parser refuses a text that is too long.
            return;
        }
        let comments = syntax::comments(&file.text);
        for directive in directives(&file.text, &comments) {
            let loaded = directive.content.and_then(|content| self.module(content.module));
            if let Err(why) = loaded
                && self.errors.len() < limits::ERRORS
            {
                let error = Error::new(location(&file.name, &file.text, directive.start), why);
                self.errors.push(error.with_line(&file.text));
            }
        }
    }

    fn module(&mut self, name: &str) -> Result<(), String> {
        if self.known.contains(name) {
            return Ok(());
        }
        if self.known.len() == limits::MODULES {
            return Err(format!("this specification has more than {} modules", limits::MODULES));
        }
        self.known.insert(name.to_owned());
        let file = self.loader.load(name)?;
        self.bytes = self.bytes.saturating_add(file.text.len());
        if self.bytes > limits::MODULES_BYTES {
            let limit = limits::MODULES_BYTES >> 20;
            return Err(format!("the modules of this specification have more than {limit} MiB"));
        }
        self.loaded.push((name.to_owned(), file));
        Ok(())
    }
}
