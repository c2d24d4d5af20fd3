//! Replies that are spoken here, while a voice or the loudspeaker fails.

use std::time::Duration;

use audio::{AudioError, Side};
use settings::Settings;
use speaking::{FixedVoice, Speech, TextToSpeech, VoiceError};
use testkit::{ScriptedLoudspeaker, ToneVoice};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use vocabulary::{Language, ReplyPart, SpeechEvent};

use super::*;
use crate::sound_paths::voice::SpeechOutputParts;

/// A voice of a service that takes no more texts.
struct LimitedVoice;

impl TextToSpeech for LimitedVoice {
    fn name(&self) -> String {
        "limited".to_owned()
    }

    fn language(&self) -> Option<Language> {
        None
    }

    fn synthesise(&self, _: &str, _: f32, _: &CancellationToken) -> Result<Speech, VoiceError> {
        let (service, remedy) = ("a service".to_owned(), "Wait.".to_owned());
        Err(VoiceError::QuotaExceeded { service, remedy, source: "429".into() })
    }
}

/// A spoken request, and the answer to it: one sentence, and its end when the test says so.
struct Aloud {
    fixture: Fixture,
    replier: Arc<ScriptedReplier>,
    speech_output: SpeechOutput,
    loudspeaker: ScriptedLoudspeaker,
    ends: CancellationToken,
    reply: ReplyId,
    stop: CancellationToken,
}

impl Aloud {
    fn begin(voice: Arc<dyn TextToSpeech>, loudspeaker: ScriptedLoudspeaker) -> Self {
        let (stop, ends) = (CancellationToken::new(), CancellationToken::new());
        let (commands, mut obeyed) = mpsc::channel(8);
        tokio::spawn(async move { while obeyed.recv().await.is_some() {} });
        let opened = loudspeaker.clone();
        let parts = SpeechOutputParts {
            settings: &Settings::default(),
            loudspeaker: Arc::new(move |_| Arc::new(opened.clone())),
            voices: Arc::new(FixedVoice(voice)),
            commands,
        };
        let (speech_output, _) = SpeechOutput::open(parts, &TaskTracker::new(), &stop);
        let end = ends.clone();
        let replier = Arc::new(ScriptedReplier::new(move |_, _| says("It rains.", end.clone())));
        let mut fixture = fixture_with(speech_output.clone(), Arc::clone(&replier));
        let query = Query { origin: Origin::Voice, ..typed(&mut fixture, "does it rain?") };
        let reply = query.reply;
        fixture.replies.begin_foreground(query);
        Self { fixture, replier, speech_output, loudspeaker, ends, reply, stop }
    }

    /// Waits until it is known that nothing is heard.
    async fn is_unheard(&self) {
        let known = async {
            while self.speech_output.unheard(self.reply).await.is_none() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), known).await.unwrap();
    }

    /// Lets the answer end. Returns the parts that arrived, and the notes to the user.
    async fn end(&mut self) -> (DeliveryTrace, Vec<String>) {
        self.ends.cancel();
        self.fixture.replies.ended().await;
        let mut notes = Vec::new();
        while let Ok(event) = self.fixture.events.try_recv() {
            if let AssistantEvent::Reply { event: ReplyEvent::Note { text }, .. } = event {
                notes.push(text);
            }
        }
        (self.replier.delivered()[0].1.clone(), notes)
    }
}

impl Drop for Aloud {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn says(sentence: &'static str, ends: CancellationToken) -> ReplyStream {
    let said = [
        ReplyEvent::Delta { text: sentence.into() },
        ReplyEvent::Sentence { index: 0, text: sentence.into(), language: None },
    ];
    let end = futures::stream::once(async move { ends.cancelled().await }).flat_map(move |()| {
        let done = ReplyEvent::Done(OutgoingResponse::text(sentence).spoken());
        futures::stream::iter([ReplyEvent::Traced(Box::default()), done])
    });
    Box::pin(futures::stream::iter(said).chain(end))
}

/// Lets the speech queue try once more to open the loudspeaker.
async fn a_moment_later() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
}

fn refusing() -> ScriptedLoudspeaker {
    let loudspeaker = ScriptedLoudspeaker::default();
    loudspeaker.refuse(Some(AudioError::NoDevice { side: Side::Loudspeaker }));
    loudspeaker
}

