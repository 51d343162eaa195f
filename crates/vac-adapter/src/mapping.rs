//! Mapping tables: map the members of native objects to fields of records.
//!
//! [`mapping!`](crate::mapping!) declares one table for each kind of native object. From its rows
//! it generates a struct with a function `read`, which reads an object in one pass, the list of
//! known keys (others are [reported](Report::unknown_key)), and the table in the documentation
//! ([`Mapping`]). Members that no row takes are in `rest`, to be kept under their native names.
//!
//! ```
//! use vac_adapter::{Report, mapping};
//! use vac_record::{AbstractTimestamp, Decode, MessageEntry};
//! use vac_value::{Document, Text};
//!
//! mapping! {
//!     /// A line with a message.
//!     struct Line<'a>("line"; key, value, who: &str) {
//!         "uuid" => "`id`", take id: Text<'a> = value.text();
//!         "at" => "`timestamp`", take timestamp: AbstractTimestamp<'a> =
//!             AbstractTimestamp::from_node(value).ok();
//!         "who" => "the entry's type", stated = value.is_text(who);
//!         "isSynthetic" => "`vac.author`", note is_synthetic: bool = value.bool();
//!         "mood" => "", keep;
//!     }
//! }
//!
//! let line = br#"{"uuid": "u1", "at": "soon", "who": "user", "mood": "good", "x": 1, "y": null}"#;
//! let line = Document::json(line)?;
//! let mut report = Report::default();
//! let Line { id, timestamp, is_synthetic, rest } =
//!     Line::read(line.root(), &MessageEntry::KEYS, "user", &mut report);
//! assert_eq!(id.as_deref(), Some("u1"));
//! assert_eq!((timestamp, is_synthetic), (None, None), "`soon` is not a timestamp: it is kept");
//! let kept: Vec<_> = rest.iter().map(|(name, _)| name.as_ref()).collect();
//! assert_eq!(kept, ["at", "mood", "x"]);
//! assert_eq!(report.unknown_keys["line.x"], 1);
//! assert!(Line::MAPPING.to_string().contains("| `at` | `timestamp` |"));
//! # Ok::<(), vac_value::SyntaxError>(())
//! ```
//!
//! # Rows
//!
//! A row is one native key, or several with `|` between them, then what the member becomes, as
//! Markdown, and then one of these:
//!
//! | verb | meaning |
//! |---|---|
//! | `take field: Type = expression;` | if the expression, an `Option<Type>`, has a value, the member becomes the field; otherwise, and if another member already is the field, it is kept |
//! | `note field: Type = expression;` | the same, but the member is kept in any case; the last value counts |
//! | `note field: Type = expression, unless expression;` | the same, but the member is not kept if the second expression is true |
//! | `stated = expression;` | if the expression is true, the record states the member in another way, and it is not kept |
//! | `keep;` | the member is known, and kept |
//!
//! `_ => keep;` as the last row states that the object may have any other key,
//! `_ => keep if expression;` that it may if the expression is true, and
//! `_ => keep, unless expression;` that the record states the member in another way if the
//! expression is true.
//! The expressions can use the key, the value ([`Node`]) and the context, by the
//! names that the head of the table gives them. They are evaluated for every member that is not
//! null, in the order of the log.
//!
//! # Decisions
//!
//! * A native key that the target map names (`MessageEntry::KEYS`) is kept as `native:` and itself,
//!   and so is one that begins with `native:`, so that no two keys can become the same. The key
//!   `vac` is reserved for [annotations](crate::annotation) and is kept as `native:vac`.
//! * A key that is not Unicode text (a lone surrogate) is kept as `native-token:` and its JSON
//!   token without the quotes.
//! * A member whose value is null is not kept; inside a value that is kept as a whole, nulls stay.
//! * A field that is taken and then not used is a warning of the compiler (`dead_code`), and a
//!   value that is lost at run time fails the no-drop check of `vac-adapter-check`.

use std::fmt;

#[cfg(doc)]
use crate::Report;
#[doc(hidden)]
pub use crate::members::{Rest, sift};
#[doc(hidden)]
pub use vac_value::Node;

/// The mapping of the members of one kind of native object.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// The name of the object in reports.
    pub object: &'static str,
    /// The description of the object, which is the documentation of its struct.
    pub about: &'static str,
    /// One row for each native key, or for several that are treated alike.
    pub rows: &'static [MappingRow],
    /// Whether the object may have other keys.
    pub is_open: bool,
}

