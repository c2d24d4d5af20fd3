//! The handle that doors hold on a running assistant.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use memory::{CallFilter, Dialogue, DialogueMessage, LoggedCall, Memory, Participant};
use net::{HostContact, Http};
use parking_lot::Mutex;
use replying::ReplyingConfig;
use serde_json::Value;
use settings::{Provider, Scope, SettingsError, SettingsFile};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::{SNOOZE, ToolRegistry};
use vocabulary::{
    Answer, AssistantEvent, AssistantState, Clock, ConversationId, Language, Origin, Private, Question,
    ReplyId, ReplyTrace, Ring, Stage, Trouble, behind_loudspeaker,
};

use crate::activation::{Activation, Window};
use crate::active_embedder::ActiveEmbedder;
use crate::appointment_ringer::{RingError, RingerHandle};
use crate::call_log::CallLog;
use crate::capture::CaptureTarget;
use crate::command::Command;
use crate::data_owner::Responses;
use crate::data_service::DataService;
use crate::diary_scheduler::DiaryScheduler;
use crate::event_bus::{EventBus, EventStream};
use crate::instance::Instance;
use crate::microphone::MicrophoneUnavailable;
use crate::model_library::{ModelLibrary, ModelLibraryError};
use crate::programs::{self, ProgramRefused};
use crate::replies::{NoQuestion, ReplyHandle, ReplyRefused, ReplyRequest};
use crate::requests::{MemoryRequest, Request, Response, SettingsRequest};
use crate::secret_names::secret_name;
use crate::speech_service::{RecordedWords, RecordingError, SpeechRequest, SpeechService, VoiceSound};
use crate::tool_permissions::ToolPermissions;
use crate::tool_servers::ConfiguredServers;
use crate::views::{PermissionName, ToolPermissionView, ToolServerView};

/// How long shutdown waits for the last messages to reach the disk.
const FLUSH_LIMIT: Duration = Duration::from_secs(3);

/// A running assistant. Clones share it; [`Assistant::shut_down`] ends it.
#[derive(Clone)]
pub struct Assistant {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub settings: Arc<SettingsFile>,
    pub library: ModelLibrary,
    pub tool_servers: ConfiguredServers,
    pub speech: Arc<SpeechService>,
    /// Executes requests about the data, once it is there and until the end.
    pub data: Mutex<Option<DataService>>,
    pub tools: Arc<ToolRegistry>,
    pub tool_permissions: ToolPermissions,
    /// The records, once they are open.
    pub memory: watch::Receiver<Option<Memory>>,
    pub http: Http,
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
    /// What does not work now, for doors that open later.
    pub troubles: Arc<Mutex<Vec<Trouble>>>,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
    pub at_shutdown: Mutex<Option<AtShutdown>>,
}

