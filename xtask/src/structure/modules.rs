//! The modules of a crate and the names in them, as far as needed to find where an item is defined.
//!
//! Tests do not count: whatever stands behind `#[cfg(test)]` is left out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use syn::visit::Visit;
use syn::{Attribute, Item, ItemUse, Meta, UseTree, Visibility};

/// The names from the root of the crate to a module; empty for the root.
pub(super) type ModulePath = Vec<String>;

/// Imports that lead to imports: longer chains are no chains but circles.
const LONGEST_CHAIN: usize = 32;

/// All modules of a crate.
pub(super) struct Modules(BTreeMap<ModulePath, Module>);

pub(super) struct Module {
    pub(super) file: PathBuf,
    /// Without modules and tests.
    pub(super) items: Vec<Item>,
    names: BTreeMap<String, Vec<Binding>>,
    globs: Vec<Vec<String>>,
}

/// The meaning of a name in a module.
enum Binding {
    Item,
    Module,
    Import(Vec<String>),
}

/// The place where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Item { file: PathBuf, name: String },
    Module(ModulePath),
}

impl Modules {
    /// Reads the crate with this root file.
    ///
    /// # Errors
    ///
    /// A file is missing or is no Rust.
    pub(super) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut modules = Self(BTreeMap::new());
        let folder = root.parent().unwrap_or(Path::new("."));
        modules.read_file(Vec::new(), root, folder)?;
        Ok(modules)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&ModulePath, &Module)> {
        self.0.iter()
    }

    fn read_file(&mut self, path: ModulePath, file: &Path, folder: &Path) -> anyhow::Result<()> {
        let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        let parsed = syn::parse_file(&text).with_context(|| format!("parsing {}", file.display()))?;
        self.read_module(path, file, folder, parsed.items)
    }

    /// `folder` holds the files of the child modules.
    fn read_module(
        &mut self,
        path: ModulePath,
        file: &Path,
        folder: &Path,
        items: Vec<Item>,
    ) -> anyhow::Result<()> {
        let mut module =
            Module { file: file.to_owned(), items: Vec::new(), names: BTreeMap::new(), globs: Vec::new() };
        for item in items.into_iter().filter(|item| !is_test_only(attributes(item))) {
            let Item::Mod(child) = item else {
                module.declare(&item);
                module.items.push(item);
                continue;
            };
            let name = child.ident.to_string();
            module.names.entry(name.clone()).or_default().push(Binding::Module);
            let child_path: ModulePath = path.iter().cloned().chain([name.clone()]).collect();
            if let Some((_, items)) = child.content {
                self.read_module(child_path, file, &folder.join(&name), items)?;
                continue;
            }
            let named =
                path_attribute(&child.attrs).map(|named| file.parent().unwrap_or(Path::new(".")).join(named));
            let candidates = [
                named.unwrap_or_else(|| folder.join(format!("{name}.rs"))),
                folder.join(&name).join("mod.rs"),
            ];
            let Some(child_file) = candidates.iter().find(|file| file.is_file()) else {
                bail!("{}: no file for the module {name}", file.display());
            };
            self.read_file(child_path, child_file, &folder.join(&name))?;
        }
        self.0.insert(path, module);
        Ok(())
    }

    /// The place where the path leads, written in the module `scope`. `None` when it leads out of the crate.
    pub(super) fn resolve(&self, scope: &[String], path: &[String]) -> Option<Target> {
        self.resolve_chain(scope, path, LONGEST_CHAIN)
    }

    fn resolve_chain(&self, scope: &[String], path: &[String], chain: usize) -> Option<Target> {
        let chain = chain.checked_sub(1)?;
        let mut at = scope.to_vec();
        let mut rest = path;
        while let [first, after @ ..] = rest {
            match first.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => _ = at.pop()?,
                _ => break,
            }
            rest = after;
        }
        while let [name, after @ ..] = rest {
            match self.look_up(&at, name, after.is_empty(), chain)? {
                Target::Module(path) => at = path,
                // A variant, a method, an associated type.
                item @ Target::Item { .. } => return Some(item),
            }
            rest = after;
        }
        Some(Target::Module(at))
    }

    fn look_up(&self, scope: &[String], name: &str, is_last: bool, chain: usize) -> Option<Target> {
        let module = self.0.get(scope)?;
        let mut targets: Vec<Target> = Vec::new();
        for binding in module.names.get(name).into_iter().flatten() {
            targets.extend(match binding {
                Binding::Item => Some(Target::Item { file: module.file.clone(), name: name.to_owned() }),
                Binding::Module => Some(Target::Module([scope, &[name.to_owned()]].concat())),
                Binding::Import(path) => self.resolve_chain(scope, path, chain),
            });
        }
        if targets.is_empty() && !module.names.contains_key(name) {
            let globs = module.globs.iter().filter_map(|path| self.resolve_chain(scope, path, chain));
            let found = globs.filter_map(|glob| match glob {
                Target::Module(path) if path != scope => {
                    self.look_up(&path, name, is_last, chain.checked_sub(1)?)
                }
                _ => None,
            });
            targets.extend(found);
        }
        // `split::split`: what other segments follow is a module, the last one an item.
        let wanted = targets.iter().position(|target| matches!(target, Target::Item { .. }) == is_last);
        (!targets.is_empty()).then(|| targets.swap_remove(wanted.unwrap_or_default()))
    }

    /// The file of the nearest `macro_rules!` of this name, which is visible below where it is written.
    pub(super) fn macro_above(&self, scope: &[String], name: &str) -> Option<&Path> {
        let mut scopes = (0..=scope.len()).rev().filter_map(|length| self.0.get(&scope[..length]));
        let defines = |module: &&Module| {
            module.items.iter().any(
                |item| matches!(item, Item::Macro(item) if item.ident.as_ref().is_some_and(|ident| ident == name)),
            )
        };
        scopes.find(defines).map(|module| module.file.as_path())
    }
}

