//! One file of messages against the English one.

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Message, Pattern, PatternElement, VariantKey};
use fluent_syntax::parser::parse;
use icu_locale_core::Locale;
use icu_plurals::{PluralCategory, PluralRules, PluralRulesOptions};

/// A file of messages.
pub struct MessageFile<'a> {
    code: &'a str,
    source: &'a str,
    messages: BTreeMap<&'a str, Message<&'a str>>,
}

/// The placeholders of a message, and the keys of what they choose between.
#[derive(Default, PartialEq)]
struct Shape<'a> {
    placeholders: BTreeSet<&'a str>,
    keys: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> MessageFile<'a> {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The mistakes in its syntax.
    pub fn read(code: &'a str, source: &'a str) -> Result<Self, Vec<String>> {
        let resource = parse(source).map_err(|(_, errors)| {
            let lines = errors.iter().map(|error| {
                let line = source[..error.pos.start].lines().count().max(1);
                format!("{code}/messages.ftl:{line}: {}", error.kind)
            });
            lines.collect::<Vec<_>>()
        })?;
        let messages = resource.body.into_iter().filter_map(|entry| match entry {
            Entry::Message(message) => Some((message.id.name, message)),
            _ => None,
        });
        Ok(Self { code, source, messages: messages.collect() })
    }

    /// Each message that does not go with the English one.
    pub fn faults(&self, english: &MessageFile<'_>) -> Vec<String> {
        let faults = self.messages.iter().flat_map(|(id, message)| {
            let found = match english.messages.get(id) {
                Some(model) => {
                    self.compare(&shape(message, &self.messages), &shape(model, &english.messages))
                }
                None => vec!["English has no such message".to_owned()],
            };
            let place = self.place_of(id);
            found.into_iter().map(move |fault| format!("{place}: {id}: {fault}"))
        });
        faults.collect()
    }

    fn compare(&self, own: &Shape<'_>, model: &Shape<'_>) -> Vec<String> {
        let mut faults = Vec::new();
        if own.placeholders != model.placeholders {
            faults.push(format!("has {:?} instead of {:?}", own.placeholders, model.placeholders));
        }
        let categories = plural_categories(self.code);
        for (selector, keys) in &own.keys {
            let model = model.keys.get(selector).cloned().unwrap_or_default();
            let is_plural = !model.is_empty() && model.iter().all(|key| is_plural_or_number(key));
            let allowed = |key: &String| match is_plural || model.is_empty() {
                true => categories.contains(key) || key.parse::<f64>().is_ok(),
                false => model.contains(key),
            };
            faults.extend(keys.iter().filter(|key| !allowed(key)).map(|key| format!("[{key}] is no case")));
            let chooses_by_plural = keys.iter().any(|key| key != "other" && is_plural_category(key));
            let needed = if is_plural && chooses_by_plural { &categories } else { &BTreeSet::new() };
            faults.extend(needed.difference(keys).map(|key| format!("[{key}] is missing")));
        }
        faults
    }

    /// The file and the line of a message.
    fn place_of(&self, id: &str) -> String {
        let is_it = |line: &str| line.strip_prefix(id).is_some_and(|rest| rest.trim_start().starts_with('='));
        let line = self.source.lines().position(is_it).map_or(0, |at| at + 1);
        format!("{}/messages.ftl:{line}", self.code)
    }
}

/// The plural categories of whole numbers up to a thousand: messages count nothing larger.
fn plural_categories(code: &str) -> BTreeSet<String> {
    let locale: Locale = code.parse().expect("folders are named after languages");
    let rules = PluralRules::try_new(locale.into(), PluralRulesOptions::default()).unwrap();
    (0..=1000_u32)
        .map(|number| name(rules.category_for(number)).to_owned())
        .chain(["other".to_owned()])
        .collect()
}

fn name(category: PluralCategory) -> &'static str {
    match category {
        PluralCategory::Zero => "zero",
        PluralCategory::One => "one",
        PluralCategory::Two => "two",
        PluralCategory::Few => "few",
        PluralCategory::Many => "many",
        PluralCategory::Other => "other",
    }
}

fn is_plural_category(key: &str) -> bool {
    ["zero", "one", "two", "few", "many", "other"].contains(&key)
}

fn is_plural_or_number(key: &str) -> bool {
    is_plural_category(key) || key.parse::<f64>().is_ok()
}

fn shape<'a>(message: &Message<&'a str>, messages: &BTreeMap<&'a str, Message<&'a str>>) -> Shape<'a> {
    let mut shape = Shape::default();
    if let Some(pattern) = &message.value {
        collect(pattern, messages, &mut shape);
    }
    shape
}

fn collect<'a>(
    pattern: &Pattern<&'a str>,
    messages: &BTreeMap<&'a str, Message<&'a str>>,
    shape: &mut Shape<'a>,
) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else { continue };
        let (Expression::Inline(inline) | Expression::Select { selector: inline, .. }) = expression;
        match inline {
            InlineExpression::VariableReference { id } => {
                shape.placeholders.insert(id.name);
            }
            InlineExpression::MessageReference { id, .. } => {
                let named = messages.get(id.name).and_then(|message| message.value.as_ref());
                collect(named.unwrap_or_else(|| panic!("{} is missing", id.name)), messages, shape);
            }
            _ => {}
        }
        let Expression::Select { selector: InlineExpression::VariableReference { id }, variants } =
            expression
        else {
            continue;
        };
        for variant in variants {
            let (VariantKey::Identifier { name: key } | VariantKey::NumberLiteral { value: key }) =
                variant.key;
            shape.keys.entry(id.name).or_default().insert(key.to_owned());
            collect(&variant.value, messages, shape);
        }
    }
}
