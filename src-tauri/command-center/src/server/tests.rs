//! The server role with a scripted engine.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use rstest::rstest;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use super::*;
use crate::model_output::ModelCall;

/// Decides as the test says, and then answers "ok".
#[derive(Default)]
struct ScriptedEngine {
    decisions: Mutex<VecDeque<Result<Decision, EngineError>>>,
    /// The last entry of the history at each decision.
    seen: Mutex<Vec<Option<HistoryEntry>>>,
    /// The conversations that were given up.
    given_up: Mutex<Vec<String>>,
    /// A decision waits for this.
    gate: Option<Arc<Notify>>,
}

#[async_trait]
impl NodeEngine for ScriptedEngine {
    fn own_tools(&self, _: &str) -> Vec<String> {
        vec!["remember".to_owned()]
    }

    async fn decide(&self, turn: EngineTurn<'_>) -> Result<Decision, EngineError> {
        self.seen.lock().push(turn.history.last().cloned());
        if let Some(gate) = &self.gate {
            gate.notified().await;
        }
        self.decisions.lock().pop_front().unwrap_or_else(|| Ok(Decision::text("ok")))
    }

    fn give_up(&self, client: &str, conversation_id: &str) {
        self.given_up.lock().push(format!("{client} {conversation_id}"));
    }
}

struct Fixture {
    server: CommandCenterServer<ScriptedEngine>,
    began: Instant,
    now: Mutex<Duration>,
}

impl Fixture {
    fn new(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let decisions = decisions.into_iter().map(Ok).collect();
        Self::with(
            ScriptedEngine { decisions: Mutex::new(decisions), ..ScriptedEngine::default() },
            ServerSettings::default(),
        )
    }

    fn with(engine: ScriptedEngine, settings: ServerSettings) -> Self {
        let server = CommandCenterServer::new(engine, settings);
        let client = |id: &str| PairedClient::new(id, &format!("{id}-secret"));
        server.set_clients(vec![client("kitchen"), client("cellar")]);
        Self { server, began: Instant::now(), now: Mutex::default() }
    }

    async fn post_as(&self, client: &str, path: &str, body: &str) -> (u16, Value) {
        let request = NodeRequest {
            method: "POST".to_owned(),
            path: format!("/api/v0/{path}"),
            headers: vec![
                ("Host".to_owned(), "127.0.0.1:7703".to_owned()),
                ("X-API-Key".to_owned(), format!("{client}:{client}-secret")),
            ],
            body: body.as_bytes().to_vec(),
        };
        let now = self.began + *self.now.lock();
        let response = self.server.handle(&request, now).await;
        (response.status, response.body)
    }

    async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.post_as("kitchen", path, &body.to_string()).await
    }

    async fn start(&self) {
        let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}});
        let tool = |name: &str| json!({"type": "function", "function": {"name": name, "description": "", "parameters": parameters}});
        let tools = [tool("weather"), tool("calendar"), tool("remember"), tool("request_validation")];
        let body = json!({"conversation_id": "c", "node_context": {"timezone": "Europe/Oslo"}, "client_tools": tools});
        let started = self.post("conversation/start", body).await;
        assert_eq!(started, (200, json!({"status": "success", "conversation_id": "c"})));
    }

    async fn say(&self, words: &str) -> (u16, Value) {
        self.post("voice/command", json!({"voice_command": words, "conversation_id": "c"})).await
    }

    async fn go_on(&self, results: Value) -> (u16, Value) {
        self.post("voice/command/continue", json!({"conversation_id": "c", "tool_results": results})).await
    }

    fn seen(&self) -> Vec<Option<HistoryEntry>> {
        self.server.engine.seen.lock().clone()
    }
}

fn call(id: &str, name: &str, arguments: Value) -> ModelCall {
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    ModelCall { id: id.to_owned(), name: name.to_owned(), arguments }
}

fn calls(calls: impl IntoIterator<Item = ModelCall>) -> Decision {
    Decision::Calls { message: None, calls: calls.into_iter().collect() }
}

fn says(words: &str) -> Decision {
    Decision::text(words)
}

fn asks() -> Decision {
    let options = Some(vec!["Florida".to_owned(), "Carolina".to_owned()]);
    Decision::Ask { question: "Which?".to_owned(), parameter_name: "team".to_owned(), options }
}

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

