//! The sound that reaches the recogniser: the settings change it, and it never grows without a limit.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "support/inputs.rs"]
mod inputs;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hearing::{
    DecodeEffort, DecodeRequest, EnergyGate, HearingConfig, RecognisedSegment, SpeechToText, TranscribeError,
    Transcription,
};
use parking_lot::Mutex;
use rstest::rstest;
use settings::{HearingSettings, ListeningSettings};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, HearingEvent, Language, Utterance};

/// Samples that a recogniser got for a final pass.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sound {
    samples: usize,
    silence_before: usize,
}

/// Remembers the sounds of final passes, and hears the same words in all of them.
#[derive(Default)]
struct Recorder(Mutex<Vec<Sound>>);

impl SpeechToText for Recorder {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        Ok(())
    }

    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        _: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        if !matches!(request.effort, DecodeEffort::Partial) {
            let silence_before = samples.iter().take_while(|sample| **sample == 0.0).count();
            self.0.lock().push(Sound { samples: samples.len(), silence_before });
        }
        let text = "and so it goes on".to_owned();
        let segment = RecognisedSegment { text, avg_logprob: Some(-0.1), no_speech_prob: Some(0.0) };
        Ok(Transcription { segments: vec![segment], language: Language::new("en"), ..Default::default() })
    }
}

/// The sounds of final passes and the utterances heard, of frames of speech (`true`) and silence.
async fn recognised(
    hearing: &HearingSettings,
    frames: impl Iterator<Item = bool>,
) -> (Vec<Sound>, Vec<Utterance>) {
    let recorder = Arc::new(Recorder::default());
    let (mut inputs, to_hearing, mut events) = inputs::inputs(recorder.clone(), false);
    let config = HearingConfig::new(hearing, &ListeningSettings::default()).unwrap();
    inputs.config = watch::channel(config).1;
    inputs.activity = Box::new(EnergyGate::default());
    let task = tokio::spawn(hearing::run(inputs, CancellationToken::new()));
    let listener = tokio::spawn(async move {
        let mut heard = Vec::new();
        while let Some(event) = events.recv().await {
            if let HearingEvent::Heard(utterance) = event {
                heard.push(utterance);
            }
        }
        heard
    });
    let began = Instant::now();
    for (is_voiced, so_far) in frames.zip(1..) {
        let sample = if is_voiced { 0.3 } else { 0.0 };
        let frame = Frame::new([sample; FRAME_SAMPLES], began + FRAME_DURATION * so_far);
        to_hearing.send(frame).await.unwrap();
    }
    drop(to_hearing);
    task.await.unwrap();
    let heard = listener.await.unwrap();
    let sounds = recorder.0.lock().clone();
    (sounds, heard)
}

/// So many frames of speech between a second of silence before, and one and a half after.
fn speech(frames: usize) -> impl Iterator<Item = bool> {
    let silence = |frames| std::iter::repeat_n(false, frames);
    silence(50).chain(std::iter::repeat_n(true, frames)).chain(silence(75))
}

#[rstest]
#[case::none(0, 0)]
#[case::shorter_than_usual(100, 5)]
#[case::longer_than_usual(400, 20)]
#[tokio::test]
async fn sound_before_speech_is_as_long_as_the_settings_say(
    #[case] pre_roll_ms: u64,
    #[case] expected_frames: usize,
) {
    let hearing = HearingSettings { pre_roll_ms, ..HearingSettings::default() };

    let (sounds, heard) = recognised(&hearing, speech(40)).await;

    assert_eq!(sounds[0].silence_before, expected_frames * FRAME_SAMPLES);
    assert_eq!(heard.len(), 1);
}

#[rstest]
#[case::long_enough(200, 1)]
#[case::too_short(300, 0)]
#[tokio::test]
async fn sound_shorter_than_the_settings_say_is_not_recognised(
    #[case] min_utterance_ms: u64,
    #[case] expected: usize,
) {
    let hearing = HearingSettings { min_utterance_ms, ..HearingSettings::default() };

    // 0.24 s of speech.
    let (sounds, heard) = recognised(&hearing, speech(12)).await;

    assert_eq!((sounds.is_empty(), heard.len()), (expected == 0, expected));
}

/// A field of the memory statistics of this process, in kilobytes.
#[cfg(target_os = "linux")]
fn memory_kb(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn half_an_hour_of_speech_is_cut_and_not_kept() {
    const SPEECH: usize = 30 * 60 * 50;
    let longest = Duration::from_millis(HearingSettings::default().max_utterance_ms);
    #[cfg(target_os = "linux")]
    let before_kb = memory_kb("VmRSS:");

    let (sounds, heard) = recognised(&HearingSettings::default(), speech(SPEECH)).await;

    let longest_frames = (longest.as_millis() / FRAME_DURATION.as_millis()) as usize;
    assert!(sounds.iter().all(|sound| sound.samples <= longest_frames * FRAME_SAMPLES), "{sounds:?}");
    let lengths: Vec<Duration> = heard.iter().map(|one| one.ended_at - one.started_at).collect();
    assert!(lengths.iter().all(|length| *length <= longest), "{lengths:?}");
    let in_all: Duration = lengths.iter().sum();
    assert!(in_all >= FRAME_DURATION * SPEECH as u32, "some of it is lost: {in_all:?}");
    #[cfg(target_os = "linux")]
    {
        let more_kb = memory_kb("VmHWM:").saturating_sub(before_kb);
        let whole_kb = SPEECH * FRAME_SAMPLES * size_of::<f32>() / 1024;
        assert!(more_kb < whole_kb / 3, "{more_kb} kB more at its peak");
    }
}
