//! Profiles: who answers, with which tools, and what the models are asked for it.

use rstest::rstest;
use serde_json::json;
use settings::{Persona, Settings};
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult, Transition};

use crate::fixture::Given;

const STYLES: [(&str, &str); 3] =
    [("developer", "as a developer"), ("business", "about business"), ("life", "about daily life")];

fn profiles(settings: &mut Settings) {
    settings.replying.persona = Persona::Profiles;
}

fn meal_tool() -> ScriptedTool {
    ScriptedTool::new("logMeal", Effect::Writes, json!({ "type": "object" }))
}

fn switching_to(profile: &str) -> ScriptedTool {
    let transition = Some(Transition::SwitchProfile(profile.into()));
    let result = ToolResult { transition, ..ToolResult::done("switched") };
    ScriptedTool::new("switchProfile", Effect::ReadOnly, json!({ "type": "object" }))
        .runs([ToolRun::Returns(result)])
}

/// The profile whose style stands in a request; `none` for one without.
fn style_in(request: &str) -> &'static str {
    STYLES.iter().find(|(_, words)| request.contains(words)).map_or("none", |(name, _)| name)
}

#[rstest]
#[case::chosen(vec![Turn::says("business"), Turn::says("Yes.")], "business")]
#[case::in_a_sentence(vec![Turn::says("The life profile fits."), Turn::says("Yes.")], "life")]
#[case::nonsense_means_the_first(vec![Turn::says("butler"), Turn::says("Yes.")], "developer")]
#[case::no_answer_in_time_means_the_first(vec![Turn::hangs_after(""), Turn::says("Yes.")], "developer")]
#[tokio::test(start_paused = true)]
async fn profile_that_a_model_chooses_answers(#[case] turns: Vec<Turn>, #[case] expected: &str) {
    let seen = Given::asked("shall I sell my shares?", turns).set(profiles).reply().await;

    assert_eq!(seen.line(), r#"asked profile, answer; spoke "Yes."; kept 2"#);
    assert_eq!(style_in(&seen.request(1)), expected);
}

#[tokio::test]
async fn follow_up_keeps_the_profile_where_none_is_chosen() {
    let turns = [Turn::says("life"), Turn::says("An apple."), Turn::says("no idea"), Turn::says("A pear.")];
    let given = Given::asked("what shall I eat?", turns).set(profiles).then("and after that?");

    let seen = given.reply().await;

    assert_eq!(style_in(&seen.request(3)), "life");
    insta::assert_snapshot!("profile_router_of_a_follow_up", seen.request(2));
}

#[rstest]
#[case::life("life", true)]
#[case::business("business", false)]
#[tokio::test]
async fn meals_are_offered_in_life_only(#[case] profile: &'static str, #[case] is_offered: bool) {
    let given = Given::asked("I ate an apple", [Turn::says(profile), Turn::says("Noted.")]);

    let seen = given.set(profiles).tool(meal_tool()).reply().await;

    assert_eq!(seen.request(1).contains("logMeal"), is_offered, "{}", seen.request(1));
}

#[tokio::test]
async fn profile_that_the_user_switched_to_stays_without_another_call() {
    let turns = [
        Turn::says("business"),
        Turn::calls("switchProfile", json!({})),
        Turn::says("As you wish."),
        Turn::says("A walk."),
    ];
    let given = Given::asked("talk to me as in daily life", turns)
        .set(profiles)
        .tool(switching_to("life"))
        .then("what shall I do today?");

    let seen = given.reply().await;

    assert_eq!(seen.line(), r#"asked answer; spoke "A walk."; kept 4"#);
    assert_eq!(style_in(&seen.request(3)), "life");
}

#[tokio::test]
async fn one_persona_asks_for_no_profile_and_offers_no_switch() {
    let given = Given::asked("shall I sell my shares?", [Turn::says("Yes.")]).tool(switching_to("life"));

    let seen = given.reply().await;

    assert_eq!(seen.line(), r#"asked answer; spoke "Yes."; kept 2"#);
    assert_eq!(style_in(&seen.request(0)), "none");
    assert!(!seen.request(0).contains("switchProfile"), "{}", seen.request(0));
}
