//! The intent judge.

use listening::judge::{IntentVerdict, first_object, with_name_for_aliases};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "intent_judge.parse_response" => parse,
        "intent_judge.extract_json_object" => object,
        "intent_judge.normalize_aliases" => normalise_aliases,
        _ => return None,
    })
}

fn parse(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        response: String,
        assistant_name: String,
        #[serde(default)]
        aliases: Vec<String>,
    }
    let input: Input = read(input)?;
    let verdict = IntentVerdict::parse(&input.response, &input.assistant_name, &input.aliases);
    Ok(verdict.map_or(Value::Null, |verdict| {
        json!({
            "directed": verdict.is_directed,
            "query": verdict.query,
            "stop": verdict.is_stop,
            "confidence": verdict.confidence,
            "reasoning": verdict.reasoning,
        })
    }))
}

fn object(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
    }
    Ok(json!(first_object(&read::<Input>(input)?.text).unwrap_or_default()))
}

fn normalise_aliases(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
        assistant_name: String,
        #[serde(default)]
        aliases: Vec<String>,
    }
    let input: Input = read(input)?;
    Ok(json!(with_name_for_aliases(&input.text, &input.assistant_name, &input.aliases)))
}
