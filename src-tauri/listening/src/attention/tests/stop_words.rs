//! Stop words over our voice that mean something else in a sentence.

use super::*;

#[rstest]
#[case::quiet("Quiet!", Verdict::Stop)]
#[case::misheard("Quite.", Verdict::Stop)]
#[case::silence("Silence.", Verdict::Stop)]
#[case::enough("Enough!", Verdict::Stop)]
#[case::hush("Hush!", Verdict::Stop)]
#[case::polite("Quiet, please.", Verdict::Stop)]
#[case::with_the_name("Jarvis, be quiet now.", Verdict::Stop)]
#[case::german("Ruhe!", Verdict::Stop)]
#[case::french("Ça suffit !", Verdict::Stop)]
#[case::statement("It was quiet.", Verdict::Overheard)]
#[case::question("Is that enough?", Verdict::Overheard)]
#[case::first_word("Enough people came.", Verdict::Overheard)]
#[case::last_word_of_a_longer_sentence("Nothing was left there but silence.", Verdict::Overheard)]
#[case::stop_inside_a_sentence("Please stop it now.", Verdict::Stop)]
fn word_of_silence_stops_only_where_it_is_said_alone(#[case] text: &str, #[case] expected: Verdict) {
    let (mut attention, start) = (attention(), Instant::now());
    attention.speech_started(start);
    attention.sentence_spoken("The train to Leeds leaves at ten past nine.", start, Duration::from_secs(4));

    assert_eq!(attention.judge(&utterance(text, start, 1.0), start), expected);
}

#[test]
fn only_stop_word_of_the_settings_stops_alone_and_inside_a_sentence() {
    let listening =
        ListeningSettings { stop_words: vec!["quiet".to_owned()], ..ListeningSettings::default() };
    let mut attention =
        Attention::new(ListeningConfig::try_from(&Settings { listening, ..Settings::default() }).unwrap());
    let start = Instant::now();
    attention.speech_started(start);

    assert_eq!(attention.judge(&utterance("Stop!", start, 1.0), start), Verdict::Stop);
    assert_eq!(attention.judge(&utterance("It was quiet.", start, 2.5), start), Verdict::Stop);
}
