//! Limits on the size of specifications.
//!
//! Each constant is a maximum, far above the size of real specifications and low enough to bound
//! time and memory.
//! The limits of patterns are in the module `compile`, those of matching in `vac_schema::Budget`.

/// The size of a text in bytes.
pub(crate) const TEXT_BYTES: usize = 2 << 20;

/// The number of modules that a specification names.
pub(crate) const MODULES: usize = 256;

/// The size of the texts of all modules together, in bytes.
pub(crate) const MODULES_BYTES: usize = 8 << 20;

/// The length of a chain of modules that name each other.
pub(crate) const MODULE_DEPTH: usize = 32;

/// The number of names that are visited when modules are merged.
pub(crate) const MODULE_WORK: usize = 1_000_000;

/// The number of errors, and of warnings, that one run reports.
pub(crate) const ERRORS: usize = 20;

/// The nesting of brackets.
pub(crate) const NESTING: usize = 40;

/// The nesting of steps of lowering: two for each pair of brackets, and one for each group name on
/// the way.
pub(super) const DEPTH: usize = 150;

/// The number of types and group entries, after group names are replaced by their groups.
pub(super) const NODES: usize = 1_000_000;

/// The number of instances of generic rules, and of maps and arrays that become rules.
pub(super) const INSTANCES: usize = 1_000;

/// The length of the name of an instance in bytes. It spells out the arguments.
pub(super) const INSTANCE_NAME: usize = 4_096;

/// The size of a text that `.cat` or `.det` produces, in bytes.
pub(super) const STRING: usize = 1 << 20;

/// The size of literals, names, comments and rules that are copied where groups and generic rules
/// are expanded, in bytes.
pub(super) const COPIES: usize = 64 << 20;
