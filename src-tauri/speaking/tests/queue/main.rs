//! The speech queue with a voice of tones and a speaker that the test controls.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod idle_speaker; // a speaker that is not needed any more
mod lost_speaker; // a speaker that fails

use std::sync::Arc;
use std::time::Duration;

use rstest::rstest;
use speaking::{Earcon, SpeakingConfig, Speech, SpeechHandle, SpeechQueue, SpeechReport};
use testkit::{ScriptedLoudspeaker, ToneVoice, ToneVoices};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, ReplyId, SpeechEvent};

const REPLY: ReplyId = ReplyId(1);
const NEXT: ReplyId = ReplyId(2);

/// A running queue with its speaker, its voices and its reports.
struct TestQueue {
    speaker: ScriptedLoudspeaker,
    voices: ToneVoices,
    queue: SpeechHandle,
    reports: mpsc::Receiver<SpeechReport>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl TestQueue {
    fn new() -> Self {
        Self::with(SpeakingConfig::default())
    }

    fn with(config: SpeakingConfig) -> Self {
        let (speaker, voices) = (ScriptedLoudspeaker::default(), ToneVoices::default());
        let (queue, handle, reports) =
            SpeechQueue::new(Arc::new(speaker.clone()), Arc::new(voices.clone()), config);
        let stop = CancellationToken::new();
        let task = tokio::spawn(queue.run(stop.clone()));
        Self { speaker, voices, queue: handle, reports, stop, task }
    }

    async fn say(&self, reply: ReplyId, sentence: &str) {
        self.queue.say(reply, sentence.to_owned(), None).await;
    }

    /// The next report but those of silence.
    async fn next_report(&mut self) -> String {
        loop {
            let report = self.reports.recv().await.unwrap();
            if !matches!(report, SpeechReport::NothingToHear { .. }) {
                return describe(report);
            }
        }
    }

    /// Waits for the report that nothing of a reply is about to be heard.
    async fn until_silent(&mut self, reply: ReplyId) {
        let silent =
            async { while self.reports.recv().await != Some(SpeechReport::NothingToHear { reply }) {} };
        tokio::time::timeout(Duration::from_secs(60), silent).await.unwrap();
    }

    /// Waits until `n` sounds have started.
    async fn until_started(&self, n: usize) {
        self.speaker.until(|seen| seen.started >= n).await;
    }
}

/// Describes a report without its times, which differ from run to run.
fn describe(report: SpeechReport) -> String {
    match report {
        SpeechReport::Speech(SpeechEvent::Started { reply, .. }) => format!("{} started", reply.0),
        SpeechReport::Speech(SpeechEvent::Sentence { reply, text, lasts, .. }) => {
            format!("{} says {text:?} for {} ms", reply.0, lasts.as_millis())
        }
        SpeechReport::Speech(SpeechEvent::Finished { reply, .. }) => format!("{} finished", reply.0),
        SpeechReport::Speech(SpeechEvent::Interrupted { reply, .. }) => format!("{} interrupted", reply.0),
        SpeechReport::NothingToHear { reply } => format!("{} is silent", reply.0),
        SpeechReport::VoiceMissing { language } => format!("no voice: {}", language.code()),
        SpeechReport::Trouble(trouble) => format!("trouble: {}", trouble.stage),
        SpeechReport::Recovered(trouble) => format!("recovered: {}", trouble.stage),
    }
}

#[tokio::test]
async fn sentences_play_one_after_the_other_and_are_reported() {
    let mut test = TestQueue::new();

    test.say(REPLY, "It **rains**.").await;
    test.say(REPLY, "Take a coat!").await;
    test.queue.finish(REPLY).await;

    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");
    assert!(test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "1 says \"Take a coat!\" for 120 ms");
    assert!(test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "1 finished");
    test.queue.until_silent().await;
}

#[tokio::test]
async fn sound_plays_in_its_turn_and_is_not_reported_as_a_sentence() {
    let mut test = TestQueue::new();
    let sound = Speech { samples: vec![0.1; 500], rate_hz: 1_000 };

    test.say(REPLY, "Listen.").await;
    test.queue.play(REPLY, sound).await;
    test.queue.finish(REPLY).await;

    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"Listen.\" for 70 ms");
    let seen = test.speaker.until(|seen| seen.queued.len() == 2).await;
    assert!(seen.queued[1] >= Duration::from_millis(500), "{:?}", seen.queued);
    assert!(test.speaker.finish_sound() && test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "1 finished");
}

