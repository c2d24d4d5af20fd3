//! Makes `messages.rs`: the files of messages, and a function for each message of the English one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use fluent_syntax::ast;

/// The file of a language in its folder.
const FILE: &str = "messages.ftl";

/// The language whose messages the functions are made of. It stands in for messages that others lack.
const ENGLISH: &str = "en";

/// Writes `messages.rs` into the folder of generated code.
pub fn generate() {
    let data = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("data");
    let files = files(&data);
    let english = std::fs::read_to_string(&files[ENGLISH]).expect("English has messages");
    let english = fluent_syntax::parser::parse(english.as_str()).unwrap_or_else(|(_, errors)| {
        panic!("{}: {errors:?}", files[ENGLISH].display());
    });
    let messages = Messages::of(&english);
    let code = [list_of(&files), messages.functions(), messages.ids(), messages.texts(&files)].concat();
    let target = Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets it")).join("messages.rs");
    std::fs::write(target, code).expect("the folder of generated code can be written to");
}

/// The files by the codes of their languages.
fn files(data: &Path) -> BTreeMap<String, PathBuf> {
    let folders = std::fs::read_dir(data).expect("the folder of the languages is there");
    folders
        .map(|folder| folder.expect("a folder can be read").path())
        .filter_map(|folder| {
            let code = folder.file_name()?.to_str()?.to_owned();
            Some((code, folder.join(FILE))).filter(|(_, file)| file.is_file())
        })
        .collect()
}

/// `FILES`, English first.
fn list_of(files: &BTreeMap<String, PathBuf>) -> String {
    let mut list = format!("static FILES: [File; {}] = [\n", files.len());
    let others = files.iter().filter(|(code, _)| *code != ENGLISH);
    for (code, _) in files.get_key_value(ENGLISH).into_iter().chain(others) {
        // Relative to the package: checkouts may share one folder of built files.
        let source =
            format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/data/{code}/messages.ftl\"))");
        let _ = writeln!(list, "    File {{ code: {code:?}, source: {source} }},");
    }
    list + "];\n\n"
}

/// The messages of English by their ids.
struct Messages<'a>(BTreeMap<&'a str, &'a ast::Message<&'a str>>);

/// A value that the caller of a message fills in.
#[derive(Clone, PartialEq)]
struct Placeholder<'a> {
    name: &'a str,
    /// `true` if it chooses between plurals.
    is_number: bool,
}

impl<'a> Messages<'a> {
    fn of(resource: &'a ast::Resource<&'a str>) -> Self {
        let messages = resource.body.iter().filter_map(|entry| match entry {
            ast::Entry::Message(message) => Some((message.id.name, message)),
            _ => None,
        });
        Self(messages.collect())
    }

    /// The functions of `Messages`.
    fn functions(&self) -> String {
        let mut code = "impl Messages {\n".to_owned();
        for (id, message) in &self.0 {
            let name = id.replace('-', "_");
            let placeholders = self.placeholders(message);
            let _ = writeln!(code, "    /// The message `{id}`.");
            for line in message.comment.iter().flat_map(|comment| &comment.content) {
                let _ = writeln!(code, "    ///\n    /// {line}");
            }
            let _ = if placeholders.is_empty() {
                writeln!(code, "    pub fn {name}(&'static self) -> &'static str {{ self.text({id:?}) }}\n")
            } else {
                let parameters = placeholders
                    .iter()
                    .map(|it| format!(", {}: {}", it.name, if it.is_number { "i64" } else { "&str" }));
                let values = placeholders.iter().map(|it| format!("({0:?}, {0}.into())", it.name));
                writeln!(
                    code,
                    "    pub fn {name}(&self{}) -> String {{ self.filled({id:?}, [{}]) }}\n",
                    parameters.collect::<String>(),
                    values.collect::<Vec<_>>().join(", ")
                )
            };
        }
        code + "}\n\n"
    }

