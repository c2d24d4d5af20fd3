import { describe, expect, it } from "vitest";
import type { EventView } from "../api/types/EventView";
import type { MessageView } from "../api/types/MessageView";
import { applyEvents } from "./reducer";
import { allMessages, EMPTY, fromView, PAGE_LENGTH, withEarlier, type ConversationState } from "./state";

const AT = "2026-03-01T09:41:00Z";
const TROUBLE = { stage: "language_model", what: "It stopped.", remedy: "Ask again." };
const asked = (reply: number, text: string): EventView => ({
  type: "asked",
  reply,
  text,
  origin: "typed",
  at: AT,
  replacesPrevious: false,
});
const stored = (id: number, text = `words ${id}`): MessageView => ({
  id,
  role: id % 2 ? "user" : "assistant",
  text,
  at: AT,
  origin: null,
});
const after = (...events: EventView[]): ConversationState => applyEvents(EMPTY, events);
const texts = (state: ConversationState) => allMessages(state).map(({ text }) => text);
const replyOf = (state: ConversationState) => allMessages(state).findLast((message) => message.role === "assistant");
const view = (messages: MessageView[]) =>
  fromView({
    name: "Jarvis",
    state: "idle",
    isReady: true,
    isMuted: false,
    canListen: true,
    talkKey: "",
    troubles: [],
    messages,
    hasEarlier: true,
    question: null,
    rings: [],
  });

describe("a reply", () => {
  it("grows with its pieces and is settled by its end", () => {
    const running = after(
      asked(1, "What time is it?"),
      { type: "delta", reply: 1, text: "It is " },
      { type: "delta", reply: 1, text: "late" },
    );
    const done = applyEvents(running, [{ type: "done", reply: 1, text: "It is late.", attachments: [] }]);

    expect(texts(running)).toEqual(["What time is it?", "It is late"]);
    expect(replyOf(running)).toMatchObject({ isRunning: true });
    expect(replyOf(done)).toMatchObject({ text: "It is late.", isRunning: false, isCut: false });
  });

  it("keeps what came when it was stopped", () => {
    const state = after(
      asked(1, "Count"),
      { type: "delta", reply: 1, text: "One, two" },
      { type: "done", reply: 1, text: "", attachments: [] },
    );

    expect(replyOf(state)).toMatchObject({ text: "One, two", isRunning: false, isCut: true });
  });

  it("shows its own failure", () => {
    const state = after(
      asked(1, "Count"),
      { type: "delta", reply: 1, text: "One" },
      { type: "failed", reply: 1, trouble: TROUBLE },
      { type: "done", reply: 1, text: "", attachments: [] },
    );

    expect(replyOf(state)).toMatchObject({ text: "One", trouble: TROUBLE, isRunning: false, isCut: true });
  });

  it("stays in its place when a new question comes before its end", () => {
    const state = after(
      asked(1, "First"),
      asked(2, "Second"),
      { type: "done", reply: 1, text: "One", attachments: [] },
      { type: "delta", reply: 2, text: "Two" },
    );

    expect(texts(state)).toEqual(["First", "One", "Second", "Two"]);
  });

  it("goes with its question when another one takes their place", () => {
    const instead: EventView = {
      type: "asked",
      reply: 3,
      text: "Third",
      origin: "typed",
      at: AT,
      replacesPrevious: true,
    };
    const state = after(
      asked(1, "First"),
      { type: "done", reply: 1, text: "One", attachments: [] },
      asked(2, "Second"),
      { type: "done", reply: 2, text: "Two", attachments: [] },
      instead,
    );

    expect(texts(state)).toEqual(["First", "One", "Third", ""]);
  });

  it("that began before the window opened is taken up", () => {
    const state = applyEvents(view([stored(1)]), [{ type: "delta", reply: 9, text: "half" }]);

    expect(texts(state)).toEqual(["words 1", "half"]);
  });

  it("that the snapshot holds already is not shown twice", () => {
    const state = applyEvents(view([stored(1), stored(2, "Done.")]), [
      { type: "done", reply: 9, text: "Done.", attachments: [] },
    ]);

    expect(texts(state)).toEqual(["words 1", "Done."]);
  });

  it("does not touch the pages before it", () => {
    const before = view(Array.from({ length: PAGE_LENGTH }, (_, index) => stored(index + 1)));
    const state = applyEvents(before, [asked(1, "New"), { type: "delta", reply: 1, text: "x" }]);

    expect(state.pages).toHaveLength(2);
    expect(state.pages[0]).toBe(before.pages[0]);
  });
});

