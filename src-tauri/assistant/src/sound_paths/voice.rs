//! Speech output: sentences on their way to the loudspeaker.

use std::sync::Arc;

use audio::Loudspeaker;
use models::{Machine, ModelStore};
use routing::ChannelError;
use settings::Settings;
use speaking::{
    Earcon, FixedVoice, InstalledVoices, SpeakingConfig, Speech, SpeechHandle, SpeechQueue, SpeechReport,
    TextToSpeech, Unheard, Voices,
};
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{Language, ReplyId, SpeechEvent};

use crate::builder::Choose;
use crate::command::Command;
use crate::settings_observer::SettingsObserver;

/// Events that a reader may fall behind by: those of some replies.
const EVENTS: usize = 128;

/// Threads of speech synthesis: two halve the time to the first sound of a long sentence, more gain little.
/// Source: the bench of `speaking`.
pub(crate) const VOICE_THREADS: usize = 2;

/// Speaks sentences, one after the other; nothing if there is no loudspeaker.
#[derive(Clone)]
pub(crate) struct SpeechOutput {
    queue: Option<SpeechHandle>,
    events: broadcast::Sender<SpeechEvent>,
    is_out: watch::Receiver<bool>,
    is_enabled: watch::Receiver<bool>,
}

/// The parts of speech output.
pub(crate) struct SpeechOutputParts<'p> {
    pub settings: &'p Settings,
    pub loudspeaker: Choose<dyn Loudspeaker>,
    pub voices: Arc<dyn Voices>,
    /// The place where troubles are reported.
    pub commands: mpsc::Sender<Command>,
}

impl SpeechOutput {
    /// Never speaks.
    pub fn silent() -> Self {
        let (events, _) = broadcast::channel(EVENTS);
        let (_, never) = watch::channel(false);
        Self { queue: None, events, is_out: never.clone(), is_enabled: never }
    }

    /// Starts the queue of sentences. The observers pass changed settings on to it.
    pub fn open(
        parts: SpeechOutputParts<'_>,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> (Self, [SettingsObserver; 2]) {
        let SpeechOutputParts { settings, loudspeaker, voices, commands } = parts;
        let config = config_of(settings).unwrap_or_default();
        let (enabled, is_enabled) = watch::channel(config.is_enabled);
        let device = settings.audio.speaker.clone();
        let (queue, handle, reports) = SpeechQueue::new(loudspeaker(&device), voices, config);
        let (events, _) = broadcast::channel(EVENTS);
        let (out, is_out) = watch::channel(false);
        tasks.spawn(queue.run(stop.child_token()));
        tasks.spawn(pass_on(reports, events.clone(), out, commands));

        let (devices, mut changed) = watch::channel(device);
        let (queue, stop) = (handle.clone(), stop.child_token());
        tasks.spawn(async move {
            while let Some(Ok(())) = stop.run_until_cancelled(changed.changed()).await {
                let device = changed.borrow_and_update().clone();
                queue.use_speaker(loudspeaker(&device)).await;
            }
        });
        let speech_output = Self { queue: Some(handle.clone()), events, is_out, is_enabled };
        let config = SettingsObserver::new(
            settings,
            |settings| config_of(settings).ok(),
            move |config| {
                if let Some(config) = config {
                    enabled.send_replace(config.is_enabled);
                    handle.configure(config.clone());
                }
            },
        );
        let device = SettingsObserver::new(
            settings,
            |settings| settings.audio.speaker.clone(),
            move |device| {
                devices.send_replace(device.clone());
            },
        );
        (speech_output, [config, device])
    }

