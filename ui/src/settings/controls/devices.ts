import type { ChoiceView } from "../../api/types/ChoiceView";
import type { DevicesView } from "../../api/types/DevicesView";

export type DeviceKind = "microphone" | "speaker" | "voice";

const LISTS: Record<DeviceKind, keyof DevicesView> = { microphone: "microphones", speaker: "speakers", voice: "voices" };

/** Older spellings of the system's device. */
const THE_SYSTEMS = ["default", "system"];

/** What there is to choose from. A value that is not among it comes first, in words that say what it stands for. */
export function choicesOf(kind: DeviceKind, devices: DevicesView | null, value: string): readonly ChoiceView[] {
  const listed = devices?.[LISTS[kind]] ?? [];
  if (listed.some(({ id }) => id === value)) return listed;
  // Until the devices are known nothing can be said about one of them.
  const label = devices === null ? value || "The system’s" : kind === "voice" ? `${value} (not installed)` : meantWords(listed, value);
  return [{ id: value, label }, ...listed];
}

/** A part of a device's name means the first device whose name holds it. */
function meantWords(listed: readonly ChoiceView[], value: string): string {
  const wanted = value.trim().toLowerCase();
  const system = listed.find(({ id }) => id === "");
  if (system && THE_SYSTEMS.includes(wanted)) return system.label;
  const meant = listed.find(({ id }) => id !== "" && id.toLowerCase().includes(wanted));
  return meant ? `${meant.label} (set as “${value}”)` : `${value} (not connected)`;
}