/// What ends after all tasks have, in this order.
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
    shared: Weak<Shared>,
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
    pub(crate) fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared) }
    }

    pub(crate) fn shared(&self) -> &Shared {
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
        ConversationId::of_program(self.shared.next_temporary.fetch_add(1, Ordering::Relaxed), program)
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
        self.shared.ringer.snooze(appointment, SNOOZE).await
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

    /// Whether the user muted the microphone.
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

    /// Waits until another start of Jarvis asks for the window. A request from before is not lost.
    pub async fn activation_requested(&self) {
        self.shared.activation.requested().await;
    }

    /// The windows are closed for good: another start of Jarvis waits from now on until this one has ended.
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

    /// A page of the conversation: the newest `count` messages before `before_micros`, oldest first. Without the loudspeaker
    /// that a model wrote before an answer to be spoken.
    ///
    /// # Errors
    ///
    /// A [`Trouble`] when the database cannot be read.
    pub async fn history(&self, before_micros: i64, count: usize) -> Result<Vec<DialogueMessage>, Trouble> {
        let dialogue = self.at_shutdown().as_ref().map(|last| last.dialogue.clone());
        let Some(dialogue) = dialogue else { return Ok(Vec::new()) };
        let page = dialogue.history(&ConversationId::main(), before_micros, count).await;
        let mut page = page.map_err(|error| error.trouble())?;
        for message in page.iter_mut().filter(|message| message.content.participant == Participant::Assistant)
        {
            if let Some(text) = behind_loudspeaker(&message.content.text) {
                message.content.text = Private(text.to_owned());
            }
        }
        Ok(page)
    }

    /// The newest calls of tools that fit, the newest first.
    ///
    /// # Errors
    ///
    /// A [`Trouble`] when the database is not open, or cannot be read.
    pub async fn tool_calls(&self, filter: CallFilter, limit: usize) -> Result<Vec<LoggedCall>, Trouble> {
        let memory = self.shared.memory.borrow().clone();
        let Some(memory) = memory else {
            let remedy = "Wait a moment, or see what `jarvis doctor memory` says.";
            return Err(Trouble::new(Stage::Memory, "The memory is not open.", remedy));
        };
        memory.calls(filter, limit).await.map_err(|error| error.trouble())
    }

    /// How the reply that was said at this time was made, where that is known.
    ///
    /// # Errors
    ///
    /// A [`Trouble`] when the database cannot be read.
    pub async fn reply_trace(&self, at_micros: i64) -> Result<Option<ReplyTrace>, Trouble> {
        let dialogue = self.at_shutdown().as_ref().map(|last| last.dialogue.clone());
        let Some(dialogue) = dialogue else { return Ok(None) };
        let trace = dialogue.trace(&ConversationId::main(), at_micros).await;
        trace.map_err(|error| error.trouble())
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

    /// What the assistant is doing now.
    pub fn state(&self) -> AssistantState {
        *self.shared.state.borrow()
    }

    /// The foreground reply under way, now and later. Unlike an event, its end cannot be missed.
    pub fn foreground(&self) -> watch::Receiver<Option<ReplyId>> {
        self.shared.foreground.clone()
    }

    /// What does not work now.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.shared.troubles.lock().clone()
    }

    /// The model files, to download, try and delete.
    pub fn model_library(&self) -> &ModelLibrary {
        &self.shared.library
    }

    /// The hosts contacted since the start, in alphabetical order, once for each purpose.
    pub fn hosts_contacted(&self) -> Vec<HostContact> {
        self.shared.http.hosts_contacted()
    }

    /// The servers of tools that are switched on, in the order of their names.
    pub fn tool_servers(&self) -> Vec<ToolServerView> {
        self.shared.tool_servers.views()
    }

    /// Reads the values anew that the settings of the servers of tools name, lists their tools, and waits for them.
    pub async fn refresh_tool_servers(&self) -> Vec<ToolServerView> {
        self.shared.tool_servers.refresh().await
    }

    /// Keeps a secret in the keychain that the settings of a server of tools name as `${secret:name}`. The server is started
    /// anew.
    ///
    /// # Errors
    ///
    /// The keychain does not take it.
    pub async fn set_tool_server_secret(&self, name: &str, secret: Private<String>) -> Result<(), Trouble> {
        let ending = || Trouble::new(Stage::Settings, "Jarvis starts or ends.", "Try again in a moment.");
        let service = self.shared.data.lock().clone().ok_or_else(ending)?;
        let request = SettingsRequest::SetSecret { name: secret_name(name), secret: Some(secret) };
        let mut responses = Responses::of(service, Request::Settings(request), &self.shared.tasks);
        loop {
            match responses.next().await {
                Ok(Response::Failed(trouble)) => return Err(trouble),
                Ok(response) if response.is_last() => return Ok(()),
                Ok(_) => {}
                Err(_) => return Err(ending()),
            }
        }
    }

    /// All tools and servers of tools with their permissions, and what else the settings name.
    pub fn tool_permissions(&self) -> Vec<ToolPermissionView> {
        self.shared.tool_permissions.views()
    }

    /// Sets the permission of a tool or a server in the settings; `None` removes it. The next call counts on it.
    ///
    /// # Errors
    ///
    /// The settings could not be saved.
    pub async fn set_tool_permission(
        &self,
        name: &str,
        choice: Option<PermissionName>,
    ) -> Result<(), SettingsError> {
        self.shared.tool_permissions.set(name, choice).await
    }

    /// Chooses an installed model to hear, to speak or to answer, in the settings.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`]; then nothing changes.
    pub fn use_model(&self, id: &str) -> Result<(), ModelLibraryError> {
        Ok(self.settings().set_all(self.model_library().settings_for(id)?)?)
    }

    /// Chooses the provider that answers, in the settings: a server at an address with one of its models, or the embedded
    /// engine with the path of a model file as its address.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`]; then nothing changes.
    pub fn use_provider(&self, provider: &str, address: &str, model: &str) -> Result<(), ModelLibraryError> {
        let known = Provider::ALL.iter().find(|it| it.value() == provider);
        let (address, model) = match known {
            // The embedded engine has no address; the settings name its model as the catalogue does.
            Some(Provider::Embedded) => {
                (String::new(), self.model_library().id_of_file(address).unwrap_or_default())
            }
            // The settings refuse an unknown provider, and say which there are.
            Some(Provider::Auto | Provider::Ollama | Provider::OpenAi) | None => {
                (address.to_owned(), model.to_owned())
            }
        };
        let chosen: [(&str, Value); 3] = [
            ("llm.provider", provider.into()),
            ("llm.base_url", address.into()),
            ("llm.chat_model", model.into()),
        ];
        Ok(self.settings().set_all(chosen)?)
    }

    /// The settings, to read and to change.
    pub fn settings(&self) -> &SettingsFile {
        &self.shared.settings
    }

    /// Gives a program a key. Returns the key, which nobody can find out later.
    ///
    /// # Errors
    ///
    /// [`ProgramRefused`]; then nothing changes.
    pub fn add_program(&self, name: &str, may: &[Scope]) -> Result<Private<String>, ProgramRefused> {
        programs::add(self.settings(), name, may)
    }

    /// Takes the key of a program away.
    ///
    /// # Errors
    ///
    /// [`ProgramRefused`]; then nothing changes.
    pub fn revoke_program(&self, name: &str) -> Result<(), ProgramRefused> {
        programs::revoke(self.settings(), name)
    }

    /// Reads or changes the memory; `None` while the assistant starts, and when it has ended.
    pub fn about_memory(&self, request: MemoryRequest) -> Option<Responses> {
        let service = self.shared.data.lock().clone()?;
        Some(Responses::of(service, Request::Memory(request), &self.shared.tasks))
    }

    /// The names of the tools that there are now.
    pub fn tool_names(&self) -> Vec<String> {
        self.shared.tools.catalogue().declarations().map(|tool| tool.name.clone()).collect()
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

    /// Says a text into the returned channel, sentence by sentence, for a program. The channel closes after the last sentence
    /// or after an error.
    pub fn synthesise(&self, request: SpeechRequest) -> mpsc::Receiver<Result<VoiceSound, Trouble>> {
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
        let config = ReplyingConfig::try_from(&self.shared.settings.current());
        config.map_or_else(|error| error.to_string(), |config| config.context_line(self.shared.clock.now()))
    }

    /// The name of the assistant.
    pub fn name(&self) -> String {
        ReplyingConfig::try_from(&self.shared.settings.current()).map_or_else(|_| "Jarvis".into(), |c| c.name)
    }

    /// Ends everything: all replies, every task, and the database last. Later calls do nothing.
    pub async fn shut_down(&self) {
        self.shared.stop.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
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
        drop(dialogue);
        if let Err(panic) = writing.await {
            tracing::error!(%panic, "the writing of the dialogue did not end cleanly");
        }
        embedder.finish_loading().await;
    }

    fn at_shutdown(&self) -> parking_lot::MutexGuard<'_, Option<AtShutdown>> {
        self.shared.at_shutdown.lock()
    }
}
