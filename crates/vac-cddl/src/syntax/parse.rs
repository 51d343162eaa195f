//! Parses tokens into the syntax tree.

use super::ast::{
    Assignment, Body, EntryKind, Group, GroupEntry, HeadNumber, MemberKey, Name, Occurrence,
    Operator, OperatorKind, Reference, Rule, TextSpan, Type, Type1, Type2, Type2Kind,
};
use super::token::{HeadToken, Symbol, Token, TokenKind, tokenize};
use super::{SyntaxProblem, Tree};
use crate::ir::LiteralValue;
use crate::lower::limits;

pub(super) fn parse(text: &str) -> Tree<'_> {
    let tokens = tokenize(text);
    let mut parser = Parser {
        text,
        tokens: &tokens.tokens,
        at: 0,
        depth: 0,
        problems: tokens.problems,
        warnings: tokens.warnings,
    };
    let rules = parser.rules();
    let (mut problems, warnings) = (parser.problems, parser.warnings);
    problems.sort_by_key(|problem| problem.span.start);
    problems.truncate(limits::ERRORS);
    Tree { text, rules, tokens: tokens.tokens, comments: tokens.comments, problems, warnings }
}

struct Parser<'a, 't> {
    text: &'a str,
    tokens: &'t [Token],
    /// The index of the next token.
    at: usize,
    /// The brackets that are open.
    depth: usize,
    problems: Vec<SyntaxProblem>,
    warnings: Vec<SyntaxProblem>,
}

/// A construct, or the reason why it cannot be read.
type Parsed<T> = Result<T, SyntaxProblem>;

