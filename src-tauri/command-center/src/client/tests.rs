//! The client against a scripted server.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use rstest::rstest;

use super::*;
use crate::tool_result::CommandResponse;

/// The server, the tools and the user of a test. What is asked of them is remembered.
#[derive(Default)]
struct Script {
    is_start_refused: bool,
    is_start_lost: bool,
    /// Seconds that a command takes.
    delay: u64,
    answers: Mutex<VecDeque<Option<(u16, Value)>>>,
    tools: HashMap<&'static str, Value>,
    user: Option<&'static str>,
    posts: Mutex<Vec<(Endpoint, Value)>>,
    ran: Mutex<Vec<String>>,
    announced: Mutex<Vec<String>>,
}

#[async_trait]
impl CommandCenterHttp for Script {
    async fn post(&self, endpoint: Endpoint, body: &Value) -> Option<WireResponse> {
        self.posts.lock().push((endpoint, body.clone()));
        let (status, answer) = match endpoint {
            Endpoint::Start if self.is_start_lost => return None,
            Endpoint::Start if self.is_start_refused => (500, json!({"detail": "no"})),
            Endpoint::Start => {
                (200, json!({"status": "success", "conversation_id": body["conversation_id"]}))
            }
            Endpoint::Acknowledge => (200, json!({"text": "One moment"})),
            Endpoint::End => (200, json!({"status": "ok"})),
            Endpoint::Speak => unreachable!("a reply is words"),
            Endpoint::Command | Endpoint::Continue => {
                if endpoint == Endpoint::Command {
                    tokio::time::sleep(Duration::from_secs(self.delay)).await;
                }
                self.answers.lock().pop_front().flatten()?
            }
        };
        Some(WireResponse { status, body: answer.to_string().into_bytes() })
    }
}

#[async_trait]
impl ToolRunner for Script {
    fn commands(&self) -> Vec<Command> {
        let command = |name: &&str| Command { command_name: (*name).to_owned(), ..Command::default() };
        self.tools.keys().map(command).collect()
    }

    async fn run(&self, name: &str, arguments: &Map<String, Value>) -> ToolRun {
        let Some(tool) = self.tools.get(name) else { return ToolRun::UnknownTool(name.to_owned()) };
        self.ran.lock().push(format!("{name} {}", Value::Object(arguments.clone())));
        match tool.as_str() {
            Some(error) => ToolRun::Raised(error.to_owned()),
            None => ToolRun::Answered(serde_json::from_value::<CommandResponse>(tool.clone()).unwrap()),
        }
    }
}

#[async_trait]
impl NodeUser for Script {
    async fn ask(&self, _: &ValidationRequest) -> Option<String> {
        self.user.map(str::to_owned)
    }

    fn acknowledge(&self, words: &str) {
        self.announced.lock().push(words.to_owned());
    }
}

impl Script {
    fn new(answers: impl IntoIterator<Item = Value>) -> Self {
        let answers = answers.into_iter().map(|answer| match answer {
            Value::Null => None,
            Value::Number(status) => Some((status.as_u64().unwrap() as u16, json!({"detail": "no"}))),
            body => Some((200, body)),
        });
        let tools = HashMap::from([
            ("weather", json!({"success": true, "context_data": {"f": 73}})),
            (
                "chat",
                json!({"success": true, "wait_for_input": true, "context_data": {"message": "And you?"}}),
            ),
            ("listen", json!({"success": true, "wait_for_input": true})),
            ("broken", json!({"success": false, "error_details": "no key"})),
            ("raising", json!("timeout")),
        ]);
        Self { answers: Mutex::new(answers.collect()), tools, user: Some("Florida"), ..Self::default() }
    }

    async fn answer(&self) -> ClientReply {
        self.client(AnswerShape::default()).answer("hello", None).await
    }

    fn client(&self, answer_shape: AnswerShape) -> CommandCenterClient<'_> {
        CommandCenterClient::new(self, self, self, self.config(answer_shape))
    }

    fn config(&self, answer_shape: AnswerShape) -> ClientConfig {
        ClientConfig {
            timezone: "Europe/Oslo".to_owned(),
            room: None,
            answer_shape,
            nobody_to_ask: "nobody".to_owned(),
        }
    }

    fn endpoints(&self) -> String {
        let name = |(endpoint, _): &(Endpoint, Value)| format!("{endpoint:?}").to_lowercase();
        self.posts.lock().iter().map(name).collect::<Vec<_>>().join(" ")
    }

    fn last_post(&self) -> Value {
        self.posts.lock().last().unwrap().1.clone()
    }
}

