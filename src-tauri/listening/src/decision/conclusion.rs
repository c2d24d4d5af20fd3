//! The rules with the verdict of the intent judge, and after it.

use super::values::{Assessment, Decision, DecisionRules, IgnoreReason, Judgement, NextStep, Situation};
use crate::echo;
use crate::judge::IntentVerdict;

/// An utterance that starts this long after the hot window closed may be a late follow-up, in seconds.
const MAX_LATE_SECS: f64 = 2.0;

/// Decides with the verdict of the intent judge, else by the rules that need none.
pub fn conclude(
    assessment: &Assessment,
    situation: &Situation<'_>,
    rules: &DecisionRules<'_>,
    judged: Judgement<'_>,
) -> Decision {
    if let NextStep::Decided(decision) = &assessment.next {
        return decision.clone();
    }
    let conclusion = Conclusion { text: &assessment.text, assessment, situation, rules };
    let by_judge = match judged {
        Judgement::NotAsked => None,
        Judgement::NoVerdict => conclusion.is_follow_up().then(|| conclusion.accept_text()),
        Judgement::Verdict(verdict) => conclusion.by_verdict(verdict),
    };
    by_judge.unwrap_or_else(|| conclusion.by_rules())
}

struct Conclusion<'c> {
    text: &'c str,
    assessment: &'c Assessment,
    situation: &'c Situation<'c>,
    rules: &'c DecisionRules<'c>,
}

impl Conclusion<'_> {
    /// `None` when the verdict does not decide.
    fn by_verdict(&self, verdict: &IntentVerdict) -> Option<Decision> {
        if verdict.is_stop && self.situation.is_speaking {
            return Some(Decision::Interrupt);
        }
        match (verdict.is_directed, verdict.is_confident()) {
            (true, _) if !verdict.query.trim().is_empty() => self.directed(verdict.query.trim()),
            (true, true) => self.directed(self.text),
            (false, true) if verdict.suspects_echo() => self.suspected_echo(),
            (false, true) => Some(self.not_directed()),
            (_, false) => None,
        }
    }

    /// The judge says that `query` was meant for us. Its word is not enough: the wake word is needed outside the hot
    /// window, and our own voice is none.
    fn directed(&self, query: &str) -> Option<Decision> {
        if !self.situation.in_hot_window {
            let is_called = self.assessment.has_wake_word || self.has_wake_word();
            return is_called.then(|| Decision::Accept(query.to_owned()));
        }
        let is_echo = self.is_pure_echo() && self.resembles_own_words(query);
        Some(if is_echo { Decision::Ignore(IgnoreReason::Echo) } else { Decision::Accept(query.to_owned()) })
    }

    fn suspected_echo(&self) -> Option<Decision> {
        let finished_secs = self.situation.own_speech.and_then(|own| own.finished_secs);
        let is_late_follow_up = finished_secs.is_some_and(|finished_secs| {
            let late_secs = self.situation.started_secs - (finished_secs + self.rules.hot_window_secs);
            (0.0..=MAX_LATE_SECS).contains(&late_secs)
        });
        (is_late_follow_up || self.is_follow_up()).then(|| self.accept_text())
    }

    fn not_directed(&self) -> Decision {
        if self.is_follow_up() {
            return self.accept_text();
        }
        let is_echo = self.situation.in_hot_window;
        Decision::Ignore(if is_echo { IgnoreReason::Echo } else { IgnoreReason::Overheard })
    }

    fn by_rules(&self) -> Decision {
        if self.has_wake_word() {
            return Decision::Accept(self.rules.wake_word.exact_query_in(self.text));
        }
        match self.situation.pending_query {
            Some(pending) => Decision::Append(format!("{pending} {}", self.text).trim().to_owned()),
            None => Decision::Ignore(self.assessment.ignored_as),
        }
    }

    fn accept_text(&self) -> Decision {
        Decision::Accept(self.text.to_owned())
    }

    fn has_wake_word(&self) -> bool {
        self.rules.wake_word.is_in(&self.text.to_lowercase())
    }

    /// In the hot window everything but our own voice is meant for us.
    fn is_follow_up(&self) -> bool {
        self.situation.in_hot_window && !self.is_pure_echo()
    }

    fn is_pure_echo(&self) -> bool {
        self.situation.own_speech.is_some_and(|own| echo::is_echo_of_whole_words(self.text, own))
    }

    fn resembles_own_words(&self, query: &str) -> bool {
        self.situation.own_speech.is_some_and(|own| echo::resembles_own_words(query, &own.text))
    }
}
