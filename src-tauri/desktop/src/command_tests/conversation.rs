//! The conversation: questions, replies, and the messages of before.

use serde_json::{Value, json};
use testkit::Turn;

use super::scene::{Scene, SceneOptions, ids, say};

#[tokio::test]
async fn question_that_is_asked_anew_takes_the_place_of_the_one_before() {
    let mut scene = Scene::with_model([Turn::says("A painter."), Turn::says("A poet.")]).await;
    scene.subscribe().await;
    scene.invoke("ask", json!({"text": "who was Hamlet?"})).await;
    scene.events_until(|event| event["type"] == "done").await;

    scene.invoke("ask", json!({"text": "who wrote Hamlet?", "replacesPrevious": true})).await;
    let events = scene.events_until(|event| event["type"] == "done").await;

    let asked = events.iter().find(|event| event["type"] == "asked").unwrap();
    assert_eq!(asked["replacesPrevious"], true);
    let page = scene.invoke("history", json!({"before": i64::MAX})).await;
    let said: Vec<&str> =
        page["messages"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["who wrote Hamlet?", "A poet."]);
}

#[tokio::test]
async fn question_is_answered_in_events_and_stored() {
    let mut scene = Scene::with_model([Turn::says("It is noon.")]).await;
    scene.subscribe().await;

    let reply = scene.invoke("ask", json!({"text": " who wrote Hamlet? "})).await;
    let events = scene.events_until(|event| event["type"] == "done").await;

    let asked = events.iter().find(|event| event["type"] == "asked").unwrap();
    let deltas = events.iter().filter(|event| event["type"] == "delta");
    let shown: String = deltas.map(|delta| delta["text"].as_str().unwrap()).collect();
    assert_eq!(
        (&asked["reply"], &asked["text"], &asked["origin"]),
        (&reply, &json!("who wrote Hamlet?"), &json!("typed"))
    );
    assert_eq!(shown, "It is noon.");
    assert_eq!(
        events.last().unwrap(),
        &json!({"type": "done", "reply": reply, "text": "It is noon.", "attachments": []})
    );
    let page = scene.invoke("history", json!({"before": i64::MAX})).await;
    let said_at = ids(&page);
    assert_eq!(
        page,
        json!({
            "messages": [
                {
                    "id": said_at[0], "role": "user", "text": "who wrote Hamlet?",
                    "at": "2025-09-15T17:53:00Z", "origin": "typed",
                },
                {
                    "id": said_at[0] + 1, "role": "assistant", "text": "It is noon.",
                    "at": "2025-09-15T17:53:00.000001Z", "origin": "typed",
                },
            ],
            "hasEarlier": false,
        })
    );
}

#[tokio::test]
async fn stored_reply_tells_how_it_was_made() {
    let mut scene = Scene::with_model([Turn::says("It is noon.")]).await;
    scene.subscribe().await;
    scene.invoke("ask", json!({"text": "who wrote Hamlet?"})).await;
    let events = scene.events_until(|event| event["type"] == "done").await;
    let page = scene.invoke("history", json!({"before": i64::MAX})).await;
    let [question, reply] = ids(&page)[..] else { panic!("two messages were said") };

    let of_reply = scene.invoke("reply_trace", json!({ "at": reply })).await;
    let of_question = scene.invoke("reply_trace", json!({ "at": question })).await;

    let told = events.iter().find(|event| event["type"] == "traced").unwrap();
    assert_eq!(told["trace"], of_reply);
    assert_eq!((&of_reply["language"], &of_reply["isByRules"]), (&json!("en"), &json!(false)));
    let arrived = json!({"isShown": true, "isSpoken": false, "attachments": 0, "missing": []});
    assert_eq!(of_reply["delivery"], arrived);
    let models: Vec<&str> =
        of_reply["models"].as_array().unwrap().iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(models, ["answer"]);
    assert_eq!(of_question, Value::Null);
}

#[tokio::test]
async fn blank_question_does_not_end_a_reply_but_stop_does() {
    let mut scene = Scene::with_model([Turn::hangs_after("Once upon a time there was a king. He")]).await;
    scene.subscribe().await;
    let reply = scene.invoke("ask", json!({"text": "tell me a story"})).await;
    scene.event_of_type("delta").await;

    scene.call("ask", json!({"text": ""})).await.unwrap_err();
    let meanwhile = scene.invoke("conversation", json!({})).await;
    scene.invoke("stop", json!({})).await;

    assert_eq!(meanwhile["state"], "thinking");
    assert_eq!(scene.event_of_type("done").await["reply"], reply);
    scene.event(|event| *event == json!({"type": "state", "state": "idle"})).await;
}

#[tokio::test]
async fn earlier_messages_come_in_pages() {
    let options = SceneOptions::default();
    say(options.folder.path(), 250).await;
    let scene = Scene::with(options).await;

    let newest = scene.remembering().await;
    let earlier = scene.invoke("history", json!({"before": 150})).await;
    let earliest = scene.invoke("history", json!({"before": 50})).await;
    let just_a_page = scene.invoke("history", json!({"before": 100})).await;
    let before_all = scene.invoke("history", json!({"before": 0})).await;

    assert_eq!((ids(&newest), &newest["hasEarlier"]), ((150..250).collect(), &json!(true)));
    assert_eq!((ids(&earlier), &earlier["hasEarlier"]), ((50..150).collect(), &json!(true)));
    assert_eq!((ids(&earliest), &earliest["hasEarlier"]), ((0..50).collect(), &json!(false)));
    assert_eq!((ids(&just_a_page), &just_a_page["hasEarlier"]), ((0..100).collect(), &json!(false)));
    assert_eq!(before_all, json!({"messages": [], "hasEarlier": false}));
}

#[tokio::test]
async fn window_opens_with_a_trouble_when_the_database_fails() {
    let options = SceneOptions::default();
    say(options.folder.path(), 1).await;
    let scene = Scene::with(options).await;
    scene.remembering().await;
    let database = rusqlite::Connection::open(scene.folder.path().join("data").join("jarvis.db")).unwrap();
    database.execute_batch("PRAGMA foreign_keys = OFF; DROP TABLE messages").unwrap();

    let history = scene.call("history", json!({"before": 9})).await.unwrap_err();
    let conversation = scene.invoke("conversation", json!({})).await;

    assert_eq!(history["code"], "trouble");
    assert_eq!(
        (&conversation["messages"], &conversation["troubles"][0]["stage"]),
        (&json!([]), &json!("memory"))
    );
    let trouble = &conversation["troubles"][0];
    assert_eq!(
        history["message"],
        format!("{} {}", trouble["what"].as_str().unwrap(), trouble["remedy"].as_str().unwrap())
    );
}

#[tokio::test]
async fn conversation_view_has_everything_the_window_needs() {
    let conversation = Scene::new().await.invoke("conversation", json!({})).await;

    let expected = json!({
        "name": "Jarvis", "state": "idle", "isReady": true, "isMuted": false, "canListen": true, "talkKey": "",
        "troubles": [], "messages": [], "hasEarlier": false, "question": null, "rings": [],
    });
    assert_eq!(conversation, expected);
}
