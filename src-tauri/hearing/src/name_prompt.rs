//! The text that a recogniser reads before the sound, so that it knows the assistant's name.
//!
//! Without it a recogniser of the Whisper family writes words that it knows better ("Charvets", "job is"), above all in
//! noise. Source: 60 recordings of people saying "Jarvis" and an order, with base q8_0: the name was recognised in 43
//! without a prompt and in 58 with such a sentence, at 10 dB of noise in 42 and 59; never in 123 recordings without it. The
//! name alone as prompt makes it worse (16 of 60).
//!
//! A second sentence that begins with the name makes other words into it: "there is a harvest" became "Jarvis is a harvest".
//! Source: five voices of espeak-ng, clean and at 10 dB, 40 orders and 60 sentences chosen to resemble the name: this one
//! sentence finds 40 and takes 7 for the name, with a second one it is 39 or 40 and 11 to 18.

use vocabulary::Language;

/// The prompt for a name in a language; `None` if we have no sentence.
pub fn name_prompt(name: &str, language: &Language) -> Option<String> {
    let sentence = languages::of(language)?.name_sentence?;
    Some(sentence.replace('|', "").replace("{name}", &capitalised(name)))
}

/// Returns `true` if a recognised text repeats the prompt instead of what was said: it says that something "is
/// called" the name.
pub(crate) fn is_prompt_echo(text: &str, names: &[String]) -> bool {
    let text = normalised(text);
    names.iter().any(|name| {
        // Without the name, or with nothing else, it may be a short answer: "ja" is a part of "Jarvis".
        let bare_name = normalised(name);
        let is_more_than_name = text.contains(&bare_name) && text != bare_name;
        is_more_than_name
            && languages::all().iter().filter_map(|data| data.name_sentence).any(|sentence| {
                let phrase = sentence.split_once('|').map_or(sentence, |(_, phrase)| phrase);
                text.contains(&normalised(&phrase.replace("{name}", name)))
            })
    })
}

/// A name with its first letter in upper case.
pub(crate) fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn normalised(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english("jarvis", "en", Some("The assistant is called Jarvis."))]
    #[case::german("friday", "de", Some("Der Assistent heißt Friday."))]
    #[case::japanese("jarvis", "ja", Some("アシスタントの名前はJarvisです。"))]
    #[case::unknown_language("jarvis", "sw", None)]
    fn prompt_is_a_natural_use_of_the_name(
        #[case] name: &str,
        #[case] language: &str,
        #[case] expected: Option<&str>,
    ) {
        let prompt = name_prompt(name, &Language::new(language).unwrap());

        assert_eq!(prompt.as_deref(), expected);
    }

    #[test]
    fn every_language_has_a_prompt() {
        for data in languages::all() {
            assert!(name_prompt("jarvis", &data.language()).is_some(), "{}", data.code);
        }
    }

    #[rstest]
    #[case::repeated_prompt("The assistant is called Jarvis. The assistant is called Jarvis.", true)]
    #[case::part_of_it("这位是一位的名字叫Jarvis？", true)]
    #[case::whole_prompt("the assistant is called jarvis", true)]
    #[case::other_language("Der Assistent heißt Jarvis.", true)]
    #[case::name_alone("Jarvis.", false)]
    #[case::part_of_the_name("Ja.", false)]
    #[case::word_of_the_prompt("List.", false)]
    #[case::nothing("", false)]
    #[case::real_question("Jarvis, what time is it?", false)]
    #[case::other_name("The assistant is called Friday.", false)]
    fn repeated_prompt_is_recognised(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_prompt_echo(text, &["jarvis".to_owned()]), expected);
    }
}
