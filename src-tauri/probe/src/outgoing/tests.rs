use rstest::rstest;

use super::*;

fn answer(name: &str, input: Value) -> Value {
    suite(name).unwrap()(input).unwrap()
}

#[rstest]
#[case::described(
    json!({"attachment": {"type": "DOCUMENT", "filename": "a.txt", "mimeType": "text/plain", "bytes_b64": "QUI="}}),
    json!({"type": "DOCUMENT", "filename": "a.txt", "mimeType": "text/plain", "size": 2})
)]
#[case::screenshot(
    json!({"screenshot_base64": "QUI="}),
    json!({"type": "IMAGE", "filename": "screenshot.png", "mimeType": "image/png", "size": 2})
)]
#[case::screenshot_that_is_too_long(json!({"screenshot_base64": "A".repeat(67_000_004)}), Value::Null)]
#[case::bytes(
    json!({"file_bytes": {"$bytes": "QUJD"}, "filename": "/tmp/nul.csv", "mime_type": "text/csv"}),
    json!({"type": "DOCUMENT", "filename": "_nul.csv", "mimeType": "text/csv", "size": 3})
)]
#[case::vector_graphic(
    json!({"file_bytes": {"$bytes": "PHN2Zy8+"}, "filename": "a.png", "mime_type": "image/png"}),
    json!({"type": "DOCUMENT", "filename": "a.png", "mimeType": "image/svg+xml", "size": 6})
)]
#[case::text_for_bytes(json!({"file_bytes": "QUJD"}), Value::Null)]
#[case::no_map(json!("screenshot_base64"), Value::Null)]
fn attachment_is_found_in_a_result(#[case] data: Value, #[case] expected: Value) {
    let input = json!({"tool_result": {"success": true, "data": data}});

    assert_eq!(answer("out-attachment-extract", input), expected);
}

#[rstest]
#[case::failure(json!({"tool_result": {"success": false, "data": {"screenshot_base64": "QUI="}}}))]
#[case::no_result(json!({"tool_result": null}))]
fn without_a_success_there_is_no_attachment(#[case] input: Value) {
    assert_eq!(answer("out-attachment-extract", input), Value::Null);
}

fn outgoing(text: Value, voice: bool, voice_text: Value, files: &[&str]) -> Value {
    json!({"text": text, "voiceRequested": voice, "voiceText": voice_text, "attachments": files})
}

#[rstest]
#[case::text(json!({"llm_response": "Hi"}), outgoing(json!("Hi"), false, Value::Null, &[]))]
#[case::failure(json!({"llm_response": "Hi", "llm_error": "x"}), outgoing(json!({"kind": "system.error.llm"}), false, Value::Null, &[]))]
#[case::loudspeaker(json!({"llm_response": " \u{1F50A} Hi"}), outgoing(json!("Hi"), true, json!("Hi"), &[]))]
#[case::asked_aloud(
    json!({"llm_response": "Hi", "auto_voice_setting": true, "messages": [
        {"role": "user", "voice": true}, {"role": "user", "internal": true}, {"role": "assistant", "voice": false}]}),
    outgoing(json!("Hi"), true, Value::Null, &[])
)]
#[case::asked_aloud_before(
    json!({"llm_response": "Hi", "auto_voice_setting": true, "messages": [{"role": "user", "voice": true}, {"role": "user"}]}),
    outgoing(json!("Hi"), false, Value::Null, &[])
)]
#[case::files_get_the_text(json!({"llm_response": "Hi", "existing": {"attachments": ["a.png"]}}), outgoing(json!("Hi"), false, Value::Null, &["a.png"]))]
#[case::finished(json!({"llm_response": "Hi", "existing": {"text": "Old"}}), outgoing(json!("Old"), false, Value::Null, &[]))]
#[case::transition(json!({"llm_response": "Hi", "transition_target": "other"}), Value::Null)]
#[case::nothing(json!({"llm_response": null, "messages": null}), Value::Null)]
fn response_is_prepared(#[case] input: Value, #[case] expected: Value) {
    assert_eq!(answer("out-prepare", input), json!({"outgoing": expected}));
}

#[rstest]
#[case::files_and_text(
    json!({"tool_attachments": ["a.png", null, "b.pdf"], "final_text": "Here.", "previous_run": ["old.png"]}),
    outgoing(json!("Here."), false, Value::Null, &["a.png", "b.pdf"])
)]
#[case::files_and_voice(
    json!({"tool_attachments": ["a.png"], "tool_voice_text": "Look."}),
    outgoing(Value::Null, true, json!("Look."), &["a.png"])
)]
#[case::nothing(json!({"tool_attachments": [null], "previous_run": ["old.png"]}), Value::Null)]
fn files_of_a_run_are_collected(#[case] input: Value, #[case] expected: Value) {
    assert_eq!(
        answer("out-accumulate", input),
        json!({"outgoing": expected, "model_request_contains_bytes": false})
    );
}

fn channel(change: Value) -> Value {
    let mut channel = json!({"registered": true, "supports": ["text", "voice", "photo", "document"],
        "voice_enabled": true, "voice_available": true, "voice_error": null, "fail": [], "hang": []});
    for (name, value) in change.as_object().into_iter().flatten() {
        channel[name] = value.clone();
    }
    channel
}

