import type { ModelView } from "../../api/types/ModelView";

/** A test of a model under way, or its outcome. */
export type Errand = { id: string; doing: "testing" | "loading" | null; outcome: string; isBad: boolean };

export const IDLE: Errand = { id: "", doing: null, outcome: "", isBad: false };

const USABLE = new Set(["speech", "endpoint", "voice", "language"]);
const TESTABLE = new Set([...USABLE, "embedding"]);

export const canUse = ({ purpose, status }: ModelView) => USABLE.has(purpose) && status.type === "ready";

export const canTest = ({ purpose, status }: ModelView) =>
  TESTABLE.has(purpose) && (status.type === "ready" || status.type === "inUse");

/** The text on the card of the model. */
export function outcomeOf({ doing, outcome }: Errand, { name }: ModelView): string {
  switch (doing) {
    case "testing":
      return `Testing ${name}. This can take half a minute.`;
    case "loading":
      return `Loading ${name}.`;
    case null:
      return outcome;
  }
}
