//! Text prepared for speech.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "tts_preprocessing.preprocess_for_speech" => preprocess,
        "tts_preprocessing.strip_markdown_for_speech" => strip_markdown,
        "tts_preprocessing.extract_domain_description" => domain_description,
        "tts_preprocessing.estimate_tts_duration" => estimate_duration,
        _ => return None,
    })
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

fn preprocess(input: Value) -> Result<Value, String> {
    let input: Text = read(input)?;
    Ok(json!(speaking::preprocess_for_speech(&input.text)))
}

fn strip_markdown(input: Value) -> Result<Value, String> {
    let input: Text = read(input)?;
    Ok(json!(speaking::strip_markdown_for_speech(&input.text)))
}

fn domain_description(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        url: String,
    }
    let input: Input = read(input)?;
    let link = speaking::extract_domain_description(&input.url);
    Ok(json!([link.domain, link.is_homepage]))
}

fn estimate_duration(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
        wpm: f64,
    }
    let input: Input = read(input)?;
    Ok(json!(speaking::estimate_tts_duration(&input.text, input.wpm)))
}
