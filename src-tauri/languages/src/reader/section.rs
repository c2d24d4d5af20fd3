//! A table of a file, whose fields are taken one by one; what is left at the end is unknown.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Mistake, Mistakes, SourceFile};
use crate::tables::{Separator, WordList};

/// A value with its place in the file.
#[derive(Clone)]
pub(super) struct Field<'a> {
    pub(super) at: usize,
    value: DeValue<'a>,
}

/// A table of a file.
pub(super) struct Section<'a> {
    file: &'a SourceFile,
    mistakes: &'a Mistakes,
    /// The beginning of the table, for fields that are missing.
    at: usize,
    fields: BTreeMap<String, (usize, Field<'a>)>,
    /// `false` for a file that is not TOML: then nothing is missing.
    is_readable: bool,
}

impl<'a> Section<'a> {
    pub(super) fn from_file(file: &'a SourceFile, mistakes: &'a Mistakes) -> Self {
        let mut section = Self { file, mistakes, at: 0, fields: BTreeMap::new(), is_readable: true };
        match DeTable::parse(&file.text) {
            Ok(table) => section.fields = fields_of(table.into_inner()),
            Err(error) => {
                let at = error.span().map_or(0, |span: Range<usize>| span.start);
                section.mistake(at, error.message().trim());
                section.is_readable = false;
            }
        }
        section
    }

    pub(super) fn mistake(&self, at: usize, message: impl Into<String>) {
        let line = self.file.text[..at.min(self.file.text.len())].matches('\n').count() + 1;
        let mistake = Mistake { file: self.file.path.clone(), line, message: message.into() };
        self.mistakes.borrow_mut().push(mistake);
    }

    /// A mistake about the section as a whole.
    pub(super) fn lacks(&self, what: &str) {
        self.mistake(self.at, format!("{what} is missing"));
    }

