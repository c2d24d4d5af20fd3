//! Which recognised words to accept. Recognisers invent phrases over silence and noise.
//!
//! Source: docs/behaviour/listening.md#recognition-filters.

use vocabulary::{Language, VoiceMatch};

use crate::config::HearingConfig;
use crate::name_prompt::is_prompt_echo;
use crate::speech_to_text::{RecognisedSegment, Transcription};

/// Returns `true` if this segment is probably not speech. This decides before the confidence does: a recogniser gives
/// invented words a high confidence.
pub fn is_probably_no_speech(no_speech_prob: f32, threshold: f32) -> bool {
    no_speech_prob >= threshold
}

/// The confidence of a segment, 0.0 to 1.0: from the mean log probability of its tokens, else from its probability of
/// being speech; 1.0 when neither is known.
pub fn confidence(avg_logprob: Option<f32>, no_speech_prob: Option<f32>) -> f32 {
    match (avg_logprob, no_speech_prob) {
        (Some(logprob), _) => (logprob + 1.0).clamp(0.0, 1.0),
        (None, Some(no_speech)) => 1.0 - no_speech,
        (None, None) => 1.0,
    }
}

/// Returns `true` if this segment is speech with at least this confidence.
pub fn should_keep_segment(
    avg_logprob: Option<f32>,
    no_speech_prob: Option<f32>,
    min_confidence: f32,
    no_speech_threshold: f32,
) -> bool {
    let is_speech = no_speech_prob.is_none_or(|p| !is_probably_no_speech(p, no_speech_threshold));
    is_speech && confidence(avg_logprob, no_speech_prob) >= min_confidence
}

/// The shortest text that counts as a loop, in characters.
const MIN_LOOP_CHARS: usize = 6;
/// The longest repeated pattern to search for, in characters.
const MAX_PATTERN_CHARS: usize = 5;
/// The fewest repeats of a pattern that count as a loop.
const MIN_REPEATS: usize = 4;
/// The least share of the text that the repeats of a loop cover.
const MIN_COVERAGE: f64 = 0.6;
/// The fewest words of a text that can be a loop of words.
const MIN_LOOP_WORDS: usize = 4;
/// The fewest consecutive repeats of one word that count as a loop.
const MIN_WORD_RUN: usize = 3;

/// Returns `true` if the recogniser repeated itself in a loop.
pub fn is_repetitive(text: &str) -> bool {
    text.trim().chars().count() >= MIN_LOOP_CHARS && (repeats_characters(text) || repeats_words(text))
}

fn repeats_characters(text: &str) -> bool {
    let squeezed: Vec<char> =
        text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    (1..=MAX_PATTERN_CHARS).any(|length| {
        (0..length).any(|offset| {
            let Some(rest) = squeezed.get(offset..) else { return false };
            let Some(pattern) = rest.get(..length) else { return false };
            let repeats = rest.chunks_exact(length).take_while(|chunk| *chunk == pattern).count();
            let coverage = (repeats * length) as f64 / squeezed.len() as f64;
            repeats >= MIN_REPEATS && coverage >= MIN_COVERAGE
        })
    })
}

fn repeats_words(text: &str) -> bool {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    if words.len() < MIN_LOOP_WORDS {
        return false;
    }
    let most_common = words.iter().map(|word| words.iter().filter(|w| *w == word).count()).max().unwrap_or(0);
    let is_mostly_one_word = most_common >= MIN_REPEATS && most_common * 2 > words.len();
    let has_run = words.windows(MIN_WORD_RUN).any(|run| run.iter().all(|word| *word == run[0]));
    is_mostly_one_word || has_run
}

/// Below this mean log probability a quick decoding is doubtful. Whisper's own threshold for its fallback is -1.0; with
/// a shortened encoder context it accepts too many errors.
const DOUBTFUL_LOGPROB: f32 = -0.8;

/// Returns `true` if a thorough decoding should follow. Never for a command: commands are accepted at any confidence.
pub fn is_doubtful(text: &str, avg_logprob: Option<f32>, commands: &[String]) -> bool {
    let is_unsure = avg_logprob.is_none_or(|logprob| logprob < DOUBTFUL_LOGPROB);
    (is_unsure && !is_command(text, commands)) || is_repetitive(text)
}

/// Returns `true` if the whole text is one of these commands, ignoring case and punctuation.
pub fn is_command(text: &str, commands: &[String]) -> bool {
    let lower = text.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    commands.iter().any(|command| command == bare)
}

