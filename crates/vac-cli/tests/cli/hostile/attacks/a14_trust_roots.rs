//! Only certificate authorities issue certificates.
