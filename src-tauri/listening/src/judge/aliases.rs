//! The name in place of its misheard forms.

use regex::{NoExpand, RegexBuilder};

/// The text with `name` in place of each whole word that is an alias, in any case, the longest alias first.
pub fn with_name_for_aliases(text: &str, name: &str, aliases: &[String]) -> String {
    let mut aliases: Vec<&str> =
        aliases.iter().map(|alias| alias.trim()).filter(|alias| !alias.is_empty()).collect();
    aliases.sort_by_key(|alias| std::cmp::Reverse(alias.chars().count()));
    aliases.into_iter().fold(text.to_owned(), |text, alias| {
        let pattern = format!(r"\b{}\b", regex::escape(alias));
        match RegexBuilder::new(&pattern).case_insensitive(true).build() {
            Ok(alias) => alias.replace_all(&text, NoExpand(name)).into_owned(),
            // An alias that is too long for a pattern is no word that a recogniser writes.
            Err(_) => text,
        }
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::any_case("JERVIS, what did charis say?", "Jarvis, what did Jarvis say?")]
    #[case::two_words("hey jar is stop", "hey Jarvis stop")]
    #[case::longest_first("joris van jarl", "Jarvis")]
    #[case::part_of_a_word("charisma and jarlsberg", "charisma and jarlsberg")]
    #[case::possessive("jervis's hat", "Jarvis's hat")]
    #[case::name_stays("Jarvis", "Jarvis")]
    #[case::nothing("", "")]
    fn aliases_become_the_name(#[case] text: &str, #[case] expected: &str) {
        let aliases = ["jervis", "jarl", "joris van jarl", " ", "charis", "jar is"].map(str::to_owned);

        assert_eq!(with_name_for_aliases(text, "Jarvis", &aliases), expected);
    }
}
