//! Transcripts that are no request: noise, a dismissal such as "never mind", talk that was cut off; and the tag of a model for them.

use languages::{LanguageData, Writing};

/// More words than this in a recording that was cut off are a conversation nearby. Source: the Command Center protocol.
const MAX_CUT_OFF_WORDS: usize = 20;

/// The signs around sounds in a transcript.
const BRACKETS: [(char, char); 8] =
    [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}'), ('（', '）'), ('【', '】'), ('［', '］'), ('「', '」')];

/// Returns `true` for a transcript without speech: sounds in brackets or between asterisks, signs, or nothing.
pub fn is_noise(transcript: &str) -> bool {
    let mut rest: Vec<char> = transcript.chars().collect();
    while let Some((from, end)) = bracketed(&rest) {
        rest.splice(from..end, [' ']);
    }
    !rest.iter().any(|c| c.is_alphanumeric())
}

/// The place of the first innermost sound.
fn bracketed(text: &[char]) -> Option<(usize, usize)> {
    for (end, c) in text.iter().enumerate() {
        if let Some((open, close)) = BRACKETS.iter().find(|(_, close)| close == c) {
            let inner = text[..end].iter().rposition(|c| c == open || c == close);
            if let Some(from) = inner.filter(|from| text[*from] == *open) {
                return Some((from, end + 1));
            }
        }
    }
    let opening = text.iter().position(|c| *c == '*')?;
    let from = opening + text[opening..].iter().position(|c| *c != '*')?;
    let end = from + text[from..].iter().position(|c| *c == '*')?;
    Some((opening, end + 1))
}

/// Returns `true` if a model says with its tag that it was not meant: `<not_for_me/>`, in any case, with any separator.
pub fn says_not_for_me(model_text: &str) -> bool {
    let is_tag = |inner: &str| {
        let inner = inner.trim_matches(|c: char| c.is_whitespace() || c == '/').to_lowercase();
        let letters: String =
            inner.chars().filter(|c| !(c.is_whitespace() || matches!(c, '_' | '-'))).collect();
        letters == "notforme"
    };
    model_text.split('<').skip(1).any(|rest| rest.split_once('>').is_some_and(|(inner, _)| is_tag(inner)))
}

/// Returns `true` if the assistant was called by mistake: the whole utterance takes the call back, or the recording was cut
/// off within somebody's talk.
pub fn is_false_wake(
    transcript: &str,
    hit_max_duration: bool,
    assistant_name: &str,
    language: &LanguageData,
) -> bool {
    is_dismissal(transcript, assistant_name, language)
        || (hit_max_duration && (is_long(transcript, language) || begins_small(transcript, language)))
}

/// Dismissals, one or several, and behind them the name or polite words. A request that only begins like one is a request.
fn is_dismissal(transcript: &str, assistant_name: &str, language: &LanguageData) -> bool {
    let Some(own) = &language.command_center else { return false };
    let name = without_hyphens(assistant_name);
    let dismissals: Vec<String> =
        own.dismissals.iter().map(|phrase| without_hyphens(&phrase.replace("{name}", &name))).collect();
    let mut closings: Vec<String> =
        language.polite_words.iter().chain(own.closings.iter()).map(without_hyphens).collect();
    closings.push(name);
    let said = without_hyphens(transcript);
    let mut rest = said.as_str();
    let mut is_dismissed = false;
    while !rest.is_empty() {
        let dismissal =
            dismissals.iter().filter_map(|phrase| behind(rest, phrase)).min_by_key(|rest| rest.len());
        let closing = || {
            let polite = closings.iter();
            polite
                .filter_map(|phrase| behind(rest, phrase))
                .min_by_key(|rest| rest.len())
                .filter(|_| is_dismissed)
        };
        let Some(next) = dismissal.or_else(closing) else { return false };
        (is_dismissed, rest) = (true, next);
    }
    is_dismissed
}

/// The normalised words of a text, with a space for each hyphen: recognisers also write "never-mind".
fn without_hyphens(text: &str) -> String {
    languages::normalised(&text.replace('-', " "))
}

/// The text behind a phrase that it begins with.
fn behind<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(phrase)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

fn is_long(transcript: &str, language: &LanguageData) -> bool {
    language.writing != Writing::Unspaced && transcript.split_whitespace().count() > MAX_CUT_OFF_WORDS
}

