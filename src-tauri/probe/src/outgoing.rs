//! Responses on their way to the user: files of tools, preparation, routing, feedback.

mod channel; // a channel that does what the input says
mod delivering; // through that channel
mod feedback; // when too little arrived
mod wire; // responses and files, as the suites write them

use ::replying::{OutgoingInput, prepare_outgoing};
use ::tools::attachments::{ResultData, RunAttachments};
use ::tools::servers::server_result;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use vocabulary::{Attachment, AttachmentKind, OutgoingResponse};

use crate::suite::{Suite, or_default, read};

/// Stands for the words about a failing model.
const LLM_ERROR: &str = "system.error.llm";

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "out-attachment-extract" => extract,
        "out-prepare" => prepare,
        "out-accumulate" => accumulate,
        "out-routing" => delivering::run,
        "out-feedback" => feedback::run,
        _ => return None,
    })
}

fn extract(input: Value) -> Result<Value, String> {
    let result = &input["tool_result"];
    let data = &result["data"];
    let is_usable = result["success"] == json!(true) && data.is_object();
    let Some(found) = is_usable.then(|| result_data(data)).and_then(ResultData::attachment) else {
        return Ok(Value::Null);
    };
    let kind = match found.kind {
        AttachmentKind::Image => "IMAGE",
        AttachmentKind::Document => "DOCUMENT",
    };
    let size = found.bytes.len();
    Ok(json!({ "type": kind, "filename": found.filename, "mimeType": found.mime_type, "size": size }))
}

/// The data, with native bytes read from the form that the suites have for them.
fn result_data(data: &Value) -> ResultData {
    let native = data["file_bytes"]["$bytes"].as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
    let read = ResultData::from_json(data);
    ResultData { file_bytes: native.or(read.file_bytes), ..read }
}

fn prepare(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Said {
        role: String,
        #[serde(default, deserialize_with = "or_default")]
        voice: bool,
        #[serde(default, deserialize_with = "or_default")]
        internal: bool,
    }
    #[derive(Deserialize)]
    struct Existing {
        text: Option<String>,
        #[serde(default, deserialize_with = "or_default")]
        attachments: Vec<String>,
    }
    #[derive(Deserialize)]
    struct Input {
        llm_response: Option<String>,
        llm_error: Option<String>,
        #[serde(default, deserialize_with = "or_default")]
        messages: Vec<Said>,
        #[serde(default, deserialize_with = "or_default")]
        auto_voice_setting: bool,
        #[serde(default, deserialize_with = "or_default")]
        tool_voice_requested: bool,
        tool_voice_text: Option<String>,
        existing: Option<Existing>,
        transition_target: Option<String>,
    }
    let input: Input = read(input)?;
    // A query is what the user said last.
    let query = input.messages.iter().rev().find(|said| said.role == "user" && !said.internal);
    let existing = input.existing.map(|existing| OutgoingResponse {
        text: existing.text.map(Into::into),
        attachments: existing.attachments.iter().map(|name| wire::file(name)).collect(),
        ..OutgoingResponse::default()
    });
    let prepared = prepare_outgoing(OutgoingInput {
        text: input.llm_response,
        error: input.llm_error.map(|_| LLM_ERROR.to_owned()),
        voice_requested: input.tool_voice_requested,
        voice_text: input.tool_voice_text,
        is_asked_aloud: query.is_some_and(|said| said.voice),
        answers_aloud: input.auto_voice_setting,
        is_handed_over: input.transition_target.is_some(),
        existing,
    });
    Ok(json!({ "outgoing": prepared.as_ref().map(shape) }))
}

fn accumulate(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        #[serde(default, deserialize_with = "or_default")]
        tool_attachments: Vec<Option<String>>,
        final_text: Option<String>,
        tool_voice_text: Option<String>,
        #[serde(default, deserialize_with = "or_default")]
        previous_run: Vec<String>,
    }
    let input: Input = read(input)?;
    let previous = input.previous_run.into_iter().map(Some).collect::<Vec<_>>();
    // Each run begins with no files.
    run_of_tools(&previous);
    let (attachments, model_reads_bytes) = run_of_tools(&input.tool_attachments);
    let prepared = prepare_outgoing(OutgoingInput {
        text: input.final_text,
        voice_text: input.tool_voice_text,
        existing: (!attachments.is_empty())
            .then(|| OutgoingResponse { attachments, ..OutgoingResponse::default() }),
        ..OutgoingInput::default()
    });
    Ok(json!({
        "outgoing": prepared.as_ref().map(shape),
        "model_request_contains_bytes": model_reads_bytes,
    }))
}

/// Calls a tool of a server for each name. Returns the files of the run, and `true` if the model reads bytes of one.
fn run_of_tools(names: &[Option<String>]) -> (Vec<Attachment>, bool) {
    let mut run = RunAttachments::default();
    let mut model_reads_bytes = false;
    for name in names {
        let bytes = BASE64_STANDARD.encode(format!("the content of {name:?}"));
        let file = name.as_ref().map(|name| {
            json!({ "type": "resource", "resource": { "uri": "probe:file", "name": name, "blob": bytes } })
        });
        let content: Vec<Value> =
            file.into_iter().chain([json!({ "type": "text", "text": "Done." })]).collect();
        let result = server_result(&json!({ "content": content }));
        model_reads_bytes |= result.text.is_some_and(|text| text.contains(&bytes));
        run.add(result.attachments);
    }
    (run.into_kept(), model_reads_bytes)
}

/// A response as the suites show it.
fn shape(response: &OutgoingResponse) -> Value {
    let text = match response.text.as_deref().map(String::as_str) {
        Some(LLM_ERROR) => json!({ "kind": LLM_ERROR }),
        text => json!(text),
    };
    let names: Vec<&str> = response.attachments.iter().map(|file| file.filename.as_str()).collect();
    json!({
        "text": text,
        "voiceRequested": response.voice_requested,
        "voiceText": response.voice_text.as_deref(),
        "attachments": names,
    })
}

#[cfg(test)]
mod tests;
