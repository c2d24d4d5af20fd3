//! The one task that speaks: sentences in, sound out, and the times at which they were heard.
//!
//! While a sentence sounds the next one is made. Falling silent ends what sounds, what is being made and what waits.
//! The speaker is opened when there is something to say and closed when there was nothing for a while: opening takes
//! some 15 ms, far less than making the first sentence, and an open device keeps laptops and headsets awake.

use std::sync::Arc;

use audio::Loudspeaker;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::ReplyId;

use crate::SpeakingConfig;
use crate::voices::Voices;

mod speaking_task; // the loop: start here
mod messages; // what goes in and comes out
mod ledger;
mod playback_queue;
mod synthesizer;

pub use messages::SpeechNews;
use messages::{Order, SpeechEpoch};
use speaking_task::SpeakingTask;

/// Orders that wait for the task, which takes them at once: a whole reply of short sentences fits. When it is full
/// the caller waits.
const ORDERS: usize = 64;
/// News that wait for a busy listener. When it is full they wait in the task, none is lost.
const NEWS: usize = 64;

/// The task that owns the speaker, not yet running: see [`SpeechQueue::run`].
pub struct SpeechQueue {
    task: SpeakingTask,
}

impl SpeechQueue {
    /// A queue that speaks with `voices` through `speaker`, the handle to order with, and its news.
    pub fn new(
        speaker: Arc<dyn Loudspeaker>,
        voices: Arc<dyn Voices>,
        config: SpeakingConfig,
    ) -> (Self, SpeechHandle, mpsc::Receiver<SpeechNews>) {
        let (orders, ordered) = mpsc::channel(ORDERS);
        let (news, told) = mpsc::channel(NEWS);
        let (config, configured) = watch::channel(config);
        let epoch = SpeechEpoch::default();
        let task = SpeakingTask::new(speaker, voices, configured, ordered, epoch.clone(), news);
        (Self { task }, SpeechHandle { orders, config, epoch }, told)
    }

    /// Speaks until `stop` is cancelled, then falls silent, closes the speaker and returns.
    ///
    /// Not cancel-safe: end it with `stop`.
    pub async fn run(self, stop: CancellationToken) {
        self.task.run(stop).await;
    }
}

/// Orders the queue about. Cheap to clone. When the queue has ended, orders do nothing.
#[derive(Clone)]
pub struct SpeechHandle {
    orders: mpsc::Sender<Order>,
    config: watch::Sender<SpeakingConfig>,
    epoch: SpeechEpoch,
}

impl SpeechHandle {
    /// Speaks a sentence of a reply, as it is written for the screen, after all that was said before.
    ///
    /// Nothing is spoken of a reply that was silenced, while speech is switched off, or where nothing is speakable.
    /// Not cancel-safe: dropped while it waits, the sentence is lost.
    pub async fn say(&self, reply: ReplyId, sentence: String) {
        self.order(Order::Say { reply, sentence, epoch: self.epoch.current() }).await;
    }

    /// No more sentences come for this reply. When the last was heard, `SpeechEvent::Finished` follows; nothing follows
    /// for a reply of which nothing was heard.
    pub async fn finish(&self, reply: ReplyId) {
        self.order(Order::Finish { reply }).await;
    }

    /// Falls silent within some 60 ms: ends what sounds, what is being made, and what waits. Replies that had begun
    /// to sound are told as `SpeechEvent::Interrupted`; what is still said for them is not spoken any more.
    pub fn fall_silent(&self) {
        self.epoch.end();
    }

    /// Waits until nothing is being spoken and no reply is open: each has been finished or silenced.
    pub async fn until_silent(&self) {
        let (told, silent) = oneshot::channel();
        self.order(Order::TellWhenSilent(told)).await;
        // An error means that the queue has ended, which is silence too.
        let _ = silent.await;
    }

    /// Speaks with other settings from the next sentence on; the volume changes at once.
    pub fn configure(&self, config: SpeakingConfig) {
        self.config.send_if_modified(|known| {
            let is_new = *known != config;
            *known = config;
            is_new
        });
    }

    /// Speaks through another speaker as soon as what sounds now has ended.
    pub async fn use_speaker(&self, speaker: Arc<dyn Loudspeaker>) {
        self.order(Order::UseSpeaker(speaker)).await;
    }

    async fn order(&self, order: Order) {
        if self.orders.send(order).await.is_err() {
            tracing::debug!("the speech queue has ended: nothing is spoken any more");
        }
    }
}
