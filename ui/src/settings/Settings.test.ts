import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FieldView } from "../api/types/FieldView";
import type { FakeBridge } from "../dev/bridge";
import { startScene } from "../dev/scenes";
import Settings from "./Settings.svelte";

let bridge: FakeBridge;

async function open(hash: string) {
  location.hash = hash;
  bridge = startScene("settings");
  render(Settings);
  await waitFor(() => expect(bridge.calls.some(({ command }) => command === "models")).toBe(true));
}

const argsOf = (command: string) => bridge.calls.filter((call) => call.command === command).map(({ args }) => args);
const stored = () => argsOf("set_setting");

afterEach(() => vi.useRealTimers());

describe("a section", () => {
  it("is opened by its name", async () => {
    await open("#listening");

    expect(screen.getByRole("heading", { level: 2, name: "Wake word and listening" })).toBeTruthy();
    expect(screen.getByRole("link", { current: "page" }).textContent).toBe("Wake word and listening");
  });

  it("stores a switch at once", async () => {
    await open("#listening");
    await fireEvent.click(screen.getByRole("switch", { name: "Listen" }));

    expect(stored()).toEqual([{ path: "listening.enabled", value: false }]);
    await waitFor(() =>
      expect(screen.getByRole("switch", { name: "Listen" }).getAttribute("aria-checked")).toBe("false"),
    );
    expect(screen.getByRole("button", { name: "Reset Listen to on" })).toBeTruthy();
  });

  it("stores a text with Enter and once only", async () => {
    await open("#listening");
    const input = screen.getByRole("textbox", { name: "Wake word" });
    await fireEvent.input(input, { target: { value: "computer" } });
    expect(stored()).toEqual([]);

    await fireEvent.keyDown(input, { key: "Enter" });
    await fireEvent.blur(input);
    await waitFor(() => expect(stored()).toEqual([{ path: "listening.wake_word", value: "computer" }]));
  });

  it("keeps the old value when a new one is refused and says why", async () => {
    await open("#listening");
    const input = screen.getByRole<HTMLInputElement>("textbox", { name: "Wake word" });
    await fireEvent.input(input, { target: { value: "" } });
    await fireEvent.blur(input);

    const message = await screen.findByText("It cannot be empty. Type a name.");
    expect(input.getAttribute("aria-describedby")).toBe(message.closest("p")?.id);
    await waitFor(() => expect(input.value).toBe("jarvis"));
  });

  it("resets a changed value", async () => {
    await open("#listening");
    await fireEvent.click(screen.getByRole("button", { name: "Reset Follow-up time to 3 s" }));

    expect(argsOf("reset_setting")).toEqual([{ path: "listening.hot_window_secs" }]);
    await waitFor(() => expect(screen.queryByRole("button", { name: "Reset Follow-up time to 3 s" })).toBeNull());
  });

  it("stores a typed number and refuses what is none", async () => {
    await open("#listening");
    const input = screen.getByRole<HTMLInputElement>("spinbutton", { name: "Follow-up time" });
    await fireEvent.input(input, { target: { value: "7,5" } });
    await fireEvent.keyDown(input, { key: "Enter" });
    await waitFor(() => expect(stored()).toEqual([{ path: "listening.hot_window_secs", value: 7.5 }]));

    await fireEvent.input(input, { target: { value: "long" } });
    await fireEvent.blur(input);
    expect(await screen.findByText("Type a number from 0 to 30.")).toBeTruthy();
    await waitFor(() => expect(input.value).toBe("7.5"));
  });

  it("adds and removes words", async () => {
    await open("#listening");
    await fireEvent.click(screen.getByRole("button", { name: "Remove quiet" }));
    const input = screen.getByRole("textbox", { name: "Stop words" });
    await waitFor(() => expect(screen.queryByRole("button", { name: "Remove quiet" })).toBeNull());
    await fireEvent.input(input, { target: { value: "hush, stop" } });
    await fireEvent.keyDown(input, { key: "Enter" });

    expect(stored().map(({ value }) => value)).toEqual([
      ["stop", "shush", "silence", "enough", "shut up"],
      ["stop", "shush", "silence", "enough", "shut up", "hush"],
    ]);
  });

  it("keeps a device in the list that is unplugged", async () => {
    await open("#audio");
    const select = screen.getByRole<HTMLSelectElement>("combobox", { name: "Microphone" });
    const shown = () => [...select.options].map(({ text }) => text);
    await waitFor(() =>
      expect(shown()).toEqual(expect.arrayContaining(["Built-in Audio Analog Stereo", "Blue Yeti (not connected)"])),
    );

    await fireEvent.change(select, { target: { value: "Built-in" } });
    expect(stored()).toEqual([{ path: "audio.microphone", value: "Built-in" }]);
  });

  it("stores a choice among few as a segment", async () => {
    await open("#appearance");
    await fireEvent.click(
      within(screen.getByRole("radiogroup", { name: "Theme" })).getByRole("radio", { name: "Dark" }),
    );

    expect(stored()).toEqual([{ path: "appearance.theme", value: "dark" }]);
  });

  it("follows a change made elsewhere", async () => {
    await open("#listening");
    await waitFor(() => expect(argsOf("subscribe")).toHaveLength(1));
    bridge.emit({ type: "setting", path: "listening.wake_word", value: "friday" });

    await waitFor(() =>
      expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Wake word" }).value).toBe("friday"),
    );
  });
});

