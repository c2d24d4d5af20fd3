//! The docs of items: a doc begins with a noun or a verb, says more than the name, and "if" for a condition.

use std::path::Path;

use anyhow::Context;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta};

/// Words with which no doc begins: a reader has to turn the sentence round to find its subject.
const QUESTION_WORDS: [&str; 5] = ["What", "Whether", "How", "Where", "Who"];

/// Words that speak of a condition as of a place.
const CONDITIONS_AS_PLACES: [&str; 9] = [
    "`none` where",
    "empty where",
    "nothing where",
    "0 where",
    "only where",
    "where that is known",
    "where there is",
    "where there are",
    "where none",
];

/// Words that add nothing to a name.
const FILLERS: [&str; 6] = ["a", "an", "the", "of", "its", "this"];

/// Docs in one file that break a rule, one sentence each.
///
/// Fields of arguments whose schema a model reads are left out: their docs are prompts.
///
/// # Errors
///
/// The file cannot be parsed.
pub(super) fn violations(file: &Path, text: &str) -> anyhow::Result<Vec<String>> {
    let parsed = syn::parse_file(text).with_context(|| format!("parsing {}", file.display()))?;
    let mut docs = Docs { file, violations: Vec::new() };
    docs.check(&parsed.attrs, None);
    docs.visit_file(&parsed);
    Ok(docs.violations)
}

/// Walks through the items of a file.
struct Docs<'f> {
    file: &'f Path,
    violations: Vec<String>,
}

impl Docs<'_> {
    fn check(&mut self, attributes: &[Attribute], name: Option<&Ident>) {
        let Some(first) = first_line(attributes) else { return };
        let file = self.file.display();
        let word = first.split_whitespace().next().unwrap_or_default();
        if QUESTION_WORDS.contains(&word) {
            self.violations.push(format!("{file}: begin this doc with a noun or a verb: {first:?}"));
        }
        let text = format!(" {} ", whole_text(attributes).to_lowercase());
        if CONDITIONS_AS_PLACES.iter().any(|words| text.contains(&format!(" {words} "))) {
            self.violations.push(format!("{file}: say \"if\" for a condition, not \"where\": {first:?}"));
        }
        if name.is_some_and(|name| words_of_text(&first) == words_of_name(&name.to_string())) {
            self.violations.push(format!("{file}: this doc only repeats the name: {first:?}"));
        }
    }
}

impl<'ast> Visit<'ast> for Docs<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes: &[Attribute] = match item {
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Enum(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Static(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Type(item) => &item.attrs,
            _ => &[],
        };
        let name = match item {
            syn::Item::Const(item) => Some(&item.ident),
            syn::Item::Enum(item) => Some(&item.ident),
            syn::Item::Fn(item) => Some(&item.sig.ident),
            syn::Item::Static(item) => Some(&item.ident),
            syn::Item::Struct(item) => Some(&item.ident),
            syn::Item::Trait(item) => Some(&item.ident),
            syn::Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        self.check(attributes, name);
        if !is_read_by_models(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.check(&field.attrs, field.ident.as_ref());
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.check(&variant.attrs, Some(&variant.ident));
        visit::visit_variant(self, variant);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.check(&function.attrs, Some(&function.sig.ident));
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.check(&function.attrs, Some(&function.sig.ident));
        visit::visit_trait_item_fn(self, function);
    }
}

/// The first line of a doc comment; `None` without one.
fn first_line(attributes: &[Attribute]) -> Option<String> {
    lines(attributes).next()
}

/// A doc comment on one line.
fn whole_text(attributes: &[Attribute]) -> String {
    lines(attributes).collect::<Vec<_>>().join(" ")
}

/// The lines of a doc comment.
fn lines(attributes: &[Attribute]) -> impl Iterator<Item = String> {
    attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    })
}

/// Returns `true` if the item derives `JsonSchema`.
fn is_read_by_models(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("derive") => list.tokens.to_string().contains("JsonSchema"),
        _ => false,
    })
}

/// The words of a text in lower case, without fillers and signs.
fn words_of_text(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).filter(|word| !FILLERS.contains(&&word[..])).collect()
}

/// The words of a name in lower case: of `SpeechQueue` and of `speech_queue`, "speech" and "queue".
fn words_of_name(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && !before.is_uppercase() {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().expect("it is never empty").extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty() && !FILLERS.contains(&&word[..]));
    words
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::question_about_a_field("struct A { /// How long to wait.\n patience: u8 }", "a noun or a verb")]
    #[case::question_about_a_function("/// Whether it is open.\nfn is_open() {}", "a noun or a verb")]
    #[case::question_about_a_module("//! What doors show.\n", "a noun or a verb")]
    #[case::condition("/// Its tokens; `None` where\n/// it tells none.\nfn tokens() {}", "say \"if\"")]
    #[case::name_of_a_type("/// The speech queue.\nstruct SpeechQueue;", "only repeats")]
    #[case::name_of_a_function("trait A { /// Opens.\n fn opens(); }", "only repeats")]
    fn bad_docs_are_found(#[case] source: &str, #[case] expected: &str) {
        let found = violations(Path::new("a.rs"), source).unwrap();

        assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
    }

    #[rstest]
    #[case::noun("/// Time limit of a question.\nconst LIMIT: u8 = 1;")]
    #[case::verb("/// Returns `true` if it is open.\nfn is_open() {}")]
    #[case::place("/// Folder where the files are.\nconst FOLDER: u8 = 1;")]
    #[case::no_doc("fn however() {}")]
    #[case::question_for_a_model("#[derive(JsonSchema)] struct A { /// What to search.\n query: u8 }")]
    fn other_docs_are_not(#[case] source: &str) {
        assert_eq!(violations(Path::new("a.rs"), source).unwrap(), Vec::<String>::new());
    }
}
