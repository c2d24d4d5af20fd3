//! Phrases that start commands of the user.

use std::time::Duration;

use llm::LlmError;
use rstest::rstest;
use settings::{RoutineSettings, Settings};
use testkit::Turn;

use crate::fixture::Given;

fn routine(settings: &mut Settings, name: &str, phrase: &str, commands: &[&str]) {
    let commands = commands.iter().map(|command| (*command).to_owned()).collect();
    let routine = RoutineSettings { phrases: vec![phrase.to_owned()], commands };
    settings.routines.list.insert(name.to_owned(), routine);
}

fn tea(settings: &mut Settings) {
    routine(settings, "tea", "tea time", &["Set a timer for 4 minutes", "What is 12 times 9?"]);
}

fn poem(settings: &mut Settings) {
    routine(settings, "poem", "poem night", &["Tell me a short poem", "What is 12 times 9?"]);
}

fn sums_and_poem(settings: &mut Settings) {
    routine(settings, "poem", "poem night", &["What is 12 times 9?", "Tell me a short poem"]);
}

fn itself(settings: &mut Settings) {
    routine(settings, "itself", "again and again", &["again and again"]);
}

fn asked(text: &'static str, turns: impl IntoIterator<Item = Turn>) -> Given {
    Given::asked(text, turns).built_in()
}

#[rstest]
#[case::commands_that_rules_know(
    asked("It's tea time!", []).set(tea),
    r#"asked nothing; ran settimer succeeded, calculate succeeded; spoke "The timer is running: 4 minutes.\n\n12 × 9 is 108."; kept 2"#
)]
#[case::command_for_a_model(
    asked("Poem night, please.", [Turn::says("Roses are red.")]).set(poem),
    r#"asked answer; ran calculate succeeded; spoke "Roses are red.\n\n12 × 9 is 108."; kept 2"#
)]
#[case::command_that_fails_keeps_no_other_from_being_carried_out(
    asked("Poem night, please.", [Turn::Refuses(LlmError::TimedOut { after: Duration::from_secs(9) })]).set(poem),
    r#"asked answer, answer; ran calculate succeeded; spoke "12 × 9 is 108.\n\nI could not do the rest."; kept 2"#
)]
#[case::phrase_as_command_starts_nothing(
    asked("Again and again", [Turn::says("And again?")]).set(itself),
    r#"asked answer; spoke "And again?"; kept 2"#
)]
#[case::command_without_an_answer_is_told_of(
    asked("Poem night, please.", [Turn::says(""), Turn::says(""), Turn::says("")]).set(sums_and_poem),
    r#"asked answer, answer; ran calculate succeeded; spoke "12 × 9 is 108.\n\nI could not do the rest."; kept 2"#
)]
#[case::phrase_within_another_request(
    asked("Send Anna a message that says tea time", [Turn::says("Fine.")]).set(tea),
    r#"asked answer; spoke "Fine."; kept 2"#
)]
#[case::phrase_that_is_refused(
    asked("Don't start tea time.", [Turn::says("Fine.")]).set(tea),
    r#"asked answer; spoke "Fine."; kept 2"#
)]
#[tokio::test]
async fn phrase_starts_the_commands_of_its_routine(#[case] given: Given, #[case] expected: &str) {
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test]
async fn model_reads_the_command_in_place_of_the_phrase() {
    let seen = asked("Poem night, please.", [Turn::says("Roses are red.")]).set(poem).reply().await;

    assert_eq!(seen.selection, "routine");
    let newest = seen.asked[0].messages.last().unwrap();
    assert!(newest.content.contains("Tell me a short poem"), "{}", newest.content);
    assert!(!newest.content.contains("Poem night"), "{}", newest.content);
}

#[tokio::test]
async fn commands_are_undone_together() {
    let given = asked("Tea time", []).set(tea).then("Undo that").then("Which timers are running?");

    let expected = r#"asked nothing; ran listtimers succeeded; spoke "No timer is running."; kept 6"#;
    assert_eq!(given.reply().await.line(), expected);
}