#[tokio::test]
async fn wrong_parameters_are_corrected_twice_and_then_sent() {
    let wrong = || calls([call("c", "weather", json!({"days": "two"}))]);
    let fixture = Fixture::new([wrong(), wrong(), wrong()]);
    fixture.start().await;

    let (_, asked) = fixture.say("the weather").await;

    assert_eq!(asked["stop_reason"], json!("tool_calls"));
    let Some(HistoryEntry::Result { output, .. }) = &fixture.seen()[2] else {
        panic!("a result is expected")
    };
    assert_eq!(output["error"], json!("weather.days expected integer"));
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
async fn conversation_lives_ten_minutes_from_its_last_use() {
    let fixture = Fixture::new([]);
    fixture.start().await;
    let mut statuses = Vec::new();
    for seconds in [599, 599, 600] {
        *fixture.now.lock() += Duration::from_secs(seconds);
        statuses.push(fixture.say("hi").await.0);
    }
    let body = json!({"voice_command": "hi", "conversation_id": "c"});
    statuses.push(fixture.post("voice/command/stream", body).await.0);

    assert_eq!(statuses, [200, 200, 422, 400]);
}

#[tokio::test]
async fn clients_do_not_share_conversations() {
    let fixture = Fixture::new([]);
    fixture.start().await;
    let body = json!({"voice_command": "hi", "conversation_id": "c"}).to_string();

    let other = fixture.post_as("cellar", "voice/command", &body).await.0;
    let ended = fixture.post_as("cellar", "conversation/end", &body).await;
    let own = fixture.say("hi").await.0;
    fixture.server.set_clients(Vec::new());
    let revoked = fixture.say("hi").await.0;

    assert_eq!((other, own, revoked), (422, 200, 401));
    assert_eq!(ended, (200, json!({"status": "ok", "conversation_id": "c"})));
}

#[tokio::test]
async fn second_request_of_a_busy_conversation_is_refused() {
    let gate = Arc::new(Notify::new());
    let engine = ScriptedEngine { gate: Some(Arc::clone(&gate)), ..ScriptedEngine::default() };
    let fixture = Fixture::with(engine, ServerSettings::default());
    fixture.start().await;

    let (first, second) = tokio::join!(biased; fixture.say("one"), async {
        let second = fixture.say("two").await;
        gate.notify_one();
        second
    });
    gate.notify_one();
    let third = fixture.say("three").await;

    assert_eq!([first.0, second.0, third.0], [200, 409, 200]);
}

#[tokio::test]
async fn late_request_does_not_change_a_conversation_that_began_after_it() {
    let gate = Arc::new(Notify::new());
    let engine = ScriptedEngine { gate: Some(Arc::clone(&gate)), ..ScriptedEngine::default() };
    let fixture = Fixture::with(engine, ServerSettings::default());
    fixture.start().await;

    let (late, ()) = tokio::join!(biased; fixture.say("of the old conversation"), async {
        fixture.post("conversation/end", json!({ "conversation_id": "c" })).await;
        fixture.start().await;
        gate.notify_one();
    });
    let answered = async {
        gate.notify_one();
        fixture.say("of the new one").await
    };
    let history = (
        answered.await.0,
        fixture.server.store.lease("kitchen", "c", fixture.began).map(|it| it.history.len()),
    );

    assert_eq!((late.0, history), (200, (200, Ok(2))));
}

#[tokio::test]
async fn abandoned_request_gives_its_conversation_back() {
    let gate = Arc::new(Notify::new());
    let engine = ScriptedEngine { gate: Some(Arc::clone(&gate)), ..ScriptedEngine::default() };
    let fixture = Fixture::with(engine, ServerSettings::default());
    fixture.start().await;

    tokio::select! {
        biased;
        _ = fixture.say("one") => panic!("the gate is closed"),
        () = std::future::ready(()) => {}
    }
    gate.notify_one();

    assert_eq!(fixture.say("two").await.0, 200);
}

#[rstest]
#[case::no_id("conversation/start", "{}", 400)]
#[case::blank_id("conversation/start", r#"{"conversation_id": " "}"#, 400)]
#[case::tool_without_a_name(
    "conversation/start",
    r#"{"conversation_id": "c", "client_tools": [{"function": {}}]}"#,
    400
)]
#[case::context_that_is_a_text("conversation/start", r#"{"conversation_id": "c", "node_context": "x"}"#, 400)]
#[case::unknown_zone(
    "conversation/start",
    r#"{"conversation_id": "c", "node_context": {"timezone": "Mars/Base"}}"#,
    200
)]
#[case::no_command("voice/command", r#"{"conversation_id": "c"}"#, 400)]
#[case::number_as_command("voice/command", r#"{"conversation_id": "c", "voice_command": 5}"#, 400)]
#[case::no_json("voice/command", "hello", 400)]
#[case::empty("voice/command", "", 400)]
#[case::list("voice/command", "[]", 400)]
#[case::unstarted("voice/command", r#"{"conversation_id": "d", "voice_command": "hi"}"#, 422)]
#[case::unstarted_continue("voice/command/continue", r#"{"conversation_id": "d", "tool_results": []}"#, 422)]
#[case::nothing_open("voice/command/continue", r#"{"conversation_id": "c", "tool_results": []}"#, 400)]
#[case::no_open_question(
    "voice/command/continue",
    r#"{"conversation_id": "c", "validation_response": "x"}"#,
    400
)]
#[case::stream("voice/command/stream", r#"{"conversation_id": "c", "voice_command": "hi"}"#, 202)]
#[case::stream_of_results(
    "voice/command/continue/stream",
    r#"{"conversation_id": "c", "tool_results": []}"#,
    202
)]
#[case::acknowledge("voice/acknowledge", r#"{"voice_command": "hi"}"#, 200)]
#[case::unknown_route("voice/sing", "{}", 404)]
#[case::get_route("ping", "{}", 405)]
#[tokio::test]
async fn request_has_this_status(#[case] path: &str, #[case] body: &str, #[case] status: u16) {
    let fixture = Fixture::new([]);
    fixture.start().await;

    assert_eq!(fixture.post_as("kitchen", path, body).await.0, status);
}