#[tokio::test]
async fn sound_plays_while_speech_is_switched_off() {
    let mut test = TestQueue::with(SpeakingConfig { is_enabled: false, ..SpeakingConfig::default() });
    let sound = Speech { samples: vec![0.1; 500], rate_hz: 1_000 };

    test.queue.play(REPLY, sound.clone()).await;
    test.queue.play(REPLY, sound).await;

    assert_eq!(test.next_report().await, "1 started");
    test.queue.stop_speaking();
    assert_eq!(test.next_report().await, "1 interrupted");
}

#[tokio::test]
async fn only_a_few_sentences_are_synthesised_ahead() {
    let test = TestQueue::new();

    for sentence in ["One.", "Two.", "Three.", "Four.", "Five."] {
        test.say(REPLY, sentence).await;
    }
    let seen = test.speaker.until(|seen| seen.queued.len() == 3).await;

    assert_eq!(seen.started, 1);
    assert_eq!(test.voices.first.asked(), ["One.", "Two.", "Three."]);
    assert!(test.speaker.finish_sound());
    test.speaker.until(|seen| seen.queued.len() == 4).await;
}

#[tokio::test]
async fn long_sentence_plays_before_its_synthesis_is_complete() {
    let mut test = TestQueue::new();

    test.say(
        REPLY,
        "Although it will rain in the morning, the afternoon should be dry and warm, which is endless news.",
    )
    .await;

    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"Although it will rain in the morning,\" for 370 ms");
    test.queue.stop_speaking();
    assert_eq!(test.next_report().await, "1 interrupted");
}

#[tokio::test]
async fn stop_ends_the_sound_the_synthesis_and_the_queue() {
    let mut test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.say(REPLY, "This is endless.").await;
    test.say(REPLY, "Never heard.").await;
    test.until_started(1).await;
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");

    test.queue.stop_speaking();
    test.say(REPLY, "Too late.").await;
    test.queue.finish(REPLY).await;
    test.say(NEXT, "The sun shines.").await;

    assert_eq!(test.next_report().await, "1 interrupted");
    assert_eq!(test.next_report().await, "2 started");
    assert_eq!(test.next_report().await, "2 says \"The sun shines.\" for 150 ms");
    let asked = test.voices.first.asked();
    assert!(!asked.iter().any(|text| text == "Never heard." || text == "Too late."), "{asked:?}");
}

#[tokio::test]
async fn reply_stopped_before_its_first_sound_is_not_reported() {
    let mut test = TestQueue::new();
    test.say(REPLY, "This is endless.").await;

    test.queue.stop_speaking();
    test.queue.finish(REPLY).await;
    test.say(NEXT, "Yes.").await;

    assert_eq!(test.next_report().await, "2 started");
}

#[tokio::test]
async fn sentence_without_words_is_not_played() {
    let test = TestQueue::new();

    test.say(REPLY, "  ").await;
    test.say(REPLY, "```\n```").await;
    test.queue.finish(REPLY).await;
    test.queue.until_silent().await;

    assert_eq!(test.speaker.seen().queued, []);
}

#[rstest]
#[case::no_words("```\n```", SpeakingConfig::default())]
#[case::speech_is_switched_off("It rains.", SpeakingConfig { is_enabled: false, ..SpeakingConfig::default() })]
#[tokio::test]
async fn reply_without_words_to_hear_is_reported_as_silent(
    #[case] sentence: &str,
    #[case] config: SpeakingConfig,
    #[values(false, true)] asks: bool,
) {
    let mut test = TestQueue::with(config);

    test.say(REPLY, sentence).await;
    if asks {
        test.queue.pause(REPLY).await;
    } else {
        test.queue.finish(REPLY).await;
    }

    test.until_silent(REPLY).await;
    assert_eq!(test.speaker.seen().queued, []);
}

#[tokio::test]
async fn fallback_voice_replaces_a_failing_voice_with_one_report() {
    let mut test = TestQueue::new();

    test.say(REPLY, "This is impossible.").await;
    test.say(REPLY, "So is the impossible.").await;
    assert_eq!(test.next_report().await, "trouble: voice");
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"This is impossible.\" for 190 ms");
    assert!(test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "1 says \"So is the impossible.\" for 210 ms");
    test.say(REPLY, "This is easy.").await;

    assert_eq!(test.next_report().await, "recovered: voice");
    assert_eq!(test.voices.fallback.asked(), ["This is impossible.", "So is the impossible."]);
}