describe("the page", () => {
  it("goes back to the section it came from", async () => {
    await open("#listening");
    await fireEvent.click(screen.getByRole("button", { name: "Settings" }));
    await fireEvent(window, new HashChangeEvent("hashchange"));

    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("link", { name: "Wake word and listening" })),
    );
  });

  it("says what could not be loaded, whatever could be after it", async () => {
    location.hash = "";
    bridge = startScene("settings");
    bridge.commands["settings"] = () => {
      throw { code: "io", message: "The settings could not be read." };
    };
    render(Settings);
    await waitFor(() => expect(argsOf("status")).toHaveLength(1));
    // What comes after it is there, so it can no longer take the alert away.
    bridge.emit({ type: "trouble", trouble: { stage: "memory", what: "The memory is locked.", remedy: "Unlock it." } });
    await screen.findByText(/The memory is locked/);

    expect(screen.getByText("The settings could not be read.").closest("[role=alert]")).not.toBeNull();
  });
});

describe("devices", () => {
  const trouble = { stage: "microphone", what: "Unplugged.", remedy: "Plug it in." };
  const model = {
    id: "joe",
    name: "Joe",
    purpose: "voice",
    summary: "",
    languages: [],
    licence: "",
    bytes: 1,
    ramBytes: 1,
    isRecommended: false,
  };

  it.each<[string, () => unknown, number]>([
    ["when one is in trouble", () => bridge.emit({ type: "trouble", trouble }), 1],
    ["when one is back", () => bridge.emit({ type: "recovered", stage: "speaker" }), 1],
    ["when a voice has come", () => bridge.emit({ type: "model", model: { ...model, status: { type: "ready" } } }), 1],
    ["when the window is looked at again", () => fireEvent.focus(window), 1],
    ["when the page is shown again", () => fireEvent(document, new Event("visibilitychange")), 1],
    ["but not for any trouble", () => bridge.emit({ type: "trouble", trouble: { ...trouble, stage: "memory" } }), 0],
    [
      "but not while a voice is on its way",
      () => bridge.emit({ type: "model", model: { ...model, status: { type: "checking" } } }),
      0,
    ],
  ])("are looked for again %s", async (_, happen, count) => {
    await open("#audio");
    await waitFor(() => expect(argsOf("devices")).toHaveLength(1));
    vi.useFakeTimers();
    await happen();
    await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();

    expect(argsOf("devices")).toHaveLength(1 + count);
  });

  it("are not called unplugged before they are known", async () => {
    location.hash = "#audio";
    bridge = startScene("settings");
    bridge.commands["devices"] = () => new Promise(() => {});
    render(Settings);

    expect(
      (await screen.findByRole<HTMLSelectElement>("combobox", { name: "Microphone" })).selectedOptions[0]?.text,
    ).toBe("Blue Yeti");
  });
});

describe("the talk key", () => {
  beforeEach(() => open("#keys"));
  const button = () => screen.getByRole("button", { name: /^Talk key/ });

  it("is recorded as it is pressed, once it is free", async () => {
    await fireEvent.click(button());
    await fireEvent.keyDown(button(), { key: "Control", code: "ControlLeft", ctrlKey: true });
    await fireEvent.keyDown(button(), { key: "J", code: "KeyJ", ctrlKey: true, shiftKey: true });

    await waitFor(() => expect(stored()).toEqual([{ path: "keys.talk", value: "Ctrl+Shift+J" }]));
    expect(argsOf("check_hotkey")).toEqual([{ keys: "Ctrl+Shift+J" }]);
  });

  it("is refused when it is taken", async () => {
    await fireEvent.click(button());
    await fireEvent.keyDown(button(), { key: " ", code: "Space", ctrlKey: true });

    expect(await screen.findByText("Ctrl Space is taken by your input method. Choose another.")).toBeTruthy();
    expect(stored()).toEqual([]);
  });

  it("is refused when every sentence would press it", async () => {
    await fireEvent.click(button());
    await fireEvent.keyDown(button(), { key: "j", code: "KeyJ" });

    expect(await screen.findByText("Hold Ctrl, Alt or Super together with another key.")).toBeTruthy();
    expect(argsOf("check_hotkey")).toEqual([]);
  });

  it("is refused when no program could take it", async () => {
    await fireEvent.click(button());
    await fireEvent.keyDown(button(), { key: "ContextMenu", code: "ContextMenu", ctrlKey: true });

    expect(await screen.findByText("This key cannot be used everywhere. Choose another.")).toBeTruthy();
    expect(argsOf("check_hotkey")).toEqual([]);
  });

  it("is refused alone, as it would be by the system", async () => {
    await fireEvent.click(button());
    await fireEvent.keyDown(button(), { key: "F9", code: "F9" });

    expect(await screen.findByText("Hold Ctrl, Alt or Super together with another key.")).toBeTruthy();
    expect(argsOf("check_hotkey")).toEqual([]);
  });

  it("is none after Backspace", async () => {
    await fireEvent.click(button());
    await fireEvent.keyDown(button(), { key: "Backspace", code: "Backspace" });

    await waitFor(() => expect(stored()).toEqual([{ path: "keys.talk", value: "" }]));
    await waitFor(() => expect(button().textContent).toContain("None"));
    expect(argsOf("check_hotkey")).toEqual([]);
  });

  it("can be taken away with the mouse, and the focus stays", async () => {
    await fireEvent.click(screen.getByRole("button", { name: "No talk key" }));

    await waitFor(() => expect(screen.queryByRole("button", { name: "No talk key" })).toBeNull());
    expect(stored()).toEqual([{ path: "keys.talk", value: "" }]);
    expect(document.activeElement).toBe(button());
  });

  it("stays when Escape is pressed", async () => {
    await fireEvent.click(button());
    await fireEvent.keyDown(button(), { key: "Escape", code: "Escape" });

    expect(button().textContent).toContain("Space");
    expect(stored()).toEqual([]);
  });
});

