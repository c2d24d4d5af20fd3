use rstest::rstest;

use super::*;

fn timer(text: &str) -> Option<(u64, Option<String>)> {
    spoken_timer(text, "Jarvis", languages::of_code("en").unwrap())
        .map(|timer| (timer.duration_seconds, timer.label))
}

#[rstest]
#[case::plain("set a timer for 10 minutes", 600, None)]
#[case::sum("Set a timer for 1 hour, 5 minutes and 30 seconds.", 3930, None)]
#[case::short_units("timer 2 hrs 10 mins 5 secs", 7805, None)]
#[case::label_before("set a 10 minute pasta timer", 600, Some("pasta"))]
#[case::label_behind("set a timer for 8 minutes for the eggs", 480, Some("eggs"))]
#[case::named("start a timer called tea time for five minutes please", 300, Some("tea time"))]
#[case::label_with_an_order("set a timer for 5 minutes to stop the oven", 300, Some("stop oven"))]
#[case::wake_me("Hey Jarvis, wake me up in 20 minutes", 1200, None)]
#[case::let_me_know("let me know in 15 mins to check the oven", 900, Some("check oven"))]
#[case::when_over("let me know when the 5 minutes are up", 300, None)]
#[case::notify_me("notify me in half an hour", 1800, None)]
#[case::quarter("timer for a quarter of an hour", 900, None)]
#[case::quarter_hour("quarter hour timer", 900, None)]
#[case::an_hour("set a timer for an hour", 3600, None)]
#[case::an_hour_and_a_half("set a timer for an hour and a half", 5400, None)]
#[case::hour_and_half_an_hour("set a timer for one hour and half an hour", 5400, None)]
#[case::decimals("set a timer for 1.5 hours", 5400, None)]
#[case::number_words("set a timer for five minutes", 300, None)]
#[case::compound_number("set a timer for twenty five minutes", 1500, None)]
#[case::hour_twenty("set a timer for an hour twenty", 4800, None)]
#[case::request_as_question("can you set a timer for 3 minutes?", 180, None)]
#[case::not_forgotten("don't forget to set a timer for 5 minutes", 300, None)]
#[case::another("set another timer for 5 minutes", 300, None)]
#[case::hyphen("set a 10-minute timer", 600, None)]
#[case::glued("timer 1h30m", 5400, None)]
#[case::capitals("SET A TIMER FOR 10 MINUTES", 600, None)]
#[case::second_timer("set a second timer for 5 minutes", 300, None)]
#[case::from_now("set a timer for 10 minutes from now", 600, None)]
#[case::accents("set a 5 minute Café timer", 300, Some("café"))]
#[case::apostrophe("timer for mom's cookies, 12 minutes", 720, Some("mom's cookies"))]
#[case::given("give me a 10 minute timer", 600, None)]
#[case::corrected_number("set a timer for 10 minutes, not 5", 600, None)]
#[case::called("set a 5 minute timer and call it tea", 300, Some("tea"))]
fn timer_is_read_from_plain_words(#[case] text: &str, #[case] seconds: u64, #[case] label: Option<&str>) {
    assert_eq!(timer(text), Some((seconds, label.map(str::to_owned))));
}

#[rstest]
#[case::no_trigger("wait 5 minutes")]
#[case::no_duration("set a timer")]
#[case::no_unit("set a timer for 5")]
#[case::zero("set a timer for 0 minutes")]
#[case::negative("set a timer for -5 minutes")]
#[case::days("set a timer for 2 days")]
#[case::days_and_hours("set a timer for 1 day and 2 hours")]
#[case::two_timers("set a timer for 5 minutes and another for 10 minutes")]
#[case::two_of_the_same("set two 5 minute timers")]
#[case::two_durations("set a 5 minute timer and a 10 minute timer")]
#[case::one_more("set a 5 minute timer and another one")]
#[case::two_requests("set a 5 minute timer and tell me a joke")]
#[case::question_in_one_word("what's the 5 minute timer for?")]
#[case::range("set a timer for 5 to 10 minutes")]
#[case::range_with_dash("set a timer for 5-10 minutes")]
#[case::range_in_words("set a timer for five or ten minutes")]
#[case::range_of_durations("set a timer for between 5 minutes and 10 minutes")]
#[case::alternative("set a timer for 5 minutes or 10")]
#[case::negation("don't set a timer for 5 minutes")]
#[case::negation_in_two_words("do not set a timer for 5 minutes")]
#[case::never("never set a timer for 5 minutes")]
#[case::no_timer("I want no timer for 5 minutes")]
#[case::cancelled("cancel my 5 minute timer")]
#[case::asked_to_cancel("can you please stop the 10 minute timer")]
#[case::longer("add 5 minutes to my timer")]
#[case::question("how long is left on my 5 minute timer?")]
#[case::question_with_is("is the 5 minute timer still running")]
#[case::question_with_did("did you set the timer for 5 minutes")]
#[case::question_with_name("Jarvis, what is a 5 minute timer?")]
#[case::left("let me know when there are 5 minutes left")]
#[case::event("wake me 10 minutes before sunrise")]
#[case::condition("let me know if it rains in the next 2 hours")]
#[case::repeated("set a timer for 5 minutes every hour")]
#[case::repeated_times("set a timer for 5 minutes 3 times")]
#[case::later("set a timer for 10 minutes at 5 pm")]
#[case::other_day("set a timer for 10 minutes tomorrow")]
#[case::nothing("")]
fn anything_else_is_no_timer(#[case] text: &str) {
    assert_eq!(timer(text), None);
}

#[rstest]
#[case::plain("Stell einen Timer auf zehn Minuten", Some((600, None)))]
#[case::label("Stelle bitte einen Timer für die Nudeln auf 8 Minuten", Some((480, Some("nudeln".to_owned()))))]
#[case::half("Timer auf anderthalb Stunden", Some((5400, None)))]
#[case::wake_me("Weck mich in einer halben Stunde", Some((1800, None)))]
#[case::negation("Stell keinen Timer auf zehn Minuten", None)]
#[case::range("Stell einen Timer auf 5 bis 10 Minuten", None)]
#[case::question("Wie lange läuft der Timer auf zehn Minuten noch", None)]
#[case::repeated("Sag mir alle zehn Minuten Bescheid", None)]
fn german_timer_is_read_the_same_way(#[case] text: &str, #[case] expected: Option<(u64, Option<String>)>) {
    let found = spoken_timer(text, "Jarvis", languages::of_code("de").unwrap());

    assert_eq!(found.map(|timer| (timer.duration_seconds, timer.label)), expected);
}

#[test]
fn language_without_words_for_timers_has_none() {
    let polish = languages::of_code("pl").unwrap();

    assert_eq!(spoken_timer("set a timer for 10 minutes", "Jarvis", polish), None);
}
