//! Servers of tools that ask the language model of the user (sampling).

use rstest::rstest;
use serde_json::{Value, json};
use settings::ServerSettings;
use testkit::ScriptedApproval;

use crate::server_bench::{ServerBench, said, scripted};
use crate::support::context;

fn lending() -> ServerSettings {
    ServerSettings { sampling: true, ..scripted(&["plain"]) }
}

#[rstest]
#[case::allowed(lending(), &["Yes"], json!({ "content": { "text": "Four.", "type": "text" }, "model": "jarvis", "role": "assistant", "stopReason": "endTurn" }), 1)]
#[case::refused(lending(), &["No"], json!({ "error": { "code": -1, "message": "The user did not allow it" } }), 1)]
#[case::nobody_there(lending(), &[], json!({ "error": { "code": -1, "message": "The user did not allow it" } }), 1)]
#[case::not_lent(scripted(&["plain"]), &["Yes"], json!({ "error": { "code": -1, "message": "The user lends the language model to no such server" } }), 0)]
#[tokio::test(flavor = "multi_thread")]
async fn server_asks_the_model_only_if_the_user_agrees(
    #[case] server: ServerSettings,
    #[case] answers: &[&str],
    #[case] expected: Value,
    #[case] questions: usize,
) {
    let fixture = ServerBench::with(&[("scripted", server)]).await;
    let mut user = ScriptedApproval::default().saying(answers.iter().copied());

    let outcome = fixture.outcome_with("scripted__ask_model", json!({}), &context(), &mut user).await;

    assert_eq!(serde_json::from_str::<Value>(&said(&outcome.result)).unwrap(), expected);
    assert!(outcome.result.is_untrusted);
    let asked: Vec<&str> = user.inquired.iter().map(|inquiry| inquiry.text.as_str()).collect();
    let question = "The tool server scripted wants to ask your language model: “How much is two and two?” Is that all right?";
    assert_eq!(asked, vec![question; questions]);
    assert_eq!(fixture.model.asked().len(), usize::from(answers == ["Yes"] && questions == 1));
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn model_is_told_the_words_of_the_server_alone_and_writes_no_book() {
    let fixture = ServerBench::with(&[("scripted", lending())]).await;
    let mut user = ScriptedApproval::default().saying(["Yes"]);

    fixture.outcome_with("scripted__ask_model", json!({}), &context(), &mut user).await;

    let [request] = fixture.model.asked().try_into().unwrap();
    let told: Vec<&str> = request.messages.iter().map(|message| message.content.as_str()).collect();
    assert!(told[0].ends_with("Answer in one word."), "{told:?}");
    assert_eq!(
        (&told[1..], request.tools.len(), request.max_tokens),
        (&["How much is two and two?"][..], 0, Some(1_000))
    );
    fixture.end().await;
}

#[rstest]
#[case::too_long("ask_long")]
#[case::with_a_picture("ask_picture")]
#[case::with_tools("ask_tools")]
#[tokio::test(flavor = "multi_thread")]
async fn request_that_is_more_than_a_short_text_is_refused(#[case] tool: &str) {
    let fixture = ServerBench::with(&[("scripted", lending())]).await;
    let mut user = ScriptedApproval::default().saying(["Yes"]);

    let outcome = fixture.outcome_with(&format!("scripted__{tool}"), json!({}), &context(), &mut user).await;

    assert!(
        said(&outcome.result).contains("up to 20000 characters, without tools"),
        "{:?}",
        outcome.result.text
    );
    assert_eq!((user.inquired.len(), fixture.model.asked().len()), (0, 0));
    fixture.end().await;
}
