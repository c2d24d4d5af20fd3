//! The words around a secret, in `words.toml`.

use super::lists::WordList;

/// The words around a secret that is said: "my password is hunter2". In small letters, as they are said.
#[derive(Debug)]
pub struct SecretWords {
    /// Labels of passwords. In a label a blank may be missing or a hyphen, and capitals count as such.
    pub password: WordList,
    /// Labels of keys and tokens for programs.
    pub key: WordList,
    /// Labels of the check number of a card, also called security code.
    pub card_check: WordList,
    /// Labels of personal numbers.
    pub pin: WordList,
    /// Labels of codes, which have many other meanings.
    pub code: WordList,
    /// Labels with this ending may end a longer word.
    pub compound_endings: WordList,
    /// "is" in one word with its label.
    pub short_copulas: WordList,
    /// "is" behind the label of a key.
    pub key_copula: Option<&'static str>,
    /// Words between a label and its value.
    pub copulas: WordList,
    /// Words between "is" and the value.
    pub fillers: WordList,
    /// Nouns which, behind an article or alone, stand before the value: "the password is the word …".
    pub nouns_before_value: WordList,
    /// Articles and possessives.
    pub determiners: WordList,
    /// Words that may follow a label and lead to "is": "the code for the door is …".
    pub prepositions: WordList,
    /// Words that open a clause about the label: "the code they sent me is …".
    pub clause_openers: WordList,
    /// Pronouns for the label: "remember my PIN, it is …".
    pub pronouns: WordList,
    /// Pronouns and "is" in one word.
    pub pronouns_with_is: WordList,
    /// Adjectives, nouns and possessives that follow a label: "le code secret est …".
    pub adjectives: WordList,
    /// Words before "to" and a new value.
    pub changing_verbs: WordList,
    /// "to" before a new value.
    pub target_prepositions: WordList,
    /// Words beside "code" that make it something else than a secret, and compounds that are none: "felkod".
    pub harmless_qualifiers: WordList,
    /// Things that numbers count. A number before one of these is no secret.
    pub units: WordList,
    /// The same, before an ending: "12-stelliges".
    pub unit_beginnings: WordList,
    /// Words that are added to the end of a sentence, besides polite words.
    pub sentence_tags: WordList,
    /// Words that are said while a secret is spelled.
    pub spelling_words: WordList,
    /// "and" before the next clause.
    pub conjunctions: WordList,
    /// Words that often follow "the password is" and are no password.
    pub continuations: WordList,
    /// Endings of adjectives and participles.
    pub adjective_endings: WordList,
    /// Beginnings of participles: "verschlüsselt".
    pub participle_beginnings: WordList,
    /// Their endings.
    pub participle_endings: WordList,
    /// Words for a digit, besides the numbers.
    pub digit_words: WordList,
    /// Words for two digits within a number.
    pub ten_words: WordList,
}
