//! Lowers ranges and control operators.

use std::rc::Rc;

use vac_schema::{Grammar, TextEncoding};

use super::names::Scope;
use super::{Lowering, limits};
use crate::Error;
use crate::ir::{
    Control, Element, ElementKind, Group, Literal, LiteralValue, TypeKind, Warning, WarningKind,
    XsdPattern,
};
use crate::syntax::ast::{Operator as AstOperator, OperatorKind, Type1};
use crate::xsd;

/// The supported control operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Size,
    Bits,
    Regexp,
    Cbor,
    Cborseq,
    Within,
    And,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Default,
    Plus,
    Cat,
    Det,
    Feature,
    Encoded(TextEncoding),
    Base10,
    Printf,
    Json,
    Join,
    Abnf { is_for_bytes: bool },
}

impl Operator {
    /// Parses the name of an operator. Fails if the operator is not supported.
    pub(super) fn parse(name: &str, at: usize, scope: &Scope) -> Result<Self, Error> {
        Ok(match name {
            "size" => Self::Size,
            "bits" => Self::Bits,
            "regexp" => Self::Regexp,
            "cbor" => Self::Cbor,
            "cborseq" => Self::Cborseq,
            "within" => Self::Within,
            "and" => Self::And,
            "lt" => Self::Lt,
            "le" => Self::Le,
            "gt" => Self::Gt,
            "ge" => Self::Ge,
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "default" => Self::Default,
            "plus" => Self::Plus,
            "cat" => Self::Cat,
            "det" => Self::Det,
            "feature" => Self::Feature,
            "b64u" => Self::Encoded(TextEncoding::Base64Url),
            "b64u-sloppy" => Self::Encoded(TextEncoding::Base64UrlSloppy),
            "b64c" => Self::Encoded(TextEncoding::Base64),
            "b64c-sloppy" => Self::Encoded(TextEncoding::Base64Sloppy),
            "b32" => Self::Encoded(TextEncoding::Base32),
            "h32" => Self::Encoded(TextEncoding::Base32Hex),
            "hex" => Self::Encoded(TextEncoding::Hex),
            "hexlc" => Self::Encoded(TextEncoding::HexLower),
            "hexuc" => Self::Encoded(TextEncoding::HexUpper),
            "b45" => Self::Encoded(TextEncoding::Base45),
            "base10" => Self::Base10,
            "printf" => Self::Printf,
            "json" => Self::Json,
            "join" => Self::Join,
            "abnf" => Self::Abnf { is_for_bytes: false },
            "abnfb" => Self::Abnf { is_for_bytes: true },
            _ => {
                let why = format!("control operator .{name} is not supported");
                return Err(scope.error(at, why));
            }
        })
    }
}

impl<'a> Lowering<'a> {
    /// Lowers a `type1` with its operator.
    pub(super) fn operation(
        &mut self,
        type1: &'a Type1<'a>,
        operator: &'a AstOperator<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<TypeKind, Error> {
        let name = match operator.kind {
            OperatorKind::Range { inclusive } => {
                return self.range(type1, operator, inclusive, scope);
            }
            OperatorKind::Control(name) => Operator::parse(name, operator.span.start, scope)?,
        };
        if let Some(literal) = self.constant(type1, scope)? {
            return Ok(TypeKind::Literal(literal));
        }
        let target = self.type2(&type1.target, scope)?;
        Ok(match self.control(name, operator, scope)? {
            Some(control) => TypeKind::Control { target: Box::new(target), control },
            None => target.kind,
        })
    }

    fn range(
        &mut self,
        type1: &'a Type1<'a>,
        operator: &'a AstOperator<'a>,
        inclusive: bool,
        scope: &Rc<Scope<'a>>,
    ) -> Result<TypeKind, Error> {
        let at = operator.span.start;
        let low = self.value(&type1.target, type1.span.start, scope)?;
        let high = self.value(&operator.argument, at, scope)?;
        match (&low, &high) {
            (LiteralValue::Integer(_), LiteralValue::Integer(_))
            | (LiteralValue::Float(_), LiteralValue::Float(_)) => {
                Ok(TypeKind::Range { low, high, inclusive })
            }
            _ => Err(scope.error(at, "a range is between two integers or two floats")),
        }
    }

