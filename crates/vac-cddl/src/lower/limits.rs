//! Limits on the size of specifications.
//!
//! Each limit is far above the size of real specifications and low enough to bound time and memory.
//! The limits of patterns are in the module `compile`, those of matching in `vac_schema::Budget`.

/// Bytes of a text.
pub(crate) const TEXT_BYTES: usize = 2 << 20;

/// Modules that a specification may name.
pub(crate) const MODULES: usize = 256;

/// Bytes of the texts of all modules.
pub(crate) const MODULES_BYTES: usize = 8 << 20;

/// Modules that name each other.
pub(crate) const MODULE_DEPTH: usize = 32;

/// Names that are visited when modules are merged.
pub(crate) const MODULE_WORK: usize = 1_000_000;

/// Errors, and warnings, that one run reports.
pub(crate) const ERRORS: usize = 20;

/// Brackets within brackets.
pub(crate) const NESTING: usize = 40;

/// Steps of lowering within each other: two for each pair of brackets, and one
/// for each group name on the way.
pub(super) const DEPTH: usize = 150;

/// Types and group entries, after group names are replaced by what they name.
pub(super) const NODES: usize = 1_000_000;

/// Instances of generic rules, and maps and arrays that become rules.
pub(super) const INSTANCES: usize = 1_000;

/// Bytes in the name of an instance, which spells out its arguments.
pub(super) const INSTANCE_NAME: usize = 4_096;

/// Bytes in a text that `.cat` and `.det` produce.
pub(super) const STRING: usize = 1 << 20;

/// Bytes of literals, names, comments and rules that are copied where groups and generic
/// rules are expanded.
pub(super) const COPIES: usize = 64 << 20;
