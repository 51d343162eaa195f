//! Resolves constants: types that have exactly one value, and the operators that compute them.

use std::rc::Rc;

use super::controls::Operator;
use super::names::{Named, Scope, Target};
use super::{Lowering, limits, size};
use crate::Error;
use crate::ir::{Literal, LiteralValue};
use crate::syntax::ast::{
    EntryKind, Group, MemberKey, Name, Operator as AstOperator, OperatorKind, Type, Type1, Type2,
    Type2Kind,
};

impl<'a> Lowering<'a> {
    /// Returns the value of a type that has only one.
    pub(super) fn constant(
        &mut self,
        type1: &'a Type1<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<Literal>, Error> {
        self.with_nesting(scope, type1.span.start, |lowering| match &type1.operator {
            None => lowering.constant_type2(&type1.target, scope),
            Some(operator) => match computing(operator, scope)? {
                Some(computing) => {
                    let value = lowering.compute(type1, operator, computing, scope)?;
                    Ok(Some(Literal { value, name: None }))
                }
                None => Ok(None),
            },
        })
    }

    pub(super) fn constant_type(
        &mut self,
        of: &'a Type<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<Literal>, Error> {
        match of.choices.as_slice() {
            [type1] => self.constant(type1, scope),
            _ => Ok(None),
        }
    }