impl<'a, 't> Parser<'a, 't> {
    fn rules(&mut self) -> Vec<Rule<'a>> {
        let mut rules = Vec::new();
        while self.peek().is_some() && self.problems.len() < limits::ERRORS {
            let start = self.at;
            self.depth = 0;
            match self.rule() {
                Ok(rule) => rules.push(rule),
                Err(problem) => {
                    // The problem of an invalid token was already reported.
                    if !self.peek().is_some_and(|next| next.kind == TokenKind::Invalid) {
                        self.problems.push(problem);
                    }
                    self.at = self.at.max(start + 1);
                    while self.peek().is_some() && !self.is_rule_start() {
                        self.at += 1;
                    }
                }
            }
        }
        rules
    }

    /// Parses `rule = name [genericparm] S assign S (type / grpent)`
    fn rule(&mut self) -> Parsed<Rule<'a>> {
        let start = self.start();
        let Some(name) = self.take_name() else {
            return Err(match self.peek_symbol() {
                Some(symbol) if opening_bracket(symbol).is_some() => {
                    self.problem(format!("`{}` closes nothing", symbol.text()))
                }
                _ => self.expected("a rule"),
            });
        };
        let parameters = self.parameters()?;
        let assignment = match self.peek_symbol() {
            Some(Symbol::Assign) => Assignment::Define,
            Some(Symbol::AssignType) => Assignment::ExtendType,
            Some(Symbol::AssignGroup) => Assignment::ExtendGroup,
            _ => {
                return Err(self.expected(&format!("`=`, `/=` or `//=` after `{}`", name.text)));
            }
        };
        self.at += 1;
        let body = match assignment {
            Assignment::ExtendType => Body::Type(self.type_()?),
            Assignment::ExtendGroup => Body::Group(self.entry()?),
            Assignment::Define => type_or_group(self.entry()?),
        };
        Ok(Rule { name, parameters, assignment, body, span: self.span_from(start) })
    }

    /// Parses `genericparm = "<" S id S *("," S id S ) ">"`
    fn parameters(&mut self) -> Parsed<Vec<Name<'a>>> {
        let mut parameters = Vec::new();
        if self.peek_symbol() != Some(Symbol::AngleOpen) {
            return Ok(parameters);
        }
        let open = self.open()?;
        loop {
            parameters
                .push(self.take_name().ok_or_else(|| self.expected("the name of a parameter"))?);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.close(open)?;
        Ok(parameters)
    }

    /// Parses `type = type1 *(S "/" S type1)`
    fn type_(&mut self) -> Parsed<Type<'a>> {
        let first = self.type1()?;
        self.alternatives(first)
    }

    /// Parses the rest of a type after its first alternative.
    fn alternatives(&mut self, first: Type1<'a>) -> Parsed<Type<'a>> {
        let start = first.span.start;
        let mut choices = vec![first];
        while self.take(Symbol::Choice) {
            choices.push(self.type1()?);
        }
        Ok(Type { choices, span: self.span_from(start) })
    }

    fn type1(&mut self) -> Parsed<Type1<'a>> {
        let target = self.type2()?;
        self.operation(target)
    }

    /// Parses the rest of `type1 = type2 [S (rangeop / ctlop) S type2]`.
    fn operation(&mut self, target: Type2<'a>) -> Parsed<Type1<'a>> {
        let start = target.span.start;
        let operator = match self.peek().filter(|next| is_operator(&next.kind)) {
            None => None,
            Some(Token { kind, span }) => {
                let kind = match kind {
                    TokenKind::Symbol(symbol) => {
                        OperatorKind::Range { inclusive: *symbol == Symbol::RangeInclusive }
                    }
                    _ => OperatorKind::Control(&self.text[span.start + 1..span.end]),
                };
                self.at += 1;
                Some(Operator { kind, argument: self.type2()?, span: *span })
            }
        };
        if operator.is_some()
            && let Some(next) = self.peek().filter(|next| is_operator(&next.kind))
        {
            let why = format!(
                "`{}` follows another operator: put what is before it in parentheses",
                self.token_text(next),
            );
            return Err(self.problem(why));
        }
        Ok(Type1 { target, operator, span: self.span_from(start) })
    }

    fn type2(&mut self) -> Parsed<Type2<'a>> {
        let start = self.start();
        let Some(next) = self.peek() else { return Err(self.expected("a type")) };
        let kind = match &next.kind {
            TokenKind::Value(value) => {
                self.at += 1;
                Type2Kind::Value(value.clone())
            }
            TokenKind::Name if !self.is_rule_start() => Type2Kind::Name(self.reference()?),
            TokenKind::Head(head) => self.head(*head)?,
            TokenKind::Symbol(Symbol::ParenOpen) => {
                let open = self.open()?;
                let inner = self.type_()?;
                self.close(open)?;
                Type2Kind::Parenthesized(Box::new(inner))
            }
            TokenKind::Symbol(Symbol::BraceOpen) => Type2Kind::Map(self.group()?),
            TokenKind::Symbol(Symbol::BracketOpen) => Type2Kind::Array(self.group()?),
            TokenKind::Symbol(Symbol::Tilde) => {
                self.at += 1;
                Type2Kind::Unwrap(self.reference()?)
            }
            TokenKind::Symbol(Symbol::Ampersand) => {
                self.at += 1;
                if self.peek_symbol() == Some(Symbol::ParenOpen) {
                    Type2Kind::ChoiceFromGroup(self.group()?)
                } else {
                    Type2Kind::ChoiceFromName(self.reference()?)
                }
            }
            _ => return Err(self.expected("a type")),
        };
        Ok(Type2 { kind, span: self.span_from(start) })
    }

    /// Parses `typename [genericarg]`
    fn reference(&mut self) -> Parsed<Reference<'a>> {
        if self.is_rule_start() {
            return Err(self.expected("a name"));
        }
        let name = self.take_name().ok_or_else(|| self.expected("a name"))?;
        let mut arguments = Vec::new();
        if self.peek_symbol() == Some(Symbol::AngleOpen) {
            let open = self.open()?;
            loop {
                arguments.push(self.type1()?);
                if !self.take(Symbol::Comma) {
                    break;
                }
            }
            self.close(open)?;
        }
        Ok(Reference { name, arguments })
    }

    /// Parses `#`, `#major.number` or `#6.number(type)`
    fn head(&mut self, head: HeadToken) -> Parsed<Type2Kind<'a>> {
        let token = &self.tokens[self.at];
        let is_wrong = |message: &str| SyntaxProblem { span: token.span, message: message.into() };
        let number = if head.is_open {
            if !matches!(head.major, Some(6 | 7)) {
                return Err(is_wrong("only `#6` and `#7` can have a type as their number"));
            }
            let open = self.open()?;
            let numbers = self.type_()?;
            self.close(open)?;
            HeadNumber::Of(Box::new(numbers))
        } else {
            self.at += 1;
            head.number.map_or(HeadNumber::Any, HeadNumber::One)
        };

        let end = self.tokens[self.at - 1].span.end;
        let parenthesis = self.peek().filter(|next| is_symbol(next, Symbol::ParenOpen));
        let is_adjacent = parenthesis.is_some_and(|next| next.span.start == end);
        match head.major {
            Some(6) => {
                let mut content = None;
                if parenthesis.is_some() {
                    let open = self.open()?;
                    if !is_adjacent {
                        let message = "`(` is read as the content of the tag before it: \
                                       write it without a space, or with a comma";
                        self.warnings
                            .push(SyntaxProblem { span: open.span, message: message.into() });
                    }
                    content = Some(Box::new(self.type_()?));
                    self.close(open)?;
                }
                Ok(Type2Kind::Tag { number, content })
            }
            Some(_) if is_adjacent => Err(is_wrong("only `#6` can have content in parentheses")),
            Some(major) => Ok(Type2Kind::Major { major, number }),
            None if is_adjacent => Err(is_wrong("a digit is missing between `#` and `(`")),
            None => Ok(Type2Kind::Any),
        }
    }

    /// Parses a group with the brackets around it: `group = grpchoice *(S "//" S grpchoice)`,
    /// `grpchoice = *(grpent optcom)`
    fn group(&mut self) -> Parsed<Group<'a>> {
        let start = self.start();
        let open = self.open()?;
        let mut choices = vec![Vec::new()];
        let mut has_comma = false;
        loop {
            if self.take(Symbol::GroupChoice) {
                choices.push(Vec::new());
                continue;
            }
            let is_end = match self.peek_symbol() {
                Some(symbol) => opening_bracket(symbol).is_some(),
                None => self.is_rule_start() || self.peek().is_none(),
            };
            if is_end {
                break;
            }
            let entry = self.entry()?;
            if let Some(entries) = choices.last_mut() {
                entries.push(entry);
            }
            has_comma |= self.take(Symbol::Comma);
        }
        self.close(open)?;
        Ok(Group { choices, has_comma, span: self.span_from(start) })
    }

    /// Parses `grpent = [occur S] [memberkey S] type / [occur S] "(" S group S ")"`
    fn entry(&mut self) -> Parsed<GroupEntry<'a>> {
        let start = self.start();
        let occurrence = self.occurrence();
        let kind = self.entry_kind()?;
        Ok(GroupEntry { occurrence, kind, span: self.span_from(start) })
    }

    fn entry_kind(&mut self) -> Parsed<EntryKind<'a>> {
        if let Some(key) = self.key_before_colon() {
            return Ok(EntryKind::Member { key: Some(key), value: self.type_()? });
        }
        let first = if self.peek_symbol() == Some(Symbol::ParenOpen) {
            let group = self.group()?;
            if !self.is_inside_type() {
                return Ok(EntryKind::Group(group));
            }
            let span = group.span;
            let inner = into_type(group).map_err(|_| {
                let message = "these parentheses contain a group, and a type is needed here";
                SyntaxProblem { span, message: message.into() }
            })?;
            let kind = Type2Kind::Parenthesized(Box::new(inner));
            self.operation(Type2 { kind, span })?
        } else {
            self.type1()?
        };
        let cut = self.take(Symbol::Cut);
        if self.take(Symbol::Arrow) {
            let key = MemberKey::Type { type1: Box::new(first), cut };
            return Ok(EntryKind::Member { key: Some(key), value: self.type_()? });
        }
        if cut {
            return Err(self.expected("`=>` after `^`"));
        }
        Ok(EntryKind::Member { key: None, value: self.alternatives(first)? })
    }

    /// Parses `bareword S ":"` or `value S ":"`
    fn key_before_colon(&mut self) -> Option<MemberKey<'a>> {
        let [key, colon, ..] = &self.tokens[self.at..] else { return None };
        if !is_symbol(colon, Symbol::Colon) {
            return None;
        }
        let key = match &key.kind {
            TokenKind::Name => MemberKey::Bareword(self.take_name()?),
            TokenKind::Value(value) => {
                self.at += 1;
                MemberKey::Value(value.clone())
            }
            _ => return None,
        };
        self.at += 1;
        Some(key)
    }

    /// Parses `occur = [uint] "*" [uint] / "+" / "?"`, without spaces in it
    fn occurrence(&mut self) -> Option<Occurrence> {
        if self.take(Symbol::Question) {
            return Some(Occurrence { min: 0, max: Some(1) });
        }
        if self.take(Symbol::Plus) {
            return Some(Occurrence { min: 1, max: None });
        }
        let min = match self.bound(self.at) {
            Some(min) => {
                let [number, star, ..] = &self.tokens[self.at..] else { return None };
                if !is_symbol(star, Symbol::Star) || number.span.end != star.span.start {
                    return None;
                }
                self.at += 1;
                min
            }
            None => 0,
        };
        if !self.take(Symbol::Star) {
            return None;
        }
        let star = self.tokens[self.at - 1].span;
        let max = self.bound(self.at).filter(|_| self.start() == star.end);
        self.at += usize::from(max.is_some());
        Some(Occurrence { min, max })
    }

    /// Returns the unsigned integer that is the token at this index.
    fn bound(&self, at: usize) -> Option<u64> {
        let token = self.tokens.get(at)?;
        match &token.kind {
            TokenKind::Value(LiteralValue::Integer(value))
                if !self.token_text(token).starts_with('-') =>
            {
                u64::try_from(*value).ok()
            }
            _ => None,
        }
    }

    /// Returns whether what follows can only follow a type.
    fn is_inside_type(&self) -> bool {
        self.peek().is_some_and(|next| {
            is_operator(&next.kind)
                || [Symbol::Choice, Symbol::Cut, Symbol::Arrow]
                    .iter()
                    .any(|symbol| is_symbol(next, *symbol))
        })
    }

    /// Returns whether a name follows that is assigned to, perhaps with parameters.
    fn is_rule_start(&self) -> bool {
        let mut rest = self.tokens[self.at..].iter();
        let mut symbol = || rest.next().map(|token| &token.kind);
        if symbol() != Some(&TokenKind::Name) {
            return false;
        }
        let mut next = symbol();
        if next == Some(&TokenKind::Symbol(Symbol::AngleOpen)) {
            while matches!(
                next,
                Some(TokenKind::Name | TokenKind::Symbol(Symbol::AngleOpen | Symbol::Comma))
            ) {
                next = symbol();
                if next == Some(&TokenKind::Symbol(Symbol::AngleOpen)) {
                    return false;
                }
            }
            if next != Some(&TokenKind::Symbol(Symbol::AngleClose)) {
                return false;
            }
            next = symbol();
        }
        matches!(
            next,
            Some(TokenKind::Symbol(Symbol::Assign | Symbol::AssignType | Symbol::AssignGroup))
        )
    }

    /// Takes an opening bracket.
    fn open(&mut self) -> Parsed<&'t Token> {
        let open = &self.tokens[self.at];
        if self.depth == limits::NESTING {
            let message = format!("nested deeper than {} levels", limits::NESTING);
            return Err(SyntaxProblem { span: open.span, message });
        }
        self.depth += 1;
        self.at += 1;
        Ok(open)
    }

    /// Takes the bracket that closes this one.
    fn close(&mut self, open: &Token) -> Parsed<()> {
        let opening = match open.kind {
            TokenKind::Symbol(symbol) => symbol,
            _ => Symbol::AngleOpen,
        };
        let found = self.peek_symbol();
        match found.and_then(opening_bracket) {
            Some(opened) if opened == opening => {
                self.depth -= 1;
                self.at += 1;
                Ok(())
            }
            Some(_) => {
                let found = found.map_or("", Symbol::text);
                Err(self.problem(format!("`{found}` cannot close `{}`", opening.text())))
            }
            None if self.peek().is_none() || self.is_rule_start() => {
                let message = format!("`{}` is never closed", opening.text());
                Err(SyntaxProblem { span: open.span, message })
            }
            None => Err(self.expected(&format!("`{}`", closing_bracket(opening)))),
        }
    }

    fn take_name(&mut self) -> Option<Name<'a>> {
        let next = self.peek().filter(|next| next.kind == TokenKind::Name)?;
        self.at += 1;
        Some(Name { text: self.token_text(next), span: next.span })
    }

    fn take(&mut self, symbol: Symbol) -> bool {
        let is_next = self.peek_symbol() == Some(symbol);
        self.at += usize::from(is_next);
        is_next
    }

    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn peek_symbol(&self) -> Option<Symbol> {
        match self.peek()?.kind {
            TokenKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn token_text(&self, token: &Token) -> &'a str {
        &self.text[token.span.start..token.span.end]
    }

    /// Returns where the next token starts.
    fn start(&self) -> usize {
        self.peek().map_or(self.text.len(), |next| next.span.start)
    }

    /// Returns the range from `start` to the end of the last token that was taken.
    fn span_from(&self, start: usize) -> TextSpan {
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        TextSpan { start, end: last.map_or(start, |last| last.span.end) }
    }

    /// Returns a problem with the next token.
    fn problem(&self, message: String) -> SyntaxProblem {
        let end_of_last = self.tokens.last().map_or(0, |last| last.span.end);
        let end = TextSpan { start: end_of_last, end: end_of_last };
        SyntaxProblem { span: self.peek().map_or(end, |next| next.span), message }
    }

    fn expected(&self, what: &str) -> SyntaxProblem {
        const SHOWN: usize = 30;
        let found = match self.peek() {
            None => "the end of the text".to_owned(),
            Some(_) if self.is_rule_start() => "the next rule".to_owned(),
            Some(next) => match self.token_text(next) {
                short if short.len() <= SHOWN => format!("`{short}`"),
                long => format!("`{}...`", long.chars().take(SHOWN).collect::<String>()),
            },
        };
        let is_after_choice = what == "a type" && found == "`=>`";
        let hint = if is_after_choice { " (a choice as a key needs parentheses)" } else { "" };
        self.problem(format!("expected {what}, found {found}{hint}"))
    }
}

