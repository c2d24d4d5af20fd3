use llm::ModelSize;
use rstest::rstest;
use serde_json::json;
use settings::{ProtocolChoice, Settings};

use super::*;
use crate::config::ReplyingConfig;

mod steps; // of a plan

fn policy(size: ModelSize, protocol: ToolProtocol) -> ModelPolicy {
    let config = ReplyingConfig::try_from(&Settings::default()).unwrap();
    let tool_protocol = match protocol {
        ToolProtocol::Native => ProtocolChoice::Native,
        ToolProtocol::Text => ProtocolChoice::Text,
        ToolProtocol::Constrained => ProtocolChoice::Constrained,
        ToolProtocol::JsonHints => ProtocolChoice::JsonHints,
    };
    let config = ReplyingConfig { tool_protocol, ..config };
    ModelPolicy::new(&config, size)
}

fn start(protocol: ToolProtocol, plan: &[&str], tools: &[&str]) -> LoopStart {
    LoopStart {
        limits: LoopLimits { turns: 4, searches: 1, retries_plainly: true },
        policy: policy(ModelSize::Large, protocol),
        plan: Plan::from_steps(plan.iter().map(|step| (*step).to_owned())),
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        parts: None,
        said: String::new(),
        first: None,
        language: None,
        is_tainted: false,
    }
}

fn native(tools: &[&str]) -> TurnLoop {
    TurnLoop::new(start(ToolProtocol::Native, &[], tools))
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: ToolCallId(format!("id-{name}")), name: name.to_owned(), arguments }
}

fn calls(calls: Vec<ToolCall>) -> LoopEvent {
    LoopEvent::Answered(ModelAnswer { calls, ..ModelAnswer::default() })
}

fn says(text: &str) -> LoopEvent {
    let said = VisibleText::Text(text.to_owned());
    LoopEvent::Answered(ModelAnswer { content: text.to_owned(), said, ..ModelAnswer::default() })
}

fn returned(text: &str) -> CallResult {
    CallResult { text: Some(text.to_owned()), success: true, ..CallResult::default() }
}

fn runs(calls: Vec<ToolCall>) -> LoopEffect {
    LoopEffect::Run { calls, taint: Taint::Clean }
}

fn asks(protocol: ToolProtocol) -> LoopEffect {
    LoopEffect::Ask { protocol: Some(protocol) }
}

fn last(turns: &TurnLoop) -> String {
    turns.messages().last().map(|message| message.content.clone()).unwrap_or_default()
}

#[test]
fn answer_ends_the_loop() {
    let mut turns = native(&[]);

    assert_eq!(turns.next(LoopEvent::Begun), asks(ToolProtocol::Native));
    assert_eq!(turns.next(says("Noon.")), LoopEffect::End(LoopEnd::Said("Noon.".into())));
}

#[test]
fn all_calls_of_an_answer_run_and_their_results_follow_in_order() {
    let mut turns = native(&["getWeather", "getTime"]);
    turns.next(LoopEvent::Begun);
    let both = vec![call("getWeather", json!({})), call("getTime", json!({}))];

    assert_eq!(turns.next(calls(both.clone())), runs(both));
    assert_eq!(
        turns.next(LoopEvent::Ran(vec![returned("rain"), returned("noon")])),
        asks(ToolProtocol::Native)
    );

    let told: Vec<&str> = turns.messages().iter().map(|message| message.content.as_str()).collect();
    assert_eq!(told, ["", "rain", "noon"]);
}

#[rstest]
#[case::not_offered("callMum", json!({}), "there is no such tool")]
#[case::same_call("getWeather", json!({ "b": 2, "a": 1 }), "made already")]
fn refused_call_is_explained(#[case] name: &str, #[case] arguments: Value, #[case] expected: &str) {
    let mut turns = native(&["getWeather"]);
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call("getWeather", json!({ "a": 1, "b": 2 }))]));
    turns.next(LoopEvent::Ran(vec![returned("rain")]));

    assert_eq!(turns.next(calls(vec![call(name, arguments)])), asks(ToolProtocol::Native));
    assert!(last(&turns).contains(expected), "{}", last(&turns));
    assert!(turns.messages().last().is_some_and(|message| message.tool_failed));
}

#[test]
fn third_result_of_one_tool_is_refused() {
    let mut turns = native(&["getWeather"]);
    turns.next(LoopEvent::Begun);
    for town in ["Leeds", "York"] {
        turns.next(calls(vec![call("getWeather", json!({ "location": town }))]));
        turns.next(LoopEvent::Ran(vec![returned("rain")]));
    }

    turns.next(calls(vec![call("getWeather", json!({ "location": "Hull" }))]));

    assert!(last(&turns).contains("answered 2 times"), "{}", last(&turns));
}

