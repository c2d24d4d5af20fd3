import type { StateName } from "../api/types/StateName";

/** How many characters at the start of a draft are the same words as before, and so unlikely to change again. */
export function settledLength(before: string, now: string): number {
  const wordsBefore = before.split(" ");
  const words = now.split(" ");
  const firstNew = words.findIndex((word, index) => word !== wordsBefore[index]);

  const settled = firstNew === -1 ? words : words.slice(0, firstNew);
  return settled.join(" ").length;
}

/** Whether a state means that nobody is speaking, so that partial words led to nothing. */
export const isQuiet = (state: StateName) => state === "idle" || state === "muted" || state === "error";
