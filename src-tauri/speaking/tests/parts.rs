//! The speech queue with a voice whose sound comes in parts.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::{Arc, mpsc as blocking};
use std::time::Duration;

use audio::{AudioError, Side};
use parking_lot::Mutex;
use speaking::{
    SpeakingConfig, Speech, SpeechHandle, SpeechQueue, SpeechReport, TextToSpeech, VoiceError, Voices,
};
use testkit::{ScriptedLoudspeaker, ToneVoice};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, ReplyId, SpeechEvent};

const REPLY: ReplyId = ReplyId(1);

/// The duration of each part.
const PART: Duration = Duration::from_millis(400);

/// The next sound of a voice.
#[derive(Clone, Copy)]
enum Next {
    Part,
    /// Nothing is left.
    End,
    BreakOff,
}

/// A voice that makes the sound of a text as the test says.
struct SlowVoice {
    script: Mutex<blocking::Receiver<Next>>,
    begun: blocking::Sender<String>,
}

impl TextToSpeech for SlowVoice {
    fn name(&self) -> String {
        "slow".to_owned()
    }

    fn language(&self) -> Option<Language> {
        None
    }

    /// For warming up.
    fn synthesise(&self, _: &str, _: f32, _: &CancellationToken) -> Result<Speech, VoiceError> {
        Ok(part())
    }

    fn synthesise_early(
        &self,
        text: &str,
        _: f32,
        stop: &CancellationToken,
        early: &mut dyn FnMut(Speech),
    ) -> Result<Speech, VoiceError> {
        let _ = self.begun.send(text.to_owned());
        let script = self.script.lock();
        loop {
            match script.recv_timeout(Duration::from_millis(1)) {
                Ok(Next::Part) => early(part()),
                Ok(Next::End) => return Ok(Speech { samples: Vec::new(), ..part() }),
                Ok(Next::BreakOff) => return Err(VoiceError::Engine("the network is gone".into())),
                Err(_) if stop.is_cancelled() => return Err(VoiceError::Stopped),
                Err(_) => {}
            }
        }
    }
}

fn part() -> Speech {
    Speech { samples: vec![0.1; PART.as_millis() as usize], rate_hz: 1_000 }
}

struct SlowVoices {
    slow: Arc<SlowVoice>,
    fallback: ToneVoice,
}

impl Voices for SlowVoices {
    fn load(&self, _: &str) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        Ok(self.slow.clone())
    }

    fn load_for(&self, _: &Language) -> Result<Option<Arc<dyn TextToSpeech>>, VoiceError> {
        Ok(None)
    }

    fn fallback(&self, _: Option<&Language>) -> Arc<dyn TextToSpeech> {
        Arc::new(self.fallback.clone())
    }
}

struct TestQueue {
    speaker: ScriptedLoudspeaker,
    fallback: ToneVoice,
    queue: SpeechHandle,
    reports: mpsc::Receiver<SpeechReport>,
    voice: blocking::Sender<Next>,
    begun: blocking::Receiver<String>,
    _stop: tokio_util::sync::DropGuard,
}

impl TestQueue {
    fn new() -> Self {
        let (speaker, fallback) = (ScriptedLoudspeaker::default(), ToneVoice::new("fallback"));
        let ((voice, script), (begin, begun)) = (blocking::channel(), blocking::channel());
        let slow = Arc::new(SlowVoice { script: Mutex::new(script), begun: begin });
        let voices = SlowVoices { slow, fallback: fallback.clone() };
        let (queue, handle, reports) =
            SpeechQueue::new(Arc::new(speaker.clone()), Arc::new(voices), SpeakingConfig::default());
        let stop = CancellationToken::new();
        tokio::spawn(queue.run(stop.clone()));
        Self { speaker, fallback, queue: handle, reports, voice, begun, _stop: stop.drop_guard() }
    }

    /// The only sentence of a reply is heard in its first part, and the rest is missing.
    async fn with_one_part() -> Self {
        let mut test = Self::new();
        test.say("It rains.").await;
        test.queue.finish(REPLY).await;
        test.goes_on([Next::Part]);
        test.sounds(1).await;
        assert_eq!(test.next_report().await, "started");
        assert!(test.next_report().await.starts_with("It rains."));
        test
    }

    async fn say(&self, sentence: &str) {
        self.queue.say(REPLY, sentence.to_owned(), None).await;
    }

    fn goes_on(&self, next: impl IntoIterator<Item = Next>) {
        next.into_iter().for_each(|next| self.voice.send(next).unwrap());
    }

    /// The durations of the sounds in the loudspeaker, once there are as many.
    async fn sounds(&self, count: usize) -> Vec<u128> {
        let heard = self.speaker.until(|seen| seen.queued.len() >= count);
        let heard = tokio::time::timeout(Duration::from_secs(20), heard).await.unwrap();
        heard.queued.iter().map(Duration::as_millis).collect()
    }

