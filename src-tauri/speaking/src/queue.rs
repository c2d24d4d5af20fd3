//! The speech queue: sentences in, sound out, and reports of what was heard when.
//!
//! While a sentence plays, the next one is synthesised. A stop ends the current sound, the current synthesis and the
//! queue. The speaker is opened for the first sentence and closed after some idle time: opening takes about 15 ms, much
//! less than synthesising a sentence, and an open device keeps laptops and headsets awake.

use std::sync::Arc;

use audio::Loudspeaker;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, ReplyId};

use crate::voices::Voices;
use crate::{Earcon, SpeakingConfig, Speech};

mod speaking_task; // start here
mod messages; // what goes in and comes out
mod ledger;
mod playback_queue;
mod waiting_tones; // earcons and the tune
mod synthesizer;

use messages::{SpeechCommand, SpeechEpoch};
pub use messages::{SpeechReport, Unheard};
use speaking_task::{QueueInputs, SpeakingTask};

/// Commands that wait for the task: a whole reply of short sentences fits. When the channel is full, the caller waits.
const MAX_QUEUED_COMMANDS: usize = 64;
/// Reports that wait for a slow receiver. When the channel is full, they wait in the task; none is lost.
const MAX_QUEUED_REPORTS: usize = 64;

/// The task that speaks. It does nothing before [`SpeechQueue::run`].
pub struct SpeechQueue {
    task: SpeakingTask,
}

impl SpeechQueue {
    /// A queue that speaks with `voices` through `speaker`, the handle that controls it, and its reports.
    pub fn new(
        speaker: Arc<dyn Loudspeaker>,
        voices: Arc<dyn Voices>,
        config: SpeakingConfig,
    ) -> (Self, SpeechHandle, mpsc::Receiver<SpeechReport>) {
        let (commands, commands_to_task) = mpsc::channel(MAX_QUEUED_COMMANDS);
        let (reports_from_task, reports) = mpsc::channel(MAX_QUEUED_REPORTS);
        let (config, config_changes) = watch::channel(config);
        let (thinking, is_thinking) = watch::channel(false);
        let epoch = SpeechEpoch::default();
        let inputs = QueueInputs {
            config: config_changes,
            commands: commands_to_task,
            is_thinking,
            epoch: epoch.clone(),
            reports: reports_from_task,
        };
        let task = SpeakingTask::new(speaker, voices, inputs);
        (Self { task }, SpeechHandle { commands, config, thinking, epoch }, reports)
    }

    /// Runs until `stop` is cancelled, then stops speaking and closes the speaker.
    ///
    /// Not cancel-safe: end it with `stop`.
    pub async fn run(self, stop: CancellationToken) {
        self.task.run(stop).await;
    }
}

/// Controls a [`SpeechQueue`]. Cheap to clone. When the queue has ended, its methods do nothing.
#[derive(Clone)]
pub struct SpeechHandle {
    commands: mpsc::Sender<SpeechCommand>,
    config: watch::Sender<SpeakingConfig>,
    thinking: watch::Sender<bool>,
    epoch: SpeechEpoch,
}

impl SpeechHandle {
    /// Queues a sentence of a reply. `sentence` is the text of the screen; with a `language` an installed voice of that
    /// language speaks it, else the voice of the settings.
    ///
    /// Nothing is spoken when the reply was stopped, when speech is switched off, or when the sentence has no words.
    /// Not cancel-safe: the sentence is lost when the future is dropped.
    pub async fn say(&self, reply: ReplyId, sentence: String, language: Option<Language>) {
        self.send(SpeechCommand::Say { reply, sentence, language, epoch: self.epoch.current() }).await;
    }

    /// Queues a sound after the sentences before it, also when speech is switched off. It is stopped and reported as a
    /// part of `reply`, but not as a sentence.
    ///
    /// Not cancel-safe: the sound is lost when the future is dropped.
    pub async fn play(&self, reply: ReplyId, sound: Speech) {
        self.send(SpeechCommand::Play { reply, sound, epoch: self.epoch.current() }).await;
    }

    /// Plays a short sound at once, unless we speak or the settings say no. It is not reported. When too many commands wait,
    /// it is left out: later it would tell something else.
    pub fn signal(&self, earcon: Earcon) {
        let _ = self.commands.try_send(SpeechCommand::Signal { earcon, at: tokio::time::Instant::now() });
    }

    /// Plays a tune from 1.5 s after `true` until `false` or until we speak, unless the settings say no. It is not reported.
    pub fn show_thinking(&self, is_thinking: bool) {
        self.thinking.send_if_modified(|current| std::mem::replace(current, is_thinking) != is_thinking);
    }

    /// Marks the words so far as complete: the reply waits for an answer, and may go on after it. After the last sentence the
    /// queue reports `SpeechEvent::Finished`, as for [`SpeechHandle::finish`].
    pub async fn pause(&self, reply: ReplyId) {
        self.send(SpeechCommand::Pause { reply }).await;
    }

    /// Marks the reply as complete: no more sentences follow. After the last sentence the queue reports
    /// `SpeechEvent::Finished`, unless nothing of the reply was heard.
    pub async fn finish(&self, reply: ReplyId) {
        self.send(SpeechCommand::Finish { reply }).await;
    }

    /// The reason why nothing of a reply that is not complete was heard; `None` if something was, or is still to be. Words that
    /// wait for a loudspeaker that does not open were not heard. Waits while one is being opened.
    pub async fn unheard(&self, reply: ReplyId) -> Option<Unheard> {
        let (answer, reason) = oneshot::channel();
        self.send(SpeechCommand::TellUnheard { reply, answer }).await;
        // An error means that the queue has ended, with the program.
        reason.await.ok().flatten()
    }

    /// Stops speaking within about 60 ms: ends the current sound, the current synthesis and the queue. Replies that were
    /// heard are reported as `SpeechEvent::Interrupted`; later sentences of incomplete replies are not spoken.
    pub fn stop_speaking(&self) {
        self.epoch.end();
    }

    /// A token that is cancelled by the next stop: by [`SpeechHandle::stop_speaking`], when speech is switched off, and when the
    /// queue ends. A lost speaker is no stop.
    pub fn next_stop(&self) -> CancellationToken {
        self.epoch.current()
    }

    /// Waits until nothing is spoken and every reply is complete or stopped.
    pub async fn until_silent(&self) {
        let (notify, silent) = oneshot::channel();
        self.send(SpeechCommand::NotifyWhenSilent(notify)).await;
        // An error means that the queue has ended, so it is silent.
        let _ = silent.await;
    }

    /// Uses new settings from the next sentence on; the volume changes at once.
    pub fn configure(&self, config: SpeakingConfig) {
        self.config.send_if_modified(|current| {
            let is_changed = *current != config;
            *current = config;
            is_changed
        });
    }

    /// Uses another speaker after the current sounds.
    pub async fn use_speaker(&self, speaker: Arc<dyn Loudspeaker>) {
        self.send(SpeechCommand::UseSpeaker(speaker)).await;
    }

    async fn send(&self, command: SpeechCommand) {
        if self.commands.send(command).await.is_err() {
            tracing::debug!("the speech queue has ended: the command is ignored");
        }
    }
}
