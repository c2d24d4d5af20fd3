//! Replies, tools and the voice that speaks them.

use super::key::{Key, LANGUAGES, SPEEDS, ValueKind, key, ratio, secs};
use crate::choices::{
    ContextPosition, ForModel, Persona, Preparation, Profile, ProtocolChoice, SelectionStrategy, SizeChoice,
};

pub(super) const KEYS: &[Key] = &[
    key(
        "replying.context_position",
        "Time and place line",
        "Where in the prompt time and place stand: the newest message is faster than the start.",
        ValueKind::Choice(ContextPosition::CHOICES),
    ),
    key(
        "replying.fast_path",
        "Answer plain requests at once",
        "Time, timers, sums and the like are answered by rules, without the language model.",
        ValueKind::Toggle,
    ),
    key(
        "replying.preparation",
        "Preparation",
        "How tools are chosen before an answer: local asks no model, combined asks once, staged up to three times.",
        ValueKind::Choice(Preparation::CHOICES),
    ),
    key(
        "replying.tool_protocol",
        "Tool calls",
        "How the model calls tools; auto follows what the model and its provider can do.",
        ValueKind::Choice(ProtocolChoice::CHOICES),
    ),
    key(
        "replying.model_size",
        "Model size",
        "Small models get shorter prompts and more help; auto goes by the number of parameters.",
        ValueKind::Choice(SizeChoice::CHOICES),
    ),
    key(
        "replying.persona",
        "Persona",
        "unified answers everything in one manner; profiles chooses one for each request, which takes a model call.",
        ValueKind::Choice(Persona::CHOICES),
    ),
    key(
        "replying.profiles",
        "Profiles",
        "Which profiles may answer: developer, business, life. The first stands in where none is chosen.",
        ValueKind::Several(Profile::CHOICES),
    ),
    key(
        "replying.profile_timeout_secs",
        "Profile time",
        "How long choosing a profile may take; then the last one answers.",
        secs(5.0, 120.0),
    ),
    key(
        "replying.max_turns",
        "Most turns",
        "How often model and tools may take turns in one reply.",
        ValueKind::Whole { min: 1, max: 30, unit: "turns" },
    ),
    key(
        "replying.planner",
        "Plan requests",
        "Write a plan of a few steps before the answer, where the preparation is staged.",
        ValueKind::Toggle,
    ),
    key(
        "replying.planner_timeout_secs",
        "Planner time",
        "How long a plan may take; without one the reply goes on.",
        secs(1.0, 60.0),
    ),
    key(
        "replying.router_timeout_secs",
        "Router time",
        "How long choosing tools by a model may take; then words decide.",
        secs(1.0, 300.0),
    ),
    key(
        "replying.digest_timeout_secs",
        "Digest time",
        "How long shortening a text may take; then it is used as it is.",
        secs(1.0, 60.0),
    ),
    key(
        "replying.memory_digest",
        "Shorten memory",
        "Have the model shorten what memory found before it answers; auto does so for small models.",
        ValueKind::Choice(ForModel::CHOICES),
    ),
    key(
        "replying.tool_digest",
        "Shorten tool results",
        "Have the model shorten what tools return before it answers; auto does so for small models.",
        ValueKind::Choice(ForModel::CHOICES),
    ),
    key(
        "replying.carry_over_replies",
        "Tool results kept",
        "How many earlier replies keep their tool results for follow-up questions.",
        ValueKind::Whole { min: 0, max: 10, unit: "replies" },
    ),
    key(
        "replying.carry_over_chars",
        "Length of kept results",
        "How much of a kept tool result the model sees again.",
        ValueKind::Whole { min: 200, max: 8_000, unit: "characters" },
    ),
    key(
        "replying.language",
        "Language of answers",
        "auto answers in the language of each question; a language that is chosen here is always used.",
        ValueKind::Choice(LANGUAGES),
    ),
    key(
        "replying.timeout_secs",
        "Longest reply time",
        "How long a reply may take before it is stopped.",
        secs(5.0, 600.0),
    ),
    key(
        "tools.selection_strategy",
        "Choice of tools",
        "How the tools for a question are chosen: hybrid goes by words and meaning, llm asks the language model, all offers every tool.",
        ValueKind::Choice(SelectionStrategy::CHOICES),
    ),
    key(
        "tools.allowed",
        "Tools that never ask",
        "Names of tools, or of their servers, that run without asking you.",
        ValueKind::Words,
    ),
    key(
        "tools.asked",
        "Tools that ask",
        "Names of tools, or of their servers, that always ask you first.",
        ValueKind::Words,
    ),
    key(
        "tools.denied",
        "Forbidden tools",
        "Names of tools, or of their servers, that never run, whatever else is set.",
        ValueKind::Words,
    ),
    key(
        "tools.search_max_calls",
        "Searches for tools",
        "How often one reply may search for further tools; 0 offers no search.",
        ValueKind::Whole { min: 0, max: 20, unit: "searches" },
    ),
    key(
        "routines.list",
        "Routines",
        "Commands that are carried out one after the other when you say a phrase.",
        ValueKind::Routines,
    ),
    key("speaking.enabled", "Speak replies", "Speak replies to spoken questions.", ValueKind::Toggle),
    key("speaking.voice", "Voice", "The voice Jarvis speaks with.", ValueKind::Voice),
    key("speaking.speed", "Speaking speed", "1 is the voice's own speed, 2 twice as fast.", SPEEDS),
    key(
        "speaking.earcons",
        "Short sounds",
        "Plays a short sound when Jarvis listens, when a spoken request was understood, and when it could not be heard.",
        ValueKind::Toggle,
    ),
    key(
        "speaking.thinking_tune",
        "Tune while thinking",
        "Plays a quiet tune while a spoken request takes longer than a moment.",
        ValueKind::Toggle,
    ),
    key("speaking.earcon_volume", "Volume of sounds", "1 is as loud as speech.", ratio(0.0, 1.0)),
];
