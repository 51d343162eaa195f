//! The keys to what Cursor stores encrypted: no record contains them.

use vac_adapter::redact::Secrets;

/// Members of a composer.
pub(crate) const SECRETS: Secrets =
    Secrets::new(&["blobEncryptionKey", "speculativeSummarizationEncryptionKey"]);

/// How the report names secrets in what could not be parsed.
pub(crate) const UNPARSED: &str = "composerData, unparsed";

/// How the report names secrets in documents of an unknown kind.
pub(crate) const UNKNOWN: &str = "composerData, unknown document";

/// Returns how the report names a member, if it is a secret.
pub(crate) fn name(key: &str) -> Option<String> {
    SECRETS.contains(key).then(|| format!("composerData.{key}"))
}