#[tokio::test]
async fn voice_that_cannot_speak_is_reported_before_the_first_sentence() {
    let config = SpeakingConfig { voice: "incapable".into(), ..SpeakingConfig::default() };
    let mut test = TestQueue::with(config.clone());

    assert_eq!(test.next_report().await, "trouble: voice");

    test.queue.configure(SpeakingConfig { voice: "second".into(), ..config });
    assert_eq!(test.next_report().await, "recovered: voice");
}

#[tokio::test]
async fn missing_voice_is_replaced_until_the_settings_change() {
    let mut test = TestQueue::with(SpeakingConfig { voice: "missing".into(), ..SpeakingConfig::default() });

    test.say(REPLY, "It rains.").await;
    assert_eq!(test.next_report().await, "trouble: voice");
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");
    assert_eq!(test.voices.fallback.asked(), ["It rains."]);

    test.queue.configure(SpeakingConfig { voice: "second".into(), ..SpeakingConfig::default() });
    assert_eq!(test.next_report().await, "recovered: voice");
    test.say(REPLY, "It pours.").await;
    test.speaker.until(|seen| seen.queued.len() == 2).await;
    assert_eq!(test.voices.second.asked(), ["It pours."]);
}

#[tokio::test]
async fn sentence_is_spoken_by_a_voice_of_its_language() {
    let test = TestQueue::new();

    for (sentence, language) in [("Es regnet.", "de"), ("It rains.", "en"), ("Es ist kalt.", "de")] {
        test.queue.say(REPLY, sentence.to_owned(), Language::new(language)).await;
    }
    test.speaker.until(|seen| seen.queued.len() == 3).await;

    assert_eq!(test.voices.german.asked(), ["Es regnet.", "Es ist kalt."]);
    assert_eq!(test.voices.first.asked(), ["It rains."]);
}

#[rstest]
#[case::known_language("auto", Some("de"), "Startseite von x.org")]
#[case::language_of_the_voice("german", None, "Startseite von x.org")]
#[case::language_before_that_of_the_voice("german", Some("en"), "x.org homepage")]
#[tokio::test]
async fn link_is_described_in_the_language_of_the_sentence_or_the_voice(
    #[case] voice: &str,
    #[case] language: Option<&str>,
    #[case] spoken: &str,
) {
    let mut test = TestQueue::with(SpeakingConfig { voice: voice.into(), ..SpeakingConfig::default() });
    // The voice is loaded for the first words.
    test.say(REPLY, "42.").await;
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"42.\" for 30 ms");

    test.queue.say(REPLY, "https://x.org".to_owned(), language.and_then(Language::new)).await;
    test.speaker.until(|seen| seen.queued.len() == 2).await;

    let ToneVoices { first, german, fallback, .. } = &test.voices;
    let asked = [first, german, fallback].map(ToneVoice::asked).concat();
    assert_eq!(asked.iter().filter(|text| *text != "42.").collect::<Vec<_>>(), [spoken]);
}

#[tokio::test]
async fn language_without_a_voice_is_reported_once_and_spoken_by_the_system() {
    let mut test = TestQueue::new();

    test.queue.say(REPLY, "Il pleut.".to_owned(), Language::new("fr")).await;
    test.queue.say(REPLY, "Il fait froid.".to_owned(), Language::new("fr")).await;
    assert_eq!(test.next_report().await, "no voice: fr");
    assert_eq!(test.next_report().await, "1 started");
    test.speaker.until(|seen| seen.queued.len() == 2).await;

    assert_eq!(test.next_report().await, "1 says \"Il pleut.\" for 90 ms");
    assert_eq!(test.voices.fallback.asked(), ["Il pleut.", "Il fait froid."]);
}

#[tokio::test]
async fn new_volume_and_speed_apply_while_a_reply_is_spoken() {
    let mut test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.until_started(1).await;
    assert_eq!(test.speaker.seen().volume, Some(1.0));

    test.queue.configure(SpeakingConfig { volume: 0.25, speed: 2.0, ..SpeakingConfig::default() });
    test.speaker.until(|seen| seen.volume == Some(0.25)).await;
    test.say(REPLY, "It rains.").await;
    assert!(test.speaker.finish_sound());

    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 45 ms");
}

#[tokio::test]
async fn switching_speech_off_stops_it_and_keeps_it_silent() {
    let mut test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.until_started(1).await;
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");

    let stop = test.queue.next_stop();
    test.queue.configure(SpeakingConfig { is_enabled: false, ..SpeakingConfig::default() });
    assert_eq!(test.next_report().await, "1 interrupted");
    assert!(stop.is_cancelled());
    test.say(NEXT, "It pours.").await;
    test.queue.until_silent().await;

    assert_eq!(test.voices.first.asked(), ["It rains."]);
}