    /// The module `id`.
    fn ids(&self) -> String {
        let mut code = "/// The ids of the messages.\npub mod id {\n    use super::MessageId;\n\n".to_owned();
        for id in self.0.keys() {
            let name = id.replace('-', "_").to_uppercase();
            let _ = writeln!(code, "    /// `{id}`\n    pub const {name}: MessageId = MessageId({id:?});");
        }
        code + "}\n"
    }

    /// The module `in_each_language`: texts without placeholders.
    fn texts(&self, files: &BTreeMap<String, PathBuf>) -> String {
        let mut code = "/// Messages without placeholders, in each language that has them. Nothing is parsed for them.\n".to_owned();
        code += "pub mod in_each_language {\n";
        let sources = files.values().map(|path| std::fs::read_to_string(path).expect("a file can be read"));
        let sources: Vec<String> = sources.collect();
        // A test reports what cannot be read.
        let resources: Vec<_> = sources
            .iter()
            .map(|source| fluent_syntax::parser::parse(source.as_str()).unwrap_or_else(|(read, _)| read))
            .collect();
        let languages: Vec<Messages<'_>> = resources.iter().map(Messages::of).collect();
        for (id, _) in self.0.iter().filter(|(_, message)| self.placeholders(message).is_empty()) {
            let name = id.replace('-', "_").to_uppercase();
            let texts: Vec<&str> = languages.iter().filter_map(|language| language.text(id)).collect();
            let _ = writeln!(code, "    /// `{id}`\n    pub static {name}: &[&str] = &{texts:?};");
        }
        code + "}\n"
    }

    /// A message that is text alone.
    fn text(&self, id: &str) -> Option<&'a str> {
        match self.0.get(id)?.value.as_ref()?.elements.as_slice() {
            [ast::PatternElement::TextElement { value }] => Some(value),
            _ => None,
        }
    }

    /// The placeholders of a message and of the messages it contains, by their names: a text that is reworded keeps its
    /// function.
    fn placeholders(&self, message: &ast::Message<&'a str>) -> Vec<Placeholder<'a>> {
        let mut placeholders = Vec::new();
        if let Some(pattern) = &message.value {
            self.collect(pattern, &mut placeholders);
        }
        placeholders.sort_by_key(|it| it.name);
        placeholders
    }

    fn collect(&self, pattern: &ast::Pattern<&'a str>, found: &mut Vec<Placeholder<'a>>) {
        for element in &pattern.elements {
            let ast::PatternElement::Placeable { expression } = element else { continue };
            match expression {
                ast::Expression::Inline(inline) => self.collect_inline(inline, false, found),
                ast::Expression::Select { selector, variants } => {
                    self.collect_inline(selector, counts(variants), found);
                    for variant in variants {
                        self.collect(&variant.value, found);
                    }
                }
            }
        }
    }

    fn collect_inline(
        &self,
        inline: &ast::InlineExpression<&'a str>,
        is_number: bool,
        found: &mut Vec<Placeholder<'a>>,
    ) {
        match inline {
            ast::InlineExpression::VariableReference { id } => {
                match found.iter_mut().find(|it| it.name == id.name) {
                    Some(known) => known.is_number |= is_number,
                    None => found.push(Placeholder { name: id.name, is_number }),
                }
            }
            ast::InlineExpression::MessageReference { id, .. } => {
                let pattern = self.0.get(id.name).and_then(|message| message.value.as_ref());
                self.collect(pattern.expect("a message of the file"), found);
            }
            _ => {}
        }
    }
}

/// Returns `true` if the variants are plurals or numbers.
fn counts(variants: &[ast::Variant<&str>]) -> bool {
    let plurals = BTreeSet::from(["zero", "one", "two", "few", "many"]);
    variants.iter().any(|variant| match &variant.key {
        ast::VariantKey::Identifier { name } => plurals.contains(name),
        ast::VariantKey::NumberLiteral { .. } => true,
    })
}