/// Attempts, number of sends, notices, delivered, errors and seconds waited.
#[rstest]
#[case::whole(json!({}), json!([[["text", "Hi"], ["voice", "Hey"], ["photo", "a.png"]], 3, 0, true, 0, 0.0]))]
#[case::refused_text(json!({"fail": ["text"]}), json!([[["text", "Hi"], ["voice", "Hey"], ["photo", "a.png"]], 2, 0, true, 1, 0.0]))]
#[case::hanging_photo(json!({"hang": ["photo"]}), json!([[["text", "Hi"], ["voice", "Hey"], ["photo", "a.png"]], 2, 0, true, 1, 30.0]))]
#[case::voice_off(json!({"voice_enabled": false}), json!([[["text", "Hi"], ["photo", "a.png"]], 2, 0, true, 0, 0.0]))]
#[case::no_engine(json!({"voice_available": false}), json!([[["text", "Hi"], ["photo", "a.png"]], 2, 1, true, 1, 0.0]))]
#[case::quota(json!({"voice_error": "quota"}), json!([[["text", "Hi"], ["voice", "Hey"], ["photo", "a.png"]], 2, 1, true, 1, 0.0]))]
#[case::no_files(json!({"supports": ["text", "voice"]}), json!([[["text", "Hi"], ["voice", "Hey"]], 2, 1, true, 1, 0.0]))]
#[case::unknown_channel(json!({"registered": false}), json!([[], 0, 0, false, 0, 0.0]))]
fn parts_are_routed_in_order(#[case] change: Value, #[case] expected: Value) {
    let file = json!({"type": "IMAGE", "filename": "a.png", "mimeType": "image/png", "size": 3});
    let outgoing = json!({"text": "Hi", "voiceRequested": true, "voiceText": "Hey", "attachments": [file]});
    let input =
        json!({"outgoing": outgoing, "channel": channel(change), "context": {"llm_response": "Legacy"}});

    let seen = answer("out-routing", input);

    let sends = seen["sends"].as_array().unwrap().len();
    let shape = json!([
        seen["attempts"],
        sends,
        seen["notices"],
        seen["delivered"],
        seen["errors"],
        seen["waited_s"]
    ]);
    assert_eq!((&seen["should_process"], &seen["history_delta"]), (&json!(true), &json!(0)));
    assert_eq!(shape, expected);
}

#[rstest]
#[case::voice_only(json!({"voiceRequested": true, "voiceText": "Hey"}), json!({"fail": ["voice"]}), json!({}), true, json!([["voice", "Hey"], ["text", "Hey"]]))]
#[case::voice_only_where_it_is_off(json!({"voiceRequested": true, "voiceText": "Hey"}), json!({"voice_enabled": false}), json!({}), true, json!([["text", "Hey"]]))]
#[case::voice_without_words(json!({"voiceRequested": true}), json!({}), json!({}), false, json!([]))]
#[case::words_without_voice(json!({"voiceText": "Hey"}), json!({}), json!({}), false, json!([]))]
#[case::transition(json!({"text": "Hi"}), json!({}), json!({"transition_target": "x"}), true, json!([]))]
#[case::runs_by_itself(json!({"text": "Hi"}), json!({}), json!({"last_message_auto_mode": true}), true, json!([]))]
#[case::nothing(Value::Null, json!({}), json!({"llm_response": "Legacy"}), false, json!([]))]
fn only_what_there_is_to_say_is_routed(
    #[case] outgoing: Value,
    #[case] change: Value,
    #[case] context: Value,
    #[case] should_process: bool,
    #[case] attempts: Value,
) {
    let input = json!({"outgoing": outgoing, "channel": channel(change), "context": context});

    let seen = answer("out-routing", input);

    assert_eq!((&seen["should_process"], &seen["attempts"]), (&json!(should_process), &attempts));
}

#[rstest]
#[case::arrived(json!({"sent": ["attachment"], "outgoing": {"text": null}}), Value::Null)]
#[case::missing_text(json!({"sent": ["voice"], "failed": ["text"], "outgoing": {"text": "Hi"}}), json!({"kind": "retry", "parts": ["text"]}))]
#[case::nothing_tried(json!({"outgoing": {"text": "Hi"}}), json!({"kind": "text", "text": "Hi"}))]
#[case::text_of_the_model(json!({"outgoing": null, "llm_response": "Hi"}), json!({"kind": "text", "text": "Hi"}))]
#[case::explained(json!({"errors": ["x"], "explainer": "The model is gone."}), json!({"kind": "system.error.feedback", "text": "The model is gone."}))]
#[case::unexplained(json!({"errors": ["x"], "explainer": null}), json!({"kind": "system.error.generic.feedback"}))]
#[case::no_reason(json!({"sent": []}), json!({"kind": "system.error.generic.feedback"}))]
#[case::runs_by_itself(json!({"auto": true, "errors": ["x"]}), Value::Null)]
#[case::goes_on(json!({"iterations": 3, "transition_target": "x"}), Value::Null)]
#[case::last_before_the_limit(json!({"iterations": 19, "transition_target": "x"}), Value::Null)]
#[case::limit(json!({"iterations": 20, "transition_target": "x"}), json!({"kind": "system.iteration.limit"}))]
fn user_gets_feedback_where_too_little_arrived(#[case] input: Value, #[case] expected: Value) {
    assert_eq!(answer("out-feedback", input), json!({"extra": expected}));
}
