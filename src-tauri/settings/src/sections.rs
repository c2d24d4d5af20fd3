//! The settings section by section: what the user wrote, with defaults filled in.
//!
//! These types forgive; each crate has its own checked `XConfig` made from its section. Numbers name their source.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::choices::{
    ContextPosition, Contrast, Embeddings, ForModel, Patience, Persona, Preparation, Profile, ProtocolChoice,
    Provider, SelectionStrategy, SizeChoice, Theme, TrayIcon,
};
use crate::command_center::CommandCenterSettings;
use crate::programs::ProgramsSettings;
use crate::routines::RoutinesSettings;

/// Everything that can be set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Sound card.
    pub audio: AudioSettings,
    /// Sound to words.
    pub hearing: HearingSettings,
    /// Words to queries.
    pub listening: ListeningSettings,
    /// Queries to replies.
    pub replying: ReplyingSettings,
    /// The tools of Jarvis.
    pub tools: ToolsSettings,
    /// Commands that a phrase starts.
    pub routines: RoutinesSettings,
    /// Text to sound.
    pub speaking: SpeakingSettings,
    /// Language models.
    pub llm: LlmSettings,
    /// Remembering, recall and the diary.
    pub memory: MemorySettings,
    /// The place where the user is.
    pub location: LocationSettings,
    /// Search, and working offline.
    pub web: WebSettings,
    /// Servers of tools.
    pub mcp: McpSettings,
    /// Other programs that may use Jarvis.
    pub programs: ProgramsSettings,
    /// A Command Center that answers in place of the language model here.
    pub command_center: CommandCenterSettings,
    /// Model files.
    pub models: ModelsSettings,
    /// The way the windows look.
    pub appearance: AppearanceSettings,
    /// Keys that work everywhere.
    pub keys: KeysSettings,
    /// The start of Jarvis.
    pub startup: StartupSettings,
}

/// `appearance` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppearanceSettings {
    /// Colours of the windows.
    pub theme: Theme,
    /// Contrast of the windows.
    pub contrast: Contrast,
    /// The size of everything in the windows, in per cent.
    pub zoom: u64,
    /// Show what is heard in a small window above all others, while the conversation is not in front.
    pub overlay: bool,
    /// Show answers and questions as notifications of the desktop, while the conversation is not in front.
    pub notifications: bool,
    /// The panel that the tray icon is drawn for.
    pub tray_icon: TrayIcon,
    /// Draw the windows without the graphics card.
    pub software_rendering: bool,
}

impl Default for AppearanceSettings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            contrast: Contrast::System,
            zoom: 100,
            overlay: true,
            notifications: true,
            tray_icon: TrayIcon::System,
            software_rendering: false,
        }
    }
}

/// `keys` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeysSettings {
    /// Talks from anywhere; empty is none.
    pub talk: String,
}

impl Default for KeysSettings {
    fn default() -> Self {
        Self { talk: "Ctrl+Shift+Space".into() }
    }
}

/// `startup` in the settings file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StartupSettings {
    /// Start in the tray when the user logs in.
    pub at_login: bool,
}

/// `audio` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AudioSettings {
    /// Part of the microphone's name; empty is the system's default.
    pub microphone: String,
    /// Part of the speaker's name; empty is the system's default.
    pub speaker: String,
    /// Loudness of the voice, 0.0 to 1.0.
    pub volume: f64,
}

impl Default for AudioSettings {
    fn default() -> Self {
        Self { microphone: String::new(), speaker: String::new(), volume: 1.0 }
    }
}

