import { describe, expect, it } from "vitest";
import { announcement } from "./announce";
import { dayHeading } from "./days";
import { whyUnavailable } from "./microphone-state";
import { applyEvents } from "./reducer";
import { keyList, shortcutOf } from "./shortcuts";
import { EMPTY, type ConversationState } from "./state";
import { bannersOf, canStop, isHearing, statusOf } from "./status";
import { isPinnedAfter } from "./scrolling";
import { findSentence } from "./voiced";
import { newer, older, startWalk, wordsAt } from "./word-history";

const READY: ConversationState = { ...EMPTY, isReady: true };
const TROUBLE = { stage: "microphone", what: "Unplugged.", remedy: "Plug it in." };
const FOLLOW_UP: Partial<ConversationState> = { state: "listening", followUp: { isDue: false, secs: 5 } };
const AT = "2026-03-01T09:41:00Z";

describe("the state pill", () => {
  it.each<[Partial<ConversationState>, string, string]>([
    [{ isReady: false }, "idle", "Starting"],
    [{}, "idle", "Ready"],
    [{ state: "listening" }, "listening", "Listening"],
    [{ state: "thinking" }, "thinking", "Thinking"],
    [{ state: "speaking", isMuted: true }, "speaking", "Speaking"],
    [{ isMuted: true }, "muted", "Muted"],
    [{ state: "muted", isMuted: true }, "muted", "Muted"],
    [FOLLOW_UP, "listening", "Still listening"],
    [{ ...FOLLOW_UP, draft: { utterance: 1, text: "and", settled: 0 } }, "listening", "Listening"],
    [{ ...FOLLOW_UP, state: "muted", isMuted: true }, "muted", "Muted"],
    [{ state: "error", troubles: [TROUBLE] }, "error", "Microphone fault"],
    [{ state: "error", troubles: [{ ...TROUBLE, stage: "hologram" }] }, "error", "Fault"],
    [{ state: "error", isReady: false }, "error", "Fault"],
  ])("of %j is %s, %s", (change, mark, label) => {
    expect(statusOf({ ...READY, ...change })).toEqual({ mark, label });
  });
});

describe("what goes on", () => {
  it("is hearing while listening or while words come in", () => {
    const draft = { utterance: 1, text: "hello", settled: 0 };

    expect(isHearing(READY)).toBe(false);
    expect(isHearing({ ...READY, state: "listening" })).toBe(true);
    expect(isHearing({ ...READY, draft })).toBe(true);
    expect(isHearing({ ...READY, ...FOLLOW_UP })).toBe(false);
    expect(isHearing({ ...READY, ...FOLLOW_UP, draft })).toBe(true);
  });

  it("can be stopped while a reply is under way", () => {
    const asked = applyEvents(READY, [
      { type: "asked", reply: 1, text: "Hi", origin: "typed", at: AT, replacesPrevious: false },
    ]);

    expect([canStop(READY), canStop(asked), canStop({ ...READY, state: "speaking" })]).toEqual([false, true, true]);
  });

  it("shows a trouble once: beside the reply that met it, or as a banner", () => {
    const state = applyEvents(READY, [
      { type: "asked", reply: 1, text: "Hi", origin: "typed", at: AT, replacesPrevious: false },
      { type: "failed", reply: 1, trouble: TROUBLE },
      { type: "trouble", trouble: TROUBLE },
      { type: "trouble", trouble: { ...TROUBLE, stage: "speaker" } },
    ]);

    expect(bannersOf(state).map(({ stage }) => stage)).toEqual(["speaker"]);
  });
});

describe("a voice", () => {
  it.each<[string, Partial<ConversationState>, ReturnType<typeof whyUnavailable>]>([
    ["is heard", {}, null],
    ["is not listened to", { canListen: false, isMuted: true }, "off"],
    ["has no microphone", { troubles: [TROUBLE] }, "fault"],
    ["is not understood", { troubles: [{ ...TROUBLE, stage: "recognition" }] }, "fault"],
    ["is heard whatever else is wrong", { troubles: [{ ...TROUBLE, stage: "speaker" }] }, null],
    ["is muted", { isMuted: true }, "muted"],
  ])("%s", (_, change, expected) => {
    expect(whyUnavailable({ ...READY, canListen: true, ...change })).toBe(expected);
  });
});

