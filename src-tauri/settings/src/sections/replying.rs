//! Replies, tools and the voice that speaks them.

use serde::{Deserialize, Serialize};

use crate::choices::{
    ContextPosition, ForModel, Persona, Preparation, Profile, ProtocolChoice, SelectionStrategy, SizeChoice,
};

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
