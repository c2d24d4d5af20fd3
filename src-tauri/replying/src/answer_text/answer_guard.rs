//! Judges the sentences of a model's answer before anything of them is shown or spoken.
//!
//! Withheld are values of live topics that no source gave, claims of things that no tool did, and claims to be a person.
//! Left out are repetitions of the question, sentences of our own prompts, and talk of a tool whose result can be said.
//! A beginning that passes over that result, or that answered another question, waits for a sentence that does not.
//! What is said in place of a withheld sentence is decided by the caller. No model and no I/O in here.

mod earlier_answers;
mod read_results;

use languages::messages::in_each_language;
use languages::{LanguageData, LiveTopic, WorldAction, folded, folded_words};
use llm::Message;
use tools::is_told_to_models;

use self::earlier_answers::{answers_to_other_questions, repeats};
use crate::answer_text::answer_patterns::patterns_of;
use crate::answer_text::sentences::sentences;
use crate::prompting::prompts::is_of_a_prompt;

/// The fewest words of a question whose repetition is no answer: "good morning" is answered with the same.
const MIN_ECHO: usize = 3;

/// The guard of one reply.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnswerGuard {
    /// The languages in which answers are read.
    languages: Vec<&'static LanguageData>,
    /// The words of the question.
    question: Vec<String>,
    /// The topic about which nothing may be said before a source has answered.
    live: Option<LiveTopic>,
    /// Claims are judged.
    judges_claims: bool,
    /// The request asks for what is so, which may be remembered; it gives no order.
    asks_for_facts: bool,
    /// The successful calls of the reply.
    done: Vec<DoneCall>,
    /// A call failed, too.
    has_failed: bool,
    /// The sentences of the dialogue that answered other questions, as folded words.
    other_answers: Vec<Vec<String>>,
}

/// A successful call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DoneCall {
    /// The name of the tool.
    pub tool: String,
    /// It changed something.
    pub changed: bool,
    /// The actions in the world that its tool is for.
    pub actions: Vec<WorldAction>,
    /// Its result, if it can be said as it is, so that an answer need not speak of the tool.
    pub quotable: Option<String>,
    /// The tool is a source of the topic of the request.
    pub is_source: bool,
}

/// The verdict on a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is said.
    Release,
    /// It is left out: it says nothing.
    Omit,
    /// It is said before the next sentence that is released. Without one it is left out, and the results of the tools are said.
    Hold,
    /// It is not said, and nothing behind it.
    Withhold(Untrue),
}

/// The reason why an answer is not true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untrue {
    /// No source has told what it says about this topic.
    NotLookedUp(LiveTopic),
    /// It claims what was not done: an action in the world, or a change of what Jarvis keeps.
    NotDone(Option<WorldAction>),
    /// It claims to be a person.
    NoPerson,
}

impl AnswerGuard {
    /// A guard for answers to `question` in these languages.
    pub fn new(question: &str, languages: Vec<&'static LanguageData>) -> Self {
        Self { languages, question: folded_words(question), ..Self::default() }
    }

    /// A guard that also withholds what no source has told about this topic.
    pub fn with_topic(self, live: Option<LiveTopic>) -> Self {
        Self { live, ..self }
    }

    /// A guard that also judges claims, or does not.
    pub fn judging_claims(self, judges_claims: bool) -> Self {
        Self { judges_claims, ..self }
    }

    /// A guard of a request that asks for what is so, or gives an order.
    pub fn asking_for_facts(self, asks_for_facts: bool) -> Self {
        Self { asks_for_facts, ..self }
    }

    /// A guard that leaves out an answer that is nothing but what answered other questions of the dialogue.
    pub fn with_dialogue(self, dialogue: &[Message], question: &str) -> Self {
        let other_answers = match self.languages.first() {
            Some(data) => answers_to_other_questions(dialogue, question, data),
            None => Vec::new(),
        };
        Self { other_answers, ..self }
    }

    /// `true` if all of the answer is what answered another question.
    pub fn repeats_dialogue(&self, answer: &str) -> bool {
        let sentences = sentences(answer);
        !sentences.is_empty() && sentences.iter().all(|sentence| self.answered_another(sentence))
    }

    fn answered_another(&self, sentence: &str) -> bool {
        let words = folded_words(sentence);
        self.other_answers.iter().any(|other| repeats(&words, other))
    }

    /// Lets an answer say what answered other questions: the model does not see them.
    pub fn forget_dialogue(&mut self) {
        self.other_answers.clear();
    }

    /// Notes a successful call.
    pub fn note(&mut self, call: DoneCall) {
        self.done.push(call);
    }

    /// Notes a call that failed: an answer may speak of that alone.
    pub fn note_failure(&mut self) {
        self.has_failed = true;
    }

    /// The topic that no source has told of yet.
    pub fn open_topic(&self) -> Option<LiveTopic> {
        self.live.filter(|_| !self.done.iter().any(|call| call.is_source))
    }

    /// Judges the first sentence that would be shown. One that passes over what the tools have read waits for another one.
    pub fn judge_first(&self, sentence: &str) -> Verdict {
        match self.judge(sentence) {
            Verdict::Release if self.passes_over_results(sentence) || self.answered_another(sentence) => {
                Verdict::Hold
            }
            verdict => verdict,
        }
    }

