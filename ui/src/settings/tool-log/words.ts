import type { LoggedCallView } from "../../api/types/LoggedCallView";

/** How calls end, as the log names it and as people read it. */
export const ENDS: ReadonlyMap<string, string> = new Map([
  ["done", "Done"],
  ["failed", "Did not work"],
  ["denied", "Forbidden by your settings"],
  ["declined", "You said no"],
  ["unanswered", "Nobody answered"],
  ["stopped", "Stopped"],
  ["timed out", "Took too long"],
  ["invalid arguments", "Called wrongly"],
  ["unknown tool", "No such tool"],
  ["panicked", "Failed with a bug"],
]);

export const endWords = (outcome: string): string => ENDS.get(outcome) ?? outcome;

/** What was decided; the reason stands between the two parts. */
const DECISIONS: Record<string, readonly [string, string]> = {
  allowed: ["Ran without a question", ""],
  denied: ["Not run", ""],
  approved: ["You were asked", ", and agreed"],
  approved_for_good: ["You were asked", ", and agreed for good"],
  declined: ["You were asked", ", and said no"],
  unanswered: ["You were asked", ", and did not answer"],
};

const GROUNDS: Record<string, string> = {
  setting: "as your settings say",
  untrusted: "because text from outside had been read",
  private_words: "because private words would have gone out",
  unsure: "because the model was not sure",
  changed_description: "because its server describes it differently now",
};

/** Why a call might run or not; empty if it came to no decision. */
export function reasonWords({ decision, grounds }: LoggedCallView): string {
  const decided = DECISIONS[decision];
  if (decided === undefined) return "";
  const [first, last] = decided;
  return `${[first, GROUNDS[grounds]].filter((part) => part !== undefined).join(" ")}${last}.`;
}

const ORIGINS = {
  voice: "spoken",
  satellite: "in another room",
  typed: "typed",
  program: "by jarvis ask or jarvis mcp",
} as const;

/** Who asked, and where. */
export function askedWords({ origin, conversation, program }: LoggedCallView): string {
  if (program !== null) return `by the program ${program}`;
  const by = origin === null ? "asked" : ORIGINS[origin];
  return conversation === "main" ? by : `${by}, in ${conversation}`;
}

/** How long it took; empty for less than a millisecond, as of a call that was not run. */
export const tookWords = (ms: number): string =>
  ms === 0 ? "" : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