#[tokio::test]
async fn new_speaker_is_used_after_the_current_sentence() {
    let test = TestQueue::new();
    let other = ScriptedLoudspeaker::default();
    test.say(REPLY, "It rains.").await;
    test.until_started(1).await;

    test.queue.use_speaker(Arc::new(other.clone())).await;
    test.say(REPLY, "It pours.").await;
    assert!(test.speaker.finish_sound());

    other.until(|seen| seen.started == 1).await;
    assert!(!test.speaker.seen().is_open);
}

#[tokio::test]
async fn shutdown_stops_the_reply_and_closes_the_speaker() {
    let mut test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.say(REPLY, "This is endless.").await;
    test.until_started(1).await;
    assert_eq!(test.next_report().await, "1 started");

    test.stop.cancel();
    test.task.await.unwrap();

    assert!(!test.speaker.seen().is_open);
    let rest: Vec<String> = std::iter::from_fn(|| test.reports.try_recv().ok().map(describe)).collect();
    assert_eq!(rest.last().unwrap(), "1 interrupted");
    test.queue.say(NEXT, "This is too late.".into(), None).await;
    test.queue.until_silent().await;
}

#[tokio::test]
async fn earcon_plays_at_once_and_is_not_reported() {
    let mut test = TestQueue::new();

    test.queue.signal(Earcon::Accepted);
    let seen = test.speaker.until(|seen| seen.started == 1).await;
    test.say(REPLY, "Yes.").await;
    test.speaker.until(|seen| seen.queued.len() == 2).await;
    assert!(test.speaker.finish_sound());

    assert_eq!(seen.queued, [Duration::from_millis(120)]);
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"Yes.\" for 40 ms");
}

#[tokio::test]
async fn earcon_is_left_out_while_we_speak_and_when_the_settings_say_no() {
    let silent = TestQueue::with(SpeakingConfig { earcons: false, ..SpeakingConfig::default() });
    let speaking = TestQueue::new();

    speaking.say(REPLY, "One.").await;
    for test in [&silent, &speaking] {
        test.queue.signal(Earcon::Failed);
        test.say(NEXT, "Two.").await;
        test.queue.finish(NEXT).await;
    }

    speaking.speaker.until(|seen| seen.queued.len() == 2).await;
    assert!(speaking.speaker.finish_sound() && speaking.speaker.finish_sound());
    silent.until_started(1).await;
    assert!(silent.speaker.finish_sound());
    silent.queue.until_silent().await;
    assert_eq!((silent.speaker.seen().queued.len(), speaking.speaker.seen().queued.len()), (1, 2));
}

/// A pulse of the tune with its silence.
const PULSE: Duration = Duration::from_secs(2);

#[tokio::test(start_paused = true)]
async fn tune_plays_until_words_come() {
    let mut test = TestQueue::new();
    let begin = tokio::time::Instant::now();

    test.queue.show_thinking(true);
    test.until_started(1).await;
    let after = begin.elapsed();
    assert!(test.speaker.finish_sound());
    test.until_started(2).await;
    test.say(REPLY, "Yes.").await;

    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"Yes.\" for 40 ms");
    assert!(after >= Duration::from_millis(1_500), "{after:?}");
    assert_eq!(test.speaker.seen().queued[..2], [PULSE, PULSE]);
}

#[tokio::test(start_paused = true)]
async fn tune_ends_with_the_thought_and_the_speaker_closes() {
    let test = TestQueue::new();

    test.queue.show_thinking(true);
    test.until_started(1).await;
    test.queue.show_thinking(false);

    test.speaker.until(|seen| !seen.is_open).await;
    assert_eq!(test.speaker.seen().queued, [PULSE]);
}

#[tokio::test(start_paused = true)]
async fn quick_thought_and_a_setting_keep_the_tune_away() {
    let quick = TestQueue::new();
    let off = TestQueue::with(SpeakingConfig { thinking_tune: false, ..SpeakingConfig::default() });

    for test in [&quick, &off] {
        test.queue.show_thinking(true);
    }
    tokio::time::sleep(Duration::from_millis(1_400)).await;
    quick.queue.show_thinking(false);
    tokio::time::sleep(Duration::from_secs(5)).await;

    assert_eq!((quick.speaker.seen().opened, off.speaker.seen().opened), (0, 0));
}
