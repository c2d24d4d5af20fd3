//! Sentences as sound, sent at the pace of the loudspeaker: what was not sent yet can still fall silent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, broadcast, mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, Private, ReplyId, SpeechEvent, Trouble};

use super::event::SatelliteEvent;
use crate::replies::SpeakerOrder;
use crate::sound_paths::speech_service::{SpeechError, SpeechRequest, SpeechService, VoiceSound};

/// Sound that is sent before it is due: enough for the pauses of a network.
const LEAD: Duration = Duration::from_millis(500);

/// The length of the sound that is sent at a time.
const CHUNK: Duration = Duration::from_millis(100);

/// The longest wait for the news that all sound was played, after it should have been. Satellites without a loudspeaker send
/// none.
const PLAYED_GRACE: Duration = Duration::from_secs(2);

/// The inputs of a speaker.
pub(super) struct SpeakerInputs {
    pub orders: mpsc::Receiver<SpeakerOrder>,
    /// Words of this reply and of those before it are not said any more.
    pub silenced: watch::Receiver<Option<ReplyId>>,
    /// Told when the satellite has played all sound.
    pub played: Arc<Notify>,
    /// The rate of the loudspeaker; 0 is that of the voice.
    pub rate_hz: Arc<AtomicU32>,
    pub speech: Arc<SpeechService>,
    /// Tells listening which words are our own.
    pub own_words: broadcast::Sender<SpeechEvent>,
    pub is_out: watch::Sender<bool>,
    /// Told when a reply was spoken as far as it is complete, also if nothing of it could be said.
    pub finished: mpsc::Sender<ReplyId>,
    pub events: mpsc::Sender<SatelliteEvent>,
}

/// Says the sentences of replies, one after the other.
pub(super) struct Speaker {
    inputs: SpeakerInputs,
    playing: Option<PlayingReply>,
    /// The door was told that the voice fails.
    is_failing: bool,
}

/// A reply that sounds.
struct PlayingReply {
    reply: ReplyId,
    /// When the sound that was sent is over.
    ends_at: Instant,
}

/// The reply was silenced, or nobody takes its sound any more.
struct Interrupted;

impl Speaker {
    pub fn new(inputs: SpeakerInputs) -> Self {
        Self { inputs, playing: None, is_failing: false }
    }

    /// Runs until `stop` is cancelled or nobody orders any more.
    pub async fn run(mut self, stop: CancellationToken) {
        while let Some(Some(order)) = stop.run_until_cancelled(self.inputs.orders.recv()).await {
            let reply = match &order {
                SpeakerOrder::Say { reply, .. } | SpeakerOrder::Finish(reply) => *reply,
            };
            let Some(obeyed) = stop.run_until_cancelled(self.obey(order)).await else { return };
            if obeyed.is_err() {
                self.interrupt(reply).await;
            }
        }
    }

    async fn obey(&mut self, order: SpeakerOrder) -> Result<(), Interrupted> {
        match order {
            SpeakerOrder::Say { reply, text, language } => {
                let sound = self.synthesise(reply, &text, language).await?;
                match sound {
                    Some(sound) => self.play(reply, text, self.for_loudspeaker(sound)).await,
                    None => Ok(()),
                }
            }
            SpeakerOrder::Finish(reply) => self.finish(reply).await,
        }
    }

    /// The sound of a sentence; `None` if it has none, or the voice fails.
    async fn synthesise(
        &mut self,
        reply: ReplyId,
        text: &str,
        language: Option<Language>,
    ) -> Result<Option<VoiceSound>, Interrupted> {
        let request = SpeechRequest { text: Private(text.to_owned()), language, voice: None, speed: 1.0 };
        let mut pieces = Arc::clone(&self.inputs.speech).synthesise(request);
        let mut sound: Option<VoiceSound> = None;
        while let Some(piece) = self.unless_silenced(reply, pieces.recv()).await? {
            match (piece, &mut sound) {
                (Ok(piece), Some(sound)) => sound.samples.extend(piece.samples),
                (Ok(piece), empty) => *empty = Some(piece),
                (Err(SpeechError::UnknownVoice(trouble) | SpeechError::Failed(trouble)), _) => {
                    self.tell_failure(trouble).await;
                    return Ok(sound);
                }
            }
        }
        self.is_failing = false;
        Ok(sound)
    }

    fn for_loudspeaker(&self, sound: VoiceSound) -> VoiceSound {
        let rate_hz = match self.inputs.rate_hz.load(Ordering::Relaxed) {
            0 => sound.rate_hz,
            rate_hz => rate_hz,
        };
        match sound.at_rate(rate_hz) {
            Ok(samples) => VoiceSound { samples, rate_hz },
            Err(trouble) => {
                tracing::warn!(%trouble, "a satellite gets the sound of the voice as it is");
                sound
            }
        }
    }

