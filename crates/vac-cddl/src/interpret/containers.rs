//! Explaining maps and arrays.

use vac_value::{Kind, Node, found};

use crate::ir::{Element, ElementKind, Type};

use super::arrays::Fault;
use super::describe::{describe, one_of};
use super::explain::{Explainer, Task, Tasks, What};
use super::map_state::{MapState, Problem};

impl<'s> Explainer<'_, '_, 's> {
    /// Explains one alternative of a map's or an array's group.
    pub fn of_sequence<'d, 'a>(
        &mut self,
        ty: &'s Type,
        elements: &'s [Element],
        mut task: Task<'s, 'd, 'a>,
        open: &mut Tasks<'s, 'd, 'a>,
    ) {
        self.judge.depth = task.depth + 1;
        let mut inside = match task.node.kind() {
            Kind::Map => self.in_map(elements, &task),
            _ => self.in_array(elements, &task),
        };
        match inside.first_mut() {
            Some(first) => first.others = std::mem::take(&mut task.others),
            None => return self.mismatch(ty, &task),
        }
        open.extend(inside.into_iter().rev());
    }

    fn in_map<'d, 'a>(
        &mut self,
        elements: &'s [Element],
        task: &Task<'s, 'd, 'a>,
    ) -> Tasks<'s, 'd, 'a> {
        let mut state = self.judge.map_problems(elements, task.node);
        let problems =
            state.notes.as_mut().map_or(Vec::new(), |notes| std::mem::take(&mut notes.problems));
        problems.into_iter().map(|problem| self.map_task(problem, &state, task)).collect()
    }

    fn map_task<'d, 'a>(
        &self,
        problem: Problem<'s>,
        state: &MapState<'s, 'd, 'a>,
        task: &Task<'s, 'd, 'a>,
    ) -> Task<'s, 'd, 'a> {
        let here = |what| Task::new(what, task.node, task.rule, task.depth);
        match problem {
            Problem::Missing(key) => here(What::Missing(key)),
            Problem::Value(entry, ty) => task.inside(What::Type(ty), state.value(entry)),
            Problem::Extra(entry) => task.inside(What::Extra(state.key(entry)), state.value(entry)),
            Problem::Unwanted(entry) => {
                task.inside(What::OneOf(state.refused(entry)), state.value(entry))
            }
            Problem::Few { key, least, count } => {
                let key = describe(self.judge.schema(), key);
                let expected = match least {
                    1 => format!("a key that is {key}"),
                    _ => format!("{least} or more keys that are {key}"),
                };
                let found = if count == 0 { "no such key".to_owned() } else { count.to_string() };
                here(What::Other { expected, found })
            }
            Problem::Impossible => {
                here(What::Other { expected: "nothing".to_owned(), found: found(task.node) })
            }
        }
    }

    fn in_array<'d, 'a>(
        &mut self,
        elements: &'s [Element],
        task: &Task<'s, 'd, 'a>,
    ) -> Tasks<'s, 'd, 'a> {
        match self.judge.array_fault(elements, task.node) {
            Fault::Element(node, tried) => self.elements(elements, node, tried, task),
            Fault::Extra(node) => {
                let expected = "no more elements".to_owned();
                vec![task.inside(What::Other { expected, found: found(node) }, node)]
            }
            Fault::Short(tried) => {
                let schema = self.judge.schema();
                let missing = one_of(tried.iter().map(|ty| describe(schema, ty)));
                let expected = format!("one more element: {missing}");
                let what = What::Other { expected, found: found(task.node) };
                vec![Task::new(what, task.node, task.rule, task.depth)]
            }
        }
    }

    /// An element that does not match; where the rest of the array is of one
    /// type, also those behind it.
    fn elements<'d, 'a>(
        &mut self,
        elements: &'s [Element],
        node: Node<'d, 'a>,
        tried: Vec<&'s Type>,
        task: &Task<'s, 'd, 'a>,
    ) -> Tasks<'s, 'd, 'a> {
        let rest = match (&*tried, rest_of_one_type(elements)) {
            ([tried], Some(rest)) if std::ptr::eq(*tried, rest) => rest,
            _ => return vec![task.inside(What::OneOf(tried), node)],
        };
        task.node
            .elements()
            .skip_while(|element| element.index() < node.index())
            .filter(|element| self.judge.check(rest, *element).is_err())
            .map(|element| task.inside(What::Type(rest), element))
            .collect()
    }
}

/// The type of all elements behind some point: `[..., * type]`.
fn rest_of_one_type(elements: &[Element]) -> Option<&Type> {
    let last = elements.last()?;
    match &last.kind {
        ElementKind::Member(member) if last.occurrence.max.is_none() => Some(&member.value),
        _ => None,
    }
}
