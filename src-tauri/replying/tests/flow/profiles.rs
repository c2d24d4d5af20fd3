//! Profiles: who answers, with which tools, and what the models are asked for it.

use llm::{ToolCall, ToolCallId};
use rstest::rstest;
use serde_json::json;
use settings::{Persona, SelectionStrategy, Settings};
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

#[rstest]
#[case::to_life("business", "life", true)]
#[case::to_business("life", "business", false)]
#[tokio::test]
async fn switch_of_the_profile_goes_on_with_its_manner_and_its_tools(
    #[case] before: &'static str,
    #[case] after: &'static str,
    #[case] has_meals: bool,
) {
    let turns = [Turn::says(before), Turn::calls("switchProfile", json!({})), Turn::says("Eat an apple.")];
    let given = Given::asked("switch the profile and tell me what to eat", turns).set(profiles);

    let seen = given.tool(switching_to(after)).tool(meal_tool()).reply().await;

    assert_eq!(style_in(&seen.request(1)), before);
    assert_eq!(style_in(&seen.request(2)), after);
    assert_eq!(seen.request(1).contains("logMeal"), !has_meals, "{}", seen.request(1));
    assert_eq!(seen.request(2).contains("logMeal"), has_meals, "{}", seen.request(2));
    assert_eq!(seen.profile.as_deref(), Some(after));
    assert!(seen.line().contains(r#"spoke "Eat an apple.""#), "{}", seen.line());
}

#[tokio::test]
async fn tool_that_the_last_reply_left_undone_is_offered_after_a_switch() {
    let turns = [
        Turn::says("life"),
        Turn::calls("logMeal", json!({})),
        Turn::says("It did not work."),
        Turn::says("business"),
        Turn::calls("switchProfile", json!({})),
        Turn::calls("logMeal", json!({})),
        Turn::says("It is noted."),
    ];
    let runs = [ToolResult::failed("no meal was named"), ToolResult::done("noted")].map(ToolRun::Returns);
    let given = Given::asked("log the meal: an apple", turns).set(|settings| {
        profiles(settings);
        settings.tools.selection_strategy = SelectionStrategy::Hybrid;
    });
    let given = given.tool(meal_tool().described("Logs a meal.").runs(runs)).tool(switching_to("life"));

    let seen = given.then("switch the profile").reply().await;

    assert!(seen.line().contains("logmeal succeeded"), "{}", seen.line());
}

#[tokio::test]
async fn tool_that_was_found_before_a_switch_is_offered_behind_it() {
    let found = Some(Transition::OfferTools(vec!["logMeal".to_owned()]));
    let search = ScriptedTool::new("toolSearchTool", Effect::ReadOnly, json!({ "type": "object" }))
        .runs([ToolRun::Returns(ToolResult { transition: found, ..ToolResult::done("found") })]);
    let turns = [
        Turn::says("business"),
        Turn::calls("toolSearchTool", json!({})),
        Turn::calls("switchProfile", json!({})),
        Turn::says("Eat an apple."),
    ];
    let given = Given::asked("switch the profile", turns).set(|settings| {
        profiles(settings);
        settings.tools.selection_strategy = SelectionStrategy::Hybrid;
    });

    let seen = given.tool(search).tool(switching_to("life")).tool(meal_tool()).reply().await;

    assert!(!seen.request(2).contains("\nlogMeal"), "{}", seen.request(2));
    assert!(seen.request(3).contains("\nlogMeal"), "{}", seen.request(3));
}

#[tokio::test]
async fn tool_of_an_earlier_reply_is_offered_again_behind_a_switch() {
    let turns = [
        Turn::says("life"),
        Turn::says("Noted."),
        Turn::says("business"),
        Turn::calls("switchProfile", json!({})),
        Turn::says("As you wish."),
    ];
    let given = Given::asked("log the meal: an apple", turns).set(|settings| {
        profiles(settings);
        settings.tools.selection_strategy = SelectionStrategy::Hybrid;
    });
    let given = given.tool(meal_tool().described("Logs a meal.")).tool(switching_to("life"));

    let seen = given.then("switch the profile").reply().await;

    assert!(!seen.request(3).contains("\nlogMeal"), "{}", seen.request(3));
    assert!(seen.request(4).contains("\nlogMeal"), "{}", seen.request(4));
}

#[tokio::test]
async fn calls_beside_a_switch_are_not_made_again() {
    let calls = ["switchProfile", "addTodo"].map(|name| ToolCall {
        id: ToolCallId(format!("call-of-{name}")),
        name: name.to_owned(),
        arguments: json!({}),
    });
    let turns =
        [Turn::says("business"), Turn::Calls(Vec::new(), calls.to_vec()), Turn::says("Milk is on it.")];
    let given = Given::asked("put milk on my list and talk as in daily life", turns).set(profiles);
    let todo = ScriptedTool::reading("addTodo");

    let seen = given.tool(switching_to("life")).tool(todo).reply().await;

    assert_eq!(style_in(&seen.request(2)), "life");
    assert!(seen.request(2).contains("-> addTodo"), "{}", seen.request(2));
}

#[tokio::test]
async fn switch_to_a_profile_that_is_not_active_changes_nothing() {
    let turns = [Turn::says("life"), Turn::calls("switchProfile", json!({})), Turn::says("As you wish.")];
    let given = Given::asked("be a developer", turns).set(|settings| {
        profiles(settings);
        settings.replying.profiles.retain(|profile| profile.value() != "developer");
    });

    let seen = given.tool(switching_to("developer")).reply().await;

    assert_eq!(style_in(&seen.request(2)), "life");
    assert_eq!(seen.profile.as_deref(), Some("life"));
}

#[tokio::test]
async fn model_that_switches_for_ever_runs_out_of_turns() {
    let switch = |to: &str| Turn::calls("switchProfile", json!({ "profile": to }));
    let turns = [Turn::says("life"), switch("business"), switch("life"), switch("business"), switch("life")];
    let back_and_forth = ["business", "life", "business", "life"].map(|profile| {
        let transition = Some(Transition::SwitchProfile(profile.into()));
        ToolRun::Returns(ToolResult { transition, success: true, ..ToolResult::default() })
    });
    let tool = ScriptedTool::new("switchProfile", Effect::ReadOnly, json!({ "type": "object" }));
    let given = Given::asked("talk to me in another manner", turns).set(|settings| {
        profiles(settings);
        settings.replying.max_turns = 4;
    });

    let seen = given.tool(tool.runs(back_and_forth)).reply().await;

    let styles: Vec<&str> = (1..5).map(|request| style_in(&seen.request(request))).collect();
    assert_eq!(styles, ["life", "business", "life", "life"], "two results of one tool are enough");
    assert!(seen.line().contains("more steps than I may take"), "{}", seen.line());
}

#[tokio::test]
async fn reply_ends_when_too_many_profiles_took_over() {
    // Two results of one tool are enough, so that ten tools switch twenty times.
    let tools: Vec<String> = (0..10).map(|number| format!("switchProfile{number}")).collect();
    let switches = (0..20).map(|number| Turn::calls(&tools[number / 2], json!({ "number": number })));
    let turns: Vec<Turn> =
        [Turn::says("life")].into_iter().chain(switches).chain([Turn::says("I changed often.")]).collect();
    let mut given = Given::asked("talk to me in another manner", turns).set(|settings| {
        profiles(settings);
        settings.replying.max_turns = 30;
    });
    for name in &tools {
        let back_and_forth = ["business", "life"].map(|profile| {
            let transition = Some(Transition::SwitchProfile(profile.into()));
            ToolRun::Returns(ToolResult { transition, success: true, ..ToolResult::default() })
        });
        let tool = ScriptedTool::new(name, Effect::ReadOnly, json!({ "type": "object" }));
        given = given.tool(tool.runs(back_and_forth));
    }

    let seen = given.reply().await;

    let line = seen.line();
    assert_eq!(line.matches(", answer").count(), 20, "{line}");
    assert!(line.contains("max_turn_digest") && line.contains(r#"spoke "I changed often.""#), "{line}");
}

#[tokio::test]
async fn one_persona_asks_for_no_profile_and_offers_no_switch() {
    let given = Given::asked("shall I sell my shares?", [Turn::says("Yes.")]).tool(switching_to("life"));

    let seen = given.reply().await;

    assert_eq!(seen.line(), r#"asked answer; spoke "Yes."; kept 2"#);
    assert_eq!(style_in(&seen.request(0)), "none");
    assert!(!seen.request(0).contains("switchProfile"), "{}", seen.request(0));
}