describe("announcements of a reply", () => {
  const NOTHING = { key: "", length: 0 };
  const reply = (origin: "voice" | "typed", text: string) =>
    applyEvents(READY, [
      { type: "asked", reply: 1, text: "Hi", origin, at: AT, replacesPrevious: false },
      { type: "state", state: "thinking" },
      { type: "delta", reply: 1, text },
    ]);

  it("come by whole sentences", () => {
    const first = announcement(reply("typed", "It is **late**. Go to"), NOTHING);
    const second = announcement(reply("typed", "It is **late**. Go to bed! And"), first.announced);

    expect([first.text, second.text]).toEqual(["It is late.", "Go to bed!"]);
  });

  it("keep out of the way of the voice", () => {
    const spoken = applyEvents(reply("voice", "It is late. "), [
      { type: "state", state: "speaking" },
      { type: "sentence", reply: 1, text: "It is late." },
    ]);

    expect(announcement(reply("voice", "It is late. "), NOTHING).text).toBe("");
    expect(announcement(spoken, NOTHING).text).toBe("");
    expect(
      announcement(
        applyEvents(spoken, [
          { type: "done", reply: 1, text: "It is late.", attachments: [] },
          { type: "state", state: "idle" },
        ]),
        NOTHING,
      ).text,
    ).toBe("");
  });

  it("take over when a spoken question is not answered aloud", () => {
    const silent = applyEvents(reply("voice", "It is late"), [
      { type: "done", reply: 1, text: "It is late", attachments: [] },
      { type: "state", state: "idle" },
    ]);

    expect(announcement(silent, NOTHING).text).toBe("It is late");
  });
});

describe("a walk through one's own words", () => {
  it("goes back to the first and forth to the draft", () => {
    const start = startWalk(["one", "two", "two", "three"], "draft");
    const places = [start, older(start), older(older(start)), older(older(older(older(start))))];

    expect(places.map(wordsAt)).toEqual(["draft", "three", "two", "one"]);
    expect(wordsAt(newer(older(older(start))))).toBe("three");
    expect(wordsAt(newer(newer(older(start))))).toBe("draft");
  });

  it("has nowhere to go without words", () => {
    expect(wordsAt(older(startWalk([], "")))).toBe("");
  });
});

describe("the sentence that sounds", () => {
  it.each([
    ["It is late. Go to bed.", "Go to bed.", { start: 12, end: 22 }],
    ["It is\n late.", "It  is late.", { start: 0, end: 12 }],
    ["Take the towel (old).", "Take the **towel** (old).", { start: 0, end: 21 }],
    ["It is late.", "Something else.", null],
    ["It is late.", " ", null],
  ])("is found in %j", (text, sentence, expected) => {
    expect(findSentence(text, sentence)).toEqual(expected);
  });
});

describe("keys", () => {
  const press = (key: string, held: Partial<KeyboardEvent> = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...held,
  });

  it.each([
    [press("Escape"), false, "stop"],
    [press("F6"), false, "nextRegion"],
    [press("F6", { shiftKey: true }), false, "previousRegion"],
    [press("M", { ctrlKey: true, shiftKey: true }), false, "mute"],
    [press("C", { ctrlKey: true, shiftKey: true }), false, "copy"],
    [press("c", { ctrlKey: true }), false, null],
    [press("R", { ctrlKey: true, shiftKey: true }), false, "readAloud"],
    [press(",", { ctrlKey: true }), false, "settings"],
    [press("/", { ctrlKey: true, shiftKey: true }), false, "keyList"],
    [press(",", { metaKey: true }), true, "settings"],
    [press(",", { ctrlKey: true }), true, null],
    [press("a"), false, null],
    [press("Escape", { altKey: true }), false, null],
  ])("%j means %s %s", (event, isMac, expected) => {
    expect(shortcutOf(event, isMac)).toBe(expected);
  });

  it("are listed with the talk key first, if there is one", () => {
    expect(keyList("Ctrl+Shift+Space", false)[0]).toEqual({ keys: "Ctrl+Shift+Space", does: "Talk, from anywhere" });
    expect(keyList("", true).map(({ keys }) => keys)).toContain("⌘+,");
  });
});

describe("day headings", () => {
  const now = new Date(2026, 2, 1, 12);

  it.each([
    [new Date(2026, 2, 1, 0, 5), "Today"],
    [new Date(2026, 1, 28, 23, 55), "Yesterday"],
  ])("of %s is %s", (date, expected) => {
    expect(dayHeading(date.toISOString(), now)).toBe(expected);
  });

  it("name the year once it is another", () => {
    expect(dayHeading(new Date(2024, 5, 3).toISOString(), now)).toContain("2024");
    expect(dayHeading(new Date(2026, 0, 3).toISOString(), now)).not.toContain("2026");
  });
});

describe("the end of the thread", () => {
  it.each([
    ["stays in view while words come", true, 20, 60, true],
    ["is let go by the smallest move up", true, -1, 3, false],
    ["is held when the text above it got shorter", true, -50, 0, true],
    ["is taken hold of again near it", false, 30, 20, true],
    ["is not while reading further up", false, 30, 500, false],
    ["is not by words that come meanwhile", false, 0, 90, false],
  ])("%s", (_, wasPinned, moved, left, expected) => {
    expect(isPinnedAfter(wasPinned, moved, left)).toBe(expected);
  });
});