    pub(super) fn optional(&mut self, name: &str) -> Option<Field<'a>> {
        self.fields.remove(name).map(|(_, field)| field)
    }

    fn required(&mut self, name: &str) -> Option<Field<'a>> {
        let field = self.optional(name);
        if field.is_none() && self.is_readable {
            self.lacks(name);
        }
        field
    }

    /// The text of a field; empty after a mistake.
    pub(super) fn text(&mut self, name: &str) -> &'static str {
        let field = self.required(name);
        field.and_then(|field| self.text_of(name, &field)).unwrap_or_default()
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Option<&'static str> {
        let field = self.optional(name)?;
        self.text_of(name, &field)
    }

    pub(super) fn text_of(&self, name: &str, field: &Field<'_>) -> Option<&'static str> {
        match &field.value {
            DeValue::String(text) => Some(text.clone().into_owned().leak()),
            other => {
                self.mistake(field.at, format!("{name} is {}, not a text", article(other)));
                None
            }
        }
    }

    /// One of the named choices; the first one after a mistake.
    pub(super) fn choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> T {
        let Some(field) = self.required(name) else { return choices[0].1 };
        let text = self.text_of(name, &field).unwrap_or_default();
        choices.iter().find(|(known, _)| *known == text).map_or_else(
            || {
                let known: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
                self.mistake(field.at, format!("{name} is {text:?}, not one of {}", known.join(", ")));
                choices[0].1
            },
            |(_, choice)| *choice,
        )
    }

    /// `true` or `false`; `false` if it is missing.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        let Some(field) = self.optional(name) else { return false };
        match field.value {
            DeValue::Boolean(flag) => flag,
            other => {
                self.mistake(field.at, format!("{name} is {}, not true or false", article(&other)));
                false
            }
        }
    }

    /// Single words, separated by white space.
    pub(super) fn words(&mut self, name: &str) -> WordList {
        self.list(name, Separator::WhiteSpace)
    }

    /// Phrases, separated by `|`.
    pub(super) fn phrases(&mut self, name: &str) -> WordList {
        self.list(name, Separator::Bar)
    }

    fn list(&mut self, name: &str, separator: Separator) -> WordList {
        WordList { text: tidied(self.text(name)).leak(), separator }
    }

    /// A list that may be missing.
    pub(super) fn optional_words(&mut self, name: &str) -> WordList {
        let text = self.optional_text(name).map(tidied).unwrap_or_default();
        WordList { text: text.leak(), separator: Separator::WhiteSpace }
    }

    /// The same, of phrases.
    pub(super) fn optional_phrases(&mut self, name: &str) -> WordList {
        WordList { separator: Separator::Bar, ..self.optional_words(name) }
    }

    /// The phrases of each field that was not taken yet, with its name, in the order of the file.
    pub(super) fn all_phrases(&mut self) -> Vec<(&'static str, WordList)> {
        let fields = self.rest();
        let phrases = |(_, name, field): &(usize, String, Field<'a>)| {
            let text = tidied(self.text_of(name, field)?).leak();
            Some((&*name.clone().leak(), WordList { text, separator: Separator::Bar }))
        };
        fields.iter().filter_map(phrases).collect()
    }

    /// The texts of an array, each with its place.
    pub(super) fn texts(&mut self, name: &str) -> Vec<(usize, &'static str)> {
        let field = self.required(name);
        field.map(|field| self.texts_of(name, &field)).unwrap_or_default()
    }

    pub(super) fn texts_of(&self, name: &str, field: &Field<'_>) -> Vec<(usize, &'static str)> {
        let DeValue::Array(items) = &field.value else {
            self.mistake(field.at, format!("{name} is {}, not a list", article(&field.value)));
            return Vec::new();
        };
        let items = items.iter().map(|item| Field { at: item.span().start, value: item.get_ref().clone() });
        items.filter_map(|item| Some((item.at, self.text_of(name, &item)?))).collect()
    }

    /// An array of this many texts.
    pub(super) fn texts_exactly<const N: usize>(&mut self, name: &str) -> [&'static str; N] {
        let Some(field) = self.required(name) else { return [""; N] };
        let texts: Vec<&'static str> =
            self.texts_of(name, &field).into_iter().map(|(_, text)| text).collect();
        texts.try_into().unwrap_or_else(|texts: Vec<_>| {
            self.mistake(field.at, format!("{name} has {} entries, not {N}", texts.len()));
            [""; N]
        })
    }

    /// A table within this one; `None` if it is missing.
    pub(super) fn section(&mut self, name: &str) -> Option<Section<'a>> {
        let field = self.optional(name)?;
        self.section_of(name, field)
    }

    pub(super) fn section_of(&self, name: &str, field: Field<'a>) -> Option<Section<'a>> {
        match field.value {
            DeValue::Table(table) => Some(Section {
                file: self.file,
                mistakes: self.mistakes,
                at: field.at,
                fields: fields_of(table),
                is_readable: true,
            }),
            other => {
                self.mistake(field.at, format!("{name} is {}, not a table", article(&other)));
                None
            }
        }
    }

    /// All fields that were not taken yet, in the order of the file, each with the place of its name.
    pub(super) fn rest(&mut self) -> Vec<(usize, String, Field<'a>)> {
        let mut rest: Vec<_> = std::mem::take(&mut self.fields)
            .into_iter()
            .map(|(name, (at, field))| (at, name, field))
            .collect();
        rest.sort_by_key(|(at, ..)| *at);
        rest
    }

    /// Reports the fields that nobody took.
    pub(super) fn finish(mut self) {
        for (at, name, _) in self.rest() {
            self.mistake(at, format!("{name} is no field of this table"));
        }
    }
}

fn fields_of(table: DeTable<'_>) -> BTreeMap<String, (usize, Field<'_>)> {
    table
        .into_iter()
        .map(|(name, value)| {
            let (name_at, at) = (name.span().start, value.span().start);
            let field = Field { at, value: value.into_inner() };
            (Cow::into_owned(name.into_inner()), (name_at, field))
        })
        .collect()
}

fn article(value: &DeValue<'_>) -> String {
    match value.type_str() {
        kind @ ("array" | "integer") => format!("an {kind}"),
        kind => format!("a {kind}"),
    }
}

/// The text with one blank for each run of white space.
fn tidied(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
