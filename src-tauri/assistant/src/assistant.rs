//! The handle that doors hold, and the start and end of everything behind it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hearing::{Earshot, HearerInputs, HearingConfig};
use listening::{ListenerInputs, ListeningConfig};
use llm::{ChatModel, Embedder, Failover, ProviderReport};
use memory::{Dialogue, Said};
use models::Store;
use net::Http;
use replying::{Clock, ReplyEngine, ReplyingConfig};
use settings::{SecretStore, Settings, SettingsFile};
use tokio::sync::{Notify, broadcast, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{AssistantEvent, AssistantState, ConversationId, Origin, ReplyId, Stage, Trouble};

use crate::brain::{BrainChoice, ProviderKey};
use crate::conductor::{self, Command, ConductorInputs};
use crate::diarist::Diarist;
use crate::ears::{self, Wanted};
use crate::following::{self, Follower, Followers, Following};
use crate::instance::Instance;
use crate::meaning::{self, Meaning};
use crate::parts::Parts;
use crate::recogniser::RecogniserChoice;
use crate::upkeep::Upkeep;
use crate::voice::{Mouth, MouthParts};
use crate::warming::Warming;
use crate::{brain, doctor, encryption, switchboard};

/// Events that a door may fall behind by before it misses some: a second of the busiest streaming.
const EVENTS: usize = 1024;
/// Commands waiting for the conductor: doors wait when it is full.
const COMMANDS: usize = 32;
/// 1.3 s of sound waiting for hearing; then the capture's own queue drops its oldest frames.
const FRAMES: usize = 64;
/// Events waiting for listening, and from it: they wait when it is full, for an utterance must not be lost.
const HEARD: usize = 256;

/// The database is given so long to open before the assistant is ready without what was said in earlier runs.
const MEMORY_PATIENCE: Duration = Duration::from_millis(250);
/// What was said last is given so long to reach the disk on shutdown.
const FLUSH_PATIENCE: Duration = Duration::from_secs(3);

/// Why an assistant did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings cannot be read at all.
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
    /// The secure transport could not be set up.
    #[error("the network client could not be made")]
    Network(#[from] net::NetError),
    /// This user has no home folder.
    #[error(transparent)]
    NoHome(#[from] settings::NoHome),
}

/// Why nothing would be heard.
#[derive(Debug, Clone, PartialEq)]
pub enum Deaf {
    /// The user closed the microphone.
    Muted,
    /// Listening is switched off in the settings.
    SwitchedOff,
    /// The microphone does not work.
    Broken(Trouble),
}

impl Deaf {
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
    ears: watch::Sender<Wanted>,
    clock: Arc<dyn Clock>,
    secrets: Arc<dyn SecretStore>,
    /// A door asked for the microphone.
    ears_are_wanted: AtomicBool,
    is_muted: AtomicBool,
    /// A door has a window.
    has_window: AtomicBool,
    state: watch::Receiver<AssistantState>,
    /// What is wrong now, for doors that open later.
    troubles: Arc<Mutex<Vec<Trouble>>>,
    stop: CancellationToken,
    tasks: TaskTracker,
    last: Mutex<Option<Last>>,
}

/// What is let go of at the very end, in this order.
struct Last {
    dialogue: Dialogue,
    diarist: Option<Diarist>,
    meaning: Arc<Meaning>,
    keeping: tokio::task::JoinHandle<()>,
    _instance: Instance,
}

impl Assistant {
    /// Starts everything. Ready for typed queries when it returns; models are loaded meanwhile, unless the parts ask
    /// for them first.
    ///
    /// # Errors
    ///
    /// [`StartError`]: the few things no assistant can be without. All else is reported as trouble, and mended when
    /// its cause goes away.
    pub async fn start(parts: Parts, instance: Instance) -> Result<Self, StartError> {
        let loaded = SettingsFile::load(&parts.folders.config.join("settings.json"))?;
        let settings = Arc::new(loaded.file);
        let now = settings.current();
        let http = Http::new()?;
        let store = Store::following(settings.subscribe())?;
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let (events, _) = broadcast::channel(EVENTS);
        let (commands, orders) = mpsc::channel(COMMANDS);
        let mut followers: Vec<Box<dyn Follower>> = Vec::new();
        let models_changed = Arc::new(Notify::new());
        let mut troubles: Vec<Trouble> =
            following::trouble_of_values(&loaded.bad_values).into_iter().collect();
        troubles.extend(loaded.set_aside.iter().map(|aside| {
            Trouble::new(
                Stage::Settings,
                "The settings file could not be understood, so the defaults hold.",
                format!("It is kept at {}; mend it and put it back.", aside.display()),
            )
        }));

        // Memory.
        let report = {
            let commands = commands.clone();
            move |trouble: Option<Trouble>| {
                let command = trouble.map_or(Command::Recovered(Stage::Memory), Command::Trouble);
                // A conductor that cannot keep up is told the next time.
                let _ = commands.try_send(command);
            }
        };
        let (dialogue, keeping) = Dialogue::begin(encryption::place(&parts.folders, &parts.secrets), report);
        let keeping = tokio::spawn(keeping);
        let keeps_words = parts.keeps_words;
        dialogue.keep(keeps_words && now.memory.remember);
        let kept = dialogue.clone();
        followers
            .push(Box::new(move |settings: &Settings| kept.keep(keeps_words && settings.memory.remember)));

        let key = ProviderKey::of(&parts.secrets, &now).await;

        // Meaning: what finds texts that say the same in other words.
        let meaning = match parts.embedder {
            Some(embedder) => Arc::new(Meaning::new(Some(embedder))),
            None => {
                let known = key.current();
                let meaning = Arc::new(Meaning::new(meaning::embedder(&now, &store, &http, known.clone())));
                let (changed, of_store, of_http) = (Arc::clone(&meaning), store.clone(), http.clone());
                let (last, key) = (Mutex::new((now.clone(), known)), key.clone());
                followers.push(Box::new(move |settings: &Settings| {
                    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                    let (before, known) = &*last;
                    let now = key.current();
                    let is_same = before.memory == settings.memory
                        && before.llm == settings.llm
                        && before.models == settings.models
                        && brain::is_same(known.as_ref(), now.as_ref());
                    if !is_same {
                        changed.use_instead(meaning::embedder(settings, &of_store, &of_http, now.clone()));
                        *last = (settings.clone(), now);
                    }
                }));
                meaning
            }
        };
        // Brain and replies.
        let model_chosen = Arc::new(Notify::new());
        let model: Arc<dyn ChatModel> = match parts.model {
            Some(model) => model,
            None => {
                let first = BrainChoice::of(&now, &store, key.current());
                let failover = Arc::new(Failover::new(first.finder(&http)));
                let (changed, chosen, key) = (Arc::clone(&failover), Arc::clone(&model_chosen), key.clone());
                let (of_store, last) = (store.clone(), Mutex::new(first));
                followers.push(Box::new(move |settings: &Settings| {
                    let choice = BrainChoice::of(settings, &of_store, key.current());
                    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                    if *last != choice {
                        changed.look_with(choice.finder(&http));
                        *last = choice;
                        chosen.notify_one();
                    }
                }));
                failover
            }
        };
        let replying = follow(&now, &mut followers, &mut troubles, |settings| {
            ReplyingConfig::try_from(settings).map_err(|error| error.to_string())
        });
        let replier = ReplyEngine::new(
            Arc::clone(&model),
            dialogue.clone(),
            Some(Arc::clone(&meaning) as Arc<dyn Embedder>),
            Arc::clone(&parts.clock),
            replying,
        );
        let (state, state_now) = watch::channel(AssistantState::Idle);
        let diarist = Diarist {
            dialogue: dialogue.clone(),
            model: Arc::clone(&model),
            replier: replier.clone(),
            clock: Arc::clone(&parts.clock),
            settings: settings.subscribe(),
            state: state_now.clone(),
        };
        if parts.stays && parts.keeps_words {
            tasks.spawn(diarist.clone().run(stop.child_token()));
        }
        let upkeep = Upkeep {
            memory: dialogue.memory_when_open(),
            meaning: Arc::clone(&meaning),
            clock: Arc::clone(&parts.clock),
            settings: settings.subscribe(),
            state: state_now.clone(),
        };
        if parts.stays {
            tasks.spawn(upkeep.run(stop.child_token()));
        }

        // Voice.
        let mouth = match parts.speaker {
            Some(speaker) => {
                let mouth_parts = MouthParts {
                    settings: &now,
                    store: &store,
                    speaker,
                    voice: parts.voice,
                    commands: commands.clone(),
                };
                let (mouth, follower) = Mouth::open(mouth_parts, &tasks, &stop);
                followers.push(follower);
                mouth
            }
            None => Mouth::silent(),
        };

        // Ears, hearing, listening.
        let (ears, wanted) =
            watch::channel(Wanted { is_open: false, microphone: (parts.microphone)(&now.audio) });
        let (frames, heard_frames) = mpsc::channel(FRAMES);
        let (ears_events, from_ears) = mpsc::channel(HEARD);
        let (heard, to_listener) = mpsc::channel(HEARD);
        let (listened, from_listener) = mpsc::channel(HEARD);
        let (doors, at_the_doors) = mpsc::channel(COMMANDS);
        let (turns, orders_of_turns) = mpsc::channel(COMMANDS);
        let hearing = follow(&now, &mut followers, &mut troubles, |settings| {
            HearingConfig::new(&settings.hearing, &settings.listening).map_err(|error| error.to_string())
        });
        let listening = follow(&now, &mut followers, &mut troubles, |settings| {
            ListeningConfig::try_from(&settings.listening).map_err(|error| error.to_string())
        });
        let (engine, engines) = watch::channel(match &parts.recogniser {
            Some(recogniser) => Arc::clone(recogniser),
            None => RecogniserChoice::of(&now, &store).engine(),
        });
        if parts.recogniser.is_none() {
            let last = Mutex::new(RecogniserChoice::of(&now, &store));
            let (engine, store) = (engine.clone(), store.clone());
            followers.push(Box::new(move |settings: &Settings| {
                let choice = RecogniserChoice::of(settings, &store);
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if *last != choice {
                    engine.send_replace(choice.engine());
                    *last = choice;
                }
            }));
        }
        tasks.spawn(ears::run(wanted, frames, ears_events, stop.child_token()));
        let hearer = HearerInputs {
            frames: heard_frames,
            config: hearing,
            engine: engines,
            voice_is_out: mouth.is_out(),
            orders: orders_of_turns,
            activity: Box::new(Earshot::new()),
            events: heard,
        };
        tasks.spawn(hearing::run(hearer, stop.child_token()));
        let listener = ListenerInputs {
            heard: to_listener,
            speech: mouth.subscribe(),
            doors: at_the_doors,
            config: listening,
            events: listened,
        };
        tasks.spawn(listening::run(listener, stop.child_token()));

        // The conductor, and who speaks to it.
        let troubles = Arc::new(Mutex::new(troubles));
        let conductor = ConductorInputs {
            replier: Arc::new(replier.clone()),
            spoken: mouth.subscribe(),
            mouth,
            commands: orders,
            listened: from_listener,
            ears: from_ears,
            doors,
            turns,
            state,
            events: events.clone(),
            troubles: Arc::clone(&troubles),
        };
        tasks.spawn(conductor::run(conductor, stop.child_token()));
        let shared = Shared {
            settings: Arc::clone(&settings),
            models: store.clone(),
            models_changed: Arc::clone(&models_changed),
            commands: commands.clone(),
            events: events.clone(),
            ears,
            clock: parts.clock,
            secrets: parts.secrets,
            ears_are_wanted: AtomicBool::new(false),
            is_muted: AtomicBool::new(false),
            has_window: AtomicBool::new(false),
            state: state_now,
            troubles,
            stop: stop.clone(),
            tasks: tasks.clone(),
            last: Mutex::new(None),
        };
        let assistant = Self { shared: Arc::new(shared) };
        followers.push(assistant.follow_microphone(parts.microphone));
        let followers = Followers { followers, key, models_changed };
        tasks.spawn(following::run(settings, followers, commands.clone(), stop.child_token()));
        match switchboard::listen(&parts.folders.data) {
            Ok(listener) => {
                tasks.spawn(switchboard::serve(listener, assistant.clone(), stop.child_token()));
            }
            Err(error) => {
                let remedy = "`jarvis ask` cannot reach this one; all else works.";
                let _ = commands
                    .send(Command::Trouble(Trouble::from_error(Stage::Instance, &error, remedy)))
                    .await;
            }
        }
        dialogue.opened(MEMORY_PATIENCE).await;
        let diarist = (parts.stays && parts.keeps_words).then_some(diarist);
        *assistant.last() = Some(Last { dialogue, diarist, meaning, keeping, _instance: instance });
        let recogniser = parts.has_ears.then(|| engine.borrow().clone());
        let warming =
            Warming { recogniser, model, replier, chosen: model_chosen, commands: commands.clone() };
        if parts.is_ready_first {
            warming.once().await;
        } else {
            tasks.spawn(warming.keep_warm(stop.child_token()));
        }
        let _ = commands.send(Command::Ready).await;
        Ok(assistant)
    }

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
    pub fn open_ears(&self) {
        self.shared.ears_are_wanted.store(true, Ordering::Relaxed);
        self.refresh_ears();
    }

    /// Closes the microphone, or opens it again. Muted, no sample reaches the program.
    pub async fn mute(&self, is_muted: bool) {
        self.shared.is_muted.store(is_muted, Ordering::Relaxed);
        self.refresh_ears();
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
    pub async fn talk(&self) -> Result<(), Deaf> {
        self.talk_key_down().await?;
        self.talk_key_up().await;
        Ok(())
    }

    /// The talk key went down: ends the reply under way and listens as long as it is held.
    ///
    /// # Errors
    ///
    /// Why nothing would be heard; then nothing happens.
    pub async fn talk_key_down(&self) -> Result<(), Deaf> {
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

    fn can_hear(&self) -> Result<(), Deaf> {
        if self.is_muted() {
            return Err(Deaf::Muted);
        }
        if !self.shared.ears.borrow().is_open {
            return Err(Deaf::SwitchedOff);
        }
        let broken = self.troubles().into_iter().find(|trouble| trouble.stage == Stage::Microphone);
        broken.map_or(Ok(()), |trouble| Err(Deaf::Broken(trouble)))
    }

    /// This door has a window to raise.
    pub fn has_window(&self) {
        self.shared.has_window.store(true, Ordering::Relaxed);
    }

    /// Asks whoever has a window to raise it.
    ///
    /// # Errors
    ///
    /// Nobody has one.
    pub(crate) fn summon(&self) -> Result<(), Trouble> {
        if !self.shared.has_window.load(Ordering::Relaxed) {
            let what = "Jarvis is already running in a terminal, where it has no window.";
            return Err(Trouble::new(Stage::Instance, what, "Quit it there, and start again."));
        }
        // A door that closes this very moment raises nothing.
        let _ = self.shared.events.send(AssistantEvent::Summoned);
        Ok(())
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
    pub async fn history(&self, before_micros: i64, count: usize) -> Result<Vec<Said>, Trouble> {
        let dialogue = self.last().as_ref().map(|last| last.dialogue.clone());
        let Some(dialogue) = dialogue else { return Ok(Vec::new()) };
        let page = dialogue.history(&ConversationId::main(), before_micros, count).await;
        page.map_err(|error| error.trouble())
    }

    fn refresh_ears(&self) {
        let is_open = self.shared.ears_are_wanted.load(Ordering::Relaxed)
            && !self.shared.is_muted.load(Ordering::Relaxed)
            && self.shared.settings.current().listening.enabled;
        self.shared
            .ears
            .send_if_modified(|wanted| std::mem::replace(&mut wanted.is_open, is_open) != is_open);
    }

    fn follow_microphone(&self, choose: crate::parts::Choose<dyn audio::Microphone>) -> Box<dyn Follower> {
        let assistant = Arc::downgrade(&self.shared);
        let last = Mutex::new(self.shared.settings.current().audio.microphone);
        Box::new(move |settings: &Settings| {
            let Some(shared) = assistant.upgrade() else { return };
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if *last != settings.audio.microphone {
                last.clone_from(&settings.audio.microphone);
                shared.ears.send_modify(|wanted| wanted.microphone = choose(&settings.audio));
            }
            drop(last);
            Self { shared }.refresh_ears();
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

fn follow<C: Clone + PartialEq + Send + Sync + 'static>(
    settings: &Settings,
    followers: &mut Vec<Box<dyn Follower>>,
    troubles: &mut Vec<Trouble>,
    make: fn(&Settings) -> Result<C, String>,
) -> watch::Receiver<C> {
    let (following, trouble) = Following::new(settings, make);
    troubles.extend(trouble);
    let config = following.subscribe();
    followers.push(Box::new(following));
    config
}
