//! The server role with a scripted engine.

mod fixture;
mod conversations;
mod requests;

use std::collections::VecDeque;

use parking_lot::Mutex;
use rstest::rstest;
use serde_json::{Value, json};

use self::fixture::{Fixture, LARGE, ScriptedEngine, asks, call, calls, says};
use super::*;

#[tokio::test]
async fn command_is_answered_with_all_fields() {
    let fixture = Fixture::new([says("Hello")]);
    fixture.start().await;

    let answered = fixture.say("hi").await;

    let expected = json!({
        "commands": [],
        "request_information": {"voice_command": "hi", "conversation_id": "c"},
        "stop_reason": "complete",
        "assistant_message": "Hello",
        "tool_calls": null,
        "validation_request": null,
    });
    assert_eq!(answered, (200, expected));
}

#[tokio::test]
async fn calls_go_to_the_node_and_their_results_to_the_engine() {
    let fixture = Fixture::new([calls([call("c1", "weather", json!({"city": "Oslo"}))]), says("Rain")]);
    fixture.start().await;

    let (status, asked) = fixture.say("the weather").await;
    let (_, answered) = fixture.go_on(json!([{"tool_call_id": "c1", "output": {"success": true}}])).await;

    let wire = json!([{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Oslo\"}"}}]);
    assert_eq!((status, &asked["stop_reason"], &asked["tool_calls"]), (200, &json!("tool_calls"), &wire));
    assert_eq!(
        (&answered["stop_reason"], &answered["assistant_message"]),
        (&json!("complete"), &json!("Rain"))
    );
    assert_eq!(
        answered["request_information"],
        json!({"voice_command": "[continuation]", "conversation_id": "c"})
    );
    let result = HistoryEntry::Result { tool_call_id: "c1".to_owned(), output: json!({"success": true}) };
    assert_eq!(fixture.seen(), [Some(HistoryEntry::User("the weather".to_owned())), Some(result)]);
}

#[rstest]
#[case::result_with_its_id(json!({"tool_results": [{"tool_call_id": "$id", "output": {"answer": "Florida"}}]}))]
#[case::result_with_the_usual_id(json!({"tool_results": [{"tool_call_id": "validation-response", "output": {"answer": "Florida"}}]}))]
#[case::text(json!({"validation_response": "Florida"}))]
#[tokio::test]
async fn question_is_answered_in_any_shape(#[case] answer: Value) {
    let fixture = Fixture::new([asks(), says("They won")]);
    fixture.start().await;

    let (_, asked) = fixture.say("the Panthers").await;
    let id = asked["validation_request"]["tool_call_id"].as_str().unwrap().to_owned();
    let mut body: Value = serde_json::from_str(&answer.to_string().replace("$id", &id)).unwrap();
    body["conversation_id"] = json!("c");
    let (status, answered) = fixture.post("voice/command/continue", body).await;

    let expected = json!({"question": "Which?", "parameter_name": "team", "options": ["Florida", "Carolina"], "tool_call_id": id});
    assert_eq!(
        (&asked["stop_reason"], &asked["validation_request"]),
        (&json!("validation_required"), &expected)
    );
    assert_eq!((status, &answered["assistant_message"]), (200, &json!("They won")));
    let result = HistoryEntry::Result { tool_call_id: id, output: json!({"answer": "Florida"}) };
    assert_eq!(fixture.seen()[1], Some(result));
}

#[tokio::test]
async fn pseudo_tool_alone_is_a_question() {
    let question = call("q1", "request_validation", json!({"question": "Which?", "parameter_name": "team"}));
    let fixture = Fixture::new([calls([question])]);
    fixture.start().await;

    let (_, asked) = fixture.say("the Panthers").await;

    let expected =
        json!({"question": "Which?", "parameter_name": "team", "options": null, "tool_call_id": "q1"});
    assert_eq!(
        (&asked["stop_reason"], &asked["validation_request"]),
        (&json!("validation_required"), &expected)
    );
}

#[rstest]
#[case::unknown_tool(calls([call("c1", "fly", json!({}))]))]
#[case::own_tool_that_a_node_registered(calls([call("c1", "remember", json!({}))]))]
#[case::unknown_beside_known(calls([call("c1", "weather", json!({})), call("c2", "fly", json!({}))]))]
#[case::question_beside_a_call(calls([call("c1", "weather", json!({})), call("c2", "request_validation", json!({"question": "Which?"}))]))]
#[case::wrong_parameter(calls([call("c1", "weather", json!({"days": "two"}))]))]
#[tokio::test]
async fn calls_that_no_node_can_run_go_back_to_the_engine(#[case] decision: Decision) {
    let fixture = Fixture::new([decision, says("Then not")]);
    fixture.start().await;

    let (_, answered) = fixture.say("do it").await;

    assert_eq!(
        (&answered["stop_reason"], &answered["assistant_message"]),
        (&json!("complete"), &json!("Then not"))
    );
    assert!(
        matches!(&fixture.seen()[1], Some(HistoryEntry::Result { output, .. }) if output["success"] == json!(false))
    );
}