impl Module {
    fn declare(&mut self, item: &Item) {
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Macro(item) => item.ident.as_ref(),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::TraitAlias(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        if let Some(name) = name {
            self.names.entry(name.to_string()).or_default().push(Binding::Item);
        }
        // Those inside of functions as well: their names hardly ever mean something else outside.
        self.visit_item(item);
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for leaf in leaves(item) {
            match leaf.name {
                LeafName::Glob => self.globs.push(leaf.path),
                LeafName::As(name) => self.names.entry(name).or_default().push(Binding::Import(leaf.path)),
                LeafName::Unnamed => {}
            }
        }
    }
}

/// One import of a `use` item.
pub(super) struct Leaf {
    pub(super) path: Vec<String>,
    pub(super) name: LeafName,
}

/// Under which name it is imported.
#[derive(PartialEq, Eq)]
pub(super) enum LeafName {
    As(String),
    /// `as _`.
    Unnamed,
    /// `*`.
    Glob,
}

/// The imports of a `use` item, without those of a path that begins with `::`.
pub(super) fn leaves(item: &ItemUse) -> Vec<Leaf> {
    let mut found = Vec::new();
    if item.leading_colon.is_none() {
        collect_leaves(&item.tree, &mut Vec::new(), &mut found);
    }
    found
}

fn collect_leaves(tree: &UseTree, before: &mut Vec<String>, found: &mut Vec<Leaf>) {
    let path_with = |before: &[String], ident: &syn::Ident| -> Vec<String> {
        let ident = (ident != "self" || before.is_empty()).then(|| ident.to_string());
        before.iter().cloned().chain(ident).collect()
    };
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            collect_leaves(&path.tree, before, found);
            before.pop();
        }
        UseTree::Name(name) => {
            let path = path_with(before, &name.ident);
            let last = path.last().cloned().unwrap_or_default();
            found.push(Leaf { path, name: LeafName::As(last) });
        }
        UseTree::Rename(rename) => {
            let name = match rename.rename == "_" {
                true => LeafName::Unnamed,
                false => LeafName::As(rename.rename.to_string()),
            };
            found.push(Leaf { path: path_with(before, &rename.ident), name });
        }
        UseTree::Glob(_) => found.push(Leaf { path: before.clone(), name: LeafName::Glob }),
        UseTree::Group(group) => group.items.iter().for_each(|tree| collect_leaves(tree, before, found)),
    }
}

/// A `use` that others can import from.
pub(super) fn is_reexport(item: &ItemUse) -> bool {
    !matches!(item.vis, Visibility::Inherited)
}

/// Is the item compiled for tests only?
pub(super) fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let condition = list.tokens.to_string();
        list.path.is_ident("cfg")
            && condition.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test")
            && !condition.contains("not")
            && !condition.contains("any")
    })
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// The attributes of any item.
pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
