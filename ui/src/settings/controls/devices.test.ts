import { describe, expect, it } from "vitest";
import type { DevicesView } from "../../api/types/DevicesView";
import { choicesOf, type DeviceKind } from "./devices";

const DEVICES: DevicesView = {
  microphones: [
    { id: "", label: "The system's" },
    { id: "Blue Yeti Analog", label: "Blue Yeti Analog" },
  ],
  speakers: [{ id: "", label: "The system's" }],
  voices: [{ id: "auto", label: "The best one installed" }],
};

describe("what a device is called", () => {
  it.each<[string, DeviceKind, string, DevicesView | null, string]>([
    ["listed", "microphone", "Blue Yeti Analog", DEVICES, "Blue Yeti Analog"],
    ["the system's", "microphone", "", DEVICES, "The system's"],
    ["the system's, spelt as before", "microphone", "Default", DEVICES, "The system's"],
    ["named in part", "microphone", "yeti", DEVICES, "Blue Yeti Analog (set as “yeti”)"],
    ["unplugged", "microphone", "Jabra", DEVICES, "Jabra (not connected)"],
    ["an unplugged speaker", "speaker", "Blue Yeti Analog", DEVICES, "Blue Yeti Analog (not connected)"],
    ["a voice that is gone", "voice", "en_GB-emma", DEVICES, "en_GB-emma (not installed)"],
    ["not looked for yet", "microphone", "Jabra", null, "Jabra"],
    ["the system's, not looked for yet", "speaker", "", null, "The system’s"],
  ])("that is %s", (_, kind, value, devices, expected) => {
    expect(choicesOf(kind, devices, value).find(({ id }) => id === value)?.label).toBe(expected);
  });

  it("is not said twice", () => {
    expect(choicesOf("microphone", DEVICES, "Blue Yeti Analog")).toEqual(DEVICES.microphones);
  });
});
