//! How an assistant starts: every part made, joined to the others, and set going.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hearing::{Earshot, HearerInputs, HearingConfig};
use listening::{ListenerInputs, ListeningConfig};
use llm::{ChatModel, Embedder, Failover};
use memory::Dialogue;
use models::Store;
use net::Http;
use replying::{ReplyEngine, ReplyingConfig};
use settings::{Settings, SettingsFile};
use tokio::sync::{Notify, broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{AssistantState, Stage, Trouble};

use super::{Assistant, Last, Shared};
use crate::activation::{Activation, Window};
use crate::active_embedder::{self, ActiveEmbedder};
use crate::builder::AssistantBuilder;
use crate::capture::{self, CaptureTarget};
use crate::conductor::{self, Command, ConductorInputs};
use crate::diary_scheduler::DiaryScheduler;
use crate::instance::Instance;
use crate::language_model::{LanguageModelChoice, ProviderKey};
use crate::recogniser::RecogniserChoice;
use crate::settings_observer::{self, ObserveSettings, SettingsObserver, SettingsObservers};
use crate::upkeep::Upkeep;
use crate::voice::{SpeechOutput, SpeechOutputParts};
use crate::warm_up::Warming;
use crate::{encryption, ipc, language_model};

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

impl Assistant {
    /// Starts everything. Ready for typed queries when it returns; models are loaded meanwhile, unless the parts ask
    /// for them first.
    ///
    /// # Errors
    ///
    /// [`StartError`]: the few things no assistant can be without. All else is reported as trouble, and mended when
    /// its cause goes away.
    pub async fn start(parts: AssistantBuilder, instance: Instance) -> Result<Self, StartError> {
        let loaded = SettingsFile::load(&parts.folders.config.join("settings.json"))?;
        let settings = Arc::new(loaded.file);
        let now = settings.current();
        let http = Http::new()?;
        let store = Store::following(settings.subscribe())?;
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let (events, _) = broadcast::channel(EVENTS);
        let (commands, orders) = mpsc::channel(COMMANDS);
        let mut followers: Vec<Box<dyn ObserveSettings>> = Vec::new();
        let models_changed = Arc::new(Notify::new());
        let mut troubles: Vec<Trouble> =
            settings_observer::trouble_of_values(&loaded.bad_values).into_iter().collect();
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
            Some(embedder) => Arc::new(ActiveEmbedder::new(Some(embedder))),
            None => {
                let known = key.current();
                let meaning = Arc::new(ActiveEmbedder::new(active_embedder::embedder(
                    &now,
                    &store,
                    &http,
                    known.clone(),
                )));
                let (changed, of_store, of_http) = (Arc::clone(&meaning), store.clone(), http.clone());
                let (last, key) = (Mutex::new((now.clone(), known)), key.clone());
                followers.push(Box::new(move |settings: &Settings| {
                    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                    let (before, known) = &*last;
                    let now = key.current();
                    let is_same = before.memory == settings.memory
                        && before.llm == settings.llm
                        && before.models == settings.models
                        && language_model::is_same(known.as_ref(), now.as_ref());
                    if !is_same {
                        changed.use_instead(active_embedder::embedder(
                            settings,
                            &of_store,
                            &of_http,
                            now.clone(),
                        ));
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
                let first = LanguageModelChoice::of(&now, &store, key.current());
                let failover = Arc::new(Failover::new(first.finder(&http)));
                let (changed, chosen, key) = (Arc::clone(&failover), Arc::clone(&model_chosen), key.clone());
                let (of_store, last) = (store.clone(), Mutex::new(first));
                followers.push(Box::new(move |settings: &Settings| {
                    let choice = LanguageModelChoice::of(settings, &of_store, key.current());
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
        let diarist = DiaryScheduler {
            dialogue: dialogue.clone(),
            model: Arc::clone(&model),
            replier: replier.clone(),
            clock: Arc::clone(&parts.clock),
            settings: settings.subscribe(),
            state: state_now.clone(),
            reflection: Arc::default(),
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
        let speech_output = match parts.speaker {
            Some(speaker) => {
                let mouth_parts = SpeechOutputParts {
                    settings: &now,
                    store: &store,
                    speaker,
                    voice: parts.voice,
                    commands: commands.clone(),
                };
                let (speech_output, follower) = SpeechOutput::open(mouth_parts, &tasks, &stop);
                followers.push(follower);
                speech_output
            }
            None => SpeechOutput::silent(),
        };

        // Ears, hearing, listening.
        let (capture, wanted) =
            watch::channel(CaptureTarget { is_open: false, microphone: (parts.microphone)(&now.audio) });
        let (frames, heard_frames) = mpsc::channel(FRAMES);
        let (capture_events, from_ears) = mpsc::channel(HEARD);
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
        tasks.spawn(capture::run(wanted, frames, capture_events, stop.child_token()));
        let hearer = HearerInputs {
            frames: heard_frames,
            config: hearing,
            engine: engines,
            voice_is_out: speech_output.is_out(),
            orders: orders_of_turns,
            activity: Box::new(Earshot::new()),
            events: heard,
        };
        tasks.spawn(hearing::run(hearer, stop.child_token()));
        let listener = ListenerInputs {
            heard: to_listener,
            speech: speech_output.subscribe(),
            doors: at_the_doors,
            config: listening,
            events: listened,
        };
        tasks.spawn(listening::run(listener, stop.child_token()));

        // The conductor, and who speaks to it.
        let troubles = Arc::new(Mutex::new(troubles));
        let in_passing = Arc::default();
        let conductor = ConductorInputs {
            replier: Arc::new(replier.clone()),
            spoken: speech_output.subscribe(),
            speech_output,
            commands: orders,
            listened: from_listener,
            capture: from_ears,
            doors,
            turns,
            state,
            events: events.clone(),
            troubles: Arc::clone(&troubles),
            in_passing: Arc::clone(&in_passing),
        };
        tasks.spawn(conductor::run(conductor, stop.child_token()));
        let shared = Shared {
            settings: Arc::clone(&settings),
            models: store.clone(),
            models_changed: Arc::clone(&models_changed),
            commands: commands.clone(),
            events: events.clone(),
            capture,
            clock: parts.clock,
            secrets: parts.secrets,
            capture_is_wanted: AtomicBool::new(false),
            is_muted: AtomicBool::new(false),
            activation: Activation::new(if parts.has_window { Window::There } else { Window::None }),
            in_passing: Arc::clone(&in_passing),
            state: state_now,
            troubles,
            stop: stop.clone(),
            tasks: tasks.clone(),
            last: Mutex::new(None),
        };
        let assistant = Self { shared: Arc::new(shared) };
        followers.push(assistant.follow_microphone(parts.microphone));
        let followers = SettingsObservers { followers, key, models_changed };
        tasks.spawn(settings_observer::run(settings, followers, commands.clone(), stop.child_token()));
        match ipc::listen(&parts.folders.data) {
            Ok(listener) => {
                tasks.spawn(ipc::serve(listener, assistant.clone(), stop.child_token()));
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
        let recogniser = parts.has_microphone.then(|| engine.subscribe());
        let mut warming =
            Warming { recogniser, model, replier, chosen: model_chosen, commands: commands.clone() };
        if parts.is_ready_first {
            warming.once().await;
        } else {
            tasks.spawn(warming.keep_warm(stop.child_token()));
        }
        let _ = commands.send(Command::Ready).await;
        Ok(assistant)
    }
}

fn follow<C: Clone + PartialEq + Send + Sync + 'static>(
    settings: &Settings,
    followers: &mut Vec<Box<dyn ObserveSettings>>,
    troubles: &mut Vec<Trouble>,
    make: fn(&Settings) -> Result<C, String>,
) -> watch::Receiver<C> {
    let (following, trouble) = SettingsObserver::new(settings, make);
    troubles.extend(trouble);
    let config = following.subscribe();
    followers.push(Box::new(following));
    config
}
