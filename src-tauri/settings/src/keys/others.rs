//! Servers and programs outside.

use super::key::{Key, ValueKind, key};
use crate::choices::ValidationShape;

pub(super) const KEYS: &[Key] = &[
    key(
        "mcp.servers",
        "Tool servers",
        "Servers that give Jarvis more tools over the Model Context Protocol.",
        ValueKind::Servers,
    ),
    key(
        "programs.enabled",
        "Let other programs ask",
        "Programs with a key of their own may ask Jarvis, and use what you allow them, over HTTP on this computer.",
        ValueKind::Toggle,
    ),
    key(
        "programs.port",
        "Port",
        "The port that these programs connect to.",
        ValueKind::Whole { min: 1, max: 65535, unit: "" },
    ),
    key(
        "programs.from_network",
        "From other computers, too",
        "Not encrypted: everybody in your network who sees the traffic sees the keys and all that is said. Switch this on only in a network that you trust.",
        ValueKind::Toggle,
    ),
    key(
        "programs.hosts",
        "Names of this computer",
        "The names and addresses by which other computers reach this one, such as jarvis.local; others are refused.",
        ValueKind::Words,
    ),
    key(
        "programs.requests_per_minute",
        "Requests in a minute",
        "How many requests of one program are answered in a minute; more are refused.",
        ValueKind::Whole { min: 1, max: 6000, unit: "" },
    ),
    key(
        "programs.unstarted",
        "Nodes need no start",
        "Voice nodes may send an utterance without having started a conversation.",
        ValueKind::Toggle,
    ),
    key(
        "programs.empty_lists",
        "Empty lists for nodes",
        "Voice nodes are told that there are no calls by an empty list: some versions expect that.",
        ValueKind::Toggle,
    ),
    key(
        "programs.wyoming",
        "Speech for Home Assistant",
        "Home Assistant and satellites may use speech recognition, the voice and the search for the name over the Wyoming protocol. It has no keys: everybody who reaches the port may.",
        ValueKind::Toggle,
    ),
    key(
        "programs.wyoming_port",
        "Port for speech",
        "The port that Home Assistant and satellites connect to.",
        ValueKind::Whole { min: 1, max: 65535, unit: "" },
    ),
    key(
        "programs.satellites",
        "Satellites",
        "Microphones and loudspeakers in other rooms that speak the Wyoming protocol, such as kitchen.local:10700. Who speaks there may do what a voice here may; nothing of it is encrypted.",
        ValueKind::Words,
    ),
    key("programs.keys", "Keys", "The programs that may ask, and what each may do.", ValueKind::ProgramKeys),
    key(
        "command_center.enabled",
        "Use a Command Center",
        "A Command Center answers what you ask, in place of the language model here. It gets the words of your questions.",
        ValueKind::Toggle,
    ),
    key(
        "command_center.base_url",
        "Address",
        "Address of the Command Center, such as https://center.example; http only for this computer or for a private address in numbers.",
        ValueKind::Text,
    ),
    key(
        "command_center.node_id",
        "Node",
        "Name of this computer at the Command Center. Store its key with `jarvis settings secret command_center.node_key`.",
        ValueKind::Text,
    ),
    key(
        "command_center.room",
        "Room",
        "The room this computer stands in, for the Command Center; empty tells it nothing.",
        ValueKind::Text,
    ),
    key(
        "command_center.time_zone",
        "Time zone there",
        "IANA name such as Europe/London that the Command Center is told; empty means that of your location.",
        ValueKind::TimeZone,
    ),
    key(
        "command_center.exposed_tools",
        "Tools for the Command Center",
        "Names of tools, or of their servers, that the Command Center may call. Calls that change something ask you each time.",
        ValueKind::Words,
    ),
    key(
        "command_center.validation_shape",
        "Answers to its questions",
        "How your answer to a question of the Command Center is sent; only older servers expect a text.",
        ValueKind::Choice(ValidationShape::CHOICES),
    ),
    key(
        "command_center.speaks",
        "Speak with its voice",
        "All that is said aloud is sent to the Command Center, which makes the sound; while it cannot, the voice here speaks.",
        ValueKind::Toggle,
    ),
    key(
        "command_center.offline_fallback",
        "Answer here when it is away",
        "When the Command Center cannot be reached, the language model here answers.",
        ValueKind::Toggle,
    ),
];
