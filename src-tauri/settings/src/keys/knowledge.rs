//! Language models, memory, the place and the web.

use super::key::{Key, ValueKind, key, ratio, secs};
use crate::choices::{Embeddings, Provider};

pub(super) const KEYS: &[Key] = &[
    key(
        "llm.provider",
        "Language model provider",
        "What runs the language model; auto takes the first that is ready.",
        ValueKind::Choice(Provider::CHOICES),
    ),
    key(
        "llm.base_url",
        "Provider address",
        "Address of the provider; empty means its default address on this machine, if it has one.",
        ValueKind::Text,
    ),
    key("llm.chat_model", "Chat model", "Model that answers; empty lets Jarvis choose.", ValueKind::Text),
    key(
        "llm.fast_model",
        "Helper model",
        "Model for short helper tasks, such as filing facts; empty means the chat model.",
        ValueKind::Text,
    ),
    key(
        "llm.context_tokens",
        "Context",
        "How much text the model takes into account. Jarvis itself and Ollama use this size; other servers keep the one they were started with.",
        ValueKind::Whole { min: 1024, max: 131_072, unit: "tokens" },
    ),
    key(
        "llm.max_reply_tokens",
        "Longest reply",
        "How long a reply may get.",
        ValueKind::Whole { min: 16, max: 32_768, unit: "tokens" },
    ),
    key("llm.temperature", "Temperature", "Randomness of replies.", ratio(0.0, 2.0)),
    key(
        "llm.think",
        "Think first",
        "Lets a model that can think do so before it answers: better answers to hard questions, and a later first word.",
        ValueKind::Toggle,
    ),
    key(
        "llm.silence_timeout_secs",
        "Provider silence",
        "How long to wait while the provider sends nothing.",
        secs(1.0, 600.0),
    ),
    key(
        "memory.remember",
        "Remember conversations",
        "Stores what is said, on this machine only; without it, everything is forgotten when Jarvis ends.",
        ValueKind::Toggle,
    ),
    key(
        "memory.recall",
        "Use memory in replies",
        "Gives the language model what you said before, where it fits the question.",
        ValueKind::Toggle,
    ),
    key(
        "memory.diary",
        "Keep a diary",
        "Summarises what was said, and learns facts from it, while nobody speaks.",
        ValueKind::Toggle,
    ),
    key(
        "memory.embeddings",
        "Find by meaning",
        "Finds texts that say the same in other words: with a small model on this machine, with the language-model provider, or not at all.",
        ValueKind::Choice(Embeddings::CHOICES),
    ),
    key(
        "memory.embedding_model",
        "Provider's embedding model",
        "Its name at the provider; empty means nomic-embed-text.",
        ValueKind::Text,
    ),
    key(
        "memory.backups",
        "Daily backups",
        "Copies the memory every day and keeps some of them.",
        ValueKind::Toggle,
    ),
    key(
        "memory.dialogue_window_secs",
        "Dialogue time",
        "How long after the last message a conversation continues.",
        ValueKind::Whole { min: 30, max: 3600, unit: "s" },
    ),
    key(
        "location.place",
        "Place",
        "Where you are, for the language model; empty tells it nothing.",
        ValueKind::Text,
    ),
    key(
        "location.from_desktop",
        "Ask the desktop where you are",
        "While no place is chosen. The location service of Linux desktops and of Windows may ask you first, and may ask a network service itself.",
        ValueKind::Toggle,
    ),
    key(
        "location.time_zone",
        "Time zone",
        "IANA name such as Europe/London; empty means the system's.",
        ValueKind::TimeZone,
    ),
    key(
        "web.offline",
        "Work offline",
        "Contact no other computer: no search, no weather, no downloads, no server elsewhere. Programs that you added as tool servers are not stopped.",
        ValueKind::Toggle,
    ),
    key("web.search", "Search the web", "Let Jarvis search the web when you ask for it.", ValueKind::Toggle),
    key(
        "web.wikipedia",
        "Ask Wikipedia",
        "Ask Wikipedia when a search of the web finds nothing.",
        ValueKind::Toggle,
    ),
    key(
        "web.robots",
        "Leave out pages that programs shall not read",
        "Asks each site for its robots.txt first. You ask for the pages yourself, so it is off; a page takes longer with it.",
        ValueKind::Toggle,
    ),
];
