import type { DeliveryView } from "../api/types/DeliveryView";
import type { Origin } from "../api/types/Origin";
import type { PartName } from "../api/types/PartName";
import type { TraceView } from "../api/types/TraceView";
import { outcomeWords, toolName } from "../shared/tools";

/** A line of "How was this answered?". */
export type TraceLine = { label: string; text: string; tookMs: number | null };

/** What a model was asked besides the answer, by the role it had. */
const ASKED_FOR: Record<string, string> = {
  router: "which tools fit",
  planner: "which steps to take",
  combined: "which tools, steps and memories are needed",
  profile: "which manner fits",
  extractor: "what to look for in memory",
  resolver: "how to carry out a step",
  memory_digest: "what of the memories matters",
  tool_digest: "what of a result matters",
  max_turn_digest: "for an answer from what was found",
};

/** How a reply was made, step by step, in the user's words. */
export function traceLines(trace: TraceView, origin: Origin | null, reply: string): TraceLine[] {
  const { memories, profile, recallMs, plan, tools } = trace;
  const lines: TraceLine[] = [
    { label: origin === "voice" ? "Heard" : "Read", text: languageWords(trace.language), tookMs: null },
  ];
  if (memories > 0)
    lines.push({ label: "Remembered", text: memories === 1 ? "1 thing" : `${memories} things`, tookMs: recallMs });
  for (const call of trace.models.filter(({ role }) => role !== "answer")) {
    const what = ASKED_FOR[call.role] ?? "a short question";
    lines.push({ label: "Considered", text: `Asked ${call.model} ${what}`, tookMs: call.tookMs });
  }
  if (profile !== null) lines.push({ label: "Manner", text: profile, tookMs: null });
  if (plan.length > 0) lines.push({ label: "Planned", text: plan.join("; "), tookMs: null });
  for (const { tool, outcome, tookMs } of tools) {
    const result = outcome === "succeeded" ? "" : `, ${outcomeWords(outcome)}`;
    lines.push({ label: "Used", text: toolName(tool) + result, tookMs });
  }
  lines.push(wrote(trace, reply));
  if (trace.delivery) lines.push({ label: "Delivered", text: deliveryWords(trace.delivery), tookMs: null });
  return lines;
}

const PART_NAMES: Record<PartName, string> = {
  text: "text",
  voice: "voice",
  image: "picture",
  file: "file",
  notice: "note",
};

/** What of a reply arrived, and what did not. */
function deliveryWords({ isShown, isSpoken, attachments, missing }: DeliveryView): string {
  const arrived = [
    isShown ? ["shown"] : [],
    isSpoken ? ["spoken"] : [],
    attachments > 0 ? [attachments === 1 ? "1 file" : `${attachments} files`] : [],
  ].flat();
  const lost = missing.map((part) => PART_NAMES[part]).join(", ");
  const words = arrived.length > 0 ? arrived.join(", ") : "nothing";
  return (words[0]?.toUpperCase() ?? "") + words.slice(1) + (lost ? `; not delivered: ${lost}` : "");
}

function wrote({ isByRules, models, tools }: TraceView, reply: string): TraceLine {
  const answers = models.filter(({ role }) => role === "answer");
  const last = answers.at(-1);
  if (last) {
    const where = last.isEmbedded ? ", on this computer" : "";
    const tookMs = answers.reduce((sum, call) => sum + call.tookMs, 0);
    return { label: "Wrote", text: `${last.model}${where}, ${wordsOf(reply)}`, tookMs };
  }
  const source =
    isByRules || tools.length > 0
      ? "Fixed rules; no language model was asked"
      : "A fixed sentence; no language model was asked";
  return { label: "Wrote", text: source, tookMs: null };
}

function wordsOf(text: string): string {
  const count = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].filter(
    ({ isWordLike }) => isWordLike,
  ).length;
  return count === 1 ? "1 word" : `${count} words`;
}

function languageWords(code: string | null): string {
  return (code && new Intl.DisplayNames(["en"], { type: "language" }).of(code)) || "Language not known";
}

/** A time as people read it: `4 ms`, `0.31 s`, `12.4 s`. */
export function timeWords(ms: number): string {
  if (ms < 10) return `${Math.max(1, Math.round(ms))} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
