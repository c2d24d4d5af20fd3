import type { DevicesView } from "../api/types/DevicesView";
import type { FieldKind } from "../api/types/FieldKind";
import type { FieldView } from "../api/types/FieldView";

type Row = [path: string, sectionLabel: string, label: string, help: string, kind: FieldKind, defaultValue: unknown, value?: unknown];

const toggle: FieldKind = { type: "toggle" };
const text: FieldKind = { type: "text" };
const words: FieldKind = { type: "words" };
const choice = (...choices: string[]): FieldKind => ({ type: "choice", choices });
const number = (min: number, max: number, unit = ""): FieldKind => ({ type: "number", min, max, unit });
const whole = (min: number, max: number, unit = ""): FieldKind => ({ type: "whole", min, max, unit });

const ROWS: Row[] = [
  ["audio.microphone", "Sound", "Microphone", "The microphone Jarvis hears you with.", { type: "microphone" }, "", "Blue Yeti"],
  ["audio.speaker", "Sound", "Speaker", "The speaker Jarvis is heard from.", { type: "speaker" }, ""],
  ["audio.volume", "Sound", "Voice volume", "How loud Jarvis speaks.", number(0, 1), 1, 0.8],
  ["hearing.language", "Hearing", "Spoken language", "Two-letter code of the language you speak; auto finds it out each time.", text, "auto"],
  ["hearing.endpoint_silence_ms", "Hearing", "Longest pause", "A pause this long always ends what you say.", whole(100, 5000, "ms"), 800],
  ["hearing.min_confidence", "Hearing", "Least confidence", "Words recognised with less confidence are dropped.", number(0, 1), 0.3],
  ["listening.enabled", "Wake word and listening", "Listen", "Listen to the microphone.", toggle, true],
  ["listening.wake_word", "Wake word and listening", "Wake word", "The name you call Jarvis by.", text, "jarvis"],
  ["listening.wake_aliases", "Wake word and listening", "Misheard names", "What recognition tends to write instead of the name.", words, ["jervis", "jarvas", "service", "travis"]],
  ["listening.hot_window_secs", "Wake word and listening", "Follow-up time", "After a reply, a follow-up needs no wake word for this long; 0 turns it off.", number(0, 30, "s"), 3, 5],
  ["listening.stop_words", "Wake word and listening", "Stop words", "Words that make Jarvis fall silent.", words, ["stop", "quiet", "enough"]],
  ["replying.context_position", "Replies", "Time and place line", "Where the prompt states time and place; with the question is quicker than at the start.", choice("newest_message", "system_top"), "newest_message"],
  ["replying.timeout_secs", "Replies", "Longest reply time", "A reply must be complete within this time.", number(5, 600, "s"), 120],
  ["speaking.enabled", "Voice", "Speak replies", "Speak replies to spoken questions.", toggle, true],
  ["speaking.voice", "Voice", "Voice", "The voice Jarvis speaks with.", { type: "voice" }, "auto"],
  ["speaking.speed", "Voice", "Speaking speed", "1 is the voice's own speed, 2 twice as fast.", number(0.5, 2.5), 1],
  ["llm.provider", "Language model", "Language model provider", "Who runs the language model; automatic takes the first that is ready.", choice("auto", "ollama", "openai", "embedded"), "auto"],
  ["llm.base_url", "Language model", "Provider address", "Address of the provider; empty is its usual one on this machine.", text, ""],
  ["llm.chat_model", "Language model", "Chat model", "Model that answers; empty lets Jarvis choose.", text, ""],
  ["llm.context_tokens", "Language model", "Context", "How much the model keeps in view.", whole(1024, 131_072, "tokens"), 8192],
  ["llm.style", "Language model", "Style", "How the replies are written.", choice("plain", "terse", "friendly", "formal", "playful"), "plain"],
  ["llm.temperature", "Language model", "Temperature", "Randomness of replies.", number(0, 2), 0.7, 0.2],
  ["memory.dialogue_window_secs", "Memory", "Dialogue time", "How long Jarvis keeps the thread of a conversation.", whole(30, 3600, "s"), 300],
  ["location.place", "Location", "Place", "Where you are, for the language model; empty tells it nothing.", text, "", "Whitby, United Kingdom"],
  ["location.time_zone", "Location", "Time zone", "IANA name such as Europe/London; empty is the system's.", text, ""],
  ["models.folder", "Models", "Models folder", "Where model files are, with the full path; empty is the usual folder. Files are not moved.", text, ""],
  ["models.idle_unload_mins", "Models", "Unload after", "A language model that is not used for this long is unloaded.", number(0.1, 1440, "min"), 5],
  ["appearance.theme", "Appearance", "Theme", "Light, dark, or whatever the system uses.", choice("system", "light", "dark"), "system"],
  ["appearance.contrast", "Appearance", "Contrast", "More contrast draws every edge and makes text stronger.", choice("system", "more", "standard"), "system"],
  ["appearance.zoom", "Appearance", "Zoom", "How large everything in the windows is drawn; Ctrl and + or - change it too, Ctrl and 0 resets it.", { type: "whole", min: 50, max: 200, unit: "%" }, 100],
  ["appearance.overlay", "Appearance", "Listening overlay", "A small window shows what Jarvis hears and does while you work elsewhere.", toggle, true],
  ["appearance.tray_icon", "Appearance", "Tray icon", "Dark or light, whatever suits the panel.", choice("system", "dark", "light"), "system"],
  ["appearance.software_rendering", "Appearance", "Software rendering", "Draws without the graphics card; for windows that stay empty or flicker. Counts from the next start.", toggle, false],
  ["keys.talk", "Keys", "Talk key", "Press it anywhere to talk without saying the name.", { type: "hotkey" }, "Ctrl+Shift+Space"],
  ["startup.at_login", "Starting", "Start at login", "Starts quietly when you sign in.", toggle, false],
];

export const fields = (): FieldView[] =>
  ROWS.map(([path, sectionLabel, label, help, kind, defaultValue, value = defaultValue]) => ({
    path,
    section: path.split(".")[0] ?? "",
    sectionLabel,
    label,
    help,
    kind,
    value,
    defaultValue,
    isChanged: value !== defaultValue,
  }));

export const devices: DevicesView = {
  microphones: [{ id: "", label: "The system's microphone" }, { id: "Built-in", label: "Built-in Audio Analog Stereo" }],
  speakers: [{ id: "", label: "The system's speaker" }, { id: "HDMI", label: "HDMI, Dell U2720Q" }],
  voices: [{ id: "auto", label: "The best installed" }, { id: "en_GB-emma", label: "Emma, British English" }],
};
