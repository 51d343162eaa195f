//! Arrays: which element of the type takes which element of the value.

use vac_value::{Kind, Node};

use super::{Check, Context, Element, Group, Key, Member};

/// An array type.
#[derive(Debug)]
pub struct Array {
    /// The rule it stands in.
    pub rule: &'static str,
    /// Its group.
    pub shape: Shape,
}

/// The group of an array type.
#[derive(Debug)]
pub enum Shape {
    /// Elements of one type.
    Each {
        /// At least so many.
        min: u64,
        /// At most so many.
        max: u64,
        /// What a message calls these numbers.
        expected: &'static str,
        /// The type of each.
        check: Check,
    },
    /// Anything else: alternatives, each tried for the whole array.
    Choices(&'static [&'static [Element]]),
}

impl Context {
    /// Checks an array.
    pub fn array(&mut self, node: Node<'_, '_>, array: &'static Array) -> bool {
        if node.kind() != Kind::Array {
            return self.expect(false, node, array.rule, "array");
        }
        self.within(array.rule, |context| context.array_as(node, array))
    }

    fn array_as(&mut self, node: Node<'_, '_>, array: &'static Array) -> bool {
        match array.shape {
            Shape::Each { min, max, expected, check } => {
                let mut valid = true;
                let mut count = 0;
                for element in node.elements() {
                    count += 1;
                    valid &= check(self, element);
                    if !valid && self.silent > 0 {
                        return false;
                    }
                }
                valid & self.expect((min..=max).contains(&count), node, array.rule, expected)
            }
            Shape::Choices(choices) => self.array_choices(node, array.rule, choices),
        }
    }

    fn array_choices(
        &mut self,
        node: Node<'_, '_>,
        rule: &'static str,
        choices: &'static [&'static [Element]],
    ) -> bool {
        let elements: Vec<_> = node.elements().collect();
        if let [choice] = choices {
            return self.whole_array(node, &elements, rule, choice);
        }
        let mut best: Option<(u32, &'static [Element])> = None;
        for choice in choices {
            let verdict =
                self.try_silently(|context| context.whole_array(node, &elements, rule, choice));
            if verdict.valid {
                return true;
            }
            if best.is_none_or(|(furthest, _)| verdict.furthest > furthest) {
                best = Some((verdict.furthest, choice));
            }
        }
        match best {
            Some((_, choice)) => self.whole_array(node, &elements, rule, choice),
            None => self.expect(false, node, rule, "nothing: this choice is empty"),
        }
    }

    fn whole_array(
        &mut self,
        node: Node<'_, '_>,
        elements: &[Node<'_, '_>],
        rule: &'static str,
        sequence: &'static [Element],
    ) -> bool {
        match self.take_elements(node, elements, 0, rule, sequence) {
            None => false,
            Some(end) => match elements.get(end) {
                None => true,
                Some(extra) => self.expect(false, *extra, rule, "no further element"),
            },
        }
    }

    /// Matches a sequence from a place on; gives the place behind it.
    fn take_elements(
        &mut self,
        node: Node<'_, '_>,
        elements: &[Node<'_, '_>],
        mut at: usize,
        rule: &'static str,
        sequence: &'static [Element],
    ) -> Option<usize> {
        for element in sequence {
            at = match element {
                Element::Member(member) => self.take_repeated(node, elements, at, rule, member)?,
                Element::Group(group) => {
                    self.take_group_elements(node, elements, at, rule, group)?
                }
            };
        }
        Some(at)
    }

    fn take_repeated(
        &mut self,
        node: Node<'_, '_>,
        elements: &[Node<'_, '_>],
        at: usize,
        rule: &'static str,
        member: &'static Member,
    ) -> Option<usize> {
        let name = match member.key {
            Key::Text(name) => name,
            _ => "",
        };
        let mut count = 0;
        while count < member.max {
            let Some(&element) = elements.get(at + usize::try_from(count).ok()?) else { break };
            // What must be there is checked aloud; what may be there is tried.
            if count < member.min {
                if !self.labelled(element, name, member.check) {
                    return None;
                }
            } else {
                let verdict = self.try_silently(|context| (member.check)(context, element));
                if !verdict.valid {
                    self.note_furthest(verdict);
                    break;
                }
            }
            count += 1;
        }
        if count < member.min {
            self.fail(node, rule, || {
                let expected = match name {
                    "" => format!("at least {} elements", at as u64 + member.min),
                    name => format!("element {name}"),
                };
                (expected, format!("array of {}", elements.len()))
            });
            return None;
        }
        Some(at + usize::try_from(count).ok()?)
    }

    fn take_group_elements(
        &mut self,
        node: Node<'_, '_>,
        elements: &[Node<'_, '_>],
        mut at: usize,
        rule: &'static str,
        group: &'static Group,
    ) -> Option<usize> {
        let mut count = 0;
        while count < group.max {
            let mut end = None;
            for choice in group.choices {
                let verdict = self.try_silently(|context| {
                    end = context.take_elements(node, elements, at, rule, choice);
                    end.is_some()
                });
                if verdict.valid {
                    break;
                }
                self.note_furthest(verdict);
            }
            let Some(end) = end else { break };
            count += 1;
            if end == at {
                // Nothing was taken: it would match for ever.
                count = count.max(group.min);
                break;
            }
            at = end;
        }
        if count < group.min {
            let place = elements.get(at).copied().unwrap_or(node);
            self.expect(false, place, rule, group.expected);
            return None;
        }
        Some(at)
    }
}
