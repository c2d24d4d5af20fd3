import type { ChoiceView } from "../../api/types/ChoiceView";
import type { DevicesView } from "../../api/types/DevicesView";

export type DeviceKind = "microphone" | "speaker" | "voice";

const LISTS: Record<DeviceKind, keyof DevicesView> = {
  microphone: "microphones",
  speaker: "speakers",
  voice: "voices",
};

/** Older spellings of the system's device. */
const THE_SYSTEMS = ["default", "system"];

/** The choices. A value that is not among them comes first, with words that explain it. */
export function choicesOf(kind: DeviceKind, devices: DevicesView | null, value: string): readonly ChoiceView[] {
  const listed = devices?.[LISTS[kind]] ?? [];
  if (listed.some(({ id }) => id === value)) return listed;
  // Before the devices are listed, a missing one cannot be recognised.
  const label =
    devices === null
      ? value || "The system’s"
      : kind === "voice"
        ? `${value} (not installed)`
        : meantWords(listed, value);
  return [{ id: value, label }, ...listed];
}

/** A part of a device's name means the first device whose name contains it. */
function meantWords(listed: readonly ChoiceView[], value: string): string {
  const wanted = value.trim().toLowerCase();
  const system = listed.find(({ id }) => id === "");
  if (system && THE_SYSTEMS.includes(wanted)) return system.label;
  const meant = listed.find(({ id }) => id !== "" && id.toLowerCase().includes(wanted));
  return meant ? `${meant.label} (set as “${value}”)` : `${value} (not connected)`;
}