fn calls(names: &[&str]) -> Value {
    let call = |(at, name): (usize, &&str)| json!({"id": format!("c{at}"), "type": "function", "function": {"name": name, "arguments": "{}"}});
    let calls: Vec<Value> = names.iter().enumerate().map(call).collect();
    json!({"stop_reason": "tool_calls", "assistant_message": null, "tool_calls": calls})
}

fn says(words: &str) -> Value {
    json!({"stop_reason": "complete", "assistant_message": words})
}

fn asks() -> Value {
    json!({"stop_reason": "validation_required", "validation_request": {"question": "Which?", "parameter_name": "team"}})
}

/// Success, text, and if the user is expected to speak.
fn shown(reply: &ClientReply) -> (bool, String, bool) {
    let text = match &reply.text {
        ReplyText::Words(words) => words.clone(),
        ReplyText::Stock(phrase) => format!("{phrase:?}"),
        ReplyText::Nothing => "-".to_owned(),
    };
    (reply.is_success, text, reply.waits_for_input)
}

#[rstest]
#[case::answer(vec![says("Hi")], (true, "Hi", false))]
#[case::no_words(vec![says("")], (true, "Done", false))]
#[case::tool(vec![calls(&["weather"]), says("Sunny")], (true, "Sunny", false))]
#[case::one_of_two_works(vec![calls(&["broken", "weather"]), says("Sunny")], (true, "Sunny", false))]
#[case::none_works(vec![calls(&["broken", "raising"]), says("Sunny")], (false, "DidNotWork(Some(\"no key\"))", false))]
#[case::unknown_tool(vec![calls(&["fly"]), says("I cannot fly")], (false, "I cannot fly", false))]
#[case::unknown_and_broken(vec![calls(&["fly", "raising"]), says("x")], (false, "DidNotWork(Some(\"timeout\"))", false))]
#[case::failure_is_forgotten(vec![calls(&["broken"]), calls(&["weather"]), says("Sunny")], (true, "Sunny", false))]
#[case::same_round_twice(vec![calls(&["weather"]), calls(&["weather"]), says("x")], (false, "DidNotWork(None)", false))]
#[case::same_failing_round_twice(vec![calls(&["broken"]), calls(&["broken"])], (false, "DidNotWork(Some(\"no key\"))", false))]
#[case::question_between(vec![calls(&["weather"]), asks(), calls(&["weather"]), says("Sunny")], (true, "Sunny", false))]
#[case::tool_that_waits(vec![calls(&["chat"]), says("model")], (true, "And you?", true))]
#[case::waiting_without_words(vec![calls(&["listen"]), says("")], (true, "GoAhead", true))]
#[case::waiting_with_words(vec![calls(&["listen"]), says("Your turn")], (true, "Your turn", true))]
#[case::waiting_ends_the_loop(vec![calls(&["listen"]), calls(&["weather"]), says("x")], (true, "GoAhead", true))]
#[case::not_for_me(vec![json!({"stop_reason": "not_for_me"})], (true, "-", false))]
#[case::server_error(vec![json!({"stop_reason": "error", "assistant_message": "x"})], (false, "Failed(ServerError)", false))]
#[case::unknown_stop_reason(vec![json!({"stop_reason": "dance"})], (false, "Failed(UnknownStopReason)", false))]
#[case::no_answer(vec![], (false, "Unreachable", false))]
#[case::results_lost(vec![calls(&["weather"]), Value::Null], (false, "ResultsNotSent", false))]
#[case::answer_lost(vec![asks(), Value::Null], (false, "AnswerNotSent", false))]
#[case::unauthorised(vec![json!(401)], (false, "Failed(Unauthorised)", false))]
#[case::failed_later(vec![calls(&["weather"]), json!(500)], (false, "Failed(ServerError)", false))]
#[tokio::test(start_paused = true)]
async fn server_leads_to_this_reply(#[case] answers: Vec<Value>, #[case] expected: (bool, &str, bool)) {
    let script = Script::new(answers);

    let reply = script.answer().await;

    assert_eq!(shown(&reply), (expected.0, expected.1.to_owned(), expected.2));
}