/// The words of one pass that pass the filters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AcceptedWords {
    /// Empty when no word was accepted.
    pub text: String,
    /// The lowest confidence among the accepted segments, 0.0 to 1.0.
    pub confidence: f32,
    /// The language of the decoding.
    pub language: Option<Language>,
    /// The speaker.
    pub voice: VoiceMatch,
    /// The words were decoded so surely that their language is the right one.
    pub is_language_sure: bool,
    /// The reason to decode the same sound again.
    pub doubt: Option<Doubt>,
}

/// The reason to decode the same sound again, with more work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// The recogniser is not sure of a segment, or repeats itself.
    Unsure,
    /// The words may be those of the prompt instead of the user's: "is called Jarvis". A pass without the prompt tells.
    PromptEcho,
}

/// The words of a pass that count. `is_prompted` tells that the recogniser read the [`crate::name_prompt`] first.
pub(crate) fn accepted_words(
    config: &HearingConfig,
    words: &Transcription,
    is_prompted: bool,
) -> AcceptedWords {
    let mut accepted = AcceptedWords {
        text: String::new(),
        confidence: 1.0,
        language: words.language.clone(),
        voice: words.voice,
        is_language_sure: are_sure_of_language(&words.segments),
        doubt: None,
    };
    for segment in &words.segments {
        if is_doubtful(&segment.text, segment.avg_logprob, &config.commands) {
            accepted.doubt = accepted.doubt.or(Some(Doubt::Unsure));
        }
        if is_prompted && is_prompt_echo(&segment.text, &config.names) {
            accepted.doubt = Some(Doubt::PromptEcho);
        } else if is_accepted(config, segment) {
            let confidence = confidence(segment.avg_logprob, segment.no_speech_prob);
            accepted.confidence = accepted.confidence.min(confidence);
            if !accepted.text.is_empty() {
                accepted.text.push(' ');
            }
            accepted.text.push_str(segment.text.trim());
        }
    }
    if is_repetitive(&accepted.text) {
        accepted.text.clear();
    }
    accepted
}

fn is_accepted(config: &HearingConfig, segment: &RecognisedSegment) -> bool {
    let lower = segment.text.to_lowercase();
    let has_name = config.names.iter().any(|name| lower.contains(name.as_str()));
    let min_confidence = match (is_command(&segment.text, &config.commands), has_name) {
        (true, _) => 0.0,
        (_, true) => config.min_confidence / 2.0,
        _ => config.min_confidence,
    };
    !is_sound_label(&segment.text)
        && should_keep_segment(
            segment.avg_logprob,
            segment.no_speech_prob,
            min_confidence,
            config.no_speech_threshold,
        )
}

/// Words with at least this mean log probability were decoded in the right language. Source: base q8_0 on speech by
/// espeak-ng, English decoded as English -0.41 to -0.05, seven other languages decoded as English -1.3 to -0.7.
const SURE_LANGUAGE_LOGPROB: f32 = -0.45;

/// Returns `true` if these words were decoded in the language that was spoken.
pub(crate) fn are_sure_of_language(segments: &[RecognisedSegment]) -> bool {
    let is_sure = |segment: &RecognisedSegment| {
        segment.avg_logprob.is_some_and(|logprob| logprob >= SURE_LANGUAGE_LOGPROB)
    };
    !segments.is_empty() && segments.iter().all(is_sure)
}