#[test]
fn search_offers_more_tools_and_has_a_limit_of_its_own() {
    let mut turns = native(&[]);
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call(SEARCH, json!({ "query": "weather" }))]));
    let found = CallResult { offered: vec!["getWeather".into()], ..returned("getWeather: the weather") };
    turns.next(LoopEvent::Ran(vec![found]));

    turns.next(calls(vec![call(SEARCH, json!({ "query": "rain" }))]));

    assert_eq!(turns.tools(), ["getWeather"]);
    assert!(last(&turns).contains("searched for tools often enough"), "{}", last(&turns));
}

#[test]
fn stop_ends_the_reply_in_silence() {
    let mut turns = native(&[]);
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call(STOP, json!({}))]));

    let stopped = CallResult { stops: true, ..CallResult::default() };
    assert_eq!(turns.next(LoopEvent::Ran(vec![stopped])), LoopEffect::End(LoopEnd::Silenced));
}

#[test]
fn rejected_tools_are_described_in_text_from_then_on() {
    let mut turns = native(&["getWeather"]);
    turns.next(LoopEvent::Begun);

    assert_eq!(turns.next(LoopEvent::ToolsRejected), asks(ToolProtocol::Text));
    turns.next(calls(vec![call("getWeather", json!({}))]));
    turns.next(LoopEvent::Ran(vec![returned("rain")]));

    assert_eq!(turns.messages()[1].role, llm::Role::User);
    assert!(last(&turns).starts_with("[Tool result: getWeather]\nrain\n"), "{}", last(&turns));
}

#[test]
fn empty_answer_is_asked_for_once_more_without_tools() {
    let mut turns = native(&["getWeather"]);
    turns.next(LoopEvent::Begun);
    let nothing = || LoopEvent::Answered(ModelAnswer::default());

    assert_eq!(turns.next(nothing()), LoopEffect::Ask { protocol: None });
    assert_eq!(turns.next(nothing()), LoopEffect::End(LoopEnd::Empty));
}

#[test]
fn silence_after_results_is_answered_with_a_request_for_the_answer() {
    let mut turns = native(&["getWeather"]);
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call("getWeather", json!({}))]));
    turns.next(LoopEvent::Ran(vec![returned("rain")]));

    assert_eq!(turns.next(LoopEvent::Answered(ModelAnswer::default())), LoopEffect::Ask { protocol: None });
    assert_eq!(last(&turns), wording::ANSWER_NOW);
}

#[test]
fn thinking_alone_takes_a_turn_and_stays_in_the_dialogue_with_the_model() {
    let mut turns = native(&[]);
    turns.next(LoopEvent::Begun);
    let thought = ModelAnswer { thinking: Some("hm".into()), ..ModelAnswer::default() };

    assert_eq!(turns.next(LoopEvent::Answered(thought)), asks(ToolProtocol::Native));
    assert_eq!(turns.turn(), 2);
    assert_eq!(turns.messages()[0].thinking.as_deref(), Some("hm"));
}

#[test]
fn turns_are_limited() {
    let mut turns = native(&["getWeather"]);
    turns.next(LoopEvent::Begun);
    let mut effect = runs(Vec::new());
    for number in 0..4 {
        turns.next(calls(vec![call("nothing", json!({ "n": number }))]));
        effect = turns.next(calls(vec![call("nothing", json!({ "m": number }))]));
    }

    assert_eq!(effect, LoopEffect::Digest);
    assert_eq!(turns.next(LoopEvent::Digested(None)), LoopEffect::End(LoopEnd::OutOfTurns));
}

#[test]
fn profiles_of_one_reply_are_limited() {
    let mut turns = native(&["switchProfile"]);
    turns.next(LoopEvent::Begun);
    for _ in 1..LoopLimits::PROFILES {
        assert!(turns.may_change_profile());
        turns.change_profile(Vec::new(), |_| true);
    }

    assert!(!turns.may_change_profile());
    assert_eq!(turns.next(LoopEvent::ProfilesUsedUp), LoopEffect::End(LoopEnd::OutOfTurns));
}