#[tokio::test]
async fn answer_that_waited_is_spoken_once_when_the_loudspeaker_is_back() {
    let mut aloud = Aloud::begin(Arc::new(ToneVoice::new("tone")), refusing());
    aloud.is_unheard().await;

    aloud.loudspeaker.refuse(None);
    a_moment_later().await;
    let heard = aloud.loudspeaker.until(|seen| !seen.queued.is_empty());
    let heard = tokio::time::timeout(Duration::from_secs(20), heard).await.unwrap();
    let (arrived, _) = aloud.end().await;

    assert_eq!(arrived, DeliveryTrace { is_shown: true, is_spoken: true, ..DeliveryTrace::default() });
    assert_eq!(heard.queued, [ToneVoice::PER_CHARACTER * "It rains.".len() as u32]);
    assert_eq!(aloud.loudspeaker.seen().queued, heard.queued);
}

#[tokio::test]
async fn answer_without_a_loudspeaker_never_counts_as_spoken() {
    let mut aloud = Aloud::begin(Arc::new(ToneVoice::new("tone")), refusing());

    // The answer ends while it is not known yet that the loudspeaker does not open.
    let (arrived, notes) = aloud.end().await;

    let missing = vec![ReplyPart::Voice];
    assert_eq!(arrived, DeliveryTrace { is_shown: true, missing, ..DeliveryTrace::default() });
    assert_eq!((notes, aloud.loudspeaker.seen().queued), (vec![], vec![]));
}

#[tokio::test]
async fn answer_is_spoken_also_when_the_loudspeaker_comes_back_after_its_end() {
    let mut aloud = Aloud::begin(Arc::new(ToneVoice::new("tone")), refusing());
    let mut spoken = aloud.speech_output.subscribe();
    let (arrived, _) = aloud.end().await;

    aloud.loudspeaker.refuse(None);
    a_moment_later().await;
    let heard = aloud.loudspeaker.until(|seen| !seen.queued.is_empty());
    let heard = tokio::time::timeout(Duration::from_secs(20), heard).await.unwrap();

    assert!(!arrived.is_spoken, "{arrived:?}");
    assert_eq!(heard.queued, [ToneVoice::PER_CHARACTER * "It rains.".len() as u32]);
    // From then on the trace says so.
    let started = tokio::time::timeout(Duration::from_secs(20), spoken.recv()).await.unwrap().unwrap();
    let SpeechEvent::Started { reply, .. } = started else { panic!("{started:?}") };
    aloud.fixture.replies.note_voice(reply);
    let whole = DeliveryTrace { is_shown: true, is_spoken: true, ..DeliveryTrace::default() };
    assert_eq!(aloud.replier.delivered()[1], (aloud.reply, whole.clone()));
    let shown = aloud.fixture.events.try_recv().unwrap();
    let AssistantEvent::Reply { event: ReplyEvent::Traced(trace), .. } = shown else { panic!("{shown:?}") };
    assert_eq!(trace.delivery, Some(whole));
}

#[tokio::test]
async fn trace_is_corrected_once_and_for_its_own_reply_only() {
    let mut aloud = Aloud::begin(Arc::new(ToneVoice::new("tone")), refusing());
    aloud.end().await;
    let ring = aloud.fixture.replies.next_id();

    for reply in [ring, aloud.reply, aloud.reply] {
        aloud.fixture.replies.note_voice(reply);
    }

    let spoken: Vec<bool> = aloud.replier.delivered().iter().map(|(_, arrived)| arrived.is_spoken).collect();
    assert_eq!(spoken, [false, true]);
}

#[tokio::test]
async fn user_is_told_that_the_voice_takes_no_more_texts() {
    let mut aloud = Aloud::begin(Arc::new(LimitedVoice), ScriptedLoudspeaker::default());
    aloud.is_unheard().await;

    let (arrived, notes) = aloud.end().await;

    let missing = vec![ReplyPart::Voice];
    assert_eq!(arrived, DeliveryTrace { is_shown: true, missing, ..DeliveryTrace::default() });
    assert_eq!(notes, ["The voice service has no quota left, so I answer in writing."]);
}
