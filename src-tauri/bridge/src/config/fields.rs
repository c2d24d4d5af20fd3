//! The members of an object of the file, taken one by one; what is left is reported.

use serde_json::{Map, Value};

use super::report::ConfigReport;

/// The members of an object that were not taken yet.
pub(super) struct Fields<'r> {
    members: Map<String, Value>,
    /// The place of the object, with a full stop behind it.
    place: String,
    report: &'r mut ConfigReport,
}

impl<'r> Fields<'r> {
    pub(super) fn new(
        members: Map<String, Value>,
        place: impl Into<String>,
        report: &'r mut ConfigReport,
    ) -> Self {
        Self { members, place: place.into(), report }
    }

    /// Reports what nobody took.
    pub(super) fn finish(self) {
        let Self { members, place, report } = self;
        report.ignored.extend(members.keys().map(|key| format!("{place}{key}")));
    }

    /// An object; an empty one if it is missing.
    pub(super) fn object(&mut self, key: &str) -> Map<String, Value> {
        self.take(key, "an object", |value| value.as_object().cloned()).unwrap_or_default()
    }

    /// A text with words. A blank one is as good as none.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        if self.members.get(key).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty()) {
            self.members.shift_remove(key);
        }
        self.text_as(key, "a text", |text| Some(text.to_owned()))
    }

    /// A text that means something.
    pub(super) fn text_as<T>(&mut self, key: &str, expected: &str, read: fn(&str) -> Option<T>) -> Option<T> {
        self.take(key, expected, |value| value.as_str().and_then(read))
    }

    /// A number that fits.
    pub(super) fn number(&mut self, key: &str, expected: &str, fits: fn(f64) -> bool) -> Option<f64> {
        self.take(key, expected, |value| value.as_f64().filter(|number| fits(*number)))
    }

    /// A whole number. A fraction of zero is none.
    pub(super) fn integer(&mut self, key: &str) -> Option<i64> {
        let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64);
        self.take(key, "a whole number", |value| value.as_i64().or_else(|| value.as_f64().and_then(whole)))
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        self.take(key, "true or false", Value::as_bool)
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        self.take(key, "a list of texts", |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        })
    }

    /// An object of texts.
    pub(super) fn texts_by_name(&mut self, key: &str) -> Option<std::collections::BTreeMap<String, String>> {
        self.take(key, "an object of texts", |value| {
            let members = value.as_object()?.iter();
            members.map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned()))).collect()
        })
    }

    /// The number of problems of the whole file so far.
    pub(super) fn problems(&self) -> usize {
        self.report.problems.len()
    }

    /// Reports a problem of this object.
    pub(super) fn problem(&mut self, text: String) {
        self.report.problems.push(text);
    }

    /// Takes a member out. Null is as good as missing.
    fn take<T>(&mut self, key: &str, expected: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
        let value = self.members.shift_remove(key).filter(|value| !value.is_null())?;
        let read = read(&value);
        if read.is_none() {
            self.report.problems.push(format!("{}{key} must be {expected}.", self.place));
        }
        read
    }
}
