//! The client role of the Command Center protocol, whole: an assistant and a Command Center on loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "command_center/center.rs"]
mod center;
#[path = "command_center/fixture.rs"]
mod fixture;

use std::time::Duration;

use center::{Center, Wire, calls, says};
use command_center::Decision;
use fixture::{Answers, Fixture, HERE, Outcome};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::Turn;
use vocabulary::Stage;

fn text(words: &str) -> Decision {
    Decision::text(words)
}

#[tokio::test]
async fn command_center_answers_in_place_of_the_model_here() {
    let mut center = Center::deciding([text("It is sunny.")]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    let outcome = fixture.ask("what is the weather like?").await;

    assert_eq!(outcome, Outcome::says("It is sunny."));
    assert_eq!(center.paths().await, ["conversation/start", "voice/command"]);
    assert_eq!(fixture.dialogue().await, ["what is the weather like?", "It is sunny."]);
    assert_eq!(fixture.asked_here(), 0);
}

#[tokio::test]
async fn node_names_itself_its_zone_its_room_and_the_exposed_tools() {
    let mut center = Center::answering([says("Hello.")]).await;
    let settings = json!({ "room": "kitchen", "time_zone": "Asia/Tokyo" });
    let fixture = Fixture::at(&center, settings, []).await;

    fixture.ask("hello there my friend").await;

    let start = center.post("conversation/start").await;
    let tools = start["available_commands"].as_array().unwrap().iter();
    let tools: Vec<&str> = tools.filter_map(|tool| tool["command_name"].as_str()).collect();
    assert_eq!(start["node_context"], json!({ "timezone": "Asia/Tokyo", "room": "kitchen" }));
    assert_eq!(tools, ["calculate", "convertUnits", "getDate", "getTime"]);
    for calculate in [&start["available_commands"][0], &start["client_tools"][0]] {
        let (keywords, example) = (&calculate["keywords"], &calculate["examples"][0]);
        assert!(keywords.as_array().is_some_and(|words| words.contains(&json!("sum"))), "{calculate}");
        assert!(example["voice_command"].is_string() && example["is_primary"] == true, "{calculate}");
        assert!(example["expected_parameters"]["expression"].is_string(), "{calculate}");
    }
    assert_eq!(center.key().as_deref(), Some("desk:secret"));
}

#[tokio::test]
async fn tool_of_this_computer_runs_for_the_command_center() {
    let call = calls("calculate", json!({ "expression": "17 * 23" }));
    let mut center = Center::deciding([call, text("It is 391.")]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    let outcome = fixture.ask("how much is seventeen times twenty-three?").await;

    assert_eq!((outcome.text.as_str(), outcome.tools), ("It is 391.", vec!["calculate".to_owned()]));
    let output = &center.post("voice/command/continue").await["tool_results"][0]["output"];
    assert_eq!((&output["success"], &output["message"]), (&json!(true), &json!("17 × 23 is 391.")));
    assert_eq!(fixture.dialogue().await, ["how much is seventeen times twenty-three?", "It is 391."]);
}

#[tokio::test]
async fn words_that_a_tool_wants_spoken_are_spoken() {
    let words = |words: &str| calls("speakAnswer", json!({ "text": words }));
    let mut center = Center::deciding([words("One."), words("Two."), text("Done.")]).await;
    let fixture = Fixture::at(&center, json!({ "exposed_tools": ["speakAnswer"] }), []).await;

    let outcome = fixture.ask("count to two, out loud").await;

    assert_eq!((outcome.text.as_str(), outcome.spoken.as_deref()), ("Done.", Some("One.\nTwo.")));
    assert_eq!(center.paths().await.len(), 4);
}

#[tokio::test]
async fn undoing_stays_on_this_computer() {
    let mut center = Center::deciding([]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    let outcome = fixture.ask("undo that").await;

    assert!(outcome.text.starts_with("There is nothing to undo"), "{}", outcome.text);
    assert_eq!(center.paths().await, Vec::<String>::new());
}

#[rstest]
#[case::allowed("Yes", true)]
#[case::declined("No", false)]
#[tokio::test]
async fn call_that_changes_something_asks_the_user(#[case] answer: &'static str, #[case] is_allowed: bool) {
    let call = calls("addTodo", json!({ "text": "milk" }));
    let mut center = Center::deciding([call, text("Settled.")]).await;
    let settings = json!({ "exposed_tools": ["addTodo"] });
    let mut fixture = Fixture::at(&center, settings, []).await;
    fixture.answers = Answers::With(answer);

    let outcome = fixture.ask("remember that we are out of milk").await;

    assert_eq!(outcome.questions.len(), 1);
    assert!(outcome.questions[0].starts_with("The Command Center asks for this."), "{:?}", outcome.questions);
    let output = &center.post("voice/command/continue").await["tool_results"][0]["output"];
    assert_eq!(output["success"], json!(is_allowed), "{output}");
}

#[rstest]
#[case::not_exposed("searchMemory", "there is no tool named searchMemory")]
#[case::unknown("fly", "there is no tool named fly")]
#[case::wrong_arguments("calculate", "calculate was not called")]
#[tokio::test]
async fn call_that_may_not_run_is_an_error_result(#[case] tool: &str, #[case] expected: &str) {
    let call = json!({"id": "c1", "type": "function", "function": {"name": tool, "arguments": "{}"}});
    let calling = json!({"stop_reason": "tool_calls", "tool_calls": [call]});
    let mut center = Center::answering([Wire::Json(200, calling), says("I cannot.")]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    fixture.ask("what did I say about the garden?").await;

    let result = center.post("voice/command/continue").await["tool_results"][0].clone();
    assert_eq!((&result["tool_call_id"], &result["output"]["success"]), (&json!("c1"), &json!(false)));
    let error = result["output"]["error"].as_str().unwrap();
    assert!(error.starts_with(expected), "{error}");
}

#[rstest]
#[case::as_a_result("tool_result")]
#[case::as_a_text("text")]
#[tokio::test]
async fn question_of_the_command_center_is_put_to_the_user(#[case] shape: &str) {
    let ask = Decision::Ask {
        question: "Which team?".to_owned(),
        parameter_name: "team".to_owned(),
        options: Some(vec!["Panthers".to_owned(), "Gators".to_owned()]),
    };
    let mut center = Center::deciding([ask, text("They won.")]).await;
    let settings = json!({ "validation_shape": shape });
    let mut fixture = Fixture::at(&center, settings, []).await;
    fixture.answers = Answers::With("Gators");

    let outcome = fixture.ask("did my team win?").await;

    assert_eq!((outcome.text.as_str(), outcome.questions), ("They won.", vec!["Which team?".to_owned()]));
    let body = center.post("voice/command/continue").await;
    let answer = match shape {
        "text" => &body["validation_response"],
        _ => &body["tool_results"][0]["output"]["answer"],
    };
    assert_eq!(answer, "Gators");
}

#[tokio::test]
async fn follow_up_goes_on_with_the_conversation() {
    let mut center = Center::deciding([text("It is sunny."), text("Rain.")]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    fixture.ask("what is the weather like?").await;
    fixture.ask("and tomorrow?").await;

    let posts = center.posts().await;
    let ids: Vec<&Value> = posts.iter().map(|(_, body)| &body["conversation_id"]).collect();
    assert_eq!(center.paths().await, ["conversation/start", "voice/command", "voice/command"]);
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[tokio::test]
async fn expired_conversation_begins_anew_under_another_id() {
    let expired = Wire::Json(422, json!({ "detail": "expired" }));
    let mut center = Center::answering([says("It is sunny."), expired, says("Rain.")]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    fixture.ask("what is the weather like?").await;
    let outcome = fixture.ask("and tomorrow?").await;

    assert_eq!(outcome, Outcome::says("Rain."));
    let posts = center.posts().await;
    let paths: Vec<&str> = posts.iter().map(|(path, _)| path.as_str()).collect();
    let expected = ["start", "command", "command", "start", "command"];
    assert!(paths.iter().zip(expected).all(|(path, end)| path.ends_with(end)), "{paths:?}");
    assert_ne!(posts[2].1["conversation_id"], posts[4].1["conversation_id"]);
}

#[tokio::test]
async fn wrong_key_is_a_trouble() {
    let center = Center::deciding([text("never said")]).await;
    let fixture = Fixture::with_key(&center.url(), "wrong", json!({}), []).await;

    let outcome = fixture.ask("what is the weather like?").await;

    assert_eq!(outcome.text, "The Command Center does not accept my key.");
    let (stage, message) = outcome.trouble.unwrap();
    assert_eq!(stage, Stage::CommandCenter);
    assert_eq!(message, "The Command Center rejected the credentials of this computer.");
}

#[tokio::test]
async fn engine_here_answers_when_the_command_center_is_gone() {
    let center = Center::deciding([]).await;
    let gone = center.close().await;
    let fixture = Fixture::with_key(&gone, "secret", json!({}), [Turn::says(HERE)]).await;

    let outcome = fixture.ask("tell me something nice about the sea").await;

    assert_eq!((outcome.text.as_str(), &outcome.trouble), (HERE, &None));
    assert_eq!(outcome.progress, ["I cannot reach the Command Center, so I answer myself."]);
    assert_eq!(fixture.dialogue().await, ["tell me something nice about the sea", HERE]);
}

#[tokio::test]
async fn engine_here_answers_while_jarvis_works_offline() {
    // An address of documentation: nothing would ever answer there.
    let fixture = Fixture::offline("https://192.0.2.1", [Turn::says(HERE)]).await;

    let outcome = fixture.ask("tell me something nice about the sea").await;

    assert_eq!((outcome.text.as_str(), fixture.contacted().await), (HERE, Vec::new()));
}

#[tokio::test]
async fn command_center_is_in_the_list_of_contacted_hosts() {
    let center = Center::answering([says("Hello.")]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    fixture.ask("hello there my friend").await;

    assert_eq!(fixture.contacted().await, [center.url().replace("http://", "")]);
}

#[tokio::test]
async fn command_center_that_is_gone_is_a_trouble_without_another_engine() {
    let center = Center::deciding([]).await;
    let gone = center.close().await;
    let fixture = Fixture::with_key(&gone, "secret", json!({ "offline_fallback": false }), []).await;

    let outcome = fixture.ask("tell me something nice about the sea").await;

    assert_eq!(outcome.text, "I cannot reach the Command Center.");
    assert_eq!(outcome.trouble.unwrap().0, Stage::CommandCenter);
    assert_eq!(fixture.asked_here(), 0);
}

#[rstest]
#[case::after_its_words(true, 1)]
#[case::otherwise(false, 0)]
#[tokio::test]
async fn words_of_the_command_center_are_not_trusted_by_the_engine_here(
    #[case] has_spoken: bool,
    #[case] questions: usize,
) {
    let center = Center::answering([says("Then add a pound of saffron to the list.")]).await;
    let turns = [Turn::calls("addTodo", json!({ "text": "saffron" })), Turn::says("It is on the list.")];
    let mut fixture = Fixture::at(&center, json!({ "enabled": has_spoken }), turns).await;
    fixture.answers = Answers::With("No");
    if has_spoken {
        fixture.ask("what does a good risotto need?").await;
        fixture.set_enabled(false).await;
    }

    let outcome = fixture.ask("then please put saffron on my list of things to buy").await;

    assert_eq!((outcome.tools, outcome.questions.len()), (vec!["addTodo".to_owned()], questions));
}

/// A round that asks for the time somewhere.
fn round(place: &str) -> Wire {
    let arguments = json!({ "place": place }).to_string();
    let call =
        json!({"id": "c", "type": "function", "function": {"name": "getTime", "arguments": arguments}});
    Wire::Json(200, json!({"stop_reason": "tool_calls", "tool_calls": [call]}))
}

fn question() -> Wire {
    let request = json!({"question": "Where?", "parameter_name": "place"});
    Wire::Json(200, json!({"stop_reason": "validation_required", "validation_request": request}))
}

fn stop_reason(reason: &str) -> Wire {
    Wire::Json(200, json!({"stop_reason": reason, "assistant_message": "x"}))
}

const DID_NOT_WORK: &str = "Sorry, that did not work: Xyzzyville";

#[rstest]
#[case::unknown_stop_reason(vec![stop_reason("dance")], "I could not understand the answer of the Command Center.", true)]
#[case::no_stop_reason(vec![Wire::Json(200, json!({"commands": []}))], "I could not understand the answer of the Command Center.", true)]
#[case::no_json(vec![Wire::Text("<html>")], "I could not understand the answer of the Command Center.", true)]
#[case::too_long(vec![Wire::Long], "I could not understand the answer of the Command Center.", true)]
#[case::redirect(vec![Wire::Redirect], "I could not understand the answer of the Command Center.", true)]
#[case::server_error(vec![Wire::Json(500, json!({"detail": "no"}))], "The Command Center has a problem.", true)]
#[case::model_failed(vec![stop_reason("error")], "The Command Center has a problem.", true)]
#[case::unauthorised_later(vec![round("Oslo"), Wire::Json(401, json!({"detail": "no"}))], "The Command Center does not accept my key.", true)]
#[case::expired_twice(vec![Wire::Json(422, json!({"detail": "no"})), Wire::Json(422, json!({"detail": "no"}))], "The Command Center has forgotten our conversation.", true)]
#[case::results_not_sent(vec![round("Oslo"), Wire::Broken], "The Command Center did not take what I found.", true)]
#[case::answer_not_sent(vec![question(), Wire::Broken], "The Command Center did not take your answer.", true)]
#[case::too_many_rounds((0..11).map(|at| round(if at % 2 == 0 { "Oslo" } else { "Rome" })).collect(), "The Command Center asked for more and more, so I stopped.", true)]
#[case::same_round_twice(vec![round("Oslo"), round("Oslo")], "Sorry, that did not work.", false)]
#[case::same_failing_round_twice(vec![round("Xyzzyville"), round("Xyzzyville")], DID_NOT_WORK, false)]
#[case::no_tool_worked(vec![round("Xyzzyville"), says("It is noon.")], DID_NOT_WORK, false)]
#[case::no_words(vec![says("")], "Done.", false)]
#[case::not_for_me(vec![Wire::Json(200, json!({"stop_reason": "not_for_me"}))], "", false)]
#[tokio::test]
async fn failure_of_the_command_center_is_told(
    #[case] answers: Vec<Wire>,
    #[case] expected: &str,
    #[case] is_trouble: bool,
) {
    let center = Center::answering(answers).await;
    let mut fixture = Fixture::at(&center, json!({}), []).await;
    fixture.answers = Answers::With("Oslo");

    let outcome = fixture.ask("what time is it where my sister lives?").await;

    // What a tool says about its failure is its own matter.
    let said = match expected {
        DID_NOT_WORK => outcome.text.replace("There is no town or country called ", ""),
        _ => outcome.text.clone(),
    };
    assert!(said.starts_with(expected) && (said == expected || expected == DID_NOT_WORK), "{said}");
    assert_eq!(outcome.trouble.map(|trouble| trouble.0), is_trouble.then_some(Stage::CommandCenter));
}

#[tokio::test]
async fn plain_timer_is_set_without_the_command_center() {
    let mut center = Center::deciding([]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    let outcome = fixture.ask("set a timer for five minutes").await;

    assert_eq!(
        (outcome.text.as_str(), outcome.tools, outcome.writer.as_str()),
        ("The timer is running: 5 minutes.", vec!["setTimer".to_owned()], "rules")
    );
    assert_eq!(center.paths().await, Vec::<String>::new());
}

// Takes the three seconds of the Command Center protocol: real sockets know no other clock.
#[tokio::test]
async fn late_answer_is_announced() {
    let center = Center::answering([Wire::Late]).await;
    let mut fixture = Fixture::at(&center, json!({}), []).await;
    fixture.progressed = std::sync::Arc::clone(&center.released);

    let outcome = fixture.ask("what is the longest river on earth?").await;

    assert_eq!((outcome.text.as_str(), outcome.progress), ("Here it is.", vec!["One moment.".to_owned()]));
}

#[tokio::test]
async fn stopped_reply_ends_at_once_and_keeps_the_question() {
    let center = Center::answering([Wire::Late]).await;
    let fixture = Fixture::at(&center, json!({}), []).await;

    let text = fixture.ask_and_stop("what is the longest river on earth?").await;

    assert_eq!(text, None);
    assert_eq!(fixture.dialogue().await, ["what is the longest river on earth?"]);
}

#[tokio::test]
async fn engine_is_chosen_for_each_reply() {
    let center = Center::deciding([text("From there.")]).await;
    let fixture = Fixture::at(&center, json!({ "enabled": false }), [Turn::says(HERE)]).await;

    let here = fixture.ask("tell me something nice about the sea").await;
    fixture.set_enabled(true).await;
    let there = fixture.ask("and about the mountains").await;

    assert_eq!([here.text.as_str(), there.text.as_str()], [HERE, "From there."]);
}

#[tokio::test]
async fn key_that_calls_us_registers_ahead_of_the_query() {
    let mut center = Center::deciding([]).await;
    let fixture = Fixture::with_microphone(&center).await;

    fixture.tap_talk_key().await;

    assert_eq!(center.next_path().await, "conversation/start");
}

#[tokio::test]
async fn sentence_is_spoken_in_the_voice_of_the_command_center() {
    let mut center = Center::speaking([says("The sea is calm.")]).await;
    let fixture = Fixture::aloud(&center, json!({ "speaks": true })).await;

    fixture.ask_aloud("how is the sea").await;
    fixture.hear_for(Center::SOUND).await;

    assert_eq!(fixture.spoken_here(), Vec::<String>::new());
    assert_eq!(center.post("media/tts/speak/stream").await, json!({ "text": "The sea is calm." }));
    assert_eq!(center.key().unwrap(), "desk:secret");
}

#[tokio::test]
async fn sound_of_the_command_center_is_heard_while_the_rest_still_comes() {
    let center = Center::speaking_in_halves([says("The sea is calm.")]).await;
    let fixture = Fixture::aloud(&center, json!({ "speaks": true })).await;
    // For the word at the start.
    center.released.notify_one();
    fixture.ask_aloud("how is the sea").await;

    let begun = fixture.hear_for(Duration::from_millis(400)).await;
    center.released.notify_one();

    assert!(begun < Center::SOUND, "{begun:?}");
    assert_eq!(fixture.hear_for(Center::SOUND).await, Center::SOUND);
    assert_eq!(fixture.spoken_here(), Vec::<String>::new());
}

#[tokio::test]
async fn voice_here_speaks_when_the_command_center_takes_no_more_texts() {
    let center = Center::over_its_limit([says("The sea is calm.")]).await;
    let fixture = Fixture::aloud(&center, json!({ "speaks": true })).await;

    fixture.hear("how is the sea", 1).await;

    assert_eq!(fixture.spoken_here(), ["The sea is calm."]);
    let troubles = fixture.troubles();
    let [trouble] = &*troubles else { panic!("{troubles:?}") };
    assert!(
        trouble.starts_with("The voice of the Command Center takes no more texts for now: "),
        "{trouble}"
    );
}

#[tokio::test]
async fn voice_here_speaks_when_that_of_the_command_center_fails() {
    let mut center = Center::answering([says("The sea is calm. The wind is warm.")]).await;
    let fixture = Fixture::aloud(&center, json!({ "speaks": true })).await;

    fixture.hear("how is the sea", 2).await;

    assert_eq!(fixture.spoken_here(), ["The sea is calm.", "The wind is warm."]);
    let tries = center.paths().await.into_iter().filter(|path| path.starts_with("media")).count();
    assert_eq!(tries, 1, "one that fails is not asked for every sentence");
}

#[tokio::test]
async fn nothing_that_is_said_leaves_this_computer_unless_the_settings_say_so() {
    let mut center = Center::speaking([says("The sea is calm.")]).await;
    let fixture = Fixture::aloud(&center, json!({})).await;

    fixture.hear("how is the sea", 1).await;

    assert_eq!(fixture.spoken_here(), ["The sea is calm."]);
    assert!(center.paths().await.iter().all(|path| !path.starts_with("media")));
}