/// `hearing` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HearingSettings {
    /// Id of the speech model in the catalogue; `auto` takes the best one for this machine.
    pub speech_model: String,
    /// The language spoken, as a two-letter code; `auto` detects it for each utterance.
    pub language: String,
    /// Factor of the two pauses below.
    pub patience: Patience,
    /// Silence that always ends an utterance, in milliseconds. Source: docs/behaviour/listening.md#capture.
    pub endpoint_silence_ms: u64,
    /// Silence that ends an utterance whose words sound complete, in milliseconds. Source: our bench.
    pub early_endpoint_ms: u64,
    /// The longest utterance, in milliseconds.
    pub max_utterance_ms: u64,
    /// The longest utterance while we speak, in milliseconds.
    pub max_utterance_while_speaking_ms: u64,
    /// Sound kept from before speech was noticed, in milliseconds.
    pub pre_roll_ms: u64,
    /// Shorter utterances are noise, in milliseconds.
    pub min_utterance_ms: u64,
    /// Segments recognised with less confidence are dropped, 0.0 to 1.0.
    pub min_confidence: f64,
    /// Segments at least this likely not to be speech are dropped, 0.0 to 1.0.
    pub no_speech_threshold: f64,
    /// Take our own sound out of that of the microphone.
    pub echo_cancelling: bool,
    /// Threads of the recogniser; 0 chooses for this machine.
    pub threads: u64,
}

impl Default for HearingSettings {
    fn default() -> Self {
        Self {
            speech_model: "auto".into(),
            language: "auto".into(),
            patience: Patience::Normal,
            endpoint_silence_ms: 800,
            early_endpoint_ms: 300,
            max_utterance_ms: 12_000,
            max_utterance_while_speaking_ms: 3_000,
            pre_roll_ms: 240,
            min_utterance_ms: 150,
            min_confidence: 0.3,
            no_speech_threshold: 0.5,
            echo_cancelling: true,
            threads: 0,
        }
    }
}

/// `listening` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListeningSettings {
    /// Listen to the microphone at all.
    pub enabled: bool,
    /// The name that wakes the assistant; also what it calls itself.
    pub wake_word: String,
    /// The words that recognisers tend to write in place of the name.
    pub wake_aliases: Vec<String>,
    /// The least similarity of a word to the name, 0.5 to 1.0.
    pub wake_fuzzy_ratio: f64,
    /// The time in which a follow-up needs no wake word, in seconds after the reply ends; `0` turns it off.
    pub hot_window_secs: f64,
    /// The time in which the echo of our own speech may still arrive, in seconds.
    pub echo_tolerance_secs: f64,
    /// The loudness of our echo right after we spoke, as a factor of the measured room.
    pub echo_energy_threshold: f64,
    /// Words that end a reply at once.
    pub stop_words: Vec<String>,
    /// The least similarity of a word to a stop word, 0.5 to 1.0.
    pub stop_fuzzy_ratio: f64,
    /// Ask the language model about words that may be meant for others.
    pub intent_judge: bool,
    /// The time that this may take, in seconds.
    pub judge_timeout_secs: f64,
    /// The time for which words in the room are kept, in seconds, so that a question can refer to them.
    pub transcript_secs: f64,
}

impl Default for ListeningSettings {
    fn default() -> Self {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect();
        Self {
            enabled: true,
            wake_word: "jarvis".into(),
            wake_aliases: words(&[
                "joris", "charis", "chavis", "jar is", "jaivis", "jervis", "jarvus", "jarviz", "javis",
                "jairus", "jarryst", "chyrus",
            ]),
            wake_fuzzy_ratio: 0.78,
            hot_window_secs: 3.0,
            echo_tolerance_secs: 0.3,
            echo_energy_threshold: 2.0,
            stop_words: words(&["stop", "quiet", "shush", "silence", "enough", "shut up"]),
            stop_fuzzy_ratio: 0.8,
            intent_judge: true,
            judge_timeout_secs: 15.0,
            transcript_secs: 120.0,
        }
    }
}

