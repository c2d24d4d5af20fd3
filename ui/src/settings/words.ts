import type { FieldView } from "../api/types/FieldView";

/** Up to this many choices are shown side by side; more become a list. */
export const MOST_SEGMENTS = 4;

/** Labels with more letters in total than this are too wide to stand side by side. */
const MOST_LETTERS = 24;

/** Whether a control needs a line of its own. */
export function isWide(kind: FieldView["kind"]): boolean {
  if (kind.type !== "choice") return kind.type === "words";
  return kind.choices.length <= MOST_SEGMENTS && kind.choices.map(({ label }) => label).join("").length > MOST_LETTERS;
}

/** A value in words, for the reset button. */
export function valueWords({ kind, defaultValue }: Pick<FieldView, "kind" | "defaultValue">): string {
  switch (kind.type) {
    case "toggle":
      return defaultValue === true ? "on" : "off";
    case "whole":
    case "number":
      return `${String(defaultValue)} ${kind.unit}`.trim();
    case "choice":
      return kind.choices.find(({ id }) => id === defaultValue)?.label ?? String(defaultValue);
    case "words":
      return Array.isArray(defaultValue) && defaultValue.length > 0 ? defaultValue.join(", ") : "nothing";
    default:
      return defaultValue === "" ? "the usual" : String(defaultValue);
  }
}

/** How many settings were found. */
export function foundWords(count: number, query: string, total: number): string {
  if (count === 0) return `Nothing about “${query}” in ${total} settings.`;
  return count === 1 ? `1 setting about “${query}”.` : `${count} settings about “${query}”.`;
}
