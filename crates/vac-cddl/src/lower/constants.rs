//! Constants: types that stand for exactly one value, and the operators that
//! compute them.

use std::rc::Rc;

use cddl::ast::{
    Group, GroupEntry, MemberKey, Operator as AstOperator, RangeCtlOp, Type, Type1, Type2,
};

use super::controls::Operator;
use super::names::{Named, Scope, Target};
use super::{Lowering, limits, size};
use crate::Error;
use crate::ir::{Literal, Value};

impl<'a> Lowering<'a> {
    /// The one value of a type, if it has just one.
    pub(super) fn constant(
        &mut self,
        type1: &'a Type1<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<Literal>, Error> {
        self.nested(scope, type1.span.0, |lowering| match &type1.operator {
            None => lowering.constant_type2(&type1.type2, scope),
            Some(operator) => match computing(operator, scope)? {
                Some(computing) => {
                    let value = lowering.computed(type1, operator, computing, scope)?;
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
        match of.type_choices.as_slice() {
            [choice] => self.constant(&choice.type1, scope),
            _ => Ok(None),
        }
    }

    pub(super) fn constant_type2(
        &mut self,
        type2: &'a Type2<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<Literal>, Error> {
        if let Some(offset) = literal_offset(type2) {
            let value = self.literal(scope, offset)?;
            return Ok(Some(Literal { value, name: None }));
        }
        match type2 {
            Type2::ParenthesizedType { pt, .. } => self.constant_type(pt, scope),
            Type2::ChoiceFromInlineGroup { group, .. } => match sole_named_entry(group) {
                Some((name, value)) => {
                    let literal = self.constant_type(value, scope)?;
                    Ok(literal.map(|literal| Literal { name: Some(name.to_owned()), ..literal }))
                }
                None => Ok(None),
            },
            Type2::Typename { ident, generic_args, .. } => {
                match self.resolve(ident, generic_args.as_ref(), scope)? {
                    Target::Argument(argument) => self.constant(argument.type1, &argument.scope),
                    Target::Named(named) => {
                        let literal = self.constant_rule(&named)?;
                        let copied = literal.as_ref().map_or(0, |literal| size(&literal.value));
                        self.copy(copied, scope, ident.span.0)?;
                        Ok(literal)
                    }
                    Target::Unplugged { .. } => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// Remembers what it found: a rule may be asked for many times.
    fn constant_rule(&mut self, named: &Named<'a>) -> Result<Option<Literal>, Error> {
        if let Some(known) = self.constants.get(&named.key) {
            return Ok(known.clone());
        }
        // The answer in case the rule is asked for while it is looked into.
        self.constants.insert(named.key.clone(), None);
        let Some((sole, scope)) = named.sole_type() else { return Ok(None) };
        let literal = self.constant_type(sole, &scope)?;
        self.constants.insert(named.key.clone(), literal.clone());
        Ok(literal)
    }

    /// The value of a type that has to have just one.
    pub(super) fn value(
        &mut self,
        type2: &'a Type2<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Value, Error> {
        match self.constant_type2(type2, scope)? {
            Some(literal) => Ok(literal.value),
            None => Err(scope.error(at, "a literal is needed here")),
        }
    }

    fn computed(
        &mut self,
        type1: &'a Type1<'a>,
        operator: &'a AstOperator<'a>,
        computing: Computing,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Value, Error> {
        let at = operator_offset(operator);
        let left = self.value(&type1.type2, type1.span.0, scope)?;
        let right = self.value(&operator.type2, at, scope)?;
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

/// The operators that make a constant out of constants.
#[derive(Clone, Copy)]
enum Computing {
    Plus,
    Cat,
    Det,
}

fn computing(operator: &AstOperator, scope: &Scope) -> Result<Option<Computing>, Error> {
    if matches!(operator.operator, RangeCtlOp::RangeOp { .. }) {
        return Ok(None);
    }
    Ok(match scope.source.operator(operator_offset(operator))? {
        Operator::Plus => Some(Computing::Plus),
        Operator::Cat => Some(Computing::Cat),
        Operator::Det => Some(Computing::Det),
        _ => None,
    })
}

pub(super) fn operator_offset(operator: &AstOperator) -> usize {
    match operator.operator {
        RangeCtlOp::RangeOp { span, .. } | RangeCtlOp::CtlOp { span, .. } => span.0,
    }
}

/// Where a literal stands, if the type is one.
pub(super) fn literal_offset(type2: &Type2) -> Option<usize> {
    match type2 {
        Type2::IntValue { span, .. }
        | Type2::UintValue { span, .. }
        | Type2::FloatValue { span, .. }
        | Type2::TextValue { span, .. }
        | Type2::UTF8ByteString { span, .. }
        | Type2::B16ByteString { span, .. }
        | Type2::B64ByteString { span, .. } => Some(span.0),
        _ => None,
    }
}

/// `alg` and `1` of `&(alg: 1)`.
fn sole_named_entry<'a>(group: &'a Group<'a>) -> Option<(&'a str, &'a Type<'a>)> {
    let [choice] = group.group_choices.as_slice() else { return None };
    let [(GroupEntry::ValueMemberKey { ge, .. }, _)] = choice.group_entries.as_slice() else {
        return None;
    };
    match &ge.member_key {
        Some(MemberKey::Bareword { ident, .. }) => Some((ident.ident, &ge.entry_type)),
        _ => None,
    }
}

fn plus(left: &Value, right: &Value) -> Result<Value, String> {
    let in_range = |sum: &i128| (-(1 << 64)..1 << 64).contains(sum);
    let finite = |sum: f64| {
        sum.is_finite().then_some(Value::Float(sum)).ok_or_else(|| "this sum is too large".into())
    };
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => {
            let sum = left.checked_add(*right).filter(in_range);
            sum.map(Value::Integer).ok_or_else(|| "this sum is outside of -2^64 to 2^64 - 1".into())
        }
        (Value::Float(left), Value::Float(right)) => finite(left + right),
        #[expect(clippy::cast_precision_loss, reason = "the sum is a float")]
        (Value::Float(left), Value::Integer(right)) => finite(left + *right as f64),
        _ => Err(".plus needs two integers, or a float and a number".into()),
    }
}

/// The result is of the left side's kind.
fn cat(left: Value, right: Value) -> Result<Value, String> {
    let (is_text, left) = match left {
        Value::Text(text) => (true, text.into_bytes()),
        Value::Bytes(bytes) => (false, bytes),
        _ => return Err("text or byte strings are needed on both sides".into()),
    };
    let right = match right {
        Value::Text(text) => text.into_bytes(),
        Value::Bytes(bytes) => bytes,
        _ => return Err("text or byte strings are needed on both sides".into()),
    };
    if left.len() + right.len() > limits::STRING {
        return Err("this string gets too long".into());
    }
    let joined = [left, right].concat();
    if !is_text {
        return Ok(Value::Bytes(joined));
    }
    String::from_utf8(joined).map(Value::Text).map_err(|_| "the result is not text".into())
}

/// Takes as many blanks from the start of each line as all lines have that are
/// not blank.
fn dedent(value: Value) -> Value {
    match value {
        Value::Text(text) => match dedent_bytes(text.as_bytes()) {
            Some(dedented) => String::from_utf8(dedented).map_or(Value::Text(text), Value::Text),
            None => Value::Text(text),
        },
        Value::Bytes(bytes) => match dedent_bytes(&bytes) {
            Some(dedented) => Value::Bytes(dedented),
            None => Value::Bytes(bytes),
        },
        other => other,
    }
}

/// `None` if there is nothing to take away.
fn dedent_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let indent = |line: &[u8]| line.iter().take_while(|&&byte| byte == b' ').count();
    let lines = || text.split_inclusive(|&byte| byte == b'\n');
    let filled = lines().filter(|line| !line.trim_ascii().is_empty());
    let common = filled.map(indent).min().filter(|&common| common > 0)?;
    Some(lines().flat_map(|line| &line[indent(line).min(common)..]).copied().collect())
}