/// `replying` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplyingSettings {
    /// The position of the line with time and place.
    pub context_position: ContextPosition,
    /// Answer plain requests (time, timers, sums) by rules, without a language model.
    pub fast_path: bool,
    /// The way in which tools and memory are chosen before the answer.
    pub preparation: Preparation,
    /// The way in which the model calls tools.
    pub tool_protocol: ProtocolChoice,
    /// The size that the model is treated as.
    pub model_size: SizeChoice,
    /// The persona that answers.
    pub persona: Persona,
    /// The profiles to choose from.
    pub profiles: Vec<Profile>,
    /// Time limit for choosing a profile, in seconds.
    pub profile_timeout_secs: f64,
    /// The most turns of model and tools in one reply.
    pub max_turns: u64,
    /// Plan requests in steps before the answer, if the preparation is staged.
    pub planner: bool,
    /// Time limit of the planner, in seconds.
    pub planner_timeout_secs: f64,
    /// Time limit for choosing tools or the search of the memory, in seconds.
    pub router_timeout_secs: f64,
    /// Time limit of a digest, in seconds.
    pub digest_timeout_secs: f64,
    /// For which models a model call shortens what memory found.
    pub memory_digest: ForModel,
    /// For which models a model call shortens tool results.
    pub tool_digest: ForModel,
    /// The tool results of this many earlier replies stay in the conversation.
    pub carry_over_replies: u64,
    /// The longest text of each that is kept, in characters.
    pub carry_over_chars: u64,
    /// Language of every reply: `auto` or a code such as `en`.
    pub language: String,
    /// Time limit of a reply, in seconds.
    pub timeout_secs: f64,
}

impl Default for ReplyingSettings {
    fn default() -> Self {
        Self {
            context_position: ContextPosition::NewestMessage,
            fast_path: true,
            preparation: Preparation::Auto,
            tool_protocol: ProtocolChoice::Auto,
            model_size: SizeChoice::Auto,
            persona: Persona::Unified,
            profiles: Profile::ALL.to_vec(),
            profile_timeout_secs: 30.0,
            max_turns: 8,
            planner: true,
            planner_timeout_secs: 6.0,
            router_timeout_secs: 20.0,
            digest_timeout_secs: 8.0,
            memory_digest: ForModel::Small,
            tool_digest: ForModel::Small,
            carry_over_replies: 2,
            carry_over_chars: 1_200,
            language: "auto".into(),
            timeout_secs: 180.0,
        }
    }
}

/// `tools` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolsSettings {
    /// The way in which the tools for a query are chosen.
    pub selection_strategy: SelectionStrategy,
    /// Names of tools and servers that run without a question.
    pub allowed: Vec<String>,
    /// Names of tools and servers that run after a question.
    pub asked: Vec<String>,
    /// Names of tools and servers that never run.
    pub denied: Vec<String>,
    /// The number of times that one reply may search for further tools. Source: docs/behaviour/replying.md#turns.
    pub search_max_calls: u64,
}

impl Default for ToolsSettings {
    fn default() -> Self {
        Self {
            selection_strategy: SelectionStrategy::Hybrid,
            allowed: Vec::new(),
            asked: Vec::new(),
            denied: Vec::new(),
            search_max_calls: 3,
        }
    }
}

/// `speaking` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpeakingSettings {
    /// Speak replies to spoken queries.
    pub enabled: bool,
    /// Id of the voice in the catalogue, `system` for the operating system's, `auto` for the best one there is.
    pub voice: String,
    /// Speed of speech: 1.0 is the voice's own, 2.0 twice as fast.
    pub speed: f64,
    /// Play short sounds when we listen, when a request was understood, and when it could not be heard.
    pub earcons: bool,
    /// Play a quiet tune while a spoken request is worked on.
    pub thinking_tune: bool,
    /// Volume of both, 0.0 to 1.0 of the volume of speech.
    pub earcon_volume: f64,
}

impl Default for SpeakingSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            voice: "auto".into(),
            speed: 1.0,
            earcons: true,
            thinking_tune: true,
            earcon_volume: 0.3,
        }
    }
}

/// `llm` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmSettings {
    /// The provider that runs the language model.
    pub provider: Provider,
    /// The provider's address, such as `http://127.0.0.1:11434`; empty is its usual one.
    pub base_url: String,
    /// The chat model's name at the provider, or its id in the catalogue; empty lets us choose.
    pub chat_model: String,
    /// The model for short helper tasks, such as placing facts in the graph; empty is the chat model.
    pub fast_model: String,
    /// Tokens of context asked for. One size throughout: servers reload weights when it changes. Servers of the OpenAI
    /// protocol cannot be asked for a size.
    pub context_tokens: u64,
    /// Longest reply, in tokens.
    pub max_reply_tokens: u64,
    /// Randomness of replies, 0.0 to 2.0.
    pub temperature: f64,
    /// The time to wait while the provider sends nothing, in seconds.
    pub silence_timeout_secs: f64,
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            provider: Provider::Auto,
            base_url: String::new(),
            chat_model: String::new(),
            fast_model: String::new(),
            context_tokens: 8192,
            max_reply_tokens: 1024,
            temperature: 0.7,
            silence_timeout_secs: 60.0,
        }
    }
}

