//! CDDL modules (draft-ietf-cbor-cddl-modules): rules from other files.
//!
//! `;# import` and `;# include` name modules, whose texts a [`ModuleLoader`] returns: this crate
//! reads no files. First all texts are collected ([`load`]), then the rules of each module are
//! merged into those that refer to it ([`merge`]).

mod directive;
mod load;
mod merge;
mod rules;

use std::borrow::Cow;

#[cfg(feature = "folders")]
pub(crate) use self::directive::is_module_name;
pub(crate) use self::directive::{Directive, directives};
pub(crate) use self::load::load;
pub(crate) use self::merge::{NamedSource, merge};
pub(crate) use self::rules::{Entry, Namespace, RuleSet, references};

/// A text of a specification, with the name that locations contain.
#[derive(Clone, Debug)]
pub struct SpecFile<'t> {
    /// The name, usually the path as the user wrote it.
    pub name: Cow<'t, str>,
    /// The text.
    pub text: Cow<'t, str>,
}

impl<'t> SpecFile<'t> {
    /// Creates a text with a name.
    pub fn new(name: impl Into<Cow<'t, str>>, text: impl Into<Cow<'t, str>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// Finds the modules that `;# import` and `;# include` name.
pub trait ModuleLoader {
    /// Returns the text of a module, or the reason why it cannot be read.
    ///
    /// The name consists of ASCII letters, digits, `-`, `_` and `.`, and does not begin
    /// with `.`: it cannot lead out of a folder.
    fn load(&self, module: &str) -> Result<SpecFile<'static>, String>;
}

impl<F: Fn(&str) -> Result<SpecFile<'static>, String>> ModuleLoader for F {
    fn load(&self, module: &str) -> Result<SpecFile<'static>, String> {
        self(module)
    }
}

/// Options for reading a specification.
#[derive(Clone, Copy, Default)]
pub struct ParseOptions<'o> {
    /// The rule that documents have to match. The first rule of the first file if `None`.
    pub start: Option<&'o str>,
    /// The loader of modules. Directives are not followed if `None`; each gives a warning.
    pub modules: Option<&'o dyn ModuleLoader>,
}