    /// `true` if all that was done was to read what can be said as it is, and the sentence has nothing of it. A text that the
    /// user wants written begins as it likes.
    fn passes_over_results(&self, sentence: &str) -> bool {
        if self.has_failed || !self.judges_claims {
            return false;
        }
        let read = self.done.iter().map(|call| call.quotable.as_deref().filter(|_| !call.changed));
        let Some(read) = read.collect::<Option<Vec<_>>>() else { return false };
        read_results::passes_over(sentence, &read.join("\n"), &self.question, &self.languages)
    }

    /// Judges a sentence.
    pub fn judge(&self, sentence: &str) -> Verdict {
        let words = folded_words(sentence);
        if words.is_empty() {
            return Verdict::Release;
        }
        let is_for_models = is_of_a_prompt(&words) || is_told_to_models(sentence);
        let says_nothing = self.is_echo(&words) || self.is_empty(&words) || self.is_untranslated(&words);
        if is_for_models || is_acknowledgement(&words) || says_nothing {
            return Verdict::Omit;
        }
        if self.done.iter().any(|call| call.quotable.is_some()) && self.speaks_of_a_tool(sentence, &words) {
            return Verdict::Omit;
        }
        if let Some(topic) = self.open_topic()
            && !self.asks_back(sentence, &words)
        {
            return Verdict::Withhold(Untrue::NotLookedUp(topic));
        }
        if self.claims_to_be_a_person(&words) {
            return Verdict::Withhold(Untrue::NoPerson);
        }
        match self.false_claim(&words) {
            Some(action) => Verdict::Withhold(Untrue::NotDone(action)),
            None => Verdict::Release,
        }
    }

    fn is_echo(&self, words: &[String]) -> bool {
        words.len() >= MIN_ECHO && words == self.question
    }

    /// `true` if the question asks for a text in another language, which it names last, and these are its own words. One word may
    /// be the same in both.
    fn is_untranslated(&self, words: &[String]) -> bool {
        let Some((last, before)) = self.question.split_last() else { return false };
        let names_other = |data: &LanguageData| {
            let names = data.requests.iter().flat_map(|table| table.language_names.iter());
            let others = names.filter(|(_, code)| *code != data.code);
            others.flat_map(|(names, _)| names.split('|')).any(|name| last.starts_with(&folded(name.trim())))
        };
        let asks_for_text = |data: &'static LanguageData| {
            patterns_of(data).is_some_and(|patterns| patterns.texts.anywhere(&self.question).is_some())
        };
        words.len() > 1
            && before.windows(words.len()).any(|part| part == words)
            && self.languages.iter().any(|data| asks_for_text(data) && names_other(data))
    }

    fn is_empty(&self, words: &[String]) -> bool {
        let mut patterns = self.languages.iter().filter_map(|data| patterns_of(data));
        patterns.any(|patterns| patterns.empty.whole(words).is_some())
    }

    /// `true` for "The tool returned data: …", and for a tool by the name that models call it by: a small model says it in place
    /// of the result.
    fn speaks_of_a_tool(&self, sentence: &str, words: &[String]) -> bool {
        if self.done.iter().any(|call| is_identifier(&call.tool) && sentence.contains(&call.tool)) {
            return true;
        }
        let mut patterns = self.languages.iter().filter_map(|data| patterns_of(data));
        patterns.any(|patterns| patterns.tool_talk.beginning(words).is_some())
    }

    /// `true` for a question of ours without a value: "Which town?"
    fn asks_back(&self, sentence: &str, words: &[String]) -> bool {
        let is_question_word = |word: &String| {
            self.languages
                .iter()
                .any(|data| data.question_words.iter().any(|known| folded_words(known).first() == Some(word)))
        };
        sentence.trim_end().ends_with(['?', '？'])
            && !sentence.chars().any(char::is_numeric)
            && words.iter().any(is_question_word)
    }

    /// The action that the sentence claims though no tool did it. The outer `None`: it claims nothing of the kind.
    fn false_claim(&self, words: &[String]) -> Option<Option<WorldAction>> {
        if !self.judges_claims {
            return None;
        }
        self.languages.iter().filter_map(|data| patterns_of(data)).find_map(|patterns| {
            let of_state = || patterns.states.anywhere(words).filter(|_| !self.asks_for_facts);
            let claim = patterns.claims.anywhere(words).or_else(of_state)?;
            if patterns.not_claims.anywhere(words).is_some() {
                return None;
            }
            let thing = claim.thing.flatten();
            (!self.has_done(thing)).then_some(thing)
        })
    }

    fn claims_to_be_a_person(&self, words: &[String]) -> bool {
        let mut patterns = self.languages.iter().filter_map(|data| patterns_of(data));
        self.judges_claims && patterns.any(|patterns| patterns.persons.anywhere(words).is_some())
    }

    fn has_done(&self, thing: Option<WorldAction>) -> bool {
        self.done.iter().any(|call| match thing {
            Some(action) => call.actions.contains(&action),
            None => call.changed,
        })
    }
}

/// Returns `true` for our own sentence that something is kept: a small model repeats it if nothing was.
fn is_acknowledgement(words: &[String]) -> bool {
    in_each_language::REPLY_TOLD_NOTED.iter().any(|sentence| folded_words(sentence) == words)
}

/// Returns `true` for a name that is no word of a language: `readInbox`, `desk__busTimes`.
fn is_identifier(name: &str) -> bool {
    name.contains('_') || name.chars().skip(1).any(char::is_uppercase)
}

#[cfg(test)]
mod tests;