describe("words", () => {
  it("that the snapshot holds already are not shown twice", () => {
    const state = applyEvents(view([stored(1, "What now?")]), [asked(3, "What now?")]);

    expect(texts(state)).toEqual(["What now?", ""]);
  });

  it("that were written down moments before they were told are not shown twice, the same words of earlier are", () => {
    const written = (millis: number) => ({
      ...stored(1, "What now?"),
      at: new Date(Date.parse(AT) - millis).toISOString(),
    });

    expect(texts(applyEvents(view([written(3)]), [asked(3, "What now?")]))).toEqual(["What now?", ""]);
    expect(texts(applyEvents(view([written(9000)]), [asked(3, "What now?")]))).toEqual(["What now?", "What now?", ""]);
  });

  it("are drafted, settle word by word, and leave when asked", () => {
    const first = after({ type: "partial", utterance: 1, text: "will it stay" });
    const second = applyEvents(first, [{ type: "partial", utterance: 1, text: "will it rain" }]);

    expect(first.draft).toEqual({ utterance: 1, text: "will it stay", settled: 0 });
    expect(second.draft).toEqual({ utterance: 1, text: "will it rain", settled: 7 });
    expect(applyEvents(second, [asked(1, "Will it rain?")]).draft).toBeNull();
  });

  it("meant for somebody else leave", () => {
    const heard = after({ type: "partial", utterance: 4, text: "the telly" });

    expect(applyEvents(heard, [{ type: "overheard", utterance: 3, text: "", isEcho: false }]).draft).not.toBeNull();
    expect(applyEvents(heard, [{ type: "overheard", utterance: 4, text: "", isEcho: false }]).draft).toBeNull();
  });
});

describe("the rest", () => {
  it.each<[string, EventView, Partial<ConversationState>]>([
    ["readiness", { type: "ready" }, { isReady: true }],
    ["a muted microphone", { type: "muted", isMuted: true }, { isMuted: true }],
    ["loudness", { type: "level", dbfs: -30 }, { dbfs: -30 }],
    ["a trouble", { type: "trouble", trouble: TROUBLE }, { troubles: [TROUBLE] }],
    ["another name", { type: "setting", path: "listening.wake_word", value: " émile " }, { name: "Émile" }],
    [
      "that the microphone is listened to",
      { type: "setting", path: "listening.enabled", value: true },
      { canListen: true },
    ],
    ["another talk key", { type: "talkKey", name: "Ctrl+F9" }, { talkKey: "Ctrl+F9" }],
    ["a setting, which is nobody's business here", { type: "setting", path: "a.b", value: 1 }, {}],
  ])("takes in %s", (_, event, expected) => {
    expect(after(event)).toEqual({ ...EMPTY, ...expected });
  });

  it("keeps one trouble of a stage until that recovers", () => {
    const newer = { ...TROUBLE, what: "Still stopped." };
    const state = after({ type: "trouble", trouble: TROUBLE }, { type: "trouble", trouble: newer });

    expect(state.troubles).toEqual([newer]);
    expect(applyEvents(state, [{ type: "recovered", stage: "language_model" }]).troubles).toEqual([]);
  });

  it("marks the sentence that sounds until the voice ends", () => {
    const speaking = after({ type: "state", state: "speaking" }, { type: "sentence", reply: 1, text: "Hello." });

    expect(speaking.voiced).toEqual({ reply: 1, text: "Hello." });
    expect(applyEvents(speaking, [{ type: "speechEnded", reply: 1 }]).voiced).toBeNull();
    expect(applyEvents(speaking, [{ type: "state", state: "idle" }]).voiced).toBeNull();
  });

  it("puts earlier history first", () => {
    const state = withEarlier(view([stored(101)]), [stored(99), stored(100)], false);

    expect(texts(state)).toEqual(["words 99", "words 100", "words 101"]);
    expect(state).toMatchObject({ oldest: 99, hasEarlier: false });
  });
});
