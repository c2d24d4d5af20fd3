//! Redaction, time, model size, and malformed answers.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use llm::ModelSize;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "redaction.redact" => redact,
        "redaction.scrub_secrets" => scrub,
        "time_context.format_time_context" => time_context,
        "model_size.detect_model_size" => model_size,
        "malformed_guard.is_malformed_model_output" => malformed,
        _ => return None,
    })
}

fn redact(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
        max_len: usize,
    }
    let input: Input = read(input)?;
    Ok(json!(redaction::redact(&input.text, input.max_len)))
}

fn scrub(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
    }
    let input: Input = read(input)?;
    Ok(json!(redaction::scrub(&input.text)))
}

fn time_context(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        now_utc: String,
        tz_name: Option<String>,
    }
    let input: Input = read(input)?;
    let now: Timestamp = input
        .now_utc
        .parse()
        .or_else(|_| input.now_utc.parse::<DateTime>().and_then(|now| TimeZone::UTC.to_timestamp(now)))
        .map_err(|error| error.to_string())?;
    let zone = replying::context::zone_named(input.tz_name.as_deref(), || TimeZone::UTC);
    Ok(json!(replying::context::format_time(now, zone)))
}

fn model_size(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        model: Option<String>,
    }
    let input: Input = read(input)?;
    Ok(match ModelSize::from_name(&input.model.unwrap_or_default()) {
        ModelSize::Small => json!("small"),
        ModelSize::Large => json!("large"),
    })
}

fn malformed(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        content: String,
    }
    let input: Input = read(input)?;
    Ok(json!(replying::malformed::is_malformed(&input.content)))
}
