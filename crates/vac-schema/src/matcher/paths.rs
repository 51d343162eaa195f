//! Finds the paths of all violations of a document in one walk over it.

use std::fmt::Write;

use vac_value::Document;
use vac_value::path::{Locator, Step};

use super::{Matcher, Recorded};

impl Matcher<'_, '_> {
    /// Completes the paths of the violations from `first` on, which are in `document`.
    pub(super) fn resolve_paths(&mut self, first: usize, document: &Document<'_>) {
        let mut open: Vec<(u32, &mut String)> = Vec::new();
        for Recorded { place, violation, others } in &mut self.recorded[first..] {
            open.push((*place, &mut violation.path));
            let others = others.iter_mut().map(|(_, other)| other);
            open.extend(others.map(|other| (other.place, &mut other.violation.path)));
        }
        open.sort_by_key(|(place, _)| *place);
        let mut locator = Locator::default();
        for (place, path) in open {
            let mut pointer = String::new();
            for (step, node) in locator.steps(document.node(place)) {
                write!(pointer, "/{step}").expect("writing to a String cannot fail");
                if let (Step::Label(_) | Step::Index(_), Some(name)) =
                    (&step, self.labels.get(&node))
                {
                    pointer.extend(["(", name, ")"]);
                }
            }
            path.insert_str(0, &pointer);
        }
    }
}