#[tokio::test]
async fn large_body_and_unknown_node_are_refused() {
    let fixture = Fixture::new([]);
    let large = " ".repeat(MAX_REQUEST_BYTES + 1);

    assert_eq!(fixture.post_as("kitchen", "voice/command", &large).await.0, 413);
    assert_eq!(fixture.post_as("attic", "voice/command", &large).await.0, 401);
}

#[tokio::test]
async fn settings_change_what_is_accepted_and_sent() {
    let settings = ServerSettings { sends_empty_lists: true, accepts_unstarted: true, hosts: Vec::new() };
    let fixture = Fixture::with(ScriptedEngine::default(), settings);

    let (status, answered) = fixture.say("hi").await;

    assert_eq!((status, &answered["tool_calls"]), (200, &json!([])));
}

/// Begins 200 conversations with an utterance each; every second one waits for the result of a call.
async fn two_hundred_conversations() -> Fixture {
    let call = || ModelCall { id: String::new(), name: "weather".to_owned(), arguments: Map::new() };
    let decisions = (0..200).map(|number| match number % 2 {
        0 => Decision::text("ok"),
        _ => Decision::Calls { message: None, calls: vec![call()] },
    });
    let fixture = Fixture::new(decisions);
    let tool =
        json!({"type": "function", "function": {"name": "weather", "description": "", "parameters": {}}});
    for number in 0..200 {
        let id = format!("c{number}");
        fixture.post("conversation/start", json!({"conversation_id": id, "client_tools": [tool]})).await;
        fixture.post("voice/command", json!({"conversation_id": id, "voice_command": "will it rain"})).await;
    }
    assert_eq!(fixture.server.store.len(), 200);
    fixture
}

#[tokio::test]
async fn conversations_that_end_leave_nothing() {
    let fixture = two_hundred_conversations().await;

    fixture.server.engine.given_up.lock().clear();
    for number in 0..200 {
        fixture.post("conversation/end", json!({"conversation_id": format!("c{number}")})).await;
    }

    assert_eq!((fixture.server.store.len(), fixture.server.store.capacity()), (0, 0));
    assert_eq!(fixture.server.running.load(Ordering::Relaxed), 0);
    assert_eq!(fixture.server.engine.given_up.lock().len(), 200);
}

#[rstest]
#[case::just_before_they_expire(599, 200)]
#[case::expired(600, 0)]
#[tokio::test]
async fn conversations_that_expire_leave_nothing(#[case] seconds: u64, #[case] left: usize) {
    let fixture = two_hundred_conversations().await;

    fixture.server.forget_expired(fixture.began + Duration::from_secs(seconds));

    assert_eq!(fixture.server.store.len(), left);
    assert_eq!(fixture.server.store.capacity() > 0, left > 0);
}
