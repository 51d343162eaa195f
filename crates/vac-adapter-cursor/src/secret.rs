//! Removes the keys of the data that Cursor stores encrypted: no record contains them.

use vac_adapter::redact::Secrets;

/// The members of a composer that are secret.
const NAMES: &[&str] = &["blobEncryptionKey", "speculativeSummarizationEncryptionKey"];

/// The secrets.
pub(crate) const SECRETS: Secrets = Secrets::new(NAMES);

/// The name in reports of secrets in bytes that could not be parsed.
pub(crate) const UNPARSED: &str = "composerData, unparsed";

/// The name in reports of secrets in documents of an unknown kind.
pub(crate) const UNKNOWN: &str = "composerData, unknown document";

/// Returns the name of a secret in reports.
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