    /// Returns the operator with its argument; `None` if it does not matter for a match and its
    /// argument cannot be written as a value (`.default true`).
    fn control(
        &mut self,
        name: Operator,
        operator: &'a AstOperator<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<Control>, Error> {
        let at = operator.span.start;
        let argument = &operator.argument;
        let boxed = |lowering: &mut Self| lowering.type2(argument, scope).map(Box::new);
        Ok(Some(match name {
            Operator::Size => Control::Size(boxed(self)?),
            Operator::Bits => Control::Bits(boxed(self)?),
            Operator::Cbor => Control::Cbor(boxed(self)?),
            Operator::Cborseq => Control::Cborseq(boxed(self)?),
            Operator::Within => Control::Within(boxed(self)?),
            Operator::And => Control::And(boxed(self)?),
            Operator::Lt => Control::Lt(self.number(operator, scope)?),
            Operator::Le => Control::Le(self.number(operator, scope)?),
            Operator::Gt => Control::Gt(self.number(operator, scope)?),
            Operator::Ge => Control::Ge(self.number(operator, scope)?),
            Operator::Eq => match self.constant_type2(argument, scope)? {
                Some(literal) => Control::Eq(literal.value),
                None => Control::Is(boxed(self)?),
            },
            Operator::Ne => match self.constant_type2(argument, scope)? {
                Some(literal) => Control::Ne(literal.value),
                None => Control::IsNot(boxed(self)?),
            },
            Operator::Encoded(encoding) => Control::Encoded(encoding, boxed(self)?),
            Operator::Base10 => Control::Base10(boxed(self)?),
            Operator::Printf => Control::Printf(boxed(self)?),
            Operator::Json => Control::Json(boxed(self)?),
            Operator::Join => Control::Join(boxed(self)?),
            Operator::Abnf { is_for_bytes } => {
                Control::Abnf(self.grammar(operator, is_for_bytes, scope)?)
            }
            Operator::Regexp => Control::Regexp(self.pattern(operator, scope)?),
            Operator::Feature => Control::Feature(self.feature(operator, scope)?),
            Operator::Default => {
                let Some(literal) = self.constant_type2(argument, scope)? else {
                    self.type2(argument, scope)?;
                    return Ok(None);
                };
                Control::Default(literal.value)
            }
            Operator::Plus | Operator::Cat | Operator::Det => {
                return Err(scope.error(at, "literals are needed on both sides"));
            }
        }))
    }

    /// Reads the name of a feature: a text, or the first element of an array whose other elements
    /// are details.
    fn feature(
        &mut self,
        operator: &'a AstOperator<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<String, Error> {
        if let Ok(name) = self.text(operator, scope) {
            return Ok(name);
        }
        let argument = self.type2(&operator.argument, scope)?;
        if let TypeKind::Array(Group { choices, .. }) = &argument.kind
            && let Some(Element { kind: ElementKind::Member(name), .. }) =
                choices.first().and_then(|elements| elements.first())
            && let TypeKind::Literal(Literal { value: LiteralValue::Text(name), .. }) =
                &name.value.kind
        {
            return Ok(name.clone());
        }
        Err(scope
            .error(operator.span.start, "a feature is a text, or an array that begins with one"))
    }

    fn number(
        &mut self,
        operator: &'a AstOperator<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<LiteralValue, Error> {
        let at = operator.span.start;
        match self.value(&operator.argument, at, scope)? {
            number @ (LiteralValue::Integer(_) | LiteralValue::Float(_)) => Ok(number),
            _ => Err(scope.error(at, "a number is needed here")),
        }
    }

    fn text(
        &mut self,
        operator: &'a AstOperator<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<String, Error> {
        let at = operator.span.start;
        match self.value(&operator.argument, at, scope)? {
            LiteralValue::Text(text) => Ok(text),
            _ => Err(scope.error(at, "a text is needed here")),
        }
    }

    /// Reads a grammar, which is a text, or bytes that are UTF-8.
    fn grammar(
        &mut self,
        operator: &'a AstOperator<'a>,
        is_for_bytes: bool,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Grammar, Error> {
        let at = operator.span.start;
        let text = match self.value(&operator.argument, at, scope)? {
            LiteralValue::Text(text) => text,
            LiteralValue::Bytes(bytes) => String::from_utf8(bytes)
                .map_err(|_| scope.error(at, "a grammar is text: these bytes are not UTF-8"))?,
            _ => return Err(scope.error(at, "a text is needed here")),
        };
        let grammar = self.patterns.compiler.grammar(text, is_for_bytes);
        let grammar = grammar.map_err(|why| scope.error(at, why))?;
        if let [first, ..] = grammar.missing_core_rules() {
            let message = format!(
                "this ABNF grammar does not define `{first}`: the core rule of RFC 5234 is used, \
                 and RFC 9165 wants it to be part of the grammar"
            );
            self.warn(Warning {
                kind: WarningKind::Lenient,
                location: scope.location(at),
                message,
            });
        }
        Ok(grammar)
    }

    fn warn(&mut self, warning: Warning) {
        if self.warnings.len() < limits::ERRORS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    fn pattern(
        &mut self,
        operator: &'a AstOperator<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<XsdPattern, Error> {
        let xsd = self.text(operator, scope)?;
        let at = operator.span.start;
        if xsd.starts_with('^') || xsd.ends_with('$') && !xsd.ends_with("\\$") {
            let message = "`^` and `$` are ordinary characters here: a pattern always matches \
                           the whole text, so leave them out";
            let kind = WarningKind::Anchor;
            self.warn(Warning { kind, location: scope.location(at), message: message.into() });
        }
        if let Some(known) = self.patterns.translated.get(&xsd).cloned() {
            self.copy(known.regex.len(), scope, at)?;
            return Ok(known);
        }
        match xsd::translate(&xsd, &mut self.patterns.compiler) {
            Ok(regex) => {
                let pattern = XsdPattern { xsd: xsd.clone(), regex };
                self.patterns.translated.insert(xsd, pattern.clone());
                Ok(pattern)
            }
            Err(why) => Err(scope.error(at, why)),
        }
    }
}
