//! The language of a reply, and of each of its sentences.

use memory::{MessageContent, Participant};
use vocabulary::{Language, Query};

use crate::config::ReplyingConfig;

/// The longest query whose recognised language is uncertain, in words: recognisers guess the language of a single misheard
/// word, and the conversation must not change its language for that.
const MAX_UNCERTAIN_WORDS: usize = 2;

/// The language to reply in: that of the settings, else that of the query, else that of the newest earlier query whose
/// language is certain. Short queries change it only if their words are certain. `None` leaves it to the model.
pub fn language_of_reply(
    config: &ReplyingConfig,
    query: &Query,
    redacted: &str,
    recent: &[MessageContent],
) -> Option<Language> {
    let earlier = || {
        let mut queries = recent.iter().rev().filter(|said| said.participant == Participant::User);
        queries.find_map(|said| detected(&said.text.0))
    };
    if config.language.is_some() {
        return config.language.clone();
    }
    let is_short = languages::normalised(redacted).split_whitespace().count() <= MAX_UNCERTAIN_WORDS;
    if is_short && query.language.is_some() {
        return detected(redacted).or_else(earlier).or_else(|| query.language.clone());
    }
    query.language.clone().or_else(|| detected(redacted)).or_else(earlier)
}

/// The language to speak a sentence in. Small models sometimes answer in another language than they were asked for.
pub fn language_of_sentence(sentence: &str, reply: Option<&Language>) -> Option<Language> {
    detected(sentence).or_else(|| reply.cloned())
}

fn detected(text: &str) -> Option<Language> {
    languages::detect(text).map(|detection| detection.language)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::Settings;
    use vocabulary::{ConversationId, Origin, Private, ReplyId};

    use super::*;

    fn said(participant: Participant, text: &str) -> MessageContent {
        MessageContent { participant, text: Private(text.to_owned()), at_micros: 0 }
    }

    #[rstest]
    #[case::typed_in_german("Wie wird das Wetter morgen in Leeds?", None, "auto", Some("de"))]
    #[case::recognised_language_counts("Berlin Paris Rome", Some("fr"), "auto", Some("fr"))]
    #[case::language_of_a_misheard_word_does_not("Berlin", Some("fr"), "auto", Some("es"))]
    #[case::short_query_in_another_language_counts("nicht jetzt", Some("de"), "auto", Some("de"))]
    #[case::fixed_language_counts_most("Wie wird das Wetter morgen?", Some("de"), "en", Some("en"))]
    #[case::short_text_falls_back_to_the_conversation("Berlin", None, "auto", Some("es"))]
    fn reply_is_in_the_language_of_its_query(
        #[case] text: &str,
        #[case] recognised: Option<&str>,
        #[case] setting: &str,
        #[case] expected: Option<&str>,
    ) {
        let mut settings = Settings::default();
        settings.replying.language = setting.to_owned();
        let config = ReplyingConfig::try_from(&settings).unwrap();
        let query = Query {
            reply: ReplyId(1),
            text: text.to_owned(),
            language: recognised.and_then(Language::new),
            origin: Origin::Typed,
            conversation: ConversationId::main(),
            replaces_previous: false,
        };
        let recent = [
            said(Participant::User, "¿Qué tiempo hace mañana en Madrid?"),
            said(Participant::Assistant, "It will be sunny all day, with some clouds in the evening."),
        ];

        let language = language_of_reply(&config, &query, text, &recent);

        assert_eq!(language.as_ref().map(Language::code), expected);
    }

    #[test]
    fn sentence_keeps_the_language_of_the_reply_when_its_own_is_uncertain() {
        let german = Language::new("de");

        assert_eq!(language_of_sentence("42.", german.as_ref()), german);
        let english =
            language_of_sentence("It will rain in the afternoon, so take an umbrella.", german.as_ref());
        assert_eq!(english, Language::new("en"));
    }
}
