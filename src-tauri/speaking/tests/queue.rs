//! The queue with a voice that hums and a speaker that plays when it is told to.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::Arc;
use std::time::Duration;

use audio::{AudioError, Side};
use speaking::{SpeakingConfig, SpeechHandle, SpeechNews, SpeechQueue};
use testkit::{ScriptedLoudspeaker, ToneVoices};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{ReplyId, SpeechEvent};

const REPLY: ReplyId = ReplyId(1);
const NEXT: ReplyId = ReplyId(2);

/// A running queue, and both ends of it.
struct Stand {
    speaker: ScriptedLoudspeaker,
    voices: ToneVoices,
    queue: SpeechHandle,
    news: mpsc::Receiver<SpeechNews>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Stand {
    fn new() -> Self {
        Self::with(SpeakingConfig::default())
    }

    fn with(config: SpeakingConfig) -> Self {
        let (speaker, voices) = (ScriptedLoudspeaker::default(), ToneVoices::default());
        let (queue, handle, news) =
            SpeechQueue::new(Arc::new(speaker.clone()), Arc::new(voices.clone()), config);
        let stop = CancellationToken::new();
        let task = tokio::spawn(queue.run(stop.clone()));
        Self { speaker, voices, queue: handle, news, stop, task }
    }

    async fn say(&self, reply: ReplyId, sentence: &str) {
        self.queue.say(reply, sentence.to_owned()).await;
    }

    async fn news(&mut self) -> String {
        describe(self.news.recv().await.unwrap())
    }

    /// Waits until `n` sounds have begun so far.
    async fn until_begun(&self, n: usize) {
        self.speaker.until(|seen| seen.started >= n).await;
    }
}

/// Without times, which differ from run to run.
fn describe(news: SpeechNews) -> String {
    match news {
        SpeechNews::Speech(SpeechEvent::Started { reply, .. }) => format!("{} started", reply.0),
        SpeechNews::Speech(SpeechEvent::Sentence { reply, text, lasts, .. }) => {
            format!("{} says {text:?} for {} ms", reply.0, lasts.as_millis())
        }
        SpeechNews::Speech(SpeechEvent::Finished { reply, .. }) => format!("{} finished", reply.0),
        SpeechNews::Speech(SpeechEvent::Interrupted { reply, .. }) => format!("{} interrupted", reply.0),
        SpeechNews::Trouble(trouble) => format!("trouble: {}", trouble.stage),
        SpeechNews::Recovered(trouble) => format!("recovered: {}", trouble.stage),
    }
}

fn no_speaker() -> AudioError {
    AudioError::NoDevice { side: Side::Loudspeaker }
}

#[tokio::test]
async fn sentences_are_heard_one_after_the_other_and_their_times_are_told() {
    let mut stand = Stand::new();

    stand.say(REPLY, "It **rains**.").await;
    stand.say(REPLY, "Take a coat!").await;
    stand.queue.finish(REPLY).await;

    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 90 ms");
    assert!(stand.speaker.finish_sound());
    assert_eq!(stand.news().await, "1 says \"Take a coat!\" for 120 ms");
    assert!(stand.speaker.finish_sound());
    assert_eq!(stand.news().await, "1 finished");
    stand.queue.until_silent().await;
}

#[tokio::test]
async fn what_follows_is_made_while_a_sentence_sounds_but_not_all_of_it() {
    let stand = Stand::new();

    for sentence in ["One.", "Two.", "Three.", "Four.", "Five."] {
        stand.say(REPLY, sentence).await;
    }
    let seen = stand.speaker.until(|seen| seen.queued.len() == 3).await;

    assert_eq!(seen.started, 1);
    assert_eq!(stand.voices.first.asked(), ["One.", "Two.", "Three."]);
    assert!(stand.speaker.finish_sound());
    stand.speaker.until(|seen| seen.queued.len() == 4).await;
}

#[tokio::test]
async fn a_long_sentence_sounds_before_it_is_all_made() {
    let mut stand = Stand::new();

    stand
        .say(
            REPLY,
            "Although it will rain in the morning, the afternoon should be dry and warm, which is endless news.",
        )
        .await;

    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"Although it will rain in the morning,\" for 370 ms");
    stand.queue.fall_silent();
    assert_eq!(stand.news().await, "1 interrupted");
}

