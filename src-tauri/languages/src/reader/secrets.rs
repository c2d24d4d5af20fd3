//! The words that announce a secret, a part of `words.toml`.

use super::section::Section;
use crate::tables::SecretWords;

/// The words of a language.
pub(super) fn read(mut section: Section<'_>) -> SecretWords {
    let words = SecretWords {
        password: section.phrases("password"),
        key: section.optional_phrases("key"),
        card_check: section.optional_phrases("card_check"),
        pin: section.phrases("pin"),
        code: section.phrases("code"),
        compound_endings: section.optional_words("compound_endings"),
        short_copulas: section.optional_words("short_copulas"),
        key_copula: section.optional_text("key_copula"),
        copulas: section.words("copulas"),
        fillers: section.optional_words("fillers"),
        nouns_before_value: section.optional_words("nouns_before_value"),
        determiners: section.words("determiners"),
        prepositions: section.optional_words("prepositions"),
        clause_openers: section.optional_words("clause_openers"),
        pronouns: section.optional_words("pronouns"),
        pronouns_with_is: section.optional_words("pronouns_with_is"),
        adjectives: section.optional_words("adjectives"),
        changing_verbs: section.optional_words("changing_verbs"),
        target_prepositions: section.optional_words("target_prepositions"),
        harmless_qualifiers: section.optional_words("harmless_qualifiers"),
        units: section.words("units"),
        unit_beginnings: section.optional_words("unit_beginnings"),
        sentence_tags: section.optional_words("sentence_tags"),
        spelling_words: section.optional_words("spelling_words"),
        conjunctions: section.words("conjunctions"),
        continuations: section.words("continuations"),
        adjective_endings: section.optional_words("adjective_endings"),
        participle_beginnings: section.optional_words("participle_beginnings"),
        participle_endings: section.optional_words("participle_endings"),
        digit_words: section.optional_words("digit_words"),
        ten_words: section.optional_words("ten_words"),
    };
    section.finish();
    words
}