    async fn next_report(&mut self) -> String {
        match self.reports.recv().await.unwrap() {
            SpeechReport::Speech(SpeechEvent::Started { .. }) => "started".to_owned(),
            SpeechReport::Speech(SpeechEvent::Sentence { text, lasts, .. }) => {
                format!("{text} for {} ms", lasts.as_millis())
            }
            SpeechReport::Speech(SpeechEvent::Finished { .. }) => "finished".to_owned(),
            SpeechReport::Speech(SpeechEvent::Interrupted { .. }) => "interrupted".to_owned(),
            SpeechReport::Trouble(trouble) => format!("trouble: {}", trouble.stage),
            SpeechReport::Recovered(trouble) => format!("recovered: {}", trouble.stage),
            SpeechReport::NothingToHear { .. } => "silent".to_owned(),
            SpeechReport::VoiceMissing { .. } => "no voice".to_owned(),
        }
    }
}

#[tokio::test]
async fn first_part_is_heard_before_the_rest_is_made() {
    let mut test = TestQueue::new();
    test.say("It rains in the hills.").await;
    test.queue.finish(REPLY).await;
    test.goes_on([Next::Part]);

    assert_eq!(test.sounds(1).await, [400]);
    assert_eq!(test.next_report().await, "started");
    // Five words take that long; the sound is not known yet.
    assert_eq!(test.next_report().await, "It rains in the hills. for 1500 ms");
    assert!(test.speaker.finish_sound());
    test.goes_on([Next::Part, Next::End]);

    assert_eq!(test.sounds(2).await, [400, 400]);
    assert!(test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "finished");
}

#[tokio::test]
async fn next_sentence_waits_for_all_parts_of_the_one_before() {
    let mut test = TestQueue::new();
    test.say("It rains.").await;
    test.say("Take a coat.").await;
    test.goes_on([Next::Part, Next::Part, Next::End, Next::Part, Next::End]);

    // The pause is between the sentences alone.
    assert_eq!(test.sounds(3).await, [400, 400, 600]);
    assert_eq!(test.next_report().await, "started");
    assert!(test.next_report().await.starts_with("It rains."));
    assert!(test.speaker.finish_sound() && test.speaker.finish_sound());
    assert!(test.next_report().await.starts_with("Take a coat."));
}

#[tokio::test]
async fn sentence_that_breaks_off_is_said_again_by_the_voice_behind() {
    let mut test = TestQueue::new();
    test.say("It rains.").await;
    test.queue.finish(REPLY).await;
    test.goes_on([Next::Part]);
    assert_eq!(test.sounds(1).await, [400]);

    test.goes_on([Next::BreakOff]);

    // The pause after a sentence is before it.
    assert_eq!(test.sounds(2).await, [400, 290]);
    assert_eq!(test.fallback.asked(), ["It rains."]);
    assert_eq!(test.next_report().await, "started");
    assert!(test.next_report().await.starts_with("It rains."));
    assert_eq!(test.next_report().await, "trouble: voice");
    assert!(test.speaker.finish_sound() && test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "finished");
}

#[tokio::test]
async fn sentence_whose_speaker_is_lost_begins_anew() {
    let mut test = TestQueue::new();
    test.say("It rains.").await;
    test.goes_on([Next::Part]);
    test.sounds(1).await;
    assert_eq!(test.begun.recv().unwrap(), "It rains.");
    assert_eq!(test.next_report().await, "started");
    assert!(test.next_report().await.starts_with("It rains."));

    test.speaker.unplug(AudioError::NoDevice { side: Side::Loudspeaker });
    assert_eq!(test.next_report().await, "trouble: speaker");
    assert_eq!(test.next_report().await, "recovered: speaker");
    let begun = tokio::task::spawn_blocking(move || test.begun.recv().unwrap());
    assert_eq!(begun.await.unwrap(), "It rains.");
    test.voice.send(Next::Part).unwrap();
    test.voice.send(Next::End).unwrap();

    let heard = test.speaker.until(|seen| seen.queued.len() >= 2).await;
    assert_eq!(heard.queued, [PART, PART]);
}

#[tokio::test]
async fn stop_ends_a_sentence_whose_rest_is_missing() {
    let mut test = TestQueue::with_one_part().await;

    test.queue.stop_speaking();

    assert_eq!(test.next_report().await, "interrupted");
    test.queue.until_silent().await;
    assert_eq!(test.sounds(1).await, [400]);
}

#[tokio::test]
async fn switching_off_ends_a_sentence_whose_rest_is_missing() {
    let mut test = TestQueue::with_one_part().await;

    test.queue.configure(SpeakingConfig { is_enabled: false, ..SpeakingConfig::default() });
    assert_eq!(test.next_report().await, "interrupted");
    // For the first sentence, if its voice has not seen the stop yet, and for the next one.
    test.goes_on([Next::Part, Next::End, Next::Part, Next::End]);
    test.queue.configure(SpeakingConfig::default());
    test.say("It pours.").await;

    assert_eq!(test.next_report().await, "started");
    assert!(test.next_report().await.starts_with("It pours."));
}
