import { describe, expect, it } from "vitest";
import type { EventView } from "../api/types/EventView";
import { lookOf } from "./look";
import { applyEvents, EMPTY } from "./state";

const AT = "2026-03-01T09:41:00Z";
const look = (...events: EventView[]) => lookOf(applyEvents({ ...EMPTY, isReady: true }, events));
const asked: EventView = {
  type: "asked",
  reply: 1,
  text: "Will it stay dry?",
  origin: "voice",
  at: AT,
  replacesPrevious: false,
};
const tea = {
  appointment: 1,
  kind: "timer",
  text: "Your tea timer is done.",
  language: "en",
  dueAt: AT,
  isMissed: false,
} as const;
const hotWindow: EventView = { type: "hotWindow", isOpen: true, secs: 5 };
const listening: EventView = { type: "state", state: "listening" };
const followUp: EventView[] = [
  { type: "speechEnded", reply: 1 },
  { type: "state", state: "idle" },
  hotWindow,
  listening,
];

describe("the overlay", () => {
  it.each<[string, EventView[], ReturnType<typeof look>]>([
    ["is ready", [], { mark: "idle", label: "Ready", words: "Say the name, then ask.", settled: 23, end: "none" }],
    [
      "waits for words",
      [{ type: "state", state: "listening" }],
      { mark: "listening", label: "Listening", words: "Go on", settled: 0, end: "meter" },
    ],
    [
      "shows words as they come",
      [
        { type: "partial", utterance: 1, text: "will it" },
        { type: "partial", utterance: 1, text: "will it stay" },
      ],
      { mark: "listening", label: "Listening", words: "will it stay", settled: 7, end: "meter" },
    ],
    [
      "forgets words meant for others",
      [
        { type: "partial", utterance: 1, text: "the telly" },
        { type: "overheard", utterance: 1, text: "the telly", isEcho: false },
      ],
      { mark: "idle", label: "Ready", words: "Say the name, then ask.", settled: 23, end: "none" },
    ],
    [
      "shows what is thought about",
      [asked, { type: "state", state: "thinking" }],
      { mark: "thinking", label: "Thinking", words: "Will it stay dry?", settled: 17, end: "stop" },
    ],
    [
      "shows the sentence that sounds",
      [asked, { type: "state", state: "speaking" }, { type: "sentence", reply: 1, text: "Until three." }],
      { mark: "speaking", label: "Speaking", words: "Until three.", settled: 12, end: "stop" },
    ],
    [
      "waits for the first words after the talk key",
      [hotWindow, listening],
      { mark: "listening", label: "Listening", words: "Go on", settled: 0, end: "meter" },
    ],
    [
      "shows the words of a follow-up",
      [...followUp, { type: "partial", utterance: 1, text: "and" }],
      { mark: "listening", label: "Listening", words: "and", settled: 0, end: "meter" },
    ],
    [
      "waits for a follow-up",
      followUp,
      { mark: "listening", label: "Still listening", words: "Anything else?", settled: 0, end: "ring" },
    ],
    [
      "shows what rings",
      [{ type: "rang", ring: tea }],
      { mark: "speaking", label: "Timer", words: "Your tea timer is done.", settled: 23, end: "settle" },
    ],
    [
      "forgets what was settled",
      [
        { type: "rang", ring: tea },
        { type: "ringSettled", appointment: 1 },
      ],
      { mark: "idle", label: "Ready", words: "Say the name, then ask.", settled: 23, end: "none" },
    ],
    [
      "shows a question with its options",
      [
        asked,
        { type: "state", state: "thinking" },
        { type: "question", reply: 1, question: { id: 1, text: "Send it?", options: ["Yes", "No"] } },
      ],
      { mark: "thinking", label: "Jarvis asks", words: "Send it? (Yes / No)", settled: 19, end: "stop" },
    ],
    [
      "names the tool that runs",
      [
        asked,
        { type: "state", state: "thinking" },
        { type: "toolStarted", reply: 1, call: "1", tool: "webSearchTool" },
      ],
      { mark: "thinking", label: "Thinking", words: "Using: web search", settled: 17, end: "stop" },
    ],
    [
      "offers to unmute",
      [{ type: "muted", isMuted: true }],
      { mark: "muted", label: "Microphone is muted", words: "Unmute it to talk.", settled: 18, end: "unmute" },
    ],
    [
      "names what failed",
      [
        { type: "trouble", trouble: { stage: "microphone", what: "Blue Yeti was unplugged.", remedy: "" } },
        { type: "state", state: "error" },
      ],
      { mark: "error", label: "Microphone", words: "Blue Yeti was unplugged.", settled: 24, end: "details" },
    ],
  ])("%s", (_, events, expected) => {
    expect(look(...events)).toEqual(expected);
  });

  it("says that it starts until it is ready", () => {
    expect(lookOf(EMPTY).label).toBe("One moment");
    expect(lookOf(applyEvents(EMPTY, [{ type: "ready" }])).label).toBe("Ready");
  });

  const failed: EventView[] = [
    asked,
    { type: "state", state: "thinking" },
    { type: "failed", reply: 1, trouble: { stage: "language_model", what: "It closed.", remedy: "" } },
    { type: "state", state: "idle" },
  ];
  const fault: EventView[] = [
    { type: "trouble", trouble: { stage: "speaker", what: "No speaker.", remedy: "" } },
    { type: "state", state: "error" },
  ];

  it.each<[string, EventView[], string]>([
    ["is named", [], "Language model"],
    ["is over once it is right again", [{ type: "recovered", stage: "language_model" }], "Ready"],
    ["is over once somebody speaks", [listening, { type: "state", state: "idle" }], "Ready"],
    ["is not named for another one", [{ ...asked, reply: 2 }, ...fault], "Speaker"],
    [
      "leaves nothing behind when the other is over",
      [{ ...asked, reply: 2 }, ...fault, { type: "recovered", stage: "speaker" }],
      "Fault",
    ],
  ])("a reply that failed %s", (_, events, expected) => {
    expect(look(...failed, ...events).label).toBe(expected);
  });

  it("leaves a trouble once it is over", () => {
    const trouble = { stage: "speaker", what: "No speaker.", remedy: "" };

    expect(
      look({ type: "trouble", trouble }, { type: "recovered", stage: "speaker" }, { type: "state", state: "error" })
        .label,
    ).toBe("Fault");
  });
});