/// Rounds that differ, then an answer.
fn rounds(count: usize) -> Vec<Value> {
    let round = |at: usize| calls(if at.is_multiple_of(2) { &["weather"] } else { &["weather", "weather"] });
    (0..count).map(round).chain([says("Finally")]).collect()
}

#[rstest]
#[case::tenth_answer_is_final(10, (true, "Finally", false), 10)]
#[case::eleventh_would_be(11, (false, "TooManyRounds", false), 10)]
#[tokio::test(start_paused = true)]
async fn rounds_are_limited_to_ten(
    #[case] count: usize,
    #[case] expected: (bool, &str, bool),
    #[case] continues: usize,
) {
    let script = Script::new(rounds(count));

    let reply = script.answer().await;

    assert_eq!(shown(&reply), (expected.0, expected.1.to_owned(), expected.2));
    assert_eq!(script.endpoints().matches("continue").count(), continues);
}

#[tokio::test(start_paused = true)]
async fn results_are_posted_in_the_order_of_the_calls() {
    let script = Script::new([calls(&["raising", "fly", "weather"]), says("x")]);

    let reply = script.answer().await;

    let output = |success: bool, context: Value, error: Value| json!({"success": success, "context": context, "error": error});
    let expected = json!({
        "conversation_id": reply.conversation_id,
        "tool_results": [
            {"tool_call_id": "c0", "output": output(false, Value::Null, json!("timeout"))},
            {"tool_call_id": "c1", "output": output(false, Value::Null, json!("there is no tool named fly"))},
            {"tool_call_id": "c2", "output": output(true, json!({"f": 73}), Value::Null)},
        ],
    });
    assert_eq!(script.last_post(), expected);
    assert_eq!(*script.ran.lock(), ["raising {}", "weather {}"]);
}

#[rstest]
#[case::words(Some("Florida"), "Florida", true)]
#[case::nobody(None, "nobody", false)]
#[tokio::test(start_paused = true)]
async fn answer_to_a_question_is_posted_as_a_result(
    #[case] user: Option<&'static str>,
    #[case] answer: &str,
    #[case] is_spoken: bool,
) {
    let script = Script { user, ..Script::new([asks(), json!({"stop_reason": "not_for_me"})]) };

    let reply = script.answer().await;

    let output = json!({"answer": answer, "parameter_name": "team", "question": "Which?", "options": null});
    assert_eq!(
        script.last_post()["tool_results"],
        json!([{"tool_call_id": "validation-response", "output": output}])
    );
    assert_eq!(reply.is_spoken, is_spoken);
}

#[tokio::test(start_paused = true)]
async fn answer_to_a_question_is_a_text_for_servers_that_expect_one() {
    let script = Script::new([asks(), says("They won")]);

    let reply = script.client(AnswerShape::Text).answer("the Panthers", None).await;

    let expected = json!({"conversation_id": reply.conversation_id, "validation_response": "Florida"});
    assert_eq!(script.last_post(), expected);
}

#[tokio::test(start_paused = true)]
async fn tools_are_registered_with_their_zone_and_schemas() {
    let mut script = Script::new([says("Hi")]);
    script.tools.retain(|name, _| *name == "weather");

    let reply = script.answer().await;

    let (endpoint, body) = script.posts.lock()[0].clone();
    let schema = json!({"type": "object", "properties": {}, "required": []});
    let expected = json!({
        "conversation_id": reply.conversation_id,
        "node_context": {"timezone": "Europe/Oslo"},
        "client_tools": [{"type": "function", "function": {"name": "weather", "description": "", "parameters": schema}}],
        "available_commands": [{"command_name": "weather", "description": "", "parameters": []}],
    });
    assert_eq!((endpoint, body), (Endpoint::Start, expected));
}