    async fn tell_failure(&mut self, trouble: Trouble) {
        tracing::warn!(%trouble, "a sentence was not spoken at a satellite");
        if !std::mem::replace(&mut self.is_failing, true) {
            self.tell(SatelliteEvent::Failed(trouble)).await;
        }
    }

    async fn play(&mut self, reply: ReplyId, text: String, sound: VoiceSound) -> Result<(), Interrupted> {
        let now = Instant::now();
        let is_first = self.playing.as_ref().is_none_or(|playing| playing.reply != reply);
        let ends_at = self.playing.as_ref().map_or(now, |playing| playing.ends_at.max(now));
        let lasts = duration_of(sound.samples.len(), sound.rate_hz);
        if is_first {
            self.inputs.is_out.send_replace(true);
            self.note(SpeechEvent::Started { reply, at: ends_at.into_std() });
        }
        self.note(SpeechEvent::Sentence { reply, text: text.clone(), at: ends_at.into_std(), lasts });
        self.playing = Some(PlayingReply { reply, ends_at });
        self.tell(SatelliteEvent::Words { text }).await;
        let chunk = (CHUNK.as_secs_f64() * f64::from(sound.rate_hz)) as usize;
        for samples in sound.samples.chunks(chunk.max(1)) {
            let due_at = self.playing.as_ref().map_or(now, |playing| playing.ends_at);
            let events = self.inputs.events.clone();
            let part = VoiceSound { samples: samples.to_vec(), rate_hz: sound.rate_hz };
            let sending = async move {
                sleep_until(due_at.checked_sub(LEAD).unwrap_or(due_at)).await;
                events.send(SatelliteEvent::Sound(part)).await.map_err(|_| Interrupted)
            };
            self.unless_silenced(reply, sending).await??;
            if let Some(playing) = &mut self.playing {
                playing.ends_at = due_at.max(Instant::now()) + duration_of(samples.len(), sound.rate_hz);
            }
        }
        Ok(())
    }

    /// Waits until the words of the reply were heard, if any were said.
    async fn finish(&mut self, reply: ReplyId) -> Result<(), Interrupted> {
        if let Some(playing) = self.playing.take_if(|playing| playing.reply == reply) {
            self.tell(SatelliteEvent::SoundEnded).await;
            let played = Arc::clone(&self.inputs.played);
            let rest = playing.ends_at.saturating_duration_since(Instant::now()) + PLAYED_GRACE;
            let heard = async move { timeout(rest, played.notified()).await };
            self.playing = Some(playing);
            // Without news of the satellite, the length of the sound counts.
            let _ = self.unless_silenced(reply, heard).await?;
            self.playing = None;
            self.inputs.is_out.send_replace(false);
            self.note(SpeechEvent::Finished { reply, at: std::time::Instant::now() });
        }
        // A session that has ended waits for nothing.
        let _ = self.inputs.finished.send(reply).await;
        Ok(())
    }

    /// Ends the sound of a reply where it is.
    async fn interrupt(&mut self, reply: ReplyId) {
        if self.playing.take_if(|playing| playing.reply == reply).is_some() {
            self.tell(SatelliteEvent::SoundEnded).await;
            self.inputs.is_out.send_replace(false);
            self.note(SpeechEvent::Interrupted { reply, at: std::time::Instant::now() });
        }
    }

    /// The result of the work, unless the reply is silenced before or meanwhile.
    async fn unless_silenced<T>(
        &mut self,
        reply: ReplyId,
        work: impl Future<Output = T>,
    ) -> Result<T, Interrupted> {
        let is_silenced = |silenced: &Option<ReplyId>| silenced.is_some_and(|last| reply <= last);
        let mut silenced = self.inputs.silenced.clone();
        tokio::select! {
            biased; // A silenced reply says nothing more, however much is ready.
            Ok(_) = silenced.wait_for(is_silenced) => Err(Interrupted),
            done = work => Ok(done),
        }
    }

    fn note(&self, event: SpeechEvent) {
        // Listening may have ended.
        let _ = self.inputs.own_words.send(event);
    }

    async fn tell(&self, event: SatelliteEvent) {
        // A door that is gone needs no events.
        let _ = self.inputs.events.send(event).await;
    }
}

fn duration_of(samples: usize, rate_hz: u32) -> Duration {
    Duration::from_secs_f64(samples as f64 / f64::from(rate_hz.max(1)))
}