#[rstest]
#[case::large(LARGE, 2)]
#[case::small(EngineModel { is_small: true, ..LARGE }, 1)]
#[case::large_with_tools_in_its_prompt(EngineModel { calls_natively: false, ..LARGE }, 2)]
#[case::small_with_tools_in_its_prompt(EngineModel { calls_natively: false, is_small: true }, 1)]
#[tokio::test]
async fn wrong_parameters_are_corrected_at_times_and_then_sent(
    #[case] model: EngineModel,
    #[case] corrections: usize,
) {
    let wrong = || Ok(calls([call("c", "weather", json!({"days": "two"}))]));
    let decisions = Mutex::new((0..4).map(|_| wrong()).collect());
    let engine = ScriptedEngine { model, decisions, ..ScriptedEngine::default() };
    let fixture = Fixture::with(engine, ServerSettings::default());
    fixture.start().await;

    let (_, asked) = fixture.say("the weather").await;

    assert_eq!(asked["stop_reason"], json!("tool_calls"));
    assert_eq!(fixture.seen().len(), corrections + 1);
    let Some(HistoryEntry::Result { output, .. }) = &fixture.seen()[corrections] else {
        panic!("a result is expected")
    };
    assert_eq!(output["error"], json!("weather.days expected integer"));
}

#[rstest]
#[case::native_calls(LARGE, 10)]
#[case::native_calls_of_a_small_model(EngineModel { is_small: true, ..LARGE }, 10)]
#[case::tools_in_the_prompt(EngineModel { calls_natively: false, ..LARGE }, 3)]
#[case::tools_in_the_prompt_of_a_small_model(EngineModel { calls_natively: false, is_small: true }, 3)]
#[tokio::test]
async fn request_has_fewer_decisions_with_the_tools_in_the_prompt(
    #[case] model: EngineModel,
    #[case] expected: usize,
) {
    let unknown = || Ok(calls([call("c", "fly", json!({}))]));
    let decisions = Mutex::new((0..20).map(|_| unknown()).collect());
    let engine = ScriptedEngine { model, decisions, ..ScriptedEngine::default() };
    let fixture = Fixture::with(engine, ServerSettings::default());
    fixture.start().await;

    let (status, answered) = fixture.say("fly away").await;

    assert_eq!(fixture.seen().len(), expected);
    let error = &answered["commands"][0]["errors"]["type"];
    assert_eq!(
        (status, &answered["stop_reason"], error),
        (200, &json!("complete"), &json!("max_iterations_exceeded"))
    );
}

