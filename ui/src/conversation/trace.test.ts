import { describe, expect, it } from "vitest";
import type { DeliveryView } from "../api/types/DeliveryView";
import type { TraceView } from "../api/types/TraceView";
import { timeWords, traceLines } from "./trace";

const NOTHING: TraceView = {
  language: "en",
  profile: null,
  isByRules: false,
  memories: 0,
  recallMs: 0,
  plan: [],
  models: [],
  tools: [],
  tookMs: 1,
  delivery: null,
};
const CALL = {
  role: "answer",
  model: "Qwen2.5 1.5B",
  isEmbedded: true,
  tookMs: 700,
  promptTokens: 800,
  completionTokens: 20,
};

const said = (trace: Partial<TraceView>, origin: "voice" | "typed" = "typed") =>
  traceLines({ ...NOTHING, ...trace }, origin, "It rains, sir.").map(
    ({ label, text, tookMs }) => `${label}: ${text} (${tookMs ?? "-"})`,
  );

describe("how a reply was made", () => {
  it("names every step in order", () => {
    const router = { ...CALL, role: "router", model: "Small", tookMs: 90 };
    const tools = [
      { tool: "getWeather", outcome: "succeeded", tookMs: 420 },
      { tool: "setTimer", outcome: "denied", tookMs: 2 },
    ] as const;

    const lines = said(
      {
        profile: "life",
        memories: 2,
        recallMs: 4,
        plan: ["Look it up"],
        models: [router, CALL, CALL],
        tools: [...tools],
        delivery: { isShown: true, isSpoken: true, attachments: 0, missing: [] },
      },
      "voice",
    );

    expect(lines).toEqual([
      "Heard: English (-)",
      "Remembered: 2 things (4)",
      "Considered: Asked Small which tools fit (90)",
      "Manner: life (-)",
      "Planned: Look it up (-)",
      "Used: get weather (420)",
      "Used: set timer, not allowed (2)",
      "Wrote: Qwen2.5 1.5B, on this computer, 3 words (1400)",
      "Delivered: Shown, spoken (-)",
    ]);
  });

  it.each<[Partial<TraceView>, string]>([
    [{ isByRules: true }, "Wrote: Fixed rules; no language model was asked (-)"],
    [{}, "Wrote: A fixed sentence; no language model was asked (-)"],
    [{ models: [{ ...CALL, isEmbedded: false }] }, "Wrote: Qwen2.5 1.5B, 3 words (700)"],
  ])("says who wrote it", (trace, line) => {
    expect(said(trace).at(-1)).toBe(line);
  });

  it.each<[Partial<DeliveryView>, string]>([
    [{ isShown: true, isSpoken: true }, "Delivered: Shown, spoken (-)"],
    [{ isShown: true, attachments: 1 }, "Delivered: Shown, 1 file (-)"],
    [{ attachments: 2, missing: ["text", "voice"] }, "Delivered: 2 files; not delivered: text, voice (-)"],
    [{ missing: ["image"] }, "Delivered: Nothing; not delivered: picture (-)"],
  ])("says last what arrived", (arrived, line) => {
    const delivery = { isShown: false, isSpoken: false, attachments: 0, missing: [], ...arrived };

    expect(said({ delivery }).at(-1)).toBe(line);
  });

  it.each([
    ["de", "Read: German (-)"],
    [null, "Read: Language not known (-)"],
  ])("names the language %s", (language, line) => {
    expect(said({ language })[0]).toBe(line);
  });

  it.each([
    [0.2, "1 ms"],
    [4.4, "4 ms"],
    [312, "0.31 s"],
    [12_345, "12.3 s"],
  ])("writes %d ms as %s", (ms, words) => {
    expect(timeWords(ms)).toBe(words);
  });
});