    /// The events of our voice from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<SpeechEvent> {
        self.events.subscribe()
    }

    /// Returns `true` while our voice can be heard.
    pub fn is_out(&self) -> watch::Receiver<bool> {
        self.is_out.clone()
    }

    /// Returns `true` if there is a loudspeaker and the settings let us use it.
    pub fn speaks(&self) -> bool {
        self.queue.is_some() && *self.is_enabled.borrow()
    }

    /// Queues a sentence after those before it, for a voice of its language.
    pub async fn say(
        &self,
        reply: ReplyId,
        sentence: &str,
        language: Option<&Language>,
    ) -> Result<(), ChannelError> {
        let queue = self.queue.as_ref().ok_or(ChannelError::VoiceUnavailable)?;
        queue.say(reply, sentence.to_owned(), language.cloned()).await;
        Ok(())
    }

    /// The reason why nothing of a reply was heard; `None` if something was, or is still to be. Waits while the loudspeaker is
    /// being opened.
    pub async fn unheard(&self, reply: ReplyId) -> Option<ChannelError> {
        let reason = self.queue.as_ref()?.unheard(reply).await?;
        Some(match reason {
            Unheard::NoLoudspeaker => ChannelError::LoudspeakerAway,
            Unheard::NoVoice => ChannelError::VoiceUnavailable,
            Unheard::QuotaExceeded => ChannelError::QuotaExceeded,
        })
    }

    /// Queues a sound after the sentences before it, also when replies are not spoken.
    pub async fn play(&self, reply: ReplyId, sound: Speech) {
        if let Some(queue) = &self.queue {
            queue.play(reply, sound).await;
        }
    }

    /// Plays a short sound at once, unless we speak.
    pub fn signal(&self, earcon: Earcon) {
        if let Some(queue) = &self.queue {
            queue.signal(earcon);
        }
    }

    /// Plays a tune while a spoken request is worked on for longer than a moment.
    pub fn show_thinking(&self, is_thinking: bool) {
        if let Some(queue) = &self.queue {
            queue.show_thinking(is_thinking);
        }
    }

    /// Says that this reply waits for an answer, and may go on after it.
    pub async fn pause(&self, reply: ReplyId) {
        if let Some(queue) = &self.queue {
            queue.pause(reply).await;
        }
    }

    /// Says that no more sentences of this reply come.
    pub async fn finish(&self, reply: ReplyId) {
        if let Some(queue) = &self.queue {
            queue.finish(reply).await;
        }
    }

    /// A token that is cancelled when our voice is stopped the next time. A lost loudspeaker is no stop.
    pub fn next_stop(&self) -> CancellationToken {
        self.queue.as_ref().map(SpeechHandle::next_stop).unwrap_or_default()
    }

    /// Tells of an event that the queue did not report.
    #[cfg(test)]
    pub fn tell(&self, event: SpeechEvent) {
        // Without an observer there is no receiver.
        let _ = self.events.send(event);
    }

    /// Stops speaking and empties the queue.
    pub fn fall_silent(&self) {
        if let Some(queue) = &self.queue {
            queue.stop_speaking();
        }
    }
}

/// The voices of the models folder, or this one in place of them.
pub(crate) fn voices(instead: Option<Arc<dyn TextToSpeech>>, store: &ModelStore) -> Arc<dyn Voices> {
    match instead {
        Some(voice) => Arc::new(FixedVoice(voice)),
        None => Arc::new(InstalledVoices::new(store.clone(), Machine::this(), VOICE_THREADS)),
    }
}

fn config_of(settings: &Settings) -> Result<SpeakingConfig, speaking::SpeakingConfigError> {
    SpeakingConfig::try_from((&settings.speaking, &settings.audio))
}

/// Passes the events of the queue on, until it ends.
async fn pass_on(
    mut reports: mpsc::Receiver<SpeechReport>,
    events: broadcast::Sender<SpeechEvent>,
    out: watch::Sender<bool>,
    commands: mpsc::Sender<Command>,
) {
    while let Some(report) = reports.recv().await {
        match report {
            SpeechReport::Speech(event) => {
                let is_out = matches!(event, SpeechEvent::Started { .. } | SpeechEvent::Sentence { .. });
                out.send_replace(is_out);
                // Without an observer there is no receiver.
                let _ = events.send(event);
            }
            SpeechReport::NothingToHear { reply } => {
                let _ = commands.send(Command::NothingToHear(reply)).await;
            }
            SpeechReport::VoiceMissing { language } => {
                let voice = languages::of(&language).and_then(|data| data.default_voice);
                let download = voice.map(str::to_owned);
                let _ = commands.send(Command::VoiceMissing { language, download }).await;
            }
            SpeechReport::Trouble(trouble) => {
                let _ = commands.send(Command::Trouble(trouble)).await;
            }
            SpeechReport::Recovered(trouble) => {
                let _ = commands.send(Command::Recovered(trouble.stage)).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use models::{Catalogue, Purpose};

    use super::*;

    #[test]
    fn recommended_voices_are_in_the_catalogue_and_speak_their_language() {
        for data in languages::all() {
            let Some(id) = data.default_voice else { continue };
            let entry = Catalogue::bundled().for_purpose(Purpose::Voice).find(|entry| entry.id == id);
            let codes = &entry.unwrap_or_else(|| panic!("{id} is not in the catalogue")).languages;

            assert!(codes.iter().any(|code| Language::new(code) == Some(data.language())), "{id}");
        }
    }
}
