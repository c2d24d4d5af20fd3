//! The handle that doors hold, and the start and end of everything behind it.

mod starting;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use llm::ProviderReport;
use memory::{Dialogue, Told};
use models::Store;
use redaction::MAX_CHARS;
use replying::ReplyingConfig;
use settings::{SecretStore, Settings, SettingsFile};
use tokio::sync::{Notify, broadcast, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::Clock;
use vocabulary::{AssistantEvent, AssistantState, ConversationId, Origin, ReplyId, Stage, Trouble};

pub use self::starting::StartError;
use crate::activation::{Activation, Window};
use crate::active_embedder::ActiveEmbedder;
use crate::capture::CaptureTarget;
use crate::conductor::Command;
use crate::diary_scheduler::DiaryScheduler;
use crate::doctor;
use crate::instance::Instance;
use crate::settings_observer::ObserveSettings;

/// What was said last is given so long to reach the disk on shutdown.
const FLUSH_PATIENCE: Duration = Duration::from_secs(3);

/// Why nothing would be heard.
#[derive(Debug, Clone, PartialEq)]
pub enum MicrophoneUnavailable {
    /// The user closed the microphone.
    Muted,
    /// Listening is switched off in the settings.
    SwitchedOff,
    /// The microphone does not work.
    Broken(Trouble),
}

impl MicrophoneUnavailable {
    /// What to tell people.
    pub fn trouble(self) -> Trouble {
        match self {
            Self::Muted => Trouble::new(Stage::Microphone, "The microphone is muted.", "Unmute it to talk."),
            Self::SwitchedOff => {
                let remedy = "Switch on Listen (listening.enabled) in the settings to talk.";
                Trouble::new(Stage::Microphone, "The microphone is off.", remedy)
            }
            Self::Broken(trouble) => trouble,
        }
    }
}

/// A running assistant. Clones speak to the same one; [`Assistant::shut_down`] ends it.
#[derive(Clone)]
pub struct Assistant {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Arc<SettingsFile>,
    models: Store,
    models_changed: Arc<Notify>,
    commands: mpsc::Sender<Command>,
    events: broadcast::Sender<AssistantEvent>,
    capture: watch::Sender<CaptureTarget>,
    clock: Arc<dyn Clock>,
    secrets: Arc<dyn SecretStore>,
    /// A door asked for the microphone.
    capture_is_wanted: AtomicBool,
    is_muted: AtomicBool,
    activation: Activation,
    state: watch::Receiver<AssistantState>,
    /// What is wrong now, for doors that open later.
    troubles: Arc<Mutex<Vec<Trouble>>>,
    /// Replies asked for in passing, which no page shows.
    in_passing: Arc<Mutex<HashSet<ReplyId>>>,
    stop: CancellationToken,
    tasks: TaskTracker,
    last: Mutex<Option<Last>>,
}

/// What is let go of at the very end, in this order.
struct Last {
    dialogue: Dialogue,
    diarist: Option<DiaryScheduler>,
    meaning: Arc<ActiveEmbedder>,
    keeping: tokio::task::JoinHandle<()>,
    _instance: Instance,
}

impl Assistant {
    /// Asks; the answer comes with the events of the reply named here. The newest query wins: it ends a reply under
    /// way.
    pub async fn ask(&self, text: &str, origin: Origin) -> ReplyId {
        self.ask_in(ConversationId::main(), text, origin).await
    }

    /// The same in another conversation, such as one of which nothing is kept.
    pub async fn ask_in(&self, conversation: ConversationId, text: &str, origin: Origin) -> ReplyId {
        let (accepted, reply) = oneshot::channel();
        let ask = Command::Ask { text: text.to_owned(), origin, conversation, accepted };
        // After shutdown nobody answers; a name nobody uses says so.
        if self.shared.commands.send(ask).await.is_err() {
            return ReplyId(0);
        }
        reply.await.unwrap_or(ReplyId(0))
    }

    /// Ends the reply under way, its model and its voice, and returns when they are silent.
    pub async fn stop(&self) {
        let (done, is_done) = oneshot::channel();
        if self.shared.commands.send(Command::Stop { done }).await.is_ok() {
            let _ = is_done.await;
        }
    }

    /// The same, if this is the reply under way.
    pub async fn stop_reply(&self, reply: ReplyId) {
        let (done, is_done) = oneshot::channel();
        if self.shared.commands.send(Command::StopReply { reply, done }).await.is_ok() {
            let _ = is_done.await;
        }
    }

    /// Opens the microphone, unless it is muted or switched off in the settings.
    pub fn open_microphone(&self) {
        self.shared.capture_is_wanted.store(true, Ordering::Relaxed);
        self.refresh_capture();
    }

    /// Closes the microphone, or opens it again. Muted, no sample reaches the program.
    pub async fn mute(&self, is_muted: bool) {
        self.shared.is_muted.store(is_muted, Ordering::Relaxed);
        self.refresh_capture();
        let _ = self.shared.commands.send(Command::Muted(is_muted)).await;
    }

    /// Is the microphone closed by the user?
    pub fn is_muted(&self) -> bool {
        self.shared.is_muted.load(Ordering::Relaxed)
    }

    /// Ends the reply under way and listens for a while: the next words need no name. Asked again while it listens, it
    /// is done listening.
    ///
    /// # Errors
    ///
    /// Why nothing would be heard; then nothing happens.
    pub async fn talk(&self) -> Result<(), MicrophoneUnavailable> {
        self.talk_key_down().await?;
        self.talk_key_up().await;
        Ok(())
    }

    /// The talk key went down: ends the reply under way and listens as long as it is held.
    ///
    /// # Errors
    ///
    /// Why nothing would be heard; then nothing happens.
    pub async fn talk_key_down(&self) -> Result<(), MicrophoneUnavailable> {
        let at = Instant::now();
        self.can_hear()?;
        let _ = self.shared.commands.send(Command::TalkKeyDown { at }).await;
        Ok(())
    }

    /// The talk key came up. Soon after it went down that was a tap.
    pub async fn talk_key_up(&self) {
        let at = Instant::now();
        let _ = self.shared.commands.send(Command::TalkKeyUp { at }).await;
    }

    fn can_hear(&self) -> Result<(), MicrophoneUnavailable> {
        if self.is_muted() {
            return Err(MicrophoneUnavailable::Muted);
        }
        if !self.shared.capture.borrow().is_open {
            return Err(MicrophoneUnavailable::SwitchedOff);
        }
        let broken = self.troubles().into_iter().find(|trouble| trouble.stage == Stage::Microphone);
        broken.map_or(Ok(()), |trouble| Err(MicrophoneUnavailable::Broken(trouble)))
    }

    /// Waits until another start asks for the window. One that asked before is not forgotten.
    pub async fn summoned(&self) {
        self.shared.activation.asked().await;
    }

    /// The windows are closed for good: who asks for one from now on waits until this Jarvis has ended.
    pub fn has_no_window_any_more(&self) {
        self.shared.activation.close();
    }

    /// Asks whoever has a window to raise it, and says whether there is one.
    pub(crate) fn summon(&self) -> Window {
        self.shared.activation.ask()
    }

    /// Says a text aloud, in place of the reply under way.
    pub async fn read_aloud(&self, text: &str) {
        let _ = self.shared.commands.send(Command::ReadAloud { text: text.to_owned() }).await;
    }

    /// A page of everything that was said: the newest `count` messages before `before_micros`, oldest first.
    ///
    /// # Errors
    ///
    /// What is wrong with the database.
    pub async fn history(&self, before_micros: i64, count: usize) -> Result<Vec<Told>, Trouble> {
        let dialogue = self.last().as_ref().map(|last| last.dialogue.clone());
        let Some(dialogue) = dialogue else { return Ok(Vec::new()) };
        let page = dialogue.history(&ConversationId::main(), before_micros, count).await;
        page.map_err(|error| error.trouble())
    }

    fn refresh_capture(&self) {
        let is_open = self.shared.capture_is_wanted.load(Ordering::Relaxed)
            && !self.shared.is_muted.load(Ordering::Relaxed)
            && self.shared.settings.current().listening.enabled;
        self.shared
            .capture
            .send_if_modified(|wanted| std::mem::replace(&mut wanted.is_open, is_open) != is_open);
    }

    fn follow_microphone(
        &self,
        choose: crate::builder::Choose<dyn audio::Microphone>,
    ) -> Box<dyn ObserveSettings> {
        let assistant = Arc::downgrade(&self.shared);
        let last = Mutex::new(self.shared.settings.current().audio.microphone);
        Box::new(move |settings: &Settings| {
            let Some(shared) = assistant.upgrade() else { return };
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if *last != settings.audio.microphone {
                last.clone_from(&settings.audio.microphone);
                shared.capture.send_modify(|wanted| wanted.microphone = choose(&settings.audio));
            }
            drop(last);
            Self { shared }.refresh_capture();
        })
    }

    /// Everything that happens from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<AssistantEvent> {
        self.shared.events.subscribe()
    }

    /// What it is doing now.
    pub fn state(&self) -> AssistantState {
        *self.shared.state.borrow()
    }

    /// What is wrong now.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.shared.troubles.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Was this reply asked for in passing, so that no page shows it?
    pub fn is_in_passing(&self, reply: ReplyId) -> bool {
        self.shared.in_passing.lock().unwrap_or_else(PoisonError::into_inner).contains(&reply)
    }

    /// The models folder that the settings name at the time.
    pub fn models(&self) -> &Store {
        &self.shared.models
    }

    /// A model was downloaded or deleted: whoever takes the best one there is chooses again.
    pub fn models_changed(&self) {
        self.shared.models_changed.notify_one();
    }

    /// The settings, to read and to change.
    pub fn settings(&self) -> &SettingsFile {
        &self.shared.settings
    }

    /// The line that tells the model when and where it is, as it would be now.
    pub fn context_line(&self) -> String {
        let config = ReplyingConfig::try_from(&self.shared.settings.current());
        config.map_or_else(|error| error.to_string(), |config| config.context_line(self.shared.clock.now()))
    }

    /// Everybody who could run the language model, in the order of preference.
    ///
    /// # Errors
    ///
    /// Settings that cannot be read, or no network client.
    pub async fn provider_reports(&self, store: &Store) -> Result<Vec<ProviderReport>, Trouble> {
        doctor::provider_reports(&self.shared.settings.current(), store, &self.shared.secrets).await
    }

    /// What it is called.
    pub fn name(&self) -> String {
        ReplyingConfig::try_from(&self.shared.settings.current()).map_or_else(|_| "Jarvis".into(), |c| c.name)
    }

    /// Ends everything: the reply under way, every task, and the database last. Later calls do nothing.
    pub async fn shut_down(&self) {
        self.shared.stop.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
        let Some(Last { dialogue, diarist, meaning, keeping, _instance }) = self.last().take() else {
            return;
        };
        if !dialogue.flush(FLUSH_PATIENCE).await {
            tracing::error!("the last words were not written: the database is still in trouble");
        }
        if let Some(diarist) = diarist {
            diarist.write_last().await;
        }
        drop(dialogue);
        if let Err(panic) = keeping.await {
            tracing::error!(%panic, "the dialogue did not end cleanly");
        }
        meaning.rest().await;
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<Last>> {
        self.shared.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What to say of a question of which only the beginning would be read.
pub fn too_long(question: &str) -> Option<String> {
    let characters = question.chars().count();
    (characters > MAX_CHARS).then(|| {
        format!(
            "That is too long: Jarvis reads {MAX_CHARS} characters at a time, and these are {characters}. Shorten it, \
             or ask in parts."
        )
    })
}
