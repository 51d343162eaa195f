//! Stores names that many objects share, each with a number.

use std::collections::HashMap;

use vac_value::Text;

/// The number of a name.
pub(crate) type Number = u32;

/// Names, each once, in the order of their appearance.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    numbers: HashMap<Text<'a>, Number>,
    all: Vec<Text<'a>>,
    /// The number that was returned last. Successive objects often have the same name.
    last: Number,
}

impl<'a> Names<'a> {
    /// Returns the number of a name. A new name is added in the form that `keep` returns.
    pub fn number<'t>(
        &mut self,
        name: Text<'t>,
        keep: impl FnOnce(Text<'t>) -> Text<'a>,
    ) -> Number {
        if self.all.get(self.last as usize).is_some_and(|last| *last == name) {
            return self.last;
        }
        if let Some(number) = self.numbers.get(&*name) {
            self.last = *number;
            return *number;
        }
        // A larger number of names does not fit into memory.
        let number = Number::try_from(self.all.len()).unwrap_or(Number::MAX);
        let name = keep(name);
        self.numbers.insert(name.clone(), number);
        self.all.push(name);
        self.last = number;
        number
    }

    /// Adds a name that may equal others, and returns its number.
    pub fn add(&mut self, name: Text<'a>) -> Number {
        let number = Number::try_from(self.all.len()).unwrap_or(Number::MAX);
        self.all.push(name);
        number
    }

    /// Returns the name with this number.
    pub fn name(&self, number: Number) -> &str {
        self.all.get(number as usize).map_or("", |name| name)
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.all.len()
    }
}
