//! The content of `answers.toml`: patterns about answers.

use super::lists::{List, WordList};
use crate::answer_kinds::{DialogueQuestion, Introduction, LiveTopic, OwnFact, WorldAction};

/// The patterns of one language about answers, in the notation of `sequences`. Besides words there are `{any}` (some words
/// or none), `{name}`, `{date}` and `{several}` (some words, which are captured), `{noun}` (a word that is no function word), `{own}` (one or two of them,
/// which are captured), `{thing}`, `{done}`, `{present}`, `{favourite}`, `{relation}`, `{counted}`, `{profession}` and `{diet}` (see below), `{begin}` and `{end}`.
#[derive(Debug)]
pub struct AnswerTable {
    /// Beginnings of requests that say nothing: "could you".
    pub openers: List<&'static str>,
    /// Whole requests for something that only a source outside can tell, wherever the pattern stands in them.
    pub live: List<(LiveTopic, List<&'static str>)>,
    /// Words that make a question one for something live if it has a sign of the present. `|` stands between alternatives.
    pub topics: List<(LiveTopic, &'static str)>,
    /// `{present}`: signs that a question is about how something is now or on a certain day. `|` stands between alternatives.
    pub present: &'static str,
    /// Requests that only seem so: explanations, stories.
    pub not_live: List<&'static str>,
    /// Questions for general knowledge, which are live with a sign of the present only: definitions, history.
    pub timeless: List<&'static str>,
    /// Questions for how something is in a place, which nothing general outweighs.
    pub here: List<&'static str>,
    /// Words for where the user is: "here". `|` stands between alternatives.
    pub nearby: &'static str,
    /// Questions for the outcome of something, asked with a year.
    pub outcomes: List<&'static str>,
    /// Whole requests to do something in the world.
    pub actions: List<(WorldAction, List<&'static str>)>,
    /// Whole requests that only seem so.
    pub not_actions: List<&'static str>,
    /// Words in declarations of tools that do something in the world.
    pub action_words: List<(WorldAction, &'static str)>,
    /// Words in declarations of tools that are sources of a topic.
    pub source_words: List<(LiveTopic, &'static str)>,
    /// `{thing}`: things that are set, sent or switched; `None` for those that Jarvis keeps itself. `|` stands between
    /// alternatives.
    pub things: List<(Option<WorldAction>, &'static str)>,
    /// `{done}`: participles such as "set" and "sent".
    pub done: &'static str,
    /// Claims that something was done, wherever the pattern stands in a sentence.
    pub claims: List<&'static str>,
    /// Claims that something is so, wherever the pattern stands in a sentence: "your flight is booked". They may be remembered.
    pub states: List<&'static str>,
    /// Sentences that only seem so.
    pub not_claims: List<&'static str>,
    /// Requests for a text of any content: a story, a translation.
    pub texts: List<&'static str>,
    /// Claims of Jarvis to be a person, wherever the pattern stands in a sentence.
    pub persons: List<&'static str>,
    /// Orders to an assistant in text from outside, wherever the pattern stands in a sentence: "ignore all previous
    /// instructions".
    pub orders: List<&'static str>,
    /// Whom such an order is for, before a colon or a comma: "note to the AI".
    pub order_addresses: List<&'static str>,
    /// Beginnings of sentences that speak of a tool instead of its result: "The tool returned".
    pub tool_talk: List<&'static str>,
    /// Stands before what is to be remembered: "remember that".
    pub to_remember: List<&'static str>,
    /// Said by a request that may be answered with the same sentence again: "another one".
    pub again: List<&'static str>,
    /// Whole sentences without content: "The answer is".
    pub empty: List<&'static str>,
    /// Whole statements that introduce the user.
    pub introductions: List<(Introduction, List<&'static str>)>,
    /// Whole introductions by a greeting and a name, which is one word with a capital: "hello, I am {name}". A `{name}` before it is
    /// whom the user greets. Empty if there are none.
    pub greeted_names: List<&'static str>,
    /// Words that are no name there, though they may have a capital: "German".
    pub no_greeted_names: WordList,
    /// Words that are no part of a name: "later".
    pub not_names: WordList,
    /// States and events, which are no value of what somebody likes most: "closed".
    pub passing: WordList,
    /// Words for what is liked or disliked only just now, or is of this conversation: "I don't like this answer". Those with a hyphen
    /// between them stand side by side: "the-song".
    pub not_liked: WordList,
    /// Whole statements about something that the user has at a `{date}`, which is `{own}`: "I have a meeting at three". Empty if
    /// there are none.
    pub appointments: List<&'static str>,
    /// `true` if a participle may end a statement of what the user has done: "ich habe um zwölf ein Brot gegessen".
    pub participle_last: bool,
    /// Nouns of what is no appointment, whenever it is: "time", "alarm".
    pub not_appointments: WordList,
    /// Things and values for which that does not hold: "hobby" ("is playing cards").
    pub lasting: WordList,
    /// Whole questions for what was introduced.
    pub questions: List<(Introduction, List<&'static str>)>,
    /// Whole statements about the user, or about a person or a thing of theirs, which is `{own}`, `{relation}`, `{favourite}` or `{counted}`: "my
    /// sister is called {name}". Empty if there are none.
    pub own_facts: List<(OwnFact, List<&'static str>)>,
    /// Whole questions for what such statements told.
    pub own_questions: List<(OwnFact, List<&'static str>)>,
    /// `{favourite}`: words that say in one that something is liked most. `|` stands between alternatives.
    pub favourites: &'static str,
    /// `{relation}`: people and animals of the user, in languages in which the ending of the word says whose they are. `|` stands
    /// between alternatives.
    pub relations: &'static str,
    /// `{counted}`: people and animals whose number is told. `|` stands between alternatives.
    pub counted: &'static str,
    /// `{profession}`: what somebody is by their work. `|` stands between alternatives.
    pub professions: &'static str,
    /// `{diet}`: what somebody is by what they eat. `|` stands between alternatives.
    pub diets: &'static str,
    /// Whole questions about what was said in this conversation. Empty if there are none.
    pub dialogue_questions: List<(DialogueQuestion, List<&'static str>)>,
    /// Whole requests to spell `{name}`. Empty if there are none.
    pub spelling: List<&'static str>,
}