#[tokio::test]
async fn silence_ends_what_sounds_what_is_made_and_what_waits() {
    let mut stand = Stand::new();
    stand.say(REPLY, "It rains.").await;
    stand.say(REPLY, "This is endless.").await;
    stand.say(REPLY, "Never heard.").await;
    stand.until_begun(1).await;
    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 90 ms");

    stand.queue.fall_silent();
    stand.say(REPLY, "Too late.").await;
    stand.queue.finish(REPLY).await;
    stand.say(NEXT, "The sun shines.").await;

    assert_eq!(stand.news().await, "1 interrupted");
    assert_eq!(stand.news().await, "2 started");
    assert_eq!(stand.news().await, "2 says \"The sun shines.\" for 150 ms");
    let asked = stand.voices.first.asked();
    assert!(!asked.iter().any(|text| text == "Never heard." || text == "Too late."), "{asked:?}");
}

#[tokio::test]
async fn a_reply_silenced_before_its_first_sound_is_not_told_of() {
    let mut stand = Stand::new();
    stand.say(REPLY, "This is endless.").await;

    stand.queue.fall_silent();
    stand.queue.finish(REPLY).await;
    stand.say(NEXT, "Yes.").await;

    assert_eq!(stand.news().await, "2 started");
}

#[tokio::test]
async fn nothing_to_say_is_no_speech() {
    let stand = Stand::new();

    stand.say(REPLY, "  ").await;
    stand.say(REPLY, "```\n```").await;
    stand.queue.finish(REPLY).await;
    stand.queue.until_silent().await;

    assert_eq!(stand.speaker.seen().queued, []);
}

#[tokio::test]
async fn without_a_speaker_there_is_one_trouble_and_speech_returns_with_it() {
    let mut stand = Stand::new();
    stand.speaker.refuse(Some(no_speaker()));

    stand.say(REPLY, "It rains.").await;
    assert_eq!(stand.news().await, "trouble: speaker");
    stand.say(REPLY, "It pours.").await;
    stand.queue.finish(REPLY).await;
    stand.queue.until_silent().await;
    stand.speaker.refuse(None);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    stand.say(NEXT, "The sun shines.").await;

    assert_eq!(stand.news().await, "recovered: speaker");
    assert_eq!(stand.news().await, "2 started");
}

#[tokio::test]
async fn a_sentence_cut_short_by_a_loss_is_said_again_on_the_next_speaker() {
    let mut stand = Stand::new();
    stand.say(REPLY, "It rains.").await;
    stand.say(REPLY, "Take a coat.").await;
    stand.queue.finish(REPLY).await;
    stand.speaker.until(|seen| seen.queued.len() == 2).await;
    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 90 ms");

    stand.speaker.unplug(no_speaker());

    assert_eq!(stand.news().await, "trouble: speaker");
    assert_eq!(stand.news().await, "recovered: speaker");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 90 ms");
    assert!(stand.speaker.finish_sound());
    assert_eq!(stand.news().await, "1 says \"Take a coat.\" for 120 ms");
    assert!(stand.speaker.finish_sound());
    assert_eq!(stand.news().await, "1 finished");
    assert_eq!(stand.speaker.seen().opened, 2);
}

#[tokio::test]
async fn a_speaker_that_stays_away_interrupts_the_reply() {
    let mut stand = Stand::new();
    stand.say(REPLY, "It rains.").await;
    stand.until_begun(1).await;
    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 90 ms");

    stand.speaker.refuse(Some(no_speaker()));
    stand.speaker.unplug(no_speaker());

    assert_eq!(stand.news().await, "trouble: speaker");
    assert_eq!(stand.news().await, "1 interrupted");
    stand.queue.until_silent().await;
}

#[tokio::test]
async fn what_the_voice_cannot_say_the_system_s_voice_says_with_one_trouble() {
    let mut stand = Stand::new();

    stand.say(REPLY, "This is impossible.").await;
    stand.say(REPLY, "So is the impossible.").await;
    assert_eq!(stand.news().await, "trouble: voice");
    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"This is impossible.\" for 190 ms");
    assert!(stand.speaker.finish_sound());
    assert_eq!(stand.news().await, "1 says \"So is the impossible.\" for 210 ms");
    stand.say(REPLY, "This is easy.").await;

    assert_eq!(stand.news().await, "recovered: voice");
    assert_eq!(stand.voices.fallback.asked(), ["This is impossible.", "So is the impossible."]);
}

