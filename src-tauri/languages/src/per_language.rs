//! Values that are made of the tables of one language.

use std::sync::OnceLock;

use crate::data::{ALL, ALL_COUNT};
use crate::tables::LanguageData;

/// A value for each language, made when it is first needed: who speaks one language does not pay for the others.
pub struct PerLanguage<T> {
    make: fn(&'static LanguageData) -> T,
    made: [OnceLock<T>; ALL_COUNT],
}

impl<T> PerLanguage<T> {
    /// Nothing is made yet.
    pub const fn new(make: fn(&'static LanguageData) -> T) -> Self {
        Self { make, made: [const { OnceLock::new() }; ALL_COUNT] }
    }

    /// The value of a language.
    pub fn get(&self, data: &'static LanguageData) -> &T {
        self.made[data.index].get_or_init(|| (self.make)(data))
    }

    /// The codes of the languages whose value was made.
    pub fn made_for(&self) -> Vec<&'static str> {
        ALL.iter().filter(|data| self.made[data.index].get().is_some()).map(|data| data.code).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_value_of_the_asked_language_is_made() {
        let names = PerLanguage::new(|data| data.own_name.to_uppercase());
        let german = crate::of_code("de").unwrap();

        let name = names.get(german);

        assert_eq!((name.as_str(), names.made_for()), ("DEUTSCH", vec!["de"]));
    }
}
