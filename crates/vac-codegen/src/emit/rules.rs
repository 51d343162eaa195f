//! Validators: a function for each rule, a table for each group.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use vac_cddl::ir::{
    Control, Element, ElementKind, Group, Key, Member, Occurrence, Origin, RuleId, Schema,
    TagNumber, Type, TypeKind, Value,
};

use crate::Error;
use crate::analysis::{Discriminator, alternatives, discriminator, kinds};
use crate::describe;
use crate::names::Names;
use crate::scalar::{self, Patterns, integer_token};

/// The validator module of a schema; `runtime` is where its runtime is found.
pub fn emit(schema: &Schema, runtime: &TokenStream) -> Result<TokenStream, Error> {
    let mut names = Names::default();
    for reserved in ["context", "node", "any", "root", "rules"] {
        names.function_name(reserved);
    }
    let functions = schema.rules.iter().map(|rule| names.function_name(&rule.name)).collect();
    let mut emitter = Emitter {
        schema,
        names,
        functions,
        used: vec![false; schema.rules.len()],
        patterns: Patterns::default(),
        items: Vec::new(),
    };
    emitter.rules()?;
    Ok(emitter.finish(runtime))
}

struct Emitter<'s> {
    schema: &'s Schema,
    names: Names,
    /// The function of each rule.
    functions: Vec<Ident>,
    /// The rules of the prelude that something refers to.
    used: Vec<bool>,
    patterns: Patterns,
    items: Vec<TokenStream>,
}

