//! The content of `command_center.toml`: utterances that a Command Center would hear.

use super::lists::WordList;

/// The words about utterances that are judged before a Command Center hears them.
#[derive(Debug)]
pub struct CommandCenterWords {
    /// Whole utterances that take back a call by name, with `{name}` for the name of the assistant.
    pub dismissals: WordList,
    /// Words that may follow them, besides polite words.
    pub closings: WordList,
    /// Words that a recogniser may write small at the beginning of a whole sentence.
    pub small_openers: WordList,
    /// Words that make a request one that is not to be done.
    pub negations: WordList,
    /// Phrases that look like negations and are none.
    pub harmless_negations: WordList,
    /// Beginnings of questions, besides the question words.
    pub questions: WordList,
    /// Question words in one word with a verb: "what's".
    pub question_forms: WordList,
    /// Orders about something that runs already.
    pub other_orders: WordList,
    /// The words of a request for a timer.
    pub timer: SpokenTimerWords,
}

/// The words of a request for a timer in free words.
#[derive(Debug)]
pub struct SpokenTimerWords {
    /// One of them has to be said.
    pub triggers: WordList,
    /// Words for more than one timer.
    pub plurals: WordList,
    /// Words for one more timer, behind a duration.
    pub more: WordList,
    /// Words that count two, besides the number.
    pub two: WordList,
    /// Short words for minutes, besides the names of measures.
    pub minutes: WordList,
    /// Words between the two numbers of a range.
    pub range_signs: WordList,
    /// Words before a range.
    pub range_openers: WordList,
    /// Words behind a duration that is counted from something else, or runs already.
    pub relations: WordList,
    /// Words that make it something else than one timer.
    pub conditions: WordList,
    /// The question words that may stand before a duration.
    pub when: WordList,
    /// Words that say nothing about what a timer is for.
    pub fillers: WordList,
}
