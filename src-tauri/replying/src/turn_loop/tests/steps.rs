//! Steps of a plan.

use super::*;

#[test]
fn steps_of_a_plan_run_without_asking_a_small_model() {
    let plan = ["getWeather location='Leeds'", "Reply to the user."];
    let mut turns = TurnLoop::new(start(ToolProtocol::Text, &plan, &["getWeather"]));

    assert_eq!(turns.next(LoopEvent::Begun), LoopEffect::Resolve(vec![plan[0].to_owned()]));
    let Value::Object(arguments) = json!({ "location": "Leeds" }) else { unreachable!("it is an object") };
    let effect = turns.next(LoopEvent::StepsResolved(vec![("getWeather".into(), arguments)]));
    assert!(matches!(effect, LoopEffect::Run { calls, .. } if calls[0].name == "getWeather"));
    assert!(!turns.has_open_work(1));

    assert_eq!(turns.next(LoopEvent::Ran(vec![returned("rain")])), asks(ToolProtocol::Text));
    assert!(last(&turns).ends_with(wording::SYNTHESISE), "{}", last(&turns));
}

#[rstest]
#[case::unreadable(None)]
#[case::not_offered(Some("callMum"))]
#[case::search(Some(SEARCH))]
fn step_that_cannot_run_is_left_to_the_model(#[case] tool: Option<&str>) {
    let plan = ["getWeather", "Reply."];
    let mut turns = TurnLoop::new(start(ToolProtocol::Text, &plan, &["getWeather"]));
    turns.next(LoopEvent::Begun);

    let calls = tool.map(|tool| (tool.to_owned(), Map::new())).into_iter().collect();
    assert_eq!(turns.next(LoopEvent::StepsResolved(calls)), asks(ToolProtocol::Text));
}

#[test]
fn planned_search_for_tools_is_left_to_the_model() {
    let plan = ["toolSearchTool query='weather'", "getWeather", "Reply."];
    let mut turns = TurnLoop::new(start(ToolProtocol::Text, &plan, &["getWeather"]));

    assert_eq!(turns.next(LoopEvent::Begun), asks(ToolProtocol::Text));
    turns.next(calls(vec![call(SEARCH, json!({ "query": "weather" }))]));

    let next = turns.next(LoopEvent::Ran(vec![returned("getWeather: tells the weather")]));
    assert_eq!(next, LoopEffect::Resolve(vec!["getWeather".to_owned()]));
}

#[test]
fn step_whose_call_did_not_run_is_not_tried_again() {
    let plan = ["getWeather days='many'", "getTime", "Reply."];
    let mut turns = TurnLoop::new(start(ToolProtocol::Text, &plan, &["getWeather", "getTime"]));
    turns.next(LoopEvent::Begun);
    turns.next(LoopEvent::StepsResolved(vec![("getWeather".to_owned(), Map::new())]));

    let failed = CallResult { error: Some("days is no number".to_owned()), ..CallResult::default() };
    assert_eq!(turns.next(LoopEvent::Ran(vec![failed])), LoopEffect::Resolve(vec!["getTime".to_owned()]));
    assert!(last(&turns).contains("days is no number"), "{}", last(&turns));
}

#[test]
fn steps_run_at_once_and_are_told_in_the_order_of_the_plan() {
    let plan = ["getWeather", "getTime", "getWeather location='<town>'", "Reply."];
    let mut turns = TurnLoop::new(start(ToolProtocol::Text, &plan, &["getWeather", "getTime"]));
    let step = |tool: &str| (tool.to_owned(), Map::new());

    let left: Vec<String> = plan[..3].iter().map(|step| (*step).to_owned()).collect();
    assert_eq!(turns.next(LoopEvent::Begun), LoopEffect::Resolve(left));
    let effect = turns.next(LoopEvent::StepsResolved(vec![step("getWeather"), step("getTime")]));
    let LoopEffect::Run { calls, .. } = effect else { panic!("{effect:?}") };
    let ids: Vec<&str> = calls.iter().map(|call| call.id.0.as_str()).collect();
    assert_eq!(ids, ["step-1", "step-2"]);

    let failed = CallResult { error: Some("no network".to_owned()), ..CallResult::default() };
    let next = turns.next(LoopEvent::Ran(vec![failed, returned("noon")]));

    assert_eq!(next, LoopEffect::Resolve(vec![plan[2].to_owned()]));
    let told: Vec<&str> = turns.messages()[1..].iter().map(|message| message.content.as_str()).collect();
    assert!(told[0].contains("no network") && told[1].contains("noon"), "{told:?}");
    assert!(told[1].contains("2/3 planned steps executed"), "{told:?}");
}

/// Two steps of a model of this size that run at once.
fn two_steps(size: ModelSize) -> TurnLoop {
    let plan = ["getWeather", "getTime", "Reply."];
    let start = start(ToolProtocol::Text, &plan, &["getWeather", "getTime"]);
    let mut turns = TurnLoop::new(LoopStart { policy: policy(size, ToolProtocol::Text), ..start });
    let step = |tool: &str| (tool.to_owned(), Map::new());
    turns.next(LoopEvent::Begun);
    turns.next(LoopEvent::StepsResolved(vec![step("getWeather"), step("getTime")]));
    turns
}

#[test]
fn what_is_next_is_told_behind_the_last_result_alone() {
    let mut turns = two_steps(ModelSize::Large);

    turns.next(LoopEvent::Ran(vec![returned("rain"), returned("noon")]));

    assert_eq!(turns.messages()[1].content, "[Tool result: getWeather]\nrain");
    assert!(last(&turns).ends_with(wording::SYNTHESISE), "{}", last(&turns));
}

#[test]
fn what_is_next_is_told_even_if_the_last_step_failed() {
    let mut turns = two_steps(ModelSize::Large);

    let failed = CallResult { error: Some("no clock".to_owned()), ..CallResult::default() };
    turns.next(LoopEvent::Ran(vec![returned("rain"), failed]));

    assert_eq!(turns.messages()[1].content, "[Tool result: getWeather]\nrain");
    assert_eq!(last(&turns), format!("[Tool error: getTime] no clock\n\n{}", wording::SYNTHESISE));
}

#[test]
fn step_that_lacks_something_is_asked_about_whatever_ran_beside_it() {
    let mut turns = two_steps(ModelSize::Small);

    let lacking = CallResult { undone: Some(UserRefusal::Incomplete), ..CallResult::default() };
    let told = CallResult { answer: Some("It is noon.".to_owned()), ..returned("noon") };
    let next = turns.next(LoopEvent::Ran(vec![lacking, told]));

    assert_eq!(next, worded(Words::Incomplete(vec!["It is noon.".to_owned()])));
}

#[test]
fn same_step_runs_once_at_a_time() {
    let plan = ["getWeather", "getWeather", "Reply."];
    let mut turns = TurnLoop::new(start(ToolProtocol::Text, &plan, &["getWeather"]));
    let step = || ("getWeather".to_owned(), Map::new());
    turns.next(LoopEvent::Begun);

    let effect = turns.next(LoopEvent::StepsResolved(vec![step(), step()]));

    assert!(matches!(effect, LoopEffect::Run { calls, .. } if calls.len() == 1));
}
