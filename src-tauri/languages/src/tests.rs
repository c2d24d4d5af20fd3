use rstest::rstest;

use super::*;

/// The parts of a data file that are lists of words.
fn lists(data: &LanguageData) -> [(&'static str, WordList); 14] {
    [
        ("function words", data.function_words),
        ("question words", data.question_words),
        ("possessives", data.possessives),
        ("continuation words", data.continuation_words),
        ("fillers", data.fillers),
        ("yes", data.yes),
        ("no", data.no),
        ("stop words", data.stop_words),
        ("polite words", data.polite_words),
        ("greetings", data.greetings),
        ("request openers", data.request_openers),
        ("looking back", data.looking_back),
        ("pointing words", data.pointing_words),
        ("advice", data.advice),
    ]
}

#[test]
fn every_language_has_every_part() {
    for data in all() {
        for (part, list) in lists(data) {
            assert!(list.iter().count() >= 2, "{}: too few {part}", data.code);
        }
        for number in (0..=31).chain((40..=100).step_by(10)) {
            assert!(data.number_words(number).count() > 0, "{}: no word for {number}", data.code);
        }
        assert!(data.sentence_ends.chars().count() >= 3, "{}", data.code);
        assert_eq!(of(&data.language()).map(|found| found.code), Some(data.code));
    }
}

#[test]
fn language_with_requests_has_patterns_of_answers() {
    for data in all().iter().filter(|data| data.requests.is_some()) {
        let table = data.answers.as_ref().unwrap_or_else(|| panic!("{} has no answers.toml", data.code));

        assert_eq!(table.live.len(), LiveTopic::ALL.len(), "{}", data.code);
        assert_eq!(table.actions.len(), WorldAction::ALL.len(), "{}", data.code);
        assert_eq!(table.introductions.len(), Introduction::ALL.len(), "{}", data.code);
    }
}

#[test]
fn words_for_narration_are_normalised() {
    for (code, words) in all().iter().filter_map(|data| Some((data.code, data.narration.as_ref()?))) {
        let lists = [words.user, words.assistant, words.verbs_before_subject, words.conjunctions];
        let phrases = lists.iter().flat_map(WordList::iter);

        assert_eq!(
            phrases.filter(|phrase| *phrase != normalised(phrase)).collect::<Vec<_>>(),
            [""; 0],
            "{code}"
        );
    }
}

#[test]
fn every_language_has_words_to_undo() {
    for data in all() {
        let has_patterns = data.requests.as_ref().is_some_and(|table| {
            table.requests.into_iter().any(|(meaning, _)| *meaning == RequestMeaning::Undo)
        });

        assert!(has_patterns || data.undo_requests.iter().count() >= 10, "{}", data.code);
    }
}

#[test]
fn english_comes_first() {
    assert_eq!(all()[0].code, "en");
}

#[test]
fn only_texts_with_spaces_have_abbreviations() {
    for data in all() {
        let has_abbreviations =
            [data.abbreviations, data.abbreviations_before_numbers].map(|it| !it.is_empty());

        assert!(has_abbreviations == [false; 2] || data.writing == Writing::Spaced, "{}", data.code);
    }
}

#[test]
fn words_are_normalised_and_listed_once() {
    for data in all() {
        for (part, list) in lists(data) {
            let mut seen = std::collections::HashSet::new();
            for word in list.iter() {
                assert_eq!(word, normalised(word), "{}: {part}", data.code);
                assert!(seen.insert(word), "{}: {part}: {word} is there twice", data.code);
            }
        }
    }
}

#[test]
fn words_for_tools_are_normalised() {
    for words in all().iter().filter_map(|data| data.tool_words.as_ref()) {
        let lists = [words.negations, words.no_negations, words.clause_openers, words.endings];
        for list in words.tools.iter().map(|(_, list)| *list).chain(lists) {
            assert!(!list.is_empty());
            assert_eq!(list.iter().filter(|phrase| *phrase != normalised(phrase)).count(), 0);
        }
    }
}

#[test]
fn abbreviations_are_lower_case_with_a_full_stop() {
    for data in all() {
        for word in data.abbreviations.iter().chain(data.abbreviations_before_numbers.iter()) {
            assert!(word.ends_with('.') && word == word.to_lowercase(), "{}: {word}", data.code);
        }
    }
}

#[rstest]
#[case::english("en", "Yes, please!", true, false)]
#[case::german("de", "Nein, danke.", false, true)]
#[case::french("fr", "D’accord", true, false)]
#[case::turkish("tr", "İptal et!", false, true)]
#[case::japanese("ja", "はい。", true, false)]
#[case::other_language("en", "ja", false, false)]
#[case::longer_than_an_answer("en", "yes it rains", false, false)]
fn whole_answers_mean_yes_or_no(
    #[case] code: &str,
    #[case] text: &str,
    #[case] is_yes: bool,
    #[case] is_no: bool,
) {
    let data = of(&Language::new(code).unwrap()).unwrap();

    assert_eq!((data.is_yes(text), data.is_no(text)), (is_yes, is_no));
}

#[rstest]
#[case::whole_words("en", "what did i say", true)]
#[case::inside_a_word("en", "the candid image", false)]
#[case::korean_ending("ko", "내가 말했잖아", true)]
#[case::unspaced("zh", "你记得我的生日吗", true)]
fn phrases_match_as_the_language_writes_words(
    #[case] code: &str,
    #[case] text: &str,
    #[case] expected: bool,
) {
    let data = of(&Language::new(code).unwrap()).unwrap();

    assert_eq!(data.has_phrase(data.looking_back, text), expected);
}

#[test]
fn number_words_cover_small_numbers_and_tens() {
    let german = of(&Language::new("de").unwrap()).unwrap();
    let words = |number| german.number_words(number).collect::<Vec<_>>();

    assert_eq!(words(2), ["zwei", "zwo"]);
    assert_eq!(words(50), ["fünfzig"]);
    assert!(words(45).is_empty());
    assert!(words(110).is_empty());
}