/// `memory` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemorySettings {
    /// Store what is said; otherwise it is forgotten when the program ends.
    pub remember: bool,
    /// Give the model what was said and learned before, where it fits.
    pub recall: bool,
    /// Have the language model summarise what was said, and learn from it, while nobody speaks.
    pub diary: bool,
    /// The engine that computes embeddings.
    pub embeddings: Embeddings,
    /// The provider's embedding model; empty means its default.
    pub embedding_model: String,
    /// Make a backup every day.
    pub backups: bool,
    /// The time that the dialogue goes on after the last word, in seconds.
    pub dialogue_window_secs: u64,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            remember: true,
            recall: true,
            diary: true,
            embeddings: Embeddings::Local,
            embedding_model: String::new(),
            backups: true,
            dialogue_window_secs: 300,
        }
    }
}

/// `location` in the settings file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocationSettings {
    /// The place where the user is, in words the model reads, such as `Leeds, United Kingdom`; empty is not told.
    pub place: String,
    /// Without a place, the location service of the desktop is asked for one.
    pub from_desktop: bool,
    /// IANA time zone, such as `Europe/London`; empty is the system's.
    pub time_zone: String,
}

/// `mcp` in the settings file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct McpSettings {
    /// Servers of tools by name.
    pub servers: BTreeMap<String, ServerSettings>,
}

/// A server of tools that speaks the Model Context Protocol: a program with a `command`, or a server with a `url`.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerSettings {
    /// It is used.
    pub enabled: bool,
    /// The program to start.
    pub command: String,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// Variables of the environment of the program. `${NAME}` stands for a variable of ours, `${secret:name}` for a secret of
    /// the keychain.
    pub env: BTreeMap<String, String>,
    /// The working folder of the program; empty is ours.
    pub cwd: String,
    /// The address of a server elsewhere.
    pub url: String,
    /// Headers of each request to that address, with the same placeholders.
    pub headers: BTreeMap<String, String>,
    /// The id under which a server at an address knows Jarvis, or the https address of a document that describes it; empty lets
    /// the server register one.
    pub client_id: String,
    /// The secret that belongs to the id, with the same placeholders.
    pub client_secret: String,
    /// It may ask the language model during a call. The user is asked each time.
    pub sampling: bool,
    /// The time that it may be idle before it is ended, in seconds; 0 lets it run.
    pub idle_timeout_secs: f64,
}

/// Prints no values: arguments, variables, headers and addresses contain keys.
impl fmt::Debug for ServerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSettings")
            .field("enabled", &self.enabled)
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("has_url", &!self.url.is_empty())
            .field("headers", &self.headers.keys())
            .field("has_client_id", &!self.client_id.is_empty())
            .field("sampling", &self.sampling)
            .field("idle_timeout_secs", &self.idle_timeout_secs)
            .finish()
    }
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            command: String::new(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: String::new(),
            url: String::new(),
            headers: BTreeMap::new(),
            client_id: String::new(),
            client_secret: String::new(),
            sampling: false,
            idle_timeout_secs: 600.0,
        }
    }
}

/// `web` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WebSettings {
    /// Contact no other computer, for nothing.
    pub offline: bool,
    /// Search the web.
    pub search: bool,
    /// Ask Wikipedia when a search found nothing else.
    pub wikipedia: bool,
    /// Leave pages alone where their site asks programs for it.
    pub robots: bool,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self { offline: false, search: true, wikipedia: true, robots: false }
    }
}

/// `models` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelsSettings {
    /// Folder of the model files; empty is the usual one.
    pub folder: String,
    /// The time that an unused model of our own engines stays loaded, in minutes. Ollama is asked to keep its model
    /// for half an hour, other servers are not asked.
    pub idle_unload_mins: f64,
}

impl Default for ModelsSettings {
    fn default() -> Self {
        Self { folder: String::new(), idle_unload_mins: 5.0 }
    }
}