#[rstest]
#[case::registered(Script::default(), true)]
#[case::refused(Script { is_start_refused: true, ..Script::default() }, false)]
#[case::lost(Script { is_start_lost: true, ..Script::default() }, false)]
#[tokio::test(start_paused = true)]
async fn conversation_is_registered_before_its_first_utterance(
    #[case] script: Script,
    #[case] is_registered: bool,
) {
    let config = ClientConfig { room: Some("kitchen".to_owned()), ..script.config(AnswerShape::default()) };

    let id = prepare(&script, script.commands(), &config).await;

    let (endpoint, body) = script.posts.lock()[0].clone();
    assert_eq!((id.is_some(), endpoint), (is_registered, Endpoint::Start));
    assert!(id.is_none_or(|id| body["conversation_id"] == json!(id)));
    assert_eq!(body["node_context"], json!({"timezone": "Europe/Oslo", "room": "kitchen"}));
}

#[tokio::test(start_paused = true)]
async fn failure_message_of_a_call_is_said_when_nothing_worked() {
    let mut round = calls(&["broken"]);
    round["tool_calls"][0]["failure_message"] = json!("No weather today");
    let script = Script::new([round, says("Sunny")]);

    assert_eq!(shown(&script.answer().await), (false, "No weather today".to_owned(), false));
}

#[rstest]
#[case::refused(Script { is_start_refused: true, ..Script::new([says("Hi")]) }, "start command")]
#[case::lost(Script { is_start_lost: true, ..Script::new([says("Hi")]) }, "start start command")]
#[case::expired(Script::new([json!(422), says("Hi")]), "start command start command")]
#[case::refused_as_on_old_servers(Script::new([json!(400), says("Hi")]), "start command start command")]
#[tokio::test(start_paused = true)]
async fn registration_that_failed_is_not_the_end(#[case] script: Script, #[case] endpoints: &str) {
    let reply = script.answer().await;

    assert_eq!((shown(&reply).1.as_str(), script.endpoints().as_str()), ("Hi", endpoints));
    assert_eq!(script.last_post()["conversation_id"], json!(reply.conversation_id));
}

#[tokio::test(start_paused = true)]
async fn conversation_is_registered_again_only_once() {
    let script = Script::new([json!(422), json!(422), says("Hi")]);

    let reply = script.answer().await;

    assert_eq!(reply.ending, Ending::Failed(Some(FailureReason::ConversationExpired)));
    assert_eq!(script.endpoints(), "start command start command");
}

#[tokio::test(start_paused = true)]
async fn follow_up_goes_on_without_a_registration() {
    let script = Script::new([says("Hi")]);
    let client = script.client(AnswerShape::default());

    let conversation = NodeConversationId("conversation-7".to_owned());
    let reply = client.answer("and tomorrow", Some(&conversation)).await;
    CommandCenterClient::end(&script, &conversation).await;

    assert_eq!(reply.conversation_id, conversation);
    let expected = vec![
        (Endpoint::Command, json!({"voice_command": "and tomorrow", "conversation_id": "conversation-7"})),
        (Endpoint::End, json!({"conversation_id": "conversation-7"})),
    ];
    assert_eq!(*script.posts.lock(), expected);
}

#[rstest]
#[case::quick(2, &[])]
#[case::slow(5, &["One moment"])]
#[tokio::test(start_paused = true)]
async fn slow_answer_is_announced(#[case] delay: u64, #[case] expected: &[&str]) {
    let script = Script { delay, ..Script::new([says("Hi")]) };

    let reply = script.answer().await;

    assert_eq!(shown(&reply).1, "Hi");
    assert_eq!(*script.announced.lock(), expected);
}

#[test]
fn every_failure_has_a_sentence_of_its_own() {
    let messages = languages::messages::Messages::english();
    let phrases = [
        StockPhrase::GoAhead,
        StockPhrase::Done,
        StockPhrase::DidNotWork(None),
        StockPhrase::DidNotWork(Some("no key".to_owned())),
        StockPhrase::Unreachable,
        StockPhrase::ResultsNotSent,
        StockPhrase::AnswerNotSent,
        StockPhrase::TooManyRounds,
        StockPhrase::Failed(FailureReason::Unauthorised),
        StockPhrase::Failed(FailureReason::ConversationExpired),
        StockPhrase::Failed(FailureReason::ServerError),
        StockPhrase::Failed(FailureReason::BadBody),
    ];

    let sentences: std::collections::BTreeSet<String> =
        phrases.iter().map(|phrase| phrase.sentence(messages)).collect();

    assert_eq!(sentences.len(), phrases.len());
    assert!(sentences.contains("Sorry, that did not work: no key"));
}
