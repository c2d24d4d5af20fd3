//! Wake word, stop words, hot window, similarity, transcript, echo, judge, decision.

use std::time::Duration;

use listening::{HotWindow, Segment, Transcript, WakeWord, similarity};
use serde::Deserialize;
use serde_json::{Value, json};

use self::timeline::Timeline;
use crate::suite::{Suite, read};

mod decision;
mod echo;
mod judge;
mod timeline;

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "wake_stop.is_wake_word_detected" => is_wake_word,
        "wake_stop.extract_query_after_wake" => query_after_wake,
        "wake_stop.is_stop_command" => is_stop_command,
        "hot_window.was_speech_during_hot_window" => hot_window,
        "hot_window.check_collection_timeout" => collection_timeout,
        "similarity.sequence_matcher_ratio" => |input| compare(input, similarity::sequence_matcher_ratio),
        "similarity.ratio" => |input| compare(input, similarity::ratio),
        "similarity.partial_ratio" => |input| compare(input, similarity::partial_ratio),
        "similarity.token_set_ratio" => |input| compare(input, similarity::token_set_ratio),
        "similarity.token_sort_ratio" => |input| compare(input, similarity::token_sort_ratio),
        "similarity.WRatio" => |input| compare(input, similarity::weighted_ratio),
        "transcript_buffer.sequence" => transcript,
        _ => return echo::suite(name).or_else(|| judge::suite(name)).or_else(|| decision::suite(name)),
    })
}

fn is_wake_word(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text_lower: String,
        wake_word: String,
        #[serde(default)]
        aliases: Vec<String>,
        fuzzy_ratio: f64,
    }
    let input: Input = read(input)?;
    let wake_word = WakeWord::new(&input.wake_word, &input.aliases, input.fuzzy_ratio);
    Ok(json!(wake_word.is_in(&input.text_lower)))
}

fn query_after_wake(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text_lower: String,
        wake_word: String,
        #[serde(default)]
        aliases: Vec<String>,
    }
    let input: Input = read(input)?;
    let wake_word = WakeWord::new(&input.wake_word, &input.aliases, 1.0);
    Ok(json!(wake_word.exact_query_in(&input.text_lower)))
}

fn is_stop_command(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text_lower: String,
        stop_commands: Vec<String>,
        fuzzy_ratio: f64,
    }
    let input: Input = read(input)?;
    Ok(json!(listening::is_stop_command(&input.text_lower, &input.stop_commands, input.fuzzy_ratio)))
}

fn hot_window(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        state: String,
        span_start: Option<f64>,
        span_end: Option<f64>,
        #[serde(default)]
        activation_pending: bool,
        utterance_start: Option<f64>,
        utterance_end: Option<f64>,
    }
    let input: Input = read(input)?;
    let times = [input.span_start, input.span_end, input.utterance_start, input.utterance_end];
    let at = Timeline::around(times.into_iter().flatten());
    let window = HotWindow {
        is_open: input.state == "hot_window",
        is_about_to_open: input.activation_pending,
        span_start: input.span_start.map(|secs| at.instant(secs)),
        span_end: input.span_end.map(|secs| at.instant(secs)),
    };
    let started_at = input.utterance_start.map(|secs| at.instant(secs));
    Ok(json!(window.contains(started_at, input.utterance_end.map(|secs| at.instant(secs)))))
}

fn collection_timeout(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        last_voice: f64,
        collect_start: f64,
        now: f64,
        voice_collect_seconds: f64,
        max_collect_seconds: f64,
    }
    let input: Input = read(input)?;
    let secs = |secs: f64| Duration::try_from_secs_f64(secs.max(0.0)).unwrap_or(Duration::MAX);
    Ok(json!(listening::is_collecting_over(
        secs(input.now - input.last_voice),
        secs(input.now - input.collect_start),
        secs(input.voice_collect_seconds),
        secs(input.max_collect_seconds),
    )))
}

fn compare(input: Value, measure: fn(&str, &str) -> f64) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        a: String,
        b: String,
    }
    let input: Input = read(input)?;
    Ok(json!(measure(&input.a, &input.b)))
}

fn transcript(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        max_duration_sec: f64,
        ops: Vec<Vec<Value>>,
    }
    let input: Input = read(input)?;
    let max_age = Duration::try_from_secs_f64(input.max_duration_sec).map_err(|e| e.to_string())?;
    let mut transcript = Transcript::new(max_age);
    let line = Timeline::around([0.0]);
    let mut now = 0.0;
    let mut answers = Vec::new();
    for op in &input.ops {
        let number = |index: usize| {
            op.get(index).and_then(Value::as_f64).ok_or(format!("a number is missing in {op:?}"))
        };
        let text = |index: usize| {
            op.get(index).and_then(Value::as_str).ok_or(format!("a text is missing in {op:?}"))
        };
        let at = |index: usize| number(index).map(|secs| line.instant(now + secs));
        match text(0)? {
            "add" => {
                let during_speech = op.get(4).and_then(Value::as_bool).unwrap_or(false);
                transcript.add(text(1)?, at(2)?, at(3)?, during_speech, line.instant(now));
            }
            "advance" => now += number(1)?,
            "all" => answers.push(
                transcript.all().map(|s| json!([s.text, s.may_contain_echo, s.is_processed])).collect(),
            ),
            "since" => answers.push(texts(transcript.since(at(1)?))),
            "before" => answers.push(texts(transcript.before(at(1)?))),
            "around" => answers.push(texts(transcript.around(at(1)?))),
            "lastn" => answers.push(texts(transcript.last(number(1)? as usize))),
            "lastsec" => answers.push(texts(transcript.since(line.instant(now - number(1)?)))),
            "update" => answers.push(json!(transcript.replace_last(text(1)?))),
            "cleartts" => answers.push(json!(transcript.clear_during_speech())),
            "mark" => answers.push(json!(transcript.mark_processed(text(1)?))),
            "prune" => answers.push(json!(transcript.prune(line.instant(now)))),
            other => return Err(format!("there is no operation named {other}")),
        }
    }
    Ok(Value::Array(answers))
}

fn texts<'s>(segments: impl Iterator<Item = &'s Segment>) -> Value {
    segments.map(|segment| json!(segment.text)).collect()
}