#[tokio::test]
async fn a_voice_that_is_missing_is_replaced_until_the_settings_name_another() {
    let mut stand = Stand::with(SpeakingConfig { voice: "missing".into(), ..SpeakingConfig::default() });

    stand.say(REPLY, "It rains.").await;
    assert_eq!(stand.news().await, "trouble: voice");
    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 90 ms");
    assert_eq!(stand.voices.fallback.asked(), ["It rains."]);

    stand.queue.configure(SpeakingConfig { voice: "second".into(), ..SpeakingConfig::default() });
    assert_eq!(stand.news().await, "recovered: voice");
    stand.say(REPLY, "It pours.").await;
    stand.speaker.until(|seen| seen.queued.len() == 2).await;
    assert_eq!(stand.voices.second.asked(), ["It pours."]);
}

#[tokio::test]
async fn volume_and_speed_change_while_it_speaks() {
    let mut stand = Stand::new();
    stand.say(REPLY, "It rains.").await;
    stand.until_begun(1).await;
    assert_eq!(stand.speaker.seen().volume, Some(1.0));

    stand.queue.configure(SpeakingConfig { volume: 0.25, speed: 2.0, ..SpeakingConfig::default() });
    stand.speaker.until(|seen| seen.volume == Some(0.25)).await;
    stand.say(REPLY, "It rains.").await;
    assert!(stand.speaker.finish_sound());

    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 90 ms");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 45 ms");
}

#[tokio::test]
async fn switched_off_it_falls_silent_and_stays_so() {
    let mut stand = Stand::new();
    stand.say(REPLY, "It rains.").await;
    stand.until_begun(1).await;
    assert_eq!(stand.news().await, "1 started");
    assert_eq!(stand.news().await, "1 says \"It rains.\" for 90 ms");

    stand.queue.configure(SpeakingConfig { is_enabled: false, ..SpeakingConfig::default() });
    assert_eq!(stand.news().await, "1 interrupted");
    stand.say(NEXT, "It pours.").await;
    stand.queue.until_silent().await;

    assert_eq!(stand.voices.first.asked(), ["It rains."]);
}

#[tokio::test]
async fn another_speaker_takes_over_once_the_sentence_has_ended() {
    let stand = Stand::new();
    let other = ScriptedLoudspeaker::default();
    stand.say(REPLY, "It rains.").await;
    stand.until_begun(1).await;

    stand.queue.use_speaker(Arc::new(other.clone())).await;
    stand.say(REPLY, "It pours.").await;
    assert!(stand.speaker.finish_sound());

    other.until(|seen| seen.started == 1).await;
    assert!(!stand.speaker.seen().is_open);
}

#[tokio::test]
async fn the_speaker_is_closed_when_nothing_was_said_for_a_while() {
    let stand = Stand::new();
    stand.say(REPLY, "It rains.").await;
    stand.queue.finish(REPLY).await;
    stand.until_begun(1).await;
    assert!(stand.speaker.finish_sound());
    stand.queue.until_silent().await;
    assert!(stand.speaker.seen().is_open);

    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(21)).await;

    stand.speaker.until(|seen| !seen.is_open).await;
}

#[tokio::test]
async fn the_end_is_silent_and_complete() {
    let mut stand = Stand::new();
    stand.say(REPLY, "It rains.").await;
    stand.say(REPLY, "This is endless.").await;
    stand.until_begun(1).await;
    assert_eq!(stand.news().await, "1 started");

    stand.stop.cancel();
    stand.task.await.unwrap();

    assert!(!stand.speaker.seen().is_open);
    let rest: Vec<String> = std::iter::from_fn(|| stand.news.try_recv().ok().map(describe)).collect();
    assert_eq!(rest.last().unwrap(), "1 interrupted");
    stand.queue.say(NEXT, "Nobody listens.".into()).await;
    stand.queue.until_silent().await;
}