impl Emitter<'_> {
    /// All rules of the specification, then those of the prelude that these
    /// need, and what those need.
    fn rules(&mut self) -> Result<(), Error> {
        let mut done = vec![false; self.used.len()];
        loop {
            let next = self.schema.rules.iter().enumerate().position(|(at, rule)| {
                !done[at] && (rule.origin != Origin::Prelude || self.used[at])
            });
            let Some(at) = next else { return Ok(()) };
            done[at] = true;
            let rule = &self.schema.rules[at];
            let function = self.functions[at].clone();
            if rule.origin == Origin::Prelude {
                // By its name, and for messages in the rule that uses it.
                let docs = format!("`{}` of the prelude.", rule.name);
                let reference =
                    Type { kind: TypeKind::Rule(RuleId(at)), location: rule.location.clone() };
                let scalar = scalar::is_scalar(self.schema, &reference);
                let ty = if scalar { &reference } else { &rule.body };
                self.function(&function, &docs, ty, "")?;
            } else {
                self.function(&function, &format!("`{}`", rule.name), &rule.body, &rule.name)?;
            }
        }
    }

    /// The function of a rule, which will be needed.
    fn function_of(&mut self, RuleId(id): RuleId) -> Ident {
        self.used[id] = true;
        self.functions[id].clone()
    }

    fn finish(self, path: &TokenStream) -> TokenStream {
        let patterns = self.patterns.declarations();
        let items = &self.items;
        let root = &self.functions[self.schema.root.0];
        let (constants, rules) = self.constants();
        let text = quote!(#(#items)*).to_string();
        let runtime: Vec<Ident> = [
            "Alternative",
            "Array",
            "Case",
            "Choice",
            "Element",
            "Group",
            "Key",
            "Map",
            "Member",
            "Select",
            "Shape",
        ]
        .iter()
        .filter(|name| text.contains(&format!(" {name} ")))
        .map(|name| Ident::new(name, proc_macro2::Span::call_site()))
        .collect();
        quote! {
            use #path::{Check, Context #(, #runtime)*};

            /// The rule a document has to satisfy.
            pub const ROOT: Check = #root;

            /// Every rule by its name.
            pub const RULES: &[(&str, Check)] = &[#(#rules),*];

            #(#constants)*

            #patterns
            #(#items)*
        }
    }

    /// A public constant for each rule of the specification, and the rows of the table that
    /// finds them by name. Code that names a constant does not compile when the
    /// specification loses the rule; a lookup by name would have to fail at run time.
    fn constants(&self) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let mut names = Names::default();
        for reserved in ["root", "rules"] {
            names.constant_name(reserved);
        }
        for pattern in self.patterns.names() {
            names.constant_name(&pattern.to_string());
        }
        let rules = self.schema.rules.iter().zip(&self.functions);
        rules
            .filter(|(rule, _)| rule.origin != Origin::Prelude)
            .map(|(rule, function)| {
                let name = &rule.name;
                let constant = names.constant_name(name);
                let docs = format!(" The rule `{name}`.");
                let declaration = quote! {
                    #[doc = #docs]
                    pub const #constant: Check = #function;
                };
                (declaration, quote!((#name, #constant)))
            })
            .unzip()
    }

    fn function(&mut self, name: &Ident, docs: &str, ty: &Type, rule: &str) -> Result<(), Error> {
        let place = self.items.len();
        let body = self.body(name, ty, rule)?;
        let whole = body.to_string();
        let context = if whole.contains("context") { quote!(context) } else { quote!(_context) };
        let node = if whole.contains("node") { quote!(node) } else { quote!(_node) };
        let function = quote! {
            #[doc = #docs]
            fn #name(#context: &mut Context, #node: Node<'_, '_>) -> bool {
                #body
            }
        };
        self.items.insert(place, function);
        Ok(())
    }

    /// The name of a function that checks a type; a new one if it needs one.
    fn checker(
        &mut self,
        around: &Ident,
        part: &str,
        ty: &Type,
        rule: &str,
    ) -> Result<Ident, Error> {
        if let TypeKind::Rule(id) = ty.kind {
            return Ok(self.function_of(id));
        }
        let around = around.to_string();
        let around = around.trim_start_matches("r#");
        let name = self.names.function_name(&format!("{around}-{part}"));
        self.function(&name, &format!("Part of `{rule}`."), ty, rule)?;
        Ok(name)
    }

    fn body(&mut self, name: &Ident, ty: &Type, rule: &str) -> Result<TokenStream, Error> {
        if let Some(predicate) = scalar::condition(self.schema, ty, &mut self.patterns) {
            let expected = describe::expected(self.schema, ty);
            return Ok(quote!(context.expect(#predicate, node, #rule, #expected)));
        }
        match &ty.kind {
            TypeKind::Any => Ok(quote!(true)),
            TypeKind::Rule(id) => {
                let function = self.function_of(*id);
                Ok(quote!(#function(context, node)))
            }
            TypeKind::Map(group) => self.map(name, group, rule),
            TypeKind::Array(group) => self.array(name, group, rule),
            TypeKind::Tag { number, content } => {
                let check = self.checker(name, "content", content, rule)?;
                let expected = describe::expected(self.schema, ty);
                let number = match number {
                    TagNumber::One(number) => quote!(Some(#number)),
                    TagNumber::Any => quote!(None),
                    TagNumber::Of(_) => {
                        let construct = "a tag whose number is a type (`#6.<type>`)";
                        return Err(Error::unsupported(&ty.location, construct));
                    }
                };
                Ok(quote!(context.tag(node, #number, #rule, #expected, #check)))
            }
            TypeKind::Choice(choices) => self.choice(name, ty, choices, rule),
            TypeKind::Control { target, control } => {
                self.controlled(name, target, control, rule, ty)
            }
            TypeKind::Simple(_) => {
                let construct = "a simple value whose number is a type (`#7.<type>`)";
                Err(Error::unsupported(&ty.location, construct))
            }
            // Whatever a predicate cannot judge is listed above.
            TypeKind::Literal(_) | TypeKind::Range { .. } | TypeKind::Major { .. } => {
                Err(Error::unsupported(&ty.location, "this type"))
            }
        }
    }

    fn controlled(
        &mut self,
        name: &Ident,
        target: &Type,
        control: &Control,
        rule: &str,
        ty: &Type,
    ) -> Result<TokenStream, Error> {
        let target = self.checker(name, "target", target, rule)?;
        match control {
            Control::Default(_) | Control::Feature(_) => Ok(quote!(#target(context, node))),
            Control::Within(other) | Control::And(other) => {
                let other = self.checker(name, "also", other, rule)?;
                Ok(quote!(#target(context, node) && #other(context, node)))
            }
            Control::Cbor(inner) => {
                let inner = self.checker(name, "inside", inner, rule)?;
                Ok(quote!(#target(context, node) && context.embedded(node, #rule, #inner)))
            }
            Control::Cborseq(inner) => {
                let inner = self.checker(name, "inside", inner, rule)?;
                Ok(quote! {
                    #target(context, node) && context.embedded_sequence(node, #rule, #inner)
                })
            }
            _ => Err(Error::unsupported(
                &ty.location,
                "a control operator on this type, or with this argument,",
            )),
        }
    }

    fn choice(
        &mut self,
        name: &Ident,
        ty: &Type,
        choices: &[Type],
        rule: &str,
    ) -> Result<TokenStream, Error> {
        let flat = alternatives(self.schema, ty);
        if let Some(discriminator) = discriminator(self.schema, &flat) {
            return self.select(name, &flat, &discriminator, rule);
        }
        let mut rows = Vec::new();
        for (at, alternative) in choices.iter().enumerate() {
            let check = self.checker(name, &format!("choice-{}", at + 1), alternative, rule)?;
            let title = describe::expected(self.schema, alternative);
            let kinds = kinds(self.schema, alternative)
                .into_iter()
                .map(|kind| Ident::new(kind, proc_macro2::Span::call_site()));
            rows.push(quote! {
                Alternative { name: #title, kinds: &[#(Kind::#kinds),*], check: #check }
            });
        }
        let expected = describe::expected(self.schema, ty);
        Ok(quote! {
            static CHOICE: Choice =
                Choice { rule: #rule, expected: #expected, alternatives: &[#(#rows),*] };
            context.choice(node, &CHOICE)
        })
    }

    fn select(
        &mut self,
        name: &Ident,
        flat: &[&Type],
        discriminator: &Discriminator<'_>,
        rule: &str,
    ) -> Result<TokenStream, Error> {
        let mut cases = Vec::new();
        for (at, (alternative, values)) in flat.iter().zip(&discriminator.values).enumerate() {
            let check = self.checker(name, &format!("choice-{}", at + 1), alternative, rule)?;
            for value in values {
                let value = simple_key(&value.value, None);
                cases.push(quote!(Case { value: #value, check: #check }));
            }
        }
        let all = discriminator.values.iter().flatten();
        let expected = describe::list(all.map(|literal| describe::value(&literal.value)));
        let key = simple_key(&discriminator.key.value, discriminator.key.name.as_deref());
        Ok(quote! {
            static SELECT: Select = Select {
                rule: #rule, key: #key, expected: #expected, cases: &[#(#cases),*]
            };
            context.select(node, &SELECT)
        })
    }

    fn map(&mut self, name: &Ident, group: &Group, rule: &str) -> Result<TokenStream, Error> {
        let choices = self.group(name, group, rule, true)?;
        Ok(quote! {
            static MAP: Map = Map { rule: #rule, choices: #choices };
            context.map(node, &MAP)
        })
    }

    fn array(&mut self, name: &Ident, group: &Group, rule: &str) -> Result<TokenStream, Error> {
        let shape = match group.choices.as_slice() {
            [elements] if elements.len() == 1 => match &elements[0] {
                Element { kind: ElementKind::Member(member), occurrence, .. }
                    if *occurrence != Occurrence::ONCE =>
                {
                    let check = self.checker(name, "element", &member.value, rule)?;
                    let (min, max) = bounds(*occurrence);
                    let expected = how_many(*occurrence);
                    Some(quote!(Shape::Each {
                        min: #min, max: #max, expected: #expected, check: #check
                    }))
                }
                _ => None,
            },
            _ => None,
        };
        let shape = match shape {
            Some(shape) => shape,
            None => {
                let choices = self.group(name, group, rule, false)?;
                quote!(Shape::Choices(#choices))
            }
        };
        Ok(quote! {
            static ARRAY: Array = Array { rule: #rule, shape: #shape };
            context.array(node, &ARRAY)
        })
    }

    fn group(
        &mut self,
        name: &Ident,
        group: &Group,
        rule: &str,
        in_map: bool,
    ) -> Result<TokenStream, Error> {
        let mut choices = Vec::new();
        for elements in &group.choices {
            let mut rows = Vec::new();
            for element in elements {
                rows.push(self.element(name, element, rule, in_map)?);
            }
            choices.push(quote!(&[#(#rows),*]));
        }
        Ok(quote!(&[#(#choices),*]))
    }

    fn element(
        &mut self,
        name: &Ident,
        element: &Element,
        rule: &str,
        in_map: bool,
    ) -> Result<TokenStream, Error> {
        let (min, max) = bounds(element.occurrence);
        match &element.kind {
            ElementKind::Member(member) => {
                let key = self.key(name, element, member, rule, in_map)?;
                let part = part_name(member);
                let check = self.checker(name, &part, &member.value, rule)?;
                let cut = member.cut;
                Ok(quote!(Element::Member(Member {
                    key: #key, cut: #cut, min: #min, max: #max, check: #check
                })))
            }
            ElementKind::Group { group, .. } => {
                let expected = group_title(group);
                let choices = self.group(name, group, rule, in_map)?;
                Ok(quote!(Element::Group(Group {
                    expected: #expected, min: #min, max: #max, choices: #choices
                })))
            }
        }
    }

    fn key(
        &mut self,
        name: &Ident,
        element: &Element,
        member: &Member,
        rule: &str,
        in_map: bool,
    ) -> Result<TokenStream, Error> {
        match &member.key {
            Some(Key::Literal(literal)) => match &literal.value {
                Value::Text(_) | Value::Integer(_) => {
                    Ok(simple_key(&literal.value, literal.name.as_deref()))
                }
                _ if !in_map => Ok(quote!(Key::None)),
                _ => {
                    let ty = Type {
                        kind: TypeKind::Literal(literal.clone()),
                        location: element.location.clone(),
                    };
                    let check = self.checker(name, "key", &ty, rule)?;
                    Ok(quote!(Key::Literal(#check)))
                }
            },
            Some(Key::Type(ty)) if in_map => {
                let check = self.checker(name, "key", ty, rule)?;
                Ok(quote!(Key::Type(#check)))
            }
            None if in_map => {
                Err(Error::unsupported(&element.location, "a member without a key in a map"))
            }
            Some(Key::Type(_)) | None => Ok(quote!(Key::None)),
        }
    }
}

fn simple_key(value: &Value, name: Option<&str>) -> TokenStream {
    match value {
        Value::Text(text) => quote!(Key::Text(#text)),
        Value::Integer(integer) => {
            let integer = integer_token(*integer);
            let name = name.unwrap_or_default();
            quote!(Key::Integer(#integer, #name))
        }
        Value::Float(_) | Value::Bytes(_) => quote!(Key::None),
    }
}

/// What to call the function of a member's type.
fn part_name(member: &Member) -> String {
    match &member.key {
        Some(Key::Literal(literal)) => match (&literal.name, &literal.value) {
            (Some(name), _) => name.clone(),
            (None, Value::Text(text)) => text.clone(),
            (None, Value::Integer(integer)) => format!("label-{integer}").replace("--", "-minus-"),
            _ => "member".to_owned(),
        },
        Some(Key::Type(_)) => "value".to_owned(),
        None => "element".to_owned(),
    }
}

fn bounds(occurrence: Occurrence) -> (u64, TokenStream) {
    let max = match occurrence.max {
        Some(max) => quote!(#max),
        None => quote!(u64::MAX),
    };
    (occurrence.min, max)
}

fn how_many(occurrence: Occurrence) -> String {
    match (occurrence.min, occurrence.max) {
        (min, None) => format!("at least {min} elements"),
        (min, Some(max)) if min == max => format!("{min} elements"),
        (min, Some(max)) => format!("{min} to {max} elements"),
    }
}

/// What a message calls a group: the keys its alternatives begin with.
fn group_title(group: &Group) -> String {
    let first = group.choices.iter().map(|elements| match elements.first() {
        Some(Element { kind: ElementKind::Member(member), .. }) => match &member.key {
            Some(Key::Literal(literal)) => describe::value(&literal.value),
            _ => "an element".to_owned(),
        },
        _ => "a group".to_owned(),
    });
    format!("a group that begins with {}", describe::list(first))
}
