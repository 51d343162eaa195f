//! Follows directives: determines which rules of modules a specification takes, and their names.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::directive::{Content, Verb};
use super::directives;
use super::rules::{Alias, Entry, Namespace, RuleSet};
use crate::Error;
use crate::ir::{Location, Warning, WarningKind};
use crate::lower::limits;
use crate::source::Source;

/// The weight of a name in a map, compared with one that is only visited.
const NAME_WEIGHT: usize = 4;

/// A module by its name, with what was read from its text.
pub(crate) type NamedSource<'a> = (&'a str, &'a Source<'a>);

/// Merges the modules that texts name into them. `start` counts as a name that they use.
/// Also returns warnings about rules that hide others.
pub(crate) fn merge<'a>(
    given: &'a [Source<'a>],
    modules: &[NamedSource<'a>],
    start: Option<&str>,
) -> Result<(RuleSet<'a>, Vec<Warning>), Error> {
    let mut merger = Merger {
        sources: modules.iter().copied().collect(),
        merged: HashMap::new(),
        open: Vec::new(),
        warnings: Vec::new(),
        work: 0,
    };
    let mut all = RuleSet::new(given);
    merger.follow(&given.iter().collect::<Vec<_>>(), start, &mut all)?;
    Ok((all, merger.warnings))
}

struct Merger<'a> {
    sources: HashMap<&'a str, &'a Source<'a>>,
    /// The modules that have been merged.
    merged: HashMap<&'a str, Rc<RuleSet<'a>>>,
    /// The modules within each other that are being merged.
    open: Vec<&'a str>,
    warnings: Vec<Warning>,
    /// The number of names visited.
    work: usize,
}

/// A module that is imported.
struct Library<'a, 'd> {
    name: &'d str,
    rules: Rc<RuleSet<'a>>,
    /// The directive.
    at: Location,
    /// The names that are taken from it.
    wanted: HashSet<Rc<str>>,
}

impl<'a> Merger<'a> {
    /// Adds the rules that the directives of some texts name.
    fn follow(
        &mut self,
        sources: &[&'a Source<'a>],
        start: Option<&str>,
        merged: &mut RuleSet<'a>,
    ) -> Result<(), Error> {
        let mut libraries = Vec::new();
        for source in sources {
            for directive in directives(source.tree.text, &source.tree.comments) {
                // A directive or module that cannot be read was refused before.
                let Ok(content) = directive.content else { continue };
                let location = source.location(directive.start);
                let mut module = self.module(content.module, &location)?;
                if let Some(prefix) = content.prefix {
                    module = Rc::new(self.prefixed(&module, prefix, &location)?);
                }
                self.select(&content, &module, &location, merged)?;
                if content.verb == Verb::Import {
                    let (name, wanted) = (content.module, HashSet::new());
                    libraries.push(Library { name, rules: module, at: location, wanted });
                }
            }
        }
        self.import(&mut libraries, start, merged)
    }

