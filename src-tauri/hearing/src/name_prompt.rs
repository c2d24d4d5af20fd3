//! The text that a recogniser reads before the sound, so that it knows the assistant's name.
//!
//! Without it a recogniser of the Whisper family writes words that it knows better ("Charvets", "job is"), above all in
//! noise. Source: 60 recordings of people saying "Jarvis" and an order, with base q8_0: the name was recognised in 43
//! without a prompt and in 58 with one of two such sentences, at 10 dB of noise in 42 and 59; never in 123 recordings
//! without it. The name alone as prompt makes it worse (16 of 60). A common question as second sentence is put into other
//! questions: "what time is it? in London".

use vocabulary::Language;

/// Two sentences in each language, `{}` for the name. Nobody says them to the assistant, so that they can be rejected. What
/// follows the `|` identifies a repetition of the first one.
const SENTENCES: [(&str, &str, &str); 15] = [
    ("en", "The assistant |is called {}.", "{} listens and answers."),
    ("de", "Der Assistent |heißt {}.", "{} hört zu und antwortet."),
    ("fr", "L'assistant |s'appelle {}.", "{} écoute et répond."),
    ("es", "El asistente |se llama {}.", "{} escucha y responde."),
    ("it", "L'assistente |si chiama {}.", "{} ascolta e risponde."),
    ("pt", "O assistente |chama-se {}.", "{} ouve e responde."),
    ("nl", "De assistent |heet {}.", "{} luistert en antwoordt."),
    ("pl", "Asystent |nazywa się {}.", "{} słucha i odpowiada."),
    ("tr", "Asistanın |adı {}.", "{} dinler ve cevap verir."),
    ("ru", "Ассистента |зовут {}.", "{} слушает и отвечает."),
    ("uk", "Асистента |звати {}.", "{} слухає і відповідає."),
    ("ja", "アシスタントの|名前は{}です。", "{}は聞いて答えます。"),
    ("zh", "助手的|名字叫{}。", "{}会听并回答。"),
    ("ko", "비서의 |이름은 {}입니다.", "{}는 듣고 대답합니다."),
    ("ar", "|اسم المساعد {}.", "{} يستمع ويجيب."),
];

/// The prompt for a name in a language; `None` where we have no sentence.
pub fn name_prompt(name: &str, language: &Language) -> Option<String> {
    let (_, is_called, use_of_it) = SENTENCES.iter().find(|(code, ..)| *code == language.code())?;
    let name = capitalised(name);
    let is_called = is_called.replace('|', "").replace("{}", &name);
    Some(format!("{is_called} {}", use_of_it.replace("{}", &name)))
}

/// Whether a recognised text repeats the prompt instead of what was said: it is a part of it, or says that something "is
/// called" the name.
pub(crate) fn is_prompt_echo(text: &str, names: &[String]) -> bool {
    let text = normalised(text);
    names.iter().any(|name| {
        // Without the name, or with nothing else, it may be a short answer: "ja" is a part of "Jarvis".
        let bare_name = normalised(name);
        let is_more_than_name = text.contains(&bare_name) && text != bare_name;
        is_more_than_name
            && SENTENCES.iter().any(|(_, is_called, use_of_it)| {
                let phrase = is_called.split_once('|').map_or(*is_called, |(_, phrase)| phrase);
                text.contains(&normalised(&phrase.replace("{}", name)))
                    || normalised(&use_of_it.replace("{}", name)).contains(&text)
            })
    })
}

fn capitalised(name: &str) -> String {
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
    #[case::english("jarvis", "en", Some("The assistant is called Jarvis. Jarvis listens and answers."))]
    #[case::german("friday", "de", Some("Der Assistent heißt Friday. Friday hört zu und antwortet."))]
    #[case::japanese("jarvis", "ja", Some("アシスタントの名前はJarvisです。 Jarvisは聞いて答えます。"))]
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
        assert_eq!(SENTENCES.len(), languages::all().len());
    }

    #[rstest]
    #[case::whole_prompt("The assistant is called Jarvis. Jarvis listens and answers.", true)]
    #[case::part_of_it("这位是一位的名字叫Jarvis？", true)]
    #[case::its_first_sentence("the assistant is called jarvis", true)]
    #[case::other_language("Der Assistent heißt Jarvis.", true)]
    #[case::its_second_sentence("Jarvis listens and answers.", true)]
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
