//! The wake word. It is found in the recognised text, not in the sound.
//!
//! Source: docs/behaviour/listening.md#wake-word.

mod unspaced_text; // names that touch other words

use std::borrow::Cow;

use vocabulary::Language;

use crate::similarity::sequence_matcher_ratio;

/// Punctuation between the wake word and the rest of a sentence.
const SEPARATORS: [char; 14] = [',', '.', '!', '?', ';', ':', '，', '、', '。', '．', '！', '？', '；', '：'];
/// Those that end a sentence.
const SENTENCE_ENDS: [char; 7] = ['.', '!', '?', '。', '．', '！', '？'];
/// Those that stay when the wake word before them goes: "what time is it, Jarvis?" is still a question.
const KEPT_MARKS: [char; 4] = ['!', '?', '！', '？'];

/// The wake word, and other spellings of it by recognisers.
#[derive(Debug, Clone, PartialEq)]
pub struct WakeWord {
    /// The wake word, in lower case.
    name: String,
    /// The wake word and its aliases, in lower case, longest first.
    names: Vec<String>,
    fuzzy_ratio: f64,
}

impl WakeWord {
    /// Ignores blank aliases, because they would match every text. `fuzzy_ratio` is the least similarity, 0.0 to 1.0, of
    /// a misheard wake word.
    pub fn new(name: &str, aliases: &[String], fuzzy_ratio: f64) -> Self {
        let mut names: Vec<String> = std::iter::once(name)
            .chain(aliases.iter().map(String::as_str))
            .map(|name| name.trim().to_lowercase())
            .filter(|name| !name.is_empty())
            .collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.chars().count()));
        names.dedup();
        Self { name: name.trim().to_lowercase(), names, fuzzy_ratio }
    }

    /// The wake word itself, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The wake word with a capital, as it is written.
    pub fn display_name(&self) -> String {
        let mut letters = self.name.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }

    /// The wake word and its aliases, in lower case, longest first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns `true` if the wake word clearly calls us, and is not only talked about: it comes first, perhaps after a
    /// greeting, or punctuation sets it apart, or it stands within a request. Recognisers leave commas out.
    pub fn is_address_in(&self, text: &str, language: Option<&Language>) -> bool {
        let text = self.with_name_apart(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((from, to)) = self.find_exact(&words).or_else(|| self.find_similar(&words)) else {
            return false;
        };
        let is_set_apart = |word: &str| word.ends_with(|c: char| !c.is_alphanumeric());
        let is_first = from == 0 || from == 1 && languages::is_greeting(trim_punctuation(words[0]));
        let (before, after) = (&words[..from], &words[to..]);
        let begins_apart = is_first || before.last().is_some_and(|word| is_set_apart(word));
        let ends_apart = is_set_apart(words[to - 1]) && !after.is_empty();
        if begins_apart && (ends_apart || after.is_empty()) {
            return true;
        }
        let (before, after) = (before.join(" "), after.join(" "));
        let goes_on_with_request = languages::begins_request(&after, language);
        if is_first {
            let is_possessive = trim_punctuation(words[to - 1]).contains(['\'', '’']);
            return goes_on_with_request || !is_possessive && !languages::is_said_of_others(&after, language);
        }
        // "When does the train leave Jarvis", but not "who is Jarvis".
        let ends_request = after.is_empty()
            && !languages::is_function_word(before.split_whitespace().last().unwrap_or_default(), language);
        let is_within = begins_apart || ends_apart || ends_request || goes_on_with_request;
        is_within && languages::begins_request(&before, language)
    }

    /// Returns `true` if this lower-case text contains the wake word, an alias, or a word similar to one of them.
    pub fn is_in(&self, text_lower: &str) -> bool {
        self.name_in(text_lower).is_some()
    }

    /// The wake word or the alias that this lower-case text contains, exactly or as a similar word.
    pub fn name_in(&self, text_lower: &str) -> Option<&str> {
        let contained = self.names.iter().find(|name| text_lower.contains(name.as_str()));
        let similar =
            || text_lower.split_whitespace().find_map(|word| self.name_similar_to(trim_punctuation(word)));
        contained.map(String::as_str).or_else(similar)
    }

    /// The wake word that answers to these names: all of it where they are none, or contain the wake word itself; else the
    /// aliases among them. `None` if there is none of them.
    pub fn called(&self, names: &[String]) -> Option<Self> {
        let wanted: Vec<String> = names.iter().map(|name| name.trim().to_lowercase()).collect();
        if wanted.is_empty() || wanted.contains(&self.name) {
            return Some(self.clone());
        }
        let names: Vec<String> = self.names.iter().filter(|name| wanted.contains(name)).cloned().collect();
        let name = names.first()?.clone();
        Some(Self { name, names, fuzzy_ratio: self.fuzzy_ratio })
    }

    fn is_similar_to_name(&self, word: &str) -> bool {
        self.name_similar_to(word).is_some()
    }

    fn name_similar_to(&self, word: &str) -> Option<&str> {
        if word.is_empty() {
            return None;
        }
        // Of equals the last one counts, which is the wake word rather than an alias of its length.
        let ratios = self.names.iter().rev().map(|name| (sequence_matcher_ratio(word, name), name));
        let most_similar = ratios.max_by(|(one, _), (other, _)| one.total_cmp(other));
        most_similar.filter(|(ratio, _)| *ratio >= self.fuzzy_ratio).map(|(_, name)| name.as_str())
    }

    /// The text without the first wake word, a greeting before it, and the punctuation around it. Empty when nothing else
    /// was said.
    ///
    /// A second wake word behind other words stays, because then the user speaks *about* us.
    pub fn query_in(&self, text: &str) -> String {
        let text = self.with_name_apart(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        match self.find_exact(&words).or_else(|| self.find_similar(&words)) {
            Some(at) => rest_of_query(&words, at),
            None => text.trim().to_owned(),
        }
    }

    /// As [`WakeWord::query_in`], but a word that is only similar to the wake word stays.
    pub fn exact_query_in(&self, text: &str) -> String {
        let text = self.with_name_apart(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        self.find_exact(&words).map_or_else(|| text.trim().to_owned(), |at| rest_of_query(&words, at))
    }

    /// The text in which a name is a word of its own, also if it is written without spaces.
    fn with_name_apart<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let apart = unspaced_text::with_spaces_around_name(text, &self.names);
        apart.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// The range of the first exact wake word or alias, and of those that follow it at once.
    fn find_exact(&self, words: &[&str]) -> Option<(usize, usize)> {
        let stripped: Vec<String> = words.iter().map(|word| trim_punctuation(word).to_lowercase()).collect();
        let end_of_name_at = |from: usize| {
            self.names.iter().find_map(|name| {
                let to = from + name.split_whitespace().count();
                let matches = stripped.get(from..to).is_some_and(|run| run.join(" ") == *name);
                matches.then_some(to)
            })
        };
        let (from, mut to) = (0..words.len()).find_map(|from| end_of_name_at(from).map(|to| (from, to)))?;
        while let Some(end_of_next) = end_of_name_at(to) {
            to = end_of_next;
        }
        Some((from, to))
    }

    /// The range of the first word that is similar to the wake word.
    fn find_similar(&self, words: &[&str]) -> Option<(usize, usize)> {
        let is_similar = |word: &&str| self.is_similar_to_name(&trim_punctuation(word).to_lowercase());
        words.iter().position(is_similar).map(|index| (index, index + 1))
    }
}

/// The words without those of the range, a greeting before it, and the punctuation around it.
fn rest_of_query(words: &[&str], (from, to): (usize, usize)) -> String {
    let mut before = &words[..from];
    if before.len() == 1 && languages::is_greeting(before[0]) {
        before = &[];
    }
    let after = &words[to..];
    let ends_sentence = words[to - 1].ends_with(SENTENCE_ENDS);
    let mut query = before.join(" ");
    if after.is_empty() {
        let mark = words[to - 1].chars().last().filter(|c| KEPT_MARKS.contains(c));
        query = query.trim_end_matches(SEPARATORS).to_owned();
        query.extend(mark.filter(|_| !query.is_empty()));
    } else {
        if ends_sentence && !query.is_empty() && !query.ends_with(SEPARATORS) {
            query.push('.');
        }
        if !query.is_empty() {
            query.push(' ');
        }
        query.push_str(&after.join(" "));
    }
    let is_before_words = |c: char| c.is_whitespace() || SEPARATORS.contains(&c);
    query.trim_start_matches(is_before_words).trim_end().to_owned()
}

/// The word without punctuation around it.
pub(crate) fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn jarvis() -> WakeWord {
        WakeWord::new("jarvis", &["jar is".into(), "jervis".into(), " ".into()], 0.78)
    }

    #[rstest]
    #[case::first("jarvis what time is it", true)]
    #[case::last("what time is it, jarvis?", true)]
    #[case::possessive("jarvis's hat", true)]
    #[case::alias_of_two_words("jar is what time is it", true)]
    #[case::similar("jarfis what time is it", true)]
    #[case::not_similar("service what time is it", false)]
    #[case::blank("  ", false)]
    fn wake_word_is_found_anywhere_in_the_text(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(jarvis().is_in(text), expected);
    }

    #[rstest]
    #[case::any(&[], "jervis stop", Some("jervis"))]
    #[case::wake_word_answers_to_its_aliases(&["Jarvis"], "jar is stop", Some("jar is"))]
    #[case::alias_alone(&["jar is"], "jar is stop", Some("jar is"))]
    #[case::other_spelling_than_asked_for(&["jar is"], "jervis stop", None)]
    #[case::similar(&["jarvis"], "jarfis stop", Some("jarvis"))]
    #[case::unknown_name(&["friday"], "friday stop", None)]
    fn only_the_names_asked_for_are_found(
        #[case] names: &[&str],
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();

        let called = jarvis().called(&names);

        assert_eq!(called.as_ref().and_then(|wake_word| wake_word.name_in(text)), expected);
    }

    #[rstest]
    #[case::first("Jarvis, good night", true)]
    #[case::greeting("Hey Jarvis, good night", true)]
    #[case::last("what time is it, Jarvis?", true)]
    #[case::middle("Tell me, Jarvis, what time it is", true)]
    #[case::question_without_a_comma("jarvis what time is it", true)]
    #[case::request_without_a_comma("jarvis set a timer", true)]
    #[case::alone("Jarvis", true)]
    #[case::order_without_a_comma("jarvis start the dishwasher", true)]
    #[case::question_with_a_verb_first("Jarvis will it rain tomorrow?", true)]
    #[case::comma_before("Tell me, Jarvis will it rain tomorrow?", true)]
    #[case::comma_behind("Tell me Jarvis, will it rain tomorrow?", true)]
    #[case::within_a_request("Tell me Jarvis what time it is", true)]
    #[case::last_without_a_comma("When does the train leave Jarvis?", true)]
    #[case::asked_about_it("What did Jarvis say?", false)]
    #[case::asked_who_it_is("Who is Jarvis?", false)]
    #[case::asked_what_is_known_of_it("What do you know about Jarvis?", false)]
    #[case::talk_about_it("I told Jarvis yesterday", false)]
    #[case::subject("Jarvis was slow today", false)]
    #[case::object_at_the_end("I asked Jarvis", false)]
    #[case::possessive("Jarvis's hat", false)]
    #[case::no_name("what time is it", false)]
    fn address_is_distinguished_from_talk_about_us(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(jarvis().is_address_in(text, Language::new("en").as_ref()), expected);
    }

    #[rstest]
    #[case::with_a_comma("贾维斯，几点", "几点")]
    #[case::without_a_comma("贾维斯几点", "几点")]
    #[case::last("几点，贾维斯？", "几点？")]
    #[case::within("请告诉我贾维斯现在几点", "请告诉我 现在几点")]
    #[case::before_another_script("贾维斯stop", "stop")]
    #[case::alone("贾维斯！", "")]
    #[case::another_name("贾维，几点", "贾维，几点")]
    fn name_is_found_in_text_without_spaces(#[case] text: &str, #[case] expected: &str) {
        let wake_word = WakeWord::new("贾维斯", &[], 0.78);

        assert_eq!(wake_word.exact_query_in(text), expected);
    }

    #[rstest]
    #[case::first("贾维斯，几点", true)]
    #[case::last("几点，贾维斯？", true)]
    #[case::another_name("贾维，几点", false)]
    fn address_is_found_in_text_without_spaces(#[case] text: &str, #[case] expected: bool) {
        let wake_word = WakeWord::new("贾维斯", &[], 0.78);

        assert_eq!(wake_word.is_address_in(text, Language::new("zh").as_ref()), expected);
    }

    #[rstest]
    #[case::first("jarvis, what time is it", "what time is it")]
    #[case::first_with_case("Jarvis. What time is it?", "What time is it?")]
    #[case::middle("Tell me, Jarvis, what time is it?", "Tell me, what time is it?")]
    #[case::last("What time is it, Jarvis?", "What time is it?")]
    #[case::greeting("Hey Jarvis, what time is it?", "what time is it?")]
    #[case::spanish_greeting("Oye Jarvis, ¿qué hora es?", "¿qué hora es?")]
    #[case::russian_greeting("Эй, Jarvis, который час?", "который час?")]
    #[case::alias("jar is what time is it", "what time is it")]
    #[case::similar("Jarfis what time is it", "what time is it")]
    #[case::second_wake_word_stays("jarvis who is jarvis", "who is jarvis")]
    #[case::wake_word_alone("Jarvis!", "")]
    #[case::only_a_greeting("Hello, Jarvis.", "")]
    #[case::greeting_behind_the_wake_word_is_answered("Jarvis, hello!", "hello!")]
    #[case::no_wake_word("what time is it", "what time is it")]
    #[case::called_twice("Jarvis, Jarvis, what time is it?", "what time is it?")]
    #[case::many_marks("Jarvis!!! ... ; : go", "go")]
    #[case::wide_comma("Jarvis、今何時ですか？", "今何時ですか？")]
    #[case::no_comma_in_japanese("Jarvis今何時ですか", "今何時ですか")]
    #[case::last_in_japanese("今何時、Jarvis？", "今何時？")]
    #[case::no_space_behind_the_comma("Jarvis,stop", "stop")]
    #[case::no_space_behind_the_question_mark("Jarvis?what time is it", "what time is it")]
    #[case::no_space_before("What time is it,Jarvis?", "What time is it?")]
    #[case::address_stays("open jarvis.local", "open jarvis.local")]
    fn query_is_the_text_without_the_wake_word(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(jarvis().query_in(text), expected);
    }
}
