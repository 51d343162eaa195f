//! Critical key identifiers and thumbprint issuers are compared.
