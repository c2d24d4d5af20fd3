//! The wake word, heard in the text and not in the sound.
//!
//! Source: behaviour reference, section 1.4, with row 35 of section 11 for what is left of the text.

use crate::similarity::sequence_matcher_ratio;

/// Words that greet, and mean nothing before the name.
const GREETINGS: &[&str] = &["hey", "hi", "hello", "ok", "okay", "yo"];

/// Separates an address from the rest of a sentence.
const SEPARATORS: [char; 6] = [',', '.', '!', '?', ';', ':'];

/// The name that calls us, and what recognisers make of it.
#[derive(Debug, Clone, PartialEq)]
pub struct WakeWord {
    /// The name and its aliases, lower case, longest first.
    names: Vec<String>,
    fuzzy_ratio: f64,
}

impl WakeWord {
    /// Blank aliases are left out: they would match everything.
    pub fn new(name: &str, aliases: &[String], fuzzy_ratio: f64) -> Self {
        let mut names: Vec<String> = std::iter::once(name)
            .chain(aliases.iter().map(String::as_str))
            .map(|name| name.trim().to_lowercase())
            .filter(|name| !name.is_empty())
            .collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.chars().count()));
        names.dedup();
        Self { names, fuzzy_ratio }
    }

    /// Is the name anywhere in this lower-case text: as it is, as an alias, or as a word much like one of them?
    pub fn is_in(&self, text_lower: &str) -> bool {
        if text_lower.trim().is_empty() {
            return false;
        }
        self.names.iter().any(|name| text_lower.contains(name.as_str()))
            || text_lower.split_whitespace().any(|word| self.is_like_name(trim_punctuation(word)))
    }

    fn is_like_name(&self, word: &str) -> bool {
        !word.is_empty()
            && self.names.iter().any(|name| sequence_matcher_ratio(word, name) >= self.fuzzy_ratio)
    }

    /// What is asked once we are no longer addressed: the first mention of the name is taken out, with a greeting
    /// before it and the punctuation that set it off. Empty when nothing else was said.
    ///
    /// A second mention stays: then somebody speaks *about* us.
    pub fn query_in(&self, text: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((from, to)) = self.address_in(&words) else { return text.trim().to_owned() };
        let mut before = &words[..from];
        if before.len() == 1 && GREETINGS.contains(&trim_punctuation(before[0]).to_lowercase().as_str()) {
            before = &[];
        }
        let after = &words[to..];
        let ends_sentence = words[to - 1].ends_with(['.', '!', '?']);
        let mut query = before.join(" ");
        if after.is_empty() {
            // "what time is it, Jarvis?" is still a question.
            let mark = words[to - 1].chars().last().filter(|c| matches!(c, '?' | '!'));
            query = query.trim_end_matches(|c: char| SEPARATORS.contains(&c)).to_owned();
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
        let query = query.trim().trim_start_matches(|c: char| SEPARATORS.contains(&c)).trim();
        let is_only_greeting = GREETINGS.contains(&trim_punctuation(query).to_lowercase().as_str());
        if is_only_greeting { String::new() } else { query.to_owned() }
    }

    /// The words that address us, as a range: first by name or alias, else a word much like it.
    fn address_in(&self, words: &[&str]) -> Option<(usize, usize)> {
        let bare: Vec<String> = words.iter().map(|word| trim_punctuation(word).to_lowercase()).collect();
        let exact = (0..words.len()).find_map(|from| {
            self.names.iter().find_map(|name| {
                let length = name.split_whitespace().count();
                let to = from + length;
                let is_here = bare.get(from..to).is_some_and(|run| run.join(" ") == *name);
                is_here.then_some((from, to))
            })
        });
        exact.or_else(|| {
            let like = bare.iter().position(|word| self.is_like_name(word))?;
            Some((like, like + 1))
        })
    }
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
    #[case::much_like_it("jarfis what time is it", true)]
    #[case::not_like_it("service what time is it", false)]
    #[case::blank("  ", false)]
    fn hears_the_name_in_the_text(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(jarvis().is_in(text), expected);
    }

    #[rstest]
    #[case::first("jarvis, what time is it", "what time is it")]
    #[case::first_with_case("Jarvis. What time is it?", "What time is it?")]
    #[case::middle("Tell me, Jarvis, what time is it?", "Tell me, what time is it?")]
    #[case::last("What time is it, Jarvis?", "What time is it?")]
    #[case::greeting("Hey Jarvis, what time is it?", "what time is it?")]
    #[case::alias("jar is what time is it", "what time is it")]
    #[case::much_like_it("Jarfis what time is it", "what time is it")]
    #[case::the_second_mention_stays("jarvis who is jarvis", "who is jarvis")]
    #[case::name_alone("Jarvis!", "")]
    #[case::only_a_greeting("Hello, Jarvis.", "")]
    #[case::no_name("what time is it", "what time is it")]
    fn takes_the_address_out(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(jarvis().query_in(text), expected);
    }
}