#[test]
fn second_part_of_a_request_is_asked_for() {
    let parts = Some(("the weather in Leeds".to_owned(), "the time in Tokyo".to_owned()));
    let mut turns =
        TurnLoop::new(LoopStart { parts, ..start(ToolProtocol::Text, &[], &["getWeather", "getTime"]) });
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call("getWeather", json!({}))]));
    turns.next(LoopEvent::Ran(vec![returned("rain")]));

    assert!(last(&turns).contains("the time in Tokyo"), "{}", last(&turns));
    turns.next(calls(vec![call("getTime", json!({}))]));
    turns.next(LoopEvent::Ran(vec![returned("noon")]));
    assert!(last(&turns).ends_with(wording::CALL_OR_ANSWER), "{}", last(&turns));
}

#[rstest]
#[case::native(ToolProtocol::Native, "Error: no network")]
#[case::text(ToolProtocol::Text, "[Tool error: getWeather] no network")]
fn failed_call_is_told_and_marked(#[case] protocol: ToolProtocol, #[case] expected: &str) {
    let mut turns = TurnLoop::new(start(protocol, &[], &["getWeather"]));
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call("getWeather", json!({}))]));
    let failed = CallResult { error: Some("no network".into()), ..CallResult::default() };
    turns.next(LoopEvent::Ran(vec![failed]));

    assert_eq!(last(&turns), expected);
    assert!(turns.messages().last().is_some_and(|message| message.tool_failed));
    assert!(!turns.has_results());
}

fn small(protocol: ToolProtocol) -> TurnLoop {
    let policy = policy(ModelSize::Small, protocol);
    let mut turns = TurnLoop::new(LoopStart { policy, ..start(protocol, &[], &["setTimer"]) });
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call("setTimer", json!({}))]));
    turns
}

fn worded(words: Words) -> LoopEffect {
    LoopEffect::End(LoopEnd::Worded(words))
}

#[rstest]
#[case::answered(
    CallResult { answer: Some("It is set.".into()), ..returned("set") },
    Some(Words::Answers("It is set.".into()))
)]
#[case::not_allowed(CallResult { undone: Some(UserRefusal::Denied), ..CallResult::default() }, Some(Words::Undone))]
#[case::incomplete(
    CallResult { undone: Some(UserRefusal::Incomplete), ..CallResult::default() },
    Some(Words::Incomplete(Vec::new()))
)]
#[case::failed(CallResult { error: Some("no clock".into()), ..CallResult::default() }, None)]
#[case::not_worded(returned("set"), None)]
fn result_ends_the_reply_of_a_small_model(#[case] result: CallResult, #[case] expected: Option<Words>) {
    let effect = small(ToolProtocol::Constrained).next(LoopEvent::Ran(vec![result]));

    assert_eq!(effect, expected.map_or_else(|| asks(ToolProtocol::Constrained), worded));
}

#[test]
fn answer_of_a_tool_is_worded_by_a_large_model() {
    let mut turns = native(&["setTimer"]);
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call("setTimer", json!({}))]));
    let result = CallResult { answer: Some("It is set.".into()), ..returned("set") };

    assert_eq!(turns.next(LoopEvent::Ran(vec![result])), asks(ToolProtocol::Native));
    // It stands in if the model fails.
    assert_eq!(turns.next(LoopEvent::Failed), worded(Words::Answers("It is set.".into())));
}

#[rstest]
#[case::malformed(ToolProtocol::Text, LoopEvent::Answered(ModelAnswer { said: VisibleText::Malformed, ..Default::default() }))]
#[case::failed(ToolProtocol::Constrained, LoopEvent::Failed)]
fn short_result_is_said_if_a_small_model_cannot_word_it(
    #[case] protocol: ToolProtocol,
    #[case] event: LoopEvent,
) {
    let mut turns = small(protocol);
    turns.next(LoopEvent::Ran(vec![CallResult { quote: Some("noon".into()), ..returned("noon") }]));

    assert_eq!(turns.next(event), worded(Words::Results("noon".into())));
}

#[test]
fn malformed_answer_to_a_result_is_asked_for_once_more() {
    let mut turns = small(ToolProtocol::Constrained);
    turns.next(LoopEvent::Ran(vec![CallResult { is_untrusted: true, ..returned("a page") }]));
    let malformed =
        || LoopEvent::Answered(ModelAnswer { said: VisibleText::Malformed, ..ModelAnswer::default() });

    assert_eq!(turns.next(malformed()), LoopEffect::Ask { protocol: None });
    assert_eq!(last(&turns), wording::ANSWER_NOW);
    assert_eq!(turns.next(malformed()), LoopEffect::End(LoopEnd::Malformed));
}

