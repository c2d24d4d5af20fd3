//! Which file uses an item of which other file.
//!
//! An arrow leads to the file that *defines* the item, however it was re-exported. `mod` lines and re-exports are no
//! arrows, and names that cannot be found in the crate belong to others.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprPath, ImplItem, Item, ItemUse, Macro, PatIdent, VisRestricted};

use super::modules::{LeafName, Modules, Target, attributes, is_reexport, is_test_only, leaves};

/// For each file the files it uses, each with one of the items used.
pub(super) type Arrows = BTreeMap<PathBuf, BTreeMap<PathBuf, String>>;

/// All arrows of a crate.
pub(super) fn arrows(modules: &Modules) -> Arrows {
    let mut arrows = Arrows::new();
    for (scope, module) in modules.iter() {
        let variables = variables_of(&module.items);
        let used = arrows.entry(module.file.clone()).or_default();
        let mut uses = Uses { modules, scope, file: &module.file, variables, used };
        module.items.iter().for_each(|item| uses.visit_item(item));
    }
    arrows
}

/// Collects what the items of one module use.
struct Uses<'a> {
    modules: &'a Modules,
    scope: &'a [String],
    file: &'a Path,
    /// A variable may have the name of a function that is imported.
    variables: HashSet<String>,
    used: &'a mut BTreeMap<PathBuf, String>,
}

impl Uses<'_> {
    fn add(&mut self, path: &[String]) {
        if let Some(Target::Item { file, name }) = self.modules.resolve(self.scope, path) {
            self.add_file(&file, &name);
        }
    }

    fn add_file(&mut self, file: &Path, item: &str) {
        if file != self.file {
            self.used.entry(file.to_owned()).or_insert_with(|| item.to_owned());
        }
    }

    /// Paths in what a macro is given: it need not be Rust, so only what looks like a type, a call or a longer path counts.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_colon =
            |place: usize| matches!(tokens.get(place), Some(TokenTree::Punct(p)) if p.as_char() == ':');
        let mut place = 0;
        while let Some(token) = tokens.get(place) {
            place += 1;
            match token {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Ident(first) => {
                    let before = place.checked_sub(2).map(|before| &tokens[before]);
                    let is_field = matches!(before, Some(TokenTree::Punct(p)) if p.as_char() == '.');
                    let mut path = vec![first.to_string()];
                    while is_colon(place) && is_colon(place + 1) {
                        let Some(TokenTree::Ident(next)) = tokens.get(place + 2) else { break };
                        path.push(next.to_string());
                        place += 3;
                    }
                    let is_called = match tokens.get(place) {
                        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
                        Some(TokenTree::Punct(p)) => p.as_char() == '!',
                        _ => false,
                    };
                    let is_type = path[0].starts_with(char::is_uppercase);
                    if !is_field && (path.len() > 1 || is_type || is_called) {
                        self.add(&path);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let is_test = matches!(item, ImplItem::Fn(function) if is_test_only(&function.attrs));
        if !is_test {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if is_reexport(item) {
            return;
        }
        for leaf in leaves(item).iter().filter(|leaf| leaf.name != LeafName::Glob) {
            self.add(&leaf.path);
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        if let Expr::Path(ExprPath { path, qself: None, .. }) = expression
            && path.get_ident().is_some_and(|ident| self.variables.contains(&ident.to_string()))
        {
            return;
        }
        visit::visit_expr(self, expression);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.add(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        if let Some(name) = called.path.get_ident().map(ToString::to_string)
            && let Some(file) = self.modules.macro_above(self.scope, &name).map(Path::to_path_buf)
        {
            self.add_file(&file, &name);
        }
        self.visit_path(&called.path);
        self.add_tokens(called.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}

fn variables_of(items: &[Item]) -> HashSet<String> {
    struct Variables(HashSet<String>);
    impl<'ast> Visit<'ast> for Variables {
        fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
            self.0.insert(pattern.ident.to_string());
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut variables = Variables(HashSet::new());
    items.iter().for_each(|item| variables.visit_item(item));
    variables.0
}