/// A transcript that begins with a small letter begins within a sentence.
fn begins_small(transcript: &str, language: &LanguageData) -> bool {
    let said = transcript.trim();
    if !said.starts_with(char::is_lowercase) {
        return false;
    }
    let normalised = languages::normalised(said);
    let word = normalised.split([' ', '\'', '-']).next().unwrap_or_default();
    let is_opener = language.command_center.as_ref().is_some_and(|own| own.small_openers.contains(word));
    !is_opener
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::asterisks("*sniff*", true)]
    #[case::brackets("[laughter]", true)]
    #[case::parentheses(" (coughing) ", true)]
    #[case::angles("<inaudible>", true)]
    #[case::several("[laughter] *sniff* (door closes).", true)]
    #[case::nested("[(music) and [voices]]", true)]
    #[case::full_width("（笑）【音楽】", true)]
    #[case::dots("...", true)]
    #[case::dashes("--", true)]
    #[case::question_marks("??", true)]
    #[case::notes("♪ ♪", true)]
    #[case::lone_asterisks("* **", true)]
    #[case::bold("**music playing**", true)]
    #[case::nothing("", true)]
    #[case::speech("turn it up", false)]
    #[case::speech_between("[laughter] stop it [laughter]", false)]
    #[case::speech_behind("(coughing) what time is it?", false)]
    #[case::not_closed("[laughter", false)]
    #[case::closed_with_another_sign("[laughter)", false)]
    #[case::one_asterisk("*sniff", false)]
    #[case::digit("5", false)]
    #[case::other_script("東京", false)]
    fn transcript_without_speech_is_noise(#[case] transcript: &str, #[case] expected: bool) {
        assert_eq!(is_noise(transcript), expected);
    }

    #[rstest]
    #[case::tag("<not_for_me/>", true)]
    #[case::open_tag("<not_for_me>", true)]
    #[case::case_and_hyphens("<NOT-FOR-ME />", true)]
    #[case::blanks("< not for me >", true)]
    #[case::in_a_sentence("I think <not_for_me/> fits.", true)]
    #[case::without_separators("<NotForMe/>", true)]
    #[case::words("That is not for me.", false)]
    #[case::no_brackets("not_for_me", false)]
    #[case::other_tag("<not_for_you/>", false)]
    #[case::open("<not_for_me", false)]
    #[case::two_tags("<b><not_for_me/>", true)]
    #[case::nothing("", false)]
    fn tag_of_a_model_is_matched_loosely(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(says_not_for_me(text), expected);
    }

    #[rstest]
    #[case::dismissal("Never mind.", false, true)]
    #[case::one_word("nevermind", false, true)]
    #[case::capitals("CANCEL!!", false, true)]
    #[case::with_name("Forget it, Jarvis", false, true)]
    #[case::with_please("ignore that please", false, true)]
    #[case::with_both("cancel, please, Jarvis.", false, true)]
    #[case::hyphen("Never-mind.", false, true)]
    #[case::hyphen_in_a_request("never-mind the gap", false, false)]
    #[case::with_thanks("never mind, thanks", false, true)]
    #[case::sorry("Sorry, Jarvis!", false, true)]
    #[case::with_sorry("That wasn't for you, sorry.", false, true)]
    #[case::curly("That wasn’t for you", false, true)]
    #[case::two("never mind, forget it", false, true)]
    #[case::request_like_one("cancel my pasta timer", false, false)]
    #[case::that_is_meant("cancel that", false, false)]
    #[case::longer_word("cancellation policy of the hotel", false, false)]
    #[case::only_name("Jarvis", false, false)]
    #[case::only_please("please", false, false)]
    #[case::nothing("", false, false)]
    #[case::inside("please never mind the gap", false, false)]
    #[case::long_but_complete(
        "one two three four five six seven eight nine ten one two three four five six seven eight nine ten one",
        false,
        false
    )]
    #[case::long_and_cut(
        "One two three four five six seven eight nine ten one two three four five six seven eight nine ten one",
        true,
        true
    )]
    #[case::twenty_words(
        "One two three four five six seven eight nine ten one two three four five six seven eight nine ten",
        true,
        false
    )]
    #[case::cut_and_small("and then she said", true, true)]
    #[case::small_but_complete("what time is it", false, false)]
    #[case::small_i("i need a timer", true, false)]
    #[case::small_i_am("i'm late, call a taxi", true, false)]
    #[case::small_ok("ok set a timer", true, false)]
    #[case::word_with_i("it was fun", true, true)]
    #[case::cut_and_large("What time is it in", true, false)]
    #[case::cut_and_digit("5 minutes please", true, false)]
    #[case::cut_and_accent("été dernier", true, true)]
    fn call_by_mistake_is_recognised(
        #[case] transcript: &str,
        #[case] hit_max_duration: bool,
        #[case] expected: bool,
    ) {
        let english = languages::of_code("en").unwrap();

        assert_eq!(is_false_wake(transcript, hit_max_duration, "Jarvis", english), expected);
    }

    #[rstest]
    #[case::german("de", "Vergiss es, Jarvis", true)]
    #[case::german_request("de", "Vergiss es nicht, den Müll rauszubringen", false)]
    #[case::spanish("es", "Olvídalo, por favor", true)]
    #[case::spanish_sorry("es", "Perdona, Jarvis.", true)]
    #[case::spanish_request("es", "Cancela mi temporizador de pasta", false)]
    #[case::french("fr", "Laisse tomber, merci", true)]
    #[case::french_without_hyphen("fr", "Oublie moi", true)]
    #[case::french_sorry("fr", "C'était pas pour toi, désolé", true)]
    #[case::french_request("fr", "Annule le minuteur", false)]
    #[case::italian("it", "Lascia perdere, Jarvis", true)]
    #[case::italian_request("it", "Annulla il timer", false)]
    #[case::dutch("nl", "Laat maar, bedankt", true)]
    #[case::dutch_request("nl", "Laat maar zien wat er te doen is", false)]
    #[case::portuguese("pt", "Deixa pra lá, obrigado", true)]
    #[case::portuguese_request("pt", "Deixa a luz acesa", false)]
    #[case::swedish("sv", "Strunta i det, tack", true)]
    #[case::swedish_request("sv", "Avbryt nedräkningen", false)]
    #[case::turkish("tr", "Boş ver, teşekkürler", true)]
    #[case::turkish_request("tr", "İptal et zamanlayıcıyı", false)]
    fn call_is_taken_back_in_the_language_of_the_user(
        #[case] language: &str,
        #[case] transcript: &str,
        #[case] expected: bool,
    ) {
        let language = languages::of_code(language).unwrap();

        assert_eq!(is_false_wake(transcript, false, "Jarvis", language), expected);
    }
}
