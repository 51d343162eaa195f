//! Secrets are redacted in frames that could not be parsed, too.
