//! The rules before the intent judge.

use super::values::{Assessment, Decision, DecisionRules, EchoSign, IgnoreReason, NextStep, Situation};
use crate::echo::{self, HeardSpeech, OwnSpeech};
use crate::stop::{has_stop_word, is_lone_stop_word, is_stop_command, is_stop_in_any_language};

/// The longest text, in words, that the intent judge is not asked about while we speak.
const MAX_WORDS_WITHOUT_JUDGE: usize = 3;

/// Applies the rules that come before the intent judge.
pub fn assess(situation: &Situation<'_>, rules: &DecisionRules<'_>) -> Assessment {
    let heard = situation.text.trim();
    if heard.is_empty() {
        return Assessment::decided(heard, Decision::Ignore(IgnoreReason::Silence));
    }
    let (mut text, mut starts_tune, mut has_wake_word) = (heard.to_owned(), false, false);
    if situation.is_speaking {
        if let Some(own) = situation.own_speech {
            if let Some(decision) = on_stop_word(situation, own, rules) {
                return Assessment::decided(heard, decision);
            }
            if is_own_call(situation, rules) {
                return Assessment::decided(heard, Decision::Ignore(IgnoreReason::Echo));
            }
            match without_echo_while_speaking(situation, own, rules) {
                Some(words) => text = words,
                None => return Assessment::decided(heard, Decision::Ignore(IgnoreReason::Echo)),
            }
        }
    } else if is_own_call(situation, rules) {
        return Assessment::decided(heard, Decision::Ignore(IgnoreReason::Echo));
    } else if situation.in_hot_window {
        match without_pure_echo(heard, situation.own_speech) {
            Some(words) => text = words,
            None => return Assessment::decided(heard, Decision::Ignore(IgnoreReason::Echo)),
        }
        starts_tune = true;
    } else if rules.wake_word.is_in(&text.to_lowercase()) {
        (starts_tune, has_wake_word) = (true, true);
    }
    if let Some(own) = situation.own_speech.filter(|_| !situation.is_speaking)
        && let Some(words) = echo::after_merged_echo(&text, situation.started_secs, own, &rules.echo)
    {
        text = words;
    }
    let is_from_user = is_from_user(&text, situation, rules);
    let ignored_as = match situation.echo_sign {
        EchoSign::Sound if !is_from_user => IgnoreReason::Echo,
        EchoSign::None | EchoSign::Time | EchoSign::Sound => IgnoreReason::Overheard,
    };
    if situation.in_hot_window && !situation.is_speaking && !is_from_user {
        return Assessment::decided(heard, Decision::Ignore(ignored_as));
    }
    let is_too_short = situation.is_speaking && text.split_whitespace().count() <= MAX_WORDS_WITHOUT_JUDGE;
    let is_engaged = has_wake_word || situation.in_hot_window || situation.is_speaking;
    let next = if is_engaged && !is_too_short { NextStep::Judge } else { NextStep::Rules };
    Assessment { is_salvaged: text != heard, text, has_wake_word, starts_tune, ignored_as, next }
}

impl Assessment {
    fn decided(text: &str, decision: Decision) -> Self {
        let (text, ignored_as, next) =
            (text.to_owned(), IgnoreReason::Overheard, NextStep::Decided(decision));
        Self { text, is_salvaged: false, has_wake_word: false, starts_tune: false, ignored_as, next }
    }
}

/// Returns `true` if a follow-up is not our own voice, misheard: it was not said over it, it calls us or wants silence, or there
/// are enough words in it that we did not say. `text` is without our own words, if they could be cut off.
fn is_from_user(text: &str, situation: &Situation<'_>, rules: &DecisionRules<'_>) -> bool {
    /// A piece of our voice that is misheard comes back as one to three words.
    const MIN_WORDS: usize = 4;
    let Some(own) = situation.own_speech.filter(|_| situation.echo_sign != EchoSign::None) else {
        return true;
    };
    // The sound of a whole answer tells that it is ours; its time does not.
    let is_answer = || situation.echo_sign == EchoSign::Time && is_yes_or_no(text);
    let is_called = || rules.wake_word.is_in(&text.to_lowercase());
    let has_own_words = || {
        let is_cut = text != situation.text.trim();
        (is_cut || text.split_whitespace().count() >= MIN_WORDS)
            && echo::has_words_of_user(text, situation.started_secs, own, &rules.echo)
    };
    is_called() || is_whole_stop(text, rules) || is_answer() || has_own_words()
}

