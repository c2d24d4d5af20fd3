//! The way to the speaker.

use std::sync::Arc;

use audio::Loudspeaker;
use models::{Machine, Store};
use routing::ChannelError;
use settings::Settings;
use speaking::{
    InstalledVoices, OneVoice, SpeakingConfig, SpeechHandle, SpeechNews, SpeechQueue, TextToSpeech, Voices,
};
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{ReplyId, SpeechEvent};

use crate::builder::Choose;
use crate::conductor::Command;
use crate::settings_observer::ObserveSettings;

/// Events of our voice that a reader may fall behind by: some replies' worth.
const EVENTS: usize = 128;

/// Threads that make a voice: two halve the time to the first sound of a long sentence, more gain little. Source: the bench of
/// `speaking`.
pub(crate) const VOICE_THREADS: usize = 2;

/// Says sentences, one after the other, or nothing where there is no speaker.
#[derive(Clone)]
pub(crate) struct SpeechOutput {
    queue: Option<SpeechHandle>,
    events: broadcast::Sender<SpeechEvent>,
    is_out: watch::Receiver<bool>,
    is_enabled: watch::Receiver<bool>,
}

/// What a mouth is made of.
pub(crate) struct SpeechOutputParts<'p> {
    pub settings: &'p Settings,
    pub store: &'p Store,
    pub speaker: Choose<dyn Loudspeaker>,
    /// In place of the voice that the settings name.
    pub voice: Option<Arc<dyn TextToSpeech>>,
    /// Where troubles are told.
    pub commands: mpsc::Sender<Command>,
}

impl SpeechOutput {
    /// Never says anything.
    pub fn silent() -> Self {
        let (events, _) = broadcast::channel(EVENTS);
        let (_, never) = watch::channel(false);
        Self { queue: None, events, is_out: never.clone(), is_enabled: never }
    }

    /// Starts the queue of sentences. The follower passes changed settings on to it.
    pub fn open(
        parts: SpeechOutputParts<'_>,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> (Self, Box<dyn ObserveSettings>) {
        let SpeechOutputParts { settings, store, speaker, voice, commands } = parts;
        let voices: Arc<dyn Voices> = match voice {
            Some(voice) => Arc::new(OneVoice(voice)),
            None => Arc::new(InstalledVoices::new(store.clone(), Machine::this(), VOICE_THREADS)),
        };
        let config = config_of(settings).unwrap_or_default();
        let (enabled, is_enabled) = watch::channel(config.is_enabled);
        let (queue, handle, news) = SpeechQueue::new(speaker(&settings.audio), voices, config);
        let (events, _) = broadcast::channel(EVENTS);
        let (out, is_out) = watch::channel(false);
        tasks.spawn(queue.run(stop.child_token()));
        tasks.spawn(tell(news, events.clone(), out, commands));

        let speech_output = Self { queue: Some(handle.clone()), events, is_out, is_enabled };
        let (to_speaker, mut speakers) = mpsc::channel(1);
        let of_queue = handle.clone();
        let stop = stop.child_token();
        tasks.spawn(async move {
            while let Some(Some(speaker)) = stop.run_until_cancelled(speakers.recv()).await {
                of_queue.use_speaker(speaker).await;
            }
        });
        let last_speaker = std::sync::Mutex::new(settings.audio.speaker.clone());
        let follower = move |settings: &Settings| {
            if let Ok(config) = config_of(settings) {
                enabled.send_replace(config.is_enabled);
                handle.configure(config);
            }
            let mut last = last_speaker.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if *last != settings.audio.speaker {
                last.clone_from(&settings.audio.speaker);
                // While one change is taken up the next one waits for the settings to change again: both are by hand.
                let _ = to_speaker.try_send(speaker(&settings.audio));
            }
        };
        (speech_output, Box::new(follower))
    }

    /// What our voice does from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<SpeechEvent> {
        self.events.subscribe()
    }

    /// Is our voice out?
    pub fn is_out(&self) -> watch::Receiver<bool> {
        self.is_out.clone()
    }

    /// Is there a speaker, and is it to be used?
    pub fn speaks(&self) -> bool {
        self.queue.is_some() && *self.is_enabled.borrow()
    }

    /// Says a sentence after those before it.
    pub async fn say(&self, reply: ReplyId, sentence: &str) -> Result<(), ChannelError> {
        let queue = self.queue.as_ref().ok_or(ChannelError::Gone)?;
        queue.say(reply, sentence.to_owned()).await;
        Ok(())
    }

    /// No more sentences of this reply.
    pub async fn finish(&self, reply: ReplyId) {
        if let Some(queue) = &self.queue {
            queue.finish(reply).await;
        }
    }

    /// Falls silent now, and says nothing that was queued.
    pub fn fall_silent(&self) {
        if let Some(queue) = &self.queue {
            queue.fall_silent();
        }
    }
}

fn config_of(settings: &Settings) -> Result<SpeakingConfig, speaking::OutOfRange> {
    SpeakingConfig::try_from((&settings.speaking, &settings.audio))
}

/// Passes on what the queue tells, until it ends.
async fn tell(
    mut news: mpsc::Receiver<SpeechNews>,
    events: broadcast::Sender<SpeechEvent>,
    out: watch::Sender<bool>,
    commands: mpsc::Sender<Command>,
) {
    while let Some(news) = news.recv().await {
        match news {
            SpeechNews::Speech(event) => {
                let is_out = matches!(event, SpeechEvent::Started { .. } | SpeechEvent::Sentence { .. });
                out.send_replace(is_out);
                // Without a reader nobody needs to know.
                let _ = events.send(event);
            }
            SpeechNews::Trouble(trouble) => {
                let _ = commands.send(Command::Trouble(trouble)).await;
            }
            SpeechNews::Recovered(trouble) => {
                let _ = commands.send(Command::Recovered(trouble.stage)).await;
            }
        }
    }
}
