//! Tests that no two public types of the workspace have the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::{Item, UseTree, Visibility};
use vac_tests::root;

/// Names that several public types have by design, and the reason.
const SHARED: &[(&str, &str)] =
    &[("Error", "the error of a crate or of a module, as is usual in Rust")];

/// Modules whose types share names by design: a part of CDDL has the same name in the syntax tree,
/// in the intermediate representation and in the tables.
const LAYERS: &[&str] = &["vac_cddl::syntax::ast::", "vac_cddl::ir::", "vac_schema::tables::"];

/// A module of a crate, as its source declares it.
#[derive(Default)]
struct Module {
    /// The names of its public types and traits.
    types: Vec<String>,
    /// The modules in it by name, and whether they are public.
    modules: BTreeMap<String, (bool, Module)>,
    /// The paths of its public `use` declarations. The last segment of a glob is `*`.
    uses: Vec<Vec<String>>,
}

impl Module {
    /// Reads items, and the files of the modules that they declare. `folder` contains those files.
    fn read(items: Vec<Item>, folder: &Path) -> Self {
        let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
        let mut module = Self::default();
        for item in items {
            let (visibility, name) = match &item {
                Item::Enum(item) => (&item.vis, &item.ident),
                Item::Struct(item) => (&item.vis, &item.ident),
                Item::Trait(item) => (&item.vis, &item.ident),
                Item::Type(item) => (&item.vis, &item.ident),
                Item::Union(item) => (&item.vis, &item.ident),
                Item::Use(item) => {
                    if is_public(&item.vis) {
                        list_uses(&item.tree, &mut Vec::new(), &mut module.uses);
                    }
                    continue;
                }
                Item::Mod(item) => {
                    let name = item.ident.to_string();
                    let inner = folder.join(&name);
                    let content = match &item.content {
                        Some((_, items)) => Self::read(items.clone(), &inner),
                        None => Self::read_file(&module_file(folder, &name), &inner),
                    };
                    module.modules.insert(name, (is_public(&item.vis), content));
                    continue;
                }
                _ => continue,
            };
            if is_public(visibility) {
                module.types.push(name.to_string());
            }
        }
        module
    }

    fn read_file(file: &Path, folder: &Path) -> Self {
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Self::read(parsed.items, folder)
    }

    /// Returns the module at a path, which may be private.
    fn descend(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |module, name| Some(&module.modules.get(name)?.1))
    }

    /// Adds the paths of the types that can be named through the module at `path`. `self` is the
    /// crate.
    fn list_types(&self, path: &[String], types: &mut BTreeSet<Vec<String>>) {
        let module = self.descend(path).expect("a module of the crate");
        for name in &module.types {
            types.insert([path, std::slice::from_ref(name)].concat());
        }
        for (name, (is_public, _)) in &module.modules {
            if *is_public {
                self.list_types(&[path, std::slice::from_ref(name)].concat(), types);
            }
        }
        for used in &module.uses {
            let used = resolve(used, path);
            let (name, parent) = used.split_last().expect("a path");
            // A path that does not lead to a module of this crate leads to another crate.
            let Some(inside) = self.descend(parent) else { continue };
            if name == "*" {
                self.list_types(parent, types);
            } else if inside.types.contains(name) {
                types.insert(used);
            } else if inside.modules.contains_key(name) {
                self.list_types(&used, types);
            }
        }
    }
}

/// Returns the file of a module that is declared in `folder`.
fn module_file(folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(format!("{name}.rs"));
    if file.exists() { file } else { folder.join(name).join("mod.rs") }
}

/// Lists the paths of a `use` declaration.
fn list_uses(tree: &UseTree, path: &mut Vec<String>, uses: &mut Vec<Vec<String>>) {
    let with = |path: &[String], name: String| [path, &[name]].concat();
    match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            list_uses(&tree.tree, path, uses);
            path.pop();
        }
        UseTree::Group(tree) => {
            for tree in &tree.items {
                list_uses(tree, path, uses);
            }
        }
        UseTree::Name(tree) => uses.push(with(path, tree.ident.to_string())),
        // The new name is a further name of a type that is counted at its definition.
        UseTree::Rename(tree) => uses.push(with(path, tree.ident.to_string())),
        UseTree::Glob(_) => uses.push(with(path, "*".into())),
    }
}

/// Returns a path of a `use` declaration in the module `current`, from the root of the crate.
fn resolve(used: &[String], current: &[String]) -> Vec<String> {
    match used.split_first() {
        Some((first, rest)) if first == "crate" => rest.to_vec(),
        Some((first, rest)) if first == "self" => [current, rest].concat(),
        Some((first, rest)) if first == "super" => {
            resolve(rest, current.split_last().expect("a parent").1)
        }
        _ => [current, used].concat(),
    }
}

/// The public types of all libraries: their names, with the paths of their definitions.
static PUBLIC_TYPES: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(list_public_types);

fn list_public_types() -> BTreeMap<String, Vec<String>> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in root().join("crates").read_dir().expect("the crates") {
        let folder = entry.expect("an entry").path();
        let source = folder.join("src");
        if !source.join("lib.rs").exists() {
            continue;
        }
        let library = Module::read_file(&source.join("lib.rs"), &source);
        let mut types = BTreeSet::new();
        library.list_types(&[], &mut types);
        let crate_name = folder.file_name().expect("a name").to_string_lossy().replace('-', "_");
        for path in types {
            let name = path.last().expect("a name").clone();
            names.entry(name).or_default().push(format!("{crate_name}::{}", path.join("::")));
        }
    }
    names
}

#[test]
fn public_types_have_names_of_their_own() {
    let names = &*PUBLIC_TYPES;
    let is_shared = |name: &str, paths: &[String]| {
        SHARED.iter().any(|(shared, _)| *shared == name)
            || paths.iter().all(|path| LAYERS.iter().any(|layer| path.starts_with(layer)))
    };
    let repeated: Vec<String> = names
        .iter()
        .filter(|(name, paths)| paths.len() > 1 && !is_shared(name, paths))
        .map(|(name, paths)| format!("{name}: {}", paths.join(", ")))
        .collect();
    assert!(repeated.is_empty(), "several types of one name:\n{}", repeated.join("\n"));
    for (name, _) in SHARED {
        assert!(names.get(*name).is_some_and(|paths| paths.len() > 1), "{name} is not shared");
    }
}

#[test]
fn public_types_are_found_in_modules_and_reexports() {
    let names = &*PUBLIC_TYPES;
    let contains = |path: &str| names.values().flatten().any(|known| known == path);
    // These types are in a public module, re-exported from a private one, or re-exported by a glob
    // from a generated one.
    assert!(contains("vac::search::Search"));
    assert!(contains("vac_sign::key::PublicKey"));
    assert!(contains("vac_record::generated::types::MessageEntry"));
    // A re-export is not a definition, and a private module is not listed.
    assert!(names.get("PublicKey").is_none_or(|paths| paths.len() <= 1));
    assert!(!contains("vac_codegen::model::Body"));
}
