//! Ingredients by their names.

use vocabulary::Language;

use crate::normalisation::folded_words;
use crate::tables::IngredientNames;

/// The id of the ingredient that a text names in this language or in English: `flour` for "Mehl". Of several, the first one
/// of `INGREDIENTS`: "rice flour" is flour.
pub fn ingredient(text: &str, language: Option<&Language>) -> Option<&'static str> {
    let text = folded_words(text);
    let codes = language.map(Language::code).into_iter().chain(["en"]);
    let names = codes.filter_map(|code| crate::of_code(code)?.ingredients.as_ref()).collect::<Vec<_>>();
    let is_named = |id: &&str| names.iter().any(|names| names.of(id).any(|name| has_name(&text, name)));
    crate::INGREDIENTS.into_iter().find(is_named)
}

fn has_name(text: &[String], name: &str) -> bool {
    let name = folded_words(name);
    !name.is_empty() && text.windows(name.len()).any(|words| words == name)
}

impl IngredientNames {
    fn of(&self, id: &str) -> impl Iterator<Item = &'static str> {
        let names = self.names.iter().find(|(known, _)| *known == id).map_or("", |(_, names)| *names);
        names.split('|')
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english("en", "all-purpose flour", Some("flour"))]
    #[case::of_two("en", "rice flour", Some("flour"))]
    #[case::german("de", "Weizenmehl", Some("flour"))]
    #[case::english_to_a_german("de", "brown sugar", Some("sugar"))]
    #[case::french("fr", "flocons d’avoine", Some("oats"))]
    #[case::without_accents("es", "azucar moreno", Some("sugar"))]
    #[case::turkish("tr", "sıvı yağ", Some("oil"))]
    #[case::of_another_language("fr", "un peu", None)]
    #[case::part_of_a_word("es", "salsa", None)]
    #[case::unknown("en", "cement", None)]
    #[case::nothing("en", "", None)]
    fn ingredient_is_recognised_by_its_name(
        #[case] code: &str,
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(ingredient(text, Language::new(code).as_ref()), expected);
    }

    #[test]
    fn language_with_measures_has_ingredients() {
        for data in crate::all() {
            assert_eq!(data.ingredients.is_some(), data.measures.is_some(), "{}", data.code);
        }
    }
}
