//! Enables and disables features of a schema (`.feature`, RFC 9165 section 4).

use std::collections::BTreeSet;

use crate::tables::{Control, Schema, TypeKind};

/// The features of a schema that documents may use. All of them by default.
///
/// A type with a disabled feature accepts nothing, so that another alternative may accept the
/// value. If none does, the violation names the feature.
///
/// ```
/// use vac_schema::Features;
/// use vac_value::Document;
///
/// let schema = vac_cddl::parse("a.cddl", r#"a = int / tstr .feature "names""#)?;
/// let schema = vac_cddl::tables(&schema)?;
/// let document = Document::json(br#""one""#)?;
/// assert!(schema.validate(schema.root, document.root(), 20).is_ok());
///
/// let features = Features::except(["names"]);
/// let violations = schema.validate_with(&features, schema.root, document.root(), 20).unwrap_err();
/// assert_eq!(
///     violations.to_string(),
///     r#"/: expected int or text, found text "one" of the disabled feature "names" (rule a)"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// Whether a feature that is not listed is enabled.
    others: bool,
    listed: BTreeSet<String>,
}

impl Features {
    /// All features.
    pub const ALL: Self = Self { others: true, listed: BTreeSet::new() };

    /// Enables the features with these names, and no others.
    pub fn only<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { others: false, listed: names.into_iter().map(Into::into).collect() }
    }

    /// Enables all features but those with these names.
    pub fn except<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { others: true, listed: names.into_iter().map(Into::into).collect() }
    }

    /// Returns whether documents may use a feature.
    pub fn is_enabled(&self, name: &str) -> bool {
        self.others != self.listed.contains(name)
    }
}

/// All features, for uses that need a reference.
pub(crate) static ALL: Features = Features::ALL;

impl Default for Features {
    fn default() -> Self {
        Self::ALL
    }
}

impl Schema {
    /// Returns the names of the features that the schema mentions.
    pub fn features(&self) -> BTreeSet<&str> {
        let names = self.types.iter().filter_map(|ty| match &ty.kind {
            TypeKind::Control { control: Control::Feature(name), .. } => Some(&**name),
            _ => None,
        });
        names.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Features;

    #[test]
    fn features_are_all_some_or_all_but_some() {
        assert!(Features::default().is_enabled("a"));
        assert!(Features::only(["a"]).is_enabled("a") && !Features::only(["a"]).is_enabled("b"));
        assert!(
            !Features::except(["a"]).is_enabled("a") && Features::except(["a"]).is_enabled("b")
        );
    }
}
