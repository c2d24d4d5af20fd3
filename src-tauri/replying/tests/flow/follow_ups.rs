//! Short requests that go on with the last one: answered by the tools, without a model. The clock runs: the tools wait for a
//! real database.

use rstest::rstest;
use serde_json::json;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

fn asked(text: &'static str) -> Given {
    Given::asked(text, [Turn::says("I am a model.")]).built_in()
}

#[rstest]
#[case::another_base(
    asked("What is 15 percent of 240?").then("And of 260?"),
    r#"asked nothing; ran calculate succeeded; spoke "15% of 260 is 39."; kept 4"#
)]
#[case::another_place(
    asked("What time is it in Rome?").then("And in Oslo?"),
    r#"asked nothing; ran gettime succeeded; spoke "It is 7:53 pm in Oslo."; kept 4"#
)]
#[case::another_place_twice(
    asked("What time is it in Rome?").then("And in Oslo?").then("And in Tokyo?"),
    r#"asked nothing; ran gettime succeeded; spoke "It is 2:53 am on Tuesday in Tokyo."; kept 6"#
)]
#[case::another_language(
    asked("What time is it in Oslo?").then("In German please"),
    r#"asked nothing; ran gettime succeeded; spoke "In Oslo ist es 19:53."; kept 4"#
)]
#[case::in_german(
    asked("Wie spät ist es in Rom?").then("Und in Oslo?"),
    r#"asked nothing; ran gettime succeeded; spoke "In Oslo ist es 19:53."; kept 4"#
)]
#[case::longer(
    asked("Set a timer for ten minutes").then("Make it twelve"),
    r#"asked nothing; ran settimer succeeded, takeback succeeded; spoke "The timer is running: 12 minutes."; kept 4"#
)]
#[case::longer_in_italian(
    asked("Metti un timer di dieci minuti").then("Fallo di quindici"),
    r#"asked nothing; ran settimer succeeded, takeback succeeded; spoke "Il timer è partito: 15 minuti."; kept 4"#
)]
#[case::longer_in_swedish(
    asked("Sätt en timer på tio minuter").then("Gör den till femton"),
    r#"asked nothing; ran settimer succeeded, takeback succeeded; spoke "Timern går: 15 minuter."; kept 4"#
)]
#[case::longer_leaves_one_timer(
    asked("Set a timer for ten minutes").then("Make it twelve").then("Which timers are running?"),
    r#"asked nothing; ran listtimers succeeded; spoke "12 minutes left on the timer."; kept 6"#
)]
#[case::another_timer(
    asked("Set a timer for ten minutes").then("Another one for the rice"),
    r#"asked nothing; ran settimer succeeded; spoke "The timer “rice” is running: 10 minutes."; kept 4"#
)]
#[case::when_it_rings(
    asked("Set a timer for ten minutes").then("When does it ring?"),
    r#"asked nothing; ran listtimers succeeded; spoke "10 minutes left on the timer."; kept 4"#
)]
#[case::cancelled(
    asked("Set a timer for ten minutes").then("Cancel that"),
    r#"asked nothing; ran takeback succeeded; spoke "The timer is cancelled."; kept 4"#
)]
#[case::cancelled_is_gone(
    asked("Set a timer for ten minutes").then("Cancel that").then("Which timers are running?"),
    r#"asked nothing; ran listtimers succeeded; spoke "No timer is running."; kept 6"#
)]
#[case::the_last_one_is_cancelled(
    asked("Set a timer for ten minutes").then("Another one for the rice").then("Cancel that").then("Which timers are running?"),
    r#"asked nothing; ran listtimers succeeded; spoke "10 minutes left on the timer."; kept 8"#
)]
#[case::one_of_several_timers_is_asked_for(
    asked("Set a timer for ten minutes for the tea").then("Another one for the rice").then("Which timers are running?").then("Cancel that"),
    r#"asked nothing; ran canceltimer failed; spoke "Several timers are running: tea, rice. Which one?"; kept 8"#
)]
#[case::first_words_of_the_readme(
    asked("Set a timer for ten minutes").then("And another one for the rice").then("Cancel that").then("How long is left?"),
    r#"asked nothing; ran listtimers succeeded; spoke "10 minutes left on the timer."; kept 8"#
)]
#[case::longer_after_thanks(
    asked("Set a timer for ten minutes").then("Thanks.").then("Make it twelve"),
    r#"asked nothing; ran settimer succeeded, takeback succeeded; spoke "The timer is running: 12 minutes."; kept 4"#
)]
#[case::cancelled_after_typed_thanks(
    asked("Set a timer for ten minutes").typed().then("Thank you").then("Cancel that"),
    r#"asked nothing; ran takeback succeeded; showed "The timer is cancelled."; kept 6"#
)]
#[case::change_is_taken_back(
    asked("Set a timer for ten minutes").then("Add five minutes to the timer").then("Cancel that").then("How long is left?"),
    r#"asked nothing; ran listtimers succeeded; spoke "10 minutes left on the timer."; kept 8"#
)]
#[case::when_a_changed_timer_rings(
    asked("Set a timer for ten minutes").then("Add five minutes to the timer").then("When does it ring?"),
    r#"asked nothing; ran listtimers succeeded; spoke "15 minutes left on the timer."; kept 6"#
)]
#[case::other_change_of_a_timer(
    asked("Set a timer for ten minutes").then("Add five minutes to the timer").then("Make it ten"),
    r#"asked nothing; ran changetimer succeeded; spoke "20 minutes left on the timer."; kept 6"#
)]
#[case::other_change_of_a_timer_twice(
    asked("Set a timer for ten minutes").then("Add five minutes to the timer").then("Make it ten").then("No, make it two"),
    r#"asked nothing; ran changetimer succeeded; spoke "12 minutes left on the timer."; kept 8"#
)]
#[case::other_change_of_one_of_two_timers(
    asked("Set a timer for ten minutes").then("Set a timer for 20 minutes").then("Add five minutes to the ten minute timer").then("Make it ten"),
    r#"asked nothing; ran changetimer succeeded; spoke "20 minutes left on the timer."; kept 8"#
)]
#[case::change_that_lacks_its_duration(
    asked("Set a timer for ten minutes").then("Extend the timer"),
    r#"asked nothing; spoke "By how much?"; kept 4"#
)]
#[case::plain_number_behind_by_how_much(
    asked("Set a timer for ten minutes").then("Extend the timer").then("Five"),
    r#"asked nothing; ran changetimer succeeded; spoke "15 minutes left on the timer."; kept 6"#
)]
#[case::duration_behind_by_how_much(
    asked("Set a timer for ten minutes").then("Extend the timer").then("By ninety seconds"),
    r#"asked nothing; ran changetimer succeeded; spoke "11 minutes and 30 seconds left on the timer."; kept 6"#
)]
#[case::plain_number_behind_by_how_much_in_german(
    asked("Stell einen Timer auf zehn Minuten").then("Verlängere den Timer").then("Um fünf"),
    r#"asked nothing; ran changetimer succeeded; spoke "Auf dem Timer: noch 15 Minuten."; kept 6"#
)]
#[case::when_two_timers_ring(
    asked("Set a timer for 5 minutes and another one for 10 minutes").then("When does it ring?"),
    r#"asked nothing; ran listtimers succeeded; spoke "5 minutes left on the timer. 10 minutes left on the timer."; kept 4"#
)]
#[case::one_of_two_timers_is_named_by_its_duration(
    asked("Set a timer for ten minutes").then("Set a timer for 5 minutes").then("Pause the timer").then("The five minute timer"),
    r#"asked nothing; ran changetimer succeeded; spoke "The timer is paused, with 5 minutes left."; kept 8"#
)]
#[case::one_of_two_timers_is_named_in_german(
    asked("Stell einen Timer auf zehn Minuten").then("Stell einen Timer auf fünf Minuten").then("Lösch den Timer").then("Den mit fünf Minuten"),
    r#"asked nothing; ran canceltimer succeeded; spoke "Der Timer ist gelöscht."; kept 8"#
)]
#[case::one_of_two_timers_is_named_by_its_name(
    asked("Set a rice timer for ten minutes").then("Set a tea timer for 5 minutes").then("Cancel the timer").then("The rice one"),
    r#"asked nothing; ran canceltimer succeeded; spoke "The timer “rice” is cancelled."; kept 8"#
)]
#[case::one_of_two_alarms_is_named_by_its_time(
    asked("Set an alarm for half past six").then("Set an alarm for 9 pm").then("Delete the alarm").then("The one at nine"),
    r#"asked nothing; ran cancelreminder succeeded; spoke "“Monday, 15 September 2025, 9:00 pm” is cancelled."; kept 8"#
)]
#[case::both_timers_are_cancelled(
    asked("Set a rice timer for ten minutes").then("Set a tea timer for 5 minutes").then("Cancel the timer").then("Both of them").then("Which timers are running?"),
    r#"asked nothing; ran listtimers succeeded; spoke "No timer is running."; kept 10"#
)]
#[case::all_that_were_named_are_cancelled(
    asked("Set a rice timer for ten minutes").then("Set a tea timer for 5 minutes").then("Cancel the timer").then("All of them"),
    r#"asked nothing; ran canceltimer succeeded; spoke "All timers are cancelled."; kept 8"#
)]
#[case::three_of_two_timers_are_asked_about_again(
    asked("Set a rice timer for ten minutes").then("Set a tea timer for 5 minutes").then("Cancel the timer").then("All three"),
    r#"asked nothing; spoke "Several timers are running: tea, rice. Which one?"; kept 8"#
)]
#[case::one_timer_after_a_wrong_number(
    asked("Set a rice timer for ten minutes").then("Set a tea timer for 5 minutes").then("Cancel the timer").then("All three").then("The rice one"),
    r#"asked nothing; ran canceltimer succeeded; spoke "The timer “rice” is cancelled."; kept 10"#
)]
#[case::first_of_two_timers_in_the_order_of_the_question(
    asked("Set a rice timer for ten minutes").then("Set a tea timer for 5 minutes").then("Cancel the timer").then("The first one"),
    r#"asked nothing; ran canceltimer succeeded; spoke "The timer “tea” is cancelled."; kept 8"#
)]
#[case::last_of_two_timers_of_the_same_duration_without_a_name(
    asked("Set a timer for ten minutes").then("Set a timer for ten minutes").then("Pause the timer").then("The last one").then("Which timers are running?"),
    r#"asked nothing; ran listtimers succeeded; spoke "10 minutes left on the timer. The timer is paused, with 10 minutes left."; kept 10"#
)]
#[case::second_of_two_alarms_in_german(
    asked("Stell einen Wecker auf 19 Uhr").then("Stell einen Wecker auf 21 Uhr").then("Lösch den Wecker").then("Den zweiten").then("Welche Wecker sind gestellt?"),
    r#"asked nothing; ran listreminders succeeded; spoke "Montag, 15. September 2025, 19:00."; kept 10"#
)]
#[case::neither_of_two_timers(
    asked("Set a rice timer for ten minutes").then("Set a tea timer for 5 minutes").then("Cancel the timer").then("Neither of them"),
    r#"asked answer; spoke "I am a model."; kept 8"#
)]
#[case::one_of_two_things_on_a_list(
    asked("Put white bread and rye bread on the shopping list").then("Cross bread off my shopping list").then("The rye one"),
    r#"asked nothing; ran finishtodo succeeded; spoke "“rye bread” is done."; kept 6"#
)]
#[case::new_request_after_a_question(
    asked("Set a timer for ten minutes").then("Set a timer for 5 minutes").then("Pause the timer").then("Set a timer for 3 minutes"),
    r#"asked nothing; ran settimer succeeded; spoke "The timer is running: 3 minutes."; kept 8"#
)]
#[case::thing_to_buy_is_taken_off(
    asked("Put milk on the shopping list").then("Delete that"),
    r#"asked nothing; ran takeback succeeded; spoke "“milk” is no longer on your shopping list."; kept 4"#
)]
#[case::alarm_of_another_day_stays(
    asked("Set an alarm for Friday at seven").then("Turn off my alarm for tomorrow"),
    r#"asked nothing; ran cancelreminder failed; spoke "There is no alarm for Tuesday, 16 September 2025. Set: Friday, 19 September 2025, 7:00 am."; kept 4"#
)]
#[case::only_alarm_is_turned_off(
    asked("Set an alarm for 9 pm").then("Turn off the alarm"),
    r#"asked nothing; ran cancelreminder succeeded; spoke "“Monday, 15 September 2025, 9:00 pm” is cancelled."; kept 4"#
)]
#[case::one_of_two_alarms_is_stopped(
    asked("Set an alarm for 9 pm").then("Set an alarm for 11 pm").then("Stop the alarm").then("The first one"),
    r#"asked nothing; ran cancelreminder succeeded; spoke "“Monday, 15 September 2025, 9:00 pm” is cancelled."; kept 8"#
)]
#[case::no_alarm_to_turn_off(
    asked("Turn off the alarm"),
    r#"asked nothing; ran cancelreminder failed; spoke "No alarm is set."; kept 2"#
)]
#[case::reminder_is_no_alarm(
    asked("Remind me at 9 pm to call Ann").then("Delete the alarm"),
    r#"asked nothing; ran cancelreminder failed; spoke "No alarm is set."; kept 4"#
)]
#[case::undone(
    asked("Set a timer for ten minutes").then("Undo that"),
    r#"asked nothing; ran takeback succeeded; spoke "That is gone again."; kept 4"#
)]
#[case::undone_after_another_question(
    asked("Put milk on the shopping list").then("What time is it in Rome?").then("Please undo the last change"),
    r#"asked nothing; ran takeback succeeded; spoke "“milk” is gone again."; kept 6"#
)]
#[case::undone_in_german(
    asked("Stell einen Timer namens Tee auf zehn Minuten").then("Wie spät ist es in Rom?").then("Mach das rückgängig"),
    r#"asked nothing; ran takeback succeeded; spoke "„Tee“ ist wieder weg."; kept 6"#
)]
#[case::nothing_to_undo(
    asked("What time is it in Rome?").then("Undo that"),
    r#"asked nothing; ran takeback failed; spoke "There is nothing to undo: I have changed nothing here in the last ten minutes."; kept 4"#
)]
#[tokio::test]
async fn short_request_goes_on_with_the_last_call(#[case] given: Given, #[case] expected: &str) {
    assert_eq!(given.reply().await.line(), expected);
}

