//! The content of a language's files: plain values, so that the build script can make them from the files and write
//! them down as constants.

// The build script includes this file from another folder.
#[path = "tables/lists.rs"]
mod lists; // the kinds of lists in all of them
#[path = "tables/numbers.rs"]
mod numbers;
#[path = "tables/secrets.rs"]
mod secrets;
#[path = "tables/narration.rs"]
mod narration;
#[path = "tables/dates.rs"]
mod dates;
#[path = "tables/requests.rs"]
mod requests;
#[path = "tables/answers.rs"]
mod answers;
#[path = "tables/command_center.rs"]
mod command_center;

pub use answers::AnswerTable;
pub use command_center::{CommandCenterWords, SpokenTimerWords};
pub use dates::{DateMeaning, DateTable, TimeUnit};
pub(crate) use lists::Separator;
pub use lists::{List, WordList};
pub use narration::NarrationWords;
pub use numbers::NumberComposition;
pub(crate) use numbers::Tens;
pub use requests::{ClockMeaning, PlaceInList, RequestMeaning, RequestTable};
pub use secrets::SecretWords;

/// The words of one language. All of them are in the form of `normalised`, except abbreviations, which keep their full
/// stops.
#[derive(Debug)]
pub struct LanguageData {
    /// The place in the list of all languages.
    pub(crate) index: usize,
    /// ISO 639-1.
    pub code: &'static str,
    /// As prompts name it.
    pub english_name: &'static str,
    /// As its speakers name it.
    pub own_name: &'static str,
    /// Its code in the data of Tesseract, which reads text in pictures, such as `deu`.
    pub ocr_code: &'static str,
    /// The way that words are separated.
    pub writing: Writing,
    /// The place of the question word.
    pub word_order: WordOrder,
    /// The id of the recommended voice in the catalogue of models; `None` if the catalogue has none.
    pub default_voice: Option<&'static str>,
    /// Lower-case letters and signs besides a to z, or those that distinguish it from languages in the same script. Empty
    /// if the script identifies the language.
    pub letters: &'static str,
    /// Endings of its words that few other languages have. Empty as above.
    pub endings: WordList,
    /// Articles, pronouns, prepositions, conjunctions, auxiliaries. Question words and possessives count too: ask
    /// `is_function_word`.
    pub function_words: WordList,
    /// "what", "where"
    pub question_words: WordList,
    /// Of the first person: "my", "our". Empty if they are endings of nouns.
    pub possessives: WordList,
    /// Words between a thing and its owner: "of".
    pub of_owner: WordList,
    /// Words that end no sentence. Where the language has no spaces they are endings of the text.
    pub continuation_words: WordList,
    /// Between two requests in one sentence: "and". Empty if conjunctions are parts of words.
    pub conjunctions: WordList,
    /// "uh", "um"
    pub fillers: WordList,
    /// Whole answers that mean yes.
    pub yes: WordList,
    /// Whole answers that mean no.
    pub no: WordList,
    /// Whole commands to stop speaking. Some mean something else inside a sentence: Spanish "para", Turkish "dur".
    pub stop_words: WordList,
    /// Those of them that are no command inside a sentence, if they are in the settings too: "it was quiet".
    pub lone_stop_words: WordList,
    /// Whole requests to undo the newest change, in a language without a table of requests.
    pub undo_requests: WordList,
    /// "please", "thanks"
    pub polite_words: WordList,
    /// Words before a name that call somebody.
    pub greetings: WordList,
    /// Beginnings of requests: "can you", "remind me". In languages with the verb at the end, their ends.
    pub request_openers: WordList,
    /// Phrases that ask for what was said or done before, or whether it is remembered.
    pub looking_back: WordList,
    /// Phrases that point to what was said before, by whomever: "about that", "what do you think".
    pub pointing_words: WordList,
    /// Words that follow a name that is talked about, not called.
    pub said_of_others: WordList,
    /// Phrases that ask for advice or permission.
    pub advice: WordList,
    /// A natural sentence about the assistant, with `{name}` for its name and `|` before what identifies a repetition of
    /// it: "The assistant |is called {name}."
    pub name_sentence: Option<&'static str>,
    /// Whole texts that recognisers write over noise and music: "Thank you for watching".
    pub invented_over_noise: WordList,
    /// The words for 0 to 31, `|` between alternatives: ask `number_words`.
    pub numbers: [&'static str; 32],
    /// The words for 40, 50, 60, 70, 80, 90 and 100, `|` between alternatives.
    pub tens: [&'static str; 7],
    /// Endings of digits that count in order: "st", "nd".
    pub ordinal_endings: WordList,
    /// The rules for larger numbers; `None` if we cannot read them.
    pub number_composition: Option<NumberComposition>,
    /// The names of the units of measure; `None` if we have none.
    pub measures: Option<MeasureNames>,
    /// The names of ingredients; `None` if we have none.
    pub ingredients: Option<IngredientNames>,
    /// Characters that end a sentence.
    pub sentence_ends: &'static str,
    /// Abbreviations whose full stop ends no sentence, with it.
    pub abbreviations: WordList,
    /// Abbreviations only before a number: "no." is the end of a sentence elsewhere.
    pub abbreviations_before_numbers: WordList,
    /// "3. Mai": a full stop behind a number makes it an ordinal.
    pub has_ordinals_with_full_stop: bool,
    /// The words that announce a secret; `None` if we do not know them.
    pub secrets: Option<SecretWords>,
    /// The words for tools of other programs; `None` if we have none.
    pub tool_words: Option<ToolWords>,
    /// The words of models about a conversation; `None` if we have none.
    pub narration: Option<NarrationWords>,
    /// Its expressions of time; `None` if we have none.
    pub dates: Option<DateTable>,
    /// Its requests that are answered without a model; `None` if we have none.
    pub requests: Option<RequestTable>,
    /// Its patterns about answers; `None` if we have none.
    pub answers: Option<AnswerTable>,
    /// Its words about utterances that a Command Center would hear; `None` if we have none.
    pub command_center: Option<CommandCenterWords>,
}

/// The way that words are separated in writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Words stand between spaces.
    Spaced,
    /// Words stand between spaces, with particles attached to their end: a phrase matches the beginning of a word.
    SpacedWithParticles,
    /// No spaces: a phrase matches anywhere.
    Unspaced,
}

/// The place of the question word in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordOrder {
    /// Near the beginning: "where is my key".
    QuestionWordFirst,
    /// The place of the answer: "my key where is".
    QuestionWordInPlace,
}

