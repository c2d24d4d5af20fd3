//! The handle that doors hold on a running assistant.

mod pages; // what the pages of the windows show and change
mod streams; // sound from elsewhere

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use memory::{Dialogue, Memory};
use net::Http;
use parking_lot::Mutex;
use replying::{AnsweringModel, AnsweringModels, ReplyingConfig};
use settings::SettingsFile;
use tokio::sync::{Notify, broadcast, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::{SNOOZE, ToolRegistry};
use vocabulary::{
    Answer, AssistantEvent, AssistantState, Clock, ConversationId, Language, Origin, Question, ReplyId, Ring,
    Stage, Trouble,
};

use crate::appointments::appointment_ringer::{RingError, RingerHandle};
use crate::command::Command;
use crate::data_access::activation::{Activation, Window};
use crate::data_access::data_owner::Responses;
use crate::data_access::data_service::DataService;
use crate::data_access::instance::Instance;
use crate::data_access::requests::{MemoryRequest, Request};
use crate::event_bus::{EventBus, EventStream};
use crate::memory_upkeep::diary_scheduler::DiaryScheduler;
use crate::models_in_use::active_embedder::ActiveEmbedder;
use crate::models_in_use::model_library::ModelLibrary;
use crate::network::contact_log::ContactLog;
use crate::replies::{NoQuestion, ReplyHandle, ReplyRefused, ReplyRequest};
use crate::sound_paths::capture::CaptureTarget;
use crate::sound_paths::microphone::MicrophoneUnavailable;
use crate::sound_paths::satellite::SatelliteService;
use crate::sound_paths::speech_service::{
    RecordedWords, RecordingError, SpeechRequest, SpeechService, SpeechStream,
};
use crate::sound_paths::stream_hearing::StreamHearing;
use crate::tool_access::call_log::CallLog;
use crate::tool_access::tool_permissions::ToolPermissions;
use crate::tool_access::tool_servers::ConfiguredServers;
use crate::user::user_location::UserLocation;
use crate::views::LocationView;

/// All tasks end within this time, or are left behind: a native library was seen that loaded a model without end, which kept
/// the program from ending and the next start from beginning. Half of what the next start waits.
const TASKS_LIMIT: Duration = Duration::from_secs(10);

/// The time that shutdown waits for the last messages to reach the disk.
const FLUSH_LIMIT: Duration = Duration::from_secs(3);

/// A running assistant. Clones share it; [`Assistant::shut_down`] ends it.
#[derive(Clone)]
pub struct Assistant {
    shared: Arc<AssistantCore>,
}

pub(crate) struct AssistantCore {
    pub settings: Arc<SettingsFile>,
    pub library: ModelLibrary,
    pub tool_servers: ConfiguredServers,
    pub speech: Arc<SpeechService>,
    pub streams: Arc<StreamHearing>,
    pub satellites: SatelliteService,
    /// Executes requests about the data, once it is there and until the end.
    pub data: Mutex<Option<DataService>>,
    pub tools: Arc<ToolRegistry>,
    pub answering_models: AnsweringModels,
    pub tool_permissions: ToolPermissions,
    pub location: UserLocation,
    /// The records, once they are open.
    pub memory: watch::Receiver<Option<Memory>>,
    pub http: Http,
    pub contacts: Arc<ContactLog>,
    pub commands: mpsc::Sender<Command>,
    pub events: EventBus,
    pub capture: watch::Sender<CaptureTarget>,
    pub clock: Arc<dyn Clock>,
    /// A door asked for the microphone.
    pub capture_is_wanted: AtomicBool,
    pub is_muted: AtomicBool,
    /// Numbers the temporary conversations of this run.
    pub next_temporary: AtomicU64,
    pub activation: Activation,
    pub ringer: RingerHandle,
    pub state: watch::Receiver<AssistantState>,
    /// The foreground reply under way.
    pub foreground: watch::Receiver<Option<ReplyId>>,
    /// The question that it waits for an answer to.
    pub question: watch::Receiver<Option<Question>>,
    /// Current troubles, for doors that open later.
    pub troubles: Arc<Mutex<Vec<Trouble>>>,
    /// Told when a query seems to follow.
    pub expected: Arc<Notify>,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
    pub at_shutdown: Mutex<Option<AtShutdown>>,
}

/// The parts that end after all tasks, in this order.
pub(crate) struct AtShutdown {
    pub dialogue: Dialogue,
    pub diary: Option<DiaryScheduler>,
    pub embedder: Arc<ActiveEmbedder>,
    pub calls: Arc<CallLog>,
    pub writing_calls: tokio::task::JoinHandle<()>,
    pub writing: tokio::task::JoinHandle<()>,
    pub _instance: Instance,
}

/// An assistant that may have ended.
pub(crate) struct WeakAssistant {
    shared: Weak<AssistantCore>,
}

impl WeakAssistant {
    /// Opens or closes the microphone as mute and settings say.
    pub fn refresh_capture(&self) {
        if let Some(shared) = self.shared.upgrade() {
            Assistant { shared }.refresh_capture();
        }
    }
}

impl Assistant {
    pub(crate) fn new(shared: AssistantCore) -> Self {
        Self { shared: Arc::new(shared) }
    }

    pub(crate) fn shared(&self) -> &AssistantCore {
        &self.shared
    }

    pub(crate) fn downgrade(&self) -> WeakAssistant {
        WeakAssistant { shared: Arc::downgrade(&self.shared) }
    }

    pub(crate) fn keep_until_shutdown(&self, at_shutdown: AtShutdown) {
        *self.at_shutdown() = Some(at_shutdown);
    }

    /// Answers in the foreground: the person at this machine sees and hears the reply, through the events of
    /// [`Assistant::subscribe`]. The newest query ends the foreground reply before it. A text that answers the question
    /// which that reply asks is taken as the answer.
    ///
    /// # Errors
    ///
    /// [`ReplyRefused`]; then nothing happens.
    pub async fn ask(&self, text: &str, origin: Origin) -> Result<ReplyId, ReplyRefused> {
        self.ask_for(text, origin, false).await
    }

    /// The same, in place of the query before: that one and its reply are taken back, from the dialogue and from memory.
    ///
    /// # Errors
    ///
    /// [`ReplyRefused`]; then nothing happens.
    pub async fn ask_instead(&self, text: &str, origin: Origin) -> Result<ReplyId, ReplyRefused> {
        self.ask_for(text, origin, true).await
    }

    async fn ask_for(
        &self,
        text: &str,
        origin: Origin,
        replaces_previous: bool,
    ) -> Result<ReplyId, ReplyRefused> {
        let (accepted, reply) = oneshot::channel();
        let text = text.to_owned();
        self.command(Command::Ask { text, origin, replaces_previous, accepted }, reply).await?
    }

    /// Answers a calling program in the background, through the returned handle.
    ///
    /// # Errors
    ///
    /// [`ReplyRefused`]; then nothing happens.
    pub async fn open_reply(&self, request: ReplyRequest) -> Result<ReplyHandle, ReplyRefused> {
        let (accepted, handle) = oneshot::channel();
        self.command(Command::Open { request, accepted }, handle).await?
    }

    /// Answers a question of the foreground reply.
    ///
    /// # Errors
    ///
    /// [`NoQuestion`] when the reply does not wait for this answer.
    pub async fn answer(&self, answer: Answer) -> Result<ReplyId, NoQuestion> {
        let (taken, reply) = oneshot::channel();
        self.command(Command::Answer { answer, taken }, reply).await.map_err(|_| NoQuestion)?
    }

    /// The question that the foreground reply waits for an answer to.
    pub fn question(&self) -> Option<(ReplyId, Question)> {
        let reply = (*self.shared.foreground.borrow())?;
        let question = self.shared.question.borrow().clone()?;
        Some((reply, question))
    }

    /// A conversation of which nothing is stored, for one caller.
    pub fn temporary_conversation(&self) -> ConversationId {
        ConversationId::temporary(self.shared.next_temporary.fetch_add(1, Ordering::Relaxed))
    }

    /// A conversation with a program that has a key. Nothing of it is stored but the calls of tools.
    pub fn conversation_with(&self, program: &str) -> ConversationId {
        ConversationId::with_program(self.shared.next_temporary.fetch_add(1, Ordering::Relaxed), program)
    }

    async fn command<T>(&self, command: Command, done: oneshot::Receiver<T>) -> Result<T, ReplyRefused> {
        self.shared.commands.send(command).await.map_err(|_| ReplyRefused::ShuttingDown)?;
        done.await.map_err(|_| ReplyRefused::ShuttingDown)
    }

    /// Ends the foreground reply, its model and its voice, and what rings aloud, and returns when they are silent.
    pub async fn stop(&self) {
        let (done, is_done) = oneshot::channel();
        // A coordinator that has ended has nothing left to stop.
        let _ = self.command(Command::Stop { done }, is_done).await;
    }

    /// Timers, alarms and reminders that ring or wait for the user, oldest first.
    pub fn rings(&self) -> Vec<Ring> {
        self.shared.ringer.rings()
    }

    /// The user has heard a timer, alarm or reminder: it falls silent and is done.
    ///
    /// # Errors
    ///
    /// [`RingError`] when it does not ring, or the memory cannot be changed.
    pub async fn stop_ring(&self, appointment: i64) -> Result<(), RingError> {
        self.shared.ringer.stop(appointment).await
    }

    /// A timer, alarm or reminder falls silent and rings again in five minutes.
    ///
    /// # Errors
    ///
    /// [`RingError`] when it does not ring, or the memory cannot be changed.
    pub async fn snooze_ring(&self, appointment: i64) -> Result<(), RingError> {
        self.shared.ringer.snooze(appointment, SNOOZE, None).await
    }

    /// Opens the microphone, unless it is muted or switched off in the settings.
    pub fn open_microphone(&self) {
        self.shared.capture_is_wanted.store(true, Ordering::Relaxed);
        self.refresh_capture();
    }

    /// Closes the microphone, or opens it again. While muted, no sample reaches the program.
    pub async fn mute(&self, is_muted: bool) {
        self.shared.is_muted.store(is_muted, Ordering::Relaxed);
        self.refresh_capture();
        let _ = self.shared.commands.send(Command::Muted(is_muted)).await;
    }

    /// Returns `true` if the user muted the microphone.
    pub fn is_muted(&self) -> bool {
        self.shared.is_muted.load(Ordering::Relaxed)
    }

    /// Ends the foreground reply and listens for a while: the next words need no name. Called again while it listens, it
    /// stops listening.
    ///
    /// # Errors
    ///
    /// [`MicrophoneUnavailable`]; then nothing happens.
    pub async fn talk(&self) -> Result<(), MicrophoneUnavailable> {
        self.talk_key_down().await?;
        self.talk_key_up().await;
        Ok(())
    }

    /// The talk key went down: ends the foreground reply and listens as long as it is held.
    ///
    /// # Errors
    ///
    /// [`MicrophoneUnavailable`]; then nothing happens.
    pub async fn talk_key_down(&self) -> Result<(), MicrophoneUnavailable> {
        let at = Instant::now();
        self.can_hear()?;
        let _ = self.shared.commands.send(Command::TalkKeyDown { at }).await;
        Ok(())
    }

    /// The talk key came up. Soon after it went down, that was a tap.
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

    /// A query seems to follow: what was unloaded while nobody asked is loaded again.
    pub fn expect_query(&self) {
        self.shared.expected.notify_one();
    }

    /// Waits until another start of Jarvis asks for the window. A request from before is not lost.
    pub async fn activation_requested(&self) {
        self.shared.activation.requested().await;
    }

    /// The windows are about to close for good: another start of Jarvis waits from now on until this one has ended.
    pub fn has_no_window_any_more(&self) {
        self.shared.activation.close();
    }

    /// Asks the door that has a window to raise it. Returns whether there is one.
    pub(crate) fn activate(&self) -> Window {
        self.shared.activation.request()
    }

    /// Reads a text aloud, in place of the foreground reply.
    pub async fn read_aloud(&self, text: &str) {
        let _ = self.shared.commands.send(Command::ReadAloud { text: text.to_owned() }).await;
    }

    fn refresh_capture(&self) {
        let is_open = self.shared.capture_is_wanted.load(Ordering::Relaxed)
            && !self.shared.is_muted.load(Ordering::Relaxed)
            && self.shared.settings.current().listening.enabled;
        self.shared
            .capture
            .send_if_modified(|wanted| std::mem::replace(&mut wanted.is_open, is_open) != is_open);
    }

    /// All events from now on, for observers: one that falls behind misses some.
    pub fn subscribe(&self) -> broadcast::Receiver<AssistantEvent> {
        self.shared.events.observe()
    }

    /// All events from now on, for a door that shows them: it misses no part of a reply. The stream ends if the door reads
    /// nothing for some seconds.
    pub fn follow(&self) -> EventStream {
        self.shared.events.follow()
    }

    /// Returns the state of the assistant.
    pub fn state(&self) -> AssistantState {
        *self.shared.state.borrow()
    }

    /// The foreground reply under way, now and later. Unlike an event, its end cannot be missed.
    pub fn foreground(&self) -> watch::Receiver<Option<ReplyId>> {
        self.shared.foreground.clone()
    }

    /// Returns the current troubles.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.shared.troubles.lock().clone()
    }

    /// Reads or changes the memory; `None` while the assistant starts, and when it has ended.
    pub fn about_memory(&self, request: MemoryRequest) -> Option<Responses> {
        let service = self.shared.data.lock().clone()?;
        Some(Responses::new(service, Request::Memory(request), &self.shared.tasks))
    }

    /// The names of the tools that there are now, with those of the memory or without.
    pub fn tool_names(&self, with_memory: bool) -> Vec<String> {
        let is_of_memory = |name: &str| tools::builtin::MEMORY_TOOLS.contains(&name);
        let catalogue = self.shared.tools.catalogue();
        let names = catalogue.declarations().map(|tool| tool.name.clone());
        names.filter(|name| with_memory || !is_of_memory(name)).collect()
    }

    /// The model that answers now.
    pub fn answering_model(&self) -> AnsweringModel {
        self.shared.answering_models.current()
    }

    /// The words of a WAV file, for a program.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] when it cannot be read, or recognition does not work.
    pub async fn transcribe(
        &self,
        wav: Vec<u8>,
        language: Option<Language>,
    ) -> Result<RecordedWords, RecordingError> {
        self.shared.speech.transcribe(wav, language).await
    }

    /// Says a text for a program, sentence by sentence. Dropping the stream stops the voice.
    pub fn synthesise(&self, request: SpeechRequest) -> SpeechStream {
        Arc::clone(&self.shared.speech).synthesise(request)
    }

    /// The time now.
    pub fn now(&self) -> jiff::Timestamp {
        self.shared.clock.now()
    }

    /// Waits until the assistant ends.
    pub async fn ending(&self) {
        self.shared.stop.cancelled().await;
    }

    /// The line that gives the model time and place, as it would be now.
    pub fn context_line(&self) -> String {
        match ReplyingConfig::try_from(&self.shared.settings.current()) {
            Ok(config) => self.shared.location.complete(config).context_line(self.shared.clock.now()),
            Err(error) => error.to_string(),
        }
    }

    /// The place of this computer, as the desktop tells it.
    pub fn location(&self) -> LocationView {
        self.shared.location.current().into()
    }

    /// Asks the desktop for it once more, if the settings allow to ask.
    pub fn look_for_location(&self) {
        self.shared.location.ask_again();
    }

    /// The name of the assistant.
    pub fn name(&self) -> String {
        ReplyingConfig::try_from(&self.shared.settings.current()).map_or_else(|_| "Jarvis".into(), |c| c.name)
    }

    /// Ends everything: all replies, every task, and the database last. Later calls do nothing.
    pub async fn shut_down(&self) {
        self.shared.stop.cancel();
        self.shared.tasks.close();
        if tokio::time::timeout(TASKS_LIMIT, self.shared.tasks.wait()).await.is_err() {
            tracing::error!("some parts did not end in time, and are left behind");
        }
        // It holds the memory, whose writing ends when nobody does.
        drop(self.shared.data.lock().take());
        let Some(last) = self.at_shutdown().take() else { return };
        let AtShutdown { dialogue, diary, embedder, calls, writing_calls, writing, _instance } = last;
        calls.close();
        if !dialogue.flush(FLUSH_LIMIT).await {
            tracing::error!("the last messages were not written: the database still does not work");
        }
        if tokio::time::timeout(FLUSH_LIMIT, writing_calls).await.is_err() {
            tracing::error!("the last tool calls were not logged: the database still does not work");
        }
        if let Some(diary) = diary {
            diary.write_last().await;
        }
        Arc::clone(&self.shared.contacts).write_aside().await;
        drop(dialogue);
        match tokio::time::timeout(FLUSH_LIMIT, writing).await {
            Ok(Ok(())) => {}
            Ok(Err(panic)) => tracing::error!(%panic, "the writing of the dialogue did not end cleanly"),
            // The messages are written: only a part that was left behind still holds the memory.
            Err(_) => tracing::error!("the memory is still held by a part that did not end"),
        }
        embedder.finish_loading().await;
    }

    fn at_shutdown(&self) -> parking_lot::MutexGuard<'_, Option<AtShutdown>> {
        self.shared.at_shutdown.lock()
    }
}
