import type { DevicesView } from "../api/types/DevicesView";
import type { FieldView } from "../api/types/FieldView";
import { servers } from "./servers-example";
// Every setting with its default, written by a test of the crate desktop.
import defaults from "./settings.gen.json";

/** What the user of the example has changed. */
const CHANGED: Record<string, unknown> = {
  "audio.microphone": "Blue Yeti",
  "audio.volume": 0.8,
  "listening.hot_window_secs": 5,
  "llm.temperature": 0.2,
  "location.place": "Whitby, United Kingdom",
  "mcp.servers": servers(),
};

export const fields = (): FieldView[] =>
  (defaults as FieldView[]).map((field) => {
    const isChanged = field.path in CHANGED;
    return { ...field, value: isChanged ? CHANGED[field.path] : field.defaultValue, isChanged };
  });

export const devices: DevicesView = {
  microphones: [
    { id: "", label: "The system's microphone" },
    { id: "Built-in", label: "Built-in Audio Analog Stereo" },
  ],
  speakers: [
    { id: "", label: "The system's speaker" },
    { id: "HDMI", label: "HDMI, Dell U2720Q" },
  ],
  voices: [
    { id: "auto", label: "The best installed" },
    { id: "en_GB-emma", label: "Emma, British English" },
  ],
};
