//! The tools of the web, with a scripted web.

mod scripted_web;
mod search;
mod weather;

use serde_json::{Value, json};

use crate::suite::{Suite, read, text};

pub(crate) use scripted_web::no_web;

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "web_search.extract_content_tokens" => content_tokens,
        "web_search.score_extract_against_query" => score,
        "web_search.language_script_mismatch" | "web_search.language_script_mismatches_query" => mismatch,
        "web_search.is_public_url_literal" => is_public_url,
        "web_search.cascade_pick" => best_extract,
        "web_search.pipeline" => search::pipeline,
        "weather.wmo_code_text" => condition,
        "weather.accept_extracted_place" => accepted_place,
        "weather.run" => weather::run,
        _ => return None,
    })
}

fn content_tokens(input: Value) -> Result<Value, String> {
    let text = input["text"].as_str().ok_or("there is no text")?;
    Ok(json!(::tools::web::relevance::content_tokens(text)))
}

fn score(input: Value) -> Result<Value, String> {
    #[derive(serde::Deserialize)]
    struct Input {
        extract: String,
        query_tokens: Tokens,
    }
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Tokens {
        Set {
            #[serde(rename = "$set")]
            set: Vec<String>,
        },
        List(Vec<String>),
    }
    let input: Input = read(input)?;
    let (Tokens::Set { set: tokens } | Tokens::List(tokens)) = input.query_tokens;
    Ok(json!(::tools::web::relevance::score(&input.extract, &tokens.into_iter().collect())))
}

fn mismatch(input: Value) -> Result<Value, String> {
    Ok(json!(::tools::web::wikipedia::script_mismatches(text(&input, "lang")?, text(&input, "query")?)))
}

fn is_public_url(input: Value) -> Result<Value, String> {
    Ok(json!(::tools::web::is_public_address(text(&input, "url")?)))
}

fn best_extract(input: Value) -> Result<Value, String> {
    #[derive(serde::Deserialize)]
    struct Input {
        candidates: Vec<Candidate>,
        query: String,
    }
    #[derive(serde::Deserialize)]
    struct Candidate {
        rank: i64,
        extract: Option<String>,
    }
    let input: Input = read(input)?;
    let candidates = input.candidates.iter().map(|candidate| (candidate.rank, candidate.extract.as_deref()));
    Ok(json!(::tools::web::relevance::best_extract(candidates, &input.query)))
}

fn condition(input: Value) -> Result<Value, String> {
    let code = input["code"].as_i64().ok_or("there is no code")?;
    Ok(json!(::tools::web::weather::condition(code)))
}

fn accepted_place(input: Value) -> Result<Value, String> {
    Ok(json!(::tools::web::weather::accepted_place(text(&input, "llm_reply")?)))
}