#[tokio::test]
async fn node_gets_date_keys_in_their_usual_form() {
    let keys = json!({"resolved_datetimes": ["Tomorrow Morning", ["next week"]]});
    let fixture = Fixture::new([calls([call("c1", "calendar", keys)])]);
    fixture.start().await;

    let (_, asked) = fixture.say("my calendar").await;

    let expected = json!(r#"{"resolved_datetimes":["tomorrow_morning","next_week"]}"#);
    assert_eq!(asked["tool_calls"][0]["function"]["arguments"], expected);
}

#[tokio::test]
async fn engine_that_has_to_call_a_tool_is_reminded_once() {
    let fixture = Fixture::new([says("first"), says("second")]);
    let tool = json!({"type": "function", "function": {"name": "weather"}, "allow_direct_answer": false});
    fixture.post("conversation/start", json!({"conversation_id": "c", "client_tools": [tool]})).await;

    let (_, answered) = fixture.say("the weather").await;

    assert_eq!(answered["assistant_message"], json!("second"));
}

#[rstest]
#[case::noise("[laughter]", 0)]
#[case::tag("he said so", 1)]
#[tokio::test]
async fn utterance_of_others_is_not_answered(#[case] words: &str, #[case] decisions: usize) {
    let fixture = Fixture::new([says("<not_for_me/>")]);
    fixture.start().await;

    let (status, answered) = fixture.say(words).await;

    assert_eq!(
        (status, &answered["stop_reason"], &answered["assistant_message"]),
        (200, &json!("not_for_me"), &json!(""))
    );
    assert_eq!(fixture.seen().len(), decisions);
}

#[tokio::test]
async fn failing_engine_and_endless_calls_end_the_request() {
    let failing = ScriptedEngine {
        decisions: Mutex::new(VecDeque::from([Err(EngineError("no model".to_owned()))])),
        ..ScriptedEngine::default()
    };
    let failing = Fixture::with(failing, ServerSettings::default());
    let endless = Fixture::new((0..12).map(|_| calls([call("c", "fly", json!({}))])));
    failing.start().await;
    endless.start().await;

    let (_, failed) = failing.say("hi").await;
    let (_, stopped) = endless.say("hi").await;

    assert_eq!(
        (&failed["stop_reason"], &failed["commands"][0]["errors"]["type"]),
        (&json!("error"), &json!("llm_error"))
    );
    assert_eq!(stopped["stop_reason"], json!("complete"));
    assert_eq!(stopped["commands"][0]["errors"]["type"], json!("max_iterations_exceeded"));
    assert_eq!(endless.seen().len(), 10);
}

#[rstest]
#[case::german("Wie wird das Wetter morgen in Oslo?", "Ich habe aufgehört, denn es waren zu viele Schritte.")]
#[case::spanish("¿Qué tiempo hará mañana en Madrid?", "He parado, porque eran demasiados pasos.")]
#[case::unknown("hm", "I stopped, because this took too many steps.")]
#[tokio::test]
async fn end_without_an_answer_is_in_the_language_of_the_utterance(
    #[case] words: &str,
    #[case] expected: &str,
    #[values(false, true)] is_continued: bool,
) {
    let first = is_continued.then(|| calls([call("c1", "weather", json!({}))]));
    let endless = (0..10).map(|_| calls([call("c", "fly", json!({}))]));
    let fixture = Fixture::new(first.into_iter().chain(endless));
    fixture.start().await;

    let (_, mut stopped) = fixture.say(words).await;
    if is_continued {
        (_, stopped) = fixture.go_on(json!([{"tool_call_id": "c1", "output": 1}])).await;
    }

    assert_eq!(stopped["assistant_message"], json!(expected), "{stopped}");
}

#[rstest]
#[case::unknown_id(json!([{"tool_call_id": "c9", "output": 1}]), "body -> tool_results -> 0 -> tool_call_id: no open call has this id")]
#[case::no_output(json!([{"tool_call_id": "c1"}]), "body -> tool_results -> 0 -> output: field required")]
#[case::no_id(json!([{"output": 1}]), "body -> tool_results -> 0 -> tool_call_id: field required")]
#[case::no_list(json!("x"), "body -> tool_results: a list is expected")]
#[case::nothing(Value::Null, "body -> tool_results: field required")]
#[tokio::test]
async fn wrong_results_are_refused_and_the_call_stays_open(#[case] results: Value, #[case] detail: &str) {
    let fixture = Fixture::new([calls([call("c1", "weather", json!({}))])]);
    fixture.start().await;
    fixture.say("the weather").await;

    let (status, refused) = fixture.go_on(results).await;
    let (next, _) = fixture.go_on(json!([{"tool_call_id": "c1", "output": 1}])).await;

    let envelope =
        json!({"error": "validation_error", "message": "the body is malformed", "details": [detail]});
    assert_eq!((status, refused, next), (400, envelope, 200));
}

#[tokio::test]
async fn first_of_two_results_counts_and_a_missing_one_is_an_error() {
    let two = calls([call("c1", "weather", json!({})), call("c2", "calendar", json!({}))]);
    let fixture = Fixture::new([two]);
    fixture.start().await;
    fixture.say("both").await;

    let twice = json!([{"tool_call_id": "c1", "output": 1}, {"tool_call_id": "c1", "output": 2}]);
    let (status, _) = fixture.go_on(twice).await;
    let (again, _) = fixture.go_on(json!([{"tool_call_id": "c1", "output": 1}])).await;

    assert_eq!((status, again), (200, 400));
    let Some(HistoryEntry::Result { tool_call_id, output }) = &fixture.seen()[1] else {
        panic!("a result is expected")
    };
    assert_eq!((tool_call_id.as_str(), &output["error"]), ("c2", &json!("no result was sent")));
}

#[tokio::test]
async fn new_command_closes_what_was_open() {
    let fixture = Fixture::new([calls([call("c1", "weather", json!({}))]), says("Never mind")]);
    fixture.start().await;
    fixture.say("the weather").await;

    fixture.say("never mind").await;
    let (status, _) = fixture.go_on(json!([{"tool_call_id": "c1", "output": 1}])).await;

    assert_eq!(status, 400);
}

#[tokio::test]
async fn settings_change_what_is_accepted_and_sent() {
    let settings = ServerSettings { sends_empty_lists: true, accepts_unstarted: true, hosts: Vec::new() };
    let fixture = Fixture::with(ScriptedEngine::default(), settings);

    let (status, answered) = fixture.say("hi").await;

    assert_eq!((status, &answered["tool_calls"]), (200, &json!([])));
}
