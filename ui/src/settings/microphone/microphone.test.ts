import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { EventView } from "../../api/types/EventView";
import type { FakeBridge } from "../../dev/bridge";
import { startScene } from "../../dev/scenes";
import Settings from "../Settings.svelte";
import { begun, ended, NO_TRIAL, trialWords, withEvent } from "./trial";

const AT = "2026-03-01T09:41:00Z";
const after = (...events: EventView[]) => events.reduce(withEvent, begun());
const loud: EventView = { type: "level", dbfs: -20 };

describe("a test of the microphone", () => {
  it("shows drafts, then the words", () => {
    const drafting = after(
      { type: "partial", utterance: 1, text: "will it" },
      { type: "partial", utterance: 1, text: "will it stay" },
    );
    expect(drafting.draft).toEqual({ utterance: 1, text: "will it stay", settled: 7 });

    const done = withEvent(drafting, { type: "overheard", utterance: 1, text: "Will it stay dry?", isEcho: false });
    expect([done.draft, done.heard]).toEqual([null, [{ text: "Will it stay dry?", isEcho: false }]]);
  });

  it.each<[string, EventView, number]>([
    [
      "counts what was asked aloud",
      { type: "asked", reply: 1, text: "Why?", origin: "voice", at: AT, replacesPrevious: false },
      1,
    ],
    [
      "leaves out what was typed",
      { type: "asked", reply: 1, text: "Why?", origin: "typed", at: AT, replacesPrevious: false },
      0,
    ],
    ["leaves out noise without words", { type: "overheard", utterance: 1, text: " ", isEcho: false }, 0],
    ["tells its own voice", { type: "overheard", utterance: 1, text: "It is nine.", isEcho: true }, 1],
  ])("%s", (_, event, count) => {
    expect(after(event).heard).toHaveLength(count);
  });

  it("keeps the draft of the next words when the last ones arrive", () => {
    const state = after(
      { type: "partial", utterance: 2, text: "and" },
      { type: "overheard", utterance: 1, text: "One.", isEcho: false },
    );

    expect(state.draft?.utterance).toBe(2);
  });

  it("keeps the newest words only", () => {
    const many = Array.from({ length: 9 }, (_, utterance): EventView => ({
      type: "overheard",
      utterance,
      text: `${utterance}`,
      isEcho: false,
    }));

    expect(after(...many).heard.map(({ text }) => text)).toEqual(["5", "6", "7", "8"]);
  });

  it("takes nothing in before and after", () => {
    expect(withEvent(NO_TRIAL, loud)).toBe(NO_TRIAL);
    expect(withEvent(ended(begun()), loud)).toEqual(NO_TRIAL);
  });

  const heard = withEvent(after(loud), { type: "overheard", utterance: 1, text: "Hello.", isEcho: false });
  it.each([
    ["before it begins", NO_TRIAL, false, ""],
    ["at first", begun(), false, "Say something."],
    [
      "in silence",
      after({ type: "level", dbfs: -62 }),
      true,
      "Nothing is heard. Is the right microphone chosen, and not muted in the system?",
    ],
    ["with sound", after(loud), true, "Say something."],
    ["with words", heard, true, ""],
    [
      "after silence",
      ended(begun()),
      true,
      "Nothing is heard. Is the right microphone chosen, and not muted in the system?",
    ],
    ["after sound without words", ended(after(loud)), true, "No words were understood. Try again, a little closer."],
    ["after words", ended(heard), true, "The microphone works."],
  ])("says %s what is the matter", (_, trial, isLong, expected) => {
    expect(trialWords(trial, isLong)).toBe(expected);
  });
});

describe("the microphone test", () => {
  let bridge: FakeBridge;
  const argsOf = (command: string) => bridge.calls.filter((call) => call.command === command).map(({ args }) => args);

  async function open() {
    location.hash = "#audio";
    bridge = startScene("settings");
    render(Settings);
    await waitFor(() => expect(argsOf("models")).toHaveLength(1));
  }

  afterEach(() => vi.useRealTimers());

  it("shows what is heard until it is ended", async () => {
    await open();
    await fireEvent.click(screen.getByRole("button", { name: "Test microphone" }));
    bridge.emit(loud, { type: "partial", utterance: 1, text: "remind me" });
    expect(await screen.findByText("remind me")).toBeTruthy();

    bridge.emit({ type: "overheard", utterance: 1, text: "Remind me.", isEcho: true });
    expect(await screen.findByText("Heard: Remind me.")).toBeTruthy();
    expect(screen.getByText("Jarvis’s own voice")).toBeTruthy();

    await fireEvent.click(screen.getByRole("button", { name: "End test" }));
    expect(screen.getByText("The microphone works.")).toBeTruthy();
  });

  it("says when nothing is heard, and ends by itself", async () => {
    await open();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await fireEvent.click(screen.getByRole("button", { name: "Test microphone" }));
    await vi.advanceTimersByTimeAsync(4000);
    expect(screen.getByText(/^Nothing is heard\./)).toBeTruthy();

    await vi.advanceTimersByTimeAsync(26_000);
    expect(screen.getByRole("button", { name: "Test microphone" })).toBeTruthy();
  });

  it("offers to unmute", async () => {
    await open();
    bridge.emit({ type: "muted", isMuted: true });
    await fireEvent.click(await screen.findByRole("button", { name: "Unmute" }));

    expect(argsOf("set_muted")).toEqual([{ isMuted: false }]);
    expect(await screen.findByRole("button", { name: "Test microphone" })).toBeTruthy();
  });

  it("offers to switch listening on", async () => {
    await open();
    bridge.emit({ type: "setting", path: "listening.enabled", value: false });
    await fireEvent.click(await screen.findByRole("button", { name: "Switch listening on" }));

    expect(argsOf("set_setting")).toEqual([{ path: "listening.enabled", value: true }]);
    expect(await screen.findByRole("button", { name: "Test microphone" })).toBeTruthy();
  });
});
