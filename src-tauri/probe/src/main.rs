//! `jarvis-probe`: runs one stage of the product with given values. JSON lines in, JSON lines out.
//!
//! Every answer comes from the crates of the product; the adapters here only translate. A few estimates that the product
//! does not need are made here. No network, no model, no microphone, no clock, no data of the user: times are part of the
//! input.

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;
use serde_json::{Value, json};

use suite::{Suite, written_out};

mod suite; // the type of a suite: start here
mod command_center;
mod bridge;
mod dialogue;
mod files;
mod hearing;
mod listening;
mod machine;
mod reflection;
mod memory;
mod message;
mod outgoing;
mod planning;
mod reply;
mod replying;
mod script;
mod speaking;
mod tools;
mod web;

fn main() -> std::io::Result<()> {
    run(std::io::stdin().lock(), std::io::stdout().lock())
}

/// Writes one line to `answers` for every line of `requests`, in order, until the requests end.
///
/// # Errors
///
/// When the input or output fails.
fn run(requests: impl BufRead, mut answers: impl Write) -> std::io::Result<()> {
    for line in requests.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        writeln!(answers, "{}", answer(&line))?;
        answers.flush()?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Request {
    suite: String,
    #[serde(default)]
    input: Value,
}

fn answer(line: &str) -> Value {
    let request: Request = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(error) => return json!({ "error": format!("the line is no request: {error}") }),
    };
    let Some(suite) = suite(&request.suite) else { return json!({ "unsupported": true }) };
    if !(request.input.is_object() || request.input.is_null()) {
        return json!({ "error": "the input is no object" });
    }
    match catch_unwind(AssertUnwindSafe(|| suite(written_out(request.input)))) {
        Ok(Ok(output)) => json!({ "output": output }),
        Ok(Err(error)) => json!({ "error": error }),
        Err(_) => json!({ "error": "the stage panicked; see the log" }),
    }
}

fn suite(name: &str) -> Option<Suite> {
    hearing::suite(name)
        .or_else(|| listening::suite(name))
        .or_else(|| reflection::suite(name))
        .or_else(|| dialogue::suite(name))
        .or_else(|| files::suite(name))
        .or_else(|| machine::suite(name))
        .or_else(|| command_center::suite(name))
        .or_else(|| memory::suite(name))
        .or_else(|| outgoing::suite(name))
        .or_else(|| planning::suite(name))
        .or_else(|| reply::suite(name))
        .or_else(|| replying::suite(name))
        .or_else(|| speaking::suite(name))
        .or_else(|| bridge::suite(name))
        .or_else(|| tools::suite(name))
        .or_else(|| web::suite(name))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::redaction(
        r#"{"suite":"redaction.redact","input":{"text":"mail a@b.org  now","max_len":100}}"#,
        json!({"output": "mail [REDACTED_EMAIL] now"})
    )]
    #[case::wake(
        r#"{"suite":"wake_stop.is_wake_word_detected","input":{"text_lower":"oh jarvis","wake_word":"jarvis","aliases":[],"fuzzy_ratio":0.78}}"#,
        json!({"output": true})
    )]
    #[case::transcript(
        r#"{"suite":"transcript_buffer.sequence","input":{"max_duration_sec":120,"ops":[["add","one",-2,-1,false],["advance",130],["add","two",0,1,true],["all"]]}}"#,
        json!({"output": [[["two", true, false]]]})
    )]
    #[case::time(
        r#"{"suite":"time_context.format_time_context","input":{"now_utc":"2025-09-15T17:53:00","tz_name":null}}"#,
        json!({"output": "Monday, September 15, 2025 at 17:53 UTC"})
    )]
    #[case::repeated_text(
        r#"{"suite":"bridge-result-clean","input":{"raw_output":{"$repeat":["a  ",3]}}}"#,
        json!({"output": {"text": "a a a", "is_error": false, "rate_limited": false}})
    )]
    #[case::repeated_text_of_any_suite(
        r#"{"suite":"graph.estimate_tokens","input":{"text":{"$repeat":["x",40000000]}}}"#,
        json!({"output": 10_000_000})
    )]
    #[case::input_that_is_no_object(
        r#"{"suite":"cc-noise","input":"hello"}"#,
        json!({"error": "the input is no object"})
    )]
    #[case::text_that_is_none(
        r#"{"suite":"cc-noise","input":{"transcript":5}}"#,
        json!({"error": "the input is not of this suite: `transcript` is no text"})
    )]
    #[case::unknown_suite(r#"{"suite":"no.such","input":{}}"#, json!({"unsupported": true}))]
    fn each_request_line_gets_one_answer_line(#[case] line: &str, #[case] expected: Value) {
        assert_eq!(answer(line), expected);
    }

    #[test]
    fn invalid_line_is_answered_and_the_next_is_served() {
        let mut answers = Vec::new();

        run(
            &b"nonsense\n\n{\"suite\":\"model_size.detect_model_size\",\"input\":{\"model\":null}}\n"[..],
            &mut answers,
        )
        .unwrap();

        let answers = String::from_utf8(answers).unwrap();
        let lines: Vec<&str> = answers.lines().collect();
        assert!(lines[0].starts_with(r#"{"error":"the line is no request"#));
        assert_eq!(lines[1..], [r#"{"output":"large"}"#]);
    }
}
