//! Schema tables, and the matcher that checks documents against them.
//!
//! A [`Schema`] is a CDDL specification as flat tables of rules, types and groups. Tables can be
//! built at run time (crate `vac-cddl` reads CDDL into them) or be constants (crate `vac-codegen`
//! prints them as a `static`). Both are matched by the same code, so that verdicts, paths and
//! messages are the same in both ways of use.
//!
//! ```
//! use vac_schema::builder::{Builder, Definition};
//! use vac_schema::{MemberKey, LiteralKey, TypeKind, LiteralValue};
//! use vac_value::Document;
//!
//! // point = { x: int }, where int = #0 / #1
//! let mut builder = Builder::default();
//! let uint = builder.add_type(TypeKind::Major { major: 0, info: None });
//! let nint = builder.add_type(TypeKind::Major { major: 1, info: None });
//! let int = builder.add_choice(vec![uint, nint]);
//! let x = LiteralKey { value: LiteralValue::Text("x".into()), name: "".into() };
//! let member = builder.member(1, 1, MemberKey::Literal(x), true, int);
//! let group = builder.add_group(vec![vec![member]]);
//! let point = builder.add_type(TypeKind::Map(group));
//! let definition = Definition { name: "point".to_owned(), body: point, is_prelude: false };
//! let root = builder.add_rule(definition);
//! let schema = builder.finish(root)?;
//!
//! let document = Document::json(br#"{"x": "one"}"#)?;
//! let violations = schema.validate(schema.root, document.root(), 20).unwrap_err();
//! assert_eq!(
//!     violations.to_string(),
//!     r#"/x: expected uint or nint, found text "one" (rule point)"#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * **Report and probe.** A check runs in *report* mode (record every violation and go on)
//!   or in *probe* mode (stop at the first one; used while trying alternatives). Both modes run the
//!   same code.
//! * **Ordered and greedy**, as RFC 8610 has it for parsing expressions: a choice takes the
//!   first alternative that matches, a repetition takes what it can, and neither is
//!   revisited. In a map, members with a literal key are matched first, then groups, then
//!   members whose key is a type.
//! * **Linear.** Verdicts of probes on containers are cached, and so are the ends of repetitions in
//!   arrays; paths are found in one walk over the document.
//! * **One depth budget.** A document inside a byte string continues at the depth of the
//!   byte string, so that nesting documents inside documents cannot exceed the limit.
//! * **Duplicate keys** are violations at every depth, also where the schema accepts
//!   anything.

mod abnf;
pub mod builder;
pub mod constant;
mod decode;
mod describe;
mod features;
mod matcher;
mod pattern;
mod printf;
mod scalar;
mod tables;
mod text_encoding;
mod violations;

pub use abnf::{Grammar, GrammarError};
pub use decode::{
    ArrayReader, Build, BuildOwned, Built, Decode, DecodeError, InvalidText, MAX_VIOLATIONS,
    MapReader, Mismatch, Reader, UnknownText,
};
#[doc(hidden)]
pub use decode::{check_text, deserialize, parse_owned};
pub use features::Features;
pub use matcher::{Budget, validate_keys};
pub use pattern::{Pattern, PatternError};
pub use printf::{Format, FormatItem};
#[doc(hidden)]
pub use serde;
pub use tables::{
    Case, Control, Element, ElementKind, Group, GroupId, Kinds, LiteralKey, LiteralValue, Literals,
    MemberKey, PatternId, Rule, RuleId, Schema, Selector, Sequence, TableList, TableText,
    TagNumber, Type, TypeId, TypeKind,
};
pub use text_encoding::TextEncoding;
#[doc(hidden)]
pub use vac_value::serde::serialize;
#[doc(hidden)]
pub use vac_value::{Encode, Encoded, Encoder, IntoOwned, Node};
pub use violations::Violations;

/// A member of a map whose key the specification names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiteralMember<'s> {
    /// The key.
    pub label: &'s LiteralKey,
    /// Whether a matching key commits to this member.
    pub is_cut: bool,
    /// The type of the value.
    pub value: TypeId,
}

impl Schema {
    /// Returns the name of a rule.
    pub fn name(&self, RuleId(id): RuleId) -> &str {
        &self.rules[id as usize].name
    }

    /// Returns the members of a rule's map that have a literal key, in the order of the
    /// specification. `None` if the rule is not a map with one alternative.
    pub fn literal_members(&self, RuleId(rule): RuleId) -> Option<Vec<LiteralMember<'_>>> {
        let mut id = self.rules[rule as usize].body;
        while let TypeKind::Rule(RuleId(rule)) = self.types[id.0 as usize].kind {
            id = self.rules[rule as usize].body;
        }
        let TypeKind::Map(GroupId(group)) = self.types[id.0 as usize].kind else { return None };
        let [sequence] = &*self.groups[group as usize].choices else { return None };
        let members = sequence.elements.iter().filter_map(|element| match &element.kind {
            ElementKind::Member { key: MemberKey::Literal(label), is_cut, value } => {
                Some(LiteralMember { label, is_cut: *is_cut, value: *value })
            }
            ElementKind::Member { .. } | ElementKind::Group(_) => None,
        });
        Some(members.collect())
    }

    /// Returns the rule of this name, for names that a user gives. Code that needs a particular
    /// rule uses its generated constant, which cannot be missing.
    pub fn rule(&self, name: &str) -> Option<RuleId> {
        let at = self.rules.iter().position(|rule| rule.name == name)?;
        u32::try_from(at).ok().map(RuleId)
    }
}