/// Whisper writes sounds that are not speech in brackets: `[Music]`, `(coughs)`, `*sighs*`.
fn is_sound_label(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.');
    [('[', ']'), ('(', ')'), ('*', '*')].iter().any(|(open, close)| {
        text.len() > 1
            && text.starts_with(*open)
            && text.ends_with(*close)
            && text.matches(*open).count() <= 2
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::{HearingSettings, ListeningSettings};

    use super::*;

    #[rstest]
    #[case::no_speech_outranks_confidence(Some(-0.1), Some(0.5), false)]
    #[case::confident(Some(-0.2), Some(0.1), true)]
    #[case::at_the_minimum(Some(-0.7), None, true)]
    #[case::below_the_minimum(Some(-0.71), None, false)]
    #[case::without_logprob_no_speech_decides(None, Some(0.4), true)]
    #[case::without_probabilities(None, None, true)]
    fn segment_is_kept_when_it_passes_both_filters(
        #[case] avg_logprob: Option<f32>,
        #[case] no_speech_prob: Option<f32>,
        #[case] kept: bool,
    ) {
        assert_eq!(should_keep_segment(avg_logprob, no_speech_prob, 0.3, 0.5), kept);
    }

    #[rstest]
    #[case::sure("what time is it", -0.3, false)]
    #[case::unsure("what time is it", -0.9, true)]
    #[case::unsure_command("Stop!", -1.2, false)]
    #[case::a_sure_loop("no no no way", -0.1, true)]
    fn unsure_or_repeated_words_are_doubtful(
        #[case] text: &str,
        #[case] avg_logprob: f32,
        #[case] expected: bool,
    ) {
        assert_eq!(is_doubtful(text, Some(avg_logprob), &["stop".to_owned()]), expected);
    }

    #[rstest]
    #[case::ordinary("what time is it", false)]
    #[case::too_short_to_judge("haha", false)]
    #[case::one_letter("aaaaaaaa", true)]
    #[case::pattern_after_an_offset("xababababab", true)]
    #[case::pattern_covers_too_little("hahahaha is what they said to me", false)]
    #[case::word_three_times_in_a_row("no no no way", true)]
    #[case::one_word_most_of_the_time("you said you and you or you", true)]
    #[case::three_words_are_not_judged("very very very", false)]
    #[case::punctuation_does_not_hide_a_run("Thanks, thanks! Thanks. Bye", true)]
    fn repeated_patterns_and_words_count_as_a_loop(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_repetitive(text), expected);
    }

    #[rstest]
    #[case::sure("what time is it", -0.2, "what time is it")]
    #[case::not_sure("what time is it", -0.8, "")]
    #[case::not_sure_with_the_wake_word("jarvis what time is it", -0.8, "jarvis what time is it")]
    #[case::unsure_command("Stop!", -1.2, "Stop!")]
    #[case::a_sound("[Music]", -0.1, "")]
    #[case::a_loop("no no no no no", -0.1, "")]
    fn only_trusted_words_are_accepted(#[case] text: &str, #[case] avg_logprob: f32, #[case] expected: &str) {
        let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
        let segment = RecognisedSegment {
            text: text.into(),
            avg_logprob: Some(avg_logprob),
            no_speech_prob: Some(0.0),
        };
        let words = Transcription { segments: vec![segment], language: None, ..Default::default() };

        assert_eq!(accepted_words(&config, &words, true).text, expected);
    }

    #[rstest]
    #[case::repeated_prompt("The assistant is called Jarvis.", true, "", Some(Doubt::PromptEcho))]
    #[case::same_words_without_the_prompt(
        "My dog is called Jarvis.",
        false,
        "My dog is called Jarvis.",
        None
    )]
    #[case::other_words("Jarvis, what time is it?", true, "Jarvis, what time is it?", None)]
    fn words_of_the_prompt_count_only_when_it_was_not_read(
        #[case] text: &str,
        #[case] is_prompted: bool,
        #[case] accepted: &str,
        #[case] doubt: Option<Doubt>,
    ) {
        let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
        let segment =
            RecognisedSegment { text: text.into(), avg_logprob: Some(-0.2), no_speech_prob: Some(0.0) };
        let words = Transcription { segments: vec![segment], language: None, ..Default::default() };

        let words = accepted_words(&config, &words, is_prompted);

        assert_eq!((words.text.as_str(), words.doubt), (accepted, doubt));
    }

    #[cfg(feature = "whisper")]
    #[test]
    fn name_in_the_prompt_is_not_accepted_from_noise_in_any_language() {
        use tokio_util::sync::CancellationToken;
        use vocabulary::SAMPLE_RATE_HZ;

        use crate::speech_to_text::{DecodeEffort, SpeechToText};

        let folder = std::env::var_os("JARVIS_MODELS").map(std::path::PathBuf::from);
        let folder = folder.unwrap_or_else(|| settings::Folders::from_environment().unwrap().models);
        let model = folder.join("speech/ggml-base-q8_0.bin");
        let whisper = crate::Whisper::new(crate::WhisperConfig { model, threads: 1, likely_language: None });
        let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
        let mut state: u32 = 1;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 / 16_777_216.0 - 0.5) * 0.1
        };
        let noise: Vec<f32> = (0..2 * SAMPLE_RATE_HZ).map(|_| noise()).collect();

        let mut heard = Vec::new();
        for data in languages::all() {
            let request = config.request(Some(data.language()), DecodeEffort::Final);
            let words = whisper.transcribe(&noise, &request, &CancellationToken::new()).unwrap();
            let text = accepted_words(&config, &words, true).text;
            heard.extend(Some(text).filter(|text| text.to_lowercase().contains("jarvis")));
        }

        assert!(heard.is_empty(), "{heard:?}");
    }
}
