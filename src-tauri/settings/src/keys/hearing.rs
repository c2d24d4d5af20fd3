//! Sound, hearing and listening.

use super::key::{Key, ValueKind, key, millis, ratio, secs};
use crate::choices::Patience;

pub(super) const KEYS: &[Key] = &[
    key("audio.microphone", "Microphone", "The microphone Jarvis hears you with.", ValueKind::Microphone),
    key("audio.speaker", "Speaker", "The speaker that plays the voice of Jarvis.", ValueKind::Loudspeaker),
    key("audio.volume", "Voice volume", "How loud Jarvis speaks.", ratio(0.0, 1.0)),
    key(
        "audio.quieten_others",
        "Quieten other programs",
        "Make what other programs play quieter while you speak to Jarvis. On Linux only, with PulseAudio or PipeWire and the program pactl.",
        ValueKind::Toggle,
    ),
    key(
        "hearing.speech_model",
        "Speech model",
        "Model that turns speech into text; auto takes the best one installed.",
        ValueKind::Text,
    ),
    key(
        "hearing.language",
        "Spoken language",
        "Two-letter code of the language you speak; auto detects it each time.",
        ValueKind::Text,
    ),
    key(
        "hearing.patience",
        "Patience",
        "How long Jarvis waits when you pause: patient for twice as long as normal, quick for two thirds of it.",
        ValueKind::Choice(Patience::CHOICES),
    ),
    key(
        "hearing.endpoint_model",
        "Model for the end of speech",
        "Model that hears when you have finished, beside the words; empty takes none, auto one that is installed.",
        ValueKind::Text,
    ),
    key(
        "hearing.endpoint_silence_ms",
        "Longest pause",
        "A pause this long always ends what you say.",
        millis(100, 5000),
    ),
    key(
        "hearing.early_endpoint_ms",
        "Shortest pause",
        "A pause this long ends what you say when it sounds complete.",
        millis(100, 5000),
    ),
    key(
        "hearing.max_utterance_ms",
        "Longest utterance",
        "Longer speech is split here.",
        millis(1000, 60_000),
    ),
    key(
        "hearing.max_utterance_while_speaking_ms",
        "Longest utterance while speaking",
        "The same while Jarvis speaks.",
        millis(500, 10_000),
    ),
    key("hearing.pre_roll_ms", "Pre-roll", "Sound kept from before speech was noticed.", millis(0, 1000)),
    key("hearing.min_utterance_ms", "Shortest utterance", "Shorter sounds count as noise.", millis(0, 2000)),
    key(
        "hearing.min_confidence",
        "Minimum confidence",
        "Words recognised with less confidence are ignored.",
        ratio(0.0, 1.0),
    ),
    key(
        "hearing.no_speech_threshold",
        "No-speech threshold",
        "Words at least this likely not to be speech are ignored.",
        ratio(0.0, 1.0),
    ),
    key(
        "hearing.echo_cancelling",
        "Cancel echo",
        "Take the voice of Jarvis out of the sound of the microphone, so that you can speak over it.",
        ValueKind::Toggle,
    ),
    key(
        "hearing.name_in_sound",
        "Listen for the name first",
        "Recognise only speech in which the name was heard: little work while others talk. Jarvis then hardly knows what was said before its name. Needs the model hama-phonemes, and a name in the letters of English.",
        ValueKind::Toggle,
    ),
    key(
        "hearing.threads",
        "Recognition threads",
        "Processor threads for speech recognition; 0 chooses for this machine.",
        ValueKind::Whole { min: 0, max: 64, unit: "threads" },
    ),
    key("listening.enabled", "Listen", "Listen to the microphone.", ValueKind::Toggle),
    key("listening.wake_word", "Wake word", "The name you call Jarvis by.", ValueKind::Text),
    key(
        "listening.wake_aliases",
        "Misheard names",
        "What speech recognition tends to write instead of the name.",
        ValueKind::Words,
    ),
    key(
        "listening.wake_fuzzy_ratio",
        "Name similarity",
        "How similar a word must be to the name.",
        ratio(0.5, 1.0),
    ),
    key(
        "listening.hot_window_secs",
        "Follow-up time",
        "How long after a reply a follow-up needs no wake word; 0 turns it off.",
        secs(0.0, 30.0),
    ),
    key(
        "listening.echo_tolerance_secs",
        "Echo time",
        "How long after Jarvis spoke its echo may still arrive.",
        secs(0.0, 2.0),
    ),
    key(
        "listening.echo_energy_threshold",
        "Echo loudness",
        "How many times louder than the room an echo of Jarvis can be right after it spoke; the room is measured.",
        ratio(0.0, 10.0),
    ),
    key("listening.stop_words", "Stop words", "Words that stop a reply.", ValueKind::Words),
    key(
        "listening.stop_fuzzy_ratio",
        "Stop word similarity",
        "How similar a word must be to a stop word.",
        ratio(0.5, 1.0),
    ),
    key(
        "listening.only_enrolled_voices",
        "Answer enrolled voices only",
        "Answer only people whose voice was enrolled with `jarvis voices add`. It can be wrong, so it is no lock. Who types, presses the talk key or says stop is always obeyed.",
        ValueKind::Toggle,
    ),
    key(
        "listening.intent_judge",
        "Ask the model who is meant",
        "Where the words leave doubt, the language model tells if they were meant for Jarvis, and what they refer to.",
        ValueKind::Toggle,
    ),
    key(
        "listening.judge_timeout_secs",
        "Time for that",
        "How long the language model may take to tell; then the words alone decide.",
        secs(1.0, 30.0),
    ),
    key(
        "listening.transcript_secs",
        "Talk to refer to",
        "How long Jarvis keeps what was said in the room, so that a question can refer to it. It is never stored.",
        secs(10.0, 600.0),
    ),
];