/// Returns `true` for a whole answer to a question of ours, which people often give before we have quite ended.
fn is_yes_or_no(text: &str) -> bool {
    languages::all().iter().any(|data| data.is_yes(text) || data.is_no(text))
}

/// Returns `true` if the text is a stop word and nothing else.
fn is_whole_stop(text: &str, rules: &DecisionRules<'_>) -> bool {
    let words = languages::normalised(text);
    rules.stop_words.contains(&words) || !rules.stop_words.is_empty() && is_stop_in_any_language(&words)
}

/// Returns `true` if we said our name at that time and the text is probably ours. A machine that is busy, or a canceller that
/// does not know the room yet, makes other words of it.
fn is_own_call(situation: &Situation<'_>, rules: &DecisionRules<'_>) -> bool {
    let heard_secs = (situation.started_secs, situation.ended_secs);
    rules.wake_word.is_in(&situation.text.to_lowercase())
        && situation.own_speech.is_some_and(|own| {
            echo::is_own_call(situation.text, heard_secs, own, &rules.echo, rules.wake_word)
        })
}

/// Decides about a command to stop speaking. A stop word that we said at that time may be an echo, also one that is
/// heard imperfectly; any other is the user's, whatever else is heard beside it. `None` leaves it to the other rules.
fn on_stop_word(situation: &Situation<'_>, own: &OwnSpeech, rules: &DecisionRules<'_>) -> Option<Decision> {
    let text = situation.text.to_lowercase();
    let is_command = is_stop_command(&text, rules.stop_words, rules.stop_fuzzy_ratio)
        || is_lone_stop_word(&text, rules.lone_stop_words, rules.stop_fuzzy_ratio)
        || !rules.stop_words.is_empty() && is_stop_in_any_language(&rules.wake_word.query_in(situation.text));
    if !is_command {
        return None;
    }
    let heard_words = situation.text.split_whitespace().count();
    let own_words = echo::own_words_during(situation.started_secs, heard_words, own, &rules.echo);
    let is_ours = has_stop_word(&own_words, rules.stop_words, rules.stop_fuzzy_ratio)
        || own_words.iter().any(|word| is_stop_in_any_language(word));
    if is_ours && is_garbled_echo(situation.text, &own_words, own) {
        return Some(Decision::Ignore(IgnoreReason::Echo));
    }
    (!is_ours || !is_echo(situation, own, rules)).then_some(Decision::Interrupt)
}

/// Returns `true` if a text resembles our own words, less than an echo does; a short one those that we said at that time. A
/// busy machine hears our voice imperfectly; a user who wants silence does not say a sentence like ours.
fn is_garbled_echo(heard: &str, own_words: &[String], own: &OwnSpeech) -> bool {
    match heard.split_whitespace().count() {
        0..=1 => false,
        2..=echo::MAX_SHORT_WORDS => echo::resembles_words(heard, own_words),
        _ => echo::resembles_own_words(heard, &own.text),
    }
}

fn is_echo(situation: &Situation<'_>, own: &OwnSpeech, rules: &DecisionRules<'_>) -> bool {
    let heard = HeardSpeech {
        text: situation.text,
        started_secs: situation.started_secs,
        energy_rms: situation.energy_rms,
        during_own_speech: true,
        in_hot_window: situation.in_hot_window,
    };
    echo::is_explained_by_own_words(&heard, own, &rules.echo) && echo::is_echo(&heard, own, &rules.echo)
}

/// The text without our own words; `None` when nothing else was said.
fn without_echo_while_speaking(
    situation: &Situation<'_>,
    own: &OwnSpeech,
    rules: &DecisionRules<'_>,
) -> Option<String> {
    let heard = situation.text.trim();
    if !is_echo(situation, own, rules) {
        return Some(heard.to_owned());
    }
    let started_secs = situation.started_secs;
    echo::user_words_while_speaking(heard, started_secs, own, &rules.echo)
        .filter(|words| echo::has_enough_words(words))
        .or_else(|| echo::after_own_words(heard, started_secs, own, &rules.echo))
}

/// The text without our own words, if it contains nothing but what we said; `None` when nothing else was said.
fn without_pure_echo(heard: &str, own: Option<&OwnSpeech>) -> Option<String> {
    let Some(own) = own.filter(|own| echo::is_echo_of_whole_words(heard, own)) else {
        return Some(heard.to_owned());
    };
    echo::after_leading_echo(heard, &own.text)
        .filter(|words| echo::has_enough_words(words))
        .or_else(|| echo::after_rightmost_echo(heard, &own.text))
        .filter(|words| echo::has_enough_words(words))
}