    pub(super) fn constant_type2(
        &mut self,
        type2: &'a Type2<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<Literal>, Error> {
        match &type2.kind {
            Type2Kind::Value(value) => self.literal(value, scope, type2.span.start).map(Some),
            Type2Kind::Parenthesized(inner) => self.constant_type(inner, scope),
            Type2Kind::ChoiceFromGroup(group) => match sole_named_entry(group) {
                Some((name, value)) => {
                    let Some(literal) = self.constant_type(value, scope)? else { return Ok(None) };
                    Ok(Some(Literal { name: Some(self.name(name, scope)?), ..literal }))
                }
                None => Ok(None),
            },
            Type2Kind::Name(reference) => match self.resolve(reference, scope)? {
                Target::Argument(argument) => self.constant(argument.type1, &argument.scope),
                Target::Named(named) => {
                    let literal = self.constant_rule(&named)?;
                    let copied = literal.as_ref().map_or(0, |literal| size(&literal.value));
                    self.copy(copied, scope, type2.span.start)?;
                    Ok(literal)
                }
                Target::Unplugged { .. } => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns the value of a rule that has only one. The result is cached, because many references
    /// may need it.
    fn constant_rule(&mut self, named: &Named<'a>) -> Result<Option<Literal>, Error> {
        if let Some(known) = self.constants.get(&named.key) {
            return Ok(known.clone());
        }
        // The result for a rule that refers to itself while it is being resolved.
        self.constants.insert(named.key.clone(), None);
        let Some((sole, scope)) = named.sole_type() else { return Ok(None) };
        let literal = self.constant_type(sole, &scope);
        match &literal {
            Ok(literal) => self.constants.insert(named.key.clone(), literal.clone()),
            // Resolve the rule again for the next reference, which gets the same error.
            Err(_) => self.constants.remove(&named.key),
        };
        literal
    }

    /// Returns the value of a type that has to have only one.
    pub(super) fn value(
        &mut self,
        type2: &'a Type2<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
    ) -> Result<LiteralValue, Error> {
        match self.constant_type2(type2, scope)? {
            Some(literal) => Ok(literal.value),
            None => Err(scope.error(at, "a literal is needed here")),
        }
    }

    fn compute(
        &mut self,
        type1: &'a Type1<'a>,
        operator: &'a AstOperator<'a>,
        computing: Computing,
        scope: &Rc<Scope<'a>>,
    ) -> Result<LiteralValue, Error> {
        let at = operator.span.start;
        let left = self.value(&type1.target, type1.span.start, scope)?;
        let right = self.value(&operator.argument, at, scope)?;
        let value = match computing {
            Computing::Plus => plus(&left, &right),
            Computing::Cat => cat(left, right),
            Computing::Det => cat(dedent(left), dedent(right)),
        }
        .map_err(|why| scope.error(at, why))?;
        self.copy(size(&value), scope, at)?;
        Ok(value)
    }
}

/// The operators that compute a constant from constants.
#[derive(Clone, Copy)]
enum Computing {
    Plus,
    Cat,
    Det,
}

fn computing(operator: &AstOperator, scope: &Scope) -> Result<Option<Computing>, Error> {
    let OperatorKind::Control(name) = operator.kind else { return Ok(None) };
    Ok(match Operator::parse(name, operator.span.start, scope)? {
        Operator::Plus => Some(Computing::Plus),
        Operator::Cat => Some(Computing::Cat),
        Operator::Det => Some(Computing::Det),
        _ => None,
    })
}

/// Returns the name and the type of the only entry: `alg` and `1` of `&(alg: 1)`.
fn sole_named_entry<'a>(group: &'a Group<'a>) -> Option<(&'a Name<'a>, &'a Type<'a>)> {
    let [entries] = group.choices.as_slice() else { return None };
    let [entry] = entries.as_slice() else { return None };
    match &entry.kind {
        EntryKind::Member { key: Some(MemberKey::Bareword(name)), value } => Some((name, value)),
        _ => None,
    }
}

fn plus(left: &LiteralValue, right: &LiteralValue) -> Result<LiteralValue, String> {
    let in_range = |sum: &i128| (-(1 << 64)..1 << 64).contains(sum);
    let finite = |sum: f64| {
        sum.is_finite()
            .then_some(LiteralValue::Float(sum))
            .ok_or_else(|| "this sum is too large".into())
    };
    match (left, right) {
        (LiteralValue::Integer(left), LiteralValue::Integer(right)) => {
            let sum = left.checked_add(*right).filter(in_range);
            sum.map(LiteralValue::Integer)
                .ok_or_else(|| "this sum is outside of -2^64 to 2^64 - 1".into())
        }
        (LiteralValue::Float(left), LiteralValue::Float(right)) => finite(left + right),
        #[expect(clippy::cast_precision_loss, reason = "the sum is a float")]
        (LiteralValue::Float(left), LiteralValue::Integer(right)) => finite(left + *right as f64),
        // The sum is of the kind of the left side.
        (LiteralValue::Integer(left), LiteralValue::Float(right)) => {
            let sum = floor_sum(*left, *right).filter(in_range);
            sum.map(LiteralValue::Integer)
                .ok_or_else(|| "this sum is outside of -2^64 to 2^64 - 1".into())
        }
        _ => Err(".plus needs two numbers".into()),
    }
}

/// Returns the largest integer that is not greater than a sum, if the sum is in range.
fn floor_sum(left: i128, right: f64) -> Option<i128> {
    const LIMIT: f64 = 1e30;
    let floor = right.floor();
    #[expect(clippy::cast_possible_truncation, reason = "a whole float below the limit")]
    (floor.abs() < LIMIT).then(|| left + floor as i128)
}

/// Concatenates two strings. The result is of the left side's kind.
fn cat(left: LiteralValue, right: LiteralValue) -> Result<LiteralValue, String> {
    let (is_text, left) = match left {
        LiteralValue::Text(text) => (true, text.into_bytes()),
        LiteralValue::Bytes(bytes) => (false, bytes),
        _ => return Err("text or byte strings are needed on both sides".into()),
    };
    let right = match right {
        LiteralValue::Text(text) => text.into_bytes(),
        LiteralValue::Bytes(bytes) => bytes,
        _ => return Err("text or byte strings are needed on both sides".into()),
    };
    if left.len() + right.len() > limits::STRING {
        return Err("this string gets too long".into());
    }
    let joined = [left, right].concat();
    if !is_text {
        return Ok(LiteralValue::Bytes(joined));
    }
    String::from_utf8(joined).map(LiteralValue::Text).map_err(|_| "the result is not text".into())
}

/// Removes the indentation that all non-blank lines have in common.
fn dedent(value: LiteralValue) -> LiteralValue {
    match value {
        LiteralValue::Text(text) => match dedent_bytes(text.as_bytes()) {
            Some(dedented) => {
                String::from_utf8(dedented).map_or(LiteralValue::Text(text), LiteralValue::Text)
            }
            None => LiteralValue::Text(text),
        },
        LiteralValue::Bytes(bytes) => match dedent_bytes(&bytes) {
            Some(dedented) => LiteralValue::Bytes(dedented),
            None => LiteralValue::Bytes(bytes),
        },
        other => other,
    }
}

/// Removes the common indentation of bytes. `None` without a common indentation.
fn dedent_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let indent = |line: &[u8]| line.iter().take_while(|&&byte| byte == b' ').count();
    let lines = || text.split_inclusive(|&byte| byte == b'\n');
    let filled = lines().filter(|line| !line.trim_ascii().is_empty());
    let common = filled.map(indent).min().filter(|&common| common > 0)?;
    Some(lines().flat_map(|line| &line[indent(line).min(common)..]).copied().collect())
}