/// The names of the units in one language.
#[derive(Debug)]
pub struct MeasureNames {
    /// For each id of `MEASURES` the singular, the plural, and other names, with `|` between them.
    pub(crate) names: List<(&'static str, &'static str)>,
}

/// The names of ingredients in one language.
#[derive(Debug)]
pub struct IngredientNames {
    /// For each id of `INGREDIENTS` its names, with `|` between them.
    pub(crate) names: List<(&'static str, &'static str)>,
}

/// The words by which requests name tools of other programs.
#[derive(Debug)]
pub struct ToolWords {
    /// The phrases for each tool, by its name.
    pub tools: List<(&'static str, WordList)>,
    /// Words before what is not wanted, in the same clause: "don't", "without".
    pub negations: WordList,
    /// Phrases that begin like a negation and are none: "don't you".
    pub no_negations: WordList,
    /// Words that begin another clause: "but".
    pub clause_openers: WordList,
    /// Endings that make no other word of a noun or a verb: "images", "searches".
    pub endings: WordList,
}

/// A language without a folder of its own.
#[derive(Debug)]
pub struct OtherLanguage {
    /// ISO 639-1.
    pub(crate) code: &'static str,
    /// Words that keep a text of it from being taken for a language that resembles it. Empty if none does.
    pub(crate) frequent_words: WordList,
    /// Between two requests in one sentence.
    pub(crate) conjunctions: WordList,
}
