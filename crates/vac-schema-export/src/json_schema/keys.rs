//! Writes the keys of maps that are given by a type, not by a name.

use vac_cddl::ir::{Control, Type, TypeKind};

use super::pattern::Pattern;
use super::{Part, Writer};
use crate::kinds::TEXT;
use crate::shapes::{resolve, texts};

/// The texts among the keys that a type accepts.
pub(super) enum Keys<'s> {
    /// All texts.
    All,
    /// Some texts.
    Texts(Vec<&'s str>),
    /// Texts that match a pattern.
    Pattern(Box<Pattern>),
    /// Texts that the schema describes.
    Described(Part),
    /// No texts.
    None,
}

impl Keys<'_> {
    /// Returns whether a key may be one of these. A type that cannot be expressed may accept any
    /// key.
    pub fn may_accept(&self, key: &str) -> bool {
        match self {
            Self::All | Self::Described(_) => true,
            Self::Texts(texts) => texts.contains(&key),
            Self::Pattern(pattern) => pattern.is_match(key),
            Self::None => false,
        }
    }
}

impl<'s> Writer<'s> {
    /// Finds the texts among the keys of a type.
    pub(super) fn keys(&mut self, key: &'s Type) -> Keys<'s> {
        if self.shapes.kinds.get(key) & TEXT == 0 {
            return Keys::None;
        }
        let resolved = resolve(self.shapes.schema, key);
        if self.accepts_all_texts(resolved) {
            return Keys::All;
        }
        if let Some(texts) = texts(self.shapes.schema, resolved) {
            return Keys::Texts(texts);
        }
        if let TypeKind::Control { target, control: Control::Regexp(xsd) } = &resolved.kind
            && self.accepts_all_texts(resolve(self.shapes.schema, target))
            && let Some(pattern) = Pattern::new(&xsd.regex)
        {
            return Keys::Pattern(Box::new(pattern));
        }
        Keys::Described(self.ty(key))
    }

    fn accepts_all_texts(&self, ty: &'s Type) -> bool {
        match &ty.kind {
            TypeKind::Any | TypeKind::Major { major: 3, info: None } => true,
            TypeKind::Choice(alternatives) => alternatives.iter().any(|alternative| {
                let alternative = resolve(self.shapes.schema, alternative);
                matches!(
                    &alternative.kind,
                    TypeKind::Any | TypeKind::Major { major: 3, info: None }
                )
            }),
            _ => false,
        }
    }
}