#[rstest]
#[case::nothing_before(asked("And in Oslo?"))]
#[case::place_for_a_sum(asked("What is 15 percent of 240?").then("And in Oslo?"))]
#[case::mass_for_a_length(asked("Convert 5 miles to kilometres").then("And 20 pounds?"))]
#[case::answered_before_is_over(
    Given::asked("Set a timer for ten minutes", [Turn::says("Gladly."), Turn::says("I am a model.")])
        .built_in()
        .then("You are very kind")
        .then("Cancel that")
)]
#[tokio::test]
async fn request_that_fits_no_last_call_is_left_to_the_model(#[case] given: Given) {
    let line = given.reply().await.line();

    assert!(line.contains("I am a model."), "{line}");
    assert!(!line.contains("ran "), "{line}");
}

#[tokio::test]
async fn replaced_timer_is_asked_about_if_the_settings_say_so() {
    let given = asked("Set a timer for ten minutes")
        .set(|settings| settings.tools.denied = vec!["takeBack".into()])
        .then("Make it twelve");

    let expected = r#"asked nothing; ran settimer succeeded, takeback denied; spoke "The timer is running: 12 minutes. I could not do the rest."; kept 4"#;
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test]
async fn call_of_a_model_is_gone_on_with_if_its_tool_answers_itself() {
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    let answers = ["Rain in Leeds.", "Snow in Oslo."];
    let runs = answers.map(|answer| ToolRun::Returns(ToolResult::done(answer).answering(answer)));
    let weather = ScriptedTool::new("getWeather", Effect::Network, parameters).runs(runs);
    let turns = [Turn::calls("getWeather", json!({ "location": "Leeds" })), Turn::says("Rain.")];
    let given = Given::asked("Do I need a coat in Leeds?", turns)
        .tool(weather)
        .set(|settings| settings.replying.fast_path = true)
        .then("And in Oslo?");

    let expected = r#"asked nothing; ran getweather succeeded; spoke "Snow in Oslo."; kept 4"#;
    assert_eq!(given.reply().await.line(), expected);
}
