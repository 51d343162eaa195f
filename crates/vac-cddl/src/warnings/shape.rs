//! Formats types as texts without locations and comments, to find equal types.

use std::fmt::Write as _;

use crate::ir::{
    Control, Element, ElementKind, Group, Literal, Member, MemberKey, TagNumber, Type, TypeKind,
};

/// Maximum size of the shapes of a schema together, in bytes. Further types are not compared.
pub(super) const MAX_BYTES: usize = 8 << 20;

/// Writes shapes within a budget.
pub(super) struct Shapes {
    left: usize,
}

impl Shapes {
    pub(super) fn new() -> Self {
        Self { left: MAX_BYTES }
    }

    /// Returns the shape of a type; `None` if it cannot be compared.
    pub(super) fn of_type(&mut self, ty: &Type) -> Option<String> {
        let mut out = String::new();
        self.type_(ty, &mut out)?;
        Some(out)
    }

    /// Returns the shape of an alternative of a group.
    pub(super) fn of_elements(&mut self, elements: &[Element]) -> Option<String> {
        let mut out = String::new();
        self.elements(elements, &mut out)?;
        Some(out)
    }

    fn write(&mut self, out: &mut String, part: std::fmt::Arguments<'_>) -> Option<()> {
        let before = out.len();
        out.write_fmt(part).ok()?;
        self.left = self.left.checked_sub(out.len() - before)?;
        Some(())
    }

    fn type_(&mut self, ty: &Type, out: &mut String) -> Option<()> {
        match &ty.kind {
            TypeKind::Any => self.write(out, format_args!("any")),
            TypeKind::Rule(id) => self.write(out, format_args!("r{}", id.0)),
            TypeKind::Literal(literal) => self.literal(literal, out),
            TypeKind::Range { low, high, inclusive } => {
                self.write(out, format_args!("({low:?},{high:?},{inclusive})"))
            }
            TypeKind::Choice(alternatives) => {
                self.write(out, format_args!("("))?;
                for alternative in alternatives {
                    self.type_(alternative, out)?;
                    self.write(out, format_args!("/"))?;
                }
                self.write(out, format_args!(")"))
            }
            TypeKind::Map(group) => {
                self.write(out, format_args!("m"))?;
                self.group(group, out)
            }
            TypeKind::Array(group) => {
                self.write(out, format_args!("a"))?;
                self.group(group, out)
            }
            TypeKind::Major { major, info } => self.write(out, format_args!("#{major}.{info:?}")),
            TypeKind::Simple(numbers) => {
                self.write(out, format_args!("#7"))?;
                self.type_(numbers, out)
            }
            TypeKind::Tag { number, content } => {
                match number {
                    TagNumber::Any => self.write(out, format_args!("t*"))?,
                    TagNumber::One(number) => self.write(out, format_args!("t{number}"))?,
                    TagNumber::Of(numbers) => {
                        self.write(out, format_args!("t"))?;
                        self.type_(numbers, out)?;
                    }
                }
                self.write(out, format_args!(" "))?;
                self.type_(content, out)
            }
            TypeKind::Control { target, control } => {
                self.type_(target, out)?;
                self.control(control, out)
            }
        }
    }

    fn control(&mut self, control: &Control, out: &mut String) -> Option<()> {
        let (name, argument) = match control {
            Control::Size(argument) => ("size", argument),
            Control::Bits(argument) => ("bits", argument),
            Control::Cbor(argument) => ("cbor", argument),
            Control::Cborseq(argument) => ("cborseq", argument),
            Control::Within(argument) => ("within", argument),
            Control::And(argument) => ("and", argument),
            Control::Regexp(pattern) => {
                return self.write(out, format_args!(".regexp {:?}", pattern.xsd));
            }
            // An argument with a location makes the text unique.
            _ => return self.write(out, format_args!(".{control:?}")),
        };
        self.write(out, format_args!(".{name} "))?;
        self.type_(argument, out)
    }

    fn literal(&mut self, literal: &Literal, out: &mut String) -> Option<()> {
        self.write(out, format_args!("{:?}", literal.value))
    }

    fn group(&mut self, group: &Group, out: &mut String) -> Option<()> {
        self.write(out, format_args!("{{"))?;
        for elements in &group.choices {
            self.elements(elements, out)?;
            self.write(out, format_args!("//"))?;
        }
        self.write(out, format_args!("}}"))
    }

    fn elements(&mut self, elements: &[Element], out: &mut String) -> Option<()> {
        for element in elements {
            let occurrence = element.occurrence;
            self.write(out, format_args!("{}*{:?} ", occurrence.min, occurrence.max))?;
            match &element.kind {
                ElementKind::Group { group, .. } => self.group(group, out)?,
                ElementKind::Member(Member { key, cut, value }) => {
                    match key {
                        None => {}
                        Some(MemberKey::Literal(literal)) => self.literal(literal, out)?,
                        Some(MemberKey::Type(key)) => self.type_(key, out)?,
                    }
                    self.write(out, format_args!("{}", if *cut { ":" } else { "=>" }))?;
                    self.type_(value, out)?;
                }
            }
            self.write(out, format_args!(","))?;
        }
        Some(())
    }
}