/// The mapping of a member.
#[derive(Clone, Copy, Debug)]
pub struct MappingRow {
    /// The native keys of the member.
    pub keys: &'static [&'static str],
    /// The canonical members that the native one becomes, as Markdown; empty if it is only kept.
    pub canonical: &'static str,
    /// Whether the member is kept under its native name, too.
    pub is_kept: bool,
}

/// Formats the mapping as a section of Markdown.
impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## `{}`\n", self.object)?;
        self.about.trim().lines().try_for_each(|line| writeln!(f, "{}", line.trim()))?;
        writeln!(f)?;
        f.write_str("| native key | becomes |\n|---|---|\n")?;
        for row in self.rows {
            let keys: Vec<_> = row.keys.iter().map(|key| format!("`{key}`")).collect();
            let becomes = match (row.canonical, row.is_kept) {
                ("", _) => "kept".to_owned(),
                (canonical, true) => format!("{canonical}; kept"),
                (canonical, false) => canonical.to_owned(),
            };
            writeln!(f, "| {} | {becomes} |", keys.join(", "))?;
        }
        let others = if self.is_open { "kept" } else { "kept, and reported as unknown" };
        writeln!(f, "| all others | {others} |")
    }
}

/// Declares the mapping of one kind of native object. See the [module](mod@crate::mapping).
#[macro_export]
macro_rules! mapping {
    (
        $(#[doc = $about:literal])+
        $visibility:vis struct $name:ident<$a:lifetime>
        ($object:literal; $key:ident, $value:ident $(, $context:ident: $Context:ty)?) {
            $(
                $($native:literal)|+ => $canonical:literal,
                $verb:ident $($field:ident: $Type:ty)? $(= $read:expr $(, unless $stated:expr)?)?;
            )*
            $(_ => $open:ident $(if $is_known:expr)? $(, unless $otherwise:expr)?;)?
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Default)]
        $visibility struct $name<$a> {
            $($(#[doc = $canonical] $visibility $field: Option<$Type>,)?)*
            /// The members that no row takes.
            $visibility rest: $crate::mapping::Rest<$a>,
        }

        impl<$a> $name<$a> {
            /// The table.
            $visibility const MAPPING: $crate::mapping::Mapping = $crate::mapping::Mapping {
                object: $object,
                about: concat!($($about, "\n"),+),
                rows: &[$($crate::mapping::MappingRow {
                    keys: &[$($native),+],
                    canonical: $canonical,
                    is_kept: $crate::mapping!(@is_kept $verb $($($stated)?)?),
                }),*],
                is_open: $crate::mapping!(@is_open $($open $(if $is_known)?)?),
            };

            /// Reads an object, of which the rest goes into a map that names these keys.
            #[allow(unused_variables, reason = "not every table needs key, value and report")]
            $visibility fn read(
                node: $crate::mapping::Node<$a, $a>,
                named: &[&str],
                $($context: $Context,)?
                report: &mut $crate::Report,
            ) -> Self {
                $($(let mut $field: Option<$Type> = None;)?)*
                let rest = $crate::mapping::sift(node, named, |$key, $value| match $key {
                    $($($native)|+ => $crate::mapping!(@$verb $($field)? $(= $read $(, $stated)?)?),)*
                    _ => $crate::mapping!(
                        @other $key report $object $($open $(if $is_known)? $(, $otherwise)?)?
                    ),
                });
                Self { $($($field,)?)* rest }
            }
        }
    };
    (@is_kept take) => { false };
    (@is_kept stated) => { false };
    (@is_kept note) => { true };
    (@is_kept note $stated:expr) => { false };
    (@is_kept keep) => { true };
    (@is_open) => { false };
    (@is_open keep) => { true };
    (@is_open keep if $is_known:expr) => { false };
    (@take $field:ident = $read:expr) => {
        $field.is_none() && {
            $field = $read;
            $field.is_some()
        }
    };
    (@note $field:ident = $read:expr) => {{
        $field = $read.or($field.take());
        false
    }};
    (@note $field:ident = $read:expr, $stated:expr) => {{
        $field = $read.or($field.take());
        $stated
    }};
    (@stated = $read:expr) => { $read };
    (@keep) => { false };
    (@other $key:ident $report:ident $object:literal keep) => { false };
    (@other $key:ident $report:ident $object:literal keep, $otherwise:expr) => { $otherwise };
    (@other $key:ident $report:ident $object:literal keep if $is_known:expr) => {{
        if !$is_known {
            $report.unknown_key($object, $key);
        }
        false
    }};
    (@other $key:ident $report:ident $object:literal) => {{
        $report.unknown_key($object, $key);
        false
    }};
}
