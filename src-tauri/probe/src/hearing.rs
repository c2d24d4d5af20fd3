//! Filters for the results of speech recognition.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "whisper_filters.is_whisper_hallucination" => no_speech,
        "whisper_filters.is_repetitive_hallucination" => repetitive,
        "whisper_filters.keep_segment" => keep_segment,
        _ => return None,
    })
}

fn no_speech(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        no_speech_prob: f32,
        threshold: f32,
    }
    let input: Input = read(input)?;
    Ok(json!(hearing::is_probably_no_speech(input.no_speech_prob, input.threshold)))
}

fn repetitive(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
    }
    let input: Input = read(input)?;
    Ok(json!(hearing::is_repetitive(&input.text)))
}

fn keep_segment(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        avg_logprob: Option<f32>,
        no_speech_prob: Option<f32>,
        min_confidence: f32,
        no_speech_threshold: f32,
    }
    let input: Input = read(input)?;
    Ok(json!(hearing::should_keep_segment(
        input.avg_logprob,
        input.no_speech_prob,
        input.min_confidence,
        input.no_speech_threshold
    )))
}