#[rstest]
#[case::digest(Some("I found little."), LoopEnd::Digested("I found little.".into()))]
#[case::none(None, LoopEnd::Failed)]
fn failed_model_is_replaced_by_a_digest(#[case] digest: Option<&str>, #[case] expected: LoopEnd) {
    let mut turns = native(&["getTime"]);
    turns.next(LoopEvent::Begun);
    turns.next(calls(vec![call("getTime", json!({}))]));
    turns.next(LoopEvent::Ran(vec![returned("noon")]));

    assert_eq!(turns.next(LoopEvent::Failed), LoopEffect::Digest);
    assert_eq!(turns.next(LoopEvent::Digested(digest.map(str::to_owned))), LoopEffect::End(expected));
}

#[rstest]
#[case::clean(Certainty::Sure, false, Taint::Clean)]
#[case::unsure(Certainty::Unsure, false, Taint::Unsure)]
#[case::after_text_from_outside(Certainty::Unsure, true, Taint::AfterUntrusted)]
fn calls_carry_what_speaks_against_them(
    #[case] certainty: Certainty,
    #[case] is_untrusted: bool,
    #[case] expected: Taint,
) {
    let mut turns = small(ToolProtocol::Text);
    turns.next(LoopEvent::Ran(vec![CallResult { is_untrusted, ..returned("a page") }]));
    let calls = vec![call("setTimer", json!({ "minutes": 5 }))];
    let answer = ModelAnswer { calls: calls.clone(), certainty, ..ModelAnswer::default() };

    assert_eq!(turns.next(LoopEvent::Answered(answer)), LoopEffect::Run { calls, taint: expected });
}

#[test]
fn step_after_an_unsure_choice_is_unsure_too() {
    let plan = ["getWeather", "getTime", "Reply."];
    let mut turns = TurnLoop::new(start(ToolProtocol::Text, &plan, &["getWeather", "getTime"]));
    turns.next(LoopEvent::Begun);
    turns.next(LoopEvent::StepsResolved(Vec::new()));
    let chosen = vec![call("getWeather", json!({}))];
    turns.next(LoopEvent::Answered(ModelAnswer {
        calls: chosen,
        certainty: Certainty::Unsure,
        ..ModelAnswer::default()
    }));
    turns.next(LoopEvent::Ran(vec![returned("rain")]));

    let effect = turns.next(LoopEvent::StepsResolved(vec![("getTime".into(), Map::new())]));

    assert!(matches!(effect, LoopEffect::Run { taint: Taint::Unsure, .. }), "{effect:?}");
}

/// A repeated call of this tool, after text from outside, with `getTime` offered.
fn repeating(tool: &str) -> TurnLoop {
    let first = FirstCall { tool: tool.to_owned(), arguments: Map::new(), is_repeated: true };
    let started = start(ToolProtocol::Text, &[], &["getTime"]);
    TurnLoop::new(LoopStart { first: Some(first), is_tainted: true, ..started })
}

#[test]
fn repeated_call_is_as_clean_as_it_was_and_those_after_it_are_not() {
    let mut turns = repeating("getTime");

    let repeated = turns.next(LoopEvent::Begun);
    turns.next(LoopEvent::Ran(vec![returned("noon")]));
    let next = turns.next(calls(vec![call("getTime", json!({ "place": "Oslo" }))]));

    assert!(matches!(repeated, LoopEffect::Run { taint: Taint::Clean, .. }), "{repeated:?}");
    assert!(matches!(next, LoopEffect::Run { taint: Taint::AfterUntrusted, .. }), "{next:?}");
}

#[test]
fn call_of_a_model_in_place_of_a_repeated_one_stays_tainted() {
    let mut turns = repeating("noLongerOffered");

    let begun = turns.next(LoopEvent::Begun);
    let next = turns.next(calls(vec![call("getTime", json!({}))]));

    assert_eq!(begun, asks(ToolProtocol::Text));
    assert!(matches!(next, LoopEffect::Run { taint: Taint::AfterUntrusted, .. }), "{next:?}");
}

#[test]
fn result_is_said_if_a_small_model_repeats_its_call() {
    let mut turns = small(ToolProtocol::Constrained);
    let quoted = CallResult { quote: Some("Lamp: on".into()), is_untrusted: true, ..returned("on") };
    turns.next(LoopEvent::Ran(vec![quoted]));

    let effect = turns.next(calls(vec![call("setTimer", json!({}))]));

    assert_eq!(effect, worded(Words::Results("Lamp: on".into())));
}
