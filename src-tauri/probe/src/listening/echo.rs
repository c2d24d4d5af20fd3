//! Echo.

use listening::echo::{self, EchoConfig, HeardSpeech, OwnSpeech};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "echo_detection.should_reject_as_echo" => is_echo,
        "echo_detection.cleanup_leading_echo" => after_leading_echo,
        "echo_detection.cleanup_leading_echo_during_tts" => user_words_while_speaking,
        "echo_detection.salvage_after_echo_tail" => after_rightmost_echo,
        "echo_detection.check_text_similarity" => is_similar,
        "echo_detection.normalize_for_comparison" => normalise,
        "echo_detection.is_pure_echo" => is_pure_echo,
        _ => return None,
    })
}

#[derive(Deserialize)]
struct State {
    last_tts_text: String,
    tts_start_time: f64,
    /// 0 means never.
    last_tts_finish_time: f64,
    tts_exact_duration: Option<f64>,
    tts_energy_baseline: f64,
    echo_tolerance: f64,
    energy_spike_threshold: f64,
}

impl State {
    fn own_speech(&self) -> OwnSpeech {
        OwnSpeech {
            text: self.last_tts_text.clone(),
            started_secs: self.tts_start_time,
            finished_secs: Some(self.last_tts_finish_time).filter(|secs| *secs != 0.0),
            duration_secs: self.tts_exact_duration,
            sentences: Vec::new(),
            background_rms: self.tts_energy_baseline,
        }
    }

    fn config(&self, tts_rate: f64) -> EchoConfig {
        EchoConfig {
            tolerance_secs: self.echo_tolerance,
            energy_threshold: self.energy_spike_threshold,
            words_per_second: tts_rate / 60.0,
        }
    }
}

fn is_echo(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        state: State,
        heard_text: String,
        utterance_start_time: f64,
        current_energy: f64,
        is_during_tts: bool,
        in_hot_window: bool,
        tts_rate: f64,
    }
    let input: Input = read(input)?;
    let heard = HeardSpeech {
        text: &input.heard_text,
        started_secs: input.utterance_start_time,
        energy_rms: input.current_energy,
        during_own_speech: input.is_during_tts,
        in_hot_window: input.in_hot_window,
    };
    Ok(json!(echo::is_echo(&heard, &input.state.own_speech(), &input.state.config(input.tts_rate))))
}

fn after_leading_echo(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        state: State,
        heard_text: String,
    }
    let input: Input = read(input)?;
    let rest = echo::after_leading_echo(&input.heard_text, &input.state.last_tts_text);
    Ok(json!(rest.unwrap_or(input.heard_text)))
}

fn user_words_while_speaking(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        state: State,
        heard_text: String,
        utterance_start_time: f64,
        tts_rate: f64,
    }
    let Input { state, heard_text, utterance_start_time, tts_rate } = read(input)?;
    let config = state.config(tts_rate);
    let rest =
        echo::user_words_while_speaking(&heard_text, utterance_start_time, &state.own_speech(), &config);
    Ok(json!(rest.unwrap_or(heard_text)))
}

fn after_rightmost_echo(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        state: State,
        heard_text: String,
    }
    let input: Input = read(input)?;
    Ok(json!(echo::after_rightmost_echo(&input.heard_text, &input.state.last_tts_text)))
}

fn is_similar(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        heard_text: String,
        tts_text: String,
        threshold: f64,
    }
    let input: Input = read(input)?;
    Ok(json!(echo::is_similar(&input.heard_text, &input.tts_text, input.threshold)))
}

fn normalise(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
    }
    Ok(json!(echo::normalise(&read::<Input>(input)?.text)))
}

fn is_pure_echo(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        heard_text: String,
        last_tts_text: String,
    }
    let input: Input = read(input)?;
    Ok(json!(echo::is_pure_echo(&input.heard_text, &input.last_tts_text)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn state() -> Value {
        json!({
            "last_tts_text": "It will rain in Leeds, so take an umbrella with you.",
            "tts_start_time": 1000.0, "last_tts_finish_time": 0, "tts_exact_duration": null,
            "tts_energy_baseline": 0.0045, "echo_tolerance": 0.3, "energy_spike_threshold": 2.0
        })
    }

    #[rstest]
    #[case::echo("echo_detection.should_reject_as_echo", json!({"heard_text": "rain in leeds",
        "utterance_start_time": 1000.5, "current_energy": 0.02, "is_during_tts": true, "in_hot_window": false,
        "tts_rate": 200}), json!(true))]
    #[case::never_spoke("echo_detection.should_reject_as_echo", json!({"heard_text": "rain in leeds",
        "utterance_start_time": 1.0, "current_energy": 0.0, "is_during_tts": false, "in_hot_window": false,
        "tts_rate": 200}), json!(false))]
    #[case::leading("echo_detection.cleanup_leading_echo", json!({"heard_text": "with you and York"}), json!("and York"))]
    #[case::nothing_removed("echo_detection.cleanup_leading_echo", json!({"heard_text": "and York"}), json!("and York"))]
    #[case::while_speaking("echo_detection.cleanup_leading_echo_during_tts", json!({"heard_text":
        "with you what about York", "utterance_start_time": 1002.5, "tts_rate": 200}), json!("what about York"))]
    #[case::tail("echo_detection.salvage_after_echo_tail", json!({"heard_text": "what about York"}), Value::Null)]
    fn echo_is_answered_with_these_shapes(
        #[case] name: &str,
        #[case] mut input: Value,
        #[case] expected: Value,
    ) {
        input["state"] = state();

        assert_eq!(suite(name).unwrap()(input), Ok(expected));
    }
}
