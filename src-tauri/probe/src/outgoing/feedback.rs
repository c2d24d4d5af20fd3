//! Words for a user when too little arrived.

use ::replying::{LoopLimits, OutgoingInput, prepare_outgoing};
use routing::{ChannelError, Feedback, Outcome, PartFailure, RunEnd, feedback};
use serde::Deserialize;
use serde_json::{Value, json};
use vocabulary::ReplyPart;

use super::wire::WireResponse;
use crate::suite::{or_default, read};

#[derive(Deserialize)]
struct Input {
    #[serde(default, deserialize_with = "or_default")]
    sent: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    failed: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    auto: bool,
    outgoing: Option<WireResponse>,
    llm_response: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    errors: Vec<String>,
    explainer: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    iterations: usize,
    transition_target: Option<String>,
}

pub(super) fn run(input: Value) -> Result<Value, String> {
    let Input {
        sent,
        failed,
        auto,
        outgoing,
        llm_response,
        errors,
        explainer,
        iterations,
        transition_target,
    } = read(input)?;
    let response = outgoing.map(WireResponse::response);
    let said = OutgoingInput { text: llm_response, ..OutgoingInput::default() };
    let model_text = prepare_outgoing(said).and_then(|said| said.text).map(|text| text.0).unwrap_or_default();
    let outcome = outcome(&sent, &failed);
    let is_limit = LoopLimits::are_profiles_used_up(iterations);
    let is_handed_over = transition_target.is_some();
    let decided = feedback(&RunEnd {
        outcome: &outcome,
        response: response.as_ref(),
        model_text: &model_text,
        has_failed: !errors.is_empty(),
        is_silent: auto || is_handed_over,
        is_retried: false,
    });
    let is_out_of_turns = is_limit && !auto && (is_handed_over || decided == Feedback::Apologise);
    let explanation = explainer.filter(|text| !text.trim().is_empty());
    let extra = match (decided, explanation) {
        _ if is_out_of_turns => json!({ "kind": "system.iteration.limit" }),
        (Feedback::Nothing, _) => Value::Null,
        (Feedback::Retry, _) => json!({ "kind": "retry", "parts": failed }),
        (Feedback::Text(text), _) => json!({ "kind": "text", "text": text }),
        (Feedback::Explain, Some(text)) => json!({ "kind": "system.error.feedback", "text": text }),
        (Feedback::Explain, None) | (Feedback::Apologise, _) => {
            json!({ "kind": "system.error.generic.feedback" })
        }
    };
    Ok(json!({ "extra": extra }))
}

fn outcome(sent: &[String], failed: &[String]) -> Outcome {
    let is_sent = |name: &str| sent.iter().any(|it| it == name);
    let files =
        sent.iter().filter(|name| matches!(name.as_str(), "attachment" | "photo" | "document")).count();
    let failures = failed.iter().enumerate().map(|(index, name)| PartFailure {
        part: match name.as_str() {
            "text" => ReplyPart::Text,
            "voice" => ReplyPart::Voice,
            "photo" => ReplyPart::Image,
            _ => ReplyPart::File,
        },
        index,
        error: ChannelError::Refused { reason: "scripted".to_owned() },
    });
    Outcome {
        sent_text: is_sent("text"),
        sent_voice: is_sent("voice"),
        sent_attachments: files,
        failures: failures.collect(),
    }
}
