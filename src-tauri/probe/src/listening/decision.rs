//! The decision about one utterance.

use listening::decision::{
    Decision, DecisionRules, EchoSign, Judgement, NextStep, Situation, assess, conclude,
};
use listening::echo::{EchoConfig, OwnSpeech};
use listening::judge::IntentVerdict;
use listening::{HotWindow, WakeWord};
use serde::Deserialize;
use serde_json::{Value, json};
use settings::ListeningSettings;

use super::timeline::Timeline;
use crate::suite::{Suite, or_default, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    (name == "listener_decisions.process_transcript").then_some(decide as Suite)
}

#[derive(Deserialize)]
struct Input {
    #[serde(default, deserialize_with = "or_default")]
    text: String,
    utterance: Utterance,
    state: State,
    judge: Option<Judge>,
    config: Config,
}

#[derive(Deserialize)]
struct Utterance {
    start: f64,
    end: f64,
    #[serde(default, deserialize_with = "or_default")]
    energy: f64,
}

#[derive(Deserialize)]
struct State {
    mode: String,
    pending_query: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    hot_window: Window,
    speech: Option<Speech>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Window {
    active: bool,
    activation_pending: bool,
    span_start: Option<f64>,
    span_end: Option<f64>,
}

#[derive(Deserialize)]
struct Speech {
    text: String,
    #[serde(default, deserialize_with = "or_default")]
    playing: bool,
    started: f64,
    finished: Option<f64>,
    exact_duration: Option<f64>,
    energy_baseline: f64,
}

#[derive(Deserialize)]
struct Judge {
    verdict: Option<Verdict>,
}

#[derive(Deserialize)]
struct Verdict {
    #[serde(default, deserialize_with = "or_default")]
    directed: bool,
    #[serde(default, deserialize_with = "or_default")]
    query: String,
    #[serde(default, deserialize_with = "or_default")]
    stop: bool,
    #[serde(default, deserialize_with = "or_default")]
    confidence: String,
    #[serde(default, deserialize_with = "or_default")]
    reasoning: String,
}

#[derive(Deserialize)]
struct Config {
    wake_word: String,
    #[serde(default)]
    wake_aliases: Vec<String>,
    wake_fuzzy_ratio: f64,
    echo_tolerance: f64,
    echo_energy_threshold: f64,
    tts_rate: f64,
    hot_window_seconds: f64,
}

impl State {
    fn is_in_hot_window(&self, utterance: &Utterance) -> bool {
        let span = [self.hot_window.span_start, self.hot_window.span_end];
        let at = Timeline::around(span.into_iter().flatten().chain([utterance.start, utterance.end]));
        let window = HotWindow {
            is_open: self.hot_window.active || self.mode == "hot_window",
            is_about_to_open: self.hot_window.activation_pending,
            span_start: self.hot_window.span_start.map(|secs| at.instant(secs)),
            span_end: self.hot_window.span_end.map(|secs| at.instant(secs)),
        };
        window.contains(Some(at.instant(utterance.start)), Some(at.instant(utterance.end)))
    }
}

impl Speech {
    fn as_own_speech(&self) -> OwnSpeech {
        OwnSpeech {
            text: self.text.clone(),
            started_secs: self.started,
            finished_secs: self.finished,
            duration_secs: self.exact_duration,
            sentences: Vec::new(),
            background_rms: self.energy_baseline,
        }
    }
}

impl Verdict {
    fn as_intent_verdict(&self) -> IntentVerdict {
        IntentVerdict {
            is_directed: self.directed,
            query: self.query.clone(),
            is_stop: self.stop,
            confidence: self.confidence.to_lowercase(),
            reasoning: self.reasoning.clone(),
        }
    }
}

impl Config {
    fn echo(&self) -> EchoConfig {
        EchoConfig {
            tolerance_secs: self.echo_tolerance,
            energy_threshold: self.echo_energy_threshold,
            words_per_second: self.tts_rate / 60.0,
        }
    }
}

fn decide(input: Value) -> Result<Value, String> {
    let Input { text, utterance, state, judge, config } = read(input)?;
    let in_hot_window = state.is_in_hot_window(&utterance);
    let own_speech = state.speech.as_ref().map(Speech::as_own_speech);
    let is_speaking = state.speech.as_ref().is_some_and(|speech| speech.playing);
    let is_collecting = state.mode == "collecting";
    let situation = Situation {
        text: &text,
        started_secs: utterance.start,
        ended_secs: utterance.end,
        energy_rms: utterance.energy,
        in_hot_window,
        pending_query: is_collecting.then(|| state.pending_query.as_deref().unwrap_or_default()),
        own_speech: own_speech.as_ref(),
        is_speaking,
        // The reference tells echo by its words alone.
        echo_sign: EchoSign::None,
    };
    let wake_word = WakeWord::new(&config.wake_word, &config.wake_aliases, config.wake_fuzzy_ratio);
    let ListeningSettings { stop_words, stop_fuzzy_ratio, .. } = ListeningSettings::default();
    let rules = DecisionRules {
        wake_word: &wake_word,
        stop_words: &stop_words,
        lone_stop_words: &[],
        stop_fuzzy_ratio,
        hot_window_secs: config.hot_window_seconds,
        echo: config.echo(),
    };
    let assessment = assess(&situation, &rules);
    let judge = judge.filter(|_| assessment.next == NextStep::Judge);
    let verdict = judge.as_ref().and_then(|judge| judge.verdict.as_ref()).map(Verdict::as_intent_verdict);
    let judged = match (&judge, &verdict) {
        (None, _) => Judgement::NotAsked,
        (Some(_), None) => Judgement::NoVerdict,
        (Some(_), Some(verdict)) => Judgement::Verdict(verdict),
    };
    let decision = conclude(&assessment, &situation, &rules, judged);
    let is_accepted = matches!(decision, Decision::Accept(_));
    let (outcome, query) = outcome(decision);
    Ok(json!({
        "outcome": outcome,
        "query": query,
        "judge_called": judge.is_some(),
        "judge_in_hot_window": judge.is_some().then_some(in_hot_window),
        // The tune never sounds beside our voice.
        "tune_started": assessment.starts_tune || is_accepted && !is_speaking,
    }))
}

/// The name of the outcome, and its query.
fn outcome(decision: Decision) -> (&'static str, Option<String>) {
    match decision {
        Decision::Accept(query) => ("accept", Some(query)),
        Decision::Append(query) => ("append", Some(query)),
        Decision::Interrupt => ("interrupt", None),
        Decision::Ignore(_) => ("ignore", None),
    }
}

#[cfg(test)]
mod tests;