    /// Returns the rules of a module, with those of the modules that it names.
    fn module(&mut self, name: &str, at: &Location) -> Result<Rc<RuleSet<'a>>, Error> {
        let error = |why: String| Error::new(at.clone(), why);
        let Some((&name, &source)) = self.sources.get_key_value(name) else {
            return Err(error(format!("internal error: module `{name}` is not loaded")));
        };
        if let Some(merged) = self.merged.get(name) {
            return Ok(Rc::clone(merged));
        }
        if let Some(first) = self.open.iter().position(|open| *open == name) {
            let way = match &self.open[first + 1..] {
                [] => String::new(),
                between => format!(", by way of {}", between.join(", ")),
            };
            return Err(error(format!("module `{name}` needs itself{way}")));
        }
        if self.open.len() == limits::MODULE_DEPTH {
            return Err(error("modules are nested too deeply".to_owned()));
        }
        self.open.push(name);
        let mut merged = RuleSet::default();
        merged.add_source(source, false);
        self.follow(&[source], None, &mut merged)?;
        self.open.pop();
        let merged = Rc::new(merged);
        self.merged.insert(name, Rc::clone(&merged));
        Ok(merged)
    }

    /// Adds the rules that a directive names; for `include` without names all.
    fn select(
        &mut self,
        content: &Content<'_>,
        module: &RuleSet<'a>,
        at: &Location,
        merged: &mut RuleSet<'a>,
    ) -> Result<(), Error> {
        let is_all = match &content.names {
            None => content.verb == Verb::Include,
            Some(names) => names.contains(&"*"),
        };
        if is_all {
            self.count(module.entries.len(), at)?;
            module.entries.iter().for_each(|entry| merged.add(entry.clone()));
            module.aliases.iter().for_each(|alias| merged.add_alias(alias.clone()));
            return Ok(());
        }
        for name in content.names.iter().flatten() {
            let full = content.prefix.map(|prefix| prefixed(name, prefix));
            match full {
                _ if module.contains(name) => self.take(name, module, at, merged)?,
                Some(full) if module.contains(&full) => {
                    self.take(&full, module, at, merged)?;
                    let name = Rc::from(*name);
                    merged.add_alias(Alias { name, target: full, location: at.clone() });
                }
                _ => {
                    let why = format!("`{name}` is not defined in module `{}`", content.module);
                    return Err(Error::new(at.clone(), why));
                }
            }
        }
        Ok(())
    }

    /// Adds the rules of a module with a name.
    fn take(
        &mut self,
        name: &str,
        module: &RuleSet<'a>,
        at: &Location,
        merged: &mut RuleSet<'a>,
    ) -> Result<(), Error> {
        let mut name = name;
        if let Some(&place) = module.alias_of.get(name) {
            let alias = &module.aliases[place];
            merged.add_alias(alias.clone());
            name = &alias.target;
        }
        let places = module.by_name.get(name).map_or(&[][..], Vec::as_slice);
        self.count(places.len(), at)?;
        for &place in places {
            merged.add(module.entries[place].clone());
        }
        Ok(())
    }

    /// Adds the rules of modules that are used and not defined, and the rules that these use.
    fn import(
        &mut self,
        libraries: &mut [Library<'a, '_>],
        start: Option<&str>,
        merged: &mut RuleSet<'a>,
    ) -> Result<(), Error> {
        let Some(Library { at, .. }) = libraries.first() else { return Ok(()) };
        let mut known: HashSet<Rc<str>> = HashSet::new();
        let mut open: Vec<Rc<str>> = start.map(Rc::from).into_iter().collect();
        for entry in &merged.entries {
            // A rule may extend a name that is not used here.
            for name in entry.references().chain([&*entry.name]) {
                self.count(1, at)?;
                if !known.contains(name) {
                    known.insert(Rc::from(name));
                    open.push(Rc::from(name));
                }
            }
        }
        open.extend(merged.aliases.iter().map(|alias| Rc::clone(&alias.target)));
        while let Some(name) = open.pop() {
            if !merged.is_complete(&name) {
                self.request(&name, libraries, &mut |name| {
                    if !known.contains(name) {
                        known.insert(Rc::from(name));
                        open.push(Rc::from(name));
                    }
                })?;
            }
        }
        for Library { rules, at, wanted, .. } in libraries {
            self.count(rules.entries.len(), at)?;
            for entry in rules.entries.iter().filter(|entry| wanted.contains(&entry.name)) {
                merged.add(entry.clone());
            }
            for alias in rules.aliases.iter().filter(|alias| wanted.contains(&alias.name)) {
                merged.add_alias(alias.clone());
            }
        }
        Ok(())
    }

    /// Takes a name from the first module that has it, and a socket from all. Calls a
    /// function with the names that it uses.
    fn request(
        &mut self,
        name: &Rc<str>,
        libraries: &mut [Library<'a, '_>],
        used: &mut impl FnMut(&str),
    ) -> Result<(), Error> {
        let mut taken: Option<(&Entry<'a>, &str)> = None;
        for library in libraries {
            self.count(1, &library.at)?;
            let rules = &library.rules;
            let places = rules.by_name.get(name).map_or(&[][..], Vec::as_slice);
            let first = places.first().map(|&place| &rules.entries[place]);
            if let (Some(other), Some((entry, module))) = (first, taken) {
                self.count(other.rule.span.end - other.rule.span.start, &library.at)?;
                if !entry.is_same(other) {
                    let message = format!(
                        "module `{}` has another rule `{name}`, and that of module `{module}` is \
                         used (give one of them a prefix with `as`)",
                        library.name
                    );
                    let (kind, location) = (WarningKind::HiddenRule, library.at.clone());
                    self.warnings.push(Warning { kind, location, message });
                }
                continue;
            }
            if !rules.contains(name) || !library.wanted.insert(Rc::clone(name)) {
                continue;
            }
            if let Some(&place) = rules.alias_of.get(name) {
                used(&rules.aliases[place].target);
            }
            for &place in places {
                for name in rules.entries[place].references() {
                    self.count(1, &library.at)?;
                    used(name);
                }
            }
            if !name.starts_with('$') {
                taken = first.map(|entry| (entry, library.name));
            }
        }
        Ok(())
    }

    /// Returns a module with a prefix before the names of its rules and of its sockets.
    fn prefixed(
        &mut self,
        module: &RuleSet<'a>,
        prefix: &str,
        at: &Location,
    ) -> Result<RuleSet<'a>, Error> {
        let names = module.by_name.keys().chain(module.alias_of.keys());
        let mut full: HashMap<Rc<str>, Rc<str>> =
            names.map(|name| (Rc::clone(name), prefixed(name, prefix))).collect();
        for entry in &module.entries {
            // Sockets belong to the module even if it has no plugs for them.
            for name in entry.references() {
                self.count(1, at)?;
                if name.starts_with('$') && !full.contains_key(name) {
                    full.insert(Rc::from(name), prefixed(name, prefix));
                }
            }
        }
        let renamed = |name: &Rc<str>| full.get(name).unwrap_or(name).clone();

        let mut namespaces: HashMap<*const Namespace, Rc<Namespace>> = HashMap::new();
        let mut result = RuleSet::default();
        for entry in &module.entries {
            let namespace = match namespaces.get(&Rc::as_ptr(&entry.namespace)) {
                Some(known) => Rc::clone(known),
                None => {
                    let inner = &entry.namespace.renamed;
                    self.count(NAME_WEIGHT * (full.len() + inner.len()), at)?;
                    let mut names = full.clone();
                    names.extend(inner.iter().map(|(name, it)| (Rc::clone(name), renamed(it))));
                    let prefix = format!("{prefix}.{}", entry.namespace.prefix);
                    let namespace = Rc::new(Namespace { prefix, renamed: names });
                    namespaces.insert(Rc::as_ptr(&entry.namespace), Rc::clone(&namespace));
                    namespace
                }
            };
            result.add(Entry { name: renamed(&entry.name), namespace, ..entry.clone() });
        }
        for alias in &module.aliases {
            let (name, target) = (renamed(&alias.name), renamed(&alias.target));
            result.add_alias(Alias { name, target, location: alias.location.clone() });
        }
        Ok(result)
    }

    /// Counts visited names.
    fn count(&mut self, names: usize, at: &Location) -> Result<(), Error> {
        self.work = self.work.saturating_add(names);
        if self.work > limits::MODULE_WORK {
            let why = "the modules of this specification name each other too often";
            return Err(Error::new(at.clone(), why));
        }
        Ok(())
    }
}

/// Returns a name with a prefix, which comes after `$`: a socket stays a socket.
fn prefixed(name: &str, prefix: &str) -> Rc<str> {
    let rest = name.trim_start_matches('$');
    let (dollars, rest) = name.split_at(name.len() - rest.len());
    Rc::from(format!("{dollars}{prefix}.{rest}"))
}