/// Returns the body of a rule that is defined with `=`: a type wherever the entry can be read as
/// one.
fn type_or_group(entry: GroupEntry<'_>) -> Body<'_> {
    let GroupEntry { occurrence, kind, span } = entry;
    match kind {
        EntryKind::Member { key: None, value } if occurrence.is_none() => Body::Type(value),
        EntryKind::Group(group) if occurrence.is_none() => match into_type(group) {
            Ok(inner) => Body::Type(parenthesized(inner, span)),
            Err(group) => {
                Body::Group(GroupEntry { occurrence, kind: EntryKind::Group(group), span })
            }
        },
        kind => Body::Group(GroupEntry { occurrence, kind, span }),
    }
}

/// Returns the type in parentheses that was read as a group, or the group if it is one.
fn into_type(mut group: Group<'_>) -> Result<Type<'_>, Group<'_>> {
    let is_sole = matches!(group.choices.as_slice(), [entries] if entries.len() == 1);
    if !is_sole || group.has_comma {
        return Err(group);
    }
    let Some(entry) = group.choices[0].pop() else { return Err(group) };
    let GroupEntry { occurrence, kind, span } = entry;
    let kind = match kind {
        EntryKind::Member { key: None, value } if occurrence.is_none() => return Ok(value),
        EntryKind::Group(inner) if occurrence.is_none() => match into_type(inner) {
            Ok(inner) => return Ok(parenthesized(inner, span)),
            Err(inner) => EntryKind::Group(inner),
        },
        kind => kind,
    };
    group.choices[0].push(GroupEntry { occurrence, kind, span });
    Err(group)
}

/// Returns a type that consists of another in parentheses.
fn parenthesized(inner: Type<'_>, span: TextSpan) -> Type<'_> {
    let kind = Type2Kind::Parenthesized(Box::new(inner));
    let target = Type2 { kind, span };
    Type { choices: vec![Type1 { target, operator: None, span }], span }
}

fn is_symbol(token: &Token, symbol: Symbol) -> bool {
    token.kind == TokenKind::Symbol(symbol)
}

fn is_operator(kind: &TokenKind) -> bool {
    use Symbol::{RangeExclusive, RangeInclusive};
    matches!(kind, TokenKind::Control | TokenKind::Symbol(RangeInclusive | RangeExclusive))
}

/// Returns the bracket that a closing bracket closes.
fn opening_bracket(symbol: Symbol) -> Option<Symbol> {
    match symbol {
        Symbol::ParenClose => Some(Symbol::ParenOpen),
        Symbol::BracketClose => Some(Symbol::BracketOpen),
        Symbol::BraceClose => Some(Symbol::BraceOpen),
        Symbol::AngleClose => Some(Symbol::AngleOpen),
        _ => None,
    }
}

fn closing_bracket(symbol: Symbol) -> &'static str {
    match symbol {
        Symbol::BracketOpen => "]",
        Symbol::BraceOpen => "}",
        Symbol::AngleOpen => ">",
        _ => ")",
    }
}
