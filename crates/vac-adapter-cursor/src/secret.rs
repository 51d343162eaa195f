//! The keys to what Cursor stores encrypted: no record contains them.

use vac_adapter::redact::Secrets;

/// Members of a composer.
const NAMES: &[&str] = &["blobEncryptionKey", "speculativeSummarizationEncryptionKey"];

/// The secrets.
pub(crate) const SECRETS: Secrets = Secrets::new(NAMES);

/// How the report names secrets in what could not be parsed.
pub(crate) const UNPARSED: &str = "composerData, unparsed";

/// How the report names secrets in documents of an unknown kind.
pub(crate) const UNKNOWN: &str = "composerData, unknown document";

/// Returns how the report names a secret.
pub(crate) fn name(key: &str) -> String {
    format!("composerData.{key}")
}

#[cfg(test)]
mod tests {
    use super::NAMES;
    use crate::composer::Composer;

    #[test]
    fn mapping_of_composers_redacts_every_secret() {
        let redacted = Composer::MAPPING.rows.iter().filter(|row| row.canonical == "redacted");
        let keys: Vec<_> = redacted.filter(|row| !row.is_kept).flat_map(|row| row.keys).collect();
        assert!(NAMES.iter().all(|name| keys.contains(&name)), "{keys:?}");
    }
}