describe("what few people need", () => {
  it("is folded away, with what was changed in it", async () => {
    await open("#llm");
    const temperature = screen.getByRole("spinbutton", { name: "Temperature", hidden: true });
    const fold = temperature.closest("details");

    expect(fold?.open).toBe(false);
    expect(fold?.querySelector("summary")?.textContent).toBe("Advanced 1 changed");
    expect(screen.getByRole("combobox", { name: "Language model provider" }).closest("details")).toBeNull();
  });

  it("is found all the same", async () => {
    await open("#audio");
    await fireEvent.input(screen.getByRole("textbox", { name: "Find a setting" }), {
      target: { value: "temperature" },
    });

    expect(screen.getByRole("spinbutton", { name: "Temperature" }).closest("details")).toBeNull();
  });
});

describe("search", () => {
  beforeEach(() => open("#audio"));
  const box = () => screen.getByRole("textbox", { name: "Find a setting" });

  it("shows fields of all sections with the words marked", async () => {
    await fireEvent.input(box(), { target: { value: "model" } });

    expect(screen.getAllByRole("heading", { level: 3 }).map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining(["Models", "Language model"]),
    );
    expect(document.querySelectorAll("mark").length).toBeGreaterThan(3);
  });

  it("says when there is nothing, and Escape ends it", async () => {
    await fireEvent.input(box(), { target: { value: "walnut" } });
    expect(screen.getByText(/^Nothing about “walnut” in \d+ settings\.$/)).toBeTruthy();

    await fireEvent.keyDown(box(), { key: "Escape" });
    expect(screen.getByRole("heading", { level: 2, name: "Sound" })).toBeTruthy();
    expect(argsOf("stop")).toEqual([]);
  });
});

describe("the models", () => {
  beforeEach(() => open("#models"));

  it("are downloaded and paused", async () => {
    await fireEvent.click(await screen.findByRole("button", { name: "Download Emma, British English" }));
    expect(argsOf("download_model")).toEqual([{ id: "emma" }]);

    await fireEvent.click(await screen.findByRole("button", { name: "Pause Emma, British English" }));
    expect(argsOf("pause_download")).toEqual([{ id: "emma" }]);
  });

  it("are deleted only after asking back", async () => {
    const remove = await screen.findByRole("button", { name: "Delete Silero VAD" });
    await fireEvent.click(remove);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Keep"));
    expect(argsOf("delete_model")).toEqual([]);

    await fireEvent.click(screen.getByRole("button", { name: "Delete" }));
    expect(argsOf("delete_model")).toEqual([{ id: "silero" }]);
  });

  it("are kept when Escape is pressed instead", async () => {
    await fireEvent.click(await screen.findByRole("button", { name: "Delete Silero VAD" }));
    await fireEvent.keyDown(await screen.findByRole("button", { name: "Keep" }), { key: "Escape" });

    expect(await screen.findByRole("button", { name: "Delete Silero VAD" })).toBeTruthy();
    expect(argsOf("delete_model")).toEqual([]);
    expect(argsOf("stop")).toEqual([]);
  });

  it("are looked for in another folder once one is set", async () => {
    await open("#models");
    const before = argsOf("models").length;

    bridge.emit({ type: "setting", path: "models.folder", value: "/srv/models" });

    await waitFor(() => expect(argsOf("models").length).toBe(before + 1));
  });

  it.each(["llm.base_url", "hearing.speech_model", "speaking.voice"])(
    "are looked at again when %s changes elsewhere, once for many",
    async (path) => {
      const before = argsOf("models").length;
      vi.useFakeTimers();
      bridge.emit({ type: "setting", path, value: "one" });
      bridge.emit({ type: "setting", path, value: "other" });
      await vi.advanceTimersByTimeAsync(1000);
      vi.useRealTimers();

      expect(argsOf("models")).toHaveLength(before + 1);
    },
  );

  it("show their own settings too", async () => {
    const folder: FieldView["path"] = "models.folder";

    expect(screen.getByRole("textbox", { name: "Models folder" }).id).toBe(`control-${folder}`);
  });
});
