import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import axe from "axe-core";
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import type { PullStatus } from "./api/types/PullStatus";
import Conversation from "./conversation/Conversation.svelte";
import type { FakeBridge } from "./dev/bridge";
import { startScene } from "./dev/scenes";
import { fields } from "./dev/settings-example";
import Overlay from "./overlay/Overlay.svelte";
import Settings from "./settings/Settings.svelte";
import type { NoticesFile } from "./settings/about/notices";

/** Colours need a layout, which jsdom has not; `contrast.test.ts` measures them. */
const RULES = { "color-contrast": { enabled: false } };

async function faults(page: string): Promise<string[]> {
  const { documentElement, title } = new DOMParser().parseFromString(readFileSync(page, "utf8"), "text/html");
  document.documentElement.lang = documentElement.lang;
  document.title = title;

  const { violations } = await axe.run(document, { rules: RULES });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Starts a scene and waits until all it brings is on the screen. */
async function play(
  scene: string,
  window: typeof Conversation | typeof Settings | typeof Overlay,
  lastCommand = "settings",
): Promise<FakeBridge> {
  const bridge = startScene(scene);
  render(window);
  await waitFor(() => expect(bridge.calls.some(({ command }) => command === lastCommand)).toBe(true));
  await new Promise((resolve) => setTimeout(resolve, 100));
  return bridge;
}

const openSettings = (section: string) => {
  location.hash = section;
  return play("settings", Settings, "models");
};

describe("axe finds nothing in the conversation", () => {
  it.each([
    "empty",
    "starting",
    "talk",
    "hearing",
    "thinking",
    "streaming",
    "speaking",
    "hot",
    "muted",
    "failed",
    "error",
    "ringing",
    "question",
    "open",
    "tools",
    "used",
    "files",
    "prompts",
    "takes",
  ])("%s", async (scene) => {
    await play(scene, Conversation);

    expect(await faults("index.html")).toEqual([]);
  });

  it("with the list of keys", async () => {
    await play("talk", Conversation);
    await fireEvent.keyDown(window, { key: "/", ctrlKey: true });

    expect(await faults("index.html")).toEqual([]);
  });
});

describe("axe finds nothing in the settings", () => {
  it.each([...new Set(fields().map(({ section }) => section))])("%s", async (section) => {
    await openSettings(section);

    expect(await faults("settings.html")).toEqual([]);
  });

  it("privacy", async () => {
    await openSettings("privacy");
    await screen.findByText("huggingface.co");

    expect(await faults("settings.html")).toEqual([]);
  });

  it.each([
    ["permissions", "webSearch"],
    ["tool-log", "files__write_file"],
  ])("%s", async (section, shown) => {
    await openSettings(section);
    await screen.findAllByText(shown);

    expect(await faults("settings.html")).toEqual([]);
  });

  it("about, with a licence unfolded", async () => {
    const notices: NoticesFile = {
      kinds: ["library"],
      names: ["SQLite"],
      versions: [""],
      licences: ["blessing"],
      texts_of: [[0]],
      texts: [[0]],
      paragraphs: ["May you share freely."],
    };
    vi.stubGlobal("fetch", async () => new Response(JSON.stringify(notices)));
    await openSettings("about");
    for (const words of ["Libraries", "SQLite"]) {
      const details = (await screen.findByText(words, { exact: false, selector: "summary, summary *" })).closest(
        "details",
      )!;
      details.open = true;
      await fireEvent(details, new Event("toggle"));
    }
    await screen.findByText("May you share freely.");

    expect(await faults("settings.html")).toEqual([]);
    vi.unstubAllGlobals();
  });

  it("while models are pulled, and after one failed", async () => {
    const bridge = await openSettings("models");
    const of = (model: string, status: PullStatus) =>
      bridge.emit({ type: "pull", pull: { model, address: "http://127.0.0.1:11434", status } });
    of("qwen3:4b", { type: "downloading", bytes: 1, total: 2, percent: 50, bytesPerSec: 1 });
    of("qwen3:8b", { type: "lookingUp" });
    of("qwen99", { type: "failed", what: "There is none.", remedy: "Check the name." });
    await screen.findByText("There is none. Check the name.");

    expect(await faults("settings.html")).toEqual([]);
  });

  it("while a place is looked for", async () => {
    await openSettings("location");
    await fireEvent.input(screen.getByRole("combobox"), { target: { value: "leeds" } });
    await screen.findAllByRole("option");

    expect(await faults("settings.html")).toEqual([]);
  });

  it("while the microphone is tested", async () => {
    const bridge = await openSettings("audio");
    await fireEvent.click(screen.getByRole("button", { name: "Test microphone" }));
    bridge.emit(
      { type: "overheard", utterance: 1, text: "One.", isEcho: true },
      { type: "partial", utterance: 2, text: "two" },
    );
    await screen.findByText("two");

    expect(await faults("settings.html")).toEqual([]);
  });

  it("while a model is tested and another is to be deleted", async () => {
    await openSettings("models");
    await fireEvent.click(screen.getByRole("button", { name: "Test Whisper base" }));
    await fireEvent.click(screen.getByRole("button", { name: "Delete Silero VAD" }));

    expect(await faults("settings.html")).toEqual([]);
  });

  it("while a tool server is to be removed and another is typed wrongly", async () => {
    await openSettings("mcp");
    await fireEvent.click((await screen.findAllByText("What it wrote last"))[0]!);
    await fireEvent.click(screen.getByRole("button", { name: "Remove files" }));
    await fireEvent.click(screen.getByRole("button", { name: "Add" }));
    await screen.findByText("Give it a name.");

    expect(await faults("settings.html")).toEqual([]);
  });

  it("while the client of a tool server is edited", async () => {
    await openSettings("mcp");
    const [fold] = await screen.findAllByText("Sign-in client");
    await fireEvent.click(fold!);

    expect(await faults("settings.html")).toEqual([]);
  });

  it.each(["model", "walnut", "protocol"])("while %s is searched for", async (query) => {
    await openSettings("audio");
    await fireEvent.input(screen.getByRole("textbox", { name: "Find a setting" }), { target: { value: query } });

    expect(await faults("settings.html")).toEqual([]);
  });
});

describe("axe finds nothing in the overlay", () => {
  it.each(["empty", "starting", "hearing", "thinking", "speaking", "hot", "muted", "error"])("%s", async (scene) => {
    await play(scene, Overlay);

    expect(await faults("overlay.html")).toEqual([]);
  });
});
